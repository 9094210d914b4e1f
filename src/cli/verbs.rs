//! Every verb of `anvil` in a shell, with its arguments.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ColorChoice, Parser, Subcommand};
use clap_complete::Shell;

use super::claim::{ClaimOptions, SubmitOptions};
use super::error::InputError;
use super::recheck::RecheckOptions;
use super::{body, help, link, report};
use anvil_command::{Action, HistoryOptions, PublishOptions, PullOptions, UndoOptions};
use anvil_core::options::{ClaimsOptions, DebateOptions, Refused, whole};
use anvil_prompt::library::TextKind;
use anvil_run::RunOptions;
use anvil_run::step::StepOptions;
use anvil_store::check_own_folder;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Stress-test an idea by a structured debate, inside Claude Code.
#[derive(Parser)]
#[command(
    name = "anvil",
    version = help::VERSION,
    override_help = help::HELP,
    max_term_width = help::COLUMNS
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub verb: ShellVerb,
    /// Keep the debate in this folder of yours, not in .claude
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Arguments {
    /// `--dir DIR` as words of a shell.
    pub(crate) fn words_of_folder(&self) -> Option<String> {
        shlex::try_join(["--dir", self.dir.as_ref()?.to_str()?]).ok()
    }

    /// The folder of `--dir`, which no other user may write to. A verb that begins a debate makes
    /// it.
    pub(crate) fn debate_folder(&self, world: &World) -> Result<Option<PathBuf>> {
        let text = match &self.verb {
            ShellVerb::Action(Action::Steer { options }) => &*options.text,
            ShellVerb::Action(Action::Again { text, .. }) => text,
            _ => &[],
        };
        if text.iter().any(|word| word == "--dir" || word.starts_with("--dir=")) {
            return Err(InputError::DirInside.into());
        }
        let Some(dir) = &self.dir else { return Ok(None) };
        let begins = match &self.verb {
            ShellVerb::Start { .. } | ShellVerb::Pull { .. } => true,
            ShellVerb::Run { run, .. } => run.resume.is_none() && !run.dry_run,
            ShellVerb::Demo { .. }
            | ShellVerb::Install { .. }
            | ShellVerb::Uninstall { .. }
            | ShellVerb::Agents { .. }
            | ShellVerb::Step { .. }
            | ShellVerb::List { .. }
            | ShellVerb::Config { .. }
            | ShellVerb::Completions { .. }
            | ShellVerb::Statusline
            | ShellVerb::Hook => {
                return Err(InputError::NoDir.into());
            }
            _ => false,
        };
        // Without a slash at its end: a link is refused.
        let dir: PathBuf = world.cwd.join(dir).components().collect();
        let is_there = std::fs::symlink_metadata(&dir).is_ok();
        if begins && !is_there {
            world.disk.create_private_folder(&dir).map_err(InputError::DirNotMade)?;
        }
        if begins || is_there {
            check_own_folder(&dir)?;
        }
        Ok(Some(dir.canonicalize().unwrap_or(dir)))
    }
}

fn attempt(text: &str) -> Result<u32, Refused> {
    whole(text, 1, u32::MAX).map_err(|_| Refused::new("takes a whole number from 1", " 3"))
}

fn count(text: &str) -> Result<usize, Refused> {
    text.parse().map_err(|_| Refused::new("takes a whole number", " 20"))
}

