//! The values of the block of a synthesis or a judgment, for programs.

use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

use super::block::{self, BlockLine, Key, NoBlock, number};
use super::{ClaimResult, Id, prose, stray};
use crate::question::{Alternatives, bare, motion::is_other, without_stop};
use anvil_text::{ascii_mark, clean};

/// Longest text of a line, in characters.
const MAX_TEXT: usize = 1_000;

/// Longest name of an option in a heading, in characters.
const MAX_HEADING: usize = 40;

/// The verdict of a synthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictWord {
    /// Take the action of the motion.
    Do,
    DoNot,
    /// One observation that is still missing decides.
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

    /// The verdict as a person reads it: Yes, No, Depends, or an option as its user writes it.
    pub fn answer(&self) -> String {
        match self {
            Self::Do => "Yes".to_owned(),
            Self::DoNot => "No".to_owned(),
            Self::Depends => "Depends".to_owned(),
            Self::Option(name) => clean(name, MAX_HEADING),
        }
    }

    /// Reads a whole value. If the user typed the options, do and do not are no verdicts.
    fn read(value: &str, among: &Alternatives) -> Option<Self> {
        let folded = bare(without_stop(value));
        let word = Self::WORDS.into_iter().find(|known| folded == known.word());
        word.filter(|word| !among.are_typed || *word == Self::Depends)
            .or_else(|| option_named(value, among).map(|name| Self::Option(name.to_owned())))
    }
}

/// Why a synthesis has no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVerdict {
    #[error("the synthesis has {}", .0.words())]
    NoBlock(NoBlock),
    #[error("the synthesis has no line \"verdict\"")]
    Missing,
    #[error("the synthesis has two lines \"verdict\"")]
    Twice,
    /// The line has other words than a verdict.
    #[error("the line \"verdict\" has other words: \"{}\"", clean(.0, 80))]
    Other(String),
    /// The judges share none.
    #[error("no verdict has more than half of the judges")]
    NoMajority,
}

