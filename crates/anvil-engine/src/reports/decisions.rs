//! Decisions as records in a folder of the project: the next number, the record of a debate, and
//! that of the debate which it follows.

use std::path::{Path, PathBuf};

use super::error::ReportError;
use crate::history::decision_of;
use crate::output::not_written;
use crate::{Context, LOCK_WAIT};
use anvil_report::{AdrRecord, Model, RecordedDecision, adr, is_report};
use anvil_store::{Project, StateFile, Store, read_up_to};
use anvil_text::clean;
use anvil_text::error::Result;

/// Folders in which projects keep their decisions.
const ADR_FOLDERS: [&str; 3] = ["docs/adr", "docs/decisions", "doc/adr"];

/// Most records of a folder that are read, and most bytes of one.
const MAX_RECORDS: usize = 1_000;
const MAX_BYTES: u64 = 1_000_000;

/// Highest number of a decision.
const MAX_NUMBER: u32 = 999_999;

/// Most characters of a question in the name of its file.
const MAX_SLUG: usize = 50;

/// Writes the record of a debate into a folder: over its own proposed record, else with the next
/// number. The number is free under the lock alone, so the record is rendered there.
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
    let locked = store.lock(LOCK_WAIT)?;
    let records = records(folder);
    let own = records.iter().find(|(_, record)| record.id == decision.id);
    if let Some((name, _)) = own {
        check_undecided(&project, &folder.join(name))?;
    }
    let own = own.map(|(name, _)| name);
    let number = own.and_then(|name| number_in_name(Path::new(name)));
    let number = number.unwrap_or_else(|| next_number(folder).unwrap_or(1));
    let earlier =
        records.iter().find(|(_, record)| Some(&record.id) == decision.supersedes.as_ref());
    let earlier = earlier.map(|(name, record)| (record.title.clone(), name.clone()));
    let decision = RecordedDecision { number: Some(number), ..decision };
    let record = AdrRecord::new(decision, earlier, &scrubber);
    let new = format!("{number:04}-{}.md", slug(&record.decision.question));
    let path = folder.join(own.unwrap_or(&new));
    context.report_output(&path.to_string_lossy(), &project, None)?;
    let is_own = |content: &[u8]| {
        is_report(content) && read(content).is_some_and(|read| read.id == record.decision.id)
    };
    let text = adr(model, Some(&record));
    locked.write_report(&path, &text, is_own).map_err(not_written)?;
    Ok(path)
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

/// The decisions of Anvil in a folder, each with the name of its file, in the order of the names.
fn records(folder: &Path) -> Vec<(String, RecordedDecision)> {
    let files = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let is_markdown = |name: &String| Path::new(name).extension() == Some("md".as_ref());
    let mut names: Vec<String> = names.filter(is_markdown).collect();
    names.sort();
    let read = names.into_iter().take(MAX_RECORDS).filter_map(|name| {
        let bytes = read_up_to(&folder.join(&name), MAX_BYTES, "decision").ok()??;
        Some((name, read(&bytes)?))
    });
    read.collect()
}

fn read(content: &[u8]) -> Option<RecordedDecision> {
    RecordedDecision::read(std::str::from_utf8(content).ok()?)?.ok()
}

/// The number of a decision: the one in its file's name, else the next free one in that file's
/// folder, else the next free one in the folder of the project's decisions.
pub(super) fn adr_number(root: &Path, output: Option<&Path>) -> u32 {
    output
        .and_then(number_in_name)
        .or_else(|| next_number(output?.parent()?))
        .or_else(|| ADR_FOLDERS.iter().find_map(|folder| next_number(&root.join(folder))))
        .unwrap_or(1)
}

/// The next number in a folder. `None`: no file has a number.
fn next_number(folder: &Path) -> Option<u32> {
    let files = fs_err::read_dir(folder).ok()?.flatten();
    let numbers = files.filter_map(|file| number_in_name(&file.path()));
    // The last number has no next one.
    Some(numbers.filter(|number| *number < MAX_NUMBER).max()? + 1)
}

/// 7 for `0007-cache.md` and for `ADR-7.md`.
fn number_in_name(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let name = name.strip_prefix("adr-").unwrap_or(&name);
    let digits = name.split(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|number| *number <= MAX_NUMBER)
}

/// The words of a question that are ASCII, for the name of a file.
fn slug(question: &str) -> String {
    let mut slug = String::new();
    let words = question.split(|char: char| !char.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty() && word.is_ascii()) {
        if slug.len() + word.len() >= MAX_SLUG {
            break;
        }
        slug += if slug.is_empty() { "" } else { "-" };
        slug += &word.to_ascii_lowercase();
    }
    if slug.is_empty() { "decision".to_owned() } else { slug }
}
