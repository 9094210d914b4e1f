//! A claim of a task: an attempt without a command, and the token that its reply has to bring.

use std::time::Duration;

use jiff::Timestamp;

use super::due::save_due;
use super::error::TaskError;
use super::list::{is_due, next_reply, tasks_of, writer};
use super::ticket::Ticket;
use crate::filing::{append_fact, give_steering};
use crate::lookup::find;
use crate::ownership::{HeldDebate, lock_any};
use crate::programs::{RequestOptions, answer_generation, request};
use crate::{Context, ReplyState, Request, Stopped, no_debate};
use anvil_core::attempt::{EndedLine, Exit, FailureKind, TurnLine};
use anvil_core::debate::{Debate, Status};
use anvil_core::limits::MAX_RETRIES;
use anvil_core::place::Place;
use anvil_core::tasks::{SeatFilter, Task, TaskRefusal, may_claim};
use anvil_core::transcript::Author;
use anvil_store::{
    Attempt, AttemptEvent, AttemptRecord, Attempts, ClaimLine, Holder, Loaded, Locked, Origin,
    StartedLine, StateFile, digest, token,
};
use anvil_system::process::ProcessId;
use anvil_text::clean;
use anvil_text::error::{Error, Result};

/// Longest wait for the lock. Many programs share it.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(20);

/// The claimant of a task.
#[derive(Clone, Debug)]
pub struct Claimant {
    /// The name of a program, or [`USER`](anvil_store::USER).
    pub name: String,
    /// Its process, if that waits for the reply, and its machine.
    pub holder: Holder,
    /// A paused or failed debate without a driver goes on for this claim.
    pub reopens: bool,
}

/// Why no task can be claimed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The replies of these tasks come first.
    Dependencies(Vec<String>),
    /// Somebody else has claimed it.
    Held(String),
    /// The debate is paused or has failed, for this reason.
    Paused(String),
    /// No such task is left, and the debate is not over.
    NothingLeft,
}

/// The result of a claim.
#[derive(Debug)]
pub enum Claimed {
    /// The claimant writes this reply.
    Task(Ticket, Box<Request>),
    /// No task can be claimed now.
    Waits(Waiting),
    /// The debate is over. `None`: it is no longer in this project.
    Over(Option<Box<Debate>>),
}

