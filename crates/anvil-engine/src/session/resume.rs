//! Resumes a debate: this session owns it from now on, and its phase is requested again.

use super::error::SessionError;
use super::steer::{ResumeAction, note};
use crate::filing::{
    add_steering, give_steering, has_argument, read_for_phase, read_for_session, skip_to_synthesis,
};
use crate::history::changes_under;
use crate::lookup::{check_steerable, require_unfinished};
use crate::ownership::{
    HeldDebate, Since, check_unclaimed, find_owned_debate, is_writing, lock_for, remember,
};
use crate::reports::{self, Completed};
use crate::session::{missing::restore_missing, start::report_to_come, steer::is_given};
use crate::tasks::{has_due, save_due};
use crate::{Context, Session, Skipped, Stopped};
use anvil_core::debate::{Debate, PlainReason, Status, UserAction};
use anvil_core::ledger::Ledger;
use anvil_core::limits::MAX_CYCLES;
use anvil_core::place::Seat;
use anvil_core::reply::TurnOutput;
use anvil_core::transcript::{self, NoteKind};
use anvil_prompt::prompt::{self, Ask, Opening, Read, Why};
use anvil_store::{AttemptRecord, Loaded, Project, StateFile, Store};
use anvil_text::error::Result;

/// A debate that goes on.
#[derive(Debug)]
pub struct Resumed {
    pub debate: Debate,
    /// Why it had failed before it goes on.
    pub failure: Option<String>,
    /// The path of its future report, if the options name one.
    pub report: Option<String>,
    /// The text for Claude.
    pub opening: Opening,
}

/// The result of a request to go on.
#[derive(Debug)]
pub enum Resumption {
    GoesOn(Box<Resumed>),
    /// A reply is being written. The user's request takes effect after it.
    Noted(Box<Debate>),
    /// This session had written the synthesis. It is saved, and the debate is complete.
    Completed(Box<Completed>),
}

/// Makes this session the owner of the debate and requests its phase. Needs `take_over` while
/// the owner runs elsewhere. `unsaved` is this session's last turn if no Stop has saved it.
pub fn resume(
    context: &Context<'_>,
    session: &Session,
    take_over: bool,
    action: ResumeAction<'_>,
    unsaved: Option<TurnOutput>,
) -> Result<Resumption, Stopped> {
    restore_missing(context, Some(session))?;
    let mut store = context.selected_store(Some(session));
    reports::write_due_reports_here(context, &mut store);
    let user_action = match action {
        ResumeAction::AsItIs => UserAction::Resume,
        ResumeAction::Steered(_) => UserAction::Steer,
        ResumeAction::ToSynthesis(_) => UserAction::Synthesize,
    };
    let held =
        lock_for(
            context,
            &mut store,
            user_action,
            Some(session),
            take_over,
            |loaded| match action {
                ResumeAction::Steered(words) | ResumeAction::ToSynthesis(Some(words)) => {
                    check_steerable(loaded, words)
                }
                ResumeAction::AsItIs | ResumeAction::ToSynthesis(None) => {
                    require_unfinished(loaded)
                }
            },
        )?;
    let state = &held.state;
    check_unclaimed(held.transaction.store(), &state.debate)?;
    if held.repair.is_none()
        && context.is_delivered_again(&state.debate, session, |_| is_done(state, action))
    {
        return Err(Skipped::Redelivered.into());
    }
    if action != ResumeAction::AsItIs && is_writing(&state.debate, session) {
        return Ok(Resumption::Noted(Box::new(note(held, action)?)));
    }
    let (mut held, mut completed) = held.recover_unsaved(session, unsaved)?;
    if completed.is_none() && has_due(&held) {
        (held, completed) = save_due(held)?;
    }
    if let Some(completed) = completed {
        return Ok(Resumption::Completed(held.write_reports(completed)));
    }
    let failure = held.state.debate.failure().map(ToString::to_string);
    apply(&mut held.state, action)?;
    let mut resumed = request_anew(context, held, Some(session), Why::Turn)?;
    resumed.failure = failure;
    Ok(Resumption::GoesOn(Box::new(resumed)))
}

/// True if the debate already does this.
fn is_done(state: &StateFile, action: ResumeAction<'_>) -> bool {
    match action {
        ResumeAction::AsItIs => true,
        ResumeAction::Steered(words) => is_given(state, words),
        ResumeAction::ToSynthesis(_) => state.debate.place().seat == Seat::Synthesizer,
    }
}