#[derive(Subcommand)]
pub(crate) enum ShellVerb {
    /// Run a whole debate between scripted debaters, here and now; no account needed
    Demo {
        /// The question in the demo's state file and report; the debaters' texts stay the same
        question: Option<String>,
        /// Keep its folder, with the state file and the report
        #[arg(long)]
        keep: bool,
    },
    /// Install the plugin for Claude Code, or upgrade it in place
    Install {
        /// The plugin folder [default: skills/anvil in Claude Code's configuration folder]
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
        /// Show the debate in Claude Code's status line, if none is set
        #[arg(long)]
        statusline: bool,
        /// Link the program into a folder of PATH as anvil, or as anvil-debate if that is taken
        /// [default: ~/.local/bin]
        #[arg(
            long,
            value_name = "DIR",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = link::DEFAULT_FOLDER
        )]
        link: Option<PathBuf>,
        /// Register the MCP server: its tools cost tokens in every session
        #[arg(long)]
        mcp: bool,
    },
    /// Remove what `anvil install` wrote, and nothing else
    Uninstall {
        /// Also remove the records of sessions and the reports; =debates also your debates; =all
        /// everything that Anvil wrote for you. The last two ask first
        #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "records")]
        purge: Option<super::uninstall::Purge>,
        /// Remove it without a question
        #[arg(long, requires = "purge")]
        yes: bool,
        /// The plugin folder [default: skills/anvil in Claude Code's configuration folder]
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
    /// Prepare a debate in this project; /anvil:resume in Claude Code starts it
    Start {
        /// The question, in quotes
        question: Vec<String>,
        #[command(flatten)]
        options: Box<DebateOptions>,
    },
    /// Argue a debate between programs: claude, codex, others, or your own
    #[command(
        mut_arg("mode", |option| option.hide_short_help(true)),
        mut_arg("persona", |option| option.hide_short_help(true)),
        mut_arg("motion", |option| option.hide_short_help(true))
    )]
    Run {
        /// The question, in quotes; - reads it from standard input
        question: Vec<String>,
        #[command(flatten)]
        run: Box<RunOptions>,
        #[command(flatten)]
        options: Box<DebateOptions>,
    },
    /// Get one reply of a debate that has no file: for a program that runs many debates
    #[command(
        mut_arg("mode", |option| option.hide_short_help(true)),
        mut_arg("persona", |option| option.hide_short_help(true)),
        mut_arg("motion", |option| option.hide_short_help(true)),
        mut_arg("position", |option| option.hide_short_help(true)),
        mut_arg("agent", |agent| agent.help("The agent of every seat: see `anvil agents`")),
        mut_arg("fact_checker", |agent| agent.help("The agent that checks facts, with \
                                                    --fact-check"))
    )]
    Step {
        /// The question, in quotes; or none, and a debate on standard input
        question: Vec<String>,
        #[command(flatten)]
        step: Box<StepOptions>,
        #[command(flatten)]
        options: Box<DebateOptions>,
    },
    /// List the programs that can hold a seat: which are installed, and what is known about them
    Agents {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List the attempts of a debate's programs and their results; or show one word for word
    Attempts {
        /// Debate number in `anvil history`, or id [default: this project's]
        id: Option<String>,
        /// Print the prompt and the answer of attempt N of the list
        #[arg(long, value_name = "N", value_parser = attempt)]
        show: Option<u32>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List a debate's replies as tasks: which are done, held by somebody, or free
    Tasks {
        /// Debate number in `anvil history`, or id [default: this project's]
        id: Option<String>,
        /// Free an abandoned task of the debate here
        #[arg(long, value_name = "TASK", conflicts_with_all = ["id", "json"])]
        drop: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a task of the debate here: print its prompt, and the token that its reply needs
    Claim {
        #[command(flatten)]
        options: ClaimOptions,
    },
    /// Save the reply to a task that you have claimed, from standard input
    Submit {
        #[command(flatten)]
        options: SubmitOptions,
    },
    /// Show the progress of this project's debate
    Status {
        /// As JSON
        #[arg(long, conflicts_with = "watch")]
        json: bool,
        /// Follow it until it is complete
        #[arg(long)]
        watch: bool,
        /// Colours of the live view; auto: on a terminal, unless `NO_COLOR` is set
        #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
        color: ColorChoice,
    },
    /// Read a debate: the verdict on the screen, or a document, or its page in the browser
    Report {
        /// Debate number in `anvil history`, or id [default: this project's]
        id: Option<String>,
        #[command(flatten)]
        form: report::ReportForm,
    },
    /// List the claims of a debate: where each stands, what happened to it, and what the checks
    /// found
    Claims {
        #[command(flatten)]
        options: ClaimsOptions,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List the debates of this project, the newest first, with their verdicts; find a text in
    /// them; or note what became of one
    History {
        #[command(flatten)]
        options: Box<HistoryOptions>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// See whether the words that decisions rest on are still in the project's files
    Recheck {
        #[command(flatten)]
        options: RecheckOptions,
    },
    /// Remove finished debates but the newest; lists them first
    Prune {
        /// Number of finished debates to keep
        #[arg(long, value_name = "N", value_parser = count)]
        keep: usize,
        /// Do not ask before removing
        #[arg(long)]
        yes: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Undo the last phases of the debate, or restore an earlier state
    Undo {
        #[command(flatten)]
        options: UndoOptions,
        /// The list as JSON
        #[arg(long, requires = "list", conflicts_with_all = ["redo", "to"])]
        json: bool,
    },
    #[command(flatten)]
    Action(Action),
    /// Put the debate into an issue or pull request: `publish --issue N`
    Publish {
        #[command(flatten)]
        options: Box<PublishOptions>,
    },
    /// Take the debate of an issue or pull request into this project
    Pull {
        #[command(flatten)]
        options: Box<PullOptions>,
    },
    /// List the personas, modes and frameworks that a debate can use
    List {
        /// The kind to list
        #[arg(value_parser = PossibleValuesParser::new(TextKind::ALL.map(TextKind::word)))]
        kind: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show each option's effective value and the file that sets it
    Config {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// A debate in the body of an issue: `body embed`, `extract`, `contains`, `strip` and `check`,
    /// as filters
    #[command(subcommand)]
    Body(body::BodyVerb),
    /// Diagnose the installation: client, hooks, settings, state
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a script that completes Anvil's commands in a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print one line for Claude Code's status line; its JSON on standard input
    Statusline,
    /// Answer one event of Claude Code: JSON on standard input, JSON on standard output
    Hook,
}
