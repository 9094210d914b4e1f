//! Argues a debate between programs, from a terminal, in CI or in Claude Code.
//!
//! This crate knows processes and no rules of a debate. It gets a prompt from the engine, starts an
//! agent that writes the reply, and submits that reply. One process owns the run; each attempt at a
//! reply is a wrapper process that records its own end. The crate knows none of its callers.

mod attempt;
mod choice;
mod error;
mod gate;
pub mod isolated;
mod lead;
mod limits;
mod listed;
pub mod step;
mod view;
mod work;

pub use attempt::{scratch, script, wrapper};
pub use choice::another_family;
use gate::Gate;
use limits::RunLimits;
pub use listed::list;
pub use view::{Stream, has_input_within, is_dumb, print_result, screen, terminal};

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use anvil_command::issue_number;
use anvil_core::attempt::Slot;
use anvil_core::debate::{Debate, Status};
use anvil_core::options::{DebateOptions, Refused, SeatOptions, is_yes, whole};
use anvil_engine::{
    Context, Preview, Runs, Session, Started, Stopped, defaults, issues, programs, session, tasks,
};
use anvil_messages::Door;
use anvil_prompt::{Plan, RunEvent};
use anvil_store::{Attempts, Handover, MAX_JOBS, RunRecord};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::Result;
use attempt::{environment, install_signal_handlers};
use choice::FilledSeat;
use error::{RunError, RunOptionError};
use lead::{DebateRun, FORGE_LIMIT};
use view::{RunView, Shows};
use work::RunContext;

/// The options of a run, apart from those of its debate.
#[derive(Args, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct RunOptions {
    #[command(flatten)]
    pub seats: SeatOptions,
    /// Continue this project's debate, or the one with this ID
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub resume: Option<String>,
    /// Show seats, replies, tokens and time; start nothing
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
    /// With --dry-run: each seat's command, variables and first prompt
    #[arg(long, requires = "dry_run", hide_short_help = true)]
    pub prompts: bool,
    /// Let the seats read the project's files; claude and codex only
    #[arg(long, hide_short_help = true)]
    pub in_project: bool,
    #[command(flatten)]
    pub limits: RunLimits,
    /// Write up to N independent replies in parallel: voices, blind openings, judges [default: 4]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = jobs)]
    pub jobs: Option<u8>,
    /// Exit 4 if a gate fails: do-not, not=NAME, low-confidence=70, open-claims, objections
    #[arg(
        long,
        value_name = "GATE",
        value_delimiter = ',',
        value_parser = Gate::parse
    )]
    pub fail_on: Vec<Gate>,
    /// A document to change until no objection blocks
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub revise: Option<String>,
    /// Keep the debate in this issue or pull request current: write it there after each reply
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = issue_number)]
    pub publish: Option<u32>,
    /// With --pr: leave the verdict there, as one comment that is updated
    #[arg(long, hide_short_help = true, conflicts_with = "resume", requires = "pr")]
    pub comment: bool,
    /// One event per line, as JSON
    #[arg(long, hide_short_help = true)]
    pub json: bool,
    /// Print only the verdict
    #[arg(long, conflicts_with_all = ["json", "dry_run"], hide_short_help = true)]
    pub quiet: bool,
    /// Free the tasks that are claimed in a shell
    #[arg(long, requires = "resume", hide_short_help = true)]
    pub drop_claims: bool,
    /// It argues for a session of Claude Code, in the background
    #[arg(long, hide = true, requires = "resume")]
    pub runner: bool,
}

fn jobs(text: &str) -> std::result::Result<u8, Refused> {
    whole(text, 1, MAX_JOBS).map_err(|why| Refused::new(why, " 4"))
}

/// The command that starts a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caller {
    /// Pause after each reply for the reader; a key ends it.
    pub beat: Duration,
    /// Hides paths and the next commands, because the caller shows them.
    pub is_passing: bool,
    /// Shows nothing: the debate alone is read.
    pub is_silent: bool,
}

