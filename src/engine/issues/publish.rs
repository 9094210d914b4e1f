//! Puts the debate into an issue or pull request. Without `--force` it never replaces a debate that
//! another person has published in between.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::carry::embed_afresh;
use super::side::Side;
use crate::domain::debate::Verb;
use crate::domain::issue::{NamedIssue, Publishing};
use crate::domain::transcript::normalise;
use crate::engine::lookup::find;
use crate::engine::ownership::check_may_change;
use crate::engine::reports::report::model;
use crate::engine::{Context, Document, LOCK_WAIT, Note, NotePlace, Session, Stopped, reports};
use crate::error::{Error, Result};
use crate::report;
use crate::storage::issue_body::{
    self, BodyError, Content, MARKER, MAX_UNITS, PortableDebate, Relation,
};
use crate::storage::{AsideKind, Locked, Published, StateFile, Store};
use crate::system::forge::{ForgeText, Issue};
use crate::text::inert;

#[derive(Debug)]
pub struct Publication {
    /// The issue, as the user reads it.
    pub issue: String,
    /// The debate in the issue after the publish.
    pub side: Side,
    /// Number of comments that hold its sections. `None`: the issue already had all of it.
    pub comments: Option<usize>,
    /// The result of posting the report as a comment, if the user wants that.
    pub report: Option<Result<()>>,
}

/// Puts the debate `id` of a run into an issue. A failure is recorded, for the status.
pub fn keep_current(
    context: &Context<'_>,
    session: &Session,
    id: &str,
    issue: u32,
    timeout: Duration,
) -> Result<(), Stopped> {
    let numbered = NamedIssue { number: issue, ..NamedIssue::default() };
    let asked = Publishing { issue: numbered, ..Publishing::default() };
    let Err(error) = publish(context, Some(session), Some(id), &asked, timeout) else {
        return Ok(());
    };
    let store = context.store_meant(Some(session));
    let behind = Some((issue, error.to_string()));
    // The user has read it anyway.
    let _ = store.change_record(id, |record| {
        record.published =
            Some(Published { behind, ..record.published.take().unwrap_or_default() });
    });
    Err(error.into())
}

/// Puts this project's debate into an issue, or the one with this id. All requests to the forge
/// end after `timeout`.
pub fn publish(
    context: &Context<'_>,
    session: Option<&Session>,
    id: Option<&str>,
    asked: &Publishing,
    timeout: Duration,
) -> Result<Publication> {
    let mut store = context.store_meant(session);
    let (state, file) = find(&store, id)?;
    let take_over = asked.take_over;
    check_may_change(context, Verb::Publish, &state.debate, session, take_over)?;
    let ours = PortableDebate::new(state.clone(), 0)?;
    let issue = Issue::find(store.project().root(), &asked.issue, &context.world.disk, timeout)?;
    let name = issue.name();
    let ForgeText { text: body, is_exact } = issue.body()?;
    let theirs = match remote_debate(&issue, &body)? {
        Ok(theirs) => theirs,
        // Only `--force` replaces a block that can't be read.
        Err(_) if asked.force => None,
        Err(error) => return Err(error.into()),
    };
    let seen = store.published(&state.debate.id, &name);
    let relation = theirs.as_ref().map(|theirs| issue_body::relation(&ours, theirs));
    let is_same = relation == Some(Relation::Same);
    let is_seen = theirs
        .as_ref()
        .is_some_and(|theirs| recognise(context, &store, seen.as_ref(), theirs, &issue, is_same));
    let revision_here = seen.map_or(0, |seen| seen.revision);
    let last = theirs.as_ref().map_or(0, |theirs| theirs.revision).max(revision_here);
    let (side, comments) = match (decide(relation, is_seen), theirs) {
        (Decision::Nothing, Some(theirs)) => (Side::of(&state, theirs.revision), None),
        (Decision::Refuse, Some(theirs)) if !asked.force => {
            let here = Side::of(&state, revision_here);
            let remote = Side::of(theirs.state(), theirs.revision);
            return Err(refused(&issue, relation, &here, &remote));
        }
        (decision, theirs) => {
            if !is_exact && is_doubtful(&issue_body::strip(&body)) {
                return Err(Error::failed(
                    format!("gh altered the text of {issue}; nothing was written"),
                    (
                        "take each ^ and \\ out of the issue's text, or put the block in by hand: `anvil body embed`",
                        "take each ^ and \\ out of the issue's text",
                    ),
                ));
            }
            // With `--force`, the debate in the issue is put aside first.
            if let (Decision::Refuse, Some(theirs)) = (decision, theirs) {
                let (locked, id) = (store.lock(LOCK_WAIT)?, &state.debate.id);
                keep_replaced(context, &locked, id, theirs.state(), NotePlace::Issue)?;
            }
            let carried = PortableDebate::new(state.clone(), last.saturating_add(1))?;
            let comments = write(context, &mut store, &issue, &body, &carried, asked)?;
            note_down(context, &store, &carried, &issue);
            (Side::of(&state, carried.revision), Some(comments))
        }
    };
    let report = asked.comment.then(|| post_report(context, &store, &state, &file, &issue));
    Ok(Publication { issue: issue.to_string(), side, comments, report })
}

