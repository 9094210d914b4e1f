//! The options that name the agents for a debate between programs.

use std::collections::BTreeSet;

use super::error::OptionError;
use super::layer::{Layer as _, Origin, Set, layer};
use super::values::{AgentName, VoiceAgent, YesOrNo};
use super::{DebateOptions, Judges};
use crate::limits::{MAX_JUDGES, MIN_JUDGES};

layer! {
    /// The options that name an AGENT for a seat. What an agent is: `anvil agents`.
    pub struct SeatOptions {
        /// The agent of every seat: see `anvil agents` [default: claude]
        #[arg(value_name = "AGENT", help_heading = "Programs")]
        agent: Option<Set<AgentName>> = "claude",
        /// The agent that argues for
        #[arg(value_name = "AGENT", help_heading = "Programs", hide_short_help = true)]
        advocate: Option<Set<AgentName>> = "",
        /// The agent that argues against
        #[arg(value_name = "AGENT", help_heading = "Programs")]
        critic: Option<Set<AgentName>> = "",
        /// The agent that writes the synthesis
        #[arg(value_name = "AGENT", help_heading = "Programs", hide_short_help = true)]
        synthesizer: Option<Set<AgentName>> = "",
        /// An agent that judges; give it two to five times
        #[arg(value_name = "AGENT", help_heading = "Programs", hide_short_help = true)]
        judge: Vec<Set<AgentName>> = "",
        /// The agent of one voice: "sales=codex"; repeatable
        #[arg(value_name = "NAME=AGENT", help_heading = "Programs", hide_short_help = true)]
        voice: Vec<Set<VoiceAgent>> = "",
        /// The agent that checks facts, with --fact-check [default: that of the synthesis]
        #[arg(value_name = "AGENT", help_heading = "Programs", hide_short_help = true)]
        fact_checker: Option<Set<AgentName>> = "",
    }
}

layer! {
    /// Whether programs fill the seats of a debate in Claude Code.
    pub struct Isolation {
        /// Each seat in a context of its own
        #[arg(value_name = "yes|no", help_heading = "Programs")]
        #[alone = "yes"]
        isolated: Option<Set<YesOrNo>> = "no",
    }
}

impl SeatOptions {
    fn once(&self) -> [(&'static str, &Option<Set<AgentName>>); 5] {
        [
            ("agent", &self.agent),
            ("advocate", &self.advocate),
            ("critic", &self.critic),
            ("synthesizer", &self.synthesizer),
            ("fact-checker", &self.fact_checker),
        ]
    }

    /// The agent of an option that is given once.
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, agent) = self.once().into_iter().find(|(own, _)| *own == name)?;
        agent.as_ref().map(|agent| agent.0.as_str())
    }

    /// The agents by the keys of a run's record: `critic`, `judge 2`, `voice sales`.
    pub fn agents_by_key(&self) -> Vec<(String, &str)> {
        let once = self.once().into_iter();
        let once =
            once.filter_map(|(name, agent)| Some((name.to_owned(), agent.as_ref()?.0.as_str())));
        let judges = (1..).zip(&self.judge);
        let judges = judges.map(|(judge, agent)| (format!("judge {judge}"), agent.0.as_str()));
        once.chain(judges)
            .chain(self.voices().map(|(name, agent)| (format!("voice {name}"), agent)))
            .collect()
    }

    /// The voices with agents of their own.
    pub fn voices(&self) -> impl Iterator<Item = (&str, &str)> {
        self.voice.iter().map(|voice| (voice.0.0.as_str(), voice.0.1.as_str()))
    }

    /// Sets the agent of a key of [`Self::agents_by_key`]; ignores an unknown one. Judges come in
    /// their order.
    pub fn set(&mut self, key: &str, agent: String) {
        match key.split_once(' ') {
            Some(("voice", name)) => self.voice.push(VoiceAgent((name.to_owned(), agent)).into()),
            Some((name, _)) => drop(self.take(name, &[agent], &Origin::Request)),
            None => drop(self.take(key, &[agent], &Origin::Request)),
        }
    }

    /// These options as they are typed.
    pub fn arguments(&self) -> Vec<String> {
        self.agents_by_key()
            .into_iter()
            .map(|(key, agent)| match key.split_once(' ') {
                Some(("voice", name)) => format!("--voice={name}={agent}"),
                Some((option, _)) => format!("--{option}={agent}"),
                None => format!("--{key}={agent}"),
            })
            .collect()
    }

    /// Takes the agents of `below` for absent ones. An agent for all seats replaces all agents of
    /// `below`, and a synthesizer replaces its judges.
    pub fn over(mut self, below: Self) -> Self {
        let mut below = if self.agent.is_some() { Self::default() } else { below };
        if self.synthesizer.is_some() {
            below.judge.clear();
        }
        let has = |voice: &Set<VoiceAgent>| self.voices().any(|(known, _)| known == voice.0.0);
        let voices: Vec<_> = below.voice.extract_if(.., |voice| !has(voice)).collect();
        self.voice.extend(voices);
        super::layer::Over::over(self, below)
    }

    /// The agent of a seat, by the name of its option; else the agent for all seats, else claude.
    pub fn agent_of(&self, name: &str) -> &str {
        self.get(name).or(self.get("agent")).unwrap_or("claude")
    }

    /// The options of the debate with one judge for each agent of `--judge`.
    pub fn with_judges(&self, options: &DebateOptions) -> Result<DebateOptions, OptionError> {
        self.check()?;
        let count = u8::try_from(self.judge.len()).ok().filter(|count| *count > 0);
        match (count, options.leader.judges.as_ref().map(|judges| judges.0)) {
            (Some(agents), Some(judges)) if agents != judges => {
                Err(OptionError::JudgesDiffer { judges, agents })
            }
            (Some(count), None) => {
                let mut options = options.clone();
                options.leader.judges = Some(Judges(count).into());
                Ok(options)
            }
            _ => Ok(options.clone()),
        }
    }

    /// Refuses a wrong number of judges and two agents for one voice.
    pub fn check(&self) -> Result<(), OptionError> {
        let count = self.judge.len();
        if count > 0 && !(usize::from(MIN_JUDGES)..=usize::from(MAX_JUDGES)).contains(&count) {
            return Err(OptionError::JudgeCount(count));
        }
        let mut names = BTreeSet::new();
        match self.voices().find(|(name, _)| !names.insert(*name)) {
            Some((name, _)) => Err(OptionError::VoiceTwice(name.to_owned())),
            None => Ok(()),
        }
    }
}

