//! The tasks of a debate: the replies to write, and the next task of a worker.
//!
//! The leader is a conversation or a run. It writes the replies that no worker holds.

use jiff::Timestamp;

use super::Workers;
use super::worker::{Ticket, WORKER_WAIT, Worker, is_valid, session_of};
use crate::domain::attempt::AttemptGeneration;
use crate::domain::debate::{Debate, Owner, Status};
use crate::domain::tasks::{Facts, Place, Task, TaskRefusal, Wanted, may_hold, tasks};
use crate::domain::transcript;
use crate::engine::filing::give_steering;
use crate::engine::lookup::{check_names_no_agent, find, unfinished_here};
use crate::engine::ownership::{HeldDebate, is_argued_by_programs, lock_any, owner};
use crate::engine::programs::{Asked, answered, generation_of, is_check_due, request};
use crate::engine::reports::Reports;
use crate::engine::{Request, Stopped};
use crate::error::{Error, Result};
use crate::storage::{Attempts, Lease, Leases, Locked, Project, StateFile, Store};
use crate::text::clean;

/// The tasks of a debate.
#[derive(Debug)]
pub struct Board {
    pub debate: Debate,
    pub project: Project,
    /// In the order of their places.
    pub tasks: Vec<Task>,
}

/// Why a worker waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The replies of these tasks come first.
    Dependencies(Vec<String>),
    /// This other worker holds the task.
    Held(String),
    /// This leader of the debate writes the reply.
    BeingWritten(String),
    /// The debate is paused or has failed, for this reason.
    Rests(String),
    /// No task is left for the worker, and the debate is not over.
    NothingLeft,
}

/// The next action of a worker.
#[derive(Debug)]
pub enum NextTask {
    /// The worker writes this reply.
    Work(Ticket, Box<Request>),
    /// The worker holds a task that can't begin yet.
    Holds(Ticket, Waiting),
    /// The worker can't take a task now.
    Waits(Waiting),
    /// The debate is over. `None`: it is no longer in this project.
    Over(Option<Box<Debate>>),
}

/// The circumstances in which a worker requests its next action.
#[derive(Clone, Copy, Debug, std::default::Default)]
pub struct Asking<'a> {
    pub held: Option<&'a Ticket>,
    /// The worker's last reply, if that was not saved.
    pub before: Option<&'a str>,
    /// A paused or failed debate without a leader goes on for this worker.
    pub reopens: bool,
    /// The worker can read the project's files.
    pub in_project: bool,
}