/// Posts the report as a comment.
fn post_report(
    context: &Context<'_>,
    store: &Store,
    state: &StateFile,
    file: &Path,
    issue: &Issue<'_>,
) -> Result<()> {
    let model = model(store, context.world.home.as_deref(), state, file, &[]);
    let comment = comment(&model);
    // A comment with this text is not posted a second time.
    if !issue.comments()?.iter().any(|posted| plain(posted) == plain(&comment)) {
        issue.post_comment(&comment)?;
    }
    reports::note_unseen(context, &model, Document::Comment);
    Ok(())
}

/// Writes the block and returns the number of comments that hold its sections.
fn write(
    context: &Context<'_>,
    store: &mut Store,
    issue: &Issue<'_>,
    body: &str,
    carried: &PortableDebate,
    asked: &Publishing,
) -> Result<usize> {
    let (new, comments) = if asked.force && issue_body::extract(body).is_err() {
        let (fresh, kept) = embed_afresh(store, body, carried, asked.comments)?;
        context.add_note(Note::BlockReplaced(kept));
        (fresh.body, fresh.comments)
    } else if asked.comments {
        issue_body::embed_in_comments(body, carried)?
    } else {
        (issue_body::embed(body, carried)?, Vec::new())
    };
    if !comments.is_empty() {
        let posted = issue.comments()?;
        let posted: HashSet<_> = posted.iter().map(|posted| plain(posted)).collect();
        for comment in comments.iter().filter(|comment| !posted.contains(&plain(comment))) {
            issue.post_comment(comment)?;
        }
        // Comments take time to post, so the body can have changed since it was read.
        if issue.body()?.text != body {
            return Err(Error::failed(
                format!("somebody has changed {issue} in this moment"),
                "its text is as they left it: do it again",
            ));
        }
    }
    note_sent(store, carried, issue);
    issue.write_body(&new)?;
    match issue.body() {
        Ok(stored) if stored.is_exact && plain(&stored.text) != plain(&new) => Err(Error::failed(
            format!("{issue} says something else now than was written to it"),
            "somebody else writes to it, or the forge does not keep it: look at its edit history",
        )),
        Ok(_) => Ok(comments.len()),
        Err(error) => {
            context.add_note(Note::NotReadBack(error));
            Ok(comments.len())
        }
    }
}

/// True if this machine has seen or sent what is in the issue. Records that, and what `is_same`.
fn recognise(
    context: &Context<'_>,
    store: &Store,
    seen: Option<&Published>,
    theirs: &PortableDebate,
    issue: &Issue<'_>,
    is_same: bool,
) -> bool {
    let there = published(&issue.name(), theirs);
    let is_seen = seen.is_some_and(|seen| seen.knows(&there));
    if (is_seen || is_same) && seen != Some(&there) {
        note_down(context, store, theirs, issue);
    }
    is_seen
}

/// Records the revision in an issue. A failure only adds a note, because the debate is already
/// in the issue.
fn note_down(context: &Context<'_>, store: &Store, remote: &PortableDebate, issue: &Issue<'_>) {
    let published = published(&issue.name(), remote);
    let noted = store.change_record(&remote.state().debate.id, |record| {
        record.published = Some(published);
    });
    if let Err(error) = noted {
        context.add_note(Note::RevisionNotRecorded(error));
    }
}

/// Puts a state that the debate `id` replaces aside.
pub(crate) fn keep_replaced(
    context: &Context<'_>,
    locked: &Locked<'_>,
    id: &str,
    replaced: &StateFile,
    place: NotePlace,
) -> Result<()> {
    let kept = locked.put_aside(id, AsideKind::Replaced, replaced.render()?.as_bytes())?;
    context.add_note(Note::Replaced { place, file: locked.project().display(&kept) });
    Ok(())
}

