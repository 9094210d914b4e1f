//! The work of the tools except `task_claim`: each is one use case of the engine, in the current
//! world.

use std::sync::atomic::AtomicBool;

use super::arguments::{
    NoteArguments, ReportArguments, SearchArguments, StatusArguments, SubmitArguments,
    question_and_options,
};
use super::held::Held;
use super::results::{
    FoundDebate, FoundText, HeldTask, ReportResult, SearchResult, StartResult, StatusResult,
    SubmitResult, SubmitState, TaskEntry,
};
use crate::error::McpError;
use anvil_core::debate::Status;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::Author;
use anvil_engine::{
    Claimant, Context, Filed, Hit, PastDebate, Reported, Stopped, Submitted, Ticket, history,
    reason, reports, session, tasks,
};
use anvil_report::Format;
use anvil_store::{Holder, Scope};
use anvil_system::world::World;
use anvil_text::error::{Error, Kind, Result};
use anvil_text::visible;

/// Most tokens of a prompt: more than this, and clients warn about a tool's result.
pub(super) const MAX_TOKENS: usize = 60_000;

/// Most characters of a reply.
const MAX_CHARS: usize = 400_000;

/// Most debates in one answer.
const MAX_DEBATES: usize = 50;

/// Turns a skipped event into an error.
pub(super) fn to_error(stopped: Stopped) -> Error {
    match stopped {
        Stopped::Failed(error) => error,
        Stopped::Skipped(_) => McpError::Broken.into(),
    }
}

/// Replaces the hint of "no debate": the id is the client's, and the hint names tools.
pub(super) fn explain_missing<T>(id: Option<&str>, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error.kind() {
        Kind::Nothing => match id {
            Some(id) => McpError::NoDebate(id.to_owned()).into(),
            None => McpError::NoDebateHere.into(),
        },
        _ => error,
    })
}

/// Runs blocking work on another thread, next to the conversation with the client.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(|_| McpError::Broken)?)
}

fn notes(context: &Context<'_>) -> Vec<String> {
    context.take_notes().iter().map(anvil_messages::mcp::note).collect()
}

/// Starts a debate without a driver.
pub(super) fn start(world: &World, arguments: rmcp::model::JsonObject) -> Result<StartResult> {
    let (question, options) = question_and_options(arguments)?;
    let question = anvil_command::question(&question)?;
    let context = Context::new(world).of_seat();
    let started = session::start_for_program(&context, &question, &options).map_err(to_error)?;
    Ok(StartResult {
        replies: usize::try_from(started.estimate.replies).unwrap_or_default(),
        debate: started.debate.id,
        question: started.debate.question,
        report: started.report,
        next: anvil_messages::mcp::BEGUN.to_owned(),
        notes: notes(&context),
    })
}

pub(super) fn status(
    world: &World,
    held: &Held,
    StatusArguments { id }: &StatusArguments,
) -> Result<StatusResult> {
    let context = Context::new(world).of_seat();
    let board = explain_missing(id.as_deref(), tasks::list(&context, id.as_deref()))?;
    let mut yours = held.tickets(&board.debate.id);
    yours.retain(|ticket| tasks::still_holds(&context, ticket));
    let is_complete = board.debate.status() == Status::Completed;
    let mut all = Vec::new();
    for task in &board.tasks {
        // A seat must not know who writes the others.
        let is_shown = is_complete || yours.iter().any(|ticket| ticket.task == task.id);
        all.push(TaskEntry {
            id: task.id.clone(),
            description: task.description.clone(),
            status: task.status.label().replace(' ', "_"),
            claimed_by: task.claimed_by.clone().filter(|_| is_shown),
            dependencies: task.dependencies.clone(),
        });
    }
    Ok(StatusResult {
        question: board.debate.question.clone(),
        status: board.debate.status().word().to_owned(),
        at: board.debate.place_label(),
        tasks: all,
        yours: yours
            .into_iter()
            .map(|ticket| HeldTask { token: ticket.whole_token(), task: ticket.task })
            .collect(),
        debate: board.debate.id,
        notes: notes(&context),
    })
}

