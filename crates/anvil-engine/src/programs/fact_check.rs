//! After a round, a separate seat checks the claims that are marked as evidence. Its findings
//! become a note in the transcript. A check that finds nothing or fails never stops a debate.

use jiff::Timestamp;

use super::request::Request;
use crate::ownership::lock_owned;
use crate::{Context, Session, Stopped};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::debate::Debate;
use anvil_core::ledger::{self, Claim, Ground, Id, Ledger, MAX_CHECKED};
use anvil_core::options::FactCheck;
use anvil_core::place::{Place, Seat};
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::{self, Entries, EntryKind, NoteKind};
use anvil_store::StateFile;
use anvil_text::clean;
use anvil_text::error::Result;

/// Claims that wait for a check.
struct Due {
    /// The last place of their round.
    place: Place,
    check: FactCheck,
    ids: Vec<Id>,
}

/// The request to a fact-checker before the debate goes on. `None`: no claim waits for a check,
/// or the debate's file does not request checks.
pub fn check_due(context: &Context<'_>, session: &Session) -> Result<Option<Request>, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    if held.repair.is_some() {
        held.state.debate.touch(context.world.now);
        held = held.commit()?;
    }
    Ok(check_request(&held.state))
}

/// What the answer of a fact-checker did to the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// A line for each claim. Without a line, the claims stay unchecked.
    Lines(Vec<String>),
    /// No line can be read; the check has to be written again.
    Again,
}

/// Saves the findings of a fact-checker. `None`: the debate does not wait for them any more.
pub fn submit_check(
    context: &Context<'_>,
    session: &Session,
    answers: Generation,
    WrittenReply { text, limit, .. }: WrittenReply<'_>,
) -> Result<Option<Checked>, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    let is_awaited = !held.is_edited() && generation(&held.state.debate) == answers;
    let now = held.context.world.now;
    if limit.is_some() {
        held.state.debate.retry_for_form();
    }
    let checked = if is_awaited { save_findings(&mut held.state, text, now) } else { None };
    if checked.is_none() {
        held.state.debate.advance_step();
    }
    held.commit()?;
    Ok(checked)
}

/// Goes on without the check that is due. `why`: a sentence without its full stop.
pub fn leave_check_out(context: &Context<'_>, session: &Session, why: &str) -> Result<(), Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    let now = held.context.world.now;
    if leave_out(&mut held.state, why, now) {
        held.commit()?;
    }
    Ok(())
}

/// The request to a fact-checker. `None`: no claim waits for a check.
pub(crate) fn check_request(state: &StateFile) -> Option<Request> {
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let Due { place, check, ids } = due(&state.debate, &entries, &ledger)?;
    let claims: Vec<(&Claim, String)> = ids
        .iter()
        .filter_map(|id| {
            let claim = ledger.claim(*id)?;
            let (_, reply) = entries.replies().nth(claim.section)?;
            Some((claim, ledger::around(&reply.text, *id)))
        })
        .collect();
    let is_retry = state.debate.form_retry();
    let slot = Slot::FactCheck { round: place.number() };
    Some(Request {
        seat: state.debate.place().seat,
        place,
        slot,
        label: slot.to_string(),
        generation: generation(&state.debate),
        answers: vec![generation(&state.debate)],
        // Only programs check facts, so no person needs a sheet.
        sheet: String::new(),
        prompt: anvil_prompt::check_prompt(&state.debate.question, &claims, check, is_retry),
        is_again: is_retry,
        has_argument: true,
        judges: state.debate.judges(),
        left: 0,
        saved_replies: entries.originals().count(),
        check: Some(check),
    })
}

/// Adds the findings of a fact-checker to the state. `None`: no claim waits for a check.
pub(crate) fn save_findings(state: &mut StateFile, text: &str, now: Timestamp) -> Option<Checked> {
    let Due { ids, .. } = due_in(state)?;
    let lines: Vec<String> = ledger::lines_on(text, &ids).into_iter().map(str::to_owned).collect();
    if lines.is_empty() && !state.debate.form_retry() {
        state.debate.retry_for_form();
        return Some(Checked::Again);
    }
    let note = if lines.is_empty() {
        unchecked_note(&ids, "the reply contains no recognised line")
    } else {
        lines.join("\n\n")
    };
    add_note(state, &note, now);
    Some(Checked::Lines(lines))
}

