//! The file of results: the plan before the first request, then a flushed line after each answer. A
//! killed process loses nothing that it has paid for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::primary::Votes;
use super::tasks::{Arm, Size, Unit};
use anvil_core::transcript::ShortName;
use anvil_prompt::tokens;
use anvil_store::json_lines::JsonLines;
use anvil_system::disk::{Disk, Flush};
use anvil_text::error::{Error, Result};

pub(super) const FILE: &str = "results.jsonl";

/// Largest file of results, in bytes: some ten thousand answers.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// All that a measurement follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EvalPlan {
    /// Unique to this measurement.
    pub id: String,
    pub hypothesis: String,
    pub began: Timestamp,
    pub size: Size,
    pub arms: Vec<Arm>,
    pub agent: String,
    pub critic: Option<String>,
    /// Dollars. `None`: no agent costs anything.
    pub max_cost: Option<f64>,
    /// Dollars for a million tokens in and out, of agents that report no dollars.
    pub prices: BTreeMap<String, [f64; 2]>,
    pub versions: BTreeMap<String, String>,
    /// The digest of the user's defaults.
    pub defaults: String,
}

/// Tokens of a debate of two rounds without its question: the least that `anvil run` expects.
const SENT_IN_DEBATE: f64 = 7_000.0;
const WRITTEN_IN_DEBATE: f64 = 1_300.0;

/// Tokens of a short answer to a single prompt.
const WRITTEN: f64 = 100.0;

impl EvalPlan {
    /// Dollars of an answer, at least, before any is measured. 0: the agent has no price.
    pub(crate) fn foreseen(&self, arm: Arm, prompt: &str) -> f64 {
        let [price_in, price_out] = self.prices.get(&self.agent).copied().unwrap_or_default();
        let text = tokens(prompt) as f64;
        let (sent, written) = match arm {
            Arm::Isolated | Arm::Families | Arm::Conversation => {
                (SENT_IN_DEBATE + 5.0 * text, WRITTEN_IN_DEBATE)
            }
            Arm::Single | Arm::Stripped | Arm::Both | Arm::Rival => (text, WRITTEN),
        };
        (sent * price_in + written * price_out) / 1e6
    }

    /// True if measurements of both plans may be pooled.
    pub(crate) fn is_made_like(&self, other: &Self) -> bool {
        self.agent == other.agent
            && self.critic == other.critic
            && self.arms == other.arms
            && self.size.neutral == other.size.neutral
            && self.versions == other.versions
            && self.defaults == other.defaults
    }

    /// As a report has it: agents by their short names.
    pub(crate) fn reported(&self) -> Self {
        Self {
            agent: short(&self.agent),
            critic: self.critic.as_deref().map(short),
            prices: self.prices.iter().map(|(agent, price)| (short(agent), *price)).collect(),
            versions: self.versions.iter().map(|(of, is)| (short(of), is.clone())).collect(),
            ..self.clone()
        }
    }
}

fn short(agent: &str) -> String {
    ShortName::new(agent).as_str().to_owned()
}

/// An answer, and what it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CaseResult {
    /// `do`, `do not`, another word, or empty.
    pub verdict: String,
    pub confidence: Option<u8>,
    /// The answers that it was chosen from.
    pub votes: Votes,
    /// The most answers have fewer tokens than the debate.
    #[serde(default)]
    pub short: bool,
    /// Planted numbers that reach the last text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u32>,
    /// Its numbers that are nowhere in the material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strange: Option<u32>,
    /// Quotes of a debate that are not found where they claim to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_quotes: Option<u32>,
    pub spent: Expense,
    /// Why there is no whole answer. Such a run counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    pub models: BTreeSet<String>,
}

/// The expense of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Expense {
    pub attempts: u32,
    /// Attempts that were not the first for their reply.
    pub asked_again: u32,
    pub tokens: u64,
    /// Some tokens are estimated from the texts, because the program reports none.
    pub estimated: bool,
    pub dollars: f64,
    /// Attempts with unknown dollars.
    pub unpriced: u32,
    pub millis: u64,
    /// The dearest attempt.
    pub dearest: f64,
}

impl Expense {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            attempts: self.attempts + other.attempts,
            asked_again: self.asked_again + other.asked_again,
            tokens: self.tokens + other.tokens,
            estimated: self.estimated || other.estimated,
            dollars: self.dollars + other.dollars,
            unpriced: self.unpriced + other.unpriced,
            millis: self.millis + other.millis,
            dearest: self.dearest.max(other.dearest),
        }
    }

    /// Dollars, with so many, at least, for each unknown one.
    pub(crate) fn counted(self, dearest: f64) -> f64 {
        self.dollars + f64::from(self.unpriced) * dearest.max(self.dearest)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum LogLine {
    Plan(Box<EvalPlan>),
    Ended { unit: Unit, outcome: Box<CaseResult> },
}

/// The results so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    pub plan: EvalPlan,
    pub ended: BTreeMap<Unit, CaseResult>,
}

