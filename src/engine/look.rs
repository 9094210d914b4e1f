//! Look at a debate without changing anything.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{DueReviews, Engine, OwnerStatus, Session, no_debate};
use crate::debate::{Debate, Status};
use crate::error::Result;
use crate::ledger::Counts;
use crate::report::Format;
use crate::seats::Effort;
use crate::state::{Claim, Loaded, Project, Repair};
use crate::transcript::{self, Entries};

/// A debate as it stands.
#[derive(Debug)]
pub struct Look {
    /// The debate.
    pub debate: Debate,
    /// Its replies.
    pub entries: Entries,
    /// Words filed so far.
    pub words: usize,
    /// The places that were passed over on the way to the synthesis.
    pub skipped: Option<String>,
    /// Whose project it is.
    pub project: Project,
    /// The session that owns it.
    pub owner: Option<OwnerStatus>,
    /// Its report, when that is written.
    pub report: Option<PathBuf>,
    /// The same as a page.
    pub page: Option<PathBuf>,
    /// How the file differs from this; the next change repairs it.
    pub repair: Option<Repair>,
    /// Nothing could be told of the debate.
    pub is_lost: bool,
    /// It has none although the debate is complete, or only that of an earlier cycle.
    pub is_report_due: bool,
    /// What programs took to argue it.
    pub effort: Option<Effort>,
    /// The program that writes now, and since when.
    pub writing: Option<(String, Timestamp)>,
    /// Who holds which of its tasks, as far as they are not known to be gone.
    pub workers: Vec<Claim>,
    /// The time of asking.
    pub now: Timestamp,
}

/// What a session finds when it starts.
#[derive(Debug, Default)]
pub struct Found {
    /// The unfinished debate.
    pub unfinished: Option<Debate>,
    /// Its owner is another client that runs.
    pub runs_elsewhere: bool,
    /// Git would take the state file in, and nobody here was told so yet.
    pub is_seen_by_git: bool,
    /// What it is time to look at again.
    pub reviews: Option<DueReviews>,
}

impl Engine<'_> {
    /// The debate that the user means here.
    pub fn look(&self, session: Option<&Session>) -> Result<Look> {
        let store = self.store_meant(session);
        let Loaded { state, repair, is_lost, .. } = store.load()?.ok_or_else(|| no_debate(&store))?;
        let entries = transcript::parse(&state.body);
        let words = entries.words();
        let skipped = transcript::skipped(&state.debate, &entries);
        let project = store.project().clone();
        let report = (state.debate.progress.status == Status::Completed)
            .then(|| self.report_written(&project, &state.debate))
            .flatten();
        let page = report.as_ref().map(|report| Self::page_of(&project, &state.debate.id, report));
        let owner = self.ownership(&state.debate, session);
        let is_due = report.is_none() || store.are_reports_due(&state.debate.id);
        let attempts = store.attempts(&state.debate.id).unwrap_or_default();
        let open = attempts.open().filter(|_| self.runner(&state.debate).is_some());
        let mut workers = store.claims(&state.debate.id).unwrap_or_default().all;
        workers.retain(|claim| state.debate.progress.status.is_unfinished() && !claim.is_dead());
        Ok(Look {
            owner,
            workers,
            effort: Effort::of(&attempts),
            writing: open.map(|open| (open.started.agent.clone(), open.started.at)),
            is_report_due: is_due && state.debate.progress.status == Status::Completed,
            debate: state.debate,
            entries,
            words,
            skipped,
            project,
            report,
            page: page.filter(|page| page.is_file()),
            repair,
            is_lost,
            now: self.world.now,
        })
    }

    /// Where the page of a debate lies whose report lies there.
    fn page_of(project: &Project, id: &str, report: &Path) -> PathBuf {
        if Format::of(report) == Format::Html {
            report.to_owned()
        } else {
            project.report(id).with_extension(Format::Html.extension())
        }
    }

    /// The debate that a session would see, while it runs or waits, its words and how its claims stand: one look at one file, for a
    /// status line.
    pub fn glance(&self, session: Option<&Session>) -> Result<Option<(Debate, usize, Counts)>> {
        self.store_meant(session).glance()
    }

    /// The project of the debate that the user means here; this folder's, where there is none.
    #[must_use]
    pub fn project(&self) -> Project {
        self.store_meant(None).project().clone()
    }

    /// Tries the lock of the debate here out. False: the file system has none, and a file takes its place.
    pub fn try_lock(&self) -> Result<bool> {
        self.store_meant(None).try_lock(super::LOCK_WAIT)
    }

    /// True when git would take the debate's file in.
    #[must_use]
    pub fn is_seen_by_git(&self) -> bool {
        self.store_meant(None).is_seen_by_git()
    }

    /// What a session finds when it starts in this project; reviews, where it `is_new`. The project is only looked at.
    pub fn found(&self, session: &Session, is_new: bool) -> Result<Found> {
        let store = self.store_meant(Some(session));
        let debate = match store.read_head() {
            Ok(debate) => debate,
            Err(_) => store.load()?.map(|loaded| loaded.state.debate),
        };
        let reviews = is_new.then(|| self.reviews_found(store.project())).flatten();
        let Some(debate) = debate else { return Ok(Found { reviews, ..Found::default() }) };
        let is_seen_by_git = !self.machine.was_said("git", store.project())
            && store.is_seen_by_git()
            && self.machine.remember_said("git", store.project());
        let unfinished = Some(debate).filter(|debate| debate.progress.status.is_unfinished());
        if let Some(debate) = &unfinished {
            self.follow_again(session, store.project(), debate);
        }
        let runs_elsewhere = unfinished.as_ref().is_some_and(|debate| self.runs_elsewhere(debate, Some(session)));
        Ok(Found { unfinished, runs_elsewhere, is_seen_by_git, reviews })
    }
}
