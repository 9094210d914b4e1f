//! One debate, argued by one process until it is complete or has to stop.

use crate::attempt::{Executor, Orphan};
use crate::choice::{self, StandIns};
use crate::work::{Blocker, NextStep, RunContext, TaskConfig, TaskSource, work};
use crate::{Caller, RunOptions};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::debate::{Debate, Status};
use anvil_core::place::Place;
use anvil_engine::{
    Completed, ConcurrentOptions, Context, Request, SeatView, Session, Skipped, Stopped, programs,
};
use anvil_prompt::{Agent, Plan, RunEvent};
use anvil_store::{Attempt, Attempts, IssueLag, RunRecord};
use anvil_system::process::ProcessId;
use anvil_text::error::Result;
use anvil_text::{Exit, Verb, hint};
use std::process::ExitCode;

pub(crate) struct DebateRun<'a> {
    pub run_context: RunContext<'a>,
    pub session: Session,
    pub plan: Plan,
    pub record: RunRecord,
    pub wanted: RunOptions,
    pub caller: Caller,
    /// The pull request that gets the verdict as a comment.
    pub commented: Option<u32>,
    pub stand_ins: StandIns,
    /// The state of its issue after the last reply, if the issue is behind the debate.
    pub behind: Option<IssueLag>,
}

impl<'a> DebateRun<'a> {
    pub(crate) fn new(
        run_context: RunContext<'a>,
        plan: Plan,
        debate: &Debate,
        record: RunRecord,
        wanted: RunOptions,
        caller: Caller,
    ) -> Self {
        let client = ProcessId::current();
        let for_client = record.handover.for_client;
        let session = Session { for_client, ..Session::of_run(client) };
        let stand_ins = StandIns::new(&plan, debate);
        Self {
            run_context,
            session,
            plan,
            record,
            wanted,
            caller,
            commented: None,
            stand_ins,
            behind: None,
        }
    }

    /// Argues until the debate is complete or has to stop.
    pub(crate) fn argue(mut self, take_over: bool) -> Result<ExitCode> {
        let id = self.run_context.id.clone();
        let taken = self
            .run_context
            .with(|context| programs::take_up(context, &self.session, &id, take_over));
        let ready = taken.and_then(|_| Ok(self.say_room()?));
        match ready.and_then(|()| work(&mut self)) {
            Ok(code) => {
                self.publish(true);
                Ok(code)
            }
            Err(Stopped::Failed(error)) => {
                // Pause the debate, if that can still be written.
                let why = error.to_string();
                let _ = self
                    .run_context
                    .with(|context| programs::stop_debate(context, &self.session, false, &why));
                self.publish(true);
                Err(error)
            }
            Err(Stopped::Skipped(why)) => {
                let paused = self
                    .run_context
                    .with(|context| Ok(programs::paused_debate(context, &self.session)));
                if let Ok(Some(debate)) = paused {
                    return self.end_paused(&debate, &debate.why_stopped());
                }
                let why = self.run_context.view.door.text(match why {
                    Skipped::NoDebate => {
                        hint![
                            "the debate was cancelled or its file was deleted; ",
                            Verb::History,
                            " lists it"
                        ]
                    }
                    Skipped::NotOwner => {
                        hint![
                            "another session has taken the debate over; ",
                            Verb::Status,
                            " shows it"
                        ]
                    }
                    _ => hint!["the debate is no longer running; ", Verb::Status, " shows it"],
                });
                let at = self.run_context.id.clone();
                self.run_context.view.say(&RunEvent::Paused { at, why, failed: false })?;
                Ok(Exit::Paused.into())
            }
        }
    }

    /// The agent that writes the reply.
    fn agent_of(&self, request: &Request, attempts: &Attempts) -> Agent {
        match self.plan.checker.as_ref().filter(|_| request.check.is_some()) {
            Some(checker) => checker.clone(),
            None => self
                .plan
                .now(request.place, attempts.earlier_attempts(), choice::is_on_path)
                .agent
                .clone(),
        }
    }

    fn config(&self, request: &Request, attempts: &Attempts) -> TaskConfig {
        TaskConfig {
            agent: self.agent_of(request, attempts),
            limits: self.wanted.limits,
            failures_count_from: self.record.since,
            is_single: false,
            orphan: Orphan::Wait,
        }
    }

    /// The longest prompt of the agent that fills this place now.
    fn max_prompt_tokens(&self, place: Place, attempts: &Attempts) -> usize {
        self.plan.now(place, attempts.earlier_attempts(), choice::is_on_path).agent.context
    }

    /// The number of replies that may be written at the same time.
    fn jobs(&self) -> usize {
        self.wanted.jobs.unwrap_or(1).into()
    }

    fn view(&self) -> SeatView {
        SeatView { in_project: self.wanted.in_project, is_side_by_side: self.jobs() > 1 }
    }

    /// The next request: a fact-check that is due, else a reply.
    fn next_request(&mut self, attempts: &Attempts) -> Result<Request, Stopped> {
        if let Some(check) = self.check_due()? {
            return Ok(check);
        }
        self.stand_ins.say_new(&self.plan, &self.run_context.view, attempts)?;
        let view = self.view();
        self.run_context.with(|context| {
            programs::next_request(context, &self.session, view, attempts, |place| {
                self.max_prompt_tokens(place, attempts)
            })
        })
    }

