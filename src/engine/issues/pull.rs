//! Takes the debate of an issue or pull request into this project, without an owner until the user
//! resumes it. The debate that was here goes to the archive unless the pulled one continues it.

use std::time::Duration;

use super::Issues;
use super::publish::{log_detail, published, replaced_name, there};
use super::side::Side;
use crate::domain::command::PullOptions;
use crate::domain::debate::Verb;
use crate::domain::transcript;
use crate::engine::ownership::Ownership;
use crate::engine::session::Sessions;
use crate::engine::session::start::Room;
use crate::engine::{LOCK_WAIT, Place, Session};
use crate::error::{Error, Result};
use crate::storage::issue_body::{self, PortableDebate, Relation};
use crate::storage::{Change, Loaded, StateFile};
use crate::system::forge::Issue;
use crate::text;

/// The result of a pull.
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

impl Issues<'_> {
    /// Takes the debate of an issue. All requests to the forge end after `timeout`.
    pub fn pull(
        &self,
        session: Option<&Session>,
        options: &PullOptions,
        timeout: Duration,
    ) -> Result<Pulled> {
        let store = Sessions::new(self.context).store_to_start_in(session);
        let issue =
            Issue::find(store.project().root(), &options.issue, &self.context.world.disk, timeout)?;
        let none = || {
            Error::nothing(
                format!("there is no debate in {issue}"),
                format!(
                    "`anvil publish --issue {}` puts the one of a project there",
                    issue.number()
                ),
            )
        };
        let theirs = there(&issue, &issue.body()?.text)??.ok_or_else(none)?;
        let name = issue.name();
        // Other people can write both texts, so they can be slow to read. They are compared before
        // the lock is taken, so no other process waits for that.
        let before = store.load();
        let here = Here {
            relation: readable(&before)
                .map(|ours| PortableDebate::of(ours.clone(), 0))
                .transpose()?
                .map(|ours| issue_body::relation(&ours, &theirs)),
            is_unfinished: readable(&before)
                .is_some_and(|ours| ours.debate.progress.status.is_unfinished()),
        };
        let kept = readable(&before).map(StateFile::render).transpose()?;
        let locked = store.lock(LOCK_WAIT)?;
        let old = locked.load();
        let ours = readable(&old);
        if ours != readable(&before) {
            return Err(Error::failed("the debate here has changed in this moment", "do it again"));
        }
        let seen = published(&name, &theirs);
        let decision = decide(here, options.merge, options.force);
        if let (Decision::Refuse(why), Some(ours)) = (decision, ours) {
            drop(locked);
            let revision = store.published(&ours.debate.id, &name).map_or(0, |seen| seen.revision);
            let sides = format!(
                "Here: {}. There: {}",
                Side::of(ours, &transcript::parse(&ours.body), revision).label(),
                Side::of(theirs.state(), &transcript::parse(&theirs.state().body), theirs.revision)
                    .label()
            );
            return Err(refused(why, ours, &issue, &sides));
        }
        if let (Decision::Nothing, Some(ours)) = (decision, ours) {
            let change = Change::Pull { detail: log_detail(&theirs, &issue) };
            locked.remember_published(&ours.debate, &seen, &change)?;
            drop(locked);
            let side = Side::of(ours, &transcript::parse(&ours.body), theirs.revision);
            return Ok(Pulled { issue: issue.to_string(), side, taken: None });
        }
        if let Some(ours) = ours {
            Ownership::new(self.context).check_may_change(
                Verb::Pull,
                &ours.debate,
                session,
                options.owner.take_over,
            )?;
        }
        let owner = ours.map(|ours| ours.debate.clone());
        let mut state = theirs.state().clone();
        let mut leaving = None;
        match (decision, ours) {
            // The pulled state is the next state of the same debate.
            (Decision::GoOn, Some(ours)) => {
                state.debate.options.output.clone_from(&ours.debate.options.output);
            }
            (_, Some(ours)) if ours.debate.id == state.debate.id => {
                let name = replaced_name(ours, &state.debate.id);
                self.keep_replaced(
                    &locked,
                    &name,
                    kept.as_deref().unwrap_or_default(),
                    Place::Here,
                )?;
                state.debate.options.output.clone_from(&ours.debate.options.output);
                state.debate.take_step_after(ours.debate.progress.step);
            }
            _ => {
                let room = Room {
                    verb: Verb::Pull,
                    asked: options.force,
                    take_over: options.owner.take_over,
                };
                leaving = Sessions::new(self.context).make_room(&locked, old, session, room)?;
            }
        }
        let change = Change::Pull { detail: log_detail(&theirs, &issue) };
        Sessions::new(self.context).commit_over(&locked, leaving, &state, &change)?;
        locked.remember_published(&state.debate, &seen, &change)?;
        drop(locked);
        if let Some(owner) = owner {
            self.context.forget_own(session, &owner);
        }
        // A debate that continues keeps its options.
        let taken = Taken {
            brings_options: decision != Decision::GoOn,
            unseen_characters: text::visible(&state.render()?).1,
            file: store.project().display(&store.project().state_file()),
        };
        let side = Side::of(&state, &transcript::parse(&state.body), theirs.revision);
        Ok(Pulled { issue: issue.to_string(), side, taken: Some(taken) })
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// The project already has all of it.
    Nothing,
    /// The debate in the issue continues the one of this project.
    GoOn,
    /// The debate comes into this project; the old one goes to the archive.
    Take,
    /// The pull would replace a debate without the user's consent.
    Refuse(Why),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Ahead,
    Diverged,
    Unrelated,
}

