//! Applies a reply to the state of a debate, and completes a debate.

use jiff::Timestamp;

use super::Filing;
use super::reading::{Reading, reading};
use super::steering::has_argument;
use crate::domain::debate::{Advance, Debate, Phase, Progress, Signal, Slot, advance};
use crate::domain::ledger::{Id, Ledger, Spoken, Verdict, has_item, is_numbered};
use crate::domain::reply::{Reply, Usable};
use crate::domain::transcript;
use crate::engine::history::History;
use crate::engine::reports::completed::Completed;
use crate::engine::{Aside, Note, Session};
use crate::error::{Error, Result};
use crate::seats::prompt::{Lacks, Next, Why, missing_headings};
use crate::storage::{Change, Locked, Repair, StateFile};

/// The effect of a reply on the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Filed {
    /// The reply is a section now; the next phase waits.
    Next {
        /// The place of the reply.
        slot: Slot,
        /// `Some`: the reply is the judgment of this judge, counted from 1, and another judge is
        /// next.
        judge: Option<u8>,
        /// Words of the reply; 0 if the phase had nothing to add.
        words: usize,
        /// The reply has settled the argument before its last round.
        is_settled: bool,
        /// The claims, with those of the reply. `None`: nothing was added.
        ledger: Option<Box<Ledger>>,
    },
    /// The reply is the synthesis: its text, and the claims as it leaves them.
    Synthesis(String, Box<Ledger>),
    /// The reply is not usable; the phase still waits.
    Again(Why),
    /// The reply, with this text, lacks a part that a program reads. The seat is asked once more.
    OutOfForm(Why, String),
    /// The reply was written without the debate's file, which could not be read.
    Unreadable,
    /// The reply is not usable, and the phase has no retry left.
    NoMore(Why),
}

/// Applies a reply to the state. Pure; nothing else of the state changes.
pub(crate) fn file(
    state: &mut StateFile,
    reply: &Reply,
    reading: Reading,
    now: Timestamp,
) -> Filed {
    if reading == Reading::Done {
        state.debate.require_read(false);
    }
    let is_blind = state.debate.ownership.must_read && reading != Reading::Unknown;
    let (text, signal, why) = match reply.usable(|text| transcript::ends_with(&state.body, text)) {
        Usable::Text(..) | Usable::EndMark if is_blind && reading == Reading::Failed => {
            return Filed::Unreadable;
        }
        Usable::Text(..) | Usable::EndMark if is_blind => {
            (String::new(), Signal::Unusable, Why::Unread)
        }
        Usable::Text(text, signal) => (text, signal, Why::Turn),
        // A seat can end an argument that has begun.
        Usable::EndMark
            if state.debate.progress.slot.phase != Phase::Synthesizer && has_argument(state) =>
        {
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
            Some(why) if signal == Signal::Filed || slot.phase == Phase::Synthesizer => {
                (Signal::OutOfForm, why)
            }
            _ => (ending(&state.debate, ledger, signal), why),
        },
        None => (signal, why),
    };
    let voice = state.debate.voice_at(slot).map(|voice| voice.name.clone());
    let voice = voice.as_deref();
    let append = |body: &mut String| {
        transcript::append_reply(body, slot, voice, now, &text, reply.beginning_missing)
    };
    let debate = &mut state.debate;
    debate.touch(now);
    match advance(slot, debate.schedule(), debate.progress.retry_count, signal) {
        Advance::To(next) => {
            debate.move_to(next);
            let words = if text.is_empty() { 0 } else { append(&mut state.body) };
            // Judgments before a reply judge the argument without it, so they no longer count.
            debate.follow_judgments(if words == 0 { debate.progress.judgments } else { 0 });
            Filed::Next { slot, judge: None, words, is_settled: signal == Signal::Settled, ledger }
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
            debate.fail(reason(&why));
            Filed::NoMore(why)
        }
    }
}

