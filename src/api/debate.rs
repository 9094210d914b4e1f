//! A debate in memory: who writes next, and what becomes of the reply.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::SystemTime;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

use super::{Error, ErrorKind, Ledger, Result};
use crate::command;
use crate::debate::{self, DEFAULT_ROUNDS, Seat};
use crate::engine::{self, Answered, Asked};
use crate::report::{Files, Format, Model, Source};
use crate::state::{MAX_STATE_BYTES, StateFile, new_id};
use crate::text::Places;
use crate::transcript::{self, Kind};

/// No prompt is cut: whoever calls knows what its model takes.
const NO_LIMIT: usize = usize::MAX / 8;

/// A structured debate between seats that disagree, and a synthesis that says what survived.
///
/// It is argued step by step: [`next_request`](Self::next_request) says who writes next and what that seat is shown,
/// [`submit`](Self::submit) checks and files the reply. All of it is in memory; only [`save`](Self::save) and
/// [`load`](Self::load) touch files. The clock is read once, when a debate is made or loaded; [`set_time`](Self::set_time) says
/// how late it is since.
///
/// ```text
/// let mut debate = Debate::new("Should we …?")?.rounds(2)?.position("we should wait")?;
/// ```
#[derive(Clone, Debug)]
pub struct Debate {
    pub(super) state: StateFile,
    /// What the seat that is next wrote last, where that was not filed.
    unfiled: Option<String>,
    /// What the file held that was read or written last.
    pub(super) last_seen: Option<u64>,
    /// When what comes next is filed.
    pub(super) now: Timestamp,
}

/// Where a debate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// A reply is awaited.
    InProgress,
    /// It has its synthesis.
    Completed,
    /// A seat gave no usable reply after all its chances. Saved and loaded, it has them anew.
    Failed,
    /// The user ended it, in the program.
    Cancelled,
}

/// Who writes next, and what that seat is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Who writes.
    pub seat: Seat,
    /// What: `critic, round 2`, `persona 3`, `judge 1`, `synthesis`.
    pub slot: String,
    /// Its round, counted from 1. Where voices take turns, the number of the voice.
    pub round: u8,
    /// The whole prompt: rules, question, material, claims, and what the other seats wrote.
    pub prompt: String,
    /// The state of the debate that is asked about.
    asked_of: u64,
}

/// What became of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Submitted {
    /// It is filed; another seat is next.
    Advanced,
    /// It is not filed: the same seat is asked once more, and shown what it wrote.
    AskedAgain {
        /// What is wrong with it.
        why: String,
    },
    /// It is filed, and the debate has its synthesis.
    Completed,
    /// It is not filed, and the seat has had its chances.
    Failed {
        /// What was wrong with it.
        why: String,
    },
}

/// A debate as it stood, to go back to.
#[derive(Clone, Debug)]
pub struct Checkpoint(Debate);

impl Debate {
    /// A new debate: three rounds of advocate and critic, then the synthesis, unless more is said before the first reply.
    ///
    /// Reads the clock.
    pub fn new(question: &str) -> Result<Self> {
        let hint = format!("a question has 1 to {} characters", debate::MAX_QUESTION_CHARS);
        let question = command::question(question).map_err(|error| Error::of(ErrorKind::Invalid, &error, hint))?;
        let now = to_the_millisecond(Timestamp::now());
        let id = new_id(&question, now, "");
        let mut debate = debate::Debate::new(id, question, DEFAULT_ROUNDS, now);
        debate.take_up();
        Ok(Self::holding(StateFile::new(debate), now))
    }

    /// Holds a debate that nobody else argues.
    pub(super) fn holding(state: StateFile, now: Timestamp) -> Self {
        Self { state, unfiled: None, last_seen: None, now }
    }

    /// Says how late it is: what is filed from now on has this date.
    pub fn set_time(&mut self, time: SystemTime) -> Result<()> {
        let time = Timestamp::try_from(time)
            .map_err(|_| Error::invalid("the time is out of range", "a year has four digits"))?;
        self.now = to_the_millisecond(time);
        Ok(())
    }