/// Saves a reply.
pub(super) fn submit(
    world: &World,
    held: &Held,
    SubmitArguments { token, reply }: &SubmitArguments,
    name: &str,
) -> Result<SubmitResult> {
    let text = visible(reply).0;
    if text.chars().count() > MAX_CHARS {
        return Err(McpError::LongReply(MAX_CHARS).into());
    }
    let context = Context::new(world).of_seat();
    let id = explain_missing(None, tasks::list(&context, None))?.debate.id;
    let ticket = Ticket::parse(token, &id).ok_or(McpError::NoToken)?;
    let author = Author::new(name, None, None);
    let written = WrittenReply { text: &text, author: Some(&author), limit: None };
    let answered = match tasks::submit(&context, &ticket, written).map_err(to_error)? {
        Submitted::Filed(Filed::Again(why)) => {
            let next = anvil_messages::mcp::again(&reason(&why));
            return again(&context, &ticket, Some(&text), &next);
        }
        Submitted::Filed(Filed::BlockAgain(wrong)) => {
            return again(&context, &ticket, None, &anvil_messages::mcp::block_again(&wrong));
        }
        Submitted::Filed(Filed::Saved { .. }) => {
            answer(SubmitState::Filed, anvil_messages::mcp::SAVED)
        }
        Submitted::Filed(Filed::Waits(..)) => {
            answer(SubmitState::Filed, anvil_messages::mcp::SAVED_AND_WAITS)
        }
        Submitted::Filed(Filed::Completed(completed)) => {
            let verdict = Some(completed.standing.into());
            SubmitResult { verdict, ..answer(SubmitState::Complete, anvil_messages::mcp::COMPLETE) }
        }
        Submitted::Filed(Filed::Failed(debate)) => failure(&debate.why_stopped()),
        Submitted::GivenUp(why) => failure(&why),
        Submitted::SavedBefore => answer(SubmitState::Filed, anvil_messages::mcp::SAVED_BEFORE),
        Submitted::Kept => answer(SubmitState::Kept, anvil_messages::mcp::KEPT),
        Submitted::Late => answer(SubmitState::Late, anvil_messages::mcp::LATE),
    };
    held.forget(&ticket);
    Ok(answered)
}

fn failure(why: &str) -> SubmitResult {
    answer(SubmitState::Failed, &anvil_messages::mcp::failure_line(why))
}

fn answer(state: SubmitState, next: &str) -> SubmitResult {
    SubmitResult { state, next: next.to_owned(), verdict: None, prompt: None }
}

/// Notes a fact for the replies after this one.
pub(super) fn note(
    world: &World,
    NoteArguments { token, text }: &NoteArguments,
    name: &str,
) -> Result<SubmitResult> {
    let context = Context::new(world).of_seat();
    let id = explain_missing(None, tasks::list(&context, None))?.debate.id;
    let ticket = Ticket::parse(token, &id).ok_or(McpError::NoToken)?;
    let author = Author::new(name, None, None);
    tasks::note_fact(&context, &ticket, text, author)?;
    Ok(answer(SubmitState::Noted, anvil_messages::mcp::NOTED))
}

/// Returns the prompt at once: it says what is wrong with the reply.
fn again(
    context: &Context<'_>,
    ticket: &Ticket,
    before: Option<&str>,
    next: &str,
) -> Result<SubmitResult> {
    let request = tasks::request_again(context, ticket, before, |_| MAX_TOKENS)?;
    let prompt = request.map(|request| request.prompt);
    Ok(SubmitResult { prompt, ..answer(SubmitState::Again, next) })
}

/// This server, which claims tasks for its client. Only the user resumes a paused debate.
pub(super) fn claimant(name: &str) -> Claimant {
    Claimant { name: anvil_messages::mcp::claimant(name), holder: Holder::this(), reopens: false }
}

pub(super) fn report(
    world: &World,
    ReportArguments { id, format }: &ReportArguments,
    is_cancelled: &AtomicBool,
) -> Result<ReportResult> {
    let format = format.unwrap_or(Format::Markdown);
    let context = Context::new(world).of_seat().until(is_cancelled);
    let reported = reports::report(&context, None, id.as_deref(), Some(format), Some("-"));
    match explain_missing(id.as_deref(), reported)? {
        Reported::Text(report) => Ok(ReportResult { report, notes: notes(&context) }),
        Reported::Written(_) => Err(McpError::Broken.into()),
    }
}

/// The debates that contain a text, or all.
pub(super) fn search(
    world: &World,
    SearchArguments { text }: &SearchArguments,
    is_cancelled: &AtomicBool,
) -> Result<SearchResult> {
    let context = Context::new(world).of_seat().until(is_cancelled);
    let mut debates: Vec<(PastDebate, Vec<Hit>)> =
        if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
            history::search(&context, None, text, Scope::Repository)?.debates
        } else {
            let all = history::past(&context, None, Scope::Repository)?.debates;
            all.into_iter().map(|past| (past, Vec::new())).collect()
        };
    let has_more = debates.len() > MAX_DEBATES;
    debates.truncate(MAX_DEBATES);
    let debates = debates.into_iter().map(|(past, hits)| found_debate(past, hits)).collect();
    Ok(SearchResult { debates, has_more })
}

fn found_debate(past: PastDebate, hits: Vec<Hit>) -> FoundDebate {
    FoundDebate {
        status: past.debate.status().word().to_owned(),
        debate: past.debate.id,
        question: past.debate.question,
        verdict: past.standing.map(Into::into),
        hits: hits
            .into_iter()
            .map(|Hit { place, count, excerpt, .. }| FoundText { place, count, excerpt })
            .collect(),
    }
}
