//! The options of `claims`, for Claude Code and for a shell.

use clap::Args;
use clap::builder::PossibleValuesParser;

use anvil_core::options::{ClaimsOptions, STATES};

/// The arguments of `claims`: a debate, and a choice of its claims.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimsArguments {
    /// The debate, by its number in the history or its id [default: the one here]
    pub id: Option<String>,
    /// One claim, all of it: A1, C2, S2.3; also without a debate before it
    pub claim: Option<String>,
    /// Only those in this state: open, contested, granted, withdrawn; after the synthesis survived, weakened, fell, left-out
    #[arg(long, value_name = "STATE", hide_possible_values = true, value_parser = PossibleValuesParser::new(STATES))]
    pub state: Option<String>,
    /// Only those of one: advocate, critic, or a voice by its number or name
    #[arg(long, value_name = "WHO")]
    pub by: Option<String>,
}

impl From<ClaimsArguments> for ClaimsOptions {
    fn from(ClaimsArguments { id, claim, state, by }: ClaimsArguments) -> Self {
        Self { id, claim, state, by }
    }
}
