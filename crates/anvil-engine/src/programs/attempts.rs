//! Shows the attempts to get replies from programs, and their results. It starts no attempt.

use super::error::ProgramsError;
use crate::Context;
use crate::lookup::{check_names_no_agent, find};
use anvil_core::debate::Debate;
use anvil_store::{Attempt, AttemptRecord, Attempts, Project, RunRecord, Store};
use anvil_text::error::Result;

/// An attempt, with its texts word for word.
#[derive(Debug)]
pub struct ShownAttempt {
    /// Its start and its end.
    pub attempt: Attempt,
    /// The text that the program received.
    pub prompt: String,
    /// `None`: no reply came back.
    pub reply: Option<String>,
    /// Only without a reply: the program's output and its errors.
    pub printed: Option<[String; 2]>,
}

/// The record of the programs that argue a debate. One of another place does not count.
pub fn run_record(context: &Context<'_>, id: &str, project: &Project) -> Option<RunRecord> {
    Store::new(project.clone(), context.world).run_record(id)
}

/// Refuses a debate if its file chooses who writes.
pub fn check_chooses_nobody(context: &Context<'_>, project: &Project) -> Result<()> {
    check_names_no_agent(&Store::new(project.clone(), context.world))
}

pub fn attempt_record(context: &Context<'_>, id: &str) -> AttemptRecord {
    AttemptRecord::new(&context.selected_store(None), id)
}

/// The attempts of the current debate, or of an earlier one by its number or id, and that
/// debate.
pub fn attempts(context: &Context<'_>, selector: Option<&str>) -> Result<(Debate, Attempts)> {
    let store = context.selected_store(None);
    let (state, _) = find(&store, selector)?;
    let attempts = store.attempts(&state.debate.id)?;
    Ok((state.debate, attempts))
}

/// Fails if the debate has no attempt with this number.
pub fn shown_attempt(
    context: &Context<'_>,
    selector: Option<&str>,
    number: u32,
) -> Result<ShownAttempt> {
    let (debate, attempts) = attempts(context, selector)?;
    let attempt = attempts
        .all
        .into_iter()
        .chain(attempts.claims)
        .find(|attempt| attempt.started.attempt == number)
        .ok_or(ProgramsError::NoAttempt(number))?;
    let record = attempt_record(context, &debate.id);
    let prompt = record.prompt(number)?;
    let reply = record.reply(&attempt);
    let printed = record
        .read_output(number)
        .filter(|_| reply.is_none())
        .map(|(out, err)| [out, err].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    Ok(ShownAttempt { attempt, prompt, reply, printed })
}