/// Notes that the check that is due was not made. False: none is due.
pub(crate) fn leave_out(state: &mut StateFile, why: &str, now: Timestamp) -> bool {
    let Some(Due { ids, .. }) = due_in(state) else { return false };
    add_note(state, &unchecked_note(&ids, why), now);
    true
}

fn add_note(state: &mut StateFile, note: &str, now: Timestamp) {
    transcript::append_note(&mut state.body, NoteKind::FactCheck, now, note);
    state.debate.advance_step();
    state.debate.touch(now);
}

fn generation(debate: &Debate) -> Generation {
    Generation::Check(debate.into())
}

fn unchecked_note(ids: &[Id], why: &str) -> String {
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
    let last = entries.0.iter().rposition(|entry| entry.place().is_some())?;
    let reply = &entries.0[last];
    let place = entries.0[last].place()?;
    let now = debate.place();
    let is_over = now.seat == Seat::Synthesizer || now.number() > place.number();
    // After the first judgment no check is added: all judges judge the same text.
    let is_noted = entries.0[last..].iter().any(|entry| {
        matches!(entry.what, EntryKind::Note(NoteKind::FactCheck | NoteKind::Judgment))
    });
    if place.seat == Seat::Synthesizer || reply.cycle != debate.cycle() || !is_over || is_noted {
        return None;
    }
    let ids: Vec<Id> = ledger
        .claims
        .iter()
        .filter(|claim| {
            claim.cycle == reply.cycle
                && claim.round == place.number()
                && claim.check.is_none()
                && claim.status != ledger::ClaimStatus::Withdrawn
                && matches!(claim.ground, Ground::Evidence(_))
        })
        .map(|claim| claim.id)
        .take(MAX_CHECKED)
        .collect();
    (!ids.is_empty()).then_some(Due { place, check, ids })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_the_claims_that_wait_for_a_check() {
        const CASE: &str = "**A1. It is fast.** x [evidence: a]\n\n**A2. It pays.** y [reasoning]";
        let reply = |seat, round, text| (Place { seat, round }, text);
        let advocate = reply(Seat::Advocate, 1, CASE);
        let critic = reply(Seat::Critic, 1, "**C1. No.** z [evidence: b]\n**Withdraws C1:** so.");
        let again = reply(Seat::Advocate, 2, "**A3. It lasts.** x [evidence: c]");
        let synthesis = reply(Seat::Synthesizer, 1, "We wait.");
        let next = Place { seat: Seat::Advocate, round: 2 };
        let end = Place { seat: Seat::Synthesizer, round: 1 };
        for (replies, now, cycle, noted, expected) in [
            (&[advocate, critic][..], next, 1, None, Some("A1")),
            (&[advocate, critic], end, 1, None, Some("A1")),
            // The round is not over.
            (&[advocate], critic.0, 1, None, None),
            // It has its note, or a judge has read it.
            (&[advocate, critic], next, 1, Some(NoteKind::FactCheck), None),
            (&[advocate, critic], end, 1, Some(NoteKind::Judgment), None),
            (&[advocate, critic], next, 1, Some(NoteKind::Noted), Some("A1")),
            // Another cycle has begun, or nothing is marked as evidence.
            (&[advocate, critic], next, 2, None, None),
            (&[advocate, critic, synthesis], next, 1, None, None),
            // Claims of an earlier round that were not checked then are not checked any more.
            (&[advocate, critic, again], end, 1, None, Some("A3")),
            (&[], next, 1, None, None),
        ] {
            let mut debate = Debate::new("id".into(), "Why?".into(), 2, Timestamp::UNIX_EPOCH);
            debate.options.fact_check = Some(FactCheck::Files);
            let mut body = transcript::open("Why?");
            for (place, text) in replies {
                transcript::append(&mut body, *place, None, Timestamp::UNIX_EPOCH, text);
            }
            if let Some(kind) = noted {
                transcript::append_note(&mut body, kind, Timestamp::UNIX_EPOCH, "Noted.");
            }
            debate.set_cycle(cycle);
            debate.set_place(now);
            let entries = transcript::parse(&body);
            let ledger = Ledger::of_entries(&entries, &debate.alternatives());
            let due = due(&debate, &entries, &ledger).map(|due| due.ids);
            let expected = expected.map(|id: &str| vec![id.parse().unwrap()]);
            assert_eq!(due, expected, "{replies:?} {now} {cycle} {noted:?}");
        }
    }
}
