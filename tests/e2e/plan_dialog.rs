//! A plan of plan mode that is argued before its dialog opens.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::client::{NEWEST, clients, skip_onboarding};
use crate::mock::{Answer, Block, Gate, Mock, Request};
use crate::model::{STATE_FILE, Seat, Turn, told};
use crate::plans::{
    CHANGED, DIALOG, PLAN, SYNTHESIS, asks_for_approval, has_read, is_approved, plan_of, reply,
    told_results, writes,
};
use crate::process::Running;
use crate::screen::Screen;
use crate::world::World;

/// A program's cue after the synthesis.
const REVISE: &str = "call ExitPlanMode again";

/// What the planner does other than to argue and to revise the plan.
#[derive(Clone)]
enum Manner {
    Usual,
    /// It holds its answer to the reply of this seat, or, for the synthesizer, to the cue after it.
    Holds(At, Gate),
    /// It calls for the dialog instead of writing the first reply, so many times.
    CallsInstead(usize),
    /// Its synthesis decides on another motion.
    Void,
}

/// Where it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Reply(Seat),
    Revision,
}

/// A model that plans, argues when it is told to, revises its plan and calls for the dialog again.
fn planner(request: &Request, manner: &Manner, calls: &AtomicUsize) -> Answer {
    let turn = Turn::of(request);
    let written = told_results(request, "successfully");
    let told = told(request);
    let holds = |at, answer: Answer| match manner {
        Manner::Holds(here, gate) if *here == at => answer.held(gate),
        _ => answer,
    };
    match turn.seat {
        Some(_) if turn.asks_to_read() && !has_read(request) => {
            let begins = turn.cue.find('/').expect("a path");
            let ends = turn.cue.find(STATE_FILE).expect("the file") + STATE_FILE.len();
            Answer::blocks(vec![turn.read(&turn.cue[begins..ends])])
        }
        Some(_)
            if matches!(manner, Manner::CallsInstead(times)
            if calls.fetch_add(1, Ordering::SeqCst) < *times) =>
        {
            Answer::blocks(vec![asks_for_approval()])
        }
        Some(Seat::Synthesizer) if matches!(manner, Manner::Void) => {
            let other = SYNTHESIS.replace("motion: carry out this plan", "motion: buy a boat");
            // The same words once more would count as the same Stop.
            Answer::text(format!("Try {}. {other}", request.number))
        }
        Some(seat) => holds(At::Reply(seat), Answer::text(reply(seat))),
        None if is_approved(request) => Answer::text("BUILT it."),
        None if !told.contains("Plan the move.") => Answer::text("HELLO."),
        None if told.contains(REVISE) && told.contains("accept") && written == 1 => holds(
            At::Revision,
            Answer::blocks(vec![Block::Text("I change the day.".into()), writes(request, CHANGED)]),
        ),
        None if written == 0 => Answer::blocks(vec![writes(request, PLAN)]),
        None if told.contains("Never mind.") => Answer::text("SURE."),
        None => {
            let words = Block::Text("So I would do it.".into());
            Answer::blocks(vec![words, asks_for_approval()])
        }
    }
}

/// A session in plan mode with the next plan armed, whose user has asked for a plan.
fn planning(version: &str, manner: Manner) -> (World, Screen) {
    let calls = AtomicUsize::new(0);
    let world = World::with_mock(Mock::start(move |request| planner(request, &manner, &calls)));
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client_of(version).args(&["--permission-mode", "plan"]));
    screen.wait_until("its prompt", |text| text.contains("plan mode on"));
    screen.enter("/anvil:debate --plan --rounds 1");
    screen.wait_for("Anvil argues about this session's next plan before you see it");
    screen.enter("Plan the move.");
    (world, screen)
}

/// Waits for each part of the debate, and then for the dialog, which hides what is above it.
fn reaches_dialog(screen: &Screen) -> String {
    for part in ["argues about this plan first", "── Critic", "── Synthesis ──", "── Plan ──"]
    {
        screen.wait_until(part, |text| text.contains(part) || text.contains(DIALOG));
    }
    screen.wait_for(DIALOG)
}

