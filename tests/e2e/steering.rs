//! How the user directs a running debate: between two rounds, during a reply, from a shell.

use std::time::Duration;

use crate::client::{clients, skip_onboarding};
use crate::interruptions::{is_asked, killed_in_round_2, world_that_stalls_at};
use crate::mock::{Answer, Exchange, Gate};
use crate::model::{Manner, Seat, Turn, account, told};
use crate::screen::Screen;
use crate::world::World;

/// The user's direction.
const DIRECTION: &str = "Look at the cost of leaving";

/// Short arguments with numbers, as the protocol requires.
fn argument(turn: &Turn) -> Option<Answer> {
    let n = turn.number;
    let text = match turn.seat? {
        Seat::Advocate(round) => {
            format!("**A{round}. The old code costs two days of five.** [evidence] Reply {n}.")
        }
        Seat::Critic(round) => format!(
            "**C{round}. The log counts tickets, not days.** [reasoning]\n\n**Grants A{round}:** because of reply {n}."
        ),
        Seat::Synthesizer => {
            let advice = format!("Rewrite the parser, keep the rest, says reply {n}.");
            account(&turn.motion, &advice, turn.claims.iter().map(String::as_str))
        }
        _ => return None,
    };
    Some(Answer::text(text))
}

/// A text without the line breaks of a screen.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The newest request for this seat.
fn request_for(world: &World, seat: Seat) -> Exchange {
    let asks = |exchange: &Exchange| Turn::of(&exchange.request).seat == Some(seat);
    world.mock.main().into_iter().rfind(asks).unwrap_or_else(|| panic!("{seat} was not asked"))
}

/// Fails unless the file holds the direction once and the cue of `seat` names it.
fn assert_steered(world: &World, seat: Seat) {
    let noted: Vec<String> =
        world.state().notes("Steering").into_iter().map(|note| note.text).collect();
    assert_eq!(noted, [DIRECTION], "{}", world.state().0);
    let cue = Turn::of(&request_for(world, seat).request).cue;
    assert!(cue.contains(&format!(" Steering: \"{DIRECTION}\"")), "{cue}");
    assert!(
        world.report().contains(&format!("#### The person directed\n\n> {DIRECTION}\n")),
        "{}",
        world.report()
    );
}

