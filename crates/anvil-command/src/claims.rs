//! The options of `claims`, for Claude Code and for a shell.

use clap::Args;
use clap::builder::PossibleValuesParser;

use anvil_core::options::{ClaimsOptions, STATES};

/// The arguments of `claims`: a debate, and a choice of its claims.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimsArguments {
    /// Debate number in the history, or id [default: this project's]
    pub id: Option<String>,
    /// One claim in full: A1, C2 or S2.3; works without ID
    pub claim: Option<String>,
    /// Only claims in this state: open, contested, granted, withdrawn; after the synthesis
    /// survived, weakened, fell, left-out
    #[arg(long, value_name = "STATE", hide_possible_values = true, value_parser = PossibleValuesParser::new(STATES))]
    pub state: Option<String>,
    /// Only claims of this seat: advocate, critic, or a voice by its number or name
    #[arg(long, value_name = "WHO")]
    pub by: Option<String>,
}

impl From<ClaimsArguments> for ClaimsOptions {
    fn from(ClaimsArguments { id, claim, state, by }: ClaimsArguments) -> Self {
        Self { id, claim, state, by }
    }
}
