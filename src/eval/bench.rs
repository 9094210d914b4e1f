//! Where answers are written: a debate by `anvil run --dir`, a single prompt by this program, each
//! as a process of its own in the folder of its unit. What such a folder has is never asked again.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::bill::spent_by;
use super::log::{CaseResult, Plan, Spent};
use super::metrics::{Written, outcome};
use super::prompts::{self, ReadVerdict};
use super::tasks::{Arm, Case, Unit};
use crate::domain::attempt::FailureKind;
use crate::domain::debate::Status;
use crate::domain::ledger::{Fault, Finding, Ledger};
use crate::domain::transcript;
use crate::engine::{Context, programs};
use crate::error::{Error, Result};
use crate::storage::{
    Attempt, AttemptRecord, STATE_FILE_NAME, StartedLine, StateFile, digest, read_file,
};
use crate::system::disk::{Flush, NewFile};
use crate::system::process::{Background, Signals};
use crate::system::world::World;
use crate::text::clean;

/// The hidden verb of the process that asks once.
pub(super) const SINGLE: &str = "__single";

/// Time between two looks at a process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for a process to end its agent.
const GRACE: Duration = Duration::from_secs(15);

/// Most answers that self-consistency takes.
const MAX_VOTES: u64 = 60;

/// The folder of a debate, or of the record of single prompts, in the folder of a unit.
const DEBATE: &str = "debate";

/// The name of a digest: that of the user's defaults.
pub(super) const DEFAULTS: &str = "your defaults";

/// The output of the last process in the folder of a unit.
const OUTPUT: &str = "output.txt";

/// Failures in a row after which an answer is none, as in a debate.
const MAX_FAILURES: usize = 3;

/// A hint.
const ROOM: &str = "make room on the disk, then go on";

/// The end of the name of a second request, for a whole block.
const AGAIN: &str = "-again";

/// Variables by which a program finds the session of Claude Code that it runs in.
const HIDDEN: [&str; 5] = [
    "CLAUDE_PROJECT_DIR",
    "CLAUDECODE",
    "CLAUDE_PID",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
];

/// Why the measurement ends before its last case.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// The next answer might not fit in the budget.
    Budget,
    /// The user has stopped it.
    Signal(u8),
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The tools with which answers are made.
pub(super) struct Bench<'a> {
    pub(super) world: &'a World,
    pub(super) folder: &'a Path,
    pub(super) plan: &'a Plan,
    pub(super) anvil: PathBuf,
    pub(super) own: PathBuf,
    pub(super) signals: Signals,
    /// A debate stops itself at its share of the budget: every agent tells its dollars.
    pub(super) tells_cost: bool,
}

/// The limits of a unit.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// The tokens of the debate on the same text.
    pub(super) tokens: u64,
    /// The dollars that are left, if the unit has spent so much.
    pub(super) left: &'a dyn Fn(Spent) -> f64,
}

/// The world of a debate in this folder.
pub(super) fn world_in(world: &World, folder: &Path) -> World {
    World {
        cwd: folder.to_owned(),
        debate_folder: Some(folder.join(DEBATE)),
        project_folder: None,
        client_pid: None,
        client_session: None,
        is_below_client: false,
        ..world.at_this_moment()
    }
}

/// The record of answers outside of a debate, in the folder of a unit.
pub(super) fn answers_in(world: &World, folder: &Path, id: &str) -> AttemptRecord {
    AttemptRecord::at(&world.disk, &folder.join(DEBATE).join(id))
}

/// The debate in the folder of a unit.
pub(super) fn debate_in(folder: &Path) -> Result<Option<StateFile>> {
    let bytes = read_file(&folder.join(DEBATE).join(STATE_FILE_NAME))?;
    bytes.map(|bytes| StateFile::parse(&String::from_utf8_lossy(&bytes))).transpose()
}

