//! The place where the user reads a text: it decides how the user types a command.

use std::sync::OnceLock;

use crate::error::{Error, Hint};

/// The commands of Claude Code. Each is a file in `commands/`.
pub const SLASH_COMMANDS: [&str; 10] = [
    "debate", "resume", "steer", "status", "undo", "report", "claims", "history", "again", "cancel",
];

/// Commands of a shell that are options of another command in Claude Code: who installed the
/// plugin from a marketplace has no `anvil` on `PATH`.
const OPTIONS_THERE: [(&str, &str); 3] =
    [("publish", "report --publish"), ("pull", "report --pull"), ("list", "debate --help")];

/// Commands that need Claude and that a shell does not have.
pub const CLIENT_ONLY: [&str; 2] = ["debate", "resume"];

/// The start of a command in Anvil's own texts; a backtick ends it.
const BEGINS: &str = "`anvil ";

/// How to find the first word of a command in a shell, and that word.
static FIND: OnceLock<fn() -> String> = OnceLock::new();
static PROGRAM: OnceLock<String> = OnceLock::new();

/// `--dir` of this call, as words of a shell.
static FOLDER: OnceLock<String> = OnceLock::new();

/// From now on commands begin with the word that `find` returns. It is called when the first command
/// is shown: few events show one.
pub fn call_program_by(find: fn() -> String) {
    let _ = FIND.set(find);
}

/// From now on commands are about the debate in a folder of `--dir`: these words of a shell.
pub fn call_in_folder(words: String) {
    let _ = FOLDER.set(words);
}

/// How a command begins in a shell: `anvil`, or the path of this program; with `--dir`, if this
/// call has it.
pub fn program() -> &'static str {
    PROGRAM.get_or_init(|| {
        let name = FIND.get().map_or_else(|| "anvil".to_owned(), |find| find());
        FOLDER.get().map_or(name.clone(), |folder| format!("{name} {folder}"))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Shell,
    Client,
}

impl Door {
    /// An error's hint, in the words of this door.
    pub fn hint(self, error: &Error) -> String {
        let Hint { shell, client } = error.hint();
        match (self, client) {
            (Self::Client, Some(client)) => self.text(client),
            (Self::Client | Self::Shell, _) => self.text(shell),
        }
    }

    /// The command as the user types it here: `` `anvil steer TEXT` `` or `/anvil:steer TEXT`.
    pub fn command(self, line: &str) -> String {
        let (verb, after) = line.split_once(' ').unwrap_or((line, ""));
        let there = OPTIONS_THERE.into_iter().find(|(there, _)| *there == verb);
        match (self, there) {
            (Self::Client, Some((_, option))) => {
                format!("/anvil:{option} {after}").trim_end().to_owned()
            }
            (Self::Client, _) if SLASH_COMMANDS.contains(&verb) => format!("/anvil:{line}"),
            // Claude Code does not see a debate in a folder of its own.
            (Self::Shell, _) if verb == "resume" && FOLDER.get().is_some() => {
                format!("`{} run --resume`", program())
            }
            (Self::Shell, _) if CLIENT_ONLY.contains(&verb) => {
                format!("/anvil:{line} in Claude Code")
            }
            (Self::Client | Self::Shell, _) => format!("`{} {line}`", program()),
        }
    }

    /// Anvil's own text, with the commands as the user types them here. Only for Anvil's own texts:
    /// a user's own words must not change.
    pub fn text(self, text: &str) -> String {
        let mut parts = text.split(BEGINS);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once('`') {
                Some((line, after)) => out.extend([&self.command(line), after]),
                None => out.extend([BEGINS, part]),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_the_way_its_user_types_it() {
        let text =
            "`anvil resume` goes on, `anvil steer TEXT` directs it, `anvil tasks` and 'anvil' stay";
        assert_eq!(
            Door::Client.text(text),
            "/anvil:resume goes on, /anvil:steer TEXT directs it, `anvil tasks` and 'anvil' stay"
        );
        assert_eq!(
            Door::Shell.text(text),
            "/anvil:resume in Claude Code goes on, `anvil steer TEXT` directs it, `anvil tasks` \
                and 'anvil' stay"
        );
        assert_eq!(Door::Client.text("it ends in `anvil steer"), "it ends in `anvil steer");
    }
}
