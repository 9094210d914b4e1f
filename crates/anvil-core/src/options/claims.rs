//! The filter of a list of claims.

/// States of a claim during the argument, then its results in the synthesis.
pub const STATES: [&str; 8] =
    ["open", "contested", "granted", "withdrawn", "survived", "weakened", "fell", "left-out"];

/// A debate, and a filter of its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ClaimsOptions {
    /// Debate number in the history, or id [default: this project's]
    pub id: Option<String>,
    /// One claim in full: A1, C2 or S2.3; works without ID
    pub claim: Option<String>,
    /// Only claims in this state: open, contested, granted, withdrawn; after the synthesis
    /// survived, weakened, fell, left-out
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "STATE", hide_possible_values = true, value_parser = STATES)
    )]
    pub state: Option<String>,
    /// Only claims of this seat: advocate, critic, or a voice by its number or name
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHO"))]
    pub by: Option<String>,
}
