//! The door of the command line, with one file per verb. It translates arguments and prints; it
//! decides nothing about debates.

mod agents;
mod body;
mod claim;
mod claims;
mod completions;
mod config;
mod demo;
mod doctor;
mod error;
mod help;
mod history;
mod hook;
mod install;
mod link;
mod list;
mod mcp;
mod outcome;
mod plugin;
mod recheck;
mod report;
mod run;
mod screen;
mod settings;
mod status;
mod statusline;
mod steer;
mod tasks;
#[cfg(test)]
mod tests;
mod undo;
mod uninstall;
mod verbs;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use anvil_command::{Action, usage_error};
use anvil_core::options::is_seat_key;
use anvil_engine::{Context, issues, session};
use anvil_messages::Door;
use anvil_system::process::outlive_file_limit;
use anvil_system::world::World;
use anvil_text::error::{Error, Result};
use anvil_text::{Exit, Verb, hint};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _};
use error::InputError;
use verbs::{Arguments, ShellVerb};

/// Longest time for all requests to a forge.
const FORGE_LIMIT: Duration = Duration::from_mins(2);

/// Runs the program. The first argument is its name.
pub(crate) fn main(arguments: Vec<OsString>) -> ExitCode {
    outlive_file_limit();
    let door = Door::of_shell(link::in_shell);
    let words: Vec<String> =
        arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The hook runs at every stop of every session, so it skips the parsing of arguments. Hidden
    // verbs run programs in seats.
    match words.as_slice() {
        ["hook"] => return hook::run(&Door::of_client(link::in_shell)),
        ["hook", "background"] => return hook::background(),
        ["statusline"] => return statusline::run(),
        [run::WRAPPER] => return run::wrapper(),
        [run::SCRATCH, _] => return run::scratch(&arguments[2]),
        [run::SCRIPT, _, _] => return run::script(&arguments[2], &arguments[3]),
        _ => {}
    }
    let mut command = Arguments::command();
    let at = position_of_verb(&words);
    let verb = words.get(at).copied();
    if verb == Some("help") {
        return help(command, &words[at + 1..], &door);
    }
    let read = command.try_get_matches_from_mut(arguments);
    let parsed = match read.and_then(|mut matches| Arguments::from_arg_matches_mut(&mut matches)) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return help(command, &words, &door);
        }
        Err(error) if error.kind() == ErrorKind::DisplayVersion => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return Exit::Usage.into();
        }
        Err(error) => return explain(&wrong(&error, &command, verb), &door),
    };
    // Also an error is about the debate in the folder of `--dir`.
    let door = match parsed.words_of_folder() {
        Some(words) => door.in_folder(words),
        None => door,
    };
    run(parsed, &door).unwrap_or_else(|error| explain(&error, &door))
}

fn help(command: Command, words: &[&str], door: &Door) -> ExitCode {
    help::text(command, words)
        .and_then(|text| print(text.trim_end()))
        .map_or_else(|error| explain(&error, door), |()| ExitCode::SUCCESS)
}

/// Where the verb is: after `--dir DIR`.
fn position_of_verb(words: &[&str]) -> usize {
    match words {
        ["--dir", ..] => 2,
        [first, ..] if first.starts_with("--dir=") => 1,
        _ => 0,
    }
}

/// The error for wrong arguments of a verb.
fn wrong(error: &clap::Error, command: &Command, verb: Option<&str>) -> Error {
    let verb = verb.unwrap_or_default();
    let typed_there = error.kind() == ErrorKind::InvalidSubcommand;
    if let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(within) = command.find_subcommand(verb)
    {
        return help::unknown(within, typed);
    }
    match verb {
        // These commands need Claude.
        "debate" if typed_there => InputError::DebateInShell.into(),
        "resume" if typed_there => InputError::ResumeInShell.into(),
        "start" if is_about_programs(error) => InputError::StartWithPrograms.into(),
        _ if typed_there => help::unknown(command, verb),
        _ if command.find_subcommand(verb).is_some() => {
            usage_error(error, hint![Verb::Help.with(verb.to_owned()), " lists its options"], "")
        }
        _ => usage_error(error, hint![Verb::Help, " lists the commands"], ""),
    }
}

/// True for an option that chooses the programs of a run.
fn is_about_programs(error: &clap::Error) -> bool {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return false;
    };
    let name = option.trim_start_matches('-');
    error.kind() == ErrorKind::UnknownArgument && (is_seat_key(name) || name == "detach")
}

/// The only place that prints errors.
fn explain(error: &Error, door: &Door) -> ExitCode {
    let _ = writeln!(io::stderr(), "{}", anvil_messages::error_lines(error, door));
    error.exit().into()
}

