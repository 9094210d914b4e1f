//! Cancels a debate and removes its file.

use std::path::PathBuf;

use super::Sessions;
use crate::domain::debate::Verb;
use crate::engine::Session;
use crate::engine::ownership::lock_for;
use crate::error::{Error, Result};
use crate::storage::Loaded;

impl Sessions<'_> {
    /// Cancels the unfinished debate of this project. Gives back its id and the path of its last
    /// snapshot.
    pub fn cancel(&self, session: Option<&Session>, take_over: bool) -> Result<(String, PathBuf)> {
        let mut store = self.context.store_meant(session);
        let fits = |loaded: Loaded| match loaded.state.debate.progress.status {
            status if status.is_unfinished() => Ok(loaded),
            status => Err(Error::nothing(
                format!("the debate here is {} already", status.label()),
                "the next debate takes its place",
            )),
        };
        let mut held = lock_for(self.context, &mut store, Verb::Cancel, session, take_over, fits)?;
        held.state.debate.cancel("", self.context.world.now);
        let (snapshot, details) = held.locked.close(held.state.clone())?;
        self.context.add_details(details);
        self.context.forget_own(session, &held.state.debate);
        Ok((held.state.debate.id, store.project().display(&snapshot).into()))
    }
}
