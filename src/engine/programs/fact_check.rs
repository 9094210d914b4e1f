//! After a round, a separate seat checks the claims that are marked as evidence. Its findings
//! become a note in the transcript. A check that finds nothing or fails never stops a debate.

use super::Programs;
use super::request::Request;
use crate::domain::debate::{Debate, FactCheck, Phase, Slot};
use crate::domain::ledger::{self, Claim, Ground, Id, Ledger, MAX_CHECKED};
use crate::domain::transcript::{self, Entries, Kind, What};
use crate::engine::ownership::{HeldDebate, lock_own};
use crate::engine::{Session, Stopped, Submitted};
use crate::error::Result;
use crate::seats;
use crate::storage::{Change, Generation, StateFile};
use crate::text::clean;

/// Claims that wait for a check.
struct Due {
    /// The last place of their round.
    slot: Slot,
    check: FactCheck,
    ids: Vec<Id>,
}

impl Programs<'_> {
    /// The request to a fact-checker before the debate goes on. `None`: no claim waits for a check,
    /// or the debate's file does not request checks.
    pub fn check_due(&self, session: &Session) -> Result<Option<Request>, Stopped> {
        let store = self.context.store_meant(Some(session));
        let mut held = lock_own(self.context, &store, session)?;
        if held.repair.is_some() {
            held.state.debate.touch(self.context.world.now);
            held.commit(&Change::Turn)?;
        }
        let HeldDebate { locked, state, .. } = held;
        drop(locked);
        let entries = transcript::parse(&state.body);
        let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
        let Some(Due { slot, check, ids }) = due(&state.debate, &entries, &ledger) else {
            return Ok(None);
        };
        let claims: Vec<(&Claim, String)> = ids
            .iter()
            .filter_map(|id| {
                let claim = ledger.claim(*id)?;
                let (_, reply) = entries.replies().nth(claim.section)?;
                Some((claim, ledger::around(&reply.text, *id)))
            })
            .collect();
        let is_retry = state.debate.progress.form_retry;
        Ok(Some(Request {
            seat: state.debate.progress.slot.seat(),
            slot,
            judge: None,
            name: format!("fact check, round {}", slot.round),
            label: format!("fact check, round {}", slot.round),
            generation: generation(&state.debate).into(),
            answers: vec![generation(&state.debate)],
            // Only programs check facts, so no person needs a sheet.
            sheet: String::new(),
            prompt: seats::check_prompt(&state.debate.question, &claims, check, is_retry),
            has_argument: true,
            judges: state.debate.judges(),
            left: 0,
            filed: entries.written().count(),
            check: Some(check),
        }))
    }

    /// Saves the findings of a fact-checker, if the debate still waits for them.
    pub fn submit_check(
        &self,
        session: &Session,
        answers: Generation,
        text: &str,
    ) -> Result<Submitted, Stopped> {
        let store = self.context.store_meant(Some(session));
        let mut held = lock_own(self.context, &store, session)?;
        let debate = &held.state.debate;
        let is_asked = !held.is_edited() && generation(debate) == answers;
        let Some(Due { ids, .. }) = due_in(&held.state).filter(|_| is_asked) else {
            held.state.debate.advance_step();
            held.commit(&Change::Turn)?;
            return Ok(Submitted::Late);
        };
        let lines: Vec<String> =
            ledger::lines_on(text, &ids).into_iter().map(str::to_owned).collect();
        if !lines.is_empty() {
            file_check(&mut held, &lines.join("\n\n"), lines.len())?;
            return Ok(Submitted::Checked(lines));
        }
        if debate.progress.form_retry {
            file_check(&mut held, &unchecked(&ids, "no line of the reply can be read"), 0)?;
            return Ok(Submitted::Checked(Vec::new()));
        }
        held.state.debate.retry_for_form();
        held.commit(&Change::Retry)?;
        Ok(Submitted::AskedAgain("no line of it can be read".to_owned()))
    }

    /// Goes on without the check that is due. `why`: a sentence without its full stop.
    pub fn leave_check_out(&self, session: &Session, why: &str) -> Result<(), Stopped> {
        let store = self.context.store_meant(Some(session));
        let mut held = lock_own(self.context, &store, session)?;
        if let Some(Due { ids, .. }) = due_in(&held.state) {
            file_check(&mut held, &unchecked(&ids, why), 0)?;
        }
        Ok(())
    }
}

fn file_check(held: &mut HeldDebate<'_>, note: &str, claims: usize) -> Result<()> {
    let StateFile { debate, body, .. } = &mut held.state;
    let now = held.context.world.now;
    transcript::append_note(body, Kind::FactCheck, now, note);
    debate.advance_step();
    debate.touch(now);
    held.commit(&Change::FactCheck { claims })
}

fn generation(debate: &Debate) -> Generation {
    Generation::Check(debate.into())
}

fn unchecked(ids: &[Id], why: &str) -> String {
    let ids = ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
    format!("Not checked: {ids} ({}).", clean(why, 300))
}

/// True if claims wait for a check before the next reply.
pub(crate) fn is_check_due(state: &StateFile) -> bool {
    state.debate.options.fact_check.is_some() && due_in(state).is_some()
}

fn due_in(state: &StateFile) -> Option<Due> {
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    due(&state.debate, &entries, &ledger)
}

/// The claims of the last round that are marked as evidence, at most [`MAX_CHECKED`]. `None`: some
/// replies of the round are not saved yet, or the round has its note.
fn due(debate: &Debate, entries: &Entries, ledger: &Ledger) -> Option<Due> {
    let check = debate.options.fact_check?;
    let last = entries.0.iter().rposition(|entry| entry.slot().is_some())?;
    let (reply, slot) = (&entries.0[last], entries.0[last].slot()?);
    let now = debate.progress.slot;
    let is_over = now.phase == Phase::Synthesizer || now.round > slot.round;
    // After the first judgment no check is added: all judges judge the same text.
    let is_noted = entries.0[last..]
        .iter()
        .any(|entry| matches!(entry.what, What::Note(Kind::FactCheck | Kind::Judgment)));
    if slot.phase == Phase::Synthesizer
        || reply.cycle != debate.progress.cycle
        || !is_over
        || is_noted
    {
        return None;
    }
    let waits = |claim: &&Claim| {
        claim.cycle == reply.cycle
            && claim.round == slot.round
            && claim.check.is_none()
            && claim.status != ledger::ClaimStatus::Withdrawn
            && matches!(claim.ground, Ground::Evidence(_))
    };
    let ids: Vec<Id> =
        ledger.claims.iter().filter(waits).map(|claim| claim.id).take(MAX_CHECKED).collect();
    (!ids.is_empty()).then_some(Due { slot, check, ids })
}
