//! What others write of a debate that a run leads: workers who joined, and the helpers of `--jobs`.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::argue::{PAUSED, Run};
use super::choice;
use super::executor::own_program;
use crate::debate::Slot;
use crate::engine::{Completed, Conclusion, HeldTask, LeaderNext, Request, Stopped};
use crate::error::Result;
use crate::process::Background;
use crate::seats::{self, RunEvent};
use crate::text::clean;
use crate::transcript::count_words;

/// Between two looks at whether a worker has written its reply.
const LOOKS: Duration = Duration::from_millis(200);

impl Run<'_> {
    /// What is asked next. `Break`: the debate is complete, or, without an exit code, somebody else writes that.
    pub(super) fn next_request(&mut self) -> Result<ControlFlow<Option<ExitCode>, Request>, Stopped> {
        if let Some(check) = self.check_due()? {
            return Ok(ControlFlow::Continue(check));
        }
        let session = self.session.clone();
        match self.with(|engine| engine.leader_next(&session))? {
            LeaderNext::Writes => {}
            LeaderNext::Waits(held) => return Ok(ControlFlow::Break(self.wait_for(&held)?)),
            LeaderNext::Completed(completed) => {
                self.say_filed(usize::MAX)?;
                return Ok(ControlFlow::Break(Some(self.say_completed(&completed)?)));
            }
            LeaderNext::Over(conclusion) => {
                self.say_filed(usize::MAX)?;
                return Ok(ControlFlow::Break(Some(self.say_over(*conclusion)?)));
            }
        }
        self.call_helpers()?;
        let in_project = self.wanted.in_project;
        let request = self.with(|engine| engine.request(&session, in_project, |seat| self.plan.of(seat).context))?;
        self.say_filed(request.filed)?;
        Ok(ControlFlow::Continue(request))
    }

    /// Starts the helpers of `--jobs`, as many as there are replies for them.
    fn call_helpers(&mut self) -> Result<(), Stopped> {
        self.helpers.running.retain_mut(|helper| !helper.is_over());
        let most = usize::from(self.wanted.jobs.saturating_sub(1));
        if self.helpers.running.len() >= most {
            return Ok(());
        }
        let session = self.session.clone();
        let count = self.with(|engine| engine.side_by_side(&session))?.min(most - self.helpers.running.len());
        let mut arguments = vec!["join".to_owned(), self.id.clone(), "--helper".to_owned()];
        let named = self.record.agents.iter().filter(|(seat, _)| *seat != choice::FACT_CHECKER);
        arguments.extend(named.map(|(seat, agent)| format!("--{seat}={agent}")));
        arguments.extend(self.wanted.in_project.then(|| "--in-project".to_owned()));
        for _ in 0..count {
            self.helpers.started = self.helpers.started.saturating_add(1);
            let log = self.executor.record.open_helper_log(self.helpers.started)?;
            let (program, key) = (own_program()?, self.executor.record.key().digits());
            let began = Background::start(&program, &arguments, &self.executor.project, &[], log, Some(&key));
            let began = began.map_err(|error| error.of("the program itself", "check that anvil can be run"))?;
            self.helpers.running.push(began);
        }
        Ok(())
    }

    /// A worker writes what is next. `Some`: nobody can tell whether it still does, and it had the time of a whole reply.
    fn wait_for(&mut self, held: &HeldTask) -> Result<Option<ExitCode>, Stopped> {
        let since = match &self.helpers.waits_for {
            Some((known, since)) if known == held => *since,
            _ => {
                let HeldTask { slot, worker, .. } = held.clone();
                self.view.say(&RunEvent::HeldBy { slot, worker })?;
                self.helpers.waits_for = Some((held.clone(), Instant::now()));
                Instant::now()
            }
        };
        let longest = self.wanted.limits.reply.unwrap_or(self.plan.synthesizer.limits.whole);
        if let Some(host) = held.elsewhere.as_ref().filter(|_| since.elapsed() >= longest) {
            let (task, worker) = (&held.task, clean(&held.worker, 60));
            let why = format!(
                "{worker} on {host} holds {task} longer than --max-reply, and nothing here tells whether it still writes; `anvil workers --drop {task}` frees it"
            );
            self.rest(false, &why)?;
            return Ok(Some(ExitCode::from(PAUSED)));
        }
        self.sleep(LOOKS)?;
        Ok(None)
    }

    /// Says what others have filed since.
    fn say_filed(&mut self, filed: usize) -> Result<(), Stopped> {
        let seen = self.helpers.seen.replace(filed).unwrap_or(filed);
        if seen < filed {
            let session = self.session.clone();
            let filed = self.with(|engine| engine.filed_since(&session, seen))?;
            self.say_each(filed)?;
        }
        Ok(())
    }

    fn say_each(&self, filed: Vec<(String, Slot, String)>) -> Result<()> {
        for (label, slot, text) in filed {
            self.view.say(&RunEvent::Filed {
                slot: label,
                agent: "a worker".to_owned(),
                heads: seats::heads(slot, &text),
                words: count_words(&text),
                seconds: 0,
                tokens: None,
                settled: false,
            })?;
        }
        Ok(())
    }

    /// What the user reads at the end.
    pub(super) fn say_completed(&self, completed: &Completed) -> Result<ExitCode> {
        self.view.say_completed(completed)?;
        self.say_total()?;
        self.gates()
    }

    /// The same where a worker has completed it.
    fn say_over(&self, conclusion: Conclusion) -> Result<ExitCode> {
        self.view.say(&RunEvent::Completed {
            verdict: conclusion.verdict,
            claims: conclusion.claims,
            disposed: conclusion.claims,
            contradicted: conclusion.contradicted,
            report: conclusion.report,
            page: None,
        })?;
        self.say_total()?;
        self.gates()
    }
}
