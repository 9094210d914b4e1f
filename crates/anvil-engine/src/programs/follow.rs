//! A session follows a debate that programs argue for it. Its user gets each piece of news once.
//!
//! The session owns nothing: its prompts and its end do not change the debate. The record of the
//! session holds the news that the user has, so a session without such a debate does not look for
//! any.

use std::path::Path;

use super::error::ProgramsError;
use crate::lookup::find;
use crate::ownership::{check_may_change, check_unclaimed, is_argued_by_programs, runner};
use crate::programs::attempts::run_record;
use crate::programs::run::remember_run;
use crate::reports::ReportPlaces;
use crate::{Completed, Context, SAME_PROMPT, Session, Skipped, Stopped};
use anvil_core::debate::{Debate, Status, UserAction};
use anvil_core::ledger::Ledger;
use anvil_core::place::Seat;
use anvil_core::transcript;
use anvil_store::{FollowedDebate, Project, RunRecord, SessionRecord, Store};
use anvil_system::process::ProcessId;
use anvil_text::error::Result;

/// News for the user of a session that follows a debate.
#[derive(Debug)]
pub enum News {
    /// A round is over, and the next phase is being written.
    Round(Box<Debate>),
    /// The debate waits for the user, or has failed.
    Paused(Box<Debate>),
    /// The process that argued the debate is gone, and left no reason.
    IsDead(Box<Debate>),
    /// The debate has its synthesis.
    Completed {
        conclusion: Box<Completed>,
        /// The user knows it already.
        is_known: bool,
    },
}

/// A debate that a session follows, and its project.
#[derive(Clone, Debug)]
pub struct FollowedPlace {
    project: Project,
    id: String,
}

/// The state of a debate for a process that waits to wake a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Programs argue the debate.
    Runs,
    /// The debate is paused or over, and a user who follows it does not know that.
    News,
    /// No debate yet, or its user knows that it is paused or over.
    Nothing,
    /// No session follows the debate: its news are known, or the session argues one itself.
    Nowhere,
}

/// The current debate, and the programs that argue it.
#[derive(Debug)]
pub struct Runs {
    pub debate: Debate,
    pub project: Project,
    /// This machine's record of the programs that fill its seats.
    pub record: Option<RunRecord>,
    /// Programs write now.
    pub is_running: bool,
}

impl Runs {
    /// The user requested separate programs in Claude Code, and no conversation has taken the
    /// debate since.
    pub fn is_isolated(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.handover.isolated)
    }

    pub fn is_unfinished(&self) -> bool {
        self.debate.status().is_unfinished()
    }
}

/// The current debate, and the programs that argue it. `None`: there is no debate.
pub fn runs(context: &Context<'_>, session: &Session) -> Result<Option<Runs>> {
    let store = context.selected_store(Some(session));
    let Some(loaded) = store.load()? else { return Ok(None) };
    Ok(Some(runs_of(context, store.project(), loaded.state.debate)))
}

pub(super) fn runs_of(context: &Context<'_>, project: &Project, debate: Debate) -> Runs {
    let record = run_record(context, &debate.id, project);
    let is_running = runner(context, &debate).is_some();
    Runs { debate, project: project.clone(), record, is_running }
}

/// The debate that this session follows.
fn following(context: &Context<'_>, session: &Session) -> Option<FollowedPlace> {
    let record = context.machine.session(&session.id)?;
    Some(FollowedPlace { project: Project::at(record.root), id: record.follows?.debate })
}

fn head(context: &Context<'_>, project: &Project) -> Option<Debate> {
    Store::new(project.clone(), context.world).read_head().ok().flatten()
}

/// Claude goes on with a debate in its conversation, also at the next `/anvil:resume`.
pub fn resumes_here(context: &Context<'_>, runs: &Runs) -> Result<()> {
    let Some(record) = runs.record.as_ref().filter(|record| record.handover.isolated) else {
        return Ok(());
    };
    let mut here = record.clone();
    here.handover.isolated = false;
    remember_run(context, &runs.project, &runs.debate.id, &here)
}