/// The claims of a debate, with those of a reply that is not saved yet.
fn ledger_with(state: &StateFile, text: &str) -> Ledger {
    let entries = transcript::parse(&state.body);
    let spoken = |(slot, reply)| -> Spoken<'_> {
        let reply: &transcript::Entry = reply;
        Spoken { slot, cycle: reply.cycle, text: &reply.text }
    };
    let Progress { slot, cycle, .. } = state.debate.progress;
    let replies = entries.replies().map(spoken).chain([Spoken { slot, cycle, text }]);
    let ledger = if slot.phase == Phase::Synthesizer {
        Ledger::of(replies)
    } else {
        Ledger::for_cue(replies)
    };
    ledger.checked(&entries)
}

/// The parts that a program can't find in a reply. `None` if the seat was already asked for them.
fn out_of_form(
    debate: &Debate,
    ledger: &Ledger,
    text: &str,
    beginning_missing: bool,
) -> Option<Why> {
    let Progress { slot, cycle, form_retry, synthesis_requested, .. } = debate.progress;
    if form_retry {
        return None;
    }
    match slot.phase {
        Phase::Synthesizer => {
            let lacks =
                Lacks { headings: missing_headings(debate, text), account: ledger.shortfall() };
            (!lacks.is_nothing()).then_some(Why::Incomplete(lacks))
        }
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            let voice = matches!(slot.phase, Phase::Stakeholder | Phase::Persona);
            let is_first = cycle == 1 && (slot.round == 1 || voice);
            let seat = slot.seat();
            // If the debate has no numbered claims, a later reply needs none.
            let is_out = if is_first {
                !is_numbered(text, seat)
            } else {
                !ledger.claims.is_empty() && !has_item(text, seat)
            };
            // A missing beginning may hold a number. A user who wants the synthesis wants no
            // detour.
            let may_ask = !beginning_missing && !synthesis_requested;
            (may_ask && is_out).then(|| Why::Unnumbered(Next::for_seat(seat, ledger)))
        }
    }
}

/// Decides whether a reply is the last one before the synthesis: the user requested the synthesis,
/// or the reply has settled the argument. If the user steers round by round, the user decides.
fn ending(debate: &Debate, ledger: &Ledger, signal: Signal) -> Signal {
    let asks = debate.options.interactive || debate.progress.steering.is_some();
    match signal {
        Signal::Filed if debate.progress.synthesis_requested => Signal::FiledAsLast,
        Signal::Filed
            if debate.options.early_end
                && !asks
                && is_settled(debate, debate.progress.slot, ledger) =>
        {
            Signal::Settled
        }
        other => other,
    }
}

/// True if the reply ends a round before the last one and leaves nothing to argue.
fn is_settled(debate: &Debate, filed: Slot, ledger: &Ledger) -> bool {
    let schedule = debate.schedule();
    filed.phase == schedule.closer()
        && filed.round < schedule.max_rounds
        && ledger.is_settled_in(debate.progress.cycle, filed.round)
}

/// The problem of an unusable reply, for the user.
pub(crate) fn reason(why: &Why) -> String {
    match why {
        Why::Turn | Why::Steered | Why::Again => String::new(),
        Why::Edited => "the file was edited by hand".to_owned(),
        Why::Unread => "Claude did not read the debate's file".to_owned(),
        Why::Empty => "the reply was empty".to_owned(),
        Why::Repeated => "the reply repeated the one before".to_owned(),
        Why::Unnumbered(next) => {
            let lacks = if next.is_first() { "" } else { "it has no claim and no move; " };
            format!("{lacks}number your claims: {}., {}., …", next.id(0), next.id(1))
        }
        Why::Incomplete(lacks) => incomplete(lacks),
    }
}

