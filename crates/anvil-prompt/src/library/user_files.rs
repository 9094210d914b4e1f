//! The user's own files: which files exist, and how to read one.
//!
//! Files are not trusted: their size is limited; a file with an invalid name is refused; a link in
//! a project may not lead out of its `.claude/anvil` (a cloned repository could link to a key); and
//! each file that can't be used is reported by name.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it reads the texts of the user and the project"
)]

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::{Folders, LibraryEntry, MAX_DESCRIPTION, TextKind, TextOwner, is_name, normal};
use anvil_core::limits::MAX_OWN_CHARS;
use anvil_core::transcript::normalise;
use anvil_store::{description, is_same_folder};

/// Largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Most entries of a folder that are read.
const MAX_FILES: usize = 500;

/// A file with a valid name.
pub(crate) struct OwnFile {
    pub name: String,
    path: PathBuf,
    source: TextOwner,
    /// The project, if the file's content must be inside of its `.claude/anvil`.
    within: Option<PathBuf>,
}

/// The files of a kind, the project's before the user's, and a phrase for each file without a valid
/// name of its own.
pub(super) fn files(text_kind: TextKind, folders: &Folders) -> (Vec<OwnFile>, Vec<String>) {
    let mut files = Vec::new();
    let mut unusable = Vec::new();
    let project = folders.project.join(".claude").join("anvil").join(text_kind.word());
    let user = folders.user.as_ref().map(|user| user.join("anvil").join(text_kind.word()));
    // In the home folder, the project's folder and the user's folder are the same.
    let is_users = user.as_ref().is_some_and(|user| is_same_folder(user, &project));
    if !is_users {
        gather(&project, TextOwner::Project, Some(&folders.project), &mut files, &mut unusable);
    }
    if let Some(user) = user {
        gather(&user, TextOwner::User, None, &mut files, &mut unusable);
    }
    (files, unusable)
}

fn gather(
    folder: &Path,
    source: TextOwner,
    within: Option<&Path>,
    files: &mut Vec<OwnFile>,
    unusable: &mut Vec<String>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => {
            return unusable.push(format!("{} can't be read: {error}", path_text(folder)));
        }
    };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).take(MAX_FILES + 1).collect();
    if paths.len() > MAX_FILES {
        paths.truncate(MAX_FILES);
        unusable.push(format!(
            "{} has more than {MAX_FILES} files, the others are not looked at",
            path_text(folder)
        ));
    }
    paths.sort_unstable();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        // Editors keep their own copies under hidden names.
        let Some(stem) = file.strip_suffix(".md").filter(|stem| !stem.starts_with('.')) else {
            continue;
        };
        let name = normal(stem);
        if !is_name(&name) {
            unusable.push(format!(
                "{} has no name that can be typed: a-z, 0-9 and hyphens, at most 60",
                path_text(&path)
            ));
        } else if let Some(other) =
            files.iter().find(|other| other.name == name && other.source == source)
        {
            unusable.push(format!(
                "{} has the name of {}",
                path_text(&path),
                path_text(&other.path)
            ));
        } else {
            files.push(OwnFile { name, path, source, within: within.map(Path::to_owned) });
        }
    }
}

impl OwnFile {
    /// Reads the file, or returns a phrase that says why it can't be used.
    pub(crate) fn read(&self) -> Result<LibraryEntry, String> {
        let content = self.content().map_err(|why| format!("{} {why}", path_text(&self.path)))?;
        let (description, text) = divide(&content);
        let length = text.chars().count();
        if length == 0 {
            return Err(format!("{} is empty", path_text(&self.path)));
        }
        if length > MAX_OWN_CHARS {
            return Err(format!(
                "{} has a text of {length} characters, at most {MAX_OWN_CHARS} can be used",
                path_text(&self.path)
            ));
        }
        let name = self.name.clone();
        let path = Some(self.path.clone());
        Ok(LibraryEntry { name, description, text, source: self.source, path })
    }

    /// The content as text: line feeds only, no control characters.
    fn content(&self) -> Result<String, String> {
        let unreadable = |error: std::io::Error| format!("can't be read: {error}");
        if let Some(within) = &self.within {
            let root = within.canonicalize().map_err(unreadable)?;
            let path = self.path.canonicalize().map_err(unreadable)?;
            if !path.starts_with(root.join(".claude").join("anvil")) {
                return Err(
                    "is reached by a link that leads out of the project's .claude/anvil".into()
                );
            }
        }
        // Checks before it opens the file: opening a pipe would wait for a writer.
        let meta = std::fs::metadata(&self.path).map_err(unreadable)?;
        if !meta.is_file() {
            return Err("is not a regular file".into());
        }
        let mut bytes = Vec::new();
        let file = File::open(&self.path).map_err(unreadable)?;
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("is larger than {} KiB", MAX_FILE_BYTES / 1024));
        }
        let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
        let text = text.replace('\0', "").replace('\t', "    ");
        Ok(anvil_text::without_controls(&normalise(&text)))
    }
}

