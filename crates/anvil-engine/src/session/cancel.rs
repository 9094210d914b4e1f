//! Cancels a debate. One that was finished before is finished again, without the cycle; any other
//! one stays in its file, as cancelled, until another debate takes the place.

use std::path::PathBuf;

use super::error::SessionError;
use crate::history::cut;
use crate::ownership::lock_for;
use crate::tasks::end_claims;
use crate::{Context, Session, reports};
use anvil_core::debate::{StopReason, UserAction};
use anvil_core::place::Seat;
use anvil_core::transcript;
use anvil_store::{AsideKind, Commit, Loaded, Locked, StateFile};
use anvil_text::error::Result;

/// The end of a debate that was cancelled.
#[derive(Debug)]
pub enum Cancelled {
    /// It was never finished.
    Debate {
        id: String,
        /// Its file, as the user reads it.
        file: String,
    },
    /// The debate is finished, as it was before.
    Cycle {
        /// The file with the words since, as the user reads it.
        aside: String,
        /// The snapshot that has them too, if it is kept.
        snapshot: Option<u32>,
    },
}

/// Cancels the unfinished debate of this project.
pub fn cancel(
    context: &Context<'_>,
    session: Option<&Session>,
    take_over: bool,
) -> Result<Cancelled> {
    let mut store = context.selected_store(session);
    let held =
        lock_for(context, &mut store, UserAction::Cancel, session, take_over, check_unfinished)?;
    let (mut transaction, unfinished) = (held.transaction, held.state);
    let owned = unfinished.debate.clone();
    let id = owned.id.clone();
    let project = transaction.project().clone();
    let (mut state, aside) = match end(context, &mut transaction, unfinished, None)? {
        Ended::Cancelled(mut state) => {
            state.debate.assign_to(None);
            let (transaction, details) = transaction.commit(&state, Commit::Change)?;
            context.add_details(details);
            let _ = end_claims(&transaction, &id, context.world.now, "its debate was cancelled");
            context.forget_owned(session, &owned);
            return Ok(Cancelled::Debate { id, file: project.display(&project.state_file()) });
        }
        Ended::Finished { state, aside } => (state, aside),
    };
    let highest = transaction.store().snapshots(&id).last().map_or(0, |newest| newest.step);
    state.debate.take_step_after(highest.max(owned.step()));
    // If this process dies before they are written, they are due.
    transaction.note_reports_due(&id);
    let (transaction, details) = transaction.commit(&state, Commit::Undoable)?;
    context.add_details(details);
    // A claim that stays open is over when the next cycle begins.
    let _ = end_claims(&transaction, &id, context.world.now, "its cycle was cancelled");
    let aside = project.display(&aside);
    let mut kept = transaction.store().snapshots(&id).into_iter().map(|kept| kept.step);
    let snapshot = kept.find(|step| *step == owned.step());
    let store = transaction.release();
    // The end is no news.
    context.machine.note_shown(&id, state.debate.step() + 1);
    context.forget_owned(session, &owned);
    reports::write_again(context, store, &state);
    Ok(Cancelled::Cycle { aside, snapshot })
}

/// How an unfinished debate ends before a synthesis. Nothing of its file has changed yet.
pub(crate) enum Ended {
    /// It was never finished.
    Cancelled(StateFile),
    /// It was finished before, and is again.
    Finished {
        state: StateFile,
        /// The file with the words since.
        aside: PathBuf,
    },
}

/// Ends an unfinished debate. The words since it was last finished are put aside.
pub(crate) fn end(
    context: &Context<'_>,
    locked: &mut Locked<'_>,
    mut state: StateFile,
    why: Option<StopReason>,
) -> Result<Ended> {
    let finished = locked.finished_before(&state)?.or_else(|| without_cycle(&state));
    let Some(mut finished) = finished else {
        state.debate.cancel(why, context.world.now);
        return Ok(Ended::Cancelled(state));
    };
    let id = &state.debate.id;
    let aside = locked.put_aside(id, AsideKind::Cancelled, state.render()?.as_bytes())?;
    finished.debate.assign_to(state.debate.session_id().map(str::to_owned));
    Ok(Ended::Finished { state: finished, aside })
}

/// The debate before its last cycle, as its transcript shows it: another machine has finished it.
fn without_cycle(state: &StateFile) -> Option<StateFile> {
    let cycle = state.debate.cycle();
    let begins = transcript::begins_cycle(&state.body, cycle).filter(|_| cycle > 1)?;
    let mut state = state.clone();
    cut(&mut state.body, begins);
    let entries = transcript::parse(&state.body);
    let (place, last) = entries.replies().last().map(|(place, entry)| (place, entry.cycle))?;
    if place.seat != Seat::Synthesizer {
        return None;
    }
    let (step, updated_at) = (state.debate.step(), state.debate.updated_at());
    state.debate.go_back(place, last, step);
    state.debate.take_steering();
    state.debate.complete(updated_at);
    Some(state)
}

fn check_unfinished(loaded: Loaded) -> Result<Loaded> {
    match loaded.state.debate.status() {
        status if status.is_unfinished() => Ok(loaded),
        status => Err(SessionError::OverAlready(status).into()),
    }
}
