//! Filing: what a reply does to the state of a debate, and how a debate is completed.

use std::path::PathBuf;

use super::reading::{Reading, reading};
use super::steer::has_argument;
use super::{Aside, Engine, Note, Session};
use crate::debate::{Advance, Debate, Phase, Progress, Signal, Slot, advance};
use crate::error::{Error, Result};
use crate::ledger::{Id, Ledger, Spoken, Verdict, has_item, is_numbered};
use crate::prompt::{Lacks, Next, Why, missing_headings};
use crate::reply::{Reply, Usable};
use crate::report;
use crate::state::{Change, Locked, Project, Repair, StateFile};
use crate::transcript;

use jiff::Timestamp;

/// What a reply did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filed {
    /// It is a section now; the next phase waits.
    Next {
        /// Whose reply.
        slot: Slot,
        /// Its words; 0 where the phase had nothing to add.
        words: usize,
        /// It has settled the argument before its last round.
        is_settled: bool,
        /// The claims, those of the reply among them. `None`: nothing was added.
        ledger: Option<Box<Ledger>>,
    },
    /// It is the synthesis, and this is what it makes of the claims.
    Synthesis(String, Box<Ledger>),
    /// It was not usable: the phase waits still.
    Again(Why),
    /// It lacks what a program reads in it, and is asked for once more: its text.
    OutOfForm(Why, String),
    /// It was written without the debate's file, which could not be read.
    Unreadable,
    /// Nor was it now, and the phase has had its chances.
    NoMore(Why),
}

/// A debate that has its synthesis.
#[derive(Debug)]
pub struct Completed {
    /// The debate.
    pub(super) id: String,
    /// The first sentence of its recommendation.
    pub verdict: String,
    /// The claims that were made.
    pub claims: usize,
    /// Those of them that the synthesis says something of.
    pub disposed: usize,
    /// Where the report lies, or why it could not be written.
    pub report: Result<PathBuf>,
    /// What the fact-check contradicts, in a line.
    pub contradicted: Option<String>,
    /// The same as a page.
    pub page: Option<PathBuf>,
    /// Whose project it is.
    pub project: Project,
}

/// Does to a state what a reply means. Pure; nothing else of the state changes.
pub(super) fn file(state: &mut StateFile, reply: &Reply, reading: Reading, now: Timestamp) -> Filed {
    if reading == Reading::Done {
        state.debate.require_read(false);
    }
    let is_blind = state.debate.ownership.must_read && reading != Reading::Unknown;
    let (text, signal, why) = match reply.usable(|text| transcript::ends_with(&state.body, text)) {
        Usable::Text(..) | Usable::EndMark if is_blind && reading == Reading::Failed => return Filed::Unreadable,
        Usable::Text(..) | Usable::EndMark if is_blind => (String::new(), Signal::Unusable, Why::Unread),
        Usable::Text(text, signal) => (text, signal, Why::Turn),
        // An argument can be ended that has begun.
        Usable::EndMark if state.debate.progress.slot.phase != Phase::Synthesizer && has_argument(state) => {
            (String::new(), Signal::FiledAsLast, Why::Turn)
        }
        Usable::EndMark | Usable::Empty => (String::new(), Signal::Unusable, Why::Empty),
        Usable::Repeated => (String::new(), Signal::Unusable, Why::Repeated),
    };
    if !text.is_empty() {
        state.debate.require_read(false);
    }
    let slot = state.debate.progress.slot;
    let ledger = (!text.is_empty()).then(|| Box::new(ledger_with(state, &text)));
    let (signal, why) = match &ledger {
        Some(ledger) => match out_of_form(&state.debate, ledger, &text, reply.beginning_missing) {
            Some(why) if signal == Signal::Filed || slot.phase == Phase::Synthesizer => (Signal::OutOfForm, why),
            _ => (ending(&state.debate, ledger, signal), why),
        },
        None => (signal, why),
    };
    let voice = state.debate.voice_at(slot).map(|voice| voice.name.clone());
    let voice = voice.as_deref();
    let append = |body: &mut String| transcript::append_reply(body, slot, voice, now, &text, reply.beginning_missing);
    let debate = &mut state.debate;
    debate.touch(now);
    match advance(slot, debate.schedule(), debate.progress.retry_count, signal) {
        Advance::To(next) => {
            debate.move_to(next);
            let words = if text.is_empty() { 0 } else { append(&mut state.body) };
            // Judgments before a reply are of the argument as it was.
            debate.follow_judgments(if words == 0 { debate.progress.judgments } else { 0 });
            Filed::Next { slot, words, is_settled: signal == Signal::Settled, ledger }
        }
        Advance::Complete => {
            debate.move_to(slot);
            debate.complete(now);
            append(&mut state.body);
            Filed::Synthesis(text, ledger.unwrap_or_default())
        }
        Advance::Retry(count) => {
            debate.retry(count);
            if signal == Signal::OutOfForm {
                debate.retry_for_form();
                return Filed::OutOfForm(why, text);
            }
            Filed::Again(why)
        }
        Advance::Fail => {
            let requests = debate.progress.retry_count;
            debate.fail(format!("{}, also after {requests} more requests", reason(&why)));
            Filed::NoMore(why)
        }
    }
}