/// Records a revision before it is sent. A failure matters only if the answer is lost, too.
fn note_sent(store: &Store, carried: &PortableDebate, issue: &Issue<'_>) {
    let (id, name) = (&carried.state().debate.id, issue.name());
    let sent = Some(published(&name, carried).seen);
    let seen = store.published(id, &name);
    let seen = seen.unwrap_or_else(|| Published { issue: name, ..Published::default() });
    let _ = store.change_record(id, |record| record.published = Some(Published { sent, ..seen }));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// The issue already has it.
    Nothing,
    /// The write loses nothing of another person.
    Write,
    /// Another person has published in between. Only `--force` writes over it; the debate in the
    /// issue is put aside then.
    Refuse,
}

/// Compares the debate with the one in the issue; `None`: the issue has none. `is_seen` is true if
/// this project has recorded that revision.
fn decide(relation: Option<Relation>, is_seen: bool) -> Decision {
    match (relation, is_seen) {
        (Some(Relation::Same), _) => Decision::Nothing,
        (None, _) | (Some(Relation::Ahead | Relation::Behind | Relation::Diverged), true) => {
            Decision::Write
        }
        (Some(_), _) => Decision::Refuse,
    }
}

fn refused(issue: &Issue<'_>, relation: Option<Relation>, ours: &Side, theirs: &Side) -> Error {
    let sides = format!("Here: {}. There: {}", ours.label(), theirs.label());
    let number = issue.number();
    match relation {
        Some(Relation::Unrelated) => Error::failed(
            format!("another debate is in {issue}: {}. {sides}", theirs.debate.label()),
            "publish to another issue, or --force, which puts that debate aside here",
        ),
        Some(Relation::Diverged) => Error::failed(
            format!(
                "somebody else has published to {issue} in between, and both sides went on. {sides}"
            ),
            format!(
                "`anvil pull {number} --force` takes theirs and puts what is here aside; `anvil publish {number} --force` publishes this one and puts theirs aside"
            ),
        ),
        _ => Error::failed(
            format!("somebody else has published to {issue} in between. {sides}"),
            format!(
                "one side only continued the other: `anvil pull {number} --merge` takes the longer one; --force publishes this one and puts theirs aside"
            ),
        ),
    }
}

/// The debate in an issue, or the reason that its block can't be read.
pub(crate) fn remote_debate(
    issue: &Issue<'_>,
    body: &str,
) -> Result<std::result::Result<Option<PortableDebate>, BodyError>> {
    let index = match issue_body::extract(body) {
        Ok(Some(Content::InComments(index))) => index,
        Ok(Some(Content::Whole(carried))) => return Ok(Ok(Some(*carried))),
        Ok(None) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(error)),
    };
    Ok(issue_body::join(&index, &issue.comments()?).map(Some))
}

/// A text without the line ends that forges change.
fn plain(text: &str) -> String {
    normalise(text).trim_end().to_owned()
}

/// True for a text that gh may have changed: gh writes `^[` for an escape character and for text
/// that looks like one.
fn is_doubtful(text: &str) -> bool {
    text.contains('\\')
        || text.as_bytes().windows(2).any(|pair| pair[0] == b'^' && matches!(pair[1], b'@'..=b'_'))
}

/// The record of a published revision.
pub(crate) fn published(name: &str, carried: &PortableDebate) -> Published {
    let state = carried.state();
    Published::new(name, carried.revision, &state.render().unwrap_or_default(), &state.body)
}

/// The report as a comment, without the record if that is too long for a comment.
fn comment(model: &report::Model) -> String {
    let marked = |report: &str| format!("{MARKER}\n{report}");
    let whole = marked(&report::markdown(model));
    if issue_body::units(&whole) <= MAX_UNITS {
        return whole;
    }
    let mut brief = marked(&report::brief(model));
    if issue_body::units(&brief) > MAX_UNITS {
        // A third of the limit fits, however a forge counts characters. A cut can leave code open.
        brief = inert(&brief.chars().take(MAX_UNITS / 3).chain(['…']).collect::<String>());
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_not_overwritten_without_permission() {
        use Decision::{Nothing, Refuse, Write};
        for is_seen in [false, true] {
            assert_eq!(decide(None, is_seen), Write);
            assert_eq!(decide(Some(Relation::Same), is_seen), Nothing);
            assert_eq!(decide(Some(Relation::Unrelated), is_seen), Refuse);
            for relation in [Relation::Ahead, Relation::Behind, Relation::Diverged] {
                let expected = if is_seen { Write } else { Refuse };
                assert_eq!(decide(Some(relation), is_seen), expected, "{relation:?}");
            }
        }
    }
}
