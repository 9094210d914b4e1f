//! A synthesis whose block is wrong: it is saved as it is, its block is asked for once, and the
//! reply becomes a note below it.

use anvil_core::debate::Status;
use anvil_core::ledger::VerdictWord;
use anvil_core::options::Steering;
use anvil_core::reply::Reply;
use anvil_core::transcript::{Author, EntryKind, NoteKind};
use anvil_engine::{ResumeAction, Resumption, Skipped, Stopped, TurnEnd, history, session};
use anvil_store::Scope;
use testkit::world::{Conversation, TestWorld, failure};

const CASE: &str = "**A1. It pays.** Less work [reasoning].";
const OBJECTION: &str = "**C1. It costs.** A month [reasoning].\n**Attacks A1:** not at once.";

/// A synthesis whose block leaves out C1. Its blanks and its heading are saved as well.
const FIRST: &str = "It does not pay  yet.\n\n### What to do\n\n1. Wait.\n\n```anvil\nmotion: act\n\
    A1 fell: by C1\nagainst: it is less work\nrecommendation: Wait.\nverdict: do not\nconfidence: 80\n\
    rests on: C1\nflips if: a month is found\nunknown: who has time\n```\n\nThat is all.";

/// The whole block.
const BLOCK: &str = "```anvil\nmotion: act\nA1 fell: by C1\nC1 survived: nobody has a month\nagainst: \
    it is less work\nrecommendation: Wait.\nverdict: do not\nconfidence: 80\nrests on: C1\nflips if: \
    a month is found\nunknown: who has time\n```";

const ASKS: &str = "── Synthesis, once more ── one sentence, then the whole block: C1 is missing.";

fn argued(world: &TestWorld) -> Conversation<'_> {
    let one = world.debating("Why? --rounds 1");
    one.argue(&[CASE, OBJECTION]);
    one
}

/// A debate whose block is asked for.
fn waiting(world: &TestWorld) -> Conversation<'_> {
    let one = argued(world);
    let end = one.stop_once(FIRST);
    assert!(matches!(&end, Ok(TurnEnd::GoesOn(cue)) if cue.as_str().starts_with(ASKS)), "{end:?}");
    assert_waits(world);
    one
}

/// The notes below syntheses and judgments.
fn blocks(world: &TestWorld) -> Vec<String> {
    let is_block = EntryKind::Note(NoteKind::VerdictBlock);
    let notes = world.entries().into_iter().filter(|entry| entry.what == is_block);
    notes.map(|note| note.text).collect()
}

#[track_caller]
fn assert_waits(world: &TestWorld) {
    let debate = world.state().debate;
    assert_eq!((debate.status(), debate.awaits_block()), (Status::InProgress, true));
    assert_eq!(world.reply_texts(), [CASE, OBJECTION, FIRST]);
    assert_eq!(blocks(world), [""; 0]);
}

#[track_caller]
fn assert_ends(world: &TestWorld, notes: &[&str]) {
    let state = world.state();
    assert_eq!((state.debate.status(), state.debate.awaits_block()), (Status::Completed, false));
    assert_eq!(world.reply_texts(), [CASE, OBJECTION, FIRST]);
    assert_eq!(blocks(world), notes);
    let standing = world.ledger().standing();
    let verdict = standing.verdict().unwrap();
    assert_eq!((&verdict.word, verdict.confidence), (&VerdictWord::DoNot, Some(80)));
    // What was written is what a reader without a snapshot accepts.
    assert!(state.is_orderly_by_itself(), "{}", world.state_text());
}

/// How many texts that were put aside hold these words.
fn aside(world: &TestWorld, words: &str) -> usize {
    let files = world.aside_files().into_iter();
    files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(words)).count()
}

#[test]
fn a_wrong_block_is_saved_byte_for_byte_and_asked_for_once() {
    let world = TestWorld::new();
    let one = waiting(&world);
    assert!(matches!(one.stop_once(BLOCK), Ok(TurnEnd::Completed(_))));
    assert_ends(&world, &[BLOCK]);
    let is_block = EntryKind::Note(NoteKind::VerdictBlock);
    let note = world.entries().into_iter().find(|entry| entry.what == is_block).unwrap();
    assert!(note.at.is_some(), "{note:?}");
}

#[test]
fn a_plan_before_the_block_ends_no_synthesis() {
    let world = TestWorld::new();
    let one = argued(&world);
    let end = world.run(|context| {
        let turn = session::stop_turn(context, &one.session)?;
        let texts = vec!["I have a plan.".to_owned(), FIRST.to_owned()];
        let phase_began = turn.phase_began();
        turn.record(Some(Reply { phase_began, texts, after_plan: Some(1), ..Reply::default() }))
    });
    assert!(matches!(&end, Ok(TurnEnd::GoesOn(cue)) if cue.as_str().starts_with(ASKS)), "{end:?}");
    assert!(world.state().debate.awaits_block());
}

