//! Saves a reply: what a turn's Stop does to the debate that runs in the turn.

use crate::domain::debate::{
    Continuation, DEFAULT_CAP, Debate, Slot, Status, Stop, continuation, stop_after,
};
use crate::domain::ledger::Ledger;
use crate::domain::reply::{CutTurn, Reply, TurnOutput};
use crate::domain::transcript::{self, Entries};
use crate::engine::filing::{
    Filed, answered, beside_block, cut_off, give_steering, in_order, is_for_an_earlier_phase,
    not_usable, question_of_newest, read_for_phase, why_at,
};
use crate::engine::ownership::{HeldDebate, Turn, lock_any, lock_own, remember_agents};
use crate::engine::reports::{Completed, Reports};
use crate::engine::session::pause::YOU_TYPED;
use crate::engine::tasks::{file_due, has_due};
use crate::engine::{Aside, Context, LOCK_WAIT, Note, SAME_STOP, Session, Skipped, Stopped};
use crate::error::Result;
use crate::seats::prompt::{self, Ask, Cue, Read, Why};
use crate::storage::{AttemptRecord, StateFile, Store};

/// The effect of a turn's end, for the conversation.
#[derive(Debug)]
pub enum TurnOutcome {
    /// An API error ended the turn. The debate stays at its place.
    ApiError(Debate),
    /// The reply is saved, and the next phase is requested.
    Advanced {
        /// The text for Claude.
        cue: Cue,
    },
    /// The reply can't be used, and the same phase is requested again.
    AskedAgain(Cue),
    /// The debate paused, and the turn ends.
    Paused(Debate),
    /// A round is complete. The turn ends, and the user steers what comes next.
    Awaits {
        /// The debate at its new place.
        debate: Debate,
        /// The place of the last saved reply.
        filed: Slot,
        /// Every reply so far.
        transcript: Entries,
    },
    /// A boundary: the turn ends, and the debate can go on in a fresh conversation.
    Boundary {
        /// The debate at its new place.
        debate: Debate,
        /// The place of the last saved reply.
        filed: Slot,
        /// The round settled the argument, so the synthesis comes next, before the last round.
        is_settled: bool,
    },
    /// The phase had its last try. The turn ends.
    Failed(Debate),
    /// The synthesis is saved.
    Completed(Box<Completed>),
}

impl Turn<'_> {
    /// Saves the model's reply, moves the debate on and says what comes next.
    pub fn record(self, output: TurnOutput) -> Result<TurnOutcome, Stopped> {
        let Self { context, session, mut store, debate } = self;
        if is_of_another_turn(&debate, session) {
            return end_another_turn(context, &mut store, session);
        }
        let reply = match output {
            TurnOutput::Reply(reply) => reply,
            TurnOutput::Cut(cut) => {
                let turn = cut_off(&debate, cut, context.world.now);
                AttemptRecord::new(&store, &debate.id).note_turn(turn);
                return Ok(TurnOutcome::ApiError(debate));
            }
            TurnOutput::AgentsRunning => {
                remember_agents(context, session, Some(debate.progress.updated_at));
                return Err(Skipped::AgentsRunning.into());
            }
        };
        let held = match lock_own(context, &mut store, session) {
            Ok(held) => held,
            Err(stopped) => {
                if matches!(stopped, Stopped::Skipped(_)) {
                    keep_aside_if_over(context, &mut store, session, reply)?;
                }
                return Err(stopped);
            }
        };
        let last = || transcript::last_text(&held.state.body);
        let is_echo = || {
            reply.is_echo_of(last().as_deref())
                || held.is_aside(&reply.whole().0)
                || held.is_aside(&in_order(reply.clone(), &held.state).whole().0)
        };
        let comes_again = context.is_within(SAME_STOP, reply.phase_began) && is_echo();
        if comes_again
            || is_for_an_earlier_phase(reply.phase_began, &held.state, held.repair.as_ref())
        {
            return Err(Skipped::Redelivered.into());
        }
        let reply = in_order(reply, &held.state);
        Ok(match (Answered { held, session, reply }).file_and_go_on()? {
            TurnOutcome::Completed(completed) => {
                TurnOutcome::Completed(Reports::new(context).with_reports(&mut store, completed))
            }
            other => other,
        })
    }
}

