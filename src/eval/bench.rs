//! Where answers are written: a debate by `anvil run --dir`, a single prompt by this program, each
//! as a process of its own in the folder of its unit. What such a folder has is never asked again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bill::spent_by;
use super::log::{CaseResult, Plan, Spent};
use super::metrics::Written;
use super::primary::Votes;
use super::prompts;
use super::tasks::{Arm, Case, Unit};
use crate::domain::attempt::FailureKind;
use crate::domain::debate::Status;
use crate::domain::ledger::{Fault, Finding, Ledger};
use crate::domain::reply::Usage;
use crate::domain::transcript;
use crate::engine::{Context, programs};
use crate::error::{Error, Result};
use crate::seats::{self, Failure, Output, Printed, Retry};
use crate::storage::{Attempt, AttemptRecord, STATE_FILE_NAME, StartedLine, StateFile, read_file};
use crate::system::disk::{Flush, NewFile};
use crate::system::process::{self, Background, Signals};
use crate::system::world::World;
use crate::text::{clean, duration, from_json};

/// The hidden verb of the process that asks once.
pub(super) const SINGLE: &str = "__single";

/// Time between two looks at a process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for a process to end its agent.
const GRACE: Duration = Duration::from_secs(15);

/// Most answers of the rival to one text; odd.
const MAX_VOTES: u32 = 61;

/// The folder of a debate, or of the record of single prompts, in the folder of a unit.
const DEBATE: &str = "debate";

/// The output of the last process in the folder of a unit.
const OUTPUT: &str = "output.txt";

/// Failures in a row after which an answer is none, as in a debate.
const MAX_FAILURES: usize = 3;

/// The brief of a case, in the folder of a unit.
const MATERIAL: &str = "material.md";

/// A hint.
const ROOM: &str = "make room on the disk, then go on";

/// The personas of the seats if each is shown a half of the facts, and what they begin with.
const SEATS: [&str; 2] = ["first-half", "second-half"];
const ALONE: &str = "You know the part of the files that follows, which nobody else here was shown. \
    Bring into the debate what bears on the decision, with its numbers, whichever side it helps.";

/// The end of the name of a second request, for a whole block.
const AGAIN: &str = "-again";

/// The home of a conversation, in the folder of its unit: it has nothing of the user.
const HOME: &str = "home";

/// The plugin of all conversations, below the folder of the results.
const PLUGIN: &str = "plugin";

/// The processes of a conversation, in the folder of its unit: the dollars of each.
const COSTS: &str = "costs.json";

/// Processes that a conversation may take to end its debate.
const MAX_PROCESSES: usize = 2;

/// Variables by which a program finds the session of Claude Code that it runs in.
const HIDDEN: [Variable<'_>; 5] = [
    ("CLAUDE_PROJECT_DIR", None),
    ("CLAUDECODE", None),
    ("CLAUDE_PID", None),
    ("CLAUDE_CODE_SESSION_ID", None),
    ("CLAUDE_CODE_ENTRYPOINT", None),
];

/// A variable of a program; without a value it is taken away.
type Variable<'v> = (&'v str, Option<&'v OsStr>);

/// Why the measurement ends before its last case.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// The next answer might not fit in the budget.
    Budget,
    /// The user has stopped it.
    Signal(u8),
    /// A used-up quota comes back after so many seconds.
    Quota {
        seconds: u64,
        error: Error,
    },
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
    /// Waits for a quota that says when it comes back.
    pub(super) waits: bool,
}

/// The limits of a unit.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// The tokens of the debate on the same text.
    pub(super) tokens: u64,
    /// The dollars that are left, if the unit has spent so much.
    pub(super) left: &'a dyn Fn(Spent) -> f64,
}

