//! Puts a debate into an issue or pull request. Without `--force` it replaces nothing that this
//! debate lacks.

use std::time::Duration;

use super::comment::{self, Posted};
use super::error::IssueError;
use super::remote::{PublishStep, RemoteIssue, plain, publish_step};
use super::side::Side;
use crate::lookup::find;
use crate::ownership::check_may_change;
use crate::{Context, LOCK_WAIT, Note, Session, reports};
use anvil_core::debate::{Debate, Status, UserAction};
use anvil_core::issue::{NamedIssue, Publishing};
use anvil_core::place::DebateFormat;
use anvil_store::issue_body::{self, BodyError, PortableDebate};
use anvil_store::{AsideKind, Failed, IssueFix, IssueLag, Published, StateFile, Store};
use anvil_system::forge::Issue;
use anvil_text::error::{Error, Result};

#[derive(Debug)]
pub struct Publication {
    /// The issue, as the user reads it.
    pub issue: String,
    /// The debate here, with its revision in the issue.
    pub side: Side,
    pub written: PublishResult,
    /// The comments that the user wants, and whether each is there now.
    pub comments: Vec<(Posted, Result<()>)>,
}

/// The effect of a publish on the issue's body.
#[derive(Clone, Debug)]
pub enum PublishResult {
    Now,
    /// The issue had this state already.
    Before,
    /// The issue holds a part that this debate lacks. Its body is as it was.
    PullFirst(Error),
    /// Only comments are written.
    Comments,
    /// The body would be too long. It is as it was.
    NoRoom(BodyError),
}

/// Puts the debate `id` of a run into an issue. A failure is recorded, for the status.
pub fn keep_current(
    context: &Context<'_>,
    session: &Session,
    id: &str,
    issue: u32,
    timeout: Duration,
) -> Option<IssueLag> {
    let issue = NamedIssue::of_checkout(issue);
    let named = issue.command_words();
    let publishing = Publishing { issue, ..Publishing::default() };
    let (why, helps) = match publish(context, Some(session), Some(id), &publishing, timeout) {
        Err(error) => (error.to_string(), IssueFix::Publish),
        Ok(Publication { written, comments, .. }) => match (written, comments.first()) {
            (PublishResult::Now | PublishResult::Before | PublishResult::Comments, _) => {
                return None;
            }
            (PublishResult::PullFirst(error), _) => (error.to_string(), IssueFix::Pull),
            (PublishResult::NoRoom(error), None) => (error.to_string(), IssueFix::Comment),
            (PublishResult::NoRoom(error), Some((_, Ok(())))) => {
                (error.to_string(), IssueFix::Nothing)
            }
            (PublishResult::NoRoom(_), Some((_, Err(error)))) => {
                (error.to_string(), IssueFix::Comment)
            }
        },
    };
    // The user has read it anyway.
    let mut store = context.selected_store(Some(session));
    let Ok(mut locked) = store.lock(LOCK_WAIT) else { return Some(IssueLag { named, why, helps }) };
    let _ = locked.change_record(id, |record| {
        let known = record.published.take().unwrap_or_default();
        let failed = Some(Failed { why: why.clone(), helps });
        record.published = Some(Published { named: named.clone(), failed, ..known });
    });
    Some(IssueLag { named, why, helps })
}

/// Leaves the verdict of a complete debate as a comment of a pull request. Returns that, as the user
/// reads it.
pub fn comment_verdict(
    context: &Context<'_>,
    session: &Session,
    id: &str,
    number: u32,
    timeout: Duration,
) -> Result<String> {
    let issue = NamedIssue::of_checkout(number);
    let publishing = Publishing { issue, verdict: true, ..Publishing::default() };
    let publication = publish(context, Some(session), Some(id), &publishing, timeout)?;
    for (_, posted) in publication.comments {
        posted?;
    }
    Ok(publication.issue)
}

/// Fails unless it is known where a pull request of this number is. Asks no forge.
pub fn check_repository(context: &Context<'_>, number: u32, timeout: Duration) -> Result<()> {
    let store = context.selected_store(None);
    RemoteIssue::find(context, &store, &NamedIssue::of_checkout(number), timeout).map(|_| ())
}

/// The replies that an issue still has room for.
#[derive(Clone, Debug)]
pub struct ReplyRoom {
    pub debate: Debate,
    /// About so many before its synthesis.
    pub replies: usize,
}

impl ReplyRoom {
    /// True if the whole debate fits.
    pub fn is_enough(&self) -> bool {
        self.replies + 1 >= self.debate.replies_left() as usize
    }

    /// The rounds that fit. `None`: this debate has no rounds of two replies.
    pub fn rounds(&self) -> Option<usize> {
        (self.debate.format() == DebateFormat::Seats).then_some(self.replies / 2)
    }
}

