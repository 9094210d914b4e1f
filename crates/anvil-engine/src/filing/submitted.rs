//! Saves replies, puts those without a place aside, and completes a debate.

use jiff::Timestamp;

use super::reading::reading;
use super::reply::{Interpretation, file};
use super::turns::{answered, cut_off, with_outcome};
use crate::ownership::{HeldDebate, is_argued_by_programs};
use crate::reports::Completed;
use crate::{Aside, Note, Session, reviews};
use anvil_core::debate::Seat;
use anvil_core::ledger::Ledger;
use anvil_core::reply::{CutTurn, Reply, TurnOutput};
use anvil_core::transcript;
use anvil_prompt::prompt::Why;
use anvil_store::{AsideKind, Repair, StateFile};
use anvil_text::error::Result;

/// The whole reply. A synthesis ends before a plan for the user's approval: words that close the
/// turn after that are no part of it.
pub(crate) fn in_order(reply: Reply, state: &StateFile) -> Reply {
    let reply = reply.in_order(|| transcript::last_text(&state.body));
    match state.debate.progress.place.seat {
        Seat::Synthesizer => reply.before_plan(),
        _ => reply,
    }
}

/// True for a reply to a phase that no longer waits. The time of a damaged file may differ between
/// two reads without a change to the file, so such a file never makes a reply late.
pub(crate) fn is_for_an_earlier_phase(
    phase_began: Timestamp,
    state: &StateFile,
    repair: Option<&Repair>,
) -> bool {
    !repair.is_some_and(|repair| repair.damaged) && phase_began != state.debate.progress.updated_at
}

impl HeldDebate<'_> {
    /// Applies a reply of a conversation to the state. Notes a missing beginning, even if the state
    /// can't be written afterwards.
    pub(crate) fn interpret_and_note(&mut self, reply: &Reply) -> Interpretation {
        let reading = reading(reply, self.locked.project());
        let now = self.context.world.now;
        let turn = answered(&self.state.debate, reply, now);
        let filed = file(&mut self.state, reply, reading, now);
        self.turn.set(Some(with_outcome(turn, reply, &filed)));
        let is_filed = matches!(
            filed,
            Interpretation::Next { words: 1.., .. }
                | Interpretation::Block { .. }
                | Interpretation::Synthesis(..)
        );
        if is_filed && reply.beginning_missing {
            self.context.add_note(Note::BeginningMissing);
        }
        filed
    }

    /// Another session takes the debate while its conversation was to write: that turn brought no
    /// reply.
    fn note_lost_turn(&self, session: &Session) {
        let debate = &self.state.debate;
        let owner = debate.ownership.session_id.as_ref();
        let is_of_other = owner.is_some_and(|owner| *owner != session.id);
        if is_of_other && debate.is_active() && !is_argued_by_programs(debate) {
            let cut = CutTurn { phase_began: debate.progress.updated_at, ..CutTurn::default() };
            self.turn.set(Some(cut_off(debate, cut, self.context.world.now)));
        }
    }

    /// Saves a reply that no Stop could save: the lock was held, the disk was full, or the hook was
    /// killed. The reply is still in the client's transcript. `Some`: it was the synthesis. Of a
    /// turn that was cut off, the next commit notes what it took.
    pub(crate) fn recover_unsaved(
        &mut self,
        session: &Session,
        unsaved: Option<TurnOutput>,
    ) -> Result<Option<Box<Completed>>> {
        let debate = &self.state.debate;
        let waits = debate.is_active() && debate.is_owned_by(&session.id) && !self.is_edited();
        let is_earlier =
            |phase_began| is_for_an_earlier_phase(phase_began, &self.state, self.repair.as_ref());
        let unsaved = match unsaved.filter(|_| waits) {
            Some(TurnOutput::Cut(CutTurn { before_plan: Some(reply), .. }))
                if debate.progress.place.seat == Seat::Synthesizer =>
            {
                Some(TurnOutput::Reply(*reply))
            }
            other => other,
        };
        let reply = match unsaved {
            Some(TurnOutput::Reply(reply)) if !is_earlier(reply.phase_began) => reply,
            Some(TurnOutput::Cut(cut)) if !is_earlier(cut.phase_began) => {
                self.turn.set(Some(cut_off(debate, cut, self.context.world.now)));
                return Ok(None);
            }
            Some(TurnOutput::Reply(_) | TurnOutput::Cut(_) | TurnOutput::AgentsRunning) | None => {
                self.note_lost_turn(session);
                return Ok(None);
            }
        };
        let reply = in_order(reply, &self.state);
        let before = self.state.clone();
        match self.interpret_and_note(&reply) {
            Interpretation::Next { place, words, .. } if words > 0 => {
                self.commit()?;
                self.context.add_note(Note::FiledLate { place, words });
            }
            Interpretation::Block { place, words, .. } => {
                self.commit()?;
                self.context.add_note(Note::FiledLate { place, words });
            }
            Interpretation::Synthesis(text, ledger) => {
                return self.complete(&text, *ledger, Some(session)).map(Some);
            }
            // The seat writes the reply again, as after a Stop.
            Interpretation::Again(Why::Unnumbered(_), text) => {
                self.put_aside(&text, Some(Aside::OutOfForm))?;
            }
            Interpretation::Next { .. }
            | Interpretation::Again(..)
            | Interpretation::Unreadable
            | Interpretation::NoMore(_) => {
                self.state = before;
            }
        }
        Ok(None)
    }

    /// Puts a reply aside that has no place in the transcript. `why`: the reason in the
    /// note; `None` adds no note, because the seat writes the reply again.
    pub(crate) fn put_aside(&self, text: &str, why: Option<Aside>) -> Result<()> {
        if !text.is_empty() {
            let id = &self.state.debate.id;
            let kept = self.locked.put_aside(id, AsideKind::Unfiled, text.as_bytes())?;
            if let Some(why) = why {
                let file = self.locked.project().display(&kept);
                self.context.add_note(Note::KeptAside { why, file });
            }
        }
        Ok(())
    }

    /// Puts a reply without a good token aside.
    pub(crate) fn put_stray_aside(&self, text: &str) -> Result<()> {
        let id = &self.state.debate.id;
        let kept = self.locked.put_stray_aside(id, text.as_bytes())?;
        let file = self.locked.project().display(&kept);
        self.context.add_note(Note::KeptAside { why: Aside::Stray, file });
        Ok(())
    }

    /// True if this reply is put aside, without a place in the transcript.
    pub(crate) fn is_aside(&self, text: &str) -> bool {
        self.locked.store().is_aside(&self.state.debate.id, AsideKind::Unfiled, text.as_bytes())
    }

    /// Commits a debate with its new synthesis. `reports::with_reports` writes its reports when the
    /// lock is free again. `session`: that of the conversation or the programs that argued it.
    pub(crate) fn complete(
        &self,
        synthesis: &str,
        ledger: Ledger,
        session: Option<&Session>,
    ) -> Result<Box<Completed>> {
        let Self { context, locked, state, .. } = self;
        // The reports may not take the space that the state needs. If this process dies in between,
        // they are due.
        reviews::note_review(context, &state.debate, synthesis);
        locked.note_reports_due(&state.debate.id);
        self.commit()?;
        if let Some(session) = session {
            context.machine.forget(&session.id);
        }
        Ok(Box::new(Completed::from_state(state, locked.store(), ledger)))
    }
}
