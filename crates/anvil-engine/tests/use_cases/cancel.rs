//! A finished debate that is opened again comes back when its cycle is cancelled or replaced.

use anvil_core::debate::Status;
use anvil_core::ledger::VerdictWord;
use anvil_engine::{
    Cancelled, Claimed, PastDebate, Released, Skipped, Stopped, Submitted, history, reports,
    session, tasks,
};
use anvil_store::Scope;
use testkit::world::{Conversation, TestWorld, Typing, failure, parse_debate};

/// The synthesis of the first cycle; the world adds the lines that are missing.
const END: &str = "recommendation: Keep the monolith.\nverdict: do not\nconfidence: 80";

/// A finished debate of one round.
fn finish(world: &TestWorld) -> Conversation<'_> {
    let one = world.debating("Should we split it? --rounds 1");
    one.argue(&["**A1. Split.** One queue.", "**C1. Wait.** Eight people."]);
    one.stop(END).unwrap();
    assert_eq!(world.state().debate.status(), Status::Completed);
    one
}

/// The row of `history` for a debate.
fn row(world: &TestWorld, id: &str) -> PastDebate {
    let past = world.run(|context| history::past(context, None, Scope::Repository)).unwrap();
    past.debates.into_iter().find(|past| past.debate.id == id).unwrap()
}

/// The verdict of a row.
fn verdict(row: &PastDebate) -> Option<VerdictWord> {
    row.standing.as_ref()?.verdict().map(|verdict| verdict.word.clone())
}