/// Refuses if this machine can remember nothing: it could not know which programs the user has
/// named.
pub fn can_have_programs(context: &Context<'_>) -> Result<()> {
    if context.machine.can_remember() {
        return Ok(());
    }
    Err(ProgramsError::NoFolder.into())
}

/// Refuses if another running session owns the debate, or if its tasks are claimed.
/// The error also explains how to go on.
pub fn may_go_on(
    context: &Context<'_>,
    session: &Session,
    debate: &Debate,
    take_over: bool,
) -> Result<()> {
    check_may_change(context, UserAction::Resume, debate, Some(session), take_over)?;
    check_unclaimed(&context.selected_store(Some(session)), debate)
}

/// From now on, this session gets the news of a debate. Claude has to learn that the protocol of an
/// earlier one no longer holds, unless it knows or there was none.
pub fn follow(context: &Context<'_>, session: &Session, project: &Project, debate: &Debate) {
    let machine = &context.machine;
    let known = machine.read_session(&session.id).ok().flatten();
    let follows = FollowedDebate {
        debate: debate.id.clone(),
        shown_step: debate.step(),
        waiter: known.as_ref().and_then(|known| known.follows.as_ref()?.waiter),
    };
    let record = SessionRecord {
        is_informed: known.is_none_or(|known| known.is_informed),
        follows: Some(follows),
        ..SessionRecord::new(project.root(), session.client)
    };
    // Without a record the user gets no news. `/anvil:status` shows the debate.
    let _ = machine.remember(&session.id, &record);
}

/// True once if Claude does not know yet that the protocol of its earlier debate no longer holds in
/// this session.
pub fn is_released(context: &Context<'_>, session: &Session) -> bool {
    let was_informed = context
        .machine
        .change_follower(&session.id, |record| std::mem::replace(&mut record.is_informed, true));
    was_informed == Some(false)
}

/// Follows the debate again in a new conversation of the same client, as after `/clear`.
pub(crate) fn follow_again(
    context: &Context<'_>,
    session: &Session,
    project: &Project,
    debate: &Debate,
) {
    let for_client =
        run_record(context, &debate.id, project).and_then(|record| record.handover.for_client);
    if runner(context, debate).is_some() && for_client.is_some() && for_client == session.client {
        follow(context, session, project, debate);
    }
}

/// The news that the user of a session does not have yet. The record notes that they have it
/// now. `is_last`: this is the only news of the debate's end, and Claude gets it too.
pub fn news(
    context: &Context<'_>,
    session: &Session,
    is_last: bool,
) -> Result<Option<News>, Stopped> {
    let followed = following(context, session).ok_or(Skipped::NoDebate)?;
    let store = Store::new(followed.project, context.world);
    let debate = store.read_head()?.filter(|debate| debate.id == followed.id);
    let Some(debate) = debate.filter(|debate| !is_known(debate)) else {
        context.machine.forget(&session.id);
        return Ok(None);
    };
    let is_stopped = is_stopped(context, &debate);
    let place = debate.place();
    // Complete rounds of the current cycle.
    let rounds_over = if place.seat == Seat::Synthesizer {
        place.number()
    } else {
        place.number().saturating_sub(1)
    };
    if !is_stopped && rounds_over == 0 {
        return Ok(None);
    }
    let step = debate.step() + u32::from(is_stopped);
    let shown_before = context.machine.change_follower(&session.id, |record| {
        let follows = record.follows.as_mut()?;
        let before = follows.shown_step;
        follows.shown_step = before.max(step);
        Some(before)
    });
    let Some(before) = shown_before.flatten() else { return Ok(None) };
    let is_new = before < step;
    if debate.status() == Status::Completed && (is_new || is_last) {
        let conclusion = conclusion_of(context, &store)?;
        if is_last && !context.machine.forget_follower(&session.id) {
            return Ok(None);
        }
        return Ok(Some(News::Completed { conclusion, is_known: !is_new }));
    }
    let debate = Some(debate).filter(|_| is_new).map(Box::new);
    Ok(debate.map(|debate| match debate.status() {
        Status::Paused | Status::Failed => News::Paused(debate),
        _ if is_stopped => News::IsDead(debate),
        _ => News::Round(debate),
    }))
}