/// Fails unless the advocate of round 2 got the user's text unchanged, with a cue next to it.
fn assert_steered_by_prompt(world: &World) {
    let state = world.state();
    let places: Vec<String> =
        state.everything().into_iter().map(|section| section.place).take(4).collect();
    assert_eq!(
        places,
        ["Round 1 / Advocate", "Round 1 / Critic", "Steering", "Round 2 / Advocate"],
        "{}",
        state.0
    );
    assert_eq!(state.notes("Steering")[0].text, DIRECTION);
    let steered = &world.mock.main()[2].request;
    assert_eq!(
        told(steered).matches(DIRECTION).count(),
        1,
        "the words go in once:\n{}",
        told(steered)
    );
    assert!(
        told(steered).contains("The message above is the person's steering"),
        "{}",
        told(steered)
    );
    let cue = Turn::of(steered).cue;
    assert!(
        cue.starts_with("── Advocate · round 2 of 2, the last ── answer C1; no new claims."),
        "{cue}"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn text_typed_between_rounds_steers_the_next_round() {
    let world = World::with_model(Manner::default(), argument);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 2 --interactive");
    let waits =
        screen.wait_until("the end of round 1", |text| folded(text).contains("look at next."));
    let summary = "Anvil: round 1 of 2 is complete; 2 claims, 1 open. Next: advocate, round 2 of 2. \
                   The advocate: A1 The old code costs two days of five. \
                   The critic: C1 The log counts tickets, not days. \
                   Granted: A1. Open: C1. \
                   A) /clear, then /anvil:resume (recommended: the file has everything) \
                   B) Type [g]o on, [s]kip to the synthesis, s[t]op, or what it should look at next.";
    assert!(folded(&waits).contains(summary), "{waits}");
    assert_eq!(world.mock.main().len(), 2, "the turn is over");

    screen.enter(DIRECTION);
    screen.wait_for("Type [g]o on for the synthesis, s[t]op, or what it should look at.");
    assert_steered_by_prompt(&world);
    let steered = screen.text();
    assert!(
        steered.contains("Anvil: advocate, round 2 of 2, with your direction: \""),
        "{steered}"
    );

    screen.enter("stop");
    screen.wait_for("paused before synthesis: you stopped it.");
    assert_eq!(world.mock.main().len(), 4, "nobody is asked");
    screen.enter("/anvil:resume");
    screen.wait_for("report.");
    world.assert_completed(2);
    assert_eq!(world.mock.main().len(), 5, "nothing was asked twice, and nothing was read");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn several_prompts_in_a_row_steer_a_debate() {
    for version in clients() {
        let world = World::with_model(Manner::default(), argument);
        world
            .client_of(version)
            .prompt("/anvil:debate Should we rewrite it? --rounds 2 --interactive")
            .run()
            .ok();
        assert_eq!(world.state().field("status"), "paused", "{version}: {}", world.state().0);
        world.client_of(version).continuing().prompt(DIRECTION).run().ok();
        assert_steered_by_prompt(&world);
        assert_eq!(world.state().field("phase"), "synthesizer", "{version}: {}", world.state().0);
        world.client_of(version).continuing().prompt("Go on.").run().ok();
        world.assert_completed(2);
    }
}

/// The client tells the hook immediately what is typed while Claude writes, and runs it as its own
/// turn after the debate's turn, without calling the hook again. It steers the next phase, also
/// after a round's last reply; the answer to that turn belongs to no phase.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn text_typed_while_claude_writes_steers_the_next_phase() {
    for (stalls_at, steered, filed) in
        [(Seat::Advocate(1), Seat::Critic(1), 2), (Seat::Critic(1), Seat::Advocate(2), 4)]
    {
        let gate = Gate::default();
        let world = world_that_stalls_at(stalls_at, &gate);
        skip_onboarding(&world.home(), &world.project());
        let screen = Screen::open(&world.client());
        screen.wait_for("❯");
        screen.enter("/anvil:debate Should we rewrite it? --rounds 2 --interactive");
        screen.wait_until("half of the reply", |text| text.contains(&format!("{stalls_at} 1:")));
        screen.enter(DIRECTION);
        screen.wait_for("Queued");
        gate.open();
        screen.wait_for(&format!("CHAT reply {}", filed + 1));
        let state = world.state();
        assert_eq!(state.field("status"), "paused", "{}", state.0);
        assert_eq!(state.sections().len(), filed, "{}", state.0);
        if filed == 2 {
            screen.enter("/anvil:resume");
        }
        screen.wait_for("Type [g]o on for the synthesis,");
        screen.enter("/anvil:steer --synthesize");
        screen.wait_for("report.");
        world.assert_completed(2);
        assert_steered(&world, steered);
    }
}

/// Esc, and then another length and a direction.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_interrupted_debate_is_shortened_and_steered() {
    let world = world_that_stalls_at(Seat::Critic(1), &Gate::default());
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 3");
    screen.wait_until("half of the critic's reply", |text| text.contains("CRITIC-R1"));
    screen.press("Escape");
    screen.wait_for("Interrupted");
    screen.enter("/anvil:steer --rounds 1");
    let shortened = screen.wait_until("the answer", |text| folded(text).contains("1 round now."));
    let hint = "Next: critic, round 1 of 1. If Claude is not writing, /anvil:resume asks for it.";
    assert!(folded(&shortened).contains(hint), "{shortened}");
    screen.enter(&format!("/anvil:steer {DIRECTION}"));
    screen.wait_for("report.");
    world.assert_completed(1);
    assert_steered(&world, Seat::Critic(1));
}

/// A user's message pauses a debate that is not interactive; a direction resumes it.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_paused_by_a_message_can_be_steered() {
    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Critic(1), &gate);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 2");
    screen.wait_until("half of the critic's reply", |text| text.contains("CRITIC-R1"));
    screen.enter("What is two and two?");
    screen.wait_for("Queued");
    gate.open();
    screen.wait_for("CHAT reply");
    assert_eq!(world.state().field("status"), "paused", "{}", world.state().0);
    screen.enter(&format!("/anvil:steer {DIRECTION}"));
    screen.wait_for("report.");
    world.assert_completed(2);
    assert_steered(&world, Seat::Advocate(2));
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_shell_direction_is_given_after_the_current_reply() {
    let gate = Gate::default();
    let world = world_that_stalls_at(Seat::Advocate(1), &gate);
    let client = world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").spawn();
    world.mock.wait_until("the advocate", Duration::from_mins(1), is_asked(Seat::Advocate(1)));
    let noted = world.anvil(&["steer", DIRECTION]).stdout;
    let given = format!("\"{DIRECTION}\" is used as the direction");
    assert_eq!(noted.trim(), format!("Anvil: noted; {given} when this reply is written."));
    gate.open();
    client.wait().ok();
    world.assert_completed(1);
    assert_steered(&world, Seat::Critic(1));
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_ended_early_says_what_it_skipped() {
    let world = killed_in_round_2();
    world.client().continuing().prompt("/anvil:steer --synthesize").run().ok();
    let seats = [Seat::Advocate(1), Seat::Critic(1), Seat::Advocate(2), Seat::Synthesizer];
    world.assert_completed_by(&seats, &world.replies());
    assert!(world.report().contains("skipped: critic, round 2, "), "{}", world.report());
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_question_back_waits_for_its_answer_or_goes_on_without_one() {
    let asks = |turn: &Turn| {
        let text = argument(turn)?.texts().concat();
        let asked = match turn.seat? {
            Seat::Advocate(1) => "\n\n**Ask:** How large is the team?",
            Seat::Critic(1) => "\n\n**Ask:** By when must it be done?",
            _ => "",
        };
        Some(Answer::text(text + asked))
    };
    let cue = |world: &World, seat| Turn::of(&request_for(world, seat).request).cue;

    let world = World::with_model(Manner::default(), asks);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 1 --interactive");
    let waits = screen.wait_for("or s[t]op.");
    assert!(folded(&waits).contains("Asks you: How large is the team?"), "{waits}");
    assert_eq!(world.mock.main().len(), 1, "the turn is over");
    screen.enter("Eight people");
    let waits = screen.wait_for("Asks you: By when must it be done?");
    assert!(folded(&waits).contains("with your answer: \"Eight people\""), "{waits}");
    screen.enter("skip");
    screen.wait_for("report.");
    world.assert_completed(1);
    let answers = world.state().notes("User Answer");
    let answers: Vec<&str> = answers.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        answers,
        ["**Ask:** How large is the team?\n\nEight people", "**Ask:** By when must it be done?"]
    );
    assert!(cue(&world, Seat::Critic(1)).contains("The user answers: \"Eight people\""));
    let unknown = "\"By when must it be done?\" has no answer: it is still unknown.";
    assert!(cue(&world, Seat::Synthesizer).contains(unknown));
    assert!(world.report().contains("You were asked: By when must it be done?"));

    // Nothing waits elsewhere, and a shell answers.
    let world = World::with_model(Manner::default(), asks);
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world.assert_completed(1);
    assert_eq!(world.mock.main().len(), 3);
    assert!(world.report().contains("You were asked: How large is the team?"));
}
