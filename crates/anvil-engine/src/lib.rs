//! The use cases, such as start, pause and undo. Each takes plain data and returns an outcome, or
//! [`Stopped`] with the reason why it did nothing. A use case calls no command line, hook or MCP
//! server.
//!
//! Every use case works in this order: load, decide, compose, commit. All pure steps that can fail
//! end before the first write. The events of a session go through its [`OwnedTurn`].

mod context;
pub mod defaults;
mod filing;
pub mod history;
pub mod issues;
mod lookup;
mod next_reply;
mod note;
mod output;
mod ownership;
pub mod plans;
pub mod programs;
pub mod reports;
mod reviews;
pub mod session;
pub mod tasks;

pub use anvil_context::WordsNow;
pub use context::{Context, Session, Skipped, Stopped};
use context::{LOCK_WAIT, SAME_PROMPT, SAME_STOP, expand};
pub use defaults::{SeatDefaults, Setting, duration};
pub use filing::{Filed, Interpretation, check_goes_on, give_steering, reason, skip_to_synthesis};
pub use history::{
    FoundTexts, HistoryChange, Hit, PastDebate, PastDebates, PruneCandidate, PrunePlan, Recheck,
    RecheckedDecision, SnapshotEntry, SnapshotList, UndoneDecision, UndonePart,
};
pub use issues::{
    BodyWithDebate, CheckedBody, Posted, Publication, PublishResult, Pulled, ReplyRoom, Side,
    Taken, body_from, body_in, check, extract,
};
use lookup::{LookupError, no_debate};
pub use next_reply::{MAX_TRIES, NextReply, ReplyState, Writer};
pub use note::{Aside, Note, OutgoingText};
pub use ownership::{OwnedTurn, OwnerStatus, Silence, is_argued_by_programs};
pub use programs::{
    Awaited, Checked, ConcurrentOptions, GateFacts, News, Objections, OpenClaim, Request,
    RequestOptions, Runs, SeatView, ShownAttempt, StepDebate, Stepped, UnreadClaim, answer,
    generation_of, request,
};
pub use reports::{Completed, Extent, Reported, ScreenReport, SelectedClaims, places};
pub use reviews::DueReviews;
pub use session::{
    Cancelled, Glance, Interruption, Look, Preview, PromptOutcome, Released, ResumeAction, Resumed,
    Resumption, StartNotice, Started, Steered, TurnEnd,
};
pub use session::{check_course, focus, persona_from, voice_of};
pub use tasks::{Claimant, Claimed, Submitted, TaskBoard, Ticket, Waiting};