fn path_text(path: &Path) -> String {
    anvil_text::clean(&path.display().to_string(), 200)
}

/// A file's description and its text. The description is a line of the head; or the first line, if
/// it is short and a blank line follows; or the beginning of the text.
fn divide(content: &str) -> (String, String) {
    let (described, body) = description(content);
    let body = body.trim();
    let described = described.map(|text| one_line(&text)).filter(|text| !text.is_empty());
    if let Some(description) = described {
        return (description, body.to_owned());
    }
    if let Some((first, text)) = body.split_once('\n')
        && text.lines().next().is_some_and(|line| line.trim().is_empty())
        && first.trim().chars().count() <= MAX_DESCRIPTION
        // The heading of a part is no description; a title is one.
        && !first.starts_with("##")
    {
        return (one_line(first), text.trim().to_owned());
    }
    (one_line(body), body.to_owned())
}

/// The beginning of a text, as a description.
fn one_line(text: &str) -> String {
    anvil_text::clean(text.trim_start_matches(['#', ' ', '\n']), MAX_DESCRIPTION - 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Places;
    use super::super::{built_in_names, find, list};
    use super::*;

    #[test]
    fn a_file_is_divided_into_its_description_and_its_text() {
        let long = "x".repeat(MAX_DESCRIPTION + 1);
        let alone = format!("{long}\n\nText.");
        let cut = format!("{}…", "x".repeat(MAX_DESCRIPTION - 1));
        for (content, description, text) in [
            ("A nurse.\n\nYou are a nurse.\n", "A nurse.", "You are a nurse."),
            ("# A nurse\n\nYou are a nurse.\n\nTired.\n", "A nurse", "You are a nurse.\n\nTired."),
            ("You are a nurse.", "You are a nurse.", "You are a nurse."),
            ("You are a nurse.\nTired.", "You are a nurse. Tired.", "You are a nurse.\nTired."),
            ("A nurse.\n\n", "A nurse.", "A nurse."),
            ("## Advocate\n\nFor.", "Advocate For.", "## Advocate\n\nFor."),
            ("### Context\n\nWhy.", "Context Why.", "### Context\n\nWhy."),
            (&alone, &cut, &alone),
            ("---\ndescription: A nurse\nmodel: x\n---\n\nYou.\n\nTwo.", "A nurse", "You.\n\nTwo."),
            ("---\ndescription: \"A nurse: \\\"x\\\"\"\n---\nYou.", "A nurse: \"x\"", "You."),
            // A head of another tool that is no flat YAML has no description.
            ("---\ntools: {a: [b]}\ndescription: 'A nurse'\n---\nYou.", "You.", "You."),
            ("---\ndescription: 'A nurse'\n---\nYou.", "A nurse", "You."),
            ("---\nname: nurse\n---\nA nurse.\n\nYou.", "A nurse.", "You."),
            ("---\ndescription: >\n  A nurse,\n  tired\n---\nYou.", "A nurse, tired", "You."),
            ("---\ndescription:\n---\nYou.", "You.", "You."),
            ("---\nnever closed", "--- never closed", "---\nnever closed"),
            ("---\ndescription: only a head\n---\n", "only a head", ""),
            (
                "\u{FEFF}---\r\ndescription: A nurse\r\n---\r\n\r\nYou.\r\nTwo.\r",
                "A nurse",
                "You.\nTwo.",
            ),
            (
                "A \u{1b}[31mnurse\u{202e}\0.\n\n\tYou\u{7}.\r\n\r\nA\tB",
                "A [31mnurse.",
                "You.\n\nA    B",
            ),
        ] {
            let places = Places::new();
            places.project("personas/nurse.md", content);
            let (entries, unusable) = list(TextKind::Personas, &places.folders);
            let Some(nurse) = entries.iter().find(|entry| entry.name == "nurse") else {
                assert!(
                    text.is_empty() && unusable[0].ends_with("nurse.md is empty"),
                    "{content:?}: {unusable:?}"
                );
                continue;
            };
            assert_eq!(
                (nurse.description.as_str(), nurse.text.as_str()),
                (description, text),
                "{content:?}"
            );
            assert!(nurse.description.chars().count() <= MAX_DESCRIPTION);
        }
    }

    #[test]
    fn a_text_may_reach_its_limit() {
        let places = Places::new();
        places.user("frameworks/full.md", format!("Full.\n\n{}", "é".repeat(MAX_OWN_CHARS)));
        places.user("frameworks/over.md", format!("Over.\n\n{}", "é".repeat(MAX_OWN_CHARS + 1)));
        assert_eq!(
            find(TextKind::Frameworks, "full", &places.folders).unwrap().description,
            "Full."
        );
        let (_, unusable) = list(TextKind::Frameworks, &places.folders);
        assert_eq!(unusable.len(), 1);
        assert!(unusable[0].contains("over.md has a text of 2401 characters"), "{unusable:?}");
    }

    #[test]
    fn an_unusable_file_is_reported_and_the_others_are_listed() {
        let places = Places::new();
        places.project("personas/good.md", "good");
        places.project("personas/notes.txt", "not looked at");
        places.project("personas/.#good.md", "not looked at");
        places.project("personas/folder.md/x", "");
        places.project("personas/empty.md", " \n\u{7}\n");
        places.project("personas/latin.md", b"caf\xe9");
        places.project("personas/huge.md", "x".repeat(MAX_FILE_BYTES as usize + 1));
        places.project("personas/Good.MD.md", "dot");
        places.project("personas/GOOD_.md", "ends with an underscore");
        places.project("personas/über.md", "umlaut");
        places.project("personas/-x.md", "hyphen");
        places.project(&format!("personas/{}.md", "n".repeat(61)), "long");
        let (entries, unusable) = list(TextKind::Personas, &places.folders);
        assert_eq!(entries.len(), built_in_names(TextKind::Personas).len() + 1);
        let mut phrases = unusable.join("\n");
        for phrase in [
            "folder.md is not a regular file",
            "empty.md is empty",
            "latin.md is not UTF-8",
            "huge.md is larger than 64 KiB",
            "Good.MD.md has no name that can be typed",
            "über.md has no name that can be typed",
            "-x.md has no name that can be typed",
            "nnn.md has no name that can be typed",
            // Upper case sorts first, and only one of the two can have the name.
            "good.md has the name of",
        ] {
            assert!(phrases.contains(phrase), "{phrase}\n{phrases}");
        }
        assert_eq!(unusable.len(), 9, "{phrases}");
        phrases.retain(|char| char != '\n');
        assert!(!phrases.contains(char::is_control));
        for name in ["folder", "empty", "latin", "huge"] {
            assert_eq!(
                find(TextKind::Personas, name, &places.folders).unwrap_err().exit().code(),
                1
            );
        }
    }

    #[test]
    fn a_folder_with_too_many_files_is_partly_read() {
        let places = Places::new();
        for number in 0..=MAX_FILES {
            places.user(&format!("modes/m{number}.md"), "x");
        }
        let (entries, unusable) = list(TextKind::Modes, &places.folders);
        assert_eq!(entries.len(), MAX_FILES + built_in_names(TextKind::Modes).len());
        assert!(
            unusable.len() == 1
                && unusable[0].ends_with("has more than 500 files, the others are not looked at")
        );
        places.write("project/.claude/anvil/personas", "a file");
        assert!(
            list(TextKind::Personas, &places.folders).1[0].contains("personas can't be read: ")
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_users_link_may_leave_the_folder_and_a_projects_link_may_not() {
        use std::os::unix::fs::symlink;
        let places = Places::new();
        places.write("secret/key.md", "the key");
        places.write("project/docs/nurse.md", "nurse");
        places.project("personas/x.md", "x");
        places.user("personas/x.md", "x");
        let personas = places.path("project/.claude/anvil/personas");
        symlink(places.path("secret/key.md"), personas.join("key.md")).unwrap();
        symlink("../../../docs/nurse.md", personas.join("nurse.md")).unwrap();
        symlink("x.md", personas.join("other.md")).unwrap();
        symlink("gone.md", personas.join("gone.md")).unwrap();
        symlink(places.path("secret/key.md"), places.path("config/anvil/personas/mine.md"))
            .unwrap();
        symlink(places.path("secret"), places.path("project/.claude/anvil/modes")).unwrap();
        let error =
            |text_kind, name| find(text_kind, name, &places.folders).unwrap_err().to_string();
        let out = ".md is reached by a link that leads out of the project's .claude/anvil";
        for (text_kind, name) in
            [(TextKind::Personas, "key"), (TextKind::Modes, "key"), (TextKind::Personas, "nurse")]
        {
            assert!(error(text_kind, name).ends_with(&format!("{name}{out}")), "{name}");
        }
        assert!(error(TextKind::Personas, "gone").contains("gone.md can't be read: "));
        assert_eq!(find(TextKind::Personas, "other", &places.folders).unwrap().text, "x");
        assert_eq!(find(TextKind::Personas, "mine", &places.folders).unwrap().text, "the key");
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_does_not_block_reading() {
        let places = Places::new();
        places.project("personas/x.md", "x");
        let pipe = places.path("project/.claude/anvil/personas/pipe.md");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let (_, unusable) = list(TextKind::Personas, &places.folders);
        assert!(
            unusable.len() == 1 && unusable[0].ends_with("pipe.md is not a regular file"),
            "{unusable:?}"
        );
    }
}
