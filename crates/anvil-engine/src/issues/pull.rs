//! Takes the debate of an issue or pull request into this project, without an owner until the user
//! resumes it. The debate that was here ends unless the pulled one continues it.

use std::time::Duration;

use super::comment::{self, IssueQuestion};
use super::error::IssueError;
use super::remote::{RemoteIssue, is_cancelled_here, lacks_only, scrub_block};
use super::side::Side;
use crate::ownership::{check_may_change, is_argued_by_programs};
use crate::session::Replacement;
use crate::{Context, LOCK_WAIT, Note, Session, session};
use anvil_core::debate::UserAction;
use anvil_core::issue::Pulling;
use anvil_store::issue_body::PortableDebate;
use anvil_store::{AsideKind, Commit, Loaded, Published, StateFile, Store, Transaction};
use anvil_text::Scrubber;
use anvil_text::error::Result;

#[derive(Debug)]
pub struct Pulled {
    /// The issue, as the user reads it.
    pub issue: String,
    /// The debate of this project after the pull.
    pub side: Side,
    /// Facts about the pulled debate. `None`: the project already had all of it.
    pub taken: Option<Taken>,
    /// The issue lacks a part of the debate here.
    pub is_behind: bool,
    /// The question that the issue asks, if its comments could be read.
    pub asked: Result<Option<IssueQuestion>>,
}

/// The options, the characters and the place of a debate from an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// True if its options are new in this project too.
    pub brings_options: bool,
    /// Number of invisible characters in it.
    pub unseen_characters: usize,
    /// Path of the state file, as the user reads it.
    pub file: String,
}

/// Takes the debate of an issue. All requests to the forge end after `timeout`.
pub fn pull(
    context: &Context<'_>,
    session: Option<&Session>,
    pulling: &Pulling,
    timeout: Duration,
) -> Result<Pulled> {
    let mut store = session::store_to_start_in(context, session);
    let remote = RemoteIssue::read(context, &store, &pulling.issue, timeout)?;
    let theirs = remote.block.clone()?.ok_or_else(|| IssueError::NoDebate {
        issue: remote.issue.to_string(),
        number: pulling.issue.command_words(),
    })?;
    // Other people can write both texts, so they can be slow to read. They are compared before
    // the lock is taken, so no other process waits for that.
    let before = store.load();
    let scrubber = context.scrubber(store.project());
    let ours = readable(&before)
        .map(|ours| PortableDebate::new(ours.clone(), 0, &scrubber))
        .transpose()?;
    let known = remote.known_record(&store, &theirs.state().debate.id);
    let decision = match decide(ours.as_ref(), &theirs, known.as_ref(), &store, &scrubber) {
        PullDecision::Refuse if pulling.force => PullDecision::Take,
        decision => decision,
    };
    if let (PullDecision::Refuse, Some(ours)) = (decision, &ours) {
        let here = Side::new(ours.state(), known.map_or(0, |known| known.revision));
        let there = Side::new(theirs.state(), theirs.revision);
        return Err(refusal(&remote, &here, &there).into());
    }
    let project = store.project().clone();
    let (mut transaction, old) = store.lock(LOCK_WAIT)?.load();
    if readable(&old) != readable(&before) {
        return Err(IssueError::JustChanged.into());
    }
    let (state, taken) = match (decision, ours, readable(&old)) {
        (PullDecision::Nothing, Some(portable), Some(ours)) => {
            let seen = remote.seen_record(&theirs, &portable);
            // An old write that came late says nothing new.
            if known.is_none_or(|known| known.revision <= theirs.revision) {
                transaction
                    .change_record(&ours.debate.id, |record| record.published = Some(seen))?;
            }
            // The forge is asked without the lock.
            drop(transaction);
            (ours.clone(), None)
        }
        (_, portable, _) => {
            let incoming = Incoming { session, pulling, remote: &remote, theirs: &theirs };
            let goes_on = decision == PullDecision::GoOn;
            let state = take(context, transaction, old, &incoming, goes_on)?;
            let taken = Taken {
                brings_options: portable.is_none_or(|ours| !ours.has_options_of(&theirs)),
                unseen_characters: anvil_text::visible(&state.render()?).1,
                file: project.display(&project.state_file()),
            };
            (state, Some(taken))
        }
    };
    Ok(Pulled {
        issue: remote.issue.to_string(),
        side: Side::new(&state, theirs.revision),
        taken,
        is_behind: state.body != theirs.state().body,
        asked: comment::asked_there(&remote.issue, &state, &scrubber),
    })
}

