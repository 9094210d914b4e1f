//! The one path to a state that may change: lock, load, check the caller.

use std::time::Duration;

use super::owner::{check_may_change, take_from_owner};
use super::turn::check_still_owned;
use crate::reports::{self, Completed};
use crate::{Aside, Context, LOCK_WAIT, Note, Session, Stopped, no_debate};
use anvil_core::attempt::TurnLine;
use anvil_core::debate::{Debate, StopReason, UserAction};
use anvil_store::{AsideKind, Commit, Loaded, Repair, StateFile, Store, Transaction};
use anvil_text::error::{Error, Result};

/// The state of a debate under its lock. The holder may change it; a commit consumes the value, and
/// returns the one for the state that was written.
pub(crate) struct HeldDebate<'s> {
    pub context: &'s Context<'s>,
    pub transaction: Transaction<'s>,
    pub state: StateFile,
    /// How the state differs from the file.
    pub repair: Option<Repair>,
    /// No part of the debate could be read.
    pub is_lost: bool,
    /// The turn of a conversation that the next commit ends.
    pub turn: Option<TurnLine>,
    /// The verb takes the debate from a session that runs.
    is_taken: bool,
}

impl<'s> HeldDebate<'s> {
    fn new(context: &'s Context<'s>, transaction: Transaction<'s>, loaded: Loaded) -> Self {
        let Loaded { state, repair, is_lost, .. } = loaded;
        Self { context, transaction, state, repair, is_lost, turn: None, is_taken: false }
    }

    /// Writes the state, and then notes the turn that has ended.
    pub(crate) fn commit(self) -> Result<Self> {
        let (transaction, details) = self.transaction.commit(&self.state, Commit::Change)?;
        self.context.add_details(details);
        let written = Self { transaction, repair: None, ..self };
        Ok(written.note_turn())
    }

    /// Notes the turn that has ended, if it is not noted yet.
    pub(crate) fn note_turn(mut self) -> Self {
        if let Some(turn) = self.turn.take() {
            self.transaction.note_turn(&self.state.debate.id, turn);
        }
        self
    }

    /// Pauses the debate and writes it. Returns the debate.
    pub(crate) fn pause(mut self, why: impl Into<StopReason>) -> Result<Self> {
        self.state.debate.pause(why, self.context.world.now);
        self.commit()
    }

    /// Writes the reports of the debate that was just completed. Frees the lock first, so that
    /// other processes go on while a report is rendered.
    pub(crate) fn write_reports(self, completed: Box<Completed>) -> Box<Completed> {
        reports::write(self.context, self.transaction.release(), completed)
    }

    /// The debate, without its lock.
    pub(crate) fn into_debate(self) -> Debate {
        self.state.debate
    }

    /// True if the file was edited so that a reply to the state before does not fit it.
    pub(crate) fn is_edited(&self) -> bool {
        self.repair.as_ref().is_some_and(|repair| repair.moved || repair.asks_anew)
    }

    /// Assigns a debate that the verb takes from its owner to this session. Without one, as in a
    /// shell, the debate waits for the next session that resumes it.
    pub(crate) fn take_from_owner(&mut self, session: Option<&Session>) {
        if self.is_taken {
            let project = self.transaction.project();
            take_from_owner(self.context, &mut self.state.debate, session, project);
        }
    }

    /// Puts a reply aside that has no place in the transcript. `why`: the reason in the
    /// note; `None` adds no note, because the seat writes the reply again.
    pub(crate) fn put_aside(&mut self, text: &str, why: Option<Aside>) -> Result<()> {
        if !text.is_empty() {
            let id = &self.state.debate.id;
            let path = self.transaction.put_aside(id, AsideKind::Unplaced, text.as_bytes())?;
            if let Some(why) = why {
                let file = self.transaction.project().display(&path);
                self.context.add_note(Note::PutAside { why, file });
            }
        }
        Ok(())
    }

    /// Puts a reply without a good token aside.
    pub(crate) fn put_stray_aside(&mut self, text: &str) -> Result<()> {
        let id = &self.state.debate.id;
        let path = self.transaction.put_stray_aside(id, text.as_bytes())?;
        let file = self.transaction.project().display(&path);
        self.context.add_note(Note::PutAside { why: Aside::Stray, file });
        Ok(())
    }

    /// True if this reply is put aside, without a place in the transcript.
    pub(crate) fn is_aside(&self, text: &str) -> bool {
        let id = &self.state.debate.id;
        self.transaction.store().is_aside(id, AsideKind::Unplaced, text.as_bytes())
    }
}

/// Locks the debate for a verb of the user. `fits` refuses a state that does not fit the verb.
pub(crate) fn lock_for<'s, E: From<Error>>(
    context: &'s Context<'s>,
    store: &'s mut Store,
    action: UserAction,
    session: Option<&Session>,
    take_over: bool,
    fits: impl FnOnce(Loaded) -> Result<Loaded, E>,
) -> Result<HeldDebate<'s>, E> {
    if !store.has_file() {
        return Err(no_debate(store).into());
    }
    let (transaction, loaded) = store.lock(LOCK_WAIT)?.load();
    let loaded = fits(loaded?.ok_or_else(|| no_debate(transaction.store()))?)?;
    let is_taken = check_may_change(context, action, &loaded.state.debate, session, take_over)?;
    Ok(HeldDebate { is_taken, ..HeldDebate::new(context, transaction, loaded) })
}

/// Locks the debate in progress for the session that owns it.
pub(crate) fn lock_owned<'s>(
    context: &'s Context<'s>,
    store: &'s mut Store,
    session: &Session,
) -> Result<HeldDebate<'s>, Stopped> {
    let (transaction, loaded) = store.lock(LOCK_WAIT)?.load();
    let loaded = check_still_owned(loaded?, session)?;
    Ok(HeldDebate::new(context, transaction, loaded))
}

/// Locks the debate of any owner. `None`: no debate exists.
pub(crate) fn lock_any<'s>(
    context: &'s Context<'s>,
    store: &'s mut Store,
    wait: Duration,
) -> Result<Option<HeldDebate<'s>>> {
    let (transaction, loaded) = store.lock(wait)?.load();
    Ok(loaded?.map(|loaded| HeldDebate::new(context, transaction, loaded)))
}