/// A reply of a conversation, under the lock of its debate.
struct Answered<'a> {
    held: HeldDebate<'a>,
    session: &'a Session,
    reply: Reply,
}

impl Answered<'_> {
    /// Saves the reply to the phase that waits, and requests the next one.
    fn file_and_go_on(mut self) -> Result<TurnOutcome> {
        let Self { held, reply, session } = &mut self;
        let repair = held.repair.take().unwrap_or_default();
        if repair.moved {
            // The file was edited while Claude wrote, and another phase waits now.
            held.keep_aside(&reply.whole().0, Some(Aside::OtherPhase))?;
            let turn = answered(&held.state.debate, reply, held.context.world.now);
            held.turn.set(Some(not_usable(turn, reply, &Why::Edited)));
            held.state.debate.touch(held.context.world.now);
            let read = read_for_phase(&held.state);
            return self.ask_again(Why::Edited, Some(read));
        }
        held.keep_aside(&beside_block(&held.state, reply), None)?;
        match held.file_noted(reply) {
            Filed::Block { .. } => {
                let ledger = Box::new(ledger_of(&held.state));
                self.request_next(ledger, false)
            }
            Filed::Next { slot, is_settled, ledger, .. } => {
                let debate = &held.state.debate;
                let question = question_of_newest(&held.state);
                let stop = stop_after(slot, question.is_some(), debate)
                    .filter(|_| !debate.pause_requested());
                // At a stop for the user the whole screen is about it.
                if let Some(question) = question.filter(|_| stop != Some(Stop::Steering)) {
                    held.context.add_note(Note::Asked { slot, question });
                }
                if let Some(stop) = stop {
                    return self.stop(stop, slot, is_settled);
                }
                let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&held.state)));
                self.request_next(ledger, repair.asks_anew)
            }
            Filed::Again(why, text) => {
                held.keep_aside(&text, None)?;
                let must_read = held.state.debate.ownership.must_read;
                let read = must_read.then(|| read_for_phase(&held.state));
                self.ask_again(why, read)
            }
            Filed::Unreadable => {
                held.keep_aside(&reply.whole().0, None)?;
                held.pause("Claude Code refused the Read of the debate's file, or it failed")?;
                Ok(TurnOutcome::Paused(self.held.state.debate))
            }
            Filed::Synthesis(text, ledger) => {
                held.complete(&text, *ledger, Some(session)).map(TurnOutcome::Completed)
            }
            Filed::NoMore(_) => {
                held.commit()?;
                Ok(TurnOutcome::Failed(self.held.state.debate))
            }
        }
    }

    /// Requests the next phase. Files the replies first that are kept for it.
    fn request_next(mut self, mut ledger: Box<Ledger>, asks_anew: bool) -> Result<TurnOutcome> {
        let held = &mut self.held;
        let title = asks_anew.then(|| Read::Few(held.state.line_of_title()));
        let why = if asks_anew { Why::Edited } else { Why::Turn };
        if has_due(held) {
            held.commit()?;
            if let Some(completed) = file_due(held)? {
                return Ok(TurnOutcome::Completed(completed));
            }
            if !held.state.debate.is_active() {
                return Ok(TurnOutcome::Paused(self.held.state.debate));
            }
            *ledger = ledger_of(&held.state);
        }
        let cue = self.go_on(why, title, &ledger);
        self.held.commit()?;
        Ok(match cue {
            Some(cue) => TurnOutcome::Advanced { cue },
            None => TurnOutcome::Paused(self.held.state.debate),
        })
    }

    /// Requests the same phase once more.
    fn ask_again(mut self, why: Why, read: Option<Read>) -> Result<TurnOutcome> {
        let ledger = ledger_of(&self.held.state);
        let cue = self.go_on(why, read, &ledger);
        self.held.commit()?;
        Ok(cue.map_or_else(|| TurnOutcome::Paused(self.held.state.debate), TurnOutcome::AskedAgain))
    }

    /// Ends the turn between two phases. The reply is saved, and the outcome names what the user
    /// can do.
    fn stop(mut self, stop: Stop, filed: Slot, is_settled: bool) -> Result<TurnOutcome> {
        let debate = &mut self.held.state.debate;
        debate.pause(why_at(stop), self.held.context.world.now);
        if stop == Stop::Steering {
            debate.await_direction();
        }
        self.held.commit()?;
        let StateFile { debate, body, .. } = self.held.state;
        Ok(match stop {
            Stop::Steering => {
                TurnOutcome::Awaits { debate, filed, transcript: transcript::parse(&body) }
            }
            Stop::Boundary => TurnOutcome::Boundary { debate, filed, is_settled },
        })
    }

    /// Counts one more continuation and composes its cue. `None`: the debate paused instead, with
    /// the reason.
    fn go_on(&mut self, why: Why, read: Option<Read>, ledger: &Ledger) -> Option<Cue> {
        let HeldDebate { context, locked, state, .. } = &mut self.held;
        let world = context.world;
        let cap = world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.progress.slot);
        let count = debate.ownership.continuations;
        let pause = match continuation(count, self.reply.used_tool, left, cap) {
            _ if debate.pause_requested() => YOU_TYPED.to_owned(),
            Continuation::GoOn { count, ask_for_tool } => {
                debate.count_continuations(count);
                // A Read that only resets the client's count is optional: without it the debate
                // pauses at the cap.
                debate.require_read(read.is_some_and(|read| read != Read::Nothing));
                let near_cap =
                    || ask_for_tool.then(|| Read::Few(state.line_of_round(1).unwrap_or(1)));
                let read = read.or_else(near_cap).unwrap_or(Read::Nothing);
                let steering = give_steering(state, world.now);
                let ask = Ask { why, read, steering: steering.as_deref(), ledger };
                let state_file = locked.project().state_file();
                return Some(prompt::cue(&state.debate, &state_file, &ask));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(pause, world.now);
        None
    }
}

