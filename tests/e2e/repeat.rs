//! The block of a synthesis: a wrong one is asked for once more, and the synthesis stays as it was
//! written.

use std::time::Duration;

use crate::claims::{argued, cues};
use crate::mock::{Answer, Gate};
use crate::model::{Manner, Seat, account, block};
use crate::world::World;

const TYPED: &str = "/anvil:debate Should we rewrite it? --rounds 1";

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_wrong_block_is_asked_for_once_and_its_repeat_is_taken() {
    let gate = Gate::default();
    let at = gate.clone();
    let world = World::with_model(Manner::default(), move |turn| {
        Some(match argued(turn) {
            Some(text) => Answer::text(text),
            None if turn.cue.contains("once more") => {
                let whole = block(&turn.motion, "Keep it.", &["C1", "A1"]);
                Answer::text(format!("Keep it, says the repeat.\n\n{whole}")).held(&at)
            }
            None => Answer::text(account(&turn.motion, "Wait a year.", ["A1"])),
        })
    });
    let client = world.client().telling().prompt(TYPED).spawn();
    world.mock.wait_until("the second request", Duration::from_mins(1), |log| log.len() == 4);
    let saved = world.state();
    assert_eq!(saved.field("awaits_block"), "true", "{}", saved.0);
    assert_eq!(saved.sections().len(), 3, "the synthesis is saved at once: {}", saved.0);
    gate.open();
    let finished = client.wait().ok();

    let replies = world.replies();
    world.assert_completed_with(1, &replies[..3]);
    let cues = cues(&world, Seat::Synthesizer);
    assert_eq!(cues.len(), 2, "{cues:#?}");
    assert!(cues[0].contains("weigh all 2 claims, then decide; end with the block."), "{cues:?}");
    let asks = "── Synthesis, once more ── one sentence, then the whole block: ";
    assert!(cues[1].starts_with(asks), "{cues:?}");
    assert!(cues[1].contains("block: C1 is missing."), "{cues:?}");
    let state = world.state();
    let notes = state.notes("Verdict Block");
    assert_eq!(notes.len(), 1, "{}", state.0);
    let motion = notes[0].text.lines().find_map(|line| line.strip_prefix("motion: "));
    let whole = block(motion.unwrap_or_default(), "Keep it.", &["C1", "A1"]);
    assert_eq!(notes[0].text, whole, "the block alone, word for word");
    let told = finished.notices().join("\n");
    // What the first block says stays; the repeat only fills in what it lacks.
    assert!(told.contains("60% sure. Wait a year.") && !told.contains("left out"), "{told}");
    let report = world.report();
    assert!(report.contains("Keep it.") && report.contains("Wait a year."), "{report}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_claim_that_a_repeat_leaves_out_too_is_shown_as_left_out() {
    let world = World::with_model(Manner::default(), |turn| {
        let judged =
            || account(&turn.motion, &format!("Wait, says reply {}.", turn.number), ["A1"]);
        Some(Answer::text(argued(turn).unwrap_or_else(judged)))
    });
    let finished = world.client().telling().prompt(TYPED).run().ok();
    assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
    assert_eq!(cues(&world, Seat::Synthesizer).len(), 2, "it never loops");
    let told = finished.notices();
    assert!(told.iter().any(|line| line.contains("The synthesis leaves out C1.")), "{told:#?}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_without_a_block_ends_without_a_verdict() {
    let world = World::with_model(Manner::default(), |turn| {
        let prose = || format!("Wait a year, says reply {}.", turn.number);
        Some(Answer::text(argued(turn).unwrap_or_else(prose)))
    });
    let finished = world.client().telling().prompt(TYPED).run().ok();
    let replies = world.replies();
    world.assert_completed_with(1, &replies[..3]);
    assert_eq!(replies.len(), 4, "the block is asked for once");
    assert!(world.state().notes("Verdict Block").is_empty(), "{}", world.state().0);
    let told = finished.notices().join("\n");
    assert!(told.contains("No valid verdict: the synthesis has no `anvil` block"), "{told}");
    let aside = world.aside();
    let kept = aside.values().filter(|text| text.contains(&replies[3].parts[0])).count();
    assert_eq!(kept, 1, "the second reply is put aside: {aside:#?}");
}
