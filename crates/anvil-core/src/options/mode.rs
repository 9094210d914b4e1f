//! Who argues in a debate.

use crate::place::DebateFormat;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By evidence and consequence.
    Analyst,
    /// From first principles.
    Philosopher,
    /// The advocate attacks the user's position, the critic defends it.
    DevilsAdvocate,
    /// The stakeholders speak in turn.
    Stakeholders,
    /// The options that the user named are argued against each other.
    Options,
    /// The critic objects to a document, and the advocate changes it.
    Revise,
    /// The user's text of this name, with an advocate and a critic.
    Custom(String),
}

impl Mode {
    /// Anvil's own modes.
    pub const ALL: [Self; 6] = [
        Self::Analyst,
        Self::Philosopher,
        Self::DevilsAdvocate,
        Self::Stakeholders,
        Self::Options,
        Self::Revise,
    ];

    /// The word in the state file and on the command line.
    pub fn word(&self) -> &str {
        match self {
            Self::Custom(name) => name,
            ours => ours.built_in_word().unwrap_or_default(),
        }
    }

    /// Who speaks in a debate of this mode with this number of voices.
    pub fn format(&self, voices: usize) -> DebateFormat {
        match self {
            Self::Stakeholders => DebateFormat::Stakeholders,
            Self::Options if voices > 2 => DebateFormat::Options,
            Self::Options | Self::Revise => DebateFormat::Seats,
            Self::Analyst | Self::Philosopher | Self::DevilsAdvocate | Self::Custom(_) => {
                if voices > 2 { DebateFormat::Personas } else { DebateFormat::Seats }
            }
        }
    }

    /// The word of one of Anvil's own modes.
    pub fn built_in_word(&self) -> Option<&'static str> {
        match self {
            Self::Analyst => Some("analyst"),
            Self::Philosopher => Some("philosopher"),
            Self::DevilsAdvocate => Some("devils-advocate"),
            Self::Stakeholders => Some("stakeholders"),
            Self::Options => Some("options"),
            Self::Revise => Some("revise"),
            Self::Custom(_) => None,
        }
    }

    /// The mode of this name. With the user's own text, a name that stands for an option is a
    /// custom mode.
    pub fn parse(name: &str, has_text: bool) -> Self {
        match Self::from_name(name) {
            Self::Options | Self::Revise if has_text => Self::Custom(name.to_owned()),
            mode => mode,
        }
    }

    /// The mode of this name. A name that is not Anvil's own is the user's.
    fn from_name(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|mode| mode.word() == name)
            .unwrap_or_else(|| Self::Custom(name.to_owned()))
    }
}

/// A named voice, mode or framework, with its text unless that is Anvil's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// One line.
    pub name: String,
    /// The user's text. `None`: Anvil's text of this name, or only the name.
    pub text: Option<String>,
}
