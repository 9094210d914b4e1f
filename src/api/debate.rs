//! A debate in memory: gives requests and takes replies.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::SystemTime;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

use super::{Error, ErrorKind, Ledger, Result};
use anvil_core::debate;
use anvil_core::limits::{DEFAULT_ROUNDS, MAX_QUESTION_CHARS, MAX_STEERING_CHARS};
use anvil_core::place::Seat;
use anvil_core::question::motion;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::{self, Author, NoteKind};
use anvil_engine::{Interpretation, RequestOptions};
use anvil_report::{Files, Format, Model, ReportSource};
use anvil_store::{MAX_STATE_BYTES, StateFile, new_id};
use anvil_text::Scrubber;

/// Prompts are never cut: the caller knows the limit of its model.
const NO_LIMIT: usize = usize::MAX / 8;

/// A structured debate between seats that disagree, and a synthesis that says what survived.
///
/// A debate goes step by step: [`next_request`](Self::next_request) gives the next seat and its
/// prompt, [`submit`](Self::submit) checks the reply and adds it to the debate. Everything is in
/// memory; only [`save`](Self::save) and [`load`](Self::load) touch files. The clock is read once,
/// when a debate is made or loaded; [`set_time`](Self::set_time) sets a later time.
///
/// ```text
/// let mut debate = Debate::new("Should we …?")?.rounds(2)?.position("we should wait")?;
/// ```
#[derive(Clone, Debug)]
pub struct Debate {
    pub(crate) state: StateFile,
    /// The last reply of the next seat, if it was not usable.
    unusable: Option<String>,
    /// The hash of the file when it was last read or written.
    pub(crate) last_seen: Option<u64>,
    /// The date of the next reply.
    pub(crate) now: Timestamp,
}

/// The status of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The debate waits for a reply.
    InProgress,
    /// The debate has its synthesis.
    Completed,
    /// A seat gave too many unusable replies. After save and load it may try again.
    Failed,
    /// The user has cancelled the debate in the program.
    Cancelled,
}

/// The next seat and its prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The seat that writes the reply.
    pub seat: Seat,
    /// The reply's name: `critic, round 2`, `voice 3`, `judge 1`, `synthesis`.
    pub slot: String,
    /// The round, counted from 1. If voices take turns, the number of the voice.
    pub round: u8,
    /// The whole prompt: rules, question, material, claims, and the replies of other seats.
    pub prompt: String,
    /// The fingerprint of the debate when this request was made.
    fingerprint: u64,
}

/// The result of [`Debate::submit`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Submitted {
    /// The reply is saved; another seat is next.
    Advanced,
    /// The reply is not saved. The next request is for the same seat and shows it this reply.
    AskedAgain {
        /// The fault of the reply.
        why: String,
    },
    /// The reply is saved, and the debate has its synthesis.
    Completed,
    /// The reply is not saved, and the seat may not try again.
    Failed {
        /// The fault of the reply.
        why: String,
    },
}

/// An earlier state of a debate, for [`Debate::restore`].
#[derive(Clone, Debug)]
pub struct Snapshot(Debate);

impl Debate {
    /// Makes a debate with two rounds of advocate and critic, then the synthesis. Options can
    /// change that before the first reply.
    ///
    /// Reads the clock.
    pub fn new(question: &str) -> Result<Self> {
        let hint = format!("a question has 1 to {MAX_QUESTION_CHARS} characters");
        let question = anvil_command::question(question)
            .map_err(|error| Error::invalid(error.to_string(), hint))?;
        let made = Timestamp::now();
        // Two debates of one question can be made within a millisecond.
        let id = new_id(&question, made, "");
        let now = to_the_millisecond(made);
        let mut debate = debate::Debate::new(id, question, DEFAULT_ROUNDS, now);
        debate.options.motion = motion::of_question(&debate.question);
        debate.take_up();
        Ok(Self::holding(StateFile::new(debate), now))
    }

    /// Holds a debate that no session argues.
    pub(crate) fn holding(state: StateFile, now: Timestamp) -> Self {
        Self { state, unusable: None, last_seen: None, now }
    }

    /// Sets the time. Later replies have this date.
    pub fn set_time(&mut self, time: SystemTime) -> Result<()> {
        let time = Timestamp::try_from(time)
            .map_err(|_| Error::invalid("the time is out of range", "a year has four digits"))?;
        self.now = to_the_millisecond(time);
        Ok(())
    }

    /// The debate's id, such as `2026-11-21-should-we-9f3c`. It is safe as a file name.
    pub fn id(&self) -> &str {
        &self.state.debate.id
    }

    /// The question, verbatim.
    pub fn question(&self) -> &str {
        &self.state.debate.question
    }

    /// The debate's status.
    pub fn status(&self) -> Status {
        match self.state.debate.status() {
            debate::Status::NotStarted | debate::Status::InProgress | debate::Status::Paused => {
                Status::InProgress
            }
            debate::Status::Completed => Status::Completed,
            debate::Status::Failed => Status::Failed,
            debate::Status::Cancelled => Status::Cancelled,
        }
    }

    /// The number of saved replies, and of all replies if every round is argued.
    pub fn progress(&self) -> (u32, u32) {
        self.state.debate.count_phases()
    }

