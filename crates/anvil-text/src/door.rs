//! The place where the user reads a text: it decides how the user types a command.

use std::sync::OnceLock;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::error::{Error, Hint};

/// A command that Claude Code has too, or has as an option. A user who installed the plugin from a
/// marketplace has no `anvil` on `PATH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ClientVerb {
    Debate,
    Resume,
    Steer,
    Status,
    Undo,
    Report,
    Claims,
    History,
    Again,
    Cancel,
    Publish,
    Pull,
    List,
}

impl ClientVerb {
    /// The words after `/anvil:` in Claude Code.
    fn typed(self) -> &'static str {
        match self {
            Self::Publish => "report --publish",
            Self::Pull => "report --pull",
            Self::List => "debate --help",
            verb => verb.into(),
        }
    }

    /// The name of its file in `commands/`. `None`: it is an option in Claude Code.
    pub fn slash_command(self) -> Option<&'static str> {
        Some(self.into()).filter(|name| *name == self.typed())
    }

    /// True if it needs Claude: a shell does not have it.
    pub fn is_client_only(self) -> bool {
        matches!(self, Self::Debate | Self::Resume)
    }
}

/// The start of a command in Anvil's own texts; a backtick ends it.
const BEGINS: &str = "`anvil ";

/// How to find the first word of a command in a shell, and that word.
static FIND: OnceLock<fn() -> String> = OnceLock::new();
static PROGRAM: OnceLock<String> = OnceLock::new();

/// `--dir` of this call, as words of a shell.
static FOLDER: OnceLock<String> = OnceLock::new();

/// From now on commands begin with the word that `find` returns. It is called when the first
/// command is shown: few events show one.
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
        match (self, verb.parse::<ClientVerb>()) {
            (Self::Client, Ok(verb)) => {
                format!("/anvil:{} {after}", verb.typed()).trim_end().to_owned()
            }
            // Claude Code does not see a debate in a folder of its own.
            (Self::Shell, Ok(ClientVerb::Resume)) if FOLDER.get().is_some() => {
                format!("`{} run --resume`", program())
            }
            (Self::Shell, Ok(verb)) if verb.is_client_only() => {
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
        let text = "`anvil resume` continues, `anvil steer TEXT` directs it, `anvil tasks` and \
                    'anvil' stay";
        assert_eq!(
            Door::Client.text(text),
            "/anvil:resume continues, /anvil:steer TEXT directs it, `anvil tasks` and 'anvil' stay"
        );
        assert_eq!(
            Door::Shell.text(text),
            "/anvil:resume in Claude Code continues, `anvil steer TEXT` directs it, `anvil tasks` \
                and 'anvil' stay"
        );
        assert_eq!(Door::Client.text("it ends in `anvil steer"), "it ends in `anvil steer");
    }
}