fn decide(here: Here, merge: bool, force: bool) -> Decision {
    let Some(relation) = here.relation else { return Decision::Take };
    match relation {
        Relation::Same => Decision::Nothing,
        Relation::Ahead if merge => Decision::Nothing,
        Relation::Unrelated if !here.is_unfinished => Decision::Take,
        Relation::Behind => Decision::GoOn,
        Relation::Ahead | Relation::Diverged | Relation::Unrelated if force => Decision::Take,
        Relation::Ahead => Decision::Refuse(Why::Ahead),
        Relation::Diverged => Decision::Refuse(Why::Diverged),
        Relation::Unrelated => Decision::Refuse(Why::Unrelated),
    }
}

fn refused(why: Why, ours: &StateFile, issue: &Issue<'_>, sides: &str) -> Error {
    let number = issue.number();
    match why {
        Why::Ahead => Error::failed(
            format!("{issue} has nothing that is not here. {sides}"),
            format!(
                "`anvil publish --issue {number}` publishes this one; --merge keeps it and takes that revision for seen; --force takes theirs and archives this one"
            ),
        ),
        Why::Diverged => Error::failed(
            format!("the debate here and the one in {issue} went different ways. {sides}"),
            "--force takes theirs and archives this one",
        ),
        Why::Unrelated => Error::failed(
            format!("another debate is unfinished here: {}", ours.debate.label()),
            "`anvil resume` goes on with it, `anvil cancel` archives it, --force archives it and pulls this one",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_here_ends_only_where_nothing_is_lost_or_a_person_says_so() {
        use Decision::{GoOn, Nothing, Refuse, Take};
        let all = [
            Relation::Same,
            Relation::Ahead,
            Relation::Behind,
            Relation::Diverged,
            Relation::Unrelated,
        ];
        for is_unfinished in [false, true] {
            for (merge, force) in [(false, false), (true, false), (false, true)] {
                let decide = |relation| decide(Here { relation, is_unfinished }, merge, force);
                assert_eq!(decide(None), Take);
                for relation in all {
                    let expected = match relation {
                        Relation::Same => Nothing,
                        Relation::Ahead if merge => Nothing,
                        Relation::Unrelated if !is_unfinished => Take,
                        Relation::Behind => GoOn,
                        _ if force => Take,
                        Relation::Ahead => Refuse(Why::Ahead),
                        Relation::Diverged => Refuse(Why::Diverged),
                        Relation::Unrelated => Refuse(Why::Unrelated),
                    };
                    assert_eq!(decide(Some(relation)), expected, "{relation:?} {merge} {force}");
                }
            }
        }
    }
}
