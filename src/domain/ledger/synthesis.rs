//! What a synthesis or a judgment says to programs: the values of its block.

use std::collections::HashSet;
use std::fmt;

use serde::{Serialize, Serializer};

use super::block::{self, Key, Line, NoBlock, number, without_stop};
use super::{ClaimResult, Id};
use crate::domain::debate::{Alternatives, bare};
use crate::domain::transcript::Entries;
use crate::text::{ascii_mark, clean};

/// Longest text of a line, in characters.
const MAX_TEXT: usize = 1_000;

/// Longest name of an option in a heading, in characters.
const MAX_HEADING: usize = 40;

/// The verdict of a synthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerdictWord {
    /// Take the action of the motion.
    Do,
    DoNot,
    /// One observation that is not made yet decides.
    Depends,
    /// An option of the debate, by its name.
    Option(String),
}

impl Serialize for VerdictWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl VerdictWord {
    /// The words that are no option.
    pub const WORDS: [Self; 3] = [Self::Do, Self::DoNot, Self::Depends];

    /// The word in the block.
    pub fn word(&self) -> &str {
        match self {
            Self::Do => "do",
            Self::DoNot => "do not",
            Self::Depends => "depends",
            Self::Option(name) => name,
        }
    }

    /// The verdict as a heading: a word in capitals, an option as its user writes it.
    pub(crate) fn heading(&self) -> String {
        match self {
            Self::Option(name) => clean(name, MAX_HEADING),
            word => word.word().to_uppercase(),
        }
    }

    /// Reads a whole value. If the user typed the options, do and do not are no verdicts.
    fn read(value: &str, among: &Alternatives) -> Option<Self> {
        let is_it = |known: &Self| bare(without_stop(value)) == known.word();
        let word = Self::WORDS.into_iter().find(is_it);
        let named = || among.named(value).or_else(|| among.named(without_stop(value)));
        word.filter(|word| !among.are_typed || *word == Self::Depends)
            .or_else(|| named().map(|name| Self::Option(name.to_owned())))
    }
}

/// Why a synthesis has no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoVerdict {
    NoBlock(NoBlock),
    /// No line `verdict`.
    Missing,
    /// Two lines `verdict`.
    Twice,
    /// The line has other words than a verdict.
    Other(String),
    /// The judges share none.
    NoMajority,
}

impl fmt::Display for NoVerdict {
    /// In a sentence: `the synthesis has no line "verdict"`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlock(why) => write!(out, "the synthesis has {}", why.words()),
            Self::Missing => out.write_str("the synthesis has no line \"verdict\""),
            Self::Twice => out.write_str("the synthesis has two lines \"verdict\""),
            Self::Other(words) => {
                write!(out, "the line \"verdict\" has other words: \"{}\"", clean(words, 80))
            }
            Self::NoMajority => out.write_str("no verdict has more than half of the judges"),
        }
    }
}

/// What is wrong with a line, apart from the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineFault {
    /// The value can't be read.
    Unreadable(Key),
    Twice(Key),
    /// A line that is nothing of the grammar.
    Unknown(String),
}

/// A line about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultLine {
    pub id: Id,
    pub result: ClaimResult,
    /// Empty if no reason is given.
    pub why: String,
}

/// The line about an option: `option 1: clause`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OptionLine {
    pub name: String,
    /// What carries it and what weighs against it.
    pub text: String,
}

/// A change to a plan: `change 1 (C2): clause`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChange {
    /// Counted from 1.
    pub number: u8,
    pub claims: Vec<Id>,
    pub text: String,
}