/// Puts the reply aside if an edit completed the debate while Claude wrote.
fn keep_aside_if_over(
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
    if debate.is_owned_by(&session.id) && debate.progress.status == Status::Completed {
        let reply = reply.in_order(|| transcript::last_text(&held.state.body)).whole().0;
        held.keep_aside(&reply, Some(Aside::AfterTheEnd))?;
        held.commit()?;
    }
    Ok(())
}

/// Pauses the debate after the end of a turn that is not its own. The client cut the debate's turn
/// off and ran a message that the user had queued. On 2.1.329, Esc and API errors end a turn
/// without a Stop. No text of the other turn belongs to the debate.
fn end_another_turn(
    context: &Context<'_>,
    store: &mut Store,
    session: &Session,
) -> Result<TurnOutcome, Stopped> {
    let mut held = lock_own(context, store, session)?;
    if !is_of_another_turn(&held.state.debate, session) {
        return Err(Skipped::Redelivered.into());
    }
    let debate = &held.state.debate;
    let cut = CutTurn { phase_began: debate.progress.updated_at, ..CutTurn::default() };
    let turn = cut_off(debate, cut, context.world.now);
    held.turn.set(Some(turn));
    held.pause(YOU_TYPED)?;
    Ok(TurnOutcome::Paused(held.state.debate))
}

fn ledger_of(state: &StateFile) -> Ledger {
    Ledger::of_entries(&transcript::parse(&state.body), &state.debate.alternatives())
}

/// True if both turns have an id (2.1.200 and later) and the ids differ.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.ownership.prompt_id.is_some()
        && session.prompt_id.is_some()
        && debate.ownership.prompt_id != session.prompt_id
}
