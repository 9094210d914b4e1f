//! The kinds of notes.

/// A section of a transcript that is not a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The material gathered before the first round.
    Context,
    /// The result of an earlier debate.
    PriorAnalysis,
    /// The first of two results to compare.
    PositionA,
    /// The second of two results to compare.
    PositionB,
    /// The user's direction.
    Steering,
    /// A fact-checker's findings about the claims of the round before it.
    FactCheck,
    /// One of several judgments, before the synthesis that combines them.
    Judgment,
}

impl Kind {
    /// In the order in which they appear.
    pub const ALL: [Self; 7] = [
        Self::Context,
        Self::PriorAnalysis,
        Self::PositionA,
        Self::PositionB,
        Self::Steering,
        Self::FactCheck,
        Self::Judgment,
    ];

    /// True for material from before the first round.
    pub fn is_material(self) -> bool {
        match self {
            Self::Context | Self::PriorAnalysis | Self::PositionA | Self::PositionB => true,
            Self::Steering | Self::FactCheck | Self::Judgment => false,
        }
    }

    pub fn heading(self) -> &'static str {
        match self {
            Self::Context => "## Context",
            Self::PriorAnalysis => "## Prior Analysis",
            Self::PositionA => "## Position A",
            Self::PositionB => "## Position B",
            Self::Steering => "### Steering",
            Self::FactCheck => "### Fact Check",
            // Level 3, because a judgment does not end the round: a debate that is argued on
            // continues below it.
            Self::Judgment => "### Judgment",
        }
    }

    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::PriorAnalysis => "prior_analysis",
            Self::PositionA => "position_a",
            Self::PositionB => "position_b",
            Self::Steering => "steering",
            Self::FactCheck => "fact_check",
            Self::Judgment => "judgment",
        }
    }
}
