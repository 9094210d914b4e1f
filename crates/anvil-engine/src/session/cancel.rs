//! Cancels a debate and removes its file.

use std::path::PathBuf;

use crate::ownership::lock_for;
use crate::{Context, Session};
use anvil_core::debate::UserAction;
use anvil_store::Loaded;
use anvil_text::error::{Error, Result};

/// Cancels the unfinished debate of this project. Returns its id and the path of its last
/// snapshot.
pub fn cancel(
    context: &Context<'_>,
    session: Option<&Session>,
    take_over: bool,
) -> Result<(String, PathBuf)> {
    let mut store = context.selected_store(session);
    let mut held =
        lock_for(context, &mut store, UserAction::Cancel, session, take_over, check_unfinished)?;
    held.state.debate.cancel("", context.world.now);
    let (snapshot, details) = held.locked.close(held.state.clone())?;
    context.add_details(details);
    context.forget_owned(session, &held.state.debate);
    Ok((held.state.debate.id, store.project().display(&snapshot).into()))
}

fn check_unfinished(loaded: Loaded) -> Result<Loaded> {
    match loaded.state.debate.progress.status {
        status if status.is_unfinished() => Ok(loaded),
        status => Err(Error::nothing(
            format!("the debate here is {} already", status.label()),
            "the next debate takes its place",
        )),
    }
}
