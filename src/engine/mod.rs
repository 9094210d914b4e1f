//! The use cases, such as start, pause and undo. Each takes plain data and gives back an outcome,
//! or [`Stopped`] with the reason why it did nothing.
//!
//! The events of a session go through its [`Turn`]. A use case calls no command line, hook or MCP
//! server.
//!
//! Every use case works in the order: load, decide, compose, commit. All pure steps that can fail
//! end before the first write.

mod context;
mod filing;
mod history;
mod issues;
mod lookup;
mod note;
mod output;
mod ownership;
mod programs;
mod reports;
mod session;
mod tasks;

pub use context::{Context, Session, Skipped, Stopped};
use context::{FIRST_DEBATE, LOCK_WAIT, SAME_PROMPT, SAME_STOP, expand, no_debate};
pub use filing::ReplyOutcome;
pub(crate) use filing::{Interpretation, check_goes_on, give_steering, reason, skip_to_synthesis};
pub use history::{
    DueReviews, FoundTexts, HistoryChange, Hit, PastDebate, PastDebates, PruneCandidate, PrunePlan,
    SnapshotEntry, SnapshotList, UndonePart,
};
pub use issues::{
    Checked, Embedded, Publication, Pulled, Side, Taken, body_from, body_in, check, extract,
};
pub use note::{Aside, Document, Note, NotePlace};
pub use ownership::{OwnerStatus, Silence, Turn};
pub(crate) use programs::{Asked, answer, generation_of, request};
pub use programs::{
    Beside, Followed, GateFacts, News, Objections, Open, Request, Runs, SeatDefaults, SeatView,
    ShownAttempt, StepDebate, UnreadClaim, duration,
};
pub(crate) use reports::places;
pub use reports::{Claims, Completed, Extent, Reported, ScreenReport};
pub use session::{
    Glance, Interruption, Look, Preview, PromptOutcome, Released, ResumeAction, Resumed,
    Resumption, Setting, StartNotice, Started, Steered, YOU_TYPED,
};
pub(crate) use session::{check_course, described, focus, voice_of};
pub use tasks::{Claimant, Claimed, TaskBoard, Ticket, Waiting};

pub use history::History;
pub use issues::Issues;
pub use programs::Programs;
pub use reports::Reports;
pub use session::Sessions;
pub use tasks::Tasks;

use crate::system::world::World;

/// The use cases, in the world of one run of the program.
#[derive(Debug)]
pub struct Engine<'a> {
    context: Context<'a>,
}

impl<'a> Engine<'a> {
    pub fn new(world: &'a World) -> Self {
        Self { context: Context::new(world) }
    }

    /// Takes the notes for the user, oldest first.
    pub fn take_notes(&self) -> Vec<Note> {
        self.context.notes.take()
    }

    /// Publishes a debate into an issue, and takes it from one.
    pub fn issues(&self) -> Issues<'_> {
        Issues { context: &self.context }
    }

    /// Actions of a user or of a Claude Code session on a debate.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions { context: &self.context }
    }

    /// The tasks of a debate, and the claims on them.
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks { context: &self.context }
    }

    /// A debate between programs.
    pub fn programs(&self) -> Programs<'_> {
        Programs { context: &self.context }
    }

    pub fn reports(&self) -> Reports<'_> {
        Reports::new(&self.context)
    }

    /// Undo, earlier debates, decisions.
    pub fn history(&self) -> History<'_> {
        History { context: &self.context }
    }

    /// The turn that ends with a Stop of this session.
    pub fn turn<'t>(&'t self, session: &'t Session) -> Result<Turn<'t>, Stopped> {
        ownership::turn::turn(&self.context, session)
    }
}
