//! Decisions as records in a folder of the project, in the folder's own form: the record of a debate,
//! and that of the debate which it follows. No other file of the folder is written.

use std::path::{Path, PathBuf};

use jiff::civil::Date;

use super::error::ReportError;
use crate::history::decision_of;
use crate::output::not_written;
use crate::reviews::today;
use crate::{Context, LOCK_WAIT, Note};
use anvil_report::{
    AdrRecord, FolderFile, Model, RecordForm, RecordName, RecordedDecision, adr, index_line,
    is_inner_text, is_report,
};
use anvil_store::{Project, StateFile, Store, read_up_to};
use anvil_text::error::Result;
use anvil_text::{Scrubber, clean};

/// Most files of a folder that are read, and most bytes of one.
const MAX_RECORDS: usize = 1_000;
const MAX_BYTES: u64 = 1_000_000;

/// Extensions of text that can have a record's title or a mark of Anvil.
const TEXTS: [&str; 5] = ["md", "mdx", "markdown", "adoc", "rst"];

/// A folder of decisions.
struct RecordFolder {
    /// Every entry in the order of the names, with its text.
    entries: Vec<(String, Option<String>)>,
    /// The folders with other texts than a README or an index.
    unknown: Vec<String>,
}

/// Writes the record of a debate into a folder: over its own proposed record, else with the next
/// name. The name is free under the lock alone, so the record is rendered there.
pub(super) fn write_decision(
    context: &Context<'_>,
    store: &mut Store,
    state: &StateFile,
    model: &Model,
    folder: &Path,
) -> Result<PathBuf> {
    let project = store.project().clone();
    let scrubber = super::scrubber(&project, context.world.home.as_deref());
    let decision = decision_of(state);
    check_decided(model)?;
    if model.verdict().is_none() || decision.claims.is_empty() {
        return Err(ReportError::NoNumber.into());
    }
    let mut locked = store.lock(LOCK_WAIT)?;
    let records = RecordFolder::read(folder);
    let own = records.decisions().find(|(_, record)| record.id == decision.id);
    let own = own.map(|(name, _)| name.to_owned());
    if let Some(name) = &own {
        check_undecided(&project, &folder.join(name))?;
    }
    let form = records.form(own.as_deref());
    let has_unknown = records.unknown.iter().any(|folder| form.is_record(folder));
    if own.is_none() && form.newest().is_none() && has_unknown {
        return Err(ReportError::UnknownFolders(project.display(folder)).into());
    }
    let title = anvil_report::decision_line(model);
    let today = today(context);
    let name = match &own {
        Some(own) => form.record_name(own, &title),
        None => form.next(&title, today, &records.files(None)),
    };
    let earlier =
        records.decisions().find(|(_, record)| Some(&record.id) == decision.supersedes.as_ref());
    let earlier = earlier.map(|(name, record)| (record.title, name.to_owned()));
    let decision = RecordedDecision { number: name.number, ..decision };
    let path = folder.join(&name.file);
    let record = AdrRecord::new(decision, earlier, &scrubber).at(name.heading.clone(), &path);
    context.report_output(&path.to_string_lossy(), &project, None)?;
    let is_own = |content: &[u8]| {
        is_report(content) && read(content).is_some_and(|read| read.id == record.decision.id)
    };
    let text = adr(model, Some(&record));
    locked.write_report(&path, &text, is_own).map_err(not_written)?;
    locked.note_decision_record(&record.decision.id, &path);
    for (index, line) in records.index_lines(&form, &name, &title, today) {
        let index = project.display(&folder.join(index));
        context.add_note(Note::IndexLine { index, line });
    }
    Ok(path)
}

/// The record of a debate at a path that the user named, or for standard output.
pub(super) fn record_at(
    decision: RecordedDecision,
    model: &Model,
    path: Option<&Path>,
    scrubber: &Scrubber,
) -> AdrRecord {
    let title = anvil_report::decision_line(model);
    let name = path.and_then(|path| {
        let file = path.file_name()?.to_str()?;
        let folder = path.parent()?;
        if let Some(entry) = folder.file_name().filter(|_| is_inner_text(file)) {
            let name = format!("{}/{file}", entry.to_str()?);
            let form = RecordFolder::read(folder.parent()?).form(Some(&name));
            if form.has_folders() {
                return Some(form.record_name(&name, &title));
            }
        }
        let records = RecordFolder::read(folder);
        Some(records.form(Some(file)).record_name(file, &title))
    });
    let Some(name) = name else { return AdrRecord::new(decision, None, scrubber) };
    let decision = RecordedDecision { number: name.number, ..decision };
    AdrRecord::new(decision, None, scrubber).at(name.heading, Path::new(&name.file))
}

