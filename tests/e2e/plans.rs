//! A plan of plan mode that is argued about, changed and approved.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::client::{NEWEST, clients};
use crate::isolated::{Desk, is_session_request};
use crate::mock::{Answer, Block, Mock, Request};
use crate::model::{Seat, Turn, told};
use crate::screen::Screen;
use crate::world::World;

pub(crate) const PLAN: &str = "# Move\n\nCopy the data on Friday.\n";
pub(crate) const CHANGED: &str = "# Move\n\nCopy the data on Monday.\n";
const LIST: &str = "1. Copy on Monday, not on Friday (C1).";
pub(crate) const SYNTHESIS: &str = "Nobody is there on Friday.\n\n### What to do\n\n1. Copy on Monday.\n\n\
    ### What to change in the plan\n\n1. Copy on Monday, not on Friday (C1).\n\n\
    ```anvil\nmotion: carry out this plan\nA1 weakened: by C1\nC1 survived: nobody answered\n\
    change 1 (C1): Monday, not Friday\nagainst: it is short\nrecommendation: Change it.\n\
    verdict: do not\nconfidence: 60\nrests on: C1\nflips if: 2 people work on Friday\n\
    unknown: who works on Friday\n```";

/// The dialog in which the user approves a plan.
pub(crate) const DIALOG: &str = "Would you like to proceed?";

/// The path of the plan's file, as the client's reminder names it.
fn plan_file(request: &Request) -> Option<String> {
    let told = told(request);
    let at = told.find("/.claude/plans/")?;
    let begins = told[..at].rfind([' ', '"', '`', '\n'])? + 1;
    let ends = at + told[at..].find(".md")? + ".md".len();
    Some(told[begins..ends].to_owned())
}

/// A call that writes the plan.
pub(crate) fn writes(request: &Request, plan: &str) -> Block {
    let file = plan_file(request).expect("the reminder of plan mode");
    Block::Tool("Write", json!({ "file_path": file, "content": plan }))
}

pub(crate) fn asks_for_approval() -> Block {
    Block::Tool("ExitPlanMode", json!({}))
}

/// The user's last words.
fn typed(request: &Request) -> &'static str {
    let told = told(request);
    let last = |word: &&str| told.rfind(*word);
    let words = ["Plan the move.", "Change the plan.", "/anvil:debate"];
    words.into_iter().filter(|word| last(word).is_some()).max_by_key(last).unwrap_or_default()
}

/// A reply of a seat.
pub(crate) fn reply(seat: Seat) -> String {
    match seat {
        Seat::Advocate(_) => "**A1. It is short.** [reasoning]".to_owned(),
        Seat::Critic(_) => "**C1. Friday is bad.** Nobody is there [assumption].\n\
            **Attacks A1:** \"It is short\" fails."
            .to_owned(),
        _ => SYNTHESIS.to_owned(),
    }
}

/// A model that plans, argues, and changes its plan: within its synthesis, or when it is told to.
fn planner(request: &Request, state: &str, in_synthesis: bool) -> Answer {
    let turn = Turn::of(request);
    let written = told_results(request, "successfully");
    match (turn.seat, typed(request)) {
        (Some(Seat::Synthesizer), "/anvil:debate") if in_synthesis => match written {
            1 => Answer::blocks(vec![Block::Text(SYNTHESIS.into()), writes(request, CHANGED)]),
            2 if !is_approved(request) => Answer::blocks(vec![asks_for_approval()]),
            _ => Answer::text("CLOSING words."),
        },
        (Some(_), "/anvil:debate") if turn.asks_to_read() && !has_read(request) => {
            Answer::blocks(vec![turn.read(state)])
        }
        (Some(seat), "/anvil:debate") => Answer::text(reply(seat)),
        (_, "Plan the move.") if written == 0 => Answer::blocks(vec![writes(request, PLAN)]),
        (_, "Plan the move.") => Answer::blocks(vec![asks_for_approval()]),
        (_, "Change the plan.") if written == 1 => Answer::blocks(vec![writes(request, CHANGED)]),
        (_, "Change the plan.") if !is_approved(request) => {
            Answer::blocks(vec![asks_for_approval()])
        }
        _ => Answer::text("BUILT it."),
    }
}

/// The number of results of tools with this word.
pub(crate) fn told_results(request: &Request, word: &str) -> usize {
    let blocks = request.messages().iter().filter_map(|message| message["content"].as_array());
    let results = blocks.flatten().filter(|block| block["type"] == "tool_result");
    results.filter(|result| result["content"].to_string().contains(word)).count()
}

