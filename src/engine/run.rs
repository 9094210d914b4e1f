//! A debate whose seats are filled one by one, each by a program that knows nothing but its prompt. Here is what such a seat is
//! asked, and what becomes of what it wrote; who writes it is the door's business.

use super::filing::Completed;
use super::report::find;
use super::request::{Answered, Asked, Request, answer, generation_of, request};
use super::steer::{skip_to_synthesis, unfinished};
use super::tasks::answered;
use super::turn::load_own_active;
use super::{Aside, Engine, LOCK_WAIT, Note, Session, Stopped, no_debate};
use crate::debate::{Debate, Seat, Slot, Status, Stop, Verb, stop_after};
use crate::error::{Error, Result};
use crate::ledger::{Call, Ledger, Unread};
use crate::state::{AttemptRecord, Change, Loaded, Locked, Project, RunRecord, StateFile, Store};
use crate::tasks;
use crate::text::clean;
use crate::transcript;

/// What became of a reply.
#[derive(Debug)]
pub enum Submitted {
    /// It is filed; another seat is next.
    Advanced {
        /// The debate at its new place.
        debate: Box<Debate>,
        /// Whose reply.
        filed: Slot,
        /// Its words.
        words: usize,
        /// Its round has settled the argument.
        is_settled: bool,
    },
    /// It is not usable as it is; the same seat is asked once more.
    AskedAgain {
        /// The debate.
        debate: Box<Debate>,
        /// What is wrong with it.
        why: String,
    },
    /// It is filed, and the debate waits for the user as its options say.
    Waits(Box<Debate>, Stop),
    /// The seat has had its chances.
    Failed(Box<Debate>),
    /// It is the synthesis.
    Completed(Box<Completed>),
    /// The debate has moved on in the meantime; it is kept in the archive.
    Stale,
}

/// What a finished debate came to, for those who go by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its verdict, or why there is none that can be read.
    pub call: Result<Call, Unread>,
    /// Its confidence in per cent, or why there is none that can be read.
    pub confidence: Result<u8, Unread>,
    /// Claims that were made.
    pub claims: usize,
    /// Those of them that nobody has answered.
    pub open: usize,
}

/// A debate that programs go on with.
#[derive(Debug)]
pub struct TakenUp {
    /// The debate.
    pub debate: Box<Debate>,
    /// Where its file lies.
    pub project: Project,
    /// Who argued it here before.
    pub record: Option<RunRecord>,
}

