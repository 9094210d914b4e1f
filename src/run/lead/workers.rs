//! Replies of other processes in a debate that a run leads: workers who joined, and helpers of
//! `--jobs`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::argue::Run;
use crate::domain::command::SeatOptions;
use crate::domain::debate::Phase;
use crate::domain::transcript::count_words;
use crate::engine::{
    Completed, FiledReply, HeldTask, LeaderNext, Request, SeatView, Skipped, Stopped,
};
use crate::error::Result;
use crate::run::attempt::{not_run, own_program};
use crate::run::choice;
use crate::run::work::{Offer, effort};
use crate::seats::{self, RunEvent};
use crate::storage::Attempt;
use crate::system::process::Background;
use crate::text::clean;
use crate::text::door::Door;

/// Time between two checks whether a worker has saved its reply.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Run<'_> {
    /// The next request; `Err` if a worker writes that reply or the debate is complete.
    pub(super) fn next_request(&mut self) -> Result<Result<Request, Offer>, Stopped> {
        if let Some(check) = self.check_due()? {
            return Ok(Ok(check));
        }
        let session = self.session.clone();
        match self.desk.with(|engine| engine.workers().leader_next(&session))? {
            LeaderNext::Writes => {}
            LeaderNext::Waits(held) => return Ok(Err(self.wait_for(&held)?)),
            LeaderNext::Completed(completed) => {
                self.say_saved(usize::MAX)?;
                return Ok(Err(Offer::End(self.say_completed(&completed)?)));
            }
        }
        self.start_helpers()?;
        let view =
            SeatView { in_project: self.wanted.in_project, is_side_by_side: self.jobs() > 1 };
        let attempts = self.desk.executor.record.read()?;
        self.stand_ins.say_new(&self.plan, &self.desk.view, &attempts)?;
        let context = |place| self.plan.now(place, &attempts, choice::is_here).agent.context;
        let request =
            self.desk.with(|engine| engine.programs().request(&session, view, context))?;
        self.say_saved(request.filed)?;
        Ok(Ok(request))
    }

    /// Replies that are written at the same time.
    fn jobs(&self) -> u8 {
        self.wanted.jobs.unwrap_or(1)
    }

    /// Waits a moment for the helpers. False: none writes any more, so all that counts for a limit is
    /// measured.
    pub(super) fn waits_for_helpers(&mut self) -> bool {
        self.helpers.running.retain_mut(|helper| !helper.is_over());
        let is_helped = !self.helpers.running.is_empty();
        if is_helped {
            std::thread::sleep(POLL_INTERVAL);
        }
        is_helped
    }

    /// A worker may have completed the debate between two looks at it.
    pub(super) fn end_of_workers(&mut self, stopped: Stopped) -> Result<Offer, Stopped> {
        let session = self.session.clone();
        if matches!(stopped, Stopped::Skipped(Skipped::NotActive))
            && let LeaderNext::Completed(completed) =
                self.desk.with(|engine| engine.workers().leader_next(&session))?
        {
            self.say_saved(usize::MAX)?;
            return Ok(Offer::End(self.say_completed(&completed)?));
        }
        Err(stopped)
    }

    /// Starts helpers of `--jobs`, one for each reply that can be written now and fits the
    /// limits.
    fn start_helpers(&mut self) -> Result<(), Stopped> {
        self.helpers.running.retain_mut(|helper| !helper.is_over());
        let most = usize::from(self.jobs().saturating_sub(1));
        if self.helpers.running.len() >= most {
            return Ok(());
        }
        let session = self.session.clone();
        let (count, judges) = self.desk.with(|engine| engine.workers().side_by_side(&session))?;
        let count = count.min(most - self.helpers.running.len());
        if count == 0 {
            return Ok(());
        }
        let attempts = self.desk.executor.record.read()?;
        let count = self.wanted.limits.fitting(&attempts, count, judges);
        let mut arguments = vec!["join".to_owned(), self.desk.id.clone(), "--helper".to_owned()];
        let named = choice::from_words(&self.record.agents);
        arguments.extend(SeatOptions { fact_checker: None, ..named }.arguments());
        arguments.extend(self.wanted.in_project.then(|| "--in-project".to_owned()));
        let arguments = arguments.into_iter().map(OsString::from).chain(self.desk.dir());
        let arguments: Vec<OsString> = arguments.collect();
        for _ in 0..count {
            self.helpers.started = self.helpers.started.saturating_add(1);
            let log = self.desk.executor.record.open_log(Some(self.helpers.started))?;
            let program = own_program()?;
            let folder = &self.desk.executor.project;
            let started = Background::start(&program, &arguments, folder, &[], log);
            self.helpers.running.push(started.map_err(|error| not_run(&error))?);
        }
        Ok(())
    }

    /// Waits for a worker that writes the next reply. If this machine can't tell whether the worker
    /// lives, the run ends after the time of a whole reply.
    fn wait_for(&mut self, held: &HeldTask) -> Result<Offer, Stopped> {
        let since = match &self.helpers.waits_for {
            Some((known, since)) if known == held => *since,
            _ => {
                let HeldTask { slot, mut worker, .. } = held.clone();
                if self.helpers.running.iter().any(|helper| helper.pid() == held.process.pid) {
                    worker = self.agent_at(held.place)?.name;
                }
                self.desk.view.say(&RunEvent::HeldBy { slot, worker })?;
                self.helpers.waits_for = Some((held.clone(), Instant::now()));
                Instant::now()
            }
        };
        let longest =
            self.wanted.limits.max_reply.unwrap_or(self.plan.synthesizer.first.limits.whole);
        if let Some(host) = held.elsewhere.as_ref().filter(|_| since.elapsed() >= longest) {
            let (task, worker) = (&held.task, clean(&held.worker, 60));
            let why = format!(
                "{worker} on {host} holds {task} longer than --max-reply, and nothing here tells \
                 whether it still writes; {} frees it",
                Door::Shell.command(&format!("tasks --drop {task}"))
            );
            return Ok(Offer::End(self.rest(false, &why)?));
        }
        std::thread::sleep(POLL_INTERVAL);
        Ok(Offer::Nothing)
    }

    /// Shows the replies that others have saved since the last time.
    fn say_saved(&mut self, saved: usize) -> Result<(), Stopped> {
        let seen = self.helpers.seen.replace(saved).unwrap_or(saved);
        if seen < saved {
            let session = self.session.clone();
            let replies = self.desk.with(|engine| engine.workers().saved_since(&session, seen))?;
            let attempts = self.desk.executor.record.read()?.all;
            for FiledReply { name, label, slot, is_judgment, text } in replies {
                let wrote = |attempt: &&Attempt| {
                    attempt.started.slot == name && attempt.is_leased() && attempt.is_received()
                };
                let attempt = attempts.iter().rev().find(wrote);
                let (seconds, tokens) = attempt.map_or((0, None), effort);
                self.desk.view.say(&RunEvent::Filed {
                    slot: label,
                    agent: attempt
                        .map_or_else(|| "a worker".to_owned(), |wrote| wrote.started.agent.clone()),
                    heads: seats::heads(slot, &text),
                    words: count_words(&text),
                    seconds,
                    tokens,
                    settled: false,
                    is_synthesis: slot.phase == Phase::Synthesizer && !is_judgment,
                })?;
            }
            // The end of the run writes it anyway.
            if saved < usize::MAX {
                self.publish(false);
            }
        }
        Ok(())
    }

    /// Shows the result of a complete debate.
    pub(super) fn say_completed(&self, completed: &Completed) -> Result<ExitCode> {
        self.desk.view.say_completed(completed)?;
        self.say_total()?;
        self.gates()
    }
}
