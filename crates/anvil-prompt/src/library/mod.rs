//! The library: texts that a debate can use, Anvil's own and the user's.
//!
//! A file has a one-line description, a blank line and the text. Invariants: the project's text
//! wins over the user's, and the user's over Anvil's; a file that can't be used is reported by
//! name, and no other text of that name replaces it silently; every text has a limited length, as
//! prompts have, and no control characters. It reads folders and writes nothing.

pub(crate) mod built_in;
pub(crate) mod parts;
pub(crate) mod user_files;

pub(crate) use built_in::{RESEARCH, VOICES};
pub use built_in::{built_in, built_in_names, focus, focus_names};
pub(crate) use parts::required_headings;
pub use parts::{Roles, headings};

use std::path::PathBuf;

use anvil_text::error::{Failure, Kind, Result};
use anvil_text::{Hint, Verb, hint};

/// Longest description, in characters: it fits on one line of `anvil list`.
pub const MAX_DESCRIPTION: usize = 90;
/// Longest name, in bytes.
const MAX_NAME: usize = 60;
/// Most names that an error lists.
const MAX_LISTED: usize = 20;

/// The kinds of text that a debate can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TextKind {
    Personas,
    /// How the sides argue.
    Modes,
    /// The form of the synthesis.
    Frameworks,
}

impl TextKind {
    /// In the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Personas, Self::Modes, Self::Frameworks];

    /// The name of its folder.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn singular(self) -> &'static str {
        match self {
            Self::Personas => "persona",
            Self::Modes => "mode",
            Self::Frameworks => "framework",
        }
    }
}

/// The source of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TextOwner {
    /// Part of Anvil.
    #[strum(serialize = "built in")]
    BuiltIn,
    /// The user's, for all projects.
    User,
    Project,
}

impl TextOwner {
    /// The word in `anvil list`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    /// One line of at most [`MAX_DESCRIPTION`] characters.
    pub description: String,
    /// The text, without its description.
    pub text: String,
    pub source: TextOwner,
    /// `None` if the text is built in.
    pub path: Option<PathBuf>,
}

/// The folders with the user's own texts.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// The project's root; its texts are in `.claude/anvil/`.
    pub project: PathBuf,
    /// Claude Code's configuration folder; the user's texts are in its folder `anvil/`.
    pub user: Option<PathBuf>,
}

/// The texts of a kind, sorted by name, and a phrase for each file that can't be used. If several
/// texts have one name, the list has only the one that wins.
pub fn list(text_kind: TextKind, folders: &Folders) -> (Vec<LibraryEntry>, Vec<String>) {
    let (files, mut unusable) = user_files::files(text_kind, folders);
    let mut entries: Vec<LibraryEntry> = Vec::new();
    for file in files {
        if entries.iter().any(|entry| entry.name == file.name) {
            continue;
        }
        match file.read() {
            Ok(entry) => entries.push(entry),
            Err(why) => unusable.push(why),
        }
    }
    for entry in built_in::entries(text_kind) {
        if !entries.iter().any(|own| own.name == entry.name) {
            entries.push(entry);
        }
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    (entries, unusable)
}

/// Finds the text by its name in any case; spaces and underscores count as hyphens.
pub fn find(text_kind: TextKind, name: &str, folders: &Folders) -> Result<LibraryEntry> {
    let (files, _) = user_files::files(text_kind, folders);
    let wanted = normal(name);
    if let Some(file) = files.iter().find(|file| file.name == wanted) {
        return file.read().map_err(|why| LibraryError::Unusable(text_kind, why).into());
    }
    if let Some(entry) = built_in::entries(text_kind).find(|entry| entry.name == wanted) {
        return Ok(entry);
    }
    let own = files.iter().map(|file| file.name.as_str());
    Err(unknown(text_kind, name, &wanted, own.chain(built_in_names(text_kind)).collect()).into())
}

/// True if a text has this name, or a similar one.
pub fn has_near(text_kind: TextKind, name: &str, folders: &Folders) -> bool {
    let (files, _) = user_files::files(text_kind, folders);
    let names: Vec<&str> =
        files.iter().map(|file| file.name.as_str()).chain(built_in_names(text_kind)).collect();
    !nearest(&normal(name), &names).is_empty()
}

/// The error for an unknown name.
fn unknown(text_kind: TextKind, name: &str, wanted: &str, mut names: Vec<&str>) -> LibraryError {
    names.sort_unstable();
    names.dedup();
    let near = nearest(wanted, &names);
    let names = if near.is_empty() { names } else { near };
    let more = if names.len() > MAX_LISTED { ", …" } else { "" };
    let names = names[..names.len().min(MAX_LISTED)].join(", ");
    let name = anvil_text::clean(name, MAX_NAME);
    LibraryError::Unknown { text_kind, name, known: format!("{names}{more}") }
}

#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("there is no {} named \"{name}\"; there is {known}", .text_kind.singular())]
    Unknown { text_kind: TextKind, name: String, known: String },
    #[error("{1}")]
    Unusable(TextKind, String),
}

