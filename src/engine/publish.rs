//! Put the debate into an issue or pull request. What somebody else has put there in between is never written over unasked.

use std::time::Duration;

use super::report::{find, model, places};
use super::side::Side;
use super::{Document, Engine, LOCK_WAIT, Note, Place, Session};
use crate::body::{self, BodyError, Content, MARKER, MAX_UNITS, PortableDebate, Relation};
use crate::command::PublishOptions;
use crate::debate::Verb;
use crate::error::{Error, Result};
use crate::forge::{Issue, Text};
use crate::report;
use crate::state::{Change, Locked, Published, StateFile, Store};
use crate::text::inert;
use crate::transcript::{self, normalise};

/// A debate that is in an issue.
#[derive(Debug)]
pub struct Publication {
    /// The issue, as the user reads it.
    pub issue: String,
    /// What is there now.
    pub side: Side,
    /// How many comments hold its sections. `None`: all of it was there already.
    pub comments: Option<usize>,
    /// Replies that workers have posted there and that were filed: which, and by whom.
    pub gathered: Vec<(String, String)>,
    /// Whether its report is a comment there too, where that was asked for.
    pub report: Option<Result<()>>,
}

impl Engine<'_> {
    /// Puts the debate here into an issue; gives back what is there now. All that is asked of the forge ends after `timeout`.
    pub fn publish(
        &self,
        session: Option<&Session>,
        options: &PublishOptions,
        timeout: Duration,
    ) -> Result<Publication> {
        let store = self.store_meant(session);
        let gathered = if options.gather { self.gathered(session, options, timeout)? } else { Vec::new() };
        let (state, file) = find(&store, None)?;
        self.check_may_change(Verb::Publish, &state.debate, session, options.owner.take_over)?;
        let entries = transcript::parse(&state.body);
        let ours = PortableDebate::of(state.clone(), 0)?;
        let issue = Issue::find(store.project().root(), &options.issue, &self.world.disk, timeout)?;
        let name = issue.name();
        let Text { text: body, is_exact } = issue.body()?;
        let theirs = match there(&issue, &body)? {
            Ok(theirs) => theirs,
            // What can't be understood gives way to the user's word alone.
            Err(_) if options.force => None,
            Err(error) => return Err(error.into()),
        };
        let seen = store.published(&state.debate.id, &name);
        let is_seen = theirs.as_ref().is_some_and(|theirs| seen == Some(published(&name, theirs)));
        let relation = theirs.as_ref().map(|theirs| body::relation(&ours, theirs));
        let revision_here = seen.map_or(0, |seen| seen.revision);
        let last = theirs.as_ref().map_or(0, |theirs| theirs.revision).max(revision_here);
        let (side, comments) = match (decide(relation, is_seen, options.force), theirs) {
            (Decision::Nothing, Some(theirs)) => {
                if !is_seen {
                    self.note_down(&store, &theirs, &issue);
                }
                (Side::of(&state, &entries, theirs.revision), None)
            }
            (Decision::Refuse, Some(theirs)) => {
                let here = Side::of(&state, &entries, revision_here);
                let there = Side::of(theirs.state(), &transcript::parse(&theirs.state().body), theirs.revision);
                return Err(refused(&issue, relation, &here, &there));
            }
            (decision, theirs) => {
                if !is_exact && is_doubtful(&body::strip(&body)) {
                    return Err(Error::failed(
                        format!("gh altered the text of {issue}; nothing was written"),
                        "take each ^ and \\ out of the issue's text, or put the block in by hand: `anvil body embed`",
                    ));
                }
                if let (Decision::WriteOver, Some(theirs)) = (decision, theirs) {
                    let text = theirs.state().render()?;
                    let name = replaced_name(theirs.state(), &state.debate.id);
                    self.keep_replaced(&store.lock(LOCK_WAIT)?, &name, &text, Place::Issue)?;
                }
                let carried = PortableDebate::of(state.clone(), last.saturating_add(1))?;
                let comments = self.write(&store, &issue, &body, &carried, options)?;
                self.note_down(&store, &carried, &issue);
                (Side::of(&state, &entries, carried.revision), Some(comments))
            }
        };
        let mut publication = Publication { issue: issue.to_string(), side, comments, gathered, report: None };
        if !options.comment {
            return Ok(publication);
        }
        let places = places(store.project(), &state.debate.id, &store.project().report(&state.debate.id));
        let model = model(store.project(), self.world.home.as_deref(), &state, &entries, &file, &places);
        let comment = comment(&model);
        // One that was posted before is not posted again.
        let posted = issue.comments().and_then(|comments| {
            let is_there = comments.iter().any(|posted| is_same(posted, &comment));
            if is_there { Ok(()) } else { issue.post_comment(&comment) }
        });
        if posted.is_ok() {
            self.note_unseen(&model, Document::Comment);
        }
        publication.report = Some(posted);
        Ok(publication)
    }

    /// Writes the block; gives back how many comments hold its sections.
    fn write(
        &self,
        store: &Store,
        issue: &Issue<'_>,
        body: &str,
        carried: &PortableDebate,
        options: &PublishOptions,
    ) -> Result<usize> {
        let (new, comments) = if options.force && body::extract(body).is_err() {
            let fresh = body::embed_afresh(body, carried, options.comments)?;
            let name = format!("{}-block", carried.state().debate.id);
            let removed = fresh.removed.join("\n\n") + "\n";
            let kept = store.lock(LOCK_WAIT)?.write_to_archive(&name, &removed)?;
            let shown = store.project().display(&kept);
            self.add_note(Note::BlockReplaced(shown));
            (fresh.body, fresh.comments)
        } else if options.comments {
            body::embed_in_comments(body, carried)?
        } else {
            (body::embed(body, carried)?, Vec::new())
        };
        if !comments.is_empty() {
            let posted = issue.comments()?;
            let is_there = |comment: &&String| posted.iter().any(|posted| is_same(posted, comment));
            for comment in comments.iter().filter(|comment| !is_there(comment)) {
                issue.post_comment(comment)?;
            }
            // That has taken its time.
            if issue.body()?.text != body {
                return Err(Error::failed(
                    format!("somebody has changed {issue} in this moment"),
                    "its text is as they left it: do it again",
                ));
            }
        }
        issue.write_body(&new)?;
        match issue.body() {
            Ok(stored) if stored.is_exact && !is_same(&stored.text, &new) => Err(Error::failed(
                format!("{issue} says something else now than was written to it"),
                "somebody else writes to it, or the forge does not keep it: look at its edit history",
            )),
            Ok(_) => Ok(comments.len()),
            Err(error) => {
                self.add_note(Note::NotReadBack(error));
                Ok(comments.len())
            }
        }
    }

    /// Remembers what is in an issue. The debate is there whatever becomes of that.
    fn note_down(&self, store: &Store, there: &PortableDebate, issue: &Issue<'_>) {
        let change = Change::Publish { detail: log_detail(there, issue) };
        let locked = store.lock(LOCK_WAIT);
        let noted = locked.and_then(|locked| {
            locked.remember_published(&there.state().debate, &published(&issue.name(), there), &change)
        });
        if let Err(error) = noted {
            self.add_note(Note::RevisionNotRecorded(error));
        }
    }

    /// Keeps a state that another one takes the place of in the archive.
    pub(super) fn keep_replaced(&self, locked: &Locked<'_>, name: &str, text: &str, place: Place) -> Result<()> {
        // A run that was killed may have kept it.
        let kept = locked.find_in_archive(name, text.as_bytes());
        let kept = kept.map_or_else(|| locked.write_to_archive(name, text), Ok)?;
        self.add_note(Note::Replaced { place, file: locked.project().display(&kept) });
        Ok(())
    }
}

