//! A session follows a debate that programs argue for it. Its user gets each piece of news once.
//!
//! The session owns nothing: its prompts and its end do not change the debate. The record of the
//! session holds the news that the user has, so a session without such a debate does not look for
//! any.

use crate::domain::debate::{Debate, Phase, Status, Verb};
use crate::domain::ledger::Ledger;
use crate::domain::transcript;
use crate::engine::lookup::find;
use crate::engine::output::page_of;
use crate::engine::ownership::{check_may_change, check_unclaimed, is_argued_by_programs, runner};
use crate::engine::programs::attempts::run_record;
use crate::engine::{Completed, Context, SAME_PROMPT, Session, Skipped, Stopped};
use crate::error::{Error, Result};
use crate::storage::{self, Project, RunRecord, SessionRecord, Store};
use crate::system::process::ProcessId;

/// News for the user of a session that follows a debate.
#[derive(Debug)]
pub enum News {
    /// A round is over, and the next phase is being written.
    Round(Box<Debate>),
    /// The debate waits for the user, or has failed.
    Rests(Box<Debate>),
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

#[derive(Debug)]
pub enum Followed {
    /// This process argues a debate now. `None`: the debate pauses or is over, and the user does
    /// not know it.
    Runs(Box<FollowedPlace>, Option<ProcessId>),
    /// No debate yet, or one with an end that the user knows.
    NotYet,
    /// No debate: the session argues one itself.
    Not,
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
        self.record.as_ref().is_some_and(|record| record.isolated)
    }

    pub fn is_unfinished(&self) -> bool {
        self.debate.progress.status.is_unfinished()
    }
}

/// The current debate, and the programs that argue it. `None`: there is no debate.
pub fn runs(context: &Context<'_>, session: &Session) -> Result<Option<Runs>> {
    let store = context.store_meant(Some(session));
    let Some(loaded) = store.load()? else { return Ok(None) };
    Ok(Some(runs_of(context, store.project(), loaded.state.debate)))
}

pub(super) fn runs_of(context: &Context<'_>, project: &Project, debate: Debate) -> Runs {
    let record = run_record(context, &debate.id, project);
    let is_running = runner(context, &debate).is_some();
    Runs { debate, project: project.clone(), record, is_running }
}

/// `None`: the client is not known.
pub fn client_of(context: &Context<'_>, session: &Session) -> Option<ProcessId> {
    context.machine.session(&session.id)?.client
}

/// The debate that this session follows, and its project.
fn following(context: &Context<'_>, session: &Session) -> Option<(Project, storage::FollowedNews)> {
    let record = context.machine.session(&session.id)?;
    Some((Project::at(record.root), record.follows?))
}

fn head(context: &Context<'_>, project: &Project) -> Option<Debate> {
    Store::new(project.clone(), context.world).read_head().ok().flatten()
}

/// Claude goes on with a debate in its conversation, also at the next `/anvil:resume`.
pub fn resumes_here(context: &Context<'_>, runs: &Runs) -> Result<()> {
    let Some(record) = runs.record.as_ref().filter(|record| record.isolated) else {
        return Ok(());
    };
    let here = RunRecord { isolated: false, ..record.clone() };
    Store::new(runs.project.clone(), context.world).remember_run(&runs.debate.id, &here)
}

/// Refuses if this machine can remember nothing: it could not know which programs the user has
/// named.
pub fn can_have_programs(context: &Context<'_>) -> Result<()> {
    if context.machine.can_remember() {
        return Ok(());
    }
    Err(Error::failed(
        "there is no folder to remember in who argues the debate",
        "set HOME or CLAUDE_CONFIG_DIR, or leave the programs out",
    ))
}

/// Refuses if another running session owns the debate, or if its tasks are claimed.
/// The error also explains how to go on.
pub fn may_go_on(
    context: &Context<'_>,
    session: &Session,
    debate: &Debate,
    take_over: bool,
) -> Result<()> {
    check_may_change(context, Verb::Resume, debate, Some(session), take_over)?;
    check_unclaimed(&context.store_meant(Some(session)), debate)
}

