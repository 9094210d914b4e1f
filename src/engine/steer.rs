//! The user steers a debate: a direction for what comes next, the synthesis at once, another number of rounds.
//!
//! A direction that no phase was given yet waits in the head of the state file. When one is given it, it becomes a section of its
//! own, so that the transcript shows what was said when.

use super::turn::is_writing;
use super::{Engine, LOCK_WAIT, Session, no_debate};
use crate::command::Choice;
use crate::debate::{Debate, MAX_STEERING_CHARS, Phase, Slot, Status, Verb, furthest, waits_at};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::prompt::{self, Ask, Cue, Read, Why};
use crate::state::{Change, Loaded, Locked, StateFile, Store};
use crate::transcript::{self, Kind, What};

use jiff::Timestamp;

/// What the user wants of a debate that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeAction<'a> {
    /// What waits.
    AsItIs,
    /// The same, with a direction.
    Steered(&'a str),
    /// The synthesis.
    ToSynthesis,
}

/// A debate that goes on in the conversation that knows it.
#[derive(Debug)]
pub struct Steered {
    /// The debate.
    pub debate: Debate,
    /// What Claude gets beside the user's own words.
    pub cue: Cue,
    /// Which of the answers that a round's end offers they were. `None`: a direction.
    pub choice: Option<Choice>,
}

impl Engine<'_> {
    /// A direction that waits for the next phase: from a shell, or for programs that fill the seats.
    pub fn steer(&self, session: Option<&Session>, text: &str, take_over: bool) -> Result<Debate> {
        let store = self.store_meant(session);
        let (locked, state) = lock_unfinished(&store)?;
        self.check_may_change(Verb::Steer, &state.debate, session, take_over)?;
        self.note(&locked, state, ResumeAction::Steered(text)).map(|debate| *debate)
    }

    /// The same for the synthesis: it is next, after the reply that is being written if there is one.
    pub fn synthesize(&self, session: Option<&Session>, take_over: bool) -> Result<Debate> {
        let store = self.store_meant(session);
        let (locked, mut state) = lock_unfinished(&store)?;
        self.check_may_change(Verb::Synthesize, &state.debate, session, take_over)?;
        if state.debate.is_active() {
            return self.note(&locked, state, ResumeAction::ToSynthesis).map(|debate| *debate);
        }
        skip_to_synthesis(&mut state)?;
        state.debate.touch(self.world.now);
        self.commit(&locked, &state, &Change::Synthesize)?;
        Ok(state.debate)
    }

    /// Changes the number of rounds of the debate here. A round that was begun is argued to its end.
    pub fn change_rounds(&self, session: Option<&Session>, rounds: u8, take_over: bool) -> Result<Debate> {
        let store = self.store_meant(session);
        let (locked, mut state) = lock_unfinished(&store)?;
        let debate = &state.debate;
        self.check_may_change(Verb::Rounds, debate, session, take_over)?;
        let schedule = debate.schedule();
        if schedule.opener() == schedule.closer() {
            return Err(Error::usage(
                "here every voice speaks once: their number is that of the rounds",
                "/anvil:again argues once more, /anvil:synthesize ends the argument",
            ));
        }
        // Whoever does not own it can't know that its owner is idle.
        let is_owner = |session: &Session| debate.is_owned_by(&session.id);
        let is_idle = session.is_some_and(|session| is_owner(session) && !is_writing(debate, session));
        let is_written = debate.is_active() && !is_idle;
        if debate.progress.slot.phase == Phase::Synthesizer && is_written {
            return Err(Error::failed(
                "the synthesis is being written",
                "wait for it; /anvil:again then argues for more rounds",
            ));
        }
        let filed = filed_in_this_cycle(&state);
        let debate = &mut state.debate;
        debate.change_rounds(rounds);
        let slot = match (waits_at(filed, debate.schedule()), debate.progress.slot) {
            // The reply that is being written has its place already.
            (_, slot) if is_written => slot,
            (Some(next), _) => next,
            (None, slot) => slot,
        };
        if slot != debate.progress.slot {
            debate.move_to(slot);
        }
        if !is_written {
            debate.touch(self.world.now);
        }
        self.commit(&locked, &state, &Change::Rounds { rounds })?;
        Ok(state.debate)
    }

    /// Keeps what the user wants for after the reply that is being written. After a synthesis there is nothing.
    pub(super) fn note(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        action: ResumeAction<'_>,
    ) -> Result<Box<Debate>> {
        if state.debate.is_active() && state.debate.progress.slot.phase == Phase::Synthesizer {
            return Err(Error::nothing(
                "the synthesis is being written, and no phase follows it",
                "/anvil:again TEXT argues on when it is done; if Claude is not writing, /anvil:resume asks for it",
            ));
        }
        let change = match action {
            ResumeAction::AsItIs => Change::Turn,
            ResumeAction::Steered(text) => {
                add_steering(&mut state.debate, text)?;
                Change::Steer
            }
            ResumeAction::ToSynthesis => {
                state.debate.request_synthesis();
                Change::Synthesize
            }
        };
        self.commit(locked, &state, &change)?;
        Ok(Box::new(state.debate))
    }

    /// What the user typed is what the debate waits for: it goes on so.
    pub(super) fn go_on_by_prompt(
        &self,
        locked: Locked<'_>,
        mut state: StateFile,
        session: &Session,
        choice: Option<Choice>,
        text: &str,
    ) -> Result<Steered> {
        let (why, change) = match choice {
            None => {
                transcript::append_note(&mut state.body, Kind::Steering, self.world.now, text.trim());
                (Why::Steered, Change::Steer)
            }
            Some(Choice::Skip) => {
                skip_to_synthesis(&mut state)?;
                (Why::Turn, Change::Synthesize)
            }
            Some(Choice::GoOn | Choice::Stop) => (Why::Turn, Change::Resume),
        };
        state.debate.claim(&session.id, session.prompt_id.as_deref(), self.world.now);
        // A direction from elsewhere is given at the same time.
        let other = self.give_steering(&mut state);
        state.debate.require_read(false);
        self.commit(&locked, &state, &change)?;
        self.remember(session, locked.project());
        let state_file = locked.project().state_file();
        drop(locked);
        let ledger = Ledger::of_entries(&transcript::parse(&state.body));
        let ask = Ask { why, read: Read::Nothing, steering: other.as_deref(), ledger: &ledger };
        let cue = prompt::cue(&state.debate, &state_file, &ask);
        Ok(Steered { debate: state.debate, cue, choice })
    }

    /// True when these words are a direction that the phase which waits has been given.
    pub(super) fn is_given(state: &StateFile, words: &str) -> bool {
        let words = transcript::normalise(words.trim());
        let entries = transcript::parse(&state.body);
        let after_last_reply = entries.0.iter().rev().take_while(|entry| entry.slot().is_none());
        let is_steering = |entry: &transcript::Entry| entry.what == What::Note(Kind::Steering);
        after_last_reply.into_iter().any(|entry| is_steering(entry) && entry.text == words)
    }

    /// The direction that waits is given now: it becomes a section.
    pub(super) fn give_steering(&self, state: &mut StateFile) -> Option<String> {
        give_steering(state, self.world.now)
    }
}

