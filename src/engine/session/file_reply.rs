//! Saves a reply: what a turn's Stop does to the debate that runs in the turn.

use crate::domain::debate::{
    Continuation, DEFAULT_CAP, Debate, Slot, Status, Stop, continuation, stop_after,
};
use crate::domain::ledger::Ledger;
use crate::domain::reply::{Reply, TurnOutput};
use crate::domain::transcript::{self, Entries};
use crate::engine::filing::reading::read_for_phase;
use crate::engine::filing::reply::Filed;
use crate::engine::filing::steering::give_steering;
use crate::engine::filing::submitted::{
    complete, file_noted, is_for_an_earlier_phase, keep_aside, unfiled_name, why_at,
};
use crate::engine::ownership::locked::{Held, lock_own};
use crate::engine::ownership::turn::Turn;
use crate::engine::programs::Programs;
use crate::engine::reports::Reports;
use crate::engine::reports::completed::Completed;
use crate::engine::workers::Workers;
use crate::engine::{Aside, Context, LOCK_WAIT, Nothing, SAME_STOP, Session, Stopped};
use crate::error::Result;
use crate::seats::prompt::{self, Ask, Cue, Read, Why};
use crate::storage::{Change, Loaded, Locked, Repair, StateFile, Store};

/// The effect of a turn's end, for the conversation.
#[derive(Debug)]
pub enum TurnOutcome {
    /// An API error ended the turn. The debate stays at its place.
    ApiError(Debate),
    /// The reply is saved, and the next phase is requested.
    Advanced {
        /// The debate at its new place.
        debate: Debate,
        /// The text for Claude.
        cue: Cue,
    },
    /// The reply is saved. A worker writes the next one, and the turn ends.
    HandedOver {
        /// The worker's name.
        worker: String,
    },
    /// The reply can't be used, and the same phase is requested once more.
    AskedAgain(Cue),
    /// The debate paused, and the turn ends.
    Paused(Debate),
    /// A round is complete. The turn ends, and the user steers what comes next.
    Awaits {
        /// The debate at its new place.
        debate: Debate,
        /// The place of the last saved reply.
        filed: Slot,
        /// Every reply so far.
        transcript: Entries,
    },
    /// A boundary: the turn ends, and the debate can go on in a fresh conversation.
    Boundary {
        /// The debate at its new place.
        debate: Debate,
        /// The place of the last saved reply.
        filed: Slot,
        /// The round settled the argument, so the synthesis comes next, before the last round.
        is_settled: bool,
    },
    /// The phase had its last try. The turn ends.
    Failed(Debate),
    /// The synthesis is saved.
    Completed(Box<Completed>),
}

impl Turn<'_> {
    /// Saves the model's reply, moves the debate on and says what comes next.
    pub fn record(self, output: TurnOutput) -> Result<TurnOutcome, Stopped> {
        let Self { context, session, store, debate } = self;
        if is_of_another_turn(&debate, session) {
            return end_another_turn(context, &store, session);
        }
        let reply = match output {
            TurnOutput::Reply(reply) => reply,
            TurnOutput::ApiError => return Ok(TurnOutcome::ApiError(debate)),
            TurnOutput::AgentsRunning => return Err(Nothing::AgentsRunning.into()),
        };
        let Held { locked, state, repair, .. } = match lock_own(&store, session) {
            Ok(held) => held,
            Err(stopped) => {
                if matches!(stopped, Stopped::Nothing(_)) {
                    keep_aside_if_over(context, &store, session, reply)?;
                }
                return Err(stopped);
            }
        };
        let is_echo = || {
            let section = transcript::last_text(&state.body);
            let is_aside = |text: &str| {
                locked.find_in_archive(&unfiled_name(&state), text.as_bytes()).is_some()
            };
            let ordered = || reply.clone().in_order(|| section.clone()).whole().0;
            reply.is_echo_of(section.as_deref())
                || is_aside(&reply.whole().0)
                || (!reply.older.is_empty() && is_aside(&ordered()))
        };
        let comes_again = context.is_within(SAME_STOP, reply.asked_at) && is_echo();
        if comes_again || is_for_an_earlier_phase(&reply, &state, repair.as_ref()) {
            return Err(Nothing::Redelivered.into());
        }
        let reply = reply.in_order(|| transcript::last_text(&state.body));
        let answered = Answered { context, session, locked, reply };
        let outcome = answered.file_and_go_on(state, &repair.unwrap_or_default())?;
        drop(answered);
        Ok(match outcome {
            TurnOutcome::Completed(completed) => {
                TurnOutcome::Completed(Reports::new(context).with_reports(&store, completed))
            }
            other => other,
        })
    }
}

