//! File a reply: what the Stop of a turn does to the debate that runs in it.

use super::filing::{Completed, Filed, file, is_for_an_earlier_phase, reason, unfiled_name};
use super::reading::{read_for_phase, reading};
use super::turn::{Turn, load_own_active};
use super::{Aside, Engine, LOCK_WAIT, Nothing, SAME_STOP, Session, Stopped};
use crate::debate::{Continuation, DEFAULT_CAP, Debate, Slot, Status, Stop, continuation, stop_after};
use crate::error::Result;
use crate::ledger::Ledger;
use crate::prompt::{self, Ask, Cue, Read, Why};
use crate::reply::{Reply, TurnOutput};
use crate::state::{Change, Loaded, Locked, Project, Repair, StateFile, Store};
use crate::transcript::{self, Entries};

/// What became of a reply.
#[derive(Debug)]
pub enum Outcome {
    /// An API error ended the turn; the debate waits where it was.
    ApiError(Debate),
    /// Filed; the next phase is asked for.
    Advanced {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed.
        filed: Slot,
        /// Its words.
        words: usize,
        /// Its round has settled the argument: the synthesis is next, before the last round.
        is_settled: bool,
        /// What Claude gets.
        cue: Cue,
    },
    /// Filed; a worker writes what is next, and the turn ends.
    HandedOver {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed.
        filed: Slot,
        /// Its words.
        words: usize,
        /// Its round has settled the argument: the synthesis is next, before the last round.
        is_settled: bool,
        /// Who writes.
        worker: String,
    },
    /// Not usable; the same phase is asked for once more.
    AskedAgain {
        /// The debate.
        debate: Debate,
        /// What was wrong with the reply.
        why: String,
        /// What Claude gets.
        cue: Cue,
    },
    /// The debate paused; the turn ends.
    Paused(Debate),
    /// A round is argued; the turn ends, and the user steers what comes next.
    Awaits {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed last.
        filed: Slot,
        /// Everything that was argued so far.
        transcript: Entries,
    },
    /// A boundary; the turn ends, and the debate can go on in a fresh conversation.
    Boundary {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed last.
        filed: Slot,
        /// Its round has settled the argument: the synthesis is next, before the last round.
        is_settled: bool,
    },
    /// The phase has had its chances; the turn ends.
    Failed(Debate),
    /// The synthesis is filed.
    Completed(Completed),
}

impl Turn<'_> {
    /// Files what the model wrote, moves the debate on and says what comes next.
    pub fn record(self, output: TurnOutput) -> Result<Outcome, Stopped> {
        let Self { engine, session, store, debate } = self;
        if is_of_another_turn(&debate, session) {
            return engine.end_another_turn(&store, session);
        }
        let reply = match output {
            TurnOutput::Reply(reply) => reply,
            TurnOutput::ApiError => return Ok(Outcome::ApiError(debate)),
            TurnOutput::AgentsRunning => return Err(Nothing::AgentsRunning.into()),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let (state, repair) = match load_own_active(&locked, session) {
            Ok(loaded) => (loaded.state, loaded.repair),
            Err(stopped @ Stopped::Nothing(_)) => {
                engine.keep_aside_if_over(&locked, session, reply)?;
                return Err(stopped);
            }
            Err(failed) => return Err(failed),
        };
        let is_echo = || {
            let section = transcript::last_text(&state.body);
            let is_aside = |text: &str| locked.find_in_archive(&unfiled_name(&state), text.as_bytes()).is_some();
            let ordered = || reply.clone().in_order(|| section.clone()).whole().0;
            reply.is_echo_of(section.as_deref())
                || is_aside(&reply.whole().0)
                || (!reply.older.is_empty() && is_aside(&ordered()))
        };
        let comes_again = engine.is_within(SAME_STOP, reply.asked_at) && is_echo();
        if comes_again || is_for_an_earlier_phase(&reply, &state, repair.as_ref()) {
            return Err(Nothing::Redelivered.into());
        }
        let reply = reply.in_order(|| transcript::last_text(&state.body));
        let mut outcome = engine.file_and_go_on(&locked, state, &repair.unwrap_or_default(), &reply, session)?;
        drop(locked);
        if let Outcome::Completed(completed) = &mut outcome {
            engine.report_on(&store, completed);
        }
        Ok(outcome)
    }
}

