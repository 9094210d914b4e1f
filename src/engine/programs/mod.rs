//! A debate between programs: the request for the next reply, the attempts, and the sessions that
//! follow the debate.

pub(super) mod agents;
pub(super) mod attempts;
pub(super) mod beside;
pub(super) mod fact_check;
pub(super) mod follow;
pub(super) mod request;
pub(super) mod run;
pub(super) mod step;

pub use agents::{SeatDefaults, duration};
pub(super) use agents::{at, refuse_seats_of_project};
pub use attempts::ShownAttempt;
pub use beside::Beside;
pub use follow::{Followed, News, Runs};
pub use request::Request;
pub(crate) use request::{Asked, answer, generation_of, request};
pub(super) use request::{accept_form, answered};
pub(super) use run::file_reply;
pub use run::{GateFacts, Objections, Open, SeatView, UnreadClaim};
pub use step::StepDebate;

use super::Context;

#[derive(Debug)]
pub struct Programs<'a> {
    pub(super) context: &'a Context<'a>,
}
