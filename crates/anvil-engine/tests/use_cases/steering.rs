//! Directions, an immediate synthesis, another number of rounds, another cycle.

use anvil_core::debate::Debate;
use anvil_core::limits::MAX_STEERING_CHARS;
use anvil_core::options::{Choice, Steering};
use anvil_core::transcript::{Author, EntryKind, NoteKind};
use anvil_engine::{
    Interruption, Note, Released, ResumeAction, Resumption, Skipped, Stopped, TurnEnd, session,
};
use anvil_text::error::Result;
use testkit::world::{Conversation, TestWorld, Typing, failure};

/// A direction, rounds or the synthesis, from a shell.
fn steer(world: &TestWorld, steering: &Steering) -> Result<Debate> {
    world.run(|context| session::direct(context, None, steering, false))
}

fn direction(text: &str) -> Steering {
    Steering { rounds: None, direction: Some(text.to_owned()), synthesize: false }
}

fn rounds(count: u8) -> Steering {
    Steering { rounds: Some(count), direction: None, synthesize: false }
}

fn to_synthesis() -> Steering {
    Steering { rounds: None, direction: None, synthesize: true }
}

/// An interactive debate of so many rounds, after its first round.
fn after_a_round(world: &TestWorld, rounds: u8) -> Conversation<'_> {
    let one = world.conversation("one").in_turn("t1");
    one.start(&format!("Should we? --rounds {rounds} --interactive")).unwrap();
    one.stop("A1.").unwrap();
    assert!(matches!(one.stop("C1.").unwrap(), TurnEnd::Waits { .. }));
    one.in_turn("t2")
}

fn directions(world: &TestWorld) -> Vec<String> {
    let is_direction = EntryKind::Note(NoteKind::Steering);
    let entries = world.entries().into_iter().filter(|entry| entry.what == is_direction);
    entries.map(|entry| entry.text).collect()
}

#[track_caller]
fn steered(typing: Result<Typing, Stopped>) -> (Option<Choice>, String) {
    match typing {
        Ok(Typing::Steered(steered)) => (steered.choice, steered.cue.as_str().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn cue(end: Result<TurnEnd, Stopped>) -> String {
    match end {
        Ok(TurnEnd::GoesOn(cue)) => cue.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

/// The same event once more, at the same time: the plugin is installed twice.
fn once_more<T>(world: &TestWorld, event: impl FnOnce() -> T) -> T {
    world.wait(-10);
    event()
}

fn is_redelivered<T>(result: Result<T, Stopped>) -> bool {
    matches!(result, Err(Stopped::Skipped(Skipped::Redelivered)))
}

#[test]
fn an_interactive_debate_waits_for_a_direction_after_each_round() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 2);
    assert_eq!(world.progress(), ("advocate, round 2".into(), "paused"));
    assert!(world.state().debate.awaits_direction());
    let (choice, cue) = steered(one.type_words("Look at the\ncost of leaving", None));
    assert_eq!(choice, None);
    assert!(cue.encode_utf16().count() < 400, "the conversation has the protocol already: {cue}");
    assert_eq!(directions(&world), ["Look at the\ncost of leaving"]);
    assert_eq!(world.progress(), ("advocate, round 2".into(), "in progress"));
    one.argue(&["A2."]);
    assert!(matches!(one.stop("C2.").unwrap(), TurnEnd::Waits { .. }));
    one.in_turn("t3").resume().unwrap();
    assert_eq!(world.progress().0, "synthesis");
    let end = one.in_turn("t3").stop("recommendation: Yes.").unwrap();
    assert!(matches!(end, TurnEnd::Completed(_)), "{end:?}");
    // The turn that has ended writes no more, though the words name it.
    let world = TestWorld::new();
    steered(after_a_round(&world, 2).in_turn("t1").type_words("The cost", None));
    assert_eq!(directions(&world), ["The cost"]);
}

#[test]
fn the_offered_answers_are_not_directions() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 3);
    assert_eq!(steered(one.type_words(" Go on. ", None)).0, Some(Choice::GoOn));
    assert!(is_redelivered(once_more(&world, || one.type_words(" Go on. ", None))));
    one.stop("A2.").unwrap();
    one.stop("C2.").unwrap();
    let one = one.in_turn("t3");
    assert_eq!(steered(one.type_words("s", None)).0, Some(Choice::Skip));
    assert_eq!(world.progress().0, "synthesis");
    assert!(is_redelivered(once_more(&world, || one.type_words("s", None))));
    one.stop("recommendation: Yes.").unwrap();
    assert_eq!(directions(&world), [""; 0]);
}

#[test]
fn a_letter_begins_a_fresh_conversation_and_is_no_direction() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 2);
    let before = world.state_text();
    assert!(matches!(one.type_words("A", None), Ok(Typing::Fresh)));
    assert_eq!(world.state_text(), before);
    one.end().unwrap_err();
    let two = world.conversation("two");
    let Resumption::GoesOn(resumed) = two.resume().unwrap() else { panic!() };
    let opening = resumed.opening.as_str();
    assert!(opening.contains(&*world.state_path().to_string_lossy()), "{opening}");
    assert!(two.owns());
    two.argue(&["A2."]);
    two.stop("C2.").unwrap();
    assert_eq!(steered(two.type_words("b", None)).0, Some(Choice::GoOn));
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    // A letter may answer a question, and is a direction while Claude writes.
    let world = TestWorld::new();
    let one = after_a_question(&world);
    assert_eq!(steered(one.type_words("A", None)).0, None);
    assert!(matches!(one.type_words("A", None), Ok(Typing::GoesOn)));
    assert_eq!(world.state().debate.steering(), Some("A"));
}