/// What a state file says, without its step.
fn without_step(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("step: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The words of the one text that was put aside when a cycle was cancelled.
fn cancelled_words(world: &TestWorld) -> String {
    let all = world.aside_files();
    let found: Vec<_> = all.iter().filter(|(name, _)| name.starts_with("cancelled-")).collect();
    assert_eq!(found.len(), 1, "{all:?}");
    String::from_utf8_lossy(&found[0].1).into_owned()
}

#[test]
fn cancel_gives_the_finished_debate_back_and_keeps_the_words_of_the_cycle() {
    for snapshots in [32, 1] {
        let world = TestWorld::keeping(snapshots);
        let one = finish(&world);
        let (before, id) = (world.state_text(), world.state().debate.id);
        one.again("The budget is halved.").unwrap();
        one.argue(&["**A2. Now.** A word of the second cycle."]);
        let page = || fs_err::read_to_string(world.debate_folder().join("report.html")).unwrap();
        world.run(|context| reports::page(context, Some(&one.session), None)).unwrap();
        assert!(page().contains("second cycle"));
        let Cancelled::Cycle { snapshot, .. } = one.cancel().unwrap() else { panic!() };
        assert_eq!(snapshot, (snapshots == 32).then_some(6));
        assert_eq!(without_step(&world.state_text()), without_step(&before));
        assert_eq!(verdict(&row(&world, &id)), Some(VerdictWord::DoNot));
        assert!(page().contains("Keep the monolith.") && !page().contains("second cycle"));
        assert!(cancelled_words(&world).contains("A word of the second cycle."));
        let late = one.stop("A reply that comes too late.");
        assert!(matches!(late, Err(Stopped::Skipped(Skipped::NotActive | Skipped::NotOwner))));
        assert_eq!(failure(one.cancel().unwrap_err()), "OverAlready");
        if let Some(snapshot) = snapshot {
            let restored =
                world.run(|context| history::restore(context, None, snapshot, None, false));
            assert_eq!(restored.unwrap().debate.cycle(), 2);
            one.cancel().unwrap();
            assert_eq!(verdict(&row(&world, &id)), Some(VerdictWord::DoNot));
        }
    }
}

#[test]
fn the_conversation_of_a_debate_that_a_shell_cancelled_learns_that_once() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    world.run(|context| session::cancel(context, None, true)).unwrap();
    let typed = [(); 2].map(|()| one.type_words("Hello.", None));
    let [Ok(Typing::Released(Released::Over)), Err(Stopped::Skipped(_))] = &typed else {
        panic!("{typed:?}")
    };
}

#[test]
fn a_cycle_from_another_machine_is_cancelled_as_its_transcript_shows_it() {
    let there = TestWorld::new();
    let one = finish(&there);
    one.again("").unwrap();
    one.argue(&["**A2. Now.** It is so."]);
    let here = TestWorld::new();
    fs_err::create_dir(here.path(".claude")).unwrap();
    fs_err::write(here.state_path(), there.state_text()).unwrap();
    here.run(|context| session::cancel(context, None, true)).unwrap();
    let debate = here.state().debate;
    assert_eq!((debate.status(), debate.cycle()), (Status::Completed, 1));
    assert_eq!(here.reply_texts().len(), 3);
    assert!(cancelled_words(&here).contains("A2. Now."));
}

#[test]
fn a_debate_that_replaces_a_cycle_leaves_the_finished_debate() {
    for is_undone in [false, true] {
        let world = TestWorld::keeping(1);
        let one = finish(&world);
        let id = world.state().debate.id;
        if is_undone {
            one.undo(1).unwrap();
        } else {
            one.again("").unwrap();
            one.argue(&["**A2. Now.** It is so."]);
        }
        let (question, options) = parse_debate("Another? --replace --take-over");
        world.run(|context| session::start(context, None, &question, &options)).unwrap();
        let old = row(&world, &id);
        assert_eq!(old.debate.status(), Status::Completed);
        assert_eq!(verdict(&old), Some(VerdictWord::DoNot));
    }
}

#[test]
fn an_end_that_was_undone_is_listed_beside_the_new_one() {
    let world = TestWorld::keeping(1);
    let one = finish(&world);
    let (id, number) = (world.state().debate.id, world.state().debate.step());
    one.undo(1).unwrap();
    one.resume().unwrap();
    one.stop("recommendation: Split it now.\nverdict: do\nconfidence: 60").unwrap();
    let listed = row(&world, &id);
    let [undone] = &listed.undone[..] else { panic!("{listed:?}") };
    let old = undone.standing.verdict().unwrap();
    assert_eq!((&old.word, old.confidence), (&VerdictWord::DoNot, Some(80)));
    world.run(|context| history::restore(context, None, number, None, false)).unwrap();
    let listed = row(&world, &id);
    assert_eq!(verdict(&listed), Some(VerdictWord::DoNot));
    let again = listed.undone[0].standing.verdict().unwrap();
    assert_eq!(again.word, VerdictWord::Do);
}

#[test]
fn an_earlier_debate_is_taken_back_unless_another_one_is_unfinished() {
    let world = TestWorld::new();
    let one = world.debating("First? --rounds 1");
    one.argue(&["A1."]);
    let first = world.state().debate.id;
    let take_back = |id: &str| {
        let taken = world.run(|context| session::take_back(context, None, id));
        taken.map_err(failure)
    };
    assert_eq!(take_back(&first), Ok(first.clone()), "it is here");
    one.start("Second? --rounds 1 --replace").unwrap();
    let second = world.state().debate.id;
    assert_eq!(take_back(&first), Err("NotHere".to_owned()));
    for id in [&first, &second] {
        one.cancel().unwrap();
        assert_eq!(take_back(id).as_ref(), Ok(id));
        assert_eq!((&world.state().debate.id, world.progress().1), (id, "paused"));
        one.resume().unwrap();
    }
    one.argue(&["A1.", "C1."]);
    one.stop("recommendation: Wait.").unwrap();
    fs_err::remove_file(world.state_path()).unwrap();
    assert_eq!(take_back(&second), Err("Complete".to_owned()));
}

#[test]
fn the_claims_and_kept_replies_of_a_cancelled_cycle_are_over() {
    let world = TestWorld::new();
    let (question, options) = parse_debate("Who decides? --stakeholders sales,legal");
    world.run(|context| session::start(context, None, &question, &options)).unwrap();
    let submit =
        |ticket: &_, reply: &str| world.run(|context| tasks::submit(context, ticket, reply.into()));
    for reply in ["**V1.1. We.** It is our money.", "**V2.1. We.** It is our risk."] {
        submit(&world.ticket("codex"), reply).unwrap();
    }
    let end = world.synthesis("recommendation: Both.\nverdict: do\nconfidence: 70");
    submit(&world.ticket("codex"), &end).unwrap();
    let again =
        |text: &str| world.run(|context| session::again(context, None, text, false)).unwrap();
    again("The budget is halved.");
    let held = world.ticket("codex");
    submit(&world.ticket("codex"), "**V2.2. We.** Kept until the first has spoken.").unwrap();
    world.run(|context| session::cancel(context, None, false)).unwrap();
    assert_eq!(world.state().debate.status(), Status::Completed);
    let late = submit(&held, "**V1.2. We.** Too late.");
    assert!(matches!(late, Ok(Submitted::Late)), "{late:?}");

    again("It is doubled.");
    let one = world.conversation("one");
    one.resume().unwrap();
    one.stop("**V1.3. They.** It is theirs now.").unwrap();
    assert_eq!(world.state().debate.place().number(), 2, "the kept reply was to another cycle");
    assert!(matches!(world.claim("codex"), Ok(Claimed::Waits(_)) | Err(_)), "Claude writes");
}
