//! Whatever happens to the state file, the debate is whole again, and a note says what was done.

use std::path::Path;

use anvil_core::debate::Status;
use anvil_core::place::Seat;
use anvil_core::reply::{CutTurn, TurnOutput, Usage};
use anvil_engine::{Context, Note, Resumption, Skipped, Stopped, TurnEnd, history, session};
use anvil_store::Repair;
use anvil_system::world::World;
use anvil_text::error::Kind;
use jiff::Timestamp;
use testkit::world::{Conversation, TestWorld, failure};

/// A reply with the number of its side, but without a claim.
fn reply(number: usize) -> String {
    format!("{}1 is reply {number}.", if number % 2 == 1 { 'A' } else { 'C' })
}

/// The debate of session `one` with so many saved replies.
fn debated<'w>(world: &'w TestWorld, typed: &str, replies: usize) -> Conversation<'w> {
    let one = world.debating(typed);
    for number in 1..=replies {
        one.argue(&[&reply(number)]);
    }
    one
}

fn replies(count: usize) -> Vec<String> {
    (1..=count).map(reply).collect()
}

fn damage(world: &TestWorld, bytes: impl AsRef<[u8]>) {
    fs_err::create_dir_all(world.path(".claude")).unwrap();
    fs_err::write(world.state_path(), bytes).unwrap();
}

/// The repair that the next change would make.
fn repair(world: &TestWorld) -> Repair {
    let look = world.run(|context| session::look(context, None)).unwrap();
    look.repair.unwrap_or_default()
}

/// The sentences of the last use case about a file.
fn details(world: &TestWorld) -> String {
    let detail = |note| match note {
        Note::Detail(text) => Some(text),
        _ => None,
    };
    world.notes().into_iter().filter_map(detail).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn goes_on(end: Result<TurnEnd, Stopped>) -> String {
    match end {
        Ok(TurnEnd::GoesOn(cue)) => cue.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

/// True if these bytes were put aside under a name that begins so.
fn is_aside(world: &TestWorld, kind: &str, bytes: impl AsRef<[u8]>) -> bool {
    let mut files = world.aside_files().into_iter();
    files.any(|(name, text)| name.starts_with(kind) && text == bytes.as_ref())
}

/// Every known way in which a head breaks.
fn broken_heads(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (_, body) = text[4..].split_once("\n---\n").unwrap();
    let head = &text[..text.len() - body.len()];
    let cut = |at: usize| [&head.as_bytes()[..at], b"\n\n".as_slice(), body.as_bytes()].concat();
    let replace = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let no_text = text.bytes().map(|byte| if byte == b'q' { 0xFF } else { byte });
    vec![
        ("no head at all", body.as_bytes().to_vec()),
        ("an emptied head", format!("---\n---\n{body}").into_bytes()),
        ("a head without its end", cut(head.len() - 5)),
        ("a head cut in a word", cut(60)),
        ("only its first line", cut(4)),
        ("tabs", replace("mode: ", "\tmode: ")),
        ("not a mapping", replace("active: true", "- active")),
        ("a line twice", replace("mode: analyst", "mode: analyst\nmode: analyst")),
        ("an alias", replace("mode: analyst", "mode: *anchor")),
        ("a NUL", replace("mode: analyst", "mode: ana\0lyst")),
        ("bytes that are no text", no_text.collect()),
        ("four hyphens", format!("-{text}").into_bytes()),
    ]
}

#[test]
fn a_damaged_head_is_repaired_and_the_reply_is_saved() {
    let whole = TestWorld::new();
    debated(&whole, "Why? --rounds 3", 0);
    for index in 0..broken_heads(&whole.state_text()).len() {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 2 --position \"wait a year\"", 2);
        let (name, broken) = broken_heads(&world.state_text()).remove(index);
        damage(&world, &broken);
        assert!(repair(&world).damaged, "{name}");
        one.argue(&[&reply(3)]);
        let said = details(&world);
        assert!(said.starts_with("the state file was repaired: "), "{name}: {said}");
        assert_eq!(world.reply_texts(), replies(3), "{name}");
        let position = world.state().debate.options.position;
        assert_eq!(position.as_deref(), Some("wait a year"), "{name}");
        assert_eq!(world.progress(), ("critic, round 2".into(), "in progress"), "{name}");
        let kept = world.aside_files();
        assert!(kept.len() == 1 && is_aside(&world, "damaged-", &broken), "{name}: {kept:?}");
        assert_eq!(repair(&world), Repair::default(), "{name}");
    }
}

#[test]
fn without_a_snapshot_a_wrong_value_is_the_default() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? Or\nwhy not?", 3);
    fs_err::remove_dir_all(world.records()).unwrap();
    world.edit("phase: critic\n", "phase: judge\n");
    let broken = world.state_text();
    // The sections tell which phase waits.
    let look = world.run(|context| session::look(context, None)).unwrap();
    assert_eq!(look.debate.place().to_string(), "critic, round 2");
    assert!(look.repair.unwrap().repairs[0].contains("it is now advocate, the default"));
    one.resume().unwrap();
    assert!(is_aside(&world, "damaged-", &broken));
    one.argue(&[&reply(4)]);
}

#[test]
fn an_impossible_value_is_reported_and_the_old_one_kept() {
    for (from, to, sentence) in [
        ("round: 1\n", "round: eleven\n", "must be a whole number from 1 to 10; it is now 1"),
        ("max_rounds: 3\n", "max_rounds: 11\n", "must be a whole number from 1 to 10; it is now 3"),
        (
            "phase: advocate\n",
            "phase: judge\n",
            "must be advocate, critic or synthesizer; it is now advocate",
        ),
        (
            "retry_count: 0\n",
            "retry_count: 99\n",
            "must be a whole number from 0 to 3; it is now 0",
        ),
        ("step: 1\n", "step: -1\n", "must be a whole number"),
        ("active: true\n", "active: maybe\n", "must be true or false; it is now true"),
        ("started_at: \"2", "started_at: \"x2", "must be a time"),
        ("cycle: 1\n", "cycle: [1]\n", "must be a whole number"),
    ] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 3");
        world.edit(from, to);
        one.argue(&["A1."]);
        let key = from.split_once(':').unwrap().0;
        let wanted = format!("`{key}` {sentence}");
        assert!(details(&world).contains(&wanted), "{wanted}: {}", details(&world));
        assert_eq!(world.progress(), ("critic, round 1".into(), "in progress"), "{to}");
    }
}

