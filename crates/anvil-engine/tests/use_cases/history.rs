//! Earlier debates: what became of their recommendations, what a prune removes, what a search
//! finds.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anvil_core::journal::{Decision, Line, Outcome};
use anvil_core::options::{OutcomeNote, Steering};
use anvil_engine::{Context, Recheck, history, reports, session};
use anvil_store::{Project, Scope, Store};
use anvil_text::error::Result;
use testkit::world::{TestWorld, failure};

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
        let removed = history::prune(context, &plan)?;
        assert_eq!(removed.1, plan.bytes());
        Ok(removed)
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
fn a_line_whose_id_is_no_name_does_not_count() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    turned_out(&world, None, Outcome::Right).unwrap();
    let whole = journal(&world);
    let id = world.state().debate.id;
    let store = Store::new(Project::at(world.root()), &world.next());
    for (other, is_read) in
        [("x".repeat(100), true), ("x".repeat(101), false), ("a b".to_owned(), false)]
    {
        let text = format!("{whole}{}", whole.replace(&id, &other));
        fs_err::write(world.records().join("decisions.jsonl"), text).unwrap();
        let lines = store.all_decisions().unwrap();
        let ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
        let expected = if is_read { vec![id.as_str(), &other] } else { vec![id.as_str()] };
        assert_eq!(ids, expected);
    }
}

#[test]
fn the_newest_snapshot_is_removed_last() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    let folder = world.debate_folder();
    fs_err::create_dir_all(folder.join("aside")).unwrap();
    for name in ["aside/old.md", "aside/zoo.txt", "0000-old.md", "zoo.txt"] {
        fs_err::write(folder.join(name), "x").unwrap();
    }
    let store = Store::new(Project::at(world.root()), &world.next());
    let (_, files) = store.files_of_past(&world.state().debate.id).unwrap();
    let names: Vec<&Path> =
        files.iter().map(|(path, _)| path.strip_prefix(&folder).unwrap()).collect();
    let at = |name: &str| names.iter().position(|path| *path == Path::new(name)).unwrap();
    assert!(at("aside/old.md") < at("zoo.txt") && at("aside/zoo.txt") < at("zoo.txt"), "{names:?}");
    assert!(at("zoo.txt") < at("0000-old.md"), "{names:?}");
    assert_eq!(names.last(), Some(&Path::new("0004-synthesis.md")));
}

#[test]
fn a_debate_is_of_its_folder_and_of_its_repository() {
    let world = TestWorld::new();
    fs_err::create_dir_all(world.path(".git")).unwrap();
    let id = debated(&world, "Why?", 80);
    let tree = world.outside("tree");
    let foreign = world.outside("foreign");
    let git = world.path(".git/worktrees/tree");
    for folder in [&tree, &foreign.join(".git"), &git] {
        fs_err::create_dir_all(folder).unwrap();
    }
    fs_err::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
    let is_of = |root: &Path, id: &str| {
        let store = Store::new(Project::at(root), &world.next());
        (store.is_of_place(id), store.is_of_repository(id))
    };
    assert_eq!(is_of(&world.root(), &id), (true, true));
    assert_eq!(is_of(&tree, &id), (false, true));
    assert_eq!(is_of(&foreign, &id), (false, false));
    for root in [&world.root(), &tree] {
        assert_eq!(is_of(root, "2026-11-21-else-0000"), (false, false));
    }
    // Of a file that came from elsewhere there is no record.
    let head = world.state_text().replace(&id, "2026-11-21-from-elsewhere-0001");
    fs_err::create_dir_all(foreign.join(".claude")).unwrap();
    fs_err::write(foreign.join(".claude/anvil-state.local.md"), head).unwrap();
    assert_eq!(is_of(&foreign, "2026-11-21-from-elsewhere-0001"), (true, true));
    assert_eq!(is_of(&foreign, &id), (false, false));
}

