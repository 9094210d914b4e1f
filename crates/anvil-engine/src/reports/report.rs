//! The reports of a debate: those written at its completion, and those that the user requests
//! later.

use std::path::{Path, PathBuf};

use super::ReportPlaces;
use super::completed::Completed;
use super::decisions::{check_decided, check_undecided, read_record, record_at, write_decision};
use super::error::ReportError;
use crate::lookup::find;
use crate::output::write_report;
use crate::{Context, LOCK_WAIT, Note, OutgoingText, Session, history};
use anvil_core::attempt::Effort;
use anvil_core::debate::{Debate, Status};
use anvil_core::transcript;
use anvil_report::{Files, Format, Model, ReportSource};
use anvil_store::{Attempts, Loaded, Project, Scope, StateFile, Store};
use anvil_text::Scrubber;
use anvil_text::error::{Kind, Result};

/// A report that the user requests.
#[derive(Debug)]
pub enum Reported {
    /// The text, for standard output.
    Text(String),
    /// The file that was written.
    Written(PathBuf),
}

/// The part of a debate that a screen shows.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// The verdict and the result of each claim.
    Summary {
        /// Maximum width of a line.
        columns: usize,
    },
    /// Also every reply.
    Whole {
        /// Maximum width of a line. `None`: lines keep their length.
        columns: Option<usize>,
    },
}

/// A debate as a text for a screen.
#[derive(Debug)]
pub struct ScreenReport {
    pub id: String,
    pub text: String,
    /// Path of its page, as the user reads it; `None` if there is no page.
    pub page: Option<String>,
}

/// One debate for the screen. Lost reports of a completed debate are written again.
pub fn show(
    context: &Context<'_>,
    session: Option<&Session>,
    selector: Option<&str>,
    view: Extent,
) -> Result<ScreenReport> {
    let mut store = context.selected_store(session);
    let (state, file) = find(&store, selector)?;
    let all = all_written(context, &store, &state.debate);
    let undone = history::undone_decisions(&context.machine, &state);
    history::note_undone(context, &state.debate.id, &undone);
    write_due_reports(context, &mut store, &state, &file);
    if state.debate.status() == Status::Completed && all.iter().any(|(_, path)| is_missing(path)) {
        let model = model_of(context, &store, &state, &file, &all);
        write_missing(context, &mut store, &model, &all);
    }
    let written = existing(all);
    let model = model_of(context, &store, &state, &file, &written);
    let text = match view {
        Extent::Summary { columns } => anvil_report::summary(&model, columns),
        Extent::Whole { columns } => anvil_report::plain(&model, columns),
    };
    let page = written.into_iter().find(|(format, _)| *format == Format::Html);
    let page = page.map(|(_, path)| store.project().display(&path));
    Ok(ScreenReport { id: state.debate.id, text, page })
}

/// Makes a new page: of the debate `selector`, else of this project's debate, else of the newest
/// one. Finished debates come before unfinished ones.
pub fn page(
    context: &Context<'_>,
    session: Option<&Session>,
    selector: Option<&str>,
) -> Result<PathBuf> {
    let newest = match (selector, find(&context.selected_store(session), selector)) {
        (None, Err(error)) if error.kind() == Kind::Nothing => {
            let debates =
                history::past(context, session, Scope::Repository).map_err(|_| error)?.debates;
            let newest = debates.into_iter().max_by_key(|past| {
                (past.debate.status() == Status::Completed, past.debate.updated_at())
            });
            newest.map(|past| past.debate.id)
        }
        _ => None,
    };
    match report(context, session, newest.as_deref().or(selector), Some(Format::Html), None)? {
        Reported::Written(path) => Ok(path),
        Reported::Text(_) => Err(ReportError::NeedsFile.into()),
    }
}

/// The content of a report, with the effort of programs and the decision in the journal.
fn model_of(
    context: &Context<'_>,
    store: &Store,
    state: &StateFile,
    file: &Path,
    places: &[(Format, PathBuf)],
) -> Model {
    let id = &state.debate.id;
    let home = context.world.home.as_deref();
    let model = model(store, home, state, file, places);
    let hides = context.hides_authors(&state.debate);
    let model = if hides { model.without_authors() } else { model };
    let decision = Context::decisions(store).into_iter().find(|decision| decision.id == *id);
    let scrubber = scrubber(store.project(), home);
    model
        .with_effort(effort(store.attempts(id)))
        .with_decision(decision, &scrubber)
        .with_record(read_record(store, id), &scrubber)
}

