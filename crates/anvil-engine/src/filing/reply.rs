//! Applies a reply or a judgment to the state of a debate. Pure.

use jiff::Timestamp;

use super::reading::Reading;
use super::steering::has_argument;
use anvil_core::debate::{
    Advance, Debate, DebateOption, Mode, Place, Progress, Seat, Signal, advance, motion,
};
use anvil_core::document::{Change, Revision};
use anvil_core::ledger::{
    Id, Ledger, Spoken, Synthesis, block_of, compose, has_item, is_numbered, spoken,
};
use anvil_core::reply::{Reply, Usable};
use anvil_core::transcript::{self, Entry, Kind, What};
use anvil_prompt::prompt::{Next, Why};
use anvil_store::StateFile;

/// What a reply means: its effect on the state. Pure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpretation {
    /// The reply is a section now; the next phase waits.
    Next {
        /// The place of the reply. Of a judge: another one is next.
        place: Place,
        /// Words of the reply; 0 if the phase had nothing to add.
        words: usize,
        /// The reply has settled the argument before its last round.
        is_settled: bool,
        /// The claims, with those of the reply. `None`: nothing was added.
        ledger: Option<Box<Ledger>>,
    },
    /// The reply is a synthesis or a judgment, and saved. Its block is asked for once more.
    Block { place: Place, words: usize, ledger: Box<Ledger> },
    /// The reply is the synthesis: its text, and the claims as it leaves them.
    Synthesis(String, Box<Ledger>),
    /// The reply is not usable, or lacks a part that a program reads; the phase still waits. The
    /// text belongs aside; empty: nothing does.
    Again(Why, String),
    /// The reply was written without the debate's file, which could not be read.
    Unreadable,
    /// The reply is not usable, for this reason, and the phase has no retry left.
    NoMore(Why),
}

/// Applies a reply to the state. Pure; nothing else of the state changes.
pub(crate) fn file(
    state: &mut StateFile,
    reply: &Reply,
    reading: Reading,
    now: Timestamp,
) -> Interpretation {
    if reading == Reading::Done {
        state.debate.require_read(false);
    }
    if state.debate.progress.awaits_block {
        return repeat(state, reply, now);
    }
    let Some(mut meant) = meaning(state, reply, reading) else { return Interpretation::Unreadable };
    if meant.text.is_empty() {
        return follow(state, reply, meant, None, now);
    }
    state.debate.require_read(false);
    let ledger = ledger_with(state, &meant.text);
    if state.debate.progress.place.seat == Seat::Synthesizer {
        // After a plan, Claude may be editing already.
        let may_ask = !reply.is_final && reply.after_plan.is_none();
        if may_ask && !ledger.faults_of_block().is_empty() {
            meant.signal = Signal::WrongBlock;
        }
    } else if let Some(why) =
        out_of_form(state, &ledger, &meant.text, reply).filter(|_| meant.signal == Signal::Saved)
    {
        (meant.signal, meant.why) = (Signal::OutOfForm, why);
    } else {
        meant.signal = ending(state, &ledger, &meant);
    }
    follow(state, reply, meant, Some(Box::new(ledger)), now)
}

struct Meaning {
    /// The text to save; empty if there is none.
    text: String,
    signal: Signal,
    /// The reason, if the reply is not usable.
    why: Why,
}

/// `None`: Claude wrote the reply without the debate's file, because the Read of it failed.
fn meaning(state: &StateFile, reply: &Reply, reading: Reading) -> Option<Meaning> {
    let meant = |text, signal, why| Some(Meaning { text, signal, why });
    let unusable = |why| meant(String::new(), Signal::Unusable, why);
    let is_blind = state.debate.ownership.must_read && reading != Reading::Unknown;
    match reply.usable(|text| transcript::ends_with(&state.body, text)) {
        Usable::Text(..) | Usable::EndMark if is_blind && reading == Reading::Failed => None,
        Usable::Text(..) | Usable::EndMark if is_blind => unusable(Why::Unread),
        Usable::Text(text, signal) => meant(text, signal, Why::Turn),
        // A seat can end an argument that has begun; of a document, only the critic.
        Usable::EndMark
            if state.debate.may_end_early()
                && state.debate.progress.place.seat != Seat::Synthesizer
                && has_argument(state)
                && !answers_for_document(&state.debate) =>
        {
            meant(String::new(), Signal::SavedAsLast, Why::Turn)
        }
        Usable::EndMark | Usable::Empty => unusable(Why::Empty),
        Usable::Repeated => unusable(Why::Repeated),
    }
}

