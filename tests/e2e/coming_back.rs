//! A new client in a folder where a debate failed, or has lost its file.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::client::skip_onboarding;
use crate::interruptions::killed_in_round_2;
use crate::mock::{Answer, Used};
use crate::model::{Manner, Seat, Turn, account};
use crate::replies::assert_completed_without;
use crate::screen::Screen;
use crate::world::World;

/// A reply with a claim; a synthesis that judges all claims of a debate of this many rounds.
/// `None`: the model reads first.
pub(crate) fn argument(rounds: u32, turn: &Turn) -> Option<Answer> {
    let said = format!("{} reply {}", turn.seat?, turn.number);
    let text = match turn.seat.filter(|_| !turn.asks_to_read() || turn.tools_used > 0)? {
        Seat::Advocate(round) => format!("**A{round}. It pays, says {said}.** [reasoning]"),
        Seat::Critic(round) => format!("**C{round}. It costs, says {said}.** [reasoning]"),
        Seat::Synthesizer => {
            let claims: Vec<String> =
                (1..=rounds).flat_map(|round| [format!("A{round}"), format!("C{round}")]).collect();
            let advice = format!("Wait a year, says {said}.");
            account(&turn.motion, &advice, claims.iter().map(String::as_str))
        }
        _ => return None,
    };
    Some(Answer::text(text))
}

/// `3428 tokens in, 103 out`: what the API has counted so far.
pub(crate) fn tokens(world: &World) -> String {
    let log = world.mock.main();
    let sum = |count: fn(Used) -> u64| -> u64 {
        log.iter().map(|exchange| count(exchange.request.used())).sum()
    };
    format!("{} tokens in, {} out", sum(|used| used.fresh + used.cached), sum(|used| used.out))
}

/// The lines of the screen without their indentation, from the first with this text on.
fn lines_from<'a>(screen: &'a str, text: &str) -> Vec<&'a str> {
    screen.lines().map(str::trim_start).skip_while(|line| !line.contains(text)).collect()
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_failed_debate_says_why_in_a_new_client_and_goes_on() {
    // Four replies repeat the advocate's. The client itself asks again after a blank one.
    let repeated = "**A1. It pays, says ADVOCATE-R1 reply 1.** [reasoning]";
    let attempts = AtomicUsize::new(0);
    let world = World::with_model(Manner { size: 0, ..Manner::default() }, move |turn| {
        let is_critic = turn.seat == Some(Seat::Critic(1));
        if is_critic && attempts.fetch_add(1, Ordering::SeqCst) < 4 {
            // Two of them within half a second look like one event delivered twice.
            return Some(Answer::text(repeated).after(Duration::from_millis(700)));
        }
        argument(1, turn)
    });
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite it? --rounds 1");
    screen.wait_for("Anvil stopped at critic, round 1 of 1: the reply repeated the one before.");
    let used = tokens(&world);
    screen.enter("/exit");
    drop(screen);

    let screen = Screen::open(&world.client());
    let found = screen.wait_for("tokens in,");
    let why = "Anvil: the debate here stopped: the reply repeated the one before.";
    let lines = lines_from(&found, why);
    assert!(lines[0].ends_with(why), "{found}");
    let what = "\"Should we rewrite it?\" (critic, round 1 of 1, failed). /anvil:resume continues \
                it, /anvil:cancel ends it.";
    assert_eq!(lines[1..3].join(" "), what, "{found}");
    let progress = ["█████░░░░░░░░░  1 of 3 replies", "1 claim, 1 open: A1"];
    assert_eq!(lines[3..5], progress, "{found}");
    assert!(lines[5].replace(',', "").ends_with(&used.replace(',', "")), "{used}: {found}");

    screen.wait_for("❯");
    screen.enter("/anvil:resume");
    let over = screen.wait_for("report.");
    let next = "Anvil: critic, round 1 of 1: Should we rewrite it?";
    let lines = lines_from(&over, &format!("UserPromptExpansion says: {next}"));
    assert_eq!(lines[1], "It had stopped before: the reply repeated the one before.", "{over}");
    assert!(lines[2].starts_with(progress[0]) && lines[3] == progress[1], "{over}");
    assert_completed_without(&world, repeated);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_without_its_file_is_restored_in_a_new_client() {
    let world = killed_in_round_2();
    let before = world.state();
    fs_err::remove_file(world.state_path()).expect("the debate's file");
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:resume");
    let over = screen.wait_for("report.");
    let lines = lines_from(&over, "the debate's file was missing");
    let restored = format!(
        "Anvil: the debate's file was missing: restored from snapshot {}; the reply in flight is lost.",
        before.field("step")
    );
    assert!(lines[..2].join(" ").ends_with(&restored), "{over}");
    assert_eq!(lines[2], "Anvil: critic, round 2 of 2: Should we rewrite it?", "{over}");
    assert!(lines[3].starts_with("█████████░░░░░  3 of 5 replies"), "{over}");
    world.assert_completed(2);
    assert_eq!(world.state().field("id"), before.field("id"));
    assert_eq!(world.state().sections()[..3], before.sections(), "every earlier reply is kept");
}
