//! The options that name the agents for a debate between programs.

use std::collections::BTreeSet;

use super::{DebateOptions, Judges, Refused};
use crate::limits::{MAX_JUDGES, MIN_JUDGES};
use anvil_text::clean;
use anvil_text::error::{Error, Result};

/// The options that name an AGENT for a seat. What an agent is: `anvil agents`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Programs"))]
pub struct SeatOptions {
    /// The agent of every seat: see `anvil agents` [default: claude]
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT"))]
    pub agent: Option<String>,
    /// The agent that argues for
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT", hide_short_help = true))]
    pub advocate: Option<String>,
    /// The agent that argues against
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT"))]
    pub critic: Option<String>,
    /// The agent that writes the synthesis
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT", hide_short_help = true))]
    pub synthesizer: Option<String>,
    /// An agent that judges; give it two to five times
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT", hide_short_help = true))]
    pub judge: Vec<String>,
    /// The agent of one voice: "sales=codex"; repeatable
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME=AGENT", value_parser = voice, hide_short_help = true)
    )]
    pub voice: Vec<(String, String)>,
    /// The agent that checks facts, with --fact-check [default: that of the synthesis]
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGENT", hide_short_help = true))]
    pub fact_checker: Option<String>,
}

impl SeatOptions {
    /// The names of these options in a defaults file.
    pub const NAMES: [&'static str; 7] =
        ["agent", "advocate", "critic", "synthesizer", "judge", "voice", "fact-checker"];

    /// The agent of an option that is given once.
    pub fn get(&self, name: &str) -> Option<&str> {
        let agent = match name {
            "agent" => &self.agent,
            "advocate" => &self.advocate,
            "critic" => &self.critic,
            "synthesizer" => &self.synthesizer,
            "fact-checker" => &self.fact_checker,
            _ => return None,
        };
        agent.as_deref()
    }

    /// The agents by the keys of a run's record: `critic`, `judge 2`, `voice sales`.
    pub fn named(&self) -> Vec<(String, &str)> {
        let once = Self::NAMES.iter().filter_map(|&name| Some((name.to_owned(), self.get(name)?)));
        let judges = (1..).zip(&self.judge);
        let judges = judges.map(|(judge, agent)| (format!("judge {judge}"), agent.as_str()));
        let voices =
            self.voice.iter().map(|(name, agent)| (format!("voice {name}"), agent.as_str()));
        once.chain(judges).chain(voices).collect()
    }

    /// Sets the agent of a key of [`Self::named`]; ignores an unknown one. Judges come in their
    /// order.
    pub fn set(&mut self, key: &str, agent: String) {
        match key.split_once(' ') {
            None if key == "agent" => self.agent = Some(agent),
            None if key == "advocate" => self.advocate = Some(agent),
            None if key == "critic" => self.critic = Some(agent),
            None if key == "synthesizer" => self.synthesizer = Some(agent),
            None if key == "fact-checker" => self.fact_checker = Some(agent),
            Some(("judge", _)) => self.judge.push(agent),
            Some(("voice", name)) => self.voice.push((name.to_owned(), agent)),
            _ => {}
        }
    }

    /// Takes one line of a defaults file.
    pub fn take_default(&mut self, name: &str, values: &[String]) -> Result<()> {
        match name {
            "judge" => self.judge.extend_from_slice(values),
            "voice" => {
                for value in values {
                    let voice =
                        voice(value).map_err(|why| Error::usage(format!("voice {why}"), VOICE))?;
                    self.voice.push(voice);
                }
            }
            _ => self.set(name, values.join(", ")),
        }
        self.check()
    }

    /// These options as they are typed.
    pub fn arguments(&self) -> Vec<String> {
        self.named()
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
    pub fn over(self, below: Self) -> Self {
        let below = if self.agent.is_some() { Self::default() } else { below };
        let has_judges = !self.judge.is_empty() || self.synthesizer.is_some();
        let voices: Vec<_> = below
            .voice
            .into_iter()
            .filter(|(name, _)| !self.voice.iter().any(|(known, _)| known == name))
            .collect();
        Self {
            agent: self.agent.or(below.agent),
            advocate: self.advocate.or(below.advocate),
            critic: self.critic.or(below.critic),
            synthesizer: self.synthesizer.or(below.synthesizer),
            judge: if has_judges { self.judge } else { below.judge },
            voice: self.voice.into_iter().chain(voices).collect(),
            fact_checker: self.fact_checker.or(below.fact_checker),
        }
    }

    /// The agent of a seat, by the name of its option; else the agent for all seats, else claude.
    pub fn agent_of(&self, name: &str) -> &str {
        self.get(name).or(self.agent.as_deref()).unwrap_or("claude")
    }

    /// The options of the debate with one judge for each agent of `--judge`.
    pub fn with_judges(&self, options: &DebateOptions) -> Result<DebateOptions> {
        self.check()?;
        let count = u8::try_from(self.judge.len()).ok().filter(|count| *count > 0);
        match (count, options.leader.judges.as_ref().map(|judges| judges.0)) {
            (Some(count), Some(judges)) if count != judges => Err(Error::usage(
                format!("--judges {judges} and {count} times --judge don't go together"),
                "leave --judges out: each --judge is one judge",
            )),
            (Some(count), None) => {
                let mut options = options.clone();
                options.leader.judges = Some(Judges(count).into());
                Ok(options)
            }
            _ => Ok(options.clone()),
        }
    }

    /// Refuses a wrong number of judges and two agents for one voice.
    fn check(&self) -> Result<()> {
        let count = self.judge.len();
        if count > 0 && !(usize::from(MIN_JUDGES)..=usize::from(MAX_JUDGES)).contains(&count) {
            return Err(Error::usage(
                format!("there are {MIN_JUDGES} to {MAX_JUDGES} judges, and --judge names {count}"),
                "name one agent for each judge; --synthesizer names one that writes alone",
            ));
        }
        let mut names = BTreeSet::new();
        match self.voice.iter().find(|(name, _)| !names.insert(name)) {
            Some((name, _)) => Err(Error::usage(
                format!("--voice names {} twice", clean(name, 60)),
                "name one agent for each voice",
            )),
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
    SeatOptions::NAMES.contains(&key.as_str()) || key.starts_with(OWN_AGENT) || key == ISOLATED
}

const VOICE: &str = "write the voice's name and its agent: \"sales=codex\"";

/// The name of a voice and its agent.
pub fn voice(text: &str) -> Result<(String, String), Refused> {
    let (name, agent) = text.split_once('=').unwrap_or_default();
    match (name.trim(), agent.trim()) {
        ("", _) | (_, "") => Err(Refused::new("takes NAME=AGENT", " \"sales=codex\"")),
        (name, agent) => Ok((name.to_owned(), agent.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_a_voice_with_an_agent_or_an_error(text in "\\PC{0,20}") {
            if let Ok((name, agent)) = voice(&text) {
                prop_assert!(!name.is_empty() && !agent.is_empty() && text.contains('='));
            }
        }
    }

    #[test]
    fn what_is_nearer_replaces_what_is_below() {
        let word = |agent: &str| Some(agent.to_owned());
        let below = || SeatOptions {
            critic: word("low"),
            judge: vec!["one".to_owned(), "two".to_owned()],
            voice: vec![
                ("sales".to_owned(), "low".to_owned()),
                ("ops".to_owned(), "low".to_owned()),
            ],
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
                    judge: vec!["x".to_owned(); 3],
                    voice: vec![("ops".to_owned(), "own".to_owned())],
                    ..SeatOptions::default()
                },
                "--critic=low --judge=x --judge=x --judge=x --voice=ops=own --voice=sales=low",
            ),
        ] {
            assert_eq!(over(own), expected);
        }
    }
}
