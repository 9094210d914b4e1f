//! `anvil run` and `anvil start`: begin a debate, between programs or for a session.

use std::process::ExitCode;

use crate::domain::command::{self, DebateOptions};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::run::{self, Dry, RunOptions};
use crate::system::world::World;
use crate::{messages, text};

pub(super) use crate::run::script::{VERB as SCRIPT, main as script};
pub(super) use crate::run::wrapper::{VERB as WRAPPER, main as wrapper};

pub(super) fn run(
    world: &World,
    question: &str,
    options: &DebateOptions,
    mut wanted: RunOptions,
) -> Result<ExitCode> {
    wanted.take_over = options.take_over;
    wanted.named = super::name();
    if let Some(id) = wanted.resume.take() {
        let allowed = DebateOptions { take_over: options.take_over, ..DebateOptions::default() };
        if !question.trim().is_empty() || *options != allowed {
            return Err(Error::usage(
                "--resume goes on with the debate as it is, and takes no question and no options \
                 of one",
                "`anvil run --resume --critic AGENT` gives a seat to another agent",
            ));
        }
        return run::resume(world, Some(id.as_str()).filter(|id| !id.is_empty()), wanted);
    }
    let options = &DebateOptions { revise: wanted.revise.take(), ..options.clone() };
    let question = question_of(question, options)?;
    if wanted.dry_run {
        let (plan, seats) = run::preview(world, &question, options, &wanted)?;
        super::print(&messages::run_plan(&plan))?;
        for dry in seats {
            super::print(&described(&dry, wanted.prompts))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    run::start(world, &question, options, wanted)
}

/// The question as it is argued; empty if the options make one.
fn question_of(typed: &str, options: &DebateOptions) -> Result<String> {
    if typed.trim().is_empty() && options.ask() {
        return Ok(String::new());
    }
    command::question(typed)
}

/// `anvil start`: prepares a debate for a session.
pub(super) fn start(engine: &Engine<'_>, question: &str, options: &DebateOptions) -> Result<()> {
    match engine.sessions().start(None, &question_of(question, options)?, options) {
        Ok(started) => super::print(&messages::prepared(&started)),
        Err(stopped) => stopped.failure(),
    }
}

/// One seat of a dry run.
fn described(dry: &Dry, prompts: bool) -> String {
    let command: Vec<&str> = dry.command.iter().map(String::as_str).collect();
    let command = shlex::try_join(command).unwrap_or_else(|_| dry.command.join(" "));
    let missing = if dry.is_here { "" } else { " (not on this machine)" };
    let prompt = if prompts {
        format!("\n  prompt for {}, on its standard input:\n\n{}", dry.slot, dry.prompt)
    } else {
        String::new()
    };
    format!(
        "{}: {}{missing}\n  command    {}\n  variables  {}{prompt}",
        dry.seat,
        text::clean(&dry.agent, 80),
        command,
        dry.variables.join(" "),
    )
}
