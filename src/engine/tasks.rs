//! The tasks of a debate: what there is to write, and what is next for a worker.
//!
//! Whoever leads the debate, a conversation or a run, stays its leader: it writes what nobody else holds.

use super::fact_check::is_check_due;
use super::report::find;
use super::request::{Asked, generation_of, request};
use super::worker::{Ticket, WORKER_WAIT, Worker, is_valid, session_of};
use super::{Engine, Request, Stopped, no_debate};
use crate::debate::{Debate, Owner, Seat, Status};
use crate::error::{Error, Result};
use crate::state::{Change, Claim, Claims, Loaded, Project, StateFile, Store};
use crate::tasks::{Facts, Place, Refusal, Task, Wanted, may_claim, tasks};
use crate::text::clean;
use crate::transcript;

/// The tasks of a debate.
#[derive(Debug)]
pub struct Board {
    /// The debate.
    pub debate: Debate,
    /// Where its file lies.
    pub project: Project,
    /// Its tasks, in the order of their places.
    pub tasks: Vec<Task>,
    /// Who holds them.
    pub claims: Claims,
}

/// Why a worker waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// For these tasks.
    Dependencies(Vec<String>),
    /// Somebody else holds what it would take.
    Held(String),
    /// The same in an issue: this task, who has claimed it there, and the number.
    HeldThere(String, String, u32),
    /// It is written in the issue of this number, and has to be taken in where the debate is.
    Posted(String, u32),
    /// What leads the debate writes that.
    BeingWritten(String),
    /// The debate rests, for this reason.
    Rests(String),
    /// Nothing of its seat is left, and the debate is not over.
    NothingLeft,
}

/// What is next for a worker.
#[derive(Debug)]
pub enum NextTask {
    /// This is to be written.
    Work(Ticket, Box<Request>),
    /// It holds a task that can't be begun yet.
    Holds(Ticket, Waiting),
    /// There is nothing for it now.
    Waits(Waiting),
    /// The debate is over. `None`: it is not here any more.
    Over(Option<Box<Debate>>),
}