impl RunOptions {
    fn shows(&self, caller: Caller) -> Shows {
        match self {
            _ if caller.is_silent => Shows::Nothing,
            Self { json: true, .. } => Shows::Json,
            Self { quiet: true, .. } => Shows::Verdict,
            _ if caller.is_passing => Shows::LinesWithoutPaths,
            _ => Shows::Lines,
        }
    }
}

/// A debate that can begin.
struct Planned {
    seats: SeatOptions,
    plan: Plan,
    options: DebateOptions,
    preview: Preview,
    /// Tokens of its first prompt.
    first_tokens: usize,
}

fn plan_debate(
    world: &World,
    context: &Context<'_>,
    question: &str,
    options: &DebateOptions,
    wanted: &RunOptions,
) -> Result<Planned> {
    let defaults = defaults::seat_defaults(context)?;
    let options = wanted.seats.with_judges(options)?;
    let preview = session::preview(context, question, &options)?;
    let debate = preview.debate();
    choice::reject_unknown_seats(&wanted.seats, debate)?;
    wanted.fail_on.iter().try_for_each(|gate| gate.check(debate))?;
    let seats =
        wanted.seats.clone().over(choice::drop_unusable_defaults(defaults.seats.clone(), debate));
    let mut plan =
        choice::plan(&seats, &BTreeMap::new(), &defaults, wanted.in_project, debate, world)?;
    plan.checker = choice::checker(&seats, &defaults, debate.options.fact_check, world)?;
    let plan = wanted.limits.apply(plan, debate)?;
    let first = debate.next_place();
    let attempts = Attempts::default();
    let agent = plan.now(first, attempts.earlier_attempts(), choice::is_on_path).agent;
    // A prompt that has no room for the debate is refused before the debate begins.
    let request = preview.request(first, wanted.in_project, agent.context)?;
    Ok(Planned {
        seats,
        plan,
        options,
        preview,
        first_tokens: anvil_prompt::tokens(&request.prompt),
    })
}

/// A debate that can begin, and the record of its run.
fn prepare(
    world: &World,
    context: &Context<'_>,
    question: &str,
    options: &DebateOptions,
    wanted: &RunOptions,
) -> Result<(Planned, RunRecord)> {
    let planned = plan_debate(world, context, question, options, wanted)?;
    let Planned { seats, plan, preview, .. } = &planned;
    let debate = preview.debate();
    refuse_research(options, debate)?;
    choice::check_on_path(plan, debate, &Attempts::default())?;
    // The start repeats the notes of the preview.
    let _ = context.take_notes();
    let record = RunRecord {
        agents: choice::to_words(seats, plan.checker.as_ref()),
        in_project: wanted.in_project,
        jobs: wanted.jobs,
        since: 1,
        limits: wanted.limits.recorded_limits(),
        ..RunRecord::default()
    };
    Ok((planned, record))
}

fn refuse_research(options: &DebateOptions, debate: &Debate) -> Result<()> {
    if !is_yes(&options.wishes.research) || debate.options.fact_check.is_some() {
        return Ok(());
    }
    Err(RunOptionError::Research.into())
}

/// Starts the debate. Writes the run's record first, so that a resumed run uses no agent that the
/// user has not named.
fn begin(
    context: &Context<'_>,
    follower: Option<&Session>,
    question: &str,
    options: &DebateOptions,
    record: &RunRecord,
) -> Result<Started, Stopped> {
    session::start_for_run(context, follower, question, options, record)
}