fn run(arguments: Arguments, door: &Door) -> Result<ExitCode> {
    let mut world = World::gather(|name| std::env::var_os(name))?.in_its_folder();
    if let Some(invalid_setting) = &world.invalid_setting
        && !matches!(arguments.verb, ShellVerb::Hook | ShellVerb::Statusline)
    {
        return Err(invalid_setting.clone());
    }
    world.debate_folder = arguments.debate_folder(&world)?;
    let context = Context::new(&world);
    let done = perform(arguments.verb, &world, &context, door);
    // Also after an error: a note appears only once.
    print_notes(&context, door);
    done
}

fn print_notes(context: &Context<'_>, door: &Door) {
    for note in context.take_notes() {
        let _ = writeln!(io::stderr(), "{}", anvil_messages::note(&note, door));
    }
}

fn perform(verb: ShellVerb, world: &World, context: &Context<'_>, door: &Door) -> Result<ExitCode> {
    match verb {
        ShellVerb::Demo { question, keep } => {
            return demo::run(world, question.as_deref(), keep, door);
        }
        ShellVerb::Install { to, statusline, link, mcp } => {
            install::run(world, to.as_deref(), install::Extras { statusline, link, mcp }, door)?;
        }
        ShellVerb::Uninstall { from, purge, yes } => {
            uninstall::run(world, from.as_deref(), purge, yes, door)?;
        }
        ShellVerb::Start { question, options } => {
            run::start(context, &question.join(" "), &options, door)?;
        }
        ShellVerb::Run { question, run, options } => {
            return run::run(world, &question.join(" "), &options, *run, door);
        }
        ShellVerb::Step { question, step, options } => {
            return run::step(world, &question.join(" "), &options, &step, door);
        }
        ShellVerb::Agents { json } => agents::agents(world, json, door)?,
        ShellVerb::Attempts { id, show, json } => {
            agents::attempts(context, id.as_deref(), show, json, door)?;
        }
        ShellVerb::Tasks { id, drop, json } => {
            tasks::tasks(world, context, id.as_deref(), drop.as_deref(), json, door)?;
        }
        ShellVerb::Claim { options } => claim::claim(world, &options, door)?,
        ShellVerb::Submit { options } => return claim::submit(context, &options, door),
        ShellVerb::Status { watch: true, color, .. } => watch::run(world, color, door)?,
        ShellVerb::Status { json, .. } => status::run(context, json, door)?,
        ShellVerb::Report { id, form } => report::run(world, context, id.as_deref(), &form, door)?,
        ShellVerb::Claims { options, json } => claims::run(context, &options, json)?,
        ShellVerb::History { options, json } => history::run(context, &options, json, door)?,
        ShellVerb::Recheck { options } => return recheck::run(context, &options, door),
        ShellVerb::Prune { keep, yes, json: true } => history::prune_as_json(context, keep, yes)?,
        ShellVerb::Prune { keep, yes, json: false } => history::prune(context, keep, yes, door)?,
        ShellVerb::Undo { options, json } => undo::undo(context, &options, json, door)?,
        ShellVerb::Action(action) => act(context, action, door)?,
        ShellVerb::Publish { options } => {
            let published = issues::publish(context, None, None, &options.request()?, FORGE_LIMIT)?;
            print(&anvil_messages::publish_lines(&published)?)?;
        }
        ShellVerb::Pull { options } => {
            let pulled = issues::pull(context, None, &options.request()?, FORGE_LIMIT)?;
            print(&anvil_messages::pull_lines(&pulled, door))?;
        }
        ShellVerb::List { kind, json } => list::run(context, kind.as_deref(), json)?,
        ShellVerb::Config { json } => config::run(context, json)?,
        ShellVerb::Body(verb) => return body::run(context, verb),
        ShellVerb::Doctor { json } => return doctor::run(world, context, json, door),
        ShellVerb::Completions { shell } => completions::run(Arguments::command(), shell)?,
        ShellVerb::Statusline => return Ok(statusline::run()),
        ShellVerb::Hook => return Ok(hook::run(&Door::of_client(link::in_shell))),
    }
    Ok(ExitCode::SUCCESS)
}

fn act(context: &Context<'_>, action: Action, door: &Door) -> Result<()> {
    match action {
        Action::Steer { options } => steer::steer(context, &options, door),
        Action::Again { text, owner } => steer::again(context, &text.join(" "), owner, door),
        Action::Cancel { owner } => print(&anvil_messages::cancel_line(
            &session::cancel(context, None, owner.take_over)?,
            door,
        )),
    }
}

fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let text = anvil_text::without_controls(text);
    anvil_run::print_result(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints lines with bold parts.
fn print_styled(text: &str) -> Result<()> {
    print_exactly(&format!("{}\n", anvil_text::without_controls_but_bold(text)))
}

/// Prints a text as it is, with its own end.
fn print_exactly(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    anvil_run::print_result(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Adds the keys of a value to a JSON object.
fn add_all(object: &mut serde_json::Value, keys: &impl serde::Serialize) {
    if let (Some(object), Ok(serde_json::Value::Object(keys))) =
        (object.as_object_mut(), serde_json::to_value(keys))
    {
        object.extend(keys);
    }
}

fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&anvil_text::harmless_json(&format!("{value:#}")))
}
