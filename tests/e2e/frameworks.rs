//! The headings of a framework are for people: the page names those that are missing, and nothing
//! is asked for again.

use crate::claims::argued;
use crate::mock::Answer;
use crate::model::{Manner, account, told};
use crate::world::World;

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn missing_headings_of_a_framework_are_shown_and_not_asked_for() {
    let world = World::with_model(Manner::default(), |turn| {
        let judged = || {
            let text = account(&turn.motion, "Rewrite it.", ["A1", "C1"]);
            format!("### Context\n\nIt is old.\n\n{text}")
        };
        turn.seat.map(|_| Answer::text(argued(turn).unwrap_or_else(judged)))
    });
    world.client().prompt("/anvil:debate Should we rewrite it? --quick --framework adr").run().ok();
    world.assert_completed(1);
    let log = world.mock.main();
    assert_eq!(log.len(), 3, "one request a reply");
    let (protocol, report) = (told(&log[0].request), world.report());
    assert!(protocol.contains(" At most 150 words. "), "{protocol}");
    for heading in ["Decision", "Alternatives", "Consequences", "Review"] {
        assert!(protocol.contains(&format!("### {heading}")), "{protocol}");
        let says = format!("The synthesis lacks the heading “{heading}”.");
        assert!(report.contains(&says), "{heading}: {report}");
    }
    assert!(!report.contains("lacks the heading “Context”"), "{report}");
}
