//! The reports of a debate: what is written when it is completed, and what the user asks for afterwards.

use std::path::{Path, PathBuf};

use super::filing::Completed;
use super::steer::unfinished;
use super::{Document, Engine, LOCK_WAIT, Note, no_debate};
use crate::debate::{Debate, Status};
use crate::error::{Error, Result};
use crate::report::{self, Files, Format, Model, Source};
use crate::seats::Effort;
use crate::state::{Attempts, Loaded, Project, StateFile, Store};
use crate::text::Places;
use crate::transcript::{self, Entries};

/// What a completed debate has without being asked.
const ALWAYS: [Format; 2] = [Format::Markdown, Format::Html];

/// A report that was asked for.
#[derive(Debug)]
pub enum Reported {
    /// Its text, for standard output.
    Text(String),
    /// It was written.
    Written(PathBuf),
}

/// Where the reports of a debate lie.
#[derive(Debug)]
pub(super) struct Reports {
    /// The one that is told first, or why it could not be written.
    pub(super) first: Result<PathBuf>,
    /// The page among them.
    pub(super) page: Option<PathBuf>,
}

impl Engine<'_> {
    /// Writes the reports of a debate that was completed a moment ago. Nobody holds the lock by now: however long a report
    /// takes, others can go on.
    pub(super) fn report_on(&self, store: &Store, completed: &mut Completed) {
        let file = store.project().state_file();
        let is_it = |loaded: &Loaded| {
            let debate = &loaded.state.debate;
            debate.id == completed.id && debate.progress.status == Status::Completed
        };
        match store.load() {
            Ok(Some(loaded)) if is_it(&loaded) => {
                let Reports { first, page } = self.write_reports(store, &loaded.state, &file);
                (completed.report, completed.page) = (first, page);
            }
            Ok(_) => {
                completed.report = Err(Error::failed(
                    "the debate has gone on in this moment",
                    "its reports are written when it is complete again: `anvil report` prints one now",
                ));
            }
            Err(error) => completed.report = Err(error),
        }
    }

    /// Writes the reports of a completed debate: the one that the user named, and Markdown and a page beside it. `file` is where
    /// the debate lies. The lock is taken for each of them when it is rendered.
    pub(super) fn write_reports(&self, store: &Store, state: &StateFile, file: &Path) -> Reports {
        let project = store.project();
        let wished = self.report_path(project, &state.debate);
        let default = project.report(&state.debate.id);
        let mut places = places(project, &state.debate.id, &wished);
        let model = model(project, self.world.home.as_deref(), state, &transcript::parse(&state.body), file, &places)
            .with_effort(effort(store.attempts(&state.debate.id)));
        let write = |path: &Path, text: &str| store.lock(LOCK_WAIT)?.write_report(path, text);
        let (format, named) = places.remove(0);
        let text = format.render(&model);
        let first = match write(&named, &text) {
            // Its form goes with it to the default place.
            Err(_) if named != default => {
                let beside = default.with_extension(format.extension());
                write(&beside, &text).map(|()| beside)
            }
            written => written.map(|()| {
                self.remember_report(project, &state.debate, &named);
                named
            }),
        };
        let mut page = first.as_ref().ok().filter(|_| format == Format::Html).cloned();
        let mut are_written = first.is_ok();
        for (format, path) in places {
            match write(&path, &format.render(&model)) {
                Ok(()) if format == Format::Html => page = Some(path),
                // Where the first one failed too, that is said.
                Err(error) if first.is_ok() => {
                    are_written = false;
                    self.add_note(Note::ReportNotWritten(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        if are_written && let Ok(locked) = store.lock(LOCK_WAIT) {
            locked.note_reports_written(&state.debate.id);
        }
        Reports { first, page }
    }

    /// Writes the reports of a debate whose completion was cut off before them; says so.
    fn write_due_reports(&self, store: &Store, state: &StateFile, file: &Path) {
        if !are_due(store, &state.debate) {
            return;
        }
        let written = self.write_reports(store, state, file).first;
        self.add_note(Note::DueReport(written.map(|path| store.project().display(&path))));
    }

    /// The same for the debate here.
    pub(super) fn write_due_reports_here(&self, store: &Store) {
        let head = store.read_head().ok().flatten();
        if head.is_some_and(|debate| are_due(store, &debate))
            && let Ok(Some(Loaded { state, .. })) = store.load()
        {
            self.write_due_reports(store, &state, &store.project().state_file());
        }
    }

    /// The report of the debate here, or of an earlier one that is named. Reports that a completed debate has lost are
    /// written again.
    pub fn report(&self, wanted: Option<&str>, format: Option<Format>, output: Option<&str>) -> Result<Reported> {
        let store = self.store_meant(None);
        let project = store.project().clone();
        let (state, file) = find(&store, wanted)?;
        let is_for_screen = output.map_or(format != Some(Format::Html), |output| output == "-");
        let output =
            output.filter(|output| *output != "-").map(|typed| self.output_at_start(typed, &project)).transpose()?;
        let format = format.or_else(|| output.as_deref().map(Format::of_any)).unwrap_or(Format::Markdown);
        self.write_due_reports(&store, &state, &file);
        let wished = self.report_written(&project, &state.debate).unwrap_or_else(|| project.report(&state.debate.id));
        let own = places(&project, &state.debate.id, &wished);
        let model = model(&project, self.world.home.as_deref(), &state, &transcript::parse(&state.body), &file, &own)
            .with_effort(effort(store.attempts(&state.debate.id)));
        if state.debate.progress.status == Status::Completed {
            self.write_missing(&store, &model, &own);
        }
        self.note_unseen(&model, Document::Report);
        let text = match format {
            Format::Adr => report::adr(&model, Some(adr_number(project.root(), output.as_deref()))),
            format => format.render(&model),
        };
        if is_for_screen {
            return Ok(Reported::Text(text));
        }
        let path = match output {
            Some(path) => path,
            None => project.report(&state.debate.id).with_extension(format.extension()),
        };
        store.lock(LOCK_WAIT)?.write_report(&path, &text)?;
        Ok(Reported::Written(path))
    }

    /// Says how many characters that nobody sees a text does not have.
    pub(super) fn note_unseen(&self, model: &Model, document: Document) {
        match model.invisible_characters() {
            0 => {}
            count => self.add_note(Note::UnseenLeftOut { document, count }),
        }
    }

    fn write_missing(&self, store: &Store, model: &Model, own: &[(Format, PathBuf)]) {
        let is_missing = |path: &Path| fs_err::symlink_metadata(path).is_err();
        for (format, path) in own.iter().filter(|(_, path)| is_missing(path)) {
            let text = format.render(model);
            let written = store.lock(LOCK_WAIT).and_then(|locked| locked.write_report(path, &text));
            self.add_note(Note::LostReport { file: store.project().display(path), written });
        }
    }
}

/// True where a completion was cut off before the reports.
fn are_due(store: &Store, debate: &Debate) -> bool {
    debate.progress.status == Status::Completed && store.are_reports_due(&debate.id)
}

/// Where projects keep their decisions.
const ADR_FOLDERS: [&str; 3] = ["docs/adr", "docs/decisions", "doc/adr"];

/// The number of a decision: the one that its file is named by, else the next one that is free where it goes, or where the
/// project's decisions are.
fn adr_number(root: &Path, output: Option<&Path>) -> u32 {
    let number_of = |path: &Path| -> Option<u32> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_prefix("adr-").unwrap_or(&name);
        let (digits, _) = name.split_at(name.find(|char: char| !char.is_ascii_digit()).unwrap_or(name.len()));
        (digits.len() <= 6).then_some(digits)?.parse().ok()
    };
    if let Some(number) = output.and_then(number_of) {
        return number;
    }
    let numbers = |folder: &Path| -> Option<Vec<u32>> {
        let entries = fs_err::read_dir(folder).ok()?;
        let found: Vec<u32> = entries.flatten().filter_map(|entry| number_of(&entry.path())).collect();
        (!found.is_empty()).then_some(found)
    };
    let beside = output.and_then(Path::parent).and_then(numbers);
    let kept = || ADR_FOLDERS.iter().find_map(|folder| numbers(&root.join(folder)));
    beside.or_else(kept).and_then(|numbers| numbers.into_iter().max()).map_or(1, |highest| highest.saturating_add(1))
}

/// The debate that is meant, and its file.
pub(super) fn find(store: &Store, wanted: Option<&str>) -> Result<(StateFile, PathBuf)> {
    let project = store.project();
    let Some(wanted) = wanted else {
        let loaded: Loaded = store.load()?.ok_or_else(|| no_debate(store))?;
        // What can't be read has nothing to report.
        let loaded = if loaded.is_lost { unfinished(loaded)? } else { loaded };
        return Ok((loaded.state, project.state_file()));
    };
    StateFile::past(store, wanted)?.ok_or_else(|| {
        Error::nothing(
            format!("there is no debate {wanted} here"),
            "`anvil history` lists them; name one by its number, or by how its id begins or ends",
        )
    })
}

/// The reports that a completed debate has: the one the user named first, which stands for its form.
pub(super) fn places(project: &Project, id: &str, named: &Path) -> Vec<(Format, PathBuf)> {
    let default = project.report(id);
    let named_as = Format::of(named);
    let others = ALWAYS.into_iter().filter(|format| *format != named_as);
    let beside = others.map(|format| (format, default.with_extension(format.extension())));
    [(named_as, named.to_owned())].into_iter().chain(beside).collect()
}

/// What programs took for a debate. What can't be read is no reason to have no report.
pub(super) fn effort(attempts: Result<Attempts>) -> Option<Effort> {
    Effort::of(&attempts.unwrap_or_default())
}

/// What a report tells: without paths of this machine, and without characters that nobody sees.
pub(super) fn model(
    project: &Project,
    home: Option<&Path>,
    state: &StateFile,
    entries: &Entries,
    file: &Path,
    places: &[(Format, PathBuf)],
) -> Model {
    let real = [Some(project.root()), home].map(|folder| fs_err::canonicalize(folder?).ok());
    let [root, real_home] = real.each_ref().map(Option::as_deref);
    let known = Places::of([project.root()].into_iter().chain(root), home.into_iter().chain(real_home));
    let reports = if state.debate.progress.status == Status::Completed {
        places.iter().map(|(_, path)| project.relative(path)).collect()
    } else {
        Vec::new()
    };
    let files = Files { debate: project.relative(file), reports };
    let source = Source { debate: &state.debate, entries, places: &known };
    Model::of(&source, &files)
}