impl Workers<'_> {
    /// `id`: an earlier debate; `None`: the current one.
    pub fn tasks(&self, id: Option<&str>) -> Result<Board> {
        let store = self.context.store_meant(None);
        let (state, _) = find(&store, id)?;
        let leases = store.leases(&state.debate.id)?;
        let mut tasks = self.tasks_of(&store, &state, &leases);
        let attempts = store.attempts(&state.debate.id).unwrap_or_default();
        for task in &mut tasks {
            task.claimed_at = task.claimed_at.or_else(|| asked_at(&attempts, task));
        }
        Ok(Board { debate: state.debate, project: store.project().clone(), tasks })
    }

    pub(crate) fn tasks_of(&self, store: &Store, state: &StateFile, leases: &Leases) -> Vec<Task> {
        let project = store.project();
        tasks(&Facts {
            debate: &state.debate,
            entries: &transcript::parse(&state.body),
            holders: &leases.holders(),
            leader: self.leader(&state.debate).as_deref(),
            file: &project.display(&project.state_file()),
        })
    }

    /// The leader of a debate, for messages. `None`: the debate has no owner, or its owner is known
    /// to be gone.
    fn leader(&self, debate: &Debate) -> Option<String> {
        match owner(self.context, debate) {
            Owner::Alive | Owner::Unknown if is_argued_by_programs(debate) => {
                Some("anvil run".to_owned())
            }
            Owner::Alive | Owner::Unknown => Some("Claude Code".to_owned()),
            Owner::Dead | Owner::None => None,
        }
    }

    /// The unfinished debate of this project. `id`: the beginning or the end of its id; refuses
    /// another debate.
    pub fn debate_to_join(&self, id: Option<&str>) -> Result<(Debate, Project)> {
        let store = self.context.store_meant(None);
        let debate = unfinished_here(&store)?;
        check_names_no_agent(&store)?;
        if let Some(id) = id.filter(|id| !debate.id.starts_with(id) && !debate.id.ends_with(id)) {
            return Err(Error::nothing(
                format!("the debate here is {}, not {}", debate.id, clean(id, 100)),
                "leave the id out to join the one here",
            ));
        }
        Ok((debate, store.project().clone()))
    }

    /// A value that changes with the debate.
    pub fn task_signature(&self, id: &str) -> Vec<Option<(u64, std::time::SystemTime)>> {
        self.context.store_meant(None).signature(id)
    }

    /// The next action of a worker.
    pub fn next_task(
        &self,
        worker: &Worker,
        asking: Asking<'_>,
        most_tokens: impl Fn(Place) -> usize,
    ) -> Result<NextTask, Stopped> {
        let mut store = self.context.store_meant(None);
        let here = lock_any(self.context, &mut store, WORKER_WAIT)?
            .filter(|here| !here.is_lost && here.state.debate.id == worker.id);
        let Some(mut here) = here else { return Ok(NextTask::Over(None)) };
        let mut leases = here.locked.leases(&worker.id)?;
        let completed = Self::file_kept(&mut here, &mut leases)?;
        if !here.state.debate.progress.status.is_unfinished() {
            let HeldDebate { locked, state, .. } = here;
            drop(locked);
            if let Some(completed) = completed {
                Reports::new(self.context).with_reports(&mut store, completed);
            }
            return Ok(NextTask::Over(Some(Box::new(state.debate))));
        }
        self.check_undriven(worker, &here.state.debate)?;
        let tasks = self.tasks_of(here.locked.store(), &here.state, &leases);
        let held = asking.held.filter(|ticket| is_valid(&leases, ticket));
        // A worker that was started again goes on with its task.
        if let Some(lease) =
            held.and_then(|ticket| leases.on_mut(&ticket.task)).filter(|lease| lease.is_dead())
        {
            lease.holder = worker.holder.clone();
            here.locked.keep_leases(&worker.id, &leases)?;
        }
        let ticket = match held.filter(|ticket| is_open(&tasks, &ticket.task)) {
            Some(ticket) => ticket.clone(),
            None => match self.pick(&here.state, &tasks, worker) {
                Ok(task) => self.claim(&here.locked, &mut leases, &tasks, &task.id, worker)?,
                Err(why) => return Ok(NextTask::Waits(why)),
            },
        };
        let Some(task) = tasks.iter().find(|task| task.id == ticket.task) else {
            return Ok(NextTask::Waits(Waiting::NothingLeft));
        };
        if let Some(waits) = self.obstacle(&here.state, task, asking.reopens) {
            return Ok(NextTask::Holds(ticket, waits));
        }
        let is_next = task.place == Place::next(&here.state.debate);
        open(&mut here, is_next)?;
        let HeldDebate { locked, state, .. } = here;
        let answers = answered(&state, task.place);
        let mut standing = state.clone();
        task.place.enter(&mut standing.debate);
        if let Some(lease) = leases.on_mut(&ticket.task) {
            lease.begin(answers, self.context.world.now);
            if !is_next {
                take_over_retries(&mut standing, lease);
            }
        }
        locked.keep_leases(&worker.id, &leases)?;
        drop(locked);
        let Asking { before, in_project, .. } = asking;
        let asked =
            Asked { before, in_project, is_alone: task.place.is_independent(&state.debate) };
        let mut request = request(&standing, &store.project().state_file(), asked, most_tokens)?;
        request.generation = AttemptGeneration { answers, lease: Some(ticket.generation) };
        // The leader may have requested this reply before.
        request.answers = vec![answers];
        request.answers.extend(is_next.then(|| generation_of(&state.debate)));
        Ok(NextTask::Work(ticket, Box::new(request)))
    }

    /// Refuses a user in a shell for a debate that somebody argues: it has one driver.
    fn check_undriven(&self, worker: &Worker, debate: &Debate) -> Result<()> {
        match self.leader(debate) {
            Some(driver) if debate.is_active() && !worker.holder.has_process() => {
                Err(Error::failed(
                    format!("{driver} argues this debate, so no task of it can be claimed"),
                    "name the writer of a seat when it begins: `anvil run QUESTION --critic codex`",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Gives the worker a lease on a task, and ends the leases on tasks that are over.
    fn claim(
        &self,
        locked: &Locked<'_>,
        leases: &mut Leases,
        tasks: &[Task],
        task: &str,
        worker: &Worker,
    ) -> Result<Ticket> {
        leases.all.retain(|lease| lease.received_at.is_some() || is_open(tasks, &lease.task));
        let (generation, token) =
            leases.add(task, &worker.name, worker.holder.clone(), self.context.world.now);
        locked.keep_leases(&worker.id, leases)?;
        Ok(Ticket { id: worker.id.clone(), task: task.to_owned(), generation, token })
    }

    /// Why the work at a task can't begin.
    fn obstacle(&self, state: &StateFile, task: &Task, reopens: bool) -> Option<Waiting> {
        let is_led = || self.leader(&state.debate).is_some();
        let rests = match state.debate.progress.status {
            Status::InProgress | Status::NotStarted => false,
            Status::Paused | Status::Failed => !reopens || is_led(),
            Status::Completed | Status::Cancelled => true,
        };
        if rests {
            return Some(Waiting::Rests(state.debate.progress.status_detail.clone()));
        }
        if !task.is_ready {
            return Some(Waiting::Dependencies(task.dependencies.clone()));
        }
        // The result of a check is saved before the next reply.
        let leader = self.leader(&state.debate).filter(|_| is_check_due(state));
        leader.map(Waiting::BeingWritten)
    }

    /// The task that a worker takes. `Err`: why it takes none.
    fn pick<'t>(
        &self,
        state: &StateFile,
        tasks: &'t [Task],
        worker: &Worker,
    ) -> Result<&'t Task, Waiting> {
        let debate = &state.debate;
        let next = Place::next(debate);
        let is_own = debate.is_owned_by(&session_of(&worker.holder).id);
        let leader = self.leader(debate).filter(|_| !is_own);
        let is_led = debate.is_active() && leader.is_some();
        let is_wanted = |task: &&Task| {
            worker.wanted.takes(task.place)
                && (worker.wanted != Wanted::Independent || task.place.is_concurrent(debate))
        };
        let mut refused = None;
        let mut ahead = None;
        for task in tasks.iter().filter(is_wanted) {
            match may_hold(task.status, task.hold, is_led && task.place == next) {
                Ok(()) if task.is_ready => return Ok(task),
                Ok(()) => ahead = ahead.or(Some(task)),
                Err(TaskRefusal::Done) => {}
                Err(why) => refused = refused.or(Some((why, task))),
            }
        }
        match (ahead, refused) {
            (Some(task), _) if worker.holds_ahead() => Ok(task),
            (Some(task), None) => Err(Waiting::Dependencies(task.dependencies.clone())),
            (_, Some((TaskRefusal::BeingWritten, _))) => {
                Err(Waiting::BeingWritten(leader.unwrap_or_default()))
            }
            (_, Some((_, task))) => Err(Waiting::Held(task.claimed_by.clone().unwrap_or_default())),
            (None, None) => Err(Waiting::NothingLeft),
        }
    }
}

/// Resumes a debate that is paused or has failed, and gives a waiting direction to the next reply.
fn open(held: &mut HeldDebate<'_>, is_next: bool) -> Result<()> {
    let now = held.context.world.now;
    let has_direction = is_next && give_steering(&mut held.state, now).is_some();
    let opens = !held.state.debate.is_active();
    if opens {
        held.state.debate.take_up();
        held.state.debate.touch(now);
    }
    if opens || has_direction {
        held.commit()?;
    }
    Ok(())
}

/// When the reply of a task was requested from its author.
fn asked_at(attempts: &Attempts, task: &Task) -> Option<Timestamp> {
    let (name, saved_at) = (task.place.name(), task.result.as_ref().and(task.completed_at)?);
    // The mark of a section has whole seconds.
    let is_it =
        |slot: &str, asked: Timestamp| slot == name && asked.as_second() <= saved_at.as_second();
    let received = attempts.all.iter().filter(|attempt| attempt.is_received());
    let programs = received.map(|attempt| (&attempt.started.slot, attempt.started.at));
    let saved = attempts.turns.iter().filter(|turn| turn.error.is_none());
    let all = programs.chain(saved.map(|turn| (&turn.slot, turn.asked)));
    all.filter(|(slot, asked)| is_it(slot, *asked)).map(|(_, asked)| asked).max()
}

fn is_open(tasks: &[Task], id: &str) -> bool {
    tasks.iter().any(|task| task.id == id && !task.status.is_over())
}

/// The state counts the retries of the next reply. The leases count the retries of the other
/// replies.
pub(crate) fn take_over_retries(state: &mut StateFile, lease: &Lease) {
    state.debate.follow_retries(lease.retries, lease.form_retry);
}
