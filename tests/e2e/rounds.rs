//! Whole debates from the typed command to the report, in one unattended turn of the client.

use std::fs;

use crate::mock::{Answer, Exchange};
use crate::model::{Manner, Reads, Seat};
use crate::world::World;

/// A debate of this many rounds in one `claude -p`.
fn debate_in_one_turn(rounds: u32, reads: Reads) -> World {
    let world = World::new(Manner { reads, ..Manner::default() });
    world
        .client()
        .prompt(format!("/anvil:debate Should we rewrite it? --rounds {rounds}"))
        .run()
        .ok();
    world.assert_completed(rounds);
    world
}

/// The results of successful Reads of the state file, each counted once.
fn reads_that_worked(log: &[Exchange]) -> usize {
    let newest = |exchange: &Exchange| {
        let messages = exchange.request.messages();
        let user = messages.iter().rev().find(|message| message["role"] == "user")?;
        user["content"].as_array()?.iter().find(|block| block["type"] == "tool_result").cloned()
    };
    let results: Vec<_> = log.iter().filter_map(newest).collect();
    for result in &results {
        assert_ne!(result["is_error"], true, "a Read failed: {result}");
        let shows_debate =
            ["Round ", "-R"].iter().any(|mark| result["content"].to_string().contains(mark));
        assert!(shows_debate, "a Read shows nothing of the debate: {result}");
    }
    results.len()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_of_one_round_runs_to_its_report() {
    debate_in_one_turn(1, Reads::WhenAsked);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_names_the_session_that_owns_it() {
    let session = "0f0e0d0c-0b0a-4908-8706-050403020100";
    let world = World::new(Manner::default());
    world
        .client()
        .session(session)
        .prompt("/anvil:debate Should we rewrite it? --rounds 1")
        .run()
        .ok();
    world.assert_completed(1);
    assert_eq!(world.state().field("session_id"), session);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_of_three_rounds_needs_no_tool_at_all() {
    let world = debate_in_one_turn(3, Reads::WhenAsked);
    assert_eq!(
        reads_that_worked(&world.mock.main()),
        0,
        "six continuations are within the client's cap"
    );
    debate_in_one_turn(3, Reads::Never);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn five_rounds_pass_the_cap_if_the_model_reads_on_request() {
    let world = debate_in_one_turn(5, Reads::WhenAsked);
    let reads = reads_that_worked(&world.mock.main());
    assert!((1..=2).contains(&reads), "ten continuations need one Read, not {reads}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn ten_rounds_pass_the_cap_if_the_model_reads_on_request() {
    let world = debate_in_one_turn(10, Reads::WhenAsked);
    let reads = reads_that_worked(&world.mock.main());
    assert!((2..=4).contains(&reads), "twenty continuations need two or three Reads, not {reads}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_awkward_question_arrives_unchanged() {
    let question = "Why doesn't $(x) `y` \"z\" win? # really; rm -rf /";
    let world = World::new(Manner::default());
    world.client().prompt(format!("/anvil:debate {question} --rounds 1")).run().ok();
    world.assert_completed(1);
    assert_eq!(world.state().field("question"), question);
    let report = fs::read_to_string(world.report_path()).expect("a report");
    assert!(
        report.contains("Why doesn't") && report.contains("rm -rf /"),
        "the report names its question:\n{report}"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_question_of_several_lines_keeps_its_lines() {
    let question = "Should we split the service?\n\nIt has 3 tables:\n- a\n- b --not-an-option\n\n# not a heading";
    let world = World::new(Manner::default());
    world.client().prompt(format!("/anvil:debate --rounds 1 -- {question}")).run().ok();
    world.assert_completed(1);
    assert_eq!(world.state().field("question"), question);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_output_option_decides_where_the_report_goes() {
    let world = World::new(Manner::default());
    world
        .client()
        .prompt("/anvil:debate Should we rewrite it? --rounds 1 --output notes/verdict.md")
        .run()
        .ok();
    world.assert_completed(1);
    let report = fs::read_to_string(world.project().join("notes/verdict.md"))
        .expect("the report is where it was asked");
    assert!(report.contains("SYNTHESIS reply"), "{report}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_declared_complete_goes_to_its_synthesis_early() {
    let world = World::with_model(Manner::default(), |turn| {
        (turn.seat == Some(Seat::Critic(1)))
            .then(|| Answer::text("C1. Nothing is left to say.\n\n<anvil-complete/>"))
    });
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 3").run().ok();
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}", state.0);
    let places: Vec<_> = state.sections().into_iter().map(|section| section.place).collect();
    assert_eq!(places, ["Round 1 / Advocate", "Round 1 / Critic", "Synthesis"]);
    assert_eq!(state.sections()[1].text, "C1. Nothing is left to say.");
    assert!(
        !state.0.contains("anvil-complete"),
        "the signal is not part of the transcript:\n{}",
        state.0
    );
}
