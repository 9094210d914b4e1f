//! Why an event is not answered as it should be.

use std::io;

use super::MAX_EVENT_BYTES;
use super::client::{OLDEST, version_text};
use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub enum HookError {
    #[error("a bug in Anvil: {0}")]
    Bug(String),
    #[error("{0}")]
    NoInput(#[source] io::Error),
    #[error("the hook's input is larger than {MAX_EVENT_BYTES} bytes")]
    LongInput,
    #[error("the hook's input can't be read: {0}")]
    BadInput(#[source] serde_json::Error),
    #[error("the hook's event names no session")]
    NoSession,
    #[error("this needs Claude Code {} or later", version_text(OLDEST))]
    OldClient,
    #[error("this session has no plan")]
    NoPlan,
    #[error("programs can't argue a plan that is still to be made")]
    NoPlanApart,
}

impl Failure for HookError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoPlan | Self::NoPlanApart => Kind::Usage,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::BadInput(_) => {
                let debate = Verb::Debate.with("QUESTION");
                return hint!["Claude Code calls it: type ", debate, " there"];
            }
            Self::NoPlan => {
                let in_client = "name a file, --plan=plan.md, or let Claude plan: press Esc when \
                                 it asks you to approve the plan, then type /anvil:debate --plan";
                return ("name a file: --plan=plan.md", in_client).into();
            }
            Self::NoPlanApart => {
                "leave --isolated out, or press Esc when Claude asks you to approve the plan, and \
                 type this again"
            }
            Self::Bug(_) => "the debate is unchanged; please report this, then type /anvil:resume",
            Self::NoInput(_) => "the hook's input is a JSON object on standard input",
            Self::LongInput => "nothing was changed; /anvil:resume asks for the phase again",
            Self::NoSession => "it was not sent by Claude Code",
            Self::OldClient => "update it: claude update",
        };
        hint.into()
    }
}