/// The same. Pure.
pub(crate) fn give_steering(state: &mut StateFile, now: Timestamp) -> Option<String> {
    let text = state.debate.take_steering()?;
    transcript::append_note(&mut state.body, Kind::Steering, now, &text);
    Some(text)
}

/// Adds a direction to the one that waits already.
pub(super) fn add_steering(debate: &mut Debate, text: &str) -> Result<()> {
    let text = text.trim();
    let whole = match &debate.progress.steering {
        // The plugin is installed twice.
        Some(before) if before == text || before.ends_with(&format!("\n\n{text}")) => return Ok(()),
        Some(before) => format!("{before}\n\n{text}"),
        None => text.to_owned(),
    };
    if whole.chars().count() > MAX_STEERING_CHARS {
        return Err(Error::usage(
            format!("the direction has more than {MAX_STEERING_CHARS} characters"),
            "put the material into a file of the project and name the file",
        ));
    }
    debate.steer(whole);
    Ok(())
}

/// The furthest section of the running cycle.
fn filed_in_this_cycle(state: &StateFile) -> Option<Slot> {
    let entries = transcript::parse(&state.body);
    furthest(entries.filed_in(state.debate.progress.cycle), state.debate.schedule())
}

/// True when something is argued in the running cycle.
pub(super) fn has_argument(state: &StateFile) -> bool {
    filed_in_this_cycle(state).is_some()
}

/// The synthesis is next, of what has been argued so far.
pub(crate) fn skip_to_synthesis(state: &mut StateFile) -> Result<()> {
    if state.debate.progress.slot.phase == Phase::Synthesizer {
        return Ok(());
    }
    let Some(filed) = filed_in_this_cycle(state) else {
        return Err(Error::nothing("nothing is argued yet", "/anvil:resume begins; /anvil:cancel archives the debate"));
    };
    state.debate.move_to(Slot { phase: Phase::Synthesizer, round: filed.round });
    state.debate.request_synthesis();
    Ok(())
}

/// A debate that can go on, or why it can't.
pub(super) fn unfinished(loaded: Loaded) -> Result<Loaded> {
    if loaded.is_lost {
        return Err(Error::failed(
            "the state file can't be read, and nothing tells what was debated",
            "repair it by hand, or start anew with --replace, which archives the file as it is",
        ));
    }
    let status = loaded.state.debate.progress.status;
    if !status.is_unfinished() {
        let hint = if status == Status::Completed {
            "/anvil:again argues once more, /anvil:undo takes its end back, /anvil:debate starts another one"
        } else {
            "/anvil:status shows it, /anvil:debate starts another one"
        };
        return Err(Error::nothing(format!("the debate here is {}", status.label()), hint));
    }
    Ok(loaded)
}

fn lock_unfinished(store: &Store) -> Result<(Locked<'_>, StateFile)> {
    if !store.has_file() {
        return Err(no_debate(store));
    }
    let locked = store.lock(LOCK_WAIT)?;
    let loaded = unfinished(locked.load()?.ok_or_else(|| no_debate(store))?)?;
    Ok((locked, loaded.state))
}
