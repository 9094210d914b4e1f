//! Files a reply in its debate, under the lock.

use super::reading::{Reading, reading};
use super::reply::{Interpretation, interpret, lacks_file, ledger_with, reply_to_put_aside};
use super::steering::question_of_newest;
use super::turns::{not_usable, turn_of_reply, with_effect};
use crate::ownership::HeldDebate;
use crate::programs::reply_of;
use crate::reports::Completed;
use crate::{Note, Session, reviews};
use anvil_core::debate::{Debate, PlainReason, stops_after};
use anvil_core::ledger::Ledger;
use anvil_core::place::Place;
use anvil_core::reply::{Reply, WrittenReply};
use anvil_core::transcript;
use anvil_prompt::prompt::{Why, wrong_in_block};
use anvil_store::StateFile;
use anvil_text::error::Result;

/// Longest list of what is wrong with a block, in UTF-16 units.
const MAX_WRONG: usize = 300;

/// What the reply of a seat with a prompt of its own did to the debate.
#[derive(Debug)]
pub enum Filed {
    /// The reply is saved, and another phase is next.
    Saved {
        /// Its round has settled the argument.
        is_settled: bool,
    },
    /// The reply is saved. Its block has to be written again, because of these faults.
    BlockAgain(String),
    /// The reply is not usable, for this reason; the same phase waits.
    Again(Why),
    /// The reply is saved, and the debate waits for the user, as its options require.
    Waits(Box<Debate>),
    /// The phase has no retry left, and the debate has failed.
    Failed(Box<Debate>),
    /// The reply is the synthesis.
    Completed(Box<Completed>),
}

/// Files the reply to the next place, and commits it. The reports of a complete debate are written
/// when the lock is free: [`HeldDebate::write_reports`]. `session`: that of the programs that argue
/// the debate.
pub(crate) fn file_reply<'s>(
    mut held: HeldDebate<'s>,
    written: WrittenReply<'_>,
    session: Option<&Session>,
) -> Result<(HeldDebate<'s>, Filed)> {
    let reply = reply_of(&held.state, written);
    held.put_aside(&reply_to_put_aside(&held.state, &reply), None)?;
    let label = held.state.debate.place_label();
    let interpretation = held.interpret(&reply, Reading::Done);
    if let Some(limit) = written.limit.filter(|_| interpretation.is_form_accepted()) {
        held.context.add_note(Note::NotRepeated { place: label, limit });
    }
    let filed = match interpretation {
        Interpretation::Next { place, is_settled, .. } => {
            if held.rest_after(place, false) {
                Filed::Waits(Box::new(held.state.debate.clone()))
            } else {
                Filed::Saved { is_settled }
            }
        }
        Interpretation::Block { ledger, .. } => {
            let place = held.state.debate.place_label();
            let why = wrong_in_block(&ledger, MAX_WRONG);
            held.context.add_note(Note::BlockAgain { place, why: why.clone() });
            Filed::BlockAgain(why)
        }
        Interpretation::Synthesis { ledger, .. } => {
            let (held, completed) = held.complete(*ledger, session)?;
            return Ok((held, Filed::Completed(completed)));
        }
        Interpretation::Again(why, text) => {
            held.put_aside(&text, None)?;
            Filed::Again(why)
        }
        Interpretation::NoMore(_) => Filed::Failed(Box::new(held.state.debate.clone())),
    };
    Ok((held.commit()?, filed))
}

/// The faults of the block that has to be written again.
pub(crate) fn wrong_block(state: &StateFile) -> String {
    let entries = transcript::parse(&state.body);
    let judgment = entries.originals().last().filter(|_| state.debate.judge().is_some());
    // A judgment is a note, so the ledger has its faults only if it is read as the synthesis.
    let ledger = match judgment {
        Some(judgment) => ledger_with(state, &judgment.text),
        None => Ledger::of_entries(&entries, &state.debate.alternatives()),
    };
    wrong_in_block(&ledger, MAX_WRONG)
}

impl HeldDebate<'_> {
    /// Applies a reply to the state, and notes which of the words that it cites are there.
    fn interpret(&mut self, reply: &Reply, reading: Reading) -> Interpretation {
        let now = self.context.world.now;
        let mut interpretation = interpret(&mut self.state, reply, reading, now);
        self.look_for_cited_words(&mut interpretation);
        interpretation
    }

    /// Applies a reply of a conversation to the state. Its turn ends with the next commit. `None`:
    /// Claude wrote it without the debate's file, because its Read failed. Notes a missing
    /// beginning, even if the state can't be written afterwards.
    pub(crate) fn interpret_turn(&mut self, reply: &Reply) -> Option<Interpretation> {
        let reading = reading(reply, self.transaction.project());
        let turn = turn_of_reply(&self.state.debate, reply, self.context.world.now);
        if lacks_file(&self.state, reply, reading) {
            self.turn = Some(not_usable(turn, reply, &Why::Unread));
            return None;
        }
        let interpretation = self.interpret(reply, reading);
        self.turn = Some(with_effect(turn, reply, &interpretation));
        if interpretation.is_saved() && reply.beginning_missing {
            self.context.add_note(Note::BeginningMissing);
        }
        Some(interpretation)
    }

    /// Notes a question of the reply at this place, and pauses where the debate's options require
    /// it. True if it does.
    pub(crate) fn rest_after(&mut self, place: Place, is_conversation: bool) -> bool {
        let question = question_of_newest(&self.state);
        let debate = &mut self.state.debate;
        let stops = stops_after(place, question.is_some(), debate)
            && place.seat.judge().is_none()
            && !debate.pause_requested();
        // At such a stop the whole screen of the conversation is about the question.
        let awaits_direction = is_conversation && stops;
        if let Some(question) = question.filter(|_| !awaits_direction) {
            self.context.add_note(Note::Asked { place: place.in_schedule(), question });
        }
        if stops {
            debate.pause(PlainReason::AwaitsDirection, self.context.world.now);
        }
        if awaits_direction {
            debate.await_direction();
        }
        stops
    }

    /// Frees the lock, and writes the reports of a debate that this reply completed.
    pub(crate) fn write_reports_of(self, filed: Filed) -> Filed {
        match filed {
            Filed::Completed(completed) => Filed::Completed(self.write_reports(completed)),
            other => other,
        }
    }

    /// Commits a debate with its new synthesis. `session`: that of the conversation or the programs
    /// that argued it.
    pub(crate) fn complete(
        mut self,
        ledger: Ledger,
        session: Option<&Session>,
    ) -> Result<(Self, Box<Completed>)> {
        // The reports may not take the space that the state needs. If this process dies in between,
        // they are due.
        reviews::note_review(self.context, &self.state.debate, &ledger.standing());
        self.transaction.note_reports_due(&self.state.debate.id);
        let held = self.commit()?;
        if let Some(session) = session {
            held.context.machine.forget(&session.id);
        }
        let completed = Completed::from_state(&held.state, held.transaction.store(), ledger);
        Ok((held, Box::new(completed)))
    }
}
