//! One reply of a debate without a file, for a caller that argues many debates, a reply at a time.
//! The attempt, its limits and the retry rule are those of a run.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::attempt::{Executor, Orphan, Scratch, install_signal_handlers};
use super::choice;
use super::limits::{self, RunLimits};
use super::view::{RunView, Shows};
use super::work::{Blocker, NextStep, RunContext, TaskConfig, TaskSource, work};
use crate::error::{RunError, RunOptionError};
use anvil_core::attempt::{Generation, Slot};
use anvil_core::options::{DebateOptions, Refused, SeatOptions, is_yes, whole};
use anvil_core::reply::{Usage, WrittenReply};
use anvil_engine::{
    Context, Request, SeatDefaults, StepDebate, Stepped, Stopped, defaults, programs, session,
};
use anvil_messages::Door;
use anvil_prompt::Plan;
use anvil_store::{Attempt, Attempts};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};
use anvil_text::{Exit, Scrubber};

/// The options of `anvil step`, apart from those of its debate.
#[derive(Args, Debug, Default)]
pub struct StepOptions {
    #[command(flatten)]
    pub seats: SeatOptions,
    /// Most replies of a whole debate; one that needs more is refused
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = max_replies)]
    pub max_replies: usize,
    /// Most time for the reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = limits::max_reply)]
    pub max_reply: Option<Duration>,
    /// Let the seat read the project's files; claude and codex only
    #[arg(long, hide_short_help = true)]
    pub in_project: bool,
    /// As JSON: the body, whether the debate is done, the next task, tokens and seconds
    #[arg(long)]
    pub json: bool,
}

fn max_replies(text: &str) -> std::result::Result<usize, Refused> {
    whole(text, 1, usize::MAX).map_err(|_| Refused::new("takes a whole number from 1", " 40"))
}

/// How a step ended.
#[derive(Debug)]
pub enum StepEnd {
    Done(Box<StepResult>),
    /// No reply was added, for this reason.
    Failed(Error, ExitCode),
}

/// The debate after a step, and what the step took.
#[derive(Debug, Default)]
pub struct StepResult {
    pub body: String,
    /// The next task. `None`: the debate is complete.
    pub next: Option<String>,
    /// `None`: an attempt does not tell its tokens by kind.
    pub tokens: Option<Usage>,
    pub seconds: u64,
}

/// A debate that begins.
pub fn begin_debate(
    world: &World,
    question: &str,
    options: &DebateOptions,
    wanted: &StepOptions,
) -> Result<StepDebate> {
    if options.own.output.is_some() || is_yes(&options.own.replace) || options.take_over {
        return Err(RunOptionError::StepHasNoFile.into());
    }
    if is_yes(&options.leader.interactive) {
        return Err(RunOptionError::StepStops.into());
    }
    if is_yes(&options.own.fact_check) && wanted.seats.fact_checker.is_none() {
        return Err(RunOptionError::NoChecker.into());
    }
    let options = wanted.seats.with_judges(options)?;
    let context = Context::new(world);
    let preview = session::preview(&context, question, &options)?;
    super::refuse_research(&options, preview.debate())?;
    Ok(StepDebate::new(preview.into_state()))
}

/// Cleans a body for the project here.
fn scrubber(world: &World) -> Scrubber {
    let context = Context::new(world);
    context.scrubber(&session::project(&context))
}

/// Has the next seat of a debate write its reply. `given`: the text of the debate, if it has one.
pub fn step(
    world: &World,
    mut debate: StepDebate,
    given: Option<String>,
    wanted: &StepOptions,
) -> Result<StepEnd> {
    let replies = debate.replies();
    let most = wanted.max_replies;
    if replies > most {
        return Err(RunError::TooManyReplies { replies, most }.into());
    }
    if debate.is_complete() {
        let body = given.map_or_else(|| debate.into_body(&scrubber(world)), Ok)?;
        return Ok(StepEnd::Done(Box::new(StepResult {
            body,
            tokens: Some(Usage::default()),
            ..StepResult::default()
        })));
    }
    let context = Context::new(world);
    let plan = make_plan(world, &context, &debate, wanted)?;
    debate.check_room()?;
    debate.go_on(world.now);
    if plan.checker.is_none() {
        debate.leave_check_out("the step named no fact-checker", world.now);
    }
    let mut scratch = Scratch::new(&world.disk);
    // A step keeps nothing and reads none of the user's files.
    let folder = Some(scratch.folder.clone());
    let within = World { debate_folder: folder.clone(), config_folder: folder, ..world.clone() };
    let root = programs::project_root(&context);
    let inner = Context::new(&within);
    let id = debate.debate().id.clone();
    // Before the folder exists: a signal must not leave it behind.
    let signals = install_signal_handlers()?;
    let view = RunView::new(Shows::Nothing, Door::default());
    let mut run_context = RunContext::new(&within, &inner, id, &root, view, signals);
    run_context.executor.scratch = Some(scratch.folder.clone());
    scratch.make()?;
    let mut step_task =
        StepTask { run_context, plan, debate, in_project: wanted.in_project, failed: None };
    let code = match work(&mut step_task) {
        Ok(code) => code,
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Skipped(_)) => return Err(RunError::NoReply.into()),
    };
    let StepTask { mut run_context, debate, failed, .. } = step_task;
    if let Some((place, why)) = failed {
        return Ok(StepEnd::Failed(RunError::SeatGaveUp(place, why).into(), code));
    }
    let effort = run_context.executor.attempts()?.effort().unwrap_or_default();
    let next = debate.next();
    let tokens = effort.usage.filter(|_| effort.without_tokens == 0);
    let seconds = effort.seconds;
    Ok(StepEnd::Done(Box::new(StepResult {
        body: debate.into_body(&scrubber(world))?,
        next,
        tokens,
        seconds,
    })))
}