impl Bench<'_> {
    /// Makes the folder of a debate or of a record, for the user alone.
    pub(super) fn make(&self, folder: &Path) -> Result<()> {
        let made = self.world.disk.create_private_folder(&folder.join(DEBATE));
        made.map_err(|error| Error::io(&error, ROOM))
    }

    fn put(&self, path: &Path, text: &str) -> Result<()> {
        let disk = &self.world.disk;
        let written = disk.replace(path, text.as_bytes(), NewFile::Private, Flush::Now);
        written.map_err(|error| Error::io(&error, ROOM))
    }

    /// Measures one unit, or reads what an earlier measurement has.
    pub(super) fn measure(
        &self,
        unit: &Unit,
        case: &Case,
        room: Room<'_>,
    ) -> Result<CaseResult, Halt> {
        let folder = self.folder.join(unit.folder());
        self.make(&folder)?;
        match unit.arm {
            Arm::Isolated | Arm::Families => {
                let material = case.planted.as_ref().map(|planted| planted.material.as_str());
                let question = case.question(unit.wording);
                let spent = self.spent(unit)?;
                let left = spent.dollars + (room.left)(spent);
                let written = self.debate(&folder, &question, material, unit.arm, left)?;
                Ok(outcome(case, written.verdict(), written))
            }
            Arm::Votes => self.votes(&folder, &prompts::prompt(unit, case), case, room),
            Arm::Single | Arm::Restate | Arm::Both => {
                let written = self.answer(&folder, "single", &prompts::prompt(unit, case))?;
                Ok(outcome(case, written.verdict(), written))
            }
        }
    }

    /// Argues a debate to its end, or goes on with one. `left`: its dollars, with those it has
    /// spent.
    pub(super) fn debate(
        &self,
        folder: &Path,
        question: &str,
        material: Option<&str>,
        arm: Arm,
        left: f64,
    ) -> Result<Written, Halt> {
        let critic = self.plan.critic.as_ref().filter(|_| arm == Arm::Families);
        let Plan { agent, versions, hashes, .. } = self.plan;
        let asked = (agent, critic, versions, hashes.get(DEFAULTS), question, material);
        let asked = serde_json::to_string(&asked).unwrap_or_default();
        let file = folder.join("asked.json");
        match read_file(&file)? {
            Some(found) if found == asked.as_bytes() => {}
            None if debate_in(folder)?.is_none() => self.put(&file, &asked)?,
            _ => return Err(self.other(folder).into()),
        }
        // One that a killed measurement left there may be about to write its first state.
        drop(self.output(folder)?);
        if let Some(written) = self.argued(folder)? {
            return Ok(written);
        }
        let mut words: Vec<OsString> = vec!["run".into(), format!("--dir={DEBATE}").into()];
        if self.tells_cost {
            words.push(format!("--max-cost={:.4}", left.max(0.0001)).into());
        }
        let found = debate_in(folder)?;
        let has_failed =
            found.as_ref().is_some_and(|state| state.debate.progress.status == Status::Failed);
        if found.is_none() || has_failed {
            words.extend(["--agent".into(), agent.into()]);
            if let Some(critic) = critic {
                words.extend(["--critic".into(), critic.into()]);
            }
        }
        if found.is_some() {
            words.push("--resume".into());
        } else {
            words.extend(["--rounds=1", "--questions=no", "--early-end=no"].map(Into::into));
            if let Some(material) = material {
                self.put(&folder.join("material.md"), material)?;
                words.push("--context=material.md".into());
            }
            words.extend(["--".into(), question.into()]);
        }
        self.run(&self.anvil, &words, folder)?;
        if let Some(written) = self.argued(folder)? {
            return Ok(written);
        }
        let stopped = debate_in(folder)?.map(|state| state.debate.progress.status_detail);
        let is_limit = stopped.is_some_and(|why| why.contains("--max-cost"));
        Err(if is_limit { Halt::Budget } else { Halt::Failed(self.why(folder)) })
    }

    /// A debate that has come to its end. `None`: it has not.
    pub(super) fn argued(&self, folder: &Path) -> Result<Option<Written>> {
        let Some(state) = debate_in(folder)? else { return Ok(None) };
        let progress = &state.debate.progress;
        let record = self.record(folder, &state.debate.id);
        let newest = record.read()?.all.pop();
        let failure = newest.as_ref().and_then(Attempt::failure);
        let failed = match progress.status {
            Status::Completed => None,
            Status::Failed if failure.is_none_or(is_of_answer) => {
                Some(clean(&progress.status_detail, 200))
            }
            _ => return Ok(None),
        };
        let entries = transcript::parse(&state.body);
        let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
        let is_false = |finding: &&Finding| matches!(finding.fault, Fault::QuoteNotFound { .. });
        let quotes = ledger.findings.iter().filter(is_false).count() as u32;
        // A debate that the budget has cut short is no whole one.
        let missing = transcript::skipped(&state.debate, &entries).join("; ");
        let failed = failed.or_else(|| (!missing.is_empty()).then_some(missing));
        let synthesis = entries.synthesis();
        let text = synthesis.map(|entry| entry.text.clone()).unwrap_or_default();
        let block = synthesis.map(|entry| entries.block_text(entry).to_owned());
        let repeat = block.filter(|block| *block != text);
        let false_quotes = Some(quotes);
        Ok(Some(Written { text, repeat, failed, false_quotes, ..self.written(&record)? }))
    }

    /// Self-consistency: answers until their tokens equal those of the debate.
    fn votes(
        &self,
        folder: &Path,
        prompt: &str,
        case: &Case,
        room: Room<'_>,
    ) -> Result<CaseResult, Halt> {
        let mut spent = Spent::default();
        let mut all: Vec<(Option<bool>, Written)> = Vec::new();
        let short = loop {
            // Half of an answer more or less is as near as whole answers come.
            let usual = spent.tokens / (all.len() as u64).max(1);
            let is_short = all.is_empty() || spent.tokens + usual / 2 < room.tokens;
            let is_last = all.len() as u64 == MAX_VOTES || usual == 0 && !all.is_empty();
            if !is_short || is_last {
                break is_short;
            }
            if spent.dearest > (room.left)(spent) {
                return Err(Halt::Budget);
            }
            let written = self.answer(folder, &format!("vote-{}", all.len() + 1), prompt)?;
            spent = spent.plus(written.spent);
            all.push((prompts::decided(&written.verdict().word), written));
        };
        let count = |is: bool| all.iter().filter(|(vote, _)| *vote == Some(is)).count();
        let (yes, no, total) = (count(true), count(false), all.len());
        let winner = match yes.cmp(&no) {
            Ordering::Less => Some(false),
            // The first answer decides a tie.
            Ordering::Equal => all.iter().find_map(|(vote, _)| *vote),
            Ordering::Greater => Some(true),
        };
        let digests: String = all.iter().map(|(_, written)| written.prompts.as_str()).collect();
        let models = all.iter().flat_map(|(_, written)| written.models.clone()).collect();
        let of_winner = all.iter().position(|(vote, _)| *vote == winner).unwrap_or(0);
        let written = all.swap_remove(of_winner).1;
        let written = Written { spent, models, prompts: digest(digests.as_bytes()), ..written };
        let confidence = winner.map(|is| (100 * if is { yes } else { no } / total) as u8);
        let read = ReadVerdict { confidence, ..written.verdict() };
        Ok(CaseResult { votes: Some(total as u32), short, ..outcome(case, read, written) })
    }

    /// A reply with a whole block. As in a debate, a wrong block is asked for again, alone.
    fn answer(&self, folder: &Path, id: &str, prompt: &str) -> Result<Written, Halt> {
        let first = self.ask(folder, id, prompt)?;
        if first.failed.is_some() || first.verdict().is_whole() {
            return Ok(first);
        }
        let prompt = prompts::again(prompt, &first.text);
        let second = self.ask(folder, &format!("{id}{AGAIN}"), &prompt)?;
        let mut spent = first.spent.plus(second.spent);
        spent.asked_again += 1;
        let models = &first.models | &second.models;
        let prompts = digest((first.prompts + &second.prompts).as_bytes());
        let failed = second.failed;
        let repeat = Some(second.text).filter(|second| prompts::replaces(second, &first.text));
        Ok(Written { repeat, failed, spent, models, prompts, ..first })
    }

    /// One reply to a prompt, by the attempt that a debate makes.
    fn ask(&self, folder: &Path, id: &str, prompt: &str) -> Result<Written, Halt> {
        let record = answers_in(self.world, folder, id);
        for is_asked in [false, true] {
            let attempts = record.read()?.all;
            let is_other = |started: &StartedLine| {
                started.agent != self.plan.agent
                    || record.prompt(started.attempt).ok().as_deref() != Some(prompt)
            };
            if attempts.iter().any(|attempt| is_other(&attempt.started)) {
                return Err(self.other(folder).into());
            }
            let written = || self.written(&record);
            if let Some(found) = attempts.iter().find(|attempt| attempt.is_received()) {
                let text = record.reply(found).ok_or_else(|| self.why(folder))?;
                return Ok(Written { text, ..written()? });
            }
            let failures = attempts.iter().filter_map(Attempt::failure);
            let newest = attempts.last().and_then(|attempt| attempt.ended.as_ref());
            if failures.filter(|kind| is_of_answer(*kind)).count() >= MAX_FAILURES
                && let Some(kind) = newest.and_then(|ended| ended.error)
            {
                return Ok(Written { failed: Some(kind.label().to_owned()), ..written()? });
            }
            if !is_asked {
                // A file has all of the prompt or none of it, also if this process is killed.
                self.put(&folder.join(format!("{id}.md")), prompt)?;
                let words = [SINGLE, id, &self.plan.agent].map(OsString::from);
                self.run(&self.own, &words, folder)?;
            }
        }
        Err(self.why(folder).into())
    }

    /// The file of the output in the folder of a unit. A program that an earlier measurement left
    /// there is waited for: it holds the file.
    fn output(&self, folder: &Path) -> Result<std::fs::File, Halt> {
        let failed = |error: std::io::Error| Error::io(&error, ROOM);
        let log = self.world.disk.open_lock(&folder.join(OUTPUT)).map_err(failed)?;
        while cfg!(unix) && self.world.disk.try_lock(&log).is_err() {
            self.check_signal()?;
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(log.into_parts().0)
    }

    /// Runs a program in the folder of a unit.
    fn run(&self, program: &Path, words: &[OsString], folder: &Path) -> Result<(), Halt> {
        let log = self.output(folder)?;
        let started = Background::start(program, words, folder, &HIDDEN, log);
        let mut running =
            [started.map_err(|error| error.of("anvil", "install it next to anvil-eval"))?];
        while !running[0].is_over() {
            if let Err(signal) = self.check_signal() {
                Background::end_all(&mut running, GRACE);
                return Err(signal);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        self.check_signal()
    }

    fn check_signal(&self) -> Result<(), Halt> {
        self.signals.received().map_or(Ok(()), |signal| Err(Halt::Signal(signal.exit_code())))
    }

    /// The error of a program that gave no answer, in its own words.
    fn why(&self, folder: &Path) -> Error {
        let printed = read_file(&folder.join(OUTPUT)).ok().flatten().unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        // The newest output begins the file; an older and longer one may end it.
        let mut errors = printed.lines().filter_map(|line| line.strip_prefix("anvil: "));
        let error = errors.next().unwrap_or("it says nothing").to_owned();
        let debate = debate_in(folder).ok().flatten();
        let stopped = debate.map(|state| state.debate.progress.status_detail);
        let why = clean(&stopped.filter(|why| !why.is_empty()).unwrap_or(error), 300);
        let place = folder.strip_prefix(self.folder).unwrap_or(folder).display();
        Error::failed(
            format!("no answer for {place}: {why}"),
            format!("see {OUTPUT} there; deal with it, then go on"),
        )
    }

    fn other(&self, folder: &Path) -> Error {
        let place = folder.strip_prefix(self.folder).unwrap_or(folder).display();
        let what = format!("{place} has an answer of another agent or another prompt");
        Error::failed(what, "choose another folder with --dir")
    }

    fn record(&self, folder: &Path, id: &str) -> AttemptRecord {
        programs::attempt_record(&Context::new(&world_in(self.world, folder)), id)
    }

    /// All that a unit has spent so far.
    pub(super) fn spent(&self, unit: &Unit) -> Result<Spent> {
        let folder = self.folder.join(unit.folder());
        let debate = debate_in(&folder)?.map(|state| self.record(&folder, &state.debate.id));
        let votes = (1..=MAX_VOTES).map(|vote| format!("vote-{vote}"));
        let asked = ["single".to_owned()].into_iter().chain(votes);
        let asked = asked.flat_map(|id| [format!("{id}{AGAIN}"), id]);
        debate
            .into_iter()
            .chain(asked.map(|id| answers_in(self.world, &folder, &id)))
            .map(|record| Ok(self.written(&record)?.spent))
            .try_fold(Spent::default(), |sum, spent: Result<Spent>| Ok(sum.plus(spent?)))
    }

    /// The expense of all attempts of a record.
    fn written(&self, record: &AttemptRecord) -> Result<Written> {
        let attempts = record.read()?;
        let mut written = Written::default();
        let mut texts = String::new();
        // Of one slot: a block that is asked for once more is a step of its own, and no retry.
        let mut steps: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for StartedLine { slot, generation, .. } in attempts.all.iter().map(|one| &one.started) {
            let step = generation.turn().map(|turn| turn.step);
            steps.entry(slot).or_default().extend(step);
        }
        let repeats = steps.values().map(|steps| steps.len().saturating_sub(1) as u32).sum::<u32>();
        written.spent.asked_again = attempts.total().retries + repeats;
        for attempt in &attempts.all {
            let prompt = record.prompt(attempt.started.attempt).unwrap_or_default();
            written.spent = written.spent.plus(spent_by(self.plan, record, attempt, &prompt));
            written.models.extend(attempt.ended.as_ref().and_then(|ended| ended.model.clone()));
            texts += &prompt;
        }
        written.prompts = digest(texts.as_bytes());
        Ok(written)
    }
}

/// A failure that says something about the answer, and nothing about the account or the service.
fn is_of_answer(kind: FailureKind) -> bool {
    use FailureKind::{Crash, Empty, Misshapen, Refusal, TimeLimit};
    matches!(kind, Crash | Empty | Misshapen | Refusal | TimeLimit)
}