/// Replaces the debate of this project. `goes_on`: the new state continues the same debate.
fn take(
    context: &Context<'_>,
    mut transaction: Transaction<'_>,
    old: Result<Option<Loaded>>,
    incoming: &Incoming<'_>,
    goes_on: bool,
) -> Result<StateFile> {
    let Incoming { session, pulling, remote, theirs } = *incoming;
    let take_over = pulling.take_over;
    let ours = readable(&old);
    if let Some(ours) = ours {
        check_may_change(context, UserAction::Pull, &ours.debate, session, take_over)?;
    }
    let owner = ours.map(|ours| ours.debate.clone());
    let mut state = StateFile::clone(theirs.state());
    let same = ours.filter(|ours| ours.debate.id == state.debate.id);
    if let Some(ours) = same {
        if !goes_on {
            state.debate.take_step_after(ours.debate.step());
        }
        state.debate.options.output.clone_from(&ours.debate.options.output);
    }
    let id = &state.debate.id;
    let scrubber = context.scrubber(transaction.project());
    let seen = remote.seen_record(theirs, &PortableDebate::new(state.clone(), 0, &scrubber)?);
    let transaction = if let Some(ours) = same {
        if !goes_on {
            let text = ours.render()?;
            let kept = transaction.put_aside(id, AsideKind::Replaced, text.as_bytes())?;
            context.add_note(Note::Replaced(transaction.project().display(&kept)));
        }
        transaction
    } else {
        let action = UserAction::Pull;
        let replacement = Replacement { action, may_end_unfinished: pulling.force, take_over };
        session::make_room(context, transaction, old, id, session, replacement)?
    };
    let (mut transaction, details) = transaction.commit(&state, Commit::Change)?;
    context.add_details(details);
    transaction.change_record(id, |record| record.published = Some(seen))?;
    if let Some(owner) = owner {
        context.forget_owned(session, &owner);
    }
    Ok(state)
}

/// A debate from an issue that comes into this project.
#[derive(Clone, Copy)]
struct Incoming<'p> {
    session: Option<&'p Session>,
    pulling: &'p Pulling,
    remote: &'p RemoteIssue<'p>,
    theirs: &'p PortableDebate,
}

/// This project's debate, if there is one that can be read.
fn readable(loaded: &Result<Option<Loaded>>) -> Option<&StateFile> {
    match loaded {
        Ok(Some(Loaded { state, is_lost: false, .. })) => Some(state),
        Ok(_) | Err(_) => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PullDecision {
    /// The project already has all of it, or it was cancelled here.
    Nothing,
    /// The debate in the issue continues the one of this project.
    GoOn,
    /// The debate comes into this project; the old one leaves its place.
    Take,
    /// The debate here would be lost. Only `--force` takes the other one then.
    Refuse,
}

/// The rule of a publish, the other way round: the debate in an issue replaces one that has not
/// changed here since the two agreed, and one that lacks only what it has after the same words.
fn decide(
    ours: Option<&PortableDebate>,
    theirs: &PortableDebate,
    known: Option<&Published>,
    store: &Store,
    scrubber: &Scrubber,
) -> PullDecision {
    let Some(ours) = ours else { return PullDecision::Take };
    let theirs = &scrub_block(theirs, scrubber);
    let here = &ours.state().debate;
    if here.id != theirs.state().debate.id {
        let is_unfinished = here.status().is_unfinished();
        return if is_unfinished { PullDecision::Refuse } else { PullDecision::Take };
    }
    if lacks_only(theirs, ours, known) || is_cancelled_here(store, theirs, scrubber) {
        PullDecision::Nothing
    } else if lacks_only(ours, theirs, known) {
        PullDecision::GoOn
    } else if known.is_some_and(|known| known.here == ours.digest_here()) {
        PullDecision::Take
    } else {
        PullDecision::Refuse
    }
}

fn refusal(remote: &RemoteIssue<'_>, ours: &Side, theirs: &Side) -> IssueError {
    if ours.debate.id != theirs.debate.id {
        let is_run = is_argued_by_programs(&ours.debate);
        return IssueError::AnotherHere { here: ours.debate.label(), is_run };
    }
    let sides = format!("Here: {}. There: {}", ours.label(), theirs.label());
    IssueError::Diverged { issue: remote.issue.to_string(), sides }
}
