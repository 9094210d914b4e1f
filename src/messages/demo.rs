//! What the demo shows around the debate.

use std::path::Path;

use crate::text::clean_lines;

/// What the demo is.
pub const DEMO: &str =
    "Anvil demo: scripted debaters, the real engine, state file and report. No account, no network.\n";

/// For a question of the user's own.
pub const DEMO_HAS_ONE_SCRIPT: &str = "(The debaters know one script and argue about a monolith, whatever you ask.)\n";

/// What could be typed for it.
#[must_use]
pub fn demo_prompt(question: &str, script: &Path) -> String {
    let question = clean_lines(question);
    format!("$ anvil run {} --agent script:{}\n", quoted(&question), script.display())
}

/// What there is to look at now.
#[must_use]
pub fn demo_end(replies: usize, report: &Path, project: &Path, state_file: &Path) -> String {
    format!(
        "\n{replies} replies filed.\nReport:     {}\nAs a page:  {}\nState file: {}\n\n\
         In the demo's folder, `anvil claims` and all other commands know this debate:\n  cd {}",
        report.display(),
        report.with_extension("html").display(),
        state_file.display(),
        in_shell(project)
    )
}

/// A text as a shell takes it for one word, where that is for reading.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path as a word of a shell.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    if path.chars().all(is_plain) || cfg!(windows) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
