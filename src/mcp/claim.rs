//! `task_claim`: the only tool that waits, at most 20 s.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use super::arguments::Claim;
use super::calls::{blocking, failed, found, next_task, worker};
use super::held::Held;
use super::results::{ClaimState, Claimed};
use crate::domain::debate::Status;
use crate::domain::tasks::Wanted;
use crate::engine::{Engine, NextTask, Ticket, Waiting};
use crate::error::Result;
use crate::messages;
use crate::system::world::World;

/// Longest wait of one call, in seconds: clients abandon a call after about a minute.
const MAX_WAIT: u64 = 20;

/// Time between two looks at the debate's files.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Time after which the tool looks for tasks although no file has changed: a holder may be gone.
const RECHECK_INTERVAL: Duration = Duration::from_secs(2);

struct Look {
    id: String,
    answer: Claimed,
    /// The held task, if any.
    ticket: Option<Ticket>,
    /// Waiting would change nothing.
    is_final: bool,
    /// The debate's files when the look ended.
    signature: Vec<Option<(u64, SystemTime)>>,
}

/// Takes a task, or looks at a held one, and waits for it as long as the client allows.
pub(super) async fn claim(
    world: &World,
    held: &Arc<Held>,
    wanted: Claim,
    name: String,
    cancelled: impl Future<Output = ()>,
) -> Result<Claimed> {
    let wait = wanted.wait_s.unwrap_or_default();
    if wait > MAX_WAIT {
        return Err(messages::mcp::waits_too_long(MAX_WAIT));
    }
    let seat = wanted.seat.as_deref().map_or(Ok(Wanted::Any), str::parse)?;
    let until = Instant::now() + Duration::from_secs(wait);
    let mut given = wanted.token;
    let mut is_new = given.is_none();
    tokio::pin!(cancelled);
    loop {
        let (now, own, name) = (world.at_this_moment(), given.clone(), name.clone());
        let tokens = Arc::clone(held);
        let look = blocking(move || look(&now, &tokens, own.as_deref(), seat, &name)).await??;
        is_new = is_new || look.ticket.as_ref().map(Ticket::whole_token) != given;
        // The client already has this token.
        is_new &=
            !look.ticket.as_ref().is_some_and(|ticket| held.tickets(&look.id).contains(ticket));
        given = look.ticket.as_ref().map(Ticket::whole_token);
        let is_over = look.is_final || Instant::now() >= until;
        if is_over || wait_for_change(world, &look, until, &mut cancelled).await {
            if !is_over
                && is_new
                && let Some(ticket) = look.ticket.clone()
            {
                // The client will never see the token, so free the task.
                let now = world.at_this_moment();
                let _ = blocking(move || {
                    Engine::new(&now)
                        .workers()
                        .leave_task(&ticket, messages::mcp::CALL_WAS_CANCELLED)
                })
                .await;
                return Ok(look.answer);
            }
            if let Some(ticket) = &look.ticket {
                held.add(ticket);
            }
            return Ok(look.answer);
        }
    }
}

/// Waits for a change of the debate's files. True: the call was cancelled.
async fn wait_for_change(
    world: &World,
    look: &Look,
    until: Instant,
    cancelled: &mut (impl Future<Output = ()> + Unpin),
) -> bool {
    let recheck = until.min(Instant::now() + RECHECK_INTERVAL);
    while Instant::now() < recheck {
        tokio::select! {
            () = &mut *cancelled => return true,
            () = sleep(POLL_INTERVAL) => {}
        }
        if Engine::new(world).workers().task_signature(&look.id) != look.signature {
            break;
        }
    }
    false
}

