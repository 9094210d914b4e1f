//! A request to a seat that has its own context, and what its reply changes in the debate. Pure.

use std::path::Path;

use jiff::Timestamp;

use crate::domain::debate::{Debate, FactCheck, Seat, Slot};
use crate::domain::ledger::{Ledger, Spoken};
use crate::domain::reply::{Reply, Usable};
use crate::domain::tasks::Place;
use crate::domain::transcript::{self, Entries};
use crate::engine::filing::{Filed, has_argument, judge};
use crate::error::Result;
use crate::seats::prompt::{self, Ask, Lacks, Next, Read, Why, missing_headings};
use crate::seats::{self, Shown};
use crate::storage::{AttemptGeneration, Generation, StateFile};

/// A request for one reply, or for one check of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub seat: Seat,
    pub slot: Slot,
    /// The name in records: `critic, round 2`, `judge 2`.
    pub name: String,
    /// The name for the user: `critic, round 2 of 3`.
    pub label: String,
    /// The state that a reply answers. A reply to another state is not saved in the debate.
    pub generation: AttemptGeneration,
    /// States that an earlier reply may answer, also at the request of another process.
    pub answers: Vec<Generation>,
    /// The program gets no other text.
    pub prompt: String,
    /// The request for a person. Empty for a check of facts.
    pub sheet: String,
    /// The current cycle has an argument, so a synthesis can be written.
    pub has_argument: bool,
    /// Number of judges that write the synthesis, each alone.
    pub judges: u8,
    /// Replies until the end, with this one.
    pub left: u32,
    /// Saved replies and judgments.
    pub filed: usize,
    /// `Some`: the request is a check of claims of the last round.
    pub check: Option<FactCheck>,
}

impl Request {
    /// False for a check of facts.
    pub fn is_synthesis(&self) -> bool {
        self.seat == Seat::Synthesizer && self.check.is_none()
    }
}

/// The turn that a reply answers: the step of the debate, and the number of requests for its phase.
pub(crate) fn generation_of(debate: &Debate) -> Generation {
    Generation::Turn(debate.into())
}

/// The state that a reply at this place answers.
pub(crate) fn answered(state: &StateFile, place: Place) -> Generation {
    if place.is_independent(&state.debate) {
        return Generation::Cycle(state.debate.progress.cycle);
    }
    match place.judge {
        Some(_) => Generation::Judgment(transcript::parse(&state.body).replies().count()),
        None => generation_of(&state.debate),
    }
}

/// The circumstances of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked<'a> {
    /// The seat's last reply, if that was not saved.
    pub(crate) before: Option<&'a str>,
    /// The seat can read the project's files.
    pub(crate) in_project: bool,
    /// Other replies are written at the same time, and the prompt shows none of them.
    pub(crate) is_alone: bool,
}

/// The request to the next seat. `most_tokens`: the limit for a seat's prompt.
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
    let cue = prompt::cue(
        debate,
        state_file,
        &Ask { why, read: Read::Nothing, steering: None, ledger: &ledger },
    );
    let shown = Shown {
        debate,
        entries: &entries,
        ledger: &ledger,
        cue: &cue,
        before,
        in_project,
        is_alone,
    };
    let slot = debate.progress.slot;
    Ok(Request {
        seat: slot.seat(),
        slot,
        name: debate.slot_name(),
        label: debate.slot_label(),
        generation: generation_of(debate).into(),
        answers: vec![generation_of(debate)],
        prompt: seats::prompt(&shown, most_tokens(slot.seat()))?,
        sheet: seats::sheet(&shown),
        has_argument: has_argument(state),
        judges: debate.judges(),
        left: debate.replies_left(),
        filed: entries.written().count(),
        check: None,
    })
}

/// Why the seat has to write this reply again.
fn why_again(state: &StateFile, entries: &Entries, before: &str) -> Why {
    match reply_of(state, before).usable(|text| transcript::ends_with(&state.body, text)) {
        Usable::Empty | Usable::EndMark => Why::Empty,
        Usable::Repeated => Why::Repeated,
        Usable::Text(text, _) if state.debate.progress.slot.seat() == Seat::Synthesizer => {
            let spoken = entries.replies().map(|(slot, reply)| Spoken {
                slot,
                cycle: reply.cycle,
                text: &reply.text,
            });
            let slot = state.debate.progress.slot;
            let last = Spoken { slot, cycle: state.debate.progress.cycle, text: &text };
            let account = Ledger::from_replies(spoken.chain([last])).checked(entries).shortfall();
            Why::Incomplete(Lacks { headings: missing_headings(&state.debate, &text), account })
        }
        Usable::Text(..) => {
            let ledger = Ledger::of_entries(entries);
            Why::Unnumbered(Next::for_seat(state.debate.progress.slot.seat(), &ledger))
        }
    }
}

/// Applies a reply to the state.
pub(crate) fn answer(state: &mut StateFile, text: &str, now: Timestamp) -> Filed {
    let reply = reply_of(state, text);
    judge(state, &reply, now)
}

fn reply_of(state: &StateFile, text: &str) -> Reply {
    let phase_began = state.debate.progress.updated_at;
    Reply { phase_began, texts: vec![text.to_owned()], ..Reply::default() }
}
