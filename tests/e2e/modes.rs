//! Every way to argue a question: who speaks, in which order, and what the model hears of it once.

use crate::model::{Manner, Seat, Turn, told};
use crate::world::World;

/// A finished debate with these options in one `claude -p`, in which exactly these seats spoke.
fn argued(options: &str, seats: &[Seat]) -> World {
    let world = World::new(Manner::default());
    world.client().prompt(format!("/anvil:debate Should we rewrite it? {options}")).run().ok();
    world.assert_completed_by(seats, &world.replies());
    assert_eq!(world.mock.main().len(), seats.len(), "one request a reply");
    world
}

/// All text to the model before its first reply.
fn protocol(world: &World) -> String {
    told(&world.mock.main()[0].request)
}

/// The newest cue of each request.
fn cues(world: &World) -> Vec<String> {
    let first_line = |cue: String| cue.lines().next().unwrap_or_default().to_owned();
    world.mock.main().iter().map(|exchange| first_line(Turn::of(&exchange.request).cue)).collect()
}

/// All headings of the state file, of every level.
fn headings(world: &World) -> Vec<String> {
    world.state().0.lines().filter(|line| line.starts_with("##")).map(str::to_owned).collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_philosopher_argues_from_first_principles() {
    let world = argued("--mode philosopher --rounds 1", &Seat::all(1));
    assert_eq!(world.state().field("mode"), "philosopher");
    let protocol = protocol(&world);
    assert!(protocol.contains("Argue FOR from first principles."), "{protocol}");
    assert!(
        !protocol.contains("Make the strongest honest case FOR."),
        "the analyst's role is not his:\n{protocol}"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_devils_advocate_attacks_the_users_position() {
    let position = "we should wait a year, whatever \"they\" say";
    let world = argued(
        &format!("--mode devils-advocate --rounds 1 --position '{position}'"),
        &[Seat::Advocate(1), Seat::Critic(1), Seat::Synthesizer],
    );
    assert_eq!(world.state().field("position"), position);
    let protocol = protocol(&world);
    let held = format!(
        "The person who asks holds this position. It is what the debate is about:\n\n> {position}\n"
    );
    assert!(protocol.contains(&held), "{protocol}");
    assert!(protocol.contains("the advocate is AGAINST it and the critic is FOR it"), "{protocol}");
    let cues = cues(&world);
    assert_eq!(cues[0], "── Advocate · round 1 of 1 ── attack the position.");
    assert_eq!(cues[1], "── Critic · round 1 of 1 ── defend the position against this attack.");
    assert!(world.report().contains(position), "{}", world.report());
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn stakeholders_speak_once_each_and_default_to_three() {
    let voices =
        [Seat::Stakeholder(1), Seat::Stakeholder(2), Seat::Stakeholder(3), Seat::Synthesizer];
    for (options, names) in [
        ("--mode stakeholders", ["engineering", "product", "business"]),
        ("--stakeholders \"engineering, sales, legal\"", ["engineering", "sales", "legal"]),
    ] {
        let world = argued(options, &voices);
        let expected =
            [1, 2, 3].map(|number| format!("## Stakeholder {number}: {}", names[number - 1]));
        assert_eq!(headings(&world), [expected.as_slice(), &["## Synthesis".to_owned()]].concat());
        let protocol = protocol(&world);
        assert!(protocol.contains("Voices, once each: 3."), "{protocol}");
        assert!(protocol.contains(&format!("\n- Voice 2: {}\n", names[1])), "{protocol}");
        let second = format!(
            // The mock's voices claim nothing that could be answered.
            "── Voice 2 of 3: {} ── speak for them alone.",
            names[1]
        );
        assert_eq!(cues(&world)[1], second);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn three_personas_judge_in_turn() {
    let world = argued(
        "--persona security-engineer --persona startup-cfo --persona \"a tired parent of three\"",
        &[Seat::Persona(1), Seat::Persona(2), Seat::Persona(3), Seat::Synthesizer],
    );
    let names = ["security-engineer", "startup-cfo", "a tired parent of three"];
    let expected = [1, 2, 3].map(|number| format!("## Persona {number}: {}", names[number - 1]));
    assert_eq!(headings(&world), [expected.as_slice(), &["## Synthesis".to_owned()]].concat());
    let protocol = protocol(&world);
    assert!(
        protocol.contains("- Voice 1: security-engineer. "),
        "a preset comes with its text:\n{protocol}"
    );
    assert!(
        protocol.contains("\n- Voice 3: a tired parent of three\n"),
        "a description is all there is:\n{protocol}"
    );
    assert!(
        cues(&world)[2].starts_with("── Voice 3 of 3: a tired parent of three ── "),
        "{:?}",
        cues(&world)
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn two_personas_hold_the_seats() {
    let world =
        argued("--persona security-engineer --persona startup-cfo --rounds 1", &Seat::all(1));
    let protocol = protocol(&world);
    assert!(protocol.contains("- The advocate: security-engineer. "), "{protocol}");
    assert!(protocol.contains("- The critic: startup-cfo. "), "{protocol}");
    assert_eq!(
        cues(&world)[1],
        "── Critic, as startup-cfo · round 1 of 1 ── quote and attack the case just made."
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_blind_critic_opens_every_round() {
    let round = |number| [Seat::Critic(number), Seat::Advocate(number)];
    let world = argued(
        "--blind --rounds 2",
        &[round(1).as_slice(), &round(2), &[Seat::Synthesizer]].concat(),
    );
    let rounds =
        ["## Round 1", "### Critic", "### Advocate", "## Round 2", "### Critic", "### Advocate"];
    assert_eq!(headings(&world), [rounds.as_slice(), &["## Synthesis"]].concat());
    let protocol = protocol(&world);
    assert_eq!(
        protocol.matches("Blind openings: the critic opens round 1").count(),
        1,
        "{protocol}"
    );
    let cues = cues(&world);
    assert_eq!(
        cues[0],
        "── Critic · round 1 of 2 ── open the case against it; there is none for it yet."
    );
    assert_eq!(
        cues[1],
        "── Advocate · round 1 of 2 ── open the case for it, as if the critic had not written."
    );
}
