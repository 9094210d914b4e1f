//! The record of a debate has the tokens that the API counted, to the token.

use serde_json::Value;

use crate::client::skip_onboarding;
use crate::interruptions::world_that_stalls_at;
use crate::mock::{Exchange, Gate, Used};
use crate::model::{Manner, Reads, Seat, Turn};
use crate::screen::Screen;
use crate::world::World;

/// The turns of the conversation on record.
fn turns(world: &World) -> Vec<Value> {
    let told: Value = serde_json::from_str(&world.anvil(&["attempts", "--json"]).stdout)
        .expect("the record as JSON");
    told["turns"].as_array().expect("the turns").clone()
}

fn usage(turn: &Value) -> Used {
    let count = |key: &str| turn["usage"][key].as_u64().unwrap_or_else(|| panic!("{turn}"));
    Used { fresh: count("fresh"), cached: count("cached"), out: count("out") }
}

/// What the API counted for a seat, with its requests for tools.
fn counted(log: &[Exchange], seat: Seat) -> Used {
    let own = log.iter().filter(|exchange| Turn::of(&exchange.request).seat == Some(seat));
    own.fold(Used::default(), |sum, exchange| sum.plus(exchange.request.used()))
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_conversation_took_what_the_api_counted() {
    for manner in [Reads::Never, Reads::OnceARound] {
        let world = World::new(Manner { reads: manner, ..Manner::default() });
        world.client().prompt("/anvil:debate Should we rewrite it? --rounds 2").run().ok();
        world.assert_completed(2);
        let (log, turns) = (world.mock.main(), turns(&world));
        assert_eq!(turns.len(), 5, "{turns:#?}");
        for (turn, seat) in turns.iter().zip(Seat::all(2)) {
            assert_eq!(usage(turn), counted(&log, seat), "{seat}: {turn}");
            assert_eq!(turn["error"], Value::Null, "{turn}");
            assert_eq!(turn["model"], log[0].request.body["model"], "{turn}");
        }
        let all = log.iter().fold(Used::default(), |sum, one| sum.plus(one.request.used()));
        let sum = turns.iter().fold(Used::default(), |sum, turn| sum.plus(usage(turn)));
        assert_eq!(sum, all);
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_turn_that_the_user_interrupts_is_on_record_once() {
    let world = world_that_stalls_at(Seat::Critic(1), &Gate::default());
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Why doesn't the rewrite pay? --rounds 1");
    screen.wait_until("half of the critic's reply", |text| text.contains("CRITIC-R1"));
    screen.press("Escape");
    screen.wait_for("Interrupted");
    screen.enter("/anvil:resume");
    screen.wait_for("report.");
    world.assert_completed(1);
    let turns = turns(&world);
    let ends: Vec<_> = turns.iter().map(|turn| (&turn["seat"], &turn["error"])).collect();
    println!("the interrupted turn: {}", turns[1]);
    assert_eq!(ends[1], (&"critic".into(), &"interrupted".into()), "{turns:#?}");
    assert_eq!(ends.iter().filter(|(_, error)| !error.is_null()).count(), 1, "{turns:#?}");
    let log = world.mock.main();
    assert_eq!(usage(&turns[0]), log[0].request.used(), "{turns:#?}");
    let sum = |used: &[Used]| used.iter().fold(Used::default(), |sum, one| sum.plus(*one));
    let resumed: Vec<Used> = turns[2..].iter().map(usage).collect();
    let counted: Vec<Used> = log[2..].iter().map(|exchange| exchange.request.used()).collect();
    assert_eq!(sum(&resumed), sum(&counted), "{turns:#?}");
}
