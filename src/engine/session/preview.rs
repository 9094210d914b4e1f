//! Composes the requests to the first seats of a debate, and starts no debate.

use super::Sessions;
use super::brief::opened;
use crate::domain::command::DebateOptions;
use crate::domain::debate::{DEFAULT_ROUNDS, Debate, Seat, Slot};
use crate::engine::programs::request::{Asked, Request, request};
use crate::error::Result;
use crate::storage::{Project, StateFile};

impl Sessions<'_> {
    /// The request to the first seat of a debate that is not started.
    pub fn preview(
        &self,
        question: &str,
        options: &DebateOptions,
        in_project: bool,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<(Debate, Request)> {
        let project = self.store_to_start_in(None).project().clone();
        let state = self.previewed(question, options, &project)?;
        let request = request(
            &state,
            &project.state_file(),
            Asked { in_project, ..Asked::default() },
            most_tokens,
        )?;
        Ok((state.debate, request))
    }

    /// The request at a seat's first place, as if the debate had no replies yet.
    pub fn preview_at(
        &self,
        question: &str,
        options: &DebateOptions,
        in_project: bool,
        slot: Slot,
        most_tokens: usize,
    ) -> Result<Request> {
        let project = self.store_to_start_in(None).project().clone();
        let mut state = self.previewed(question, options, &project)?;
        state.debate.stand_at(slot);
        request(&state, &project.state_file(), Asked { in_project, ..Asked::default() }, |_| {
            most_tokens
        })
    }

    fn previewed(
        &self,
        question: &str,
        options: &DebateOptions,
        project: &Project,
    ) -> Result<StateFile> {
        let layers = self.layers(project)?;
        let says_rounds = options.rounds.is_some();
        let check = layers.fact_check(options);
        let options = options.clone().over(layers.project).over(layers.user);
        let mut debate = Debate::new(
            "preview".to_owned(),
            question.to_owned(),
            DEFAULT_ROUNDS,
            self.context.world.now,
        );
        debate.options.house_rules = layers.house_rules;
        let material = self.brief(&mut debate, &options, says_rounds, project)?;
        debate.options.take_fact_check(check);
        Ok(opened(debate, material))
    }
}
