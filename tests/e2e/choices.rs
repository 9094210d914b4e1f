//! The options of a decision in one conversation of the real client.

use crate::mock::Answer;
use crate::model::{Manner, Seat, Turn, told};
use crate::world::World;

/// The reply of each seat of two options.
fn reply(turn: &Turn) -> Option<Answer> {
    let text = match turn.seat? {
        Seat::Advocate(round) => format!("**A{round}. Redis is fast.** [reasoning]"),
        Seat::Critic(round) => format!("**C{round}. PostgreSQL is here.** [reasoning]"),
        _ => "**Recommendation:** Take PostgreSQL.\n\n**Verdict:** PostgreSQL\n\n**Ranking:** \
              PostgreSQL, Redis\n\n**Rests on:** C1\n\n**Confidence:** 70 %, because of \
              C1.\n\n### Options\n\n- **Redis:** A1; C1\n- **PostgreSQL:** C1\n\n- **A1** \
              weakened: by C1\n- **C1** survived: unanswered"
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
    assert!(protocol.contains("**Verdict:** Redis | PostgreSQL | depends"), "{protocol}");
    assert!(world.report().contains("**Ranking:** PostgreSQL, Redis"), "{}", world.report());
}
