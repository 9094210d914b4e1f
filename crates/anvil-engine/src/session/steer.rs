//! Steers a debate: a direction for the next phase, the synthesis at once, or another number of
//! rounds.
//!
//! A direction waits in the head of the state file until a phase gets it. Then it becomes a
//! section, so the transcript shows the order of directions and replies.

use super::error::SessionError;
use crate::filing::{
    add_steering, answered_now, append_answer, append_fact, check_goes_on, furthest_in_this_cycle,
    give_steering, noted_now, open_question, skip_to_synthesis,
};
use crate::lookup::{check_steerable, require_unfinished};
use crate::ownership::{HeldDebate, Since, is_writing, lock_for, remember};
use crate::{Context, Session};
use anvil_context::masked_line;
use anvil_core::debate::{Debate, PlainReason, UserAction};
use anvil_core::ledger::Ledger;
use anvil_core::options::{Choice, Steering};
use anvil_core::place::{DebateFormat, Seat, waits_at};
use anvil_core::transcript::{self, Author, EntryKind, NoteKind};
use anvil_prompt::prompt::{self, Ask, Cue, Read, Why};
use anvil_store::StateFile;
use anvil_text::error::Result;

/// The user's request for a debate that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeAction<'a> {
    /// The phase that waits.
    AsItIs,
    /// The phase that waits, with a direction.
    Steered(&'a str),
    /// The synthesis, with an optional direction.
    ToSynthesis(Option<&'a str>),
}

/// A debate that continues in the conversation that knows it.
#[derive(Debug)]
pub struct Steered {
    pub debate: Debate,
    /// The text for Claude in addition to the user's own.
    pub cue: Cue,
    /// The user's answer at the end of a round. `None`: a direction.
    pub choice: Option<Choice>,
    /// The question that the text answers or skips.
    pub question: Option<String>,
}

/// Applies the user's rounds, direction and synthesis to a debate that is argued elsewhere: in
/// a shell, or by programs.
pub fn direct(
    context: &Context<'_>,
    session: Option<&Session>,
    steering: &Steering,
    take_over: bool,
) -> Result<Debate> {
    let mut debate = None;
    if let Some(rounds) = steering.rounds {
        debate = Some(change_rounds(context, session, rounds, take_over)?);
    }
    if let Some(text) = &steering.direction {
        debate = Some(steer(context, session, text, take_over)?);
    }
    if steering.synthesize {
        debate = Some(synthesize(context, session, take_over)?);
    }
    Ok(debate.ok_or(SessionError::NoDirection)?)
}

/// Saves a direction for the next phase: from a shell, or for programs that fill the seats.
pub fn steer(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    take_over: bool,
) -> Result<Debate> {
    let mut store = context.selected_store(session);
    let held = lock_for(context, &mut store, UserAction::Steer, session, take_over, |loaded| {
        check_steerable(loaded, text)
    })?;
    note(held, ResumeAction::Steered(text))
}

/// Saves a fact that this author found. The debate does not go on for it: the next seats read it as
/// quoted and unchecked.
pub fn note_fact(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    author: Author,
    take_over: bool,
) -> Result<()> {
    let mut store = context.selected_store(session);
    let take_over = take_over || session.is_none();
    let mut held =
        lock_for(context, &mut store, UserAction::Steer, session, take_over, require_unfinished)?;
    if session.is_some() && noted_now(&held.state, text, context.world.now) {
        return Ok(());
    }
    append_fact(&mut held.state, text, author, context.world.now)?;
    held.commit().map(drop)
}

/// Answers the oldest question of the debate, for all later replies. The debate does not go on for
/// it. Returns the question.
pub fn answer(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    take_over: bool,
) -> Result<String> {
    let mut store = context.selected_store(session);
    // A shell answers while a run argues: an answer takes the debate from no session.
    let take_over = take_over || session.is_none();
    let mut held =
        lock_for(context, &mut store, UserAction::Steer, session, take_over, require_unfinished)?;
    let now = context.world.now;
    if session.is_some()
        && let Some(question) = answered_now(&held.state, text, now)
    {
        return Ok(question);
    }
    let debate = &held.state.debate;
    if debate.is_active() && debate.place().seat == Seat::Synthesizer {
        return Err(SessionError::NoReplyFollows.into());
    }
    let question = append_answer(&mut held.state, Some(text), now)?;
    held.commit()?;
    Ok(question)
}

/// Corrects the motion, until the synthesis. The next phase gets it as a direction too.
pub fn correct_motion(
    context: &Context<'_>,
    session: Option<&Session>,
    motion: &str,
    take_over: bool,
) -> Result<Debate> {
    let mut store = context.selected_store(session);
    let take_over = take_over || session.is_none();
    let mut held =
        lock_for(context, &mut store, UserAction::Steer, session, take_over, require_unfinished)?;
    let debate = &mut held.state.debate;
    if !debate.takes_motion() {
        return Err(SessionError::NoMotion.into());
    }
    if debate.is_active() && debate.place().seat == Seat::Synthesizer {
        return Err(SessionError::NoMotionFollows.into());
    }
    if debate.motion() == Some(motion) {
        return Ok(held.into_debate());
    }
    debate.options.motion = Some(motion.to_owned());
    add_steering(debate, &format!("The motion is now: {motion}"))?;
    Ok(held.commit()?.into_debate())
}

/// Requests the synthesis as the next phase. A reply that is being written comes first.
pub fn synthesize(
    context: &Context<'_>,
    session: Option<&Session>,
    take_over: bool,
) -> Result<Debate> {
    let mut store = context.selected_store(session);
    let action = UserAction::Synthesize;
    let mut held = lock_for(context, &mut store, action, session, take_over, require_unfinished)?;
    if held.state.debate.is_active() {
        return note(held, ResumeAction::ToSynthesis(None));
    }
    skip_to_synthesis(&mut held.state)?;
    held.state.debate.touch(context.world.now);
    Ok(held.commit()?.into_debate())
}

/// Changes the number of rounds of the debate here. A round that has begun is argued to its
/// end.
pub fn change_rounds(
    context: &Context<'_>,
    session: Option<&Session>,
    rounds: u8,
    take_over: bool,
) -> Result<Debate> {
    let mut store = context.selected_store(session);
    let action = UserAction::Rounds;
    let mut held = lock_for(context, &mut store, action, session, take_over, require_unfinished)?;
    let debate = &held.state.debate;
    check_goes_on(debate)?;
    let schedule = debate.schedule();
    if schedule.format != DebateFormat::Seats {
        return Err(SessionError::NoRounds.into());
    }
    // Only the owner can know that it is idle.
    let is_idle = session
        .is_some_and(|session| debate.is_owned_by(&session.id) && !is_writing(debate, session));
    let is_written = debate.is_active() && !is_idle;
    if debate.place().seat == Seat::Synthesizer && is_written {
        return Err(SessionError::NoRoundFollows.into());
    }
    let furthest = furthest_in_this_cycle(&held.state);
    let debate = &mut held.state.debate;
    debate.change_rounds(rounds);
    let place = match (waits_at(furthest, debate.schedule()), debate.place()) {
        // The reply that is being written keeps its place.
        (_, place) if is_written => place,
        (Some(next), _) => next,
        (None, place) => place,
    };
    if place != debate.place() {
        debate.move_to(place);
        // No reply was requested for the new place.
        if debate.is_active() {
            debate.pause(PlainReason::RoundsChanged, context.world.now);
        }
    }
    if !debate.is_active() {
        debate.touch(context.world.now);
    }
    Ok(held.commit()?.into_debate())
}

/// Continues a debate that waited for this text of the user.
pub(crate) fn go_on_by_prompt(
    context: &Context<'_>,
    mut held: HeldDebate<'_>,
    session: &Session,
    choice: Option<Choice>,
    text: &str,
) -> Result<Steered> {
    let state = &mut held.state;
    // "skip" passes over the question alone; every other word of the choice means the synthesis.
    let word = text.trim().trim_end_matches('.').to_lowercase();
    let ends = match choice {
        Some(Choice::Stop) => true,
        Some(Choice::Skip) => word != "skip",
        Some(Choice::GoOn) | None => false,
    };
    let question = open_question(state).filter(|_| !ends);
    let why = match choice {
        _ if question.is_some() => {
            let answer = choice.is_none().then_some(text.trim());
            append_answer(state, answer, context.world.now)?;
            Why::Turn
        }
        None => {
            let now = context.world.now;
            transcript::append_note(&mut state.body, NoteKind::Steering, now, text.trim());
            Why::Steered
        }
        Some(Choice::Skip) => {
            skip_to_synthesis(state)?;
            Why::Turn
        }
        Some(Choice::GoOn | Choice::Stop) => Why::Turn,
    };
    state.debate.claim(&session.id, session.prompt_id.as_deref(), context.world.now);
    // The phase also gets a direction that another session or a shell gave.
    let other = give_steering(state, context.world.now);
    state.debate.require_read(false);
    let state_file = held.transaction.project().state_file();
    let among = state.debate.alternatives();
    let ledger = Ledger::of_entries(&transcript::parse(&state.body), &among);
    let ask = Ask { why, read: Read::Nothing, steering: other.as_deref(), ledger: &ledger };
    let cue = prompt::cue(&state.debate, &state_file, &ask);
    let held = held.commit()?;
    remember(context, session, held.transaction.project(), Since::AsKnown);
    Ok(Steered { debate: held.into_debate(), cue, choice, question })
}

/// True if the phase that waits has this text as its direction.
pub(crate) fn is_given(state: &StateFile, words: &str) -> bool {
    let words = transcript::normalise(words.trim());
    let entries = transcript::parse(&state.body);
    let after_last_reply = entries.0.iter().rev().take_while(|entry| entry.place().is_none());
    let answer = format!("\n\n{}", masked_line(&words, usize::MAX));
    after_last_reply.into_iter().any(|entry| match entry.what {
        EntryKind::Note(NoteKind::Steering) => entry.text == words,
        EntryKind::Note(NoteKind::Answer) => entry.text.ends_with(&answer),
        _ => false,
    })
}

/// True if the user has gone on without an answer since the last reply.
pub(crate) fn is_question_skipped(state: &StateFile) -> bool {
    let entries = transcript::parse(&state.body);
    let last = entries.0.last().filter(|entry| entry.what == EntryKind::Note(NoteKind::Answer));
    last.is_some_and(|entry| !entry.text.contains("\n\n"))
}

/// Saves the user's request for the time after the reply that is being written. Refused during the
/// synthesis, because no phase follows it.
pub(crate) fn note(mut held: HeldDebate<'_>, action: ResumeAction<'_>) -> Result<Debate> {
    let debate = &mut held.state.debate;
    if debate.is_active() && debate.place().seat == Seat::Synthesizer {
        let words = match action {
            ResumeAction::Steered(words) | ResumeAction::ToSynthesis(Some(words)) => words,
            ResumeAction::AsItIs | ResumeAction::ToSynthesis(None) => "TEXT",
        };
        return Err(SessionError::NoPhaseFollows { words: words.to_owned() }.into());
    }
    match action {
        ResumeAction::AsItIs => {}
        ResumeAction::Steered(text) => add_steering(debate, text)?,
        ResumeAction::ToSynthesis(direction) => {
            direction.map_or(Ok(()), |text| add_steering(debate, text))?;
            debate.request_synthesis();
        }
    }
    Ok(held.commit()?.into_debate())
}