/// Claims a task of the debate `id`. `most_tokens`: the limit for the prompt of a place.
/// Refuses a debate that a conversation or a run argues.
pub fn claim(
    context: &Context<'_>,
    id: &str,
    claimant: &Claimant,
    filter: SeatFilter,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Claimed, Stopped> {
    let mut store = context.selected_store(None);
    let here = lock_any(context, &mut store, LOCK_WAIT)?
        .filter(|here| !here.is_lost && here.state.debate.id == id);
    let Some(here) = here else { return Ok(Claimed::Over(None)) };
    let record = AttemptRecord::new(here.transaction.store(), id);
    let next = next_reply(context, &here.state, &record.read()?);
    if let Some(writer) = next.program() {
        return Err(Error::from(TaskError::Driven(writer)).into());
    }
    let (mut here, completed) = save_due(here)?;
    if !here.state.debate.status().is_unfinished() {
        let debate = here.state.debate.clone();
        if let Some(completed) = completed {
            here.write_reports(completed);
        }
        return Ok(Claimed::Over(Some(Box::new(debate))));
    }
    if let Some(why) = rests(&here.state.debate, claimant) {
        return Ok(Claimed::Waits(why));
    }
    let attempts = record.read()?;
    let next = next_reply(context, &here.state, &attempts);
    let tasks = tasks_of(here.transaction.store(), &here.state, &attempts, &next);
    let task = match pick(&tasks, filter) {
        Ok(task) => task,
        Err(why) => return Ok(Claimed::Waits(why)),
    };
    if let ReplyState::Interrupted { since, why } = &next.state
        && next.tries
            > attempts.tries(task.place.into(), answer_generation(&here.state, task.place))
        && task.place == here.state.debate.next_place()
    {
        // A turn whose end only the client's transcript shows.
        let debate = &here.state.debate;
        let turn = TurnLine::new(debate, debate.updated_at(), *since);
        record.note(AttemptEvent::Turn(turn.with_failure(FailureKind::Interrupted, why)))?;
    }
    let opens = open(&mut here, task.place);
    let request = request_at(context, &here.state, task.place, (0, false), None, most_tokens)?;
    if opens {
        here = here.commit()?;
    }
    for over in attempts.open_claims().filter(|open| is_over(open, &here.state, task)) {
        end(&record, over, context.world.now, "somebody else has claimed its task")?;
    }
    let attempt = record.reserve(&attempts)?;
    let ticket = begin(context, &record, &here.state, task, claimant, attempt)?;
    drop(here);
    if let Err(error) = record.prepare(ticket.attempt, &request.prompt) {
        let _ = leave(context, &ticket, "its prompt could not be written");
        return Err(error.into());
    }
    Ok(Claimed::Task(ticket, Box::new(request)))
}

/// Notes that an attempt without a command begins.
fn begin(
    context: &Context<'_>,
    record: &AttemptRecord,
    state: &StateFile,
    task: &Task,
    claimant: &Claimant,
    attempt: u32,
) -> Result<Ticket> {
    let token = token();
    record.note(AttemptEvent::Started(Box::new(StartedLine {
        attempt,
        at: context.world.now,
        seat: task.place.in_schedule().seat.to_string(),
        slot: task.place.into(),
        generation: answer_generation(state, task.place),
        origin: Origin { agent: claimant.name.clone(), ..Origin::default() },
        command: Vec::new(),
        process: ProcessId::default(),
        token: String::new(),
        recovery: String::new(),
        claim: Some(ClaimLine {
            task: task.id.clone(),
            token: digest(token.as_bytes()),
            user: context.world.user.clone().unwrap_or_default(),
            holder: claimant.holder.clone(),
        }),
    })))?;
    Ok(Ticket { id: state.debate.id.clone(), task: task.id.clone(), attempt, token })
}

/// The request for a claimed task once more. `before`: its last reply, if that was not saved.
/// `None`: the ticket is not good any more.
pub fn request_again(
    context: &Context<'_>,
    ticket: &Ticket,
    before: Option<&str>,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Option<Request>> {
    let store = context.selected_store(None);
    let Some(Loaded { state, .. }) =
        store.load()?.filter(|loaded| loaded.state.debate.id == ticket.id)
    else {
        return Ok(None);
    };
    let attempts = store.attempts(&ticket.id)?;
    let Some(attempt) = open_attempt(&state, &attempts, ticket) else { return Ok(None) };
    let places = state.debate.places();
    let place = places.into_iter().find(|place| attempt.started.slot == (*place).into());
    let Some(place) = place else { return Ok(None) };
    request_at(context, &state, place, retries(attempt), before, most_tokens).map(Some)
}

fn request_at(
    context: &Context<'_>,
    state: &StateFile,
    place: Place,
    retries: (u8, bool),
    before: Option<&str>,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Request> {
    let store = context.selected_store(None);
    let is_alone = state.debate.is_independent(place);
    let options = RequestOptions { before, in_project: false, is_alone };
    let state = state_at(state, place, retries);
    request(&state, &store.project().state_file(), options, most_tokens)
}

/// Why the debate does not go on for this claimant.
fn rests(debate: &Debate, claimant: &Claimant) -> Option<Waiting> {
    let rests = match debate.status() {
        Status::InProgress | Status::NotStarted => false,
        Status::Paused | Status::Failed => !claimant.reopens,
        Status::Completed | Status::Cancelled => true,
    };
    rests.then(|| Waiting::Paused(debate.why_stopped()))
}

/// Drops a claim, unless its reply is there. That is no failure.
pub fn leave(context: &Context<'_>, ticket: &Ticket, why: &str) -> Result<(), Stopped> {
    let mut store = context.selected_store(None);
    let locked = store.lock(LOCK_WAIT)?;
    let record = AttemptRecord::new(locked.store(), &ticket.id);
    let attempts = record.read()?;
    if let Some(open) = ticket.attempt_of(&attempts).filter(|attempt| attempt.ended.is_none()) {
        end(&record, open, context.world.now, why)?;
    }
    Ok(())
}

/// True while the debate waits for the reply of this ticket. A file that can't be read just
/// now counts as true.
pub fn still_holds(context: &Context<'_>, ticket: &Ticket) -> bool {
    let store = context.selected_store(None);
    let Ok(loaded) = store.load() else { return true };
    loaded.is_some_and(|Loaded { state, .. }| {
        let debate = &state.debate;
        let is_it = debate.id == ticket.id && debate.status().is_unfinished();
        is_it
            && store.attempts(&ticket.id).map_or(true, |all| {
                writer(context, &state, &all).is_none()
                    && open_attempt(&state, &all, ticket).is_some()
            })
    })
}

/// Saves a fact that the holder of a task has found.
pub fn note_fact(context: &Context<'_>, ticket: &Ticket, text: &str, author: Author) -> Result<()> {
    let mut store = context.selected_store(None);
    let held = lock_any(context, &mut store, LOCK_WAIT)?.filter(|held| !held.is_lost);
    let Some(mut held) = held else { return Err(no_debate(&store)) };
    let attempts = held.transaction.store().attempts(&ticket.id)?;
    let is_here = held.state.debate.status().is_unfinished()
        && held.state.debate.id == ticket.id
        && writer(context, &held.state, &attempts).is_none();
    if !is_here || open_attempt(&held.state, &attempts, ticket).is_none() {
        return Err(TaskError::NotHeld(ticket.task.clone()).into());
    }
    append_fact(&mut held.state, text, author, context.world.now)?;
    held.commit().map(drop)
}

/// The ticket of a task that this user has claimed in a shell.
pub fn shell_ticket(context: &Context<'_>, task: &str) -> Result<Ticket> {
    let store = context.selected_store(None);
    let (state, _) = find(&store, None)?;
    let id = state.debate.id;
    let attempts = store.attempts(&id)?;
    let attempt = attempts
        .open_claims()
        .filter(|attempt| {
            attempt.claim().is_some_and(|claim| claim.task == task && !claim.holder.has_process())
        })
        .last()
        .ok_or_else(|| TaskError::NotOfShell(clean(task, 60)))?;
    let attempt = attempt.started.attempt;
    Ok(Ticket { id, task: task.to_owned(), attempt, token: String::new() })
}

/// Drops all open claims of the debate here.
pub fn drop_claims(context: &Context<'_>) -> Result<()> {
    let mut store = context.selected_store(None);
    let (state, _) = find(&store, None)?;
    let locked = store.lock(LOCK_WAIT)?;
    end_claims(&locked, &state.debate.id, context.world.now, "its user dropped it")
}

/// Ends all open claims of a debate without a reply.
pub(crate) fn end_claims(locked: &Locked<'_>, id: &str, at: Timestamp, why: &str) -> Result<()> {
    let record = AttemptRecord::new(locked.store(), id);
    let attempts = record.read()?;
    attempts.open_claims().try_for_each(|open| end(&record, open, at, why))
}

/// Drops the claim of a task, because the user reports that it is abandoned. Returns who
/// had claimed it.
pub fn drop_claim(context: &Context<'_>, task: &str) -> Result<String> {
    let mut store = context.selected_store(None);
    let (state, _) = find(&store, None)?;
    let locked = store.lock(LOCK_WAIT)?;
    let record = AttemptRecord::new(locked.store(), &state.debate.id);
    let attempts = record.read()?;
    let shown = clean(task, 60);
    let claims: Vec<&Attempt> = attempts
        .claims
        .iter()
        .filter(|attempt| {
            attempt.claim().is_some_and(|claim| claim.task == task) && is_due(&state, attempt)
        })
        .collect();
    if claims.iter().any(|attempt| attempt.is_received()) {
        return Err(TaskError::Written(shown).into());
    }
    let open = claims.into_iter().rfind(|claim| claim.ended.is_none());
    let open = open.ok_or(TaskError::NotClaimed(shown))?;
    end(&record, open, context.world.now, "its user dropped it")?;
    Ok(open.started.origin.agent.clone())
}

/// Ends a claim without a reply.
pub(super) fn end(record: &AttemptRecord, open: &Attempt, at: Timestamp, why: &str) -> Result<()> {
    record.note(AttemptEvent::Ended(EndedLine {
        attempt: open.started.attempt,
        at,
        exit: Exit {
            duration_ms: u64::try_from(at.duration_since(open.started.at).as_millis()).unwrap_or(0),
            ..Exit::default()
        },
        error: Some(FailureKind::Interrupted),
        message: why.to_owned(),
        ..EndedLine::default()
    }))
}

/// The open attempt of a ticket, if the debate still waits for its reply.
pub(super) fn open_attempt<'a>(
    state: &StateFile,
    attempts: &'a Attempts,
    ticket: &Ticket,
) -> Option<&'a Attempt> {
    let attempt = ticket.attempt_of(attempts).filter(|attempt| attempt.ended.is_none());
    attempt.filter(|attempt| is_due(state, attempt))
}

/// Unusable replies to a claim, and whether one was for its form.
pub(super) fn retries(attempt: &Attempt) -> (u8, bool) {
    attempt
        .returned
        .map_or((0, false), |returned| (returned.retries.min(MAX_RETRIES), returned.form_retry))
}

/// The debate as it stands for the reply at this place. The state counts the retries of the next
/// reply; a claim counts its own.
pub(super) fn state_at(
    state: &StateFile,
    place: Place,
    (count, for_form): (u8, bool),
) -> StateFile {
    let mut state = state.clone();
    if place != state.debate.next_place() {
        state.debate.enter(place);
        state.debate.set_retries(count, for_form);
    }
    state
}

/// True for a claim without a reply that holds nothing any more: the debate has moved on, or its
/// process is gone and this task is claimed anew.
fn is_over(open: &Attempt, state: &StateFile, task: &Task) -> bool {
    !is_due(state, open) || open.claim().is_some_and(|claim| claim.task == task.id)
}

/// The task that a claim takes. `Err`: why it takes none.
fn pick(tasks: &[Task], filter: SeatFilter) -> Result<&Task, Waiting> {
    let mut waits = None;
    let mut held = None;
    for task in tasks.iter().filter(|task| filter.takes(task.place)) {
        match may_claim(task.status, task.hold) {
            Ok(()) if task.is_ready => return Ok(task),
            Ok(()) => waits = waits.or(Some(task)),
            Err(TaskRefusal::Done) => {}
            Err(TaskRefusal::Held) => held = held.or(Some(task)),
        }
    }
    match (held, waits) {
        (Some(task), _) => Err(Waiting::Held(task.claimed_by.clone().unwrap_or_default())),
        (None, Some(task)) => Err(Waiting::Dependencies(task.dependencies.clone())),
        (None, None) => Err(Waiting::NothingLeft),
    }
}

/// Opens a debate that is paused or has failed, takes it from an owner that has stopped writing,
/// and gives a waiting direction to its next reply. True if that changes the debate.
fn open(held: &mut HeldDebate<'_>, place: Place) -> bool {
    let now = held.context.world.now;
    let is_next = place == held.state.debate.next_place();
    let has_direction = is_next && give_steering(&mut held.state, now).is_some();
    let debate = &mut held.state.debate;
    let opens = !debate.is_active() || debate.session_id().is_some();
    if opens {
        debate.take_up();
        debate.touch(now);
    }
    opens || has_direction
}
