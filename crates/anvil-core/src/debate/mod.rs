//! A debate: its question, its next seat and its status.
//!
//! No files, no clock, no environment and no JSON. Time comes in as a value.

pub(crate) mod continuation;
pub(crate) mod judges;
pub(crate) mod label;
mod motion;
pub(crate) mod ownership;
pub(crate) mod permission;
mod places;
pub(crate) mod progress;
pub(crate) mod stop;
pub(crate) mod stop_reason;
mod texts;
pub(crate) mod transitions;

pub use continuation::{Continuation, DEFAULT_CAP, continuation};
pub use ownership::{Ownership, Pending};
pub use permission::{Asker, Effect, Owner, Refusal, UserAction, may_change};
pub use progress::Progress;
pub use stop::{stops_after, stops_within};
pub use stop_reason::{PlainReason, StopReason};

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::options::{Mode, Named, Options};
use crate::place::{DebateFormat, Place, Schedule, Seat, phase_word};
use crate::question::{Alternatives, asking_sentence};

/// Stored as `status` in the state file; in the order of a debate's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Started in a shell; waits for a session to resume it.
    NotStarted,
    /// The owning session's next reply advances it.
    InProgress,
    /// The user, the client's cap or the end of the session stopped it; it can be resumed.
    Paused,
    /// The synthesis is saved and the report is written.
    Completed,
    /// A phase gave no usable reply after [`MAX_RETRIES`](crate::limits::MAX_RETRIES) more requests; it can be resumed.
    Failed,
    /// The user ended it; only its records are left.
    Cancelled,
}

impl Status {
    /// The word in the state file.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The status in words for the user.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotStarted => "not started",
            Self::InProgress => "in progress",
            other => other.word(),
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// True if something is left to argue: the debate can run or be resumed.
    pub fn is_unfinished(self) -> bool {
        match self {
            Self::NotStarted | Self::InProgress | Self::Paused | Self::Failed => true,
            Self::Completed | Self::Cancelled => false,
        }
    }
}

/// One debate: its options, its progress and its owner.
///
/// Only methods of this module change its progress and its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debate {
    /// The name of its records, such as `2026-11-21-should-we-9f3c`. Safe as a
    /// file name.
    pub id: String,
    /// Verbatim; 1 to [`MAX_QUESTION_CHARS`](crate::limits::MAX_QUESTION_CHARS) characters.
    pub question: String,
    pub options: Options,
    progress: Progress,
    ownership: Ownership,
}

impl Debate {
    /// A new debate at its first place, not yet owned by a session.
    pub fn new(id: String, question: String, max_rounds: u8, now: Timestamp) -> Self {
        let options = Options { max_rounds, ..Options::default() };
        Self::of_parts(id, question, options, Progress::new(now), Ownership::default())
    }

    /// A debate as a file has it.
    pub fn of_parts(
        id: String,
        question: String,
        options: Options,
        progress: Progress,
        ownership: Ownership,
    ) -> Self {
        Self { id, question, options, progress, ownership }
    }

    /// The parts that change: the opposite of [`Self::of_parts`].
    pub fn into_parts(self) -> (Options, Progress, Ownership) {
        (self.options, self.progress, self.ownership)
    }

    /// True if it reacts to its session's replies. Stored as `active` in the state file.
    pub fn is_active(&self) -> bool {
        self.progress.status == Status::InProgress
    }

