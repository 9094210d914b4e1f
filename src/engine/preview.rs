//! What the first seats of a debate would be asked, without making it.

use super::Engine;
use super::brief::opened;
use super::request::{Asked, Request, request};
use crate::command::DebateOptions;
use crate::debate::{DEFAULT_ROUNDS, Debate, Seat, Slot};
use crate::error::Result;
use crate::state::{Project, StateFile};

impl Engine<'_> {
    /// What the first seat of a debate would be asked, without making it.
    pub fn preview(
        &self,
        question: &str,
        options: &DebateOptions,
        in_project: bool,
        most_tokens: impl Fn(Seat) -> usize,
    ) -> Result<(Debate, Request)> {
        let project = self.store_to_start_in(None).project().clone();
        let state = self.previewed(question, options, &project)?;
        let request = request(&state, &project.state_file(), Asked { in_project, ..Asked::default() }, most_tokens)?;
        Ok((state.debate, request))
    }

    /// The same for a seat's first place, as if nothing were argued before it.
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
        request(&state, &project.state_file(), Asked { in_project, ..Asked::default() }, |_| most_tokens)
    }

    fn previewed(&self, question: &str, options: &DebateOptions, project: &Project) -> Result<StateFile> {
        let layers = self.layers(project)?;
        let says_rounds = options.rounds.is_some();
        let check = layers.fact_check(options);
        let options = options.clone().over(layers.project).over(layers.user);
        let mut debate = Debate::new("preview".to_owned(), question.to_owned(), DEFAULT_ROUNDS, self.world.now);
        debate.options.house_rules = layers.house_rules;
        let material = self.brief(&mut debate, &options, says_rounds, project)?;
        debate.options.take_fact_check(check);
        Ok(opened(debate, material))
    }
}
