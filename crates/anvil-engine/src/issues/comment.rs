//! Anvil's comments in an issue: the report, and a question to the people there.

use std::path::Path;

use super::error::IssueError;
use super::remote::plain;
use crate::filing::open_question;
use crate::{Context, OutgoingText, reports};
use anvil_store::issue_body::{self, MAX_UNITS};
use anvil_store::{StateFile, Store};
use anvil_system::forge::{Comment, Issue};
use anvil_text::error::Result;
use anvil_text::{Scrubber, clean, inert};

/// The first line of every comment that Anvil posts.
const MARKER: &str = "<!-- anvil -->";

/// A comment of Anvil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    Report,
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
pub(super) fn post_report(
    context: &Context<'_>,
    store: &Store,
    state: &StateFile,
    file: &Path,
    issue: &Issue<'_>,
) -> Result<()> {
    let model = reports::model(store, context.world.home.as_deref(), state, file, &[]);
    post(issue, &report_of(&model))?;
    reports::note_invisible(context, &model, OutgoingText::Comment);
    Ok(())
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
fn report_of(model: &anvil_report::Model) -> String {
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