#[test]
fn an_emptied_or_cut_file_comes_back_from_its_snapshot() {
    let whole = TestWorld::new();
    debated(&whole, "Why? --rounds 3", 3);
    let length = whole.state_text().len();
    let fence = |text: &str| text.find("> A1 is reply 3").unwrap();
    for kept in [0, 3, 30, 300, 700, length - 4, fence(&whole.state_text()) + 6] {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 3", 3);
        let text = world.state_text();
        damage(&world, &text.as_bytes()[..kept.min(text.len() - 3)]);
        assert!(repair(&world).damaged, "{kept}");
        one.argue(&[&reply(4)]);
        assert_eq!(world.reply_texts(), replies(4), "{kept}");
    }
}

#[test]
fn a_section_cut_at_the_end_of_a_line_comes_back() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    one.argue(&["First line of A1.\nSecond line.\nThird line."]);
    let text = world.state_text();
    damage(&world, &text[..text.find("> Second").unwrap()]);
    assert!(repair(&world).damaged);
    one.argue(&["C1 is cut."]);
    assert_eq!(world.reply_texts()[0], "First line of A1.\nSecond line.\nThird line.");
}

#[test]
fn a_file_with_zeros_at_its_end_comes_back() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 3);
    let mut bytes = world.state_text().into_bytes();
    let from = bytes.len() - 40;
    bytes[from..].fill(0);
    damage(&world, &bytes);
    one.argue(&[&reply(4)]);
    assert_eq!(world.reply_texts(), replies(4));
    assert!(is_aside(&world, "damaged-", &bytes));
}

