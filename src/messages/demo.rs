//! What the demo shows around the debate.

use std::path::Path;
use std::time::Duration;

use crate::text::{clean, clean_lines};
use crate::transcript::count_words;

/// What the demo is.
pub const DEMO: &str = "Anvil demo: scripted debaters, the real hook and state file. No account, no network.\n";

/// For a question of the user's own.
pub const DEMO_HAS_ONE_SCRIPT: &str = "(The debaters know one script and argue about a monolith, whatever you ask.)\n";

/// What is typed.
#[must_use]
pub fn demo_prompt(question: &str) -> String {
    format!("❯ /anvil:debate {}", clean_lines(question))
}

/// A line of the hook, as the client shows it.
#[must_use]
pub fn demo_hook(line: &str) -> String {
    format!("  {}", clean(line, 400))
}

/// A reply by its claims.
#[must_use]
pub fn demo_reply(claims: &[String], reply: &str) -> String {
    format!("\n● {}\n  … {} words", claims.join("\n  "), count_words(reply))
}

/// What there is to look at now.
#[must_use]
pub fn demo_end(replies: usize, slowest: Duration, report: &Path, project: &Path, state_file: &Path) -> String {
    format!(
        "{replies} replies filed; the slowest stop took {:.1} ms.\nReport:     {}\nAs a page:  {}\nState file: {}\n\n\
         In the demo's folder, `anvil claims` and all other commands know this debate:\n  cd {}",
        slowest.as_secs_f64() * 1e3,
        report.display(),
        report.with_extension("html").display(),
        state_file.display(),
        in_shell(project)
    )
}

/// A path as a word of a shell.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    if path.chars().all(is_plain) || cfg!(windows) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
