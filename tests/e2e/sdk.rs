//! A program that embeds the client by `@anthropic-ai/claude-agent-sdk`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::client::{Client, NEWEST, clients};
use crate::interruptions::world_that_stalls_at;
use crate::isolated::{Desk, is_session_request};
use crate::mock::Gate;
use crate::model::{Manner, Seat};
use crate::process::{Running, notices};
use crate::world::World;

/// What the session prints for these prompts.
fn session(client: &Client, plugin: &Path, prompts: &[&str]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/sdk.mjs");
    let mut line = client.shell("exec node \"$@\"");
    line.arg("sh").arg(script).arg(client.program()).arg(plugin).args(prompts);
    let command: Command = line;
    let told = Running::start(command).wait().ok();
    told.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The texts of the results.
fn results(events: &[Value]) -> Vec<String> {
    let results = events.iter().filter(|event| event["type"] == "result");
    results.map(|event| event["result"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_program_gets_the_whole_debate_and_every_answer() {
    for version in clients() {
        let world = World::new(Manner::default());
        let lines = [
            "/anvil:debate Should we rewrite it? --rounds 1",
            "/anvil:status",
            "/anvil:claims",
            "/anvil:history",
            "/anvil:report",
            "/anvil:undo",
            "/anvil:cancel",
            "/anvil:debate --help",
        ];
        let events = session(&world.bare_client(version), &world.plugin(), &lines);
        let told = notices(&events).join("\n");
        for line in ["── Critic · round 1 of 1 ──", "── Synthesis ──", "60% sure. Wait."]
        {
            // 2.1.200 passes no line on from a Stop.
            assert!(told.contains(line) || version != NEWEST, "{version}: {told}");
        }
        let results = results(&events);
        let shown =
            ["", "60% sure", "Anvil: ", "Should we", "Wait.", "undone: ", "cancelled", "QUESTION"];
        for ((result, shown), line) in results.iter().zip(shown).zip(lines) {
            assert!(result.contains(shown), "{version} {line}: {result}");
        }
        assert_eq!(results.len(), lines.len(), "{version}");
        assert_eq!(world.replies().len(), 3, "{version}: nothing else is asked");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_program_interrupts_and_resumes() {
    for version in clients() {
        let world = world_that_stalls_at(Seat::Critic(1), &Gate::default());
        let lines = [
            "/anvil:debate Should we rewrite it? --rounds 1",
            "<Esc>",
            "/anvil:status",
            "/anvil:resume",
        ];
        let events = session(&world.bare_client(version), &world.plugin(), &lines);
        assert!(results(&events)[1].contains("1 of 3 replies"), "{version}: {events:#?}");
        world.assert_completed(1);
    }
}

/// Its end wakes the session of a program too, and leaves nothing in the conversation.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_isolated_debate_wakes_the_session_of_a_program() {
    for version in clients() {
        let desk = Desk::arguing();
        let lines = [
            "/anvil:debate Should we rewrite the parser? --rounds 1 --isolated",
            "<wait>",
            "So what shall we do?",
            "Really?",
        ];
        let world = desk.world();
        let events = session(&desk.client_of(version), &world.plugin(), &lines);
        let results = results(&events);
        assert!(results[0].contains("3 independent replies"), "{version}: {results:?}");
        assert!(results[1].contains("60% sure. Wait a year."), "{version}: {results:?}");
        let mut asked = world.mock.all().into_iter().filter(|one| is_session_request(&one.request));
        let last = asked.next_back().expect("a request").request.body["messages"].to_string();
        assert_eq!(last.matches("Wait a year.").count(), 1, "{version}: Claude reads it once");
        assert!(!last.contains("anvil-isolated-news"), "{version}: {last}");
    }
}
