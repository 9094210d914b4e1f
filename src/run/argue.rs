//! One debate, argued from one process: seat after seat, to its end or as far as it gets.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::executor::{Executor, Watch};
use super::helpers::Helpers;
use super::limits::{CHANCES, Next, next_after, rest_of};
use super::view::View;
use super::{Wanted, choice};
use crate::debate::{Debate, Seat, Status};
use crate::engine::{Engine, Nothing, RUN, Request, Session, Stopped};
use crate::error::{Error, Result};
use crate::messages;
use crate::process::Signals;
use crate::seats::{Effort, Plan, RunEvent, Step};
use crate::state::{Attempt, Client, FailureKind, RunRecord};
use crate::world::World;

/// Exit code for one that waits, or has failed.
pub(super) const PAUSED: u8 = 5;

/// A run: one debate, from one process.
pub(super) struct Run<'a> {
    world: &'a World,
    pub(super) session: Session,
    pub(super) id: String,
    pub(super) plan: Plan,
    pub(super) record: RunRecord,
    pub(super) executor: Executor,
    pub(super) view: View,
    pub(super) wanted: Wanted<'a>,
    pub(super) helpers: Helpers,
}

impl<'a> Run<'a> {
    #[expect(clippy::too_many_arguments, reason = "all of them are what a run is")]
    pub(super) fn new(
        world: &'a World,
        engine: &Engine<'_>,
        id: String,
        plan: Plan,
        record: RunRecord,
        project: &Path,
        view: View,
        wanted: Wanted<'a>,
    ) -> Result<Self> {
        let signals = Signals::listen(true).map_err(|error| Error::io(&error, "try again"))?;
        let pid = std::process::id();
        let client = Client::of_pid(pid);
        let session = Session {
            id: format!("{RUN}{pid}-{}", client.started),
            prompt_id: None,
            client: Some(client),
            for_client: record.for_client,
        };
        let executor = Executor {
            disk: world.disk.clone(),
            record: engine.attempt_record(&id),
            signals,
            project: project.to_owned(),
        };
        Ok(Self { world, session, id, plan, record, executor, view, wanted, helpers: Helpers::default() })
    }

    /// The world as it is now.
    pub(super) fn now(&self) -> World {
        at_this_moment(self.world)
    }

