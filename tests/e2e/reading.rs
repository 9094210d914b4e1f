//! Claude's Read of the debate's file if Claude was started in another folder: the client asks the
//! plugin, and no other file outside that folder may be read.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, NEWEST, clients};
use crate::mock::{Answer, Block};
use crate::model::{Manner, Reads, STATE_FILE, Seat, Turn};
use crate::world::World;

/// A checkout with a debate that has material, so that whoever resumes it must read; the client
/// starts in a subfolder.
fn below(world: &World, version: &str) -> Client {
    let project = world.project();
    let deep = project.join("src/deep");
    fs::create_dir_all(&deep).expect("a fresh folder");
    fs::write(project.join("plan.md"), "The plan is to leave.\n").expect("a fresh file");
    assert!(
        Command::new("git")
            .args(["init", "-q"])
            .current_dir(&project)
            .status()
            .expect("git")
            .success()
    );
    world.anvil(&["start", "Should we rewrite it?", "--rounds", "1", "--context", "plan.md"]);
    world.client_of(version).working_in(&deep).prompt("/anvil:resume")
}

/// The tool results in the newest request, oldest first: whether each is an error, and its text.
fn results(world: &World) -> Vec<(bool, String)> {
    let log = world.mock.main();
    let asked =
        log.iter().rfind(|exchange| Turn::of(&exchange.request).seat == Some(Seat::Advocate(1)));
    let messages = asked.expect("the advocate was asked").request.messages().to_vec();
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results
        .map(|result| (result["is_error"] == json!(true), result["content"].to_string()))
        .collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_in_a_subfolder_reads_only_the_debates_file_above() {
    for version in clients() {
        let paths = std::sync::Arc::new(std::sync::OnceLock::<(String, String)>::new());
        let known = paths.clone();
        let world = World::with_model(Manner::default(), move |turn| {
            let (state, other) = known.get()?;
            match (turn.seat, turn.tools_used) {
                (Some(Seat::Advocate(1)), 0) => Some(Answer::blocks(vec![turn.read(state)])),
                (Some(Seat::Advocate(1)), 1) => {
                    let input: Value = json!({ "file_path": other });
                    Some(Answer::blocks(vec![Block::Tool("Read", input)]))
                }
                _ => None,
            }
        });
        let other = world.outside().join(STATE_FILE);
        fs::create_dir_all(world.outside()).expect("a fresh folder");
        fs::write(&other, "nothing of yours").expect("a fresh file");
        let text = |path: &std::path::Path| path.to_str().expect("a UTF-8 path").to_owned();
        paths.set((text(&world.state_path()), text(&other))).expect("set once");
        let finished = below(&world, version).run().ok();
        let results = results(&world);
        assert_eq!(results.len(), 2, "{version}: {results:?} {finished:#?}");
        assert!(
            !results[0].0 && results[0].1.contains("The plan is to leave."),
            "{version}: {results:?}"
        );
        assert!(
            results[1].0 && !results[1].1.contains("nothing of yours"),
            "{version}: {results:?}"
        );
        world.assert_completed(1);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_without_the_required_read_is_retried_and_not_saved() {
    // If a busy client's transcript shows no Read, the reply is saved anyway; then the test tries
    // again.
    for version in clients() {
        let is_asked_again = || {
            let world = World::new(Manner { reads: Reads::Never, ..Manner::default() });
            below(&world, version).run();
            let state = world.state();
            let requests = world.mock.main().len();
            println!(
                "{version}: {}, {} sections, {requests} requests",
                state.field("status"),
                state.sections().len()
            );
            state.field("status") == "failed" && state.sections().is_empty() && requests == 4
        };
        assert!((0..4).any(|_| is_asked_again()), "{version}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_read_refused_by_the_users_settings_pauses_the_debate() {
    let world = World::new(Manner::default());
    let client = below(&world, NEWEST);
    let folder = world.home().join(".claude");
    fs::create_dir_all(&folder).expect("the fake HOME is writable");
    let deny =
        json!({ "permissions": { "deny": [format!("Read(/{})", world.state_path().display())] } });
    fs::write(folder.join("settings.json"), deny.to_string()).expect("the fake HOME is writable");
    client.run().ok();
    let state = world.state();
    assert_eq!(state.field("status"), "paused", "{}", state.0);
    assert_eq!(state.field("status_detail"), "read-failed", "{}", state.0);
    assert_eq!((state.sections().len(), world.mock.main().len()), (0, 2), "{}", state.0);
}
