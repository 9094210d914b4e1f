//! Applies a reply to a debate under its lock, for every writer: a conversation, a run, a claim.

use super::reading::reading;
use super::reply::{Interpretation, interpret, interpret_isolated, reply_to_put_aside};
use super::steering::question_of_newest;
use super::turns::{answered, with_outcome};
use crate::ownership::HeldDebate;
use crate::reports::Completed;
use crate::{Note, Session, reviews};
use anvil_core::debate::{Debate, PlainReason, Stop, stop_after};
use anvil_core::ledger::Ledger;
use anvil_core::place::Place;
use anvil_core::reply::Reply;
use anvil_prompt::prompt::{Cue, Why, wrong_in_block};
use anvil_text::error::Result;

/// Longest list of what is wrong with a block, in UTF-16 units.
const MAX_WRONG: usize = 300;

/// The effect of a reply on the debate, for every writer.
#[derive(Debug)]
pub enum ReplyOutcome {
    /// The reply is saved, and another phase is next.
    Saved {
        /// Its round has settled the argument.
        is_settled: bool,
        /// The claims, with those of the reply. `None`: nothing was added.
        ledger: Option<Box<Ledger>>,
        /// The next request, for a conversation.
        cue: Option<Box<Cue>>,
    },
    /// The reply is not usable, for this reason; the same phase waits.
    Again {
        why: Why,
        /// The request once more, for a conversation.
        cue: Option<Box<Cue>>,
    },
    /// The reply is saved. Its block has to be written again.
    BlockAgain {
        /// The faults of the block.
        wrong: String,
        /// The request for it, for a conversation.
        cue: Option<Box<Cue>>,
    },
    /// The reply is saved, and the debate waits for the user, as its options require.
    Waits {
        /// The debate at its new place.
        debate: Box<Debate>,
        /// The place of the reply.
        place: Place,
        stop: Stop,
        /// Its round has settled the argument.
        is_settled: bool,
    },
    /// The debate is paused, and its status says why.
    Paused(Box<Debate>),
    /// The phase has no retry left, and the debate has failed.
    Failed(Box<Debate>),
    /// The reply is the synthesis.
    Completed(Box<Completed>),
    /// The result of a check of facts, a line for each claim. Without a line, the claims stay
    /// unchecked.
    Checked(Vec<String>),
    /// No line of a check can be read; the check has to be written again.
    CheckAgain,
    /// The reply is kept until the replies before it are saved.
    Kept,
    /// The same reply was saved before, with the same claim.
    SavedBefore,
    /// The reply is not usable, for this reason, and its claim has no retry left. The task is free
    /// again.
    GivenUp(String),
    /// The debate has moved on, or another holder has the task. The reply is put aside, once.
    Late,
}

/// The writer of a reply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writer<'a> {
    /// Claude, in the conversation of this session.
    Conversation(&'a Session),
    /// A seat with a prompt of its own. The session is that of the programs that argue the debate.
    Seat(Option<&'a Session>),
}

impl HeldDebate<'_> {
    /// Applies a reply of a conversation to the state. Notes a missing beginning, even if the state
    /// can't be written afterwards.
    pub(crate) fn interpret_and_note(&mut self, reply: &Reply) -> Interpretation {
        let reading = reading(reply, self.locked.project());
        let now = self.context.world.now;
        let turn = answered(&self.state.debate, reply, now);
        let mut interpretation = interpret(&mut self.state, reply, reading, now);
        self.look_for_cited_words(&mut interpretation);
        self.turn.set(Some(with_outcome(turn, reply, &interpretation)));
        let is_saved = matches!(
            interpretation,
            Interpretation::Next { words: 1.., .. }
                | Interpretation::Block { .. }
                | Interpretation::Synthesis(..)
        );
        if is_saved && reply.beginning_missing {
            self.context.add_note(Note::BeginningMissing);
        }
        interpretation
    }

    /// Commits a debate with its new synthesis. `reports::with_reports` writes its reports when the
    /// lock is free again. `session`: that of the conversation or the programs that argued it.
    pub(crate) fn complete(
        &self,
        ledger: Ledger,
        session: Option<&Session>,
    ) -> Result<Box<Completed>> {
        let Self { context, locked, state, .. } = self;
        // The reports may not take the space that the state needs. If this process dies in between,
        // they are due.
        reviews::note_review(context, &state.debate, &ledger.standing());
        locked.note_reports_due(&state.debate.id);
        self.commit()?;
        if let Some(session) = session {
            context.machine.forget(&session.id);
        }
        Ok(Box::new(Completed::from_state(state, locked.store(), ledger)))
    }
}

