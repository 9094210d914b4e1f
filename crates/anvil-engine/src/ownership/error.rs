//! Why a session, a shell or a run may not write a debate.

use anvil_core::debate::{Refusal, UserAction};
use anvil_text::error::Failure;
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum OwnershipError {
    #[error("{}", why(*.refusal))]
    Refused { refusal: Refusal, action: UserAction },
    #[error("tasks of this debate are claimed: {0}")]
    Claimed(String),
    #[error("the state file is damaged, and its owner can no longer be read")]
    OwnerLost,
}

fn why(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::OwnedElsewhere => "another running session owns this debate",
        Refusal::DiscardsReply => {
            "a running session owns this debate, and the reply that it may be writing would be lost"
        }
    }
}

impl Failure for OwnershipError {
    fn hint(&self) -> Hint {
        match self {
            Self::Refused { refusal, action } => {
                let advice = match refusal {
                    Refusal::OwnedElsewhere => "do it there, or take the debate over: ",
                    Refusal::DiscardsReply => "wait for the reply, or discard it: ",
                };
                let (verb, words) = match action {
                    UserAction::Resume => (Verb::Resume, "--take-over"),
                    UserAction::Steer => (Verb::Steer, "--take-over TEXT"),
                    UserAction::Synthesize => (Verb::Steer, "--synthesize --take-over"),
                    UserAction::Rounds => (Verb::Steer, "--rounds N --take-over"),
                    UserAction::Again => (Verb::Again, "--take-over"),
                    UserAction::Undo => (Verb::Undo, "--take-over"),
                    UserAction::Redo => (Verb::Undo, "--redo --take-over"),
                    UserAction::Restore => (Verb::Undo, "--to NUMBER --take-over"),
                    UserAction::Cancel => (Verb::Cancel, "--take-over"),
                    UserAction::Replace => (Verb::Start, "QUESTION --replace --take-over"),
                    UserAction::Pull => (Verb::Pull, "N --take-over"),
                    UserAction::Publish => (Verb::Publish, "N --take-over"),
                };
                let in_client = if verb == Verb::Start { Verb::Debate } else { verb };
                (hint![advice, verb.with(words)], hint![advice, in_client.with(words)]).into()
            }
            Self::Claimed(_) => {
                let free = "wait for their replies, or free them: ";
                let in_shell = hint![free, Verb::Run.with("--resume --drop-claims")];
                (in_shell, hint![free, Verb::Resume.with("--drop-claims")]).into()
            }
            Self::OwnerLost => hint![Verb::Resume, " continues with Claude's reply"],
        }
    }
}
