//! The kinds of notes, in the order in which they appear.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A section of a transcript that is not a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum NoteKind {
    /// The material gathered before the first round.
    Context,
    /// The plan or the document that is argued about.
    Document,
    /// The result of an earlier debate.
    PriorAnalysis,
    /// The user's direction.
    Steering,
    /// A fact that was noted during the debate, unchecked.
    #[strum(serialize = "note")]
    Noted,
    /// A question that a seat asked the user, and the answer.
    Answer,
    /// A fact-checker's findings about the claims of the round before it.
    FactCheck,
    /// Where the words are that the reply above it cites from the project's files.
    EvidenceCheck,
    /// One of several judgments, before the synthesis that combines them.
    Judgment,
    /// The block of the synthesis or judgment above it, written once more.
    VerdictBlock,
    /// The plan that was argued about, as it was revised after the synthesis.
    RevisedPlan,
}

impl NoteKind {
    /// True for the user's words during the debate.
    pub fn is_from_person(self) -> bool {
        matches!(self, Self::Steering | Self::Noted | Self::Answer)
    }

    /// True for material from before the first round.
    pub fn is_material(self) -> bool {
        match self {
            Self::Context | Self::Document | Self::PriorAnalysis => true,
            Self::Steering
            | Self::Noted
            | Self::Answer
            | Self::FactCheck
            | Self::EvidenceCheck
            | Self::Judgment
            | Self::VerdictBlock
            | Self::RevisedPlan => false,
        }
    }

    pub fn heading(self) -> &'static str {
        match self {
            Self::Context => "## Context",
            Self::Document => "## Document",
            Self::PriorAnalysis => "## Prior Analysis",
            Self::Steering => "### Steering",
            // A reply may well have a heading "Note".
            Self::Noted => "### Side Note",
            Self::Answer => "### User Answer",
            Self::FactCheck => "### Fact Check",
            Self::EvidenceCheck => "### Evidence Check",
            // Level 3, because a judgment does not end the round: a debate that is argued on
            // continues below it.
            Self::Judgment => "### Judgment",
            Self::VerdictBlock => "### Verdict Block",
            Self::RevisedPlan => "### Revised Plan",
        }
    }

    /// The word in JSON.
    pub fn word(self) -> &'static str {
        self.into()
    }
}
