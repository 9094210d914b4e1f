//! Reads a debate and changes nothing in it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::filing::is_state_file;
use crate::ownership::{check_owned_active, owner_status, runs_elsewhere};
use crate::programs::{answer_generation, generation_at_head};
use crate::reports::ReportPlaces;
use crate::tasks::holders;
use crate::{Context, DueReviews, NextReply, OwnerStatus, Session, no_debate, programs, reviews};
use anvil_core::attempt::Effort;
use anvil_core::debate::{Debate, Status};
use anvil_core::ledger::Counts;
use anvil_core::tasks::TaskHolder;
use anvil_core::transcript::{self, Entries};
use anvil_store::{IssueLag, Loaded, Project, RecoveredLine, Repair, StateFile, Store};
use anvil_system::process::ProcessError;
use anvil_text::error::Result;

/// A debate in its current state.
#[derive(Debug)]
pub struct Look {
    pub debate: Debate,
    pub entries: Entries,
    /// The words of all saved replies.
    pub words: usize,
    /// The places that the debate passed without a reply on the way to the synthesis.
    pub skipped: Vec<String>,
    pub project: Project,
    /// The session that owns it.
    pub owner: Option<OwnerStatus>,
    /// The path of its report, if that exists.
    pub report: Option<PathBuf>,
    /// The path of the report as an HTML page, if that exists.
    pub page: Option<PathBuf>,
    /// The issue that lacks a part of it.
    pub behind: Option<IssueLag>,
    /// The difference between the state and the file. The next change repairs the file.
    pub repair: Option<Repair>,
    /// The values that its damaged file lacked, each with its source.
    pub recovered: Vec<RecoveredLine>,
    /// The file can't be read, and no part of the debate is known.
    pub is_lost: bool,
    /// The debate is complete and has no report, or only that of an earlier cycle.
    pub is_report_due: bool,
    /// The attempts, tokens, cost and time of its replies.
    pub effort: Option<Effort>,
    /// The time of the remaining replies, if [`Context::reply_time`] knows it, while one is being
    /// written.
    pub left: Option<Duration>,
    /// Who writes the next reply.
    pub next: NextReply,
    /// The holders of its tasks, by task id; holders whose process has ended are left out.
    pub claims: BTreeMap<String, TaskHolder>,
    /// The time of this look.
    pub now: Timestamp,
}

/// A debate in short, for a status line.
#[derive(Debug)]
pub struct Glance {
    pub debate: Debate,
    /// The words of all saved replies.
    pub words: usize,
    pub counts: Counts,
    pub next: NextReply,
}

impl Look {
    /// The status in a word: that of the file, or `interrupted`.
    pub fn status(&self) -> &'static str {
        match self.next.interruption() {
            Some(_) => "interrupted",
            None => self.debate.status().label(),
        }
    }
}

/// A reply that took longer waited for a person, and a shorter one comes from a script: neither
/// counts.
const COUNTED: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_mins(20);

/// Fewest replies of a debate that show its pace.
const LEAST_REPLIES: u32 = 2;

/// The mean time of these replies, if there are at least so many.
fn mean(times: impl IntoIterator<Item = Duration>, least: u32) -> Option<Duration> {
    let counted = times.into_iter().filter(|time| COUNTED.contains(time));
    let (count, sum) =
        counted.fold((0, Duration::ZERO), |(count, sum), time| (count + 1, sum + time));
    (count >= least).then(|| sum / count)
}

impl Context<'_> {
    /// The time that a reply takes: the mean of the debate's own, from the second one on, else of
    /// this user's earlier debates. `None`: nothing shows it.
    pub fn reply_time(
        &self,
        id: &str,
        own: impl IntoIterator<Item = Duration>,
    ) -> Option<Duration> {
        mean(own, LEAST_REPLIES).or_else(|| mean(self.machine.reply_times(id), 1))
    }
}

