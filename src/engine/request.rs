//! A request: what one seat is asked that is filled by itself, and what its answer does to the debate. Pure.

use std::path::Path;

use jiff::Timestamp;

use super::filing::{Filed, reason};
use super::judging::{Judged, judge};
use super::steer::has_argument;
use crate::debate::{Debate, FactCheck, Seat, Slot};
use crate::error::Result;
use crate::ledger::{Ledger, Spoken};
use crate::prompt::{self, Ask, Lacks, Next, Read, Why, missing_headings};
use crate::reply::{Reply, Usable};
use crate::seats::{self, Shown};
use crate::state::StateFile;
use crate::transcript::{self, Entries};

/// What a seat is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who writes.
    pub seat: Seat,
    /// What.
    pub slot: Slot,
    /// The same on record: `critic, round 2`, `judge 2`.
    pub name: String,
    /// The same for the user: `critic, round 2 of 3`.
    pub label: String,
    /// The state of the debate that is asked about. What answers another one is not filed.
    pub generation: String,
    /// The states of it that a reply may answer which was received before, from whoever asked.
    pub answers: Vec<String>,
    /// The whole prompt.
    pub prompt: String,
    /// Something is argued that a synthesis could be written of.
    pub has_argument: bool,
    /// How many write the synthesis, each for itself.
    pub judges: u8,
    /// Replies to the end, this one among them.
    pub left: u32,
    /// Replies and judgments that are filed.
    pub filed: usize,
    /// It is no reply of the debate: claims of the last round are checked.
    pub check: Option<FactCheck>,
}

impl Request {
    /// Whether the synthesis is asked for.
    #[must_use]
    pub fn is_synthesis(&self) -> bool {
        self.seat == Seat::Synthesizer && self.check.is_none()
    }
}

/// What an answer did.
#[derive(Debug)]
pub(crate) enum Answered {
    /// It is one of several judgments, and another judge is next.
    Judged {
        /// Which judge, counted from 1.
        judge: u8,
        /// Its words.
        words: usize,
    },
    /// It is filed; another seat is next.
    Next {
        /// Whose reply.
        slot: Slot,
        /// Its words.
        words: usize,
        /// Its round has settled the argument.
        is_settled: bool,
    },
    /// It is the synthesis, or the judgment that makes it.
    Synthesis(String, Box<Ledger>),
    /// It is not filed, and the same seat is asked once more.
    Again {
        /// What is wrong with it.
        why: String,
        /// Its text, where it lacks only its form.
        text: String,
    },
    /// Nor is it filed, and the seat has had its chances.
    Failed,
}

/// The state of a debate that a reply answers: its step, and how often its phase was asked for.
pub(crate) fn generation_of(debate: &Debate) -> String {
    let form = if debate.progress.form_retry { "f" } else { "" };
    format!("{}.{}{form}", debate.progress.step, debate.progress.retry_count)
}

/// How a seat is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked<'a> {
    /// What it wrote last, where that was not filed.
    pub(crate) before: Option<&'a str>,
    /// It has the project's files to read.
    pub(crate) in_project: bool,
    /// It is written beside other replies, and is shown none of them.
    pub(crate) is_alone: bool,
}

/// What the seat is asked that is next.
pub(crate) fn request(
    state: &StateFile,
    state_file: &Path,
    asked: Asked<'_>,
    most_tokens: impl Fn(Seat) -> usize,
) -> Result<Request> {
    let Asked { before, in_project, is_alone } = asked;
    let debate = &state.debate;
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries);
    let why = before.map_or(Why::Turn, |before| why_again(state, &entries, before));
    let cue = prompt::cue(debate, state_file, &Ask { why, read: Read::Nothing, steering: None, ledger: &ledger });
    let shown = Shown { debate, entries: &entries, ledger: &ledger, cue: &cue, before, in_project, is_alone };
    let slot = debate.progress.slot;
    Ok(Request {
        seat: slot.seat(),
        slot,
        name: debate.slot_name(),
        label: debate.slot_label(),
        generation: generation_of(debate),
        answers: vec![generation_of(debate)],
        prompt: seats::prompt(&shown, most_tokens(slot.seat()))?,
        has_argument: has_argument(state),
        judges: debate.judges(),
        left: debate.replies_left(),
        filed: entries.written().count(),
        check: None,
    })
}

/// Why the seat is asked once more after it wrote this.
fn why_again(state: &StateFile, entries: &Entries, before: &str) -> Why {
    match reply_of(state, before).usable(|text| transcript::ends_with(&state.body, text)) {
        Usable::Empty | Usable::EndMark => Why::Empty,
        Usable::Repeated => Why::Repeated,
        Usable::Text(text, _) if state.debate.progress.slot.seat() == Seat::Synthesizer => {
            let spoken = entries.replies().map(|(slot, reply)| Spoken { slot, cycle: reply.cycle, text: &reply.text });
            let slot = state.debate.progress.slot;
            let last = Spoken { slot, cycle: state.debate.progress.cycle, text: &text };
            let account = Ledger::of(spoken.chain([last])).checked(entries).shortfall();
            Why::Incomplete(Lacks { headings: missing_headings(&state.debate, &text), account })
        }
        Usable::Text(..) => {
            let ledger = Ledger::of_entries(entries);
            Why::Unnumbered(Next::of(state.debate.progress.slot.seat(), &ledger))
        }
    }
}

/// Does to a state what an answer means.
pub(crate) fn answer(state: &mut StateFile, text: &str, now: Timestamp) -> Answered {
    let filed = match judge(state, &reply_of(state, text), now) {
        Judged::Kept { judge, words } => return Answered::Judged { judge, words },
        Judged::Filed(filed) => filed,
    };
    match filed {
        Filed::Next { slot, words, is_settled, .. } => Answered::Next { slot, words, is_settled },
        Filed::Synthesis(text, ledger) => Answered::Synthesis(text, ledger),
        Filed::OutOfForm(why, text) => Answered::Again { why: reason(&why), text },
        Filed::Again(why) => Answered::Again { why: reason(&why), text: String::new() },
        Filed::NoMore(_) | Filed::Unreadable => Answered::Failed,
    }
}

fn reply_of(state: &StateFile, text: &str) -> Reply {
    let asked_at = state.debate.progress.updated_at;
    Reply { asked_at, texts: vec![text.to_owned()], ..Reply::default() }
}
