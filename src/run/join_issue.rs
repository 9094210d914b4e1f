//! A worker at a debate that is in an issue: it claims a reply by a comment, has it written, and posts it.

use std::cell::Cell;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::argue::at_this_moment;
use super::executor::Executor;
use super::join::{Joining, planned};
use super::limits::RunLimits;
use super::person::{self, Written};
use super::task::{Asked, GAVE_UP};
use super::view::View;
use super::worker::{AtWork, LOOKS};
use crate::command::IssueOptions;
use crate::debate::Seat;
use crate::engine::{Engine, IssueNext, IssuePosted, IssueTicket, IssueWorker, Request, Stopped, Waiting, Worker};
use crate::error::{Error, Kind, Result};
use crate::messages;
use crate::process::Signals;
use crate::seats::{self, RunEvent};
use crate::state::Holder;
use crate::transcript::count_words;
use crate::world::World;

/// Between two looks at an issue, in seconds: a forge allows some thousand requests an hour. `ANVIL_ISSUE_POLL` changes it.
const POLL: u64 = 15;

/// How often a forge that does not answer for now is asked: for ten minutes, with the usual time between two looks.
const MOST_TRIES: u32 = 40;

/// What to do with a reply on standard input that is not usable.
const GIVE_IT_AGAIN: &str = "correct it and give it on standard input once more";

/// Longest time for all that one step asks of a forge.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(2);

/// Works at the debate of an issue until that is over.
pub(crate) fn join(world: &World, joining: &Joining<'_>, issue: &IssueOptions) -> Result<ExitCode> {
    let engine = Engine::new(world);
    let debate = engine.debate_of_issue(issue, TIMEOUT)?;
    joining.wanted.check(&debate)?;
    let project = engine.project();
    let plan =
        planned(world, &engine, joining, RunLimits { reply: joining.longest_reply, ..RunLimits::default() }, &debate)?;
    let name = joining.called(plan.as_ref());
    let signals = Signals::listen(true).map_err(|error| Error::io(&error, "try again"))?;
    let record = engine.attempt_record(&debate.id);
    let executor = Executor { disk: world.disk.clone(), record, signals, project: project.root().to_owned() };
    let wanted = joining.wanted;
    let worker = Worker { id: debate.id.clone(), name: name.clone(), wanted, holder: Holder::this() };
    let view = View::new(joining.as_json);
    let id = debate.id;
    view.say(&RunEvent::Joined { id: id.clone(), worker: name.clone(), seat: messages::wanted(wanted) })?;
    let mut at_work = AtWork {
        world,
        worker,
        plan,
        leader: None,
        executor,
        view,
        in_project: joining.in_project,
        as_json: joining.as_json,
        limits: RunLimits { reply: joining.longest_reply, ..RunLimits::default() },
        in_vain: 0,
        seen: Cell::new(Instant::now()),
        said: None,
    };
    match at_work.work_at(&IssueWorker { issue, id: &id, name: &name, wanted, timeout: TIMEOUT }) {
        Ok(code) => Ok(code),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Nothing(_)) => Ok(ExitCode::SUCCESS),
    }
}

/// What became of a reply.
enum Done {
    /// It is posted, or is asked for once more.
    GoesOn,
    /// The task is another's by now.
    Late,
    Ended(ExitCode),
}