pub fn start(
    world: &World,
    question: &str,
    options: &DebateOptions,
    mut wanted: RunOptions,
    caller: Caller,
    door: &Door,
) -> Result<ExitCode> {
    let context = Context::new(world);
    let commented = options.pull_request().filter(|_| wanted.comment);
    if let Some(number) = commented {
        // Before anything is paid for.
        issues::check_repository(&context, number, FORGE_LIMIT)?;
    }
    let (Planned { plan, options, first_tokens, .. }, record) =
        prepare(world, &context, question, options, &wanted)?;
    let started = match begin(&context, None, question, &options, &record) {
        Ok(started) => started,
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Skipped(_)) => return Ok(ExitCode::SUCCESS),
    };
    let debate = started.debate;
    let view = RunView::new(wanted.shows(caller), door.clone());
    let no_attempts = Attempts::default();
    let limits = wanted.limits.words();
    view.say(&choice::announcement(&context, &plan, &debate, &no_attempts, first_tokens, limits))?;
    view.say_notes(&context)?;
    session::remember_families(&context);
    wanted.jobs = wanted.jobs.or_else(|| Some(choice::usual_jobs(&plan, &debate)));
    let signals = install_signal_handlers()?;
    let id = debate.id.clone();
    let root = started.project.root();
    let run_context = RunContext::new(world, &context, id, root, view, signals);
    let take_over = options.take_over;
    let run = DebateRun::new(run_context, plan, &debate, record, wanted, caller);
    DebateRun { commented, ..run }.argue(take_over)
}

/// Resumes a debate.
pub fn resume(
    world: &World,
    id: Option<&str>,
    mut wanted: RunOptions,
    take_over: bool,
    caller: Caller,
    door: &Door,
) -> Result<ExitCode> {
    if wanted.runner {
        process::begin_session();
    }
    let context = Context::new(world);
    if id.is_none() {
        session::restore_missing(&context, None)?;
    }
    let id = id.map(|id| session::take_back(&context, None, id)).transpose()?;
    let Runs { debate, project, record: recorded, .. } =
        programs::unfinished_run(&context, id.as_deref())?;
    if wanted.drop_claims {
        tasks::drop_claims(&context)?;
    }
    refuse_failed_seat(&debate, &wanted)?;
    wanted.fail_on.iter().try_for_each(|gate| gate.check(&debate))?;
    let attempts = programs::attempt_record(&context, &debate.id).read()?;
    let recorded = recorded
        .unwrap_or_else(|| RunRecord { since: attempts.next_number(), ..RunRecord::default() });
    let (plan, record) =
        prepare_again(world, &context, &debate, (&recorded, &attempts), &mut wanted)?;
    // After the first judgment no fact is checked.
    let can_check = debate.judgments() == 0;
    let is_unchecked = can_check && debate.options.fact_check.is_some() && plan.checker.is_none();
    // A run in a terminal belongs to no session.
    let handover = if wanted.runner { recorded.handover } else { Handover::default() };
    let record = RunRecord { handover, ..record };
    let view = RunView::new(wanted.shows(caller), door.clone());
    view.say_notes(&context)?;
    let signals = install_signal_handlers()?;
    let id = debate.id.clone();
    let run_context = RunContext::new(world, &context, id, project.root(), view, signals);
    wanted.jobs = record.jobs.or_else(|| Some(choice::usual_jobs(&plan, &debate)));
    let run = DebateRun::new(run_context, plan, &debate, record.clone(), wanted, caller);
    // The programs of a running session that owns the debate belong to that session too.
    programs::may_take_up(&context, &run.session, &debate, take_over)?;
    let view = &run.run_context.view;
    view.say(&RunEvent::Resumed { id: debate.id.clone(), at: debate.place_label() })?;
    if is_unchecked {
        let why = "it was not requested on this machine; --fact-checker AGENT requests it";
        view.say(&RunEvent::Unchecked { slot: "fact check".to_owned(), why: why.to_owned() })?;
    }
    programs::remember_run(&context, &project, &debate.id, &record)?;
    run.argue(take_over)
}