    /// Does something with an engine of this moment, and shows what it has noted beside it.
    pub(super) fn with<T>(&self, what: impl FnOnce(&Engine<'_>) -> Result<T, Stopped>) -> Result<T, Stopped> {
        let world = self.now();
        let engine = Engine::new(&world);
        let done = what(&engine);
        for note in engine.take_notes() {
            if !self.wanted.as_json {
                self.view.print(&messages::note(&note))?;
            }
        }
        done
    }

    /// What an earlier run has begun: its end is on record afterwards.
    fn settle(&mut self) -> Result<()> {
        let Some(open) = self.executor.record.read()?.open().cloned() else { return Ok(()) };
        self.settle_one(&open, open.answers())
    }

    /// The same of one, which is waited for while the debate waits for what answers `generation`.
    fn settle_one(&mut self, open: &Attempt, generation: &str) -> Result<()> {
        let (attempt, slot) = (open.started.attempt, open.started.slot.clone());
        let found = |how| RunEvent::Found { attempt, slot: slot.clone(), how };
        let is_running = open.started.process.is_alive();
        if is_running {
            self.view.say(&found("running"))?;
        }
        let agent = self.plan.advocate.output;
        self.view.begin(format!("{slot} · {}", open.started.agent), agent);
        let mut watch = Watching { view: &self.view, still: self.still_waits(generation) };
        let settled = self.executor.settle(open, self.wanted.orphan, &mut watch);
        self.view.end();
        if !settled?.is_received() {
            self.view.say(&found("lost"))?;
        }
        Ok(())
    }

    /// Whether the debate still waits for what is being written for `generation`.
    fn still_waits(&self, generation: &str) -> impl FnMut() -> bool + use<> {
        let (world, session, record) = (self.world.clone(), self.session.clone(), self.record.clone());
        let generation = generation.to_owned();
        move || !is_orphaned(&record) && Engine::new(&at_this_moment(&world)).still_waits(&session, &generation)
    }

    /// Refuses where another running session owns the debate: then its programs are its own, too.
    pub(super) fn check(&self, engine: &Engine<'_>, debate: &Debate) -> Result<()> {
        engine.may_take_up(&self.session, debate, self.wanted.take_over)
    }

    /// A line for the user before it begins.
    pub(super) fn say(&self, event: &RunEvent) -> Result<()> {
        self.view.say(event)
    }

    /// Argues to the end, or as far as it gets.
    pub(super) fn argue(mut self) -> Result<ExitCode> {
        let (id, take_over) = (self.id.clone(), self.wanted.take_over);
        let taken = self.with(|engine| engine.take_up(&self.session, &id, take_over));
        let settled = taken.and_then(|_| Ok(self.settle()?));
        let ended = settled.and_then(|()| self.go_on());
        self.helpers.end();
        match ended {
            Ok(code) => Ok(code),
            Err(Stopped::Failed(error)) => {
                // It waits, as far as that can still be written.
                let why = error.to_string();
                let _ = self.with(|engine| engine.rest(&self.session, false, &why));
                Err(error)
            }
            // A worker's reply may have been the last that was not usable.
            Err(Stopped::Nothing(Nothing::NotActive)) if let Some(rests) = self.at_rest() => {
                self.paused(&rests, &rests.progress.status_detail)?;
                Ok(ExitCode::from(PAUSED))
            }
            Err(Stopped::Nothing(why)) => {
                let (why, hint) = match why {
                    Nothing::NoDebate => {
                        ("the debate is gone: it was cancelled, or its file removed", "`anvil history` lists it")
                    }
                    Nothing::NotOwner => ("another session has taken the debate over", "`anvil status` shows it"),
                    _ => ("the debate does not run any more", "`anvil status` shows it"),
                };
                self.view.say(&RunEvent::Paused {
                    at: self.id.clone(),
                    why: format!("{why}; {hint}"),
                    failed: false,
                })?;
                Ok(ExitCode::from(PAUSED))
            }
        }
    }

    /// The debate, where it is still this one and rests.
    fn at_rest(&self) -> Option<Debate> {
        let debate = Engine::new(&self.now()).debate_to_join(Some(&self.id)).ok()?.0;
        matches!(debate.progress.status, Status::Paused | Status::Failed).then_some(debate)
    }

    fn go_on(&mut self) -> Result<ExitCode, Stopped> {
        let mut in_vain = 0;
        loop {
            if let Some(signal) = self.executor.signals.received() {
                self.rest(false, &format!("{} stopped it", signal.name()))?;
                return Ok(ExitCode::from(signal.exit_code()));
            }
            if is_orphaned(&self.record) {
                self.rest(false, "Claude Code ended")?;
                return Ok(ExitCode::from(PAUSED));
            }
            let request = match self.next_request()? {
                ControlFlow::Continue(request) => request,
                ControlFlow::Break(Some(code)) => return Ok(code),
                ControlFlow::Break(None) => continue,
            };
            let session = self.session.clone();
            let is_check = request.check.is_some();
            if let Some(to) = self.record.handed_to.clone().filter(|_| request.seat != Seat::Critic) {
                let agent = self.plan.critic.name.clone();
                self.with(|engine| engine.hand_back(&session, &to, &agent))?;
                return Ok(ExitCode::SUCCESS);
            }
            let attempts = self.executor.record.read()?;
            // A worker that is gone has begun it: nobody holds the task now.
            if let Some(left) = attempts.unended(&request.name, &request.answers).next().cloned() {
                self.settle_one(&left, &request.generation)?;
                continue;
            }
            if let Some(attempt) = attempts.waiting(&request.name, &request.answers).cloned() {
                self.view.say(&RunEvent::Found {
                    attempt: attempt.started.attempt,
                    slot: attempt.started.slot.clone(),
                    how: "finished",
                })?;
                if let Some(code) = self.file(&request, &attempt)? {
                    return Ok(code);
                }
                continue;
            }
            match self.wanted.limits.step(&attempts, &request) {
                Step::GoOn => {}
                Step::Synthesize(limit) | Step::Pause(limit) if is_check => {
                    self.leave_out(&request, &format!("{} leaves no room for it", limit.option()))?;
                    continue;
                }
                Step::Synthesize(limit) => {
                    self.view.say(&RunEvent::CutShort { limit: limit.option() })?;
                    self.with(|engine| engine.cut_short(&session))?;
                    continue;
                }
                Step::Pause(limit) => {
                    self.rest(false, &format!("{} is reached", limit.option()))?;
                    return Ok(ExitCode::from(PAUSED));
                }
            }
            let failures: Vec<_> = attempts.failures(&request.generation, self.record.since).cloned().collect();
            match next_after(&failures) {
                Next::Ask => {}
                Next::AskAfter(wait) => {
                    let failed_at = failures.first().map_or(Timestamp::UNIX_EPOCH, |last| last.at);
                    self.sleep(rest_of(wait, failed_at, Timestamp::now()))?;
                }
                Next::Pause(why) | Next::Fail(why) if is_check => {
                    self.leave_out(&request, &why)?;
                    continue;
                }
                Next::Pause(why) => return self.give_up(&request, false, &why),
                Next::Fail(why) => return self.give_up(&request, true, &why),
            }
            if self.executor.signals.received().is_some() || is_orphaned(&self.record) {
                continue;
            }
            let recovery = match failures.first().and_then(|failure| failure.error) {
                Some(kind) => format!("asked again: {}", kind.label()),
                None => attempts.newest_of(&request.generation).map_or_else(String::new, |before| {
                    let kind = before.ended.as_ref().and_then(|ended| ended.error).unwrap_or(FailureKind::Lost);
                    format!("asked again: {}", kind.label())
                }),
            };
            let attempt = match self.ask(&request, &recovery, failures.len()) {
                Err(error) if is_check => {
                    self.leave_out(&request, &error.to_string())?;
                    continue;
                }
                asked => asked?,
            };
            if attempt.is_received() {
                in_vain = 0;
                if let Some(code) = self.file(&request, &attempt)? {
                    return Ok(code);
                }
            } else if attempt.failure().is_some_and(|kind| !kind.counts()) && self.executor.signals.received().is_none()
            {
                // Nobody here has stopped it: it was killed from outside, or has done that itself, and may do so for ever.
                in_vain += 1;
                if in_vain == CHANCES {
                    let agent = &self.agent_of(&request).name;
                    self.rest(false, &format!("{agent}: it was ended from outside, {in_vain} times in a row"))?;
                    return Ok(ExitCode::from(PAUSED));
                }
            }
        }
    }

    /// A seat is not asked any more before the user has done something.
    fn give_up(&self, request: &Request, has_failed: bool, why: &str) -> Result<ExitCode, Stopped> {
        let agent = &self.agent_of(request).name;
        self.rest(has_failed, &format!("{agent}: {why}"))?;
        Ok(ExitCode::from(PAUSED))
    }

    /// Has a program write what is asked.
    fn ask(&mut self, request: &Request, recovery: &str, failed_before: usize) -> Result<Attempt> {
        let attempts = self.executor.record.read()?;
        let mut agent = self.agent_of(request).clone();
        if let Some(left) = self.wanted.limits.time_left(&attempts, request.is_synthesis()) {
            agent.limits.whole = agent.limits.whole.min(left);
        }
        self.view.say(&RunEvent::Asked {
            attempt: attempts.next_number(),
            slot: request.name.clone(),
            agent: agent.name.clone(),
        })?;
        self.view.begin(format!("{} · {}", request.label, agent.name), agent.output);
        let mut watch = Watching { view: &self.view, still: self.still_waits(&request.generation) };
        let attempt = self.executor.attempt(request, &agent, recovery, &mut watch);
        self.view.end();
        let attempt = attempt?;
        self.view.say_left(&attempt)?;
        if let Some((kind, ended)) = attempt.ended.as_ref().and_then(|ended| Some((ended.error?, ended)))
            && kind != FailureKind::Interrupted
        {
            let mut failures = self
                .executor
                .record
                .read()?
                .failures(&request.generation, self.record.since)
                .cloned()
                .collect::<Vec<_>>();
            failures.truncate(failed_before + 1);
            let retry_in = match next_after(&failures) {
                Next::Ask => Some(0),
                Next::AskAfter(wait) => Some(wait.as_secs()),
                Next::Pause(_) | Next::Fail(_) => None,
            };
            self.view.say(&RunEvent::AttemptFailed {
                attempt: attempt.started.attempt,
                slot: request.name.clone(),
                agent: agent.name,
                kind,
                message: ended.message.clone(),
                retry_in,
            })?;
        }
        Ok(attempt)
    }

    /// The debate waits, or has failed.
    pub(super) fn rest(&self, has_failed: bool, why: &str) -> Result<(), Stopped> {
        let debate = self.with(|engine| engine.rest(&self.session, has_failed, why))?;
        Ok(self.paused(&debate, why)?)
    }

    pub(super) fn paused(&self, debate: &Debate, why: &str) -> Result<()> {
        let failed = debate.progress.status == Status::Failed;
        self.view.say(&RunEvent::Paused { at: debate.slot_label(), why: why.to_owned(), failed })?;
        self.say_total()?;
        if self.wanted.as_json {
            return Ok(());
        }
        let option = choice::option_of(debate.progress.slot.seat());
        let other = if failed { Some(option) } else { None };
        self.view.print(&messages::run_resumes(self.wanted.named, other))
    }

    pub(super) fn say_total(&self) -> Result<()> {
        let effort = Effort::of(&self.executor.record.read()?);
        effort.map_or(Ok(()), |effort| self.view.say(&RunEvent::Total(effort)))
    }

    /// Waits, but not for a user who wants it to end.
    pub(super) fn sleep(&self, wait: Duration) -> Result<(), Stopped> {
        let began = Instant::now();
        let mut looked = began;
        while began.elapsed() < wait && self.executor.signals.received().is_none() {
            std::thread::sleep(Duration::from_millis(50).min(wait));
            if looked.elapsed() > Duration::from_secs(1) {
                looked = Instant::now();
                let world = self.now();
                if is_orphaned(&self.record) {
                    return Ok(());
                }
                if !Engine::new(&world).still_runs(&self.session) {
                    return Err(Nothing::NotActive.into());
                }
            }
        }
        Ok(())
    }
}

/// True where the client is gone in whose session this was begun.
fn is_orphaned(record: &RunRecord) -> bool {
    !record.detached && record.for_client.is_some_and(Client::is_gone)
}

/// The same world, later.
pub(super) fn at_this_moment(world: &World) -> World {
    world.at_this_moment()
}

/// What looks at an attempt while it is waited for.
pub(super) struct Watching<'a, F> {
    pub(super) view: &'a View,
    pub(super) still: F,
}

impl<F: FnMut() -> bool> Watch for Watching<'_, F> {
    fn arrived(&mut self, output: &Path, since: Duration) {
        self.view.arrived(output, since);
    }

    fn is_over(&mut self) -> bool {
        !(self.still)()
    }
}