/// Moves the debate to the place that the signal leads to, and adds the text as a section.
fn follow(
    state: &mut StateFile,
    reply: &Reply,
    Meaning { text, signal, why }: Meaning,
    ledger: Option<Box<Ledger>>,
    now: Timestamp,
) -> Interpretation {
    let place = state.debate.progress.place;
    let voice = state.debate.voice_at(place).map(|voice| voice.name.clone());
    let task = state.debate.schedule().task(place);
    let append = |body: &mut String| {
        let entry = Entry {
            voice,
            task,
            author: reply.author.clone(),
            beginning_missing: reply.beginning_missing,
            ..Entry::new(What::Reply(place), now, text.as_str())
        };
        entry.append_to(body)
    };
    let debate = &mut state.debate;
    debate.touch(now);
    let other = take_motion(debate, &text);
    match advance(place, debate.schedule(), debate.progress.retry_count, signal) {
        Advance::To(next) => {
            debate.move_to(next);
            if let Some(note) = other {
                let entry = Entry::new(What::Note(Kind::Noted), now, note);
                Entry { author: reply.author.clone(), ..entry }.append_to(&mut state.body);
            }
            let words = if text.is_empty() { 0 } else { append(&mut state.body) };
            // Judgments before a reply judge the argument without it, so they no longer count.
            debate.follow_judgments(if words == 0 { debate.progress.judgments } else { 0 });
            Interpretation::Next { place, words, is_settled: signal == Signal::Settled, ledger }
        }
        Advance::Block => {
            let words = append(&mut state.body);
            debate.await_block();
            Interpretation::Block { place, words, ledger: ledger.unwrap_or_default() }
        }
        Advance::Complete => {
            debate.move_to(place);
            debate.complete(now);
            append(&mut state.body);
            Interpretation::Synthesis(text, ledger.unwrap_or_default())
        }
        Advance::Retry(count) => {
            debate.retry(count);
            if signal == Signal::OutOfForm {
                debate.retry_for_form();
            }
            let aside = if why == Why::Unread { reply.whole().0 } else { text };
            Interpretation::Again(why, aside)
        }
        Advance::Fail => {
            debate.fail(reason(&why));
            Interpretation::NoMore(why)
        }
    }
}

/// Takes the motion that an opening states, if the debate has none. Returns a note about another
/// one.
fn take_motion(debate: &mut Debate, text: &str) -> Option<String> {
    let stated = motion::of_reply(text).filter(|_| debate.is_place_of_motion())?;
    let Some(known) = debate.motion() else {
        debate.options.motion = Some(stated);
        return None;
    };
    let seat = debate.progress.place.seat;
    let is_other = motion::is_other(known, &stated);
    is_other.then(|| format!("The motion is \"{known}\"; {seat} states another: \"{stated}\"."))
}

/// Applies a reply of a seat with its own context to the state. A judgment is checked like the
/// synthesis of a single judge.
pub(crate) fn judge(state: &mut StateFile, reply: &Reply, now: Timestamp) -> Interpretation {
    let Some(judge) = state.debate.judge().filter(|_| !state.debate.progress.awaits_block) else {
        return file(state, reply, Reading::Done, now);
    };
    let mut alone = state.clone();
    let (text, wrong) = match file(&mut alone, reply, Reading::Done, now) {
        Interpretation::Synthesis(text, _) => (text, None),
        Interpretation::Block { ledger, .. } => (reply.whole().0, Some(ledger)),
        other => {
            *state = alone;
            return other;
        }
    };
    let judgment = Entry::new(What::Note(Kind::Judgment), now, text);
    let words = Entry { author: reply.author.clone(), ..judgment }.append_to(&mut state.body);
    state.debate.count_judgment();
    state.debate.touch(now);
    if let Some(ledger) = wrong {
        state.debate.await_block();
        let place = judge_at(state, judge);
        return Interpretation::Block { place, words, ledger };
    }
    judged(state, judge, words, now)
}

