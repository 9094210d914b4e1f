//! Interprets a reply or a judgment, and applies it to the state of a debate. Pure.

use jiff::Timestamp;

use super::reading::Reading;
use super::steering::has_argument;
use anvil_core::debate::{Debate, StopReason};
use anvil_core::ledger::{
    Ledger, LedgerReply, Revision, block_of, compose, has_item, is_numbered, ledger_replies,
};
use anvil_core::options::Mode;
use anvil_core::place::{Advance, Place, Seat, Signal, advance};
use anvil_core::question::motion;
use anvil_core::reply::{Reply, ReplyUse};
use anvil_core::transcript::{self, Entry, EntryKind, NoteKind};
use anvil_prompt::prompt::{Next, Why};
use anvil_store::StateFile;

/// The effect of a reply on the state.
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
        /// The reply is out of form, and accepted because it is the last try.
        is_form_accepted: bool,
        /// The claims, with those of the reply. `None`: nothing was added.
        ledger: Option<Box<Ledger>>,
    },
    /// The reply is a synthesis or a judgment, and saved. Its block has to be written again.
    Block { place: Place, words: usize, ledger: Box<Ledger> },
    /// The reply is the synthesis.
    Synthesis {
        text: String,
        /// Its block has faults, and is accepted because it is the last try.
        is_form_accepted: bool,
        /// The claims as the synthesis leaves them.
        ledger: Box<Ledger>,
    },
    /// The reply is not usable, or lacks a part that a program reads; the phase still waits. The
    /// text is to be put aside; it can be empty.
    Again(Why, String),
    /// The reply is not usable, for this reason, and the phase has no retry left.
    NoMore(Why),
}

impl Interpretation {
    /// True if a text of the reply is in the transcript now.
    pub(crate) fn is_saved(&self) -> bool {
        match self {
            Self::Next { words, .. } => *words > 0,
            Self::Block { .. } | Self::Synthesis { .. } => true,
            Self::Again(..) | Self::NoMore(_) => false,
        }
    }

    /// True if the reply is out of form, and accepted because it is the last try.
    pub(crate) fn is_form_accepted(&self) -> bool {
        match self {
            Self::Next { is_form_accepted, .. } | Self::Synthesis { is_form_accepted, .. } => {
                *is_form_accepted
            }
            Self::Block { .. } | Self::Again(..) | Self::NoMore(_) => false,
        }
    }
}

/// Applies a reply of any writer to the state. `reading`: what came of the Read that the request
/// required; a prompt of its own requires none. A judgment is checked like the synthesis of a
/// single judge.
pub(crate) fn interpret(
    state: &mut StateFile,
    reply: &Reply,
    reading: Reading,
    now: Timestamp,
) -> Interpretation {
    let Some(judge) = state.debate.judge().filter(|_| !state.debate.awaits_block()) else {
        return interpret_section(state, reply, reading, now);
    };
    let mut alone = state.clone();
    let (text, wrong, is_form_accepted) = match interpret_section(&mut alone, reply, reading, now) {
        Interpretation::Synthesis { text, is_form_accepted, .. } => (text, None, is_form_accepted),
        Interpretation::Block { ledger, .. } => (reply.whole().0, Some(ledger), false),
        other => {
            *state = alone;
            return other;
        }
    };
    let judgment = Entry::new(EntryKind::Note(NoteKind::Judgment), now, text);
    let words = Entry { author: reply.author.clone(), ..judgment }.append_to(&mut state.body);
    state.debate.count_judgment();
    state.debate.touch(now);
    if let Some(ledger) = wrong {
        state.debate.await_block();
        let place = judge_at(state, judge);
        return Interpretation::Block { place, words, ledger };
    }
    after_judgment(state, Judged { judge, words, is_form_accepted }, now)
}

