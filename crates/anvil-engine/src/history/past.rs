//! Lists earlier debates. It only reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use jiff::tz::TimeZone;

use super::outcomes::journal_lines;
use crate::reports::ReportPlaces;
use crate::{Context, LookupError, Note, Session};
use anvil_core::debate::{Debate, Status};
use anvil_core::journal::{self, Decision};
use anvil_core::ledger::{Ledger, Standing};
use anvil_core::transcript;
use anvil_store::{Location, Machine, Past, Project, Rechecked, Scope, StateFile, newest_first};
use anvil_text::error::Result;

#[derive(Debug)]
pub struct PastDebates {
    pub project: Project,
    /// Newest first.
    pub debates: Vec<PastDebate>,
    /// Files that can't be read, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Outcomes and review days from the journal.
    pub decisions: Vec<Decision>,
    /// What was seen at the last recheck here, by debate.
    pub rechecked: BTreeMap<String, Rechecked>,
    /// The current time in the user's time zone.
    pub now: Zoned,
}

#[derive(Debug)]
pub struct PastDebate {
    pub debate: Debate,
    /// Position in the list of the repository's debates; 1 is the newest. `None`: the list has
    /// those of every project.
    pub number: Option<usize>,
    /// The folder that has it, or had it last.
    pub place: PathBuf,
    /// What it came to. `None`: there is no synthesis.
    pub standing: Option<Standing>,
    /// The file that holds it: the state file, or a snapshot.
    pub file: PathBuf,
    /// Path of the report, if the report is written.
    pub report: Option<PathBuf>,
    /// Newest snapshot of an unfinished debate that has lost its file.
    pub snapshot: Option<u32>,
    /// Its finished states that were undone.
    pub undone: Vec<UndoneDecision>,
}

/// A finished state of a debate that an undo has left.
#[derive(Clone, Debug)]
pub struct UndoneDecision {
    pub snapshot: u32,
    pub file: PathBuf,
    pub standing: Standing,
}

/// Debates that were read, newest first, each with what was found in it.
pub(super) struct GatheredDebates<T> {
    pub project: Project,
    pub debates: Vec<(PastDebate, T)>,
    /// Files that can't be read, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// The debate of this project and the earlier ones.
pub fn past(context: &Context<'_>, session: Option<&Session>, scope: Scope) -> Result<PastDebates> {
    let GatheredDebates { project, debates, unreadable } = gather(context, session, scope, |_| ())?;
    let debates: Vec<PastDebate> = debates.into_iter().map(|(past, ())| past).collect();
    for past in &debates {
        if let Some(snapshot) = past.snapshot {
            context.add_note(Note::FileGone { id: past.debate.id.clone(), snapshot });
        }
        note_undone(context, &past.debate.id, &past.undone);
    }
    if debates.is_empty() && unreadable.is_empty() {
        return Err(LookupError::NoneYet.into());
    }
    // A journal that can't be read must not hide a debate. `anvil history --due` shows the
    // error.
    let decisions =
        journal_lines(context, session, scope).map(journal::decisions).unwrap_or_default();
    let now = context.world.now.to_zoned(TimeZone::system());
    let rechecked = context.machine.rechecks(&project);
    Ok(PastDebates { project, debates, unreadable, decisions, rechecked, now })
}

/// Reads every debate once, with what `read` finds in its state.
pub(super) fn gather<T: Send>(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
    read: impl Fn(&StateFile) -> T + Sync,
) -> Result<GatheredDebates<T>> {
    let store = context.selected_store(session);
    let project = store.project().clone();
    let machine = &context.machine;
    let mut debates = Vec::new();
    let mut unreadable = Vec::new();
    let is_cancelled = context.cancellation();
    let digests = store.digest_past(scope, |Past { file, state, location, place }| {
        let digest = match state {
            _ if is_cancelled() => return None,
            Ok(state) => {
                let found = read(&state);
                let undone = undone_decisions(machine, &state);
                Ok((PastDebate { undone, ..digest(file, state, location, place) }, found))
            }
            Err(error) => Err((file, error.to_string())),
        };
        Some(digest)
    });
    context.check_not_cancelled()?;
    for digest in digests {
        match digest {
            Ok((mut past, found)) => {
                let places = ReportPlaces::as_written(context, &store, &past.debate);
                past.report = places.and_then(|places| places.existing().map(Path::to_owned));
                debates.push((past, found));
            }
            Err(why) => unreadable.push(why),
        }
    }
    debates.sort_by(|(one, _), (other, _)| newest_first(&one.debate, &other.debate));
    for ((past, _), number) in debates.iter_mut().zip(1..) {
        past.number = (scope != Scope::All).then_some(number);
    }
    Ok(GatheredDebates { project, debates, unreadable })
}

/// A debate without its number and its report.
fn digest(file: PathBuf, state: StateFile, location: Location, place: PathBuf) -> PastDebate {
    let standing = standing(&state);
    let is_gone = location == Location::Records && state.debate.status().is_unfinished();
    let snapshot = if is_gone { step_in_name(&file) } else { None };
    let (number, report, undone) = (None, None, Vec::new());
    PastDebate { debate: state.debate, number, place, standing, file, report, snapshot, undone }
}

/// The finished states of a debate that it has not any more, the newest first.
pub(crate) fn undone_decisions(machine: &Machine, state: &StateFile) -> Vec<UndoneDecision> {
    let undone = machine.undone_decisions(state).into_iter();
    undone
        .filter_map(|(kept, state)| {
            let standing = standing(&state)?;
            Some(UndoneDecision { snapshot: kept.step, file: kept.path, standing })
        })
        .collect()
}

pub(crate) fn note_undone(context: &Context<'_>, id: &str, undone: &[UndoneDecision]) {
    context.add_notes(undone.iter().map(|undone| Note::UndoneDecision {
        id: id.to_owned(),
        snapshot: undone.snapshot,
        standing: Box::new(undone.standing.clone()),
    }));
}

/// What the debate came to. A cancelled debate is no decision, whatever its synthesis says.
fn standing(state: &StateFile) -> Option<Standing> {
    if state.debate.status() == Status::Cancelled || !state.body.contains("\n## Synthesis") {
        return None;
    }
    let entries = transcript::parse(&state.body);
    let standing = Ledger::of_entries(&entries, &state.debate.alternatives()).standing();
    Some(standing).filter(Standing::is_judged)
}

/// The number of a snapshot, from the name of its file.
fn step_in_name(file: &Path) -> Option<u32> {
    file.file_stem()?.to_str()?.split('-').next()?.parse().ok()
}
