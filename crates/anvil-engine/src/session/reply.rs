//! A conversation's reply: the Stop of its turn saves it and requests the next phase.

use crate::filing::{
    ReplyOutcome, Writer, answered, apply_reply, cut_off, give_steering, in_order, not_usable,
    read_for_phase,
};
use crate::ownership::{HeldDebate, OwnedTurn, lock_any, lock_owned, remember_agents};
use crate::tasks::{has_due, save_due};
use crate::{Aside, Context, LOCK_WAIT, SAME_STOP, Session, Skipped, Stopped, reports};
use anvil_core::debate::{
    Continuation, DEFAULT_CAP, Debate, PlainReason, Status, StopReason, continuation,
};
use anvil_core::ledger::Ledger;
use anvil_core::reply::{CutTurn, Reply};
use anvil_core::transcript;
use anvil_prompt::prompt::{self, Ask, Cue, Read, Why};
use anvil_store::{StateFile, Store};
use anvil_text::error::Result;

impl OwnedTurn<'_> {
    /// Saves the model's reply, moves the debate on and says what comes next. `None`: the model
    /// waits for agents that it started; the client will wake it.
    pub fn record(self, reply: Option<Reply>) -> Result<ReplyOutcome, Stopped> {
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
        Ok(match (ConversationReply { held, session, reply }).save_and_go_on()? {
            ReplyOutcome::Completed(completed) => {
                ReplyOutcome::Completed(reports::with_reports(context, &mut store, completed))
            }
            other => other,
        })
    }
}

/// A reply of a conversation, under the lock of its debate.
struct ConversationReply<'a> {
    held: HeldDebate<'a>,
    session: &'a Session,
    reply: Reply,
}

impl ConversationReply<'_> {
    /// Saves the reply to the phase that waits, and requests the next one.
    fn save_and_go_on(mut self) -> Result<ReplyOutcome> {
        let Self { held, reply, session } = &mut self;
        let repair = held.repair.take().unwrap_or_default();
        if repair.moved {
            // The file was edited while Claude wrote, and another phase waits now.
            held.put_aside(&reply.whole().0, Some(Aside::OtherPhase))?;
            let turn = answered(&held.state.debate, reply, held.context.world.now);
            held.turn.set(Some(not_usable(turn, reply, &Why::Edited)));
            held.state.debate.touch(held.context.world.now);
            let read = read_for_phase(&held.state);
            return self.ask_again(Why::Edited, Some(read));
        }
        match apply_reply(held, reply, Writer::Conversation(session))? {
            ReplyOutcome::Saved { is_settled, ledger, .. } => {
                let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&held.state)));
                self.request_next(ledger, repair.asks_anew, |cue| ReplyOutcome::Saved {
                    is_settled,
                    ledger: None,
                    cue,
                })
            }
            ReplyOutcome::BlockAgain { wrong, .. } => {
                let ledger = Box::new(ledger_of(&held.state));
                self.request_next(ledger, false, |cue| ReplyOutcome::BlockAgain { wrong, cue })
            }
            ReplyOutcome::Again { why, .. } => {
                let must_read = held.state.debate.must_read();
                let read = must_read.then(|| read_for_phase(&held.state));
                self.ask_again(why, read)
            }
            completed @ ReplyOutcome::Completed(_) => Ok(completed),
            other => {
                held.commit()?;
                Ok(other)
            }
        }
    }

    /// Requests the next phase. First saves the replies that are kept for it.
    fn request_next(
        mut self,
        mut ledger: Box<Ledger>,
        asks_anew: bool,
        outcome: impl FnOnce(Option<Box<Cue>>) -> ReplyOutcome,
    ) -> Result<ReplyOutcome> {
        let held = &mut self.held;
        let title = asks_anew.then(|| Read::Few(held.state.line_of_title()));
        let why = if asks_anew { Why::Edited } else { Why::Turn };
        if has_due(held) {
            held.commit()?;
            if let Some(completed) = save_due(held)? {
                return Ok(ReplyOutcome::Completed(completed));
            }
            if !held.state.debate.is_active() {
                return Ok(self.paused());
            }
            *ledger = ledger_of(&held.state);
        }
        let cue = self.go_on(why, title, &ledger);
        self.held.commit()?;
        Ok(if cue.is_some() { outcome(cue) } else { self.paused() })
    }

    /// Requests the same phase once more.
    fn ask_again(mut self, why: Why, read: Option<Read>) -> Result<ReplyOutcome> {
        let ledger = ledger_of(&self.held.state);
        let cue = self.go_on(why.clone(), read, &ledger);
        self.held.commit()?;
        Ok(if cue.is_some() { ReplyOutcome::Again { why, cue } } else { self.paused() })
    }

    fn paused(self) -> ReplyOutcome {
        ReplyOutcome::Paused(Box::new(self.held.state.debate))
    }

    /// Counts one more continuation and composes its cue. `None`: the debate paused instead, with
    /// the reason.
    fn go_on(&mut self, why: Why, read: Option<Read>, ledger: &Ledger) -> Option<Box<Cue>> {
        let HeldDebate { context, locked, state, .. } = &mut self.held;
        let world = context.world;
        let cap = world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.place());
        let count = debate.continuations();
        let pause = match continuation(count, self.reply.used_tool, left, cap) {
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
                let state_file = locked.project().state_file();
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
    let Some(held) = lock_any(context, store, LOCK_WAIT)?.filter(|held| held.repair.is_some())
    else {
        return Ok(());
    };
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
) -> Result<ReplyOutcome, Stopped> {
    let mut held = lock_owned(context, store, session)?;
    if !is_of_another_turn(&held.state.debate, session) {
        return Err(Skipped::Redelivered.into());
    }
    let debate = &held.state.debate;
    let cut = CutTurn { phase_began: debate.updated_at(), ..CutTurn::default() };
    let turn = cut_off(debate, cut, context.world.now);
    held.turn.set(Some(turn));
    held.pause(PlainReason::Typed)?;
    Ok(ReplyOutcome::Paused(Box::new(held.state.debate)))
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
