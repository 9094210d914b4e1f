//! What the tools do, but for claiming: each is one use case of the engine, in the world of its moment.

use super::arguments::{Format, Report, Search, Status, Submit, wishes};
use super::held::{Held, ticket, token};
use super::results::{self, SubmitState, Submitted};
use super::uri;
use crate::command;
use crate::engine::{self, Engine, NextTask, PastDebate, Reported, Stopped, TaskSubmitted, Ticket, Worker};
use crate::error::{Error, Kind, Result};
use crate::messages;
use crate::report;
use crate::state::Holder;
use crate::tasks::{Task, Wanted};
use crate::text::visible;
use crate::world::World;

/// Most tokens of a prompt: what clients take from a tool without a word.
const MOST_TOKENS: usize = 60_000;

/// Most characters of a reply.
const MOST_CHARS: usize = 400_000;

/// Most debates in one answer.
const MOST_DEBATES: usize = 50;

/// What was not done is an error here.
pub(super) fn failed(stopped: Stopped) -> Error {
    match stopped {
        Stopped::Failed(error) => error,
        Stopped::Nothing(_) => messages::mcp::broken(),
    }
}

/// What was asked of a debate, whose name is the client's own word. Where there is none, its hint names tools.
pub(super) fn found<T>(id: Option<&str>, done: Result<T>) -> Result<T> {
    done.map_err(|error| match error.kind() {
        Kind::Nothing => messages::mcp::no_debate(id),
        _ => error,
    })
}

/// Does what blocks beside the conversation with the client.
pub(super) async fn blocking<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(what).await.map_err(|_| messages::mcp::broken())
}

fn notes(engine: &Engine<'_>) -> Vec<String> {
    engine.take_notes().iter().map(messages::note).collect()
}

/// Begins a debate that waits for who joins it.
pub(super) fn start(world: &World, arguments: rmcp::model::JsonObject) -> Result<results::Started> {
    let (question, wishes) = wishes(arguments)?;
    // Two results argued against each other are a question by themselves.
    let asks_itself = question.trim().is_empty() && wishes.iter().any(|wish| wish.key == "versus");
    let question = if asks_itself { String::new() } else { command::question(&question)? };
    let engine = Engine::new(world);
    let started = engine.start_for_program(&question, &wishes).map_err(failed)?;
    Ok(results::Started {
        uri: uri::of(&started.debate.id),
        replies: usize::try_from(started.estimate.replies).unwrap_or_default(),
        debate: started.debate.id,
        question: started.debate.question,
        report: started.report,
        next: messages::mcp::begun(),
        notes: notes(&engine),
    })
}

/// Where a debate stands.
pub(super) fn status(world: &World, held: &Held, Status { id }: &Status) -> Result<results::Standing> {
    let engine = Engine::new(world);
    let board = found(id.as_deref(), engine.tasks(id.as_deref()))?;
    let one = |task: &Task| results::Task {
        id: task.id.clone(),
        description: task.description.clone(),
        status: task.status.label().replace(' ', "_"),
        claimed_by: task.claimed_by.clone(),
        dependencies: task.dependencies.clone(),
    };
    let is_ours = |ticket: &Ticket| engine.still_holds(ticket);
    let yours = held.of(&board.debate.id).into_iter().filter(is_ours);
    let detail = Some(board.debate.progress.status_detail.clone()).filter(|detail| !detail.is_empty());
    Ok(results::Standing {
        question: board.debate.question.clone(),
        status: board.debate.progress.status.word().to_owned(),
        detail,
        at: board.debate.slot_label(),
        tasks: board.tasks.iter().map(one).collect(),
        yours: yours.map(|ticket| results::Held { token: token(&ticket), task: ticket.task }).collect(),
        debate: board.debate.id,
        notes: notes(&engine),
    })
}

