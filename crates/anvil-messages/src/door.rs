//! The place where the user reads a text: it decides how the user types a command.

use std::sync::OnceLock;

use anvil_text::error::Error;
use anvil_text::{Command, Hint, HintPart, Verb};

/// The words after `/anvil:` in Claude Code. `None`: it does not have the command. A user who
/// installed the plugin from a marketplace has no `anvil` on `PATH`.
fn in_client(verb: Verb) -> Option<&'static str> {
    Some(match verb {
        Verb::Publish => "report --publish",
        Verb::Pull => "report --pull",
        Verb::List => "debate --help",
        Verb::Debate
        | Verb::Resume
        | Verb::Steer
        | Verb::Status
        | Verb::Undo
        | Verb::Report
        | Verb::Claims
        | Verb::History
        | Verb::Again
        | Verb::Cancel => verb.into(),
        _ => return None,
    })
}

/// The name of its file in `commands/`. `None`: Claude Code has it as an option or not at all.
pub fn slash_command(verb: Verb) -> Option<&'static str> {
    in_client(verb).filter(|name| *name == <&str>::from(verb))
}

/// True if it needs Claude: a shell does not have it.
pub fn is_client_only(verb: Verb) -> bool {
    matches!(verb, Verb::Debate | Verb::Resume)
}

/// Where the user reads, and what begins a command in a shell there.
#[derive(Clone, Debug)]
pub struct Door {
    is_client: bool,
    find_program: fn() -> String,
    /// The program's name or path, as soon as a command shows it.
    name: OnceLock<String>,
    folder: Option<String>,
}

/// True for a command that takes `--dir`.
fn is_about_one_debate(verb: Verb) -> bool {
    !matches!(
        verb,
        Verb::Agents
            | Verb::Config
            | Verb::Help
            | Verb::Install
            | Verb::List
            | Verb::Step
            | Verb::Uninstall
    )
}

impl Door {
    /// `find_program` returns the first word of a command. It is called when the first command is
    /// shown: few events show one.
    pub fn of_shell(find_program: fn() -> String) -> Self {
        Self { is_client: false, find_program, name: OnceLock::new(), folder: None }
    }

    /// Claude Code; its user types in a shell what it does not have.
    pub fn of_client(find_program: fn() -> String) -> Self {
        Self { is_client: true, ..Self::of_shell(find_program) }
    }

    /// Its commands are about the debate in a folder of `--dir`: these words of a shell.
    pub fn in_folder(self, words: String) -> Self {
        Self { folder: Some(words), ..self }
    }

    pub(crate) fn is_client(&self) -> bool {
        self.is_client
    }

    /// How a command begins in a shell: `anvil`, or the path of this program.
    pub fn program(&self) -> &str {
        self.name.get_or_init(self.find_program)
    }

    /// The words of a shell for this command; with `--dir`, if this call has it and the command is
    /// about one debate.
    pub fn in_shell(&self, command: impl Into<Command>) -> String {
        let (command, program) = (command.into(), self.program());
        match self.folder.as_ref().filter(|_| is_about_one_debate(command.verb)) {
            Some(folder) => format!("{program} {folder} {command}"),
            None => format!("{program} {command}"),
        }
    }

    /// The command as the user types it here: `` `anvil steer TEXT` `` or `/anvil:steer TEXT`.
    pub fn command(&self, command: impl Into<Command>) -> String {
        let command = command.into();
        match in_client(command.verb) {
            Some(typed) if self.is_client => {
                format!("/anvil:{typed} {}", command.words).trim_end().to_owned()
            }
            // Claude Code does not see a debate in a folder of its own.
            _ if command.verb == Verb::Resume && self.folder.is_some() => {
                format!("`{}`", self.in_shell(Verb::Run.with("--resume")))
            }
            _ if is_client_only(command.verb) => format!("/anvil:{command} in Claude Code"),
            _ => format!("`{}`", self.in_shell(command)),
        }
    }

    /// The text, with the commands as the user types them here.
    pub fn text(&self, text: impl Into<Hint>) -> String {
        let text = text.into();
        let parts = if self.is_client { text.client_parts() } else { text.shell_parts() };
        let spell = |part: &HintPart| match part {
            HintPart::Words(words) => words.to_string(),
            HintPart::Command(command) => self.command(command.clone()),
        };
        parts.iter().map(spell).collect()
    }

    /// An error's hint, in the words of this door.
    pub fn hint(&self, error: &Error) -> String {
        self.text(error.hint())
    }
}

/// A shell that finds the program as `anvil`.
impl Default for Door {
    fn default() -> Self {
        Self::of_shell(|| "anvil".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_text::hint;

    #[test]
    fn a_command_is_shown_the_way_its_user_types_it() {
        let text = hint![
            Verb::Resume,
            " continues, ",
            Verb::Steer.with("TEXT"),
            " directs it, ",
            Verb::Tasks,
            " and `anvil steer` as words stay"
        ];
        let find: fn() -> String = || "/opt/anvil".to_owned();
        assert_eq!(
            Door::of_client(find).text(text.clone()),
            "/anvil:resume continues, /anvil:steer TEXT directs it, `/opt/anvil tasks` and `anvil \
             steer` as words stay"
        );
        assert_eq!(
            Door::default().text(text.clone()),
            "/anvil:resume in Claude Code continues, `anvil steer TEXT` directs it, `anvil tasks` \
             and `anvil steer` as words stay"
        );
        assert_eq!(
            Door::of_shell(find).in_folder("--dir d".to_owned()).text(text),
            "`/opt/anvil --dir d run --resume` continues, `/opt/anvil --dir d steer TEXT` directs \
             it, `/opt/anvil --dir d tasks` and `anvil steer` as words stay"
        );
        let lists = hint![Verb::List.with("modes"), " describes them"];
        assert_eq!(
            Door::of_shell(find).in_folder("--dir d".to_owned()).text(lists),
            "`/opt/anvil list modes` describes them",
            "it is about no debate"
        );
    }

    #[test]
    fn a_hint_may_have_other_words_for_claude_code() {
        let hint = Hint::from((hint![Verb::Agents, " lists them"], "it is claude or codex"));
        assert_eq!(Door::default().text(hint.clone()), "`anvil agents` lists them");
        assert_eq!(Door::of_client(|| "anvil".to_owned()).text(hint), "it is claude or codex");
    }
}
