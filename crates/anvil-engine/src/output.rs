//! Decides where a report may go.
//!
//! A state file can come with a cloned repository. Its `output` counts only if the user named that
//! path for that debate on this machine. Otherwise the report goes to its default place.
//!
//! Outside of Anvil's own folder, a report replaces nothing but a report.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Context, LOCK_WAIT, Note, expand};
use anvil_core::debate::Debate;
use anvil_core::document::Document;
use anvil_core::limits::MAX_OUTPUT_CHARS;
use anvil_core::transcript;
use anvil_report::{Format, is_report};
use anvil_store::{Project, StateFile, Store};
use anvil_system::disk::read_plain;
use anvil_text::error::{Error, Result};

/// Extensions of documents that users expect and Anvil does not write. Any other unknown extension
/// gets Markdown.
const OTHER_FORMS: [&str; 6] = ["doc", "docx", "epub", "odt", "pdf", "rtf"];

const ANOTHER: &str = "name another one, such as decision.md";

const IS_SAFE: &str = "the debate itself is safe in the state file";

impl Context<'_> {
    /// Checks a path for a report, before anything is asked or paid. `document`: the one that the
    /// debate is about, which a report never replaces.
    pub(crate) fn report_output(
        &self,
        typed: &str,
        project: &Project,
        document: Option<&Path>,
    ) -> Result<PathBuf> {
        let path = self.checked_output(typed, project)?;
        if document.is_some_and(|document| is_same_file(&path, document)) {
            return Err(refused(typed, "is the document that the debate is about", ANOTHER));
        }
        if !is_free_or_report(&path) {
            return Err(refused(typed, "is not an Anvil report, and would be replaced", ANOTHER));
        }
        Ok(path)
    }

    /// The folder that the user named. `None`: the path names a file.
    pub(crate) fn named_folder(&self, typed: &str) -> Option<PathBuf> {
        let path = lexical(&expand(typed, &self.world.cwd, self.world.home.as_deref()));
        let is_folder = path.is_dir() || typed.ends_with(std::path::is_separator);
        (is_folder && !typed.is_empty()).then_some(path)
    }

    /// The path of the plan or document of a debate, as far as its state names it.
    pub(crate) fn document_path(&self, state: &StateFile, project: &Project) -> Option<PathBuf> {
        let name = Document::of_entries(&transcript::parse(&state.body))?.name;
        Some(expand(&name, project.root(), self.world.home.as_deref()))
    }

    /// Checks the path that the user named at start. A relative path starts at the user's folder.
    pub(crate) fn checked_output(&self, typed: &str, project: &Project) -> Result<PathBuf> {
        let path = lexical(&expand(typed, &self.world.cwd, self.world.home.as_deref()));
        if path.is_dir() || typed.ends_with(['/', '\\']) {
            return Err(refused(typed, "is a folder", "name a file in it, such as decision.md"));
        }
        if !is_free_or_plain(&path) {
            return Err(refused(typed, "is not a regular file", ANOTHER));
        }
        let extension = path.extension().unwrap_or_default();
        if let Some(form) = OTHER_FORMS.iter().find(|form| extension.eq_ignore_ascii_case(form)) {
            return Err(Error::usage(
                format!("--output {typed}: reports are Markdown, HTML or JSON, not {form}"),
                "name it .html and print that page from a browser, or .md for pandoc",
            ));
        }
        let is_record = self.machine.folder().is_some_and(|folder| path.starts_with(folder));
        if is_record || path == project.state_file() || path == project.lock_file() {
            return Err(refused(typed, "is one of Anvil's own files", ANOTHER));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !inside(project, &path) && !folder.is_dir() {
            return Err(Error::usage(
                format!("--output: there is no folder {}", folder.display()),
                "create it first",
            ));
        }
        Ok(path)
    }

    /// The path of the report. Notes if that is not the path in the options.
    pub(crate) fn report_path(&self, store: &Store, debate: &Debate) -> Result<PathBuf> {
        let (path, note) = self.place_of_report(store, debate)?;
        if let Some(note) = note {
            self.add_note(note);
        }
        Ok(path)
    }

    /// The path of the future report, as the user reads it. `None`: the default place. Adds no
    /// note.
    pub(crate) fn report_to_come(&self, store: &Store, debate: &Debate) -> Option<String> {
        debate.options.output.as_ref()?;
        let (path, _) = self.place_of_report(store, debate).ok()?;
        Some(store.project().display(&path))
    }

    /// The path of the report, and a note if that is not the path in the options.
    fn place_of_report(&self, store: &Store, debate: &Debate) -> Result<(PathBuf, Option<Note>)> {
        let project = store.project();
        let default = store.report(&debate.id);
        let Some(output) = &debate.options.output else { return Ok((default?, None)) };
        let path = lexical(&expand(output, project.root(), self.world.home.as_deref()));
        let why = match &path {
            path if !is_approved(store, &debate.id, path) => {
                Some("it was not named on this machine")
            }
            path if !is_free_or_plain(path) => Some("it is not a regular file"),
            path => (!is_free_or_report(path)).then_some("it is not an Anvil report"),
        };
        let Some(why) = why else { return Ok((path, None)) };
        let default = default?;
        let place = project.display(&default);
        Ok((default, Some(Note::ReportElsewhere { wanted: output.clone(), why, place })))
    }

    /// The path of a completed debate's report, if the file still exists.
    pub(crate) fn report_written(&self, store: &Store, debate: &Debate) -> Option<PathBuf> {
        let mut paths = Vec::new();
        if let Some(output) = &debate.options.output {
            let root = store.project().root();
            paths.push(lexical(&expand(output, root, self.world.home.as_deref())));
        }
        let format = paths
            .first()
            .map_or(Format::from_path(Path::new("")), |named| Format::from_path(named));
        if let Ok(default) = store.report(&debate.id) {
            paths.extend([default.with_extension(format.extension()), default]);
        }
        paths.into_iter().find(|path| path.is_file())
    }
}

