//! File a reply: what one Stop event of the owning session does to its debate.

use super::filing::{Completed, Filed, file, reason};
use super::reading::reading;
use super::resume::from_where_it_pays;
use super::{Engine, LOCK_WAIT, Nothing, SAME_STOP, Session, load_own_active};
use crate::debate::{Continuation, DEFAULT_CAP, Debate, Slot, Status, Stop, continuation, stop_behind};
use crate::error::Result;
use crate::prompt::{self, Ask, Cue, Read, Why};
use crate::reply::{Reply, TurnOutput};
use crate::state::{Change, Loaded, Locked, Project, StateFile, Store};
use crate::transcript::{self, Entries};

/// What became of a reply.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing, and why.
    Nothing(Nothing),
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
        /// What Claude is told.
        cue: Cue,
    },
    /// Not usable; the same phase is asked for once more.
    AskedAgain {
        /// The debate.
        debate: Debate,
        /// What was wrong with the reply.
        why: String,
        /// What Claude is told.
        cue: Cue,
    },
    /// The debate paused; the turn ends.
    Paused(Debate),
    /// A round is argued; the turn ends, and the person steers what comes next.
    Awaits {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed last.
        filed: Slot,
        /// The replies of the round that is argued.
        round: Entries,
    },
    /// A boundary; the turn ends, and the debate can go on in a fresh conversation.
    Boundary {
        /// The debate at its new place.
        debate: Debate,
        /// Whose reply was filed last.
        filed: Slot,
    },
    /// The phase has had its chances; the turn ends.
    Failed(Debate),
    /// The synthesis is filed.
    Completed(Completed),
}

