//! A debate that stops after each round, and continues in a fresh conversation.

use crate::client::skip_onboarding;
use crate::coming_back::argument;
use crate::model::{Manner, Turn, told};
use crate::screen::Screen;
use crate::world::World;

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_stops_after_each_round_and_resumes_after_clear() {
    let world =
        World::with_model(Manner { size: 0, ..Manner::default() }, |turn| argument(2, turn));
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 2 --interactive");
    let stopped = screen.wait_for("B) Type [g]o on");
    assert!(
        stopped.contains(
            "Anvil: round 1 of 2 is complete; 2 claims, 2 open. Next: advocate, round 2 of 2."
        ),
        "{stopped}"
    );
    assert!(stopped.contains("A) /clear, then /anvil:resume (recommended"), "{stopped}");
    let line = world
        .state()
        .0
        .lines()
        .position(|line| line == "## Round 1")
        .expect("round 1 is in the file")
        + 1;

    screen.enter("/clear");
    screen.wait_until("an empty conversation", |text| !text.contains("ADVOCATE-R1"));
    screen.enter("/anvil:resume");
    let stopped = screen.wait_for("B) Type [g]o on");
    assert!(
        stopped.contains("Anvil: round 2 of 2 is complete; 4 claims, 4 open. Next: synthesis."),
        "{stopped}"
    );
    let log = world.mock.main();
    let asked = Turn::of(&log[2].request);
    assert!(asked.cue.contains(&format!("from line {line} to its end.")), "{}", asked.cue);
    assert!(!told(&log[2].request).contains("ADVOCATE-R1"), "the old conversation is gone");
    let read = log[3].request.body["messages"].to_string();
    assert!(read.contains("ADVOCATE-R1 reply 1") && read.contains("CRITIC-R1 reply 2"), "{read}");

    screen.enter("/anvil:resume");
    screen.wait_for("report.");
    world.assert_completed(2);
}
