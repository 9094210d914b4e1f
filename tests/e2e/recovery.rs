//! Recovery for the user: a reply that could not be saved, a damaged file, an undone phase.

use std::fs::File;
use std::time::Duration;

use crate::client::skip_onboarding;
use crate::interruptions::{is_asked, world_that_stalls_at};
use crate::mock::Gate;
use crate::model::{Manner, Seat, assert_sections_are};
use crate::screen::Screen;
use crate::world::World;

/// Holds the project's lock until it is dropped, like a hook that hangs.
fn hold_lock(world: &World) -> File {
    let folder = world.project().join(".claude");
    let file = File::create(folder.join("anvil-state.lock.local.md")).expect("the lock");
    file.lock().expect("nobody else holds it");
    file
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_reply_that_could_not_be_saved_is_saved_on_resume() {
    for chance in ["/anvil:resume", "Thank you, go on"] {
        let gate = Gate::default();
        let world = world_that_stalls_at(Seat::Critic(1), &gate);
        skip_onboarding(&world.home(), &world.project());
        let screen = Screen::open(&world.client());
        screen.enter("/anvil:debate Should we rewrite it? --rounds 1");
        world.mock.wait_until("the critic", Duration::from_mins(1), is_asked(Seat::Critic(1)));
        let lock = hold_lock(&world);
        gate.open();
        screen.wait_for("another Anvil has held");
        assert_eq!(world.state().sections().len(), 1, "the critic's reply is not filed");
        drop(lock);
        screen.enter(chance);
        screen.wait_for("Claude's unsaved reply is now saved: critic, round 1");
        assert_eq!(world.state().sections().len(), 2);
        if chance != "/anvil:resume" {
            screen.wait_for("paused before synthesis");
            continue;
        }
        screen.wait_for("Page: ~/.claude");
        world.assert_completed(1);
        assert_eq!(world.replies().len(), 3, "nothing was asked for twice");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_file_damaged_during_a_debate_is_repaired() {
    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Critic(1), &gate);
    let client =
        world.client().telling().prompt("/anvil:debate Should we rewrite it? --rounds 1").spawn();
    world.mock.wait_until("the critic", Duration::from_mins(1), is_asked(Seat::Critic(1)));
    let whole = fs_err::read_to_string(world.state_path()).unwrap();
    fs_err::write(world.state_path(), &whole[100..]).unwrap();
    gate.open();
    let finished = client.wait().ok();
    let notices = finished.notices();
    assert!(
        notices.iter().any(|line| line.contains("the state file was repaired")),
        "{notices:#?}"
    );
    world.assert_completed(1);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.enter("/anvil:status");
    let shown = screen.wait_for("Recovered on ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("its snapshot of step 2 was restored"), "{shown}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_phase_is_undone_and_argued_again() {
    let world = World::new(Manner::default());
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.enter("/anvil:debate Should we rewrite it? --rounds 1");
    screen.wait_for("Page: ~/.claude");
    screen.enter("/anvil:undo 2");
    screen.wait_for("undone: critic, round 1");
    assert_eq!(world.state().sections().len(), 1);
    screen.enter("/anvil:undo --redo");
    screen.wait_for("the debate is complete");
    assert_eq!(world.state().sections().len(), 3);
    screen.enter("/anvil:undo 2");
    screen.wait_until("undone twice", |text| text.matches("undone: critic, round 1").count() == 2);
    screen.enter("/anvil:resume");
    screen.wait_until("complete twice", |text| text.matches("Page: ~/.claude").count() == 2);
    let replies = world.replies();
    let anew = [replies[0].clone(), replies[3].clone(), replies[4].clone()];
    assert_sections_are(&world.state().sections(), &anew);
}