/// Opens a finished debate for another cycle. Its replies stay, and `text` says what is new or
/// narrower. Words that changed under its verdict are noted. In a shell the debate waits then.
pub fn again(
    context: &Context<'_>,
    session: Option<&Session>,
    text: &str,
    take_over: bool,
) -> Result<Resumed, Stopped> {
    let mut store = context.selected_store(session);
    let user_action = UserAction::Again;
    let mut held = lock_for(context, &mut store, user_action, session, take_over, |loaded| {
        let debate = &loaded.state.debate;
        if session.is_some_and(|session| {
            context.is_delivered_again(debate, session, |debate| debate.cycle() > 1)
        }) {
            return Err(Skipped::Redelivered.into());
        }
        if debate.status() == Status::Completed {
            return Ok(loaded);
        }
        let loaded = require_unfinished(loaded)?;
        let status = loaded.state.debate.status();
        Err(Stopped::Failed(SessionError::NotComplete(status).into()))
    })?;
    let changes = changes_under(held.transaction.store(), &held.state);
    let StateFile { debate, body, .. } = &mut held.state;
    if debate.cycle() >= MAX_CYCLES {
        return Err(Stopped::Failed(SessionError::ManyCycles.into()));
    }
    debate.reopen();
    let now = context.world.now;
    // Its replies may have the number of a cycle that was cancelled.
    AttemptRecord::new(held.transaction.store(), &debate.id).begin_cycle(now)?;
    transcript::append_cycle(body, debate.cycle(), now, text);
    for change in changes {
        transcript::append_note(body, NoteKind::Noted, now, &change);
    }
    Ok(request_anew(context, held, session, Why::Again)?)
}

/// Makes the session the owner, writes the state and composes the request for its phase. In a
/// shell the debate waits.
fn request_anew(
    context: &Context<'_>,
    mut held: HeldDebate<'_>,
    session: Option<&Session>,
    why: Why,
) -> Result<Resumed> {
    let state = &mut held.state;
    let now = context.world.now;
    let read = session.map_or(Read::Nothing, |session| read_for_session(state, session));
    let debate = &mut state.debate;
    match session {
        Some(session) => debate.claim(&session.id, session.prompt_id.as_deref(), now),
        None => debate.pause(PlainReason::Reopened, now),
    }
    debate.require_read(debate.is_active() && read.is_needed());
    let steering = if debate.is_active() { give_steering(state, now) } else { None };
    let held = held.commit()?;
    let project = held.transaction.project().clone();
    let HeldDebate { transaction, state, .. } = held;
    drop(transaction);
    if let Some(session) = session {
        remember(context, session, &project, Since::AsKnown);
    }
    Ok(resumption(context, &project, state, why, read, steering.as_deref()))
}

/// Protocol and cue again, after the client has compacted the conversation.
pub fn after_compaction(context: &Context<'_>, session: &Session) -> Result<Resumed, Stopped> {
    let (store, debate) =
        find_owned_debate(context, session, context.machine.read_session(&session.id))?;
    if !debate.is_active() && !debate.awaits_direction() {
        return Err(Skipped::NotActive.into());
    }
    let Loaded { state, .. } = store.load()?.ok_or(Skipped::NoDebate)?;
    let read = read_for_phase(&state);
    Ok(resumption(context, store.project(), state, Why::Turn, read, None))
}

/// Protocol and cue of a debate at its current place.
fn resumption(
    context: &Context<'_>,
    project: &Project,
    state: StateFile,
    why: Why,
    read: Read,
    steering: Option<&str>,
) -> Resumed {
    let state_file = project.state_file();
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let ask = Ask { why, read, steering, ledger: &ledger };
    let cue = prompt::cue(&state.debate, &state_file, &ask);
    let opening = prompt::opening(&state.debate, entries.last_cycle().1, &state_file, &cue);
    let report =
        report_to_come(context, &Store::new(project.clone(), context.world), &state.debate);
    Resumed { debate: state.debate, failure: None, report, opening }
}

/// Applies the user's request to the state.
fn apply(state: &mut StateFile, action: ResumeAction<'_>) -> Result<()> {
    match action {
        // The user requested the synthesis during a reply that never came.
        ResumeAction::AsItIs if state.debate.synthesis_requested() && has_argument(state) => {}
        ResumeAction::AsItIs => return Ok(()),
        ResumeAction::Steered(text) => {
            return add_steering(&mut state.debate, text);
        }
        ResumeAction::ToSynthesis(direction) => {
            direction.map_or(Ok(()), |text| add_steering(&mut state.debate, text))?;
        }
    }
    skip_to_synthesis(state)
}
