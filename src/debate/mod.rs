//! A debate: what is argued, who speaks next, and whether it runs.
//!
//! Pure: this room knows no files, no clock, no environment and no JSON. Time comes in as a value. Everything above
//! (state, prompts, engine) speaks in the types of this room.

mod advance;
mod continuation;
mod follow;
mod judges;
mod label;
mod limits;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/debate.rs"]
pub(crate) mod linear;
mod options;
mod ownership;
mod permission;
mod progress;
mod schedule;
mod seat;
mod slot;
mod stop;
mod transitions;

pub use advance::{Advance, Signal, advance};
pub use continuation::{Continuation, DEFAULT_CAP, continuation};
pub use follow::{furthest, may_be_ended_at, may_wait_at, waits_at};
pub use limits::{
    DEFAULT_ROUNDS, MAX_CYCLES, MAX_FOCUS_CHARS, MAX_JUDGES, MAX_NAME_CHARS, MAX_OUTPUT_CHARS, MAX_OWN_CHARS,
    MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_RETRIES, MAX_ROUNDS, MAX_STEERING_CHARS, MAX_STEP, MAX_VOICES,
    MIN_JUDGES, MIN_ROUNDS,
};
pub use options::{FactCheck, Options};
pub use ownership::{Ownership, Pending};
pub use permission::{Asker, Effect, Owner, Refusal, Verb, may_change};
pub use progress::Progress;
pub use schedule::{Boundary, Format, Mode, Named, Schedule};
pub use seat::Seat;
pub use slot::{Phase, Slot};
pub use stop::{Stop, stop_after};

use jiff::Timestamp;

/// Whether a debate runs, waits or is over. Stored as `status` in the state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Started in a shell; waits for a session to resume it.
    NotStarted,
    /// The owning session's next reply advances it.
    InProgress,
    /// The user, the client's cap or the end of the session stopped it; it can be resumed.
    Paused,
    /// The synthesis is filed and the report is written.
    Completed,
    /// A phase gave no usable reply after [`MAX_RETRIES`] more requests; it can be resumed.
    Failed,
    /// The user ended it; it lies in the archive.
    Cancelled,
}

impl Status {
    /// Every status, in the order of a debate's life.
    pub const ALL: [Self; 6] =
        [Self::NotStarted, Self::InProgress, Self::Paused, Self::Completed, Self::Failed, Self::Cancelled];

    /// The word in the state file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::InProgress => "in_progress",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The same, for the user.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NotStarted => "not started",
            Self::InProgress => "in progress",
            other => other.word(),
        }
    }

    /// The status that a word of the state file names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// True while there is something left to argue: the debate can run or be resumed.
    #[must_use]
    pub fn is_unfinished(self) -> bool {
        match self {
            Self::NotStarted | Self::InProgress | Self::Paused | Self::Failed => true,
            Self::Completed | Self::Cancelled => false,
        }
    }
}

/// One debate: what was asked for, where it stands and whose it is.
///
/// Whoever reads it may read every field; what changes [`Progress`] and [`Ownership`] are the methods of this room
/// alone (`tests/it/house.rs` holds the program to that).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debate {
    /// Names the debate in the archive and its report, such as `2026-11-21-should-we-9f3c`. Safe as a file name.
    pub id: String,
    /// What is argued, verbatim; 1 to [`MAX_QUESTION_CHARS`] characters.
    pub question: String,
    /// What was asked for.
    pub options: Options,
    /// Where it stands.
    pub progress: Progress,
    /// Whose it is.
    pub ownership: Ownership,
}

impl Debate {
    /// A new debate at its first place, not yet owned by a session.
    #[must_use]
    pub fn new(id: String, question: String, max_rounds: u8, now: Timestamp) -> Self {
        let options = Options { max_rounds, ..Options::default() };
        Self { id, question, options, progress: Progress::new(now), ownership: Ownership::default() }
    }

    /// Only a debate in progress reacts to its session's replies. Stored as `active` in the state file.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.progress.status == Status::InProgress
    }

    /// True for the session that owns it.
    #[must_use]
    pub fn is_owned_by(&self, session_id: &str) -> bool {
        self.ownership.session_id.as_deref() == Some(session_id)
    }

    /// True when the next words that the user types in its session are its direction.
    #[must_use]
    pub fn awaits_direction(&self) -> bool {
        self.ownership.pending == Pending::Direction
    }

    /// True when it pauses after the reply that is being written.
    #[must_use]
    pub fn pause_requested(&self) -> bool {
        self.ownership.pending == Pending::Pause
    }

    /// Who speaks before the synthesis.
    #[must_use]
    pub fn format(&self) -> Format {
        Format::of(&self.options.mode, self.options.voices.len())
    }

    /// Its way from the first place to the synthesis.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let format = self.format();
        let max_rounds = match format {
            Format::Seats => self.options.max_rounds,
            Format::Stakeholders | Format::Personas => u8::try_from(self.options.voices.len()).unwrap_or(u8::MAX),
        };
        Schedule { format, max_rounds, blind: self.options.blind }
    }

    /// Who speaks at a place: the stakeholder or persona, where it has one.
    #[must_use]
    pub fn voice_at(&self, slot: Slot) -> Option<&Named> {
        match (slot.phase, self.options.voices.as_slice()) {
            (Phase::Stakeholder | Phase::Persona, voices) => voices.get(usize::from(slot.round).checked_sub(1)?),
            (Phase::Advocate, [advocate, _]) => Some(advocate),
            // One persona alone is the one who objects.
            (Phase::Critic, [critic] | [_, critic]) => Some(critic),
            (Phase::Advocate | Phase::Critic | Phase::Synthesizer, _) => None,
        }
    }

    /// Phases that are done, and phases in all: the measure of progress.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        let schedule = self.schedule();
        let total = schedule.phases_left(schedule.first()) + u32::from(self.judges() - 1);
        match self.progress.status {
            Status::Completed => (total, total),
            _ => (total.saturating_sub(self.replies_left()), total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_back_from_its_word() {
        for status in Status::ALL {
            assert_eq!(Status::from_word(status.word()), Some(status));
        }
        assert_eq!(Status::from_word("running"), None);
    }

    #[test]
    fn progress_counts_the_phases_behind() {
        let now = Timestamp::UNIX_EPOCH;
        let mut debate = Debate::new("id".into(), "Q".into(), 3, now);
        assert_eq!(debate.progress(), (0, 7));
        debate.progress.slot = Slot { phase: Phase::Critic, round: 2 };
        assert_eq!(debate.progress(), (3, 7));
        debate.progress.slot = Slot { phase: Phase::Synthesizer, round: 3 };
        assert_eq!(debate.progress(), (6, 7));
        debate.progress.status = Status::Completed;
        assert_eq!(debate.progress(), (7, 7));
    }
}
