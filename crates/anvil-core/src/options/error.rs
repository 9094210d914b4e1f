//! Why an option, or several together, can't be taken.

use super::values::{Refused, shorten};
use crate::limits::{MAX_JUDGES, MIN_JUDGES};
use anvil_text::Hint;
use anvil_text::clean;
use anvil_text::error::{Failure, Kind};

/// Options that a debate does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The argument has this name; an option's begins with hyphens.
    #[error("{name} {refused}, not {:?}", shorten(.value))]
    Value { name: String, value: String, refused: Refused },
    #[error("--{0} was given more than once")]
    Repeated(String),
    #[error("--judges {judges} and {agents} times --judge don't go together")]
    JudgesDiffer { judges: u8, agents: u8 },
    #[error("there are {MIN_JUDGES} to {MAX_JUDGES} judges, and --judge names {0}")]
    JudgeCount(usize),
    #[error("--voice names {} twice", clean(.0, 60))]
    VoiceTwice(String),
}

impl Failure for OptionError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Value { name, refused: Refused { example, .. }, .. } => {
                if name.starts_with('-') {
                    format!("for example {name}{example}")
                } else {
                    format!("for example {}", example.trim_start())
                }
                .into()
            }
            Self::Repeated(_) => "write it once".into(),
            Self::JudgesDiffer { .. } => "leave --judges out: each --judge is one judge".into(),
            Self::JudgeCount(_) => {
                "name one agent for each judge; --synthesizer names one that writes alone".into()
            }
            Self::VoiceTwice(_) => "name one agent for each voice".into(),
        }
    }
}