fn judge_at(state: &StateFile, judge: u8) -> Place {
    Place { seat: Seat::Judge(judge), ..state.debate.progress.place }
}

/// The judgment of this judge is saved with its block: another judge is next, or the synthesis is
/// composed.
fn judged(state: &mut StateFile, judge: u8, words: usize, now: Timestamp) -> Interpretation {
    if judge < state.debate.judges() && judge < state.debate.options.judges {
        let place = judge_at(state, judge);
        return Interpretation::Next { place, words, is_settled: false, ledger: None };
    }
    let entries = transcript::parse(&state.body);
    let among = state.debate.alternatives();
    let claims: Vec<Id> =
        Ledger::of_entries(&entries, &among).claims.iter().map(|claim| claim.id).collect();
    let judgments: Vec<(&str, &str)> = entries
        .judgments()
        .map(|judgment| (judgment.text.as_str(), entries.block_text(judgment)))
        .collect();
    let synthesis = compose(&claims, &judgments, &among);
    transcript::append(&mut state.body, state.debate.progress.place, None, now, &synthesis);
    state.debate.complete(now);
    let ledger = Ledger::of_entries(&transcript::parse(&state.body), &among);
    Interpretation::Synthesis(synthesis, Box::new(ledger))
}

/// Takes the block that was asked for once more. Without a block that says more than the first one,
/// the debate ends with what the first reply gives.
fn repeat(state: &mut StateFile, reply: &Reply, now: Timestamp) -> Interpretation {
    let judge = state.debate.judge();
    let entries = transcript::parse(&state.body);
    let first = entries.written().last().map(|last| last.text.clone()).unwrap_or_default();
    let mut words = 0;
    if let Some(block) = block_to_take(state, &first, reply) {
        let note = Entry::new(What::Note(Kind::VerdictBlock), now, block);
        words = Entry { author: reply.author.clone(), ..note }.append_to(&mut state.body);
    }
    state.debate.touch(now);
    state.debate.advance_step();
    if let Some(judge) = judge {
        return judged(state, judge, words, now);
    }
    state.debate.complete(now);
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    Interpretation::Synthesis(first, Box::new(ledger))
}

/// The block of a repeat, if it is a readable one and does not lose the first reply's verdict.
fn block_to_take(state: &StateFile, first: &str, reply: &Reply) -> Option<String> {
    let among = state.debate.alternatives();
    let block = block_of(&reply.whole().0)?;
    let has_verdict = |text: &str| Synthesis::parse(text, &among).verdict.is_ok();
    let is_new = block_of(first).as_ref() != Some(&block);
    (is_new && (has_verdict(&block) || !has_verdict(first))).then_some(block)
}

/// What a reply that repeats a block has besides the block. It has no place in the transcript.
pub(crate) fn beside_block(state: &StateFile, reply: &Reply) -> String {
    if !state.debate.progress.awaits_block {
        return String::new();
    }
    let whole = reply.whole().0;
    let entries = transcript::parse(&state.body);
    let first = entries.written().last().map(|last| last.text.clone()).unwrap_or_default();
    match block_to_take(state, &first, reply) {
        Some(block) if block.trim() == whole.trim() => String::new(),
        _ => whole,
    }
}

/// The claims of a debate, with those of a reply that is not saved yet.
pub(crate) fn ledger_with(state: &StateFile, text: &str) -> Ledger {
    let entries = transcript::parse(&state.body);
    let Progress { place, cycle, .. } = state.debate.progress;
    let replies = spoken(&entries).chain([Spoken::new(place, cycle, text)]);
    // An objection's weight stands in its whole text.
    let is_whole = place.seat == Seat::Synthesizer || state.debate.options.mode == Mode::Revise;
    let ledger = if is_whole {
        Ledger::from_replies(replies, &state.debate.alternatives())
    } else {
        Ledger::for_cue(replies)
    };
    ledger.checked(&entries)
}

