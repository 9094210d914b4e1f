//! Cancel a debate: it is marked and moved to the archive.

use std::path::PathBuf;

use super::{Engine, LOCK_WAIT, Session, no_debate};
use crate::debate::Verb;
use crate::error::{Error, Result};
use crate::state::Change;

impl Engine<'_> {
    /// Ends the unfinished debate of this project; gives back where it lies in the archive.
    pub fn cancel(&self, session: Option<&Session>, take_over: bool) -> Result<PathBuf> {
        let store = self.store_meant(session);
        let none = || no_debate(&store);
        if !store.has_file() {
            return Err(none());
        }
        let locked = store.lock(LOCK_WAIT)?;
        let mut state = locked.load()?.ok_or_else(none)?.state;
        if !state.debate.progress.status.is_unfinished() {
            return Err(Error::nothing(
                format!("the debate here is {} already", state.debate.progress.status.label()),
                "the next /anvil:debate moves it to the archive",
            ));
        }
        self.check_may_change(Verb::Cancel, &state.debate, session, take_over)?;
        state.debate.cancel("", self.world.now);
        let (archived, said) = locked.close(&state, &Change::Cancel)?;
        self.add_details(said);
        self.forget_own(session, &state.debate);
        Ok(store.project().display(&archived).into())
    }
}
