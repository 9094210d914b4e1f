//! The one rule, for every verb: who may change a debate.

/// An action of the user on an existing debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserAction {
    /// Resume it in this session.
    Resume,
    Steer,
    /// End its argument.
    Synthesize,
    Rounds,
    /// Open a finished debate for another cycle.
    Again,
    /// Take back its last phases.
    Undo,
    /// Take back the last undo.
    Redo,
    /// Bring back a snapshot.
    Restore,
    /// End it.
    Cancel,
    /// Start another debate in its place.
    Replace,
    /// Replace it by the debate of an issue.
    Pull,
    /// Put it into an issue, and note the revision.
    Publish,
}

/// The effect of a verb on the reply that the owner may be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The verb takes effect after the reply, or no reply is being written.
    Waits,
    /// The reply is not saved.
    Discards,
    /// The reply stays; the verb only notes a fact about the debate.
    Marks,
}

/// The source of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The owning session, or another conversation of its client.
    Owner,
    /// A session of another client.
    OtherSession,
    /// A shell that the user opened.
    Shell,
    /// A shell that the owner's client started.
    ShellOfOwner,
    /// A shell that another client started.
    ShellOfOther,
}

/// The owner of the debate, as this machine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Alive,
    Dead,
    /// The file names a session, and this machine does not know if it runs.
    Unknown,
    None,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Another session owns the debate and runs.
    OwnedElsewhere,
    /// Claude may be writing a reply, which would be lost.
    DiscardsReply,
}

impl UserAction {
    /// The effect on a reply. Only a debate in progress has one.
    pub fn effect(self, is_in_progress: bool) -> Effect {
        let discards = if is_in_progress { Effect::Discards } else { Effect::Waits };
        match self {
            Self::Publish => Effect::Marks,
            Self::Steer | Self::Synthesize | Self::Rounds | Self::Again => Effect::Waits,
            Self::Resume
            | Self::Undo
            | Self::Redo
            | Self::Restore
            | Self::Cancel
            | Self::Replace
            | Self::Pull => discards,
        }
    }
}

/// The rule: only the owner changes a debate while it runs, unless the user gives `--take-over`.
/// The user's own shell counts as the owner if no reply is lost.
pub fn may_change(
    effect: Effect,
    asker: Asker,
    owner: Owner,
    take_over: bool,
) -> Result<(), Refusal> {
    match owner {
        Owner::Dead | Owner::Unknown | Owner::None => return Ok(()),
        Owner::Alive if take_over => return Ok(()),
        Owner::Alive => {}
    }
    match (asker, effect) {
        (Asker::Owner | Asker::ShellOfOwner, _) | (Asker::Shell, Effect::Waits | Effect::Marks) => {
            Ok(())
        }
        (Asker::Shell, Effect::Discards) => Err(Refusal::DiscardsReply),
        (Asker::OtherSession | Asker::ShellOfOther, _) => Err(Refusal::OwnedElsewhere),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_permissions() {
        use Asker::{OtherSession, Shell, ShellOfOther, ShellOfOwner};
        use Effect::{Discards, Marks, Waits};
        use Refusal::{DiscardsReply, OwnedElsewhere};
        let elsewhere = Err(OwnedElsewhere);
        let while_the_owner_runs = [
            (Asker::Owner, [(Waits, Ok(())), (Discards, Ok(())), (Marks, Ok(()))]),
            (ShellOfOwner, [(Waits, Ok(())), (Discards, Ok(())), (Marks, Ok(()))]),
            (Shell, [(Waits, Ok(())), (Discards, Err(DiscardsReply)), (Marks, Ok(()))]),
            (OtherSession, [(Waits, elsewhere), (Discards, elsewhere), (Marks, elsewhere)]),
            (ShellOfOther, [(Waits, elsewhere), (Discards, elsewhere), (Marks, elsewhere)]),
        ];
        for (asker, row) in while_the_owner_runs {
            for (effect, expected) in row {
                let decide = |owner, take_over| may_change(effect, asker, owner, take_over);
                assert_eq!(decide(Owner::Alive, false), expected, "{asker:?} {effect:?}");
                assert_eq!(decide(Owner::Alive, true), Ok(()), "{asker:?} {effect:?}");
                for owner in [Owner::Dead, Owner::Unknown, Owner::None] {
                    for take_over in [false, true] {
                        assert_eq!(
                            decide(owner, take_over),
                            Ok(()),
                            "{asker:?} {effect:?} {owner:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn only_a_debate_in_progress_has_a_reply_to_discard() {
        let verbs = [
            UserAction::Resume,
            UserAction::Steer,
            UserAction::Synthesize,
            UserAction::Rounds,
            UserAction::Again,
            UserAction::Undo,
            UserAction::Redo,
            UserAction::Restore,
            UserAction::Cancel,
            UserAction::Replace,
            UserAction::Pull,
            UserAction::Publish,
        ];
        for action in verbs {
            let expected = match action {
                UserAction::Publish => Effect::Marks,
                UserAction::Steer
                | UserAction::Synthesize
                | UserAction::Rounds
                | UserAction::Again => Effect::Waits,
                _ => Effect::Discards,
            };
            assert_eq!(action.effect(true), expected, "{action:?}");
            let at_rest = if expected == Effect::Discards { Effect::Waits } else { expected };
            assert_eq!(action.effect(false), at_rest, "{action:?}");
        }
    }
}
