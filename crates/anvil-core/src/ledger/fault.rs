//! Faults that a program finds, without judging who is right.

use serde::Serialize;

use super::block::NoBlock;
use super::{ClaimResult, Id, Label};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The reply, counted from 0 through the debate.
    pub section: usize,
    #[serde(flatten)]
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "fault")]
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
    /// The block has a line that is nothing of the grammar.
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
    /// A claim of the last round, which nobody can answer.
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

impl Fault {
    /// True for what is wrong with the block: the synthesis is asked once for another one.
    pub(super) fn is_of_block(&self) -> bool {
        match self {
            Self::NoBlock { .. }
            | Self::NoVerdict
            | Self::LineMissing { .. }
            | Self::LineUnreadable { .. }
            | Self::LineTwice { .. }
            | Self::LineRefused { .. }
            | Self::UnknownLine { .. }
            | Self::OtherMotion { .. }
            | Self::LeftOut { .. }
            | Self::Invented { .. }
            | Self::ListedTwice { .. }
            | Self::NoReason { .. }
            | Self::SurvivedThoughGivenUp { .. }
            | Self::SurvivedThoughContradicted { .. }
            | Self::RestsOnUnknown { .. }
            | Self::RestsOnMany { .. }
            | Self::UnknownOption { .. }
            | Self::OptionLeftOut { .. }
            | Self::OtherFirst { .. }
            | Self::ChangeWithoutClaim { .. } => true,
            Self::ReusedId { .. }
            | Self::UnknownClaim { .. }
            | Self::QuoteNotFound { .. }
            | Self::GrantWithoutReason { .. }
            | Self::PassedOver { .. }
            | Self::FellUnattacked { .. }
            | Self::RestsOnFallen { .. }
            | Self::Overconfident { .. }
            | Self::LateClaim { .. }
            | Self::NotAllRead
            | Self::LabelDiffers { .. } => false,
        }
    }
}