impl AtWork<'_> {
    fn work_at(&mut self, worker: &IssueWorker<'_>) -> Result<ExitCode, Stopped> {
        let mut held = None;
        let ended = self.take_tasks(worker, &mut held);
        let left = match held.filter(|ticket| ended.is_err() || !ticket.is_posted) {
            Some(ticket) => self.patiently(|engine| engine.leave_issue_task(worker, &ticket)),
            None => Ok(()),
        };
        match (self.executor.signals.received(), ended, left) {
            (Some(signal), _, left) => {
                self.say_stopped(signal, left.is_ok())?;
                Ok(ExitCode::from(signal.exit_code()))
            }
            (None, Ok(_), Err(error)) => Err(error),
            (None, ended, _) => ended,
        }
    }

    /// `held`: the task that it is at.
    fn take_tasks(&mut self, worker: &IssueWorker<'_>, held: &mut Option<IssueTicket>) -> Result<ExitCode, Stopped> {
        // The task whose reply is not seen there yet.
        let mut posted: Option<String> = None;
        loop {
            if let Some(signal) = self.executor.signals.received() {
                return Ok(ExitCode::from(signal.exit_code()));
            }
            let most = |seat: Seat| self.plan.as_ref().map_or(usize::MAX / 8, |plan| plan.of(seat).context);
            let next = self.patiently(|engine| engine.next_issue_task(worker, held, most))?;
            if !matches!(next, IssueNext::Unseen)
                && let Some(task) = posted.take()
            {
                self.executor.record.forget_draft(&task);
            }
            let waits = match next {
                IssueNext::Over(debate) => {
                    *held = None;
                    self.say_over(Some(&debate))?;
                    return Ok(ExitCode::SUCCESS);
                }
                IssueNext::Work(request) => {
                    self.said = None;
                    let Some(ticket) = held.as_mut() else { continue };
                    match self.write_and_post(worker, ticket, &request)? {
                        Done::GoesOn => {}
                        Done::Late => *held = None,
                        Done::Ended(code) => return Ok(code),
                    }
                    posted = held.as_ref().filter(|ticket| ticket.is_posted).map(|ticket| ticket.task.clone());
                    // There is one standard input.
                    if posted.is_some() && self.plan.is_none() && person::is_given() {
                        return Ok(ExitCode::SUCCESS);
                    }
                    continue;
                }
                IssueNext::Unseen => {
                    self.wait_a_while();
                    continue;
                }
                IssueNext::Waits(waits) => waits,
            };
            if self.said.as_ref() != Some(&waits) {
                self.view.say(&RunEvent::WorkerWaits { why: messages::worker_waits(&waits) })?;
                self.said = Some(waits.clone());
            }
            if waits == Waiting::NothingLeft {
                return Ok(ExitCode::SUCCESS);
            }
            self.wait_a_while();
        }
    }

    fn write_and_post(
        &mut self,
        worker: &IssueWorker<'_>,
        ticket: &mut IssueTicket,
        request: &Request,
    ) -> Result<Done, Stopped> {
        let (text, effort) = match self.plan.as_ref().map(|plan| plan.of(request.seat).clone()) {
            Some(agent) => match self.ask(request, &agent, &|_| true)? {
                Asked::Reply(attempt) => {
                    let text = self.executor.reply(&attempt)?;
                    (text, attempt.ended.map_or((0, None), |ended| (ended.duration_ms / 1_000, ended.tokens)))
                }
                Asked::GaveUp(why) => return self.gives_up(&format!("{}: {why}", agent.name)),
                Asked::Stopped => return Ok(Done::GoesOn),
            },
            None => match person::reply_to(
                &self.executor.record,
                request,
                &ticket.task,
                (ticket.asked > 0).then_some(GIVE_IT_AGAIN),
                || true,
            )? {
                Written::Reply(text) => {
                    // Nothing else keeps it.
                    self.executor.record.keep_draft(&ticket.task, &text)?;
                    (text, (0, None))
                }
                Written::PutAside(draft) => {
                    self.view.print(&messages::put_aside(&draft.display().to_string(), &ticket.task))?;
                    return Ok(Done::Ended(ExitCode::from(GAVE_UP)));
                }
            },
        };
        Ok(match self.patiently(|engine| engine.post_issue_reply(worker, ticket, &text))? {
            IssuePosted::Posted => {
                self.view.say(&RunEvent::Filed {
                    slot: request.label.clone(),
                    agent: worker.name.to_owned(),
                    heads: seats::heads(request.slot, &text),
                    words: count_words(&text),
                    seconds: effort.0,
                    tokens: effort.1,
                    settled: false,
                })?;
                Done::GoesOn
            }
            IssuePosted::AskedAgain(why) => {
                self.view.say(&RunEvent::AskedAgain { slot: request.label.clone(), why })?;
                Done::GoesOn
            }
            IssuePosted::Failed(why) => return self.gives_up(&why),
            IssuePosted::Late => {
                let kept_in = if self.plan.is_some() { "the record of attempts" } else { "its draft" };
                self.view.say(&RunEvent::WorkerLate { slot: request.label.clone(), kept_in })?;
                Done::Late
            }
        })
    }

    fn gives_up(&self, why: &str) -> Result<Done, Stopped> {
        self.view.say(&RunEvent::WorkerLeaves { why: why.to_owned() })?;
        Ok(Done::Ended(ExitCode::from(GAVE_UP)))
    }

    /// Asks a forge, and again where it does not answer for now.
    fn patiently<T>(&self, mut ask: impl FnMut(&Engine<'_>) -> Result<T>) -> Result<T, Stopped> {
        let mut tries = 0;
        loop {
            tries += 1;
            match ask(&Engine::new(&at_this_moment(self.world))) {
                Err(error)
                    if error.kind() == Kind::ForNow
                        && tries < MOST_TRIES
                        && self.executor.signals.received().is_none() =>
                {
                    if tries == 1 {
                        self.view.say(&RunEvent::WorkerWaits { why: messages::asked_again_there(&error) })?;
                    }
                    self.wait_a_while();
                }
                done => return Ok(done?),
            }
        }
    }

    /// Until it is time for another look, or a signal comes.
    fn wait_a_while(&self) {
        let (began, poll) = (Instant::now(), poll());
        while began.elapsed() < poll && self.executor.signals.received().is_none() {
            std::thread::sleep(LOOKS.min(poll));
        }
    }
}

fn poll() -> Duration {
    let set = std::env::var("ANVIL_ISSUE_POLL").ok().and_then(|seconds| seconds.parse::<f64>().ok());
    let set = set.filter(|seconds| seconds.is_finite() && (0.0..=3_600.0).contains(seconds));
    set.map_or(Duration::from_secs(POLL), Duration::from_secs_f64)
}
