//! One debate, argued by one process, seat after seat, until it is complete or has to stop.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::domain::attempt::Generation;
use crate::domain::debate::{Debate, Status};
use crate::domain::tasks::Place;
use crate::engine::{Engine, HeldTask, Request, Session, Skipped, Stopped};
use crate::error::Result;
use crate::messages;
use crate::run::RunOptions;
use crate::run::attempt::Orphan;
use crate::run::choice::{self, StandIns};
use crate::run::work::{Desk, Obstacle, Offer, TaskSource, Terms, settle, work};
use crate::seats::{Agent, Effort, Plan, RunEvent};
use crate::storage::{Attempt, RunId, RunRecord};
use crate::system::process::{Background, ProcessId};
use crate::text::door::Door;

/// Exit code for a debate that is paused or has failed.
pub(super) const PAUSED: u8 = 5;

/// Longest time that the helpers get to end their agents.
const GRACE: Duration = Duration::from_secs(3);

/// The helpers and workers that a run knows of.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// The helpers of `--jobs` that may still run.
    pub(super) running: Vec<Background>,
    /// Number of helpers that were started.
    pub(super) started: u8,
    /// Saved replies and judgments that the user has seen.
    pub(super) seen: Option<usize>,
    /// The task of the worker that the run waits for, and since when.
    pub(super) waits_for: Option<(HeldTask, Instant)>,
}

impl Helpers {
    /// Ends the helpers, which frees their tasks.
    pub(super) fn end(&mut self) {
        Background::end_all(&mut self.running, GRACE);
    }

    /// Counts a reply that the run has saved itself.
    pub(super) fn count_own(&mut self) {
        self.seen = self.seen.map(|seen| seen + 1);
    }
}

pub(in crate::run) struct Run<'a> {
    pub(in crate::run) desk: Desk<'a>,
    pub(in crate::run) session: Session,
    pub(super) plan: Plan,
    pub(super) record: RunRecord,
    pub(super) wanted: RunOptions,
    pub(super) helpers: Helpers,
    pub(super) stand_ins: StandIns,
}

impl<'a> Run<'a> {
    pub(in crate::run) fn new(
        desk: Desk<'a>,
        plan: Plan,
        debate: &Debate,
        record: RunRecord,
        wanted: RunOptions,
    ) -> Self {
        let client = ProcessId::current();
        let session = Session {
            id: RunId::from(client).to_string(),
            prompt_id: None,
            client: Some(client),
            for_client: record.for_client,
        };
        let stand_ins = StandIns::new(&plan, debate);
        let helpers = Helpers::default();
        Self { desk, session, plan, record, wanted, helpers, stand_ins }
    }

    /// Records the end of an attempt that an earlier run has begun.
    fn settle(&self) -> Result<()> {
        let Some(open) = self.desk.executor.record.read()?.open().cloned() else { return Ok(()) };
        settle(self, &open, Orphan::Wait, self.plan.advocate.first.output, open.answers())
    }

    /// Argues until the debate is complete or has to stop.
    pub(in crate::run) fn argue(mut self) -> Result<ExitCode> {
        let (id, take_over) = (self.desk.id.clone(), self.wanted.take_over);
        let taken =
            self.desk.with(|engine| engine.programs().take_up(&self.session, &id, take_over));
        let settled = taken.and_then(|_| Ok(self.settle()?));
        let ended = settled.and_then(|()| work(&mut self));
        self.helpers.end();
        match ended {
            Ok(code) => {
                self.publish(true);
                Ok(code)
            }
            Err(Stopped::Failed(error)) => {
                // Pause the debate, if that can still be written.
                let why = error.to_string();
                let _ = self.desk.with(|engine| engine.programs().rest(&self.session, false, &why));
                self.publish(true);
                Err(error)
            }
            // A worker may have saved the last unusable reply that the seat is allowed.
            Err(Stopped::Skipped(Skipped::NotActive)) if let Some(debate) = self.at_rest() => {
                self.paused(&debate, &debate.progress.status_detail)
            }
            Err(Stopped::Skipped(why)) => {
                let why = Door::Shell.text(match why {
                    Skipped::NoDebate => {
                        "the debate is gone: it was cancelled, or its file removed; \
                         `anvil history` lists it"
                    }
                    Skipped::NotOwner => {
                        "another session has taken the debate over; `anvil status` shows it"
                    }
                    _ => "the debate does not run any more; `anvil status` shows it",
                });
                let at = self.desk.id.clone();
                self.desk.view.say(&RunEvent::Paused { at, why, failed: false })?;
                Ok(ExitCode::from(PAUSED))
            }
        }
    }

    /// This debate, if it is paused or has failed.
    fn at_rest(&self) -> Option<Debate> {
        let debate =
            Engine::new(&self.desk.now()).workers().debate_to_join(Some(&self.desk.id)).ok()?.0;
        matches!(debate.progress.status, Status::Paused | Status::Failed).then_some(debate)
    }