/// The values of a block. A value that can't be read is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthesis {
    pub verdict: Result<VerdictWord, NoVerdict>,
    pub motion: Option<String>,
    pub recommendation: Option<String>,
    /// In percent: of a hundred decisions argued like this one, in how many would this verdict
    /// prove right? With `depends`: how likely it is that the observation decides.
    pub confidence: Option<u8>,
    /// The claims that carry the verdict; empty if it says `nothing`.
    pub rests_on: Option<Vec<Id>>,
    /// The strongest ground left against the verdict.
    pub against: Option<String>,
    pub depends_on: Option<String>,
    pub flips_if: Option<String>,
    pub unknown: Option<String>,
    /// In order.
    pub results: Vec<ResultLine>,
    /// The options, the best first.
    pub ranking: Vec<String>,
    /// Names in the ranking that are no option.
    pub(super) strangers: Vec<String>,
    /// In the order of the debate's options.
    pub options: Vec<OptionLine>,
    pub changes: Vec<PlanChange>,
    /// How many of how many judges share the verdict.
    pub judges: Option<(u8, u8)>,
    /// The lowest and the highest confidence of these judges, in percent.
    pub confidence_range: Option<(u8, u8)>,
    pub(super) faults: Vec<LineFault>,
}

impl Default for Synthesis {
    fn default() -> Self {
        Self::without_block(NoBlock::Missing)
    }
}

impl Synthesis {
    fn without_block(why: NoBlock) -> Self {
        Self {
            verdict: Err(NoVerdict::NoBlock(why)),
            motion: None,
            recommendation: None,
            confidence: None,
            rests_on: None,
            against: None,
            depends_on: None,
            flips_if: None,
            unknown: None,
            results: Vec::new(),
            ranking: Vec::new(),
            strangers: Vec::new(),
            options: Vec::new(),
            changes: Vec::new(),
            judges: None,
            confidence_range: None,
            faults: Vec::new(),
        }
    }

    /// Reads the block of a synthesis. `among`: the options that its verdict can name.
    pub fn parse(text: &str, among: &Alternatives) -> Self {
        match block::lines(text) {
            Ok(lines) => Self::of_lines(&lines, among),
            Err(why) => Self::without_block(why),
        }
    }

    /// The last synthesis of a debate, with the block that was asked for once more.
    pub fn of_entries(entries: &Entries, among: &Alternatives) -> Option<Self> {
        let entry = entries.synthesis()?;
        Some(Self::parse(entries.block_text(entry), among))
    }

    fn of_lines(lines: &[Line], among: &Alternatives) -> Self {
        let mut read = Self { verdict: Err(NoVerdict::Missing), ..Self::default() };
        let mut seen: HashSet<Key> = HashSet::new();
        for line in lines {
            let Some(key) = line.key else {
                read.faults.push(LineFault::Unknown(clean(&line.before, 80)));
                continue;
            };
            // A claim that is listed twice is a check of its own.
            if !matches!(key, Key::Claim(..)) && !seen.insert(key) {
                read.faults.push(LineFault::Twice(key));
                read.forget(key);
            } else if line.is_spoiled || !read.take(key, line, among) {
                read.faults.push(LineFault::Unreadable(key));
                if key == Key::Verdict {
                    read.verdict = Err(NoVerdict::Other(clean(&line.value, 80)));
                }
            }
        }
        read.options.sort_by_key(|line| among.names.iter().position(|name| *name == line.name));
        read
    }

    /// Takes the value of a line. False: it can't be read.
    fn take(&mut self, key: Key, line: &Line, among: &Alternatives) -> bool {
        let text = clean(&line.value, MAX_TEXT);
        let words = Some(text.clone()).filter(|text| !text.is_empty());
        match key {
            Key::Motion => set(&mut self.motion, words),
            Key::Against => set(&mut self.against, words),
            Key::Recommendation => set(&mut self.recommendation, words),
            Key::DependsOn => set(&mut self.depends_on, words),
            Key::FlipsIf => set(&mut self.flips_if, words),
            Key::Unknown => set(&mut self.unknown, words),
            Key::Confidence => set(&mut self.confidence, percent(&line.value)),
            Key::RestsOn => set(&mut self.rests_on, ids(&line.value)),
            Key::Judges => set(&mut self.judges, two(&line.value, "of")),
            Key::ConfidenceRange => set(&mut self.confidence_range, two(&line.value, "to")),
            Key::Claim(id, result) => {
                self.results.push(ResultLine { id, result, why: text });
                true
            }
            Key::Verdict => {
                self.verdict = match VerdictWord::read(&line.value, among) {
                    Some(word) => Ok(word),
                    None if bare(&line.value) == "none" => Err(NoVerdict::NoMajority),
                    None => return false,
                };
                true
            }
            Key::Place(place) => {
                let is_next = usize::from(place) == self.ranking.len() + self.strangers.len() + 1;
                match among.named(&line.value).filter(|_| among.are_typed) {
                    _ if !is_next => {}
                    Some(name) => self.ranking.push(name.to_owned()),
                    None => self.strangers.push(clean(&line.value, 60)),
                }
                is_next
            }
            Key::Option(at) => {
                let name = among.names.get(usize::from(at) - 1).filter(|_| among.are_typed);
                let line = name.map(|name| OptionLine { name: name.clone(), text });
                let is_known = line.is_some();
                self.options.extend(line);
                is_known
            }
            Key::Change(number) => {
                let inside = line.before.split_once('(').map_or("", |(_, inside)| inside);
                let claims = ids(inside.trim_end().trim_end_matches(')')).unwrap_or_default();
                self.changes.push(PlanChange { number, claims, text });
                true
            }
            Key::Check(..) => false,
        }
    }