#[test]
fn a_debate_stopped_after_a_round_waits_until_it_is_resumed() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 3);
    assert!(matches!(one.type_words("Stop.", None), Ok(Typing::Stopped(_))));
    assert_eq!(world.progress(), ("advocate, round 2".into(), "paused"));
    let other = one.in_turn("t3").type_words("Look at the cost", None);
    assert!(matches!(other, Ok(Typing::Released(Released::Waits))), "{other:?}");
    assert_eq!(directions(&world), [""; 0]);
    one.in_turn("t4").resume().unwrap();
    assert_eq!(world.progress(), ("advocate, round 2".into(), "in progress"));
}

#[test]
fn the_same_answers_hold_while_claude_writes() {
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we? --rounds 3 --interactive").unwrap();
    let before = world.state_text();
    assert!(matches!(one.type_words("continue", None), Ok(Typing::GoesOn)));
    assert_eq!(world.state_text(), before);
    let stops = one.type_words("stop", None);
    assert!(matches!(stops, Ok(Typing::Interrupts(Interruption::AfterReply))), "{stops:?}");
    assert!(matches!(one.stop("A1.").unwrap(), TurnEnd::Paused(_)));
    assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
    let one = one.in_turn("t2");
    one.resume().unwrap();
    assert!(matches!(one.type_words("skip", None), Ok(Typing::GoesOn)));
    one.argue(&["C1."]);
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
}

#[test]
fn a_debate_that_waits_survives_the_end_of_its_session() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 2);
    one.end().unwrap_err();
    assert!(world.state().debate.awaits_direction());
    assert_eq!(directions(&world), [""; 0]);
    steered(one.type_words("The cost", None));
    assert_eq!(directions(&world), ["The cost"]);
}

#[test]
fn a_direction_delivered_twice_is_one_direction() {
    // Clients before 2.1.200 give turns no ids.
    for turn in [Some("t2"), None] {
        let world = TestWorld::new();
        let one = after_a_round(&world, 2);
        let one = turn.map_or_else(|| world.conversation("one"), |turn| one.in_turn(turn));
        // Another direction waits too.
        steer(&world, &direction("from the shell")).unwrap();
        steered(one.type_words("Cost", None));
        assert!(is_redelivered(once_more(&world, || one.type_words("Cost", None))));
        assert_eq!(directions(&world), ["Cost", "from the shell"]);
        assert_eq!(world.state().debate.steering(), None);
        assert_eq!(world.progress().1, "in progress");
    }
}

#[test]
fn a_skip_delivered_twice_is_one_skip() {
    // While Claude writes: the synthesis is next.
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we? --rounds 2 --interactive").unwrap();
    let typed = once_more(&world, || one.type_words("skip", None));
    assert!(matches!(typed, Ok(Typing::GoesOn)), "{typed:?}");
    assert!(world.state().debate.synthesis_requested());
    assert!(is_redelivered(once_more(&world, || one.type_words("skip", None))));

    // After the last round, when the synthesis is next anyway.
    let world = TestWorld::new();
    let one = after_a_round(&world, 1);
    assert_eq!(steered(one.type_words("skip", None)).0, Some(Choice::Skip));
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    assert!(is_redelivered(once_more(&world, || one.type_words("skip", None))));
}

