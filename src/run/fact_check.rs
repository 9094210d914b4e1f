//! The check of facts in a run: who is asked, and what becomes of what that finds.

use super::argue::Run;
use crate::engine::{CheckFiled, Request, Stopped};
use crate::seats::{Agent, RunEvent};
use crate::state::Attempt;

impl Run<'_> {
    /// What has to be checked before the debate goes on.
    pub(super) fn check_due(&self) -> Result<Option<Request>, Stopped> {
        if self.plan.checker.is_none() {
            return Ok(None);
        }
        self.with(|engine| engine.check_due(&self.session))
    }

    /// Who is asked.
    pub(super) fn agent_of(&self, request: &Request) -> &Agent {
        let checker = self.plan.checker.as_ref().filter(|_| request.check.is_some());
        checker.unwrap_or_else(|| self.plan.of(request.seat))
    }

    /// Hands what a fact-checker found to the debate.
    pub(super) fn file_check(&self, request: &Request, attempt: &Attempt) -> Result<(), Stopped> {
        let text = self.executor.reply(attempt)?;
        let filed = self.with(|engine| engine.submit_check(&self.session, &attempt.started.generation, &text))?;
        self.executor.note_submitted(attempt);
        let slot = request.label.clone();
        let why = |why: &str| RunEvent::AskedAgain { slot: slot.clone(), why: why.to_owned() };
        let event = match filed {
            CheckFiled::Filed(lines) => {
                let (seconds, tokens) =
                    attempt.ended.as_ref().map_or((0, None), |ended| (ended.duration_ms / 1_000, ended.tokens));
                RunEvent::Checked { slot, agent: attempt.started.agent.clone(), lines, seconds, tokens }
            }
            CheckFiled::AskedAgain => why("no line of it can be read"),
            CheckFiled::LeftOut => RunEvent::Unchecked { slot, why: "no line of it can be read".to_owned() },
            CheckFiled::Stale => why("the debate was changed in the meantime"),
        };
        Ok(self.view.say(&event)?)
    }

    /// The debate goes on without this check.
    pub(super) fn leave_out(&self, request: &Request, why: &str) -> Result<(), Stopped> {
        self.with(|engine| engine.leave_check_out(&self.session, why))?;
        Ok(self.view.say(&RunEvent::Unchecked { slot: request.label.clone(), why: why.to_owned() })?)
    }
}
