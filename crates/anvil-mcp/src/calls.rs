//! The work of the tools except `task_claim`: each is one use case of the engine, in the current
//! world.

use super::arguments::{self, NoteFact, Report, Search, Submit, wishes};
use super::held::Held;
use super::results::{self, SubmitState, Submitted};
use anvil_core::debate::Status;
use anvil_core::reply::Written;
use anvil_core::tasks::Task;
use anvil_core::transcript::Author;
use anvil_engine::{
    Claimant, Context, PastDebate, ReplyOutcome, Reported, Stopped, Ticket, history, reason,
    reports, session, tasks,
};
use anvil_report::Format;
use anvil_store::{Holder, Scope};
use anvil_system::world::World;
use anvil_text::door::Door;
use anvil_text::error::{Error, Kind, Result};
use anvil_text::visible;

/// Most tokens of a prompt: more than this, and clients warn about a tool's result.
pub(super) const MAX_TOKENS: usize = 60_000;

/// Most characters of a reply.
const MAX_CHARS: usize = 400_000;

/// Most debates in one answer.
const MAX_DEBATES: usize = 50;

/// Turns a skipped event into an error.
pub(super) fn failed(stopped: Stopped) -> Error {
    match stopped {
        Stopped::Failed(error) => error,
        Stopped::Skipped(_) => anvil_messages::mcp::broken(),
    }
}

/// Replaces the hint of "no debate": the id is the client's, and the hint names tools.
pub(super) fn found<T>(id: Option<&str>, done: Result<T>) -> Result<T> {
    done.map_err(|error| match error.kind() {
        Kind::Nothing => anvil_messages::mcp::no_debate(id),
        _ => error,
    })
}

/// Runs blocking work on another thread, next to the conversation with the client.
pub(super) async fn blocking<T: Send + 'static>(
    what: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(what).await.map_err(|_| anvil_messages::mcp::broken())
}

fn notes(context: &Context<'_>) -> Vec<String> {
    context.take_notes().iter().map(|note| anvil_messages::note(note, Door::Shell)).collect()
}

