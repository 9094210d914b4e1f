//! What a newcomer types, on screens of two widths, with no `anvil` on `PATH`.

use crate::client::skip_onboarding;
use crate::mock::Answer;
use crate::model::{Manner, Seat, Turn, block};
use crate::screen::Screen;
use crate::world::World;

fn reply(turn: &Turn) -> Option<String> {
    Some(match turn.seat? {
        Seat::Advocate(1) => "**A1. Our pace is set by one release queue.** CI takes 28 minutes \
            [assumption]."
            .to_owned(),
        Seat::Critic(1) => "**C1. More runners buy the pace.** 8 dollars a day [reasoning].\n\
            **Attacks A1:** \"one release queue\" treats CI as fixed."
            .to_owned(),
        Seat::Advocate(_) => {
            "**Grants C1:** because A1 is beaten: the minutes can be bought.".to_owned()
        }
        Seat::Critic(_) => "**Attacks A1:** \"one release queue\" can be two.".to_owned(),
        Seat::Synthesizer => {
            let block = block(&turn.motion, "Keep the monolith and buy runners.", &["A1", "C1"]);
            format!("The queue can be bought away.\n\n### What to do\n\n1. Buy runners.\n\n{block}")
        }
        _ => return None,
    })
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn every_command_answers_on_lines_of_its_own() {
    for columns in [80, 110] {
        let world = World::with_model(Manner { size: 0, ..Manner::default() }, |turn| {
            Some(Answer::text(reply(turn)?))
        });
        skip_onboarding(&world.home(), &world.project());
        let screen = Screen::of_width(&world.client(), columns);
        screen.wait_for("❯");
        for (line, shows) in [
            ("/anvil:debate --help", "\n  frameworks: adr, "),
            (
                "/anvil:debate Should we split the monolith?",
                "     No, 60% sure. Keep the monolith and buy runners.\n",
            ),
            (
                "/anvil:status",
                "hook:\n  Should we split the monolith?\n  No, 60% sure. Keep the monolith and",
            ),
            ("/anvil:claims", "hook:\n  2 claims: 2 weakened.\n"),
            ("/anvil:claims A1", "hook:\n  2 claims: 2 weakened. Shown: 1.\n"),
            ("/anvil:history", "hook:\n   1  No        60%  Should we split the monolith?"),
            ("/anvil:undo 2", "hook:\n  Anvil: undone: critic, round 2 ("),
            ("/anvil:undo --redo", "hook:\n  Anvil: back: critic, round 2 ("),
            ("/anvil:history --outcome right", "hook:\n  Anvil: noted for \"Should we split"),
            ("/anvil:report", " --open shows it\n"),
            ("/anvil:report --publish 7", "hook:\n  Anvil: cannot tell the repository"),
            ("/anvil:steer --rounds 3", "hook:\n  Anvil: "),
            ("/anvil:cancel", "hook:\n  Anvil: "),
        ] {
            let before = screen.text().matches(shows).count();
            screen.enter(line);
            let text = screen.wait_until(line, |text| text.matches(shows).count() > before);
            assert!(text.lines().all(|line| line.chars().count() <= columns.into()), "{text}");
        }
    }
}
