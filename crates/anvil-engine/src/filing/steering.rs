//! The user's directions, and the skip to the synthesis. Pure.

use jiff::Timestamp;

use super::error::SteeringError;
use crate::SAME_PROMPT;
use crate::ownership::is_argued_by_programs;
use anvil_context::masked_line;
use anvil_core::debate::Debate;
use anvil_core::ledger::{Ledger, note_of_answer, question_of};
use anvil_core::limits::MAX_STEERING_CHARS;
use anvil_core::place::{Place, Seat, furthest};
use anvil_core::transcript::{self, Author, Entry, EntryKind, NoteKind};
use anvil_store::StateFile;
use anvil_text::error::Result;

/// Most facts that one author may note in a debate.
pub(super) const MAX_FACTS: usize = 3;

pub(super) const MAX_FACTS_IN_ALL: usize = 30;

/// Longest noted fact, in characters.
pub(super) const MAX_FACT_CHARS: usize = 600;

/// Adds the waiting direction as a section, and returns its text.
pub fn give_steering(state: &mut StateFile, now: Timestamp) -> Option<String> {
    let text = state.debate.take_steering()?;
    transcript::append_note(&mut state.body, NoteKind::Steering, now, &text);
    Some(text)
}

/// Refuses words for later replies if none follows.
pub fn check_goes_on(debate: &Debate) -> Result<()> {
    if debate.awaits_last_block() {
        let is_run = is_argued_by_programs(debate);
        return Err(SteeringError::NoReplyFollows { is_run }.into());
    }
    Ok(())
}

/// Adds a direction to those that wait. Refuses more than [`MAX_STEERING_CHARS`] characters in all.
pub(crate) fn add_steering(debate: &mut Debate, text: &str) -> Result<()> {
    check_goes_on(debate)?;
    let text = text.trim();
    let whole = match debate.steering() {
        // The plugin is installed twice, so the prompt came twice.
        Some(before) if before == text || before.ends_with(&format!("\n\n{text}")) => return Ok(()),
        Some(before) => format!("{before}\n\n{text}"),
        None => text.to_owned(),
    };
    if whole.chars().count() > MAX_STEERING_CHARS {
        return Err(SteeringError::LongDirection.into());
    }
    debate.steer(whole);
    Ok(())
}

/// Adds a fact that this author found, on one line and without secrets.
pub(crate) fn append_fact(
    state: &mut StateFile,
    text: &str,
    author: Author,
    now: Timestamp,
) -> Result<()> {
    check_goes_on(&state.debate)?;
    if text.chars().count() > MAX_FACT_CHARS {
        return Err(SteeringError::LongNote.into());
    }
    let entries = transcript::parse(&state.body);
    let noted: Vec<&Entry> =
        entries.0.iter().filter(|entry| entry.what == EntryKind::Note(NoteKind::Noted)).collect();
    let of_author = noted
        .iter()
        .filter(|entry| entry.author.as_ref().map(Author::name) == Some(author.name()))
        .count();
    // A client may call itself anything, so there is a limit for all authors too.
    if of_author >= MAX_FACTS || noted.len() >= MAX_FACTS_IN_ALL {
        return Err(SteeringError::ManyNotes.into());
    }
    let text = masked_line(text, MAX_FACT_CHARS);
    let entry = Entry::new(EntryKind::Note(NoteKind::Noted), now, text);
    Entry { author: Some(author), ..entry }.append_to(&mut state.body);
    Ok(())
}