/// Files a reply.
pub(super) fn submit(world: &World, held: &Held, wanted: &Submit, name: &str) -> Result<Submitted> {
    let text = visible(&wanted.reply).0;
    if text.chars().count() > MOST_CHARS {
        return Err(messages::mcp::reply_too_long(MOST_CHARS));
    }
    let engine = Engine::new(world);
    let id = found(None, engine.tasks(None))?.debate.id;
    let ticket = ticket(&wanted.token, &id).ok_or_else(messages::mcp::no_token)?;
    let submitted = engine.submit_task(&ticket, &text).map_err(failed)?;
    let plain = |state, next| Submitted { state, next, verdict: None, prompt: None };
    let answer = match submitted {
        TaskSubmitted::Filed(engine::Submitted::AskedAgain { why, .. }) | TaskSubmitted::AskedAgain(why) => {
            return again(&engine, &ticket, &text, name, &why);
        }
        TaskSubmitted::Filed(engine::Submitted::Advanced { .. }) => plain(SubmitState::Filed, messages::mcp::filed()),
        TaskSubmitted::Filed(engine::Submitted::Waits(..)) => {
            plain(SubmitState::Filed, messages::mcp::filed_and_waits())
        }
        TaskSubmitted::Filed(engine::Submitted::Completed(completed)) => {
            let done = plain(SubmitState::Complete, messages::mcp::complete());
            Submitted { verdict: Some(completed.verdict).filter(|verdict| !verdict.is_empty()), ..done }
        }
        TaskSubmitted::Filed(engine::Submitted::Failed(debate)) => {
            plain(SubmitState::Failed, messages::mcp::failed(&debate.progress.status_detail))
        }
        TaskSubmitted::Failed(why) => plain(SubmitState::Failed, messages::mcp::failed(&why)),
        TaskSubmitted::Kept => plain(SubmitState::Kept, messages::mcp::kept()),
        // Its token is good for it still.
        TaskSubmitted::Early => return Ok(plain(SubmitState::Early, messages::mcp::early())),
        TaskSubmitted::Late | TaskSubmitted::Filed(engine::Submitted::Stale) => {
            plain(SubmitState::Late, messages::mcp::late())
        }
    };
    held.forget(&ticket);
    Ok(answer)
}

/// The prompt is given at once: it says what is wrong with the reply.
fn again(engine: &Engine<'_>, ticket: &Ticket, text: &str, name: &str, why: &str) -> Result<Submitted> {
    let worker = worker(&ticket.id, name, Wanted::Any);
    let next = next_task(engine, &worker, Some(ticket), Some(text)).map_err(failed)?;
    let prompt = match next {
        NextTask::Work(own, request) if own == *ticket => Some(request.prompt),
        // Its own is over: nobody asked for another one.
        NextTask::Work(other, _) | NextTask::Holds(other, _) if other != *ticket => {
            engine.leave_task(&other, "").map_err(failed)?;
            None
        }
        NextTask::Work(..) | NextTask::Holds(..) | NextTask::Waits(_) | NextTask::Over(_) => None,
    };
    Ok(Submitted { state: SubmitState::Again, next: messages::mcp::again(why), verdict: None, prompt })
}

/// This server as one who works at a debate.
pub(super) fn worker(id: &str, name: &str, wanted: Wanted) -> Worker {
    Worker { id: id.to_owned(), name: messages::mcp::worker_name(name), wanted, holder: Holder::this() }
}

/// What is next for it. A debate that rests is the user's to go on with.
pub(super) fn next_task(
    engine: &Engine<'_>,
    worker: &Worker,
    held: Option<&Ticket>,
    before: Option<&str>,
) -> Result<NextTask, Stopped> {
    engine.next_task(worker, held, false, before, false, |_| MOST_TOKENS)
}

/// The report of a debate.
pub(super) fn report(world: &World, Report { id, format }: &Report) -> Result<results::Reported> {
    let format = match format.unwrap_or_default() {
        Format::Markdown => report::Format::Markdown,
        Format::Json => report::Format::Json,
        Format::Html => report::Format::Html,
        Format::Adr => report::Format::Adr,
        Format::Mermaid => report::Format::Mermaid,
    };
    let engine = Engine::new(world);
    match found(id.as_deref(), engine.report(id.as_deref(), Some(format), Some("-")))? {
        Reported::Text(report) => Ok(results::Reported { report, notes: notes(&engine) }),
        Reported::Written(_) => Err(messages::mcp::broken()),
    }
}

/// The debates in which a text stands, or all.
pub(super) fn search(world: &World, Search { text }: &Search) -> Result<results::Found> {
    let engine = Engine::new(world);
    let debates: Vec<(PastDebate, Vec<engine::Hit>)> = match text.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) => engine.search(text)?.debates,
        None => engine.past(None)?.debates.into_iter().map(|past| (past, Vec::new())).collect(),
    };
    let has_more = debates.len() > MOST_DEBATES;
    let hit = |hit: engine::Hit| results::Hit { place: hit.place, count: hit.count, excerpt: hit.excerpt };
    let one = |(past, hits): (PastDebate, Vec<engine::Hit>)| results::Past {
        status: past.debate.progress.status.word().to_owned(),
        debate: past.debate.id,
        question: past.debate.question,
        verdict: past.verdict,
        hits: hits.into_iter().map(hit).collect(),
    };
    Ok(results::Found { debates: debates.into_iter().take(MOST_DEBATES).map(one).collect(), has_more })
}
