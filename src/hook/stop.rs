//! Claude is about to stop: its reply is filed, and it gets what comes next.

use super::read_reply::read_reply;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Outcome, Session, Stopped};
use crate::error::Result;
use crate::messages;
use crate::run::isolated;
use crate::world::World;

pub(super) fn handle(
    event: &mut Event,
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Answer, Stopped> {
    let turn = engine.turn(session)?;
    let output = read_reply(event, turn.asked_at(), turn.must_read());
    Ok(match turn.record(output)? {
        Outcome::ApiError(debate) => Answer::Say(messages::api_error(&debate)),
        Outcome::Advanced { debate, filed, words, is_settled, cue } => {
            let say = messages::advanced(&debate, filed, words, is_settled);
            let waits = |who: &str| Answer::Say(messages::waits_for(&say, who, world.client_version.is_some()));
            match isolated::second_opinion(world, session, &debate)? {
                Some(agent) => waits(&agent),
                None => Answer::Continue { cue: cue.as_str().to_owned(), say },
            }
        }
        Outcome::HandedOver { debate, filed, words, is_settled, worker } => {
            let say = messages::advanced(&debate, filed, words, is_settled);
            Answer::Say(messages::waits_for(&say, &worker, world.client_version.is_some()))
        }
        Outcome::AskedAgain { debate, why, cue } => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: messages::asked_again(&debate, &why) }
        }
        Outcome::Paused(debate) => Answer::Say(messages::paused(&debate)),
        Outcome::Awaits { debate, filed, transcript } => Answer::Say(messages::awaits(&debate, filed, &transcript)),
        Outcome::Boundary { debate, filed, is_settled } => Answer::Say(messages::boundary(&debate, filed, is_settled)),
        Outcome::Failed(debate) => Answer::Say(messages::failed(&debate)),
        Outcome::Completed(debate) => Answer::Say(messages::completed(&debate)),
    })
}
