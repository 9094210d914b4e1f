//! A debate of Claude Code with programs in its seats: a prompt starts it, and a separate process
//! argues it.
//!
//! That process is `anvil run --resume` in its own system session, so it outlives Esc, other
//! prompts, `/clear` and the time limit of a hook. It ends with the client that began it, unless it
//! is detached.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use super::attempt::not_run;
use super::choice::{self, FilledSeat};
use super::{Planned, RunOptions, listed};
use crate::error::RunError;
use anvil_command::IsolatedOptions;
use anvil_core::debate::Debate;
use anvil_core::options::DebateOptions;
use anvil_engine::{Awaited, Context, Runs, Session, Stopped, programs, session};
use anvil_prompt::{OutputFormat, Plan, RunEvent};
use anvil_store::{AttemptRecord, Attempts, Handover, Project, RunRecord};
use anvil_system::process::Background;
use anvil_system::world::World;
use anvil_text::clean;
use anvil_text::error::Result;

/// Tokens of a prompt without material (`tests/it/prompt_budget.rs`).
const RULES_TOKENS: usize = 600;

/// Longest time until a process takes its debate up, and until a background hook sees it. Usually
/// it takes a few milliseconds. With what comes before it, it has to fit the 20 s after which the
/// client ends the hook.
const GRACE: Duration = Duration::from_secs(12);

/// Variables removed from the process that argues, because it works in the project's folder and
/// not in the session's.
const HIDDEN: [(&str, Option<&OsStr>); 4] = [
    ("CLAUDE_PROJECT_DIR", None),
    ("CLAUDE_CODE_SESSION_ID", None),
    ("CLAUDE_PID", None),
    ("CLAUDECODE", None),
];

/// Time between two checks whether the debate is taken up.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Starts a debate with programs in all seats. Returns the plan to show.
pub fn start(
    world: &World,
    session: &Session,
    question: &str,
    options: &DebateOptions,
    isolated: &IsolatedOptions,
) -> Result<RunEvent, Stopped> {
    let context = Context::new(world);
    programs::can_have_programs(&context)?;
    let wanted = RunOptions { seats: isolated.seats.clone(), ..RunOptions::default() };
    let (Planned { plan, options, preview, first_tokens, .. }, record) =
        super::prepare(world, &context, question, options, &wanted)?;
    can_isolate(&plan, preview.debate(), &Attempts::default())?;
    let handover = handover(session, is_detached(world, isolated));
    let record = RunRecord { handover, ..record };
    let started = super::begin(&context, Some(session), question, &options, &record)?;
    let no_attempts = Attempts::default();
    let event = choice::announcement(
        &context,
        &plan,
        &started.debate,
        &no_attempts,
        first_tokens,
        Vec::new(),
    );
    session::remember_families(&context);
    spawn(&context, &started.debate, &started.project, &[])?;
    Ok(event)
}

/// Resumes a debate with programs in all seats. Returns the plan to show.
pub fn go_on(
    world: &World,
    session: &Session,
    runs: &Runs,
    isolated: &IsolatedOptions,
    take_over: bool,
) -> Result<RunEvent, Stopped> {
    let context = Context::new(world);
    let Runs { debate, project, record, .. } = runs;
    programs::can_have_programs(&context)?;
    programs::may_go_on(&context, session, debate, take_over)?;
    programs::check_chooses_nobody(&context, project)?;
    let recorded = record.clone().or_else(|| programs::run_record(&context, &debate.id, project));
    let attempts = programs::attempt_record(&context, &debate.id).read()?;
    let recorded = recorded.unwrap_or_default();
    let mut wanted = RunOptions { seats: isolated.seats.clone(), ..RunOptions::default() };
    let (plan, record) =
        super::prepare_again(world, &context, debate, (&recorded, &attempts), &mut wanted)?;
    can_isolate(&plan, debate, &attempts)?;
    let detached = recorded.handover.detached || is_detached(world, isolated);
    let record = RunRecord { handover: handover(session, detached), ..record };
    programs::remember_run(&context, project, &debate.id, &record)?;
    let event = choice::announcement(&context, &plan, debate, &attempts, RULES_TOKENS, Vec::new());
    let mut more = isolated.seats.arguments();
    more.extend(take_over.then(|| "--take-over".to_owned()));
    spawn(&context, debate, project, &more)?;
    programs::follow(&context, session, project, debate);
    Ok(event)
}