#[test]
fn a_file_with_conflict_marks_goes_aside_whole() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    let ours = world.state_text();
    one.argue(&[&reply(2), &reply(3)]);
    let theirs = world.state_text();
    let conflict = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n");
    damage(&world, &conflict);
    let look = world.run(|context| session::look(context, None)).unwrap();
    assert_eq!(look.debate.place().to_string(), "critic, round 2");
    one.argue(&["**C2. It has marks.**\n\n    <<<<<<< HEAD"]);
    assert!(details(&world).contains("git had left the marks of a conflict"));
    assert!(is_aside(&world, "damaged-", &conflict));
    // A reply is quoted: its own marks are none.
    assert_eq!(repair(&world), Repair::default());
    assert_eq!(world.reply_texts()[..3], replies(3));
    let before = world.state_text();
    damage(&world, format!("{before}\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> branch\n"));
    let repairs = repair(&world).repairs.join("\n");
    assert!(repairs.contains("git had left the marks of a conflict"), "{repairs}");
}

#[test]
fn what_was_recovered_is_on_record_until_the_next_cycle_too() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 1", 2);
    let synthesis = world.synthesis("recommendation: Wait.");
    world.edit("retry_count: 0\n", "retry_count: 99\n");
    assert!(matches!(one.stop(&synthesis).unwrap(), TurnEnd::Completed(_)));
    let recovered = || world.run(|context| session::look(context, None)).unwrap().recovered;
    let lines = recovered();
    assert_eq!(lines.len(), 1);
    assert!(format!("{lines:?}").contains("it is now 0, that of step 3"), "{lines:?}");
    // It is said of the debate that was damaged, and an edit is none.
    world.edit("# Why?", "# Why now?");
    one.again("").unwrap();
    assert_eq!(recovered().len(), 1);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_removed() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 2);
    damage(&world, format!("\u{FEFF}{}", world.state_text().replace('\n', "\r\n")));
    one.argue(&[&reply(3)]);
    assert!(!details(&world).is_empty());
    assert!(!world.state_text().contains('\r') && world.state_text().starts_with("---\nactive"));
    assert_eq!(world.reply_texts(), replies(3));
}

#[test]
fn a_file_of_a_newer_anvil_is_shown_and_never_written() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    world.edit("schema: 3\n", "schema: 4\nnew_key: x\n");
    let before = world.state_text();
    let look = world.run(|context| session::look(context, None)).unwrap();
    assert_eq!(look.debate.place().to_string(), "critic, round 1");
    let refusals = [
        failure(one.stop("C1.").unwrap_err()),
        failure(one.type_words("Hello", None).unwrap_err()),
        failure(one.resume().unwrap_err()),
        failure(one.cancel().unwrap_err()),
        failure(one.undo(1).unwrap_err()),
        failure(one.redo().unwrap_err()),
    ];
    assert_eq!(refusals, ["Schema"; 6]);
    assert_eq!(world.state_text(), before);
}

#[test]
fn an_unrecoverable_debate_fails_and_waits() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    fs_err::remove_dir_all(world.records().join("debates")).unwrap();
    damage(&world, [0xFE; 4_000]);
    one.stop_once("C1.").unwrap_err();
    assert_eq!(world.state().debate.status(), Status::Failed);
    assert!(is_aside(&world, "damaged-", [0xFE; 4_000]));
    let before = world.state_text();
    assert!(matches!(one.stop("More."), Err(Stopped::Skipped(Skipped::NotActive))));
    assert_eq!(world.state_text(), before);
    one.start("Anew? --replace").unwrap();
    assert_eq!(world.state().debate.question, "Anew?");
}

#[test]
fn a_missing_file_is_restored_in_its_place() {
    let world = TestWorld::new();
    debated(&world, "Why? --rounds 3", 2);
    let two = world.conversation("two");
    for (snapshot, is_lost) in [(3, true), (4, false)] {
        fs_err::remove_file(world.state_path()).unwrap();
        let Resumption::GoesOn(_) = two.resume().unwrap() else { panic!() };
        let is_restored = |note: &Note| {
            matches!(note, Note::Restored { snapshot: from, is_reply_lost }
                if (*from, *is_reply_lost) == (snapshot, is_lost))
        };
        assert!(world.notes().iter().any(is_restored), "{snapshot}: {:?}", world.notes());
        assert_eq!(world.reply_texts(), replies(2));
        // While a debate waits, no reply is in flight.
        two.type_words("Wait.", None).unwrap();
    }
    // A file that is deleted after its debate was cancelled is not missed.
    two.cancel().unwrap();
    fs_err::remove_file(world.state_path()).unwrap();
    two.resume().unwrap_err();
    assert!(!world.state_path().exists());
}

