//! The door of the command line: one file per verb. It translates arguments and prints; it decides nothing about debates.

mod agents;
mod body;
mod browser;
mod calibration;
mod cancel;
mod claims;
mod completions;
mod config;
mod demo;
mod doctor;
mod forge;
mod help;
mod history;
mod hook;
mod install;
mod link;
mod list;
mod man;
mod mcp;
mod outcome;
mod past;
mod plugin;
mod report;
mod run;
mod screen;
mod settings;
mod start;
mod status;
mod statusline;
mod steer;
mod tasks;
mod uninstall;
mod verbs;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use crate::command::{Action, usage_error};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::messages;
use crate::text;
use crate::world::World;
use verbs::{ArchiveVerb, Arguments, Verb};

/// Runs the program with these arguments, its own name first.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    // The hook runs at every stop of every session: it does not wait for the arguments to be parsed.
    if arguments.len() == 2 && arguments[1] == "hook" {
        return hook::run();
    }
    if arguments.len() == 3 && arguments[1] == "hook" && arguments[2] == "background" {
        return hook::background();
    }
    if arguments.len() == 2 && arguments[1] == "statusline" {
        return statusline::run();
    }
    // A program that fills a seat is run by one of these.
    match arguments.get(1).and_then(|verb| verb.to_str()) {
        Some(run::WRAPPER) if arguments.len() == 2 => return run::wrapper(),
        Some(tasks::LOCK) if arguments.len() == 3 => return tasks::lock(&arguments[2]),
        Some(run::SCRIPT) if arguments.len() == 4 => return run::script(&arguments[2], &arguments[3]),
        _ => {}
    }
    if let Some(code) = completions::answer(&arguments, Arguments::command) {
        return code;
    }
    let verb = arguments.get(1).and_then(|verb| verb.to_str()).map(str::to_owned);
    let parsed = match Arguments::try_parse_from(arguments) {
        Ok(parsed) => parsed,
        // Help that was asked for, and the one screen of it where no command was named.
        Err(error) if error.kind() == ErrorKind::DisplayHelp || error.kind() == ErrorKind::DisplayVersion => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(2);
        }
        Err(error) => return explain(&wrong(&error, verb.as_deref())),
    };
    run(parsed.verb).unwrap_or_else(|error| explain(&error))
}

/// What is wrong with the arguments of a verb.
fn wrong(error: &clap::Error, verb: Option<&str>) -> Error {
    let verb = verb.unwrap_or_default();
    let typed_there = error.kind() == ErrorKind::InvalidSubcommand;
    match verb {
        // They need Claude.
        "debate" if typed_there => Error::usage(
            "`anvil debate` is not a command of the shell",
            "`anvil start QUESTION` prepares a debate; /anvil:debate QUESTION in Claude Code starts one",
        ),
        "resume" if typed_there => Error::usage(
            "`anvil resume` is not a command of the shell",
            "type /anvil:resume in Claude Code, where the debate goes on",
        ),
        _ if Arguments::command().find_subcommand(verb).is_some() => {
            usage_error(error, &format!("`anvil help {verb}` lists what it takes"), "")
        }
        _ => usage_error(error, "`anvil help` lists what there is", ""),
    }
}

/// How the user calls this program: `anvil`, or what its link is named.
fn name() -> String {
    let typed = std::env::args_os().next().map(PathBuf::from);
    let name = typed.as_ref().and_then(|path| path.file_stem()).and_then(|name| name.to_str());
    name.filter(|name| name.starts_with("anvil")).unwrap_or("anvil").to_owned()
}

/// The one place that prints errors.
fn explain(error: &Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "{}", messages::error_lines(error));
    ExitCode::from(error.exit_code())
}

fn run(verb: Verb) -> Result<ExitCode> {
    let world = World::gather(|name| std::env::var_os(name))?.in_its_folder();
    if let Some(complaint) = &world.complaint
        && !matches!(verb, Verb::Hook | Verb::Statusline)
    {
        return Err(complaint.clone());
    }
    let engine = Engine::new(&world);
    let done = perform(verb, &world, &engine);
    // Also beside an error: what is said once would be lost with it.
    for note in engine.take_notes() {
        let _ = writeln!(io::stderr(), "{}", messages::note(&note));
    }
    done
}