#[test]
fn the_longest_original_of_a_document_is_kept() {
    let world = TestWorld::new();
    let id = debated(&world, "Why?", 80);
    // 60,000 characters of four bytes, after a byte order mark.
    let bytes = format!("\u{FEFF}{}", "😀".repeat(60_000)).into_bytes();
    let sha256 = anvil_core::document::sha256(&bytes);
    let file = world.debate_folder().join(format!("original-{sha256}"));
    fs_err::write(&file, &bytes).unwrap();
    let store = Store::new(Project::at(world.root()), &world.next());
    assert_eq!(store.original(&id, &sha256), Some(bytes));
    fs_err::write(&file, "another").unwrap();
    assert_eq!(store.original(&id, &sha256), None);
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

#[test]
fn a_search_names_the_cycle_of_a_reply_if_there_is_more_than_one() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    let places = |needle: &str| {
        let found = world.run(|context| history::search(context, None, needle, Scope::Place));
        let hits = found.unwrap().debates.remove(0).1;
        hits.into_iter().map(|hit| hit.place).collect::<Vec<_>>()
    };
    assert_eq!(places("one queue"), ["advocate, round 1"]);
    let one = world.conversation("one");
    one.again("").unwrap();
    one.argue(&["**A2. Split.** One queue."]);
    assert_eq!(places("one queue"), ["advocate, round 1, cycle 1", "advocate, round 1, cycle 2"]);
}

#[test]
fn a_use_case_that_nobody_waits_for_fails() {
    let world = TestWorld::new();
    debated(&world, "Why?", 80);
    let (next, is_cancelled) = (world.next(), AtomicBool::new(true));
    let context = Context::new(&next).until(&is_cancelled);
    let ends = [
        history::past(&context, None, Scope::Place).map(drop),
        history::search(&context, None, "queue", Scope::Place).map(drop),
        reports::report(&context, None, None, None, None).map(drop),
    ];
    assert_eq!(ends.map(|end| failure(end.unwrap_err())), ["CancelledError"; 3]);
}

#[test]
fn a_review_is_due_from_its_day_until_an_outcome_is_noted() {
    let world = TestWorld::new();
    let ids = ["30d", "20d"].map(|day| debated(&world, &format!("Split? --review {day}"), 80));
    let due = || {
        let due = world.run(|context| history::due_reviews(context, None, Scope::Place));
        due.map(|due| due.into_iter().map(|Decision { id, .. }| id).collect::<Vec<_>>())
    };
    assert_eq!(failure(due().unwrap_err()), "NothingDue");
    world.wait(31 * 86_400);
    assert_eq!(due().unwrap(), [ids[1].clone(), ids[0].clone()]);
    turned_out(&world, Some(&ids[1]), Outcome::Right).unwrap();
    assert_eq!(due().unwrap(), [ids[0].clone()]);
}

#[test]
fn two_reviews_of_one_day_are_both_due_and_a_new_session_says_so() {
    let world = TestWorld::new();
    let ids = [(); 2].map(|()| debated(&world, "Split? --review 30d", 80));
    world.wait(31 * 86_400);
    let due = world.run(|context| history::due_reviews(context, None, Scope::Place)).unwrap();
    assert!(due.len() == 2 && ids.iter().all(|id| due.iter().any(|one| one.id == *id)));
    let two = world.conversation("two");
    let notice = || world.run(|context| session::start_notice(context, &two.session, true));
    assert_eq!(notice().unwrap().reviews.map(|due| due.count), Some(2));
    // Where no debate is left too.
    fs_err::remove_file(world.state_path()).unwrap();
    assert_eq!(notice().unwrap().reviews.map(|due| due.count), Some(2));
}

fn recheck(world: &TestWorld, named: &[&str]) -> Result<Recheck> {
    let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
    world.run(|context| history::recheck(context, &named))
}

