//! `task_claim`: the one tool that waits, and never for long.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use super::arguments::Claim;
use super::calls::{blocking, failed, found, next_task, worker};
use super::held::{Held, ticket, token};
use super::results::{ClaimState, Claimed};
use crate::debate::Status;
use crate::engine::{Engine, NextTask, Ticket, Waiting};
use crate::error::Result;
use crate::messages;
use crate::run::locks;
use crate::tasks::Wanted;
use crate::world::World;

/// Longest wait of one call, in seconds: clients give a call up after about a minute.
const LONGEST: u64 = 20;

/// Between two looks at whether anything has changed.
const LOOKS: Duration = Duration::from_millis(150);

/// It is asked anew after this time also where no file has changed: who held a task may be gone.
const ASKS: Duration = Duration::from_secs(2);

/// What one look found.
struct Look {
    id: String,
    answer: Claimed,
    /// The claim, where there is one.
    ticket: Option<Ticket>,
    /// There is no use in waiting.
    is_final: bool,
    /// The files as they were before it.
    signature: Vec<Option<(u64, SystemTime)>>,
}

/// Claims a task, or looks at one that is held, and waits for it as long as it may.
pub(super) async fn claim(
    world: &World,
    held: &Arc<Held>,
    wanted: Claim,
    name: String,
    cancelled: impl Future<Output = ()>,
) -> Result<Claimed> {
    let wait = wanted.wait_s.unwrap_or_default();
    if wait > LONGEST {
        return Err(messages::mcp::waits_too_long(LONGEST));
    }
    let seat = wanted.seat.as_deref().map_or(Ok(Wanted::Any), str::parse)?;
    let until = Instant::now() + Duration::from_secs(wait);
    let mut given = wanted.token;
    let mut is_new = given.is_none();
    let mut is_first = true;
    tokio::pin!(cancelled);
    loop {
        let (now, own, name) = (world.at_this_moment(), given.clone(), name.clone());
        let tokens = Arc::clone(held);
        let look = blocking(move || look(&now, &tokens, own.as_deref(), seat, &name, is_first)).await??;
        is_first = false;
        is_new = is_new || look.ticket.as_ref().map(token) != given;
        // The client was told of its token before.
        is_new &= !look.ticket.as_ref().is_some_and(|ticket| held.of(&look.id).contains(ticket));
        given = look.ticket.as_ref().map(token);
        let is_over = look.is_final || Instant::now() >= until;
        if is_over || wait_for_change(world, &look, until, &mut cancelled).await {
            if !is_over
                && is_new
                && let Some(ticket) = look.ticket.clone()
            {
                // Nobody is told of its token.
                let now = world.at_this_moment();
                let _ =
                    blocking(move || Engine::new(&now).leave_task(&ticket, messages::mcp::CALL_WAS_CANCELLED)).await;
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
    let asks = until.min(Instant::now() + ASKS);
    while Instant::now() < asks {
        tokio::select! {
            () = &mut *cancelled => return true,
            () = sleep(LOOKS) => {}
        }
        if Engine::new(world).task_signature(&look.id) != look.signature {
            break;
        }
    }
    false
}

/// One look, which claims what there is.
fn look(world: &World, tokens: &Held, given: Option<&str>, seat: Wanted, name: &str, is_first: bool) -> Result<Look> {
    let engine = Engine::new(world);
    let board = found(None, engine.tasks(None))?;
    let id = board.debate.id.clone();
    let signature = engine.task_signature(&id);
    let answer_of = |state, next| Claimed { state, next, task: None, token: None, waits_for: None, prompt: None };
    let done = |answer| Look { id: id.clone(), answer, ticket: None, is_final: true, signature: signature.clone() };
    if !board.debate.progress.status.is_unfinished() {
        let is_complete = board.debate.progress.status == Status::Completed;
        return Ok(done(answer_of(ClaimState::Over, messages::mcp::over(is_complete))));
    }
    let held = given.map(|given| ticket(given, &id).ok_or_else(messages::mcp::no_token)).transpose()?;
    if let Some(held) = held.as_ref().filter(|held| !engine.still_holds(held)) {
        return Err(messages::mcp::token_is_over(&held.task));
    }
    if held.is_none() {
        seat.check(&board.debate)?;
    }
    if is_first && held.is_none() {
        locks::check(world, &board.project)?;
    }
    let next = next_task(&engine, &worker(&id, name, seat), held.as_ref(), None).map_err(failed)?;
    // As it is after the claim: that is no change.
    let signature = engine.task_signature(&id);
    let own = |ticket: Ticket, answer: Claimed, is_final: bool| Look {
        id: id.clone(),
        answer: Claimed { task: Some(ticket.task.clone()), token: Some(token(&ticket)), ..answer },
        ticket: Some(ticket),
        is_final,
        signature: signature.clone(),
    };
    Ok(match next {
        NextTask::Work(ticket, request) => {
            let answer = answer_of(ClaimState::Write, messages::mcp::to_write());
            own(ticket, Claimed { prompt: Some(request.prompt), ..answer }, true)
        }
        NextTask::Holds(ticket, why) => {
            let _ = engine.sign_of_life(&ticket);
            let (is_final, next) = match &why {
                Waiting::Rests(_) => (true, messages::mcp::waits(&why)),
                _ => (false, messages::mcp::held()),
            };
            let answer = answer_of(ClaimState::Held, next);
            own(ticket, Claimed { waits_for: Some(messages::worker_waits(&why)), ..answer }, is_final)
        }
        NextTask::Waits(_) if let Some(token) = lost_token(&engine, tokens, given, seat) => {
            return look(world, tokens, Some(&token), seat, name, false);
        }
        NextTask::Waits(why) => {
            let is_final = matches!(why, Waiting::Rests(_) | Waiting::NothingLeft);
            let state = if why == Waiting::NothingLeft { ClaimState::Nothing } else { ClaimState::Wait };
            let answer = answer_of(state, messages::mcp::waits(&why));
            let answer = Claimed { waits_for: Some(messages::worker_waits(&why)), ..answer };
            Look { id: id.clone(), answer, ticket: None, is_final, signature }
        }
        NextTask::Over(debate) => {
            let is_complete = debate.is_some_and(|debate| debate.progress.status == Status::Completed);
            done(answer_of(ClaimState::Over, messages::mcp::over(is_complete)))
        }
    })
}

/// The token of a task of this seat that this server holds, where the client does not say it: a model forgets.
fn lost_token(engine: &Engine<'_>, held: &Held, given: Option<&str>, seat: Wanted) -> Option<String> {
    let board = engine.tasks(None).ok().filter(|_| given.is_none())?;
    let is_of_seat = |ticket: &Ticket| {
        board.tasks.iter().any(|task| task.id == ticket.task && seat.takes(task.place)) && engine.still_holds(ticket)
    };
    held.of(&board.debate.id).iter().find(|ticket| is_of_seat(ticket)).map(token)
}
