//! The help that a newcomer reads: a few options, one line each. `--all` lists the others.

use clap::{Arg, ArgAction, Command};

use DebateOption::{Context, Mode, Motion, Options, Persona, Plan, Position, Rounds};

use anvil_core::options::DebateOption;
use anvil_text::{columns, wrap};

/// The options of every debate, as in the README. A run shows the first ones.
const OF_DEBATE: [DebateOption; 8] =
    [Rounds, Options, Plan, Context, Position, Mode, Persona, Motion];

/// The options of a run alone.
const OF_RUN: [&str; 7] = ["revise", "agent", "critic", "fail-on", "max-cost", "dry-run", "resume"];

/// The options of one reply alone.
const OF_STEP: [&str; 5] = ["agent", "critic", "max-replies", "max-reply", "json"];

/// The options that come first. `None`: the command has no more than a newcomer reads.
fn shown(command: &str) -> Option<Vec<&'static str>> {
    let (count, own): (usize, &[&'static str]) = match command {
        "debate" => (OF_DEBATE.len(), &["isolated"]),
        "start" => (OF_DEBATE.len(), &[]),
        "run" => (5, &OF_RUN),
        "step" => (4, &OF_STEP),
        _ => return None,
    };
    let common = OF_DEBATE[..count].iter().map(|option| option.name());
    Some(common.chain(own.iter().copied()).collect())
}

/// Columns before an option, and between it and its text.
const GAP: usize = 2;

/// The help of a command, on lines of at most `width` columns. `all` names the command that lists
/// every option.
pub fn short_help(command: &Command, all: &str, width: usize) -> String {
    let mut command = command.clone().term_width(width);
    let Some(shown) = shown(command.get_name()) else {
        return command.render_help().to_string();
    };
    let in_client = command.get_name() == "debate";
    let rows: Vec<(String, String)> = shown
        .into_iter()
        .filter_map(|name| {
            command.get_arguments().find(|argument| argument.get_long() == Some(name))
        })
        .map(|argument| {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            (spelled(argument, in_client), help)
        })
        .collect();
    let left = rows.iter().map(|(option, _)| columns(option)).max().unwrap_or(0);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    let mut out = wrap(&about, width).join("\n") + "\n\n" + usage.trim_end() + "\n\n";
    for (option, text) in &rows {
        let before = left + 2 * GAP;
        let text = wrap(text, width.saturating_sub(before)).join(&format!("\n{:before$}", ""));
        out += format!("{:GAP$}{option:<left$}{:GAP$}{text}", "", "").trim_end();
        out.push('\n');
    }
    out + "\n" + all
}

/// `--rounds N`, `--plan[=FILE]`.
fn spelled(argument: &Arg, in_client: bool) -> String {
    let long = argument.get_long().unwrap_or_default();
    let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let names = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
    let value = names.collect::<Vec<_>>().join(" ");
    // A switch that defaults can turn off needs no value.
    match takes && value != "yes|no" {
        // A shell has no session with a plan.
        true if !in_client && long == Plan.name() => format!("--{long}={value}"),
        true if argument.is_require_equals_set() => format!("--{long}[={value}]"),
        true => format!("--{long} {value}"),
        false => format!("--{long}"),
    }
}