pub(crate) fn is_approved(request: &Request) -> bool {
    told_results(request, "has approved your plan") > 0
}

pub(crate) fn has_read(request: &Request) -> bool {
    told_results(request, "Copy the data on Friday.") > 0
}

impl Screen {
    /// Presses a key until the dialog is closed: it does not listen at first.
    pub(crate) fn closes_dialog(&self, key: &str) {
        self.wait_for(DIALOG);
        for _ in 0..20 {
            thread::sleep(Duration::from_millis(500));
            if !self.text().contains(DIALOG) {
                return;
            }
            self.press(key);
        }
        panic!("the dialog stays open:\n{}", self.text());
    }
}

/// A session in plan mode that has made a plan, which its user has not approved.
fn planned(version: &str, in_synthesis: bool) -> (World, Screen) {
    let state = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let path = state.clone();
    let world = World::with_mock(Mock::start(move |request| {
        planner(request, path.get().map_or("", String::as_str), in_synthesis)
    }));
    let _ = state.set(world.state_path().to_str().expect("a UTF-8 path").to_owned());
    crate::client::skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client_of(version).args(&["--permission-mode", "plan"]));
    screen.wait_until("its prompt", |text| text.contains("plan mode on"));
    screen.enter("Plan the move.");
    screen.closes_dialog("Escape");
    (world, screen)
}

pub(crate) fn plan_of(world: &World) -> String {
    let plans = World::files_below(&world.home().join(".claude/plans"));
    assert_eq!(plans.len(), 1, "one session, one plan: {plans:?}");
    plans.into_values().next().expect("a plan")
}

fn assert_argued(world: &World) {
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}", state.0);
    assert!(state.0.contains("> Copy the data on Friday.\n"), "{}", state.0);
    assert!(state.field("plan").starts_with("plan-the-move-"), "{}", state.0);
    let texts: Vec<String> = state.sections().into_iter().map(|section| section.text).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[2].trim(), SYNTHESIS);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_plan_is_made_argued_changed_and_approved() {
    for version in clients() {
        let (world, screen) = planned(version, false);
        screen.enter("/anvil:debate --plan --rounds 1");
        screen.wait_for("report.");
        assert_argued(&world);
        assert_eq!(plan_of(&world), PLAN, "{version}: nothing changes the plan by itself");
        screen.enter("Change the plan.");
        screen.closes_dialog("Enter");
        screen.wait_for("BUILT it.");
        assert_eq!(plan_of(&world), CHANGED, "{version}");
        assert_argued(&world);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_synthesis_that_ends_with_a_plan_is_saved_once() {
    for version in clients() {
        let (world, screen) = planned(version, true);
        screen.enter("/anvil:debate --plan --rounds 1");
        screen.closes_dialog("Enter");
        let over = screen.wait_for("report.");
        assert!(!over.contains("Synthesis, once more"), "{version}:\n{over}");
        assert_argued(&world);
        assert_eq!(plan_of(&world), CHANGED, "{version}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_synthesis_whose_plan_is_refused_is_saved_with_the_next_prompt() {
    let (world, screen) = planned(NEWEST, true);
    screen.enter("/anvil:debate --plan --rounds 1");
    screen.closes_dialog("Escape");
    assert_eq!(world.state().sections().len(), 2, "{}", world.state().0);
    screen.enter("Plan the move.");
    screen.wait_for("report.");
    assert_argued(&world);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_prompt_after_an_isolated_debate_about_a_plan_carries_what_to_change() {
    let desk = Desk::new(|request| match Turn::of(request).seat {
        Some(seat) if !is_session_request(request) => Answer::text(reply(seat)),
        _ => planner(request, "", false),
    });
    let client = desk.client().args(&["--permission-mode", "plan"]);
    let screen = Screen::open(&client);
    screen.wait_until("its prompt", |text| text.contains("plan mode on"));
    screen.enter("Plan the move.");
    screen.closes_dialog("Escape");
    screen.enter("/anvil:debate --plan --rounds 1 --isolated");
    screen.wait_for("60% sure.");
    screen.enter("Change the plan.");
    screen.closes_dialog("Enter");
    screen.wait_for("BUILT it.");
    let all = desk.world().mock.all();
    let asked = all.iter().find(|exchange| typed(&exchange.request) == "Change the plan.");
    let asked = told(&asked.expect("the prompt").request);
    assert!(asked.contains(&format!("word for word:\n\n> {LIST}")), "{asked}");
    assert_eq!(plan_of(desk.world()), CHANGED);
    fs::metadata(desk.world().report_path()).expect("a report");
}
