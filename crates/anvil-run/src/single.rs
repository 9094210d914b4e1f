//! One prompt to one agent, outside of a debate, with the attempts, the record and the retry rule
//! of a debate.

use std::process::ExitCode;

use super::attempt::{Orphan, install_signal_handlers};
use super::limits::RunLimits;
use super::view::{RunView, Shows};
use super::work::{Blocker, NextStep, RunContext, TaskConfig, TaskSource, work};
use anvil_core::attempt::Generation;
use anvil_core::debate::{Place, Seat};
use anvil_engine::{Context, Request, Stopped, defaults};
use anvil_store::{Attempt, AttemptRecord};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};

/// No reply follows: too many attempts failed, or the user has to act first.
const GAVE_UP: u8 = 5;

/// A received reply keeps this generation, so a later call finds it.
const GENERATION: Generation = Generation::Cycle(1);

/// Has an agent write one reply into this record.
pub fn single(
    world: &World,
    record: AttemptRecord,
    id: &str,
    agent: &str,
    prompt: String,
) -> Result<ExitCode> {
    let context = Context::new(world);
    let agent = anvil_prompt::parse(agent, &defaults::seat_defaults(&context)?.agents, false)?;
    let root = world.debate_folder.clone().unwrap_or_else(|| world.cwd.clone());
    let signals = install_signal_handlers()?;
    let view = RunView::new(Shows::Json);
    let mut run_context = RunContext::new(world, &context, id.to_owned(), &root, view, signals);
    run_context.executor.record = record;
    // A user who calls again has dealt with the cause of earlier failures.
    let failures_count_from = run_context.executor.record.read()?.next_number();
    let config = TaskConfig {
        agent,
        limits: RunLimits::default(),
        failures_count_from,
        is_single: false,
        orphan: Orphan::Wait,
    };
    match work(&mut Single { run_context, config, request: request(id, prompt) }) {
        Ok(code) => Ok(code),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Skipped(_)) => Ok(ExitCode::from(GAVE_UP)),
    }
}

struct Single<'a> {
    run_context: RunContext<'a>,
    config: TaskConfig,
    request: Request,
}

fn request(id: &str, prompt: String) -> Request {
    let place = Place { seat: Seat::Synthesizer, round: 1 };
    Request {
        seat: place.seat,
        place,
        name: id.to_owned(),
        label: id.to_owned(),
        generation: GENERATION,
        answers: vec![GENERATION],
        prompt,
        sheet: String::new(),
        is_again: false,
        has_argument: false,
        judges: 1,
        left: 1,
        saved_replies: 0,
        check: None,
    }
}

impl TaskSource for Single<'_> {
    fn run_context(&self) -> &RunContext<'_> {
        &self.run_context
    }

    fn next(&mut self) -> Result<NextStep, Stopped> {
        if let Some(signal) = self.run_context.executor.signals.received() {
            return Ok(NextStep::End(ExitCode::from(signal.exit_code())));
        }
        Ok(NextStep::Task(Box::new(self.request.clone()), Box::new(self.config.clone())))
    }

    fn still_waits(&self, _: &str, _: Generation) -> bool {
        true
    }

    /// The reply stays in the record, where the caller reads it.
    fn save(&mut self, _: &Request, _: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        Ok(Some(ExitCode::SUCCESS))
    }

    fn give_up(&mut self, _: &Request, blocker: Blocker) -> Result<Option<ExitCode>, Stopped> {
        match blocker {
            Blocker::Broken(error) => Err(Stopped::Failed(error)),
            Blocker::Waits(why) | Blocker::Failed(why) => {
                Err(Error::failed(why, "`anvil-eval --resume` tries again").into())
            }
            Blocker::Limit { .. } => Ok(Some(ExitCode::from(GAVE_UP))),
        }
    }
}