/// The claims of a debate, with those of a reply that is not filed yet.
fn ledger_with(state: &StateFile, text: &str) -> Ledger {
    let entries = transcript::parse(&state.body);
    let spoken = |(slot, reply)| -> Spoken<'_> {
        let reply: &transcript::Entry = reply;
        Spoken { slot, cycle: reply.cycle, text: &reply.text }
    };
    let Progress { slot, cycle, .. } = state.debate.progress;
    let replies = entries.replies().map(spoken).chain([Spoken { slot, cycle, text }]);
    let ledger = if slot.phase == Phase::Synthesizer { Ledger::of(replies) } else { Ledger::for_cue(replies) };
    ledger.checked(&entries)
}

/// What a program can't find in a reply, where it was not asked for that yet.
fn out_of_form(debate: &Debate, ledger: &Ledger, text: &str, beginning_missing: bool) -> Option<Why> {
    let Progress { slot, cycle, form_retry, synthesis_requested, .. } = debate.progress;
    if form_retry {
        return None;
    }
    match slot.phase {
        Phase::Synthesizer => {
            let lacks = Lacks { headings: missing_headings(debate, text), account: ledger.shortfall() };
            (!lacks.is_nothing()).then_some(Why::Incomplete(lacks))
        }
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            let voice = matches!(slot.phase, Phase::Stakeholder | Phase::Persona);
            let is_first = cycle == 1 && (slot.round == 1 || voice);
            let seat = slot.seat();
            // Where nobody numbers claims, a later reply owes none.
            let is_out =
                if is_first { !is_numbered(text, seat) } else { !ledger.claims.is_empty() && !has_item(text, seat) };
            // What can't be read may hold a number, and who wants the synthesis wants no detour.
            let may_ask = !beginning_missing && !synthesis_requested;
            (may_ask && is_out).then(|| Why::Unnumbered(Next::of(seat, ledger)))
        }
    }
}

/// Whether a reply to file is the last one before the synthesis: because the user wishes it, or because it has settled the
/// argument. Where the user steers round by round, they are asked.
fn ending(debate: &Debate, ledger: &Ledger, signal: Signal) -> Signal {
    let asks = debate.options.interactive || debate.progress.steering.is_some();
    match signal {
        Signal::Filed if debate.progress.synthesis_requested => Signal::FiledAsLast,
        Signal::Filed if debate.options.early_end && !asks && is_settled(debate, debate.progress.slot, ledger) => {
            Signal::Settled
        }
        other => other,
    }
}

/// True when a round that is not the last one has left nothing to argue.
fn is_settled(debate: &Debate, filed: Slot, ledger: &Ledger) -> bool {
    let schedule = debate.schedule();
    filed.phase == schedule.closer()
        && filed.round < schedule.max_rounds
        && ledger.is_settled_in(debate.progress.cycle, filed.round)
}

/// What was wrong with an unusable reply, for the user.
pub(super) fn reason(why: &Why) -> String {
    match why {
        Why::Turn | Why::Steered | Why::Again => String::new(),
        Why::Edited => "the file was edited by hand".to_owned(),
        Why::Unread => "it was written without the Read of the debate's file".to_owned(),
        Why::Empty => "the reply was empty".to_owned(),
        Why::Repeated => "the reply repeated the one before".to_owned(),
        Why::Unnumbered(next) => {
            let lacks = if next.is_first() { "" } else { "it has no claim and no move; " };
            format!("{lacks}number your claims: {}., {}., …", next.id(0), next.id(1))
        }
        Why::Incomplete(lacks) => incomplete(lacks),
    }
}

