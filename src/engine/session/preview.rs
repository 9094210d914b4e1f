//! Composes the request to a seat of a debate, and starts no debate.

use super::Sessions;
use super::brief::opened;
use crate::domain::command::DebateOptions;
use crate::domain::debate::{Debate, Seat, Slot};
use crate::engine::programs::{Asked, Request, request};
use crate::error::Result;

impl Sessions<'_> {
    /// The request to a seat of a debate that is not started: at `slot` as if the debate had no
    /// replies yet, else to the first seat.
    pub fn preview(
        &self,
        question: &str,
        options: &DebateOptions,
        in_project: bool,
        slot: Option<Slot>,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<(Debate, Request)> {
        let project = self.store_to_start_in(None).project().clone();
        let wished = self.wished(options, &[], &project)?;
        let (debate, material) = self.brief(question, wished, &project)?;
        let mut state = opened(Debate { id: "preview".to_owned(), ..debate }, material);
        if let Some(slot) = slot {
            state.debate.stand_at(slot);
        }
        let asked = Asked { in_project, ..Asked::default() };
        let request = request(&state, &project.state_file(), asked, most_tokens)?;
        Ok((state.debate, request))
    }
}