impl Engine<'_> {
    /// Files a reply to the phase that waits, and asks for the next one.
    fn file_and_go_on(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        repair: &Repair,
        reply: &Reply,
        session: &Session,
    ) -> Result<Outcome> {
        if repair.moved {
            // The file was edited while Claude wrote, and another phase waits now.
            self.keep_aside(locked, &state, &reply.whole().0, Aside::OtherPhase)?;
            state.debate.touch(self.world.now);
            let read = read_for_phase(&state);
            return self.ask_again(locked, state, reply.used_tool, Why::Edited, Some(read));
        }
        let filed = file(&mut state, reply, reading(reply, locked.project()), self.world.now);
        self.note_beginning(reply, &filed);
        match filed {
            Filed::Next { slot, words, is_settled, ledger } => {
                let ledger = ledger.unwrap_or_else(|| Box::new(ledger_of(&state)));
                let title = repair.asks_anew.then(|| Read::Few(state.line_of_title()));
                let why = if repair.asks_anew { Why::Edited } else { Why::Turn };
                if let Some(stop) = stop_after(slot, &state.debate).filter(|_| !state.debate.pause_requested()) {
                    return self.stop(locked, state, stop, (slot, words, is_settled));
                }
                let mut ledger = ledger;
                let mut change = Change::Advance { filed: slot, words };
                if Self::has_kept_reply(locked, &state) {
                    self.commit(locked, &state, &change)?;
                    if let Some(completed) = self.file_kept_replies(locked, &mut state)? {
                        return Ok(Outcome::Completed(*completed));
                    }
                    if !state.debate.is_active() {
                        return Ok(Outcome::Paused(state.debate));
                    }
                    (ledger, change) = (Box::new(ledger_of(&state)), Change::Turn);
                }
                if !state.debate.pause_requested()
                    && let Some(worker) = self.hand_over(locked, &mut state, session)?
                {
                    self.commit(locked, &state, &change)?;
                    self.follow_worker(session, locked.project(), &state.debate);
                    return Ok(Outcome::HandedOver { debate: state.debate, filed: slot, words, is_settled, worker });
                }
                let cue = self.go_on(&mut state, locked.project(), reply.used_tool, why, title, &ledger);
                self.commit(locked, &state, &change)?;
                let debate = state.debate;
                Ok(match cue {
                    Some(cue) => Outcome::Advanced { debate, filed: slot, words, is_settled, cue },
                    None => Outcome::Paused(debate),
                })
            }
            Filed::OutOfForm(why, text) => {
                self.keep_aside(locked, &state, &text, Aside::AskedAgain)?;
                self.ask_again(locked, state, reply.used_tool, why, None)
            }
            Filed::Again(why) => {
                if why == Why::Unread {
                    self.keep_aside(locked, &state, &reply.whole().0, Aside::Unread)?;
                }
                let read = state.debate.ownership.must_read.then(|| read_for_phase(&state));
                self.ask_again(locked, state, reply.used_tool, why, read)
            }
            Filed::Unreadable => {
                self.keep_aside(locked, &state, &reply.whole().0, Aside::Unread)?;
                let why = "Claude Code refused the Read of the debate's file, or it failed";
                state.debate.pause(why.to_owned(), self.world.now);
                self.commit(locked, &state, &Change::Pause)?;
                Ok(Outcome::Paused(state.debate))
            }
            Filed::Synthesis(text, ledger) => {
                self.complete(locked, &state, &text, &ledger, session).map(Outcome::Completed)
            }
            Filed::NoMore(_) => {
                self.commit(locked, &state, &Change::Fail)?;
                Ok(Outcome::Failed(state.debate))
            }
        }
    }

    /// The file was edited while Claude wrote, and its debate is over now: the reply is kept.
    fn keep_aside_if_over(&self, locked: &Locked<'_>, session: &Session, reply: Reply) -> Result<()> {
        let Some(Loaded { state, repair: Some(_), .. }) = locked.load()? else { return Ok(()) };
        if state.debate.is_owned_by(&session.id) && state.debate.progress.status == Status::Completed {
            let reply = reply.in_order(|| transcript::last_text(&state.body)).whole().0;
            self.keep_aside(locked, &state, &reply, Aside::AfterTheEnd)?;
            self.commit(locked, &state, &Change::Turn)?;
        }
        Ok(())
    }

    /// The same phase is asked for once more.
    fn ask_again(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        used_tool: bool,
        why: Why,
        read: Option<Read>,
    ) -> Result<Outcome> {
        let reason = reason(&why);
        let ledger = ledger_of(&state);
        let cue = self.go_on(&mut state, locked.project(), used_tool, why, read, &ledger);
        self.commit(locked, &state, &Change::Retry)?;
        let debate = state.debate;
        Ok(match cue {
            Some(cue) => Outcome::AskedAgain { debate, why: reason, cue },
            None => Outcome::Paused(debate),
        })
    }

    /// A turn ended that the debate does not run in: the debate's own was cut off (Esc and API errors end a turn without a
    /// Stop on 2.1.329), and a message that the user had queued ran instead. Nothing of it is the debate's.
    fn end_another_turn(&self, store: &Store, session: &Session) -> Result<Outcome, Stopped> {
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        if !is_of_another_turn(&state.debate, session) {
            return Err(Nothing::Redelivered.into());
        }
        state.debate.pause("you typed a message".to_owned(), self.world.now);
        self.commit(&locked, &state, &Change::Pause)?;
        Ok(Outcome::Paused(state.debate))
    }

    /// The turn ends between two phases: what was filed is saved, and what the user can do is said.
    fn stop(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        stop: Stop,
        (filed, words, is_settled): (Slot, usize, bool),
    ) -> Result<Outcome> {
        let why = match stop {
            Stop::Steering => "it waits for your direction",
            Stop::Boundary => "a boundary between two phases",
        };
        state.debate.pause(why.to_owned(), self.world.now);
        if stop == Stop::Steering {
            state.debate.await_direction();
        }
        self.commit(locked, &state, &Change::Advance { filed, words })?;
        let StateFile { debate, body, .. } = state;
        Ok(match stop {
            Stop::Steering => Outcome::Awaits { debate, filed, transcript: transcript::parse(&body) },
            Stop::Boundary => Outcome::Boundary { debate, filed, is_settled },
        })
    }

    /// Counts one more continuation and composes its cue. `None` when the debate has to pause instead; why is then in it.
    fn go_on(
        &self,
        state: &mut StateFile,
        project: &Project,
        used_tool: bool,
        why: Why,
        read: Option<Read>,
        ledger: &Ledger,
    ) -> Option<Cue> {
        let cap = self.world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.schedule().phases_left(debate.progress.slot);
        let pause = match continuation(debate.ownership.continuations, used_tool, left, cap) {
            _ if debate.pause_requested() => "you typed a message".to_owned(),
            Continuation::GoOn { count, ask_for_tool } => {
                debate.count_continuations(count);
                // One that only keeps the client's cap away is no loss: without it the debate pauses there.
                debate.require_read(read.is_some_and(|read| read != Read::Nothing));
                let near_cap = || ask_for_tool.then(|| Read::Few(state.line_of_round(1).unwrap_or(1)));
                let read = read.or_else(near_cap).unwrap_or(Read::Nothing);
                let steering = self.give_steering(state);
                let ask = Ask { why, read, steering: steering.as_deref(), ledger };
                return Some(prompt::cue(&state.debate, &project.state_file(), &ask));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(pause, self.world.now);
        None
    }
}

/// The claims of a debate as it is filed.
fn ledger_of(state: &StateFile) -> Ledger {
    Ledger::of_entries(&transcript::parse(&state.body))
}

/// True when both turns have a name (2.1.200 and later) and it is not the same.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.ownership.prompt_id.is_some()
        && session.prompt_id.is_some()
        && debate.ownership.prompt_id != session.prompt_id
}