/// The name in the archive of a state that one of this debate takes the place of.
pub(super) fn replaced_name(replaced: &StateFile, id: &str) -> String {
    let replaced = &replaced.debate.id;
    // Another debate is one of the archive's own.
    if replaced == id { format!("{replaced}-replaced") } else { replaced.clone() }
}

/// What a publish does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// It is there already.
    Nothing,
    /// Nobody's words are lost.
    Write,
    /// The user wants it; what is there goes to the archive.
    WriteOver,
    /// Somebody else has published.
    Refuse,
}

/// What is here against what is there (`None`: nothing), and whether that was seen here.
fn decide(relation: Option<Relation>, is_seen: bool, force: bool) -> Decision {
    match (relation, is_seen, force) {
        (Some(Relation::Same), _, _) => Decision::Nothing,
        (None, _, _) | (Some(Relation::Ahead | Relation::Behind | Relation::Diverged), true, _) => Decision::Write,
        (Some(_), _, true) => Decision::WriteOver,
        (Some(_), _, false) => Decision::Refuse,
    }
}

fn refused(issue: &Issue<'_>, relation: Option<Relation>, ours: &Side, theirs: &Side) -> Error {
    let sides = format!("Here: {}. There: {}", ours.label(), theirs.label());
    let number = issue.number();
    match relation {
        Some(Relation::Unrelated) => Error::failed(
            format!("another debate is in {issue}: {}. {sides}", theirs.debate.label()),
            "publish to another issue, or --force, which moves that debate to the archive here",
        ),
        Some(Relation::Diverged) => Error::failed(
            format!("somebody else has published to {issue} in between, and both sides went on. {sides}"),
            format!(
                "`anvil pull --issue {number} --force` takes theirs and archives what is here; `anvil publish --issue {number} --force` publishes this one and archives theirs"
            ),
        ),
        _ => Error::failed(
            format!("somebody else has published to {issue} in between. {sides}"),
            format!(
                "one side only continued the other: `anvil pull --issue {number} --merge` takes the longer one; --force publishes this one and archives theirs"
            ),
        ),
    }
}