    /// The agent that writes the reply.
    fn agent_of(&self, request: &Request) -> Result<Agent> {
        if let Some(checker) = self.plan.checker.as_ref().filter(|_| request.check.is_some()) {
            return Ok(checker.clone());
        }
        self.agent_at(request.place())
    }

    pub(super) fn agent_at(&self, place: Place) -> Result<Agent> {
        let attempts = self.desk.executor.record.read()?;
        Ok(self.plan.now(place, &attempts, choice::is_here).agent.clone())
    }

    /// True if the client that began the debate in its session is gone.
    fn is_orphaned(&self) -> bool {
        !self.record.detached && self.record.for_client.is_some_and(ProcessId::is_gone)
    }

    /// Pauses or fails the debate, and shows that.
    pub(super) fn rest(&self, has_failed: bool, why: &str) -> Result<ExitCode, Stopped> {
        let debate =
            self.desk.with(|engine| engine.programs().rest(&self.session, has_failed, why))?;
        Ok(self.paused(&debate, why)?)
    }

    pub(super) fn paused(&self, debate: &Debate, why: &str) -> Result<ExitCode> {
        let failed = debate.progress.status == Status::Failed;
        let (at, why) = (debate.slot_label(), why.to_owned());
        self.desk.view.say(&RunEvent::Paused { at, why, failed })?;
        self.say_total()?;
        if !self.wanted.is_passing {
            let seat = failed.then(|| choice::option_of(debate.progress.slot.seat()));
            let (issue, is_in_project) = (self.wanted.publish, self.desk.dir().is_none());
            let line = messages::run_resumes(&self.wanted.named, issue, seat, is_in_project);
            self.desk.view.print_line(&line)?;
        }
        Ok(ExitCode::from(PAUSED))
    }

    pub(super) fn say_total(&self) -> Result<()> {
        let effort = Effort::from_attempts(&self.desk.executor.record.read()?);
        effort.map_or(Ok(()), |effort| self.desk.view.say(&RunEvent::Total(effort)))
    }
}

impl TaskSource for Run<'_> {
    fn desk(&self) -> &Desk<'_> {
        &self.desk
    }

    fn next(&mut self) -> Result<Offer, Stopped> {
        if let Some(signal) = self.desk.executor.signals.received() {
            self.rest(false, &format!("{} stopped it", signal.name()))?;
            return Ok(Offer::End(ExitCode::from(signal.exit_code())));
        }
        if self.is_orphaned() {
            return Ok(Offer::End(self.rest(false, "Claude Code ended")?));
        }
        let request = match self.next_request() {
            Ok(Ok(request)) => request,
            Ok(Err(offer)) => return Ok(offer),
            Err(stopped) => return self.end_of_workers(stopped),
        };
        let terms = Terms {
            agent: self.agent_of(&request)?,
            limits: self.wanted.limits,
            failures_count_from: self.record.since,
            is_single: false,
            orphan: Orphan::Wait,
        };
        Ok(Offer::Task(Box::new(request), Box::new(terms)))
    }

    fn still_waits(&self, generation: Generation) -> bool {
        !self.is_orphaned()
            && Engine::new(&self.desk.now()).programs().still_waits(&self.session, generation)
    }

    fn save(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        let ended = self.hand_in(request, attempt)?;
        if ended.is_none() {
            self.publish(false);
        }
        Ok(ended)
    }

    fn give_up(
        &mut self,
        request: &Request,
        obstacle: Obstacle,
    ) -> Result<Option<ExitCode>, Stopped> {
        if request.check.is_some() {
            let why = match obstacle {
                Obstacle::Limit { option, .. } => format!("{option} leaves no room for it"),
                Obstacle::Waits(why) | Obstacle::Failed(why) => why,
                Obstacle::Broken(error) => error.to_string(),
            };
            return self.leave_out(request, &why).map(|()| None);
        }
        if matches!(obstacle, Obstacle::Limit { .. }) && self.waits_for_helpers() {
            return Ok(None);
        }
        let agent = self.agent_of(request)?.short();
        let agent = agent.as_str();
        match obstacle {
            Obstacle::Limit { option, synthesis_fits: true } => {
                self.desk.view.say(&RunEvent::CutShort { limit: option })?;
                self.desk.with(|engine| engine.programs().cut_short(&self.session))?;
                Ok(None)
            }
            Obstacle::Limit { option, .. } => {
                self.rest(false, &format!("{option} is reached")).map(Some)
            }
            Obstacle::Waits(why) => self.rest(false, &format!("{agent}: {why}")).map(Some),
            Obstacle::Failed(why) => self.rest(true, &format!("{agent}: {why}")).map(Some),
            Obstacle::Broken(error) => Err(error.into()),
        }
    }
}