/// A path as the state file names it: relative, so that it moves with the project.
pub(crate) fn path_in_project(path: &Path, project: &Project) -> Result<PathBuf> {
    let named = path.strip_prefix(project.root()).unwrap_or(path);
    if named.display().to_string().chars().count() > MAX_OUTPUT_CHARS {
        return Err(Error::usage(
            format!(
                "--output has more than {MAX_OUTPUT_CHARS} characters, relative to the project"
            ),
            "name a shorter path",
        ));
    }
    Ok(named.to_owned())
}

fn refused(typed: &str, why: &str, hint: &'static str) -> Error {
    Error::usage(format!("--output {typed} {why}"), hint)
}

/// True if the user named exactly this path for this debate.
fn is_approved(store: &Store, id: &str, path: &Path) -> bool {
    let named = store.record(id).and_then(|record| record.output);
    named.is_some_and(|named| lexical(&store.project().root().join(named.0)) == path)
}

/// True for a free path or a plain file: a report does not replace a device or a link.
fn is_free_or_plain(path: &Path) -> bool {
    fs_err::symlink_metadata(path).map_or(true, |meta| meta.is_file())
}

/// True for a free path and for a report, which a report replaces.
fn is_free_or_report(path: &Path) -> bool {
    read_plain(path).is_ok_and(|content| content.is_none_or(|content| is_report(&content)))
}

/// True for two names of a file: by links of any kind, folders or spelling. An equal copy counts.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let [real, real_other] = [one, other].map(|path| fs_err::canonicalize(path).ok());
    real.is_some()
        && (real == real_other
            || read_plain(one)
                .ok()
                .flatten()
                .is_some_and(|one| read_plain(other).ok().flatten() == Some(one)))
}

/// Writes a report. In Anvil's own folder it replaces anything of its name, elsewhere only a
/// report.
pub(crate) fn write_report(store: &mut Store, id: &str, path: &Path, text: &str) -> Result<()> {
    let mut locked = store.lock(LOCK_WAIT)?;
    let is_own = locked
        .store()
        .report(id)
        .is_ok_and(|own| path.parent() == own.parent() && path.file_stem() == own.file_stem());
    if is_own {
        let written = locked.write_own_report(id, path, text);
        return written.map_err(|error| Error::failed(error.to_string(), IS_SAFE));
    }
    locked.write_report(path, text, is_report).map_err(not_written)
}

pub(crate) fn not_written(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::usage(error.to_string(), ANOTHER),
        _ => Error::io(error, IS_SAFE),
    }
}

/// The path without `.` and `..`. It does not follow links.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// True if a lexical path is in the project, also after the links of its folders, and not in
/// `.git`.
fn inside(project: &Project, path: &Path) -> bool {
    let Ok(relative) = path.strip_prefix(lexical(project.root())) else { return false };
    let in_git = relative.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let existing = path.ancestors().skip(1).find(|folder| folder.exists());
    let real = existing.and_then(|folder| fs_err::canonicalize(folder).ok());
    let root = fs_err::canonicalize(project.root()).ok();
    !in_git && real.zip(root).is_some_and(|(folder, root)| folder.starts_with(root))
}

/// The path of a debate's HTML page, from the path `report` of its report.
pub(crate) fn page_of(store: &Store, id: &str, report: &Path) -> Option<PathBuf> {
    if Format::from_path(report) == Format::Html {
        return Some(report.to_owned());
    }
    Some(store.report(id).ok()?.with_extension(Format::Html.extension()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_paths_in_the_project_count_as_inside() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("project");
        fs_err::create_dir_all(root.join("docs")).unwrap();
        let project = Project::at(&root);
        let is_inside = |path: &str| inside(&project, &lexical(&root.join(path)));
        assert!(is_inside("docs/a.md"));
        assert!(is_inside("new/folder/a.md"));
        assert!(is_inside("docs/../a.md"));
        assert!(!is_inside("../a.md"));
        assert!(!is_inside("docs/../../a.md"));
        assert!(!is_inside("/etc/a.md"));
        assert!(!is_inside(".git/hooks/pre-commit"));
        assert!(!is_inside("sub/.GIT/config"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(temp.path(), root.join("out")).unwrap();
            assert!(!is_inside("out/a.md"));
        }
    }
}
