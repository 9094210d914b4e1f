//! The content of an issue now, and the one rule: the content that a debate may replace.

use std::time::Duration;

use super::error::IssueError;
use super::side::Side;
use crate::{Context, LOCK_WAIT, Note};
use anvil_core::issue::NamedIssue;
use anvil_core::transcript::normalise;
use anvil_store::issue_body::{self, BodyError, PortableDebate};
use anvil_store::{Failed, Published, Store};
use anvil_system::forge::{ForgeText, Issue};
use anvil_text::Scrubber;
use anvil_text::error::{Error, Result};

/// An issue as it was read.
pub(crate) struct RemoteIssue<'a> {
    pub issue: Issue<'a>,
    /// The issue as the user names it.
    named: String,
    pub text: ForgeText,
    pub block: Result<Option<PortableDebate>, BodyError>,
}

/// The step of a publish that the block of an issue allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublishStep {
    /// The block is this state already.
    Nothing,
    Write,
    /// The block holds a part that this debate lacks.
    PullFirst,
}

/// The rule: a debate replaces the block that was last seen or sent from here, one that lacks only
/// what it has after the same words, and one of a cycle that was cancelled here. Everything else is
/// pulled first.
pub(super) fn publish_step(
    ours: &PortableDebate,
    theirs: Option<&PortableDebate>,
    known: Option<&Published>,
    store: &Store,
    scrubber: &Scrubber,
) -> PublishStep {
    let Some(theirs) = theirs else { return PublishStep::Write };
    let is_known = known.is_some_and(|known| known.knows(&theirs.digest()));
    let theirs = &scrub_block(theirs, scrubber);
    if ours.state() == theirs.state() {
        return PublishStep::Nothing;
    }
    if is_known || lacks_only(theirs, ours, known) || is_cancelled_here(store, theirs, scrubber) {
        PublishStep::Write
    } else {
        PublishStep::PullFirst
    }
}

/// A block as it would be written here: one from elsewhere may name a path of this home.
pub(super) fn scrub_block(block: &PortableDebate, scrubber: &Scrubber) -> PortableDebate {
    let portable = PortableDebate::new(block.state().clone(), block.revision, scrubber);
    portable.unwrap_or_else(|_| block.clone())
}

/// True if a debate has no words but those of a state that was cancelled here.
pub(super) fn is_cancelled_here(
    store: &Store,
    theirs: &PortableDebate,
    scrubber: &Scrubber,
) -> bool {
    store
        .cancelled_states(&theirs.state().debate.id)
        .filter_map(|cancelled| PortableDebate::new(cancelled, 0, scrubber).ok())
        .any(|cancelled| cancelled.has_words_of(theirs))
}

/// True if one state only lacks what the other has after the same words. If it lacks what the two
/// places have agreed on, somebody has undone that, or it is an old write that came late.
pub(super) fn lacks_only(
    one: &PortableDebate,
    other: &PortableDebate,
    known: Option<&Published>,
) -> bool {
    let has_agreed = known.is_none_or(|known| one.state().body.len() >= known.length);
    let is_old = known.is_some_and(|known| (1..known.revision).contains(&one.revision));
    other.has_all_of(one) && (has_agreed || is_old)
}

impl<'a> RemoteIssue<'a> {
    /// An issue without its text.
    pub(crate) fn find(
        context: &Context<'a>,
        store: &Store,
        named: &NamedIssue,
        timeout: Duration,
    ) -> Result<Issue<'a>> {
        let root = store.project().root();
        Issue::find(root, named.repo.as_deref(), named.number, context.world, timeout)
    }

    /// Reads an issue. All requests to its forge end after `timeout`.
    pub(crate) fn read(
        context: &Context<'a>,
        store: &Store,
        named: &NamedIssue,
        timeout: Duration,
    ) -> Result<Self> {
        let issue = Self::find(context, store, named, timeout)?;
        let text = issue.body()?;
        let block = issue_body::extract(&text.text);
        Ok(Self { issue, named: named.command_words(), text, block })
    }

    /// The record on this machine of the debate `id` in this issue.
    pub(crate) fn known_record(&self, store: &Store, id: &str) -> Option<Published> {
        store.record(id)?.published.filter(|known| known.issue == self.issue.name())
    }

    /// The record of a block in this issue, and of the debate `here` that agrees with it.
    pub(crate) fn seen_record(&self, block: &PortableDebate, here: &PortableDebate) -> Published {
        Published {
            issue: self.issue.name(),
            named: self.named.clone(),
            revision: block.revision,
            seen: block.digest(),
            here: here.digest_here(),
            body: Published::digest_of(&block.state().body),
            length: block.state().body.len(),
            sent: None,
            failed: None,
        }
    }

    /// Saves what is in the issue now. A failure only adds a note, because it is there already.
    pub(crate) fn note_seen(
        &self,
        context: &Context<'_>,
        store: &mut Store,
        block: &PortableDebate,
        here: &PortableDebate,
    ) {
        let seen = self.seen_record(block, here);
        if let Err(error) = note(store, &block.state().debate.id, seen) {
            context.add_note(Note::RevisionNotRecorded(error));
        }
    }

    /// Saves a block before it is sent, and the one that it replaces. A failure matters only if the
    /// answer is lost, too.
    pub(crate) fn note_sent(&self, store: &mut Store, block: &PortableDebate) {
        let id = &block.state().debate.id;
        let known = self.known_record(store, id).unwrap_or_else(|| self.new_record());
        let current = self.block.as_ref().ok().and_then(Option::as_ref);
        let seen = current.map_or(known.seen.clone(), PortableDebate::digest);
        let sent = Published { sent: Some(block.digest()), seen, ..known };
        let _ = note(store, id, sent);
    }

    /// Saves why the debate `id` could not be written here.
    pub(crate) fn note_failed(&self, store: &mut Store, id: &str, failed: Failed) {
        let known = self.known_record(store, id).unwrap_or_else(|| self.new_record());
        let failed = Published { failed: Some(failed), ..known };
        let _ = note(store, id, failed);
    }

    fn new_record(&self) -> Published {
        Published { issue: self.issue.name(), named: self.named.clone(), ..Published::default() }
    }

    /// The error if the block holds a part that the debate here lacks.
    pub(crate) fn pull_first(&self, ours: &Side, theirs: &Side) -> Error {
        let issue = self.issue.to_string();
        let sides = format!("Here: {}. There: {}", ours.label(), theirs.label());
        if ours.debate.id != theirs.debate.id {
            let there = theirs.debate.label();
            return IssueError::AnotherThere { issue, there, sides }.into();
        }
        IssueError::PublishedSince { issue, sides, number: self.named.clone() }.into()
    }
}

fn note(store: &mut Store, id: &str, published: Published) -> Result<()> {
    store.lock(LOCK_WAIT)?.change_record(id, |record| record.published = Some(published))
}

/// A text without the line ends that forges change.
pub(super) fn plain(text: &str) -> String {
    normalise(text).trim_end().to_owned()
}
