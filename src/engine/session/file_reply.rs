//! Saves a reply: what a turn's Stop does to the debate that runs in the turn.

use super::Sessions;
use crate::domain::debate::{
    Continuation, DEFAULT_CAP, Debate, Slot, Status, Stop, continuation, stop_after,
};
use crate::domain::ledger::Ledger;
use crate::domain::reply::{Reply, TurnOutput};
use crate::domain::transcript::{self, Entries};
use crate::engine::filing::Filing;
use crate::engine::filing::reading::{read_for_phase, reading};
use crate::engine::filing::reply::{Filed, file, is_for_an_earlier_phase, unfiled_name};
use crate::engine::filing::steering::give_steering;
use crate::engine::filing::submitted::why_at;
use crate::engine::ownership::locked::{Held, lock_own};
use crate::engine::ownership::turn::{Turn, load_own_active};
use crate::engine::programs::Programs;
use crate::engine::reports::Reports;
use crate::engine::reports::completed::Completed;
use crate::engine::workers::Workers;
use crate::engine::{Aside, LOCK_WAIT, Nothing, SAME_STOP, Session, Stopped};
use crate::error::Result;
use crate::seats::prompt::{self, Ask, Cue, Read, Why};
use crate::storage::{Change, Loaded, Locked, Project, Repair, StateFile, Store};

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
            return Sessions::new(context).end_another_turn(&store, session);
        }
        let reply = match output {
            TurnOutput::Reply(reply) => reply,
            TurnOutput::ApiError => return Ok(TurnOutcome::ApiError(debate)),
            TurnOutput::AgentsRunning => return Err(Nothing::AgentsRunning.into()),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let (state, repair) = match load_own_active(&locked, session) {
            Ok(loaded) => (loaded.state, loaded.repair),
            Err(stopped @ Stopped::Nothing(_)) => {
                Sessions::new(context).keep_aside_if_over(&locked, session, reply)?;
                return Err(stopped);
            }
            Err(failed) => return Err(failed),
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
        let mut outcome = Sessions::new(context).file_and_go_on(
            &locked,
            state,
            &repair.unwrap_or_default(),
            &reply,
            session,
        )?;
        drop(locked);
        if let TurnOutcome::Completed(completed) = &mut outcome {
            Reports::new(context).report_on(&store, completed);
        }
        Ok(outcome)
    }
}

