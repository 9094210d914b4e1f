//! Takes the debate of an issue or pull request into this project, without an owner until the user
//! resumes it. The debate that was here ends unless the pulled one continues it.

use std::time::Duration;

use super::publish::{published, remote_debate};
use super::side::Side;
use crate::domain::debate::Verb;
use crate::domain::issue::Pulling;
use crate::engine::issues::publish::keep_replaced;
use crate::engine::ownership::check_may_change;
use crate::engine::session::start::Room;
use crate::engine::{Context, LOCK_WAIT, NotePlace, Session, session};
use crate::error::{Error, Result};
use crate::storage::issue_body::{self, PortableDebate, Relation};
use crate::storage::{Loaded, Locked, Published, StateFile};
use crate::system::forge::Issue;
use crate::text;

#[derive(Debug)]
pub struct Pulled {
    /// The issue, as the user reads it.
    pub issue: String,
    /// The debate of this project after the pull.
    pub side: Side,
    /// Facts about the pulled debate. `None`: the project already had all of it.
    pub taken: Option<Taken>,
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
    asked: &Pulling,
    timeout: Duration,
) -> Result<Pulled> {
    let mut store = session::store_to_start_in(context, session);
    let issue = Issue::find(store.project().root(), &asked.issue, &context.world.disk, timeout)?;
    let theirs = remote_debate(&issue, &issue.body()?.text)??.ok_or_else(|| {
        let number = issue.number();
        Error::nothing(
            format!("there is no debate in {issue}"),
            format!("`anvil publish {number}` puts the one of a project there"),
        )
    })?;
    // Other people can write both texts, so they can be slow to read. They are compared before
    // the lock is taken, so no other process waits for that.
    let before = store.load();
    let here = Here::of(readable(&before), &theirs)?;
    let locked = store.lock(LOCK_WAIT)?;
    let old = locked.load();
    if readable(&old) != readable(&before) {
        return Err(Error::failed("the debate here has changed in this moment", "do it again"));
    }
    let incoming = Incoming {
        session,
        asked,
        seen: published(&issue.name(), &theirs),
        theirs: theirs.state(),
    };
    let decision = match decide(here, asked.merge) {
        Decision::Refuse(_) if asked.force => Decision::Take,
        decision => decision,
    };
    let (state, taken) = match (decision, readable(&old)) {
        (Decision::Refuse(why), Some(ours)) => {
            drop(locked);
            let seen = store.published(&ours.debate.id, &issue.name());
            let here = Side::of(ours, seen.map_or(0, |seen| seen.revision));
            let remote = Side::of(theirs.state(), theirs.revision);
            return Err(refused(why, &issue, &here, &remote));
        }
        (Decision::Nothing, Some(ours)) => {
            let seen = Some(incoming.seen.clone());
            locked.change_record(&ours.debate.id, |record| record.published = seen)?;
            (ours.clone(), None)
        }
        _ => {
            let goes_on = decision == Decision::GoOn;
            let state = take(context, &locked, old, &incoming, goes_on)?;
            // A debate that continues keeps its options.
            let taken = Taken {
                brings_options: !goes_on,
                unseen_characters: text::visible(&state.render()?).1,
                file: store.project().display(&store.project().state_file()),
            };
            (state, Some(taken))
        }
    };
    let side = Side::of(&state, theirs.revision);
    Ok(Pulled { issue: issue.to_string(), side, taken })
}

/// Replaces the debate of this project. `goes_on`: the new state continues the same debate.
fn take(
    context: &Context<'_>,
    locked: &Locked<'_>,
    old: Result<Option<Loaded>>,
    incoming: &Incoming<'_>,
    goes_on: bool,
) -> Result<StateFile> {
    let Incoming { session, asked, seen, theirs } = incoming;
    let take_over = asked.take_over;
    let ours = readable(&old);
    if let Some(ours) = ours {
        check_may_change(context, Verb::Pull, &ours.debate, *session, take_over)?;
    }
    let owner = ours.map(|ours| ours.debate.clone());
    let mut state = StateFile::clone(theirs);
    let mut leaving = None;
    match ours {
        Some(ours) if ours.debate.id == state.debate.id => {
            if !goes_on {
                keep_replaced(context, locked, &ours.debate.id, ours, NotePlace::Here)?;
                state.debate.take_step_after(ours.debate.progress.step);
            }
            state.debate.options.output.clone_from(&ours.debate.options.output);
        }
        _ => {
            let room = Room { verb: Verb::Pull, asked: asked.force, take_over };
            leaving = session::make_room(context, locked, old, &state.debate.id, *session, room)?;
        }
    }
    session::commit_over(context, locked, leaving, &state)?;
    locked.change_record(&state.debate.id, |record| record.published = Some(seen.clone()))?;
    if let Some(owner) = owner {
        context.forget_own(*session, &owner);
    }
    Ok(state)
}

