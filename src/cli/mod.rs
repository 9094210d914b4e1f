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
mod uninstall;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::command::{Action, ClaimsOptions, DebateOptions, TakeOver, usage_error};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::library::TextKind;
use crate::messages;
use crate::text;
use crate::world::World;

/// Stress-test an idea by a structured debate, inside Claude Code.
#[derive(Parser)]
#[command(name = "anvil", version = help::VERSION, override_help = help::HELP, max_term_width = help::COLUMNS)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a whole debate between scripted debaters, here and now; no account needed
    Demo {
        /// What the demo's state file and report ask; the debaters' texts stay the same
        question: Option<String>,
    },
    /// Install the plugin for Claude Code, or upgrade it in place
    Install {
        /// The plugin folder [default: skills/anvil in Claude Code's configuration folder]
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
        /// Show the debate in Claude Code's status line, if that has no other one
        #[arg(long)]
        statusline: bool,
        /// Put a link to the program into a folder of PATH: anvil, or anvil-debate where that is taken [default: ~/.local/bin]
        #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = link::DEFAULT_FOLDER)]
        link: Option<PathBuf>,
    },
    /// Remove what `anvil install` wrote, and nothing else
    Uninstall {
        /// The plugin folder [default: skills/anvil in Claude Code's configuration folder]
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
    /// Prepare a debate in this project; /anvil:resume in Claude Code begins it
    Start {
        /// What is argued, in quotes
        question: Vec<String>,
        #[command(flatten)]
        options: Box<DebateOptions>,
    },
    /// Argue a debate between programs: claude, codex, others, or your own
    Run {
        /// What is argued, in quotes
        question: Vec<String>,
        #[command(flatten)]
        run: Box<run::RunOptions>,
        #[command(flatten)]
        options: Box<DebateOptions>,
    },
    /// List the programs that could hold a seat, whether they are here, and what is known of them
    Agents {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List what was asked of programs for a debate, and what became of it
    Attempts {
        /// The debate, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show where the debate of this project stands
    Status {
        /// As JSON
        #[arg(long, conflicts_with = "watch")]
        json: bool,
        /// Follow it until it is complete
        #[arg(long)]
        watch: bool,
        /// Colours of the live view; auto: on a terminal, unless `NO_COLOR` is set
        #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
        color: watch::Color,
    },
    /// Write the report of a debate: Markdown, a page, JSON, the map of its claims, or an ADR
    Report {
        /// The debate, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        /// In which form [default: what --output is named, or md]
        #[arg(long, value_enum)]
        format: Option<report::Format>,
        /// The file, or - for standard output [default: standard output; for html the reports folder]
        #[arg(long, value_name = "PATH")]
        output: Option<String>,
        /// Open its page, made anew, in the browser
        #[arg(long)]
        open: bool,
    },
    /// List the claims of a debate: where each stands, what happened to it, and what is wrong
    Claims {
        #[command(flatten)]
        options: ClaimsOptions,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List the debates of this project, the newest first, with their verdicts
    History {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Only the decisions whose review is due
        #[arg(long)]
        due: bool,
    },
    /// Show the verdict of a debate and what became of its arguments, or all of it
    Show {
        /// The debate, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        /// Every claim with its ground and what happened to it, and every reply
        #[arg(long, conflicts_with = "json")]
        full: bool,
        /// As JSON, which is the JSON report
        #[arg(long)]
        json: bool,
    },
    /// Find a text in all debates of this project
    Search {
        /// What to find; case does not matter
        #[arg(required = true)]
        text: Vec<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make the page of a debate anew, open it in the browser, and print its path
    Open {
        /// The debate, by its number in `anvil history` or its id [default: the newest one, finished ones first]
        id: Option<String>,
    },
    /// Remove finished debates from the archive: `archive prune --keep N`
    #[command(subcommand)]
    Archive(ArchiveVerb),
    #[command(flatten)]
    Action(Action),
    /// List the personas, modes and frameworks that a debate can use
    List {
        /// One kind of them
        #[arg(value_parser = PossibleValuesParser::new(TextKind::ALL.map(TextKind::word)))]
        kind: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show how often a confidence was right, by the outcomes that were noted down
    Calibration {
        /// As JSON
        #[arg(long, conflicts_with = "html")]
        json: bool,
        /// As a page, opened in the browser; prints its path
        #[arg(long)]
        html: bool,
        /// Across the projects in this machine's list: `config calibration-list`
        #[arg(long)]
        all: bool,
    },
    /// Show what holds for every option here, and which file says so
    Config {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Only this: the list of projects for `calibration --all`
        #[arg(conflicts_with = "json")]
        setting: Option<config::OfMachine>,
        /// What becomes of it [default: nothing; it is shown]
        #[arg(requires = "setting")]
        change: Option<calibration::Change>,
    },
    /// List the states the debate was in: one for each phase
    Checkpoints {
        /// The debate, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring one of them back
    Restore {
        /// Its number in `anvil checkpoints`
        number: u32,
        /// Of a debate whose file is gone, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        #[command(flatten)]
        owner: TakeOver,
    },
    /// Show what happened to the debate, one JSON object a line
    Log,
    /// A debate in the body of an issue: `body embed`, `extract`, `contains`, `strip` and `check`, as filters
    #[command(subcommand)]
    Body(body::Verb),
    /// Find out why nothing happens: installation, client, hooks, settings, state
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a script that completes Anvil's commands in a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: completions::Shell,
    },
    /// Print the manual page, or that of a command
    Man {
        /// The command: `man start`
        command: Vec<String>,
    },
    /// Print one line for Claude Code's status line; its JSON on standard input
    Statusline,
    /// Answer one event of Claude Code: JSON on standard input, JSON on standard output
    Hook,
}

#[derive(Subcommand)]
enum ArchiveVerb {
    /// Remove finished debates but the newest; says first what will go
    Prune {
        /// How many finished debates of the archive stay
        #[arg(long, value_name = "N")]
        keep: usize,
        /// Remove them without being asked
        #[arg(long)]
        yes: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs the program with these arguments, its own name first.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    // The hook runs at every stop of every session: it does not wait for the arguments to be parsed.
    if arguments.len() == 2 && arguments[1] == "hook" {
        return hook::run();
    }
    if arguments.len() == 2 && arguments[1] == "statusline" {
        return statusline::run();
    }
    // A program that fills a seat is run by one of these.
    match arguments.get(1).and_then(|verb| verb.to_str()) {
        Some(run::WRAPPER) if arguments.len() == 2 => return run::wrapper(),
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
    let world = World::gather(|name| std::env::var_os(name))?;
    if let Some(complaint) = &world.complaint
        && !matches!(verb, Verb::Hook | Verb::Statusline)
    {
        return Err(complaint.clone());
    }
    let engine = Engine::new(&world);
    match verb {
        Verb::Demo { question } => demo::run(&world, question.as_deref())?,
        Verb::Install { to, statusline, link } => {
            install::run(&world, to.as_deref(), statusline, link.as_deref())?;
        }
        Verb::Uninstall { from } => uninstall::run(&world, from.as_deref())?,
        Verb::Start { question, options } => start::run(&engine, &question.join(" "), &options)?,
        Verb::Run { question, run, options } => return run::run(&world, &question.join(" "), &options, *run),
        Verb::Agents { json } => agents::agents(&world, json)?,
        Verb::Attempts { id, json } => agents::attempts(&engine, id.as_deref(), json)?,
        Verb::Status { watch: true, color, .. } => watch::run(&world, color)?,
        Verb::Status { json, .. } => status::run(&engine, json)?,
        Verb::Report { id, format, output, open } => {
            report::run(&engine, id.as_deref(), format, output.as_deref(), open)?;
        }
        Verb::Claims { options, json } => claims::run(&engine, &options, json)?,
        Verb::History { json, due: true } => outcome::due(&engine, json)?,
        Verb::History { json, .. } => past::history(&engine, json)?,
        Verb::Calibration { json, html, all } => calibration::run(&engine, json, html, all)?,
        Verb::Show { id, full, json } => past::show(&world, &engine, id.as_deref(), full, json)?,
        Verb::Search { text, json } => past::search(&engine, &text.join(" "), json)?,
        Verb::Open { id } => past::open(&engine, id.as_deref())?,
        Verb::Archive(ArchiveVerb::Prune { keep, yes, json }) => past::prune(&engine, keep, yes, json)?,
        Verb::Action(action) => act(&engine, action)?,
        Verb::List { kind, json } => list::run(&engine, kind.as_deref(), json)?,
        Verb::Config { setting: Some(config::OfMachine::CalibrationList), change, .. } => {
            calibration::list(&engine, change)?;
        }
        Verb::Config { json, .. } => config::run(&engine, json)?,
        Verb::Checkpoints { id, json } => history::checkpoints(&engine, id.as_deref(), json)?,
        Verb::Restore { number, id, owner } => history::restore(&engine, number, id.as_deref(), owner)?,
        Verb::Log => history::log(&engine)?,
        Verb::Body(verb) => return body::run(&engine, verb),
        Verb::Doctor { json } => return doctor::run(&world, &engine, json),
        Verb::Completions { shell } => completions::run(shell)?,
        Verb::Man { command } => man::run(Arguments::command(), &command)?,
        Verb::Statusline => return Ok(statusline::run()),
        Verb::Hook => return Ok(hook::run()),
    }
    for note in engine.take_notes() {
        let _ = writeln!(io::stderr(), "{}", messages::note(&note));
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
