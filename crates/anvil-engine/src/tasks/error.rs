//! Why a task is not taken, written or dropped.

use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    #[error("you no longer hold {0}")]
    NotHeld(String),
    #[error("{0} is not claimed in a shell")]
    NotOfShell(String),
    #[error("{0} is written, and kept until the replies before it are saved")]
    Written(String),
    #[error("{0} is not claimed")]
    NotClaimed(String),
    #[error("{0} argues this debate, so its tasks can't be claimed")]
    Driven(&'static str),
}

impl Failure for TaskError {
    fn kind(&self) -> Kind {
        match self {
            Self::Written(_) | Self::NotClaimed(_) => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::NotHeld(_) => "claim a task; only the holder of a task can note a fact".into(),
            Self::NotOfShell(_) => {
                let claim = Verb::Claim.with("SEAT");
                hint![claim, " takes a task; ", Verb::Tasks, " shows who holds what"]
            }
            Self::Written(_) => hint![Verb::Tasks, " shows what it waits for"],
            Self::NotClaimed(_) => hint![Verb::Tasks, " shows who holds what"],
            Self::Driven(_) => {
                hint!["wait for its reply, or stop it; ", Verb::Tasks, " shows when one is free"]
            }
        }
    }
}
