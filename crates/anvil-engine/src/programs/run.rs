//! A debate in which programs fill the seats one by one. Each program knows only its prompt. This
//! file makes the requests and saves the replies; the caller starts the programs.

use std::collections::HashSet;
use std::path::PathBuf;

use super::error::ProgramsError;
use super::follow::Runs;
use super::request::{Request, RequestOptions, answer_generation, generation_of, request};
use crate::filing::{Filed, file_reply, give_steering, skip_to_synthesis};
use crate::lookup::{check_names_no_agent, find, require_unfinished, unfinished_here};
use crate::ownership::{
    Since, check_may_change, check_unclaimed, lock_any, lock_for, lock_owned, remember,
};
use crate::programs::follow::runs_of;
use crate::{Aside, Context, LOCK_WAIT, Session, Stopped};
use anvil_core::attempt::Generation;
use anvil_core::debate::{Debate, Status, StopReason, UserAction, stops_within};
use anvil_core::ledger::{self, Id, Ledger, MoveKind, Revision, Standing, Unread};
use anvil_core::limits::MAX_RETRIES;
use anvil_core::options::Mode;
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript;
use anvil_core::transcript::Entries;
use anvil_store::{AttemptRecord, Attempts, Project, RunRecord, Store};
use anvil_text::clean;
use anvil_text::error::{Error, Result};

/// The result of a finished debate, for scripts that decide by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateFacts {
    /// The options that a verdict of the debate can name.
    pub among: Alternatives,
    pub standing: Standing,
    /// The first claim or seat with an unknown result.
    pub unread: Option<UnreadClaim>,
    /// Claims that were open when the synthesis began.
    pub open: Vec<OpenClaim>,
    pub objections: Objections,
}

/// The objections to the document of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objections {
    /// The debate revises no document.
    NoDocument,
    /// An objection that can't be read may stand.
    Unread(UnreadClaim),
    /// Those that block and have no answer.
    Standing(Vec<Id>),
}

/// A part of a reply that the ledger can't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadClaim {
    /// No claim of this seat can be read.
    Seat(Seat),
    /// A part of a reply.
    Part(Unread),
}

/// A claim that was open when the synthesis began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenClaim {
    pub id: Id,
    /// Its own seat has repaired it, and no other seat has answered since.
    pub is_repaired: bool,
}

/// The view of the next seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeatView {
    /// The seat can read the project's files.
    pub in_project: bool,
    /// Independent replies are written at the same time: the seat sees none of the others.
    pub is_side_by_side: bool,
}

/// The unfinished debate of this project. `id`: refuses a debate with another id.
pub fn unfinished_run(context: &Context<'_>, id: Option<&str>) -> Result<Runs> {
    let store = context.selected_store(None);
    let debate = unfinished_here(&store)?;
    check_names_no_agent(&store)?;
    if let Some(id) = id.filter(|id| *id != debate.id) {
        let (here, id) = (debate.id, clean(id, 100));
        return Err(ProgramsError::NotHere { here, id }.into());
    }
    Ok(runs_of(context, store.project(), debate))
}

/// The folder with the files that a seat of `--in-project` reads.
pub fn project_root(context: &Context<'_>) -> PathBuf {
    context.project_for_new_debate().root().to_owned()
}

/// Notes which agents argue a debate. Its file does not choose them: it could have come from
/// elsewhere.
pub fn remember_run(
    context: &Context<'_>,
    project: &Project,
    id: &str,
    record: &RunRecord,
) -> Result<()> {
    let mut store = Store::new(project.clone(), context.world);
    store.lock(LOCK_WAIT)?.change_record(id, |known| known.run = Some(record.clone()))
}

/// Refuses if [`take_up`] would refuse because of the debate's owner.
pub fn may_take_up(
    context: &Context<'_>,
    session: &Session,
    debate: &Debate,
    take_over: bool,
) -> Result<()> {
    check_may_change(context, UserAction::Resume, debate, Some(session), take_over)
        .map_err(ProgramsError::Owned)?;
    check_unclaimed(&context.selected_store(None), debate)
}

/// Takes the debate of this project over for a session of programs.
pub fn take_up(
    context: &Context<'_>,
    session: &Session,
    id: &str,
    take_over: bool,
) -> Result<Debate, Stopped> {
    let mut store = context.selected_store(Some(session));
    let action = UserAction::Resume;
    let mut held = lock_for(context, &mut store, action, Some(session), take_over, |loaded| {
        let loaded = require_unfinished(loaded)?;
        if loaded.state.debate.id != id {
            return Err(Error::from(ProgramsError::Replaced));
        }
        may_take_up(context, session, &loaded.state.debate, take_over)?;
        Ok(loaded)
    })?;
    let debate = &mut held.state.debate;
    debate.claim(&session.id, None, context.world.now);
    debate.isolate_seats();
    debate.require_read(false);
    let held = held.commit()?;
    remember(context, session, held.transaction.project(), Since::AsKnown);
    Ok(held.into_debate())
}

