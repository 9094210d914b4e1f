//! A debate: what is argued, who speaks next, and whether it runs.
//!
//! Pure: this room knows no files, no clock, no environment and no JSON. Time comes in as a value. Everything above
//! (state, prompts, engine) speaks in the types of this room.

mod advance;
mod continuation;
mod follow;
mod limits;
mod ownership;
mod place;
mod shape;
mod stop;

pub use advance::{Advance, Signal, advance};
pub use continuation::{Continuation, DEFAULT_CAP, continuation};
pub use follow::{furthest, may_wait_at, waits_at};
pub use limits::{
    DEFAULT_ROUNDS, MAX_CYCLES, MAX_FOCUS_CHARS, MAX_NAME_CHARS, MAX_OUTPUT_CHARS, MAX_OWN_CHARS, MAX_POSITION_CHARS,
    MAX_QUESTION_CHARS, MAX_RETRIES, MAX_ROUNDS, MAX_STEERING_CHARS, MAX_STEP, MAX_VOICES, MIN_ROUNDS,
};
pub use ownership::{Asker, Effect, Owner, Refusal, Verb, may_change};
pub use place::{Phase, Place};
pub use shape::{Boundary, Course, Format, Mode, Named};
pub use stop::{Stop, stop_behind};

use jiff::Timestamp;

/// Whether a debate runs, waits or is over. Stored as `status` in the state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Started in a shell; waits for a session to resume it.
    NotStarted,
    /// The owning session's next reply advances it.
    InProgress,
    /// A person, the client's cap or the end of the session stopped it; it can be resumed.
    Paused,
    /// The synthesis is filed and the report is written.
    Completed,
    /// A phase gave no usable reply after [`MAX_RETRIES`] more requests; it can be resumed.
    Failed,
    /// A person ended it; it lies in the archive.
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

    /// The same, for a person.
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

/// One debate: the question, its options, where it stands and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish that a person may have, whatever the others are")]
pub struct Debate {
    /// Names the debate in the archive and its report, such as `2026-11-21-should-we-9f3c`. Safe as a file name.
    pub id: String,
    /// What is argued, verbatim; 1 to [`MAX_QUESTION_CHARS`] characters.
    pub question: String,
    /// The stance of the person who asks; at most [`MAX_POSITION_CHARS`] characters.
    pub position: Option<String>,
    /// How the debate is argued.
    pub mode: Mode,
    /// A person's own text for the mode.
    pub mode_text: Option<String>,
    /// Stakeholders, or personas: up to two hold the seats, more take turns. At most [`MAX_VOICES`].
    pub voices: Vec<Named>,
    /// What the argument looks at: the name of a focus, or a person's own words.
    pub focus: Option<String>,
    /// What shapes the synthesis.
    pub framework: Option<Named>,
    /// Both sides look for sources.
    pub research: bool,
    /// The critic opens before there is a case to be seen.
    pub blind: bool,
    /// Behind each round a person steers the next one.
    pub interactive: bool,
    /// Where the debate stops by itself for a fresh conversation.
    pub boundary: Option<Boundary>,
    /// What the context was gathered from, for a person.
    pub context_source: Option<String>,
    /// The earlier result that this debate builds on, as the person named it.
    pub follow_up: Option<String>,
    /// The two results that are argued against each other, as the person named them.
    pub versus: Option<String>,
    /// What a person wants in every role.
    pub house_rules: Option<String>,
    /// A person's direction that no phase was given yet.
    pub steering: Option<String>,
    /// The next words that a person types in its session are its steering.
    pub awaits_steering: bool,
    /// A person wants the synthesis behind the reply that is being written.
    pub ending: bool,
    /// The synthesis was asked for once more, for the headings of its framework.
    pub reshaping: bool,
    /// Whose reply is awaited (or was the last one, when completed).
    pub place: Place,
    /// Rounds to argue before the synthesis, [`MIN_ROUNDS`] to [`MAX_ROUNDS`].
    pub max_rounds: u8,
    /// Whether it runs, waits or is over.
    pub status: Status,
    /// Why it is paused or failed, in a sentence; empty otherwise.
    pub status_detail: String,
    /// The Claude Code session that owns the debate; `None` until one resumes it.
    pub session_id: Option<String>,
    /// The client's name for the turn the debate runs in (`prompt_id`, seen on 2.1.200 and later).
    pub prompt_id: Option<String>,
    /// A person typed while a reply was being written: file that reply, then pause.
    pub pausing: bool,
    /// The cue of this phase asks for a Read of the debate's file; a reply without it is not filed.
    pub must_read: bool,
    /// Strictly rising; one more at every change of place.
    pub step: u32,
    /// 1; one more each time a finished debate is opened again.
    pub cycle: u32,
    /// Unusable replies in this phase so far, 0 to [`MAX_RETRIES`].
    pub retry_count: u8,
    /// Continuations handed out since the model last used a tool; the client caps them.
    pub continuations: u32,
    /// Where the report goes, as the person asked for it: relative to the project, or absolute.
    pub output: Option<String>,
    /// When the debate was started.
    pub started_at: Timestamp,
    /// When its place or status last changed, or its phase was asked for again; to the millisecond. What the model wrote
    /// before belongs to another phase, and a redelivered event is told by it.
    pub updated_at: Timestamp,
}

