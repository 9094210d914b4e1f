//! The interface between the pool and a source of tasks: tasks come out of it, replies go back in.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::attempt::{Executor, Orphan};
use crate::limits::RunLimits;
use crate::view::RunView;
use anvil_core::attempt::{Generation, Slot};
use anvil_core::transcript::count_words;
use anvil_engine::{Context, Request, Stopped, programs};
use anvil_prompt::{Agent, RunEvent};
use anvil_store::Attempt;
use anvil_system::process::Signals;
use anvil_system::world::World;
use anvil_text::error::{Error, Result};

/// Supplies the tasks of one debate, or of one step.
pub(crate) trait TaskSource {
    fn run_context(&self) -> &RunContext<'_>;
    fn executor(&mut self) -> &mut Executor;
    /// The next task. A signal, or the end of the client, ends the work here.
    fn next(&mut self) -> Result<NextStep, Stopped>;
    /// The tasks that can start while this many others run. `is_busy`: replies that are left out.
    fn concurrent(
        &mut self,
        _running: usize,
        _is_busy: &dyn Fn(Slot) -> bool,
    ) -> Result<Vec<(Request, TaskConfig)>, Stopped> {
        Ok(Vec::new())
    }
    /// True while the debate waits for a reply to this state at the place with this name.
    fn still_waits(&self, slot: Slot, answers: Generation) -> bool;
    /// Submits a reply. `Some`: the work ends.
    fn save(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped>;
    /// Notes that no attempt follows. `Some`: the work ends.
    fn give_up(&mut self, request: &Request, blocker: Blocker)
    -> Result<Option<ExitCode>, Stopped>;
}

pub(crate) enum NextStep {
    Task(Box<Request>, Box<TaskConfig>),
    End(ExitCode),
}

/// The agent of a task, and the conditions for its attempts.
#[derive(Clone, Debug)]
pub(crate) struct TaskConfig {
    pub agent: Agent,
    /// Limits of all attempts together.
    pub limits: RunLimits,
    /// Failures of attempts before this number do not count.
    pub failures_count_from: u32,
    /// After one failure no attempt follows.
    pub is_single: bool,
    /// Applies to an attempt that an earlier process left.
    pub orphan: Orphan,
}

/// Why no attempt follows.
#[derive(Debug)]
pub(crate) enum Blocker {
    /// This limit leaves no room for the reply; the synthesis still fits if `synthesis_fits`.
    Limit { option: &'static str, synthesis_fits: bool },
    /// The user has to act first.
    Waits(String),
    /// The agent failed too often.
    Failed(String),
    /// This machine could not start the agent.
    Broken(Error),
}

/// Shared by every kind of work on one debate: its id, its attempts and its output.
pub(crate) struct RunContext<'a> {
    world: &'a World,
    /// The debate's id.
    pub id: String,
    pub executor: Executor,
    pub view: RunView,
}

impl<'a> RunContext<'a> {
    pub(crate) fn new(
        world: &'a World,
        context: &Context<'_>,
        id: String,
        project: &Path,
        view: RunView,
        signals: Signals,
    ) -> Self {
        let record = programs::attempt_record(context, &id);
        let executor = Executor::new(world, record, project.to_owned(), signals);
        Self { world, id, executor, view }
    }

    /// The world with the current time.
    pub(crate) fn now(&self) -> World {
        self.world.at_this_moment()
    }

    /// Runs a closure with an engine context of the current time, and shows the engine's notes.
    pub(crate) fn with<T>(
        &self,
        act: impl FnOnce(&Context<'_>) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let world = self.now();
        let context = Context::new(&world);
        let result = act(&context);
        self.view.say_notes(&context)?;
        result
    }

    /// True if the debate is in its project, and not in a folder of `--dir`.
    pub(crate) fn is_in_project(&self) -> bool {
        self.world.debate_folder.is_none()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.executor.signals.last().is_some()
    }

    /// Shows that a reply is saved.
    pub(crate) fn say_saved(
        &self,
        request: &Request,
        text: &str,
        attempt: &Attempt,
        settled: bool,
    ) -> Result<()> {
        let (seconds, tokens) = effort(attempt);
        self.view.say(&RunEvent::Saved {
            slot: request.label.clone(),
            agent: attempt.started.origin.agent.clone(),
            heads: anvil_prompt::heads(request.place.in_schedule(), text),
            words: count_words(text),
            seconds,
            tokens,
            settled,
            is_synthesis: request.is_synthesis() && request.judges == 1,
        })
    }
}

/// Seconds and tokens of an attempt.
pub(crate) fn effort(attempt: &Attempt) -> (u64, Option<u64>) {
    let ended = attempt.ended.as_ref();
    ended.map_or((0, None), |ended| {
        (Duration::from_millis(ended.exit.duration_ms).as_secs(), ended.tokens)
    })
}
