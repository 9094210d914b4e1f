//! `anvil run`: starts or resumes a debate between programs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::ValueParser;

use crate::domain::command::{self, DebateOptions, SeatOptions};
use crate::engine;
use crate::error::{Error, Result};
use crate::messages;
use crate::run::{self, Dry, Gate, Orphan, RunLimits, Wanted};
use crate::seats::Budget;
use crate::system::world::World;
use crate::text;

pub(super) use crate::run::script::{VERB as SCRIPT, main as script};
pub(super) use crate::run::wrapper::{VERB as WRAPPER, main as wrapper};

/// What a run takes beside the options of a debate.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct RunOptions {
    #[command(flatten)]
    seats: SeatOptions,
    /// Go on with the debate here, or with this one if it is here
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    resume: Option<String>,
    /// Show the plan, each seat's command and the names of its variables, and start nothing
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,
    /// With --dry-run: show each seat's first prompt, too
    #[arg(long, requires = "dry_run")]
    prompts: bool,
    /// Let the seats read the project's files; claude and codex only
    #[arg(long)]
    in_project: bool,
    /// What becomes of a reply that an earlier run has begun and that is still being written
    #[arg(long, value_enum, default_value = "wait", value_name = "wait|kill")]
    orphan: Orphan,
    /// Longest time for one reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    max_reply: Option<Duration>,
    /// Longest time in which replies are written, all together
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    max_time: Option<Duration>,
    /// Most tokens, in and out, as far as the programs tell them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// Most United States dollars, as far as the programs tell them
    #[arg(long, value_name = "USD", value_parser = ValueParser::new(dollars))]
    max_cost: Option<f64>,
    /// Write up to so many replies at the same time, where none answers another: voices, blind
    /// openings, judges
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=16)
    )]
    jobs: u8,
    /// Exit with code 4 for what would stop a change: do-not, low-confidence=70, open-claims
    #[arg(
        long,
        value_name = "GATE",
        value_delimiter = ',',
        value_parser = ValueParser::new(Gate::parse)
    )]
    fail_on: Vec<Gate>,
    /// An event a line, as JSON
    #[arg(long)]
    json: bool,
    /// It argues for a session of Claude Code, in the background
    #[arg(long, hide = true, requires = "resume")]
    runner: bool,
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    engine::duration(text).map_err(|_| "takes a time such as 90s, 10m or 2h".to_owned())
}

fn dollars(text: &str) -> Result<f64, String> {
    let cost: Option<f64> = text.trim_start_matches('$').parse().ok();
    cost.filter(|cost| cost.is_finite() && *cost > 0.0)
        .ok_or_else(|| "takes an amount such as 2.50".to_owned())
}

pub(super) fn run(
    world: &World,
    question: &str,
    options: &DebateOptions,
    wanted: RunOptions,
) -> Result<ExitCode> {
    let named = super::name();
    let resume = wanted.resume;
    let (dry_run, prompts, as_json) = (wanted.dry_run, wanted.prompts, wanted.json);
    let wanted = Wanted {
        seats: wanted.seats,
        in_project: wanted.in_project,
        limits: RunLimits {
            reply: wanted.max_reply,
            budget: Budget {
                time: wanted.max_time,
                tokens: wanted.max_tokens,
                cost: wanted.max_cost,
            },
        },
        gates: wanted.fail_on,
        orphan: wanted.orphan,
        as_json,
        beat: Duration::ZERO,
        take_over: options.take_over,
        named: &named,
        is_runner: wanted.runner,
        jobs: wanted.jobs,
    };
    if let Some(id) = resume {
        let allowed = DebateOptions { take_over: options.take_over, ..DebateOptions::default() };
        if !question.trim().is_empty() || *options != allowed {
            return Err(Error::usage(
                "--resume goes on with the debate as it is, and takes no question and no options \
                 of one",
                "`anvil run --resume --critic AGENT` gives a seat to another agent",
            ));
        }
        return run::resume(world, Some(id.as_str()).filter(|id| !id.is_empty()), wanted);
    }
    let needs_no_question = question.trim().is_empty() && !options.versus.is_empty();
    let question = if needs_no_question { String::new() } else { command::question(question)? };
    if dry_run {
        let (plan, seats) = run::preview(world, &question, options, &wanted)?;
        super::print(&messages::run_plan(&plan))?;
        for dry in seats {
            super::print(&described(&dry, prompts))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    run::start(world, &question, options, wanted)
}

/// One seat of a dry run.
fn described(dry: &Dry, prompts: bool) -> String {
    let command: Vec<&str> = dry.command.iter().map(String::as_str).collect();
    let command = shlex::try_join(command).unwrap_or_else(|_| dry.command.join(" "));
    let missing = if dry.is_here { "" } else { " (not on this machine)" };
    let prompt = if prompts {
        format!("\n  prompt for {}, on its standard input:\n\n{}", dry.slot, dry.prompt)
    } else {
        String::new()
    };
    format!(
        "{}: {}{missing}\n  command    {}\n  variables  {}{prompt}",
        dry.seat,
        text::clean(&dry.agent, 80),
        command,
        dry.variables.join(" "),
    )
}
