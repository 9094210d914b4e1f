//! Actions without cost: commands that answer without a request, and a plugin that is silent until
//! it is used.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::client::{NEWEST, clients, skip_onboarding};
use crate::model::Manner;
use crate::process::Finished;
use crate::screen::Screen;
use crate::world::World;

/// Types a line and checks that it caused no request at all.
fn type_silently(world: &World, line: &str) -> Finished {
    let before = world.mock.all().len();
    let finished = world.client().prompt(line).run().ok();
    let asked: Vec<_> = world
        .mock
        .all()
        .split_off(before)
        .into_iter()
        .map(|e| e.request.body["messages"].clone())
        .collect();
    assert!(asked.is_empty(), "`{line}` asked the API: {asked:#?}");
    finished
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn status_costs_no_request_before_during_and_after_a_debate() {
    let world = World::new(Manner::default());
    let none = type_silently(&world, "/anvil:status");
    assert!(
        none.stdout.contains("/anvil:debate"),
        "without a debate it says how to start one: {none:#?}"
    );

    world.anvil(&["start", "Should we rewrite it?", "--rounds", "1"]);
    let waiting = type_silently(&world, "/anvil:status");
    assert!(waiting.stdout.contains("Should we rewrite it?"), "{waiting:#?}");

    world.client().prompt("/anvil:resume").run().ok();
    world.assert_completed(1);
    let over = type_silently(&world, "/anvil:status");
    assert!(
        over.stdout.contains("60% sure. Wait.") && over.stdout.contains("report --open shows it"),
        "{over:#?}"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn cancel_costs_no_request_and_keeps_the_record() {
    let world = World::new(Manner::default());
    world.anvil(&["start", "Should we rewrite it?", "--rounds", "1"]);
    let cancelled = type_silently(&world, "/anvil:cancel");
    assert!(cancelled.stdout.contains("cancel"), "{cancelled:#?}");
    let kept = World::files_below(&world.records().join("debates"));
    assert!(kept.values().any(|text| text.contains("status: cancelled")), "{:?}", kept.keys());
    let again = type_silently(&world, "/anvil:cancel");
    assert!(
        !again.stdout.trim().is_empty(),
        "a second cancel says that there is nothing to cancel"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn every_error_costs_no_request_and_gives_a_hint() {
    let world = World::new(Manner::default());
    let typo = type_silently(&world, "/anvil:debate Should we rewrite it? --round 3");
    assert!(typo.stdout.contains("--rounds"), "the nearest option is named: {typo:#?}");
    let range = type_silently(&world, "/anvil:debate Should we rewrite it? --rounds 11");
    assert!(range.stdout.contains("10"), "the limit is named: {range:#?}");
    let nothing = type_silently(&world, "/anvil:debate");
    assert!(nothing.stdout.contains("the question is missing"), "{nothing:#?}");
    let long = type_silently(&world, &format!("/anvil:debate {}", "why ".repeat(2_001)));
    assert!(long.stdout.contains("8,000") || long.stdout.contains("8000"), "{long:#?}");
    let idle = type_silently(&world, "/anvil:resume");
    assert!(idle.stdout.contains("/anvil:debate"), "{idle:#?}");
    assert!(!world.state_path().exists(), "an error starts nothing");

    world.anvil(&["start", "Should we rewrite it?"]);
    let before = world.state();
    let second = type_silently(&world, "/anvil:debate And what about this?");
    for way_out in ["/anvil:resume", "/anvil:cancel", "--replace"] {
        assert!(second.stdout.contains(way_out), "{way_out} is a way out: {second:#?}");
    }
    assert_eq!(world.state(), before, "a refused start changes nothing");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_without_anvil_never_mentions_it_to_the_api() {
    let world = World::new(Manner::default());
    let finished = world.client().prompt("Say hello.").run().ok();
    assert!(finished.stdout.contains("CHAT reply 1"), "{finished:#?}");
    world.client().continuing().prompt("And again.").run().ok();
    assert_eq!(world.mock.main().len(), 2);
    for exchange in world.mock.all() {
        let body = exchange.request.body.to_string().to_lowercase();
        let before: Option<Vec<char>> =
            body.split_once("anvil").map(|(before, _)| before.chars().rev().take(200).collect());
        assert_eq!(
            before, None,
            "{NEWEST} mentions the plugin in a session that does not use it (reversed)"
        );
    }
    assert_eq!(
        world.project_files().len(),
        0,
        "and nothing is written: {:?}",
        world.project_files().keys()
    );
}

/// Without its hook, a command must not become a debate that Claude invents.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn without_hooks_claude_reports_that_they_are_missing() {
    for line in
        ["/anvil:debate Should we rewrite it?", "/anvil:status", "/anvil:resume", "/anvil:cancel"]
    {
        let world = World::new(Manner::default());
        let folder = world.home().join(".claude");
        fs::create_dir_all(&folder).expect("the fake HOME is writable");
        fs::write(folder.join("settings.json"), r#"{"disableAllHooks": true}"#)
            .expect("the fake HOME is writable");
        world.client().prompt(line).run().ok();
        let log = world.mock.main();
        assert_eq!(log.len(), 1, "{line}");
        let asked = log[0].request.body["messages"].to_string();
        assert!(
            asked.contains("hook did not run") && asked.contains("Reply with exactly this"),
            "{line}: {asked}"
        );
        assert!(!asked.contains("One question is argued from opposed sides"), "{line}: {asked}");
        assert!(world.project_files().is_empty());
    }
}

/// The commands stay in the session until it ends; the program is gone.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn removing_the_plugin_shows_no_error_in_an_open_session() {
    for version in clients() {
        let world = World::new(Manner::default());
        skip_onboarding(&world.home(), &world.project());
        let screen = Screen::open(&world.client_of(version));
        screen
            .wait_until("the prompt", |text| text.lines().any(|line| line.starts_with(['>', '❯'])));
        screen.enter("Say hello.");
        screen.wait_for("CHAT reply 1");
        world.anvil(&["uninstall", "--from", world.plugin().to_str().expect("a UTF-8 path")]);
        assert!(World::files_below(&world.plugin()).is_empty());
        screen.enter("And again.");
        screen.wait_for("CHAT reply 2");
        screen.enter("And once more.");
        let text = screen.wait_for("CHAT reply 3");
        // The text above was shown before the second prompt; a failing hook is named in the lines
        // below a prompt.
        for word in ["hook error", "hook failed", "Failed to run", "not found", "No such file"] {
            assert!(!text.contains(word), "{version} shows `{word}`:\n{text}");
        }
    }
}

/// Clients are reported to do this on Windows. The prefix removes the variable from a hook's
/// environment.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_runs_if_the_client_gives_no_plugin_folder() {
    for version in clients() {
        let world = World::new(Manner::default());
        world.anvil(&["install"]);
        // The program exists, but nothing that a client loads.
        for part in ["hooks", "commands", ".claude-plugin"] {
            let folder = world.home().join(".claude/skills/anvil").join(part);
            fs::remove_dir_all(folder).expect("a folder of the plugin");
        }
        let (prefix, seen) = (world.home().join("prefix"), world.home().join("seen"));
        let text = format!(
            "#!/bin/sh\nunset CLAUDE_PLUGIN_ROOT\necho \"$1\" >>'{}'\nexec sh -c \"$1\"\n",
            seen.display()
        );
        fs::write(&prefix, text).expect("the fake HOME is writable");
        fs::set_permissions(&prefix, fs::Permissions::from_mode(0o755)).expect("an own file");
        let client = world.client_of(version).env("CLAUDE_CODE_SHELL_PREFIX", &prefix);
        client.prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
        world.assert_completed(1);
        let lines = fs::read_to_string(&seen).expect("hooks went through the prefix");
        assert!(lines.contains("p=\"${CLAUDE_PLUGIN_ROOT}\""), "{version}: {lines}");
    }
}