impl Sessions<'_> {
    /// Saves a reply to the phase that waits, and requests the next one.
    fn file_and_go_on(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        repair: &Repair,
        reply: &Reply,
        session: &Session,
    ) -> Result<TurnOutcome> {
        if repair.moved {
            // The file was edited while Claude wrote, and another phase waits now.
            Filing::new(self.context).keep_aside(
                locked,
                &state,
                &reply.whole().0,
                Some(Aside::OtherPhase),
            )?;
            state.debate.touch(self.context.world.now);
            let read = read_for_phase(&state);
            return self.ask_again(locked, state, reply.used_tool, Why::Edited, Some(read));
        }
        let filed =
            file(&mut state, reply, reading(reply, locked.project()), self.context.world.now);
        Filing::new(self.context).note_beginning(reply, &filed);
        match filed {
            Filed::Next { slot, words, is_settled, ledger, .. } => {
                let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&state)));
                let title = repair.asks_anew.then(|| Read::Few(state.line_of_title()));
                let why = if repair.asks_anew { Why::Edited } else { Why::Turn };
                if let Some(stop) =
                    stop_after(slot, &state.debate).filter(|_| !state.debate.pause_requested())
                {
                    return self.stop(locked, state, stop, (slot, words, is_settled));
                }
                let mut ledger = ledger;
                let mut change = Change::Advance { filed: slot, words };
                if Workers::has_kept_reply(locked, &state) {
                    self.context.commit(locked, &state, &change)?;
                    if let Some(completed) =
                        Workers::new(self.context).file_kept_replies(locked, &mut state)?
                    {
                        return Ok(TurnOutcome::Completed(completed));
                    }
                    if !state.debate.is_active() {
                        return Ok(TurnOutcome::Paused(state.debate));
                    }
                    (ledger, change) = (Box::new(ledger_of(&state)), Change::Turn);
                }
                if !state.debate.pause_requested()
                    && let Some(worker) =
                        Workers::new(self.context).hand_over(locked, &mut state, session)?
                {
                    self.context.commit(locked, &state, &change)?;
                    Programs::new(self.context).follow_worker(
                        session,
                        locked.project(),
                        &state.debate,
                    );
                    return Ok(TurnOutcome::HandedOver { worker });
                }
                let cue =
                    self.go_on(&mut state, locked.project(), reply.used_tool, why, title, &ledger);
                self.context.commit(locked, &state, &change)?;
                let debate = state.debate;
                Ok(match cue {
                    Some(cue) => TurnOutcome::Advanced { debate, cue },
                    None => TurnOutcome::Paused(debate),
                })
            }
            Filed::OutOfForm(why, text) => {
                Filing::new(self.context).keep_aside(locked, &state, &text, None)?;
                self.ask_again(locked, state, reply.used_tool, why, None)
            }
            Filed::Again(why) => {
                if why == Why::Unread {
                    Filing::new(self.context).keep_aside(locked, &state, &reply.whole().0, None)?;
                }
                let read = state.debate.ownership.must_read.then(|| read_for_phase(&state));
                self.ask_again(locked, state, reply.used_tool, why, read)
            }
            Filed::Unreadable => {
                Filing::new(self.context).keep_aside(locked, &state, &reply.whole().0, None)?;
                let why = "Claude Code refused the Read of the debate's file, or it failed";
                state.debate.pause(why.to_owned(), self.context.world.now);
                self.context.commit(locked, &state, &Change::Pause)?;
                Ok(TurnOutcome::Paused(state.debate))
            }
            Filed::Synthesis(text, ledger) => Filing::new(self.context)
                .complete(locked, &state, &text, &ledger, session)
                .map(|completed| TurnOutcome::Completed(Box::new(completed))),
            Filed::NoMore(_) => {
                self.context.commit(locked, &state, &Change::Fail)?;
                Ok(TurnOutcome::Failed(state.debate))
            }
        }
    }

    /// Keeps the reply in the archive if an edit completed the debate while Claude wrote.
    fn keep_aside_if_over(
        &self,
        locked: &Locked<'_>,
        session: &Session,
        reply: Reply,
    ) -> Result<()> {
        let Some(Loaded { state, repair: Some(_), .. }) = locked.load()? else { return Ok(()) };
        if state.debate.is_owned_by(&session.id)
            && state.debate.progress.status == Status::Completed
        {
            let reply = reply.in_order(|| transcript::last_text(&state.body)).whole().0;
            Filing::new(self.context).keep_aside(
                locked,
                &state,
                &reply,
                Some(Aside::AfterTheEnd),
            )?;
            self.context.commit(locked, &state, &Change::Turn)?;
        }
        Ok(())
    }

    /// Requests the same phase once more.
    fn ask_again(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        used_tool: bool,
        why: Why,
        read: Option<Read>,
    ) -> Result<TurnOutcome> {
        let ledger = ledger_of(&state);
        let cue = self.go_on(&mut state, locked.project(), used_tool, why, read, &ledger);
        self.context.commit(locked, &state, &Change::Retry)?;
        Ok(cue.map_or_else(|| TurnOutcome::Paused(state.debate), TurnOutcome::AskedAgain))
    }

    /// Pauses the debate after the end of a turn that is not its own. The client cut the debate's
    /// turn off and ran a message that the user had queued. On 2.1.329, Esc and API errors end a
    /// turn without a Stop. No text of the other turn belongs to the debate.
    fn end_another_turn(&self, store: &Store, session: &Session) -> Result<TurnOutcome, Stopped> {
        let Held { locked, mut state, .. } = lock_own(store, session)?;
        if !is_of_another_turn(&state.debate, session) {
            return Err(Nothing::Redelivered.into());
        }
        state.debate.pause("you typed a message".to_owned(), self.context.world.now);
        self.context.commit(&locked, &state, &Change::Pause)?;
        Ok(TurnOutcome::Paused(state.debate))
    }

    /// Ends the turn between two phases. The reply is saved, and the outcome names what the user
    /// can do.
    fn stop(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        stop: Stop,
        (filed, words, is_settled): (Slot, usize, bool),
    ) -> Result<TurnOutcome> {
        state.debate.pause(why_at(stop), self.context.world.now);
        if stop == Stop::Steering {
            state.debate.await_direction();
        }
        self.context.commit(locked, &state, &Change::Advance { filed, words })?;
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
        project: &Project,
        used_tool: bool,
        why: Why,
        read: Option<Read>,
        ledger: &Ledger,
    ) -> Option<Cue> {
        let cap = self.context.world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.progress.slot);
        let pause = match continuation(debate.ownership.continuations, used_tool, left, cap) {
            _ if debate.pause_requested() => "you typed a message".to_owned(),
            Continuation::GoOn { count, ask_for_tool } => {
                debate.count_continuations(count);
                // A Read that only resets the client's count is optional: without it the debate
                // pauses at the cap.
                debate.require_read(read.is_some_and(|read| read != Read::Nothing));
                let near_cap =
                    || ask_for_tool.then(|| Read::Few(state.line_of_round(1).unwrap_or(1)));
                let read = read.or_else(near_cap).unwrap_or(Read::Nothing);
                let steering = give_steering(state, self.context.world.now);
                let ask = Ask { why, read, steering: steering.as_deref(), ledger };
                return Some(prompt::cue(&state.debate, &project.state_file(), &ask));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(pause, self.context.world.now);
        None
    }
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