/// Most UTF-16 units of a packed reply: ten debates of `crates/anvil-core/tests/syntheses` took 300
/// to 1,300 for each of their replies, of 150 to 600 words.
const REPLY_UNITS: usize = 1_300;

/// Most UTF-16 units of a packed synthesis.
const SYNTHESIS_UNITS: usize = 2_500;

/// Looks how much of the debate `id` an issue has room for. Fails if the debate may not be written
/// remote.
pub fn room(
    context: &Context<'_>,
    session: &Session,
    id: &str,
    issue: u32,
    timeout: Duration,
) -> Result<ReplyRoom> {
    let store = context.selected_store(Some(session));
    let (state, _) = find(&store, Some(id))?;
    let issue = NamedIssue::of_checkout(issue);
    let remote = RemoteIssue::read(context, &store, &issue, timeout)?;
    let theirs = remote.block.clone()?;
    let scrubber = context.scrubber(store.project());
    let ours = PortableDebate::new(state, 1, &scrubber)?;
    let known = remote.known_record(&store, id);
    if let (PublishStep::PullFirst, Some(theirs)) =
        (publish_step(&ours, theirs.as_ref(), known.as_ref(), &store, &scrubber), &theirs)
    {
        let here = Side::new(ours.state(), known.map_or(0, |known| known.revision));
        return Err(remote.pull_first(&here, &Side::new(theirs.state(), theirs.revision)));
    }
    let left = issue_body::room(&remote.text.text, &ours)?;
    let left = left.unwrap_or_default().saturating_sub(SYNTHESIS_UNITS);
    Ok(ReplyRoom { debate: ours.state().debate.clone(), replies: left / REPLY_UNITS })
}

/// Puts this project's debate into an issue, or the one with this id. All requests to the forge
/// end after `timeout`.
pub fn publish(
    context: &Context<'_>,
    session: Option<&Session>,
    id: Option<&str>,
    publishing: &Publishing,
    timeout: Duration,
) -> Result<Publication> {
    let mut store = context.selected_store(session);
    let (state, file) = find(&store, id)?;
    check_may_change(context, UserAction::Publish, &state.debate, session, publishing.take_over)?;
    let question = publishing.ask.then(|| comment::open_question_of(&state)).transpose()?;
    let home = context.world.home.as_deref();
    let model = |store: &Store| reports::model(store, home, &state, &file, &[]);
    if publishing.verdict {
        let issue = RemoteIssue::find(context, &store, &publishing.issue, timeout)?;
        let mut comments = ask(context, &store, &issue, question);
        match comment::post_verdict(context, &issue, &state, &model(&store)) {
            Err(error) if comments.is_empty() => return Err(error),
            posted => comments.push((Posted::Verdict, posted)),
        }
        let (issue, side) = (issue.to_string(), Side::new(&state, 0));
        return Ok(Publication { issue, side, written: PublishResult::Comments, comments });
    }
    let remote = RemoteIssue::read(context, &store, &publishing.issue, timeout)?;
    let (revision, written) = write(context, &mut store, &remote, &state, publishing.force)?;
    let question = question.filter(|_| !matches!(written, PublishResult::PullFirst(_)));
    let mut comments = ask(context, &store, &remote.issue, question);
    let has_report = match &written {
        PublishResult::Now | PublishResult::Before => publishing.comment,
        PublishResult::PullFirst(_) | PublishResult::Comments => false,
        // A finished debate without room in the body has its report there at least.
        PublishResult::NoRoom(_) => {
            publishing.comment || state.debate.status() == Status::Completed
        }
    };
    if has_report {
        let posted = comment::post_report(context, &remote.issue, &model(&store));
        comments.push((Posted::Report, posted));
    }
    if let PublishResult::NoRoom(error) = &written {
        let is_posted =
            comments.iter().any(|(comment, result)| *comment == Posted::Report && result.is_ok());
        let helps = if is_posted { IssueFix::Nothing } else { IssueFix::Comment };
        let failed = Failed { why: error.to_string(), helps };
        remote.note_failed(&mut store, &state.debate.id, failed);
    }
    let side = Side::new(&state, revision);
    Ok(Publication { issue: remote.issue.to_string(), side, written, comments })
}

/// Asks the debate's question in the issue, if there is one; returns the comment with its result.
fn ask(
    context: &Context<'_>,
    store: &Store,
    issue: &Issue<'_>,
    question: Option<String>,
) -> Vec<(Posted, Result<()>)> {
    let Some(question) = question else { return Vec::new() };
    let posted = comment::ask(issue, &question, &context.scrubber(store.project()));
    vec![(Posted::Question(question), posted)]
}