/// Applies a reply to the debate. Only the end of a debate is written at once; the caller commits
/// everything else, with its own changes.
pub(crate) fn apply_reply(
    held: &mut HeldDebate<'_>,
    reply: &Reply,
    writer: Writer<'_>,
) -> Result<ReplyOutcome> {
    held.put_aside(&reply_to_put_aside(&held.state, reply), None)?;
    let now = held.context.world.now;
    let (interpretation, session) = match writer {
        Writer::Conversation(session) => (held.interpret_and_note(reply), Some(session)),
        Writer::Seat(session) => {
            let mut interpretation = interpret_isolated(&mut held.state, reply, now);
            held.look_for_cited_words(&mut interpretation);
            (interpretation, session)
        }
    };
    let is_conversation = matches!(writer, Writer::Conversation(_));
    Ok(match interpretation {
        Interpretation::Next { place, is_settled, ledger, .. } => {
            let stop = stop(held, place, is_conversation);
            stop.map_or(ReplyOutcome::Saved { is_settled, ledger, cue: None }, |stop| {
                let debate = Box::new(held.state.debate.clone());
                ReplyOutcome::Waits { debate, place, stop, is_settled }
            })
        }
        Interpretation::Block { ledger, .. } => {
            let place = held.state.debate.place_label();
            let wrong = wrong_in_block(&ledger, MAX_WRONG);
            if !is_conversation {
                held.context.add_note(Note::BlockAgain { place, why: wrong.clone() });
            }
            ReplyOutcome::BlockAgain { wrong, cue: None }
        }
        Interpretation::Synthesis(_, ledger) => {
            ReplyOutcome::Completed(held.complete(*ledger, session)?)
        }
        Interpretation::Again(why, text) => {
            held.put_aside(&text, None)?;
            ReplyOutcome::Again { why, cue: None }
        }
        Interpretation::Unreadable if is_conversation => {
            held.put_aside(&reply.whole().0, None)?;
            held.state.debate.pause(PlainReason::ReadFailed, now);
            ReplyOutcome::Paused(Box::new(held.state.debate.clone()))
        }
        Interpretation::NoMore(_) | Interpretation::Unreadable => {
            ReplyOutcome::Failed(Box::new(held.state.debate.clone()))
        }
    })
}

/// Notes a question of the reply, and stops where the debate's options require it.
fn stop(held: &mut HeldDebate<'_>, place: Place, is_conversation: bool) -> Option<Stop> {
    let question = question_of_newest(&held.state);
    let debate = &mut held.state.debate;
    let stop = stop_after(place, question.is_some(), debate)
        .filter(|_| place.seat.judge().is_none() && !debate.pause_requested());
    // At such a stop the whole screen of the conversation is about the question.
    let awaits_direction = is_conversation && stop == Some(Stop::Steering);
    if let Some(question) = question.filter(|_| !awaits_direction) {
        held.context.add_note(Note::Asked { place: place.in_schedule(), question });
    }
    if let Some(stop) = stop {
        debate.pause(why_at(stop), held.context.world.now);
    }
    if awaits_direction {
        debate.await_direction();
    }
    stop
}

/// Why a debate waits between two phases.
fn why_at(stop: Stop) -> PlainReason {
    match stop {
        Stop::Steering => PlainReason::AwaitsDirection,
        Stop::Boundary => PlainReason::Boundary,
    }
}