impl Engine<'_> {
    /// The tasks of a debate.
    pub fn tasks(&self, id: Option<&str>) -> Result<Board> {
        let store = self.store_meant(None);
        let (state, _) = find(&store, id)?;
        let claims = store.claims(&state.debate.id)?;
        let tasks = self.tasks_of(&store, &state, &claims);
        Ok(Board { debate: state.debate, project: store.project().clone(), tasks, claims })
    }

    pub(super) fn tasks_of(&self, store: &Store, state: &StateFile, claims: &Claims) -> Vec<Task> {
        let project = store.project();
        tasks(&Facts {
            debate: &state.debate,
            entries: &transcript::parse(&state.body),
            claims,
            leader: self.leader(&state.debate).as_deref(),
            file: &project.display(&project.state_file()),
        })
    }

    /// What leads a debate, while it is not known to be gone.
    fn leader(&self, debate: &Debate) -> Option<String> {
        match self.owner(debate) {
            Owner::Alive | Owner::Unknown if Self::is_argued_by_programs(debate) => Some("anvil run".to_owned()),
            Owner::Alive | Owner::Unknown => Some("Claude Code".to_owned()),
            Owner::Dead | Owner::None => None,
        }
    }

    /// The debate here that can be worked at, and its project. `id`: it has to be this one.
    pub fn debate_to_join(&self, id: Option<&str>) -> Result<(Debate, Project)> {
        let store = self.store_meant(None);
        let loaded: Loaded = store.load()?.ok_or_else(|| no_debate(&store))?;
        let debate = super::steer::unfinished(loaded)?.state.debate;
        if let Some(id) = id.filter(|id| !debate.id.starts_with(id) && !debate.id.ends_with(id)) {
            return Err(Error::nothing(
                format!("the debate here is {}, not {}", debate.id, clean(id, 100)),
                "leave the id out to join the one here",
            ));
        }
        Ok((debate, store.project().clone()))
    }

    /// What tells whether anything has changed since it was asked for before.
    #[must_use]
    pub fn task_signature(&self, id: &str) -> Vec<Option<(u64, std::time::SystemTime)>> {
        self.store_meant(None).signature(id)
    }

    /// What is next for a worker that holds `held`. `reopens`: a debate that rests and that nobody leads goes on for it. `before`: what
    /// it wrote last, where that was not filed.
    pub fn next_task(
        &self,
        worker: &Worker,
        held: Option<&Ticket>,
        reopens: bool,
        before: Option<&str>,
        in_project: bool,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<NextTask, Stopped> {
        let store = self.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        store.begin_here(&worker.id)?;
        let loaded = locked.load()?.filter(|loaded| !loaded.is_lost && loaded.state.debate.id == worker.id);
        let Some(Loaded { mut state, .. }) = loaded else { return Ok(NextTask::Over(None)) };
        let mut claims = locked.claims(&worker.id)?;
        let is_open = state.debate.progress.status.is_unfinished();
        let completed = if is_open { self.file_kept(&locked, &mut state, &mut claims)? } else { None };
        if !state.debate.progress.status.is_unfinished() {
            drop(locked);
            if let Some(mut completed) = completed {
                self.report_on(&store, &mut completed);
            }
            return Ok(NextTask::Over(Some(Box::new(state.debate))));
        }
        let tasks = self.tasks_of(&store, &state, &claims);
        let held = held.filter(|ticket| is_valid(&claims, ticket));
        // A worker that was started again goes on with what it held.
        if let Some(claim) = held.and_then(|ticket| claims.on_mut(&ticket.task)).filter(|claim| claim.is_dead()) {
            claim.holder = worker.holder.clone();
            locked.keep_claims(&worker.id, &claims)?;
        }
        let is_open = |id: &str| tasks.iter().any(|task| task.id == id && !task.status.is_over());
        let ticket = match held.filter(|ticket| is_open(&ticket.task)) {
            Some(ticket) => ticket.clone(),
            None => match self.pick(&state, &tasks, worker) {
                Ok(task) => {
                    claims.all.retain(|claim| claim.received_at.is_some() || is_open(&claim.task));
                    let (generation, token) = claims.add(&task.id, &worker.name, worker.holder.clone(), self.world.now);
                    let ticket = Ticket { id: worker.id.clone(), task: task.id.clone(), generation, token };
                    locked.keep_claims(&worker.id, &claims)?;
                    ticket
                }
                Err(why) => return Ok(NextTask::Waits(why)),
            },
        };
        let Some(task) = tasks.iter().find(|task| task.id == ticket.task) else {
            return Ok(NextTask::Waits(Waiting::NothingLeft));
        };
        let can_open = match state.debate.progress.status {
            Status::InProgress => None,
            Status::NotStarted => Some(true),
            Status::Paused | Status::Failed => Some(reopens && self.leader(&state.debate).is_none()),
            Status::Completed | Status::Cancelled => Some(false),
        };
        let waits = match can_open {
            Some(false) => Some(Waiting::Rests(state.debate.progress.status_detail.clone())),
            _ if !task.is_ready => Some(Waiting::Dependencies(task.dependencies.clone())),
            // What is checked goes into the debate before the next reply.
            _ => self.leader(&state.debate).filter(|_| is_check_due(&state)).map(Waiting::BeingWritten),
        };
        if let Some(waits) = waits {
            return Ok(NextTask::Holds(ticket, waits));
        }
        let is_next = task.place == Place::of(&state.debate);
        let has_direction = is_next && self.give_steering(&mut state).is_some();
        if can_open == Some(true) {
            state.debate.take_up();
            state.debate.touch(self.world.now);
        }
        if can_open == Some(true) || has_direction {
            self.commit(&locked, &state, if has_direction { &Change::Steer } else { &Change::Resume })?;
        }
        let is_alone = task.place.is_independent(&state.debate);
        let answers = answered(&state, task.place);
        let mut standing = task.place.standing(&state);
        if let Some(claim) = claims.on_mut(&ticket.task) {
            claim.started_at = claim.started_at.or(Some(self.world.now));
            claim.answers.clone_from(&answers);
            claim.seen_at = self.world.now;
            if !is_next {
                take_over_retries(&mut standing, claim);
            }
        }
        locked.keep_claims(&worker.id, &claims)?;
        drop(locked);
        let asked = Asked { before, in_project, is_alone };
        let mut request = request(&standing, &store.project().state_file(), asked, most_tokens)?;
        request.generation = format!("{answers}@{}", ticket.generation);
        // What leads the debate may have asked for it before.
        request.answers = if is_next { vec![answers, generation_of(&state.debate)] } else { vec![answers] };
        Ok(NextTask::Work(ticket, Box::new(request)))
    }

    /// The task that a worker takes, or why there is none.
    fn pick<'t>(&self, state: &StateFile, tasks: &'t [Task], worker: &Worker) -> Result<&'t Task, Waiting> {
        let debate = &state.debate;
        let next = Place::of(debate);
        let is_own = debate.is_owned_by(&session_of(&worker.holder).id);
        let leader = self.leader(debate).filter(|_| !is_own);
        let is_led = debate.is_active() && leader.is_some();
        let is_wanted = |task: &&Task| {
            worker.wanted.takes(task.place)
                && (worker.wanted != Wanted::Independent || task.place.is_beside_others(debate))
        };
        let mut refused = None;
        let mut ahead = None;
        for task in tasks.iter().filter(is_wanted) {
            match may_claim(task.status, task.hold, task.place == next, is_led) {
                Ok(()) if task.is_ready => return Ok(task),
                Ok(()) => ahead = ahead.or(Some(task)),
                Err(Refusal::Done) => {}
                Err(why) => refused = refused.or(Some((why, task))),
            }
        }
        match (ahead, refused) {
            (Some(task), _) if worker.wanted.holds_ahead() => Ok(task),
            (Some(task), None) => Err(Waiting::Dependencies(task.dependencies.clone())),
            (_, Some((Refusal::BeingWritten, _))) => Err(Waiting::BeingWritten(leader.unwrap_or_default())),
            (_, Some((_, task))) => Err(Waiting::Held(task.claimed_by.clone().unwrap_or_default())),
            (None, None) => Err(Waiting::NothingLeft),
        }
    }
}

/// The state of a debate that a reply at this place answers.
pub(super) fn answered(state: &StateFile, place: Place) -> String {
    if place.is_independent(&state.debate) {
        return format!("c{}", state.debate.progress.cycle);
    }
    match place.judge {
        Some(_) => format!("r{}", transcript::parse(&state.body).replies().count()),
        None => generation_of(&state.debate),
    }
}

/// How often a reply was asked for beside the one that is next is kept with its claim.
pub(super) fn take_over_retries(state: &mut StateFile, claim: &Claim) {
    state.debate.follow_retries(claim.retries, claim.form_retry);
}