#[test]
fn foreign_garbage_is_left_alone_until_it_is_replaced() {
    for garbage in [&b"garbage"[..], b"no debate \xFF at all"] {
        let world = TestWorld::new();
        let one = world.conversation("one");
        damage(&world, garbage);
        one.stop("Reply.").unwrap_err();
        one.type_words("Hello", None).unwrap_err();
        one.resume().unwrap_err();
        let lost = one.again("Anew").unwrap_err();
        assert!(
            matches!(&lost, Stopped::Failed(error) if error.kind() == Kind::Failed),
            "{lost:?}"
        );
        assert_eq!(failure(one.start("Why?").unwrap_err()), "Unknown");
        assert_eq!(fs_err::read(world.state_path()).unwrap(), garbage);
        assert!(world.run(|context| session::look(context, None)).unwrap().is_lost);
        one.start("Why? --replace").unwrap();
        assert!(is_aside(&world, "", garbage));
    }
}

#[test]
fn the_pointer_follows_the_sections() {
    // The pointer was moved by hand; the sections decide which reply is requested.
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 3);
    world.edit("phase: critic\nround: 2\n", "phase: critic\nround: 3\n");
    one.argue(&[&reply(4)]);
    assert_eq!(world.reply_texts(), replies(4));
    assert_eq!(world.progress().0, "advocate, round 3");
}

#[test]
fn a_reply_to_deleted_sections_is_kept_and_they_are_argued_again() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 4);
    let text = world.state_text();
    damage(&world, &text[..text.find("## Round 2").unwrap()]);
    let cue = goes_on(one.stop_once("An advocate's reply for round 3."));
    assert!(cue.contains("Read "), "it has to know what is left: {cue}");
    assert_eq!(world.progress().0, "advocate, round 2");
    assert!(is_aside(&world, "unfiled-", "An advocate's reply for round 3."));
    // The plugin is installed twice.
    world.wait(-10);
    let again = one.stop_once("An advocate's reply for round 3.");
    assert!(matches!(again, Err(Stopped::Skipped(Skipped::Redelivered))), "{again:?}");
    assert_eq!(world.reply_texts(), replies(2));
    one.argue(&["Anew."]);
}

#[test]
fn a_gap_a_duplicate_or_a_users_note_is_no_damage() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 3);
    let text = world.state_text();
    let (start, end) = (text.find("## Round 1").unwrap(), text.find("## Round 2").unwrap());
    let double = &text[text.find("### Advocate").unwrap()..text.find("### Critic").unwrap()];
    damage(&world, format!("{}{}\n{double}\n## My notes\n\nMine.\n", &text[..start], &text[end..]));
    one.argue(&[&reply(4)]);
    assert_eq!(world.aside_files(), []);
    assert_eq!(world.progress().0, "advocate, round 3");
    assert!(world.state_text().contains("## My notes\n\nMine."));
}

#[test]
fn a_question_edited_by_hand_is_used_from_then_on() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    world.edit("question: \"Why?\"", "question: \"Why now?\"");
    assert!(repair(&world).asks_anew && !repair(&world).damaged);
    one.argue(&[&reply(2)]);
    assert!(world.state_text().contains("\n# Why now?\n"));
    world.edit("# Why now?", "# Why never?");
    one.type_words("Wait", Some("It answers the old question.")).unwrap();
    assert_eq!(world.state().debate.question, "Why never?");
    assert_eq!(world.reply_texts(), replies(2));
    assert_eq!(world.aside_files(), [], "an edit is no damage");
    // A motion that was typed stays, whatever an opening has stated.
    let world = TestWorld::new();
    let one = world.debating("Why? --motion \"wait\"");
    one.argue(&["**Motion:** keep the cache.\n\nA1."]);
    world.edit("Why?", "Why now?");
    assert!(repair(&world).asks_anew && !repair(&world).damaged);
    one.argue(&["C1."]);
    let debate = world.state().debate;
    assert_eq!((&*debate.question, debate.motion()), ("Why now?", Some("wait")));
}

