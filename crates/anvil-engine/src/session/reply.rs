//! A conversation's reply: the Stop of its turn saves it and requests the next phase.

use crate::filing::{
    Interpretation, cut_off, give_steering, in_order, not_usable, read_for_phase,
    reply_to_put_aside, turn_of_reply,
};
use crate::ownership::{HeldDebate, OwnedTurn, lock_any, lock_owned, remember_agents};
use crate::reports::Completed;
use crate::tasks::{has_due, save_due};
use crate::{Aside, Context, LOCK_WAIT, SAME_STOP, Session, Skipped, Stopped};
use anvil_core::debate::{
    Continuation, DEFAULT_CAP, Debate, PlainReason, Status, StopReason, continuation,
};
use anvil_core::ledger::Ledger;
use anvil_core::place::Place;
use anvil_core::reply::{CutTurn, Reply};
use anvil_core::transcript;
use anvil_prompt::prompt::{self, Ask, Cue, Read, Why};
use anvil_store::{StateFile, Store};
use anvil_text::error::Result;

/// What the end of a turn did to its debate.
#[derive(Debug)]
pub enum TurnEnd {
    /// Claude goes on with this request: for the next phase, or for the same reply once more.
    GoesOn(Box<Cue>),
    /// The debate is paused, and its status says why.
    Paused(Box<Debate>),
    /// The reply is saved, and the debate waits for the user, as its options require.
    Waits {
        /// The debate at its new place.
        debate: Box<Debate>,
        /// The place of the reply.
        place: Place,
    },
    /// The phase has no retry left, and the debate has failed.
    Failed(Box<Debate>),
    /// The reply is the synthesis.
    Completed(Box<Completed>),
}

impl OwnedTurn<'_> {
    /// Saves the model's reply, moves the debate on and says what comes next. `None`: the model
    /// waits for agents that it started; the client will wake it.
    pub fn record(self, reply: Option<Reply>) -> Result<TurnEnd, Stopped> {
        let Self { context, session, mut store, debate } = self;
        if is_of_another_turn(&debate, session) {
            return end_another_turn(context, &mut store, session);
        }
        let Some(reply) = reply else {
            remember_agents(context, session, Some(debate.updated_at()));
            return Err(Skipped::AgentsRunning.into());
        };
        let held = match lock_owned(context, &mut store, session) {
            Ok(held) => held,
            Err(stopped) => {
                if matches!(stopped, Stopped::Skipped(_)) {
                    put_aside_if_over(context, &mut store, session, reply)?;
                }
                return Err(stopped);
            }
        };
        let comes_again = context.is_within(SAME_STOP, reply.phase_began)
            && (reply.is_echo_of(transcript::last_text(&held.state.body).as_deref())
                || held.is_aside(&reply.whole().0)
                || held.is_aside(&in_order(reply.clone(), &held.state).whole().0));
        if comes_again || held.is_for_earlier_phase(reply.phase_began) {
            return Err(Skipped::Redelivered.into());
        }
        let reply = in_order(reply, &held.state);
        Ok(save_and_go_on(held, session, &reply)?)
    }
}

/// Saves the reply to the phase that waits, and requests the next one.
fn save_and_go_on(mut held: HeldDebate<'_>, session: &Session, reply: &Reply) -> Result<TurnEnd> {
    let now = held.context.world.now;
    let (is_moved, asks_anew) =
        held.repair.as_ref().map_or((false, false), |repair| (repair.moved, repair.asks_anew));
    if is_moved {
        // The file was edited while Claude wrote, and another phase waits now.
        held.put_aside(&reply.whole().0, Some(Aside::OtherPhase))?;
        let turn = turn_of_reply(&held.state.debate, reply, now);
        held.turn = Some(not_usable(turn, reply, &Why::Edited));
        held.state.debate.touch(now);
        let read = read_for_phase(&held.state);
        return request_again(held, reply, Why::Edited, Some(read));
    }
    held.put_aside(&reply_to_put_aside(&held.state, reply), None)?;
    let Some(interpretation) = held.interpret_turn(reply) else {
        held.put_aside(&reply.whole().0, None)?;
        let held = held.pause(PlainReason::ReadFailed)?;
        return Ok(TurnEnd::Paused(Box::new(held.into_debate())));
    };
    match interpretation {
        Interpretation::Next { place, ledger, .. } => {
            if held.rest_after(place, true) {
                let debate = Box::new(held.commit()?.into_debate());
                return Ok(TurnEnd::Waits { debate, place });
            }
            let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&held.state)));
            request_next(held, reply, ledger, asks_anew)
        }
        Interpretation::Block { ledger, .. } => request_next(held, reply, ledger, false),
        Interpretation::Synthesis { ledger, .. } => {
            let (held, completed) = held.complete(*ledger, Some(session))?;
            Ok(TurnEnd::Completed(held.write_reports(completed)))
        }
        Interpretation::Again(why, text) => {
            held.put_aside(&text, None)?;
            let read = held.state.debate.must_read().then(|| read_for_phase(&held.state));
            request_again(held, reply, why, read)
        }
        Interpretation::NoMore(_) => Ok(TurnEnd::Failed(Box::new(held.commit()?.into_debate()))),
    }
}

