//! Debates that programs argue, in this process: the agents are values, and nothing is started.

#![expect(clippy::unwrap_used, reason = "a test that finds no value has failed")]

mod facts;
mod gates;
mod revise;
mod seats;
mod together;
mod verdicts;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard};

use anvil_core::attempt::FailureKind;
use anvil_core::options::DebateOptions;
use anvil_engine::{GateFacts, ResumeAction, programs};
use anvil_messages::Door;
use anvil_run::{Caller, RunOptions};
use anvil_store::Attempt;
use anvil_text::error::Result;
use clap::Parser as _;
use testkit::world::{Conversation, TestWorld};

/// The exit codes of a run: a valid verdict with an open gate, one with a closed gate, a debate that
/// is paused or has failed, and no valid verdict.
const OPEN: u8 = 0;
const CLOSED: u8 = 4;
const PAUSED: u8 = 5;
const VOID: u8 = 7;

/// The reply of each seat.
const REPLIES: [(&str, &str); 3] = [
    ("advocate", "**A1. It pays.** Less work for the same money [evidence: costs.md].\n"),
    (
        "critic",
        "**C1. It costs a month.** Nobody has that month [assumption].\n**Attacks A1:** \"It \
         pays\" comes too late.\n",
    ),
    (
        "synthesizer",
        "We wait.\n\n### What to do\n\n1. Everybody: wait.\n\n```anvil\nmotion: wait\nA1 weakened: \
         by C1\nC1 survived: unanswered\nagainst: it is less work\nrecommendation: Wait.\nverdict: \
         depends\nconfidence: 60\nrests on: C1\ndepends on: a free month; do if there is one, else \
         not\nflips if: a month is found\nunknown: who has time\n```\n",
    ),
];

/// What an agent does with its prompt: its exit code, and what it prints.
type Does = Box<dyn FnMut(&str) -> (i32, String) + Send>;

/// The agents of a room, and the prompts that they got.
#[derive(Default)]
struct Agents {
    does: BTreeMap<String, Does>,
    asked: Vec<(String, String)>,
}

impl Agents {
    fn answer(&mut self, agent: &str, prompt: &str) -> (i32, String) {
        self.asked.push((agent.to_owned(), prompt.to_owned()));
        self.does.get_mut(agent).unwrap()(prompt)
    }

    fn prompts(&self, agent: &str) -> impl Iterator<Item = &String> {
        self.asked.iter().filter(move |(asked, _)| asked == agent).map(|(_, prompt)| prompt)
    }
}

/// The typed words of `anvil run`.
#[derive(clap::Parser)]
struct Line {
    question: Vec<String>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    options: DebateOptions,
}

/// A project whose agents are the command lines `/bin/sh NAME`: a program of this path is on every
/// machine, and is not started.
struct Room {
    world: TestWorld,
    agents: Arc<Mutex<Agents>>,
}

impl Room {
    fn new() -> Self {
        let agents = Arc::new(Mutex::new(Agents::default()));
        let own = Arc::clone(&agents);
        let world = TestWorld::new().with_agents(move |command, prompt| {
            own.lock().unwrap().answer(command.last().unwrap(), prompt)
        });
        let room = Self { world, agents };
        for (seat, reply) in REPLIES {
            room.says(seat, &[reply]);
        }
        room
    }

    fn agents(&self) -> MutexGuard<'_, Agents> {
        self.agents.lock().unwrap()
    }

    fn does(&self, agent: &str, does: impl FnMut(&str) -> (i32, String) + Send + 'static) {
        self.agents().does.insert(agent.to_owned(), Box::new(does));
    }

    /// From now on this agent writes these replies, one after the other, and the last one again.
    fn says(&self, agent: &str, replies: &[&str]) {
        let mut replies: Vec<String> =
            replies.iter().map(|&reply| reply.to_owned()).rev().collect();
        self.does(agent, move |_| {
            let last = replies.last().unwrap().clone();
            (0, if replies.len() > 1 { replies.pop().unwrap() } else { last })
        });
    }

    /// From now on this agent exits with this code.
    fn exits(&self, agent: &str, code: i32) {
        self.does(agent, move |_| (code, String::new()));
    }

    fn was_asked(&self, agent: &str) -> usize {
        self.agents().prompts(agent).count()
    }

    /// The prompt of an agent with this number, from 1.
    fn prompt(&self, agent: &str, number: usize) -> String {
        self.agents().prompts(agent).nth(number - 1).unwrap().clone()
    }

    /// The AGENT of this name.
    fn agent(name: &str) -> String {
        format!("cmd:/bin/sh {name}")
    }

    /// Runs `anvil run` with these words, and with an agent for each seat that they do not name.
    fn run(&self, words: &[&str]) -> Result<u8> {
        self.run_seats(&REPLIES.map(|(seat, _)| seat), words)
    }

    /// Runs `anvil run` with these words, and with an agent for each of these seats that they do
    /// not name.
    fn run_seats(&self, seats: &[&str], words: &[&str]) -> Result<u8> {
        let mut line = vec!["run".to_owned()];
        line.extend(words.iter().map(|&word| word.to_owned()));
        for seat in seats {
            let option = format!("--{seat}");
            if !words.contains(&option.as_str()) {
                line.extend([option, Self::agent(seat)]);
            }
        }
        let Line { question, mut run, mut options } = Line::parse_from(line);
        options.revise = run.revise.take();
        let (world, caller) = (self.world.next(), Caller { is_silent: true, ..Caller::default() });
        let question = question.join(" ");
        anvil_run::start(&world, &question, &options, run, caller, &Door::default()).map(code)
    }

    /// Runs `anvil run --resume` with these words.
    fn resume(&self, words: &[&str]) -> Result<u8> {
        let line = ["run", "--resume"].iter().chain(words);
        let Line { run, .. } = Line::parse_from(line);
        let (world, caller) = (self.world.next(), Caller { is_silent: true, ..Caller::default() });
        anvil_run::resume(&world, None, run, false, caller, &Door::default()).map(code)
    }

    /// The facts that the gates read.
    fn facts(&self) -> GateFacts {
        let id = self.world.state().debate.id;
        self.world.run(|context| programs::gate_facts(context, &id)).unwrap()
    }

    fn attempts(&self) -> Vec<Attempt> {
        let id = self.world.state().debate.id;
        let record = self.world.run(|context| programs::attempt_record(context, &id));
        record.read().unwrap().all.clone()
    }

    /// Why each attempt failed. `None`: its reply is received.
    fn failures(&self) -> Vec<Option<FailureKind>> {
        self.attempts().iter().map(Attempt::failure).collect()
    }
}

/// Resumes a debate in a conversation. The process of the run that paused it is this one, and lives.
fn takes_over(conversation: &Conversation<'_>) {
    conversation.resume_with(ResumeAction::AsItIs, true).unwrap();
}

/// The number of an exit code, which has no other accessor.
fn code(code: ExitCode) -> u8 {
    let shown = format!("{code:?}");
    shown.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}
