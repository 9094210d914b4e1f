//! Why there is no report, record, document or list of claims.

use std::io;
use std::path::PathBuf;

use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    #[error("the report is not written yet")]
    NotYet,
    #[error("the debate has just moved on")]
    MovedOn,
    #[error("the page needs a file")]
    NeedsFile,
    #[error("the debate has no verdict that rests on claims, so it gets no number yet")]
    NoNumber,
    #[error("the debate has no valid verdict to record: {0}")]
    NoVerdict(String),
    #[error("the records in {0} are folders without a README or an index")]
    UnknownFolders(String),
    #[error("{0} is decided, and would be replaced")]
    Decided(String),
    #[error("{} is there, and is not the document as the debate found it", .0.display())]
    Occupied(PathBuf),
    #[error("{0}")]
    NotWritten(#[source] io::Error),
    #[error("this debate revises no document")]
    NoDocument,
    #[error("the original of {0} is not on this machine")]
    NoOriginal(String),
    #[error("the changes of this debate do not fit the original of {0}")]
    DontFit(String),
    #[error("\"{0}\" is not a claim's number")]
    NoClaim(String),
    #[error("this debate has no seat \"{0}\"")]
    NoSeat(String),
}

impl Failure for ReportError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoNumber
            | Self::UnknownFolders(_)
            | Self::Decided(_)
            | Self::Occupied(_)
            | Self::NoClaim(_)
            | Self::NoSeat(_) => Kind::Usage,
            Self::NoVerdict(_) | Self::NoDocument => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::NotYet => return hint![Verb::Report, " writes it"],
            Self::MovedOn => {
                return hint![
                    "its reports are written when it is complete again: ",
                    Verb::Report,
                    " prints one now"
                ];
            }
            Self::NoVerdict(_) => {
                let run = Verb::Run.with("--resume");
                return hint![Verb::Undo, ", then ", run, " asks for the synthesis again"];
            }
            Self::NoDocument => {
                return hint![Verb::Run.with("--revise FILE"), " starts one that does"];
            }
            Self::DontFit(_) => {
                return hint![
                    "the debate's file was edited by hand; ",
                    Verb::Undo.with("--list"),
                    " lists earlier states, ",
                    Verb::Undo.with("--to N"),
                    " restores one"
                ];
            }
            Self::NeedsFile => "name a file: --output decision.html",
            Self::NoNumber => "name a file, such as decision.md",
            Self::UnknownFolders(_) => "name the new file with --output",
            Self::Decided(_) => "name another file, or a folder without it",
            Self::Occupied(_) => "name a new file with --output, and compare the two",
            Self::NotWritten(_) => "the debate itself is safe in the state file",
            Self::NoOriginal(_) => {
                "write it where the debate began, or name an unchanged copy with --output"
            }
            Self::NoClaim(_) => "write it like A1, C2 or S2.3",
            Self::NoSeat(_) => "write advocate, critic, or a voice by its number or name",
        };
        hint.into()
    }
}
