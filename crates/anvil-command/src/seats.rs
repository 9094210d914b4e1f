//! The options for seats with contexts of their own.

use clap::Args;

use crate::errors::CommandError;
use anvil_core::options::{Isolation, SeatOptions};
use anvil_text::error::Result;

/// The options of `/anvil:debate` and `/anvil:resume` for seats with contexts of their own.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Programs")]
pub struct IsolatedOptions {
    /// Whether programs fill the seats.
    #[command(flatten)]
    pub isolation: Isolation,
    /// The programs go on when Claude Code ends
    #[arg(long, hide_short_help = true)]
    pub detach: bool,
    /// The agents of the seats.
    #[command(flatten)]
    pub seats: SeatOptions,
}

impl IsolatedOptions {
    /// True if programs fill the seats. `otherwise` comes from the user's defaults or from the
    /// debate. Fails if an option for programs is present but Claude fills the seats.
    pub fn is_wanted(&self, otherwise: bool) -> Result<bool> {
        let seat = self.seats.arguments().into_iter().next();
        let is_wanted = self.isolation.isolated.as_ref().map_or(otherwise, |isolated| isolated.0);
        match seat.or(self.detach.then(|| "--detach".to_owned())) {
            Some(named) if !is_wanted => {
                let name = named.split('=').next().unwrap_or_default();
                Err(CommandError::NoPrograms(name.to_owned()).into())
            }
            _ => Ok(is_wanted),
        }
    }
}

/// Splits a line at white space; a word in quotes may contain spaces.
pub(super) fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _, Parser};
    use proptest::prelude::*;

    use super::*;
    use anvil_core::options::{AgentName, VoiceAgent};

    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        seats: SeatOptions,
    }

    proptest! {
        #[test]
        fn agents_are_the_same_after_the_record_and_the_command_line(
            agents in prop::collection::vec("[a-z]{1,6}(:[a-z=, ]{0,5}[a-z])?", 8),
            names in prop::collection::btree_set("[a-z]{1,6}( [a-z]{1,4})?", 0..4),
            has_judges in any::<bool>(),
        ) {
            let agent = |at: usize| AgentName(agents[at].clone()).into();
            let voice = |(at, name): (usize, String)| {
                VoiceAgent((name, agents[at].clone())).into()
            };
            let options = SeatOptions {
                agent: has_judges.then(|| agent(0)),
                critic: Some(agent(1)),
                judge: if has_judges { vec![agent(2), agent(3)] } else { Vec::new() },
                voice: (4..).zip(names).map(voice).collect(),
                ..SeatOptions::default()
            };
            let mut recorded = SeatOptions::default();
            for (key, agent) in options.agents_by_key() {
                recorded.set(&key, agent.to_owned());
            }
            prop_assert_eq!(&recorded, &options);
            let matches = Line::command().try_get_matches_from(options.arguments()).unwrap();
            let typed = Line::from_arg_matches(&matches).unwrap().seats;
            prop_assert_eq!(&typed, &options);
        }
    }
}
