//! Nobody writes any more: Esc, an API error, and what a user types then, on the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::client::{Client, clients, skip_onboarding};
use crate::interruptions::{is_asked, world_that_stalls_at};
use crate::mock::{Answer, Gate};
use crate::model::{Manner, Seat};
use crate::screen::Screen;
use crate::world::World;

const TIMEOUT: Duration = Duration::from_mins(1);

/// Opens the client's screen, and begins a debate on it.
fn begin(world: &World, client: &Client, rounds: u8) -> Screen {
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(client);
    screen.wait_until("the prompt", |text| text.lines().any(|line| line.starts_with(['>', '❯'])));
    // It draws the prompt before it takes keys.
    thread::sleep(Duration::from_secs(2));
    screen.enter(&format!("/anvil:debate Should we rewrite it? --rounds {rounds}"));
    screen
}

/// Waits for these words, which the client may wrap.
fn wait_for_words(screen: &Screen, words: &str) {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    screen.wait_until(words, |text| joined(text).contains(words));
}

/// Begins a debate whose critic of round 1 stops in the middle of its reply, and types a command
/// then.
fn command_during_a_reply(version: &str) -> (World, Screen) {
    let world = world_that_stalls_at(Seat::Critic(1), &Gate::default());
    let screen = begin(&world, &world.client_of(version), 2);
    world.mock.wait_until("the critic", TIMEOUT, is_asked(Seat::Critic(1)));
    screen.type_text("/anvil:status");
    thread::sleep(Duration::from_millis(800));
    screen.press("Enter");
    thread::sleep(Duration::from_secs(2));
    (world, screen)
}

/// What the user reads of the debate's status.
const STATUS: &str = "1 of 5 replies";

/// The whole story of Esc: a command waits for the reply, then it says what happened, and
/// "continue" goes on.
fn esc_on(version: &str) {
    let (world, screen) = command_during_a_reply(version);
    let writing = screen.text();
    assert!(!writing.contains(STATUS), "{version} lets a command through:\n{writing}");
    assert!(world.anvil(&["status"]).stdout.contains("Critic, round 1 of 2, for "));
    screen.press("Escape");
    wait_for_words(&screen, "Interrupted in critic, round 1 of 2 (you stopped it).");
    assert_eq!(world.state().field("status"), "in_progress");
    screen.enter("continue");
    screen.wait_for("report.");
    world.assert_completed(2);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn esc_interrupts_and_continue_resumes() {
    clients().for_each(esc_on);
}

/// The API fails, and works again when the user goes on.
fn api_error_on(version: &str) {
    let broken = Arc::new(AtomicBool::new(true));
    let breaks = Arc::clone(&broken);
    let world = World::with_model(Manner::default(), move |turn| {
        let refused = turn.seat == Some(Seat::Critic(1)) && breaks.load(Ordering::SeqCst);
        refused.then(|| Answer::error(529))
    });
    let client = world.client_of(version).env("CLAUDE_CODE_MAX_RETRIES", "0");
    let screen = begin(&world, &client, 1);
    screen.wait_for("529");
    thread::sleep(Duration::from_secs(2));
    let status = world.anvil(&["status"]).stdout;
    assert!(status.contains("Interrupted in critic, round 1 of 1 (API "), "{version}: {status}");
    broken.store(false, Ordering::SeqCst);
    screen.enter("continue");
    screen.wait_for("report.");
    world.assert_completed(1);
    let attempts = world.anvil(&["attempts", "--json"]).stdout;
    assert_eq!(attempts.matches("\"error\": \"transient\"").count(), 1, "{attempts}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_api_error_interrupts_and_continue_resumes() {
    clients().for_each(api_error_on);
}

/// The client runs a queued command after the turn, when no reply is left.
fn late_steer_on(version: &str) {
    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Synthesizer, &gate);
    let screen = begin(&world, &world.client_of(version), 1);
    world.mock.wait_until("the synthesis", TIMEOUT, is_asked(Seat::Synthesizer));
    screen.enter("/anvil:steer only two of us are on call");
    thread::sleep(Duration::from_secs(1));
    gate.open();
    wait_for_words(&screen, "To continue with this text: /anvil:again only two of us are on call.");
    world.assert_completed(1);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_direction_queued_too_late_comes_back_filled_in() {
    clients().for_each(late_steer_on);
}
