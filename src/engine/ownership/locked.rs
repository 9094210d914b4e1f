//! The one path to a state that may change: lock, load, check the caller.

use super::owner::check_may_change;
use super::turn::load_own_active;
use crate::domain::debate::Verb;
use crate::engine::{Context, LOCK_WAIT, Session, Stopped, no_debate};
use crate::error::{Error, Result};
use crate::storage::{Loaded, Locked, Repair, StateFile, Store};

/// The state of a debate under its lock. The holder may change it.
pub(crate) struct Held<'s> {
    pub(crate) locked: Locked<'s>,
    pub(crate) state: StateFile,
    pub(crate) repair: Option<Repair>,
    /// The verb takes the debate from a session that runs.
    pub(crate) is_taken: bool,
}

/// Locks the debate for a verb of the user's. `fits` refuses a state that does not fit the
/// verb.
pub(crate) fn lock_for<'s, E: From<Error>>(
    context: &Context<'_>,
    store: &'s Store,
    verb: Verb,
    session: Option<&Session>,
    take_over: bool,
    fits: impl FnOnce(Loaded) -> Result<Loaded, E>,
) -> Result<Held<'s>, E> {
    if !store.has_file() {
        return Err(no_debate(store).into());
    }
    let locked = store.lock(LOCK_WAIT)?;
    let loaded = fits(locked.load()?.ok_or_else(|| no_debate(store))?)?;
    let is_taken = check_may_change(context, verb, &loaded.state.debate, session, take_over)?;
    let Loaded { state, repair, .. } = loaded;
    Ok(Held { locked, state, repair, is_taken })
}

/// Locks the debate in progress for the session that owns it.
pub(crate) fn lock_own<'s>(store: &'s Store, session: &Session) -> Result<Held<'s>, Stopped> {
    let locked = store.lock(LOCK_WAIT)?;
    let Loaded { state, repair, .. } = load_own_active(&locked, session)?;
    Ok(Held { locked, state, repair, is_taken: false })
}
