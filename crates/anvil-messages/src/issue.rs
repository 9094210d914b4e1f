//! Debates that are published to an issue or pulled from one, and the body of such an issue.

use std::fmt::Write as _;

use super::Door;
use super::past::mode_and_length;
use anvil_core::debate::{Debate, Status};
use anvil_core::options::{Named, Options};
use anvil_engine::issues::IssueQuestion;
use anvil_engine::{CheckedBody, Posted, Publication, PublishResult, Pulled, ReplyRoom, Taken};
use anvil_store::issue_body::MAX_UNITS;
use anvil_store::{IssueFix, IssueLag};
use anvil_system::forge::Comment;
use anvil_text::error::{Error, Failure, Result};
use anvil_text::{Hint, Verb, clean, hint, number_of, unseen};

/// The result of publishing. It is an error if a part of it could not be done.
pub fn publish_lines(publication: &Publication) -> Result<String> {
    let Publication { issue, side, written, comments } = publication;
    let mut line = match written {
        PublishResult::Before => format!("Anvil: {issue} is already up to date: {}.", side.label()),
        PublishResult::Now => format!("Anvil: published to {issue}, {}.", side.label()),
        PublishResult::Comments => format!("Anvil: {issue}, {}.", side.label()),
        PublishResult::NoRoom(error) => format!("the text of {issue} is unchanged: {error}."),
        PublishResult::PullFirst(error) => return Err(error.clone()),
    };
    let mut failed = None;
    for (posted, result) in comments {
        let (ok, bad) = match posted {
            Posted::Report => ("Its report is a comment there.".to_owned(), "report"),
            Posted::Verdict => ("Its verdict is a comment there.".to_owned(), "verdict"),
            Posted::Question(question) => {
                let asks = format!("It asks in a comment there: {}", clean(question, 300));
                (asks, "question")
            }
        };
        let _ = match result {
            Ok(()) => write!(line, " {ok}"),
            Err(error) => write!(line, " Its {bad} could not be posted: {error}."),
        };
        failed = failed.or_else(|| result.as_ref().err().map(anvil_text::error::Error::hint));
    }
    if let PublishResult::NoRoom(error) = written {
        let is_there = comments.iter().any(|(what, _)| *what == Posted::Report);
        let around = "the text around the block counts too";
        let hint = if is_there { around.into() } else { error.hint() };
        failed = failed.or(Some(hint));
    }
    match failed {
        None => Ok(line),
        Some(hint) => {
            let line = line.trim_end_matches('.').to_owned();
            Err(NotPublished { line, hint }.into())
        }
    }
}

/// A part of a publication could not be done; the hint is that part's.
#[derive(Debug, thiserror::Error)]
#[error("{line}")]
struct NotPublished {
    line: String,
    hint: Hint,
}

impl Failure for NotPublished {
    fn hint(&self) -> Hint {
        self.hint.clone()
    }
}

/// The verdict of a run is a comment of its pull request.
pub fn comment_line(issue: &str) -> String {
    format!("  The verdict is a comment of {issue}")
}

/// The verdict of a run could not become a comment.
pub fn no_comment_line(number: u32, error: &Error, door: &Door) -> String {
    let hint = door.text(error.hint());
    format!("  The verdict is no comment of pull request {number}: {error}; {hint}")
}

/// How much of a debate an issue has room for, before its first reply.
pub fn room_in(issue: u32, room: &ReplyRoom) -> String {
    let fits = match room.rounds() {
        Some(rounds) if rounds > 0 => number_of(rounds, "round", "rounds"),
        _ => number_of(room.replies, "reply", "replies"),
    };
    if room.is_enough() {
        return format!("  Issue #{issue} has room for this debate: about {fits} fit");
    }
    let stays = "text stays, and the report is posted as a comment";
    match room.replies {
        0 => format!("  Issue #{issue} has no room for a reply: its {stays}"),
        _ => format!("  Issue #{issue} has room for about {fits}: after that its {stays}"),
    }
}

/// Why a run could not look into its issue before the first reply, or may not write there.
pub fn issue_not_ready(issue: u32, error: &Error, door: &Door) -> String {
    let why = clean(&error.to_string(), 400);
    format!("  Issue #{issue}: {why}; {}", door.hint(error))
}

/// An issue lacks a part of the debate, as it is when it ends or is looked at. Without a `door` a
/// run goes on, and tries again with its next reply.
pub fn issue_behind(behind: &IssueLag, door: Option<&Door>) -> String {
    let IssueLag { named, why, helps } = behind;
    let next = match (helps, door) {
        (IssueFix::Publish | IssueFix::Pull, None) => "; the next phase tries again".to_owned(),
        (IssueFix::Publish, Some(door)) => {
            format!("; {} writes it", door.command(Verb::Publish.with(named.clone())))
        }
        (IssueFix::Pull, Some(door)) => {
            format!("; {} takes what is there", door.command(Verb::Pull.with(named.clone())))
        }
        (IssueFix::Comment, None) => "; the report is posted as a comment".to_owned(),
        (IssueFix::Comment, Some(door)) => {
            let posts = door.command(Verb::Publish.with(format!("{named} --comment")));
            format!("; {posts} posts the report")
        }
        (IssueFix::Nothing, _) => "; its report is a comment there".to_owned(),
    };
    format!("Issue #{} is behind: {}{next}", behind.number(), clean(why, 300))
}