/// The request to the next seat, with the user's direction if one waits. `attempts`: those of the
/// debate until now.
pub fn next_request(
    context: &Context<'_>,
    session: &Session,
    view: SeatView,
    attempts: &Attempts,
    most_tokens: impl Fn(Place) -> usize,
) -> Result<Request, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    let has_direction = give_steering(&mut held.state, context.world.now).is_some();
    let is_changed = held.repair.is_some() || has_direction;
    if is_changed {
        held.state.debate.touch(context.world.now);
    }
    let state = &held.state;
    let record = AttemptRecord::new(held.transaction.store(), &state.debate.id);
    let before = rejected_reply(&record, &state.debate, attempts);
    let SeatView { in_project, is_side_by_side } = view;
    let place = state.debate.next_place();
    let is_alone =
        is_side_by_side && state.debate.is_independent(place) && !stops_within(&state.debate);
    let options = RequestOptions { before: before.as_deref(), in_project, is_alone };
    let state_file = held.transaction.project().state_file();
    let next = request(state, &state_file, options, most_tokens)?;
    // The reply may have been written at the same time as the replies before it.
    let answers = next.answers.iter().copied().chain([answer_generation(state, place)]).collect();
    if is_changed {
        held.commit()?;
    }
    Ok(Request { answers, ..next })
}

/// Puts a reply aside that came too late.
pub fn put_late_aside(context: &Context<'_>, id: &str, text: &str) -> Result<(), Stopped> {
    let mut store = context.selected_store(None);
    if let Some(mut held) = lock_any(context, &mut store, LOCK_WAIT)?
        && held.state.debate.id == id
        && !held.is_aside(text)
    {
        held.put_aside(text, Some(Aside::Late))?;
    }
    Ok(())
}

/// The result of the current debate. Refuses a debate with another id.
pub fn gate_facts(context: &Context<'_>, id: &str) -> Result<GateFacts> {
    let store = context.selected_store(None);
    let (state, _) = find(&store, None)?;
    if state.debate.id != id {
        return Err(ProgramsError::ReplacedAtEnd.into());
    }
    let among = state.debate.alternatives();
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &among);
    let objections = match Revision::of_entries(&entries, &ledger) {
        None => Objections::NoDocument,
        Some(revision) => objections(&revision, &entries),
    };
    let is_revised = state.debate.options.mode == Mode::Revise;
    let known = ledger.claims.iter().map(|claim| claim.id).collect();
    let unread = unread_claim(&entries, &known, |_| true).or_else(|| {
        without_claim(&entries, |seat| {
            seat != Seat::Critic && is_revised
                || ledger.claims.iter().any(|claim| claim.id.seat() == seat)
        })
    });
    let open = ledger
        .claims
        .iter()
        .filter(|claim| claim.status == ledger::ClaimStatus::Open)
        .map(|claim| OpenClaim {
            id: claim.id,
            is_repaired: ledger
                .moves
                .iter()
                .any(|made| made.target == claim.id && made.kind == MoveKind::Repair),
        })
        .collect();
    Ok(GateFacts { standing: ledger.standing(), unread, open, objections, among })
}

/// Saves a seat's reply and advances the debate. `None`: the debate has moved on, and the reply is
/// put aside.
pub fn submit(
    context: &Context<'_>,
    session: &Session,
    generation: Generation,
    written: WrittenReply<'_>,
) -> Result<Option<Filed>, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    if held.is_edited() || generation_of(&held.state.debate) != generation {
        held.put_aside(written.text, Some(Aside::OtherPhase))?;
        // A new step: a reply to the old state never counts for the new one.
        held.state.debate.take_step_after(0);
        held.commit()?;
        return Ok(None);
    }
    let (held, filed) = file_reply(held, written, Some(session))?;
    Ok(Some(held.write_reports_of(filed)))
}

/// The debate of a run that something else has paused.
pub fn paused_debate(context: &Context<'_>, session: &Session) -> Option<Debate> {
    let loaded = context.selected_store(Some(session)).load().ok()??;
    let debate = loaded.state.debate;
    let is_its_own = debate.is_owned_by(&session.id) && debate.status() == Status::Paused;
    is_its_own.then_some(debate)
}