impl Debate {
    /// A new debate at its first place, not yet owned by a session.
    #[must_use]
    pub fn new(id: String, question: String, max_rounds: u8, now: Timestamp) -> Self {
        Self {
            id,
            question,
            position: None,
            mode: Mode::Analyst,
            mode_text: None,
            voices: Vec::new(),
            focus: None,
            framework: None,
            research: false,
            blind: false,
            interactive: false,
            boundary: None,
            context_source: None,
            follow_up: None,
            versus: None,
            house_rules: None,
            steering: None,
            awaits_steering: false,
            ending: false,
            reshaping: false,
            place: Place::FIRST,
            max_rounds,
            status: Status::NotStarted,
            status_detail: String::new(),
            session_id: None,
            prompt_id: None,
            pausing: false,
            must_read: false,
            step: 1,
            cycle: 1,
            retry_count: 0,
            continuations: 0,
            output: None,
            started_at: now,
            updated_at: now,
        }
    }

    /// Only a debate in progress reacts to its session's replies. Stored as `active` in the state file.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.status == Status::InProgress
    }

    /// The next step, behind `other` too.
    pub fn take_step_behind(&mut self, other: u32) {
        self.step = self.step.max(other).saturating_add(1).min(MAX_STEP);
    }

    /// Stops the debate where it is; `why` is a sentence without its full stop. The count of continuations starts anew.
    pub fn pause(&mut self, why: String, now: Timestamp) {
        self.updated_at = now;
        self.status = Status::Paused;
        self.status_detail = why;
        self.pausing = false;
        self.awaits_steering = false;
        self.continuations = 0;
    }

    /// Who speaks before the synthesis.
    #[must_use]
    pub fn format(&self) -> Format {
        Format::of(&self.mode, self.voices.len())
    }

    /// Its way from the first place to the synthesis.
    #[must_use]
    pub fn course(&self) -> Course {
        let format = self.format();
        let max_rounds = match format {
            Format::Seats => self.max_rounds,
            Format::Stakeholders | Format::Personas => u8::try_from(self.voices.len()).unwrap_or(u8::MAX),
        };
        Course { format, max_rounds, blind: self.blind }
    }

    /// Who speaks at a place: the stakeholder or persona, where it has one.
    #[must_use]
    pub fn voice_at(&self, place: Place) -> Option<&Named> {
        match (place.phase, self.voices.as_slice()) {
            (Phase::Stakeholder | Phase::Persona, voices) => voices.get(usize::from(place.round).checked_sub(1)?),
            (Phase::Advocate, [advocate, _]) => Some(advocate),
            // One persona alone is the one who objects.
            (Phase::Critic, [critic] | [_, critic]) => Some(critic),
            (Phase::Advocate | Phase::Critic | Phase::Synthesizer, _) => None,
        }
    }

    /// Phases that are behind, and phases in all: the measure of progress.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        let course = self.course();
        let total = course.phases_left(course.first());
        match self.status {
            Status::Completed => (total, total),
            _ => (total.saturating_sub(course.phases_left(self.place)), total),
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
        debate.place = Place { phase: Phase::Critic, round: 2 };
        assert_eq!(debate.progress(), (3, 7));
        debate.place = Place { phase: Phase::Synthesizer, round: 3 };
        assert_eq!(debate.progress(), (6, 7));
        debate.status = Status::Completed;
        assert_eq!(debate.progress(), (7, 7));
    }
}