/// From now on, this session gets the news of a debate.
pub fn follow(context: &Context<'_>, session: &Session, project: &Project, debate: &Debate) {
    let rounds = rounds_over(debate);
    let is_bound = context.machine.read_session(&session.id).ok().flatten().is_some_and(|known| {
        match known.follows {
            Some(follows) => follows.is_bound,
            None => !known.is_informed,
        }
    });
    let follows = storage::FollowedNews {
        id: debate.id.clone(),
        rounds,
        is_bound,
        ..storage::FollowedNews::default()
    };
    remember_following(context, session, project, follows);
}

/// True if Claude does not know yet that the protocol of its earlier debate no longer holds in
/// this session. The record notes that Claude learns it now.
pub fn is_released(context: &Context<'_>, session: &Session) -> bool {
    let Some((_, follows)) = following(context, session) else { return false };
    if follows.is_bound {
        change_followed(context, session, |follows| follows.is_bound = false);
    }
    follows.is_bound
}

/// Follows the debate again in a new conversation of the same client, as after `/clear`.
pub(crate) fn follow_again(
    context: &Context<'_>,
    session: &Session,
    project: &Project,
    debate: &Debate,
) {
    let record = run_record(context, &debate.id, project);
    let is_for_it =
        |record: &RunRecord| session.client.is_some() && record.for_client == session.client;
    if runner(context, debate).is_some() && record.as_ref().is_some_and(is_for_it) {
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
    let record = context.machine.session(&session.id).ok_or(Skipped::NoDebate)?;
    let Some(mut known) = record.follows.clone() else { return Ok(None) };
    let project = Project::at(record.root);
    let store = Store::new(project.clone(), context.world);
    let debate = store.read_head()?.filter(|debate| debate.id == known.id);
    // The debate was cancelled or replaced. The user who did that knows it.
    let Some(debate) = debate else {
        context.machine.forget(&session.id);
        return Ok(None);
    };
    let step = debate.progress.step;
    let was_told = known.told_at == Some(step);
    let news = match debate.progress.status {
        Status::Completed => {
            let conclusion = conclusion_of(context, &store)?;
            if is_last {
                context.machine.forget(&session.id);
            } else if !was_told {
                change_followed(context, session, |follows| follows.told_at = Some(step));
            }
            return Ok((!was_told || is_last)
                .then_some(News::Completed { conclusion, is_known: was_told }));
        }
        Status::Cancelled => {
            context.machine.forget(&session.id);
            return Ok(None);
        }
        _ if was_told => return Ok(None),
        Status::Paused | Status::Failed => {
            known.told_at = Some(step);
            News::Rests(Box::new(debate))
        }
        // A conversation has taken the debate over. The user who did that knows it.
        Status::InProgress if !is_argued_by_programs(&debate) => {
            context.machine.forget(&session.id);
            return Ok(None);
        }
        Status::InProgress if runner(context, &debate).is_none() => {
            known.told_at = Some(step);
            News::IsDead(Box::new(debate))
        }
        Status::InProgress | Status::NotStarted => {
            let rounds = rounds_over(&debate);
            let is_same_turn = session.prompt_id.is_some() && known.turn == session.prompt_id;
            if rounds <= known.rounds || is_same_turn {
                return Ok(None);
            }
            known.rounds = rounds;
            known.turn.clone_from(&session.prompt_id);
            News::Round(Box::new(debate))
        }
    };
    change_followed(context, session, |follows| {
        (follows.told_at, follows.rounds, follows.turn) = (known.told_at, known.rounds, known.turn);
    });
    Ok(Some(news))
}

pub fn followed(context: &Context<'_>, session: &Session) -> Followed {
    let Some(record) = context.machine.session(&session.id) else {
        return Followed::NotYet;
    };
    let project = Project::at(record.root);
    let Some(follows) = record.follows else { return Followed::Not };
    let Some(debate) = head(context, &project).filter(|debate| debate.id == follows.id) else {
        return Followed::NotYet;
    };
    let place = Box::new(FollowedPlace { project, id: follows.id });
    match runner(context, &debate) {
        Some(runner) => Followed::Runs(place, Some(runner)),
        None if has_news_of_end(context, &place) => Followed::Runs(place, None),
        None => Followed::NotYet,
    }
}

/// True for the first process that waits to wake a session. The record notes this process.
pub fn waits_alone(context: &Context<'_>, session: &Session) -> bool {
    let Some((_, follows)) = following(context, session) else { return false };
    let own = ProcessId::current();
    if follows.waiter.is_some_and(|waiter| !waiter.is_same(own) && waiter.is_alive()) {
        return false;
    }
    change_followed(context, session, |follows| follows.waiter = Some(own));
    true
}

/// True if a debate that programs argued pauses or is over, and a session that follows it does
/// not know it.
pub fn has_news_of_end(context: &Context<'_>, place: &FollowedPlace) -> bool {
    let is_over = |debate: &Debate| debate.id == place.id && runner(context, debate).is_none();
    let Some(debate) = head(context, &place.project).filter(is_over) else { return false };
    let is_new = |follows: &storage::FollowedNews| {
        follows.id == place.id && follows.told_at != Some(debate.progress.step)
    };
    context.machine.followed().iter().any(is_new)
}

/// True if programs argue this debate, or have advanced it since `before`.
pub fn is_taken_up(context: &Context<'_>, project: &Project, before: &Debate) -> bool {
    head(context, project).is_some_and(|debate| {
        debate.id == before.id
            && (runner(context, &debate).is_some() || debate.progress.step > before.progress.step)
    })
}

/// True if this session has just requested a debate of programs on this question. A plugin that
/// is installed twice delivers the prompt twice.
pub fn has_just_begun(context: &Context<'_>, session: &Session, question: &str) -> bool {
    let Some((project, follows)) = following(context, session) else { return false };
    head(context, &project).is_some_and(|debate| {
        debate.id == follows.id
            && (question.is_empty() || debate.question == question)
            && context.is_within(SAME_PROMPT, debate.progress.started_at)
    })
}

pub(crate) fn conclusion_of(context: &Context<'_>, store: &Store) -> Result<Box<Completed>> {
    let (state, _) = find(store, None)?;
    let entries = transcript::parse(&state.body);
    let project = store.project();
    let report = context.report_written(store, &state.debate);
    let page = report.as_ref().and_then(|report| page_of(store, &state.debate.id, report));
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let unreported = Completed::of(&state.debate, &entries, project, ledger);
    Ok(Box::new(Completed {
        report: report.map_or(unreported.report, Ok),
        page: page.filter(|page| page.is_file()),
        ..unreported
    }))
}

/// Without a record the user gets no news. `/anvil:status` shows the debate.
fn change_followed(
    context: &Context<'_>,
    session: &Session,
    change: impl FnOnce(&mut storage::FollowedNews),
) {
    let _ = context.machine.change_followed(&session.id, change);
}

fn remember_following(
    context: &Context<'_>,
    session: &Session,
    project: &Project,
    follows: storage::FollowedNews,
) {
    let machine = &context.machine;
    let is_of_it = |known: &SessionRecord| known.follows.is_some() && known.root == project.root();
    let known = machine.session(&session.id).filter(is_of_it);
    let known = known.unwrap_or_else(|| SessionRecord::new(project.root(), session.client));
    // Without a record the user gets no news. `/anvil:status` shows the debate.
    let _ = machine.remember(&session.id, &SessionRecord { follows: Some(follows), ..known });
}

/// Complete rounds of the current cycle.
fn rounds_over(debate: &Debate) -> u8 {
    let slot = debate.progress.slot;
    if slot.phase == Phase::Synthesizer { slot.round } else { slot.round.saturating_sub(1) }
}