/// Writes the debate into the issue, if it may; returns the revision in the issue.
fn write(
    context: &Context<'_>,
    store: &mut Store,
    remote: &RemoteIssue<'_>,
    state: &StateFile,
    force: bool,
) -> Result<(u64, PublishResult)> {
    let id = &state.debate.id;
    let known = remote.known_record(store, id);
    let theirs = match &remote.block {
        Ok(theirs) => theirs.as_ref(),
        // Only `--force` replaces a block that can't be read.
        Err(_) if force => None,
        Err(error) => return Err(error.clone().into()),
    };
    let revision_here = known.as_ref().map_or(0, |known| known.revision);
    let last = theirs.map_or(0, |theirs| theirs.revision).max(revision_here);
    let scrubber = context.scrubber(store.project());
    let ours = PortableDebate::new(state.clone(), last.saturating_add(1), &scrubber)?;
    let step = publish_step(&ours, theirs, known.as_ref(), store, &scrubber);
    match (step, theirs) {
        (PublishStep::Nothing, Some(theirs)) => {
            remote.note_seen(context, store, theirs, &ours);
            return Ok((theirs.revision, PublishResult::Before));
        }
        (PublishStep::PullFirst, Some(theirs)) if !force => {
            let here = Side::new(state, revision_here);
            let error = remote.pull_first(&here, &Side::new(theirs.state(), theirs.revision));
            return Ok((revision_here, PublishResult::PullFirst(error)));
        }
        _ => {}
    }
    check_exact(remote)?;
    let put = match issue_body::embed(&remote.text.text, &ours) {
        Ok(put) => put,
        Err(error @ BodyError::TooLong { .. }) => {
            return Ok((revision_here, PublishResult::NoRoom(error)));
        }
        Err(error) => return Err(error.into()),
    };
    if step == PublishStep::PullFirst || remote.block.is_err() {
        let file = put_aside(store, id, &put)?;
        context.add_note(Note::Replaced(file));
    }
    send(context, store, remote, &ours, &put.body)?;
    Ok((ours.revision, PublishResult::Now))
}

/// Puts the blocks aside that were in a body. Returns the file, as the user reads it.
pub(super) fn put_aside(store: &mut Store, id: &str, put: &issue_body::Embedded) -> Result<String> {
    let removed = put.removed.join("\n\n") + "\n";
    let kept = store.lock(LOCK_WAIT)?.put_aside(id, AsideKind::Block, removed.as_bytes())?;
    Ok(store.project().display(&kept))
}

/// Sends a body with a block, and checks that it arrived.
fn send(
    context: &Context<'_>,
    store: &mut Store,
    remote: &RemoteIssue<'_>,
    ours: &PortableDebate,
    body: &str,
) -> Result<()> {
    let issue = &remote.issue;
    remote.note_sent(store, ours);
    issue.write_body(body)?;
    match issue.body() {
        Ok(stored) if stored.is_exact && plain(&stored.text) != plain(body) => {
            return Err(IssueError::NotStored(issue.to_string()).into());
        }
        Ok(_) => {}
        Err(error) => context.add_note(Note::NotReadBack(error)),
    }
    remote.note_seen(context, store, ours, ours);
    Ok(())
}

/// Refuses a text that gh may have changed on the way: gh writes `^[` for an escape character, and
/// for text that looks like one.
fn check_exact(remote: &RemoteIssue<'_>) -> Result<()> {
    let text = issue_body::strip(&remote.text.text);
    let is_doubtful = text.contains('\\')
        || text.as_bytes().windows(2).any(|pair| matches!(pair, [b'^', b'@'..=b'_']));
    if remote.text.is_exact || !is_doubtful {
        return Ok(());
    }
    Err(IssueError::Altered(remote.issue.to_string()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::options::{Mode, Named};
    use jiff::Timestamp;

    #[test]
    fn the_truth_table_of_the_room_for_replies() {
        let sides = Debate::new("id".into(), "Why?".into(), 2, Timestamp::UNIX_EPOCH);
        let mut voices = sides.clone();
        voices.options.mode = Mode::Stakeholders;
        voices.options.voices =
            ["a", "b"].map(|name| Named { name: name.into(), text: None }).into();
        for (debate, replies, is_enough, rounds) in [
            (&sides, 0, false, Some(0)),
            (&sides, 3, false, Some(1)),
            (&sides, 4, true, Some(2)),
            (&voices, 9, true, None),
        ] {
            let room = ReplyRoom { debate: debate.clone(), replies };
            assert_eq!((room.is_enough(), room.rounds()), (is_enough, rounds), "{replies}");
        }
    }
}