/// Requests the next phase. First saves the replies that are kept for it.
fn request_next(
    mut held: HeldDebate<'_>,
    reply: &Reply,
    mut ledger: Box<Ledger>,
    asks_anew: bool,
) -> Result<TurnEnd> {
    let title = asks_anew.then(|| Read::Few(held.state.line_of_title()));
    let why = if asks_anew { Why::Edited } else { Why::Turn };
    if has_due(&held) {
        let (saved, completed) = save_due(held.commit()?)?;
        if let Some(completed) = completed {
            return Ok(TurnEnd::Completed(saved.write_reports(completed)));
        }
        if !saved.state.debate.is_active() {
            return Ok(TurnEnd::Paused(Box::new(saved.into_debate())));
        }
        held = saved;
        *ledger = ledger_of(&held.state);
    }
    let cue = held.go_on(reply, why, title, &ledger);
    let held = held.commit()?;
    Ok(cue.map_or_else(|| TurnEnd::Paused(Box::new(held.into_debate())), TurnEnd::GoesOn))
}

/// Requests the same phase once more.
fn request_again(
    mut held: HeldDebate<'_>,
    reply: &Reply,
    why: Why,
    read: Option<Read>,
) -> Result<TurnEnd> {
    let ledger = ledger_of(&held.state);
    let cue = held.go_on(reply, why, read, &ledger);
    let held = held.commit()?;
    Ok(cue.map_or_else(|| TurnEnd::Paused(Box::new(held.into_debate())), TurnEnd::GoesOn))
}

impl HeldDebate<'_> {
    /// Counts one more continuation and composes its cue. `None`: the debate paused instead, with
    /// the reason.
    fn go_on(
        &mut self,
        reply: &Reply,
        why: Why,
        read: Option<Read>,
        ledger: &Ledger,
    ) -> Option<Box<Cue>> {
        let Self { context, transaction, state, .. } = self;
        let world = context.world;
        let cap = world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.place());
        let count = debate.continuations();
        let pause = match continuation(count, reply.used_tool, left, cap) {
            // A debate that was stopped in its file says so.
            _ if debate.pause_requested() => {
                debate.stop_reason().cloned().unwrap_or(PlainReason::Typed.into())
            }
            Continuation::GoOn { count, ask_for_tool } => {
                debate.count_continuations(count);
                // A Read that only resets the client's count is optional: without it the debate
                // pauses at the cap.
                debate.require_read(read.is_some_and(|read| read != Read::Nothing));
                let read = match read {
                    Some(read) => read,
                    None if ask_for_tool => Read::Few(state.line_of_round(1).unwrap_or(1)),
                    None => Read::Nothing,
                };
                let steering = give_steering(state, world.now);
                let ask = Ask { why, read, steering: steering.as_deref(), ledger };
                let state_file = transaction.project().state_file();
                return Some(Box::new(prompt::cue(&state.debate, &state_file, &ask)));
            }
            Continuation::AtCap => StopReason::ContinuationCap(cap),
        };
        debate.pause(pause, world.now);
        None
    }
}

/// Puts the reply aside if an edit completed the debate while Claude wrote.
fn put_aside_if_over(
    context: &Context<'_>,
    store: &mut Store,
    session: &Session,
    reply: Reply,
) -> Result<()> {
    let held = lock_any(context, store, LOCK_WAIT)?.filter(|held| held.repair.is_some());
    let Some(mut held) = held else { return Ok(()) };
    let debate = &held.state.debate;
    if debate.is_owned_by(&session.id) && debate.status() == Status::Completed {
        let reply = reply.in_order(|| transcript::last_text(&held.state.body)).whole().0;
        held.put_aside(&reply, Some(Aside::AfterTheEnd))?;
        held.commit()?;
    }
    Ok(())
}

/// Pauses the debate after the end of a turn that is not its own. The client cut the debate's turn
/// off and ran a message that the user had queued. Esc and API errors end a turn
/// without a Stop. No text of the other turn belongs to the debate.
fn end_another_turn(
    context: &Context<'_>,
    store: &mut Store,
    session: &Session,
) -> Result<TurnEnd, Stopped> {
    let mut held = lock_owned(context, store, session)?;
    if !is_of_another_turn(&held.state.debate, session) {
        return Err(Skipped::Redelivered.into());
    }
    let debate = &held.state.debate;
    let cut = CutTurn { phase_began: debate.updated_at(), ..CutTurn::default() };
    let turn = cut_off(debate, cut, context.world.now);
    held.turn = Some(turn);
    let held = held.pause(PlainReason::Typed)?;
    Ok(TurnEnd::Paused(Box::new(held.into_debate())))
}

fn ledger_of(state: &StateFile) -> Ledger {
    Ledger::of_entries(&transcript::parse(&state.body), &state.debate.alternatives())
}

/// True if both turns have an id and the ids differ.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.prompt_id().is_some()
        && session.prompt_id.is_some()
        && debate.prompt_id() != session.prompt_id.as_deref()
}