impl Engine<'_> {
    /// The debate here that can be gone on with, as it stands. `id`: it has to be this one.
    pub fn unfinished_run(&self, id: Option<&str>) -> Result<TakenUp> {
        let store = self.store_meant(None);
        let loaded = store.load()?.ok_or_else(|| no_debate(&store))?;
        let debate = unfinished(loaded)?.state.debate;
        if let Some(id) = id.filter(|id| *id != debate.id) {
            return Err(Error::nothing(
                format!("the debate here is {}, not {}", debate.id, clean(id, 100)),
                "`anvil run --resume` goes on with the one here",
            ));
        }
        store.begin_here(&debate.id)?;
        let record = self.run_record(&debate.id, store.project());
        Ok(TakenUp { project: store.project().clone(), debate: Box::new(debate), record })
    }

    /// Notes on this machine who argues a debate: what its files say of that could have come with them.
    pub fn remember_run(&self, id: &str, record: &RunRecord) -> Result<()> {
        match self.machine.remember_run(id, record) {
            // What the user sees in a terminal goes on without: who resumes it says anew who is to write.
            Err(error) if !record.isolated && record.second_opinion.is_none() => {
                self.add_note(Note::Detail(format!("who argues this debate can't be remembered: {error}")));
                Ok(())
            }
            done => done,
        }
    }

    /// Refuses where [`Engine::take_up`] would because of who owns the debate.
    pub fn may_take_up(&self, session: &Session, debate: &Debate, take_over: bool) -> Result<()> {
        let checked = self.check_may_change(Verb::Resume, debate, Some(session), take_over);
        checked.map(|_| ()).map_err(|error| {
            let hint = "wait for it, or take the debate over: `anvil run --resume --take-over`";
            Error::failed(error.to_string(), hint)
        })
    }

    /// Takes the debate of this project over for a session whose seats are filled by programs.
    pub fn take_up(&self, session: &Session, id: &str, take_over: bool) -> Result<Debate, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = unfinished(locked.load()?.ok_or_else(|| no_debate(&store))?)?;
        if state.debate.id != id {
            return Err(Stopped::Failed(Error::failed(
                "another debate has taken its place",
                "`anvil status` shows it; `anvil history` lists the others",
            )));
        }
        self.may_take_up(session, &state.debate, take_over)?;
        state.debate.claim(&session.id, None, self.world.now);
        state.debate.fill_apart();
        state.debate.require_read(false);
        self.commit(&locked, &state, &Change::Resume)?;
        self.remember(session, store.project());
        self.say_foreign(id)?;
        Ok(state.debate)
    }

    /// What the seat that is next is asked. A direction that waits is given with it.
    pub fn request(
        &self,
        session: &Session,
        in_project: bool,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<Request, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = load_own_active(&locked, session)?;
        let has_direction = self.give_steering(&mut state).is_some();
        if repair.is_some() || has_direction {
            state.debate.touch(self.world.now);
            self.commit(&locked, &state, if has_direction { &Change::Steer } else { &Change::Turn })?;
        }
        let record = AttemptRecord::of(&store, &state.debate.id);
        let before = unfiled(&record, &state.debate)?;
        drop(locked);
        let asked = Asked { before: before.as_deref(), in_project, is_alone: false };
        let mut request = request(&state, &store.project().state_file(), asked, most_tokens)?;
        // A worker may have written it, and died before it could hand it over.
        request.answers.push(answered(&state, tasks::Place::of(&state.debate)));
        Ok(request)
    }

    /// What the debate here came to, which has to be this one.
    pub fn judged(&self, id: &str) -> Result<Judged> {
        let store = self.store_meant(None);
        let (state, _) = find(&store, None)?;
        if state.debate.id != id {
            return Err(Error::failed("another debate has taken its place", "`anvil history` lists it"));
        }
        let ledger = Ledger::of_entries(&transcript::parse(&state.body));
        let open = ledger.claims.iter().filter(|claim| claim.status == crate::ledger::Status::Open).count();
        let synthesis = ledger.synthesis.unwrap_or_default();
        let verdict = &synthesis.verdict;
        Ok(Judged {
            call: synthesis.call.ok_or_else(|| synthesis.unread_call().unwrap_or(Unread::Missing)),
            confidence: verdict.percent().ok_or_else(|| verdict.unread_percent().unwrap_or(Unread::Missing)),
            claims: ledger.claims.len(),
            open,
        })
    }

    /// Files what a seat wrote, if the debate still waits for that, and moves it on.
    pub fn submit(&self, session: &Session, generation: &str, text: &str) -> Result<Submitted, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = load_own_active(&locked, session)?;
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        if is_edited || generation_of(&state.debate) != generation {
            self.keep_aside(&locked, &state, text, Aside::OtherPhase)?;
            // What was written for the debate as it was is never taken for this one's.
            state.debate.take_step_after(0);
            self.commit(&locked, &state, &Change::Turn)?;
            return Ok(Submitted::Stale);
        }
        let mut submitted = self.file_submitted(&locked, &mut state, text, session)?;
        drop(locked);
        self.report_on_submitted(&store, &mut submitted);
        Ok(submitted)
    }

    /// Writes the reports, where that was the synthesis.
    pub(super) fn report_on_submitted(&self, store: &Store, submitted: &mut Submitted) {
        if let Submitted::Completed(completed) = submitted {
            self.report_on(store, completed);
        }
    }

    pub(super) fn file_submitted(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        text: &str,
        session: &Session,
    ) -> Result<Submitted> {
        Ok(match answer(state, text, self.world.now) {
            Answered::Judged { judge, words } => {
                self.commit(locked, state, &Change::Judge { judge, words })?;
                let (debate, filed) = (Box::new(state.debate.clone()), state.debate.progress.slot);
                Submitted::Advanced { debate, filed, words, is_settled: false }
            }
            Answered::Next { slot, words, is_settled } => {
                let stop = stop_after(slot, &state.debate);
                if let Some(stop) = stop {
                    let why = match stop {
                        Stop::Steering => "it waits for your direction",
                        Stop::Boundary => "a boundary between two phases",
                    };
                    state.debate.pause(why, self.world.now);
                }
                self.commit(locked, state, &Change::Advance { filed: slot, words })?;
                let debate = Box::new(state.debate.clone());
                match stop {
                    Some(stop) => Submitted::Waits(debate, stop),
                    None => Submitted::Advanced { debate, filed: slot, words, is_settled },
                }
            }
            Answered::Synthesis(text, ledger) => {
                Submitted::Completed(Box::new(self.complete(locked, state, &text, &ledger, session)?))
            }
            Answered::Again { why, text } => {
                self.keep_aside(locked, state, &text, Aside::AskedAgain)?;
                self.commit(locked, state, &Change::Retry)?;
                Submitted::AskedAgain { debate: Box::new(state.debate.clone()), why }
            }
            Answered::Failed => {
                self.commit(locked, state, &Change::Fail)?;
                Submitted::Failed(Box::new(state.debate.clone()))
            }
        })
    }

    /// The debate waits for the user, or has failed, from now on; `why` is a sentence without its full stop.
    pub fn rest(&self, session: &Session, has_failed: bool, why: &str) -> Result<Debate, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        state.debate.pause(clean(why, 500), self.world.now);
        if has_failed {
            state.debate.fail(clean(why, 500));
        }
        self.commit(&locked, &state, if has_failed { &Change::Fail } else { &Change::Pause })?;
        Ok(state.debate)
    }

    /// The synthesis is next: a limit leaves no room for more.
    pub fn cut_short(&self, session: &Session) -> Result<Debate, Stopped> {
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        skip_to_synthesis(&mut state)?;
        state.debate.touch(self.world.now);
        self.commit(&locked, &state, &Change::Synthesize)?;
        Ok(state.debate)
    }

    /// True while this session owns its debate, and that is in progress.
    #[must_use]
    pub fn still_runs(&self, session: &Session) -> bool {
        let store = self.store_meant(Some(session));
        // A file that can't be read just now is no reason to throw a reply away.
        store.read_head().map_or(true, |debate| {
            debate.is_some_and(|debate| debate.is_owned_by(&session.id) && debate.progress.status == Status::InProgress)
        })
    }

    /// The same, while its phase is the one that is being written. An earlier one that can't be told is taken for it.
    #[must_use]
    pub fn still_waits(&self, session: &Session, generation: &str) -> bool {
        let store = self.store_meant(Some(session));
        store.read_head().map_or(true, |debate| {
            debate.is_some_and(|debate| {
                debate.is_owned_by(&session.id)
                    && debate.progress.status == Status::InProgress
                    // What checks claims answers the same state in another way.
                    && generation.trim_end_matches('k') == generation_of(&debate)
            })
        })
    }
}

/// What the seat wrote last, where it is asked once more: the newest reply to the same step.
fn unfiled(record: &AttemptRecord, debate: &Debate) -> Result<Option<String>> {
    if debate.progress.retry_count == 0 && !debate.progress.form_retry {
        return Ok(None);
    }
    let step = format!("{}.", debate.progress.step);
    let attempts = record.read()?;
    let is_of_step = |attempt: &&crate::state::Attempt| attempt.started.generation.starts_with(&step);
    let newest = attempts.all.iter().rev().filter(is_of_step).find(|attempt| attempt.is_received());
    Ok(newest.and_then(|attempt| record.reply(attempt)))
}