/// Adds the user's answer to the oldest open question, on one line and without secrets. `None`: the
/// user goes on without one. Returns the question.
pub(crate) fn append_answer(
    state: &mut StateFile,
    answer: Option<&str>,
    now: Timestamp,
) -> Result<String> {
    check_goes_on(&state.debate)?;
    if answer.is_some_and(|answer| answer.chars().count() > MAX_FACT_CHARS) {
        return Err(SteeringError::LongAnswer.into());
    }
    let answer = answer.map(|answer| masked_line(answer, MAX_FACT_CHARS));
    if answer.as_deref().is_some_and(|answer| answer.trim().is_empty()) {
        return Err(SteeringError::NoAnswer.into());
    }
    let Some(question) = open_question(state) else {
        return Err(SteeringError::NoQuestion.into());
    };
    let text = note_of_answer(&question, answer.as_deref());
    transcript::append_note(&mut state.body, NoteKind::Answer, now, &text);
    Ok(question)
}

/// The question that got this answer a moment ago: the plugin is installed twice, so an answer
/// comes twice.
pub(crate) fn answered_now(state: &StateFile, answer: &str, now: Timestamp) -> Option<String> {
    let entries = transcript::parse(&state.body);
    let newest =
        entries.0.last().filter(|entry| entry.what == EntryKind::Note(NoteKind::Answer))?;
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let newest_answered =
        ledger.questions(&state.debate).iter().rfind(|question| !question.is_open())?;
    let is_now = newest.at.is_some_and(|at| now.duration_since(at).unsigned_abs() < SAME_PROMPT);
    let answer = masked_line(answer, MAX_FACT_CHARS);
    (is_now && newest_answered.answer() == Some(&*answer)).then(|| newest_answered.question.clone())
}

/// True if the newest note is this fact, from a moment ago: the plugin is installed twice.
pub(crate) fn noted_now(state: &StateFile, fact: &str, now: Timestamp) -> bool {
    let entries = transcript::parse(&state.body);
    entries.0.last().is_some_and(|entry| {
        entry.what == EntryKind::Note(NoteKind::Noted)
            && entry.text == masked_line(fact, MAX_FACT_CHARS)
            && entry.at.is_some_and(|at| now.duration_since(at).unsigned_abs() < SAME_PROMPT)
    })
}

/// The oldest question to the user that waits for its answer.
pub(crate) fn open_question(state: &StateFile) -> Option<String> {
    if !state.debate.options.questions {
        return None;
    }
    let ledger = Ledger::of_entries(&transcript::parse(&state.body), &state.debate.alternatives());
    ledger.open_question(&state.debate).map(|open| open.question.clone())
}

/// The question with which the newest reply ends, if it is open.
pub(crate) fn question_of_newest(state: &StateFile) -> Option<String> {
    // A reply can have megabytes: only one that ends with a question is copied.
    let last_line = state.body.trim_end().rsplit('\n').next()?;
    question_of(last_line.strip_prefix("> ")?)?;
    if !state.debate.options.questions {
        return None;
    }
    let text = transcript::last_text(&state.body)?;
    let question = question_of(&text)?;
    let ledger = Ledger::of_entries(&transcript::parse(&state.body), &state.debate.alternatives());
    let newest = ledger.questions(&state.debate).last()?;
    (newest.is_open() && newest.question == question).then(|| question.clone())
}

/// The furthest section of the current cycle.
pub(crate) fn furthest_in_this_cycle(state: &StateFile) -> Option<Place> {
    let entries = transcript::parse(&state.body);
    furthest(
        entries.places_in(state.debate.cycle(), state.debate.schedule()),
        state.debate.schedule(),
    )
}

/// True if the current cycle has an argument.
pub(crate) fn has_argument(state: &StateFile) -> bool {
    furthest_in_this_cycle(state).is_some()
}

/// Makes the synthesis the next phase, from the replies so far.
pub fn skip_to_synthesis(state: &mut StateFile) -> Result<()> {
    if state.debate.place().seat == Seat::Synthesizer {
        return Ok(());
    }
    let Some(furthest) = furthest_in_this_cycle(state) else {
        let is_run = is_argued_by_programs(&state.debate);
        return Err(SteeringError::NoReply { is_run }.into());
    };
    state.debate.move_to(Place::synthesis(furthest.number()));
    state.debate.request_synthesis();
    Ok(())
}
