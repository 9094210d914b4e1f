//! What becomes of a claim.

use serde::Serialize;

/// The result of a claim by the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimResult {
    /// The claim stands.
    Survived,
    /// The claim stands in part.
    Weakened,
    /// The claim does not stand.
    Fell,
    /// The synthesis has no line on it.
    LeftOut,
}

impl ClaimResult {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Survived, Self::Weakened, Self::Fell, Self::LeftOut];

    /// Those that a synthesis writes.
    pub(super) const WRITTEN: [Self; 3] = [Self::Survived, Self::Weakened, Self::Fell];

    pub fn word(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Weakened => "weakened",
            Self::Fell => "fell",
            Self::LeftOut => "left out",
        }
    }
}