/// It is put aside as far as its plan.
#[test]
fn a_synthesis_without_its_read_that_comes_twice_at_once_is_refused_once() {
    let world = TestWorld::new();
    argued(&world);
    let two = world.conversation("two");
    two.resume_with(ResumeAction::AsItIs, true).unwrap();
    let stop = || {
        world.run(|context| {
            let turn = session::stop_turn(context, &two.session)?;
            let texts = [FIRST, "The plan waits."].map(str::to_owned).to_vec();
            let (phase_began, reads) = (turn.phase_began(), Some(Vec::new()));
            let after_plan = Some(1);
            turn.record(Some(Reply { phase_began, texts, after_plan, reads, ..Reply::default() }))
        })
    };
    let end = stop();
    assert!(matches!(end, Ok(TurnEnd::GoesOn(_))), "{end:?}");
    world.wait(-10);
    let again = stop();
    assert!(matches!(again, Err(Stopped::Skipped(Skipped::Redelivered))), "{again:?}");
    assert_eq!((aside(&world, "It does not pay"), world.state().debate.retry_count()), (1, 1));
}

#[test]
fn a_debate_that_was_cancelled_before_its_block_came_has_no_verdict() {
    let world = TestWorld::new();
    let one = waiting(&world);
    assert!(world.ledger().standing().is_judged());
    one.cancel().unwrap();
    let past = world.run(|context| history::past(context, None, Scope::Repository)).unwrap();
    let [debate] = &past.debates[..] else { panic!("{past:?}") };
    assert_eq!((debate.debate.status(), debate.standing.is_none()), (Status::Cancelled, true));
}

#[test]
fn other_words_of_a_repeat_go_aside() {
    for (repeat, count) in [
        (format!("I decide OTHERWISE.\n\n{BLOCK}\n\nOr do I?"), 1),
        // A bare block is nowhere else.
        (BLOCK.to_owned(), 0),
    ] {
        let world = TestWorld::new();
        waiting(&world).stop_once(&repeat).unwrap();
        assert_ends(&world, &[BLOCK]);
        assert_eq!((aside(&world, "OTHERWISE"), aside(&world, "nobody has")), (count, count));
    }
}

#[test]
fn a_repeat_without_a_readable_block_ends_with_the_first_values() {
    let unclosed = BLOCK.trim_end_matches('`');
    let twice = format!("{BLOCK}\n\n{BLOCK}");
    for repeat in ["I did WRITE it.", unclosed, &twice, "", FIRST] {
        let world = TestWorld::new();
        assert!(matches!(waiting(&world).stop_once(repeat), Ok(TurnEnd::Completed(_))), "{repeat}");
        assert_ends(&world, &[]);
        // The same wrong block once more says nothing new.
        let is_kept = repeat.is_empty() || repeat == FIRST || aside(&world, repeat.trim_end()) == 1;
        assert!(is_kept, "{repeat}");
    }
}

#[test]
fn a_block_that_is_still_wrong_but_says_more_than_none_is_taken() {
    let world = TestWorld::new();
    let one = argued(&world);
    assert!(matches!(one.stop_once("We wait."), Ok(TurnEnd::GoesOn(_))));
    let wrong = BLOCK.replace("flips if: a month is found\n", "");
    assert!(matches!(one.stop_once(&wrong), Ok(TurnEnd::Completed(_))));
    assert_eq!(blocks(&world), [wrong]);
    assert!(world.ledger().standing().verdict().is_some());
}

#[test]
fn a_repeat_that_changes_what_was_readable_leaves_no_valid_verdict() {
    for (from, to) in [
        ("verdict: do not", "verdict: do"),
        ("verdict: do not", "verdict: do never"),
        ("confidence: 80", "confidence: 95"),
        ("A1 fell", "A1 survived"),
        ("rests on: C1", "rests on: A1"),
    ] {
        let world = TestWorld::new();
        let end = waiting(&world).stop_once(&BLOCK.replace(from, to));
        assert!(matches!(end, Ok(TurnEnd::Completed(_))), "{to}: {end:?}");
        assert_eq!(world.ledger().standing().verdict(), None, "{to}");
    }
}

#[test]
fn one_undo_takes_back_a_synthesis_and_its_block() {
    let world = TestWorld::new();
    let one = waiting(&world);
    one.stop_once(BLOCK).unwrap();
    one.undo(1).unwrap();
    assert_eq!((world.reply_texts().len(), blocks(&world).len()), (2, 0));
    assert!(!world.state().debate.awaits_block());
    one.redo().unwrap();
    assert_ends(&world, &[BLOCK]);
    // While the block waits, it takes back the synthesis alone, and another one is asked for.
    let world = TestWorld::new();
    let one = waiting(&world);
    one.undo(1).unwrap();
    assert_eq!(world.reply_texts(), [CASE, OBJECTION]);
    let Resumption::GoesOn(resumed) = one.resume().unwrap() else { panic!() };
    assert!(!resumed.opening.as_str().contains("once more"), "{:?}", resumed.opening);
    one.stop_once(FIRST).unwrap();
    assert_waits(&world);
}

