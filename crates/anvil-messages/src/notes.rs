//! Lines in addition to a command's own output.

use std::path::Path;

use super::Door;
use super::past::MOST_UNREADABLE;
use anvil_core::ledger::Standing;
use anvil_core::place::{Place, Seat};
use anvil_engine::{Aside, FoundTexts, Note, OutgoingText};
use anvil_text::error::Error;
use anvil_text::{Verb, clean, unseen};

const ROUNDS_WITHOUT_EFFECT: &str = "every voice speaks once: --rounds has no effect here";

const BEGINNING_MISSING: &str =
    "the beginning of this reply could not be read from Claude Code's transcript";

/// Longest question that a line shows, in characters; longer ones are not read.
const MAX_QUESTION: usize = 300;

const IS_STATEMENT: &str =
    "this is not a question, so it is argued as a statement that may be right or wrong";

pub const SEEN_BY_GIT: &str = "git does not ignore the debate's file";

/// Works in every folder and worktree of a repository, and after a last line without a line break.
const IGNORE: &str = r#"printf '\nanvil-state.*\n' >> "$(git rev-parse --git-path info/exclude)""#;

/// Where a repository came without the folder of that file.
const MAKE_INFO: &str = r#"mkdir -p "$(git rev-parse --git-path info)" && "#;

/// The shell line that makes git ignore the file. `has_info`: the repository has the folder of its
/// `info/exclude`.
pub fn ignore_command(has_info: bool) -> String {
    format!("{}{IGNORE}", if has_info { "" } else { MAKE_INFO })
}

/// Most names in a line of texts that were left out.
const MOST_NAMES: usize = 5;

/// `Anvil: Claude's unsaved reply is now saved: critic, round 1, 412 words.`
pub fn note(note: &Note, door: &Door) -> String {
    match note {
        Note::SeenByGit { has_info } => {
            format!("Anvil: {SEEN_BY_GIT}; to ignore it: {}", ignore_command(*has_info))
        }
        other => line(&sentence(other, door)),
    }
}

/// The earlier content of an embedded block was moved.
pub fn block_moved(file: &str) -> String {
    line(&format!("the previous content is in {file}"))
}

/// A line for each debate that could not be searched.
pub fn unsearchable(found: &FoundTexts) -> Vec<String> {
    let (named, more) = found.unreadable.split_at(found.unreadable.len().min(MOST_UNREADABLE));
    let named = named
        .iter()
        .map(|(file, why)| format!("{} can't be searched: {why}", found.project.display(file)));
    let more = (!more.is_empty()).then(|| format!("{} more files can't be searched", more.len()));
    named.chain(more).map(|text| line(&text)).collect()
}

fn line(sentence: &str) -> String {
    format!("Anvil: {}.", clean(sentence, 900))
}

fn question_asked(place: Place, question: &str, door: &Door) -> String {
    let question = clean(question, MAX_QUESTION);
    let command = door.command(Verb::Steer.with("--answer TEXT"));
    let who = place.seat;
    let the = if matches!(who, Seat::Voice(_)) { "" } else { "the " };
    format!("{the}{who} asks you: {question} {command} answers")
}

fn session_not_remembered(root: &Path, why: &str) -> String {
    let root = root.display();
    format!(
        "this session can't be recorded ({why}), so its replies are not saved here: type \
         /anvil:resume in a session that starts in {root}"
    )
}

fn undone_decision(id: &str, snapshot: u32, standing: &Standing, door: &Door) -> String {
    let id = clean(id, 200);
    let end = clean(&standing.headline(), 300);
    let command = door.command(Verb::Undo.with(format!("--to {snapshot} {id}")));
    format!("{id} was finished before, with another end ({end}): {command} restores it")
}

