//! `anvil tasks`, `anvil workers` and `anvil join`: what there is to write, who writes it, and taking a part.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::ValueParser;
use serde_json::{Value, json};

use super::run::duration;
use crate::command::{self, Forge, IssueOptions, SeatOptions};
use crate::engine::{Board, Engine};
use crate::error::{Error, Result};
use crate::messages;
use crate::run::join::{Joining, join as work};
use crate::run::join_issue::{TIMEOUT, join as work_at_issue};
use crate::state::Claim;
use crate::tasks::Wanted;
use crate::world::World;

pub(super) use crate::run::locks::{VERB as LOCK, main as lock};

/// What a worker takes.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct JoinOptions {
    /// The seat: advocate, critic, synthesizer, judge, stakeholder or persona; the last three with a number if you like
    #[arg(long = "as", value_name = "SEAT", value_parser = ValueParser::new(seat), required_unless_present_any = ["any", "helper"])]
    seat: Option<Wanted>,
    /// Whatever can be written now
    #[arg(long, conflicts_with = "seat")]
    any: bool,
    /// Write it yourself, in your editor or on standard input
    #[arg(long, conflicts_with_all = ["agent", "advocate", "critic", "synthesizer"])]
    me: bool,
    /// What others see you called [default: the agent's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Who writes: claude, claude:opus, codex, …, script:FILE or cmd:"COMMAND LINE" [default: claude]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// With --any: who argues for
    #[arg(long, value_name = "AGENT")]
    advocate: Option<String>,
    /// With --any: who argues against
    #[arg(long, value_name = "AGENT")]
    critic: Option<String>,
    /// With --any: who writes the synthesis
    #[arg(long, value_name = "AGENT")]
    synthesizer: Option<String>,
    /// Let the seat read the project's files; claude and codex only
    #[arg(long)]
    in_project: bool,
    /// Longest time for one reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    max_reply: Option<Duration>,
    /// An event a line, as JSON
    #[arg(long)]
    json: bool,
    /// The debate in this issue instead, by way of comments
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["id", "helper", "in_project"])]
    issue: Option<u32>,
    /// The same in this pull request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["id", "issue", "helper", "in_project"])]
    pr: Option<u32>,
    /// Its repository, also HOST/OWNER/NAME [default: the git remote]
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<String>,
    /// github or gitea, which is for Forgejo too [default: as the host is named]
    #[arg(long, value_name = "NAME", value_parser = ValueParser::new(command::forge))]
    forge: Option<Forge>,
    /// It helps a run with what is written side by side
    #[arg(long, hide = true, conflicts_with_all = ["seat", "any", "me"])]
    helper: bool,
}

fn seat(text: &str) -> Result<Wanted, String> {
    text.parse::<Wanted>().map_err(|error| format!("{error}; {}", error.hint()))
}

pub(super) fn join(world: &World, id: Option<&str>, options: JoinOptions) -> Result<ExitCode> {
    let wanted = match options.seat {
        Some(seat) => seat,
        None if options.helper => Wanted::Independent,
        None => Wanted::Any,
    };
    let JoinOptions { me, name, agent, advocate, critic, synthesizer, in_project, max_reply, json, .. } = options;
    let issue =
        IssueOptions { numbered: None, issue: options.issue, pr: options.pr, repo: options.repo, forge: options.forge };
    let seats = SeatOptions { agent, advocate, critic, synthesizer, fact_checker: None };
    let joining =
        Joining { id, wanted, seats, me, name: name.as_deref(), in_project, longest_reply: max_reply, as_json: json };
    if issue.issue.or(issue.pr).is_some() {
        return work_at_issue(world, &joining, &issue);
    }
    if issue.repo.is_some() || issue.forge.is_some() {
        return Err(Error::usage("--repo and --forge are about an issue", "add --issue N, or leave them out"));
    }
    work(world, &joining)
}

pub(super) fn tasks(engine: &Engine<'_>, id: Option<&str>, as_json: bool) -> Result<()> {
    let board = engine.tasks(id)?;
    if as_json {
        let tasks = json!({ "schema": 1, "debate": board.debate.id, "cycle": board.debate.progress.cycle, "tasks": board.tasks });
        return super::print_json(&tasks);
    }
    super::print(&messages::tasks(&board))
}

pub(super) fn workers(world: &World, engine: &Engine<'_>, drop: Option<&str>, as_json: bool) -> Result<()> {
    if let Some(task) = drop {
        return super::print(&messages::dropped(&engine.drop_claim(task)?));
    }
    let board = engine.tasks(None)?;
    if as_json {
        return super::print_json(&to_json(&board));
    }
    super::print(&messages::workers(&board, world.now))
}

/// The same in an issue.
pub(super) fn at_issue(
    engine: &Engine<'_>,
    drop: Option<&str>,
    number: u32,
    repo: Option<String>,
    forge: Option<Forge>,
) -> Result<()> {
    let issue = IssueOptions { issue: Some(number), repo, forge, ..IssueOptions::default() };
    if let Some(task) = drop {
        let worker = engine.free_issue_task(&issue, task, TIMEOUT)?;
        return super::print(&messages::freed(task, &worker));
    }
    let (debate, claimed) = engine.issue_workers(&issue, TIMEOUT)?;
    super::print(&messages::workers_there(&debate, &claimed, number))
}

fn to_json(board: &Board) -> Value {
    let one = |claim: &Claim| {
        json!({
            "task": claim.task,
            "generation": claim.generation,
            "worker": claim.worker,
            "host": claim.holder.host,
            "process": claim.holder.process.pid,
            "is_gone": claim.is_dead(),
            "claimed_at": claim.claimed_at.to_string(),
            "started_at": claim.started_at.map(|at| at.to_string()),
            "received_at": claim.received_at.map(|at| at.to_string()),
            "seen_at": claim.seen_at.to_string(),
        })
    };
    json!({ "schema": 1, "debate": board.debate.id, "workers": board.claims.all.iter().map(one).collect::<Vec<_>>() })
}
