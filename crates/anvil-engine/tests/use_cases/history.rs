//! Earlier debates: what became of their recommendations, what a prune removes, what a search finds.

use anvil_core::journal::{Line, Outcome};
use anvil_core::options::{OutcomeNote, Steering};
use anvil_engine::{history, session};
use anvil_store::Scope;
use anvil_text::error::Result;
use testkit::world::TestWorld;

/// A debate from its start to its synthesis, with this confidence. Returns its id.
fn debated(world: &TestWorld, typed: &str, percent: u8) -> String {
    let one = world.conversation("one");
    one.start(&format!("{typed} --rounds 1 --replace")).unwrap();
    one.argue(&["**A1. Split.** One queue.", "**C1. Wait.** Eight people."]);
    one.stop(&format!("recommendation: Wait.\nverdict: do not\nconfidence: {percent}")).unwrap();
    world.state().debate.id
}

fn turned_out(world: &TestWorld, id: Option<&str>, outcome: Outcome) -> Result<Line> {
    let noted = OutcomeNote { id, outcome: Some(outcome), note: None, review: None };
    world.run(|context| history::record_outcome(context, None, &noted))
}

fn journal(world: &TestWorld) -> String {
    fs_err::read_to_string(world.records().join("decisions.jsonl")).unwrap_or_default()
}

fn prune(world: &TestWorld, keep: usize) -> Result<(usize, u64)> {
    world.run(|context| {
        let plan = history::prunable(context, keep)?;
        history::prune(context, &plan)
    })
}

#[test]
fn an_outcome_delivered_twice_is_noted_once() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    let at_once = |outcome| {
        // The clock moves by the step of a use case.
        world.wait(-9);
        turned_out(&world, None, outcome).unwrap();
        journal(&world).lines().count()
    };
    turned_out(&world, None, Outcome::Right).unwrap();
    assert_eq!(at_once(Outcome::Right), 1);
    assert_eq!(at_once(Outcome::Wrong), 2);
}

#[test]
fn a_torn_line_is_skipped_without_losing_another() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    turned_out(&world, None, Outcome::Wrong).unwrap();
    let whole = journal(&world);
    let torn = format!("{whole}{}", &whole[..40]);
    fs_err::write(world.records().join("decisions.jsonl"), torn).unwrap();
    turned_out(&world, None, Outcome::Right).unwrap();
    let text = journal(&world);
    assert!(text.starts_with(&whole) && text.lines().count() == 3, "{text}");
    assert!(text.contains("\"outcome\":\"right\""), "{text}");
}

#[test]
fn the_journal_outlives_a_pruned_debate() {
    let world = TestWorld::new();
    let id = debated(&world, "Should we split? --review 30d", 80);
    debated(&world, "Which cache?", 60);
    assert!(prune(&world, 0).unwrap().0 > 0);
    assert!(!world.records().join("debates").join(&id).exists());
    let line = turned_out(&world, Some(&id[..24]), Outcome::Right).unwrap();
    assert_eq!((line.id, line.confidence), (id, Some(80)));
    assert!(journal(&world).contains("\"outcome\":\"right\""));
}

#[test]
fn pruning_keeps_unfinished_newer_linked_and_current_debates() {
    let world = TestWorld::new();
    let ids = [1, 2, 3, 4].map(|number| debated(&world, &format!("Question {number}?"), 80));
    // The last one leaves its place.
    fs_err::remove_file(world.state_path()).unwrap();
    let debate = |number: usize| world.records().join("debates").join(&ids[number - 1]);
    let file = |number| debate(number).join("0004-synthesis.md");
    let text = |number| fs_err::read_to_string(file(number)).unwrap();
    fs_err::write(file(1), text(1).replace("status: completed", "status: paused")).unwrap();
    fs_err::write(file(2), text(2).replace("schema: 3", "schema: 4")).unwrap();
    // Brought back by hand.
    fs_err::write(world.state_path(), text(3)).unwrap();
    fs_err::create_dir_all(debate(4).join("aside")).unwrap();
    fs_err::write(debate(4).join("aside/more.md"), text(4)).unwrap();
    let precious = world.outside("precious");
    fs_err::create_dir_all(&precious).unwrap();
    fs_err::write(precious.join("mine.md"), "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&precious, debate(4).join("drafts")).unwrap();
    prune(&world, 0).unwrap();
    assert_eq!([1, 2, 3, 4].map(|number| file(number).exists()), [true, true, true, false]);
    assert!(!debate(4).join("aside/more.md").exists() && precious.join("mine.md").exists());

    fs_err::write(world.state_path(), "nothing that can be read").unwrap();
    fs_err::remove_dir_all(debate(3)).unwrap();
    let refused = prune(&world, 0).unwrap_err();
    assert!(refused.to_string().contains("the state file can't be read"), "{refused}");
}

#[test]
fn a_search_includes_material_and_directions() {
    let world = TestWorld::new();
    fs_err::write(world.path("notes.txt"), "The NEEDLE is in the material.").unwrap();
    world.debating("Why? --context notes.txt").argue(&["A1. Reply."]);
    let direction = Some("Look for the needle".to_owned());
    let steering = Steering { rounds: None, direction, synthesize: false };
    world.run(|context| session::direct(context, None, &steering, false)).unwrap();
    let found = world.run(|context| history::search(context, None, "needle", Scope::Place));
    let hits = found.unwrap().debates.remove(0).1;
    let places: Vec<&str> = hits.iter().map(|hit| hit.place.as_str()).collect();
    assert_eq!(places, ["context", "steering"]);
}
