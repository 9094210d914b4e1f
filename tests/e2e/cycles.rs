//! A second cycle of a finished debate.

use crate::model::{Manner, Seat, told};
use crate::world::World;

/// The new replies.
const NEWS: &str = "the vendor has doubled its price";

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_finished_debate_gets_a_second_cycle_with_its_own_synthesis() {
    let world = World::new(Manner::default());
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world.assert_completed(1);
    let first = world.state().sections();
    let again =
        world.client().continuing().telling().prompt(format!("/anvil:again {NEWS}")).run().ok();
    let told_first = again.notices().first().cloned().unwrap_or_default();
    assert!(
        told_first.ends_with("Anvil: cycle 2, advocate, round 1 of 1: Should we rewrite it?"),
        "{told_first}"
    );
    world.assert_completed_by(&[Seat::all(1), Seat::all(1)].concat(), &world.replies());
    let state = world.state();
    assert_eq!(state.field("cycle"), "2", "{}", state.0);
    let sections = state.sections();
    assert_eq!(sections[..3], first, "the first cycle is as it was");
    assert_eq!(
        sections.iter().map(|section| section.cycle).collect::<Vec<_>>(),
        [1, 1, 1, 2, 2, 2]
    );
    assert_eq!(state.notes("Cycle 2")[0].text, NEWS);
    let asked = told(&world.mock.main()[3].request);
    assert!(
        asked.contains("Cycle 2: the debate was decided before and is opened once more."),
        "{asked}"
    );
    assert!(
        asked.contains(&format!("What is new, in the person's words:\n\n> {NEWS}\n")),
        "{asked}"
    );
    let report = world.report();
    assert!(report.contains(&format!("\n### Cycle 2\n\n> {NEWS}\n\n### Round 1\n")), "{report}");
    let place = |text: &str| report.find(text).unwrap_or_else(|| panic!("no {text}:\n{report}"));
    let order =
        ["## Verdict", "## Record", "ADVOCATE-R1 reply 1", "### Cycle 2", "CRITIC-R1 reply 6"]
            .map(place);
    assert!(order.is_sorted(), "{report}");
    assert!(place("SYNTHESIS reply 3") > place("Synthesis of this cycle"), "{report}");
}
