//! The result of a claim in a synthesis.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

/// The result of a claim by the synthesis.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, EnumString, IntoStaticStr,
)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum ClaimResult {
    /// The claim stands.
    Survived,
    /// The claim stands in part.
    Weakened,
    /// The claim does not stand.
    Fell,
    /// The synthesis has no line on it.
    #[strum(serialize = "left out")]
    LeftOut,
}

impl ClaimResult {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Survived, Self::Weakened, Self::Fell, Self::LeftOut];

    /// Those that a synthesis writes.
    pub(super) const WRITTEN: [Self; 3] = [Self::Survived, Self::Weakened, Self::Fell];

    pub fn word(self) -> &'static str {
        self.into()
    }
}