/// Writes the reports of a debate that was just completed, without its lock.
pub(crate) fn write(
    context: &Context<'_>,
    store: &mut Store,
    mut completed: Box<Completed>,
) -> Box<Completed> {
    let file = store.project().state_file();
    match store.load() {
        Ok(Some(loaded))
            if loaded.state.debate.id == completed.id
                && loaded.state.debate.status() == Status::Completed =>
        {
            (completed.report, completed.page) =
                write_reports(context, store, &loaded.state, &file);
        }
        Ok(_) => {
            completed.report = Err(ReportError::MovedOn.into());
        }
        Err(error) => completed.report = Err(error),
    }
    completed
}

/// Writes the reports of a debate that is finished again.
pub(crate) fn write_again(context: &Context<'_>, store: &mut Store, state: &StateFile) {
    let file = store.project().state_file();
    if let (Err(error), _) = write_reports(context, store, state, &file) {
        context.add_note(Note::ReportNotWritten(error));
    }
}

/// Writes the reports of a completed debate: the one that the user named, and also Markdown and
/// a page. `file` is the debate's file. The lock is taken for each report after it is rendered.
/// Returns the report that messages name first, and the page.
fn write_reports(
    context: &Context<'_>,
    store: &mut Store,
    state: &StateFile,
    file: &Path,
) -> (Result<PathBuf>, Option<PathBuf>) {
    let id = &state.debate.id;
    let places = match ReportPlaces::of(context, store, &state.debate) {
        Ok(places) => places,
        Err(error) => return (Err(error), None),
    };
    let mut all = places.all();
    let ReportPlaces { named, own, elsewhere } = places;
    context.add_notes(elsewhere);
    let model = model_of(context, store, state, file, &all);
    let (format, _) = all.remove(0);
    let default = own.filter(|own| named != *own);
    let text = format.render(&model);
    let first = match (write_report(store, id, &named, &text), default) {
        // The default place gets the report in the named format.
        (Err(_), Some(default)) => {
            let path = default.with_extension(format.extension());
            write_report(store, id, &path, &text).map(|()| path)
        }
        (written, _) => written.map(|()| named),
    };
    let mut page = first.as_ref().ok().filter(|_| format == Format::Html).cloned();
    let mut are_written = first.is_ok();
    for (format, path) in all {
        match write_report(store, id, &path, &format.render(&model)) {
            Ok(()) if format == Format::Html => page = Some(path),
            // If the first report failed too, its error is enough.
            Err(error) if first.is_ok() => {
                are_written = false;
                context.add_note(Note::ReportNotWritten(error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    if are_written && let Ok(mut locked) = store.lock(LOCK_WAIT) {
        locked.note_reports_written(id);
    }
    (first, page)
}

/// Writes the reports of a debate that was completed without them, and adds a note.
fn write_due_reports(context: &Context<'_>, store: &mut Store, state: &StateFile, file: &Path) {
    if !are_due(store, &state.debate) {
        return;
    }
    let written = write_reports(context, store, state, file).0;
    context.add_note(Note::DueReport(written.map(|path| store.project().display(&path))));
}

/// Writes due reports of this project's debate. It reads the whole file only if they are due.
pub(crate) fn write_due_reports_here(context: &Context<'_>, store: &mut Store) {
    let head = store.read_head().ok().flatten();
    if head.is_some_and(|debate| are_due(store, &debate))
        && let Ok(Some(Loaded { state, .. })) = store.load()
    {
        write_due_reports(context, store, &state, &store.project().state_file());
    }
}

/// The report of this project's debate, or of the earlier debate `selector`. Lost reports of a
/// completed debate are written again.
pub fn report(
    context: &Context<'_>,
    session: Option<&Session>,
    selector: Option<&str>,
    format: Option<Format>,
    output: Option<&str>,
) -> Result<Reported> {
    let mut store = context.selected_store(session);
    let project = store.project().clone();
    let (state, file) = context.find(&store, selector)?;
    context.check_not_cancelled()?;
    let is_for_screen = output.map_or(format != Some(Format::Html), |output| output == "-");
    let output = output.filter(|output| *output != "-");
    let document = context.document_path(&state, &project);
    let folder = output.filter(|_| format == Some(Format::Adr));
    let folder = folder.and_then(|typed| context.named_folder(typed));
    let output = output
        .filter(|_| folder.is_none())
        .map(|typed| context.report_output(typed, &project, document.as_deref()))
        .transpose()?;
    let format =
        format.or_else(|| output.as_deref().map(Format::from_any_path)).unwrap_or(Format::Markdown);
    write_due_reports(context, &mut store, &state, &file);
    let places = all_written(context, &store, &state.debate);
    let model = model_of(context, &store, &state, &file, &places);
    if state.debate.status() == Status::Completed {
        write_missing(context, &mut store, &model, &places);
    }
    context.check_not_cancelled()?;
    note_invisible(context, &model, OutgoingText::Report);
    if let Some(folder) = folder {
        let path = write_decision(context, &mut store, &state, &model, &folder)?;
        return Ok(Reported::Written(path));
    }
    let text = match format {
        Format::Adr => {
            check_decided(&model)?;
            output.as_deref().map_or(Ok(()), |path| check_undecided(&project, path))?;
            let scrubber = scrubber(&project, context.world.home.as_deref());
            let decision = history::decision_of(&state);
            let record = record_at(decision, &model, output.as_deref(), &scrubber);
            anvil_report::adr(&model, Some(&record))
        }
        format => format.render(&model),
    };
    if is_for_screen {
        return Ok(Reported::Text(text));
    }
    let path = match output {
        Some(path) => path,
        None => store.report(&state.debate.id)?.with_extension(format.extension()),
    };
    write_report(&mut store, &state.debate.id, &path, &text)?;
    if format == Format::Adr {
        store.lock(LOCK_WAIT)?.note_decision_record(&state.debate.id, &path);
    }
    Ok(Reported::Written(path))
}

/// Adds a note with the number of invisible characters that a text leaves out.
pub(crate) fn note_invisible(context: &Context<'_>, model: &Model, document: OutgoingText) {
    match model.invisible_characters() {
        0 => {}
        count => context.add_note(Note::UnseenLeftOut { document, count }),
    }
}

fn write_missing(
    context: &Context<'_>,
    store: &mut Store,
    model: &Model,
    places: &[(Format, PathBuf)],
) {
    for (format, path) in places.iter().filter(|(_, path)| is_missing(path)) {
        let text = format.render(model);
        let written = write_report(store, &model.id, path, &text);
        context.add_note(Note::LostReport { file: store.project().display(path), written });
    }
}

fn is_missing(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_err()
}

/// True if the completion was cut off before its reports.
fn are_due(store: &Store, debate: &Debate) -> bool {
    debate.status() == Status::Completed && store.are_reports_due(&debate.id)
}

/// The reports of a debate where they were written, or would lie there.
fn all_written(context: &Context<'_>, store: &Store, debate: &Debate) -> Vec<(Format, PathBuf)> {
    let places = ReportPlaces::as_written(context, store, debate);
    places.map(|places| places.all()).unwrap_or_default()
}

/// Keeps those that exist as files.
fn existing(places: Vec<(Format, PathBuf)>) -> Vec<(Format, PathBuf)> {
    places
        .into_iter()
        .filter(|(_, path)| fs_err::symlink_metadata(path).is_ok_and(|meta| meta.is_file()))
        .collect()
}

/// Attempts, tokens, cost and time of the replies. Attempts that can't be read must not stop a
/// report.
pub(crate) fn effort(attempts: Result<Attempts>) -> Option<Effort> {
    attempts.unwrap_or_default().effort()
}

/// The content of a report, without paths of this machine and without invisible characters.
pub(crate) fn model(
    store: &Store,
    home: Option<&Path>,
    state: &StateFile,
    file: &Path,
    places: &[(Format, PathBuf)],
) -> Model {
    let known = scrubber(store.project(), home);
    let reports = if state.debate.status() == Status::Completed {
        places.iter().map(|(_, path)| store.name_of(path)).collect()
    } else {
        Vec::new()
    };
    let files = Files { debate: store.name_of(file), reports };
    let entries = transcript::parse(&state.body);
    let source = ReportSource { debate: &state.debate, entries: &entries, scrubber: &known };
    let record = store.record(&state.debate.id).unwrap_or_default();
    let recovered: Vec<String> =
        record.recovered.iter().map(anvil_store::RecoveredLine::line).collect();
    Model::from_source(&source, &files).with_recovered(&recovered, &known)
}

/// Cleans what leaves this machine.
pub(crate) fn scrubber(project: &Project, home: Option<&Path>) -> Scrubber {
    let real = [Some(project.root()), home].map(|folder| fs_err::canonicalize(folder?).ok());
    let [root, real_home] = real.each_ref().map(Option::as_deref);
    let roots = [project.root(), project.place()].into_iter().chain(root);
    Scrubber::new(roots, home.into_iter().chain(real_home))
}
