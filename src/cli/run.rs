//! `anvil run` and `anvil start` begin a debate, between programs or for a session; `anvil step`
//! takes one reply.

use super::error::InputError;
use anvil_core::limits::MAX_QUESTION_CHARS;
use anvil_core::options::DebateOptions;
use anvil_core::reply::Usage;
use anvil_engine::{Context, StepDebate, session};
use anvil_messages::Door;
use anvil_run::step::{StepEnd, StepOptions};
use anvil_run::{Caller, DryRunSeat, RunOptions, has_input_within};
use anvil_system::world::World;
use anvil_text::error::Result;
use serde_json::json;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

pub(super) use anvil_run::scratch::{VERB as SCRATCH, main as scratch};
pub(super) use anvil_run::script::{VERB as SCRIPT, main as script};
pub(super) use anvil_run::wrapper::{VERB as WRAPPER, main as wrapper};

/// Longest question on standard input, in bytes: a longer one has too many characters.
pub(super) const MAX_INPUT: u64 = 4 * MAX_QUESTION_CHARS as u64 + 1_000;

/// After this time a line says that the step waits for the end of its input.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn run(
    world: &World,
    question: &str,
    options: &DebateOptions,
    mut run_options: RunOptions,
    door: &Door,
) -> Result<ExitCode> {
    if let Some(id) = run_options.resume.take() {
        let take_over = options.take_over;
        let none = DebateOptions { take_over, ..DebateOptions::default() };
        if !question.trim().is_empty() || *options != none {
            return Err(InputError::ResumeTakesNothing.into());
        }
        let id = Some(id.as_str()).filter(|id| !id.is_empty());
        return anvil_run::resume(world, id, run_options, take_over, Caller::default(), door);
    }
    let mut options = options.clone();
    options.revise = run_options.revise.take();
    let options = &options;
    let question = match question {
        "-" => question_on_input()?,
        typed => question_of(typed, options)?,
    };
    if run_options.dry_run {
        let (plan, seats) = anvil_run::preview(world, &question, options, &run_options)?;
        super::print(&anvil_messages::run_plan(&plan, super::screen::screen(), door))?;
        for dry in seats.iter().filter(|dry| run_options.prompts || !dry.is_here) {
            super::print(&dry_run_text(dry, run_options.prompts))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    anvil_run::start(world, &question, options, run_options, Caller::default(), door)
}

/// The question as it is argued; empty if the options make one.
fn question_of(typed: &str, options: &DebateOptions) -> Result<String> {
    if typed.trim().is_empty() && options.document().is_some() {
        return Ok(String::new());
    }
    if let Some(number) = options.pull_request().filter(|_| typed.trim().is_empty()) {
        return Ok(format!("Should we merge pull request {number}?"));
    }
    anvil_command::question(typed)
}

/// The question on standard input, for `anvil run -`.
fn question_on_input() -> Result<String> {
    if io::stdin().is_terminal() {
        let why = "no question is given: standard input is the terminal";
        return Err(InputError::NoQuestion(why).into());
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes);
    let read = read.map_err(InputError::Unread)?;
    if read as u64 > MAX_INPUT {
        return Err(InputError::TooLong.into());
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| InputError::NoQuestion("the question on standard input is not UTF-8 text"))?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if anvil_command::is_blank(&text) {
        return Err(InputError::NoQuestion("standard input is empty").into());
    }
    anvil_command::question(&text)
}

/// `anvil start`: prepares a debate for a session.
pub(super) fn start(
    context: &Context<'_>,
    question: &str,
    options: &DebateOptions,
    door: &Door,
) -> Result<()> {
    match session::start(context, None, &question_of(question, options)?, options) {
        Ok(started) => super::print(&anvil_messages::preparation_lines(&started, door)),
        Err(stopped) => stopped.failure(),
    }
}

/// `anvil step`: one reply of a debate that comes on standard input, or of a new one.
pub(super) fn step(
    world: &World,
    question: &str,
    options: &DebateOptions,
    step_options: &StepOptions,
    door: &Door,
) -> Result<ExitCode> {
    let is_new = !question.trim().is_empty() || *options != DebateOptions::default();
    let given = read_standard_input(is_new)?;
    let debate = match &given {
        Some(_) if is_new => {
            return Err(InputError::StepOfBoth.into());
        }
        Some(text) => StepDebate::read(text)?,
        None if !is_new => {
            return Err(InputError::StepOfNothing.into());
        }
        None => anvil_run::step::begin_debate(
            world,
            &question_of(question, options)?,
            options,
            step_options,
        )?,
    };
    let step = match anvil_run::step::step(world, debate, given, step_options)? {
        StepEnd::Done(step) => step,
        StepEnd::Failed(error, code) => {
            super::explain(&error, door);
            return Ok(code);
        }
    };
    if step_options.json {
        let tokens = step.tokens;
        let printed = json!({
            "body": step.body,
            "done": step.next.is_none(),
            "next": step.next,
            "tokens": {
                "in": tokens.map(Usage::input),
                "cached": tokens.map(|tokens| tokens.cached),
                "out": tokens.map(|tokens| tokens.out),
            },
            "seconds": step.seconds,
        });
        deliver(&(anvil_text::harmless_json(&format!("{printed:#}")) + "\n"))?;
    } else {
        deliver(&step.body)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a reply that is nowhere else: a reader that is gone is an error, too.
fn deliver(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = if io::stdout().is_terminal() {
        // A body has no line break at its end, and a shell's prompt would follow on its line.
        writeln!(out, "{}", anvil_text::without_controls(text).trim_end())
    } else {
        out.write_all(text.as_bytes())
    };
    Ok(written.and_then(|()| out.flush()).map_err(InputError::ReplyLost)?)
}

/// The debate on standard input. `None`: that is the terminal, or empty.
fn read_standard_input(has_question: bool) -> Result<Option<String>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    if has_question && !has_input_within(PATIENCE) {
        let line = "anvil: waiting for the end of standard input; add </dev/null if there is none";
        let _ = writeln!(io::stderr(), "{line}");
    }
    let text = anvil_engine::body_from(io::stdin().lock(), "standard input")?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// One seat of a dry run.
fn dry_run_text(dry: &DryRunSeat, prompts: bool) -> String {
    let command: Vec<&str> = dry.command.iter().map(String::as_str).collect();
    let command = shlex::try_join(command).unwrap_or_else(|_| dry.command.join(" "));
    let missing = if dry.is_here { "" } else { " (not on this machine)" };
    let details = if prompts {
        format!(
            "\n  command    {command}\n  variables  {}\n  prompt for {}, on its standard \
             input:\n\n{}",
            dry.variables.join(" "),
            dry.slot,
            dry.prompt
        )
    } else {
        String::new()
    };
    format!("{}: {}{missing}{details}", dry.seat, anvil_text::clean(&dry.agent, 80))
}