/// The result of pulling. If the options came from the issue, it warns that they may hold
/// instructions of other people.
pub fn pull_lines(pulled: &Pulled, door: &Door) -> String {
    let Pulled { issue, side, taken, is_behind, asked } = pulled;
    let question_lines = match asked {
        Ok(Some(question)) => format!("\n{}", asked_there(question, door)),
        Ok(None) => String::new(),
        Err(error) => format!("\nIts comments could not be read: {error}."),
    };
    let Some(Taken { brings_options, unseen_characters, file }) = taken else {
        let more = if *is_behind { ", and more" } else { "" };
        return format!("Anvil: all of {issue} is here{more}: {}.{question_lines}", side.label());
    };
    let next = door.text(match side.debate.status() {
        Status::Completed => {
            hint![Verb::Report, " shows its verdict; ", Verb::Again, " adds a cycle."]
        }
        Status::Cancelled => hint![Verb::Status, " shows it."],
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
            hint![Verb::Resume, " continues it."]
        }
    });
    let brought = brought(&side.debate, *brings_options).join(", ");
    let warning = match &*brought {
        "" => String::new(),
        brought => format!(
            "\nThis debate gives Claude instructions: {brought}. Read them in {file} first."
        ),
    };
    let hidden = match *unseen_characters {
        0 => String::new(),
        count => format!(
            "\n{file} holds {}: screens and reports hide them, but Claude reads them.",
            unseen(count)
        ),
    };
    let question = clean(&side.debate.question, 200);
    let side = side.label();
    format!(
        "Anvil: pulled from {issue}, {side}: {question}{warning}{hidden}{question_lines}\n{next}"
    )
}

/// Most replies that are shown, and the longest text of each, in characters.
const MAX_REPLIES: usize = 10;
const MAX_REPLY: usize = 400;

/// A question in an issue and the replies to it, which anybody can have written.
pub(super) fn asked_there(
    IssueQuestion { question, replies }: &IssueQuestion,
    door: &Door,
) -> String {
    let mut out = format!("It asks there: {}", clean(question, 300));
    if replies.is_empty() {
        return out + "\n  It has no replies yet.";
    }
    let gone = replies.len().saturating_sub(MAX_REPLIES);
    if gone > 0 {
        let _ = write!(out, "\n  {} before these", number_of(gone, "reply", "replies"));
    }
    for Comment { author, text } in &replies[gone..] {
        let text = clean(text, MAX_REPLY).replace('"', "'");
        let _ = write!(out, "\n  {}: \"{text}\"", clean(author, 60));
    }
    out + &door.text(hint!["\n", Verb::Steer.with("--answer TEXT"), " saves your answer."])
}

/// The debate's own texts that a role has to follow.
fn brought(debate: &Debate, options: bool) -> Vec<String> {
    let Options { house_rules, mode, mode_text, framework, voices, .. } = &debate.options;
    let mut brought = Vec::new();
    if options {
        brought.extend(house_rules.as_ref().map(|_| "house rules".to_owned()));
        brought.extend(mode_text.as_ref().map(|_| with_name("the mode", mode.word())));
        brought.extend(framework.as_ref().and_then(|one| with_text("the framework", one)));
        brought.extend(voices.iter().filter_map(|voice| with_text("the voice", voice)));
    }
    brought.extend(debate.steering().map(|_| "steering".to_owned()));
    brought
}

fn with_name(what: &str, name: &str) -> String {
    format!("{what} {}", clean(name, 60))
}

/// `None`: it has no text of the debate's own.
fn with_text(what: &str, one: &Named) -> Option<String> {
    one.text.as_ref().map(|_| with_name(what, &one.name))
}

/// The output of `anvil body check`, without a final line break.
pub fn body(checked: &CheckedBody) -> String {
    let debate = &checked.carried.state().debate;
    let next = match debate.status() {
        Status::Completed | Status::Cancelled => String::new(),
        Status::InProgress | Status::NotStarted | Status::Paused | Status::Failed => {
            format!(", next: {}", debate.place_label())
        }
    };
    let mut out = format!("Anvil: {}\n", clean(&debate.question, 300));
    let id = clean(&debate.id, 100);
    let revision = checked.carried.revision;
    let _ = writeln!(out, "  debate    {id}, revision {revision}");
    let _ = writeln!(out, "  status    {}{next}", debate.status().label());
    let _ = writeln!(out, "  mode      {}", mode_and_length(debate));
    let replies = number_of(checked.replies, "reply", "replies");
    let _ = writeln!(out, "  words     {} in {replies}", checked.words);
    let _ = write!(out, "  body      {} of {MAX_UNITS} characters", checked.units);
    if !checked.is_orderly {
        out.push_str(
            "\n  note      its sections and its position disagree; Anvil repairs that when it \
             pulls the debate",
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn the_room_of_an_issue_is_said_in_rounds_or_replies() {
        let debate = Debate::new("a".to_owned(), "Why?".to_owned(), 3, Timestamp::UNIX_EPOCH);
        for (replies, said) in [
            (9, "room for this debate: about 4 rounds fit"),
            (6, "room for this debate: about 3 rounds fit"),
            (5, "room for about 2 rounds: after that its text stays, and the report is posted"),
            (1, "room for about 1 reply: after that its text stays"),
            (0, "no room for a reply: its text stays, and the report is posted as a comment"),
        ] {
            let line = room_in(7, &ReplyRoom { debate: debate.clone(), replies });
            assert!(line.starts_with(&format!("  Issue #7 has {said}")), "{line}");
        }
    }
}