/// The plan of a debate that goes on, and the record of its run, which belongs to no session.
fn prepare_again(
    world: &World,
    context: &Context<'_>,
    debate: &Debate,
    (recorded, attempts): (&RunRecord, &Attempts),
    wanted: &mut RunOptions,
) -> Result<(Plan, RunRecord)> {
    let defaults = defaults::seat_defaults(context)?;
    let next_attempt = attempts.next_number();
    // For each seat with a newly named agent, the first attempt that counts.
    let typed = wanted.seats.agents_by_key().into_iter().map(|(key, _)| (key, next_attempt));
    let reassigned = recorded.reassigned.clone().into_iter().chain(typed).collect();
    let recorded = &RunRecord { reassigned, ..recorded.clone() };
    wanted.in_project |= recorded.in_project;
    wanted.limits = wanted.limits.over(&recorded.limits);
    let (seats, plan) =
        choice::plan_again(&wanted.seats, recorded, &defaults, wanted.in_project, debate, world)?;
    choice::check_on_path(&plan, debate, attempts)?;
    let plan = wanted.limits.apply(plan, debate)?;
    // A user who resumes a paused debate, or names agents, has dealt with the cause of earlier
    // failures (a login, a quota). After a killed run they still count.
    let has_decided = wanted.seats != SeatOptions::default() || debate.status() == Status::Paused;
    let record = RunRecord {
        agents: choice::to_words(&seats, plan.checker.as_ref()),
        reassigned: recorded.reassigned.clone(),
        in_project: wanted.in_project,
        jobs: wanted.jobs.or(recorded.jobs),
        since: if has_decided { next_attempt } else { recorded.since },
        limits: wanted.limits.recorded_limits(),
        ..RunRecord::default()
    };
    Ok((plan, record))
}

/// Refuses a debate that failed at a seat, unless the user names an agent for that seat.
fn refuse_failed_seat(debate: &Debate, wanted: &RunOptions) -> Result<()> {
    let option = choice::option_of(debate.place().seat);
    let is_named = choice::names_place(&wanted.seats, debate, debate.next_place());
    if debate.status() != Status::Failed || is_named {
        return Ok(());
    }
    Err(RunError::SeatFailed {
        at: debate.place_label(),
        why: debate.why_stopped(),
        option,
        is_runner: wanted.runner,
    }
    .into())
}

/// The plan of a run, and the first prompt of each seat (`--dry-run`).
pub fn preview(
    world: &World,
    question: &str,
    options: &DebateOptions,
    wanted: &RunOptions,
) -> Result<(RunEvent, Vec<DryRunSeat>)> {
    let context = Context::new(world);
    let Planned { plan, preview, first_tokens, .. } =
        plan_debate(world, &context, question, options, wanted)?;
    let debate = preview.debate();
    let no_attempts = Attempts::default();
    let limits = wanted.limits.words();
    let announced =
        choice::announcement(&context, &plan, debate, &no_attempts, first_tokens, limits);
    let mut dry = Vec::new();
    for FilledSeat { name, place, agent, .. } in choice::seats_of(&plan, debate, &no_attempts) {
        let (slot, prompt) = match (place, debate.options.fact_check) {
            (Some(place), _) => {
                let request = preview.request(place, wanted.in_project, agent.context)?;
                (request.slot, request.prompt)
            }
            (None, Some(check)) => (
                Slot::FactCheck { round: 1 },
                anvil_prompt::check_prompt(&debate.question, &[], check, false),
            ),
            (None, None) => continue,
        };
        let mut command = agent.command.clone();
        let place = command.first().and_then(process::find);
        if let (Some(program), Some(place)) = (command.first_mut(), &place) {
            *program = place.display().to_string();
        }
        if let Some(script) = &agent.script {
            command =
                vec!["anvil".to_owned(), script::VERB.to_owned(), script.clone(), slot.to_string()];
        }
        dry.push(DryRunSeat {
            seat: name,
            agent: agent.name.clone(),
            is_here: agent.script.is_some() || place.is_some(),
            command,
            variables: environment::names(&agent.variables),
            slot,
            prompt,
        });
    }
    Ok((announced, dry))
}

/// A seat of a dry run.
#[derive(Debug)]
pub struct DryRunSeat {
    pub seat: String,
    /// The agent's name.
    pub agent: String,
    /// Its program is on this machine.
    pub is_here: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// Its first slot.
    pub slot: Slot,
    /// The prompt for that slot, as if no reply came before it.
    pub prompt: String,
}