/// An interactive debate after its first round, which asks how large the team is.
fn after_a_question(world: &TestWorld) -> Conversation<'_> {
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we? --rounds 3 --interactive").unwrap();
    one.stop("A1. Yes.").unwrap();
    one.stop("C1. No.\n\n**Ask:** How large is the team?").unwrap();
    assert!(world.state().debate.awaits_direction());
    one.in_turn("t2")
}

#[test]
fn a_debate_asks_two_questions_and_tells_no_third() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 2");
    let is_told = ["A1. Yes", "C1. No", "A2. Yes"].map(|claim| {
        one.argue(&[&format!("{claim}.\n\n**Ask:** Is it so, {claim}?")]);
        world.notes().iter().any(|note| matches!(note, Note::Asked { .. }))
    });
    assert_eq!(is_told, [true, true, false]);
}

#[test]
fn an_answer_or_a_skipped_question_that_is_delivered_twice_counts_once() {
    for (typed, choice) in [("Eight people.", None), ("skip", Some(Choice::Skip))] {
        let world = TestWorld::new();
        let one = after_a_question(&world);
        assert_eq!(steered(one.type_words(typed, None)).0, choice);
        let before = world.state_text();
        assert!(is_redelivered(once_more(&world, || one.type_words(typed, None))), "{typed}");
        assert_eq!(world.state_text(), before, "{typed}");
        assert_eq!(world.progress(), ("advocate, round 2".into(), "in progress"));
    }
    // After an answer, a skip is something new.
    let world = TestWorld::new();
    let one = after_a_question(&world);
    steered(one.type_words("Eight people.", None));
    let typed = once_more(&world, || one.type_words("skip", None));
    assert!(matches!(typed, Ok(Typing::GoesOn)), "{typed:?}");
    assert!(world.state().debate.synthesis_requested());
}

#[test]
fn words_for_a_debate_that_an_edit_has_completed_change_nothing() {
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we? --rounds 1 --interactive").unwrap();
    one.stop("A1. Yes.").unwrap();
    let edited = format!("{}\n## Synthesis\n\nWe do it.\n", world.state_text());
    fs_err::write(world.state_path(), &edited).unwrap();
    let typed = one.type_words("Mind the budget", None);
    assert!(matches!(typed, Err(Stopped::Skipped(Skipped::NotActive))), "{typed:?}");
    assert_eq!(world.state_text(), edited);
}

#[test]
fn words_typed_while_claude_writes_steer_the_next_phase() {
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we? --rounds 2 --interactive").unwrap();
    // At once: other words than those of the start are no repeat.
    let typed = once_more(&world, || one.type_words("Mind the budget", None));
    assert!(matches!(typed, Ok(Typing::GoesOn)), "{typed:?}");
    assert_eq!(world.state().debate.steering(), Some("Mind the budget"));
    assert!(cue(one.stop("A1.")).ends_with(" Steering: \"Mind the budget\""));
    assert_eq!(world.state().debate.steering(), None);
    let texts: Vec<String> = world.entries().into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts, ["A1.", "Mind the budget"]);
    // The last reply is still the advocate's: the same Stop again adds nothing.
    once_more(&world, || one.stop_once("A1.")).unwrap_err();
    assert_eq!(world.reply_texts(), ["A1."]);
    // The last reply of a round goes on at once with a direction.
    assert!(matches!(one.type_words("And the risk", None), Ok(Typing::GoesOn)));
    assert!(cue(one.stop("C1.")).ends_with(" Steering: \"And the risk\""));
    assert_eq!(world.progress(), ("advocate, round 2".into(), "in progress"));
}

#[test]
fn another_command_or_session_or_an_empty_prompt_does_not_steer() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 2);
    let before = world.state_text();
    let two = world.conversation("two");
    one.type_words("/review the code", None).unwrap_err();
    one.type_words(" \n", None).unwrap_err();
    two.type_words("Look at the cost", None).unwrap_err();
    assert_eq!(world.state_text(), before);
}