/// The agents of the command line. No debate and no file of defaults names one.
fn make_plan(
    world: &World,
    context: &Context<'_>,
    debate: &StepDebate,
    wanted: &StepOptions,
) -> Result<Plan> {
    let seats = &wanted.seats;
    let is_check = seats.fact_checker.is_some() && debate.check().is_some();
    let debate = debate.debate();
    choice::reject_unknown_seats(seats, debate)?;
    let next = debate.next_place();
    if !is_check && !choice::names_place(seats, debate, next) {
        let option = choice::option_of(next.seat);
        return Err(RunOptionError::NoAgent { at: debate.place_label(), option }.into());
    }
    let own = defaults::seat_defaults(context)?.agents;
    let defaults = SeatDefaults { agents: own, ..SeatDefaults::default() };
    let none = BTreeMap::new();
    let mut plan = choice::plan(seats, &none, &defaults, wanted.in_project, debate, world)?;
    let check = debate.options.fact_check.filter(|_| seats.fact_checker.is_some());
    plan.checker = choice::checker(seats, &defaults, check, world)?;
    RunLimits { max_reply: wanted.max_reply, ..RunLimits::default() }.apply(plan, debate)
}

struct StepTask<'a> {
    run_context: RunContext<'a>,
    plan: Plan,
    debate: StepDebate,
    in_project: bool,
    /// The place without a reply, and why.
    failed: Option<(String, String)>,
}

impl StepTask<'_> {
    fn request(&self, attempts: &Attempts) -> Result<Request> {
        if let Some(check) = self.plan.checker.as_ref().and_then(|_| self.debate.check()) {
            return Ok(check);
        }
        self.debate.request(self.in_project, |place| {
            self.plan.now(place, attempts.earlier_attempts(), choice::is_on_path).agent.context
        })
    }
}

impl TaskSource for StepTask<'_> {
    fn run_context(&self) -> &RunContext<'_> {
        &self.run_context
    }

    fn executor(&mut self) -> &mut Executor {
        &mut self.run_context.executor
    }

    fn next(&mut self) -> Result<NextStep, Stopped> {
        if let Some(signal) = self.run_context.executor.signals.last() {
            let at = self.debate.debate().place_label();
            self.failed = Some((at, format!("{} stopped it", signal.name())));
            return Ok(NextStep::End(ExitCode::from(signal.exit_code())));
        }
        let attempts = self.run_context.executor.attempts()?;
        let request = self.request(&attempts)?;
        let checker = self.plan.checker.as_ref().filter(|_| request.check.is_some());
        let agent = match checker {
            Some(checker) => checker,
            None => {
                self.plan.now(request.place, attempts.earlier_attempts(), choice::is_on_path).agent
            }
        };
        let config = TaskConfig {
            agent: agent.clone(),
            limits: RunLimits::default(),
            failures_count_from: 1,
            is_single: true,
            orphan: Orphan::Kill,
        };
        Ok(NextStep::Task(Box::new(request), Box::new(config)))
    }

    fn still_waits(&self, _: Slot, _: Generation) -> bool {
        true
    }

    fn save(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        let text = self.run_context.executor.reply(attempt)?;
        self.run_context.executor.note_submitted(attempt);
        let author = attempt.author();
        let written = WrittenReply { text: &text, author: Some(&author), limit: None };
        Ok(match self.debate.submit(request, written, self.run_context.now().now) {
            Stepped::Saved => Some(ExitCode::SUCCESS),
            Stepped::Again => None,
            Stepped::Failed(why) => {
                self.failed = Some((request.label.clone(), why));
                Some(Exit::Paused.into())
            }
        })
    }

    fn give_up(
        &mut self,
        request: &Request,
        blocker: Blocker,
    ) -> Result<Option<ExitCode>, Stopped> {
        let why = match blocker {
            Blocker::Broken(error) => return Err(error.into()),
            Blocker::Waits(why) | Blocker::Failed(why) => why,
            Blocker::Limit { option, .. } => format!("{option} is reached"),
        };
        if request.check.is_some() && self.run_context.executor.signals.last().is_none() {
            self.debate.leave_check_out(&why, self.run_context.now().now);
            return Ok(Some(ExitCode::SUCCESS));
        }
        self.failed = Some((request.label.clone(), why));
        Ok(Some(Exit::Paused.into()))
    }
}