fn perform(verb: Verb, world: &World, engine: &Engine<'_>) -> Result<ExitCode> {
    match verb {
        Verb::Demo { question } => demo::run(world, question.as_deref())?,
        Verb::Install { to, statusline, link, mcp } => {
            install::run(world, to.as_deref(), install::Extras { statusline, link, mcp })?;
        }
        Verb::Uninstall { from } => uninstall::run(world, from.as_deref())?,
        Verb::Start { question, options } => start::run(engine, &question.join(" "), &options)?,
        Verb::Run { question, run, options } => return run::run(world, &question.join(" "), &options, *run),
        Verb::Agents { json } => agents::agents(world, json)?,
        Verb::Attempts { id, json } => agents::attempts(engine, id.as_deref(), json)?,
        Verb::Brief { slot } => agents::brief(engine, &slot)?,
        Verb::Tasks { id, json } => tasks::tasks(engine, id.as_deref(), json)?,
        Verb::Workers { drop, issue: Some(issue), repo, forge, .. } => {
            tasks::at_issue(engine, drop.as_deref(), issue, repo, forge)?;
        }
        Verb::Workers { drop, json, .. } => tasks::workers(world, engine, drop.as_deref(), json)?,
        Verb::Join { id, options } => return tasks::join(world, id.as_deref(), *options),
        Verb::Status { watch: true, color, .. } => watch::run(world, color)?,
        Verb::Status { json, .. } => status::run(engine, json)?,
        Verb::Report { id, format, output, open } => {
            report::run(engine, id.as_deref(), format, output.as_deref(), open)?;
        }
        Verb::Claims { options, json } => claims::run(engine, &options, json)?,
        Verb::History { json, due: true } => outcome::due(engine, json)?,
        Verb::History { json, .. } => past::history(engine, json)?,
        Verb::Calibration { json, html, all } => calibration::run(engine, json, html, all)?,
        Verb::Show { id, full, json } => past::show(world, engine, id.as_deref(), full, json)?,
        Verb::Search { text, json } => past::search(engine, &text.join(" "), json)?,
        Verb::Open { id } => past::open(engine, id.as_deref())?,
        Verb::Archive(ArchiveVerb::Prune { keep, yes, json }) => past::prune(engine, keep, yes, json)?,
        Verb::Action(action) => act(engine, action)?,
        Verb::List { kind, json } => list::run(engine, kind.as_deref(), json)?,
        Verb::Config { setting: Some(config::OfMachine::CalibrationList), change, .. } => {
            calibration::list(engine, change)?;
        }
        Verb::Config { json, .. } => config::run(engine, json)?,
        Verb::Checkpoints { id, json } => history::checkpoints(engine, id.as_deref(), json)?,
        Verb::Restore { number, id, owner } => history::restore(engine, number, id.as_deref(), owner)?,
        Verb::Log => history::log(engine)?,
        Verb::Body(verb) => return body::run(engine, verb),
        Verb::Doctor { json } => return doctor::run(world, engine, json),
        Verb::Completions { shell } => completions::run(shell)?,
        Verb::Man { command } => man::run(Arguments::command(), &command)?,
        Verb::Statusline => return Ok(statusline::run()),
        Verb::Hook => return Ok(hook::run()),
    }
    Ok(ExitCode::SUCCESS)
}

fn act(engine: &Engine<'_>, action: Action) -> Result<()> {
    match action {
        Action::Steer { text, owner } => steer::steer(engine, &text.join(" "), owner),
        Action::Synthesize { owner } => steer::synthesize(engine, owner),
        Action::Rounds { options } => steer::rounds(engine, &options),
        Action::Again { text, owner } => steer::again(engine, &text.join(" "), owner),
        Action::Undo { options } => history::undo(engine, &options),
        Action::Redo { owner } => history::redo(engine, owner),
        Action::Publish { options } => forge::publish(engine, &options),
        Action::Pull { options } => forge::pull(engine, &options),
        Action::Outcome { options } => outcome::run(engine, &options),
        Action::Cancel { owner } => cancel::run(engine, owner),
    }
}

/// Prints a line. A reader that went away is no failure.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let text = text::without_controls(text);
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(&error, "standard output can't be written to"))
        }
        _ => Ok(()),
    }
}

/// Prints JSON for scripts.
fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&text::harmless_json(&format!("{value:#}")))
}
