//! Puts a debate that is not in its place there again: from its newest snapshot if its file is
//! missing, or back from its records.

use super::error::SessionError;
use crate::lookup::{check_not_elsewhere, find_for_here};
use crate::session::start::{Replacement, make_room};
use crate::{Context, LOCK_WAIT, Note, Session};
use anvil_core::debate::{PlainReason, Status, UserAction};
use anvil_store::{Commit, StateFile, Store};
use anvil_text::error::Result;

/// Restores the unfinished debate of this folder that has lost its file.
pub fn restore_missing(context: &Context<'_>, session: Option<&Session>) -> Result<()> {
    let mut store = context.selected_store(session);
    let Some(state) = store.missing() else { return Ok(()) };
    let snapshot = state.debate.step();
    // The list of earlier debates shows it as paused.
    let newest = store.snapshots(&state.debate.id).pop().and_then(|newest| newest.read());
    let is_reply_lost = newest.is_some_and(|newest| newest.debate.is_active());
    put_back(context, &mut store, state, PlainReason::FileMissing)?;
    context.add_note(Note::Restored { snapshot, is_reply_lost });
    Ok(())
}

/// Puts an earlier, unfinished or cancelled debate at its place. Refused while another
/// unfinished debate is there. Returns its id. `selector`: as `anvil history` names it.
pub fn take_back(
    context: &Context<'_>,
    session: Option<&Session>,
    selector: &str,
) -> Result<String> {
    let mut store = context.selected_store(session);
    let state = find_for_here(&store, selector)?;
    let id = state.debate.id.clone();
    let here = store.read_head()?;
    if here.as_ref().is_some_and(|here| here.id == id && here.status() != Status::Cancelled) {
        return Ok(id);
    }
    if let Some(here) = here.filter(|here| here.status().is_unfinished()) {
        return Err(SessionError::NotHere { here: here.id, id }.into());
    }
    check_not_elsewhere(&store, &id)?;
    if state.debate.status() == Status::Completed {
        return Err(SessionError::Complete(id).into());
    }
    put_back(context, &mut store, state, PlainReason::Restored)?;
    Ok(id)
}

fn put_back(
    context: &Context<'_>,
    store: &mut Store,
    state: StateFile,
    why: PlainReason,
) -> Result<()> {
    let (transaction, old) = store.lock(LOCK_WAIT)?.load();
    let here = old.as_ref().ok().and_then(Option::as_ref).map(|loaded| &loaded.state);
    let here = here.filter(|here| here.debate.id == state.debate.id).cloned();
    if here.as_ref().is_some_and(|here| here.debate.status() != Status::Cancelled) {
        // Somebody has put it back meanwhile.
        return Ok(());
    }
    let is_here = here.is_some();
    let mut state = here.unwrap_or(state);
    let newest = transaction.store().snapshots(&state.debate.id).last().map(|newest| newest.step);
    state.debate.take_step_after(newest.unwrap_or(0));
    state.debate.pause(why, context.world.now);
    let transaction = if is_here {
        transaction
    } else {
        let action = UserAction::Replace;
        let replacement = Replacement { action, may_end_unfinished: false, take_over: false };
        make_room(context, transaction, old, &state.debate.id, None, replacement)?
    };
    let (_, details) = transaction.commit(&state, Commit::Change)?;
    context.add_details(details);
    Ok(())
}
