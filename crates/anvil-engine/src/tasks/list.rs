//! The tasks of a debate: the replies to write, and who has claimed them.

use std::collections::BTreeMap;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::lookup::{check_names_no_agent, unfinished_here};
use crate::ownership::owner_status;
use crate::programs::answer_generation;
use crate::{Context, NextReply};
use anvil_core::attempt::Slot;
use anvil_core::debate::Debate;
use anvil_core::tasks::{ByProgram, Facts, Task, TaskHolder, tasks, to_second};
use anvil_core::transcript;
use anvil_store::{Attempt, AttemptRecord, Attempts, Project, StateFile, Store};
use anvil_text::error::Result;

/// The tasks of a debate.
#[derive(Debug)]
pub struct TaskBoard {
    pub debate: Debate,
    pub project: Project,
    pub next: NextReply,
    /// In the order of their places.
    pub tasks: Vec<Task>,
}

/// `id`: an earlier debate; `None`: the current one.
pub fn list(context: &Context<'_>, id: Option<&str>) -> Result<TaskBoard> {
    let store = context.selected_store(None);
    let (state, _) = context.find(&store, id)?;
    let attempts = store.attempts(&state.debate.id)?;
    let next = next_reply(context, &state, &attempts);
    let mut tasks = tasks_of(&store, &state, &attempts, &next);
    for task in &mut tasks {
        task.claimed_at = task.claimed_at.or_else(|| requested_at(&attempts, task).map(to_second));
    }
    Ok(TaskBoard { debate: state.debate, project: store.project().clone(), next, tasks })
}

/// The unfinished debate here.
pub fn unfinished_debate(context: &Context<'_>) -> Result<Debate> {
    let store = context.selected_store(None);
    let debate = unfinished_here(&store)?;
    check_names_no_agent(&store)?;
    Ok(debate)
}

/// A value that changes with the debate and its claims.
pub fn signature(context: &Context<'_>, id: &str) -> [Option<(u64, SystemTime)>; 2] {
    let store = context.selected_store(None);
    let meta = std::fs::metadata(store.project().state_file());
    let file = meta.and_then(|meta| Ok((meta.len(), meta.modified()?))).ok();
    [file, AttemptRecord::new(&store, id).signature()]
}

/// The tasks of the running cycle.
pub(super) fn tasks_of(
    store: &Store,
    state: &StateFile,
    attempts: &Attempts,
    next: &NextReply,
) -> Vec<Task> {
    let project = store.project();
    tasks(&Facts {
        debate: &state.debate,
        entries: &transcript::parse(&state.body),
        holders: &holders(state, attempts),
        programs: &by_program(state, attempts),
        writer: next.program().map(|program| (program, next.since())),
        file: &project.display(&project.state_file()),
    })
}

/// What becomes of the next reply.
pub(crate) fn next_reply(
    context: &Context<'_>,
    state: &StateFile,
    attempts: &Attempts,
) -> NextReply {
    let debate = &state.debate;
    let owner = owner_status(context, debate, None);
    let answers = answer_generation(state, debate.next_place());
    NextReply::now(context, debate, answers, attempts, owner.as_ref())
}

/// The conversation or run that writes the next reply.
pub(super) fn writer(
    context: &Context<'_>,
    state: &StateFile,
    attempts: &Attempts,
) -> Option<&'static str> {
    next_reply(context, state, attempts).program()
}

/// True if the reply of this attempt is still waited for.
pub(super) fn is_due(state: &StateFile, attempt: &Attempt) -> bool {
    if attempt.is_submitted || attempt.is_over {
        return false;
    }
    let next = state.debate.next_place();
    let mut left = state.debate.places().into_iter().skip_while(|place| *place != next);
    let place = left.find(|place| attempt.started.slot == (*place).into());
    place.is_some_and(|place| answer_generation(state, place) == attempt.answers())
}

/// The holders of tasks that may still write them or have written them, by task id.
pub(crate) fn holders(state: &StateFile, attempts: &Attempts) -> BTreeMap<String, TaskHolder> {
    let holding = attempts.claims.iter().filter(|attempt| {
        is_due(state, attempt) && (attempt.ended.is_none() || attempt.is_received())
    });
    let by_task =
        holding.filter_map(|attempt| Some((attempt.claim()?.task.clone(), holder(attempt)?)));
    by_task.collect()
}

/// Who holds the task of a claim. `None`: a program makes the attempt.
pub(crate) fn holder(attempt: &Attempt) -> Option<TaskHolder> {
    let claim = attempt.claim()?;
    Some(TaskHolder {
        name: attempt.started.origin.agent.clone(),
        user: claim.user.clone(),
        host: claim.holder.host.clone(),
        process: claim.holder.has_process().then_some(claim.holder.process.pid),
        attempt: attempt.started.attempt,
        is_gone: attempt.is_dead(),
        claimed_at: to_second(attempt.started.at),
        received_at: attempt.ended.as_ref().map(|ended| to_second(ended.at)),
    })
}

/// The work of programs.
fn by_program(state: &StateFile, attempts: &Attempts) -> BTreeMap<Slot, ByProgram> {
    let due = attempts.all.iter().filter(|attempt| is_due(state, attempt));
    let by_place = due.filter_map(|attempt| {
        let work = match &attempt.ended {
            None if attempt.started.process.is_alive() => ByProgram::Writes,
            Some(ended) if attempt.is_received() => ByProgram::Wrote(ended.at),
            _ => return None,
        };
        Some((attempt.started.slot, work))
    });
    by_place.collect()
}

/// When the reply of a task was requested from its author.
fn requested_at(attempts: &Attempts, task: &Task) -> Option<Timestamp> {
    let slot = Slot::from(task.place);
    let saved_at = task.result.as_ref().and(task.completed_at)?;
    let by_attempt = attempts
        .all
        .iter()
        .chain(&attempts.claims)
        .filter(|attempt| attempt.is_received())
        .map(|attempt| (attempt.started.slot, attempt.started.at));
    let by_turn = attempts
        .turns
        .iter()
        .filter(|turn| turn.error.is_none())
        .map(|turn| (turn.slot, turn.asked));
    by_attempt
        .chain(by_turn)
        // The mark of a section has whole seconds.
        .filter(|(of, at)| *of == slot && at.as_second() <= saved_at.as_second())
        .map(|(_, at)| at)
        .max()
}