    /// The next request. `None`: the debate is over; [`status`](Self::status) says how.
    ///
    /// Equal states give equal requests.
    pub fn next_request(&self) -> Option<Request> {
        if self.status() != Status::InProgress {
            return None;
        }
        // Without a limit, every prompt fits.
        let how = RequestOptions { before: self.unusable.as_deref(), ..RequestOptions::default() };
        let request = anvil_engine::request(&self.state, Path::new(""), how, |_| NO_LIMIT).ok()?;
        let round = self.state.debate.place().number();
        let fingerprint = self.fingerprint();
        let anvil_engine::Request { seat, slot, prompt, .. } = request;
        let slot = slot.to_string();
        Some(Request { seat, slot, round, prompt, fingerprint })
    }

    /// Takes the reply to a request. If it is usable, adds it and moves the debate on.
    ///
    /// A request from another state of the debate is [`ErrorKind::Stale`], and changes nothing.
    pub fn submit(&mut self, request: &Request, reply: &str) -> Result<Submitted> {
        self.take(request, reply.into())
    }

    /// Like [`submit`](Self::submit), and the debate keeps who wrote the reply.
    pub fn submit_by(
        &mut self,
        request: &Request,
        reply: &str,
        author: &Author,
    ) -> Result<Submitted> {
        self.take(request, WrittenReply { text: reply, author: Some(author), limit: None })
    }

    fn take(&mut self, request: &Request, written: WrittenReply<'_>) -> Result<Submitted> {
        let reply = written.text;
        if request.fingerprint != self.fingerprint() {
            let message =
                format!("the debate does not wait for this reply any more ({})", request.slot);
            let hint = "ask for the next request, and answer that one";
            return Err(Error::new(ErrorKind::Stale, message, hint));
        }
        self.check_unfinished()?;
        check_size(self.state.body.len() + reply.len())?;
        let mut state = self.state.clone();
        let outcome = anvil_engine::answer(&mut state, written, self.now);
        check_size(state.body.len())?;
        self.state = state;
        self.unusable = None;
        Ok(match outcome {
            Interpretation::Next { .. } | Interpretation::Block { .. } => Submitted::Advanced,
            Interpretation::Synthesis { .. } => Submitted::Completed,
            Interpretation::Again(why, _) => {
                self.unusable = Some(reply.trim().to_owned());
                Submitted::AskedAgain { why: anvil_engine::reason(&why) }
            }
            Interpretation::NoMore(_) => Submitted::Failed { why: self.state.debate.why_stopped() },
        })
    }

    /// Gives the next seat a direction: a subject, not a verdict.
    pub fn steer(&mut self, direction: &str) -> Result<()> {
        self.check_unfinished()?;
        anvil_engine::check_goes_on(&self.state.debate)
            .map_err(|error| Error::invalid(error.to_string(), "its block is the next reply"))?;
        let hint = format!("a direction has 1 to {MAX_STEERING_CHARS} characters");
        let direction = anvil_command::steering(direction)
            .map_err(|error| Error::invalid(error.to_string(), hint))?;
        transcript::append_note(&mut self.state.body, NoteKind::Steering, self.now, &direction);
        self.state.debate.touch(self.now);
        Ok(())
    }

    /// Ends the argument, so the synthesis is next. Needs at least one reply.
    pub fn synthesize(&mut self) -> Result<()> {
        self.check_unfinished()?;
        let skipped = anvil_engine::skip_to_synthesis(&mut self.state);
        skipped.map_err(|error| Error::invalid(error.to_string(), "submit a reply first"))?;
        self.unusable = None;
        self.state.debate.touch(self.now);
        Ok(())
    }

    pub(crate) fn check_unfinished(&self) -> Result<()> {
        let (message, hint) = match self.status() {
            Status::InProgress => return Ok(()),
            Status::Completed => ("the debate is complete", "its report has the verdict"),
            Status::Failed => ("the debate has failed", "go back to a snapshot, or load it again"),
            Status::Cancelled => ("the debate was cancelled", "start another one"),
        };
        Err(Error::new(ErrorKind::Over, message, hint))
    }

    /// Copies the debate's state in memory.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.clone())
    }

    /// Returns to a snapshot. Requests made since then are [`ErrorKind::Stale`]; the time does
    /// not change.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot(before) = snapshot;
        self.state.clone_from(&before.state);
        self.unusable.clone_from(&before.unusable);
    }

    /// Every claim so far, every move on it, and the faults that a program can find.
    pub fn ledger(&self) -> Ledger {
        Ledger::from_state(&self.state)
    }

    /// The debate so far as a document.
    ///
    /// This is the text that `anvil report` prints, without paths of files: a debate in memory has
    /// none.
    pub fn report(&self, format: Format) -> String {
        let entries = transcript::parse(&self.state.body);
        let debate = &self.state.debate;
        let scrubber = &Scrubber::default();
        let source = ReportSource { debate, entries: &entries, scrubber };
        format.render(&Model::from_source(&source, &Files::default()))
    }

    /// Identifies one state of one debate.
    fn fingerprint(&self) -> u64 {
        let debate = &self.state.debate;
        let mut hasher = DefaultHasher::new();
        (
            &debate.id,
            anvil_engine::generation_of(debate),
            debate.place().number(),
            &self.state.body,
        )
            .hash(&mut hasher);
        self.unusable.hash(&mut hasher);
        hasher.finish()
    }
}

fn check_size(bytes: usize) -> Result<()> {
    if bytes as u64 <= MAX_STATE_BYTES {
        return Ok(());
    }
    let message =
        format!("with this reply the debate would have more than {MAX_STATE_BYTES} bytes");
    Err(Error::invalid(message, "shorten the reply"))
}

pub(super) fn to_the_millisecond(time: Timestamp) -> Timestamp {
    time.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc))
        .unwrap_or(time)
}
