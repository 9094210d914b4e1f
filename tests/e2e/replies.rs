//! What counts as a reply: every word of it, in whichever parts it arrives, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::client::clients;
use crate::mock::{Answer, Block, End};
use crate::model::{Manner, Reads, Seat, block};
use crate::world::World;

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_around_a_tool_call_is_saved_whole() {
    let manner = Manner::default();
    let world = World::with_model(manner, |turn| {
        let seat = turn.seat.filter(|seat| matches!(seat, Seat::Critic(1) | Seat::Synthesizer))?;
        let answer = match turn.tools_used {
            0 => Answer::blocks(vec![
                Block::Text(format!("{seat} BEFORE the first tool, request {}.", turn.number)),
                Block::Tool("Read", json!({"file_path": "/etc/hostname"})),
            ]),
            1 => Answer::blocks(vec![
                Block::Text(format!("{seat} BETWEEN the tools, request {}.", turn.number)),
                Block::Tool("Read", json!({"file_path": "/etc/hostname"})),
            ]),
            _ => {
                let end = match seat {
                    Seat::Synthesizer => block(&turn.motion, "Wait.", &[]),
                    _ => "C1.".to_owned(),
                };
                Answer::text(format!("{seat} AFTER both tools, request {}.\n\n{end}", turn.number))
            }
        };
        Some(answer)
    });
    world
        .client()
        .arg("--allowedTools")
        .arg("Read")
        .prompt("/anvil:debate Should we? --rounds 1")
        .run()
        .ok();
    world.assert_completed(1);
    let critic = &world.state().sections()[1].text;
    assert!(
        critic.contains("BEFORE") && critic.contains("BETWEEN") && critic.contains("AFTER"),
        "{critic}"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_of_300_kilobytes_is_kept_whole() {
    let world = World::with_model(Manner::default(), |turn| {
        (turn.seat == Some(Seat::Advocate(1))).then(|| Answer::text(turn.text(300 * 1024)))
    });
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world.assert_completed(1);
    assert!(world.state().sections()[0].text.len() >= 300 * 1024);
}

/// A debate of one round whose critic's first `unusable` attempts are the texts of `attempt`.
fn debate_with_unusable_attempts(
    unusable: usize,
    attempt: impl Fn() -> Answer + Send + Sync + 'static,
) -> World {
    let attempts = Arc::new(AtomicUsize::new(0));
    let world = World::with_model(Manner { size: 0, ..Manner::default() }, move |turn| {
        // The client itself may ask again after an empty answer; each of those counts as an
        // attempt.
        let critic = turn.seat == Some(Seat::Critic(1));
        (critic && attempts.fetch_add(1, Ordering::SeqCst) < unusable).then(&attempt)
    });
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world
}

/// The replies without the critic's first `unusable` ones.
pub(crate) fn assert_completed_without(world: &World, unusable: &str) {
    let mut replies = world.replies();
    replies.retain(|reply| {
        !(reply.seat == Seat::Critic(1) && reply.parts.concat().trim() == unusable)
    });
    world.assert_completed_with(1, &replies);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_empty_reply_is_not_saved_and_is_retried() {
    let world = debate_with_unusable_attempts(1, || Answer::blocks(Vec::new()));
    assert_completed_without(&world, "");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_blank_reply_is_not_saved_and_is_retried() {
    let world = debate_with_unusable_attempts(2, || {
        Answer::text(" \n\n").after(Duration::from_millis(600))
    });
    assert_completed_without(&world, "");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_repeated_reply_is_not_saved_and_is_retried() {
    // The advocate's text is known: it is the answer to the first request.
    let repeated = "ADVOCATE-R1 reply 1.\n\nA1.";
    // Two requests with the same answer within half a second look like one event delivered twice.
    let world = debate_with_unusable_attempts(2, move || {
        Answer::text(repeated).after(Duration::from_millis(700))
    });
    assert_completed_without(&world, repeated);
}

/// A message can hold several texts, with thinking between them; the client sends only the last
/// one.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_of_two_texts_in_one_message_is_saved_whole() {
    for version in clients() {
        let manner = Manner { reads: Reads::Never, ..Manner::default() };
        let world = World::with_model(manner, |turn| {
            let first = Block::Text(format!("First part of request {}.", turn.number));
            turn.seat.map(|_| Answer::blocks(vec![first, Block::Text(turn.text(600))]))
        });
        world
            .client_of(version)
            .prompt("/anvil:debate Should we rewrite it? --rounds 1")
            .run()
            .ok();
        world.assert_completed(1);
    }
}

/// The client asks for the rest of a message that reached the limit of output.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_that_a_limit_cuts_in_a_word_is_saved_with_the_whole_word() {
    for version in clients() {
        let manner = Manner { reads: Reads::Never, ..Manner::default() };
        let world = World::with_model(manner, |turn| match turn.number {
            1 => Some(Answer::text("**A1. The queue costs us two rele").ending(End::Cut)),
            2 => Some(Answer::text("ases a day.** So it is.")),
            _ => None,
        });
        world.client_of(version).prompt("/anvil:debate Should we? --rounds 1").run().ok();
        let state = world.state();
        assert_eq!(state.field("status"), "completed", "{version}: {}", state.0);
        assert_eq!(
            state.sections()[0].text.trim(),
            "**A1. The queue costs us two releases a day.** So it is.",
            "{version}"
        );
    }
}

/// Agents run in the background (2.1.329): the turn stops while one works, and a new turn begins
/// when it ends. The texts before and after belong to one reply.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_waits_for_the_agent_it_started() {
    const ASK: &str = "I ask an agent first.";
    const FOUND: &str = "A1 rests on the 7 places that the agent found.";
    let asked = AtomicUsize::new(0);
    let world = World::with_model(Manner::default(), move |turn| match turn.seat {
        Some(Seat::Advocate(1)) => Some(match asked.fetch_add(1, Ordering::SeqCst) {
            0 => {
                let input = json!({ "description": "look", "prompt": "look around", "subagent_type": "general-purpose" });
                Answer::blocks(vec![Block::Text(ASK.into()), Block::Tool("Agent", input)])
            }
            _ => Answer::text("It is at work."),
        }),
        // The agent, and then the turn that begins with its result.
        None => Some(Answer::text(FOUND).after(Duration::from_millis(800))),
        Some(_) => None,
    });
    let run = world
        .client()
        .telling()
        .prompt("/anvil:debate Should we rewrite it? --rounds 1")
        .run()
        .ok();
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}\n{run:#?}", state.0);
    assert_eq!(
        state.sections()[0].text.trim(),
        format!("{ASK}\n\nIt is at work.\n\n{FOUND}"),
        "{}",
        state.0
    );
    assert_eq!(state.sections().len(), 3, "{}", state.0);
}