/// A fault of a line, whatever the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineFault {
    /// The value can't be read.
    Unreadable(Key),
    Twice(Key),
    /// Only the program may write the line.
    Refused(Key),
    /// A line that is not in the grammar of this debate.
    Unknown {
        text: String,
        /// It has a word of the grammar, so that somebody may read a value there.
        is_stray: bool,
    },
    /// The corrected block has another value than the first one.
    Changed(Key),
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
    /// The reasons for it and against it.
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
    /// The first sentence of its prose.
    pub why: Option<String>,
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
    /// The name at the first place of the ranking, also one that is no option.
    pub(crate) first: Option<String>,
    /// Names in the ranking that are no option.
    pub(crate) strangers: Vec<String>,
    /// In the order of the debate's options.
    pub options: Vec<OptionLine>,
    pub changes: Vec<PlanChange>,
    /// The number of judges that share the verdict, and of all judges.
    pub judges: Option<(u8, u8)>,
    /// The lowest and the highest confidence of these judges, in percent.
    pub confidence_range: Option<(u8, u8)>,
    pub(crate) faults: Vec<LineFault>,
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
            why: None,
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
            first: None,
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

    /// Reads a synthesis or a judgment with its corrected block, if it has one. Only the program
    /// may write the lines about several judges.
    pub fn with_repeat(
        text: &str,
        repeat: Option<&str>,
        is_of_judges: bool,
        among: &Alternatives,
    ) -> Self {
        let first = Self::parse(text, among);
        let repeat = repeat.map(|repeat| Self::parse(repeat, among));
        let mut read = match repeat.filter(|repeat| repeat.no_block().is_none()) {
            None => first,
            Some(repeat) if first.no_block().is_some() => repeat,
            Some(repeat) if first.is_on_other_motion(among) => first.replaced_by(repeat, among),
            Some(repeat) => first.filled_by(repeat),
        };
        read.why = prose::why(text).map(|why| clean(&why, MAX_TEXT));
        if is_of_judges {
            return read;
        }
        let forged = [
            (Key::Judges, read.judges.take().is_some()),
            (Key::ConfidenceRange, read.confidence_range.take().is_some()),
        ];
        let forged = forged.into_iter().filter(|(_, is_there)| *is_there);
        read.faults.extend(forged.map(|(key, _)| LineFault::Refused(key)));
        if read.verdict == Err(NoVerdict::NoMajority) {
            read.verdict = Err(NoVerdict::Other("none".to_owned()));
        }
        read
    }

    /// The readable values of this block, and for the others those of its repeat. A repeat may not
    /// change the verdict, its motion, the confidence, a result or the claims that it rests on.
    fn filled_by(self, repeat: Self) -> Self {
        let mut changed: Vec<Key> = Vec::new();
        let mut differs = |key: Key, has_value: bool, is_other: bool| {
            if has_value && (is_other || repeat.has_fault_on(key)) {
                changed.push(key);
            }
        };
        differs(
            Key::Verdict,
            self.verdict.is_ok(),
            repeat.verdict.as_ref().is_ok_and(|word| self.verdict.as_ref() != Ok(word)),
        );
        let is_other = |first: &Option<String>, then: &Option<String>| {
            first.as_ref().zip(then.as_ref()).is_some_and(|(one, other)| is_other(one, other))
        };
        differs(Key::Motion, self.motion.is_some(), is_other(&self.motion, &repeat.motion));
        differs(
            Key::Confidence,
            self.confidence.is_some(),
            repeat.confidence.is_some_and(|percent| self.confidence != Some(percent)),
        );
        let sorted = |ids: &[Id]| {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids
        };
        let rests = self.rests_on.as_deref().map(sorted);
        let then = repeat.rests_on.as_deref().map(sorted);
        differs(Key::RestsOn, rests.is_some(), then.is_some_and(|ids| rests != Some(ids)));
        let mut results = self.results.clone();
        let firsts = self.results_by_id();
        for line in &repeat.results {
            match firsts.get(&line.id) {
                Some(Some(result)) if *result == line.result => {}
                Some(Some(_)) => changed.push(Key::Claim(line.id, line.result)),
                // Two lines that differ: the repeat decides.
                Some(None) => {
                    results.retain(|known| known.id != line.id);
                    results.push(line.clone());
                }
                None => results.push(line.clone()),
            }
        }
        // A value that stands in the first block needs no line in the repeat.
        let mut faults: Vec<LineFault> = repeat.faults;
        faults.retain(|fault| match fault {
            LineFault::Unreadable(key) | LineFault::Twice(key) => !self.has_value(*key),
            LineFault::Refused(_) | LineFault::Unknown { .. } | LineFault::Changed(_) => true,
        });
        faults.extend(changed.into_iter().map(LineFault::Changed));
        let keeps_ranking = !self.ranking.is_empty() && !self.has_wrong_ranking();
        Self {
            verdict: self.verdict.or(repeat.verdict),
            why: None,
            motion: self.motion.or(repeat.motion),
            recommendation: self.recommendation.or(repeat.recommendation),
            confidence: self.confidence.or(repeat.confidence),
            rests_on: self.rests_on.or(repeat.rests_on),
            against: self.against.or(repeat.against),
            depends_on: self.depends_on.or(repeat.depends_on),
            flips_if: self.flips_if.or(repeat.flips_if),
            unknown: self.unknown.or(repeat.unknown),
            results,
            ranking: if keeps_ranking { self.ranking } else { repeat.ranking },
            first: if keeps_ranking { self.first } else { repeat.first },
            strangers: if keeps_ranking { self.strangers } else { repeat.strangers },
            options: merge(self.options, repeat.options, |line| line.name.clone()),
            changes: merge(self.changes, repeat.changes, |change| change.number),
            judges: repeat.judges,
            confidence_range: repeat.confidence_range,
            faults,
        }
    }

    /// The repeat of a block on another motion stands for itself. One that gives the same verdict
    /// has only renamed what was decided.
    fn replaced_by(self, mut repeat: Self, among: &Alternatives) -> Self {
        let is_renamed = self.verdict.is_ok() && self.verdict == repeat.verdict;
        if is_renamed && !repeat.is_on_other_motion(among) {
            repeat.faults.push(LineFault::Changed(Key::Motion));
        }
        repeat
    }

    fn is_on_other_motion(&self, among: &Alternatives) -> bool {
        let motions = self.motion.as_deref().zip(among.motion.as_deref());
        motions.is_some_and(|(motion, known)| is_other(motion, known))
    }

    /// The result of each claim that has a line; `None` for one with two lines that differ.
    fn results_by_id(&self) -> HashMap<Id, Option<ClaimResult>> {
        let mut results = HashMap::new();
        for line in &self.results {
            results
                .entry(line.id)
                .and_modify(|known| {
                    if *known != Some(line.result) {
                        *known = None;
                    }
                })
                .or_insert(Some(line.result));
        }
        results
    }

    fn has_value(&self, key: Key) -> bool {
        match key {
            Key::Motion => self.motion.is_some(),
            Key::Against => self.against.is_some(),
            Key::Recommendation => self.recommendation.is_some(),
            Key::Verdict => self.verdict.is_ok(),
            Key::Confidence => self.confidence.is_some(),
            Key::RestsOn => self.rests_on.is_some(),
            Key::DependsOn => self.depends_on.is_some(),
            Key::FlipsIf => self.flips_if.is_some(),
            Key::Unknown => self.unknown.is_some(),
            Key::Place(_) => !self.ranking.is_empty() && !self.has_wrong_ranking(),
            Key::Claim(..)
            | Key::Check(..)
            | Key::Option(_)
            | Key::Change(_)
            | Key::Judges
            | Key::ConfidenceRange => false,
        }
    }

    /// True if a line of the ranking is there twice, or not at its place.
    pub(crate) fn has_wrong_ranking(&self) -> bool {
        self.faults.iter().any(|fault| {
            matches!(fault, LineFault::Unreadable(Key::Place(_)) | LineFault::Twice(Key::Place(_)))
        })
    }

    fn of_lines(lines: &[BlockLine], among: &Alternatives) -> Self {
        let mut read = Self { verdict: Err(NoVerdict::Missing), ..Self::default() };
        let mut seen: HashSet<Key> = HashSet::new();
        for line in lines {
            let Some(key) = line.key.filter(|key| has_place(*key, among)) else {
                let is_key =
                    matches!(line.key, Some(Key::Option(_) | Key::Change(_) | Key::Check(..)));
                let is_stray = is_key || stray::has_word_of_grammar(&line.text, among);
                read.faults.push(LineFault::Unknown { text: clean(&line.text, 200), is_stray });
                continue;
            };
            // A claim that is listed twice is a check of its own.
            if !matches!(key, Key::Claim(..)) && !seen.insert(key) {
                let twice = LineFault::Twice(key);
                if !read.faults.contains(&twice) {
                    read.faults.push(twice);
                }
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
    fn take(&mut self, key: Key, line: &BlockLine, among: &Alternatives) -> bool {
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
                match option_named(&line.value, among) {
                    _ if !is_next => return false,
                    Some(name) => self.ranking.push(name.to_owned()),
                    None => self.strangers.push(clean(&line.value, 60)),
                }
                if place == 1 {
                    self.first = self.ranking.first().or(self.strangers.first()).cloned();
                }
                true
            }
            Key::Option(at) => {
                let name = among.names.get(usize::from(at) - 1);
                self.options.extend(name.map(|name| OptionLine { name: name.clone(), text }));
                true
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

    /// Drops the value of a line that the block has twice.
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
    pub(crate) fn has_fault_on(&self, wanted: Key) -> bool {
        self.faults.iter().any(|fault| match fault {
            LineFault::Unreadable(key) | LineFault::Twice(key) => *key == wanted,
            LineFault::Refused(_) | LineFault::Unknown { .. } | LineFault::Changed(_) => false,
        })
    }

    /// The line about a claim. `None`: no line, or two that differ.
    pub fn line_on(&self, id: Id) -> Option<&ResultLine> {
        let mut lines = self.results.iter().filter(|line| line.id == id);
        let first = lines.next()?;
        lines.all(|line| line.result == first.result).then_some(first)
    }
}

/// True if a block of this debate can have this line.
fn has_place(key: Key, among: &Alternatives) -> bool {
    match key {
        Key::Place(_) => among.are_typed,
        Key::Option(at) => among.are_typed && usize::from(at) <= among.names.len(),
        Key::Change(_) => among.has_plan,
        Key::Check(..) => false,
        _ => true,
    }
}

/// The first values, and those of the second list that they lack.
fn merge<T, K: PartialEq>(first: Vec<T>, then: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let keys: Vec<K> = first.iter().map(&key).collect();
    let more = then.into_iter().filter(|one| !keys.contains(&key(one)));
    first.into_iter().chain(more.collect::<Vec<_>>()).collect()
}

/// The option of this name, with or without a full stop behind it.
fn option_named<'a>(value: &str, among: &'a Alternatives) -> Option<&'a str> {
    among.find(value).or_else(|| among.find(without_stop(value)))
}

/// Sets a value. False: no value.
fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// `80` or `80%`, from 0 to 100.
fn percent(value: &str) -> Option<u8> {
    let value = without_stop(value).trim_end();
    let sign = value.chars().next_back().filter(|last| ascii_mark(*last) == '%');
    let value = sign.map_or(value, |sign| value[..value.len() - sign.len_utf8()].trim_end());
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
    for word in value.split(|char: char| char.is_whitespace() || ascii_mark(char) == ',') {
        if word.is_empty() {
            continue;
        }
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
    (*word == between).then_some(())?;
    number_or_zero(one).zip(number_or_zero(other)).filter(|(one, other)| one <= other)
}

fn number_or_zero(text: &str) -> Option<u8> {
    if text == "0" { Some(0) } else { number(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn options(names: &[&str]) -> Alternatives {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Alternatives { names, are_typed: true, ..Alternatives::default() }
    }

    fn among(lines: &str, among: &Alternatives) -> Synthesis {
        Synthesis::parse(&format!("Prose.\n\n```anvil\n{lines}\n```\n"), among)
    }

    fn read(lines: &str) -> Synthesis {
        among(lines, &Alternatives::default())
    }

    /// The faults, in short.
    fn faults(read: &Synthesis) -> Vec<String> {
        let short = |fault: &LineFault| match fault {
            LineFault::Unreadable(key) => format!("unreadable {key}"),
            LineFault::Twice(key) => format!("twice {key}"),
            LineFault::Refused(key) => format!("refused {key}"),
            LineFault::Unknown { text, is_stray: false } => format!("unknown {text}"),
            LineFault::Unknown { text, is_stray: true } => format!("stray {text}"),
            LineFault::Changed(key) => format!("changed {key}"),
        };
        read.faults.iter().map(short).collect()
    }

    #[test]
    fn a_verdict_is_one_of_three_words_alone() {
        use VerdictWord::{Depends, Do, DoNot};
        for (value, expected) in [
            ("do", Some(Do)),
            ("Do.", Some(Do)),
            ("DO\u{3002}", Some(Do)),
            ("do not", Some(DoNot)),
            ("Do\u{a0}Not", Some(DoNot)),
            ("do  not .", Some(DoNot)),
            ("depends", Some(Depends)),
            ("Depends.", Some(Depends)),
            ("", None),
            (".", None),
            ("do..", None),
            ("do not, for now", None),
            ("do it", None),
            ("do / do not", None),
            ("do (not)", None),
            ("**do**", None),
            ("`do`", None),
            ("\"do\"", None),
            ("don't", None),
            ("depends on the load", None),
            ("not", None),
            ("yes", None),
            ("do!", None),
            ("d\u{43e}", None),
            ("d\u{200b}o", None),
            ("\u{ff44}\u{ff4f}", None),
        ] {
            let read = read(&format!("verdict: {value}"));
            assert_eq!(read.word(), expected.as_ref(), "{value:?}");
            let is_other = matches!(read.verdict, Err(NoVerdict::Other(_)));
            assert_eq!(is_other, expected.is_none(), "{value:?}: {:?}", read.verdict);
        }
    }

    #[test]
    fn a_missing_verdict_has_its_reason() {
        for (text, reason) in [
            ("verdict: do", "the synthesis has no `anvil` block"),
            ("```anvil\nverdict: do", "the synthesis has an `anvil` block that is not closed"),
            ("```anvil\n```\n```anvil\nverdict: do\n```", "the synthesis has two `anvil` blocks"),
            ("```anvil\nconfidence: 8\n```", "the synthesis has no line \"verdict\""),
            ("```anvil\nverdict: do\nverdict: do\n```", "the synthesis has two lines \"verdict\""),
            ("```anvil\nverdict: no\nverdict: do\n```", "the synthesis has two lines \"verdict\""),
            ("```anvil\nverdict: do it\n```", "the line \"verdict\" has other words: \"do it\""),
            ("```anvil\nverdict: none\n```", "no verdict has more than half of the judges"),
        ] {
            let read = Synthesis::parse(text, &Alternatives::default());
            assert_eq!(read.verdict.unwrap_err().to_string(), reason, "{text}");
        }
        let by_one =
            |text| Synthesis::with_repeat(text, None, false, &Alternatives::default()).verdict;
        assert_eq!(
            by_one("```anvil\nverdict: none\n```"),
            Err(NoVerdict::Other("none".to_owned())),
            "only the program counts judges"
        );
    }

    #[test]
    fn an_option_is_named_whole_in_any_case_and_form() {
        let typed =
            options(&["Redis", "Caf\u{e9} au lait", "Redis: one node", "Acme Inc.", "do it"]);
        let in_question = Alternatives { are_typed: false, ..typed.clone() };
        for (value, name) in [
            ("Redis", Some("Redis")),
            ("redis.", Some("Redis")),
            ("REDIS\u{ff0e}", Some("Redis")),
            ("Cafe\u{301}  au\u{a0}LAIT", Some("Caf\u{e9} au lait")),
            ("Redis: one node", Some("Redis: one node")),
            ("Redis : one node", None),
            ("acme inc.", Some("Acme Inc.")),
            ("Acme Inc", None),
            ("Acme Inc..", Some("Acme Inc.")),
            ("do it", Some("do it")),
            ("Redis, for now", None),
            ("not Redis", None),
            ("**Redis**", None),
            ("Cafe au lait", None),
            ("option 1", None),
            ("1. Redis", None),
        ] {
            let expected = name.map(|name| VerdictWord::Option(name.to_owned()));
            for alternatives in [&typed, &in_question] {
                let read = among(&format!("verdict: {value}"), alternatives);
                assert_eq!(read.word(), expected.as_ref(), "{value}");
            }
            assert_eq!(read(&format!("verdict: {value}")).word(), None, "no such option");
            let read = among(&format!("1. {value}"), &typed);
            assert_eq!(read.ranking.first().map(String::as_str), name, "{value}");
        }
        let words = |alternatives| {
            ["do", "do not", "depends"]
                .map(|word| among(&format!("verdict: {word}"), alternatives).word().cloned())
        };
        assert_eq!(words(&in_question), VerdictWord::WORDS.map(Some));
        assert_eq!(words(&typed), [None, None, Some(VerdictWord::Depends)]);
    }

    #[test]
    fn a_ranking_names_the_options_in_order() {
        let typed = options(&["Redis", "PostgreSQL"]);
        let none: &[&str] = &[];
        for (lines, ranking, strangers, expected) in [
            ("1. PostgreSQL\n2. Redis", &["PostgreSQL", "Redis"][..], none, none),
            ("1. Redis\n2. MySQL", &["Redis"], &["MySQL"], none),
            ("1. MySQL\n2. Redis", &["Redis"], &["MySQL"], none),
            ("2. Redis\n1. PostgreSQL", &["PostgreSQL"], none, &["unreadable 2."]),
            ("1. Redis\n1. PostgreSQL", &["Redis"], none, &["twice 1."]),
            ("1. Redis\n3. PostgreSQL", &["Redis"], none, &["unreadable 3."]),
            ("1. Redis, PostgreSQL", none, &["Redis, PostgreSQL"], none),
            ("Redis, PostgreSQL", none, none, &["stray Redis, PostgreSQL"]),
        ] {
            let read = among(lines, &typed);
            assert_eq!(read.ranking, ranking, "{lines}");
            assert_eq!(
                (read.strangers.as_slice(), faults(&read)),
                (
                    strangers.iter().map(|&name| name.to_owned()).collect::<Vec<_>>().as_slice(),
                    expected.iter().map(|&fault| fault.to_owned()).collect()
                ),
                "{lines}"
            );
        }
        let read = among("option 2: b\noption 1: a\noption 3: c\noption 2: d", &typed);
        let lines: Vec<_> = read.options.iter().map(|line| (&*line.name, &*line.text)).collect();
        assert_eq!(lines, [("Redis", "a"), ("PostgreSQL", "b")]);
        assert_eq!(faults(&read), ["stray option 3: c", "twice option 2"]);
        for lines in ["1. Redis", "option 1: a"] {
            let untyped = Alternatives { are_typed: false, ..typed.clone() };
            assert_eq!(faults(&among(lines, &untyped)).len(), 1, "{lines} without options");
        }
    }

    #[test]
    fn a_number_is_whole_and_alone() {
        for (value, expected) in [
            ("80", Some(80)),
            ("80 %", Some(80)),
            ("80%", Some(80)),
            ("80\u{202f}%.", Some(80)),
            ("80\u{ff05}", Some(80)),
            ("0", Some(0)),
            ("100", Some(100)),
            ("007", Some(7)),
            ("101", None),
            ("-5", None),
            ("+5", None),
            ("", None),
            ("%", None),
            ("80 % sure", None),
            ("about 80", None),
            ("60-70", None),
            ("60 to 70", None),
            ("0.8", None),
            ("80.5", None),
            ("80,", None),
            ("80 %%", None),
            ("80 percent", None),
            ("high", None),
            ("\u{ff18}\u{ff10}", None),
            ("\u{668}\u{660}", None),
            ("0000080", None),
        ] {
            let read = read(&format!("confidence: {value}"));
            assert_eq!(read.confidence, expected, "{value:?}");
            assert_eq!(read.has_fault_on(Key::Confidence), expected.is_none(), "{value:?}");
        }
        for (value, judges, range) in [
            ("2 of 3", Some((2, 3)), None),
            ("0 of 3.", Some((0, 3)), None),
            ("3 of 2", None, None),
            ("2 of three", None, None),
            ("2 of 3 judges", None, None),
            ("60 to 80", None, Some((60, 80))),
            ("80 to 60", None, None),
            ("60-80", None, None),
        ] {
            let read = read(&format!("judges: {value}\nconfidence range: {value}"));
            assert_eq!((read.judges, read.confidence_range), (judges, range), "{value}");
            let unread = usize::from(judges.is_none()) + usize::from(range.is_none());
            assert_eq!(faults(&read).len(), unread, "{value}");
        }
    }

    #[test]
    fn ids_are_alone_with_commas_or_blanks_between_them() {
        for (value, expected) in [
            ("A1", Some("A1")),
            ("A1, c2 S3.4.", Some("A1 C2 S3.4")),
            ("A1\u{3001}C2\u{ff0c}A3\u{3002}", Some("A1 C2 A3")),
            ("A1, A1,A1", Some("A1")),
            ("A1,\n  A2", Some("A1 A2")),
            ("nothing", Some("")),
            ("Nothing.", Some("")),
            ("", None),
            (",", None),
            ("none", None),
            ("A1 and C2", None),
            ("A1; C2", None),
            ("A1 (the cost)", None),
            ("not A1", None),
            ("A1, nothing", None),
            ("**A1**", None),
            ("A0", None),
        ] {
            let read = read(&format!("rests on: {value}"));
            let shown = |ids: &Vec<Id>| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(" ");
            assert_eq!(read.rests_on.as_ref().map(shown).as_deref(), expected, "{value:?}");
        }
        let lines = "change 1 (C2, A1): x\nchange 2: y\nchange 3 (all): z\nchange 4 (A1 ) : w";
        let read = among(lines, &Alternatives { has_plan: true, ..Alternatives::default() });
        let shown = |change: &PlanChange| (change.number, change.claims.len(), change.text.clone());
        let changes: Vec<_> = read.changes.iter().map(shown).collect();
        let expected = [(1, 2, "x"), (2, 0, "y"), (3, 0, "z"), (4, 1, "w")];
        assert_eq!(changes, expected.map(|(number, ids, text)| (number, ids, text.to_owned())));
    }

    #[test]
    fn a_line_that_stands_there_twice_has_no_value() {
        let keys = [
            ("motion", "x"),
            ("against", "x"),
            ("recommendation", "x"),
            ("verdict", "do"),
            ("confidence", "80"),
            ("rests on", "A1"),
            ("depends on", "x"),
            ("flips if", "x"),
            ("unknown", "x"),
            ("judges", "2 of 3"),
            ("confidence range", "60 to 80"),
        ];
        let all =
            |times| keys.map(|(key, value)| format!("{key}: {value}\n").repeat(times)).concat();
        let once = read(&all(1));
        assert_eq!((once.faults.len(), once.verdict.is_ok()), (0, true));
        for times in [2, 3] {
            let read = read(&all(times));
            assert_eq!(faults(&read), keys.map(|(key, _)| format!("twice {key}")));
            let nothing = Synthesis {
                verdict: Err(NoVerdict::Twice),
                faults: read.faults.clone(),
                ..Synthesis::default()
            };
            assert_eq!(read, nothing, "no value is taken");
        }
        let claims = read("A1 fell: a\nA1 survived: b\nA2 fell: c\nA2 fell: d");
        let line = |id: &str| claims.line_on(id.parse().unwrap()).map(|line| line.why.as_str());
        assert_eq!((line("A1"), line("A2"), line("A3")), (None, Some("c"), None));
        assert_eq!(claims.results.len(), 4);
    }

    const WHOLE: &str = "Wait with the move: the load is small.\n\n\
        The strongest reason left is the burst.\n\n### What to do\n\n1. Wait.\n\n```anvil\n\
        motion: move the cache to Redis\nA1 fell: more runners raise the releases\n\
        A2 weakened: threads need\n  only a second pool\nC1 survived: granted in round 2\n\
        against: a burst above 5,000 was never measured\n\
        recommendation: Keep the cache in process.\nverdict: do not\nconfidence: 80\n\
        rests on: C1\nflips if: p95 stays above 60 minutes\nunknown: the real burst rate\n```\n\n\
        And a last word.\n";

    #[test]
    fn a_reply_that_is_cut_has_the_whole_verdict_or_none() {
        let none = Alternatives::default();
        let whole = Synthesis::parse(WHOLE, &none);
        assert_eq!((whole.word(), whole.confidence), (Some(&VerdictWord::DoNot), Some(80)));
        assert!(whole.faults.is_empty(), "{:?}", whole.faults);
        let mut with = 0;
        let mut without = 0;
        for end in (0..=WHOLE.len()).filter(|end| WHOLE.is_char_boundary(*end)) {
            let read = Synthesis::parse(&WHOLE[..end], &none);
            if read.no_block().is_some() {
                without += 1;
                assert_eq!((read.word(), read.confidence), (None, None));
            } else {
                with += 1;
                assert_eq!(read, whole, "cut at {end}");
            }
        }
        let after = WHOLE.len() - WHOLE.rfind("```").unwrap() - 3;
        assert_eq!((with, without), (after + 1, WHOLE.len() - after));
    }

    /// A first block and its repeat, as one.
    fn repeated(first: &str, repeat: &str, among: &Alternatives) -> Synthesis {
        let block = |lines: &str| format!("Prose.\n\n```anvil\n{lines}\n```");
        Synthesis::with_repeat(&block(first), Some(&block(repeat)), false, among)
    }

    #[test]
    fn a_repeat_fills_what_was_missing_and_changes_nothing_that_was_readable() {
        let none = Alternatives::default();
        let first = "motion: move\nA1 fell: a\nverdict: do\nconfidence: 80\nrests on: A1, C1\n\
            recommendation: Move.";
        let filled = "against: b\nflips if: c";
        for (repeat, changed) in [
            (filled.to_owned(), ""),
            (format!("{first}\n{filled}"), ""),
            (format!("{filled}\nmotion: MOVE\nrests on: C1, A1\nrecommendation: Go."), ""),
            (format!("{filled}\nC1 survived: d"), ""),
            (format!("{filled}\nverdict: do not"), "changed verdict"),
            (format!("{filled}\nverdict: do it"), "changed verdict"),
            (format!("{filled}\nverdict: do\nverdict: do"), "changed verdict"),
            (format!("{filled}\nmotion: stay"), "changed motion"),
            (format!("{filled}\nconfidence: 95"), "changed confidence"),
            (format!("{filled}\nconfidence: high"), "changed confidence"),
            (format!("{filled}\nrests on: A1"), "changed rests on"),
            (format!("{filled}\nrests on: nothing"), "changed rests on"),
            (format!("{filled}\nA1 survived: d"), "changed A1"),
        ] {
            let read = repeated(first, &repeat, &none);
            let faults = faults(&read);
            assert_eq!(faults.join(" "), changed, "{repeat}");
            assert_eq!(
                (read.word(), read.confidence, read.recommendation.as_deref()),
                (Some(&VerdictWord::Do), Some(80), Some("Move.")),
                "{repeat}"
            );
            assert_eq!(read.flips_if.as_deref(), Some("c"), "{repeat}");
        }
        // What the first block leaves open, the repeat decides.
        for first in ["", "verdict: do\nverdict: do not", "verdict: do it", "verdict: d\u{200b}o"] {
            let read = repeated(first, "verdict: do not", &none);
            assert_eq!(
                (read.word(), faults(&read).len()),
                (Some(&VerdictWord::DoNot), 0),
                "{first}"
            );
        }
        // A stray line of the first block is gone with the repeat; one of the repeat stays.
        let read = repeated("verdict: do\n**verdict:** do not", "verdict: do", &none);
        assert_eq!((read.word(), faults(&read).len()), (Some(&VerdictWord::Do), 0));
        let read = repeated("verdict: do", "verdict: do\n**verdict:** do not", &none);
        assert_eq!(faults(&read), ["stray **verdict:** do not"]);
        let unread =
            Synthesis::with_repeat("```anvil\nverdict: do\n```", Some("No."), false, &none);
        assert_eq!(unread.word(), Some(&VerdictWord::Do), "no block: the first one stands");
    }

    #[test]
    fn a_block_on_another_motion_is_replaced_and_its_verdict_not_renamed() {
        let known = Alternatives { motion: Some("cache the reads".to_owned()), ..options(&[]) };
        let first = "motion: keep the reads uncached\nverdict: do\nconfidence: 90\nA1 fell: x";
        for (repeat, word, expected) in [
            ("motion: cache the reads\nverdict: do", Some(VerdictWord::Do), "changed motion"),
            ("motion: cache the reads\nverdict: do not", Some(VerdictWord::DoNot), ""),
            ("motion: cache the reads", None, ""),
        ] {
            let known = Alternatives { are_typed: false, ..known.clone() };
            let read = repeated(first, repeat, &known);
            assert_eq!((read.word(), &*faults(&read).join(" ")), (word.as_ref(), expected));
            assert_eq!((read.confidence, read.results.len()), (None, 0), "nothing of it is kept");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// What is read is the grammar's: a line `verdict:` with a word alone, and its figure.
        #[test]
        fn nothing_outside_of_the_grammar_is_read(
            lines in prop::collection::vec(
                (
                    select(vec!["", "", "", "- ", "  ", "> ", "**", "\t", "1. "]),
                    select(vec![
                        "verdict", "Verdict", "confidence", "A1 survived", "against", "the verdict",
                        "verdict (mine)", "ver\u{200b}dict", "Verdikt", "confidence range",
                    ]),
                    select(vec![":", ":", ":", " :", "\u{ff1a}", " -", ""]),
                    select(vec![
                        "do", "do not", " depends", "80", " 60 %", "do it", "", "do\u{200b}", "`do`",
                        "80 or 90", "verdict: do", "do\n  not", "do\nnot", "none",
                    ]),
                ),
                0..6,
            ),
            is_inside in any::<bool>(),
        ) {
            let line = |(before, key, colon, value): &(&str, &str, &str, &str)| {
                format!("{before}{key}{colon}{value}\n")
            };
            let text: String = lines.iter().map(line).collect();
            let text = if is_inside { format!("```anvil\n{text}```") } else { text };
            let read = Synthesis::parse(&text, &Alternatives::default());
            // The lines as a person reads them: each with what is below it.
            let mut stated: Vec<String> = Vec::new();
            for line in text.lines().filter(|line| is_inside && !line.starts_with("```")) {
                let is_fixed = |above: &String| {
                    let above = above.trim().to_lowercase().replace('\u{ff1a}', ":");
                    let above = above.strip_prefix("- ").unwrap_or(&above);
                    let key = above.split_once(':').map_or("", |(key, _)| key.trim());
                    ["verdict", "confidence", "confidence range"].contains(&key)
                        || above.starts_with("1. ")
                };
                let is_line = |line: &str| {
                    let line = line.trim().to_lowercase().replace('\u{ff1a}', ":");
                    let line = line.strip_prefix("- ").unwrap_or(&line).to_owned();
                    let key = line.split_once(':').map_or("", |(key, _)| key.trim());
                    ["verdict", "confidence", "a1 survived", "against", "confidence range"].contains(&key)
                        || line.starts_with("1. ")
                };
                match stated.last_mut() {
                    Some(above) if line.starts_with("  ") && !is_fixed(above) && !is_line(line) => above.push_str(line),
                    _ => stated.push(line.to_owned()),
                }
            }
            let has = |key: &str, values: &[&str]| {
                let value = |line: &String| {
                    let line = line.trim().strip_prefix("- ").unwrap_or(line.trim()).to_lowercase();
                    let (own, value) = line.replace('\u{ff1a}', ":").split_once(':').map(
                        |(own, value)| (own.trim().to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")),
                    )?;
                    (own == key).then_some(value)
                };
                let all: Vec<String> = stated.iter().filter_map(value).collect();
                all.len() == 1 && values.contains(&all[0].as_str())
            };
            if let Some(word) = read.word() {
                prop_assert!(has("verdict", &[word.word()]), "{}", text);
            }
            if let Some(percent) = read.confidence {
                let values = [format!("{percent}"), format!("{percent} %"), format!("{percent}%")];
                prop_assert!(has("confidence", &values.each_ref().map(String::as_str)), "{}", text);
            }
            prop_assert!(is_inside || read == Synthesis::default());
        }
    }
}
