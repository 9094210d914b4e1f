//! The texts around the demo's debate.

use std::path::Path;

use super::Door;
use anvil_store::STATE_FILE_NAME;
use anvil_text::clean_lines;

pub const DEMO: &str = "Anvil demo: scripted debaters, the real engine, state file and report.\n\
    No account, no network.\n";

/// Shown if the user typed a question.
pub const DEMO_HAS_ONE_SCRIPT: &str =
    "(The debaters know one script and argue about a monolith, whatever you ask.)\n";

/// The command that would argue the question.
pub fn demo_prompt(question: &str, motion: &str, script: &Path, door: &Door) -> String {
    let question = shell_quote(&clean_lines(question));
    let motion = shell_quote(motion);
    let (program, script) = (door.program(), script.display());
    format!(
        "$ {program} run \\\n    {question} \\\n    --motion {motion} \\\n    --agent script:{script}\n"
    )
}

/// The command that shows more, after the demo's folder is gone.
pub fn demo_gone(door: &Door) -> String {
    format!("\n{} demo --keep   keeps the page, the claims and every reply", door.program())
}

/// The commands that show more of the demo.
pub fn demo_end(project: &Path, door: &Door) -> String {
    format!(
        "\nIn the demo's folder every command knows this debate:\
         \n  cd {}\
         \n  {program} report --open   its page, in your browser\
         \n  {program} claims          every claim, and what became of it\
         \nThe debate is one file with every reply: .claude/{STATE_FILE_NAME}",
        in_shell(project),
        program = door.program()
    )
}

/// A text as one word of a shell command, for reading.
fn shell_quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path as a word of a shell command.
pub fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = path.chars().all(|char| char.is_ascii_alphanumeric() || "/._-".contains(char));
    if is_plain || cfg!(windows) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
