//! Where a report may go.
//!
//! A state file can come with a cloned repository, so its `output` is a wish. It is followed where the user on this machine
//! named that path for that debate, or where it makes a new file inside the project that no tool obeys ([`unfit`]), or
//! rewrites a report that Anvil wrote there itself; otherwise the report goes to its default place.

use std::path::{Component, Path, PathBuf};

use super::{Engine, Note, expand};
use crate::debate::{Debate, MAX_OUTPUT_CHARS};
use crate::error::{Error, Result};
use crate::report::Format;
use crate::state::Project;

/// Forms of documents that people have in mind and that Anvil does not write. Any other name is one for Markdown.
const OTHER_FORMS: [&str; 6] = ["doc", "docx", "epub", "odt", "pdf", "rtf"];

/// Words by which programs find texts that they obey: `CLAUDE.md`, `AGENTS.md`, `skills/x/SKILL.md`, `copilot-instructions.md`,
/// and whatever lies in `commands/` of a plugin. A part of a path that has one of them is not a report's, also in the plural.
const OBEYED: [&str; 38] = [
    "agent",
    "aider",
    "chatmode",
    "claude",
    "cline",
    "codex",
    "command",
    "convention",
    "copilot",
    "crush",
    "cursor",
    "devin",
    "gemini",
    "goose",
    "guideline",
    "hook",
    "instruction",
    "jules",
    "junie",
    "kiro",
    "knowledge",
    "llm",
    "mcp",
    "memory",
    "opencode",
    "persona",
    "plugin",
    "prompt",
    "qwen",
    "replit",
    "rule",
    "skill",
    "steering",
    "style",
    "system",
    "template",
    "warp",
    "windsurf",
];

/// Those of them that are obeyed within a word too: `subagents/x.md`.
const OBEYED_INSIDE: [&str; 2] = ["agent", "claude"];

/// Words one of which the name of a JSON file has to have: nearly every other one is the configuration of some tool.
const REPORTS: [&str; 9] = ["adr", "analysis", "anvil", "debate", "decision", "report", "rfc", "synthesis", "verdict"];

impl Engine<'_> {
    /// Checks the path that the user named at start; relative paths are meant from the folder they work in.
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

    /// Remembers the user's word for the path; gives back how the state file names it.
    pub(super) fn approve_output(&self, project: &Project, id: &str, path: &Path) -> Result<String> {
        let approved = self.machine.approve_output(project, id, path);
        if !inside(project, path) {
            approved?;
        }
        let named = project.relative(path);
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
        let (path, note) = self.place_of_report(project, debate);
        if let Some(note) = note {
            self.add_note(note);
        }
        path
    }

    /// The same before it is written, as the user sees it. `None`: it goes where reports go.
    pub(super) fn report_to_come(&self, project: &Project, debate: &Debate) -> Option<String> {
        debate.options.output.as_ref().map(|_| project.display(&self.place_of_report(project, debate).0))
    }

    /// Where the report goes, and what the user reads where that is not where it was to go.
    fn place_of_report(&self, project: &Project, debate: &Debate) -> (PathBuf, Option<Note>) {
        let default = project.report(&debate.id);
        let Some(output) = &debate.options.output else { return (default, None) };
        let path = lexical(&expand(output, project.root(), self.world.home.as_deref()));
        let unusable = (is_anvils(project, &path) && path != default).then_some("it is a file of Anvil's own");
        let unusable = unusable.or((!is_free_or_plain(&path)).then_some("it is not a plain file"));
        let why = if path == default || self.machine.is_approved(project, &debate.id, &path) {
            unusable
        } else if fs_err::symlink_metadata(&path).is_ok() && !self.machine.is_own_report(project, &debate.id, &path) {
            unusable.or(Some("a file is there already"))
        } else {
            unusable.or_else(|| unfit_here(project, &path))
        };
        let Some(why) = why else { return (path, None) };
        let place = project.display(&default);
        (default, Some(Note::ReportElsewhere { wanted: output.clone(), why, place }))
    }

    /// Remembers that Anvil wrote the report there, so that a later cycle may write it again. Without a memory that one goes to
    /// its default place.
    pub(super) fn remember_report(&self, project: &Project, debate: &Debate, path: &Path) {
        let is_known = self.machine.is_approved(project, &debate.id, path);
        if debate.options.output.is_some() && !is_known && path != project.report(&debate.id) {
            self.machine.remember_report(project, &debate.id, path);
        }
    }

    /// Where the report of a completed debate lies, if it is still there.
    pub(super) fn report_written(&self, project: &Project, debate: &Debate) -> Option<PathBuf> {
        let named = debate
            .options
            .output
            .as_deref()
            .map(|output| lexical(&expand(output, project.root(), self.world.home.as_deref())));
        let beside = Format::of(named.as_deref().unwrap_or(Path::new("")));
        let in_folder = |local: PathBuf| {
            let default = local.join("reports").join(format!("{}.md", debate.id));
            [default.with_extension(beside.extension()), default]
        };
        named.into_iter().chain(project.locals().flat_map(in_folder)).find(|path| path.is_file())
    }
}

fn other_form(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?;
    OTHER_FORMS.into_iter().find(|form| extension.eq_ignore_ascii_case(form))
}

