//! Notes: facts for the user in addition to the outcome.

use std::path::PathBuf;

use jiff::civil::Date;

use anvil_core::ledger::Standing;
use anvil_core::place::Place;
use anvil_text::error::Error;

/// A note for the user. Its paths are as the user reads them.
#[derive(Clone, Debug)]
pub enum Note {
    /// A sentence without its full stop from a layer below, about a file that it repaired or read.
    Detail(String),
    /// The file did not record its owner, so this session owns it again.
    OwnerUnknown {
        /// True if no part of the debate could be read.
        is_lost: bool,
    },
    /// This machine can't save that the session owns the debate of this folder.
    SessionNotRemembered {
        /// The folder of the debate.
        root: PathBuf,
        why: String,
    },
    /// A finished state of a debate was undone, and is kept.
    UndoneDecision {
        /// The debate's id.
        id: String,
        /// Its snapshot.
        snapshot: u32,
        /// What the debate came to then.
        standing: Box<Standing>,
    },
    /// The records of debates lie on a file system that may not outlive them.
    RecordsMayVanish { folder: String, system: String },
    /// The folder of records that an earlier version has left in the project.
    EarlierRecords(String),
    /// The text to debate is no question.
    IsStatement,
    /// The reply at this place asks the user a question.
    Asked { place: Place, question: String },
    /// A number of rounds has no effect, because every voice speaks once.
    RoundsWithoutEffect,
    /// A persona of this name does not exist, so the name is used as a description.
    PersonaDescribed(String),
    /// The parts of the user's texts that did not fit.
    LeftOut(Vec<String>),
    /// Why a text of the user can't be used.
    Unusable(String),
    /// A reply that no Stop had saved is saved now.
    SavedLate {
        place: Place,
        /// The number of its words.
        words: usize,
    },
    /// A reply out of form is taken as it is: another try does not fit this option's limit.
    NotRepeated {
        /// The label of its place.
        place: String,
        limit: &'static str,
    },
    /// A reply is saved without its beginning, because that could not be read.
    BeginningMissing,
    /// A reply is put aside, without a place in the transcript.
    PutAside {
        why: Aside,
        /// Its file.
        file: String,
    },
    /// The file of an unfinished debate is missing.
    FileGone {
        /// The id of the debate.
        id: String,
        /// Its newest snapshot.
        snapshot: u32,
    },
    /// Git would add the debate's file. It is noted once for a project.
    SeenByGit {
        /// The repository has the folder of its own ignore rules.
        has_info: bool,
    },
    /// Git refuses to say whether it would add the debate's file; it `refuses: LINE`.
    GitRefuses(String),
    /// The debate's file was missing; it is there again.
    Restored {
        /// The snapshot that it was made from.
        snapshot: u32,
        /// A reply was being written when the snapshot was made.
        is_reply_lost: bool,
    },
    /// The report goes to its default place.
    ReportElsewhere {
        /// The path in the debate's options.
        wanted: String,
        /// Why that path is not used.
        why: &'static str,
        /// The path that is used.
        place: String,
    },
    /// The line that the index of a folder of records lacks.
    IndexLine {
        /// The index, as the user reads it.
        index: String,
        line: String,
    },
    /// One of several reports could not be written.
    ReportNotWritten(Error),
    /// The reports that the debate lacked since its completion are written now, or could not be.
    DueReport(Result<String, Error>),
    /// A report that was missing is written again, or could not be.
    LostReport {
        /// Its path, as the user reads it.
        file: String,
        written: Result<(), Error>,
    },
    /// The journal can't be read, so no review is shown.
    JournalUnread(Error),
    /// A synthesis or a judgment is saved, and its block has to be written again.
    BlockAgain {
        /// For the user: `synthesis`, `judge 2`.
        place: String,
        /// The faults, in phrases.
        why: String,
    },
    /// The day for a review of the recommendation could not be saved.
    ReviewNotNoted {
        /// The day on which the review is due.
        day: Date,
        why: Error,
    },
    /// A document leaves out invisible characters.
    UnseenLeftOut {
        document: OutgoingText,
        /// The number of characters.
        count: usize,
    },
    /// A block in an issue, or the debate here, was replaced. This file has the old one.
    Replaced(String),
    /// An issue was written, but could not be read back.
    NotReadBack(Error),
    /// This machine could not save which revision is in the issue.
    RevisionNotRecorded(Error),
}

/// Why a reply is not part of the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// The reply came late and has the wrong form. The phase is requested again.
    OutOfForm,
    /// The file was edited, and another phase waits.
    OtherPhase,
    /// The file was edited, and the debate was complete.
    AfterTheEnd,
    /// Somebody else has its task now, or the debate has moved on.
    Late,
    /// Its token is unknown.
    Stray,
    /// Its debate can't begin.
    NotBegun,
}

/// A text that leaves the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutgoingText {
    Report,
    /// The report as a comment of an issue.
    Comment,
}
