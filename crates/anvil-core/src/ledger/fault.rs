//! Faults that a program finds, without judging who is right.

use std::collections::HashMap;

use serde::Serialize;
use strum::VariantNames;

use super::block::NoBlock;
use super::{ClaimResult, Id, Label};
use crate::place::Seat;
use anvil_text::{clean, cut};

/// Longest quote in a sentence, in characters.
const MAX_QUOTE: usize = 200;

/// Most ids in a sentence.
const MAX_LISTED: usize = 12;

/// Longest name or line in a phrase, in UTF-16 units.
const MAX_NAME: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The reply, counted from 0 through the debate.
    pub section: usize,
    #[serde(flatten)]
    pub fault: Fault,
}

impl Finding {
    /// The claim that it is about.
    pub fn about(&self) -> Option<Id> {
        self.fault.row("").about
    }

    /// True if it is for readers, not for programs alone.
    pub fn is_shown(&self) -> bool {
        self.fault.row("").weight != Weight::Programs
    }
}

/// The result of a check. [`Fault::row`] has the words for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, VariantNames)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case", tag = "fault")]
#[strum(serialize_all = "snake_case")]
pub enum Fault {
    /// An id was used again for another sentence.
    ReusedId {
        id: Id,
        /// The first reply that used it.
        first: usize,
    },
    /// A move names a claim that did not exist yet.
    UnknownClaim { id: Id },
    /// No earlier reply of the claim's side has the quoted words.
    QuoteNotFound {
        /// The target of the move.
        id: Id,
        /// The quoted words.
        quote: String,
    },
    /// The file does not have the words that the claim cites.
    EvidenceNotFound {
        id: Id,
        /// The file, relative to the project.
        path: String,
    },
    /// The project has no such file.
    FileNotFound {
        id: Id,
        /// The file, relative to the project.
        path: String,
    },
    /// A grant gives no reason.
    GrantWithoutReason { id: Id },
    /// The other side has spoken since, and none of its replies names the claim.
    PassedOver { id: Id },
    /// The synthesis has no block that a program can read.
    NoBlock { why: NoBlock },
    /// The block has no verdict.
    NoVerdict {
        /// In a sentence: `the synthesis has no line "verdict"`.
        why: String,
    },
    /// The judges share no verdict.
    NoMajority,
    /// The corrected block has another value than the first one.
    Changed { key: String },
    /// The block has a line that is not in the grammar, with a word of the grammar in it.
    StrayLine { line: String },
    /// The block does not name the motion of the debate.
    NoMotion,
    /// The synthesis decides on another motion.
    OtherMotion {
        motion: String,
        /// The motion of the debate.
        known: String,
    },
    /// A line of the ranking stands there twice, or not at its place.
    WrongRanking,
    /// The first place of the ranking is this option, and the verdict is another.
    OtherFirst { name: String },
    /// Nobody made or named one of the claims that the verdict rests on.
    RestsOnNobody { ids: Vec<Id> },
    /// The block lacks a line that the debate requires.
    LineMissing { key: String },
    /// The value of a line can't be read.
    LineUnreadable { key: String },
    /// The block has a line twice.
    LineTwice { key: String },
    /// The block has a line that has no place in it.
    LineRefused { key: String },
    /// The block has lines that are not in the grammar: the first one, and the number of the
    /// others.
    UnknownLine { line: String, more: usize },
    /// The synthesis has no line on the claim.
    LeftOut { id: Id },
    /// The synthesis has a line on a claim that does not exist.
    Invented { id: Id },
    /// The synthesis lists a claim more than once.
    ListedTwice { id: Id },
    /// The synthesis gives no reason.
    NoReason { id: Id },
    /// The synthesis says that it survived, although its own side withdrew it, or granted the
    /// attacking claim and repaired nothing.
    SurvivedThoughGivenUp { id: Id },
    /// The synthesis says that it survived, although the fact-check contradicts it and its own side
    /// has not repaired it since.
    SurvivedThoughContradicted { id: Id },
    /// The synthesis says that it fell, although no move attacks it and no other seat disputes
    /// it.
    FellUnattacked { id: Id },
    /// The verdict rests on a claim that fell by the synthesis, or on a withdrawn claim without a
    /// result.
    RestsOnFallen { id: Id },
    /// The verdict rests on a claim that does not exist.
    RestsOnUnknown { id: Id },
    /// The verdict rests on no claim.
    RestsOnNothing,
    /// The verdict rests on more than four claims.
    RestsOnMany { count: usize },
    /// The verdict rests on a claim that its own seat marks as an assumption. It did not fall, and
    /// no later reply repairs or supports it.
    RestsOnAssumption { id: Id },
    /// More than 80 % confidence, with an attack on a claim that carries the verdict: its side had
    /// a reply after the attack, and did not answer.
    Overconfident { id: Id, percent: u8 },
    /// The ranking names something that is no option.
    UnknownOption { name: String },
    /// An option has no place in the ranking, or no line.
    OptionLeftOut { name: String },
    /// A line `change N` names no claim of the debate.
    ChangeWithoutClaim {
        /// Counted from 1.
        item: usize,
    },
    /// The seat spoke, and made no claim.
    NoClaims {
        #[serde(serialize_with = "super::as_text")]
        #[cfg_attr(test, serde(skip_deserializing, default = "tests::critic"))]
        seat: Seat,
    },
    /// The seat had claims of others before it, and moved on none.
    NoMoves {
        #[serde(serialize_with = "super::as_text")]
        #[cfg_attr(test, serde(skip_deserializing, default = "tests::critic"))]
        seat: Seat,
    },
    /// Not all judges share the verdict.
    JudgesDiffer { agree: u8, all: u8 },
    /// The fact-check gives two results for a claim, so that it is no check.
    CheckConflicts { id: Id },
    /// An objection to the document blocks and has no answer.
    ObjectionStands { id: Id },
    /// A claim of the last round, which takes no new claims.
    LateClaim { id: Id },
    /// The debate has more claims and moves than are read.
    NotAllRead,
    /// The synthesis and the labelling differ. Either may be right.
    LabelDiffers {
        id: Id,
        /// By the labelling.
        label: Label,
        /// By the synthesis.
        result: ClaimResult,
    },
}