fn handover(session: &Session, detached: bool) -> Handover {
    Handover { isolated: true, for_client: session.client, detached }
}

/// True if the programs go on when the client ends: on the user's wish, and always where it may end
/// with its answer; with `-p` it waits 30 s at most (2.1.330).
pub fn is_detached(world: &World, isolated: &IsolatedOptions) -> bool {
    isolated.detach || world.surface.may_end()
}

/// Refuses a program that can't keep a seat to itself, or that is not logged in, before the debate
/// starts.
fn can_isolate(plan: &Plan, debate: &Debate, attempts: &Attempts) -> Result<()> {
    let mut checked: Vec<(&str, bool)> = Vec::new();
    let filled = choice::seats_of(plan, debate, attempts);
    let agents = filled.iter().flat_map(|FilledSeat { option, agent, others, .. }| {
        std::iter::once(agent).chain(others).map(|agent| (*option, *agent, others.is_empty()))
    });
    for (seat, agent, is_only) in agents {
        if agent.output != OutputFormat::Claude || !choice::is_on_path(agent) {
            continue;
        }
        let Some(program) = agent.command.first() else { continue };
        if checked.contains(&(program, is_only)) {
            continue;
        }
        checked.push((program, is_only));
        if let Some(option) = listed::missing_option(program, &agent.command) {
            let program = program.clone();
            return Err(RunError::NotIsolated {
                program,
                unknown: option.to_owned(),
                option: seat,
            }
            .into());
        }
        // In a list, the next agent takes the seat of one without a login.
        if is_only && listed::is_logged_out(program) {
            return Err(RunError::LoggedOut(program.clone()).into());
        }
    }
    Ok(())
}

/// Starts the process that argues, and waits until it has taken the debate up.
fn spawn(context: &Context<'_>, debate: &Debate, project: &Project, more: &[String]) -> Result<()> {
    let attempts = programs::attempt_record(context, &debate.id);
    let log = attempts.open_log()?;
    let mut arguments =
        vec!["run".to_owned(), format!("--resume={}", debate.id), "--runner".to_owned()];
    arguments.extend(more.iter().cloned());
    let own = anvil_system::process::own_program().map_err(not_run)?;
    let mut runner =
        Background::start(&own, &arguments, project.root(), &HIDDEN, log).map_err(not_run)?;
    let began = Instant::now();
    let mut is_over = false;
    while !is_over && began.elapsed() < GRACE {
        is_over = runner.is_over();
        // A process that has ended may have argued the whole debate: a script takes no time.
        if programs::is_taken_up(context, project, debate) {
            return Ok(());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Err(RunError::NotStarted(last_log_line(&attempts)).into())
}

/// The last line that the process printed.
fn last_log_line(attempts: &AttemptRecord) -> String {
    let text = attempts.log();
    match text.lines().rev().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => clean(line, 300),
        None => "it printed nothing".to_owned(),
    }
}

/// Waits, for a background hook, until the replies for this session are written. True if the hook
/// has to wake an idle session for the news, and no other hook waits for that.
pub fn wait(world: &World, session: &Session) -> bool {
    let context = Context::new(world);
    let mut last_run = Instant::now();
    let mut waits = false;
    let mut place = None;
    loop {
        let awaited = programs::next_awaited(&context, session, &mut place);
        // The other hook of this prompt starts the programs, and one run may follow another.
        let is_late = last_run.elapsed() > GRACE;
        match awaited {
            Awaited::Nowhere => return false,
            _ if waits && !programs::is_last_waiter(&context, session, place.as_ref()) => {
                return false;
            }
            Awaited::News if waits || is_late => return true,
            Awaited::Runs => {
                if !waits {
                    programs::begin_to_wait(&context, session);
                }
                (waits, last_run) = (true, Instant::now());
            }
            Awaited::News | Awaited::Nothing if is_late => return false,
            Awaited::News | Awaited::Nothing => {}
        }
        // A run may be over in no time.
        let is_new = !waits && last_run.elapsed() < Duration::from_secs(2);
        std::thread::sleep(POLL_INTERVAL * if is_new { 2 } else { 10 });
    }
}