/// Why a path that somebody else named, seen from the project, is not one for a report. `None`: it is.
///
/// A report never takes the place of a file, so the danger is a new one that a program obeys, in any folder and in any case
/// of its letters: ASCII alone, no hidden part, no part with a word of [`OBEYED`], one dot in the name, which is `.md`, `.html` or
/// `.json`, and of JSON a name that says what it is.
fn unfit(relative: &Path) -> Option<&'static str> {
    let mut parts = relative.components().filter(|part| *part != Component::CurDir).peekable();
    if parts.peek().is_none() {
        return Some("it names no file");
    }
    while let Some(part) = parts.next() {
        let Component::Normal(part) = part else { return Some("it leads out of the project") };
        let Some(part) = part.to_str() else { return Some("its name is not UTF-8") };
        if part.starts_with('.') {
            return Some("it is hidden");
        }
        // Some file systems overlook what is not seen, and letters of other scripts look like those of an obeyed name.
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        if !part.chars().all(is_plain) || part.ends_with('.') {
            return Some("its name has other characters than ASCII letters, digits, `-`, `_` and a dot");
        }
        let lower = part.to_ascii_lowercase();
        let has = |known: &[&str]| {
            let words = lower.split(|char: char| !char.is_alphanumeric());
            words
                .into_iter()
                .any(|word| known.contains(&word) || word.strip_suffix('s').is_some_and(|one| known.contains(&one)))
        };
        if has(&OBEYED) || OBEYED_INSIDE.iter().any(|word| lower.contains(word)) {
            return Some("a program may obey a file of that name");
        }
        if parts.peek().is_some() {
            continue;
        }
        match lower.split_once('.') {
            Some((_, "md" | "html")) => {}
            Some((_, "json")) if has(&REPORTS) => {}
            Some((_, "json")) => {
                return Some("a program may obey a JSON file of that name; a report's has the word `report`");
            }
            _ => return Some("its name does not end in .md, .html or .json with no other dot"),
        }
    }
    None
}

/// The same of a path in this project, as it is written and after the links on its way.
pub(super) fn unfit_here(project: &Project, path: &Path) -> Option<&'static str> {
    const OUTSIDE: &str = "it leads out of the project";
    let path = &lexical(path);
    let (Ok(relative), true) = (path.strip_prefix(lexical(project.root())), inside(project, path)) else {
        return Some(OUTSIDE);
    };
    let existing = path.ancestors().skip(1).find(|folder| folder.exists());
    let real =
        existing.and_then(|folder| Some(fs_err::canonicalize(folder).ok()?.join(path.strip_prefix(folder).ok()?)));
    let real = real.zip(fs_err::canonicalize(project.root()).ok());
    let Some(Ok(real)) = real.as_ref().map(|(real, root)| real.strip_prefix(root)) else { return Some(OUTSIDE) };
    unfit(relative).or_else(|| unfit(real))
}

/// True for a path where nothing lies, or a plain file: a report does not take the place of a device or a link.
fn is_free_or_plain(path: &Path) -> bool {
    fs_err::symlink_metadata(path).map_or(true, |meta| meta.is_file())
}

/// True for the state file and what lies beside it, reports aside.
fn is_anvils(project: &Project, path: &Path) -> bool {
    let is_in = |local: &PathBuf| path.starts_with(local) && !path.starts_with(local.join("reports"));
    path == project.state_file() || [project.local(), project.shared()].iter().any(is_in)
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

/// True when a lexical path lies in the project, also after every link on its way, and not in git's own folder.
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
    fn a_report_that_somebody_else_named_is_no_file_that_a_program_obeys() {
        for fits in [
            "decision.md",
            "docs/new.md",
            "docs/adr/0007-queue.md",
            "out.html",
            "verdict.json",
            "2026/anvil-report.JSON",
            "NOTES.MD",
            "docs/./report.md",
            "docs/room/styling.md",
        ] {
            assert_eq!(unfit(Path::new(fits)), None, "{fits}");
        }
        for obeyed in [
            "CLAUDE.md",
            "claude.md",
            "sub/Claude.MD",
            "CLAUDE.local.md",
            "AGENTS.md",
            "agent.md",
            "GEMINI.md",
            "skills/x/notes.md",
            "x/SKILL.md",
            "\u{17f}kill.md",
            "s\u{212a}ill.md",
            "copilot-instructions.md",
            "a.prompt.md",
            "commands/x.md",
            "agents/x.md",
            "hooks/report.json",
            "output-styles/x.md",
            "package.json",
            "TSCONFIG.json",
            "hooks.json",
            "x.tar.json",
            ".mcp.json",
            ".cursorrules",
            ".claude/x.md",
            ".Claude/rules/x.md",
            ".github/x.md",
            "docs/.hidden.md",
            ".git/x.md",
            ".gitignore",
            "Makefile",
            "run.sh",
            "a.markdown",
            "a.htm",
            "",
            ".",
            "docs/",
            "../x.md",
            "/x.md",
            "docs/../../x.md",
            "C:x.md",
            "a\\b.md",
            "GIT~1/x.md",
            "x.md.",
            "x.md ",
            "cl\u{200c}aude.md",
            "x\u{1b}.md",
            "replit.md",
            "docs/knowledge.md",
            "steering/x.md",
            "system.md",
            "personas.md",
            "x.chatmode.md",
            "x-chatmode.md",
            "myclaude.md",
            "subagents/x.md",
            "docs/claudefile.md",
            "cl\u{430}ude.md",
            "\u{ff21}GENTS.md",
            "Überlegung.md",
            "a b.md",
        ] {
            assert!(unfit(Path::new(obeyed)).is_some(), "{obeyed}");
        }
    }

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