/// The times between the saved replies.
fn times_between(debate: &Debate, entries: &Entries) -> Vec<Duration> {
    let mut before = Some(debate.started_at());
    let times = entries.replies().filter_map(|(_, reply)| {
        let took = reply.at.zip(before).map(|(at, before)| at.duration_since(before));
        before = reply.at;
        took?.try_into().ok()
    });
    times.collect()
}

/// Facts for a session that starts.
#[derive(Debug, Default)]
pub struct StartNotice {
    pub unfinished: Option<Look>,
    /// Its owner is another client that runs.
    pub runs_elsewhere: bool,
    /// The recommendations that are due for a review.
    pub reviews: Option<DueReviews>,
    /// Decisions with words that had changed when they were last rechecked.
    pub changed: usize,
}

/// The issue that lacks a part of the debate. A run that writes may still publish.
fn behind(store: &Store, state: &StateFile, is_written: bool) -> Option<IssueLag> {
    let published = store.record(&state.debate.id)?.published?;
    published.behind(&state.body).filter(|_| !is_written || published.failed.is_some())
}

/// The debate that the user means in this folder.
pub fn look(context: &Context<'_>, session: Option<&Session>) -> Result<Look> {
    let store = context.selected_store(session);
    let Loaded { state, repair, is_lost, .. } = store.load()?.ok_or_else(|| no_debate(&store))?;
    let entries = transcript::parse(&state.body);
    let words = entries.words();
    let skipped = transcript::skipped_places(&state.debate, &entries);
    let project = store.project().clone();
    let places = (state.debate.status() == Status::Completed)
        .then(|| ReportPlaces::as_written(context, &store, &state.debate))
        .flatten();
    let report = places.as_ref().and_then(|places| places.existing().map(Path::to_owned));
    let page = places.filter(|_| report.is_some()).and_then(|places| places.page());
    let owner = owner_status(context, &state.debate, session);
    let is_due = report.is_none() || store.are_reports_due(&state.debate.id);
    let attempts = store.attempts(&state.debate.id).unwrap_or_default();
    let mut claims = holders(&state, &attempts);
    let is_unfinished = state.debate.status().is_unfinished();
    claims.retain(|_, holder| is_unfinished && !holder.is_gone);
    let record = store.record(&state.debate.id);
    let answers = answer_generation(&state, state.debate.next_place());
    let next = NextReply::now(context, &state.debate, answers, &attempts, owner.as_ref());
    let left = if next.is_written() {
        let (done, all) = state.debate.count_phases();
        let reply = context.reply_time(&state.debate.id, times_between(&state.debate, &entries));
        reply.map(|reply| reply * (all - done))
    } else {
        None
    };
    Ok(Look {
        left,
        owner,
        claims,
        effort: attempts.effort(),
        behind: behind(&store, &state, next.is_written_by_run()),
        is_report_due: is_due && state.debate.status() == Status::Completed,
        debate: state.debate,
        entries,
        words,
        skipped,
        project,
        report,
        page: page.filter(|page| page.is_file()),
        repair,
        recovered: record.map(|record| record.recovered).unwrap_or_default(),
        is_lost,
        next,
        now: context.world.now,
    })
}

/// True for the file of the debate that this session argues now.
pub fn may_read(context: &Context<'_>, session: &Session, path: &Path) -> bool {
    let recorded = context.project_of_session(session);
    let project = recorded.unwrap_or_else(|| Project::at(context.here()));
    let debate = Store::new(project.clone(), context.world).read_head().unwrap_or_default();
    let is_own = debate.is_some_and(|debate| check_owned_active(&debate, session).is_ok());
    is_own && is_state_file(&context.world.cwd.join(path), &project)
}

