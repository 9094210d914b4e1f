//! Undo, redo and restore.

use anvil_core::debate::Status;
use anvil_core::options::Steering;
use anvil_core::place::{Place, Seat};
use anvil_engine::{
    Context, HistoryChange, Resumption, Session, TurnEnd, UndonePart, history, session,
};
use anvil_text::error::{Kind, Result};
use testkit::world::{Conversation, TestWorld, failure};

/// A debate with this many replies: the last one of a round is the synthesis, in one round.
fn argue(world: &TestWorld, one: &Conversation<'_>, replies: usize) {
    for number in 1..=replies {
        say(world, one, &format!("Reply {number}."));
    }
}

/// Saves a reply with this line; the synthesis has a block too.
fn say(world: &TestWorld, one: &Conversation<'_>, line: &str) -> TurnEnd {
    let is_synthesis = world.state().debate.place().seat == Seat::Synthesizer;
    let whole = format!("recommendation: Wait.\n\n{line}");
    one.stop(if is_synthesis { &whole } else { line }).unwrap()
}

/// The first line of each reply.
fn first_lines(world: &TestWorld) -> Vec<String> {
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    world.reply_texts().into_iter().map(first).collect()
}

fn snapshot_names(world: &TestWorld) -> Vec<String> {
    let files = fs_err::read_dir(world.debate_folder()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with('0')).collect();
    names.sort();
    names
}

/// In a shell, which has no session.
fn in_shell<T>(world: &TestWorld, act: fn(&Context<'_>, Option<&Session>) -> T) -> T {
    world.run(|context| act(context, None))
}

fn restore(world: &TestWorld, number: u32) -> Result<HistoryChange> {
    world.run(|context| history::restore(context, None, number, None, false))
}

/// The places that left the file.
fn places(parts: &[UndonePart]) -> Vec<String> {
    let name = |part: &UndonePart| match part {
        UndonePart::Reply { place, words } => format!("{place}: {words}"),
        UndonePart::Judgment { words } => format!("judgment: {words}"),
        UndonePart::Opening { cycle } => format!("cycle {cycle}"),
    };
    parts.iter().map(name).collect()
}

#[track_caller]
fn assert_kind<T: std::fmt::Debug>(result: Result<T>, kind: Kind) {
    assert_eq!(result.unwrap_err().kind(), kind);
}

#[test]
fn every_step_leaves_a_snapshot_that_names_its_phase() {
    let world = TestWorld::new();
    argue(&world, &world.debating("Why? --rounds 1"), 3);
    assert_eq!(snapshot_names(&world), ["0004-synthesis.md"], "after the end the last one stays");
    let world = TestWorld::keeping(9);
    argue(&world, &world.debating("Why? --rounds 1"), 3);
    assert_eq!(
        snapshot_names(&world),
        ["0001-advocate-1.md", "0002-critic-1.md", "0003-synthesis.md", "0004-synthesis.md"]
    );
    let list = world.run(|context| history::snapshots(context, None, None)).unwrap();
    let rows: Vec<(u32, usize, bool)> =
        list.kept.iter().map(|kept| (kept.number, kept.words, kept.is_now)).collect();
    assert_eq!(list.question, "Why?");
    assert_eq!(rows[..3], [(1, 0, false), (2, 2, false), (3, 4, false)]);
    assert_eq!((rows[3].0, rows[3].2), (4, true));
}

#[test]
fn only_the_newest_snapshots_are_kept() {
    let world = TestWorld::keeping(3);
    argue(&world, &world.debating("Why? --rounds 10"), 6);
    assert_eq!(
        snapshot_names(&world),
        ["0005-advocate-3.md", "0006-critic-3.md", "0007-advocate-4.md"]
    );
}

#[test]
fn undo_removes_the_last_phase_and_puts_the_file_aside() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    argue(&world, &one, 3);
    let before = world.state_text();
    let change = one.undo(1).unwrap();
    assert_eq!(places(&change.gone), ["advocate, round 2: 2"]);
    assert_eq!(change.back, []);
    assert_eq!(world.reply_texts(), ["Reply 1.", "Reply 2."]);
    assert_eq!(world.progress(), ("advocate, round 2".into(), "paused"));
    assert_eq!(fs_err::read_to_string(change.aside.unwrap()).unwrap(), before);
    one.stop("Late.").unwrap_err();
    assert_eq!(world.reply_texts().len(), 2, "a reply that was under way is not saved");
    assert!(matches!(one.resume().unwrap(), Resumption::GoesOn(_)));
    one.argue(&["Anew."]);
    assert_eq!(world.reply_texts(), ["Reply 1.", "Reply 2.", "Anew."]);
}

