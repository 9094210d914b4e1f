//! Recovers a reply that no Stop has saved, from the client's transcript.

use jiff::Timestamp;

use super::reply::Interpretation;
use super::turns::cut_off;
use crate::ownership::{HeldDebate, is_argued_by_programs};
use crate::reports::Completed;
use crate::{Aside, Note, Session};
use anvil_core::attempt::TurnLine;
use anvil_core::ledger::block_of;
use anvil_core::place::Seat;
use anvil_core::reply::{CutTurn, Reply, TurnOutput};
use anvil_core::transcript;
use anvil_prompt::prompt::Why;
use anvil_store::StateFile;
use anvil_text::error::Result;

/// The whole reply. A synthesis ends before a plan for the user's approval: words that close the
/// turn after that are no part of it. A call for approval that came too early, before the block of
/// the synthesis, ends nothing.
pub(crate) fn in_order(reply: Reply, state: &StateFile) -> Reply {
    let reply = reply.in_order(|| transcript::last_text(&state.body));
    match state.debate.place().seat {
        Seat::Synthesizer if is_early(&reply) => Reply { after_plan: None, ..reply },
        Seat::Synthesizer => reply.before_plan(),
        _ => reply,
    }
}

/// True if the block of the synthesis stands after its plan alone.
fn is_early(reply: &Reply) -> bool {
    let after = reply.after_plan.unwrap_or(0).min(reply.texts.len());
    let (before, after) = reply.texts.split_at(reply.texts.len() - after);
    let has_block = |texts: &[String]| texts.iter().any(|text| block_of(text).is_some());
    !has_block(before) && has_block(after)
}

impl HeldDebate<'_> {
    /// True for a reply to a phase that no longer waits. The time of a damaged file may differ
    /// between two reads without a change to the file, so such a file never makes a reply late.
    pub(crate) fn is_for_earlier_phase(&self, phase_began: Timestamp) -> bool {
        !self.repair.as_ref().is_some_and(|repair| repair.damaged)
            && phase_began != self.state.debate.updated_at()
    }

    /// A turn without a reply: another session takes the debate from a conversation that was to
    /// write.
    fn lost_turn(&self, session: &Session) -> Option<TurnLine> {
        let debate = &self.state.debate;
        let owner = debate.session_id();
        let is_lost = owner.is_some_and(|owner| owner != session.id)
            && debate.is_active()
            && !is_argued_by_programs(debate);
        let cut = CutTurn { phase_began: debate.updated_at(), ..CutTurn::default() };
        is_lost.then(|| cut_off(debate, cut, self.context.world.now))
    }

    /// Saves a reply that no Stop could save: the lock was held, the disk was full, or the hook was
    /// killed. The reply is still in the client's transcript. `Some`: it was the synthesis. Of a
    /// turn that was cut off, the next commit notes what it took.
    pub(crate) fn recover_unsaved(
        mut self,
        session: &Session,
        unsaved: Option<TurnOutput>,
    ) -> Result<(Self, Option<Box<Completed>>)> {
        let debate = &self.state.debate;
        let waits = debate.is_active() && debate.is_owned_by(&session.id) && !self.is_edited();
        let unsaved = match unsaved.filter(|_| waits) {
            Some(TurnOutput::Cut(CutTurn { before_plan: Some(reply), .. }))
                if debate.place().seat == Seat::Synthesizer =>
            {
                Some(TurnOutput::Reply(*reply))
            }
            other => other,
        };
        let reply = match unsaved {
            Some(TurnOutput::Reply(reply)) if !self.is_for_earlier_phase(reply.phase_began) => {
                reply
            }
            Some(TurnOutput::Cut(cut)) if !self.is_for_earlier_phase(cut.phase_began) => {
                self.turn = Some(cut_off(debate, cut, self.context.world.now));
                return Ok((self, None));
            }
            Some(TurnOutput::Reply(_) | TurnOutput::Cut(_)) | None => {
                self.turn = self.lost_turn(session);
                return Ok((self, None));
            }
        };
        let reply = in_order(reply, &self.state);
        let before = self.state.clone();
        match self.interpret_turn(&reply) {
            Some(
                Interpretation::Next { place, words: words @ 1.., .. }
                | Interpretation::Block { place, words, .. },
            ) => {
                let held = self.commit()?;
                held.context.add_note(Note::SavedLate { place, words });
                return Ok((held, None));
            }
            Some(Interpretation::Synthesis { ledger, .. }) => {
                let (held, completed) = self.complete(*ledger, Some(session))?;
                return Ok((held, Some(completed)));
            }
            // The seat writes the reply again, as after a Stop.
            Some(Interpretation::Again(Why::Unnumbered(_), text)) => {
                self.put_aside(&text, Some(Aside::OutOfForm))?;
            }
            Some(
                Interpretation::Next { .. } | Interpretation::Again(..) | Interpretation::NoMore(_),
            )
            | None => {
                self.state = before;
            }
        }
        Ok((self, None))
    }
}
