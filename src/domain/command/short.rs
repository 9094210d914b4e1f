//! Shortens the help of commands that have more options than a newcomer reads.

use clap::Command;

use DebateOption::{
    Context, Diff, Focus, Framework, Interactive, Mode, Output, Persona, Position, Rounds,
};

use crate::domain::debate::DebateOption;

/// Commands with a shortened help.
const LONG: [&str; 4] = ["run", "step", "start", "debate"];

/// Options that only `run` has and that its shortened help shows.
const OF_RUN: [&str; 8] =
    ["agent", "advocate", "critic", "synthesizer", "resume", "dry-run", "fail-on", "max-cost"];

/// The same of `step`.
const OF_STEP: [&str; 8] =
    ["agent", "advocate", "critic", "synthesizer", "judge", "max-replies", "max-reply", "json"];

/// True if the shortened help of a command shows an option. It shows ten.
fn is_shown(command: &str, name: &str) -> bool {
    match (command, DebateOption::named(name)) {
        ("run" | "step", Some(option)) => matches!(option, Rounds | Context),
        ("run", None) => OF_RUN.contains(&name),
        ("step", None) => OF_STEP.contains(&name),
        ("start", Some(Output)) => true,
        (_, Some(option)) => matches!(
            option,
            Rounds | Mode | Position | Persona | Focus | Framework | Context | Diff | Interactive
        ),
        (_, None) => name == "isolated",
    }
}

/// Hides the other options in a command's help. `all` names the place that lists them.
pub fn shortened(command: Command, all: &str) -> Command {
    let name = command.get_name().to_owned();
    if !LONG.contains(&name.as_str()) {
        return command;
    }
    command
        .mut_args(|argument| {
            let is_left = argument.get_long().is_some_and(|option| !is_shown(&name, option));
            argument.hide(is_left)
        })
        .after_help(all.to_owned())
}