/// The debate of this session while it runs or waits, for a status line.
pub fn glance(context: &Context<'_>, session: Option<&Session>) -> Result<Option<Glance>> {
    let store = context.selected_store(session);
    let Some((debate, words, counts)) = store.glance()? else { return Ok(None) };
    let attempts = store.attempts(&debate.id).unwrap_or_default();
    let owner = owner_status(context, &debate, session);
    let answers = generation_at_head(&debate);
    let next = NextReply::now(context, &debate, answers, &attempts, owner.as_ref());
    Ok(Some(Glance { debate, words, counts, next }))
}

/// True if the user has read in this project that another family of models is installed.
pub fn knows_families(context: &Context<'_>) -> bool {
    context.machine.has_shown("family", context.selected_store(None).project())
}

/// Saves that the user has read it. After an error they read it again.
pub fn remember_families(context: &Context<'_>) {
    let _ = context.machine.remember_shown("family", context.selected_store(None).project());
}

/// The project of the debate that the user means, else the project for this folder.
pub fn project(context: &Context<'_>) -> Project {
    context.selected_store(None).project().clone()
}

/// Tests the lock of the debate here.
pub fn try_lock(context: &Context<'_>) -> Result<()> {
    context.selected_store(None).try_lock(crate::LOCK_WAIT)
}

/// True if git would add the debate's file. `None`: no repository is here. An error: git refuses,
/// or can't be run.
pub fn is_seen_by_git(context: &Context<'_>) -> std::result::Result<Option<bool>, ProcessError> {
    context.selected_store(None).is_seen_by_git()
}

/// Facts for a session that starts in this project; reviews and changed words only if it `is_new`.
/// The debate stays as it is.
pub fn start_notice(context: &Context<'_>, session: &Session, is_new: bool) -> Result<StartNotice> {
    let store = context.selected_store(Some(session));
    let debate = match store.read_head() {
        Ok(debate) => debate,
        Err(_) => store.load()?.map(|loaded| loaded.state.debate),
    };
    let reviews = is_new.then(|| reviews::reviews_found(context, &store)).flatten();
    let changed = if is_new { changed_decisions(context, &store) } else { 0 };
    let Some(debate) = debate else {
        return Ok(StartNotice { reviews, changed, ..StartNotice::default() });
    };
    context.note_seen_by_git(&store);
    if !debate.status().is_unfinished() {
        return Ok(StartNotice { reviews, changed, ..StartNotice::default() });
    }
    programs::follow_again(context, session, store.project(), &debate);
    let runs_elsewhere = runs_elsewhere(context, &debate, Some(session));
    let unfinished = Some(look(context, Some(session))?);
    Ok(StartNotice { unfinished, runs_elsewhere, reviews, changed })
}

/// The decisions with words that had changed at the last recheck. Nothing is looked up.
fn changed_decisions(context: &Context<'_>, store: &Store) -> usize {
    let rechecked = context.machine.rechecks(store.project());
    rechecked.values().filter(|seen| seen.changed > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::place::{Place, Seat};
    use jiff::SignedDuration;

    #[test]
    fn a_reply_takes_the_mean_of_those_that_waited_for_nobody() {
        let started = Timestamp::UNIX_EPOCH;
        let debate = Debate::new("id".into(), "Why?".into(), 3, started);
        let mut state = StateFile::new(debate.clone());
        let mut saved = |seconds: i64, seat, round| {
            let at = started + SignedDuration::from_secs(seconds);
            transcript::append(&mut state.body, Place { seat, round }, None, at, "word");
            let times = times_between(&debate, &transcript::parse(&state.body));
            mean(times, LEAST_REPLIES).map(|mean| mean.as_secs())
        };
        assert_eq!(saved(60, Seat::Advocate, 1), None);
        // The second reply waited for a night.
        assert_eq!(saved(40_000, Seat::Critic, 1), None);
        assert_eq!(saved(40_030, Seat::Advocate, 2), Some(45));
        // A script answers at once.
        assert_eq!(saved(40_030, Seat::Critic, 2), Some(45));
        assert_eq!(saved(40_120, Seat::Advocate, 3), Some(60));
    }
}
