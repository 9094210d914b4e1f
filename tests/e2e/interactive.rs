//! What the user sees and does on the screen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use crate::client::{clients, skip_onboarding};
use crate::interruptions::{killed_in_round_2, world_that_stalls_at};
use crate::mock::{Answer, Gate};
use crate::model::{Manner, Seat, Turn, assert_sections_are, block};
use crate::screen::Screen;
use crate::world::World;

/// The maximum of lines between two replies, without blank ones: what the plugin and the client
/// print.
const LINES_A_PHASE: usize = 3;

/// A reply of two lines, each of which is on the screen unchanged: `R7` is in no other reply. The
/// second line is longer, so that half of the reply shows the first: the client holds a line back
/// until it is whole.
fn reply(turn: &Turn) -> Option<String> {
    let n = turn.number;
    let argument = match turn.seat? {
        Seat::Advocate(_) => "A1 says that the old code costs two days of every five.",
        Seat::Critic(_) => "C1 says of \"two days of every five\": the log counts tickets.",
        Seat::Synthesizer => "Rewrite the parser, keep the rest: the log decides it for now.",
        _ => return None,
    };
    let decides = turn.seat == Some(Seat::Synthesizer);
    let end = decides.then(|| block(&turn.motion, "Rewrite the parser.", &[]));
    let end = end.map(|block| format!("\n\n{block}")).unwrap_or_default();
    Some(format!(
        "{argument}\n\nThe ground is last quarter's log; that is all that reply R{n} has to say, and here it ends: E{n}.{end}"
    ))
}

/// Fails if more than [`LINES_A_PHASE`] lines are between the end of one reply and the start of the
/// next.
fn assert_few_lines_between(screen: &str, first: usize, second: usize) {
    let lines: Vec<&str> = screen.lines().collect();
    let at = |mark: String| lines.iter().position(|line| line.contains(&mark));
    let end =
        at(format!("E{first}.")).unwrap_or_else(|| panic!("no end of reply {first}:\n{screen}"));
    // A reply begins two lines above its last one.
    let start = at(format!("reply R{second} "))
        .unwrap_or_else(|| panic!("no reply {second}:\n{screen}"))
        - 2;
    let between: Vec<&&str> =
        lines[end + 1..start].iter().filter(|line| !line.trim().is_empty()).collect();
    assert!(
        between.len() <= LINES_A_PHASE,
        "between replies {first} and {second} stand {between:#?}\n{screen}"
    );
    assert!(!between.is_empty(), "a person is told whose turn it is:\n{screen}");
}

/// Appends the screen to the file that `ANVIL_E2E_CAPTURE` names.
fn keep(captures: &[(&str, &str)]) {
    if let Some(path) = env::var_os("ANVIL_E2E_CAPTURE") {
        let mut text = String::new();
        for (title, screen) in captures {
            text.extend(["==== ", title, "\n\n", screen, "\n\n"]);
        }
        fs::write(path, text).expect("ANVIL_E2E_CAPTURE names a file that can be written");
    }
}

/// The whole story on one screen: the typed command, a prompt during a reply, the resume, the end.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_user_starts_interrupts_and_resumes_a_debate_on_screen() {
    let (gate, stalled) = (Gate::default(), AtomicBool::new(false));
    let at = gate.clone();
    let world = World::with_model(Manner { size: 0, ..Manner::default() }, move |turn| {
        let answer = Answer::text(reply(turn)?);
        let stalls = turn.seat == Some(Seat::Advocate(2)) && !stalled.swap(true, Ordering::SeqCst);
        Some(if stalls { answer.held(&at) } else { answer })
    });
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");

    screen.enter("/anvil:debate Why doesn't the rewrite pay? --rounds 2");
    let running = screen.wait_for("── Advocate · round 2 of 2");
    keep(&[("while the advocate of round 2 writes", &running)]);
    assert!(
        running.contains("Anvil: 2 rounds, then a verdict: 5 replies. Esc pauses; then"),
        "{running}"
    );

    // The user types while the advocate of round 2 is speaking.
    screen.wait_until("half of the third reply", |text| {
        text.matches("A1 says that the old code").count() == 2
    });
    screen.enter("What is two and two?");
    screen.wait_for("Queued");
    gate.open();
    let interrupted = screen.wait_for("CHAT reply");
    keep(&[("while the advocate of round 2 writes", &running), ("interrupted", &interrupted)]);
    let state = world.state();
    assert_eq!(state.field("status"), "paused", "{}\n{interrupted}", state.0);
    assert_eq!(
        (state.field("phase"), state.field("round")),
        ("critic".into(), "2".into()),
        "{}",
        state.0
    );
    let filed = world.replies();
    assert_eq!(filed.len(), 3, "the reply that was being written counts");
    assert_sections_are(&state.sections(), &filed);
    let chat = world.mock.main().pop().expect("a last request");
    assert_eq!(
        Turn::of(&chat.request).seat,
        None,
        "the person's turn is theirs: {}",
        chat.request.body["messages"]
    );

    screen.enter("/anvil:resume");
    let over = screen
        .wait_until("the report's path", |text| text.contains("E6.") && text.contains("report."));
    keep(&[
        ("while the advocate of round 2 writes", &running),
        ("interrupted", &interrupted),
        ("the end", &over),
    ]);
    world.assert_completed(2);

    // The screen at the end.
    assert!(!over.contains("reported a problem"), "a cue is not an error:\n{over}");
    assert_eq!(
        interrupted.matches("Anvil paused before").count(),
        1,
        "one line says how to go on:\n{interrupted}"
    );
    for (first, second) in [(1, 2), (2, 3), (5, 6)] {
        assert_few_lines_between(&over, first, second);
    }
}