impl Engine<'_> {
    /// Files what the model wrote, moves the debate on and says what comes next. `read_reply` is called only when the debate is
    /// this session's and in progress.
    pub fn file_reply(&self, session: &Session, read_reply: impl FnOnce(&Debate) -> TurnOutput) -> Result<Outcome> {
        let (store, debate) = match self.own_active(session)? {
            Ok(own) => own,
            Err(nothing) => return Ok(Outcome::Nothing(self.unless_lost(nothing, session))),
        };
        if is_of_another_turn(&debate, session) {
            return self.another_turn(&store, session);
        }
        let reply = match read_reply(&debate) {
            TurnOutput::Reply(reply) => reply,
            TurnOutput::ApiError => return Ok(Outcome::ApiError(debate)),
            TurnOutput::AgentsRunning => return Ok(Outcome::Nothing(Nothing::AgentsRunning)),
        };

        let locked = store.lock(LOCK_WAIT)?;
        let (mut state, repair) = match load_own_active(&locked, session)? {
            Ok(loaded) => (loaded.state, loaded.repair.unwrap_or_default()),
            Err(nothing) => {
                self.over_by_hand(&locked, session, reply)?;
                return Ok(Outcome::Nothing(nothing));
            }
        };
        // Nobody has written a file that is still damaged; only what it was mended from may differ between two looks.
        let moved_meanwhile = !repair.damaged && state.debate.progress.updated_at != debate.progress.updated_at;
        let is_echo = || {
            let section = transcript::last_text(&state.body);
            let is_aside = |text: &str| locked.find_in_archive(&unfiled(&state), text.as_bytes()).is_some();
            let ordered = || reply.clone().in_order(|| section.clone()).whole().0;
            reply.is_echo_of(section.as_deref())
                || is_aside(&reply.whole().0)
                || (!reply.older.is_empty() && is_aside(&ordered()))
        };
        if moved_meanwhile || (self.is_within(SAME_STOP, debate.progress.updated_at) && is_echo()) {
            return Ok(Outcome::Nothing(Nothing::Redelivered));
        }
        let reply = reply.in_order(|| transcript::last_text(&state.body));
        if repair.moved {
            return self.not_for_this_phase(&locked, state, &reply);
        }
        let filed = file(&mut state, &reply, reading(&reply, store.project()), self.world.now);
        self.note_beginning(&reply, &filed);
        match filed {
            Filed::Next { slot, words } => {
                let title = repair.asks_anew.then(|| Read::Few(state.line_of_title()));
                let why = if repair.asks_anew { Why::Edited } else { Why::Turn };
                if let Some(stop) = stop_behind(slot, &state.debate).filter(|_| !state.debate.pause_requested()) {
                    return self.stop(&locked, state, stop, slot, words);
                }
                let cue = self.go_on(&mut state, store.project(), reply.used_tool, why, title);
                self.commit(&locked, &state, &Change::Advance { filed: slot, words })?;
                let debate = state.debate;
                Ok(match cue {
                    Some(cue) => Outcome::Advanced { debate, filed: slot, words, cue },
                    None => Outcome::Paused(debate),
                })
            }
            Filed::MissingHeadings(why, text) => {
                self.keep_text_aside(&locked, &state, &text, "is asked for once more")?;
                self.ask_again(&locked, state, reply.used_tool, why, None)
            }
            Filed::Again(why) => {
                if why == Why::Unread {
                    self.keep_aside(&locked, &state, &reply, "was written without the debate's file")?;
                }
                let read = state.debate.ownership.must_read.then(|| from_where_it_pays(&state));
                self.ask_again(&locked, state, reply.used_tool, why, read)
            }
            Filed::Unreadable => {
                self.keep_aside(&locked, &state, &reply, "was written without the debate's file")?;
                let why = "Claude Code refused the Read of the debate's file, or it failed";
                state.debate.pause(why.to_owned(), self.world.now);
                self.commit(&locked, &state, &Change::Pause)?;
                Ok(Outcome::Paused(state.debate))
            }
            Filed::Synthesis(text) => self.complete(&locked, &state, &text, session).map(Outcome::Completed),
            Filed::NoMore(_) => {
                self.commit(&locked, &state, &Change::Fail)?;
                Ok(Outcome::Failed(state.debate))
            }
        }
    }

    /// The file was edited while Claude wrote, and another phase waits now: the reply is kept aside, and that phase asked for.
    fn not_for_this_phase(&self, locked: &Locked<'_>, mut state: StateFile, reply: &Reply) -> Result<Outcome> {
        self.keep_aside(locked, &state, reply, "was for another phase")?;
        state.debate.touch(self.world.now);
        let read = from_where_it_pays(&state);
        self.ask_again(locked, state, reply.used_tool, Why::Edited, Some(read))
    }

    /// Keeps a reply that has no place in the transcript.
    fn keep_aside(&self, locked: &Locked<'_>, state: &StateFile, reply: &Reply, why: &str) -> Result<()> {
        self.keep_text_aside(locked, state, &reply.whole().0, why)
    }

    pub(super) fn keep_text_aside(&self, locked: &Locked<'_>, state: &StateFile, text: &str, why: &str) -> Result<()> {
        if !text.is_empty() {
            let kept = locked.write_to_archive(&unfiled(state), text)?;
            let kept = locked.project().display(&kept);
            self.notes.borrow_mut().push(format!("what Claude has just written {why}; it lies in {kept}"));
        }
        Ok(())
    }

    /// The file was edited while Claude wrote, and its debate is over now.
    fn over_by_hand(&self, locked: &Locked<'_>, session: &Session, reply: Reply) -> Result<()> {
        let Some(Loaded { state, repair: Some(_), .. }) = locked.load()? else { return Ok(()) };
        if state.debate.is_owned_by(&session.id) && state.debate.progress.status == Status::Completed {
            let reply = reply.in_order(|| transcript::last_text(&state.body));
            self.keep_aside(locked, &state, &reply, "came when the debate was complete already")?;
            self.commit(locked, &state, &Change::Turn)?;
        }
        Ok(())
    }

    fn ask_again(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        used_tool: bool,
        why: Why,
        read: Option<Read>,
    ) -> Result<Outcome> {
        let reason = reason(&why);
        let cue = self.go_on(&mut state, locked.project(), used_tool, why, read);
        self.commit(locked, &state, &Change::Retry)?;
        let debate = state.debate;
        Ok(match cue {
            Some(cue) => Outcome::AskedAgain { debate, why: reason, cue },
            None => Outcome::Paused(debate),
        })
    }

    /// The debate of this session was cancelled, replaced or taken over elsewhere: that is said once.
    fn unless_lost(&self, nothing: Nothing, session: &Session) -> Nothing {
        match nothing {
            Nothing::NoDebate | Nothing::NotOwner if self.machine.session(&session.id).is_some() => {
                self.machine.end(&session.id);
                Nothing::Lost
            }
            other => other,
        }
    }

    /// A turn ended that the debate does not run in: the debate's own was cut off (Esc and API errors end a turn without a
    /// Stop on 2.1.329), and a message that the user had queued ran instead. Nothing of it is the debate's.
    fn another_turn(&self, store: &Store, session: &Session) -> Result<Outcome> {
        let locked = store.lock(LOCK_WAIT)?;
        match load_own_active(&locked, session)? {
            Ok(Loaded { mut state, .. }) if is_of_another_turn(&state.debate, session) => {
                state.debate.pause("you typed a message".to_owned(), self.world.now);
                self.commit(&locked, &state, &Change::Pause)?;
                Ok(Outcome::Paused(state.debate))
            }
            Ok(_) => Ok(Outcome::Nothing(Nothing::Redelivered)),
            Err(nothing) => Ok(Outcome::Nothing(nothing)),
        }
    }

    /// The turn ends between two phases: what was filed is saved, and what the person can do is said.
    fn stop(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        stop: Stop,
        filed: Slot,
        words: usize,
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
            Stop::Steering => {
                let mut round = transcript::parse(&body);
                let is_round = |slot: Slot| slot.round == filed.round;
                round.0.retain(|entry| entry.cycle == debate.progress.cycle && entry.slot().is_some_and(is_round));
                Outcome::Awaits { debate, filed, round }
            }
            Stop::Boundary => Outcome::Boundary { debate, filed },
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
                let ask = Ask { why, read, steering: steering.as_deref() };
                return Some(prompt::cue(&state.debate, &project.state_file(), &ask));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(pause, self.world.now);
        None
    }
}

/// The name in the archive of a reply that has no place in the transcript.
fn unfiled(state: &StateFile) -> String {
    format!("{}-unfiled", state.debate.id)
}

/// True when both turns have a name (2.1.200 and later) and it is not the same.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.ownership.prompt_id.is_some()
        && session.prompt_id.is_some()
        && debate.ownership.prompt_id != session.prompt_id
}