#[test]
fn undo_goes_back_several_steps_and_redo_one_by_one() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    argue(&world, &one, 5);
    assert_kind(one.undo(0), Kind::Usage);
    assert_kind(one.undo(6), Kind::Usage);
    in_shell(&world, |context, shell| history::undo(context, shell, 1, false)).unwrap();
    in_shell(&world, |context, shell| history::undo(context, shell, 2, false)).unwrap();
    assert_eq!(world.reply_texts().len(), 2);
    let change = one.redo().unwrap();
    assert_eq!(places(&change.back), ["advocate, round 2: 2", "critic, round 2: 2"]);
    assert_eq!(world.progress(), ("advocate, round 3".into(), "paused"));
    assert_eq!(world.reply_texts(), ["Reply 1.", "Reply 2.", "Reply 3.", "Reply 4."]);
    one.redo().unwrap();
    assert_eq!(world.reply_texts().len(), 5);
    assert_kind(one.redo(), Kind::Nothing);
    one.undo(5).unwrap();
    assert_eq!((world.reply_texts().len(), one.seat()), (0, Seat::Advocate));
    assert_kind(one.undo(1), Kind::Nothing);
    one.resume().unwrap();
    one.argue(&["Another way."]);
    // What followed another reply does not come back over it.
    assert_kind(one.redo(), Kind::Nothing);
}

#[test]
fn step_numbers_rise_after_an_undo() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    argue(&world, &one, 3);
    let changes: [&dyn Fn() -> Result<HistoryChange>; 5] =
        [&|| one.undo(1), &|| one.redo(), &|| one.undo(2), &|| restore(&world, 1), &|| one.redo()];
    let mut last = 0;
    for change in changes {
        change().unwrap();
        let step = world.state().debate.step();
        assert!(step > last, "{step} after {last}");
        last = step;
    }
}

#[test]
fn a_completed_debate_opens_again_by_undo() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    argue(&world, &one, 3);
    assert_eq!(world.state().debate.status(), Status::Completed);
    let change = one.undo(1).unwrap();
    assert!(matches!(
        change.gone[..],
        [UndonePart::Reply { place: Place { seat: Seat::Synthesizer, .. }, .. }]
    ));
    one.resume().unwrap();
    assert!(matches!(say(&world, &one, "Another one."), TurnEnd::Completed(_)));
    assert_eq!(first_lines(&world), ["Reply 1.", "Reply 2.", "Another one."]);
}

#[test]
fn a_snapshot_is_restored_even_if_the_file_is_gone() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    argue(&world, &one, 4);
    let round_two = ["advocate, round 2: 2", "critic, round 2: 2"];
    assert_eq!(places(&restore(&world, 3).unwrap().gone), round_two);
    assert_eq!(world.reply_texts(), ["Reply 1.", "Reply 2."]);
    assert_eq!(places(&restore(&world, 5).unwrap().back), round_two);
    assert_eq!(world.progress().0, "advocate, round 3");
    assert_kind(restore(&world, 99), Kind::Nothing);
    fs_err::remove_file(world.state_path()).unwrap();
    let list = world.run(|context| history::snapshots(context, None, None)).unwrap();
    assert!(list.kept.iter().all(|kept| !kept.is_now));
    // Two restores were the steps 6 and 7.
    assert_eq!(restore(&world, 5).unwrap().debate.step(), 8);
    assert_eq!(world.reply_texts().len(), 4);
    world.conversation("two").resume().unwrap();
    assert_eq!(world.progress(), ("advocate, round 3".into(), "in progress"));
    // A debate of another machine lies there, of which this one has no snapshot.
    let there = TestWorld::new();
    there.debating("Another?");
    fs_err::copy(there.state_path(), world.state_path()).unwrap();
    let list = world.run(|context| history::snapshots(context, None, None));
    assert_eq!(failure(list.unwrap_err()), "NoSnapshots");
}

