//! What became of recommendations: noted down, due to be looked at again, and counted.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::report::find;
use super::{Engine, LOCK_WAIT, Note, SAME_PROMPT, Session};
use crate::command::OutcomeOptions;
use crate::debate::Debate;
use crate::error::{Error, Kind, Result};
use crate::journal::{self, Calibration, Decision, Line, Outcome, Review};
use crate::ledger::Verdict;
use crate::state::{self, Journal, Locked, Project, StateFile, Store};
use crate::text;
use crate::transcript;

/// Longest question in the journal, in characters.
const QUESTION_CHARS: usize = 300;

/// The reviews that a session finds due when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueReviews {
    /// The one that has waited longest.
    pub first: Decision,
    /// How many there are.
    pub count: usize,
}

/// How often a confidence was right, and where that is from.
#[derive(Debug)]
pub struct Calibrated {
    /// What was counted.
    pub calibration: Calibration,
    /// Across how many projects. `None`: in this one alone.
    pub projects: Option<usize>,
    /// Projects of the list that have no journal to be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// What becomes of the list of projects on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// It is kept from now on.
    On,
    /// It is no longer kept, and forgotten.
    Off,
    /// It is kept, and begins anew.
    Empty,
}

impl Engine<'_> {
    /// Notes down what became of a debate's recommendation, or when to look at it again.
    pub fn record_outcome(&self, session: Option<&Session>, options: &OutcomeOptions) -> Result<Line> {
        let (wanted, outcome) = options.meant()?;
        let review = options.review.map(|review| self.review_day(review)).transpose()?;
        let store = self.store_meant(session);
        let meant = self.line_of(&store, wanted, outcome)?;
        let line = Line { outcome, note: options.note.clone(), review, ..meant };
        self.add_once(&store, &line).map_err(|error| read_only(store.project()).unwrap_or(error))?;
        self.list_journal(store.project());
        Ok(line)
    }

    fn add_once(&self, store: &Store, line: &Line) -> Result<()> {
        let locked = store.lock(LOCK_WAIT)?;
        // A plugin that is installed twice delivers the prompt twice.
        let is_there =
            locked.journal()?.lines.into_iter().rfind(|known| known.id == line.id).is_some_and(|last| {
                self.is_within(SAME_PROMPT, last.at) && last == Line { at: last.at, ..line.clone() }
            });
        if is_there { Ok(()) } else { locked.add_to_journal(line) }
    }

    /// The line of a debate, without what the user says of it. One that was pruned is known by the journal.
    fn line_of(&self, store: &Store, wanted: Option<&str>, outcome: Option<Outcome>) -> Result<Line> {
        let state = match find(store, wanted) {
            Ok((state, _)) => state,
            Err(error) => {
                let known =
                    wanted.filter(|_| error.kind() == Kind::Nothing).map(|id| journaled(store, id)).transpose()?;
                let Some(decision) = known.flatten() else { return Err(error) };
                let Decision { id, question, confidence, .. } = decision;
                return Ok(Line { at: self.world.now, id, question, confidence, outcome, note: None, review: None });
            }
        };
        let synthesis = synthesis(&state);
        if outcome.is_some() && synthesis.is_none() {
            return Err(Error::failed(
                format!("this debate has recommended nothing yet: {}", state.debate.label()),
                "note its outcome down after the synthesis",
            ));
        }
        Ok(self.line(&state.debate, synthesis.as_deref()))
    }

    fn line(&self, debate: &Debate, synthesis: Option<&str>) -> Line {
        Line {
            at: self.world.now,
            id: debate.id.clone(),
            question: text::clean(&debate.question, QUESTION_CHARS),
            confidence: synthesis.and_then(|synthesis| Verdict::of(synthesis).percent()),
            outcome: None,
            note: None,
            review: None,
        }
    }

    /// Notes down when to look again at a debate that is about to be completed, where its options say so. It stays in the options
    /// too, so a failure costs only that it is not due.
    pub(super) fn note_review(&self, locked: &Locked<'_>, debate: &Debate, synthesis: &str) {
        let Some(day) = debate.options.review else { return };
        let is_of_this = |line: Line| line.id == debate.id && line.review == Some(day);
        let noted = locked.journal().and_then(|journal| {
            // A run that died here has noted it down already, or an earlier cycle.
            if journal.lines.into_iter().any(is_of_this) {
                return Ok(());
            }
            locked.add_to_journal(&Line { review: Some(day), ..self.line(debate, Some(synthesis)) })
        });
        match noted {
            Ok(()) => self.list_journal(locked.project()),
            Err(why) => self.add_note(Note::ReviewNotNoted { day, why }),
        }
    }

    /// The day of a review.
    pub(super) fn review_day(&self, review: Review) -> Result<Date> {
        review.day(self.today()).ok_or_else(|| {
            Error::usage("--review takes a day after today", "for example 2027-01-15 in the year before, or 30d")
        })
    }

    /// The day that it is, by universal time.
    fn today(&self) -> Date {
        self.world.now.to_zoned(TimeZone::UTC).date()
    }

    /// The decisions of this project whose review is due, the longest due first.
    pub fn due_reviews(&self, session: Option<&Session>) -> Result<Vec<Decision>> {
        let decisions = journal::decisions(self.journal_of(self.store_meant(session).project())?);
        let due: Vec<Decision> = journal::due(&decisions, self.today()).into_iter().cloned().collect();
        if due.is_empty() {
            return Err(Error::nothing(
                "no review is due in this project",
                "`anvil outcome ID --review 30d` says when to look again",
            ));
        }
        Ok(due)
    }

    /// The lines of a project's journal that count. That there are others is said once.
    fn journal_of(&self, project: &Project) -> Result<Vec<Line>> {
        let Journal { lines, foreign } = self.machine.journal(project)?;
        self.say_foreign_once(project, "journal", foreign, true);
        Ok(lines)
    }

    /// The same for a session that starts. Where no debate has been nothing is looked at, and an error is reported once.
    pub(super) fn reviews_found(&self, project: &Project) -> Option<DueReviews> {
        let read = project.is_known().then(|| self.machine.journal(project))?;
        let journal = read.map_err(|error| self.say_unread_once(project, error)).ok()?;
        let decisions = journal::decisions(journal.lines);
        let due = journal::due(&decisions, self.today());
        due.first().map(|first| DueReviews { first: (*first).clone(), count: due.len() })
    }

    fn say_unread_once(&self, project: &Project, error: Error) {
        if !self.machine.was_said("journal-unread", project) && self.machine.remember_said("journal-unread", project) {
            self.add_note(Note::JournalUnread(error));
        }
    }

    /// How often a confidence was right: in this project, or in all that the list on this machine names.
    pub fn calibration(&self, session: Option<&Session>, is_across: bool) -> Result<Calibrated> {
        let project = self.store_meant(session).project().clone();
        let mut unreadable = Vec::new();
        let mut decisions = match self.journal_of(&project) {
            Err(error) if is_across => {
                unreadable.push((project.shared_root().to_owned(), error.to_string()));
                Vec::new()
            }
            lines => journal::decisions(lines?),
        };
        let mut projects = usize::from(!decisions.is_empty());
        if is_across {
            let listed = self.machine.journals()?.ok_or_else(|| {
                Error::nothing(
                    "no list of projects is kept on this machine",
                    "`anvil config calibration-list on` keeps one from now on",
                )
            })?;
            for root in listed.into_iter().filter(|root| root != project.shared_root()) {
                let found = self.machine.journal(&Project::at(&root)).map(|journal| journal::decisions(journal.lines));
                match found {
                    Ok(found) if found.is_empty() => unreadable.push((root, "it has no journal".to_owned())),
                    Ok(found) => {
                        projects += 1;
                        decisions.extend(found);
                    }
                    Err(error) => unreadable.push((root, error.to_string())),
                }
            }
        }
        let calibration = Calibration::of(&decisions);
        Ok(Calibrated { calibration, projects: is_across.then_some(projects), unreadable })
    }

    /// Changes the list of projects on this machine, where that is asked for; gives back what it holds. `None`: none is kept.
    pub fn calibration_list(&self, change: Option<ListChange>) -> Result<Option<Vec<PathBuf>>> {
        let is_kept = self.machine.journals()?.is_some();
        match change {
            Some(ListChange::On) => {
                if !is_kept {
                    self.machine.empty_journals()?;
                }
                let project = self.project_meant();
                if self.machine.journal(&project).is_ok_and(|journal| !journal.lines.is_empty()) {
                    self.list_journal(&project);
                }
            }
            Some(ListChange::Empty) if is_kept => self.machine.empty_journals()?,
            Some(ListChange::Off) => self.machine.end_journals()?,
            Some(ListChange::Empty) | None => {}
        }
        self.machine.journals()
    }

    /// Makes a page for the browser that is not of one debate; says where.
    pub fn new_page(&self, name: &str, page: &str) -> Result<PathBuf> {
        self.machine.new_page(name, page).map(|path| self.world.cwd.join(path))
    }

    /// Adds a project to the list, where one is kept.
    fn list_journal(&self, project: &Project) {
        let root: &Path = project.shared_root();
        let why = match self.machine.list_journal(root) {
            Ok(true) => return,
            Ok(false) => "its path is not UTF-8".to_owned(),
            Err(error) => error.to_string(),
        };
        self.add_note(Note::ProjectNotListed(why));
    }
}

/// Why nothing can be noted down in a folder that takes no files.
fn read_only(project: &Project) -> Option<Error> {
    let folders = [project.shared(), project.root().join(".claude")];
    let folder = folders.iter().find(|folder| folder.exists() && !state::can_write(folder))?;
    Some(Error::failed(
        format!("nothing can be noted down: {} is read-only", folder.display()),
        "make it writable, and type it again",
    ))
}

/// The text of a debate's last synthesis.
fn synthesis(state: &StateFile) -> Option<String> {
    transcript::parse(&state.body).synthesis().map(|entry| entry.text.clone())
}

/// The decision in a journal with this id, or with an id that alone begins so.
fn journaled(store: &Store, wanted: &str) -> Result<Option<Decision>> {
    let mut found = journal::decisions(store.journal()?.lines);
    found.retain(|decision| decision.id.starts_with(wanted));
    let whole = found.iter().position(|decision| decision.id == wanted);
    let at = whole.or((found.len() == 1).then_some(0));
    Ok(at.map(|at| found.swap_remove(at)))
}
