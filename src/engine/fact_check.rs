//! Claims that are marked as evidence, checked after a round by a seat of its own. What it finds is a note of the transcript; that
//! it finds nothing, or can't be asked, never keeps a debate from going on.

use super::request::{Request, generation_of};
use super::turn::load_own_active;
use super::{Engine, LOCK_WAIT, Session, Stopped};
use crate::debate::{Debate, FactCheck, Phase, Slot};
use crate::error::Result;
use crate::ledger::{self, Claim, Ground, Id, Ledger, MAX_CHECKED};
use crate::seats;
use crate::state::{Change, Loaded, Locked, StateFile};
use crate::text::clean;
use crate::transcript::{self, Entries, Kind, What};

/// What became of what a fact-checker wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckFiled {
    /// It is filed; a line for each claim.
    Filed(Vec<String>),
    /// It had no line that can be read, and is asked for once more.
    AskedAgain,
    /// Nor had it now: the claims stay unchecked.
    LeftOut,
    /// The debate does not wait for it any more.
    Stale,
}

/// Claims that wait for a check.
struct Due {
    /// The last place of their round.
    slot: Slot,
    check: FactCheck,
    ids: Vec<Id>,
}

impl Engine<'_> {
    /// What a fact-checker is asked before the debate goes on. `None`: nothing, or its file does not ask for it.
    pub fn check_due(&self, session: &Session) -> Result<Option<Request>, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = load_own_active(&locked, session)?;
        if repair.is_some() {
            state.debate.touch(self.world.now);
            self.commit(&locked, &state, &Change::Turn)?;
        }
        drop(locked);
        let entries = transcript::parse(&state.body);
        let ledger = Ledger::of_entries(&entries);
        let Some(Due { slot, check, ids }) = due(&state.debate, &entries, &ledger) else { return Ok(None) };
        let claims: Vec<(&Claim, String)> = ids
            .iter()
            .filter_map(|id| {
                let claim = ledger.claim(*id)?;
                let (_, reply) = entries.replies().nth(claim.section)?;
                Some((claim, ledger::around(&reply.text, *id)))
            })
            .collect();
        Ok(Some(Request {
            seat: state.debate.progress.slot.seat(),
            slot,
            name: format!("fact check, round {}", slot.round),
            label: format!("fact check, round {}", slot.round),
            generation: generation(&state.debate),
            answers: vec![generation(&state.debate)],
            prompt: seats::check_prompt(&state.debate.question, &claims, check, state.debate.progress.form_retry),
            has_argument: true,
            judges: state.debate.judges(),
            left: 0,
            filed: entries.written().count(),
            check: Some(check),
        }))
    }

    /// Files what a fact-checker found, if the debate still waits for that.
    pub fn submit_check(&self, session: &Session, answers: &str, text: &str) -> Result<CheckFiled, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = load_own_active(&locked, session)?;
        let entries = transcript::parse(&state.body);
        let due = due(&state.debate, &entries, &Ledger::of_entries(&entries));
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        let Some(Due { ids, .. }) = due.filter(|_| !is_edited && generation(&state.debate) == answers) else {
            state.debate.pass_aside();
            self.commit(&locked, &state, &Change::Turn)?;
            return Ok(CheckFiled::Stale);
        };
        let lines: Vec<String> = ledger::lines_on(text, &ids).into_iter().map(str::to_owned).collect();
        if !lines.is_empty() {
            self.file_check(&locked, &mut state, &lines.join("\n\n"), lines.len())?;
            return Ok(CheckFiled::Filed(lines));
        }
        if state.debate.progress.form_retry {
            self.file_check(&locked, &mut state, &unchecked(&ids, "no line of the reply can be read"), 0)?;
            return Ok(CheckFiled::LeftOut);
        }
        state.debate.retry_for_form();
        self.commit(&locked, &state, &Change::Retry)?;
        Ok(CheckFiled::AskedAgain)
    }

    /// Goes on without the check that is due; `why` is a sentence without its full stop.
    pub fn leave_check_out(&self, session: &Session, why: &str) -> Result<(), Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        let entries = transcript::parse(&state.body);
        if let Some(Due { ids, .. }) = due(&state.debate, &entries, &Ledger::of_entries(&entries)) {
            self.file_check(&locked, &mut state, &unchecked(&ids, why), 0)?;
        }
        Ok(())
    }

    fn file_check(&self, locked: &Locked<'_>, state: &mut StateFile, note: &str, claims: usize) -> Result<()> {
        transcript::append_note(&mut state.body, Kind::FactCheck, self.world.now, note);
        state.debate.pass_aside();
        state.debate.touch(self.world.now);
        self.commit(locked, state, &Change::FactCheck { claims })
    }
}

/// A check answers a state of the debate that no reply answers.
fn generation(debate: &Debate) -> String {
    format!("{}k", generation_of(debate))
}

fn unchecked(ids: &[Id], why: &str) -> String {
    let ids = ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
    format!("Not checked: {ids} ({}).", clean(why, 300))
}

/// The claims of the last round that are marked as evidence, once its replies are filed and until there is a note on it.
/// True where claims are to be checked before the next reply.
pub(super) fn is_check_due(state: &StateFile) -> bool {
    let entries = transcript::parse(&state.body);
    state.debate.options.fact_check.is_some() && due(&state.debate, &entries, &Ledger::of_entries(&entries)).is_some()
}

fn due(debate: &Debate, entries: &Entries, ledger: &Ledger) -> Option<Due> {
    let check = debate.options.fact_check?;
    let last = entries.0.iter().rposition(|entry| entry.slot().is_some())?;
    let (reply, slot) = (&entries.0[last], entries.0[last].slot()?);
    let now = debate.progress.slot;
    let is_over = now.phase == Phase::Synthesizer || now.round > slot.round;
    // Where a judge has written, all of them judge by the same.
    let is_noted =
        entries.0[last..].iter().any(|entry| matches!(entry.what, What::Note(Kind::FactCheck | Kind::Judgment)));
    if slot.phase == Phase::Synthesizer || reply.cycle != debate.progress.cycle || !is_over || is_noted {
        return None;
    }
    let waits = |claim: &&Claim| {
        claim.cycle == reply.cycle
            && claim.round == slot.round
            && claim.check.is_none()
            && claim.status != ledger::Status::Withdrawn
            && matches!(claim.ground, Ground::Evidence(_))
    };
    let ids: Vec<Id> = ledger.claims.iter().filter(waits).map(|claim| claim.id).take(MAX_CHECKED).collect();
    (!ids.is_empty()).then_some(Due { slot, check, ids })
}