#[test]
fn an_edited_title_and_question_lose_no_words() {
    for (question, title) in [
        ("Why now, of all times?".to_owned(), "Why never, for heaven's sake?".to_owned()),
        ("Why now?".to_owned(), "Why? ".repeat(2_000) + "Last words"),
        ("Why?".to_owned(), "Why? ".repeat(2_000) + "Last words"),
    ] {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 3", 1);
        world.edit("question: \"Why?\"", &format!("question: \"{question}\""));
        world.edit("\n# Why?\n", &format!("\n# {title}\n\n> A quote of mine.\n"));
        let before = world.state_text();
        one.argue(&[&reply(2)]);
        assert!(is_aside(&world, "damaged-", &before));
        assert_eq!(world.state().debate.question, question);
        assert!(world.state_text().contains("> A quote of mine."), "{}", world.state_text());
        assert_eq!(world.reply_texts(), replies(2));
    }
}

#[test]
fn a_users_quote_below_the_title_stays_a_quote() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    world.edit("# Why?\n", "# Why?\n\n> Note to self: the budget is 10k\n");
    one.argue(&[&reply(2)]);
    assert_eq!(world.state().debate.question, "Why?");
    assert!(world.state_text().contains("> Note to self"));
}

#[test]
fn rounds_added_or_removed_by_hand_count() {
    for (rounds, edited, next) in [(1, 2, "advocate, round 2"), (3, 1, "synthesis")] {
        let world = TestWorld::new();
        let one = debated(&world, &format!("Why? --rounds {rounds}"), 2);
        one.type_words("Wait", None).unwrap();
        world.edit(&format!("max_rounds: {rounds}"), &format!("max_rounds: {edited}"));
        one.resume().unwrap();
        assert_eq!(world.progress(), (next.into(), "in progress"));
    }
    // Also without an end of the last line.
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    damage(&world, world.state_text().replace("max_rounds: 3", "max_rounds: 1").trim_end());
    one.argue(&[&reply(2)]);
    assert_eq!(world.progress().0, "synthesis");
}

#[test]
fn a_corrected_typo_in_an_argument_stays() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 2);
    world.edit("> A1 is reply 1.", "> Reply one.");
    assert_eq!(repair(&world), Repair::default());
    one.argue(&[&reply(3)]);
    assert_eq!(world.reply_texts(), ["Reply one.", "C1 is reply 2.", "A1 is reply 3."]);
}

#[test]
fn a_debate_that_ended_early_does_not_count_as_broken() {
    for end in ["C1 is reply 2.\n\n<anvil-complete/>", "<anvil-complete/>"] {
        for has_snapshots in [true, false] {
            let world = TestWorld::new();
            let one = debated(&world, "Why? --rounds 3", if end.starts_with('C') { 1 } else { 2 });
            one.stop_once(end).unwrap();
            assert_eq!(one.seat(), Seat::Synthesizer, "{end}");
            let newest = world.debate_folder().join("0003-synthesis.md");
            if !has_snapshots && newest.exists() {
                fs_err::remove_file(newest).unwrap();
            }
            assert!(matches!(one.stop("recommendation: Do it."), Ok(TurnEnd::Completed(_))));
            assert_eq!(world.aside_files(), []);
        }
    }
}

#[test]
fn a_synthesis_deleted_by_hand_is_requested_again() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 1", 2);
    one.stop("recommendation: Done.").unwrap();
    let text = world.state_text();
    damage(&world, &text[..text.find("## Synthesis").unwrap()]);
    one.resume().unwrap();
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    one.stop("recommendation: Done anew.").unwrap();
    assert!(world.reply_texts()[2].contains("Done anew."));
}

#[test]
fn a_synthesis_written_by_hand_completes_the_debate() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 1", 1);
    damage(&world, format!("{}\n## Synthesis\n\nWe do it.\n", world.state_text()));
    one.stop_once("The critic.").unwrap_err();
    assert_eq!(world.state().debate.status(), Status::Completed);
    assert!(is_aside(&world, "", "The critic."));
}