    pub fn is_owned_by(&self, session_id: &str) -> bool {
        self.ownership.session_id.as_deref() == Some(session_id)
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&StopReason> {
        let reason = self.progress.stop_reason.as_ref();
        reason.filter(|_| self.progress.status == Status::Failed)
    }

    /// Why it stopped, as a sentence without its full stop; empty if nothing says so.
    pub fn why_stopped(&self) -> String {
        self.progress.stop_reason.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// True if the next text that the user types in its session is a direction.
    pub fn awaits_direction(&self) -> bool {
        self.ownership.pending == Pending::Direction
    }

    /// True if it pauses after the reply that is being written.
    pub fn pause_requested(&self) -> bool {
        self.ownership.pending == Pending::Pause
    }

    pub fn format(&self) -> DebateFormat {
        self.options.mode.format(self.options.voices.len())
    }

    /// True for the last of several rounds of two sides. New claims would have no answer there. The
    /// debate about a document has no such round.
    pub fn is_last_round(&self, round: u8) -> bool {
        self.has_sides() && round >= self.options.max_rounds && round > 1
    }

    /// True if a seat can end the argument before its last round. In a debate of two sides that
    /// saves nothing unless three rounds are set.
    pub fn may_end_early(&self) -> bool {
        !self.has_sides() || self.options.max_rounds >= 3
    }

    /// True if an advocate and a critic argue, and not about a document.
    fn has_sides(&self) -> bool {
        self.format() == DebateFormat::Seats && self.options.mode != Mode::Revise
    }

    /// The places from the first to the synthesis.
    pub fn schedule(&self) -> Schedule {
        let format = self.format();
        let max_rounds = match format {
            DebateFormat::Seats => self.options.max_rounds,
            DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options => {
                u8::try_from(self.options.voices.len()).unwrap_or(u8::MAX)
            }
        };
        // The document is the case: the critic speaks first.
        let blind = self.options.blind || self.options.mode == Mode::Revise;
        Schedule { format, max_rounds, blind }
    }

    /// The word of the phase that the debate waits at, in the file and in JSON.
    pub fn phase(&self) -> &'static str {
        phase_word(self.progress.place.seat, self.schedule().task(self.progress.place))
    }

    /// The stakeholder, the persona or the option that speaks at a place. `None`: an advocate or a
    /// critic without one.
    pub fn voice_at(&self, place: Place) -> Option<&Named> {
        match (place.seat, self.options.voices.as_slice()) {
            (Seat::Voice(voice), voices) => voices.get(usize::from(voice).checked_sub(1)?),
            (Seat::Advocate, [advocate, _]) => Some(advocate),
            // A single persona takes the critic's seat.
            (Seat::Critic, [critic] | [_, critic]) => Some(critic),
            (Seat::Advocate | Seat::Critic | Seat::Synthesizer | Seat::Judge(_), _) => None,
        }
    }

    /// The options that its verdict can name: those that the user typed, or two that the question
    /// plainly names.
    pub fn alternatives(&self) -> Alternatives {
        let options = match self.options.mode {
            Mode::Options => Alternatives {
                names: self.options.voices.iter().map(|voice| voice.name.clone()).collect(),
                are_typed: true,
                ..Alternatives::default()
            },
            Mode::Revise => Alternatives::default(),
            _ if self.options.plan.is_some() => Alternatives::default(),
            _ => Alternatives::in_question(asking_sentence(&self.question).unwrap_or_default()),
        };
        let last = self.options.max_rounds;
        Alternatives {
            motion: self.motion().map(str::to_owned),
            last_round: Some(last).filter(|last| self.is_last_round(*last)),
            has_plan: self.options.plan.is_some(),
            is_document: self.options.mode == Mode::Revise,
            is_blind: self.options.blind,
            question: self.question.clone(),
            ..options
        }
    }

    /// The options that the user typed, each with the seat that argues for it.
    pub fn seats_of_options(&self) -> impl Iterator<Item = (Seat, &str)> {
        let is_choice = self.options.mode == Mode::Options;
        let has_sides = self.format() == DebateFormat::Seats;
        (1..).zip(self.options.voices.iter().filter(move |_| is_choice)).map(
            move |(number, voice)| {
                let seat = match number {
                    1 if has_sides => Seat::Advocate,
                    _ if has_sides => Seat::Critic,
                    _ => Seat::Voice(number),
                };
                (seat, voice.name.as_str())
            },
        )
    }

    /// Phases done, and phases in all.
    pub fn count_phases(&self) -> (u32, u32) {
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
        for &status in Status::VARIANTS {
            assert_eq!(Status::from_word(status.word()), Some(status));
        }
        assert_eq!(Status::from_word("running"), None);
    }

    #[test]
    fn progress_counts_the_finished_phases() {
        let now = Timestamp::UNIX_EPOCH;
        let mut debate = Debate::new("id".into(), "Q".into(), 3, now);
        assert_eq!(debate.count_phases(), (0, 7));
        debate.progress.place = Place { seat: Seat::Critic, round: 2 };
        assert_eq!(debate.count_phases(), (3, 7));
        debate.progress.place = Place { seat: Seat::Synthesizer, round: 3 };
        assert_eq!(debate.count_phases(), (6, 7));
        debate.progress.status = Status::Completed;
        assert_eq!(debate.count_phases(), (7, 7));
    }
}
