//! What the history does not have.

use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryError {
    #[error("there is nothing to redo")]
    NothingToRedo,
    #[error("another debate is here: {0}")]
    AnotherHere(String),
    #[error("snapshot {0} is damaged")]
    Damaged(u32),
    #[error("there is no snapshot {0}")]
    NoSnapshot(u32),
    #[error("this debate has no snapshots yet")]
    NoSnapshots,
    #[error("there is no debate {0} with snapshots here")]
    NoDebate(String),
    #[error("no reply is saved yet")]
    NoReply,
    #[error("1 reply is saved")]
    OneReply,
    #[error("{0} replies are saved; undo accepts 1 to {0}")]
    Replies(usize),
    #[error("the state file can't be read, and its question is unknown")]
    Lost,
    #[error("the state file can't be read, and its debate may be an earlier one")]
    MayBeEarlier,
    #[error("there is nothing to look for")]
    NoText,
    #[error("no decision of this project's debates stands and rests on a claim")]
    NothingRests,
    #[error("{word}: {why}")]
    NotRechecked { word: String, why: String },
    #[error("this debate has recommended nothing: {0}")]
    NothingRecommended(String),
    #[error("no review is due in this project")]
    NothingDue,
}

impl Failure for HistoryError {
    fn kind(&self) -> Kind {
        match self {
            Self::OneReply | Self::Replies(_) | Self::NoText => Kind::Usage,
            Self::AnotherHere(_)
            | Self::Damaged(_)
            | Self::Lost
            | Self::MayBeEarlier
            | Self::NotRechecked { .. }
            | Self::NothingRecommended(_) => Kind::Failed,
            _ => Kind::Nothing,
        }
    }

    fn hint(&self) -> Hint {
        let list = Verb::Undo.with("--list");
        match self {
            Self::NothingToRedo | Self::Lost => hint![list, " lists what can be restored"],
            Self::AnotherHere(_) => hint![
                Verb::Cancel,
                " ends it if it is unfinished; or restore the other one in another worktree"
            ],
            Self::Damaged(_) => hint![list, " lists the others"],
            Self::NoSnapshot(_) => hint![list, " lists them"],
            Self::NoSnapshots => "they are kept from its start on".into(),
            Self::NoDebate(_) => hint![Verb::History, " lists all debates"],
            Self::NoReply => hint![Verb::Status, " shows the debate"],
            Self::OneReply => "undo without a number undoes it".into(),
            Self::Replies(_) => {
                hint![Verb::Undo, " undoes 1, ", Verb::Undo.with("2"), " undoes 2"]
            }
            Self::MayBeEarlier => hint![Verb::Undo.with("--to N"), " repairs it; then prune"],
            Self::NoText => "write it after the command, in quotes".into(),
            Self::NothingRests => {
                hint![Verb::Recheck.with("docs/adr"), " looks at the records of a folder"]
            }
            Self::NotRechecked { .. } => {
                hint![Verb::History, " numbers the debates; decision records are Markdown files"]
            }
            Self::NothingRecommended(_) => "note the outcome of a debate with a verdict".into(),
            Self::NothingDue => hint![Verb::History.with("ID --review 30d"), " sets one"],
        }
    }
}
