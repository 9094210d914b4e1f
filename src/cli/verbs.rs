//! What can be typed in a shell: every verb of `anvil`, and what it takes.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Parser, Subcommand};

use super::{body, calibration, completions, config, help, link, report, run, tasks, watch};
use crate::command::{self, Action, ClaimsOptions, DebateOptions, Forge, TakeOver};
use crate::library::TextKind;

/// Stress-test an idea by a structured debate, inside Claude Code.
#[derive(Parser)]
#[command(name = "anvil", version = help::VERSION, override_help = help::HELP, max_term_width = help::COLUMNS)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Subcommand)]
pub(super) enum Verb {
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
        /// Register the MCP server: its tools cost tokens in every session
        #[arg(long)]
        mcp: bool,
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
    /// Print what a seat was shown, word for word; without a slot, list what there is
    Brief {
        /// The slot, such as critic 2, synthesis or judge 2; then the debate, by its number in `anvil history` or its id
        slot: Vec<String>,
    },
    /// List the replies that a debate needs as tasks: what is done, who holds what, and what can be taken
    Tasks {
        /// The debate, by its number in `anvil history` or its id [default: the one here]
        id: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List who works at the debate here: which task, since when, with a last sign of life
    Workers {
        /// Free a task whose worker is gone
        #[arg(long, value_name = "TASK", conflicts_with = "json")]
        drop: Option<String>,
        /// The same in this issue, or pull request, where workers claim tasks by comments
        #[arg(long, value_name = "N", conflicts_with = "json", value_parser = clap::value_parser!(u32).range(1..))]
        issue: Option<u32>,
        /// Its repository, also HOST/OWNER/NAME [default: the git remote]
        #[arg(long, value_name = "OWNER/NAME", requires = "issue")]
        repo: Option<String>,
        /// github or gitea, which is for Forgejo too [default: as the host is named]
        #[arg(long, value_name = "NAME", requires = "issue", value_parser = ValueParser::new(command::forge))]
        forge: Option<Forge>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a seat of the debate here: a program writes its replies, or you do
    Join {
        /// The debate, if it is not just any that is here
        id: Option<String>,
        #[command(flatten)]
        options: Box<tasks::JoinOptions>,
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
pub(super) enum ArchiveVerb {
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
