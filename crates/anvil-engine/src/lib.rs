//! The use cases, such as start, pause and undo. Each takes plain data and returns an outcome, or
//! [`Stopped`] with the reason why it did nothing. A use case calls no command line, hook or MCP
//! server.
//!
//! Every use case works in this order: load, decide, compose, commit. All pure steps that can fail
//! end before the first write. The events of a session go through its [`OwnedTurn`].
//!
//! * [`context`]: the clock, the folders and this machine, which every use case has, and its notes
//!   for the user. [`note`] lists them.
//! * [`lookup`]: finds the debate that the user means.
//! * [`ownership`]: who may change a debate. [`owner`](mod@ownership::owner) finds the owner,
//!   [`turn`](mod@ownership::turn) finds the debate of a session, [`held`](ownership::held) locks
//!   and writes one.
//! * [`filing`]: the effect of a reply on a debate. [`reply`](filing::reply) decides (pure),
//!   [`apply`](filing::apply) applies it for every writer, [`cited`](filing::cited) looks for the
//!   words that it cites from the project's files, [`unsaved`](filing::unsaved) recovers a
//!   reply that no Stop has saved, [`reading`](filing::reading) checks Claude's Read of the file,
//!   [`steering`](filing::steering) adds directions, facts and answers, [`turns`](filing::turns)
//!   makes the line of a turn for the record of attempts.
//! * [`defaults`]: the options that the user and the project set in `anvil.local.md`.
//!   [`options`](defaults::options) reads them, [`project_limits`](defaults::project_limits)
//!   refuses options that a project may not set, [`seats`](defaults::seats) reads the agents of
//!   seats, [`settings`](defaults::settings) lists all with their values.
//! * [`session`]: the actions of a user or a session on a debate. [`start`](mod@session::start),
//!   [`brief`](session::brief) (options become a debate), [`document`](session::document) (the plan
//!   or document that it argues about), [`reply`](session::reply) (a Stop),
//!   [`pause`](session::pause) (a prompt, or the end of the session),
//!   [`steer`](mod@session::steer), [`resume`](mod@session::resume) (also another cycle),
//!   [`missing`](session::missing) (restores a debate without its file),
//!   [`cancel`](mod@session::cancel), [`look`](mod@session::look) (the status).
//! * [`programs`]: a debate that programs argue. [`request`](mod@programs::request) makes the
//!   prompt of a seat (pure), [`run`](programs::run) requests and saves replies one by one,
//!   [`concurrent`](programs::concurrent) requests several at once,
//!   [`fact_check`](programs::fact_check) checks evidence after a round, [`step`](programs::step)
//!   argues one reply of a debate without a file (pure), [`attempts`](mod@programs::attempts) shows
//!   attempts, [`follow`](mod@programs::follow) brings the news to a session.
//! * [`tasks`]: the replies of a debate without a driver. [`list`](mod@tasks::list) derives the
//!   tasks, [`claim`](mod@tasks::claim) hands one out, [`ticket`](tasks::ticket) is the right to
//!   submit its reply, [`submit`](mod@tasks::submit) takes the reply, [`due`](tasks::due) saves
//!   replies that came before their turn.
//! * [`history`]: earlier debates and earlier states. [`past`](mod@history::past) lists debates,
//!   [`search`](mod@history::search) searches their texts, [`undo`](mod@history::undo) undoes,
//!   redoes and restores, [`prune`](mod@history::prune) removes finished debates,
//!   [`recheck`](mod@history::recheck) looks up the words that decisions rest on,
//!   [`outcomes`](history::outcomes) saves the outcomes of decisions.
//! * [`reviews`]: the day on which a recommendation is reviewed.
//! * [`reports`]: shows a debate. [`report`](mod@reports::report) writes its reports,
//!   [`completed`](reports::completed) is the result for messages, [`claims`](mod@reports::claims)
//!   selects claims, [`document`](mod@reports::document) makes the revised document,
//!   [`decisions`](reports::decisions) knows the folder of decision records. [`output`] decides
//!   where a report may go.
//! * [`issues`]: a debate in an issue. [`publish`](mod@issues::publish) and
//!   [`pull`](mod@issues::pull) move it, [`carry`](issues::carry) puts it into a text and takes it
//!   out, [`remote`](issues::remote) reads an issue and decides what a publish may replace,
//!   [`side`](issues::side) describes one of the two states, [`comment`](issues::comment) posts the
//!   report and questions.

mod context;
pub mod defaults;
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

pub use anvil_context::WordsNow;
pub use context::{Context, Session, Skipped, Stopped};
use context::{FIRST_DEBATE, LOCK_WAIT, SAME_PROMPT, SAME_STOP, expand, no_debate};
pub use defaults::{SeatDefaults, Setting, duration};
pub use filing::{
    Interpretation, ReplyOutcome, check_goes_on, give_steering, reason, skip_to_synthesis,
};
pub use history::{
    FoundTexts, HistoryChange, Hit, PastDebate, PastDebates, PruneCandidate, PrunePlan, Recheck,
    RecheckedDecision, SnapshotEntry, SnapshotList, UndonePart,
};
pub use issues::{
    BodyWithDebate, CheckedBody, Posted, Publication, PublishResult, Pulled, ReplyRoom, Side,
    Taken, body_from, body_in, check, extract,
};
pub use note::{Aside, Note, OutgoingText};
pub use ownership::{OwnedTurn, OwnerStatus, Silence};
pub use programs::{
    Awaited, ConcurrentOptions, GateFacts, News, Objections, OpenClaim, Request, RequestOptions,
    Runs, SeatView, ShownAttempt, StepDebate, UnreadClaim, answer, generation_of, request,
};
pub use reports::{Completed, Extent, Reported, ScreenReport, SelectedClaims, places};
pub use reviews::DueReviews;
pub use session::{
    Glance, Interruption, Look, Preview, PromptOutcome, Released, ResumeAction, Resumed,
    Resumption, StartNotice, Started, Steered, YOU_TYPED,
};
pub use session::{check_course, described, focus, voice_of};
pub use tasks::{Claimant, Claimed, TaskBoard, Ticket, Waiting};
