//! Saves a program's reply or a fact-check, and shows the result.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use super::argue::DebateRun;
use crate::view;
use crate::work::effort;
use anvil_core::reply::WrittenReply;
use anvil_engine::{Checked, Context, Filed, Request, Stopped, issues, programs, reason};
use anvil_prompt::RunEvent;
use anvil_store::{Attempt, IssueFix, IssueLag};
use anvil_text::error::Result;
use anvil_text::{Exit, Verb, hint};

/// How often the end of a run tries to write its issue, and the time between two tries.
const LAST_TRIES: u32 = 3;
const BETWEEN_TRIES: Duration = Duration::from_secs(2);

/// Longest time for all requests of a try.
pub(crate) const FORGE_LIMIT: Duration = Duration::from_secs(20);

/// Shown for a check without a single line in the required form.
const UNREADABLE: &str = "it contains no recognised line";

/// The reason for asking again if the debate changed while the reply was written.
const MEANWHILE: &str = "the debate was changed in the meantime";

impl DebateRun<'_> {
    /// Submits a reply to the debate. `Some`: the run ends.
    pub(crate) fn submit_reply(
        &mut self,
        request: &Request,
        attempt: &Attempt,
    ) -> Result<Option<ExitCode>, Stopped> {
        let text = self.run_context.executor.reply(attempt)?;
        let attempts = self.run_context.executor.attempts()?;
        let limit = self.wanted.limits.against_repeat(&attempts, request);
        let author = attempt.author();
        let written = WrittenReply { text: &text, author: Some(&author), limit };
        if request.check.is_some() {
            return self.submit_check(request, attempt, written).map(|()| None);
        }
        let filed = self.run_context.with(|context| {
            programs::submit(context, &self.session, request.generation, written)
        })?;
        self.run_context.executor.note_submitted(attempt);
        let is_settled = matches!(filed, Some(Filed::Saved { is_settled: true }));
        Ok(match filed {
            Some(Filed::Saved { .. } | Filed::BlockAgain(_)) => {
                self.run_context.say_saved(request, &text, attempt, is_settled)?;
                // A pause for the reader. A key ends this one and all later ones.
                if !self.caller.beat.is_zero() && view::is_key_pressed_within(self.caller.beat) {
                    self.caller.beat = Duration::ZERO;
                }
                None
            }
            Some(Filed::Again(why)) => {
                self.say_asked_again(request, reason(&why))?;
                None
            }
            Some(Filed::Waits(debate)) => {
                self.run_context.say_saved(request, &text, attempt, false)?;
                let steer = Verb::Steer.with("TEXT");
                let hint = self.run_context.view.door.text(hint![steer, " gives it a direction"]);
                Some(self.end_paused(&debate, &hint)?)
            }
            Some(Filed::Failed(debate)) => Some(self.end_paused(&debate, &debate.why_stopped())?),
            Some(Filed::Completed(completed)) => {
                self.run_context.say_saved(request, &text, attempt, false)?;
                Some(self.say_completed(&completed)?)
            }
            None => {
                let why = format!("{MEANWHILE}; what was written is put aside");
                self.say_asked_again(request, why)?;
                None
            }
        })
    }

    fn say_asked_again(&self, request: &Request, why: String) -> Result<()> {
        self.run_context.view.say(&RunEvent::AskedAgain { slot: request.label.clone(), why })
    }

    /// Submits the result of a fact-check.
    fn submit_check(
        &self,
        request: &Request,
        attempt: &Attempt,
        written: WrittenReply<'_>,
    ) -> Result<(), Stopped> {
        let checked = self.run_context.with(|context| {
            programs::submit_check(context, &self.session, attempt.answers(), written)
        })?;
        self.run_context.executor.note_submitted(attempt);
        let slot = request.label.clone();
        let agent = attempt.started.origin.agent.clone();
        let event = match checked {
            Some(Checked::Lines(lines)) if lines.is_empty() => {
                let why = match written.limit.filter(|_| !request.is_again) {
                    Some(limit) => format!("{UNREADABLE}; another try would exceed {limit}"),
                    None => UNREADABLE.to_owned(),
                };
                RunEvent::Unchecked { slot, why }
            }
            Some(Checked::Lines(lines)) => {
                let (seconds, tokens) = effort(attempt);
                RunEvent::Checked { slot, agent, lines, seconds, tokens }
            }
            Some(Checked::Again) => RunEvent::AskedAgain { slot, why: UNREADABLE.to_owned() },
            None => RunEvent::AskedAgain { slot, why: MEANWHILE.to_owned() },
        };
        Ok(self.run_context.view.say(&event)?)
    }

    /// Shows how much of the debate fits into the issue of `--publish`.
    pub(crate) fn say_room(&self) -> Result<()> {
        let Some(issue) = self.wanted.publish else { return Ok(()) };
        let room = self.run_context.with(|context| {
            Ok(issues::room(context, &self.session, &self.run_context.id, issue, FORGE_LIMIT)?)
        });
        match room {
            Ok(room) => self.run_context.view.print_line(&anvil_messages::room_in(issue, &room)),
            Err(Stopped::Skipped(_)) => Ok(()),
            Err(Stopped::Failed(error)) => {
                let door = &self.run_context.view.door;
                let line = anvil_messages::issue_not_ready(issue, &error, door);
                let _ = writeln!(io::stderr(), "{line}");
                Ok(())
            }
        }
    }

    /// Writes the debate into the issue of `--publish`. A failure of the forge ends nothing: each
    /// write is the whole debate, so the next one catches up.
    pub(crate) fn publish(&mut self, is_last: bool) {
        let Some(issue) = self.wanted.publish else { return };
        let tries = if is_last { LAST_TRIES } else { 1 };
        let mut behind = None;
        for tried in 1..=tries {
            behind = self.write_to_issue(issue);
            let helps = behind.as_ref().map(|behind| behind.helps);
            let is_over = tried == tries;
            if is_over || helps != Some(IssueFix::Publish) || self.run_context.is_stopped() {
                break;
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        // Between two phases an unchanged state is not shown again; the end also shows a remedy.
        if let Some(behind) = behind.as_ref().filter(|_| is_last || behind != self.behind) {
            let door = is_last.then_some(&self.run_context.view.door);
            let _ = writeln!(io::stderr(), "  {}", anvil_messages::issue_behind(behind, door));
        }
        self.behind = behind;
    }

    /// Leaves the verdict in the pull request of `--comment`. A failure of the forge ends nothing.
    pub(crate) fn comment(&self) {
        let Some(number) = self.commented else { return };
        let posted = self.run_context.with(|context| {
            let id = &self.run_context.id;
            Ok(issues::comment_verdict(context, &self.session, id, number, FORGE_LIMIT)?)
        });
        let line = match posted {
            Ok(issue) => anvil_messages::comment_line(&issue),
            Err(Stopped::Skipped(_)) => return,
            Err(Stopped::Failed(error)) => {
                anvil_messages::no_comment_line(number, &error, &self.run_context.view.door)
            }
        };
        let _ = writeln!(io::stderr(), "{line}");
    }

    fn write_to_issue(&self, issue: u32) -> Option<IssueLag> {
        let written = self.run_context.with(|context| {
            let id = &self.run_context.id;
            Ok(issues::keep_current(context, &self.session, id, issue, FORGE_LIMIT))
        });
        written.ok().flatten()
    }

    /// The fact-check that is due before the debate goes on.
    pub(crate) fn check_due(&self) -> Result<Option<Request>, Stopped> {
        if self.plan.checker.is_none() {
            return Ok(None);
        }
        self.run_context.with(|context| programs::check_due(context, &self.session))
    }

    /// Continues the debate without this fact-check.
    pub(crate) fn leave_check_out(&self, request: &Request, why: &str) -> Result<(), Stopped> {
        self.run_context.with(|context| programs::leave_check_out(context, &self.session, why))?;
        let unchecked = RunEvent::Unchecked { slot: request.label.clone(), why: why.to_owned() };
        Ok(self.run_context.view.say(&unchecked)?)
    }

    /// Shows each closed gate, and returns the exit code of a complete debate. Without a valid
    /// verdict it is the same whatever gates there are.
    pub(crate) fn check_gates(&self) -> Result<ExitCode> {
        let world = self.run_context.now();
        let judged = programs::gate_facts(&Context::new(&world), &self.run_context.id)?;
        if judged.standing.verdict().is_none() {
            return Ok(Exit::Void.into());
        }
        let mut code = ExitCode::SUCCESS;
        for gate in &self.wanted.fail_on {
            if let Some(why) = gate.reason_to_close(&judged) {
                self.run_context.view.say(&RunEvent::Gate { gate: gate.word(), why })?;
                code = Exit::Gate.into();
            }
        }
        Ok(code)
    }
}
