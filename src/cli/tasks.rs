//! `anvil tasks` and `anvil join`: lists the replies to write, and takes a seat.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::ValueParser;
use serde_json::json;

use super::run::duration;
use crate::domain::command::SeatOptions;
use crate::domain::tasks::{TaskList, Wanted};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::run::join::{Joining, join as work};
use crate::system::world::World;
use crate::text::door::Door;

pub(super) use crate::run::locks::{VERB as LOCK, main as lock};

/// What a worker takes.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct JoinOptions {
    /// The seat: advocate, critic, synthesizer, judge, stakeholder or persona; the last three with
    /// a number if you like
    #[arg(
        long = "as",
        value_name = "SEAT",
        value_parser = ValueParser::new(seat),
        required_unless_present_any = ["any", "helper"]
    )]
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
    /// Who writes: claude, claude:opus, codex, …, script:FILE or cmd:"COMMAND LINE" [default:
    /// claude]
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
    /// It helps a run with what is written side by side
    #[arg(long, hide = true, conflicts_with_all = ["seat", "any", "me"])]
    helper: bool,
}

fn seat(text: &str) -> Result<Wanted, String> {
    text.parse::<Wanted>().map_err(|error| format!("{error}; {}", error.hint(Door::Shell)))
}

pub(super) fn join(world: &World, id: Option<&str>, options: JoinOptions) -> Result<ExitCode> {
    let wanted = match options.seat {
        Some(seat) => seat,
        None if options.helper => Wanted::Independent,
        None => Wanted::Any,
    };
    let JoinOptions {
        me,
        name,
        agent,
        advocate,
        critic,
        synthesizer,
        in_project,
        max_reply,
        json,
        ..
    } = options;
    let seats = SeatOptions { agent, advocate, critic, synthesizer, fact_checker: None };
    let joining = Joining {
        id,
        wanted,
        seats,
        me,
        name: name.as_deref(),
        in_project,
        longest_reply: max_reply,
        as_json: json,
    };
    work(world, &joining)
}

pub(super) fn tasks(
    world: &World,
    engine: &Engine<'_>,
    id: Option<&str>,
    drop: Option<&str>,
    as_json: bool,
) -> Result<()> {
    if let Some(task) = drop {
        return super::print(&messages::dropped(&engine.workers().drop_lease(task)?));
    }
    let board = engine.workers().tasks(id)?;
    if as_json {
        let (debate, cycle) = (&board.debate.id, board.debate.progress.cycle);
        let tasks = TaskList { schema: 1, debate, cycle, tasks: &board.tasks };
        return super::print_json(&json!(tasks));
    }
    super::print(&messages::tasks(&board, world.now))
}
