//! A request to a seat that has its own context, and what its reply changes in the debate. Pure.

use std::path::Path;

use jiff::Timestamp;

use crate::filing::{
    Interpretation, Reading, has_argument, impossible_changes, interpret, ledger_with,
};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::debate::Debate;
use anvil_core::ledger::{Ledger, Revision, has_item};
use anvil_core::options::FactCheck;
use anvil_core::place::{Place, Seat};
use anvil_core::reply::{Reply, ReplyUse, WrittenReply};
use anvil_core::transcript::{self, Entries};
use anvil_prompt::PromptParts;
use anvil_prompt::prompt::{self, Ask, Next, Read, Why};
use anvil_store::StateFile;
use anvil_text::error::Result;

/// A request for one reply, or for one check of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The seat in records: all judges are synthesizers.
    pub seat: Seat,
    pub place: Place,
    /// The reply in records: `critic, round 2`, `judge 2`.
    pub slot: Slot,
    /// The name for the user: `critic, round 2 of 3`.
    pub label: String,
    /// The state that a reply answers. A reply to another state is not saved in the debate.
    pub generation: Generation,
    /// States that an earlier reply may answer.
    pub answers: Vec<Generation>,
    /// The program gets no other text.
    pub prompt: String,
    /// The request for a person. Empty for a check of facts.
    pub sheet: String,
    /// The seat's last reply to it is there, and was not saved.
    pub is_again: bool,
    /// The current cycle has an argument, so a synthesis can be written.
    pub has_argument: bool,
    /// Number of judges that write the synthesis, each alone.
    pub judges: u8,
    /// Replies until the end, with this one.
    pub left: u32,
    /// Saved replies and judgments.
    pub saved_replies: usize,
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
pub fn generation_of(debate: &Debate) -> Generation {
    Generation::Turn(debate.into())
}

/// The state that the next reply answers, as the head alone shows it: that of a judge needs the
/// transcript.
pub(crate) fn generation_at_head(debate: &Debate) -> Generation {
    if debate.is_independent(debate.next_place()) {
        Generation::Cycle(debate.cycle())
    } else {
        generation_of(debate)
    }
}

/// The state that a reply at this place answers.
pub(crate) fn answer_generation(state: &StateFile, place: Place) -> Generation {
    if state.debate.is_independent(place) {
        return Generation::Cycle(state.debate.cycle());
    }
    // The other judges judge the same text while one writes its block once more.
    let writes_block = state.debate.awaits_block() && place == state.debate.next_place();
    if place.seat.judge().is_none() || writes_block {
        return generation_of(&state.debate);
    }
    Generation::Judgment(transcript::parse(&state.body).replies().count())
}

/// The circumstances of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestOptions<'a> {
    /// The seat's last reply, if that was not saved.
    pub before: Option<&'a str>,
    /// The seat can read the project's files.
    pub in_project: bool,
    /// Other replies are written at the same time, and the prompt shows none of them.
    pub is_alone: bool,
}

/// The request to the next seat. `most_tokens`: the limit for the prompt of a place.
pub fn request(
    state: &StateFile,
    state_file: &Path,
    options: RequestOptions<'_>,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Request> {
    let RequestOptions { before, in_project, is_alone } = options;
    let debate = &state.debate;
    let mut entries = transcript::parse(&state.body);
    let saved = entries.originals().count();
    if debate.place().is_attack() {
        entries.hide_attacks(debate.cycle());
    }
    let awaits_block = debate.awaits_block();
    // A judgment is a note, so the ledger has its faults only if it is read as the synthesis.
    let judgment = entries.originals().last().filter(|_| awaits_block && debate.judge().is_some());
    let mut ledger = match judgment {
        Some(judgment) => ledger_with(state, &judgment.text),
        None => Ledger::of_entries(&entries, &debate.alternatives()),
    };
    ledger.unanswered = Revision::of_entries(&entries, &ledger).map_or(Vec::new(), |revision| {
        revision.unanswered_objections().map(|one| one.id).collect()
    });
    // A seat that sees no other reply has none to answer.
    let answered = if is_alone && !awaits_block { &Ledger::default() } else { &ledger };
    let why = before.map_or(Why::Turn, |before| why_again(state, &entries, before));
    let ask = Ask { why, read: Read::Nothing, steering: None, ledger: answered };
    let cue = prompt::cue(debate, state_file, &ask);
    let shown = PromptParts {
        debate,
        entries: &entries,
        ledger: &ledger,
        cue: &cue,
        before,
        in_project,
        is_alone,
    };
    Ok(Request {
        seat: debate.place().seat,
        place: debate.next_place(),
        slot: debate.next_place().into(),
        label: debate.place_label(),
        generation: generation_of(debate),
        answers: vec![generation_of(debate)],
        prompt: anvil_prompt::prompt(&shown, most_tokens(debate.next_place()))?,
        sheet: anvil_prompt::sheet(&shown),
        is_again: before.is_some(),
        has_argument: has_argument(state),
        judges: debate.judges(),
        left: debate.replies_left(),
        saved_replies: saved,
        check: None,
    })
}

