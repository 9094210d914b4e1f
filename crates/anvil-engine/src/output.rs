//! Decides where a report may go.
//!
//! Outside of Anvil's own folder, a report replaces nothing but a report.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Context, LOCK_WAIT, expand};
use anvil_core::document::Document;
use anvil_core::limits::MAX_OUTPUT_CHARS;
use anvil_core::transcript;
use anvil_report::is_report;
use anvil_store::{Project, StateFile, Store};
use anvil_system::disk::read_plain;
use anvil_text::Hint;
use anvil_text::error::{Failure, Kind, Result};

/// Extensions of documents that users expect and Anvil does not write. Any other unknown extension
/// gets Markdown.
const OTHER_FORMS: [&str; 6] = ["doc", "docx", "epub", "odt", "pdf", "rtf"];

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
            return Err(OutputError::IsDocument(typed.to_owned()).into());
        }
        if !free_or_report(&path) {
            return Err(OutputError::NotAReport(typed.to_owned()).into());
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
            return Err(OutputError::IsFolder(typed.to_owned()).into());
        }
        if !free_or_plain(&path) {
            return Err(OutputError::Irregular(typed.to_owned()).into());
        }
        let extension = path.extension().unwrap_or_default();
        if let Some(form) = OTHER_FORMS.iter().find(|form| extension.eq_ignore_ascii_case(form)) {
            return Err(OutputError::OtherForm { typed: typed.to_owned(), form }.into());
        }
        let is_record = self.machine.folder().is_some_and(|folder| path.starts_with(folder));
        if is_record || path == project.state_file() || path == project.lock_file() {
            return Err(OutputError::IsOwn(typed.to_owned()).into());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !inside(project, &path) && !folder.is_dir() {
            return Err(OutputError::NoFolder(folder.to_owned()).into());
        }
        Ok(path)
    }
}

/// A path as the state file names it: relative, so that it moves with the project.
pub(crate) fn path_in_project(path: &Path, project: &Project) -> Result<PathBuf> {
    let named = path.strip_prefix(project.root()).unwrap_or(path);
    if named.display().to_string().chars().count() > MAX_OUTPUT_CHARS {
        return Err(OutputError::TooLong.into());
    }
    Ok(named.to_owned())
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    #[error("--output {0} is the document that the debate is about")]
    IsDocument(String),
    #[error("--output {0} is not an Anvil report, and would be replaced")]
    NotAReport(String),
    #[error("--output {0} is a folder")]
    IsFolder(String),
    #[error("--output {0} is not a regular file")]
    Irregular(String),
    #[error("--output {0} is one of Anvil's own files")]
    IsOwn(String),
    #[error("--output {typed}: reports are Markdown, HTML or JSON, not {form}")]
    OtherForm { typed: String, form: &'static str },
    #[error("--output: there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    #[error("--output has more than {MAX_OUTPUT_CHARS} characters, relative to the project")]
    TooLong,
    #[error("{0}")]
    Occupied(#[source] io::Error),
    #[error("{0}")]
    NotWritten(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Failure for OutputError {
    fn kind(&self) -> Kind {
        match self {
            Self::NotWritten(_) => Kind::Failed,
            _ => Kind::Usage,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::IsDocument(_)
            | Self::NotAReport(_)
            | Self::Irregular(_)
            | Self::IsOwn(_)
            | Self::Occupied(_) => "name another one, such as decision.md",
            Self::IsFolder(_) => "name a file in it, such as decision.md",
            Self::OtherForm { .. } => {
                "name it .html and print that page from a browser, or .md for pandoc"
            }
            Self::NoFolder(_) => "create it first",
            Self::TooLong => "name a shorter path",
            Self::NotWritten(_) => "the debate itself is safe in the state file",
        };
        hint.into()
    }
}

/// True for a free path or a plain file: a report does not replace a device or a link.
pub(crate) fn free_or_plain(path: &Path) -> bool {
    fs_err::symlink_metadata(path).map_or(true, |meta| meta.is_file())
}

/// True for a free path and for a report, which a report replaces.
pub(crate) fn free_or_report(path: &Path) -> bool {
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
        return written.map_err(|error| OutputError::NotWritten(error.into()).into());
    }
    Ok(locked.write_report(path, text, is_report).map_err(not_written)?)
}

pub(crate) fn not_written(error: io::Error) -> OutputError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => OutputError::Occupied(error),
        _ => OutputError::NotWritten(error.into()),
    }
}

/// The path without `.` and `..`. It does not follow links.
pub(crate) fn lexical(path: &Path) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_path_is_the_users_choice_and_any_other_failure_is_not() {
        for (error, kind) in [
            (io::ErrorKind::AlreadyExists, Kind::Usage),
            (io::ErrorKind::PermissionDenied, Kind::Failed),
            (io::ErrorKind::StorageFull, Kind::Failed),
        ] {
            assert_eq!(not_written(error.into()).kind(), kind, "{error}");
        }
    }

    #[test]
    fn an_equal_copy_is_the_same_file_and_what_is_not_there_is_none() {
        let temp = tempfile::tempdir().unwrap();
        let path = |name: &str| temp.path().join(name);
        for (name, text) in [("plan.md", "A plan."), ("copy.md", "A plan."), ("other.md", "Other.")]
        {
            fs_err::write(path(name), text).unwrap();
        }
        for (other, expected) in
            [("plan.md", true), ("copy.md", true), ("other.md", false), ("none.md", false)]
        {
            assert_eq!(is_same_file(&path(other), &path("plan.md")), expected, "{other}");
        }
        assert!(!is_same_file(&path("none.md"), &path("neither.md")));
    }

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