/// Pauses the debate for the user, or marks it as failed. `why`: a sentence without its full
/// stop.
pub fn stop_debate(
    context: &Context<'_>,
    session: &Session,
    has_failed: bool,
    why: &str,
) -> Result<Debate, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    held.state.debate.pause(StopReason::Said(clean(why, 500)), context.world.now);
    if has_failed {
        let place = held.state.debate.next_place();
        let answers = [generation_of(&held.state.debate), answer_generation(&held.state, place)];
        let debate = &mut held.state.debate;
        let attempts = held.transaction.store().attempts(&debate.id).unwrap_or_default();
        let failures = attempts.failure_count(debate.next_place().into(), &answers);
        debate.retry(u8::try_from(failures).unwrap_or(MAX_RETRIES).min(MAX_RETRIES));
        debate.fail(StopReason::Said(clean(why, 500)));
    }
    Ok(held.commit()?.into_debate())
}

/// Skips to the synthesis: a limit leaves no room for more replies.
pub fn cut_short(context: &Context<'_>, session: &Session) -> Result<Debate, Stopped> {
    let mut store = context.selected_store(Some(session));
    let mut held = lock_owned(context, &mut store, session)?;
    skip_to_synthesis(&mut held.state)?;
    held.state.debate.touch(context.world.now);
    Ok(held.commit()?.into_debate())
}

/// The seat's last reply if the seat has to write it again: the newest reply to the step.
fn rejected_reply(record: &AttemptRecord, debate: &Debate, attempts: &Attempts) -> Option<String> {
    let is_again = debate.retry_count() > 0 || debate.form_retry();
    let newest = attempts.newest_reply_to(debate.step()).filter(|_| is_again)?;
    record.reply(newest)
}

/// The objections to a document. One in a form that is not read may block.
fn objections(revision: &Revision, entries: &Entries) -> Objections {
    let standing: Vec<Id> = revision.standing().map(|one| one.id).collect();
    let is_critic = |seat| seat == Seat::Critic;
    let known = revision.objections.iter().map(|one| one.id).collect();
    let unread = unread_claim(entries, &known, is_critic).or_else(|| {
        without_claim(entries, |seat| !is_critic(seat) || !revision.objections.is_empty())
    });
    match unread {
        Some(unread) if standing.is_empty() => Objections::Unread(unread),
        _ => Objections::Standing(standing),
    }
}

/// The first part of a reply of these seats that may be a claim and can't be read.
fn unread_claim(
    entries: &Entries,
    known: &HashSet<Id>,
    of: impl Fn(Seat) -> bool,
) -> Option<UnreadClaim> {
    let argued = entries.replies().filter(|(place, _)| place.seat != Seat::Synthesizer);
    argued
        .filter(|(place, _)| of(place.seat))
        .find_map(|(place, reply)| {
            ledger::unread(&reply.text, place.seat, |id| known.contains(&id))
        })
        .map(UnreadClaim::Part)
}

/// The first seat that argued and has no claim.
fn without_claim(entries: &Entries, has_claim: impl Fn(Seat) -> bool) -> Option<UnreadClaim> {
    let seats = entries.replies().map(|(place, _)| place.seat);
    seats
        .filter(|seat| *seat != Seat::Synthesizer)
        .find(|seat| !has_claim(*seat))
        .map(UnreadClaim::Seat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{self, change_rounds, steer};
    use crate::tasks;
    use anvil_core::options::DebateOptions;
    use anvil_core::tasks::SeatFilter;
    use anvil_store::Holder;
    use anvil_system::world::World;

    /// A request that can't be made leaves the debate as it was: the direction that it would have
    /// got still waits, and a paused debate stays paused.
    #[test]
    fn a_request_that_fails_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let var = |name: &str| (name == "HOME").then(|| home.path().into());
        let world = World { cwd: home.path().to_owned(), ..World::gather(var).unwrap() };
        let context = Context::new(&world);
        let started =
            session::start(&context, None, "Is it so?", &DebateOptions::default()).unwrap();
        change_rounds(&context, None, 3, false).unwrap();
        steer(&context, None, "Look at the cost.", false).unwrap();
        let file = started.project.state_file();
        let before = fs_err::read(&file).unwrap();
        let id = started.debate.id;
        let no_room = |_| 1;

        let claimant =
            tasks::Claimant { name: "one".into(), holder: Holder::user(), reopens: true };
        tasks::claim(&context, &id, &claimant, SeatFilter::Any, no_room).unwrap_err();
        assert_eq!(fs_err::read(&file).unwrap(), before);
        let record = super::super::attempt_record(&context, &id);
        assert_eq!(record.read().unwrap(), Attempts::default());

        let session = Session::new("run-1-1");
        take_up(&context, &session, &id, false).unwrap();
        let before = fs_err::read(&file).unwrap();
        let view = SeatView::default();
        next_request(&context, &session, view, &Attempts::default(), no_room).unwrap_err();
        assert_eq!(fs_err::read(&file).unwrap(), before);
        next_request(&context, &session, view, &Attempts::default(), |_| 100_000).unwrap();
        assert_ne!(fs_err::read(&file).unwrap(), before);
    }
}