#[test]
fn an_older_file_version_is_reported_and_the_newer_one_kept() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 0);
    let first = world.state_text();
    one.argue(&[&reply(1)]);
    let early = world.state_text();
    one.argue(&[&reply(2), &reply(3)]);
    for (step, text) in [(1, &first), (2, &early)] {
        damage(&world, text);
        let repairs = repair(&world).repairs.join("\n");
        assert!(repairs.contains(&format!("an earlier state (step {step} of 4)")), "{repairs}");
    }
    goes_on(one.stop_once("The critic of round 2."));
    assert_eq!(world.progress().0, "critic, round 1");
    assert!(is_aside(&world, "unfiled-", "The critic of round 2."));
    one.redo().unwrap();
    assert_eq!(world.reply_texts(), replies(3));
    damage(&world, &early);
    one.resume().unwrap();
    one.argue(&["Another C1.", "And on, A1."]);
    world.run(|context| history::restore(context, None, 4, None, true)).unwrap();
    assert_eq!(world.reply_texts(), replies(3));
}

#[test]
fn an_open_fence_in_a_users_note_hides_no_section() {
    for note in ["```\nmy note\n", "<!-- my todo\n", "<pre>\n", "## Notes\n\n<script>\n"] {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 1", 1);
        damage(&world, format!("{}\n{note}", world.state_text()));
        one.argue(&[&reply(2)]);
        one.stop("recommendation: Do it.").unwrap();
        assert_eq!(world.reply_texts().len(), 3, "{note}");
        one.undo(1).unwrap();
        assert_eq!(world.reply_texts()[1..], replies(2)[1..], "{note}");
    }
}

#[test]
fn a_lowered_or_absurd_step_does_not_confuse_the_snapshots() {
    for step in ["1", "900000", "1000000", "4000000000"] {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 3", 3);
        world.edit("step: 4\n", &format!("step: {step}\n"));
        one.argue(&[&reply(4), &reply(5), &reply(6)]);
        damage(&world, "");
        one.resume().unwrap();
        assert_eq!(world.reply_texts(), replies(6), "{step}");
        fs_err::write(world.debate_folder().join("4294967295-x.md"), "").unwrap();
        one.undo(1).unwrap();
    }
}

#[test]
fn a_reply_is_saved_if_only_the_status_says_active() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    fs_err::remove_dir_all(world.records().join("debates")).unwrap();
    world.edit("active: true", "active: maybe");
    assert!(repair(&world).damaged);
    one.argue(&[&reply(2)]);
}

#[test]
fn a_deleted_file_is_not_written_anew_by_a_reply() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 2);
    fs_err::remove_file(world.state_path()).unwrap();
    assert!(matches!(one.stop_once(&reply(3)), Err(Stopped::Skipped(Skipped::Lost))));
    assert!(!world.state_path().exists());
    world.run(|context| history::restore(context, None, 3, None, false)).unwrap();
    assert_eq!(world.reply_texts(), replies(2));
}

#[test]
fn a_stop_fails_where_neither_file_nor_record_tell_the_owner() {
    for is_unreadable in [false, true] {
        let world = TestWorld::new();
        let one = debated(&world, "Why? --rounds 3", 1);
        let mut sessions = fs_err::read_dir(world.records().join("sessions")).unwrap();
        let record = sessions.next().unwrap().unwrap().path();
        fs_err::remove_file(&record).unwrap();
        if is_unreadable {
            fs_err::create_dir(&record).unwrap();
        }
        damage(&world, "nothing that can be read");
        let end = one.stop_once(&reply(2));
        let is_skipped = matches!(end, Err(Stopped::Skipped(Skipped::NotReadable)));
        assert!(matches!(end, Err(Stopped::Failed(_))) == is_unreadable, "{end:?}");
        assert!(is_skipped != is_unreadable, "{end:?}");
    }
}

/// A handwritten file with the seven keys that every version of the format has.
fn by_hand(lines: &str) -> String {
    let body = "\n## Round 1\n\n### Advocate\n\nA1. We ship *faster*.\n\n    git push\n";
    format!(
        "---\nactive: true\nquestion: Should we?\nmode: analyst\nphase: critic\nround: 1\n\
         max_rounds: 1\nstarted_at: \"2026-01-01T00:00:00Z\"\n{lines}---\n{body}"
    )
}

