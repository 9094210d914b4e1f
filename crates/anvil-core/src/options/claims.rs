//! The filter of a list of claims.

/// States of a claim during the argument, then its results in the synthesis.
pub const STATES: [&str; 8] =
    ["open", "contested", "granted", "withdrawn", "survived", "weakened", "fell", "left-out"];

/// A debate, and a filter of its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimsOptions {
    /// The debate, by its number in the history or its id. `None`: the one here.
    pub id: Option<String>,
    /// One claim, all of it: A1, C2, S2.3; also in place of `id`.
    pub claim: Option<String>,
    /// Only those in this state, one of [`STATES`].
    pub state: Option<String>,
    /// Only claims of this seat: advocate, critic, or a voice by its number or name.
    pub by: Option<String>,
}
