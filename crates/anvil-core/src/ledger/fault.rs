//! Faults that a program finds, without judging who is right.

use serde::Serialize;
use strum::VariantNames;

use super::block::NoBlock;
use super::{ClaimResult, Id, Label};
use anvil_text::{clean, cut};

/// Longest quote in a sentence, in characters.
const MAX_QUOTE: usize = 200;

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
        self.fault.row("").severity != Severity::Programs
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
    /// A grant gives no reason.
    GrantWithoutReason { id: Id },
    /// The other side has spoken since, and none of its replies names the claim.
    PassedOver { id: Id },
    /// The synthesis has no block that a program can read.
    NoBlock { why: NoBlock },
    /// The block has no verdict.
    NoVerdict,
    /// The block lacks a line that the debate requires.
    LineMissing { key: String },
    /// The value of a line can't be read.
    LineUnreadable { key: String },
    /// The block has a line twice.
    LineTwice { key: String },
    /// The block has a line that has no place in it.
    LineRefused { key: String },
    /// The block has a line that is not in the grammar.
    UnknownLine { line: String },
    /// The synthesis decides on another motion.
    OtherMotion { motion: String },
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
    /// The synthesis says that it fell, although no move attacks it and no other seat names it.
    FellUnattacked { id: Id },
    /// The verdict rests on a claim that fell by the synthesis, or on a withdrawn claim without a
    /// result.
    RestsOnFallen { id: Id },
    /// The verdict rests on a claim that does not exist.
    RestsOnUnknown { id: Id },
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
    /// The first place of the ranking is this option, and the verdict is another.
    OtherFirst { name: String },
    /// A line `change N` names no claim of the debate.
    ChangeWithoutClaim {
        /// Counted from 1.
        item: usize,
    },
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
    pub severity: Severity,
    /// A sentence for a person.
    pub sentence: String,
    /// A sentence for several claims with this fault; `{ids}` stands for them.
    pub of_several: Option<&'static str>,
}

/// The readers of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The synthesis: it is asked once for another block.
    Asks(Correction),
    /// Readers.
    People,
    /// Programs: it only compares the synthesis with the moves.
    Programs,
}

/// A correction of the block that the synthesizer is asked to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// As a phrase.
    Block(String),
    /// The line of a claim. Claims with the same correction share a phrase.
    Claim(ClaimCorrection),
}

/// The fault in the line of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimCorrection {
    /// The block has no line.
    Missing,
    /// The block has two lines.
    Twice,
    WithoutReason,
    /// The line says that the claim survived.
    GivenUp,
    /// The claim does not exist.
    Invented,
}

impl FaultRow {
    fn new(severity: Severity, sentence: impl Into<String>) -> Self {
        Self { about: None, severity, sentence: sentence.into(), of_several: None }
    }

    fn block(phrase: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self::new(Severity::Asks(Correction::Block(phrase.into())), sentence)
    }

    fn claim(id: Id, severity: Severity, sentence: impl Into<String>) -> Self {
        Self { about: Some(id), ..Self::new(severity, sentence) }
    }

    fn of_several(self, sentence: &'static str) -> Self {
        Self { of_several: Some(sentence), ..self }
    }
}

/// Asks for a corrected line of a claim.
fn asks(correction: ClaimCorrection) -> Severity {
    Severity::Asks(Correction::Claim(correction))
}

fn quote(text: &str) -> String {
    clean(text, MAX_QUOTE)
}

fn name(text: &str) -> String {
    cut(text, MAX_NAME).to_owned()
}

