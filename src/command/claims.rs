//! Which claims are shown: typed in Claude Code or in a shell.

use clap::Args;

/// Of which debate, and which of its claims.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimsOptions {
    /// The debate, by its number in `anvil history` or its id [default: the one here]
    pub id: Option<String>,
    /// One claim, all of it: A1, C2, S2.3; also without a debate before it
    pub claim: Option<String>,
    /// Only those that nobody has answered
    #[arg(long)]
    pub open: bool,
    /// Only those of one: advocate, critic, or a voice by its number or name
    #[arg(long, value_name = "WHO")]
    pub by: Option<String>,
}
