//! File a reply: what one Stop event of the owning session does to its debate.

use std::path::PathBuf;

use super::{Engine, LOCK_WAIT, Nothing, SAME_STOP, Session, read_own_active};
use crate::debate::{Advance, Continuation, DEFAULT_CAP, Debate, Phase, Place, Signal, Status, advance, continuation};
use crate::error::{Error, Result};
use crate::prompt::{self, Cue, Read, Why};
use crate::reply::{Heard, Usable};
use crate::report::{Verdict, markdown};
use crate::state::{Locked, Project, StateFile, Store};
use crate::transcript;

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
        filed: Place,
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
        why: &'static str,
        /// What Claude is told.
        cue: Cue,
    },
    /// The debate paused; the turn ends.
    Paused(Debate),
    /// The phase has had its chances; the turn ends.
    Failed(Debate),
    /// The synthesis is filed.
    Completed {
        /// The first sentence of its recommendation.
        verdict: String,
        /// Where the report lies, or why it could not be written.
        report: std::result::Result<PathBuf, Error>,
        /// Whose project it is.
        project: Project,
    },
}

impl Engine<'_> {
    /// Files what the model wrote, moves the debate on and says what comes next. `hear` is called only when the debate is
    /// this session's and in progress.
    pub fn file_reply(&self, session: &Session, hear: impl FnOnce(&Debate) -> Heard) -> Result<Outcome> {
        let (store, debate) = match self.own_active(session)? {
            Ok(own) => own,
            Err(nothing) => return Ok(Outcome::Nothing(self.unless_lost(nothing, session))),
        };
        if is_of_another_turn(&debate, session) {
            return self.another_turn(&store, session);
        }
        let reply = match hear(&debate) {
            Heard::Reply(reply) => reply,
            Heard::ApiError => return Ok(Outcome::ApiError(debate)),
            Heard::AgentsRunning => return Ok(Outcome::Nothing(Nothing::AgentsRunning)),
        };

        let locked = store.lock(LOCK_WAIT)?;
        let mut state = match read_own_active(&locked, session)? {
            Ok(state) => state,
            Err(nothing) => return Ok(Outcome::Nothing(nothing)),
        };
        let previous = transcript::last_text(&state.body);
        let moved_meanwhile = state.debate.updated_at != debate.updated_at;
        if moved_meanwhile || (reply.is_echo_of(previous.as_deref()) && self.is_within(SAME_STOP, debate.updated_at)) {
            return Ok(Outcome::Nothing(Nothing::Redelivered));
        }
        let (text, signal, ask) = match reply.usable(previous.as_deref()) {
            Usable::Text(text, signal) => (text, signal, Why::Turn),
            Usable::EndMark if state.debate.place.phase != Phase::Synthesizer => {
                (String::new(), Signal::FiledAsLast, Why::Turn)
            }
            Usable::EndMark | Usable::Empty => (String::new(), Signal::Unusable, Why::Empty),
            Usable::Repeated => (String::new(), Signal::Unusable, Why::Repeated),
        };

        let place = state.debate.place;
        let debate = &mut state.debate;
        debate.updated_at = self.world.now;
        match advance(place, debate.max_rounds, debate.retry_count, signal) {
            Advance::To(next) => {
                debate.place = next;
                debate.step += 1;
                debate.retry_count = 0;
                if !text.is_empty() {
                    transcript::append(&mut state.body, place, self.world.now, &text);
                }
                let words = transcript::count_words(&text);
                let cue = self.go_on(&mut state, &store, reply.used_tool, ask);
                locked.commit(&state)?;
                let debate = state.debate;
                Ok(match cue {
                    Some(cue) => Outcome::Advanced { debate, filed: place, words, cue },
                    None => Outcome::Paused(debate),
                })
            }
            Advance::Retry(count) => {
                debate.retry_count = count;
                let cue = self.go_on(&mut state, &store, reply.used_tool, ask);
                locked.commit(&state)?;
                let debate = state.debate;
                Ok(match cue {
                    Some(cue) => Outcome::AskedAgain { debate, why: reason(ask), cue },
                    None => Outcome::Paused(debate),
                })
            }
            Advance::Complete => {
                debate.step += 1;
                debate.retry_count = 0;
                debate.status = Status::Completed;
                debate.pausing = false;
                transcript::append(&mut state.body, place, self.world.now, &text);
                self.complete(&locked, &state, &text, session)
            }
            Advance::Fail => {
                debate.status = Status::Failed;
                debate.status_detail = format!("{}, also after {} more requests", reason(ask), debate.retry_count);
                debate.pausing = false;
                locked.commit(&state)?;
                Ok(Outcome::Failed(state.debate))
            }
        }
    }

    /// The debate of this session was cancelled, replaced or taken over elsewhere: that is said once.
    fn unless_lost(&self, nothing: Nothing, session: &Session) -> Nothing {
        match nothing {
            Nothing::NoDebate | Nothing::NotOwner if self.machine.session(&session.id).is_some() => {
                self.machine.forget(&session.id);
                Nothing::Lost
            }
            other => other,
        }
    }

    /// A turn ended that the debate does not run in: the debate's own was cut off (Esc and API errors end a turn without a
    /// Stop on 2.1.329), and a message that a person had queued ran instead. Nothing of it is the debate's.
    fn another_turn(&self, store: &Store, session: &Session) -> Result<Outcome> {
        let locked = store.lock(LOCK_WAIT)?;
        match read_own_active(&locked, session)? {
            Ok(mut state) if is_of_another_turn(&state.debate, session) => {
                state.debate.pause("you typed a message".to_owned(), self.world.now);
                locked.commit(&state)?;
                Ok(Outcome::Paused(state.debate))
            }
            Ok(_) => Ok(Outcome::Nothing(Nothing::Redelivered)),
            Err(nothing) => Ok(Outcome::Nothing(nothing)),
        }
    }

    /// Counts one more continuation and composes its cue. `None` when the debate has to pause instead; why is then in it.
    fn go_on(&self, state: &mut StateFile, store: &Store, used_tool: bool, ask: Why) -> Option<Cue> {
        let cap = self.world.continuation_cap.unwrap_or(DEFAULT_CAP);
        let debate = &mut state.debate;
        let left = debate.place.phases_left(debate.max_rounds);
        let why = match continuation(debate.continuations, used_tool, left, cap) {
            _ if debate.pausing => "you typed a message".to_owned(),
            Continuation::GoOn { count, ask_for_tool } => {
                debate.continuations = count;
                let line = ask_for_tool.then(|| state.line_of_round(1).unwrap_or(1));
                let read = line.map_or(Read::Nothing, Read::Few);
                return Some(prompt::cue(&state.debate, &store.project().state_file(), ask, read));
            }
            Continuation::AtCap => format!("Claude Code lets a hook go on {cap} times in a row"),
        };
        debate.pause(why, self.world.now);
        None
    }

    fn complete(&self, locked: &Locked<'_>, state: &StateFile, synthesis: &str, session: &Session) -> Result<Outcome> {
        let sections = transcript::parse(&state.body);
        let text = markdown(&state.debate, &sections);
        let verdict = Verdict::of(synthesis).first_sentence(synthesis);
        let project = locked.project().clone();
        // The report first: a completed debate has one. If this dies in between, the synthesis is asked for again.
        let wished = self.report_path(&project, &state.debate);
        let default = project.report(&state.debate.id);
        let report = match locked.write_report(&wished, &text) {
            Err(_) if wished != default => locked.write_report(&default, &text).map(|()| default),
            written => written.map(|()| wished),
        };
        locked.commit(state)?;
        self.machine.forget(&session.id);
        Ok(Outcome::Completed { verdict, report, project })
    }
}

/// True when both turns have a name (2.1.200 and later) and it is not the same.
fn is_of_another_turn(debate: &Debate, session: &Session) -> bool {
    debate.prompt_id.is_some() && session.prompt_id.is_some() && debate.prompt_id != session.prompt_id
}

/// What was wrong with an unusable reply, for a person.
fn reason(ask: Why) -> &'static str {
    match ask {
        Why::Turn => "",
        Why::Empty => "the reply was empty",
        Why::Repeated => "the reply repeated the one before",
    }
}
