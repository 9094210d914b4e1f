//! Claims on tasks, a run and crashes against a model: after every step of a random sequence the
//! engine agrees with the model. Claims are of processes, and a crash kills one.

use std::collections::BTreeMap;
use std::process::{Child, Command};

use anvil_core::attempt::SubmittedLine;
use anvil_core::tasks::{Hold, TaskStatus, may_claim};
use anvil_engine::{
    Claimant, Claimed, Context, Filed, SeatView, Session, Stopped, Ticket, Waiting, programs, tasks,
};
use anvil_store::{AttemptEvent, Holder};
use anvil_system::process::ProcessId;
use anvil_system::world::World;
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use testkit::host::Host;

/// Three voices that can be written in parallel, and the synthesis, which waits for them.
const TASKS: [&str; 4] = ["voice-1", "voice-2", "voice-3", "synthesis"];
/// The tasks that a process asks for.
const WANTED: [(&str, std::ops::Range<usize>); 4] =
    [("any", 0..4), ("voice", 0..3), ("voice-2", 1..2), ("synthesizer", 3..4)];
const PROCESSES: usize = 3;

/// One event.
#[derive(Clone, Copy, Debug)]
enum Step {
    Claim(usize, usize),
    /// A reply for a ticket, valid or not.
    Submit(usize),
    Leave(usize),
    /// A process is killed and restarted.
    Crash(usize),
    Drop(usize),
    /// A run argues one reply.
    Run,
    CrashRun,
}