/// The keys of an agent that the user describes begin with this.
pub const OWN_AGENT: &str = "agent.";

/// With this key, programs fill the seats of debates in Claude Code.
pub const ISOLATED: &str = "isolated";

/// True for a key that decides which programs write. It counts only if it is typed, or in the
/// user's own defaults.
pub fn is_seat_key(key: &str) -> bool {
    let key = key.replace('_', "-");
    <(SeatOptions, Isolation)>::names().contains(&key) || key.starts_with(OWN_AGENT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::OptionType as _;
    use super::*;

    proptest! {
        #[test]
        fn any_text_is_a_voice_with_an_agent_or_an_error(text in "\\PC{0,20}") {
            if let Ok(VoiceAgent((name, agent))) = VoiceAgent::read(&text) {
                prop_assert!(!name.is_empty() && !agent.is_empty() && text.contains('='));
            }
        }
    }

    #[test]
    fn what_is_nearer_replaces_what_is_below() {
        let agent = |agent: &str| AgentName(agent.to_owned()).into();
        let word = |name: &str| Some(agent(name));
        let voice =
            |name: &str, agent: &str| VoiceAgent((name.to_owned(), agent.to_owned())).into();
        let below = || SeatOptions {
            critic: word("low"),
            judge: vec![agent("one"), agent("two")],
            voice: vec![voice("sales", "low"), voice("ops", "low")],
            ..SeatOptions::default()
        };
        let over = |own: SeatOptions| own.over(below()).arguments().join(" ");
        for (own, expected) in [
            (
                SeatOptions::default(),
                "--critic=low --judge=one --judge=two --voice=sales=low --voice=ops=low",
            ),
            (SeatOptions { agent: word("all"), ..SeatOptions::default() }, "--agent=all"),
            (
                SeatOptions { synthesizer: word("s"), ..SeatOptions::default() },
                "--critic=low --synthesizer=s --voice=sales=low --voice=ops=low",
            ),
            (
                SeatOptions {
                    judge: vec![agent("x"), agent("x"), agent("x")],
                    voice: vec![voice("ops", "own")],
                    ..SeatOptions::default()
                },
                "--critic=low --judge=x --judge=x --judge=x --voice=ops=own --voice=sales=low",
            ),
        ] {
            assert_eq!(over(own), expected);
        }
    }
}