/// A debate of one round on the screen, in the middle of the critic's first reply.
fn screen_during_critic() -> (World, Screen) {
    let world = world_that_stalls_at(Seat::Critic(1), &Gate::default());
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Why doesn't the rewrite pay? --rounds 1");
    screen.wait_until("half of the critic's reply", |text| text.contains("CRITIC-R1"));
    (world, screen)
}

/// Esc ends a turn without a Stop. A waiting message then runs as a turn without a prompt event:
/// its answer belongs to the user's message, not to the critic.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_answer_to_a_queued_message_is_not_saved() {
    let (world, screen) = screen_during_critic();
    let before = world.state();

    screen.enter("What is two and two?");
    screen.wait_for("Queued");
    screen.press("Escape");
    screen.wait_for("CHAT reply");
    let told = screen.wait_for("Anvil paused before");
    assert_eq!(world.state().sections(), before.sections(), "{told}");
    assert_eq!(world.state().field("status"), "paused", "{told}");

    screen.enter("/anvil:resume");
    screen.wait_until("the report's path", |text| {
        text.contains("SYNTHESIS reply") && text.contains("report.")
    });
    world.assert_completed(1);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_survives_escape_and_clear() {
    let (world, screen) = screen_during_critic();
    let before = world.state();

    screen.press("Escape");
    screen.wait_for("Interrupted");
    assert_eq!(world.state().sections(), before.sections(), "what was filed is still there");
    screen.enter("/clear");
    let cleared = screen.wait_until("an empty conversation", |text| !text.contains("ADVOCATE-R1"));
    assert_eq!(world.state().sections(), before.sections(), "{cleared}");

    screen.enter("/anvil:resume");
    screen.wait_until("the report's path", |text| {
        text.contains("SYNTHESIS reply") && text.contains("report.")
    });
    world.assert_completed(1);
}

/// A compaction removes everything that was added to the conversation, the protocol included.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_compacted_conversation_gets_the_protocol_again() {
    let (world, screen) = screen_during_critic();
    screen.press("Escape");
    screen.wait_for("Interrupted");
    screen.enter("/compact");
    screen.wait_for("SessionStart:compact says: Anvil: critic, round 1 of 1");
    let before = world.mock.main().len();
    screen.enter("/anvil:resume");
    screen.wait_for("report.");
    assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
    let asked = world.mock.main()[before].request.body["messages"].to_string();
    let protocol =
        asked.find("argued from opposed sides").expect("the protocol is in the new conversation");
    assert!(asked[protocol..].contains("First, without comment, Read"), "{asked}");
    assert!(!asked.contains("ADVOCATE-R1"), "the old conversation is gone: {asked}");
}

/// Only the screen shows a hook's message at the start of a session; `claude -p` hides it.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_new_session_hears_of_an_unfinished_debate_and_leaves_it_alone() {
    let world = killed_in_round_2();
    let before = world.project_files();
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    let told = screen.wait_for("/anvil:resume").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("Should we rewrite it?"), "the line says which debate it is:\n{told}");
    screen.enter("Say hello.");
    screen.wait_for("CHAT reply");
    assert_eq!(world.project_files(), before, "a session that only chats writes nothing");
    screen.enter("/anvil:resume");
    screen.wait_until("the report's path", |text| {
        text.contains("SYNTHESIS reply") && text.contains("report.")
    });
    world.assert_completed(2);
}

/// The screen shows a cue in its own way; `claude -p` does not.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_runs_on_the_screen_of_every_client() {
    for version in clients() {
        let world = World::with_model(Manner { size: 0, ..Manner::default() }, |turn| {
            Some(Answer::text(reply(turn)?))
        });
        skip_onboarding(&world.home(), &world.project());
        let screen = Screen::open(&world.client_of(version));
        screen.wait_until("its prompt", |text| {
            text.contains("for shortcuts") || text.contains("to cycle)")
        });
        screen.enter("/anvil:debate Why doesn't the rewrite pay? --rounds 1");
        let over = screen.wait_for("report.");
        world.assert_completed(1);
        for cue in ["── Critic · round 1 of 1 ──", "── Synthesis ──"] {
            assert_eq!(over.matches(cue).count(), 1, "{version}: a hand-over is one line:\n{over}");
        }
        assert!(
            !over.contains("once more") && over.matches("says: Anvil").count() <= 2,
            "{version}:\n{over}"
        );
        screen.enter("/anvil:status");
        // 2.1.200 shows the answer twice.
        screen.wait_until("the end again", |text| text.matches("Page: ~/.claude").count() >= 2);
    }
}

/// The client runs the command in its settings, and shows its output.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_status_line_shows_the_progress_of_a_running_debate() {
    let gate = Gate::default();
    let at = gate.clone();
    let world = World::with_model(Manner { size: 0, ..Manner::default() }, move |turn| {
        let answer = Answer::text(reply(turn)?);
        Some(if turn.seat == Some(Seat::Critic(1)) { answer.held(&at) } else { answer })
    });
    let plugin = world.plugin();
    world.anvil(&["install", "--statusline", "--to", plugin.to_str().expect("a path in UTF-8")]);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Why doesn't the rewrite pay? --rounds 1");
    screen.wait_for("Anvil ▮▮▯▯▯ critic 1/1 · 32 words");
    gate.open();
    screen.wait_for("report.");
    screen.wait_until("no status line", |text| !text.contains('▯'));
    world.assert_completed(1);
}