fn interpret_section(
    state: &mut StateFile,
    reply: &Reply,
    reading: Reading,
    now: Timestamp,
) -> Interpretation {
    if reading == Reading::Done {
        state.debate.require_read(false);
    }
    if state.debate.awaits_block() {
        return take_block(state, reply, now);
    }
    let mut assessed = assess(state, reply, reading);
    if assessed.text.is_empty() {
        return apply_signal(state, reply, assessed, None, now);
    }
    state.debate.require_read(false);
    let ledger = ledger_with(state, &assessed.text);
    if state.debate.place().seat == Seat::Synthesizer {
        // After a plan, Claude may be editing already.
        let is_wrong = reply.after_plan.is_none() && !ledger.faults_of_block().is_empty();
        if is_wrong && !reply.is_final {
            assessed.signal = Signal::WrongBlock;
        }
        assessed.is_form_accepted = is_wrong && reply.is_final;
    } else {
        let lacking = out_of_form(state, &ledger, &assessed.text, reply)
            .filter(|_| assessed.signal == Signal::Saved);
        assessed.is_form_accepted = lacking.is_some() && reply.is_final;
        match lacking.filter(|_| !reply.is_final) {
            Some(why) => (assessed.signal, assessed.why) = (Signal::OutOfForm, why),
            None => assessed.signal = ending(state, &ledger, &assessed),
        }
    }
    apply_signal(state, reply, assessed, Some(Box::new(ledger)), now)
}

/// A reply before its form is checked.
struct Assessment {
    /// The text to save; empty: nothing to save.
    text: String,
    signal: Signal,
    /// The reason, if the reply is not usable.
    why: Why,
    /// It is out of form, and the last try.
    is_form_accepted: bool,
}

/// True if Claude wrote the reply without the debate's file, because its Read failed.
pub(crate) fn lacks_file(state: &StateFile, reply: &Reply, reading: Reading) -> bool {
    state.debate.must_read()
        && reading == Reading::Failed
        && !state.debate.awaits_block()
        && matches!(
            reply.decide_use(|text| transcript::ends_with(&state.body, text)),
            ReplyUse::Text(..) | ReplyUse::EndMark
        )
}

fn assess(state: &StateFile, reply: &Reply, reading: Reading) -> Assessment {
    let is_blind = state.debate.must_read() && reading != Reading::Unknown;
    let (text, signal, why) =
        match reply.decide_use(|text| transcript::ends_with(&state.body, text)) {
            ReplyUse::Text(..) | ReplyUse::EndMark if is_blind => {
                (String::new(), Signal::Unusable, Why::Unread)
            }
            ReplyUse::Text(text, signal) => (text, signal, Why::Turn),
            // A seat can end an argument that has begun; of a document, only the critic.
            ReplyUse::EndMark
                if state.debate.may_end_early()
                    && state.debate.place().seat != Seat::Synthesizer
                    && has_argument(state)
                    && !answers_for_document(&state.debate) =>
            {
                (String::new(), Signal::SavedAsLast, Why::Turn)
            }
            ReplyUse::EndMark | ReplyUse::Empty => (String::new(), Signal::Unusable, Why::Empty),
            ReplyUse::Repeated => (String::new(), Signal::Unusable, Why::Repeated),
        };
    Assessment { text, signal, why, is_form_accepted: false }
}

