//! Filing: what a reply does to the state of a debate, and how a debate is completed.

use std::path::PathBuf;

use super::reading::{Reading, reading};
use super::report::Reports;
use super::{Aside, Engine, Note, Session};
use crate::debate::{Advance, Phase, Signal, Slot, advance};
use crate::error::Result;
use crate::ledger::Verdict;
use crate::prompt::{Why, missing_headings};
use crate::reply::{Reply, Usable};
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
    },
    /// It is the synthesis.
    Synthesis(String),
    /// It was not usable: the phase waits still.
    Again(Why),
    /// It is a synthesis that lacks headings, and is asked for once more: its text.
    MissingHeadings(Why, String),
    /// It was written without the debate's file, which could not be read.
    Unreadable,
    /// Nor was it now, and the phase has had its chances.
    NoMore(Why),
}

/// A debate that has its synthesis.
#[derive(Debug)]
pub struct Completed {
    /// The first sentence of its recommendation.
    pub verdict: String,
    /// Where the report lies, or why it could not be written.
    pub report: Result<PathBuf>,
    /// The same as a page, where that is another file.
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
        Usable::EndMark if state.debate.progress.slot.phase != Phase::Synthesizer => {
            (String::new(), Signal::FiledAsLast, Why::Turn)
        }
        Usable::EndMark | Usable::Empty => (String::new(), Signal::Unusable, Why::Empty),
        Usable::Repeated => (String::new(), Signal::Unusable, Why::Repeated),
    };
    if !text.is_empty() {
        state.debate.require_read(false);
    }
    let slot = state.debate.progress.slot;
    let (signal, why) = match (slot.phase, signal) {
        (Phase::Synthesizer, Signal::Filed | Signal::FiledAsLast) if !state.debate.progress.headings_retry => {
            match missing_headings(&state.debate, &text) {
                missing if missing.is_empty() => (signal, why),
                missing => (Signal::MissingHeadings, Why::MissingHeadings(missing)),
            }
        }
        (_, Signal::Filed) if state.debate.progress.synthesis_requested => (Signal::FiledAsLast, why),
        (_, signal) => (signal, why),
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
            Filed::Next { slot, words }
        }
        Advance::Complete => {
            debate.move_to(slot);
            debate.complete(now);
            append(&mut state.body);
            Filed::Synthesis(text)
        }
        Advance::Retry(count) => {
            debate.retry(count);
            if signal == Signal::MissingHeadings {
                debate.retry_for_headings();
                return Filed::MissingHeadings(why, text);
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

/// What was wrong with an unusable reply, for the user.
pub(super) fn reason(why: &Why) -> String {
    match why {
        Why::Turn | Why::Steered | Why::Again => String::new(),
        Why::Edited => "the file was edited by hand".to_owned(),
        Why::Unread => "it was written without the Read of the debate's file".to_owned(),
        Why::Empty => "the reply was empty".to_owned(),
        Why::Repeated => "the reply repeated the one before".to_owned(),
        Why::MissingHeadings(missing) => format!("it lacks {}", missing.join(", ")),
    }
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
            Filed::Next { slot, words } if words > 0 => {
                self.commit(locked, &next, &Change::Advance { filed: slot, words })?;
                self.add_note(Note::FiledLate { slot, words });
                *state = next;
                Ok(None)
            }
            Filed::Synthesis(text) => {
                *state = next;
                self.complete(locked, state, &text, session).map(|completed| Some(Box::new(completed)))
            }
            // It is asked for once more, as it would have been.
            Filed::MissingHeadings(_, text) => {
                self.keep_aside(locked, state, &text, Aside::MissingHeadings)?;
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
        let is_filed = matches!(filed, Filed::Next { words: 1.., .. } | Filed::Synthesis(_));
        if is_filed && reply.beginning_missing {
            self.add_note(Note::BeginningMissing);
        }
    }

    /// Makes the state of a debate whose synthesis has just been filed the project's own, and writes its reports.
    pub(super) fn complete(
        &self,
        locked: &Locked<'_>,
        state: &StateFile,
        synthesis: &str,
        session: &Session,
    ) -> Result<Completed> {
        let verdict = Verdict::of(synthesis).first_sentence(synthesis);
        let project = locked.project().clone();
        // The reports may not take the space that the state needs. If this dies in between, they are due.
        self.note_review(locked, &state.debate, synthesis);
        locked.note_reports_due(&state.debate.id);
        self.commit(locked, state, &Change::Complete { words: transcript::count_words(synthesis) })?;
        let Reports { first: report, page } = self.write_reports(locked, state, &project.state_file());
        self.machine.forget(&session.id);
        Ok(Completed { verdict, report, page, project })
    }
}
