//! A debate that stops where a fresh conversation costs least, and continues in one.

use crate::client::skip_onboarding;
use crate::coming_back::{argument, tokens};
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
    screen.enter("/anvil:debate Should we rewrite it? --rounds 2 --boundary round");
    let stopped = screen.wait_for("B) /anvil:resume here");
    assert!(
        stopped
            .contains("Anvil: round 1 of 2 is complete, and saved. Next: advocate, round 2 of 2."),
        "{stopped}"
    );
    assert!(stopped.contains("A) /clear, then /anvil:resume (recommended"), "{stopped}");
    for done in ["██████░░░░░░░░  2 of 5 replies\n", " 2 claims, 2 open: A1, C1\n", &tokens(&world)]
    {
        assert!(stopped.replace(',', "").contains(&done.replace(',', "")), "{done}\n{stopped}");
    }
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
    let stopped = screen.wait_for("B) /anvil:resume here");
    assert!(
        stopped.contains("Anvil: round 2 of 2 is complete, and saved. Next: synthesis."),
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

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_stops_before_its_synthesis_and_a_new_session_writes_it() {
    let world = World::new(Manner::default());
    let first = world
        .client()
        .telling()
        .prompt("/anvil:debate Should we? --rounds 2 --boundary synthesis")
        .run()
        .ok();
    assert_eq!(world.mock.main().len(), 4, "both rounds in one turn");
    assert_eq!(world.state().field("status"), "paused", "{}", world.state().0);
    let told = first.notices();
    let stops = told.iter().filter(|line| line.contains("A) /clear, then /anvil:resume")).count();
    assert_eq!(stops, 1, "{told:#?}");
    world.client().prompt("/anvil:resume").run().ok();
    world.assert_completed(2);
    let read = world.mock.main()[5].request.body["messages"].to_string();
    assert!(read.contains("ADVOCATE-R1 reply 1") && read.contains("CRITIC-R2 reply 4"), "{read}");
}
