//! Leases on tasks, a leader and crashes against a model: after every step of a random sequence the
//! engine agrees with the model. Holders are processes, and a crash kills one.

use std::collections::BTreeMap;
use std::process::{Child, Command};

use anvil::internal::engine::{
    Asking, Engine, LeaderNext, NextTask, SeatView, Session, Submitted, Ticket, Waiting, Worker,
};
use anvil::internal::process::ProcessId;
use anvil::internal::storage::Holder;
use anvil::internal::tasks::{Hold, TaskStatus, may_hold};
use anvil::internal::world::World;
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::host::Host;

/// Three voices that can be written in parallel, and the synthesis, which waits for them.
const TASKS: [&str; 4] = ["voice-1", "voice-2", "voice-3", "synthesis"];
/// The tasks that a worker asks for.
const WANTED: [(&str, std::ops::Range<usize>); 4] =
    [("any", 0..4), ("voice", 0..3), ("voice-2", 1..2), ("synthesizer", 3..4)];
const WORKERS: usize = 3;

/// One event.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A worker requests its next task. `true`: it remembers the task that it holds.
    Ask(usize, usize, bool),
    /// A reply for a ticket, valid or not.
    Submit(usize),
    SignOfLife(usize),
    Leave(usize),
    /// A worker is killed and restarted.
    Crash(usize),
    Drop(usize),
    Lead,
    CrashLeader,
}

fn step() -> impl Strategy<Value = Step> {
    let any_ticket = || 0..20_usize;
    prop_oneof![
        6 => (0..WORKERS, 0..WANTED.len(), any::<bool>())
            .prop_map(|(worker, wanted, keeps)| Step::Ask(worker, wanted, keeps)),
        5 => any_ticket().prop_map(Step::Submit),
        1 => any_ticket().prop_map(Step::SignOfLife),
        1 => any_ticket().prop_map(Step::Leave),
        2 => (0..WORKERS).prop_map(Step::Crash),
        1 => (0..TASKS.len()).prop_map(Step::Drop),
        2 => Just(Step::Lead),
        1 => Just(Step::CrashLeader),
    ]
}

/// A process that only waits until it is killed.
struct Process(Child);

impl Process {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn holder(&self) -> Holder {
        let mut holder = Holder::this();
        holder.process = self.client();
        holder
    }

