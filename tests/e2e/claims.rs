//! The ledger in a debate: a model that numbers nothing, quotes false words, or has nothing to add.

use crate::client::skip_onboarding;
use crate::material::{git, with_a_repository};
use crate::mock::Answer;
use crate::model::{Manner, Seat, Turn, account, told};
use crate::screen::Screen;
use crate::world::World;

/// The advocate's and the critic's replies in the required form.
pub(crate) fn argued(turn: &Turn) -> Option<String> {
    let n = turn.number;
    Some(match turn.seat? {
        Seat::Advocate(round) => {
            format!("**A{round}. The old code costs two days of five.** Reply {n} [reasoning].")
        }
        Seat::Critic(round) => format!(
            "**C{round}. The log counts tickets.** Reply {n} [reasoning].\n**Attacks A{round}:** \"two days of five\" is a guess."
        ),
        _ => return None,
    })
}

/// The cues of all requests to this seat.
pub(crate) fn cues(world: &World, seat: Seat) -> Vec<String> {
    let turns = world.mock.main().into_iter().map(|exchange| Turn::of(&exchange.request));
    turns.filter(|turn| turn.seat == Some(seat)).map(|turn| turn.cue).collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_next_cue_names_a_false_quote_without_an_extra_request() {
    let world = World::with_model(Manner::default(), |turn| {
        let text = match turn.seat? {
            Seat::Critic(1) => {
                "**C1. The log counts tickets.** x [reasoning]\n**Attacks A1:** \"four days of five\" is a guess."
                    .into()
            }
            Seat::Synthesizer => {
                account(&turn.motion, "Wait.", turn.claims.iter().map(String::as_str))
            }
            _ => argued(turn)?,
        };
        Some(Answer::text(text))
    });
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 2").run().ok();
    world.assert_completed(2);
    assert_eq!(world.mock.main().len(), 5, "one request a reply");
    let cue = &cues(&world, Seat::Advocate(2))[0];
    assert!(cue.contains("answer C1; no new claims. C1's quote is not in your case."), "{cue}");
    let cue = &cues(&world, Seat::Critic(2))[0];
    assert!(cue.contains("Open against you: A2.") && !cue.contains("quote is not"), "{cue}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn the_next_cue_names_evidence_that_is_not_there() {
    let case = "**A1. It calls 4711 times.** [evidence: src/retry.rs:3 \"RETRIES: u32 = 4711\"] x\n\n\
                **A2. It waits a minute.** [evidence: src/retry.rs:9 \"sleep(from_mins(1))\"] y";
    let world = with_a_repository(World::with_model(Manner::default(), move |turn| {
        let text = match turn.seat? {
            Seat::Advocate(1) => case.to_owned(),
            Seat::Synthesizer => {
                account(&turn.motion, "Wait.", turn.claims.iter().rev().map(String::as_str))
            }
            _ => argued(turn)?,
        };
        Some(Answer::text(text))
    }));
    world.client().prompt("/anvil:debate Should we retry? --rounds 2").run().ok();
    world.assert_completed(2);
    assert_eq!(world.mock.main().len(), 5, "one request a reply");
    let asked = told(&world.mock.main()[0].request);
    assert!(asked.contains("[evidence: src/queue.rs:41 \"max_retries = 5\"]"), "{asked}");
    let cue = &cues(&world, Seat::Critic(1))[0];
    assert!(cue.contains("A2 cites words that are not in the file."), "{cue}");
    assert!(!cues(&world, Seat::Advocate(2))[0].contains("cites"), "it is said once");

    // The next session learns the result of the last recheck, and nothing else.
    world.anvil(&["recheck"]);
    let file = world.project().join("src/retry.rs");
    std::fs::write(&file, "pub const RETRIES: u32 = 8150;\n").expect("a file of the project");
    git(&world, &["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qam", "More"]);
    let changed = world.anvil(&["recheck"]);
    let text = changed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("A1 (its words changed: src/retry.rs:3, last commit"), "{text}");
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("at the last recheck 1 decision rested on changed words");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_model_without_numbers_is_asked_once_per_seat() {
    let world = World::with_model(Manner::default(), |turn| {
        let seat = turn.seat?;
        Some(Answer::text(format!("{seat} speaks freely in request {}.", turn.number)))
    });
    world.client().telling().prompt("/anvil:debate Should we rewrite it? --rounds 2").run().ok();
    assert_eq!(world.state().field("status"), "completed", "{}", world.state().0);
    assert_eq!(world.state().sections().len(), 5, "{}", world.state().0);
    for (seat, asked) in [
        (Seat::Advocate(1), 2),
        (Seat::Critic(1), 2),
        (Seat::Advocate(2), 1),
        (Seat::Critic(2), 1),
        // The second time for its block.
        (Seat::Synthesizer, 2),
    ] {
        assert_eq!(cues(&world, seat).len(), asked, "{seat}");
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_round_without_news_or_open_claims_is_the_last() {
    let settled = |turn: &Turn| {
        Some(Answer::text(match turn.seat? {
            Seat::Advocate(2) => {
                "**Grants C1:** because the log shows it.\n\n**Repairs A1:** it costs one day."
                    .to_owned()
            }
            Seat::Critic(2) => "**Grants A1:** because one day is what the log says.".to_owned(),
            Seat::Synthesizer => {
                account(&turn.motion, "Wait.", turn.claims.iter().map(String::as_str))
            }
            _ => argued(turn)?,
        }))
    };
    let world = World::with_model(Manner::default(), settled);
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 4").run().ok();
    world.assert_completed_by(&Seat::all(2), &world.replies());
    let cues = cues(&world, Seat::Synthesizer);
    assert!(
        cues.iter().any(|cue| cue.contains("brought nothing new and left nothing open.")),
        "{cues:#?}"
    );

    let world = World::with_model(Manner::default(), settled);
    world
        .client()
        .prompt("/anvil:debate Should we rewrite it? --rounds 3 --early-end=no")
        .run()
        .ok();
    world.assert_completed(3);
}
