//! One task of a worker: it is written, by an agent or the user, and filed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::argue::Watching;
use super::executor::{Orphan, Watch};
use super::limits::{CHANCES, Next, next_after};
use super::person::{self, Written};
use super::worker::{AtWork, LOOKS};
use crate::engine::{Request, Stopped, Submitted, TaskSubmitted, Ticket};
use crate::messages;
use crate::seats::{self, Agent, RunEvent, Step};
use crate::state::Attempt;
use crate::transcript::count_words;

/// Exit code of a worker whose task could not be written.
pub(super) const GAVE_UP: u8 = 5;

/// What to do with a reply on standard input that is not usable.
const GIVE_IT_AGAIN: &str = "correct it and give it on standard input once more; it is filed as it is then";

impl AtWork<'_> {
    /// Has a task written and files that.
    pub(super) fn fill(&mut self, ticket: &Ticket, request: &Request, is_again: bool) -> Result<Filled, Stopped> {
        let mut received = None;
        let (text, effort) = match self.plan.as_ref().map(|plan| plan.of(request.seat).clone()) {
            Some(agent) => match self.ask_anew(ticket, request, &agent)? {
                Asked::Reply(attempt) => {
                    let text = self.executor.reply(&attempt)?;
                    let ended = attempt.ended.as_ref();
                    let effort = ended.map_or((0, None), |ended| (ended.duration_ms / 1_000, ended.tokens));
                    received = Some(attempt);
                    (text, effort)
                }
                Asked::GaveUp(why) => {
                    self.with(|engine| engine.leave_task(ticket, &why))?;
                    self.view.say(&RunEvent::WorkerLeaves { why: format!("{}: {why}", agent.name) })?;
                    return Ok(Filled::GaveUp(ExitCode::from(GAVE_UP)));
                }
                Asked::Stopped => return Ok(Filled::Stopped),
            },
            None => {
                match person::reply_to(
                    &self.executor.record,
                    request,
                    &ticket.task,
                    is_again.then_some(GIVE_IT_AGAIN),
                    || self.holds(ticket),
                )? {
                    Written::Reply(text) => (text, (0, None)),
                    Written::PutAside(draft) => {
                        self.with(|engine| engine.leave_task(ticket, "its author has put it aside"))?;
                        self.view.print(&messages::put_aside(&draft.display().to_string(), &ticket.task))?;
                        return Ok(Filled::GaveUp(ExitCode::from(GAVE_UP)));
                    }
                }
            }
        };
        let submitted = self.with(|engine| engine.submit_task(ticket, &text))?;
        if let Some(attempt) = received.filter(|_| !matches!(submitted, TaskSubmitted::Early)) {
            self.executor.note_submitted(&attempt);
        }
        let filed = |settled| RunEvent::Filed {
            slot: request.label.clone(),
            agent: self.worker.name.clone(),
            heads: seats::heads(request.slot, &text),
            words: count_words(&text),
            seconds: effort.0,
            tokens: effort.1,
            settled,
        };
        let again = |why: String| RunEvent::AskedAgain { slot: request.label.clone(), why };
        Ok(match submitted {
            TaskSubmitted::Filed(Submitted::AskedAgain { why, .. }) | TaskSubmitted::AskedAgain(why) => {
                self.view.say(&again(why))?;
                Filled::Again(text)
            }
            TaskSubmitted::Filed(Submitted::Failed(debate)) => {
                self.view.say(&RunEvent::WorkerLeaves { why: debate.progress.status_detail })?;
                Filled::GaveUp(ExitCode::from(GAVE_UP))
            }
            TaskSubmitted::Failed(why) => {
                self.view.say(&RunEvent::WorkerLeaves { why })?;
                Filled::GaveUp(ExitCode::from(GAVE_UP))
            }
            TaskSubmitted::Filed(Submitted::Advanced { is_settled, .. }) => {
                self.view.say(&filed(is_settled))?;
                self.executor.record.forget_draft(&ticket.task);
                Filled::Done
            }
            TaskSubmitted::Filed(Submitted::Completed(completed)) => {
                self.view.say(&filed(false))?;
                self.executor.record.forget_draft(&ticket.task);
                self.view.say_completed(&completed)?;
                Filled::Done
            }
            TaskSubmitted::Kept | TaskSubmitted::Filed(Submitted::Waits(..)) => {
                self.view.say(&filed(false))?;
                self.executor.record.forget_draft(&ticket.task);
                Filled::Done
            }
            TaskSubmitted::Late | TaskSubmitted::Early | TaskSubmitted::Filed(Submitted::Stale) => {
                self.view.say(&RunEvent::WorkerLate { slot: request.label.clone(), kept_in: "the archive" })?;
                Filled::Done
            }
        })
    }

    /// Asks the agent, when what an earlier holder of the task has begun is ended. A reply that one has received is taken.
    fn ask_anew(&mut self, ticket: &Ticket, request: &Request, agent: &Agent) -> Result<Asked, Stopped> {
        self.end_earlier(ticket, request)?;
        let attempts = self.executor.record.read()?;
        if let Some(attempt) = attempts.waiting(&request.name, &request.answers) {
            let (attempt, slot) = (attempt.clone(), request.name.clone());
            self.view.say(&RunEvent::Found { attempt: attempt.started.attempt, slot, how: "finished" })?;
            return Ok(Asked::Reply(Box::new(attempt)));
        }
        self.ask(request, agent, &|own: &Self| own.holds(ticket))
    }

    /// Asks the agent until it has written a reply, or there is no use in asking again.
    /// `still`: whether the debate waits for it.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        agent: &Agent,
        still: &dyn Fn(&Self) -> bool,
    ) -> Result<Asked, Stopped> {
        loop {
            let attempts = self.executor.record.read()?;
            let failures: Vec<_> = attempts.failures(&request.generation, 0).cloned().collect();
            match next_after(&failures) {
                Next::Ask => {}
                Next::AskAfter(wait) => {
                    let began = Instant::now();
                    while began.elapsed() < wait && self.executor.signals.received().is_none() {
                        std::thread::sleep(LOOKS);
                        if !still(self) {
                            return Ok(Asked::Stopped);
                        }
                    }
                }
                Next::Pause(why) | Next::Fail(why) => return Ok(Asked::GaveUp(why)),
            }
            if self.executor.signals.received().is_some() || !still(self) {
                return Ok(Asked::Stopped);
            }
            if self.limits.step(&attempts, request) != Step::GoOn {
                return Ok(Asked::GaveUp("a limit of the run is reached".to_owned()));
            }
            let recovery = failures
                .first()
                .and_then(|failure| failure.error)
                .map_or_else(String::new, |kind| format!("asked again: {}", kind.label()));
            self.view.begin(format!("{} · {}", request.label, agent.name), agent.output);
            let mut watch = Watching { view: &self.view, still: || still(self) };
            let attempt = self.executor.attempt(request, agent, &recovery, &mut watch);
            self.view.end();
            let attempt = attempt?;
            self.view.say_left(&attempt)?;
            if attempt.is_received() {
                self.in_vain = 0;
                return Ok(Asked::Reply(Box::new(attempt)));
            }
            let Some((kind, ended)) = attempt.ended.as_ref().and_then(|ended| Some((ended.error?, ended))) else {
                return Ok(Asked::Stopped);
            };
            if !kind.counts() {
                if self.executor.signals.received().is_some() || !still(self) {
                    return Ok(Asked::Stopped);
                }
                // Nobody here has stopped it, and what has may do so for ever.
                self.in_vain += 1;
                if self.in_vain == CHANCES {
                    self.in_vain = 0;
                    return Ok(Asked::GaveUp(format!("it was ended from outside, {CHANCES} times in a row")));
                }
                continue;
            }
            self.view.say(&RunEvent::AttemptFailed {
                attempt: attempt.started.attempt,
                slot: request.name.clone(),
                agent: agent.name.clone(),
                kind,
                message: ended.message.clone(),
                retry_in: None,
            })?;
        }
    }

    /// What an earlier holder of this task has begun is ended. What came of it for another state of the debate is kept aside: it is
    /// late.
    fn end_earlier(&self, ticket: &Ticket, request: &Request) -> Result<(), Stopped> {
        let is_earlier = |attempt: &&Attempt| {
            attempt.is_of_claim()
                && attempt.started.slot == request.name
                && attempt.started.generation != request.generation
                && !attempt.is_submitted
        };
        let attempts = self.executor.record.read()?;
        for attempt in attempts.all.iter().filter(is_earlier) {
            let attempt = if attempt.ended.is_none() {
                self.executor.settle(attempt, Orphan::Kill, &mut Nobody)?
            } else {
                attempt.clone()
            };
            if attempt.is_received()
                && !request.answers.iter().any(|state| state == attempt.answers())
                && let Ok(text) = self.executor.reply(&attempt)
            {
                self.with(|engine| engine.keep_late(&ticket.id, &text))?;
                self.executor.note_submitted(&attempt);
            }
        }
        Ok(())
    }
}

/// What became of a task.
pub(super) enum Filled {
    /// It is not this worker's any more: filed, or too late.
    Done,
    /// It is asked for once more; this was written.
    Again(String),
    /// It was stopped, and holds the task as far as that is its own still.
    Stopped,
    /// The worker goes, with this exit code.
    GaveUp(ExitCode),
}

/// What an agent has done.
pub(super) enum Asked {
    Reply(Box<Attempt>),
    GaveUp(String),
    Stopped,
}

/// Nobody watches what is ended.
struct Nobody;

impl Watch for Nobody {
    fn arrived(&mut self, _: &std::path::Path, _: Duration) {}

    fn is_over(&mut self) -> bool {
        false
    }
}
