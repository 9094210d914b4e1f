//! Why words of the user or of a seat are not taken.

use super::steering::{MAX_FACT_CHARS, MAX_FACTS, MAX_FACTS_IN_ALL};
use crate::ownership::resume_hint;
use anvil_core::limits::MAX_STEERING_CHARS;
use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum SteeringError {
    #[error("the synthesis is written and only its block is missing: no reply follows")]
    NoReplyFollows { is_run: bool },
    #[error("the direction has more than {MAX_STEERING_CHARS} characters")]
    LongDirection,
    #[error("a note has at most {MAX_FACT_CHARS} characters")]
    LongNote,
    #[error("a debate takes {MAX_FACTS} notes of one author, {MAX_FACTS_IN_ALL} in all")]
    ManyNotes,
    #[error("an answer has at most {MAX_FACT_CHARS} characters")]
    LongAnswer,
    #[error("the answer is missing")]
    NoAnswer,
    #[error("no question waits for an answer")]
    NoQuestion,
    #[error("no reply is saved in this cycle yet")]
    NoReply { is_run: bool },
}

impl Failure for SteeringError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoReplyFollows { .. } | Self::NoQuestion | Self::NoReply { .. } => Kind::Nothing,
            Self::ManyNotes => Kind::Failed,
            _ => Kind::Usage,
        }
    }

    fn hint(&self) -> Hint {
        let steer = Verb::Steer.with("TEXT");
        match self {
            Self::NoReplyFollows { is_run } => {
                let again = Verb::Again.with("TEXT");
                resume_hint(*is_run, hint![" asks for it; ", again, " then adds a cycle"])
            }
            Self::LongDirection => {
                "put the material into a file of the project and name the file".into()
            }
            Self::LongNote => "say the fact and its place, such as src/main.rs:12".into(),
            Self::ManyNotes => {
                hint!["put what decides into a reply; ", steer, " directs the next one"]
            }
            Self::LongAnswer => hint!["answer in fewer words; ", steer, " takes more"],
            Self::NoAnswer => "write it after --answer".into(),
            Self::NoQuestion => {
                let note = Verb::Steer.with("--note TEXT");
                hint![steer, " directs the next reply, ", note, " notes a fact"]
            }
            Self::NoReply { is_run } => {
                resume_hint(*is_run, hint![" starts it; ", Verb::Cancel, " ends the debate"])
            }
        }
    }
}
