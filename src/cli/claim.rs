//! `anvil claim` and `anvil submit`: one reply of a debate, by a person, a script or another
//! program.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use serde_json::json;

use super::error::InputError;
use super::screen;
use anvil_core::options::Refused;
use anvil_core::tasks::SeatFilter;
use anvil_engine::{
    Claimant, Claimed, Context, Filed, Request, Stopped, Submitted, Ticket, Waiting, duration,
    reason, tasks,
};
use anvil_messages::Door;
use anvil_store::{Holder, USER};
use anvil_system::world::World;
use anvil_text::Exit;
use anvil_text::error::{Error, Result};

/// Most bytes of a reply.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// Time between two looks at the debate's files.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Time after which a claim looks for tasks although no file has changed: a holder may be gone.
const RECHECK_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Args, Debug)]
pub(crate) struct ClaimOptions {
    /// A seat or a task: advocate, critic, voice, synthesizer, judge, critic-1 [default: the first
    /// free task]
    #[arg(value_parser = seat)]
    seat: Option<SeatFilter>,
    /// The writer's name, such as codex [default: a person]
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    name: Option<String>,
    /// How long to wait for a task, such as 10m [default: not at all]
    #[arg(long, value_name = "TIME", value_parser = time)]
    wait: Option<Duration>,
    /// The task, its token and its prompt as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SubmitOptions {
    /// The token that `anvil claim` printed
    #[arg(required_unless_present = "task")]
    token: Option<String>,
    /// Instead of the token: the task that you claimed in a shell
    #[arg(long, value_name = "TASK", conflicts_with = "token")]
    task: Option<String>,
}

fn seat(text: &str) -> Result<SeatFilter, Refused> {
    text.parse::<SeatFilter>().map_err(|_| {
        let seats = "takes advocate, critic, voice, synthesizer or judge, also with a number";
        Refused::new(seats, " voice-2")
    })
}

fn name(text: &str) -> Result<String, Refused> {
    let text = text.trim();
    let is_name = !text.is_empty();
    is_name.then(|| text.to_owned()).ok_or_else(|| Refused::new("takes a name", " codex"))
}

fn time(text: &str) -> Result<Duration, Refused> {
    duration(text).map_err(|_| Refused::new("takes a time such as 90s, 10m or 2h", " 10m"))
}

/// Takes a task and prints its prompt.
pub(super) fn claim(world: &World, options: &ClaimOptions, door: &Door) -> Result<()> {
    let until = Instant::now() + options.wait.unwrap_or_default();
    loop {
        let now = world.at_this_moment();
        let context = Context::new(&now);
        let debate = tasks::unfinished_debate(&context)?;
        let seat = options.seat.unwrap_or(SeatFilter::Any);
        seat.check(&debate)?;
        let before = tasks::signature(&context, &debate.id);
        let name = options.name.clone().unwrap_or_else(|| USER.to_owned());
        let claimant = Claimant { name, holder: Holder::user(), reopens: true };
        let claimed = tasks::claim(&context, &debate.id, &claimant, seat, |_| usize::MAX / 8);
        let why = match claimed.map_err(to_error)? {
            Claimed::Task(ticket, request) => {
                return show(&context, &ticket, &request, options.json, door);
            }
            Claimed::Waits(why) => why,
            Claimed::Over(_) => Waiting::NothingLeft,
        };
        if why == Waiting::NothingLeft || Instant::now() >= until {
            return Err(anvil_messages::nothing_to_claim(why, door));
        }
        wait(&context, &debate.id, &before, until);
    }
}

/// Waits until the debate's files change, `RECHECK_INTERVAL` has passed, or the time is over.
fn wait(context: &Context<'_>, id: &str, before: &[Option<(u64, SystemTime)>; 2], until: Instant) {
    let recheck = until.min(Instant::now() + RECHECK_INTERVAL);
    while Instant::now() < recheck && tasks::signature(context, id) == *before {
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Prints the prompt on standard output, and the token on standard error. A terminal gets the text
/// for a person.
fn show(
    context: &Context<'_>,
    ticket: &Ticket,
    request: &Request,
    as_json: bool,
    door: &Door,
) -> Result<()> {
    let token = ticket.whole_token();
    if as_json {
        return super::print_json(
            &json!({ "task": ticket.task, "token": token, "prompt": request.prompt }),
        );
    }
    // The token is the last line.
    super::print_notes(context, door);
    let is_person = io::stdout().is_terminal();
    super::print(if is_person { &request.sheet } else { &request.prompt })?;
    if is_person {
        let _ = writeln!(io::stderr(), "{}", anvil_messages::claim_line(&ticket.task, door));
    }
    let _ = writeln!(io::stderr(), "{token}");
    Ok(())
}

/// Saves the reply on standard input.
pub(super) fn submit(
    context: &Context<'_>,
    options: &SubmitOptions,
    door: &Door,
) -> Result<ExitCode> {
    let id = tasks::list(context, None)?.debate.id;
    let ticket = match (&options.token, &options.task) {
        (Some(token), _) => Ticket::parse(token, &id).unwrap_or_else(|| Ticket {
            id,
            task: String::new(),
            attempt: 0,
            token: token.clone(),
        }),
        (None, task) => tasks::shell_ticket(context, task.as_deref().unwrap_or_default())?,
    };
    let text = reply()?;
    let submitted = tasks::submit(context, &ticket, text.as_str().into()).map_err(to_error)?;
    super::print_notes(context, door);
    let task = &ticket.task;
    match submitted {
        Submitted::Filed(Filed::Saved { .. }) | Submitted::SavedBefore => {
            super::print(&anvil_messages::submit_line(task))?;
        }
        Submitted::Filed(Filed::Waits(debate)) => {
            super::print(&anvil_messages::submit_line(task))?;
            super::print(&anvil_messages::rests_after(&debate, door))?;
        }
        Submitted::Filed(Filed::Completed(completed)) => {
            let end = anvil_messages::completion_lines(&completed, door, screen::screen());
            super::print_styled(&end)?;
        }
        Submitted::Kept => super::print(&anvil_messages::early_submit_line(task))?,
        Submitted::Filed(Filed::Again(why)) => {
            return Ok(not_saved(&anvil_messages::write_again(task, &reason(&why)), Exit::Again));
        }
        Submitted::Filed(Filed::BlockAgain(_)) => {
            return Ok(not_saved(&anvil_messages::block_again(task), Exit::Again));
        }
        Submitted::GivenUp(why) => {
            return Ok(not_saved(&anvil_messages::give_up_line(task, &why), Exit::Paused));
        }
        Submitted::Filed(Filed::Failed(debate)) => {
            let why = &debate.why_stopped();
            return Ok(not_saved(&anvil_messages::give_up_line(task, why), Exit::Paused));
        }
        Submitted::Late => return Err(anvil_messages::not_your_task()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints why a reply, or its block, is not saved.
fn not_saved(line: &str, exit: Exit) -> ExitCode {
    let _ = writeln!(io::stderr(), "{line}");
    exit.into()
}

/// The reply on standard input.
fn reply() -> Result<String> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text);
    let read = read.map_err(InputError::ReplyUnread)?;
    if read as u64 > MAX_BYTES {
        return Err(InputError::ReplyTooLong.into());
    }
    if text.trim().is_empty() {
        return Err(InputError::NoReply.into());
    }
    Ok(text)
}

/// A skipped event as an error.
fn to_error(stopped: Stopped) -> Error {
    match stopped {
        Stopped::Failed(error) => error,
        Stopped::Skipped(_) => InputError::Changed.into(),
    }
}