/// How a user comes back to a debate: returns the conversation in which it goes on.
type Way = for<'w> fn(&Conversation<'w>) -> Conversation<'w>;

#[test]
fn every_way_back_into_a_conversation_asks_for_the_block() {
    let ways: [(&str, Way); 4] = [
        ("another session", |one| one.world.conversation("two")),
        ("the session has ended", |one| {
            one.end().unwrap();
            one.world.conversation("two")
        }),
        ("a typed prompt between", |one| {
            one.type_words("What is two and two?", None).unwrap();
            assert_eq!(one.world.progress().1, "paused");
            one.stop_once("Four.").unwrap_err();
            one.in_turn("t2")
        }),
        ("a kill after the swap: no record is left", |one| {
            fs_err::remove_dir_all(one.world.records()).unwrap();
            one.world.conversation("two")
        }),
    ];
    for (name, way) in ways {
        let world = TestWorld::new();
        let next = way(&waiting(&world));
        let resumed = next.resume_with(anvil_engine::ResumeAction::AsItIs, true).unwrap();
        let Resumption::GoesOn(resumed) = resumed else { panic!("{name}") };
        assert!(resumed.opening.as_str().contains(ASKS), "{name}: {resumed:?}");
        assert_waits(&world);
        next.stop_once(BLOCK).unwrap();
        assert_ends(&world, &[BLOCK]);
    }
}

#[test]
fn an_edited_head_follows_the_sections() {
    // The note is there: nothing waits for it.
    let world = TestWorld::new();
    let one = waiting(&world);
    one.stop_once(BLOCK).unwrap();
    world.edit("status: completed", "status: in_progress\nawaits_block: true");
    assert_eq!(failure(one.resume().unwrap_err()), "Over");
    // The synthesis is there: its block waits, whatever phase the head names.
    let world = TestWorld::new();
    let one = waiting(&world);
    world.edit("phase: synthesizer", "phase: critic");
    one.resume().unwrap();
    assert_waits(&world);
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    one.stop_once(BLOCK).unwrap();
    assert_ends(&world, &[BLOCK]);
    // The synthesis is gone: another one is asked for.
    let world = TestWorld::new();
    let one = waiting(&world);
    let text = world.state_text();
    fs_err::write(world.state_path(), text.split_once("## Synthesis").unwrap().0).unwrap();
    one.resume().unwrap();
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    assert!(!world.state().debate.awaits_block());
}

#[test]
fn nothing_steers_a_debate_whose_block_alone_is_missing() {
    let world = TestWorld::new();
    let one = waiting(&world);
    let steer =
        |steering: Steering| world.run(|context| session::direct(context, None, &steering, false));
    let direction =
        || Steering { rounds: None, direction: Some("Cost.".into()), synthesize: false };
    let rounds = || Steering { rounds: Some(3), direction: None, synthesize: false };
    let fact = || {
        let author = Author::person();
        world.run(|context| session::note_fact(context, None, "It is 5 $.", author, false))
    };
    let before = world.state_text();
    steer(direction()).unwrap_err();
    steer(rounds()).unwrap_err();
    fact().unwrap_err();
    assert_eq!(world.state_text(), before);
    one.type_words("wait", None).unwrap();
    assert_eq!(failure(steer(direction()).unwrap_err()), "NoReplyFollows");
    assert_eq!(failure(steer(rounds()).unwrap_err()), "NoReplyFollows");
    assert_eq!(failure(fact().unwrap_err()), "NoReplyFollows");
    one.again("And now?").unwrap_err();
    one.resume().unwrap();
    assert_waits(&world);
}

#[test]
fn a_debate_that_is_argued_again_keeps_the_block_of_its_first_cycle() {
    let world = TestWorld::new();
    let one = waiting(&world);
    one.stop_once(BLOCK).unwrap();
    one.again("And now?").unwrap();
    one.argue(&["**A2. It still pays.** x [reasoning]", "**C2. It still costs.** y [reasoning]"]);
    let end = one.stop_once(FIRST);
    let missing = "C1, A2, C2 are missing";
    assert!(matches!(&end, Ok(TurnEnd::GoesOn(cue)) if cue.as_str().contains(missing)), "{end:?}");
    let whole = BLOCK.replace("against:", "A2 fell: so\nC2 survived: so\nagainst:");
    assert!(matches!(one.stop_once(&whole), Ok(TurnEnd::Completed(_))));
    assert_eq!(blocks(&world), [BLOCK.to_owned(), whole]);
}

#[test]
fn a_block_delivered_twice_is_taken_once() {
    let world = TestWorld::new();
    let one = waiting(&world);
    one.stop_once(BLOCK).unwrap();
    world.wait(-10);
    assert!(matches!(one.stop_once(BLOCK), Err(Stopped::Skipped(Skipped::NotActive))));
    assert_ends(&world, &[BLOCK]);
}