/// What a synthesis lacks, for the user.
fn incomplete(lacks: &Lacks) -> String {
    let ids = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
    let said = |what: &str, ids: String| (!ids.is_empty()).then(|| format!("{what} {ids}"));
    let account = &lacks.account;
    let line = |is_missing: bool, line: &str| is_missing.then(|| format!("it lacks {line}"));
    let parts = [
        said("no line for", ids(&account.left_out)),
        said("nobody claimed", ids(&account.invented)),
        said("it contradicts itself or the debate on", ids(&account.contradictory)),
        account.lacks_call.then(|| "no line Verdict with do, do not or depends alone".to_owned()),
        line(account.lacks_carriers, "Rests on"),
        line(!lacks.headings.is_empty(), &lacks.headings.join(", ")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// True for a reply that was read for a phase that no longer waits. Of a damaged file the time may differ between two looks,
/// and nobody has written it in between.
pub(super) fn is_for_an_earlier_phase(reply: &Reply, state: &StateFile, repair: Option<&Repair>) -> bool {
    !repair.is_some_and(|repair| repair.damaged) && reply.asked_at != state.debate.progress.updated_at
}

/// The name in the archive of a reply that has no place in the transcript.
pub(super) fn unfiled_name(state: &StateFile) -> String {
    format!("{}-unfiled", state.debate.id)
}

impl Engine<'_> {
    /// A reply that no Stop could file (the lock was held, the disk was full, the hook was killed) is still in the client's
    /// transcript: it is filed now. `Some`: it was the synthesis.
    pub(super) fn catch_up(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        repair: Option<&Repair>,
        session: &Session,
        unfiled: Option<Reply>,
    ) -> Result<Option<Box<Completed>>> {
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        let waits = state.debate.is_active() && state.debate.is_owned_by(&session.id) && !is_edited;
        let is_reply = |reply: &Reply| waits && !is_for_an_earlier_phase(reply, state, repair);
        let Some(reply) = unfiled.filter(is_reply) else { return Ok(None) };
        let reply = reply.in_order(|| transcript::last_text(&state.body));
        let mut next = state.clone();
        let filed = file(&mut next, &reply, reading(&reply, locked.project()), self.world.now);
        self.note_beginning(&reply, &filed);
        match filed {
            Filed::Next { slot, words, .. } if words > 0 => {
                self.commit(locked, &next, &Change::Advance { filed: slot, words })?;
                self.add_note(Note::FiledLate { slot, words });
                *state = next;
                Ok(None)
            }
            Filed::Synthesis(text, ledger) => {
                *state = next;
                self.complete(locked, state, &text, &ledger, session).map(|completed| Some(Box::new(completed)))
            }
            // It is asked for once more, as it would have been.
            Filed::OutOfForm(_, text) => {
                self.keep_aside(locked, state, &text, Aside::OutOfForm)?;
                *state = next;
                Ok(None)
            }
            Filed::Next { .. } | Filed::Again(_) | Filed::Unreadable | Filed::NoMore(_) => Ok(None),
        }
    }

    /// Keeps a reply in the archive that has no place in the transcript.
    pub(super) fn keep_aside(&self, locked: &Locked<'_>, state: &StateFile, text: &str, why: Aside) -> Result<()> {
        if !text.is_empty() {
            let kept = locked.write_to_archive(&unfiled_name(state), text)?;
            self.add_note(Note::KeptAside { why, file: locked.project().display(&kept) });
        }
        Ok(())
    }

    /// Says that a reply is one without its beginning. It is true also where the state then can't be written.
    pub(super) fn note_beginning(&self, reply: &Reply, filed: &Filed) {
        let is_filed = matches!(filed, Filed::Next { words: 1.., .. } | Filed::Synthesis(..));
        if is_filed && reply.beginning_missing {
            self.add_note(Note::BeginningMissing);
        }
    }

    /// Makes the state of a debate whose synthesis has just been filed the project's own. Its reports are written by
    /// [`Engine::report_on`] when the lock is free again.
    pub(super) fn complete(
        &self,
        locked: &Locked<'_>,
        state: &StateFile,
        synthesis: &str,
        ledger: &Ledger,
        session: &Session,
    ) -> Result<Completed> {
        let verdict = Verdict::of(synthesis).first_sentence(synthesis);
        let project = locked.project().clone();
        // The reports may not take the space that the state needs. If this dies in between, they are due.
        self.note_review(locked, &state.debate, synthesis);
        locked.note_reports_due(&state.debate.id);
        self.commit(locked, state, &Change::Complete { words: transcript::count_words(synthesis) })?;
        self.machine.forget(&session.id);
        let (claims, disposed) = (ledger.claims.len(), ledger.disposed());
        let contradicted = report::contradicted(ledger);
        let report = Err(Error::failed("the report is not written yet", "`anvil report` writes it"));
        let id = state.debate.id.clone();
        Ok(Completed { id, verdict, claims, disposed, contradicted, report, page: None, project })
    }
}