#[test]
fn a_compacted_conversation_of_a_debate_that_waits_gets_its_protocol_again() {
    let world = TestWorld::new();
    let one = after_a_round(&world, 2);
    let again = world.run(|context| session::after_compaction(context, &one.session)).unwrap();
    assert!(again.opening.as_str().contains("# Anvil debate protocol"));
}

#[test]
fn a_direction_resumes_a_paused_debate() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    one.argue(&["A1."]);
    one.type_words("Wait a moment", None).unwrap();
    assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
    let words = ResumeAction::Steered("Look at what it costs to leave");
    let Resumption::GoesOn(resumed) = one.resume_with(words, false).unwrap() else { panic!() };
    let end = " Steering: \"Look at what it costs to leave\"";
    assert!(resumed.opening.as_str().ends_with(end), "{:?}", resumed.opening);
    assert_eq!(directions(&world), ["Look at what it costs to leave"]);
    assert_eq!(world.progress(), ("critic, round 1".into(), "in progress"));
    // The same command once more.
    assert!(is_redelivered(once_more(&world, || one.resume_with(words, false))));
}

#[test]
fn a_direction_in_the_turn_that_writes_waits_for_the_next_phase() {
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Should we?").unwrap();
    let noted = one.resume_with(ResumeAction::Steered("Look at the cost"), false).unwrap();
    let Resumption::Noted(debate) = noted else { panic!("{noted:?}") };
    assert_eq!(debate.steering(), Some("Look at the cost"));
    assert!(cue(one.stop("A1.")).ends_with(" Steering: \"Look at the cost\""));
}

#[test]
fn a_direction_right_after_the_start_is_not_a_repeated_start() {
    let world = TestWorld::new();
    let one = world.debating("Should we?");
    world.wait(-9);
    let words = ResumeAction::Steered("Look at the cost");
    assert!(matches!(one.resume_with(words, false).unwrap(), Resumption::GoesOn(_)));
    assert!(is_redelivered(once_more(&world, || one.resume_with(words, false))));
}

#[test]
fn a_direction_from_a_shell_reaches_the_next_phase_once() {
    let world = TestWorld::new();
    let one = world.debating("Should we?");
    steer(&world, &direction("Look at Bob's $(cost)")).unwrap();
    let debate = steer(&world, &direction("And the risk")).unwrap();
    assert_eq!(debate.steering(), Some("Look at Bob's $(cost)\n\nAnd the risk"));
    let given = cue(one.stop("A1."));
    assert!(given.ends_with("Steering: \"Look at Bob's $(cost) And the risk\""), "{given}");
    assert_eq!(directions(&world), ["Look at Bob's $(cost)\n\nAnd the risk"]);
    assert!(!cue(one.stop("C1.")).contains("Steering"), "given once");
}

#[test]
fn the_directions_that_wait_are_so_long_in_all() {
    for (lengths, is_taken) in [
        (&[MAX_STEERING_CHARS][..], true),
        (&[MAX_STEERING_CHARS + 1], false),
        (&[3_000, MAX_STEERING_CHARS - 3_002], true),
        (&[3_000, MAX_STEERING_CHARS], false),
    ] {
        let world = TestWorld::new();
        world.debating("Should we?");
        let (last, before) = lengths.split_last().unwrap();
        let steer = |length: &usize| steer(&world, &direction(&"é".repeat(*length)));
        assert!(before.iter().all(|length| steer(length).is_ok()));
        let refused = steer(last).map_err(failure).err();
        assert_eq!(refused.as_deref(), (!is_taken).then_some("LongDirection"), "{lengths:?}");
    }
}

#[test]
fn the_synthesis_can_come_at_once_with_a_direction_too() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    // No reply is saved yet.
    let stopped = one.resume_with(ResumeAction::ToSynthesis(None), false).unwrap_err();
    assert_eq!(failure(stopped), "NoReply");
    one.argue(&["A1.", "C1.", "A2."]);
    one.type_words("Enough", None).unwrap();
    let action = ResumeAction::ToSynthesis(Some("Name the risk"));
    let Resumption::GoesOn(resumed) = one.resume_with(action, false).unwrap() else { panic!() };
    assert!(resumed.opening.as_str().ends_with(" Steering: \"Name the risk\""));
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    assert!(is_redelivered(once_more(&world, || one.resume_with(action, false))));
    let look = world.run(|context| session::look(context, None)).unwrap();
    assert_eq!(look.skipped, ["critic, round 2", "round 3"]);
}