/// The world of a conversation in this folder: nothing of the user's.
fn world_of_conversation(world: &World, folder: &Path) -> World {
    let home = folder.join(HOME);
    let config_folder = Some(home.join(".claude"));
    World { debate_folder: None, home: Some(home), config_folder, ..world_in(world, folder) }
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
fn debate_in(folder: &Path, arm: Arm) -> Result<Option<StateFile>> {
    let place = if arm == Arm::Conversation { ".claude" } else { DEBATE };
    let bytes = read_file(&folder.join(place).join(STATE_FILE_NAME))?;
    bytes.map(|bytes| StateFile::parse(&String::from_utf8_lossy(&bytes))).transpose()
}

impl Bench<'_> {
    /// Makes a folder for the user alone.
    fn make(&self, folder: &Path) -> Result<()> {
        let made = self.world.disk.create_private_folder(folder);
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
        self.make(&folder.join(DEBATE))?;
        if unit.arm.is_debate() {
            let spent = self.spent(unit)?;
            let left = spent.dollars + (room.left)(spent);
            return Ok(match unit.arm {
                Arm::Conversation => self.conversation(&folder, unit, case, room)?,
                _ => self.debate(&folder, unit, case, left)?,
            }
            .result(case));
        }
        let prompt = prompts::prompt(unit, case);
        if unit.arm == Arm::Rival {
            return self.rival(&folder, &prompt, case, room);
        }
        Ok(self.answer(&folder, "single", &prompt, Spent::default(), room)?.result(case))
    }

    /// Argues a debate to its end, or goes on with one. `left`: its dollars, with those it has
    /// spent.
    fn debate(&self, folder: &Path, unit: &Unit, case: &Case, left: f64) -> Result<Written, Halt> {
        let arm = unit.arm;
        // One that a killed measurement left there may be about to write its first state.
        drop(self.output(folder)?);
        if let Some(written) = self.argued(folder, arm, None)? {
            return Ok(written);
        }
        let mut words: Vec<OsString> = vec!["run".into(), format!("--dir={DEBATE}").into()];
        if self.tells_cost {
            words.push(format!("--max-cost={:.4}", left.max(0.0001)).into());
        }
        let found = debate_in(folder, arm)?;
        let progress = found.as_ref().map(|state| &state.debate.progress.status);
        if progress.is_none_or(|status| *status == Status::Failed) {
            words.extend(["--agent".into(), self.plan.agent.as_str().into()]);
            if let Some(critic) = self.plan.critic.as_ref().filter(|_| arm == Arm::Families) {
                words.extend(["--critic".into(), critic.into()]);
            }
        }
        if found.is_some() {
            words.push("--resume".into());
        } else {
            words.push("--questions=no".into());
            words.push(format!("--motion={}", case.decision).into());
            let split = case.planted.as_ref().and_then(|planted| planted.split.as_ref());
            if let Some(halves) = split {
                let personas = folder.join(".claude/anvil/personas");
                self.make(&personas)?;
                for (name, text) in SEATS.into_iter().zip(halves) {
                    let file = personas.join(format!("{name}.md"));
                    self.put(&file, &format!("{ALONE}\n\n{text}"))?;
                    words.push(format!("--persona={name}").into());
                }
            } else if !case.material.is_empty() {
                self.put(&folder.join(MATERIAL), &case.material)?;
                words.push(format!("--context={MATERIAL}").into());
            }
            words.extend(["--".into(), case.question(unit.wording).into()]);
        }
        self.run(&self.anvil, &words, folder, &HIDDEN)?;
        if let Some(written) = self.argued(folder, arm, None)? {
            return Ok(written);
        }
        let Some(state) = debate_in(folder, arm)? else {
            return Err(self.failed(folder, arm).into());
        };
        if state.debate.progress.status_detail.contains("--max-cost") {
            return Err(Halt::Budget);
        }
        Err(self.stopped(folder, &self.record(folder, arm, &state.debate.id), arm))
    }

    /// Puts the plugin of all conversations below the folder of the results, where no instructions
    /// of the user reach them.
    pub(super) fn install(&self) -> Result<(), Halt> {
        let hint = "name a folder outside of it with --dir";
        if let Some(rules) = self
            .folder
            .ancestors()
            .map(|folder| folder.join("CLAUDE.md"))
            .find(|path| path.exists())
        {
            let what = format!("conversations would read {}", rules.display());
            return Err(Error::usage(what, hint).into());
        }
        let plugin = self.folder.join(PLUGIN);
        let words = ["install".into(), "--to".into(), plugin.clone().into()];
        self.run(&self.anvil, &words, self.folder, &HIDDEN)?;
        if plugin.join("hooks").is_dir() {
            return Ok(());
        }
        Err(self.failed(self.folder, Arm::Single).into())
    }

    /// A debate in a conversation with the user's `claude`, which has a home of its own. One that
    /// leaves its debate is continued once.
    fn conversation(
        &self,
        folder: &Path,
        unit: &Unit,
        case: &Case,
        room: Room<'_>,
    ) -> Result<Written, Halt> {
        let (plugin, home) = (self.folder.join(PLUGIN), folder.join(HOME));
        self.make(&home)?;
        self.put(&folder.join(MATERIAL), &case.material)?;
        let own = [("CLAUDE_CONFIG_DIR", None), ("HOME", Some(home.as_os_str()))];
        let variables = [&HIDDEN[..], &own].concat();
        let claude = process::find("claude")
            .ok_or_else(|| Error::failed("there is no program claude", "install Claude Code"))?;
        loop {
            drop(self.output(folder)?);
            let mut costs = costs(folder)?;
            let whole = costs.iter().filter(|(_, is_whole)| *is_whole).count();
            let is_over = (whole >= MAX_PROCESSES).then_some("the conversation left its debate");
            if let Some(written) = self.argued(folder, unit.arm, is_over)? {
                return Ok(written);
            }
            let left = (room.left)(self.spent(unit)?);
            if left <= 0.0 {
                return Err(Halt::Budget);
            }
            let context = if case.material.is_empty() { "" } else { "--context material.md " };
            let prompt = match debate_in(folder, unit.arm)? {
                Some(_) => "/anvil:resume".to_owned(),
                None => format!(
                    "/anvil:debate --questions=no --motion \"{}\" {context}{}",
                    case.decision,
                    case.question(unit.wording)
                ),
            };
            let mut words: Vec<OsString> = vec!["-p".into(), prompt.into()];
            words.extend(["--plugin-dir".into(), plugin.clone().into()]);
            words.extend(["--verbose", "--output-format", "stream-json"].map(OsString::from));
            words.push(format!("--max-budget-usd={:.4}", left.clamp(0.0001, 1e6)).into());
            if let Some((_, model)) = self.plan.agent.split_once(':') {
                words.extend(["--model".into(), model.into()]);
            }
            // What a killed process has cost is not known.
            costs.push((None, false));
            self.put(&folder.join(COSTS), &serde_json::to_string(&costs).unwrap_or_default())?;
            self.run(&claude, &words, folder, &variables)?;
            let output = read_file(&folder.join(OUTPUT))?.unwrap_or_default();
            let printed = Printed { code: Some(0), output: &output, stderr: b"" };
            let answer = seats::answer(Output::Claude, &printed);
            let figures = answer.as_ref().map_or_else(|failure| &failure.figures, |it| &it.figures);
            costs.pop();
            costs.push((figures.cost, answer.is_ok()));
            self.put(&folder.join(COSTS), &serde_json::to_string(&costs).unwrap_or_default())?;
            if let Err(Failure { kind, message, retry, .. }) = answer {
                let place = unit.folder();
                let error = Error::failed(
                    format!("claude stopped: {} ({})", kind.label(), clean(&message, 200)),
                    format!("see {OUTPUT} in {place}; deal with it, then go on"),
                );
                let now = self.world.clock.now().as_second();
                return Err(match retry {
                    Some(Retry::At(at)) if at > now => {
                        Halt::Quota { seconds: at.abs_diff(now), error }
                    }
                    _ => Halt::Failed(error),
                });
            }
        }
    }

    /// A debate that has come to its end. `None`: it has not. `is_over`: why nobody continues it.
    fn argued(&self, folder: &Path, arm: Arm, is_over: Option<&str>) -> Result<Option<Written>> {
        let Some(state) = debate_in(folder, arm)? else {
            let Some(why) = is_over else { return Ok(None) };
            let spent = spent_in(folder, arm, Spent::default())?;
            let degraded = Some(why.to_owned());
            let result = CaseResult { spent, degraded, ..CaseResult::default() };
            return Ok(Some(Written { result, ..Written::default() }));
        };
        let progress = &state.debate.progress;
        let record = self.record(folder, arm, &state.debate.id);
        let newest = record.read()?.all.pop();
        let failure = newest.as_ref().and_then(Attempt::failure);
        let failed = match progress.status {
            Status::Completed => None,
            Status::Failed if !failure.is_none_or(is_of_answer) => return Ok(None),
            Status::Failed => Some(clean(&progress.status_detail, 200)),
            _ => match is_over {
                Some(why) => Some(why.to_owned()),
                None => return Ok(None),
            },
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
        let carries = ledger.synthesis.as_ref().and_then(|synthesis| synthesis.rests_on.clone());
        let carries = carries.unwrap_or_default();
        let claims = ledger.claims.iter().filter(|claim| carries.contains(&claim.id));
        let claims: Vec<String> =
            claims.map(|claim| format!("{} {}", claim.sentence, claim.reasons)).collect();
        let claims = claims.join("\n");
        let mut result = self.result(&record)?;
        result.spent = spent_in(folder, arm, result.spent)?;
        (result.false_quotes, result.degraded) = (Some(quotes), failed);
        Ok(Some(Written { text, repeat, claims, result }))
    }

    /// The rival: an odd number of answers, the least whose tokens reach those of the debate.
    fn rival(
        &self,
        folder: &Path,
        prompt: &str,
        case: &Case,
        room: Room<'_>,
    ) -> Result<CaseResult, Halt> {
        let (mut spent, mut votes) = (Spent::default(), Votes::default());
        let mut all: Vec<Written> = Vec::new();
        let is_short = |spent: Spent| spent.tokens < room.tokens;
        while votes.all() < MAX_VOTES && (is_short(spent) || votes.all() % 2 == 0) {
            let id = format!("vote-{}", votes.all() + 1);
            let written = self.answer(folder, &id, prompt, spent, room)?;
            spent = spent.plus(written.result.spent);
            votes.add(&written.verdict().word);
            all.push(written);
        }
        let models = all.iter().flat_map(|one| one.result.models.clone()).collect();
        let majority = votes.majority();
        let is_winner = |one: &Written| prompts::decided(&one.verdict().word) == majority;
        let winners = all.iter().filter(|one| majority.is_some() && is_winner(one));
        let stated: Vec<u32> =
            winners.filter_map(|one| one.verdict().confidence.map(u32::from)).collect();
        let (sum, count) = (stated.iter().sum::<u32>(), stated.len() as u32);
        let confidence = (sum + count / 2).checked_div(count).map(|percent| percent as u8);
        let shown = all.iter().position(is_winner).unwrap_or(0);
        let result = all.swap_remove(shown).result(case);
        let verdict = if majority.is_some() { result.verdict } else { String::new() };
        let short = is_short(spent);
        Ok(CaseResult { verdict, confidence, votes, short, spent, models, ..result })
    }

    /// A reply with a whole block. As in a debate, a wrong block is asked for again, alone.
    /// `spent`: by the answers before it.
    fn answer(
        &self,
        folder: &Path,
        id: &str,
        prompt: &str,
        spent: Spent,
        room: Room<'_>,
    ) -> Result<Written, Halt> {
        let mut first = self.ask(folder, id, prompt, &|| (room.left)(spent))?;
        if first.result.degraded.is_some() || first.verdict().is_whole {
            return Ok(first);
        }
        let prompt = prompts::again(prompt, &first.text);
        let spent = spent.plus(first.result.spent);
        let left = || (room.left)(spent);
        let second = self.ask(folder, &format!("{id}{AGAIN}"), &prompt, &left)?;
        let result = &mut first.result;
        result.spent = result.spent.plus(second.result.spent);
        result.spent.asked_again += 1;
        result.models.extend(second.result.models);
        result.degraded = second.result.degraded;
        first.repeat = Some(second.text).filter(|second| prompts::replaces(second, &first.text));
        Ok(first)
    }

    /// One reply to a prompt, by the attempt that a debate makes.
    fn ask(
        &self,
        folder: &Path,
        id: &str,
        prompt: &str,
        left: &dyn Fn() -> f64,
    ) -> Result<Written, Halt> {
        let record = answers_in(self.world, folder, id);
        for is_asked in [false, true] {
            let attempts = record.read()?.all;
            if let Some(found) = attempts.iter().find(|attempt| attempt.is_received()) {
                let text = record.reply(found).ok_or_else(|| self.failed(folder, Arm::Single))?;
                return Ok(Written { text, result: self.result(&record)?, ..Written::default() });
            }
            let failures = attempts.iter().filter_map(Attempt::failure);
            let newest = attempts.last().and_then(|attempt| attempt.ended.as_ref());
            if failures.filter(|kind| is_of_answer(*kind)).count() >= MAX_FAILURES
                && let Some(kind) = newest.and_then(|ended| ended.error)
            {
                let degraded = Some(kind.label().to_owned());
                let result = CaseResult { degraded, ..self.result(&record)? };
                return Ok(Written { result, ..Written::default() });
            }
            if !is_asked {
                if left() <= 0.0 {
                    return Err(Halt::Budget);
                }
                // A file has all of the prompt or none of it, also if this process is killed.
                self.put(&folder.join(format!("{id}.md")), prompt)?;
                let words = [SINGLE, id, &self.plan.agent].map(OsString::from);
                self.run(&self.own, &words, folder, &HIDDEN)?;
            }
        }
        Err(self.stopped(folder, &record, Arm::Single))
    }

    /// Why there is no answer: what its newest attempt says.
    fn stopped(&self, folder: &Path, record: &AttemptRecord, arm: Arm) -> Halt {
        let ended = record.read().ok().and_then(|attempts| attempts.all.last()?.ended.clone());
        let failed = ended.filter(|ended| ended.error.is_some());
        match failed.and_then(|ended| ended.retry_after) {
            None => self.failed(folder, arm).into(),
            Some(seconds) => {
                let hint = format!("it comes back in {}; `--wait` waits for it", duration(seconds));
                Halt::Quota { seconds, error: Error::failed(self.why(folder, arm), hint) }
            }
        }
    }

    /// Waits for a quota to come back, or until nobody waits for it.
    pub(super) fn wait(&self, seconds: u64, is_halted: &dyn Fn() -> bool) -> Result<(), Halt> {
        let (began, seconds) = (Instant::now(), seconds.max(1));
        let line = format!("the quota comes back in {}: waiting", duration(seconds));
        let _ = writeln!(std::io::stderr(), "{line}");
        while began.elapsed().as_secs() < seconds && !is_halted() {
            self.check_signal()?;
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
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
    fn run(
        &self,
        program: &Path,
        words: &[OsString],
        folder: &Path,
        variables: &[Variable<'_>],
    ) -> Result<(), Halt> {
        let log = self.output(folder)?;
        log.set_len(0).map_err(|error| Error::io(&error, ROOM))?;
        let started = Background::start(program, words, folder, variables, log);
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
    fn why(&self, folder: &Path, arm: Arm) -> String {
        let printed = read_file(&folder.join(OUTPUT)).ok().flatten().unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let mut errors = printed.lines().filter_map(|line| line.strip_prefix("anvil: "));
        let error = errors.next().unwrap_or("it says nothing").to_owned();
        let debate = debate_in(folder, arm).ok().flatten();
        let stopped = debate.map(|state| state.debate.progress.status_detail);
        let why = clean(&stopped.filter(|why| !why.is_empty()).unwrap_or(error), 300);
        let place = folder.strip_prefix(self.folder).unwrap_or(folder).display();
        format!("no answer for {place}: {why}")
    }

    fn failed(&self, folder: &Path, arm: Arm) -> Error {
        let hint = format!("see {OUTPUT} there; deal with it, then go on");
        Error::failed(self.why(folder, arm), hint)
    }

    fn record(&self, folder: &Path, arm: Arm, id: &str) -> AttemptRecord {
        let world = match arm {
            Arm::Conversation => world_of_conversation(self.world, folder),
            _ => world_in(self.world, folder),
        };
        programs::attempt_record(&Context::new(&world), id)
    }

    /// True if this or an earlier process has begun it.
    pub(super) fn has_begun(&self, unit: &Unit) -> bool {
        self.folder.join(unit.folder()).exists()
    }

    /// All that a unit has spent so far.
    pub(super) fn spent(&self, unit: &Unit) -> Result<Spent> {
        let folder = self.folder.join(unit.folder());
        let debate = debate_in(&folder, unit.arm)?;
        let debate = debate.map(|state| self.record(&folder, unit.arm, &state.debate.id));
        let votes = (1..=MAX_VOTES).map(|vote| format!("vote-{vote}"));
        let asked = ["single".to_owned()].into_iter().chain(votes);
        let asked = asked.flat_map(|id| [format!("{id}{AGAIN}"), id]);
        let spent: Result<Spent> = debate
            .into_iter()
            .chain(asked.map(|id| answers_in(self.world, &folder, &id)))
            .map(|record| Ok(self.result(&record)?.spent))
            .try_fold(Spent::default(), |sum, spent: Result<Spent>| Ok(sum.plus(spent?)));
        spent_in(&folder, unit.arm, spent?)
    }

    /// The expense of all attempts of a record.
    fn result(&self, record: &AttemptRecord) -> Result<CaseResult> {
        let attempts = record.read()?;
        let mut result = CaseResult::default();
        // Of one slot: a block that is asked for once more is a step of its own, and no retry.
        let mut steps: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for StartedLine { slot, generation, .. } in attempts.all.iter().map(|one| &one.started) {
            let step = generation.turn().map(|turn| turn.step);
            steps.entry(slot).or_default().extend(step);
        }
        let repeats = steps.values().map(|steps| steps.len().saturating_sub(1) as u32).sum::<u32>();
        result.spent.asked_again = attempts.total().retries + repeats;
        for attempt in &attempts.all {
            let prompt = record.prompt(attempt.started.attempt).unwrap_or_default();
            result.spent = result.spent.plus(spent_by(self.plan, record, attempt, &prompt));
            result.models.extend(attempt.ended.as_ref().and_then(|ended| ended.model.clone()));
        }
        for turn in &attempts.turns {
            let usage = turn.usage.map_or(0, Usage::sum);
            result.spent.attempts += 1;
            result.spent.tokens += usage;
            result.spent.millis += turn.duration_ms.unwrap_or(0);
            result.models.extend(turn.model.clone());
        }
        Ok(result)
    }
}

/// The dollars of each process of a conversation, and whether it ended by itself.
fn costs(folder: &Path) -> Result<Vec<(Option<f64>, bool)>> {
    let told = read_file(&folder.join(COSTS))?.unwrap_or_default();
    Ok(from_json(&told).unwrap_or_default())
}

/// The expense of a unit, with the dollars that a conversation has told.
fn spent_in(folder: &Path, arm: Arm, spent: Spent) -> Result<Spent> {
    let costs = if arm == Arm::Conversation { costs(folder)? } else { Vec::new() };
    let known = || costs.iter().filter_map(|(dollars, _)| *dollars);
    let dearest = known().fold(spent.dearest, f64::max);
    let unpriced = spent.unpriced + (costs.len() - known().count()) as u32;
    Ok(Spent { dollars: spent.dollars + known().sum::<f64>(), unpriced, dearest, ..spent })
}

/// A failure that says something about the answer, and nothing about the account or the service.
fn is_of_answer(kind: FailureKind) -> bool {
    use FailureKind::{Crash, Empty, Misshapen, Refusal, TimeLimit};
    matches!(kind, Crash | Empty | Misshapen | Refusal | TimeLimit)
}