/// A reply of a conversation, under the lock of its debate.
struct Answered<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    locked: Locked<'a>,
    reply: Reply,
}

impl Answered<'_> {
    /// Saves the reply to the phase that waits, and requests the next one.
    fn file_and_go_on(&self, mut state: StateFile, repair: &Repair) -> Result<TurnOutcome> {
        let Self { context, session, locked, reply } = self;
        if repair.moved {
            // The file was edited while Claude wrote, and another phase waits now.
            let why = Some(Aside::OtherPhase);
            keep_aside(context, locked, &state, &reply.whole().0, why)?;
            state.debate.touch(context.world.now);
            let read = read_for_phase(&state);
            return self.ask_again(state, Why::Edited, Some(read));
        }
        match file_noted(context, locked, &mut state, reply) {
            Filed::Next { slot, words, is_settled, ledger, .. } => {
                let stop =
                    stop_after(slot, &state.debate).filter(|_| !state.debate.pause_requested());
                if let Some(stop) = stop {
                    return self.stop(state, stop, slot, words, is_settled);
                }
                let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&state)));
                let filed = Change::Advance { filed: slot, words };
                self.request_next(state, filed, ledger, repair.asks_anew)
            }
            Filed::Again(why, text) => {
                keep_aside(context, locked, &state, &text, None)?;
                let read = state.debate.ownership.must_read.then(|| read_for_phase(&state));
                self.ask_again(state, why, read)
            }
            Filed::Unreadable => {
                keep_aside(context, locked, &state, &reply.whole().0, None)?;
                let why = "Claude Code refused the Read of the debate's file, or it failed";
                context.pause(locked, &mut state, why)?;
                Ok(TurnOutcome::Paused(state.debate))
            }
            Filed::Synthesis(text, ledger) => {
                complete(context, locked, &state, &text, *ledger, session)
                    .map(TurnOutcome::Completed)
            }
            Filed::NoMore => {
                context.commit(locked, &state, &Change::Fail)?;
                Ok(TurnOutcome::Failed(state.debate))
            }
        }
    }

    /// Requests the next phase: of a worker that holds it, else of this conversation. Saves the
    /// replies first that workers have written ahead.
    fn request_next(
        &self,
        mut state: StateFile,
        mut change: Change,
        mut ledger: Box<Ledger>,
        asks_anew: bool,
    ) -> Result<TurnOutcome> {
        let Self { context, session, locked, .. } = self;
        let title = asks_anew.then(|| Read::Few(state.line_of_title()));
        let why = if asks_anew { Why::Edited } else { Why::Turn };
        let workers = Workers::new(context);
        if Workers::has_kept_reply(locked, &state) {
            context.commit(locked, &state, &change)?;
            if let Some(completed) = workers.file_kept_replies(locked, &mut state)? {
                return Ok(TurnOutcome::Completed(completed));
            }
            if !state.debate.is_active() {
                return Ok(TurnOutcome::Paused(state.debate));
            }
            (ledger, change) = (Box::new(ledger_of(&state)), Change::Turn);
        }
        if !state.debate.pause_requested()
            && let Some(worker) = workers.hand_over(locked, &mut state, session)?
        {
            context.commit(locked, &state, &change)?;
            let project = locked.project();
            Programs::new(context).follow_worker(session, project, &state.debate);
            return Ok(TurnOutcome::HandedOver { worker });
        }
        let cue = self.go_on(&mut state, why, title, &ledger);
        context.commit(locked, &state, &change)?;
        let debate = state.debate;
        Ok(match cue {
            Some(cue) => TurnOutcome::Advanced { debate, cue },
            None => TurnOutcome::Paused(debate),
        })
    }

    /// Requests the same phase once more.
    fn ask_again(&self, mut state: StateFile, why: Why, read: Option<Read>) -> Result<TurnOutcome> {
        let ledger = ledger_of(&state);
        let cue = self.go_on(&mut state, why, read, &ledger);
        self.context.commit(&self.locked, &state, &Change::Retry)?;
        Ok(cue.map_or_else(|| TurnOutcome::Paused(state.debate), TurnOutcome::AskedAgain))
    }

    /// Ends the turn between two phases. The reply is saved, and the outcome names what the user
    /// can do.
    fn stop(
        &self,
        mut state: StateFile,
        stop: Stop,
        filed: Slot,
        words: usize,
        is_settled: bool,
    ) -> Result<TurnOutcome> {
        state.debate.pause(why_at(stop), self.context.world.now);
        if stop == Stop::Steering {
            state.debate.await_direction();
        }
        self.context.commit(&self.locked, &state, &Change::Advance { filed, words })?;
        let StateFile { debate, body, .. } = state;
        Ok(match stop {
            Stop::Steering => {
                TurnOutcome::Awaits { debate, filed, transcript: transcript::parse(&body) }
            }
            Stop::Boundary => TurnOutcome::Boundary { debate, filed, is_settled },
        })
    }

    /// Counts one more continuation and composes its cue. `None`: the debate paused instead, and it
    /// has the reason.
    fn go_on(
        &self,
        state: &mut StateFile,
        why: Why,
        read: Option<Read>,
        ledger: &Ledger,
    ) -> Option<Cue> {
        let world = self.context.world;
        let cap = world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.progress.slot);
        let count = debate.ownership.continuations;
        let pause = match continuation(count, self.reply.used_tool, left, cap) {
            _ if debate.pause_requested() => "you typed a message".to_owned(),
            Continuation::GoOn { count, ask_for_tool } => {
                debate.count_continuations(count);
                // A Read that only resets the client's count is optional: without it the debate
                // pauses at the cap.
                debate.require_read(read.is_some_and(|read| read != Read::Nothing));
                let near_cap =
                    || ask_for_tool.then(|| Read::Few(state.line_of_round(1).unwrap_or(1)));
                let read = read.or_else(near_cap).unwrap_or(Read::Nothing);
                let steering = give_steering(state, world.now);
                let ask = Ask { why, read, steering: steering.as_deref(), ledger };
                let state_file = self.locked.project().state_file();
                return Some(prompt::cue(&state.debate, &state_file, &ask));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(pause, world.now);
        None
    }
}

