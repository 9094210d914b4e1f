//! What happened beside what was asked for.

use std::path::PathBuf;

use jiff::civil::Date;

use crate::debate::Slot;
use crate::error::Error;

/// Something that the user should know beside the outcome. Paths are as they read them.
#[derive(Clone, Debug)]
pub enum Note {
    /// What a room below says of a file that it repaired or read: a sentence without its full stop.
    Detail(String),
    /// The file did not record its owner, so the session that had it has it again.
    OwnerUnknown {
        /// Nothing of the debate could be read.
        is_lost: bool,
    },
    /// This machine can't note that the session owns the debate of this folder.
    SessionNotRemembered {
        /// Where the debate is.
        root: PathBuf,
        /// Why not.
        why: String,
    },
    /// There are records that this machine did not write; nothing in them counts.
    ForeignRecords {
        /// How many.
        count: usize,
        /// They are lines of the journal of decisions.
        is_journal: bool,
    },
    /// Every voice speaks once, so a number of rounds means nothing.
    RoundsWithoutEffect,
    /// No persona has this name, so it is taken as a description.
    PersonaDescribed(String),
    /// What did not fit into the context.
    LeftOut(Vec<String>),
    /// A text of the user's is not one that can be used, and why.
    Unusable(String),
    /// A reply that no Stop had filed is filed now.
    FiledLate {
        /// Whose.
        slot: Slot,
        /// Its words.
        words: usize,
    },
    /// A reply is filed without its beginning, which could not be read.
    BeginningMissing,
    /// A reply has no place in the transcript.
    KeptAside {
        /// Why not.
        why: Aside,
        /// Where it lies.
        file: String,
    },
    /// The file of an unfinished debate is gone.
    FileGone {
        /// The debate.
        id: String,
        /// The newest of its checkpoints.
        checkpoint: u32,
    },
    /// The report goes to its default place.
    ReportElsewhere {
        /// Where the debate's options wanted it.
        wanted: String,
        /// Why not there.
        why: &'static str,
        /// Where it is.
        place: String,
    },
    /// One of several reports could not be written.
    ReportNotWritten(Error),
    /// Reports that the completion of a debate had left out were written now, or why they could not be.
    DueReport(Result<String, Error>),
    /// A report that was gone was written again, or why it could not be.
    LostReport {
        /// Where.
        file: String,
        /// How that went.
        written: Result<(), Error>,
    },
    /// The journal can't be read, so nothing in it is due.
    JournalUnread(Error),
    /// When to look again at the recommendation could not be noted down.
    ReviewNotNoted {
        /// The day.
        day: Date,
        /// Why not.
        why: Error,
    },
    /// This machine's list of projects does not have this one, and why.
    ProjectNotListed(String),
    /// A document leaves out characters that nobody sees.
    UnseenLeftOut {
        /// Which document.
        document: Document,
        /// How many.
        count: usize,
    },
    /// A block that can't be understood gave way to a new one, and lies in this file.
    BlockReplaced(String),
    /// A debate gave way to another state, and lies in the archive.
    Replaced {
        /// Where it was.
        place: Place,
        /// Where it lies.
        file: String,
    },
    /// An issue was written and could not be read again.
    NotReadBack(Error),
    /// Which revision is in an issue was not noted on this machine.
    RevisionNotRecorded(Error),
}

/// Why a reply has no place in the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// It lacks what a program reads in it, and is asked for once more.
    AskedAgain,
    /// The same of one that was filed late.
    OutOfForm,
    /// It was written without the Read that its cue asked for.
    Unread,
    /// The file was edited, and another phase waits.
    OtherPhase,
    /// The file was edited, and the debate was complete.
    AfterTheEnd,
    /// Its task is somebody else's by now, or the debate has moved on.
    Late,
}

/// What goes out of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// A report.
    Report,
    /// The report as a comment of an issue.
    Comment,
}

/// One of the two places of a debate that travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// This project.
    Here,
    /// The issue.
    Issue,
}