/// Starts a debate without a driver.
pub(super) fn start(world: &World, given: rmcp::model::JsonObject) -> Result<results::Started> {
    let (question, wishes) = wishes(given)?;
    let question = anvil_command::question(&question)?;
    let context = Context::new(world);
    let started = session::start_for_program(&context, &question, &wishes).map_err(failed)?;
    Ok(results::Started {
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
    arguments::Status { id }: &arguments::Status,
) -> Result<results::Standing> {
    let context = Context::new(world);
    let board = found(id.as_deref(), tasks::list(&context, id.as_deref()))?;
    let is_ours = |ticket: &Ticket| tasks::still_holds(&context, ticket);
    let yours: Vec<Ticket> = held.tickets(&board.debate.id).into_iter().filter(is_ours).collect();
    let holds = |task: &str| yours.iter().any(|ticket| ticket.task == task);
    let is_complete = board.debate.progress.status == Status::Completed;
    let one = |task: &Task| results::Task {
        id: task.id.clone(),
        description: task.description.clone(),
        status: task.status.label().replace(' ', "_"),
        // A seat must not know who writes the others.
        claimed_by: task.claimed_by.clone().filter(|_| is_complete || holds(&task.id)),
        dependencies: task.dependencies.clone(),
    };
    Ok(results::Standing {
        question: board.debate.question.clone(),
        status: board.debate.progress.status.word().to_owned(),
        at: board.debate.place_label(),
        tasks: board.tasks.iter().map(one).collect(),
        yours: yours
            .into_iter()
            .map(|ticket| results::Held { token: ticket.whole_token(), task: ticket.task })
            .collect(),
        debate: board.debate.id,
        notes: notes(&context),
    })
}

/// Saves a reply.
pub(super) fn submit(world: &World, held: &Held, wanted: &Submit, name: &str) -> Result<Submitted> {
    let text = visible(&wanted.reply).0;
    if text.chars().count() > MAX_CHARS {
        return Err(anvil_messages::mcp::reply_too_long(MAX_CHARS));
    }
    let context = Context::new(world);
    let id = found(None, tasks::list(&context, None))?.debate.id;
    let ticket = Ticket::parse(&wanted.token, &id).ok_or_else(anvil_messages::mcp::no_token)?;
    let author = Author::new(name, None, None);
    let written = Written { text: &text, author: Some(&author), limit: None };
    let submitted = tasks::submit(&context, &ticket, written).map_err(failed)?;
    let failed = |why: &str| answer(SubmitState::Failed, &anvil_messages::mcp::failed(why));
    let answered = match submitted {
        ReplyOutcome::Again { why, .. } => {
            return again(
                &context,
                &ticket,
                Some(&text),
                &anvil_messages::mcp::again(&reason(&why)),
            );
        }
        ReplyOutcome::BlockAgain { wrong, .. } => {
            return again(&context, &ticket, None, &anvil_messages::mcp::block_again(&wrong));
        }
        ReplyOutcome::Saved { .. } => answer(SubmitState::Filed, anvil_messages::mcp::SAVED),
        ReplyOutcome::Waits { .. } => {
            answer(SubmitState::Filed, anvil_messages::mcp::SAVED_AND_WAITS)
        }
        ReplyOutcome::Completed(completed) => {
            let verdict = Some(completed.stated.into());
            Submitted { verdict, ..answer(SubmitState::Complete, anvil_messages::mcp::COMPLETE) }
        }
        ReplyOutcome::Failed(debate) => failed(&debate.progress.status_detail),
        ReplyOutcome::GivenUp(why) => failed(&why),
        ReplyOutcome::Kept => answer(SubmitState::Kept, anvil_messages::mcp::KEPT),
        // A claim gets none of the others.
        ReplyOutcome::Late
        | ReplyOutcome::Paused(_)
        | ReplyOutcome::NoReply(_)
        | ReplyOutcome::Checked(_)
        | ReplyOutcome::CheckAgain => answer(SubmitState::Late, anvil_messages::mcp::LATE),
    };
    held.forget(&ticket);
    Ok(answered)
}

fn answer(state: SubmitState, next: &str) -> Submitted {
    Submitted { state, next: next.to_owned(), verdict: None, prompt: None }
}

/// Notes a fact for the replies after this one.
pub(super) fn note(world: &World, wanted: &NoteFact, name: &str) -> Result<Submitted> {
    let context = Context::new(world);
    let id = found(None, tasks::list(&context, None))?.debate.id;
    let ticket = Ticket::parse(&wanted.token, &id).ok_or_else(anvil_messages::mcp::no_token)?;
    let author = Author::new(name, None, None);
    tasks::note_fact(&context, &ticket, &wanted.text, author)?;
    Ok(answer(SubmitState::Noted, anvil_messages::mcp::NOTED))
}

/// Returns the prompt at once: it says what is wrong with the reply.
fn again(
    context: &Context<'_>,
    ticket: &Ticket,
    before: Option<&str>,
    what: &str,
) -> Result<Submitted> {
    let request = tasks::request_again(context, ticket, before, |_| MAX_TOKENS)?;
    let prompt = request.map(|request| request.prompt);
    Ok(Submitted { prompt, ..answer(SubmitState::Again, what) })
}

/// This server, which claims tasks for its client. Only the user resumes a paused debate.
pub(super) fn claimant(name: &str) -> Claimant {
    Claimant { name: anvil_messages::mcp::claimant(name), holder: Holder::this(), reopens: false }
}

pub(super) fn report(world: &World, Report { id, format }: &Report) -> Result<results::Reported> {
    let format = format.unwrap_or(Format::Markdown);
    let context = Context::new(world).of_seat();
    match found(
        id.as_deref(),
        reports::report(&context, None, id.as_deref(), Some(format), Some("-")),
    )? {
        Reported::Text(report) => Ok(results::Reported { report, notes: notes(&context) }),
        Reported::Written(_) => Err(anvil_messages::mcp::broken()),
    }
}

/// The debates that contain a text, or all.
pub(super) fn search(world: &World, Search { text }: &Search) -> Result<results::Found> {
    let context = Context::new(world);
    let debates: Vec<(PastDebate, Vec<anvil_engine::Hit>)> =
        if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
            history::search(&context, None, text, Scope::Repository)?.debates
        } else {
            let all = history::past(&context, None, Scope::Repository)?.debates;
            all.into_iter().map(|past| (past, Vec::new())).collect()
        };
    let has_more = debates.len() > MAX_DEBATES;
    let hit = |hit: anvil_engine::Hit| results::Hit {
        place: hit.place,
        count: hit.count,
        excerpt: hit.excerpt,
    };
    let one = |(past, hits): (PastDebate, Vec<anvil_engine::Hit>)| results::Past {
        status: past.debate.progress.status.word().to_owned(),
        debate: past.debate.id,
        question: past.debate.question,
        verdict: past.stated.map(Into::into),
        hits: hits.into_iter().map(hit).collect(),
    };
    let debates = debates.into_iter().take(MAX_DEBATES).map(one).collect();
    Ok(results::Found { debates, has_more })
}