/// The words for a fault.
pub struct FaultRow {
    /// The claim that it is about.
    pub about: Option<Id>,
    pub weight: Weight,
    /// The synthesis is asked once for another block.
    pub asks: Option<Correction>,
    /// A sentence for a person.
    pub sentence: String,
    /// A sentence for several claims with this fault; `{ids}` stands for them.
    pub of_several: Option<&'static str>,
}

/// What a fault does to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The synthesis has no valid verdict.
    Voids,
    /// The verdict stands, and every screen shows the sentence next to it.
    Cautions,
    /// Nothing: it is shown with the claims.
    Readers,
    /// Nothing: it only compares the synthesis with the moves, for programs.
    Programs,
}

/// A correction of the block that the synthesizer is asked to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// As a phrase.
    Block(String),
    /// The line of this claim is missing. Such claims share a phrase.
    Claim(Id),
}

impl FaultRow {
    fn new(weight: Weight, sentence: impl Into<String>) -> Self {
        Self { about: None, weight, asks: None, sentence: sentence.into(), of_several: None }
    }

    fn claim(id: Id, weight: Weight, sentence: impl Into<String>) -> Self {
        Self { about: Some(id), ..Self::new(weight, sentence) }
    }

    fn of_several(self, sentence: &'static str) -> Self {
        Self { of_several: Some(sentence), ..self }
    }

    fn asks(self, phrase: impl Into<String>) -> Self {
        Self { asks: Some(Correction::Block(phrase.into())), ..self }
    }
}

fn quote(text: &str) -> String {
    clean(text, MAX_QUOTE)
}

fn name(text: &str) -> String {
    cut(text, MAX_NAME).to_owned()
}

/// ` (critic, round 2)`; nothing without a place.
fn at(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" ({place})") }
}