fn sentence(note: &Note, door: &Door) -> String {
    match note {
        Note::Detail(detail) => detail.clone(),
        Note::OwnerUnknown { is_lost } => owner_unknown(*is_lost, door),
        Note::SessionNotRemembered { root, why } => session_not_remembered(root, why),
        Note::Asked { place, question } => question_asked(*place, question, door),
        Note::IsStatement => IS_STATEMENT.to_owned(),
        Note::UndoneDecision { id, snapshot, standing } => {
            undone_decision(id, *snapshot, standing, door)
        }
        Note::RecordsMayVanish { folder, system } => records_may_vanish(folder, system),
        Note::EarlierRecords(folder) => {
            format!("{folder} is from an earlier version and is ignored; you can remove it")
        }
        Note::RoundsWithoutEffect => ROUNDS_WITHOUT_EFFECT.to_owned(),
        Note::PersonaDescribed(who) => format!(
            "no persona is named {}, so it is used as a description; {} shows the names",
            clean(who, 60),
            door.command(Verb::List.with("personas"))
        ),
        Note::LeftOut(names) => left_out(names),
        Note::Unusable(why) => format!("ignored: {why}"),
        Note::SavedLate { place, words } => {
            let words = anvil_text::words(*words);
            format!("Claude's unsaved reply is now saved: {place}, {words}")
        }
        Note::NotRepeated { place, limit } => {
            format!("{place}: accepted as it is; another try would exceed {limit}")
        }
        Note::BeginningMissing => BEGINNING_MISSING.to_owned(),
        Note::PutAside { why, file } => {
            format!("the last reply {}; it is saved in {file}", aside(*why))
        }
        Note::FileGone { id, snapshot } => {
            let command =
                door.command(Verb::Undo.with(format!("--to {snapshot} {}", clean(id, 200))));
            format!("the file of {id} is gone: {command} restores it")
        }
        Note::SeenByGit { .. } => SEEN_BY_GIT.to_owned(),
        Note::GitRefuses(why) => format!(
            "git {why}; so it is unknown whether it ignores the debate's file, and cited words are \
             not looked up"
        ),
        Note::Restored { snapshot, is_reply_lost } => restoration(*snapshot, *is_reply_lost),
        Note::ReportElsewhere { wanted, why, place } => {
            format!("the report can't be written to {}: {why}; see {place}", clean(wanted, 100))
        }
        Note::IndexLine { index, line } => {
            format!("{index} does not list the record yet. Add the line: `{}`", clean(line, 700))
        }
        Note::ReportNotWritten(error) => {
            let command = door.command(Verb::Report);
            format!("a report could not be written, {command} tries again: {error}")
        }
        Note::DueReport(written) => due_report(written.as_ref()),
        Note::LostReport { file, written } => lost_report(file, written.as_ref()),
        Note::BlockAgain { place, why } => {
            format!("{place} is saved; its block is asked for again: {}", clean(why, 400))
        }
        Note::JournalUnread(error) => {
            format!("due reviews can't be shown: {error}; {}", door.hint(error))
        }
        Note::ReviewNotNoted { day, why } => {
            let command = door.command(Verb::History.with(format!("--review {day}")));
            format!("the review on {day} could not be noted: {why}; {command} tries again")
        }
        Note::UnseenLeftOut { document, count } => {
            let what = match document {
                OutgoingText::Report => "report",
                OutgoingText::Comment => "comment",
            };
            format!("the {what} leaves out {}", unseen(*count))
        }
        Note::Replaced(file) => format!("the previous content is in {file}"),
        Note::NotReadBack(error) => format!("it was written, but could not be read back: {error}"),
        Note::RevisionNotRecorded(error) => {
            format!("the revision of the issue could not be noted: {error}")
        }
    }
}

fn records_may_vanish(folder: &str, system: &str) -> String {
    format!(
        "records of debates go to {folder}, on {system}, which may be temporary: set \
         CLAUDE_CONFIG_DIR to a permanent folder"
    )
}

fn owner_unknown(is_lost: bool, door: &Door) -> String {
    if is_lost {
        let command = door.command(Verb::Debate.with("QUESTION --replace"));
        format!("this debate can't continue; {command} starts a new one")
    } else {
        format!("the debate is paused: {} continues it", door.command(Verb::Resume))
    }
}

fn restoration(snapshot: u32, is_reply_lost: bool) -> String {
    let lost = if is_reply_lost { "; the reply in flight is lost" } else { "" };
    format!("the debate's file was missing: restored from snapshot {snapshot}{lost}")
}

fn left_out(names: &[String]) -> String {
    let left = names.len().saturating_sub(MOST_NAMES);
    let more = if left > 0 { format!(", and {left} more") } else { String::new() };
    let shown = names[..names.len() - left].join(", ");
    format!("not all of the material is in the context: {shown}{more}")
}

fn due_report(written: Result<&String, &Error>) -> String {
    match written {
        Ok(file) => format!("the report was missing and is written now: {file}"),
        Err(error) => format!("the report is missing and could not be written: {error}"),
    }
}

fn lost_report(file: &str, written: Result<&(), &Error>) -> String {
    match written {
        Ok(()) => format!("{file} was missing and is written again"),
        Err(error) => format!("{file} is missing and could not be written: {error}"),
    }
}

fn aside(why: Aside) -> &'static str {
    match why {
        Aside::OutOfForm => "lacks a required part and is asked for again",
        Aside::OtherPhase => "was for another phase",
        Aside::NotBegun => "opens a debate that can't begin",
        Aside::Late => "came too late",
        Aside::Stray => "had an unknown token",
        Aside::AfterTheEnd => "came after the debate was complete",
    }
}
