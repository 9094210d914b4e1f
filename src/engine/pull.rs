//! Take the debate of an issue or pull request into this project. It is nobody's until the user resumes it, and what is here is never
//! lost: it goes on, or lies in the archive.

use std::time::Duration;

use super::publish::{log_detail, published, replaced_name, there};
use super::side::Side;
use super::start::Room;
use super::{Engine, LOCK_WAIT, Place, Session};
use crate::body::{self, PortableDebate, Relation};
use crate::command::PullOptions;
use crate::debate::Verb;
use crate::error::{Error, Result};
use crate::forge::Issue;
use crate::state::{Change, Loaded, StateFile};
use crate::text;
use crate::transcript;

/// A debate of an issue that is here.
#[derive(Debug)]
pub struct Pulled {
    /// The issue, as the user reads it.
    pub issue: String,
    /// What is here now.
    pub side: Side,
    /// What came with it. `None`: all of it was here already.
    pub taken: Option<Taken>,
}

/// What came with a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its options are new here too.
    pub brings_options: bool,
    /// Characters in it that nobody sees.
    pub unseen_characters: usize,
    /// Where it lies, as the user reads it.
    pub file: String,
}

impl Engine<'_> {
    /// Takes the debate of an issue; gives back what is here now. All that is asked of the forge ends after `timeout`.
    pub fn pull(&self, session: Option<&Session>, options: &PullOptions, timeout: Duration) -> Result<Pulled> {
        let store = self.store_to_start_in(session);
        let issue = Issue::find(store.project().root(), &options.issue, &self.world.disk, timeout)?;
        let none = || {
            Error::nothing(
                format!("there is no debate in {issue}"),
                format!("`anvil publish --issue {}` puts the one of a project there", issue.number()),
            )
        };
        let theirs = there(&issue, &issue.body()?.text)??.ok_or_else(none)?;
        let name = issue.name();
        // Both are somebody else's words: they are read and compared before anybody has to wait for the lock.
        let before = store.load();
        let here = Here {
            relation: readable(&before)
                .map(|ours| PortableDebate::of(ours.clone(), 0))
                .transpose()?
                .map(|ours| body::relation(&ours, &theirs)),
            is_unfinished: readable(&before).is_some_and(|ours| ours.debate.progress.status.is_unfinished()),
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
                Side::of(theirs.state(), &transcript::parse(&theirs.state().body), theirs.revision).label()
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
            self.check_may_change(Verb::Pull, &ours.debate, session, options.owner.take_over)?;
        }
        let owner = ours.map(|ours| ours.debate.clone());
        let mut state = theirs.state().clone();
        let mut leaving = None;
        match (decision, ours) {
            // It is the same debate, and this its next state.
            (Decision::GoOn, Some(ours)) => state.debate.options.output.clone_from(&ours.debate.options.output),
            (_, Some(ours)) if ours.debate.id == state.debate.id => {
                let name = replaced_name(ours, &state.debate.id);
                self.keep_replaced(&locked, &name, kept.as_deref().unwrap_or_default(), Place::Here)?;
                state.debate.options.output.clone_from(&ours.debate.options.output);
                state.debate.take_step_after(ours.debate.progress.step);
            }
            _ => {
                let room = Room { verb: Verb::Pull, asked: options.force, take_over: options.owner.take_over };
                leaving = self.make_room(&locked, old, session, room)?;
            }
        }
        let change = Change::Pull { detail: log_detail(&theirs, &issue) };
        self.commit_over(&locked, leaving, &state, &change)?;
        locked.remember_published(&state.debate, &seen, &change)?;
        drop(locked);
        if let Some(owner) = owner {
            self.forget_own(session, &owner);
        }
        // What goes on here has the options that it had.
        let taken = Taken {
            brings_options: decision != Decision::GoOn,
            unseen_characters: text::visible(&state.render()?).1,
            file: store.project().display(&store.project().state_file()),
        };
        let side = Side::of(&state, &transcript::parse(&state.body), theirs.revision);
        Ok(Pulled { issue: issue.to_string(), side, taken: Some(taken) })
    }
}

/// The debate here, where there is one that can be read.
fn readable(loaded: &Result<Option<Loaded>>) -> Option<&StateFile> {
    match loaded {
        Ok(Some(Loaded { state, is_lost: false, .. })) => Some(state),
        Ok(_) | Err(_) => None,
    }
}

/// What is here.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// What it is to what is there. `None`: there is nothing here, or nothing that can be read.
    relation: Option<Relation>,
    is_unfinished: bool,
}

/// What a pull does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// All of it is here.
    Nothing,
    /// What is here is the beginning of what is there.
    GoOn,
    /// It comes here; what was here goes to the archive.
    Take,
    /// It would end something unasked.
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
            "/anvil:resume goes on with it, /anvil:cancel archives it, --force archives it and pulls this one",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_here_ends_only_where_nothing_is_lost_or_a_person_says_so() {
        use Decision::{GoOn, Nothing, Refuse, Take};
        let all = [Relation::Same, Relation::Ahead, Relation::Behind, Relation::Diverged, Relation::Unrelated];
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
