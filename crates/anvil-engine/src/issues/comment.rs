//! Anvil's comments in an issue: the report, and a question to the people there.

use super::error::IssueError;
use super::remote::plain;
use crate::filing::open_question;
use crate::{Context, OutgoingText, reports};
use anvil_core::document::sha256;
use anvil_core::transcript::{self, normalise};
use anvil_report::{Model, PastVerdict};
use anvil_store::StateFile;
use anvil_store::issue_body::{self, MAX_UNITS};
use anvil_system::forge::{Comment, Issue, OwnComment};
use anvil_text::error::Result;
use anvil_text::{Scrubber, clean, inert};

/// The first line of every comment that Anvil posts.
const MARKER: &str = "<!-- anvil -->";

/// Most tries to leave one comment, if others write it at the same time.
const MAX_TRIES: usize = 4;

/// A comment of Anvil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    Report,
    /// The verdict, as the one comment of its question.
    Verdict,
    /// The debate's open question.
    Question(String),
}

/// A question of the debate that an issue asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueQuestion {
    pub question: String,
    /// The comments of people after it, the oldest first.
    pub replies: Vec<Comment>,
}

/// The question that an answer would answer.
pub(super) fn open_question_of(state: &StateFile) -> Result<String> {
    Ok(open_question(state).ok_or(IssueError::NoQuestion)?)
}

/// Asks a question in an issue.
pub(super) fn ask(issue: &Issue<'_>, question: &str, scrubber: &Scrubber) -> Result<()> {
    post(issue, &question_comment(issue, question, scrubber))
}

/// The question of this debate that is open and was asked in the issue, with the replies to it.
pub(super) fn asked_there(
    issue: &Issue<'_>,
    state: &StateFile,
    scrubber: &Scrubber,
) -> Result<Option<IssueQuestion>> {
    let Some(question) = open_question(state) else { return Ok(None) };
    let asking = plain(&question_comment(issue, &question, scrubber));
    let mut comments = issue.comments()?.into_iter();
    if !comments.any(|posted| plain(&posted.text) == asking) {
        return Ok(None);
    }
    let replies = comments.filter(|posted| !posted.text.starts_with(MARKER)).collect();
    Ok(Some(IssueQuestion { question, replies }))
}

/// The comment with a question. Its text is a function of the question, so a later run finds it.
fn question_comment(issue: &Issue<'_>, question: &str, scrubber: &Scrubber) -> String {
    let quoted = anvil_report::block_quote(&clean(&scrubber.scrub(question), usize::MAX));
    format!(
        "{MARKER}\nA debate about this asks:\n\n{}\n\nPlease reply with a comment. `anvil pull {}` \
         shows it to the person who runs the debate.\n",
        quoted.trim_end(),
        issue.number()
    )
}

/// Posts the report of a debate.
pub(super) fn post_report(context: &Context<'_>, issue: &Issue<'_>, model: &Model) -> Result<()> {
    post(issue, &report_of(model))?;
    reports::note_invisible(context, model, OutgoingText::Comment);
    Ok(())
}

/// Leaves the verdict of a debate as the one comment of its question. It is found by its mark and its
/// author: anybody can post the mark. Another clone may write at the same time: the oldest comment
/// stays, and has the verdict of each.
pub(super) fn post_verdict(
    context: &Context<'_>,
    issue: &Issue<'_>,
    state: &StateFile,
    model: &Model,
) -> Result<()> {
    let question = clean(&model.question, usize::MAX).to_lowercase();
    let mark =
        format!("{MARKER}\n<!-- anvil-question: {} -->\n", &sha256(question.as_bytes())[..16]);
    let commit = argued_commit(&state.body);
    let ours = PastVerdict::new(model, &commit);
    let own = || -> Result<Vec<OwnComment>> {
        let all = issue.own_comments()?.into_iter();
        Ok(all.filter(|comment| normalise(&comment.text).starts_with(&mark)).collect())
    };
    let mut found = own()?;
    for _ in 0..MAX_TRIES {
        let mut earlier: Vec<PastVerdict> = Vec::new();
        for past in found.iter().flat_map(|comment| PastVerdict::all_in(&normalise(&comment.text)))
        {
            if past != ours && !earlier.contains(&past) {
                earlier.push(past);
            }
        }
        let text = mark.clone() + &anvil_report::card(model, &commit, &earlier);
        match found.split_first() {
            None => issue.post_comment(&text)?,
            Some((first, others)) => {
                if plain(&first.text) != plain(&text) {
                    issue.write_comment(first.id, &text)?;
                }
                others.iter().try_for_each(|other| issue.remove_comment(other.id))?;
            }
        }
        found = own()?;
        let has_ours =
            |comment: &OwnComment| PastVerdict::all_in(&normalise(&comment.text)).contains(&ours);
        if matches!(&found[..], [only] if has_ours(only)) {
            reports::note_invisible(context, model, OutgoingText::Comment);
            return Ok(());
        }
    }
    Err(IssueError::Contended(issue.to_string()).into())
}

/// The commit at the head of the pull request that was the material; empty: none was.
fn argued_commit(body: &str) -> String {
    let entries = transcript::parse(body);
    let notes = entries.notes().filter(|(kind, _)| kind.is_material());
    let lines = notes.flat_map(|(_, note)| note.text.lines());
    let mut commits = lines.filter(|line| line.starts_with("by ")).filter_map(|line| {
        let (_, commit) = line.rsplit_once(", at ")?;
        let is_id = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| commit.to_owned())
    });
    // The text of the pull request comes after it, and may have such a line too.
    commits.next().unwrap_or_default()
}

/// Posts a comment. One with this text is not posted a second time.
fn post(issue: &Issue<'_>, comment: &str) -> Result<()> {
    let text = plain(comment);
    if issue.comments()?.iter().any(|posted| plain(&posted.text) == text) {
        return Ok(());
    }
    issue.post_comment(comment)
}

/// The report as a comment, without the record if that is too long for a comment.
fn report_of(model: &Model) -> String {
    let whole = format!("{MARKER}\n{}", anvil_report::markdown(model));
    if issue_body::units(&whole) <= MAX_UNITS {
        return whole;
    }
    let mut brief = format!("{MARKER}\n{}", anvil_report::brief(model));
    if issue_body::units(&brief) > MAX_UNITS {
        // A third of the limit fits, however a forge counts characters. A cut can leave code open.
        brief = inert(&brief.chars().take(MAX_UNITS / 3).chain(['…']).collect::<String>());
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::transcript::NoteKind;
    use jiff::Timestamp;

    #[test]
    fn the_argued_commit_is_a_whole_id_in_the_line_about_the_author() {
        let id = "3f2a".repeat(10);
        for (lines, expected) in [
            (format!("Mend it\n\nby ann, from mend into main, at {id}\n2 files"), &*id),
            ("by ann, from mend into main, at 3f2a".to_owned(), ""),
            (format!("by ann, from mend into main, at {}", "x".repeat(40)), ""),
            (format!("from mend into main, at {id}"), ""),
        ] {
            let mut body = String::new();
            transcript::append_note(&mut body, NoteKind::Context, Timestamp::UNIX_EPOCH, &lines);
            assert_eq!(argued_commit(&body), expected, "{lines}");
        }
    }
}
