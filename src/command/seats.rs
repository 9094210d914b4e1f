//! Who fills the seats of a debate that programs argue.

use clap::Args;

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

impl SeatOptions {
    /// The names of these options, as a defaults file has them.
    pub const NAMES: [&'static str; 5] = ["agent", "advocate", "critic", "synthesizer", "fact-checker"];

    /// The agent that an option names.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        match name {
            "agent" => self.agent.as_deref(),
            "advocate" => self.advocate.as_deref(),
            "critic" => self.critic.as_deref(),
            "synthesizer" => self.synthesizer.as_deref(),
            "fact-checker" => self.fact_checker.as_deref(),
            _ => None,
        }
    }

    /// Sets the agent of an option.
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

    /// These, and for what they do not say those of `below`. Who is named for all seats is named for each.
    #[must_use]
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

    /// The agent of a seat by the name of its option; claude where nobody says.
    #[must_use]
    pub fn of(&self, name: &str) -> &str {
        self.get(name).or(self.agent.as_deref()).unwrap_or("claude")
    }
}
