//! Who may change a debate: the one rule for every verb.

/// What the user can do to a debate that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Go on with it, in this session.
    Resume,
    /// Give it a direction.
    Steer,
    /// End its argument.
    Synthesize,
    /// Change the number of its rounds.
    Rounds,
    /// Open a finished one for another cycle.
    Again,
    /// Take its last phases back.
    Undo,
    /// Take the last undo back.
    Redo,
    /// Bring a checkpoint back.
    Restore,
    /// Move it to the archive.
    Cancel,
    /// Start another one in its place.
    Replace,
    /// Put the debate of an issue in its place.
    Pull,
    /// Put it into an issue, and note down which revision is there.
    Publish,
}

/// What a verb does to the reply that the owner may be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It takes effect after the reply, or there is none.
    Waits,
    /// The reply is not filed.
    Discards,
    /// The reply is not touched; something about the debate is noted down.
    Marks,
}

/// Who asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The session that owns the debate, or another conversation of its client.
    Owner,
    /// A session of another client.
    OtherSession,
    /// The user, in a shell of their own.
    Shell,
    /// A shell that the owner's client has started.
    ShellOfOwner,
    /// A shell that another client has started.
    ShellOfOther,
}

/// What is known of the session that owns the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Its client runs.
    Alive,
    /// Its client is gone.
    Dead,
    /// The file names a session, and this machine does not know whether it runs.
    Unknown,
    /// The file names no session.
    None,
}

/// Why a debate is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Another session owns it, and runs.
    OwnedElsewhere,
    /// Claude may be writing a reply that would be lost.
    DiscardsReply,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Self; 12] = [
        Self::Resume,
        Self::Steer,
        Self::Synthesize,
        Self::Rounds,
        Self::Again,
        Self::Undo,
        Self::Redo,
        Self::Restore,
        Self::Cancel,
        Self::Replace,
        Self::Pull,
        Self::Publish,
    ];

    /// What it does to a reply; only a debate in progress has one.
    #[must_use]
    pub fn effect(self, is_in_progress: bool) -> Effect {
        match self {
            Self::Publish => Effect::Marks,
            Self::Steer | Self::Synthesize | Self::Rounds | Self::Again => Effect::Waits,
            Self::Resume | Self::Undo | Self::Redo | Self::Restore | Self::Cancel | Self::Replace | Self::Pull => {
                if is_in_progress {
                    Effect::Discards
                } else {
                    Effect::Waits
                }
            }
        }
    }
}

/// The rule: only the owner changes a debate while it runs, unless the user says `--take-over`. The user's own shell counts as
/// the owner for what does not cost a reply.
pub fn may_change(effect: Effect, asker: Asker, owner: Owner, take_over: bool) -> Result<(), Refusal> {
    match owner {
        Owner::Dead | Owner::Unknown | Owner::None => return Ok(()),
        Owner::Alive if take_over => return Ok(()),
        Owner::Alive => {}
    }
    match (asker, effect) {
        (Asker::Owner | Asker::ShellOfOwner, _) | (Asker::Shell, Effect::Waits | Effect::Marks) => Ok(()),
        (Asker::Shell, Effect::Discards) => Err(Refusal::DiscardsReply),
        (Asker::OtherSession | Asker::ShellOfOther, _) => Err(Refusal::OwnedElsewhere),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_who_may_change_a_debate() {
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
                let asked = |owner, take_over| may_change(effect, asker, owner, take_over);
                assert_eq!(asked(Owner::Alive, false), expected, "{asker:?} {effect:?}");
                assert_eq!(asked(Owner::Alive, true), Ok(()), "{asker:?} {effect:?}");
                for owner in [Owner::Dead, Owner::Unknown, Owner::None] {
                    for take_over in [false, true] {
                        assert_eq!(asked(owner, take_over), Ok(()), "{asker:?} {effect:?} {owner:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_a_debate_in_progress_has_a_reply_to_discard() {
        for verb in Verb::ALL {
            let expected = match verb {
                Verb::Publish => Effect::Marks,
                Verb::Steer | Verb::Synthesize | Verb::Rounds | Verb::Again => Effect::Waits,
                _ => Effect::Discards,
            };
            assert_eq!(verb.effect(true), expected, "{verb:?}");
            let at_rest = if expected == Effect::Discards { Effect::Waits } else { expected };
            assert_eq!(verb.effect(false), at_rest, "{verb:?}");
        }
    }
}