impl Fault {
    /// The row of this fault. `place` names the reply.
    #[rustfmt::skip]
    pub fn row(&self, place: &str) -> FaultRow {
        use FaultRow as Row;
        use Severity::{People, Programs};
        match self {
            Self::ReusedId { id, .. } => Row::claim(*id, People, format!(
                "{id} is reused for another sentence ({place}). The first one counts.")),
            Self::UnknownClaim { id } => Row::claim(*id, People, format!(
                "A move is on {id}, which did not exist yet ({place}).")),
            Self::QuoteNotFound { id, quote: words } => Row::claim(*id, People, format!(
                "A move on {id} quotes words that are in no earlier reply of its side ({place}): \
                 “{}”.", quote(words))),
            Self::EvidenceNotFound { id, path } => Row::claim(*id, People, format!(
                "{id} cites words that are not in {} ({place}).", quote(path))),
            Self::GrantWithoutReason { id } => Row::claim(*id, People, format!(
                "{id} was granted without a reason ({place}).")),
            Self::PassedOver { id } => Row::claim(*id, People, format!(
                "{id} is open: the other side has spoken since, and did not name it."))
                .of_several(
                "{ids} are open: the other side has spoken since, and did not name them."),
            Self::NoBlock { why } => Row::block(
                format!("there is {}", why.words()),
                format!("The synthesis has {}.", why.words())),
            Self::NoVerdict => Row::block(
                "\"verdict\" is missing, or has other words",
                "The block of the synthesis has no verdict."),
            Self::LineMissing { key } => Row::block(
                format!("\"{key}\" is missing"),
                format!("The block of the synthesis has no line “{key}”.")),
            Self::LineUnreadable { key } => Row::block(
                format!("\"{key}\" {}", if key == "confidence" { "is no whole number" }
                    else { "can't be read" }),
                format!("The line “{key}” of the synthesis can't be read.")),
            Self::LineTwice { key } => Row::block(
                format!("\"{key}\" stands there twice"),
                format!("The block of the synthesis has two lines “{key}”.")),
            Self::LineRefused { key } => Row::block(
                format!("\"{key}\" has no place there"),
                format!("The line “{key}” does not belong in this synthesis.")),
            Self::UnknownLine { line } => Row::block(
                format!("\"{}\" is no line of it", name(line)),
                format!("The block of the synthesis has an unknown line: “{line}”.")),
            Self::OtherMotion { motion } => Row::block(
                "\"motion\" is another one",
                format!("The synthesis decides on another motion: “{motion}”.")),
            Self::LeftOut { id } => Row::claim(*id, asks(ClaimCorrection::Missing), format!(
                "The synthesis leaves out {id}."))
                .of_several("The synthesis leaves out {ids}."),
            Self::Invented { id } => Row::claim(*id, asks(ClaimCorrection::Invented), format!(
                "The synthesis has a line on {id}, which does not exist.")),
            Self::ListedTwice { id } => Row::claim(*id, asks(ClaimCorrection::Twice), format!(
                "The synthesis lists {id} more than once. The first line counts.")),
            Self::NoReason { id } => Row::claim(*id, asks(ClaimCorrection::WithoutReason), format!(
                "The line of the synthesis on {id} gives no reason."))
                .of_several("The lines of the synthesis on {ids} give no reason."),
            Self::SurvivedThoughGivenUp { id } => Row::claim(
                *id, asks(ClaimCorrection::GivenUp), format!(
                "{id} survived, says the synthesis, but its own side withdrew it or granted what \
                 attacks it.")),
            Self::SurvivedThoughContradicted { id } => Row::claim(
                *id, asks(ClaimCorrection::GivenUp), format!(
                "{id} survived, says the synthesis, but the fact-check contradicts it.")),
            Self::FellUnattacked { id } => Row::claim(*id, Programs, format!(
                "{id} fell, says the synthesis, but no other seat attacked or named it.")),
            Self::RestsOnFallen { id } => Row::claim(*id, People, format!(
                "The verdict rests on {id}, which fell.")),
            Self::RestsOnUnknown { id } => Row::claim(*id, asks(ClaimCorrection::Invented), format!(
                "The verdict rests on {id}, which does not exist.")),
            Self::RestsOnMany { count } => Row::block(
                "\"rests on\" names more than four",
                format!("The verdict rests on {count} claims, more than four.")),
            Self::RestsOnAssumption { id } => Row::claim(*id, People, format!(
                "The verdict rests on {id}, which is only an assumption."))
                .of_several("The verdict rests on {ids}, which are only assumptions."),
            Self::Overconfident { id, percent } => Row::claim(*id, People, format!(
                "The confidence is {percent} %; the verdict rests on {id}, and its side did not \
                 answer an attack on it.")),
            Self::UnknownOption { name: option } => Row::block(
                format!("\"{}\" is no option", name(option)),
                format!("The ranking names {}, which is not an option.", quote(option))),
            Self::OptionLeftOut { name: option } => Row::block(
                format!("\"{}\" has no place, or no line \"option\"", name(option)),
                format!(
                    "The option {} is missing in the ranking, or has no line of its own.",
                    quote(option))),
            Self::OtherFirst { name: option } => Row::block(
                "the verdict is not the first place",
                format!("The ranking begins with {}, and the verdict is another.", quote(option))),
            Self::ChangeWithoutClaim { item } => Row::block(
                format!("\"change {item}\" names no claim"),
                format!("Change {item} to the plan names no claim of the debate.")),
            Self::LateClaim { id } => Row::claim(*id, People, format!(
                "{id} was made in the last round, too late for an answer.")),
            Self::NotAllRead => Row::new(People,
                "The debate has too many claims and moves: those from this reply on are not read."),
            Self::LabelDiffers { id, label, result } => Row::claim(*id, Programs, format!(
                "{id} {}, says the synthesis; by its moves alone it is {}. Anvil takes no side.",
                result.word(), label.word())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use expect_test::expect_file;
    use serde_json::json;

    use super::*;

    /// A fault of each name.
    fn all() -> impl Iterator<Item = (&'static str, Fault)> {
        Fault::VARIANTS.iter().map(|&name| {
            let fields = json!({
                "fault": name, "id": "A1", "first": 0, "quote": "", "why": "missing", "key": "",
                "line": "", "motion": "", "count": 5, "percent": 90, "name": "", "item": 1,
                "path": "",
                "label": "out", "result": "survived",
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
        // A star stands for what the synthesis is asked to correct.
        let page = std::fs::read_to_string(docs.join("ledger.md")).unwrap();
        let rows = page.split_once("## Findings\n").unwrap().1.split("\n#").next().unwrap();
        let cells = rows.lines().filter_map(|row| row.strip_prefix("| `")?.split('|').next());
        let listed: BTreeSet<(&str, bool)> = cells
            .flat_map(|cell| {
                let has_star = cell.ends_with("* ");
                cell.split('`').step_by(2).map(move |name| (name, has_star))
            })
            .filter(|(name, _)| name.starts_with(char::is_alphabetic))
            .collect();
        let asks = |fault: Fault| matches!(fault.row("").severity, Severity::Asks(_));
        let known: BTreeSet<(&str, bool)> =
            all().map(|(name, fault)| (name, asks(fault))).collect();
        assert_eq!(listed, known);
    }
}
