//! The options of a decision in one conversation of the real client.

use crate::mock::Answer;
use crate::model::{Manner, Seat, Turn, told};
use crate::world::World;

/// The reply of each seat of two options.
fn reply(turn: &Turn) -> Option<Answer> {
    let text = match turn.seat? {
        Seat::Advocate(round) => format!("**A{round}. Redis is fast.** [reasoning]"),
        Seat::Critic(round) => format!("**C{round}. PostgreSQL is here.** [reasoning]"),
        _ => "It is here.\n\n```anvil\nA1 weakened: by C1\nC1 survived: nobody answered it\n\
              1. PostgreSQL\n2. Redis\noption 1: A1 carries it; C1 weighs against it\n\
              option 2: C1 carries it\nagainst: Redis is fast\n\
              recommendation: Take PostgreSQL.\nverdict: PostgreSQL\nconfidence: 70\n\
              rests on: C1\nflips if: a read takes more than 5 ms\nunknown: how many there are\n```"
            .to_owned(),
    };
    Some(Answer::text(text))
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn two_options_are_argued_in_one_conversation() {
    let world = World::with_model(Manner::default(), reply);
    let typed = "/anvil:debate Which store? --options \"Redis, PostgreSQL\" --rounds 1";
    world.client().prompt(typed).run().ok();
    assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
    assert_eq!(world.state().field("options"), "[\"Redis\", \"PostgreSQL\"]");
    let log = world.mock.main();
    assert_eq!(log.len(), 3, "one request a reply");
    let cues: Vec<String> = log.iter().map(|exchange| Turn::of(&exchange.request).cue).collect();
    assert!(cues[0].starts_with("── Advocate, for Redis · round 1 of 1 ──"), "{cues:?}");
    assert!(cues[1].starts_with("── Critic, for PostgreSQL · round 1 of 1 ──"), "{cues:?}");
    let protocol = told(&log[0].request);
    assert!(protocol.contains("\nverdict: Redis | PostgreSQL | depends\n"), "{protocol}");
    assert!(world.report().contains("**Ranking:** PostgreSQL, Redis"), "{}", world.report());
}