#[test]
fn seven_keys_and_unquoted_sections_are_enough_to_continue() {
    let world = TestWorld::new();
    let one = world.conversation("one");
    damage(&world, by_hand(""));
    let before = world.files();
    let look = world.run(|context| session::look(context, None)).unwrap();
    assert_eq!(look.debate.place().to_string(), "critic, round 1");
    one.stop_once("Not for it.").unwrap_err();
    assert_eq!(world.files(), before, "a look writes nothing");
    one.resume().unwrap();
    one.argue(&["C1. It \"ships\" bugs."]);
    assert!(matches!(one.stop("recommendation: Do it."), Ok(TurnEnd::Completed(_))));
    let texts = world.reply_texts();
    assert_eq!(texts[..2], ["A1. We ship *faster*.\n\n    git push", "C1. It \"ships\" bugs."]);
}

#[test]
fn a_file_without_an_id_is_the_debate_here_if_it_asks_the_same() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 2);
    let id = world.state().debate.id;
    world.edit(&format!("id: \"{id}\"\n"), "");
    one.argue(&[&reply(3)]);
    assert_eq!(world.state().debate.id, id);
    damage(&world, by_hand(""));
    one.resume().unwrap();
    assert_ne!(world.state().debate.id, id);
    assert_eq!(world.reply_texts().len(), 1);
}

#[test]
fn a_copy_of_a_debate_has_an_id_of_its_own() {
    let world = TestWorld::new();
    debated(&world, "Why?", 1);
    let copy = world.outside("copy");
    fs_err::create_dir_all(copy.join(".claude")).unwrap();
    fs_err::copy(world.state_path(), copy.join(".claude/anvil-state.local.md")).unwrap();
    let id_in = |folder: &Path| {
        let world = World { project_folder: Some(folder.to_owned()), ..world.next() };
        session::look(&Context::new(&world), None).unwrap().debate.id
    };
    let [original, own] = [&world.root(), &copy].map(|folder| id_in(folder));
    assert_ne!(own, original);
    assert_eq!(own, id_in(&copy));
    // Day and question are the same.
    assert_eq!(own.rsplit_once('-').unwrap().0, original.rsplit_once('-').unwrap().0);
}

#[test]
fn foreign_and_empty_keys_do_no_damage() {
    let world = TestWorld::new();
    damage(&world, by_hand("personas: \"\"\nfocus: \"\"\nposition: null\nstakeholder_index: 1\n"));
    world.conversation("one").resume().unwrap();
    assert_eq!(world.aside_files(), []);
    assert!(world.state_text().contains("\nstakeholder_index: 1\n"), "somebody's own key stays");
}

#[test]
fn a_turn_that_was_cut_off_is_on_record_with_what_it_took() {
    let world = TestWorld::new();
    let one = debated(&world, "Why? --rounds 3", 1);
    let usage = Some(Usage { fresh: 11, cached: 22, out: 33 });
    let phase_began = world.state().debate.updated_at();
    // A turn that began while none was cut off is no other request.
    world.run(|context| session::turn_began(context, &one.session)).unwrap();
    assert_eq!(world.state().debate.updated_at(), phase_began);
    let model = Some("model-x".to_owned());
    let cut = CutTurn { model, usage, is_stopped: true, ..CutTurn::default() };
    let interrupt = |phase_began| {
        let cut = Some(TurnOutput::Cut(CutTurn { phase_began, ..cut.clone() }));
        world.run(|context| session::owned_turn(context, &one.session)?.interrupt(cut)).unwrap();
        fs_err::read_to_string(world.debate_folder().join("attempts.jsonl")).unwrap()
    };
    let record = interrupt(Timestamp::UNIX_EPOCH);
    assert_eq!(record.lines().count(), 1, "it is for an earlier phase: {record}");
    one.resume().unwrap();
    let record = interrupt(world.state().debate.updated_at());
    for part in ["\"model-x\"", "\"fresh\":11", "\"cached\":22", "\"out\":33"] {
        assert!(record.lines().last().unwrap().contains(part), "{part}: {record}");
    }
}