impl Fault {
    /// The row of this fault. `place` names the reply; empty, the sentence has no place.
    #[rustfmt::skip]
    pub fn row(&self, place: &str) -> FaultRow {
        use FaultRow as Row;
        use Weight::{Cautions, Programs, Readers, Voids};
        let at = at(place);
        match self {
            Self::ReusedId { id, .. } => Row::claim(*id, Readers, format!(
                "{id} is reused for another sentence{at}. The first one counts.")),
            Self::UnknownClaim { id } => Row::claim(*id, Readers, format!(
                "A move is on {id}, which did not exist yet{at}.")),
            Self::QuoteNotFound { id, quote: words } => Row::claim(*id, Readers, format!(
                "A move on {id} quotes words that are in no earlier reply of its side{at}: \
                 “{}”.", quote(words))),
            Self::EvidenceNotFound { id, path } => Row::claim(*id, Cautions, format!(
                "{id} cites words that are not in {}{at}.", quote(path))),
            Self::FileNotFound { id, path } => Row::claim(*id, Cautions, format!(
                "{id} cites a file that does not exist, {}{at}.", quote(path))),
            Self::GrantWithoutReason { id } => Row::claim(*id, Readers, format!(
                "{id} was granted without a reason{at}.")),
            Self::PassedOver { id } => Row::claim(*id, Readers, format!(
                "{id} is open: the other side has spoken since, and did not name it."))
                .of_several(
                "{ids} are open: the other side has spoken since, and did not name them."),
            Self::NoBlock { why } => Row::new(Voids,
                format!("The synthesis has {}.", why.words()))
                .asks(format!("there is {}", why.words())),
            Self::NoVerdict { why } => Row::new(Voids, format!("{}.", capital(why)))
                .asks("\"verdict\" is missing, or has other words"),
            Self::NoMajority => Row::new(Voids,
                "No verdict has more than half of the judges."),
            Self::Changed { key } => Row::new(Voids, format!(
                "The block that was asked for again changes “{key}”.")),
            Self::StrayLine { line } => Row::new(Voids, format!(
                "The block has a line that may say something else: “{}”.", quote(line)))
                .asks(format!("\"{}\" is no line of it", name(line))),
            Self::NoMotion => Row::new(Voids,
                "The synthesis has no line “motion” that can be read.")
                .asks("\"motion\" is missing"),
            Self::OtherMotion { motion, known } => Row::new(Voids, format!(
                "The synthesis decides on another motion: “{}”.", quote(motion)))
                .asks(format!("the motion is \"{}\", and it decides on another", quote(known))),
            Self::WrongRanking => Row::new(Voids,
                "A line of the ranking stands there twice, or not at its place.")
                .asks("a line of the ranking is not at its place"),
            Self::OtherFirst { name: option } => Row::new(Voids, format!(
                "The ranking begins with {}, and the verdict is another option.", quote(option)))
                .asks("the verdict is not the first place"),
            Self::RestsOnNobody { ids } => Row::new(Voids, format!(
                "It rests on {}, which nobody argued.", id_list(ids)))
                .asks("\"rests on\" names no claim of this debate"),
            Self::LineMissing { key } => Row::new(Cautions, format!(
                "The synthesis has no line “{key}”."))
                .asks(format!("\"{key}\" is missing")),
            Self::LineUnreadable { key } => Row::new(Cautions, format!(
                "The line “{key}” of the synthesis can't be read."))
                .asks(format!("\"{key}\" {}", if key == "confidence" { "is no whole number" }
                    else { "can't be read" })),
            Self::LineTwice { key } => Row::new(Cautions, format!(
                "The synthesis has two lines “{key}”."))
                .asks(format!("\"{key}\" stands there twice")),
            Self::LineRefused { key } => Row::new(Cautions, format!(
                "The line “{key}” does not belong in this synthesis."))
                .asks(format!("\"{key}\" has no place there")),
            Self::UnknownLine { line, more } => Row::new(Cautions, match more {
                0 => format!("The block has a line that is not in its form: “{}”.", quote(line)),
                more => format!(
                    "The block has {} lines that are not in its form: “{}” is the first.",
                    more + 1, quote(line)),
            }).asks(format!("\"{}\" is no line of it", name(line))),
            Self::LeftOut { id } => Row { asks: Some(Correction::Claim(*id)), ..Row::claim(
                *id, Cautions, format!("The synthesis leaves out {id}."))
                .of_several("The synthesis leaves out {ids}.") },
            Self::Invented { id } => Row::claim(*id, Cautions, format!(
                "The synthesis has a line on {id}, which does not exist."))
                .of_several("The synthesis has lines on {ids}, which do not exist."),
            Self::ListedTwice { id } => Row::claim(*id, Cautions, format!(
                "The synthesis lists {id} more than once. The first line counts."))
                .of_several("The synthesis lists {ids} more than once. The first line counts."),
            Self::NoReason { id } => Row::claim(*id, Readers, format!(
                "The line of the synthesis on {id} gives no reason."))
                .of_several("The lines of the synthesis on {ids} give no reason."),
            Self::SurvivedThoughGivenUp { id } => Row::claim(*id, Cautions, format!(
                "{id} survived, says the synthesis, but its own side withdrew it or granted what \
                 attacks it."))
                .of_several("{ids} survived, says the synthesis, but their own side withdrew them \
                 or granted what attacks them."),
            Self::SurvivedThoughContradicted { id } => Row::claim(*id, Cautions, format!(
                "{id} survived, says the synthesis, but the fact-check contradicts it."))
                .of_several("{ids} survived, says the synthesis, but the fact-check contradicts \
                 them."),
            Self::FellUnattacked { id } => Row::claim(*id, Programs, format!(
                "{id} fell, says the synthesis, but no other seat attacked or disputed it.")),
            Self::RestsOnFallen { id } => Row::claim(*id, Cautions, format!(
                "The verdict rests on {id}, which fell."))
                .of_several("The verdict rests on {ids}, which fell."),
            Self::RestsOnUnknown { id } => Row::claim(*id, Cautions, format!(
                "The verdict rests on {id}, which nobody argued."))
                .of_several("The verdict rests on {ids}, which nobody argued."),
            Self::RestsOnNothing => Row::new(Cautions, "The verdict rests on no claim."),
            Self::RestsOnMany { count } => Row::new(Cautions, format!(
                "The verdict rests on {count} claims, more than four.")),
            Self::RestsOnAssumption { id } => Row::claim(*id, Cautions, format!(
                "The verdict rests on {id}, which is an assumption."))
                .of_several("The verdict rests on {ids}, which are assumptions."),
            Self::Overconfident { id, percent } => Row::claim(*id, Cautions, format!(
                "It is {percent}% sure, but an attack on {id} could be answered and was not."))
                .of_several("It is very sure, but attacks on {ids} could be answered and were not."),
            Self::UnknownOption { name: option } => Row::new(Cautions, format!(
                "The ranking names {}, which is not an option.", quote(option))),
            Self::OptionLeftOut { name: option } => Row::new(Cautions, format!(
                "The option {} is missing in the ranking, or has no line of its own.",
                quote(option)))
                .asks(format!("\"{}\" has no place, or no line \"option\"", name(option))),
            Self::ChangeWithoutClaim { item } => Row::new(Readers, format!(
                "Change {item} to the plan names no claim of the debate.")),
            Self::NoClaims { seat } => Row::new(Cautions, format!(
                "{} made no claim.", capital(&of_seat(*seat)))),
            Self::NoMoves { seat } => Row::new(Cautions, format!(
                "{} answered no claim of the others.", capital(&of_seat(*seat)))),
            Self::JudgesDiffer { agree, all } => Row::new(Cautions, format!(
                "Only {agree} of {all} judges share the verdict.")),
            Self::CheckConflicts { id } => Row::claim(*id, Cautions, format!(
                "The fact-check contradicts itself on {id}, so it does not count."))
                .of_several("The fact-check contradicts itself on {ids}, so it does not count."),
            Self::ObjectionStands { id } => Row::claim(*id, Cautions, format!(
                "The objection {id} blocks, and has no answer."))
                .of_several("The objections {ids} block, and have no answer."),
            Self::LateClaim { id } => Row::claim(*id, Readers, format!(
                "{id} was made in the last round, too late for an answer.")),
            Self::NotAllRead => Row::new(Cautions,
                format!("The debate has too many claims and moves: some were not read{at}.")),
            Self::LabelDiffers { id, label, result } => Row::claim(*id, Programs, format!(
                "{id} {}, says the synthesis; by its moves alone it is {}. Anvil takes no side.",
                result.word(), label.word())),
        }
    }