/// The parts that a synthesis lacks, for the user.
fn incomplete(lacks: &Lacks) -> String {
    let ids = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
    let said = |what: &str, ids: String| (!ids.is_empty()).then(|| format!("{what} {ids}"));
    let account = &lacks.account;
    let line = |is_missing: bool, line: &str| is_missing.then(|| format!("it lacks {line}"));
    let parts = [
        said("it left out", ids(&account.left_out)),
        said("nobody claimed", ids(&account.invented)),
        said("it contradicts itself or the debate on", ids(&account.contradictory)),
        account
            .lacks_verdict
            .then(|| "it lacks the line Verdict: do, do not or depends".to_owned()),
        line(account.lacks_rests_on, "Rests on"),
        line(!lacks.headings.is_empty(), &lacks.headings.join(", ")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// True for a reply to a phase that no longer waits. The time of a damaged file may differ between
/// two reads without a change to the file, so such a file never makes a reply late.
pub(crate) fn is_for_an_earlier_phase(
    reply: &Reply,
    state: &StateFile,
    repair: Option<&Repair>,
) -> bool {
    !repair.is_some_and(|repair| repair.damaged)
        && reply.asked_at != state.debate.progress.updated_at
}

/// The name in the archive of a reply that has no place in the transcript.
pub(crate) fn unfiled_name(state: &StateFile) -> String {
    format!("{}-unfiled", state.debate.id)
}

impl Filing<'_> {
    /// Saves a reply that no Stop could save: the lock was held, the disk was full, or the hook was
    /// killed. The reply is still in the client's transcript. `Some`: it was the synthesis.
    pub(crate) fn catch_up(
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
        let filed =
            file(&mut next, &reply, reading(&reply, locked.project()), self.context.world.now);
        self.note_beginning(&reply, &filed);
        match filed {
            Filed::Next { slot, words, .. } if words > 0 => {
                self.context.commit(locked, &next, &Change::Advance { filed: slot, words })?;
                self.context.add_note(Note::FiledLate { slot, words });
                *state = next;
                Ok(None)
            }
            Filed::Synthesis(text, ledger) => {
                *state = next;
                self.complete(locked, state, &text, &ledger, session)
                    .map(|completed| Some(Box::new(completed)))
            }
            // The seat is asked once more, as the Stop would have done.
            Filed::OutOfForm(_, text) => {
                self.keep_aside(locked, state, &text, Some(Aside::OutOfForm))?;
                *state = next;
                Ok(None)
            }
            Filed::Next { .. } | Filed::Again(_) | Filed::Unreadable | Filed::NoMore(_) => Ok(None),
        }
    }

    /// Keeps a reply in the archive that has no place in the transcript. `why`: the reason in the
    /// note; `None` adds no note, because the seat is asked once more.
    pub(crate) fn keep_aside(
        &self,
        locked: &Locked<'_>,
        state: &StateFile,
        text: &str,
        why: Option<Aside>,
    ) -> Result<()> {
        if !text.is_empty() {
            let kept = locked.write_to_archive(&unfiled_name(state), text)?;
            if let Some(why) = why {
                self.context
                    .add_note(Note::KeptAside { why, file: locked.project().display(&kept) });
            }
        }
        Ok(())
    }

    /// Notes that the beginning of a reply is missing. The note is true even if the state then
    /// can't be written.
    pub(crate) fn note_beginning(&self, reply: &Reply, filed: &Filed) {
        let is_filed = matches!(filed, Filed::Next { words: 1.., .. } | Filed::Synthesis(..));
        if is_filed && reply.beginning_missing {
            self.context.add_note(Note::BeginningMissing);
        }
    }

    /// Commits a debate with its new synthesis. `Reports::report_on` writes its reports when the
    /// lock is free again.
    pub(crate) fn complete(
        &self,
        locked: &Locked<'_>,
        state: &StateFile,
        synthesis: &str,
        ledger: &Ledger,
        session: &Session,
    ) -> Result<Completed> {
        let recommendation = Verdict::of(synthesis).first_sentence(synthesis);
        let project = locked.project().clone();
        // The reports may not take the space that the state needs. If this process dies in between,
        // they are due.
        History::new(self.context).note_review(locked, &state.debate, synthesis);
        locked.note_reports_due(&state.debate.id);
        self.context.commit(
            locked,
            state,
            &Change::Complete { words: transcript::count_words(synthesis) },
        )?;
        self.context.machine.forget(&session.id);
        Ok(Completed {
            id: state.debate.id.clone(),
            question: state.debate.question.clone(),
            recommendation,
            ledger: ledger.clone(),
            is_named: state.debate.options.output.is_some(),
            report: Err(Error::failed("the report is not written yet", "`anvil report` writes it")),
            page: None,
            project,
        })
    }
}
