//! Failures that a debate survives: a killed client, the client's cap, an API that refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::mock::{Answer, Exchange, Gate};
use crate::model::{Manner, Reads, Seat, Turn, assert_sections_are};
use crate::world::World;

/// How long a client may take to get to a certain reply.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Whether the model has a request for this seat.
pub(crate) fn is_asked(seat: Seat) -> impl Fn(&[Exchange]) -> bool {
    move |log| log.iter().any(|exchange| Turn::of(&exchange.request).seat == Some(seat))
}

/// A world in which the first answer from this seat stops in the middle until the gate opens.
pub(crate) fn world_that_stalls_at(seat: Seat, gate: &Gate) -> World {
    let (gate, stalled) = (gate.clone(), AtomicBool::new(false));
    World::with_model(Manner::default(), move |turn| {
        let stalls = turn.seat == Some(seat) && !stalled.swap(true, Ordering::SeqCst);
        stalls.then(|| Answer::text(turn.text(600)).held(&gate))
    })
}

/// A debate of two rounds whose client was killed while the critic of round 2 was speaking.
pub(crate) fn killed_in_round_2() -> World {
    let world = world_that_stalls_at(Seat::Critic(2), &Gate::default());
    let client = world.client().prompt("/anvil:debate Should we rewrite it? --rounds 2").spawn();
    world.mock.wait_until("the critic of round 2", TIMEOUT, is_asked(Seat::Critic(2)));
    client.kill();
    let state = world.state();
    assert_eq!(state.field("status"), "in_progress");
    assert_eq!(state.field("phase"), "critic");
    assert_eq!(state.field("round"), "2");
    assert_sections_are(&state.sections(), &world.replies());
    world
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_new_session_resumes_after_the_client_was_killed() {
    let world = killed_in_round_2();
    world.client().prompt("/anvil:resume").run().ok();
    world.assert_completed(2);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn continue_resumes_after_the_client_was_killed() {
    let world = killed_in_round_2();
    world.client().continuing().prompt("/anvil:resume").run().ok();
    world.assert_completed(2);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_pauses_before_the_cap_and_resumes_to_its_end() {
    let world = World::new(Manner { reads: Reads::Never, ..Manner::default() });
    let first = world
        .client()
        .telling()
        .prompt("/anvil:debate Should we rewrite it? --rounds 5")
        .run()
        .ok();
    let state = world.state();
    assert_eq!(state.field("status"), "paused", "{first:#?}\n{}", state.0);
    assert!(!state.field("status_detail").is_empty(), "the state says why");
    assert_sections_are(&state.sections(), &world.replies());
    assert_eq!(world.mock.main().len(), 9, "one prompt and eight continuations");
    let told = first.notices();
    assert_eq!(
        told.iter().filter(|line| line.contains("Anvil paused before")).count(),
        1,
        "{told:#?}"
    );
    assert!(
        !first.stdout.contains("consecutive times"),
        "the client did not cut it off: {first:#?}"
    );

    world.client().continuing().prompt("/anvil:resume").run().ok();
    world.assert_completed(5);
    assert_eq!(world.mock.main().len(), 11);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_cap_raised_by_the_user_is_respected() {
    let world = World::new(Manner { reads: Reads::Never, ..Manner::default() });
    let client = world.client().env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "30");
    client.prompt("/anvil:debate Should we rewrite it? --rounds 5").run().ok();
    world.assert_completed(5);
    let asked_to_read =
        world.mock.main().iter().filter(|e| Turn::of(&e.request).asks_to_read()).count();
    assert_eq!(asked_to_read, 0, "ten continuations are far from a cap of thirty");
}

/// A debate whose critic of round 2 gets only this status from the API, and which resumes when the
/// API works again.
fn survives_an_api_that_answers(status: u16) {
    let broken = Arc::new(AtomicBool::new(true));
    let breaks = Arc::clone(&broken);
    let world = World::with_model(Manner::default(), move |turn| {
        let refused = turn.seat == Some(Seat::Critic(2)) && breaks.load(Ordering::SeqCst);
        refused.then(|| Answer::error(status))
    });
    let client = world.client().env("CLAUDE_CODE_MAX_RETRIES", "1");
    let finished = client.prompt("/anvil:debate Should we rewrite it? --rounds 2").run();
    let state = world.state();
    assert_eq!(
        (state.field("phase"), state.field("round")),
        ("critic".into(), "2".into()),
        "{finished:#?}"
    );
    assert!(["in_progress", "paused"].contains(&state.field("status").as_str()), "{}", state.0);
    assert_sections_are(&state.sections(), &world.replies());
    assert_eq!(state.sections().len(), 3, "{}", state.0);

    broken.store(false, Ordering::SeqCst);
    world.client().continuing().prompt("/anvil:resume").run().ok();
    world.assert_completed(2);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_refused_request_does_not_move_the_debate() {
    survives_an_api_that_answers(400);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_overloaded_api_does_not_move_the_debate() {
    survives_an_api_that_answers(529);
}