#[test]
fn only_decisions_that_stand_and_rest_on_a_claim_are_rechecked() {
    let world = TestWorld::new();
    let id = debated(&world, "Split?", 80);
    let given_up = debated(&world, "Cache?", 80);
    turned_out(&world, Some(&given_up), Outcome::Wrong).unwrap();
    debated(&world, "Wait?", 80);
    world.edit("rests on: A1", "rests on: nothing");
    let seen = recheck(&world, &[]).unwrap();
    let decisions = seen.decisions.iter().map(|one| (one.decision.number, &one.decision.id));
    assert_eq!(decisions.collect::<Vec<_>>(), [(Some(3), &id)]);
    turned_out(&world, Some(&id), Outcome::Abandoned).unwrap();
    assert_eq!(failure(recheck(&world, &[]).unwrap_err()), "NothingRests");
}

#[test]
fn named_records_are_read_as_far_as_they_are_text_and_not_too_many() {
    let world = TestWorld::new();
    let record = "# x\n\n<!-- anvil-decision: {\"id\":\"i\",\"question\":\"q\",\"claims\":\
                  [{\"id\":\"A1\"}]} -->\n";
    let utf16: Vec<u8> = record.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let fallen = record.replace("# x\n", "# x\n\n## Status\n\nRejected\n");
    for (name, bytes) in [
        ("1.md", record.as_bytes()),
        ("2.md", &utf16),
        ("3.md", b"# x\n"),
        ("4.md", fallen.as_bytes()),
    ] {
        fs_err::write(world.path(name), bytes).unwrap();
    }
    let seen = recheck(&world, &["1.md", "2.md", "3.md", "4.md"]).unwrap();
    assert_eq!((seen.decisions.len(), seen.without_record, seen.fallen), (1, 1, 1));
    let unreadable: Vec<&str> = seen.unreadable.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(unreadable, ["2.md"]);

    let folder = world.path("records");
    fs_err::create_dir(&folder).unwrap();
    for number in 0..45 {
        fs_err::write(folder.join(format!("{number}.md")), "x".repeat(800_000)).unwrap();
    }
    // More than 32 MB are not read.
    let seen = recheck(&world, &["1.md", "records"]).unwrap();
    assert_eq!((seen.without_record, seen.unreadable.len()), (40, 5));
}

#[test]
fn words_that_stand_only_in_a_report_are_gone_and_a_new_session_says_so() {
    let world = TestWorld::new();
    let write = |file: &str, text: &str| {
        fs_err::write(world.path(file), text).unwrap();
        testkit::host::git(&world.root(), &["add", file]);
    };
    testkit::host::git(&world.root(), &["init", "-q"]);
    write("queue.rs", "pub const MAX_RETRIES: u32 = 5;\n");
    let one = world.debating("Why? --rounds 1");
    let case = "**A1. Five times.** So it is [evidence: queue.rs:1 \"MAX_RETRIES: u32 = 5\"].";
    one.argue(&[case, "**C1. Wait.** Eight people."]);
    one.stop("recommendation: Do it.\nverdict: do\nrests on: A1").unwrap();
    write("queue.rs", "pub const MAX_RETRIES: u32 = 6;\n");
    let two = world.conversation("two");
    let changed = || {
        let notice = world.run(|context| session::start_notice(context, &two.session, true));
        notice.unwrap().changed
    };
    // A debate that was named counts too.
    recheck(&world, &["1"]).unwrap();
    assert_eq!(changed(), 1);
    for (text, changed) in [
        ("MAX_RETRIES: u32 = 5", 0),
        // A report in JSON has no mark, and an edited record is no report.
        ("{\"generator\":\"Anvil\",\"words\":\"MAX_RETRIES: u32 = 5\"}", 1),
        ("Mine: MAX_RETRIES: u32 = 5\n\n<!-- anvil-decision: {} -->\n", 1),
    ] {
        write("other.md", text);
        let seen = recheck(&world, &[]).unwrap();
        assert_eq!(seen.decisions[0].changed_count(), changed, "{text}");
    }
    fs_err::remove_file(world.state_path()).unwrap();
    assert_eq!(changed(), 1);
}