#[cfg(test)]
impl Results {
    pub(crate) fn without_answers(framing: usize, planted: usize) -> Self {
        let size = Size { seed: 1, framing, planted, neutral: false, questions: Vec::new() };
        let plan = EvalPlan {
            id: "1".into(),
            hypothesis: super::primary::HYPOTHESIS.into(),
            began: Timestamp::UNIX_EPOCH,
            size,
            arms: vec![Arm::Single, Arm::Isolated, Arm::Rival],
            agent: "claude".into(),
            critic: None,
            max_cost: Some(1.0),
            prices: BTreeMap::new(),
            versions: BTreeMap::new(),
            defaults: String::new(),
        };
        Self { plan, ended: BTreeMap::new() }
    }
}

/// The file, for the one process that writes it.
#[derive(Debug)]
pub(crate) struct Log {
    disk: Disk,
    folder: PathBuf,
    // Held as long as this lives.
    _lock: fs_err::File,
}

fn lines(folder: &Path) -> JsonLines<LogLine> {
    JsonLines::new(folder.join(FILE), MAX_BYTES, "file of results")
}

/// Reads the results of a folder. `None`: nothing was measured there.
pub(super) fn read(folder: &Path) -> Result<Option<Results>> {
    let mut results: Option<Results> = None;
    for line in lines(folder).read()? {
        match (line, &mut results) {
            (LogLine::Plan(plan), None) => {
                results = Some(Results { plan: *plan, ended: BTreeMap::new() });
            }
            // The first line counts: the answer was there before.
            (LogLine::Ended { unit, outcome }, Some(results)) => {
                results.ended.entry(unit).or_insert(*outcome);
            }
            (LogLine::Plan(_), Some(_)) | (LogLine::Ended { .. }, None) => {}
        }
    }
    Ok(results)
}

impl Log {
    /// Makes the folder, if it is not there, and keeps other processes out.
    pub(crate) fn open(disk: &Disk, folder: &Path) -> Result<Self> {
        let lock = disk
            .create_private_folder(folder)
            .and_then(|()| disk.open_lock(&folder.join("lock")))
            .map_err(|error| Error::io(error, "choose another folder with --dir"))?;
        disk.try_lock(&lock).map_err(|_| {
            Error::failed(
                format!("another process measures in {}", folder.display()),
                "wait for its end, or choose another folder with --dir",
            )
        })?;
        Ok(Self { disk: disk.clone(), folder: folder.to_owned(), _lock: lock })
    }

    pub(crate) fn plan(&self, plan: &EvalPlan) -> Result<()> {
        self.add(&LogLine::Plan(Box::new(plan.clone())))
    }

    pub(crate) fn ended(&self, unit: &Unit, outcome: &CaseResult) -> Result<()> {
        self.add(&LogLine::Ended { unit: unit.clone(), outcome: Box::new(outcome.clone()) })
    }

    fn add(&self, line: &LogLine) -> Result<()> {
        let file = lines(&self.folder);
        JsonLines::line(line)
            .and_then(|line| self.disk.append_lines(file.path(), &line, &self.folder, Flush::Now))
            .map_err(|error| Error::io(error, "make room; --resume continues without paying twice"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Wording;

    #[test]
    fn every_cut_of_the_file_reads_as_a_beginning_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let size = Size { seed: 1, framing: 1, planted: 0, neutral: false, questions: vec![] };
        let plan = EvalPlan {
            id: "1".into(),
            hypothesis: String::new(),
            began: Timestamp::UNIX_EPOCH,
            size,
            arms: vec![Arm::Single],
            agent: "script:x".into(),
            critic: None,
            max_cost: None,
            prices: BTreeMap::new(),
            versions: BTreeMap::new(),
            defaults: String::new(),
        };
        let unit = Unit { seed: 1, case: "f01".into(), wording: Wording::For, arm: Arm::Single };
        {
            let log = Log::open(&Disk::default(), folder.path()).unwrap();
            assert!(Log::open(&Disk::default(), folder.path()).is_err(), "one process writes");
            log.plan(&plan).unwrap();
            log.ended(&unit, &CaseResult { verdict: "do".into(), ..CaseResult::default() })
                .unwrap();
            log.ended(&unit, &CaseResult::default()).unwrap();
        }
        let file = folder.path().join(FILE);
        let whole = std::fs::read(&file).unwrap();
        let lines: Vec<usize> = whole
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at)
            .collect();
        for cut in 0..=whole.len() {
            std::fs::write(&file, &whole[..cut]).unwrap();
            let read = read(folder.path()).unwrap();
            // A line counts from its last brace on.
            let has = |line: usize| cut >= lines[line];
            assert_eq!(read.is_some(), has(0), "{cut}");
            let Some(read) = read else { continue };
            assert!(read.plan == plan, "{cut}");
            assert_eq!(
                read.ended.get(&unit).map(|outcome| outcome.verdict.as_str()),
                has(1).then_some("do")
            );
        }
    }
}