impl Failure for LibraryError {
    fn kind(&self) -> Kind {
        match self {
            Self::Unknown { .. } => Kind::Usage,
            Self::Unusable(..) => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Unknown { text_kind, .. } => {
                hint![Verb::List.with(text_kind.word()), " describes them"]
            }
            Self::Unusable(text_kind, _) => {
                let list = Verb::List.with(text_kind.word());
                hint!["repair or remove that file; ", list, " shows what can be used"]
            }
        }
    }
}

/// The names that are similar to `wanted`, the nearest first, and the names that share a part with
/// it.
fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Vec<&'a str> {
    let wanted_parts: Vec<&str> = parts(wanted).collect();
    let mut near = anvil_text::nearest(wanted, names.iter().copied(), MAX_NAME);
    for name in names {
        let shares_part = parts(name).any(|part| wanted_parts.contains(&part));
        let begins = wanted.len() > 2 && name.starts_with(wanted);
        if (shares_part || begins) && !near.contains(name) {
            near.push(name);
        }
    }
    near
}

/// The words of a name that are long enough to compare.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('-').filter(|part| part.len() > 2)
}

/// The form in which names are compared.
fn normal(name: &str) -> String {
    let hyphens: String =
        name.trim().chars().map(|char| if char == '_' { ' ' } else { char }).collect();
    hyphens.split_whitespace().collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// True if a text may have this name.
fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|char| matches!(char, 'a'..='z' | '0'..='9' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::limits::MAX_OWN_CHARS;
    use std::path::Path;

    /// A project and a user's configuration folder.
    pub(super) struct Places {
        root: tempfile::TempDir,
        pub folders: Folders,
    }

    impl Places {
        pub(crate) fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let folders = Folders {
                project: root.path().join("project"),
                user: Some(root.path().join("config")),
            };
            Self { root, folders }
        }

        pub(crate) fn path(&self, path: &str) -> PathBuf {
            self.root.path().join(path)
        }

        pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
            let path = self.path(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, content).unwrap();
        }

        pub(crate) fn project(&self, file: &str, content: impl AsRef<[u8]>) {
            self.write(&format!("project/.claude/anvil/{file}"), content);
        }

        pub(crate) fn user(&self, file: &str, content: impl AsRef<[u8]>) {
            self.write(&format!("config/anvil/{file}"), content);
        }
    }

    #[test]
    fn without_custom_files_every_text_is_built_in() {
        let nowhere = Folders { project: "/does/not/exist".into(), user: None };
        for text_kind in TextKind::ALL {
            let (entries, unusable) = list(text_kind, &nowhere);
            assert!(unusable.is_empty(), "{unusable:?}");
            assert_eq!(
                entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(),
                built_in_names(text_kind)
            );
            for entry in entries {
                assert_eq!(find(text_kind, &entry.name, &nowhere).unwrap(), entry);
                assert_eq!(built_in(text_kind, &entry.name), Some(entry.text.as_str()));
                assert_eq!((entry.source, entry.path), (TextOwner::BuiltIn, None));
            }
        }
    }

    #[test]
    fn the_project_wins_over_the_user_and_the_user_over_built_in_texts() {
        let places = Places::new();
        places.user("personas/end-user.md", "the user's end user");
        places.user("personas/nurse.md", "the user's nurse");
        places.project("personas/nurse.md", "the project's nurse");
        places.project("modes/end-user.md", "of another shelf");
        let (entries, unusable) = list(TextKind::Personas, &places.folders);
        assert!(unusable.is_empty(), "{unusable:?}");
        assert!(
            entries.is_sorted_by(|one, other| one.name < other.name),
            "each name once, in order"
        );
        for (name, text, source, path) in [
            (
                "end-user",
                "the user's end user",
                TextOwner::User,
                "config/anvil/personas/end-user.md",
            ),
            (
                "nurse",
                "the project's nurse",
                TextOwner::Project,
                "project/.claude/anvil/personas/nurse.md",
            ),
        ] {
            let found = find(TextKind::Personas, name, &places.folders).unwrap();
            assert_eq!((found.text.as_str(), found.source), (text, source));
            assert_eq!(found.path.as_deref(), Some(places.path(path).as_path()));
            assert!(entries.contains(&found));
        }
    }

    #[test]
    fn a_home_folder_that_is_the_project_is_read_once() {
        let places = Places::new();
        places.write(".claude/anvil/personas/nurse.md", "nurse");
        places.write(".claude/anvil/personas/empty.md", "");
        let folders = Folders { project: places.path(""), user: Some(places.path(".claude")) };
        let (entries, unusable) = list(TextKind::Personas, &folders);
        assert_eq!(entries.iter().filter(|entry| entry.source != TextOwner::BuiltIn).count(), 1);
        assert_eq!(unusable.len(), 1, "{unusable:?}");
    }

    #[test]
    fn names_are_compared_without_case_blanks_and_underscores() {
        let places = Places::new();
        places.project("personas/Night_Nurse.md", "nurse");
        for name in ["SRE on call", "sre_on_call", " sre-on-call ", "Sre  On_Call"] {
            assert_eq!(
                find(TextKind::Personas, name, &places.folders).unwrap().name,
                "sre-on-call"
            );
        }
        assert_eq!(
            find(TextKind::Personas, "night nurse", &places.folders).unwrap().name,
            "night-nurse"
        );
    }

    #[test]
    fn an_unknown_name_gives_similar_names_or_all_names() {
        let places = Places::new();
        places.project("personas/night-nurse.md", "nurse");
        for (text_kind, name, says) in [
            (
                TextKind::Personas,
                "securty-enginer",
                "there is no persona named \"securty-enginer\"; there is security-engineer",
            ),
            (TextKind::Personas, "cfo", "there is no persona named \"cfo\"; there is startup-cfo"),
            (
                TextKind::Personas,
                "nurse",
                "there is no persona named \"nurse\"; there is night-nurse",
            ),
            (
                TextKind::Personas,
                "maint",
                "there is no persona named \"maint\"; there is maintainer-in-five-years",
            ),
            (
                TextKind::Modes,
                "devil's advocate",
                "there is no mode named \"devil's advocate\"; there is devils-advocate",
            ),
            (
                TextKind::Modes,
                "zzz\u{1b}[31m\n",
                "there is no mode named \"zzz[31m\"; there is analyst, devils-advocate, \
                 philosopher, stakeholders",
            ),
            (
                TextKind::Modes,
                "../modes/analyst",
                "there is no mode named \"../modes/analyst\"; there is analyst, devils-advocate, \
                 philosopher, stakeholders",
            ),
        ] {
            let error = find(text_kind, name, &places.folders).unwrap_err();
            assert_eq!(error.to_string(), says);
            assert_eq!(
                error.hint().plain(),
                format!("`anvil list {}` describes them", text_kind.word())
            );
            assert_eq!(error.exit().code(), 2);
        }
        for name in ["", &"é".repeat(50_000), "q"] {
            let error = find(TextKind::Personas, name, &places.folders).unwrap_err();
            assert!(error.to_string().contains("accessibility-advocate, competitor"), "{error}");
            assert!(error.to_string().chars().count() < 1_500);
        }
    }

    #[test]
    fn an_unusable_file_is_not_replaced_silently() {
        let places = Places::new();
        let long = format!("Mine.\n\n{}", "😀".repeat(MAX_OWN_CHARS + 1));
        places.project("personas/end-user.md", &long);
        let error = find(TextKind::Personas, "end-user", &places.folders).unwrap_err();
        let path = places.path("project/.claude/anvil/personas/end-user.md");
        let says =
            format!("{} has a text of 2401 characters, at most 2400 can be used", path.display());
        assert_eq!((error.to_string(), error.exit().code()), (says.clone(), 1));
        assert_eq!(
            error.hint().plain(),
            "repair or remove that file; `anvil list personas` shows what can be used"
        );
        let (entries, unusable) = list(TextKind::Personas, &places.folders);
        assert_eq!(unusable, [says]);
        assert_eq!(entries.len(), built_in_names(TextKind::Personas).len());
    }

    #[test]
    fn the_prompts_on_disk_match_the_tables() {
        let prompts = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
        let in_folder = |folder: &str| {
            let mut names: Vec<String> = fs_err::read_dir(prompts.join(folder))
                .unwrap()
                .map(|entry| {
                    entry
                        .unwrap()
                        .file_name()
                        .into_string()
                        .unwrap()
                        .strip_suffix(".md")
                        .unwrap()
                        .to_owned()
                })
                .collect();
            names.sort_unstable();
            names
        };
        for text_kind in TextKind::ALL {
            assert_eq!(in_folder(text_kind.word()), built_in_names(text_kind));
        }
        assert_eq!(in_folder("focus"), focus_names());
    }
}
