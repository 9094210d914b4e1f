//! One prompt to one agent, outside of a debate: the attempts, their record and the retry rule are
//! those of a debate.

use std::process::ExitCode;

use super::attempt::Orphan;
use super::limits::RunLimits;
use super::view::{RunView, Shows};
use super::work::{Desk, Obstacle, Offer, TaskSource, Terms, work};
use anvil_core::attempt::Generation;
use anvil_core::debate::{Place, Seat};
use anvil_engine::{Context, Request, Stopped, programs};
use anvil_store::{Attempt, AttemptRecord};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};

/// No reply follows: too many attempts failed, or the user has to act first.
const GAVE_UP: u8 = 5;

/// A received reply keeps this generation, so a later call finds it.
const GENERATION: Generation = Generation::Cycle(1);

/// Has an agent write one reply, into this record.
pub fn single(
    world: &World,
    record: AttemptRecord,
    id: &str,
    agent: &str,
    prompt: String,
) -> Result<ExitCode> {
    let context = Context::new(world);
    let agent = anvil_prompt::parse(agent, &programs::seat_defaults(&context)?.own, false)?;
    let root = world.debate_folder.clone().unwrap_or_else(|| world.cwd.clone());
    let mut desk = Desk::new(world, &context, id.to_owned(), &root, RunView::new(Shows::Json))?;
    desk.executor.record = record;
    // A user who calls again has dealt with the cause of earlier failures.
    let failures_count_from = desk.executor.record.read()?.next_number();
    let limits = RunLimits::default();
    let orphan = Orphan::Wait;
    let terms = Terms { agent, limits, failures_count_from, is_single: false, orphan };
    match work(&mut Single { desk, terms, request: request(id, prompt) }) {
        Ok(code) => Ok(code),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Skipped(_)) => Ok(ExitCode::from(GAVE_UP)),
    }
}

struct Single<'a> {
    desk: Desk<'a>,
    terms: Terms,
    request: Request,
}

fn request(id: &str, prompt: String) -> Request {
    let place = Place { seat: Seat::Synthesizer, round: 1 };
    Request {
        seat: place.seat,
        place,
        name: id.to_owned(),
        label: id.to_owned(),
        generation: GENERATION,
        answers: vec![GENERATION],
        prompt,
        sheet: String::new(),
        is_again: false,
        has_argument: false,
        judges: 1,
        left: 1,
        filed: 0,
        check: None,
    }
}

impl TaskSource for Single<'_> {
    fn desk(&self) -> &Desk<'_> {
        &self.desk
    }

    fn next(&mut self) -> Result<Offer, Stopped> {
        if let Some(signal) = self.desk.executor.signals.received() {
            return Ok(Offer::End(ExitCode::from(signal.exit_code())));
        }
        Ok(Offer::Task(Box::new(self.request.clone()), Box::new(self.terms.clone())))
    }

    fn still_waits(&self, _: &str, _: Generation) -> bool {
        true
    }

    /// The reply stays in the record, where the caller reads it.
    fn save(&mut self, _: &Request, _: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        Ok(Some(ExitCode::SUCCESS))
    }

    fn give_up(&mut self, _: &Request, why: Obstacle) -> Result<Option<ExitCode>, Stopped> {
        match why {
            Obstacle::Broken(error) => Err(Stopped::Failed(error)),
            Obstacle::Waits(why) | Obstacle::Failed(why) => {
                Err(Error::failed(why, "`anvil-eval --resume` tries again").into())
            }
            Obstacle::Limit { .. } => Ok(Some(ExitCode::from(GAVE_UP))),
        }
    }
}