#[test]
fn the_synthesis_from_a_shell_waits_for_the_current_reply() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    steer(&world, &to_synthesis()).unwrap();
    assert!(steer(&world, &direction("The cost")).unwrap().synthesis_requested());
    one.argue(&["A1."]);
    assert_eq!(world.progress(), ("synthesis".into(), "in progress"));
    for steering in [direction("x"), to_synthesis()] {
        assert_eq!(failure(steer(&world, &steering).unwrap_err()), "NoPhaseFollows");
    }
    assert_eq!(failure(steer(&world, &rounds(5)).unwrap_err()), "NoRoundFollows");
}

#[test]
fn the_last_request_wins() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    steer(&world, &to_synthesis()).unwrap();
    steer(&world, &rounds(4)).unwrap();
    one.argue(&["A1."]);
    assert_eq!(world.progress().0, "critic, round 1");
    // The reply before the synthesis never came: Esc.
    steer(&world, &to_synthesis()).unwrap();
    one.resume().unwrap();
    assert_eq!(world.progress().0, "synthesis");
}

#[test]
fn the_number_of_rounds_can_change_during_a_debate() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    one.argue(&["A1.", "C1."]);
    one.type_words("Wait", None).unwrap();
    for session in [Some(&one.session), None] {
        for (count, next) in [(1, "synthesis"), (2, "advocate, round 2")] {
            let changed =
                world.run(|context| session::direct(context, session, &rounds(count), false));
            assert_eq!(changed.unwrap().place().to_string(), next);
        }
    }
    // A reply in progress keeps its place, and its round is argued to its end.
    one.resume().unwrap();
    assert_eq!(steer(&world, &rounds(1)).unwrap().place().to_string(), "advocate, round 2");
    one.argue(&["A2.", "C2."]);
    assert_eq!(world.progress().0, "synthesis");
    let world = TestWorld::new();
    world.debating("Should we? --mode stakeholders");
    assert_eq!(failure(steer(&world, &rounds(5)).unwrap_err()), "NoRounds");
    // Only in another turn is its owner known to write no more.
    for (turn, place, status) in
        [("t1", "advocate, round 2", "in progress"), ("t2", "synthesis", "paused")]
    {
        let world = TestWorld::new();
        let one = world.conversation("one").in_turn("t1");
        one.start("Should we? --rounds 3").unwrap();
        one.argue(&["A1.", "C1."]);
        let owner = one.in_turn(turn).session;
        world.run(|context| session::direct(context, Some(&owner), &rounds(1), false)).unwrap();
        assert_eq!(world.progress(), (place.to_owned(), status));
    }
}

#[test]
fn another_session_changes_only_the_number_of_rounds() {
    let world = TestWorld::new();
    let one = world.debating("Should we? --rounds 3");
    one.argue(&["A1.", "C1."]);
    let two = world.conversation("two");
    world.run(|context| session::direct(context, Some(&two.session), &rounds(1), false)).unwrap();
    assert!(one.owns());
    one.argue(&["A2."]);
    assert_eq!(world.progress().0, "critic, round 2");
}

/// A finished debate of one round.
fn completed(world: &TestWorld) -> Conversation<'_> {
    let one = world.debating("Should we? --rounds 1");
    one.argue(&["A1.", "C1."]);
    assert!(matches!(one.stop("recommendation: Yes.").unwrap(), TurnEnd::Completed(_)));
    one
}