    fn client(&self) -> ProcessId {
        ProcessId::from_pid(self.0.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The model's view of a lease.
#[derive(Debug)]
struct Lease {
    generation: u32,
    worker: usize,
    is_dead: bool,
    has_begun: bool,
    /// Its reply, which waits for the earlier ones.
    kept: Option<String>,
    seen_at: Timestamp,
}

/// The model, and the host with the real debate.
struct Model {
    host: Host,
    world: World,
    workers: Vec<Process>,
    leader: Option<Process>,
    leases: BTreeMap<usize, Lease>,
    generation: u32,
    /// Every ticket, until a reply to it came too late.
    tickets: Vec<(usize, Ticket)>,
    saved: Vec<String>,
    replies: usize,
}

impl Model {
    fn new() -> Self {
        let host = Host::new();
        let started = host.run(&["start", "Why?", "--stakeholders", "a,b,c"]);
        assert_eq!(started.code, 0, "{started:?}");
        let home = host.home();
        let var = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        let now = Timestamp::from_second(host.clock.get()).unwrap();
        let world = World { cwd: host.root().to_owned(), now, ..World::gather(var).unwrap() };
        let workers = (0..WORKERS).map(|_| Process::start()).collect();
        let (leases, tickets, saved) = (BTreeMap::new(), Vec::new(), Vec::new());
        let leader = None;
        Self { host, world, workers, leader, leases, generation: 0, tickets, saved, replies: 0 }
    }

    fn id(&self) -> String {
        self.host.head("id").trim_matches('"').to_owned()
    }

    /// The unique text of a reply to a task.
    fn reply(&mut self, task: usize) -> String {
        self.replies += 1;
        let number = self.replies;
        if task < 3 {
            return format!("**S{}.1. It is reply {number}.** [reasoning] So.", task + 1);
        }
        let claims = ["S1.1", "S2.1", "S3.1"].map(str::to_owned);
        let lines = format!("recommendation: Wait for reply {number}.\nverdict: do");
        crate::host::synthesis(&lines, &claims, None)
    }

    /// Kept replies are saved as soon as it is their turn.
    fn save_kept(&mut self) {
        let next = self.saved.len();
        if let Some(text) = self.leases.get(&next).and_then(|lease| lease.kept.clone()) {
            self.leases.remove(&next);
            self.saved.push(text);
            self.save_kept();
        }
    }

    /// The status of a task, and the model's lease.
    fn standing(&self, task: usize) -> (TaskStatus, Hold) {
        let (next, lease) = (self.saved.len(), self.leases.get(&task));
        let hold = match lease {
            None => Hold::Free,
            Some(lease) if lease.is_dead && lease.kept.is_none() => Hold::Dead,
            Some(_) => Hold::Held,
        };
        let status = match lease.filter(|_| hold == Hold::Held) {
            _ if task < next => TaskStatus::Done,
            Some(lease) if lease.kept.is_some() => TaskStatus::Done,
            Some(lease) if lease.has_begun => TaskStatus::InProgress,
            Some(_) => TaskStatus::Claimed,
            None if task == next && self.leader.is_some() => TaskStatus::InProgress,
            None => TaskStatus::Available,
        };
        (status, hold)
    }

    fn is_free(&self, task: usize) -> bool {
        let (status, hold) = self.standing(task);
        let is_led = task == self.saved.len() && self.leader.is_some();
        status != TaskStatus::Done && hold != Hold::Held && !is_led
    }

    fn is_ready(&self, task: usize) -> bool {
        task < 3 || self.saved.len() >= 3
    }

    /// The lease of a ticket, while it is valid.
    fn lease(&mut self, ticket: &Ticket) -> Option<&mut Lease> {
        let task = TASKS.iter().position(|task| *task == ticket.task)?;
        self.leases.get_mut(&task).filter(|lease| lease.generation == ticket.generation)
    }

    fn ask(&mut self, worker: usize, wanted: usize, keeps: bool) {
        let held = self.tickets.iter().rfind(|(of, _)| keeps && *of == worker);
        let held = held.map(|(_, ticket)| ticket.clone());
        let asks = Worker {
            id: self.id(),
            name: format!("worker {worker}"),
            wanted: WANTED[wanted].0.parse().unwrap(),
            holder: self.workers[worker].holder(),
        };
        let asking = Asking { held: held.as_ref(), reopens: true, ..Asking::default() };
        let next =
            Engine::new(&self.world).workers().next_task(&asks, asking, |_| 100_000).unwrap();
        self.save_kept();
        let goes_on =
            held.filter(|held| self.lease(held).is_some_and(|lease| lease.kept.is_none()));
        let task = if let Some(ticket) = &goes_on {
            TASKS.iter().position(|task| *task == ticket.task)
        } else {
            let free = || WANTED[wanted].1.clone().filter(|task| self.is_free(*task));
            let ahead = || free().next().filter(|_| WANTED[wanted].0 != "any");
            free().find(|task| self.is_ready(*task)).or_else(ahead)
        };
        let Some(task) = task else {
            assert!(matches!(next, NextTask::Waits(_)), "{next:?}");
            return;
        };
        let (now, is_ready) = (self.world.now, self.is_ready(task));
        let ticket = match next {
            NextTask::Work(ticket, _) if is_ready => ticket,
            NextTask::Holds(ticket, Waiting::Dependencies(_)) if !is_ready => ticket,
            other => panic!("{other:?} instead of {}", TASKS[task]),
        };
        if goes_on.is_none() {
            self.generation += 1;
            let (generation, seen_at) = (self.generation, now);
            let (is_dead, has_begun, kept) = (false, false, None);
            let lease = Lease { generation, worker, is_dead, has_begun, kept, seen_at };
            self.leases.insert(task, lease);
            self.tickets.push((worker, ticket.clone()));
        }
        let lease = self.lease(&ticket).expect("the model's generation");
        lease.is_dead = false;
        if is_ready {
            (lease.has_begun, lease.seen_at) = (true, now);
        }
    }

    fn submit(&mut self, at: usize) {
        let ticket = self.tickets[at].1.clone();
        let task = TASKS.iter().position(|task| *task == ticket.task).unwrap();
        let (text, next) = (self.reply(task), self.saved.len());
        let submitted =
            Engine::new(&self.world).workers().submit_task(&ticket, (&*text).into()).unwrap();
        let expected = match self.lease(&ticket) {
            None => &["Late"][..],
            Some(lease) if lease.kept.is_none() && !lease.has_begun => &["Early"],
            Some(lease) if lease.kept.is_some() || task > next => &["Kept"],
            Some(_) => &["Advanced", "Completed"],
        };
        let shown = format!("{submitted:?}");
        let is_expected = expected.iter().any(|word| shown.starts_with(word));
        assert!(is_expected, "{shown}, not {expected:?}");
        if expected == ["Late"] {
            let files = self.host.aside();
            let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(&text);
            assert_eq!(files.iter().filter(|(_, bytes)| holds(bytes)).count(), 1, "{text}");
            self.tickets.remove(at);
        } else if expected.contains(&"Advanced") {
            self.leases.remove(&task);
            self.saved.push(text);
            self.save_kept();
        } else if expected == ["Kept"] {
            self.lease(&ticket).unwrap().kept.get_or_insert(text);
        }
    }

    /// The leader's turn; a dead leader is replaced first.
    fn lead(&mut self) {
        let client = self.leader.get_or_insert_with(Process::start).client();
        let id = format!("run-{}-{}", client.pid, client.started);
        let session = Session { id, prompt_id: None, client: Some(client), for_client: None };
        let engine = Engine::new(&self.world);
        engine.programs().take_up(&session, &self.id(), false).unwrap();
        let next = engine.workers().leader_next(&session).unwrap();
        self.save_kept();
        let task = self.saved.len();
        if self.standing(task).1 == Hold::Held {
            let LeaderNext::Waits(held) = next else { panic!("{next:?}") };
            assert_eq!(held.task, TASKS[task]);
            return;
        }
        assert!(matches!(next, LeaderNext::Writes), "{next:?}");
        self.leases.remove(&task);
        let text = self.reply(task);
        let request = Engine::new(&self.world)
            .programs()
            .request(&session, SeatView::default(), |_| 100_000)
            .unwrap();
        let submitted = Engine::new(&self.world)
            .programs()
            .submit(&session, request.generation.answers, (&*text).into())
            .unwrap();
        let is_last = matches!(submitted, Submitted::Completed(_));
        assert!(is_last || matches!(submitted, Submitted::Advanced { .. }), "{submitted:?}");
        self.saved.push(text);
    }

    fn take(&mut self, step: Step) {
        self.world.now += 6.seconds();
        let (now, world) = (self.world.now, self.world.clone());
        let engine = Engine::new(&world);
        match step {
            Step::Ask(worker, wanted, keeps) => self.ask(worker, wanted, keeps),
            Step::Submit(_) | Step::SignOfLife(_) | Step::Leave(_) if self.tickets.is_empty() => {}
            Step::Submit(at) => self.submit(at % self.tickets.len()),
            Step::SignOfLife(at) => {
                let ticket = self.tickets[at % self.tickets.len()].1.clone();
                engine.workers().sign_of_life(&ticket).unwrap();
                if let Some(lease) = self.lease(&ticket)
                    && now.duration_since(lease.seen_at).as_secs() >= 10
                {
                    lease.seen_at = now;
                }
            }
            Step::Leave(at) => {
                let ticket = self.tickets[at % self.tickets.len()].1.clone();
                engine.workers().leave_task(&ticket, "it rains").unwrap();
                // A reply that is kept stays kept.
                self.leases.retain(|_, lease| {
                    lease.generation != ticket.generation || lease.kept.is_some()
                });
            }
            Step::Crash(worker) => {
                self.workers[worker] = Process::start();
                let leases = self.leases.values_mut().filter(|lease| lease.worker == worker);
                leases.for_each(|lease| lease.is_dead = true);
            }
            Step::Drop(task) => {
                let is_held = self.leases.get(&task).is_some_and(|lease| lease.kept.is_none());
                assert_eq!(engine.workers().drop_lease(TASKS[task]).is_ok(), is_held);
                if is_held {
                    self.leases.remove(&task);
                }
            }
            Step::Lead => self.lead(),
            Step::CrashLeader => self.leader = None,
        }
    }

    /// The engine agrees with the model.
    fn check(&self) {
        let texts: Vec<_> = self.host.sections().into_iter().map(|section| section.text).collect();
        assert_eq!(texts, self.saved);
        for (at, task) in
            Engine::new(&self.world).workers().tasks(None).unwrap().tasks.iter().enumerate()
        {
            assert_eq!((task.id.as_str(), task.status, task.hold), {
                let (status, hold) = self.standing(at);
                (TASKS[at], status, hold)
            });
            let is_led = self.leader.is_some() && at == self.saved.len();
            let may = may_hold(task.status, task.hold, is_led);
            assert_eq!((may.is_ok(), task.is_ready), (self.is_free(at), self.is_ready(at)), "{at}");
            let holder = task.holder.as_ref().map(|holder| (holder.generation, holder.seen_at));
            let lease = self.leases.get(&at).map(|lease| (lease.generation, lease.seen_at));
            assert_eq!(holder, lease, "{at}");
        }
    }
}

#[test]
fn leases_behave_like_the_model_with_a_leader_and_crashes() {
    let cases = std::env::var("ANVIL_LEASES").map_or(24, |count| count.parse().unwrap());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let sequences = prop::collection::vec(step(), 1..60);
    let mut runner = TestRunner::new(config);
    let result = runner.run(&sequences, |steps| {
        let mut model = Model::new();
        for step in steps {
            if model.saved.len() < TASKS.len() {
                model.take(step);
                model.check();
            }
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn a_worker_that_leaves_its_task_takes_no_kept_reply_along() {
    let mut model = Model::new();
    for step in [Step::Ask(0, 2, false), Step::Submit(0), Step::Leave(0)] {
        model.take(step);
        model.check();
    }
    assert!(model.leases[&1].kept.is_some());
    model.take(Step::Lead);
    model.take(Step::Lead);
    assert_eq!(model.saved.len(), 3, "the kept reply is saved in its turn");
}
