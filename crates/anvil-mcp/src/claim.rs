//! `task_claim`: the only tool that waits, at most 20 s.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use super::arguments::ClaimArguments;
use super::calls::{MAX_TOKENS, blocking, claimant, explain_missing, to_error};
use super::held::Held;
use super::results::{ClaimState, TaskClaimResult};
use crate::error::McpError;
use anvil_core::debate::Status;
use anvil_core::tasks::SeatFilter;
use anvil_engine::{Claimed, Context, Request, Ticket, Waiting, tasks};
use anvil_system::world::World;
use anvil_text::error::Result;

/// Longest wait of one call, in seconds: clients abandon a call after about a minute.
const MAX_WAIT: u64 = 20;

/// Why a claim was dropped.
const CANCELLED: &str = "its client cancelled the call";

/// Time between two polls of the debate's files.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Time after which the tool looks for tasks although no file has changed: a holder may be gone.
const RECHECK_INTERVAL: Duration = Duration::from_secs(2);

/// One poll of the debate's files.
struct Poll {
    id: String,
    answer: TaskClaimResult,
    /// The held task, if any.
    ticket: Option<Ticket>,
    /// The task was claimed just now.
    is_new: bool,
    /// Waiting would change nothing.
    is_final: bool,
    /// The debate's files when the poll ended.
    signature: [Option<(u64, SystemTime)>; 2],
}

/// Claims a task, or reads a held one, and waits for it as long as the client allows.
pub(super) async fn claim(
    world: &World,
    held: &Arc<Held>,
    arguments: ClaimArguments,
    name: String,
    cancelled: impl Future<Output = ()>,
) -> Result<TaskClaimResult> {
    let wait = arguments.wait_s.unwrap_or_default();
    if wait > MAX_WAIT {
        return Err(McpError::LongWait(MAX_WAIT).into());
    }
    let seat = arguments.seat.as_deref().map_or(Ok(SeatFilter::Any), str::parse)?;
    let until = Instant::now() + Duration::from_secs(wait);
    tokio::pin!(cancelled);
    loop {
        let now = world.at_this_moment();
        let tickets = Arc::clone(held);
        let name = name.clone();
        let token = arguments.token.clone();
        let poll = blocking(move || poll(&now, &tickets, token.as_deref(), seat, &name)).await??;
        if let Some(ticket) = &poll.ticket {
            if poll.is_new && is_ready(&mut cancelled).await {
                // Nobody hears of it.
                let (now, ticket) = (world.at_this_moment(), ticket.clone());
                let left = move || tasks::leave(&Context::new(&now), &ticket, CANCELLED);
                blocking(left).await?.map_err(to_error)?;
                return Ok(poll.answer);
            }
            held.add(ticket);
        }
        let is_over = poll.is_final || Instant::now() >= until;
        if is_over || wait_for_change(world, &poll, until, &mut cancelled).await {
            return Ok(poll.answer);
        }
    }
}

/// True if a future is ready now. It is not polled again then.
async fn is_ready(future: &mut (impl Future<Output = ()> + Unpin)) -> bool {
    tokio::select! {
        biased;
        () = future => true,
        () = std::future::ready(()) => false,
    }
}

/// Waits for a change of the debate's files. True: the call was cancelled.
async fn wait_for_change(
    world: &World,
    poll: &Poll,
    until: Instant,
    cancelled: &mut (impl Future<Output = ()> + Unpin),
) -> bool {
    let recheck = until.min(Instant::now() + RECHECK_INTERVAL);
    while Instant::now() < recheck {
        tokio::select! {
            () = &mut *cancelled => return true,
            () = sleep(POLL_INTERVAL) => {}
        }
        if tasks::signature(&Context::new(world), &poll.id) != poll.signature {
            break;
        }
    }
    false
}