/// Keeps the reply in the archive if an edit completed the debate while Claude wrote.
fn keep_aside_if_over(
    context: &Context<'_>,
    store: &Store,
    session: &Session,
    reply: Reply,
) -> Result<()> {
    let locked = store.lock(LOCK_WAIT)?;
    let Some(Loaded { state, repair: Some(_), .. }) = locked.load()? else { return Ok(()) };
    if state.debate.is_owned_by(&session.id) && state.debate.progress.status == Status::Completed {
        let reply = reply.in_order(|| transcript::last_text(&state.body)).whole().0;
        keep_aside(context, &locked, &state, &reply, Some(Aside::AfterTheEnd))?;
        context.commit(&locked, &state, &Change::Turn)?;
    }
    Ok(())
}

/// Pauses the debate after the end of a turn that is not its own. The client cut the debate's turn
/// off and ran a message that the user had queued. On 2.1.329, Esc and API errors end a turn
/// without a Stop. No text of the other turn belongs to the debate.
fn end_another_turn(
    context: &Context<'_>,
    store: &Store,
    session: &Session,
) -> Result<TurnOutcome, Stopped> {
    let Held { locked, mut state, .. } = lock_own(store, session)?;
    if !is_of_another_turn(&state.debate, session) {
        return Err(Nothing::Redelivered.into());
    }
    context.pause(&locked, &mut state, "you typed a message")?;
    Ok(TurnOutcome::Paused(state.debate))
}

fn ledger_of(state: &StateFile) -> Ledger {
    Ledger::of_entries(&transcript::parse(&state.body))
}

/// True if both turns have an id (2.1.200 and later) and the ids differ.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.ownership.prompt_id.is_some()
        && session.prompt_id.is_some()
        && debate.ownership.prompt_id != session.prompt_id
}
