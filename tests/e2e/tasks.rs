//! A debate without a driver: Claude and the real codex write what is claimed for them.

use std::fs;

use serde_json::Value;

use crate::client::{Client, skip_onboarding};
use crate::mock::{Answer, Mock, Request};
use crate::model::{Seat, Turn, account};
use crate::screen::Screen;
use crate::world::World;

fn reply(request: &Request) -> String {
    match Turn::of(request).seat {
        Some(Seat::Advocate(round)) => {
            format!("**A{round}. It pays in year {round}.** [reasoning]\n\nBecause.")
        }
        Some(Seat::Critic(round)) => {
            format!("**C{round}. It costs in year {round}.** [reasoning]\n\nBecause.")
        }
        _ => "CHAT-REPLY".to_owned(),
    }
}

/// The way of a script: what a claim prints goes into a program, and what that prints is submitted.
#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn claude_and_codex_write_what_is_claimed_for_them() {
    let world = World::with_mock(Mock::of_seats(|request| match Turn::of(request).seat {
        Some(Seat::Synthesizer) => {
            Answer::text(account(&Turn::of(request).motion, "Wait a year.", ["A1", "C1"]))
        }
        _ => Answer::text(reply(request)),
    }));
    let codex_api = format!(
        "model_provider = \"once\"\n[model_providers.once]\nname = \"once\"\n\
         wire_api = \"responses\"\nbase_url = \"{}/v1\"\n",
        world.mock.url()
    );
    fs::create_dir_all(world.home().join(".codex")).expect("the fake HOME is writable");
    fs::write(world.home().join(".codex/config.toml"), codex_api).expect("the fake HOME");
    world.anvil(&["start", "Should we rewrite the parser?", "--rounds", "1"]);
    let (prompt, answer) = (world.home().join("prompt.md"), world.home().join("answer.md"));
    for (seat, by) in [("advocate", "claude"), ("critic", "codex"), ("synthesizer", "claude")] {
        let claimed = world.anvil(&["claim", seat, "--as", by, "--json"]).stdout;
        let claimed: Value = serde_json::from_str(&claimed).expect("JSON");
        fs::write(&prompt, claimed["prompt"].as_str().expect("a prompt")).expect("a fresh file");
        let writer = match by {
            "codex" => Client::codex(&world.home(), &world.project()).args(&[
                "exec",
                "-",
                "--skip-git-repo-check",
            ]),
            _ => world.client().arg("-p"),
        };
        let written = writer.reading(&prompt).run().ok();
        fs::write(&answer, &written.stdout).expect("a fresh file");
        let token = claimed["token"].as_str().expect("a token");
        let anvil = Client::anvil(&world.home(), &world.project(), &world.home(), &world.mock);
        anvil.args(&["submit", token]).reading(&answer).run().ok();
    }
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}", state.0);
    assert_eq!(state.sections().len(), 3, "{}", state.0);
    let report = world.anvil(&["report", "--format", "json", "--output", "-"]).stdout;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let sections = report["sections"].as_array().expect("sections").iter();
    let writers: Vec<&Value> = sections.map(|section| &section["author"]["agent"]).collect();
    assert_eq!(writers, ["claude", "codex", "claude"]);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_drives_no_debate_with_a_claimed_task() {
    let world = World::with_mock(Mock::of_seats(|request| match Turn::of(request).seat {
        Some(Seat::Synthesizer) => {
            Answer::text(account(&Turn::of(request).motion, "Wait a year.", ["A1", "C1"]))
        }
        _ => Answer::text(reply(request)),
    }));
    world.anvil(&["start", "Should we rewrite the parser?", "--rounds", "1"]);
    world.anvil(&["claim", "advocate"]);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:resume");
    screen.wait_for("tasks of this debate are claimed: advocate-1");
    screen.enter("/anvil:resume --drop-claims");
    let over = screen.wait_for("60% sure.");
    assert_eq!(world.state().field("status"), "completed", "{over}");
}
