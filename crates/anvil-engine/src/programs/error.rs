//! Why programs don't argue a debate, and what a step can't read.

use anvil_store::issue_body::MAX_BODY_BYTES;
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramsError {
    #[error("there is no attempt {0}")]
    NoAttempt(u32),
    #[error("couldn't save this debate's agents: there is no folder for them")]
    NoFolder,
    #[error("the debate here is {here}, not {id}")]
    NotHere { here: String, id: String },
    /// Another running session owns the debate.
    #[error("{0}")]
    Owned(#[source] Error),
    #[error("the debate was replaced by another one")]
    Replaced,
    #[error("the debate was replaced by another one")]
    ReplacedAtEnd,
}

impl Failure for ProgramsError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoAttempt(_) | Self::NotHere { .. } => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::NoAttempt(_) => hint![Verb::Attempts, " lists them"],
            Self::NoFolder => "set HOME or CLAUDE_CONFIG_DIR, or leave the programs out".into(),
            Self::NotHere { .. } => {
                let continues = " continues the one here";
                let in_shell = hint![Verb::Run.with("--resume"), continues];
                (in_shell, hint![Verb::Resume, continues]).into()
            }
            Self::Owned(_) => {
                let wait = "wait for it, or take the debate over: ";
                let in_shell = hint![wait, Verb::Run.with("--resume --take-over")];
                (in_shell, hint![wait, Verb::Resume.with("--isolated --take-over")]).into()
            }
            Self::Replaced => {
                hint![Verb::Status, " shows it; ", Verb::History, " lists the others"]
            }
            Self::ReplacedAtEnd => hint![Verb::History, " lists it"],
        }
    }
}

/// A debate on standard input that is not usable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    #[error("{0}")]
    Unreadable(#[source] Error),
    #[error("there is no debate on standard input")]
    NoDebate,
    #[error("its frontmatter and its sections disagree")]
    Disorderly,
    #[error("the debate was cancelled")]
    Cancelled,
    #[error("the body has no room for a reply: it has {0} bytes of {MAX_BODY_BYTES}")]
    NoRoom(usize),
    #[error("a debate's file can't choose the agents: {0}")]
    NamesAgent(String),
}

impl Failure for StepError {
    fn kind(&self) -> Kind {
        match self {
            Self::NamesAgent(_) => Kind::Usage,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let step = Verb::Step.with("QUESTION </dev/null");
        match self {
            Self::Unreadable(_) | Self::Disorderly => {
                "give it as an earlier step printed it".into()
            }
            Self::NoDebate => {
                hint!["pipe in a body with a debate or a state file; ", step, " starts one"]
            }
            Self::Cancelled => hint![step, " starts another one"],
            Self::NoRoom(_) => "shorten the text around the debate".into(),
            Self::NamesAgent(_) => "remove the line, and type the option yourself".into(),
        }
    }
}