/// The debate in an issue, or why it can't be told.
pub(super) fn there(issue: &Issue<'_>, body: &str) -> Result<std::result::Result<Option<PortableDebate>, BodyError>> {
    let index = match body::extract(body) {
        Ok(Some(Content::InComments(index))) => index,
        Ok(Some(Content::Whole(carried))) => return Ok(Ok(Some(*carried))),
        Ok(None) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(error)),
    };
    Ok(body::join(&index, &issue.comments()?).map(Some))
}

/// True for the same text, however a forge ends its lines.
fn is_same(one: &str, other: &str) -> bool {
    normalise(one).trim_end() == normalise(other).trim_end()
}

/// True for a text in which gh may have changed something: it makes `^[` of an escape, and of what looks like one.
fn is_doubtful(text: &str) -> bool {
    text.contains('\\') || text.as_bytes().windows(2).any(|pair| pair[0] == b'^' && matches!(pair[1], b'@'..=b'_'))
}

/// What is to be remembered of it.
pub(super) fn published(name: &str, carried: &PortableDebate) -> Published {
    Published::of(name, carried.revision, &carried.state().render().unwrap_or_default())
}

/// For the log.
pub(super) fn log_detail(there: &PortableDebate, issue: &Issue<'_>) -> String {
    format!("{}, revision {}", issue.name(), there.revision)
}

/// The report as a comment; without the record where that is too long.
fn comment(model: &report::Model) -> String {
    let marked = |report: &str| format!("{MARKER}\n{report}");
    let whole = marked(&report::markdown(model));
    if body::units(&whole) <= MAX_UNITS {
        return whole;
    }
    let mut brief = marked(&report::brief(model));
    if body::units(&brief) > MAX_UNITS {
        // However its characters are counted. A cut can open code that was closed.
        brief = inert(&brief.chars().take(MAX_UNITS / 3).chain(['…']).collect::<String>());
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_somebody_elses_is_written_over_unasked() {
        use Decision::{Nothing, Refuse, Write, WriteOver};
        for is_seen in [false, true] {
            for force in [false, true] {
                assert_eq!(decide(None, is_seen, force), Write);
                assert_eq!(decide(Some(Relation::Same), is_seen, force), Nothing);
                let other = decide(Some(Relation::Unrelated), is_seen, force);
                assert_eq!(other, if force { WriteOver } else { Refuse });
                for relation in [Relation::Ahead, Relation::Behind, Relation::Diverged] {
                    let expected = match (is_seen, force) {
                        (true, _) => Write,
                        (false, true) => WriteOver,
                        (false, false) => Refuse,
                    };
                    assert_eq!(decide(Some(relation), is_seen, force), expected, "{relation:?}");
                }
            }
        }
    }
}