fn step() -> impl Strategy<Value = Step> {
    let any_ticket = || 0..20_usize;
    prop_oneof![
        6 => (0..PROCESSES, 0..WANTED.len())
            .prop_map(|(process, wanted)| Step::Claim(process, wanted)),
        5 => any_ticket().prop_map(Step::Submit),
        1 => any_ticket().prop_map(Step::Leave),
        2 => (0..PROCESSES).prop_map(Step::Crash),
        1 => (0..TASKS.len()).prop_map(Step::Drop),
        2 => Just(Step::Run),
        2 => Just(Step::CrashRun),
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

/// The model's view of a claim.
#[derive(Debug)]
struct Claim {
    attempt: u32,
    process: usize,
    is_dead: bool,
    /// Its reply, which waits for the earlier ones.
    kept: Option<String>,
}

/// The model, and the host with the real debate.
struct Model {
    host: Host,
    world: World,
    processes: Vec<Process>,
    run: Option<Process>,
    claims: BTreeMap<usize, Claim>,
    attempts: u32,
    /// Every ticket, until a reply to it came too late.
    tickets: Vec<Ticket>,
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
        let processes = (0..PROCESSES).map(|_| Process::start()).collect();
        let (claims, tickets, saved) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (run, attempts, replies) = (None, 0, 0);
        Self { host, world, processes, run, claims, attempts, tickets, saved, replies }
    }

    fn id(&self) -> String {
        self.host.debate_id()
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
        testkit::host::synthesis(&lines, &claims, None)
    }

    /// Kept replies are saved as soon as it is their turn.
    fn save_kept(&mut self) {
        let next = self.saved.len();
        if let Some(text) = self.claims.get(&next).and_then(|claim| claim.kept.clone()) {
            self.claims.remove(&next);
            self.saved.push(text);
            self.save_kept();
        }
    }

    /// The status of a task, and the model's claim.
    fn standing(&self, task: usize) -> (TaskStatus, Hold) {
        let (next, claim) = (self.saved.len(), self.claims.get(&task));
        let hold = match claim {
            None => Hold::Free,
            Some(claim) if claim.is_dead && claim.kept.is_none() => Hold::Dead,
            Some(_) => Hold::Held,
        };
        let status = match claim.filter(|_| hold == Hold::Held) {
            _ if task < next => TaskStatus::Done,
            Some(claim) if claim.kept.is_some() => TaskStatus::Done,
            Some(_) => TaskStatus::Claimed,
            None if task == next && self.run.is_some() => TaskStatus::InProgress,
            None if self.is_ready(task) => TaskStatus::Available,
            None => TaskStatus::Waiting,
        };
        (status, hold)
    }

    fn is_free(&self, task: usize) -> bool {
        let (status, hold) = self.standing(task);
        status != TaskStatus::Done && hold != Hold::Held
    }

    fn is_ready(&self, task: usize) -> bool {
        task < 3 || self.saved.len() >= 3
    }

    /// The claim of a ticket, while it is not over.
    fn claim_of(&mut self, ticket: &Ticket) -> Option<&mut Claim> {
        let task = TASKS.iter().position(|task| *task == ticket.task)?;
        self.claims.get_mut(&task).filter(|claim| claim.attempt == ticket.attempt)
    }

    fn claim(&mut self, process: usize, wanted: usize) {
        let claimant = Claimant {
            name: format!("program {process}"),
            holder: self.processes[process].holder(),
            reopens: true,
        };
        let (id, seat) = (self.id(), WANTED[wanted].0.parse().unwrap());
        let claimed = tasks::claim(&Context::new(&self.world), &id, &claimant, seat, |_| 100_000);
        if self.run.is_some() {
            let Err(Stopped::Failed(error)) = claimed else { panic!("{claimed:?}") };
            assert!(error.to_string().contains("anvil run argues this debate"), "{error}");
            return;
        }
        let free = || WANTED[wanted].1.clone().filter(|task| self.is_free(*task));
        let Some(task) = free().find(|task| self.is_ready(*task)) else {
            assert!(matches!(claimed, Ok(Claimed::Waits(_))), "{claimed:?}");
            let waits = matches!(claimed, Ok(Claimed::Waits(Waiting::Dependencies(_))));
            assert!(waits || free().next().is_none() || WANTED[wanted].0 == "any", "{claimed:?}");
            return;
        };
        let Ok(Claimed::Task(ticket, _)) = claimed else { panic!("{claimed:?}") };
        self.attempts += 1;
        assert_eq!((ticket.task.as_str(), ticket.attempt), (TASKS[task], self.attempts));
        let (attempt, is_dead, kept) = (self.attempts, false, None);
        self.claims.insert(task, Claim { attempt, process, is_dead, kept });
        self.tickets.push(ticket);
    }

    fn submit(&mut self, at: usize) {
        let ticket = self.tickets[at].clone();
        let task = TASKS.iter().position(|task| *task == ticket.task).unwrap();
        let (text, next) = (self.reply(task), self.saved.len());
        let submitted =
            tasks::submit(&Context::new(&self.world), &ticket, (&*text).into()).unwrap();
        let is_driven = self.run.is_some();
        let expected = match self.claim_of(&ticket) {
            Some(claim) if claim.kept.is_none() && !is_driven && task > next => &["Kept"][..],
            Some(claim) if claim.kept.is_none() && !is_driven => {
                &["Filed(Saved", "Filed(Completed"]
            }
            _ => &["Late"],
        };
        let shown = format!("{submitted:?}");
        let is_expected = expected.iter().any(|word| shown.starts_with(word));
        assert!(is_expected, "{shown}, not {expected:?}");
        if expected == ["Late"] {
            let files = self.host.aside_files();
            let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(&text);
            assert_eq!(files.iter().filter(|(_, bytes)| holds(bytes)).count(), 1, "{text}");
            self.tickets.remove(at);
            // What is kept stays kept.
            self.claims.retain(|_, claim| claim.attempt != ticket.attempt || claim.kept.is_some());
        } else if expected.contains(&"Filed(Saved") {
            self.claims.remove(&task);
            self.saved.push(text);
            self.save_kept();
        } else if expected == ["Kept"] {
            self.claim_of(&ticket).unwrap().kept = Some(text);
        }
    }

    /// A run takes the debate up, and files its next reply and what is kept. A dead run is replaced
    /// first.
    fn argue(&mut self) {
        let is_open = |claim: &Claim| claim.kept.is_none() && !claim.is_dead;
        let is_claimed = self.claims.values().any(is_open);
        let client = self.run.get_or_insert_with(Process::start).client();
        let session = Session::of_run(client);
        let world = self.world.clone();
        let context = Context::new(&world);
        let taken = programs::take_up(&context, &session, &self.id(), false);
        if is_claimed {
            let Err(Stopped::Failed(error)) = taken else { panic!("{taken:?}") };
            assert!(error.to_string().contains("tasks of this debate are claimed"), "{error}");
            self.run = None;
            return;
        }
        taken.unwrap();
        let task = self.saved.len();
        self.claims.remove(&task);
        let text = self.reply(task);
        self.file(&session, &text, None);
        while let Some(claim) = self.claims.get(&self.saved.len())
            && let Some(text) = claim.kept.clone()
        {
            let attempt = claim.attempt;
            self.claims.remove(&self.saved.len());
            self.file(&session, &text, Some(attempt));
        }
    }

    fn file(&mut self, session: &Session, text: &str, attempt: Option<u32>) {
        let context = Context::new(&self.world);
        let view = SeatView::default();
        let record = programs::attempt_record(&context, &self.id());
        let attempts = record.read().unwrap();
        let request =
            programs::next_request(&context, session, view, &attempts, |_| 100_000).unwrap();
        let kept = attempts.waiting(request.slot, &request.answers).cloned();
        assert_eq!(kept.map(|kept| kept.started.attempt), attempt);
        let submitted =
            programs::submit(&context, session, request.generation, text.into()).unwrap();
        let is_last = matches!(submitted, Some(Filed::Completed(_)));
        assert!(is_last || matches!(submitted, Some(Filed::Saved { .. })), "{submitted:?}");
        if let Some(attempt) = attempt {
            let line = SubmittedLine { attempt, at: self.world.now };
            record.note(AttemptEvent::Submitted(line)).unwrap();
        }
        self.saved.push(text.to_owned());
    }

    fn take(&mut self, step: Step) {
        self.world.now += 6.seconds();
        let world = self.world.clone();
        let context = Context::new(&world);
        match step {
            Step::Claim(process, wanted) => self.claim(process, wanted),
            Step::Submit(_) | Step::Leave(_) if self.tickets.is_empty() => {}
            Step::Submit(at) => self.submit(at % self.tickets.len()),
            Step::Leave(at) => {
                let ticket = self.tickets[at % self.tickets.len()].clone();
                tasks::leave(&context, &ticket, "it rains").unwrap();
                // A reply that is kept stays kept.
                self.claims
                    .retain(|_, claim| claim.attempt != ticket.attempt || claim.kept.is_some());
            }
            Step::Crash(process) => {
                self.processes[process] = Process::start();
                let claims = self.claims.values_mut().filter(|claim| claim.process == process);
                claims.for_each(|claim| claim.is_dead = true);
            }
            Step::Drop(task) => {
                let is_open = self.claims.get(&task).is_some_and(|claim| claim.kept.is_none());
                assert_eq!(tasks::drop_claim(&context, TASKS[task]).is_ok(), is_open);
                if is_open {
                    self.claims.remove(&task);
                }
            }
            Step::Run => self.argue(),
            Step::CrashRun => self.run = None,
        }
    }

    /// The engine agrees with the model.
    fn check(&self) {
        let texts: Vec<_> = self.host.sections().into_iter().map(|section| section.text).collect();
        assert_eq!(texts, self.saved);
        for (at, task) in
            tasks::list(&Context::new(&self.world), None).unwrap().tasks.iter().enumerate()
        {
            assert_eq!((task.id.as_str(), task.status, task.hold), {
                let (status, hold) = self.standing(at);
                (TASKS[at], status, hold)
            });
            let may = may_claim(task.status, task.hold);
            assert_eq!((may.is_ok(), task.is_ready), (self.is_free(at), self.is_ready(at)), "{at}");
            let holder = task.holder.as_ref().map(|holder| holder.attempt);
            let claim = self.claims.get(&at).map(|claim| claim.attempt);
            assert_eq!(holder, claim, "{at}");
        }
    }
}

#[test]
fn claims_behave_like_the_model_with_a_run_and_crashes() {
    let cases = std::env::var("ANVIL_CLAIMS").map_or(24, |count| count.parse().unwrap());
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
fn a_claim_that_is_left_takes_no_kept_reply_along() {
    let mut model = Model::new();
    for step in [Step::Claim(0, 2), Step::Submit(0), Step::Leave(0)] {
        model.take(step);
        model.check();
    }
    assert!(model.claims[&1].kept.is_some());
    model.take(Step::Run);
    model.take(Step::Run);
    assert_eq!(model.saved.len(), 3, "the kept reply is saved in its turn");
}