/// Looks once, and takes a task if there is one.
fn look(
    world: &World,
    tokens: &Held,
    given: Option<&str>,
    seat: Wanted,
    name: &str,
) -> Result<Look> {
    let engine = Engine::new(world);
    let board = found(None, engine.workers().tasks(None))?;
    let id = board.debate.id.clone();
    let status = board.debate.progress.status;
    if !status.is_unfinished() {
        let signature = engine.workers().task_signature(&id);
        let answer = answer_when_over(status == Status::Completed);
        return Ok(Look { id, answer, ticket: None, is_final: true, signature });
    }
    let held = given
        .map(|given| Ticket::parse(given, &id).ok_or_else(messages::mcp::no_token))
        .transpose()?;
    if let Some(held) = held.as_ref().filter(|held| !engine.workers().still_holds(held)) {
        return Err(messages::mcp::token_is_over(&held.task));
    }
    if held.is_none() {
        seat.check(&board.debate)?;
    }
    let next = next_task(&engine, &worker(&id, name, seat), held.as_ref(), None).map_err(failed)?;
    if matches!(next, NextTask::Waits(_))
        && let Some(token) = lost_token(&engine, tokens, given, seat)
    {
        return look(world, tokens, Some(&token), seat, name);
    }
    // Read it after the claim, which changes the files itself.
    let signature = engine.workers().task_signature(&id);
    let (answer, ticket, is_final) = answer_to(&engine, next);
    Ok(Look { id, answer, ticket, is_final, signature })
}

/// The answer for what the engine found, its ticket, and whether waiting would change nothing.
fn answer_to(engine: &Engine<'_>, next: NextTask) -> (Claimed, Option<Ticket>, bool) {
    let with_ticket = |ticket: &Ticket, answer: Claimed| Claimed {
        task: Some(ticket.task.clone()),
        token: Some(ticket.whole_token()),
        ..answer
    };
    match next {
        NextTask::Work(ticket, request) => {
            let answer = answer(ClaimState::Write, messages::mcp::TO_WRITE);
            let answer = Claimed { prompt: Some(request.prompt), ..answer };
            (with_ticket(&ticket, answer), Some(ticket), true)
        }
        NextTask::Holds(ticket, why) => {
            let _ = engine.workers().sign_of_life(&ticket);
            let (is_final, next) = match &why {
                Waiting::Rests(_) => (true, messages::mcp::waits(&why)),
                _ => (false, messages::mcp::HELD),
            };
            let waits_for = Some(messages::mcp::waits_for(&why));
            let answer = Claimed { waits_for, ..answer(ClaimState::Held, next) };
            (with_ticket(&ticket, answer), Some(ticket), is_final)
        }
        NextTask::Waits(why) => {
            let is_final = matches!(why, Waiting::Rests(_) | Waiting::NothingLeft);
            let state =
                if why == Waiting::NothingLeft { ClaimState::Nothing } else { ClaimState::Wait };
            let waits_for = Some(messages::mcp::waits_for(&why));
            let answer = Claimed { waits_for, ..answer(state, messages::mcp::waits(&why)) };
            (answer, None, is_final)
        }
        NextTask::Over(debate) => {
            let is_complete =
                debate.is_some_and(|debate| debate.progress.status == Status::Completed);
            (answer_when_over(is_complete), None, true)
        }
    }
}

fn answer_when_over(is_complete: bool) -> Claimed {
    answer(ClaimState::Over, messages::mcp::over(is_complete))
}

fn answer(state: ClaimState, next: &str) -> Claimed {
    Claimed { state, next: next.to_owned(), task: None, token: None, waits_for: None, prompt: None }
}

/// The token of a held task of this seat, for a client that sends none: a model forgets it.
fn lost_token(
    engine: &Engine<'_>,
    held: &Held,
    given: Option<&str>,
    seat: Wanted,
) -> Option<String> {
    let board = engine.workers().tasks(None).ok().filter(|_| given.is_none())?;
    let is_of_seat = |ticket: &Ticket| {
        board.tasks.iter().any(|task| task.id == ticket.task && seat.takes(task.place))
            && engine.workers().still_holds(ticket)
    };
    held.tickets(&board.debate.id).iter().find(|ticket| is_of_seat(ticket)).map(Ticket::whole_token)
}
