//! The use cases, such as start, pause and undo. Each takes plain data and returns an outcome,
//! or [`Stopped`] with the reason why it did nothing.
//!
//! The events of a session go through its [`Turn`]. A use case calls no command line, hook or MCP
//! server.
//!
//! Every use case works in the order: load, decide, compose, commit. All pure steps that can fail
//! end before the first write.

mod context;
mod defaults;
mod filing;
pub mod history;
pub mod issues;
mod lookup;
mod note;
mod output;
mod ownership;
pub mod programs;
pub mod reports;
mod reviews;
pub mod session;
pub mod tasks;

pub use context::{Context, Session, Skipped, Stopped};
use context::{FIRST_DEBATE, LOCK_WAIT, SAME_PROMPT, SAME_STOP, expand, no_debate};
pub use filing::ReplyOutcome;
pub use filing::{Interpretation, check_goes_on, give_steering, reason, skip_to_synthesis};
pub use history::{
    FoundTexts, HistoryChange, Hit, PastDebate, PastDebates, PruneCandidate, PrunePlan,
    SnapshotEntry, SnapshotList, UndonePart,
};
pub use issues::{
    Checked, Embedded, Posted, Publication, Pulled, Room, Side, Taken, Written, body_from, body_in,
    check, extract,
};
pub use note::{Aside, Document, Note};
pub use ownership::{OwnerStatus, Silence, Turn};
pub use programs::{Asked, answer, generation_of, request};
pub use programs::{
    Awaited, Concurrent, GateFacts, News, Objections, Open, Request, Runs, SeatDefaults, SeatView,
    ShownAttempt, StepDebate, UnreadClaim, duration,
};
pub use reports::places;
pub use reports::{Claims, Completed, Extent, Reported, ScreenReport};
pub use reviews::DueReviews;
pub use session::{
    Glance, Interruption, Look, Preview, PromptOutcome, Released, ResumeAction, Resumed,
    Resumption, Setting, StartNotice, Started, Steered, YOU_TYPED,
};
pub use session::{check_course, described, focus, voice_of};
pub use tasks::{Claimant, Claimed, TaskBoard, Ticket, Waiting};
