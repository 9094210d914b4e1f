//! A debate that is argued one reply at a time, without a file: it comes as a text and goes as one.
//! Pure.

use std::path::Path;

use jiff::Timestamp;

use super::error::StepError;
use super::fact_check::{Checked, check_request, leave_out, save_findings};
use super::request::{Request, RequestOptions, answer, request};
use crate::filing::{Interpretation, give_steering};
use anvil_core::debate::{Debate, PlainReason, Status};
use anvil_core::place::Place;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript;
use anvil_store::StateFile;
use anvil_store::issue_body::{self, BodyError, MAX_BODY_BYTES, PortableDebate};
use anvil_text::error::{Error, Result};
use anvil_text::{Scrubber, clean};

/// The owner of the debate while a reply is written. It never travels.
const OWNER: &str = "step";

/// Bytes of a body that are left free for a reply.
const ROOM: usize = 1024 * 1024;

/// What the answer to a request did to the debate of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stepped {
    Saved,
    /// The answer is not usable: the same request waits.
    Again,
    /// The debate has failed, for this reason.
    Failed(String),
}

/// A debate between two steps.
#[derive(Clone, Debug)]
pub struct StepDebate {
    state: StateFile,
    /// The body that it came in; empty for a state file or a new debate.
    body: String,
    revision: u64,
    /// The last reply of the next seat, if it was not saved.
    unsaved: Option<String>,
}

impl StepDebate {
    /// A debate that begins.
    pub fn new(state: StateFile) -> Self {
        Self { state, body: String::new(), revision: 0, unsaved: None }
    }

    /// Reads a body with a block, or a state file. Refuses one that is broken or newer, or that
    /// names an agent.
    pub fn read(text: &str) -> Result<Self> {
        let (carried, body) = match StateFile::parse(text) {
            Ok(state) => (carried_in(state)?, String::new()),
            Err(error) => match issue_body::extract(text).map_err(unreadable)? {
                Some(carried) => (carried, text.to_owned()),
                None if text.starts_with("---") => {
                    return Err(StepError::Unreadable(error).into());
                }
                None => {
                    return Err(StepError::NoDebate.into());
                }
            },
        };
        let revision = carried.revision;
        let state = carried.state().clone();
        if !state.is_orderly_by_itself() {
            return Err(StepError::Disorderly.into());
        }
        if state.debate.status() == Status::Cancelled {
            return Err(StepError::Cancelled.into());
        }
        Ok(Self { state, body, revision, unsaved: None })
    }

    pub fn debate(&self) -> &Debate {
        &self.state.debate
    }

    /// True if no reply is needed.
    pub fn is_complete(&self) -> bool {
        self.state.debate.status() == Status::Completed
    }

    /// Replies of the whole debate, saved or still to write.
    pub fn replies(&self) -> usize {
        let left = if self.is_complete() { 0 } else { self.state.debate.replies_left() };
        transcript::parse(&self.state.body).originals().count() + left as usize
    }

    /// The next task. `None`: the debate is complete.
    pub fn next(&self) -> Option<String> {
        let debate = &self.state.debate;
        (!self.is_complete()).then(|| debate.next_place().id(debate.cycle()))
    }

    /// Lets the debate go on, with the direction that waits for its next seat.
    pub fn go_on(&mut self, now: Timestamp) {
        self.state.debate.claim(OWNER, None, now);
        self.state.debate.isolate_seats();
        give_steering(&mut self.state, now);
    }

    /// The request for a check that is due. `None`: none is.
    pub fn check(&self) -> Option<Request> {
        self.state.debate.options.fact_check.and_then(|_| check_request(&self.state))
    }

    /// Goes on without the check that is due, if one is. `why`: a sentence without its full stop.
    pub fn leave_check_out(&mut self, why: &str, now: Timestamp) {
        leave_out(&mut self.state, why, now);
    }

    /// Refuses a body without room for a reply, before one is requested.
    pub fn check_room(&self) -> Result<()> {
        let length = self.clone().into_body(&Scrubber::default())?.len();
        if length + ROOM <= MAX_BODY_BYTES {
            return Ok(());
        }
        Err(StepError::NoRoom(length).into())
    }

    /// The request to the next seat.
    pub fn request(
        &self,
        in_project: bool,
        most_tokens: impl Fn(Place) -> usize,
    ) -> Result<Request> {
        let options =
            RequestOptions { before: self.unsaved.as_deref(), in_project, is_alone: false };
        request(&self.state, Path::new(""), options, most_tokens)
    }

    /// Takes the answer to a request.
    pub fn submit(
        &mut self,
        request: &Request,
        written: WrittenReply<'_>,
        now: Timestamp,
    ) -> Stepped {
        if request.check.is_some() {
            return match save_findings(&mut self.state, written.text, now) {
                Some(Checked::Again) => Stepped::Again,
                Some(Checked::Lines(_)) | None => Stepped::Saved,
            };
        }
        let text = written.text.trim().to_owned();
        match answer(&mut self.state, written, now) {
            Interpretation::Next { .. }
            | Interpretation::Block { .. }
            | Interpretation::Synthesis { .. } => Stepped::Saved,
            Interpretation::Again(..) => {
                self.unsaved = Some(text);
                Stepped::Again
            }
            Interpretation::NoMore(_) => Stepped::Failed(self.state.debate.why_stopped()),
        }
    }

    /// The body with the debate as it is now.
    pub fn into_body(mut self, scrubber: &Scrubber) -> Result<String> {
        if self.state.debate.status() == Status::InProgress {
            let now = self.state.debate.updated_at();
            self.state.debate.pause(PlainReason::Stepped, now);
        }
        let carried = PortableDebate::new(self.state, self.revision.saturating_add(1), scrubber)?;
        Ok(issue_body::embed_long(&self.body, &carried)?.body)
    }
}

fn unreadable(error: BodyError) -> Error {
    match error {
        BodyError::Newer(_) | BodyError::NamesAgent { .. } => error.into(),
        _ => StepError::Unreadable(error.into()).into(),
    }
}

/// The debate of a state file as it travels, without what belongs to another machine or session.
fn carried_in(state: StateFile) -> Result<PortableDebate> {
    if let Some(key) = state.seat_key() {
        return Err(StepError::NamesAgent(clean(key, 40)).into());
    }
    let state = state.portable(&Scrubber::default())?;
    PortableDebate::new(StateFile::from_keys(state.keys(), state.body)?, 0, &Scrubber::default())
}