/// Reads the held task of a token, or claims a task if one is available.
fn poll(
    world: &World,
    tickets: &Held,
    token: Option<&str>,
    seat: SeatFilter,
    name: &str,
) -> Result<Poll> {
    let context = Context::new(world).of_seat();
    let board = explain_missing(None, tasks::list(&context, None))?;
    let id = board.debate.id.clone();
    let status = board.debate.status();
    if !status.is_unfinished() {
        let signature = tasks::signature(&context, &id);
        let answer = answer_when_over(status == Status::Completed);
        return Ok(Poll { id, answer, ticket: None, is_new: false, is_final: true, signature });
    }
    let held = token.map(|token| Ticket::parse(token, &id).ok_or(McpError::NoToken)).transpose()?;
    if let Some(ticket) = held {
        let request = tasks::request_again(&context, &ticket, None, |_| MAX_TOKENS)?;
        let request = request.filter(|_| tasks::still_holds(&context, &ticket));
        let request = request.ok_or_else(|| McpError::TokenIsOver(ticket.task.clone()))?;
        let signature = tasks::signature(&context, &id);
        let answer = answer_with(&ticket, request);
        return Ok(Poll {
            id,
            answer,
            ticket: Some(ticket),
            is_new: false,
            is_final: true,
            signature,
        });
    }
    seat.check(&board.debate)?;
    let claimed = tasks::claim(&context, &id, &claimant(name), seat, |_| MAX_TOKENS);
    let claimed = claimed.map_err(to_error)?;
    if matches!(claimed, Claimed::Waits(_))
        && let Some(token) = lost_token(&context, tickets, seat)
    {
        return poll(world, tickets, Some(&token), seat, name);
    }
    // Read it after the claim, which changes the files itself.
    let signature = tasks::signature(&context, &id);
    let (answer, ticket, is_final) = answer_to(claimed);
    Ok(Poll { id, answer, is_new: ticket.is_some(), ticket, is_final, signature })
}

fn answer_with(ticket: &Ticket, request: Request) -> TaskClaimResult {
    TaskClaimResult {
        task: Some(ticket.task.clone()),
        token: Some(ticket.whole_token()),
        prompt: Some(request.prompt),
        ..answer(ClaimState::Write, anvil_messages::mcp::TO_WRITE)
    }
}

/// The answer to a claim, its ticket, and whether waiting would change nothing.
fn answer_to(claimed: Claimed) -> (TaskClaimResult, Option<Ticket>, bool) {
    match claimed {
        Claimed::Task(ticket, request) => (answer_with(&ticket, *request), Some(ticket), true),
        Claimed::Waits(why) => {
            let is_final = matches!(why, Waiting::Paused(_) | Waiting::NothingLeft);
            let state =
                if why == Waiting::NothingLeft { ClaimState::Nothing } else { ClaimState::Wait };
            let waits_for = Some(anvil_messages::mcp::waits_for(&why));
            let answer =
                TaskClaimResult { waits_for, ..answer(state, anvil_messages::mcp::waits(&why)) };
            (answer, None, is_final)
        }
        Claimed::Over(debate) => {
            let is_complete = debate.is_some_and(|debate| debate.status() == Status::Completed);
            (answer_when_over(is_complete), None, true)
        }
    }
}

fn answer_when_over(is_complete: bool) -> TaskClaimResult {
    answer(ClaimState::Over, anvil_messages::mcp::over(is_complete))
}

fn answer(state: ClaimState, next: &str) -> TaskClaimResult {
    TaskClaimResult {
        state,
        next: next.to_owned(),
        task: None,
        token: None,
        waits_for: None,
        prompt: None,
    }
}

/// The token of a held task of this seat, for a client that sends none: a model forgets it.
fn lost_token(context: &Context<'_>, held: &Held, seat: SeatFilter) -> Option<String> {
    let board = tasks::list(context, None).ok()?;
    let tickets = held.tickets(&board.debate.id);
    let of_seat = tickets.iter().find(|ticket| {
        board.tasks.iter().any(|task| task.id == ticket.task && seat.takes(task.place))
            && tasks::still_holds(context, ticket)
    });
    of_seat.map(Ticket::whole_token)
}