/// The parts that a program can't find in a reply. `None`: no part is missing, or the seat has
/// already had its retry for the form.
fn out_of_form(state: &StateFile, ledger: &Ledger, text: &str, reply: &Reply) -> Option<Why> {
    let debate = &state.debate;
    let Progress { place, cycle, form_retry, synthesis_requested, .. } = debate.progress;
    if form_retry || reply.is_final {
        return None;
    }
    match place.seat {
        Seat::Synthesizer | Seat::Judge(_) => None,
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            let voice = place.seat.is_voice();
            let is_attack = place.is_attack();
            let answers = answers_for_document(debate);
            let is_first = cycle == 1 && !is_attack && !answers && (place.number() == 1 || voice);
            let seat = place.seat;
            // If the debate has no numbered claims, a later reply needs none.
            let lacks_claim = || !ledger.claims.iter().any(|claim| claim.id.seat() == seat);
            let is_out = if is_first {
                !is_numbered(text, seat) || debate.options.mode == Mode::Revise && lacks_claim()
            } else {
                !ledger.claims.is_empty() && !has_item(text, seat)
            };
            // A missing beginning may hold a number. A user who requested the synthesis does not
            // wait for a retry.
            let may_ask = !reply.beginning_missing && !synthesis_requested;
            if may_ask && !is_out && is_attack && ledger.attacks_too_few() {
                return Some(Why::TooFewAttacked);
            }
            if may_ask && !is_out && answers {
                return unmade(state, ledger, text);
            }
            (may_ask && is_out).then(|| Why::Unnumbered(Next::for_seat(seat, ledger)))
        }
    }
}

/// The changes of the document in a reply that can't be made.
pub(crate) fn unmade(state: &StateFile, ledger: &Ledger, text: &str) -> Option<Why> {
    let entries = transcript::parse(&state.body);
    let revision =
        Revision::of_entries(&entries, ledger).filter(|_| answers_for_document(&state.debate))?;
    let changes = (1..).zip(revision.changes_of(text));
    let fault = |(number, change): (usize, Change)| {
        Some(format!("change {number} {}", change.line.err()?.reason()))
    };
    let faults: Vec<String> = changes.filter_map(fault).collect();
    (!faults.is_empty()).then_some(Why::Unmade(faults))
}

/// True at the place of the advocate of a document that is revised.
fn answers_for_document(debate: &Debate) -> bool {
    debate.options.mode == Mode::Revise && debate.progress.place.seat == Seat::Advocate
}

/// Decides whether a reply is the last one before the synthesis: the user requested the synthesis,
/// or the reply has settled the argument. If the user steers round by round, the user decides.
fn ending(state: &StateFile, ledger: &Ledger, meant: &Meaning) -> Signal {
    let debate = &state.debate;
    let asks = debate.options.is(DebateOption::Interactive) || debate.progress.steering.is_some();
    match meant.signal {
        Signal::Saved if debate.progress.synthesis_requested => Signal::SavedAsLast,
        // The critic decides when a document is good enough.
        Signal::SavedAsLast
            if (answers_for_document(debate) || !debate.may_end_early())
                && !debate.progress.synthesis_requested =>
        {
            Signal::Saved
        }
        Signal::Saved
            if debate.options.is(DebateOption::EarlyEnd)
                && debate.may_end_early()
                && !asks
                && is_settled(state, ledger, &meant.text) =>
        {
            Signal::Settled
        }
        other => other,
    }
}

/// True if the reply leaves nothing to argue: it ends a round before the last one, or it is the
/// critic's and no objection to the document blocks.
fn is_settled(state: &StateFile, ledger: &Ledger, text: &str) -> bool {
    let debate = &state.debate;
    let filed = debate.progress.place;
    let schedule = debate.schedule();
    if debate.options.mode == Mode::Revise {
        let revision = Revision::of_entries(&transcript::parse(&state.body), ledger);
        return filed.seat == Seat::Critic
            && has_item(text, filed.seat)
            && revision.is_some_and(|revision| {
                !revision.objections.is_empty() && revision.standing().next().is_none()
            });
    }
    schedule.closes(filed)
        && filed.number() < schedule.max_rounds
        && ledger.is_settled_in(debate.progress.cycle, filed.number())
}

/// The problem of an unusable reply, for the user.
pub fn reason(why: &Why) -> String {
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
        Why::Unmade(faults) => faults.join("; "),
        Why::TooFewAttacked => "it attacks fewer than two other options".to_owned(),
    }
}
