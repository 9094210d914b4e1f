//! A debate between programs: the request for the next reply, the attempts, and the sessions that
//! follow the debate.

pub(super) mod agents;
pub(super) mod attempts;
pub(super) mod fact_check;
pub(super) mod follow;
pub(super) mod request;
pub(super) mod run;

pub use agents::{SeatDefaults, duration};
pub use attempts::ShownAttempt;
pub use follow::{Followed, News, Runs};
pub use request::Request;
pub(crate) use request::{Asked, answer, generation_of, request};
pub use run::{GateFacts, Open, TakenUp};

use super::Context;

#[derive(Debug)]
pub struct Programs<'a> {
    context: &'a Context<'a>,
}

impl<'a> Programs<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context }
    }
}