    /// Forgets the value of a line that stands there twice.
    fn forget(&mut self, key: Key) {
        match key {
            Key::Verdict => self.verdict = Err(NoVerdict::Twice),
            Key::Motion => self.motion = None,
            Key::Confidence => self.confidence = None,
            Key::RestsOn => self.rests_on = None,
            Key::Recommendation => self.recommendation = None,
            Key::Against => self.against = None,
            Key::DependsOn => self.depends_on = None,
            Key::FlipsIf => self.flips_if = None,
            Key::Unknown => self.unknown = None,
            Key::Judges => self.judges = None,
            Key::ConfidenceRange => self.confidence_range = None,
            Key::Claim(..) | Key::Check(..) | Key::Place(_) | Key::Option(_) | Key::Change(_) => {}
        }
    }

    /// The verdict, if it has one.
    pub fn word(&self) -> Option<&VerdictWord> {
        self.verdict.as_ref().ok()
    }

    /// Why it has no block. `None`: it has one.
    pub fn no_block(&self) -> Option<NoBlock> {
        if let Err(NoVerdict::NoBlock(why)) = self.verdict { Some(why) } else { None }
    }

    /// True if a line of this key can't be used as it stands.
    pub(super) fn has_fault_on(&self, wanted: Key) -> bool {
        self.faults.iter().any(|fault| match fault {
            LineFault::Unreadable(key) | LineFault::Twice(key) => *key == wanted,
            LineFault::Unknown(_) => false,
        })
    }

    /// The line about a claim. `None`: no line, or two that differ.
    pub fn line_on(&self, id: Id) -> Option<&ResultLine> {
        let mut lines = self.results.iter().filter(|line| line.id == id);
        let first = lines.next()?;
        lines.all(|line| line.result == first.result).then_some(first)
    }
}

/// Sets a value. False: there is none.
fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// `80` or `80 %`, from 0 to 100.
fn percent(value: &str) -> Option<u8> {
    let value = without_stop(value).trim_end();
    let value = value.strip_suffix('%').unwrap_or(value).trim_end();
    let is_number =
        (1..=3).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|percent| is_number && *percent <= 100)
}

/// Ids with commas or blanks between them, each once; or `nothing`.
fn ids(value: &str) -> Option<Vec<Id>> {
    let value = without_stop(value);
    if value.eq_ignore_ascii_case("nothing") {
        return Some(Vec::new());
    }
    let mut ids: Vec<Id> = Vec::new();
    let is_between = |char: char| char.is_whitespace() || ascii_mark(char) == ',';
    for word in value.split(is_between).filter(|word| !word.is_empty()) {
        let id = word.parse().ok()?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    (!ids.is_empty()).then_some(ids)
}

/// `2 of 3` and `60 to 80`.
fn two(value: &str, between: &str) -> Option<(u8, u8)> {
    let words: Vec<&str> = without_stop(value).split_whitespace().collect();
    let [one, word, other] = words.as_slice() else { return None };
    let zero = |text: &str| if text == "0" { Some(0) } else { number(text) };
    (*word == between).then_some(())?;
    zero(one).zip(zero(other)).filter(|(one, other)| one <= other)
}