    /// Shows the result of a complete debate.
    pub(crate) fn say_completed(&mut self, completed: &Completed) -> Result<ExitCode> {
        // The issue is written after this.
        let is_published = self.wanted.publish.is_some();
        let behind = completed.behind.clone().filter(|_| !is_published);
        self.run_context.view.say_completed(&Completed { behind, ..completed.clone() })?;
        self.say_total()?;
        self.comment();
        self.check_gates()
    }

    /// True if the client that started the debate is gone.
    fn is_orphaned(&self) -> bool {
        !self.record.handover.detached
            && self.record.handover.for_client.is_some_and(ProcessId::is_gone)
    }

    /// Pauses the debate, or lets it fail, and shows that.
    pub(crate) fn stop_debate(&mut self, has_failed: bool, why: &str) -> Result<ExitCode, Stopped> {
        let debate = self
            .run_context
            .with(|context| programs::stop_debate(context, &self.session, has_failed, why))?;
        Ok(self.end_paused(&debate, why)?)
    }

    pub(crate) fn end_paused(&mut self, debate: &Debate, why: &str) -> Result<ExitCode> {
        let failed = debate.status() == Status::Failed;
        let at = debate.place_label();
        let why = why.to_owned();
        self.run_context.view.say(&RunEvent::Paused { at, why, failed })?;
        self.say_total()?;
        if !self.caller.is_passing {
            let seat = failed.then(|| choice::option_of(debate.place().seat));
            let issue = self.wanted.publish;
            let is_in_project = self.run_context.is_in_project();
            let line = anvil_messages::run_resumes(
                issue,
                seat,
                is_in_project,
                &self.run_context.view.door,
            );
            self.run_context.view.print_line(&line)?;
        }
        Ok(Exit::Paused.into())
    }

    pub(crate) fn say_total(&mut self) -> Result<()> {
        let effort = self.run_context.executor.attempts()?.effort();
        effort.map_or(Ok(()), |effort| self.run_context.view.say(&RunEvent::Total(effort)))
    }
}

impl TaskSource for DebateRun<'_> {
    fn run_context(&self) -> &RunContext<'_> {
        &self.run_context
    }

    fn executor(&mut self) -> &mut Executor {
        &mut self.run_context.executor
    }

    fn next(&mut self) -> Result<NextStep, Stopped> {
        if let Some(signal) = self.run_context.executor.signals.last() {
            self.stop_debate(false, &format!("{} stopped it", signal.name()))?;
            return Ok(NextStep::End(ExitCode::from(signal.exit_code())));
        }
        if self.is_orphaned() {
            return Ok(NextStep::End(self.stop_debate(false, "Claude Code ended")?));
        }
        let attempts = self.run_context.executor.attempts()?;
        let request = self.next_request(&attempts)?;
        let config = self.config(&request, &attempts);
        Ok(NextStep::Task(Box::new(request), Box::new(config)))
    }

    fn concurrent(
        &mut self,
        running: usize,
        is_busy: &dyn Fn(Slot) -> bool,
    ) -> Result<Vec<(Request, TaskConfig)>, Stopped> {
        let most = self.jobs().saturating_sub(running);
        if most == 0 {
            return Ok(Vec::new());
        }
        let attempts = self.run_context.executor.attempts()?;
        let in_project = self.wanted.in_project;
        let requests = self.run_context.with(|context| {
            let wanted = ConcurrentOptions { in_project, most, attempts: &attempts, is_busy };
            programs::concurrent_requests(context, &self.session, &wanted, |place| {
                self.max_prompt_tokens(place, &attempts)
            })
        })?;
        let with_config = requests.into_iter().map(|request| {
            let config = self.config(&request, &attempts);
            (request, config)
        });
        Ok(with_config.collect())
    }

    fn still_waits(&self, slot: Slot, answers: Generation) -> bool {
        !self.is_orphaned()
            && programs::still_waits(
                &Context::new(&self.run_context.now()),
                &self.session,
                slot,
                answers,
            )
    }

    fn save(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        let ended = self.submit_reply(request, attempt)?;
        if ended.is_none() {
            self.publish(false);
        }
        Ok(ended)
    }

    fn give_up(
        &mut self,
        request: &Request,
        blocker: Blocker,
    ) -> Result<Option<ExitCode>, Stopped> {
        if request.check.is_some() {
            let why = match blocker {
                Blocker::Limit { option, .. } => format!("{option} would be exceeded"),
                Blocker::Waits(why) | Blocker::Failed(why) => why,
                Blocker::Broken(error) => error.to_string(),
            };
            return self.leave_check_out(request, &why).map(|()| None);
        }
        let attempts = self.run_context.executor.attempts()?;
        let agent = self.agent_of(request, &attempts).short();
        match blocker {
            Blocker::Limit { option, synthesis_fits: true } => {
                self.run_context.view.say(&RunEvent::CutShort { limit: option })?;
                self.run_context.with(|context| programs::cut_short(context, &self.session))?;
                Ok(None)
            }
            Blocker::Limit { option, .. } => {
                self.stop_debate(false, &format!("{option} is reached")).map(Some)
            }
            Blocker::Waits(why) => {
                self.stop_debate(false, &format!("{}: {why}", agent.as_str())).map(Some)
            }
            Blocker::Failed(why) => {
                self.stop_debate(true, &format!("{}: {why}", agent.as_str())).map(Some)
            }
            Blocker::Broken(error) => Err(error.into()),
        }
    }
}