/// Moves the debate to the place that the signal leads to, and adds the text as a section.
fn apply_signal(
    state: &mut StateFile,
    reply: &Reply,
    Assessment { text, signal, why, is_form_accepted }: Assessment,
    ledger: Option<Box<Ledger>>,
    now: Timestamp,
) -> Interpretation {
    let place = state.debate.place();
    let section = Entry {
        voice: state.debate.voice_at(place).map(|voice| voice.name.clone()),
        task: state.debate.schedule().task(place),
        author: reply.author.clone(),
        beginning_missing: reply.beginning_missing,
        ..Entry::new(EntryKind::Reply(place), now, text.as_str())
    };
    let debate = &mut state.debate;
    debate.touch(now);
    let other_motion = take_motion(debate, &text);
    match advance(place, debate.schedule(), debate.retry_count(), signal) {
        Advance::To(next) => {
            debate.move_to(next);
            if let Some(note) = other_motion {
                let entry = Entry::new(EntryKind::Note(NoteKind::Noted), now, note);
                Entry { author: reply.author.clone(), ..entry }.append_to(&mut state.body);
            }
            let words = if text.is_empty() { 0 } else { section.append_to(&mut state.body) };
            // Judgments before a reply judge the argument without it, so they no longer count.
            debate.set_judgments(if words == 0 { debate.judgments() } else { 0 });
            let is_settled = signal == Signal::Settled;
            Interpretation::Next { place, words, is_settled, is_form_accepted, ledger }
        }
        Advance::Block => {
            let words = section.append_to(&mut state.body);
            debate.await_block();
            Interpretation::Block { place, words, ledger: ledger.unwrap_or_default() }
        }
        Advance::Complete => {
            debate.move_to(place);
            debate.complete(now);
            section.append_to(&mut state.body);
            let ledger = ledger.unwrap_or_default();
            Interpretation::Synthesis { text, is_form_accepted, ledger }
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
            debate.fail(StopReason::Unusable(reason(&why)));
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
    let seat = debate.place().seat;
    let is_other = motion::is_other(known, &stated);
    is_other.then(|| format!("The motion is \"{known}\"; {seat} states another: \"{stated}\"."))
}

fn judge_at(state: &StateFile, judge: u8) -> Place {
    Place { seat: Seat::Judge(judge), ..state.debate.place() }
}

/// A judgment that is saved with its block.
struct Judged {
    judge: u8,
    words: usize,
    is_form_accepted: bool,
}

/// The debate after a judgment: another judge is next, or the synthesis is composed.
fn after_judgment(
    state: &mut StateFile,
    Judged { judge, words, is_form_accepted }: Judged,
    now: Timestamp,
) -> Interpretation {
    if judge < state.debate.options.judges {
        let place = judge_at(state, judge);
        let is_settled = false;
        return Interpretation::Next { place, words, is_settled, is_form_accepted, ledger: None };
    }
    let among = state.debate.alternatives();
    let synthesis = compose(&transcript::parse(&state.body), &among);
    transcript::append(&mut state.body, state.debate.place(), None, now, &synthesis);
    state.debate.complete(now);
    let ledger = Ledger::of_entries(&transcript::parse(&state.body), &among);
    Interpretation::Synthesis { text: synthesis, is_form_accepted, ledger: Box::new(ledger) }
}

/// Takes the block of a reply that was to write it again. Without another block, the debate ends
/// with the first reply.
fn take_block(state: &mut StateFile, reply: &Reply, now: Timestamp) -> Interpretation {
    let judge = state.debate.judge();
    let entries = transcript::parse(&state.body);
    let first = entries.originals().last().map(|last| last.text.clone()).unwrap_or_default();
    let mut words = 0;
    if let Some(block) = block_to_take(&first, reply) {
        let note = Entry::new(EntryKind::Note(NoteKind::VerdictBlock), now, block);
        words = Entry { author: reply.author.clone(), ..note }.append_to(&mut state.body);
    }
    state.debate.touch(now);
    state.debate.advance_step();
    if let Some(judge) = judge {
        return after_judgment(state, Judged { judge, words, is_form_accepted: false }, now);
    }
    state.debate.complete(now);
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    Interpretation::Synthesis { text: first, is_form_accepted: false, ledger: Box::new(ledger) }
}

/// The block of a repeat, if it has one that differs from the first.
fn block_to_take(first: &str, reply: &Reply) -> Option<String> {
    let block = block_of(&reply.whole().0)?;
    (block_of(first).as_ref() != Some(&block)).then_some(block)
}

/// The whole of a reply that was to repeat a block, unless it is exactly the block that is taken:
/// its other text has no place in the transcript. Empty if no block is awaited.
pub(crate) fn reply_to_put_aside(state: &StateFile, reply: &Reply) -> String {
    if !state.debate.awaits_block() {
        return String::new();
    }
    let whole = reply.whole().0;
    let entries = transcript::parse(&state.body);
    let first = entries.originals().last().map(|last| last.text.clone()).unwrap_or_default();
    match block_to_take(&first, reply) {
        Some(block) if block.trim() == whole.trim() => String::new(),
        _ => whole,
    }
}

/// The claims of a debate, with those of a reply that is not saved yet.
pub(crate) fn ledger_with(state: &StateFile, text: &str) -> Ledger {
    let entries = transcript::parse(&state.body);
    let (place, cycle) = (state.debate.place(), state.debate.cycle());
    let replies = ledger_replies(&entries).chain([LedgerReply::new(place, cycle, text)]);
    // An objection's weight stands in its whole text.
    let is_whole = place.seat == Seat::Synthesizer || state.debate.options.mode == Mode::Revise;
    let ledger = if is_whole {
        Ledger::from_replies(replies, &state.debate.alternatives())
    } else {
        Ledger::for_cue(replies)
    };
    ledger.with_notes(&entries)
}

/// The parts that a program can't find in a reply. `None`: no part is missing, or the seat has
/// already had its retry for the form.
fn out_of_form(state: &StateFile, ledger: &Ledger, text: &str, reply: &Reply) -> Option<Why> {
    let debate = &state.debate;
    let place = debate.place();
    if debate.form_retry() {
        return None;
    }
    match place.seat {
        Seat::Synthesizer | Seat::Judge(_) => None,
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            let voice = place.seat.is_voice();
            let is_attack = place.is_attack();
            let answers = answers_for_document(debate);
            let is_first =
                debate.cycle() == 1 && !is_attack && !answers && (place.number() == 1 || voice);
            let seat = place.seat;
            // If the debate has no numbered claims, a later reply needs none.
            let is_out = if is_first {
                !is_numbered(text, seat)
                    || debate.options.mode == Mode::Revise
                        && !ledger.claims.iter().any(|claim| claim.id.seat() == seat)
            } else {
                // Most replies have one that the ledger has read.
                !ledger.claims.is_empty() && !ledger.has_item_in_last() && !has_item(text, seat)
            };
            // A missing beginning may hold a number. A user who requested the synthesis does not
            // wait for a retry.
            let may_ask = !reply.beginning_missing && !debate.synthesis_requested();
            if may_ask && !is_out && is_attack && ledger.attacks_too_few() {
                return Some(Why::TooFewAttacked);
            }
            if may_ask && !is_out && answers {
                return impossible_changes(state, ledger, text);
            }
            (may_ask && is_out).then(|| Why::Unnumbered(Next::for_seat(seat, ledger)))
        }
    }
}

/// The changes of the document in a reply that can't be made.
pub(crate) fn impossible_changes(state: &StateFile, ledger: &Ledger, text: &str) -> Option<Why> {
    let entries = transcript::parse(&state.body);
    let revision =
        Revision::of_entries(&entries, ledger).filter(|_| answers_for_document(&state.debate))?;
    let faults: Vec<String> = (1..)
        .zip(revision.changes_of(text))
        .filter_map(|(number, change)| {
            Some(format!("change {number} {}", revision.fault_of(&change)?))
        })
        .collect();
    (!faults.is_empty()).then_some(Why::Unmade(faults))
}

/// True at the place of the advocate of a document that is revised.
fn answers_for_document(debate: &Debate) -> bool {
    debate.options.mode == Mode::Revise && debate.place().seat == Seat::Advocate
}

/// Decides whether a reply is the last one before the synthesis: the user requested the synthesis,
/// or the reply has settled the argument. If the user steers round by round, the user decides.
fn ending(state: &StateFile, ledger: &Ledger, assessed: &Assessment) -> Signal {
    let debate = &state.debate;
    let asks = debate.options.interactive || debate.steering().is_some();
    match assessed.signal {
        Signal::Saved if debate.synthesis_requested() => Signal::SavedAsLast,
        // The critic decides when a document is good enough.
        Signal::SavedAsLast
            if (answers_for_document(debate) || !debate.may_end_early())
                && !debate.synthesis_requested() =>
        {
            Signal::Saved
        }
        Signal::Saved
            if debate.options.early_end
                && debate.may_end_early()
                && !asks
                && is_settled(state, ledger, &assessed.text) =>
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
    let place = debate.place();
    let schedule = debate.schedule();
    if debate.options.mode == Mode::Revise {
        let revision = Revision::of_entries(&transcript::parse(&state.body), ledger);
        return place.seat == Seat::Critic
            && has_item(text, place.seat)
            && revision.is_some_and(|revision| {
                !revision.objections.is_empty() && revision.standing().next().is_none()
            });
    }
    schedule.closes(place)
        && place.number() < schedule.max_rounds
        && ledger.is_settled_in(debate.cycle(), place.number())
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