/// Why the seat has to write this reply again.
fn why_again(state: &StateFile, entries: &Entries, before: &str) -> Why {
    match reply_of(state, before.into()).decide_use(|text| transcript::ends_with(&state.body, text))
    {
        ReplyUse::Empty | ReplyUse::EndMark => Why::Empty,
        ReplyUse::Repeated => Why::Repeated,
        ReplyUse::Text(..) => {
            let ledger = Ledger::of_entries(entries, &state.debate.alternatives());
            let place = state.debate.place();
            if place.is_attack() && has_item(before, place.seat) {
                return Why::TooFewAttacked;
            }
            if let Some(why) =
                impossible_changes(state, &ledger, before).filter(|_| has_item(before, place.seat))
            {
                return why;
            }
            Why::Unnumbered(Next::for_seat(place.seat, &ledger))
        }
    }
}

/// Applies a reply to the state.
pub fn answer(state: &mut StateFile, written: WrittenReply<'_>, now: Timestamp) -> Interpretation {
    let reply = reply_of(state, written);
    interpret(state, &reply, Reading::Done, now)
}

/// The reply of a seat, as one that came in time.
pub(crate) fn reply_of(state: &StateFile, written: WrittenReply<'_>) -> Reply {
    Reply {
        phase_began: state.debate.updated_at(),
        texts: vec![written.text.to_owned()],
        author: written.author.cloned(),
        is_final: written.limit.is_some(),
        ..Reply::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::options::{Mode, Named};
    use anvil_core::transcript::{Author, Entry, EntryKind, NoteKind};
    use anvil_prompt::check_prompt;

    /// Every name of an author begins with it.
    const CANARY: &str = "canary";

    fn debates() -> Vec<Debate> {
        let debate = || Debate::new("id".into(), "Why?".into(), 2, Timestamp::UNIX_EPOCH);
        let named = |name: &str| Named { name: name.into(), text: None };
        let mut all = vec![debate(), debate(), debate(), debate(), debate()];
        all[1].options.blind = true;
        all[2].options.judges = 3;
        all[3].options.mode = Mode::Stakeholders;
        all[3].options.voices = ["sales", "ops", "legal"].map(named).to_vec();
        all[3].options.max_rounds = 3;
        all[4].options.voices = ["steve-jobs", "elon-musk"].map(named).to_vec();
        all[4].set_cycle(2);
        all
    }

    fn authored(state: &StateFile, what: EntryKind, text: &str) -> Entry {
        let names = [" agent", " model", " family"].map(|name| format!("{CANARY}{name}"));
        let [agent, model, family] = names.each_ref().map(String::as_str);
        let author = Author::new(agent, Some(model), Some(family)).instead_of(agent);
        let place = state.debate.place();
        let voice = state.debate.voice_at(place).map(|voice| voice.name.clone());
        Entry { voice, author: Some(author), ..Entry::new(what, Timestamp::UNIX_EPOCH, text) }
    }

    fn requests(state: &StateFile) -> Vec<String> {
        let mut all = Vec::new();
        for before in [None, Some("No claim."), Some("")] {
            for (in_project, is_alone) in [(false, false), (true, false), (false, true)] {
                let asked = RequestOptions { before, in_project, is_alone };
                for most_tokens in [100_000, 1_500] {
                    let path = Path::new("/p/state.md");
                    if let Ok(request) = request(state, path, asked, |_| most_tokens) {
                        all.extend([request.prompt, request.sheet]);
                    }
                }
            }
        }
        all
    }

    #[test]
    fn no_request_says_who_wrote_another_reply() {
        let mut count = 0;
        for debate in debates() {
            let mut state = StateFile::new(debate);
            let schedule = state.debate.schedule();
            for place in schedule.places() {
                state.debate.move_to(place);
                for judge in 0..state.debate.options.judges {
                    let prompts = requests(&state);
                    count += prompts.len();
                    for prompt in prompts {
                        assert!(!prompt.contains(CANARY), "{prompt}");
                    }
                    if place.seat != Seat::Synthesizer || judge + 1 == state.debate.judges() {
                        break;
                    }
                    authored(
                        &state,
                        EntryKind::Note(NoteKind::Judgment),
                        "**Recommendation:** No.",
                    )
                    .append_to(&mut state.body);
                    state.debate.count_judgment();
                }
                let text = "**A1. So.** It is [evidence: a.md].\n\n**Attacks C1:** \"no\" and so.";
                authored(&state, EntryKind::Reply(place), text).append_to(&mut state.body);
            }
            assert!(state.body.contains(CANARY));
            let entries = transcript::parse(&state.body);
            let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
            let claims: Vec<_> =
                ledger.claims.iter().map(|claim| (claim, entries.0[0].text.clone())).collect();
            let check = check_prompt("Why?", &claims, FactCheck::Files, true);
            assert!(!check.contains(CANARY), "{check}");
        }
        assert!(count > 400, "{count}");
    }
}