/// A debate from an issue that comes into this project.
struct Incoming<'p> {
    session: Option<&'p Session>,
    asked: &'p Pulling,
    seen: Published,
    theirs: &'p StateFile,
}

/// This project's debate, if there is one that can be read.
fn readable(loaded: &Result<Option<Loaded>>) -> Option<&StateFile> {
    match loaded {
        Ok(Some(Loaded { state, is_lost: false, .. })) => Some(state),
        Ok(_) | Err(_) => None,
    }
}

/// The debate of this project before the pull.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// Its relation to the debate in the issue. `None`: this project has no debate that can be
    /// read.
    relation: Option<Relation>,
    is_unfinished: bool,
}

impl Here {
    fn of(ours: Option<&StateFile>, theirs: &PortableDebate) -> Result<Self> {
        let portable = ours.map(|ours| PortableDebate::new(ours.clone(), 0)).transpose()?;
        Ok(Self {
            relation: portable.map(|ours| issue_body::relation(&ours, theirs)),
            is_unfinished: ours.is_some_and(|ours| ours.debate.progress.status.is_unfinished()),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// The project already has all of it.
    Nothing,
    /// The debate in the issue continues the one of this project.
    GoOn,
    /// The debate comes into this project; the old one leaves its place.
    Take,
    /// The pull would replace a debate. Only `--force` does that.
    Refuse(PullRefusal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PullRefusal {
    Ahead,
    Diverged,
    Unrelated,
}

fn decide(here: Here, merge: bool) -> Decision {
    let Some(relation) = here.relation else { return Decision::Take };
    match relation {
        Relation::Same => Decision::Nothing,
        Relation::Ahead if merge => Decision::Nothing,
        Relation::Unrelated if !here.is_unfinished => Decision::Take,
        Relation::Behind => Decision::GoOn,
        Relation::Ahead => Decision::Refuse(PullRefusal::Ahead),
        Relation::Diverged => Decision::Refuse(PullRefusal::Diverged),
        Relation::Unrelated => Decision::Refuse(PullRefusal::Unrelated),
    }
}

fn refused(why: PullRefusal, issue: &Issue<'_>, ours: &Side, theirs: &Side) -> Error {
    let sides = format!("Here: {}. There: {}", ours.label(), theirs.label());
    let number = issue.number();
    match why {
        PullRefusal::Ahead => Error::failed(
            format!("{issue} has nothing that is not here. {sides}"),
            format!(
                "`anvil publish {number}` publishes this one; --merge keeps it and takes that revision for seen; --force takes theirs and puts this one aside"
            ),
        ),
        PullRefusal::Diverged => Error::failed(
            format!("the debate here and the one in {issue} went different ways. {sides}"),
            "--force takes theirs and puts this one aside",
        ),
        PullRefusal::Unrelated => Error::failed(
            format!("another debate is unfinished here: {}", ours.debate.label()),
            "`anvil resume` goes on with it, `anvil cancel` ends it, --force ends it and pulls this one",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_ends_local_work_only_if_safe_or_confirmed() {
        use Decision::{GoOn, Nothing, Refuse, Take};
        let all = [
            Relation::Same,
            Relation::Ahead,
            Relation::Behind,
            Relation::Diverged,
            Relation::Unrelated,
        ];
        for is_unfinished in [false, true] {
            for merge in [false, true] {
                let decide = |relation| decide(Here { relation, is_unfinished }, merge);
                assert_eq!(decide(None), Take);
                for relation in all {
                    let expected = match relation {
                        Relation::Same => Nothing,
                        Relation::Ahead if merge => Nothing,
                        Relation::Unrelated if !is_unfinished => Take,
                        Relation::Behind => GoOn,
                        Relation::Ahead => Refuse(PullRefusal::Ahead),
                        Relation::Diverged => Refuse(PullRefusal::Diverged),
                        Relation::Unrelated => Refuse(PullRefusal::Unrelated),
                    };
                    assert_eq!(decide(Some(relation)), expected, "{relation:?} {merge}");
                }
            }
        }
    }
}
