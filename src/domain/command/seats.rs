//! The options that name the agents for a debate between programs.

use clap::Args;
use clap::builder::ValueParser;

use super::options::flag;
use crate::error::{Error, Result};

/// The options that name an AGENT for a seat. What an agent is: `anvil agents`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatOptions {
    /// Who fills every seat: claude, claude:opus, codex, …, script:FILE or cmd:"COMMAND LINE" [default: claude]
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who argues for
    #[arg(long, value_name = "AGENT")]
    pub advocate: Option<String>,
    /// Who argues against
    #[arg(long, value_name = "AGENT")]
    pub critic: Option<String>,
    /// Who writes the synthesis
    #[arg(long, value_name = "AGENT")]
    pub synthesizer: Option<String>,
    /// Who checks facts, with --fact-check [default: who writes the synthesis]
    #[arg(long, value_name = "AGENT")]
    pub fact_checker: Option<String>,
}

/// What `/anvil:debate` and `/anvil:resume` take for seats with contexts of their own.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct IsolatedOptions {
    /// Every seat in a context of its own: programs write the replies while you go on working
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = ValueParser::new(flag))]
    pub isolated: Option<bool>,
    /// They go on writing when Claude Code ends
    #[arg(long)]
    pub detach: bool,
    /// Claude argues, and this program writes the critic's replies
    #[arg(long, value_name = "AGENT", conflicts_with = "isolated")]
    pub second_opinion: Option<String>,
    /// Who fills the seats.
    #[command(flatten)]
    pub seats: SeatOptions,
}

impl IsolatedOptions {
    /// True if programs fill the seats. `otherwise` comes from the user's defaults or from the
    /// debate. Fails if an option for programs is present but Claude fills the seats.
    pub fn is_wanted(&self, otherwise: bool) -> Result<bool> {
        let named = SeatOptions::NAMES.into_iter().find(|name| self.seats.get(name).is_some());
        let is_wanted = self.isolated.unwrap_or(otherwise);
        match named.or(self.detach.then_some("detach")) {
            Some(name) if !is_wanted => Err(Error::usage(
                format!(
                    "--{name} is about programs that fill the seats, and here Claude fills them"
                ),
                format!("add --isolated, or leave --{name} out"),
            )),
            _ => Ok(is_wanted),
        }
    }
}

impl SeatOptions {
    /// The names of these options in a defaults file.
    pub const NAMES: [&'static str; 5] =
        ["agent", "advocate", "critic", "synthesizer", "fact-checker"];

    /// The agent of one option.
    pub fn get(&self, name: &str) -> Option<&str> {
        let agents =
            [&self.agent, &self.advocate, &self.critic, &self.synthesizer, &self.fact_checker];
        let (_, agent) = Self::NAMES.into_iter().zip(agents).find(|(known, _)| *known == name)?;
        agent.as_deref()
    }

    /// Sets the agent of one option; ignores an unknown name.
    pub fn set(&mut self, name: &str, agent: String) {
        match name {
            "agent" => self.agent = Some(agent),
            "advocate" => self.advocate = Some(agent),
            "critic" => self.critic = Some(agent),
            "synthesizer" => self.synthesizer = Some(agent),
            "fact-checker" => self.fact_checker = Some(agent),
            _ => {}
        }
    }

    /// Takes the agents of `below` for absent ones. An agent for all seats replaces all agents of
    /// `below`.
    pub fn over(self, below: Self) -> Self {
        let below = if self.agent.is_some() { Self::default() } else { below };
        Self {
            agent: self.agent.or(below.agent),
            advocate: self.advocate.or(below.advocate),
            critic: self.critic.or(below.critic),
            synthesizer: self.synthesizer.or(below.synthesizer),
            fact_checker: self.fact_checker.or(below.fact_checker),
        }
    }

    /// The agent of a seat, by the name of its option; else the agent for all seats, else claude.
    pub fn of(&self, name: &str) -> &str {
        self.get(name).or(self.agent.as_deref()).unwrap_or("claude")
    }
}

/// Splits a line at white space; a word in quotes may contain spaces.
pub(super) fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect())
}
