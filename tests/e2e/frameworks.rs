//! The shape of a synthesis: the headings that its framework requires, and what happens if they are
//! missing.

use crate::mock::Answer;
use crate::model::{Manner, Turn, assert_sections_are};
use crate::world::World;

/// The headings that a cue requests: `the synthesis lacks ### Context, ### Decision.`
fn missing(cue: &str) -> Option<Vec<&str>> {
    let list = cue.split_once("the synthesis lacks ")?.1.split_once(". ")?.0;
    Some(list.split(", ").collect())
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_synthesis_without_its_required_headings_is_retried_once() {
    let world = World::with_model(Manner::default(), |turn| {
        let headings = missing(&turn.cue)?.join("\n\nA paragraph.\n\n");
        Some(Answer::text(format!(
            "**Recommendation:** rewrite it, says reply {}.\n\n{headings}\n\nThe end.",
            turn.number
        )))
    });
    let finished = world
        .client()
        .telling()
        .prompt("/anvil:debate Should we rewrite it? --rounds 1 --framework adr")
        .run()
        .ok();
    let replies = world.replies();
    assert_eq!(replies.len(), 4, "{finished:#?}");
    world.assert_completed_with(1, &[&replies[..2], &replies[3..]].concat());
    let wanted =
        ["### Context", "### Decision", "### Alternatives", "### Consequences", "### Review"];
    let cue = Turn::of(&world.mock.main()[3].request).cue;
    assert_eq!(missing(&cue).expect("it says what is missing"), wanted);
    let report = world.report();
    assert!(wanted.iter().all(|heading| report.contains(&format!("\n{heading}\n"))), "{report}");
    let archive = World::files_below(&world.project().join(".claude/anvil.local/archive"));
    let kept = archive.values().filter(|text| text.contains(&replies[2].parts[0])).count();
    assert_eq!(kept, 1, "what came first lies in the archive: {archive:#?}");
    assert_sections_are(&world.state().sections()[2..], &replies[3..]);
}