#[test]
fn snapshots_name_their_cycle() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    argue(&world, &one, 3);
    one.again("And now?").unwrap();
    one.argue(&["A2."]);
    let list = world.run(|context| history::snapshots(context, None, None)).unwrap();
    let cycles = list.kept.iter().map(|kept| kept.debate.as_ref().unwrap().cycle());
    assert_eq!(cycles.collect::<Vec<_>>(), [1, 2, 2]);
}

#[test]
fn a_users_edit_before_a_step_is_in_the_snapshot() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    argue(&world, &one, 1);
    world.edit("> Reply 1.", "> Reply one.");
    one.stop("Reply 2.").unwrap();
    world.edit("> Reply one.", "> Lost?");
    restore(&world, 2).unwrap();
    assert_eq!(world.reply_texts(), ["Reply one."]);
}

#[test]
fn nothing_is_undone_where_there_is_no_debate() {
    let world = TestWorld::new();
    let one = world.conversation("one");
    assert_kind(one.undo(1), Kind::Nothing);
    assert_kind(one.redo(), Kind::Nothing);
    assert_kind(restore(&world, 1), Kind::Nothing);
    assert_kind(world.run(|context| history::snapshots(context, None, None)), Kind::Nothing);
    assert!(world.files().is_empty());
}

#[test]
fn a_follow_up_begins_with_the_last_state_not_an_undone_one() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    argue(&world, &one, 2);
    say(&world, &one, "The first end.");
    one.undo(1).unwrap();
    one.resume().unwrap();
    say(&world, &one, "The second end.");
    let id = world.state().debate.id;
    one.start(&format!("Anew? --follow-up {id}")).unwrap();
    let text = world.state_text();
    assert!(text.contains("> The second end.") && !text.contains("The first end."), "{text}");
}

#[test]
fn an_opened_cycle_is_undone_and_redone() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    argue(&world, &one, 3);
    one.again("the budget is halved").unwrap();
    assert_eq!(world.state().debate.cycle(), 2);
    let change = one.undo(1).unwrap();
    assert_eq!(places(&change.gone), ["cycle 2"]);
    assert!(change.before.is_some(), "a redo finds it");
    assert_eq!(world.state().debate.status(), Status::Completed);
    one.redo().unwrap();
    assert_eq!(world.state().debate.cycle(), 2);
    assert_kind(one.redo(), Kind::Nothing);
}

#[test]
fn an_undo_asks_again_for_an_early_synthesis_and_for_no_round_that_was_removed() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    one.argue(&["A1."]);
    let early = Steering { rounds: None, direction: None, synthesize: true };
    world.run(|context| session::direct(context, None, &early, false)).unwrap();
    one.argue(&["C1."]);
    assert!(matches!(say(&world, &one, "The first end."), TurnEnd::Completed(_)));
    one.undo(1).unwrap();
    assert_eq!(world.progress().0, "synthesis");
    one.redo().unwrap();
    one.again("").unwrap();
    one.argue(&["A2.", "C2.", "A3."]);
    world.edit("max_rounds: 3\n", "max_rounds: 1\n");
    assert_eq!(places(&one.undo(1).unwrap().gone), ["advocate, round 2: 1"]);
    assert_eq!(world.progress().0, "synthesis");
}

#[test]
fn an_undo_names_the_state_before_it_if_a_snapshot_has_it() {
    for (snapshots, before) in [(9, Some(4)), (1, None)] {
        let world = TestWorld::keeping(snapshots);
        let one = world.debating("Why? --rounds 3");
        argue(&world, &one, 3);
        let change = one.undo(1).unwrap();
        assert_eq!((change.before, change.gone.len()), (before, 1), "{snapshots}");
    }
}