fn assert_argued(world: &World) {
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}", state.0);
    assert!(state.0.contains("> Copy the data on Friday.\n"), "{}", state.0);
    assert!(state.0.contains("### Revised Plan"), "{}", state.0);
    assert!(state.0.contains("> Copy the data on Monday.\n"), "{}", state.0);
    let texts: Vec<String> = state.sections().into_iter().map(|section| section.text).collect();
    assert_eq!(texts[0].trim(), reply(Seat::Advocate(1)), "no word of the plan's turn before it");
    assert_eq!(texts[1].trim(), reply(Seat::Critic(1)));
    assert_eq!(texts[2].trim(), SYNTHESIS);
    let report = world.report();
    assert!(report.contains("Copy the data on Monday."), "{report}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_plan_is_argued_and_revised_before_its_dialog_opens() {
    for version in clients() {
        let (world, screen) = planning(version, Manner::Usual);
        reaches_dialog(&screen);
        assert_eq!(plan_of(&world), CHANGED, "{version}");
        screen.closes_dialog("Enter");
        // The dialog hides what is above it.
        let shown = screen.wait_for("BUILT it.");
        let first = "Anvil argues about this plan first: 1 round. Esc stops it.";
        let order = [first, "It is short", "── Critic · round 1 of 1 ──", "Friday is bad"];
        let after = ["── Synthesis ──", "60% sure", "── Plan ──", "Copy the data on Monday."];
        let mut at = 0;
        for line in order.into_iter().chain(after) {
            let next = shown[at..].find(line);
            at += next.unwrap_or_else(|| panic!("{version}: no `{line}` there:\n{shown}"));
        }
        assert_argued(&world);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_synthesis_that_decides_nothing_lets_the_plan_pass_with_a_line() {
    let (world, screen) = planning(NEWEST, Manner::Void);
    let shown = reaches_dialog(&screen);
    assert!(shown.contains("Anvil argued about this plan; no valid verdict:"), "{shown}");
    assert_eq!(plan_of(&world), PLAN);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_call_instead_of_a_reply_is_answered_once_and_then_passes() {
    for (times, is_argued) in [(1, true), (2, false)] {
        let (world, screen) = planning(NEWEST, Manner::CallsInstead(times));
        let shown = screen.wait_for(DIALOG);
        let line = "Anvil did not argue about this plan: Claude called";
        assert_eq!(shown.contains(line), !is_argued, "{shown}");
        assert_eq!(world.state_path().exists(), is_argued);
    }
}

/// Esc before the first reply leaves nothing; the plan that was not argued can be.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn esc_in_the_first_reply_leaves_nothing_and_the_command_argues_the_plan() {
    let gate = Gate::default();
    let (world, screen) =
        planning(NEWEST, Manner::Holds(At::Reply(Seat::Advocate(1)), gate.clone()));
    screen.wait_for("Anvil argues about this plan first");
    interrupt(&screen);
    assert!(!world.state_path().exists(), "nothing is in the project");
    gate.open();
    screen.enter("/anvil:debate --plan --rounds 1");
    screen.wait_for("60% sure");
    assert_eq!(world.state().field("status"), "completed");
}

fn interrupt(screen: &Screen) {
    std::thread::sleep(Duration::from_millis(800));
    screen.press("Escape");
    screen.wait_for("Interrupted");
}

/// What is typed after that ends the wish.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_prompt_after_esc_in_the_first_reply_is_answered_as_without_a_debate() {
    let gate = Gate::default();
    let (world, screen) =
        planning(NEWEST, Manner::Holds(At::Reply(Seat::Advocate(1)), gate.clone()));
    screen.wait_for("Anvil argues about this plan first");
    interrupt(&screen);
    gate.open();
    screen.enter("Never mind.");
    screen.wait_for("SURE.");
    assert!(!world.state_path().exists());
    let last = world.mock.all().pop().expect("a request").request;
    assert!(
        told(&last).contains("The Anvil debate in this conversation is over."),
        "{}",
        told(&last)
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn esc_in_a_later_reply_pauses_and_resume_leads_to_the_dialog() {
    for seat in [Seat::Critic(1), Seat::Synthesizer] {
        let gate = Gate::default();
        let (world, screen) = planning(NEWEST, Manner::Holds(At::Reply(seat), gate.clone()));
        let cue =
            if seat == Seat::Synthesizer { "── Synthesis ──" } else { "── Critic" };
        screen.wait_for(cue);
        interrupt(&screen);
        screen.enter("/anvil:status");
        screen.wait_for("Interrupted in");
        gate.open();
        screen.enter("/anvil:resume");
        screen.wait_for(DIALOG);
        assert_eq!(plan_of(&world), CHANGED);
        assert_argued(&world);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn esc_in_the_revision_and_in_the_dialog_leaves_the_debate_complete() {
    let gate = Gate::default();
    let (world, screen) = planning(NEWEST, Manner::Holds(At::Revision, gate.clone()));
    screen.wait_for("── Plan ──");
    interrupt(&screen);
    assert_eq!(world.state().field("status"), "completed");
    assert_eq!(plan_of(&world), PLAN);

    let (world, screen) = planning(NEWEST, Manner::Usual);
    reaches_dialog(&screen);
    screen.closes_dialog("Escape");
    assert_argued(&world);
    screen.enter("/anvil:status");
    screen.wait_for("60% sure");
    // It was armed for one plan.
    screen.enter("Plan the move.");
    screen.wait_until("the dialog again", |text| text.contains(DIALOG));
    assert_eq!(world.state().sections().len(), 4, "three replies and the plan");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_cleared_conversation_is_not_armed_and_a_resumed_one_is() {
    let calls = AtomicUsize::new(0);
    let world =
        World::with_mock(Mock::start(move |request| planner(request, &Manner::Usual, &calls)));
    skip_onboarding(&world.home(), &world.project());
    let client = || world.client_of(NEWEST).args(&["--permission-mode", "plan"]);
    {
        let screen = Screen::open(&client());
        screen.wait_until("its prompt", |text| text.contains("plan mode on"));
        screen.enter("/anvil:debate --plan --rounds 1");
        screen.wait_for("Anvil argues about this session's next plan");
        screen.enter("/clear");
        screen.wait_until("a new conversation", |text| !text.contains("next plan"));
        screen.enter("Plan the move.");
        screen.wait_for(DIALOG);
        assert!(!world.state_path().exists());
        screen.closes_dialog("Escape");
    }
    let id = "0b2d8d3c-6a39-4a8e-9f3c-3f8f6f0f7a11";
    {
        let screen = Screen::open(&client().session(id));
        screen.wait_until("its prompt", |text| text.contains("plan mode on"));
        screen.enter("Hello.");
        screen.wait_for("HELLO.");
        screen.enter("/anvil:debate --plan --rounds 1");
        screen.wait_for("Anvil argues about this session's next plan");
        screen.enter("/exit");
    }
    let screen = Screen::open(&client().args(&["--resume", id]));
    screen.wait_until("its prompt", |text| text.contains("plan mode on"));
    screen.enter("/anvil:status");
    screen.wait_for("Armed: this session's next plan");
    screen.enter("Plan the move.");
    reaches_dialog(&screen);
    assert_argued(&world);
}

/// Another session's plan comes to its user at once, and its debate keeps its place.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_second_session_is_not_held_up_and_the_place_may_be_taken_meanwhile() {
    let gate = Gate::default();
    let (world, screen) =
        planning(NEWEST, Manner::Holds(At::Reply(Seat::Advocate(1)), gate.clone()));
    screen.wait_for("Anvil argues about this plan first");
    let other = Screen::open(&world.client_of(NEWEST).args(&["--permission-mode", "plan"]));
    other.wait_until("its prompt", |text| text.contains("plan mode on"));
    other.enter("Plan the move.");
    other.wait_for(DIALOG);
    world.anvil(&["start", "Should we wait?"]).ok();
    gate.open();
    let shown = screen.wait_for(DIALOG);
    assert!(shown.contains("Anvil did not argue about this plan"), "{shown}");
    assert!(world.state().field("question").contains("Should we wait?"));
    let kept = world.aside();
    assert!(kept.values().any(|text| text.contains("It is short")), "{kept:?}");
}

/// The eval of a real model holds a session by the Agent SDK, whose `canUseTool` is the dialog.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_program_with_a_dialog_gets_the_revised_plan() {
    for version in clients() {
        let calls = AtomicUsize::new(0);
        let model = move |request: &Request| planner(request, &Manner::Usual, &calls);
        let world = World::with_mock(Mock::start(model));
        let client = world.bare_client(version);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals/plan.mjs");
        let mut line = client.shell("exec node \"$@\"");
        line.arg("sh").arg(script).arg(client.program()).arg(world.plugin());
        let told = Running::start(line).wait().ok().stdout;
        assert_eq!(told.matches("ok: ").count(), 4, "{version}: {told}");
        assert_eq!(plan_of(&world), CHANGED, "{version}");
    }
}