/// The record of a debate as it stands in its file now: the name of that file, and what it says.
pub(super) fn read_record(store: &Store, id: &str) -> Option<(String, RecordedDecision)> {
    let path = store.record(id)?.decision_record?.0;
    let content = read_up_to(&path, MAX_BYTES, "decision").ok()??;
    let record = read(&content).filter(|record| record.id == id)?;
    Some((store.name_of(&path), record))
}

/// Refuses a record of a synthesis that decides nothing.
pub(super) fn check_decided(model: &Model) -> Result<()> {
    match model.standing.void_reason() {
        None => Ok(()),
        Some(why) => Err(ReportError::NoVerdict(clean(why, 300)).into()),
    }
}

/// Refuses to replace a record that somebody has decided.
pub(super) fn check_undecided(project: &Project, path: &Path) -> Result<()> {
    let content = read_up_to(path, MAX_BYTES, "decision").ok().flatten().unwrap_or_default();
    match read(&content) {
        Some(record) if !record.is_status("proposed") => {
            Err(ReportError::Decided(project.display(path)).into())
        }
        _ => Ok(()),
    }
}

impl RecordFolder {
    fn read(folder: &Path) -> Self {
        let mut room = MAX_RECORDS;
        let mut unknown = Vec::new();
        let entries = names_in(folder).into_iter().map(|(name, is_folder)| {
            let inner =
                if is_folder && room > 0 { names_in(&folder.join(&name)) } else { Vec::new() };
            let text = inner.iter().find(|(inner, _)| is_inner_text(inner));
            if text.is_none() && inner.iter().any(|(inner, _)| is_text(inner)) {
                unknown.push(name.clone());
            }
            let name = text.map_or(name.clone(), |(inner, _)| format!("{name}/{inner}"));
            let text = if is_text(&name) && room > 0 { text_of(&folder.join(&name)) } else { None };
            room -= usize::from(is_folder || text.is_some()).min(room);
            (name, text)
        });
        Self { entries: entries.collect(), unknown }
    }

    /// The entries but one.
    fn files(&self, without: Option<&str>) -> Vec<FolderFile<'_>> {
        let others = self.entries.iter().filter(|(name, _)| Some(&**name) != without);
        others.map(|(name, text)| FolderFile { name, text: text.as_deref() }).collect()
    }

    /// The form of its records, without this one.
    fn form(&self, without: Option<&str>) -> RecordForm {
        RecordForm::of_folder(&self.files(without))
    }

    /// The decisions of Anvil, each with the name of its file.
    fn decisions(&self) -> impl Iterator<Item = (&str, RecordedDecision)> {
        let texts = self.entries.iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
        texts.filter_map(|(name, text)| Some((name.as_str(), RecordedDecision::read(text)?.ok()?)))
    }

    /// The lines that the indexes of this folder lack.
    fn index_lines(
        &self,
        form: &RecordForm,
        new: &RecordName,
        title: &str,
        today: Date,
    ) -> Vec<(&str, String)> {
        let texts = self.entries.iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
        let entry = new.file.split('/').next().unwrap_or(&new.file);
        let indexes = texts.filter(|(name, text)| {
            !name.contains('/') && !form.is_record(name) && !text.contains(entry)
        });
        let line = |text: &str| {
            let newest = form.newest()?;
            let read = self.entries.iter().find(|(name, _)| name == newest.0)?.1.as_deref();
            index_line(text, form, read.unwrap_or_default(), new, title, today)
        };
        indexes.filter_map(|(name, text)| Some((name.as_str(), line(text)?))).collect()
    }
}

/// The names in a folder, sorted, each with whether it is a folder.
fn names_in(folder: &Path) -> Vec<(String, bool)> {
    let files = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<(String, bool)> = files
        .filter_map(|file| {
            let is_folder = file.file_type().is_ok_and(|kind| kind.is_dir());
            Some((file.file_name().into_string().ok()?, is_folder))
        })
        .collect();
    names.sort();
    names
}

fn is_text(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    TEXTS.iter().any(|text| extension.eq_ignore_ascii_case(text))
}

/// The text of a file. `None`: it is no plain file, too large or not UTF-8.
fn text_of(path: &Path) -> Option<String> {
    let bytes = read_up_to(path, MAX_BYTES, "decision").ok()??;
    String::from_utf8(bytes).ok()
}

fn read(content: &[u8]) -> Option<RecordedDecision> {
    RecordedDecision::read(std::str::from_utf8(content).ok()?)?.ok()
}
