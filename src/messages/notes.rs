//! Lines beside what was asked for.

use std::path::Path;

use super::past::MOST_UNREADABLE;
use crate::engine::{Aside, Document, FoundTexts, Note, Place};
use crate::text::{clean, unseen};

/// Most names in a line of what was left out.
const MOST_NAMES: usize = 5;

/// `Anvil: what Claude had written is filed: critic, round 1, 412 words.`
#[must_use]
pub fn note(note: &Note) -> String {
    line(&sentence(note))
}

/// What stood in the place of a block that was embedded.
#[must_use]
pub fn block_moved(file: &Path) -> String {
    line(&format!("what was there lies in {} now", file.display()))
}

/// A line for each debate that could not be searched.
#[must_use]
pub fn unsearchable(found: &FoundTexts) -> Vec<String> {
    let shown = |file| found.project.display(file);
    let (named, more) = found.unreadable.split_at(found.unreadable.len().min(MOST_UNREADABLE));
    let more = (!more.is_empty()).then(|| line(&format!("{} more files can't be searched", more.len())));
    named.iter().map(|(file, why)| line(&format!("{} can't be searched: {why}", shown(file)))).chain(more).collect()
}

fn line(sentence: &str) -> String {
    format!("Anvil: {}.", clean(sentence, 900))
}

fn sentence(note: &Note) -> String {
    match note {
        Note::Detail(detail) => detail.clone(),
        Note::OwnerUnknown { is_lost: true } => {
            "nothing can go on from here: /anvil:debate QUESTION --replace starts anew".to_owned()
        }
        Note::OwnerUnknown { is_lost: false } => "the debate waits: /anvil:resume goes on".to_owned(),
        Note::SessionNotRemembered { root, why } => format!(
            "this session can't be remembered ({why}), so its replies are not filed here: type /anvil:resume in a session that starts in {}",
            root.display()
        ),
        Note::ForeignRecords { count, is_journal } => {
            let (what, lost) = if *is_journal {
                ("the journal of decisions", "none of it counts")
            } else {
                ("the record of this debate", "no reply is taken from it")
            };
            let lines = if *count == 1 { "an entry".to_owned() } else { format!("{count} entries") };
            format!("{what} has {lines} that this machine did not write, or can't vouch for any more: {lost}")
        }
        Note::RoundsWithoutEffect => "every voice speaks once: --rounds has no effect here".to_owned(),
        Note::PersonaDescribed(who) => format!(
            "no persona is called {}, so it is taken as a description; /anvil:list personas shows the names",
            clean(who, 60)
        ),
        Note::LeftOut(names) => {
            let left = names.len().saturating_sub(MOST_NAMES);
            let more = if left > 0 { format!(", and {left} more") } else { String::new() };
            format!("not all of the material is in the context: {}{more}", names[..names.len() - left].join(", "))
        }
        Note::Unusable(why) => format!("can't be used: {why}"),
        Note::FiledLate { slot, words } => format!("what Claude had written is filed: {slot}, {words} words"),
        Note::BeginningMissing => {
            "the beginning of this reply could not be read from Claude Code's transcript".to_owned()
        }
        Note::KeptAside { why, file } => format!("the last reply {}; it lies in {file}", aside(*why)),
        Note::FileGone { id, checkpoint } => {
            format!("the file of {id} is gone: `anvil restore {checkpoint} {id}` brings it back")
        }
        Note::ReportElsewhere { wanted, why, place } => {
            format!("the report does not go to {}: {why}; see {place}", clean(wanted, 100))
        }
        Note::ReportNotWritten(error) => {
            format!("a report could not be written, `anvil report` tries again: {error}")
        }
        Note::DueReport(Ok(file)) => format!("the report was not written yet; it is now: {file}"),
        Note::DueReport(Err(error)) => format!("the report is not written yet, and could not be written: {error}"),
        Note::LostReport { file, written: Ok(()) } => format!("{file} was missing and is written again"),
        Note::LostReport { file, written: Err(error) } => {
            format!("{file} is missing and could not be written: {error}")
        }
        Note::JournalUnread(error) => {
            format!("no review is shown here: {error}; {}", error.hint())
        }
        Note::ReviewNotNoted { day, why } => {
            format!("the review on {day} is not noted down: {why}; `anvil outcome --review {day}` tries again")
        }
        Note::ProjectNotListed(why) => format!("this project is not in the list for calibration: {why}"),
        Note::UnseenLeftOut { document, count } => {
            let document = match document {
                Document::Report => "report",
                Document::Comment => "comment",
            };
            format!("the {document} leaves out {}", unseen(*count))
        }
        Note::BlockReplaced(file) => format!("what was there can't be read; as it was it lies in {file}"),
        Note::Replaced { place: Place::Here, file } => format!("what was here lies in {file}"),
        Note::Replaced { place: Place::Issue, file } => format!("what was there lies in {file}"),
        Note::NotReadBack(error) => format!("it was written, but could not be read again: {error}"),
        Note::RevisionNotRecorded(error) => format!("which revision it is was not noted down: {error}"),
    }
}

fn aside(why: Aside) -> &'static str {
    match why {
        Aside::AskedAgain => "is asked for once more",
        Aside::OutOfForm => "lacks something of its form and is asked for once more",
        Aside::Unread => "was written without the debate's file",
        Aside::OtherPhase => "was for another phase",
        Aside::Late => "came too late",
        Aside::AfterTheEnd => "came when the debate was complete already",
    }
}