    /// The name of the debate, such as `2026-11-21-should-we-9f3c`. Safe as the name of a file.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.state.debate.id
    }

    /// What is argued, verbatim.
    #[must_use]
    pub fn question(&self) -> &str {
        &self.state.debate.question
    }

    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.state.debate.progress.status {
            debate::Status::NotStarted | debate::Status::InProgress | debate::Status::Paused => Status::InProgress,
            debate::Status::Completed => Status::Completed,
            debate::Status::Failed => Status::Failed,
            debate::Status::Cancelled => Status::Cancelled,
        }
    }

    /// Replies that are filed, and replies in all if every round is argued.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        self.state.debate.progress()
    }

    /// Who writes next. `None`: nothing more is argued, as [`status`](Self::status) says.
    ///
    /// The same state gives the same request, however often it is asked for.
    #[must_use]
    pub fn next_request(&self) -> Option<Request> {
        let debate = &self.state.debate;
        if self.status() != Status::InProgress {
            return None;
        }
        // Without a limit every prompt fits.
        let how = Asked { before: self.unfiled.as_deref(), ..Asked::default() };
        let asked = engine::request(&self.state, Path::new(""), how, |_| NO_LIMIT).ok()?;
        let (seat, round) = (asked.seat, debate.progress.slot.round);
        Some(Request { seat, slot: asked.name, round, prompt: asked.prompt, asked_of: self.fingerprint() })
    }

    /// Files the reply to a request, if it can be used, and moves the debate on.
    ///
    /// A request of another state of the debate is [`ErrorKind::Stale`], and nothing changes.
    pub fn submit(&mut self, request: &Request, reply: &str) -> Result<Submitted> {
        if request.asked_of != self.fingerprint() {
            let message = format!("the debate does not wait for this reply any more ({})", request.slot);
            return Err(Error::new(ErrorKind::Stale, message, "ask for the next request, and answer that one"));
        }
        self.check_unfinished()?;
        check_size(self.state.body.len() + reply.len())?;
        let mut state = self.state.clone();
        let answered = engine::answer(&mut state, reply, self.now);
        check_size(state.body.len())?;
        self.state = state;
        self.unfiled = None;
        Ok(match answered {
            Answered::Judged { .. } | Answered::Next { .. } => Submitted::Advanced,
            Answered::Synthesis(..) => Submitted::Completed,
            Answered::Again { why, .. } => {
                self.unfiled = Some(reply.trim().to_owned());
                Submitted::AskedAgain { why }
            }
            Answered::Failed => Submitted::Failed { why: self.state.debate.progress.status_detail.clone() },
        })
    }

    /// Gives the next seat a direction: what to look at, and not who is right.
    pub fn steer(&mut self, direction: &str) -> Result<()> {
        self.check_unfinished()?;
        let hint = format!("a direction has 1 to {} characters", debate::MAX_STEERING_CHARS);
        let direction = command::steering(direction).map_err(|error| Error::of(ErrorKind::Invalid, &error, hint))?;
        transcript::append_note(&mut self.state.body, Kind::Steering, self.now, &direction);
        self.state.debate.touch(self.now);
        Ok(())
    }

    /// Ends the argument: the synthesis is next. Something has to be argued before.
    pub fn synthesize(&mut self) -> Result<()> {
        self.check_unfinished()?;
        let skipped = engine::skip_to_synthesis(&mut self.state);
        skipped.map_err(|error| Error::of(ErrorKind::Invalid, &error, "submit a reply first"))?;
        self.unfiled = None;
        self.state.debate.touch(self.now);
        Ok(())
    }

    pub(super) fn check_unfinished(&self) -> Result<()> {
        match self.status() {
            Status::InProgress => Ok(()),
            Status::Completed => {
                Err(Error::new(ErrorKind::Over, "the debate is complete", "its report tells the rest"))
            }
            Status::Failed => {
                Err(Error::new(ErrorKind::Over, "the debate has failed", "go back to a checkpoint, or load it anew"))
            }
            Status::Cancelled => Err(Error::new(ErrorKind::Over, "the debate was cancelled", "begin another one")),
        }
    }

    /// Keeps the debate as it stands, in memory.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.clone())
    }

    /// Goes back to a checkpoint. What was asked since is [`ErrorKind::Stale`]; the time stays as it is.
    pub fn restore(&mut self, checkpoint: &Checkpoint) {
        let Checkpoint(before) = checkpoint;
        self.state.clone_from(&before.state);
        self.unfiled.clone_from(&before.unfiled);
    }

    /// Every claim so far, every move on it, and what can be said of them without a model.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        Ledger::of(&self.state)
    }

    /// The debate as a document, as far as it has come.
    ///
    /// It is what `anvil report` prints, but for the paths of files, of which a debate in memory has none.
    #[must_use]
    pub fn report(&self, format: Format) -> String {
        let entries = transcript::parse(&self.state.body);
        let source = Source { debate: &self.state.debate, entries: &entries, places: &Places::default() };
        format.render(&Model::of(&source, &Files::default()))
    }

    /// What tells one state of one debate from every other.
    fn fingerprint(&self) -> u64 {
        let debate = &self.state.debate;
        let mut hasher = DefaultHasher::new();
        (&debate.id, engine::generation_of(debate), debate.progress.slot.round, &self.state.body).hash(&mut hasher);
        self.unfiled.hash(&mut hasher);
        hasher.finish()
    }
}

fn check_size(bytes: usize) -> Result<()> {
    if bytes as u64 <= MAX_STATE_BYTES {
        return Ok(());
    }
    let message = format!("with this reply the debate would have more than {MAX_STATE_BYTES} bytes");
    Err(Error::invalid(message, "shorten the reply"))
}

pub(super) fn to_the_millisecond(time: Timestamp) -> Timestamp {
    time.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(time)
}