    /// True if it is about the words or the file that a claim cites.
    pub(super) fn is_of_evidence(&self) -> bool {
        matches!(self, Self::EvidenceNotFound { .. } | Self::FileNotFound { .. })
    }

    /// True if no gate may open while the block has this fault: it has a line that is not in its
    /// grammar.
    pub(super) fn closes_gates(&self) -> bool {
        matches!(self, Self::UnknownLine { .. } | Self::LineRefused { .. })
    }
}

/// `the critic`, `voice 2`.
fn of_seat(seat: Seat) -> String {
    if seat.is_voice() { seat.to_string() } else { format!("the {seat}") }
}

/// A text with its first letter in upper case.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// `A1`, `A1 and A2`, `A1, A2 and A3`; of many, the first ones and the number of the others.
pub fn id_list(ids: &[Id]) -> String {
    let more = ids.len().saturating_sub(MAX_LISTED);
    let mut names: Vec<String> = ids.iter().take(MAX_LISTED).map(Id::to_string).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// One sentence for each fault. Faults that differ only in the claim share a sentence. `place`
/// names a reply.
pub fn sentences<'a>(
    faults: impl IntoIterator<Item = &'a Finding>,
    place: impl Fn(usize) -> String,
) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    // The index of each shared sentence, and its claims.
    let mut shared: HashMap<&str, (usize, Vec<Id>)> = HashMap::new();
    for one in faults {
        let row = one.fault.row(&place(one.section));
        if let (Some(sentence), Some(id)) = (row.of_several, row.about) {
            let (_, ids) = shared.entry(sentence).or_insert((sentences.len(), Vec::new()));
            ids.push(id);
            if ids.len() > 1 {
                continue;
            }
        }
        sentences.push(row.sentence);
    }
    for (sentence, (at, ids)) in shared {
        if ids.len() > 1 {
            sentences[at] = sentence.replace("{ids}", &id_list(&ids));
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use expect_test::expect_file;
    use serde_json::json;

    use super::*;

    pub(super) fn critic() -> Seat {
        Seat::Critic
    }

    /// A fault of each name.
    fn all() -> impl Iterator<Item = (&'static str, Fault)> {
        Fault::VARIANTS.iter().map(|&name| {
            let fields = json!({
                "fault": name, "id": "A1", "first": 0, "quote": "", "why": "missing", "key": "",
                "line": "", "motion": "", "count": 5, "percent": 90, "name": "", "item": 1,
                "path": "",
                "label": "out", "result": "survived", "more": 0, "known": "", "ids": [], "agree": 2, "all": 3,
            });
            (name, serde_json::from_value(fields).unwrap())
        })
    }

    /// The text of a schema with these names in its list of faults.
    fn with_faults(schema: &str, names: &[&str]) -> String {
        let list = schema.find("\"fault\": {").unwrap();
        let begins = list + schema[list..].find('[').unwrap() + 1;
        let end = begins + schema[begins..].find(']').unwrap();
        let (indent, known) = schema[begins..end].split_at(schema[begins..end].find('"').unwrap());
        let gap = if indent.is_empty() { ", " } else { &format!(",{indent}") };
        let tail = &known[known.rfind('"').unwrap() + 1..];
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        format!("{}{indent}{}{tail}{}", &schema[..begins], names.join(gap), &schema[end..])
    }

    #[test]
    fn the_documents_list_every_fault() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let is_shown = |fault: &Fault| Finding { section: 0, fault: fault.clone() }.is_shown();
        let shown: Vec<&str> =
            all().filter(|(_, fault)| is_shown(fault)).map(|(name, _)| name).collect();
        for (file, names) in [("ledger", Fault::VARIANTS), ("report", &shown)] {
            let path = docs.join(format!("{file}.schema.json"));
            let schema = std::fs::read_to_string(&path).unwrap();
            expect_file![path].assert_eq(&with_faults(&schema, names));
        }
        // The last column says what a check does to the verdict.
        let page = std::fs::read_to_string(docs.join("ledger.md")).unwrap();
        let rows = page.split_once("## Findings\n").unwrap().1.split("\n## ").next().unwrap();
        let listed: BTreeSet<(&str, &str)> = rows
            .lines()
            .filter_map(|row| {
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
                Some((name, *cells.get(3)?))
            })
            .collect();
        let effect = |fault: Fault| {
            let row = fault.row("");
            match (row.weight, row.asks.is_some()) {
                (Weight::Voids, true) => "void, asked",
                (Weight::Voids, false) => "void",
                (Weight::Cautions, true) => "caution, asked",
                (Weight::Cautions, false) => "caution",
                (Weight::Readers, _) => "",
                (Weight::Programs, _) => "programs",
            }
        };
        let known: BTreeSet<(&str, &str)> =
            all().map(|(name, fault)| (name, effect(fault))).collect();
        assert_eq!(listed, known);
    }
}
