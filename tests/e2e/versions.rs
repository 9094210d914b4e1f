//! The clients that users have, and the ways to install the plugin in them.

use std::fs;
use std::path::Path;

use crate::client::{NEWEST, clients};
use crate::model::Manner;
use crate::world::World;

/// A whole debate of three rounds, and a status without a request, on a client of this version.
fn debate_on(version: &str) {
    let world = World::new(Manner::default());
    world
        .client_of(version)
        .prompt("/anvil:debate --rounds 3 -- Why doesn't $(x) `y` win?")
        .run()
        .ok();
    world.assert_completed(3);
    assert_eq!(world.state().field("question"), "Why doesn't $(x) `y` win?");
    let asked = world.mock.main().len();
    assert_eq!(asked, 7);
    world.client_of(version).prompt("/anvil:status").run().ok();
    assert_eq!(world.mock.main().len(), asked, "status asked the API");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_of_three_rounds_runs_on_every_client() {
    clients().for_each(debate_on);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_plugin_installs_from_its_own_marketplace() {
    let world = World::new(Manner::default());
    let add = world.bare_client(NEWEST).arg("plugin").arg("marketplace").arg("add");
    add.arg(world.plugin()).run().ok();
    world.bare_client(NEWEST).arg("plugin").arg("install").arg("anvil@anvil").run().ok();
    world.bare_client(NEWEST).prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world.assert_completed(1);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_plugin_installed_as_a_skill_loads_by_itself() {
    for version in clients() {
        let world = World::new(Manner::default());
        world.anvil(&["install"]);
        let manifest = world.home().join(".claude/skills/anvil/.claude-plugin/plugin.json");
        assert!(manifest.exists());
        let client = world.bare_client(version);
        client.prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
        world.assert_completed(1);
    }
}

/// The client keeps another program's name in `AI_AGENT`, so its version is unknown.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_client_that_another_program_started_debates_too() {
    for version in clients() {
        let world = World::new(Manner::default());
        let client = world.client_of(version).env("AI_AGENT", "codex");
        client.prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
        world.assert_completed(1);
    }
}

/// The client loads one plugin per name, even if it is installed in several ways; the same hooks in
/// the user's settings deliver every event a second time.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn hooks_called_twice_start_and_advance_a_debate_once() {
    for version in clients() {
        let world = World::new(Manner::default());
        let read = |file: &str| {
            let text = fs::read_to_string(world.plugin().join("hooks").join(file));
            serde_json::from_str::<serde_json::Value>(&text.expect("installed hooks"))
                .expect("JSON")
        };
        let mut hooks = read("hooks.json");
        let event = "UserPromptExpansion";
        hooks["hooks"][event] = read("commands.json")["hooks"][event].clone();
        let hooks = hooks.to_string();
        let folder = world.home().join(".claude");
        fs::create_dir_all(&folder).expect("the fake HOME is writable");
        let program = world.plugin().to_str().expect("a UTF-8 path").to_owned();
        fs::write(folder.join("settings.json"), hooks.replace("${CLAUDE_PLUGIN_ROOT}", &program))
            .expect("settings");
        world
            .client_of(version)
            .prompt("/anvil:debate Should we rewrite it? --rounds 2")
            .run()
            .ok();
        world.assert_completed(2);
        assert_eq!(world.replies().len(), 5, "{version}");
        let first = world.mock.main()[0].request.body["messages"].to_string();
        assert_eq!(
            first.matches("argued from opposed sides").count(),
            1,
            "{version}: the protocol goes in once"
        );
    }
}

/// For this the commands in `hooks.json` are quoted.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_plugin_path_with_blanks_works_on_every_client() {
    for version in clients() {
        let world = World::new(Manner::default());
        let folder = world.home().join("my plug ins");
        world.anvil(&["install", "--to", folder.to_str().expect("a UTF-8 path")]);
        let client = world.bare_client(version).plugin(&folder);
        client.prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
        world.assert_completed(1);
    }
}

fn assert_valid(world: &World, folder: &Path) {
    let validate =
        world.bare_client(NEWEST).arg("plugin").arg("validate").arg("--profile").arg("directory");
    let finished = validate.arg(folder).run().ok();
    let said = format!("{}{}", finished.stdout, finished.stderr).to_lowercase();
    assert!(!said.contains("warning") && !said.contains("error"), "{finished:#?}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_installed_folder_passes_the_public_directorys_validation() {
    let world = World::new(Manner::default());
    assert_valid(&world, &world.plugin());
}
