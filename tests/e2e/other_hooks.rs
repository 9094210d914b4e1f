//! Hooks of others, and other ends of a turn, beside a debate.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::client::{NEWEST, clients, skip_onboarding};
use crate::interruptions::{is_asked, world_that_stalls_at};
use crate::mock::Gate;
use crate::model::{Manner, Seat};
use crate::process::notices;
use crate::screen::Screen;
use crate::talk::Talk;
use crate::world::World;

const DEBATE: &str = "/anvil:debate Should we rewrite it? --rounds 1";

/// Adds a Stop hook of the user's own, which answers so once.
fn stops_with(world: &World, answer: &str) {
    let folder = world.home().join(".claude");
    fs::create_dir_all(&folder).expect("the fake HOME is writable");
    let mark = folder.join("answered");
    let mark = mark.display();
    let command = format!("cat >/dev/null; [ -e '{mark}' ] || {{ : >'{mark}'; echo '{answer}'; }}");
    let hooks = json!({ "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] });
    fs::write(folder.join("settings.json"), json!({ "hooks": hooks }).to_string())
        .expect("settings");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn another_hooks_block_does_not_stop_a_debate() {
    for version in clients() {
        let world = World::new(Manner::default());
        stops_with(&world, r#"{"decision":"block","reason":"LINT: mend it"}"#);
        world.client_of(version).prompt(DEBATE).run().ok();
        assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
        let told = world.mock.main()[1].request.body["messages"].to_string();
        assert!(told.contains("LINT: mend it") && told.contains("── Critic"), "{version}: {told}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_turn_that_another_hook_ends_is_told_at_the_next_prompt() {
    for version in clients() {
        let world = World::new(Manner::default());
        stops_with(&world, r#"{"continue":false,"stopReason":"OTHER"}"#);
        let mut talk = Talk::open(world.client_of(version));
        talk.say(&[DEBATE]);
        assert_eq!(world.replies().len(), 1, "{version}: it ended after the first reply");
        let told = notices(&talk.say(&["Say hello."])).join("\n");
        assert_eq!(world.state().field("status"), "paused", "{}", world.state().0);
        // 2.1.200 shows such a line on the screen only.
        let is_told = told.contains("Anvil paused before critic, round 1 of 1");
        assert!(is_told || version != NEWEST, "{version}: {told}");
        talk.say(&["/anvil:resume"]);
        assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
        assert_eq!(world.state().sections().len(), 3, "{version}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_limit_of_turns_pauses_a_debate_that_resumes_later() {
    for version in clients() {
        let world = World::new(Manner::default());
        world.client_of(version).args(&["--max-turns", "1"]).prompt(DEBATE).run();
        assert_eq!(world.replies().len(), 1, "{version}");
        assert_eq!(world.state().field("status"), "paused", "{}", world.state().0);
        world.client_of(version).prompt("/anvil:resume").run().ok();
        world.assert_completed(1);
    }
}

/// A goal is a Stop hook that asks the model itself.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_completes_beside_a_goal() {
    let world = World::new(Manner::default());
    world.mock.sides_answer(r#"{"ok":true,"reason":"the goal is met"}"#);
    let folder = world.home().join(".claude");
    fs::create_dir_all(&folder).expect("the fake HOME is writable");
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/goal ship it");
    screen.wait_for("CHAT reply");
    world.mock.sides_answer(r#"{"ok":false,"reason":"not yet"}"#);
    screen.enter(DEBATE);
    screen.wait_for("report --open");
    assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
    world.mock.sides_answer(r#"{"ok":true,"reason":"the goal is met"}"#);
}

/// Ends what the client keeps running for its background sessions: a daemon, and spare sessions.
struct Background<'a>(&'a World);

impl Drop for Background<'_> {
    fn drop(&mut self) {
        let home = format!("HOME={}", self.0.home().display());
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        for pid in pids {
            let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let is_own = variables.split(|byte| *byte == 0).any(|pair| pair == home.as_bytes());
            if let Some(pid) = Pid::from_raw(pid).filter(|_| is_own) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_background_session_debates_to_the_end() {
    let world = World::new(Manner::default());
    skip_onboarding(&world.home(), &world.project());
    let _background = Background(&world);
    world.client().arg("--bg").arg(DEBATE).run().ok();
    let limit = Duration::from_mins(2);
    world.mock.wait_until("the synthesis", limit, is_asked(Seat::Synthesizer));
    let began = std::time::Instant::now();
    while !world.report_path().exists() && began.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(100));
    }
    world.assert_completed(1);
}

/// An update installs over the folder, or removes it, while a debate runs.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_goes_on_after_an_update_and_waits_without_the_plugin() {
    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Critic(1), &gate);
    let to = world.plugin().to_str().expect("a UTF-8 path").to_owned();
    let client = world.client().prompt(DEBATE).spawn();
    world.mock.wait_until("the critic", Duration::from_mins(1), is_asked(Seat::Critic(1)));
    world.anvil(&["uninstall", "--from", &to]);
    world.anvil(&["install", "--to", &to]);
    gate.open();
    client.wait().ok();
    world.assert_completed(1);

    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Critic(1), &gate);
    let to = world.plugin();
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client_of(NEWEST));
    screen.wait_for("❯");
    screen.enter(DEBATE);
    world.mock.wait_until("the critic", Duration::from_mins(1), is_asked(Seat::Critic(1)));
    screen.press("Escape");
    screen.wait_for("Interrupted");
    // No SessionEnd runs then.
    fs::remove_dir_all(&to).expect("the plugin's folder");
    screen.enter("/exit");
    drop(screen);
    gate.open();
    world.anvil(&["install", "--to", to.to_str().expect("a UTF-8 path")]);
    world.client().prompt("/anvil:resume").run().ok();
    world.assert_completed(1);
}