/// True for a debate that was cancelled or replaced, or that a conversation has taken over: the
/// user who did that knows it.
fn is_known(debate: &Debate) -> bool {
    match debate.status() {
        Status::Cancelled => true,
        Status::InProgress => !is_argued_by_programs(debate),
        Status::Completed | Status::Paused | Status::Failed | Status::NotStarted => false,
    }
}

/// True if programs have argued a debate, and none will go on by itself.
fn is_stopped(context: &Context<'_>, debate: &Debate) -> bool {
    match debate.status() {
        Status::NotStarted => false,
        Status::InProgress => runner(context, debate).is_none(),
        Status::Completed | Status::Paused | Status::Failed | Status::Cancelled => true,
    }
}

/// Looks at the debate that a session follows, else at the one that it followed: `/clear` begins
/// another session.
pub fn next_awaited(
    context: &Context<'_>,
    session: &Session,
    place: &mut Option<FollowedPlace>,
) -> Awaited {
    let record = context.machine.session(&session.id);
    if record.is_some_and(|record| record.follows.is_none()) {
        return Awaited::Nowhere;
    }
    *place = following(context, session).or_else(|| place.take());
    let Some(place) = place else { return Awaited::Nothing };
    let debate = head(context, &place.project).filter(|debate| debate.id == place.id);
    if debate.as_ref().is_some_and(|debate| runner(context, debate).is_some()) {
        return Awaited::Runs;
    }
    let records = follows_of(context, session, &place.id);
    if records.is_empty() {
        return Awaited::Nowhere;
    }
    match debate {
        Some(debate)
            if is_stopped(context, &debate)
                && records.iter().any(|follows| follows.shown_step <= debate.step()) =>
        {
            Awaited::News
        }
        _ => Awaited::Nothing,
    }
}

/// The record of a session; after `/clear`, the records of those that follow its debate now.
fn follows_of(context: &Context<'_>, session: &Session, debate: &str) -> Vec<FollowedDebate> {
    match context.machine.session(&session.id).and_then(|record| record.follows) {
        Some(follows) => vec![follows],
        None => context.machine.followers(debate),
    }
}

/// This process waits to wake the session, and no earlier one does any more.
pub fn begin_to_wait(context: &Context<'_>, session: &Session) {
    let waiter = Some(ProcessId::current());
    context.machine.change_follower(&session.id, |record| {
        if let Some(follows) = &mut record.follows {
            follows.waiter = waiter;
        }
    });
}

/// False if another process has begun to wait after this one, whether it still waits or has just
/// woken the session.
pub fn is_last_waiter(
    context: &Context<'_>,
    session: &Session,
    place: Option<&FollowedPlace>,
) -> bool {
    let Some(place) = place else { return true };
    follows_of(context, session, &place.id)
        .into_iter()
        .filter_map(|follows| follows.waiter)
        .all(|waiter| waiter.is_same(ProcessId::current()))
}

/// True if programs argue this debate, or have advanced it since `before`.
pub fn is_taken_up(context: &Context<'_>, project: &Project, before: &Debate) -> bool {
    head(context, project).is_some_and(|debate| {
        debate.id == before.id
            && (runner(context, &debate).is_some() || debate.step() > before.step())
    })
}

/// True if this session has just requested this debate of programs. A plugin that is installed
/// twice delivers the prompt twice.
pub(crate) fn has_just_begun(context: &Context<'_>, session: &Session, debate: &Debate) -> bool {
    following(context, session).is_some_and(|place| place.id == debate.id)
        && context.is_within(SAME_PROMPT, debate.started_at())
}

fn conclusion_of(context: &Context<'_>, store: &Store) -> Result<Box<Completed>> {
    let (state, _) = find(store, None)?;
    let entries = transcript::parse(&state.body);
    let places = ReportPlaces::as_written(context, store, &state.debate);
    let report = places.as_ref().and_then(|places| places.existing().map(Path::to_owned));
    let page = places.filter(|_| report.is_some()).and_then(|places| places.page());
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let unreported = Completed::from_state(&state, store, ledger);
    Ok(Box::new(Completed {
        report: report.map_or(unreported.report, Ok),
        page: page.filter(|page| page.is_file()),
        ..unreported
    }))
}
