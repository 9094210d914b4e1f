//! What becomes of a reply that a program has written.

use std::process::ExitCode;

use super::argue::{PAUSED, Run};
use crate::debate::Stop;
use crate::engine::{Engine, Request, Stopped, Submitted};
use crate::error::Result;
use crate::seats::{self, RunEvent};
use crate::state::Attempt;
use crate::transcript::count_words;

/// Exit code for a debate that does not come through a gate of `--fail-on`.
const GATE: u8 = 4;

impl Run<'_> {
    /// Hands a reply to the debate. `Some`: that is the end of this run.
    pub(super) fn file(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        if request.check.is_some() {
            return self.file_check(request, attempt).map(|()| None);
        }
        let text = self.executor.reply(attempt)?;
        let session = self.session.clone();
        let submitted = self.with(|engine| engine.submit(&session, &request.generation, &text))?;
        self.executor.note_submitted(attempt);
        let (slot, agent) = (request.label.clone(), attempt.started.agent.clone());
        let heads = seats::heads(request.slot, &text);
        let (seconds, tokens) =
            attempt.ended.as_ref().map_or((0, None), |ended| (ended.duration_ms / 1_000, ended.tokens));
        let filed = |words, settled| RunEvent::Filed { slot, agent, heads, words, seconds, tokens, settled };
        match submitted {
            Submitted::Advanced { words, is_settled, .. } => {
                self.helpers.count_own();
                self.view.say(&filed(words, is_settled))?;
                self.sleep(self.wanted.beat)?;
            }
            Submitted::AskedAgain { why, .. } => {
                self.view.say(&RunEvent::AskedAgain { slot: request.label.clone(), why })?;
            }
            Submitted::Stale => self.view.say(&RunEvent::AskedAgain {
                slot: request.label.clone(),
                why: "the debate was changed in the meantime; what was written is in the archive".to_owned(),
            })?,
            Submitted::Waits(debate, stop) => {
                self.view.say(&filed(count_words(&text), false))?;
                let hint = match stop {
                    Stop::Steering => format!("`{} steer TEXT` gives it a direction", self.wanted.named),
                    Stop::Boundary => "a boundary between two phases".to_owned(),
                };
                self.paused(&debate, &hint)?;
                return Ok(Some(ExitCode::from(PAUSED)));
            }
            Submitted::Failed(debate) => {
                self.paused(&debate, &debate.progress.status_detail)?;
                return Ok(Some(ExitCode::from(PAUSED)));
            }
            Submitted::Completed(completed) => {
                self.view.say(&filed(count_words(&text), false))?;
                return Ok(Some(self.say_completed(&completed)?));
            }
        }
        Ok(None)
    }

    /// The exit code of a complete debate.
    pub(super) fn gates(&self) -> Result<ExitCode> {
        let world = self.now();
        let judged = Engine::new(&world).judged(&self.id)?;
        let mut code = ExitCode::SUCCESS;
        for gate in &self.wanted.gates {
            if let Some(why) = gate.closed(&judged) {
                self.view.say(&RunEvent::Gate { gate: gate.word(), why })?;
                code = ExitCode::from(GATE);
            }
        }
        Ok(code)
    }
}