#[test]
fn another_cycle_reopens_a_debate_and_keeps_the_first_one() {
    let world = TestWorld::new();
    let one = completed(&world);
    let again = one.again("The vendor doubled its price.\nOnly for the EU?").unwrap();
    let opening = again.opening.as_str();
    assert!(opening.contains("> The vendor doubled its price.\n> Only for the EU?"), "{opening}");
    assert_eq!(world.progress(), ("advocate, round 1".into(), "in progress"));
    assert!(is_redelivered(once_more(&world, || one.again("The vendor doubled its price."))));
    // Only the first opening needs a number.
    one.stop_once("**Rebuts C1:** so.").unwrap();
    assert_eq!(world.reply_texts().last().unwrap(), "**Rebuts C1:** so.");
    // A conversation that knows nothing of it reads the first cycle too.
    let reread = world.run(|context| session::after_compaction(context, &one.session)).unwrap();
    let line = reread.opening.as_str().split("from line ").nth(1).unwrap();
    let line: usize = line.split(' ').next().unwrap().parse().unwrap();
    let first = world.state_text().lines().position(|line| line == "## Round 1").unwrap();
    assert_eq!(line, first + 1);
    one.argue(&["C2."]);
    let TurnEnd::Completed(_) = one.stop("recommendation: No longer.").unwrap() else { panic!() };
    let entries = world.entries().into_iter().filter(|entry| entry.place().is_some());
    assert_eq!(entries.map(|entry| entry.cycle).collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2]);
    // Undone back to the first cycle, it is open there again.
    one.undo(4).unwrap();
    assert_eq!((world.state().debate.cycle(), world.progress().0), (1, "synthesis".into()));
}

#[test]
fn again_needs_a_completed_debate_and_waits_from_a_shell() {
    let world = TestWorld::new();
    let one = world.debating("Should we?");
    assert_eq!(failure(once_more(&world, || one.again("")).unwrap_err()), "NotComplete");
    let world = TestWorld::new();
    let one = completed(&world);
    let reopened = world.run(|context| session::again(context, None, "", false)).unwrap();
    assert_eq!((reopened.debate.cycle(), reopened.debate.is_active()), (2, false));
    one.resume().unwrap();
    assert_eq!(world.progress(), ("advocate, round 1".into(), "in progress"));
}

#[test]
fn a_prompt_after_esc_pauses_an_interactive_debate() {
    for words in ["What time is it?", "continue"] {
        let world = TestWorld::new();
        let one = world.conversation("one").in_turn("t1");
        one.start("Should we? --interactive").unwrap();
        one.argue(&["A1."]);
        let typed = one.in_turn("t2").type_words(words, None);
        assert!(matches!(typed, Ok(Typing::Interrupts(Interruption::Paused(_)))), "{typed:?}");
        assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
        assert_eq!(directions(&world), [""; 0]);
    }
}

#[test]
fn a_fact_an_answer_or_a_direction_delivered_twice_is_saved_once() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    one.argue(&["A1. So.\n\n**Ask:** How large is the team?", "C1. No.\n\n**Ask:** Until when?"]);
    let session = Some(&one.session);
    let note = |text: &str| {
        once_more(&world, || {
            let author = Author::person();
            world.run(|context| session::note_fact(context, session, text, author, false)).unwrap();
        });
    };
    for text in ["It is 5.", "It is 5.", "It is 6."] {
        note(text);
    }
    let texts: Vec<String> = world
        .entries()
        .into_iter()
        .filter(|entry| entry.what == EntryKind::Note(NoteKind::Noted))
        .map(|entry| entry.text)
        .collect();
    assert_eq!(texts, ["It is 5.", "It is 6."]);

    let answer = |text: &str| {
        once_more(&world, || world.run(|context| session::answer(context, session, text, false)))
    };
    assert_eq!(failure(answer(&"x".repeat(602)).unwrap_err()), "LongAnswer");
    let asked = ["Eight.", "Eight.", "May."].map(|text| answer(text).unwrap());
    assert_eq!(asked, ["How large is the team?", "How large is the team?", "Until when?"]);

    for _ in 0..2 {
        assert_eq!(steer(&world, &direction("Cost.")).unwrap().steering(), Some("Cost."));
    }
}

#[test]
fn facts_are_few_for_each_author_and_in_all() {
    let world = TestWorld::new();
    world.debating("Why?");
    let note = |author: &str, text: &str| {
        let author = Author::new(author, None, None);
        let noted = world.run(|context| session::note_fact(context, None, text, author, false));
        noted.map_err(failure)
    };
    assert_eq!(note("0", &"x".repeat(601)), Err("LongNote".to_owned()));
    let longest = "x".repeat(600);
    for author in 0..10 {
        for fact in ["one", "two", &longest] {
            assert_eq!(note(&author.to_string(), fact), Ok(()), "{author} {fact}");
        }
        assert_eq!(note(&author.to_string(), "four"), Err("ManyNotes".to_owned()), "{author}");
    }
    assert_eq!(note("another one", "one"), Err("ManyNotes".to_owned()));
}
