//! Where a report may go.
//!
//! A state file can come with a cloned repository, so its `output` is a wish. It is followed where a person on this machine
//! named that path for that debate, or where it makes a new file inside the project; otherwise the report goes to its
//! default place.

use std::path::{Component, Path, PathBuf};

use super::{Engine, expand};
use crate::debate::{Debate, MAX_OUTPUT_CHARS};
use crate::error::{Error, Result};
use crate::report::Format;
use crate::state::Project;

/// Forms of documents that people have in mind and that Anvil does not write. Any other name is one for Markdown.
const OTHER_FORMS: [&str; 6] = ["doc", "docx", "epub", "odt", "pdf", "rtf"];

impl Engine<'_> {
    /// Checks the path that a person named at start; relative paths are meant from the folder they work in.
    pub(super) fn output_at_start(&self, typed: &str, project: &Project) -> Result<PathBuf> {
        let path = lexical(&expand(typed, &self.world.cwd, self.world.home.as_deref()));
        if path.is_dir() || typed.ends_with(['/', '\\']) {
            return Err(Error::usage(
                format!("--output {typed} is a folder"),
                "name a file in it, such as decision.md",
            ));
        }
        if !is_free_or_plain(&path) {
            return Err(Error::usage(
                format!("--output {typed} is not a plain file"),
                "name another one, such as decision.md",
            ));
        }
        if let Some(extension) = other_form(&path) {
            return Err(Error::usage(
                format!("--output {typed}: reports are Markdown, HTML or JSON, not {extension}"),
                "name it .html and print that page from a browser, or .md for pandoc",
            ));
        }
        if is_anvils(project, &path) {
            return Err(Error::usage(
                format!("--output {typed} is a file of Anvil's own"),
                "name another one, such as decision.md",
            ));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !inside(project, &path) && !folder.is_dir() {
            return Err(Error::usage(format!("--output: there is no folder {}", folder.display()), "make it first"));
        }
        Ok(path)
    }

    /// Remembers the person's word for the path; gives back how the state file names it.
    pub(super) fn approve_output(&self, project: &Project, id: &str, path: &Path) -> Result<String> {
        let approved = self.machine.approve_output(project, id, path);
        if !inside(project, path) {
            approved?;
        }
        let named = project.display(path);
        if named.chars().count() > MAX_OUTPUT_CHARS {
            return Err(Error::usage(
                format!("--output has more than {MAX_OUTPUT_CHARS} characters, seen from the project"),
                "name a shorter path",
            ));
        }
        Ok(named)
    }

    /// Where the report of this debate goes.
    pub(super) fn report_path(&self, project: &Project, debate: &Debate) -> PathBuf {
        let default = project.report(&debate.id);
        let Some(output) = &debate.output else { return default };
        let path = lexical(&expand(output, project.root(), self.world.home.as_deref()));
        let typed_here = self.machine.is_approved(project, &debate.id, &path);
        let harmless = inside(project, &path) && fs_err::symlink_metadata(&path).is_err();
        let usable = is_free_or_plain(&path) && !is_anvils(project, &path);
        if (typed_here || harmless) && usable { path } else { default }
    }

    /// Where the report of a completed debate lies, if it is still there.
    pub(super) fn report_written(&self, project: &Project, debate: &Debate) -> Option<PathBuf> {
        let named =
            debate.output.as_deref().map(|output| lexical(&expand(output, project.root(), self.world.home.as_deref())));
        let beside = Format::of(named.as_deref().unwrap_or(Path::new("")));
        let default = project.report(&debate.id);
        let default = default.with_extension(beside.extension());
        named.into_iter().chain([default, project.report(&debate.id)]).find(|path| path.is_file())
    }
}

fn other_form(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?;
    OTHER_FORMS.into_iter().find(|form| extension.eq_ignore_ascii_case(form))
}

/// True for a path where nothing lies, or a plain file: a report does not take the place of a device or a link.
fn is_free_or_plain(path: &Path) -> bool {
    fs_err::symlink_metadata(path).map_or(true, |meta| meta.is_file())
}

/// True for the state file and what lies beside it, reports aside.
fn is_anvils(project: &Project, path: &Path) -> bool {
    let reports = project.report("any");
    path == project.state_file()
        || (path.starts_with(project.local()) && reports.parent().is_none_or(|reports| !path.starts_with(reports)))
}

/// The path without `.` and `..`, as it is written.
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

/// True when a lexical path lies in the project, also behind every link on its way, and not in git's own folder.
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
    fn only_what_really_lies_in_the_project_is_inside() {
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
