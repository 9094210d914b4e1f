//! The end of a turn: a reply is saved in its section, the next one is asked for, and the debate
//! completes, retries, fails or pauses.

use anvil_core::attempt::TurnLine;
use anvil_core::debate::Status;
use anvil_core::ledger::CitedWords;
use anvil_core::place::{Place, Seat};
use anvil_core::reply::{CutTurn, Reply, TurnOutput};
use anvil_core::transcript::count_words;
use anvil_engine::{Interruption, Note, Skipped, Stopped, TurnEnd, programs, session};
use testkit::world::{Conversation, TestWorld};

/// The cue of a turn after which the debate goes on.
#[track_caller]
fn cue(end: Result<TurnEnd, Stopped>) -> String {
    match end {
        Ok(TurnEnd::GoesOn(cue)) => cue.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn end_with(
    one: &Conversation<'_>,
    reply: impl FnOnce(Reply) -> Reply,
) -> Result<TurnEnd, Stopped> {
    one.world.run(|context| {
        let turn = session::stop_turn(context, &one.session)?;
        let given = Reply { phase_began: turn.phase_began(), ..Reply::default() };
        turn.record(Some(reply(given)))
    })
}

/// The turns of conversations on record.
fn turns(world: &TestWorld) -> Vec<TurnLine> {
    world.run(|context| programs::attempts(context, None)).unwrap().1.turns
}

#[test]
fn every_reply_is_word_for_word_in_its_section() {
    for (rounds, count) in [(1, 3), (2, 5), (3, 7)] {
        let world = TestWorld::new();
        let one = world.debating(&format!("Why? --rounds {rounds}"));
        let mut given = Vec::new();
        for number in 1..count {
            let reply = format!("A1.\nC1.\n# Not a heading of {number}\n```\nopen fence {number}");
            cue(one.stop_once(&reply));
            given.push(reply);
        }
        let text = "recommendation: Wait.\n\n# Not a heading of the end\n\n~~~\nfence\n~~~";
        let end = world.synthesis(text);
        assert!(matches!(one.stop_once(&end), Ok(TurnEnd::Completed(_))));
        given.push(end);
        assert_eq!(world.reply_texts(), given);
        let places: Vec<Place> =
            world.entries().iter().filter_map(anvil_core::transcript::Entry::place).collect();
        assert_eq!(places, world.state().debate.places());
        assert_eq!(world.state().debate.status(), Status::Completed);
        assert_eq!(world.state().debate.step(), count + 1);
        let words: Vec<usize> = turns(&world).iter().map(|turn| turn.words).collect();
        assert_eq!(words, given.iter().map(|text| count_words(text)).collect::<Vec<_>>());
    }
}

#[test]
fn each_phase_begins_with_a_short_cue() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 2");
    let cues = [1, 2, 3, 4].map(|number| cue(one.stop(&format!("reply {number}\n\nA1.\nC1."))));
    assert_eq!(
        cues,
        [
            "── Critic · round 1 of 2 ── quote and attack the case just made.",
            "── Advocate · round 2 of 2, the last ── answer every open point; no new claims.",
            "── Critic · round 2 of 2, the last ── test the answers; no new claims.",
            "── Synthesis ── weigh every claim, then decide; end with the block.",
        ]
    );
}

#[test]
fn the_end_mark_leads_to_the_synthesis_and_is_not_kept() {
    for (reply, kept, open) in [
        ("C1. Enough.\n\n<anvil-complete/>\n", &["**A1. First.** x", "C1. Enough."][..], "A1, C1"),
        ("<anvil-complete/>", &["**A1. First.** x"], "A1"),
    ] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 5");
        assert!(cue(one.stop_once("<anvil-complete/>")).contains("once more"), "no argument yet");
        one.argue(&["**A1. First.** x"]);
        let asked = cue(one.stop_once(reply));
        assert!(asked.ends_with(&format!(" Open: {open}.")), "{asked}");
        assert_eq!(world.progress().0, "synthesis");
        assert_eq!(world.reply_texts(), kept);
        assert!(!world.state_text().contains("anvil-complete"));
        // A synthesis of only the mark is none.
        assert!(cue(one.stop_once("<anvil-complete/>")).contains("once more"));
        assert!(matches!(one.stop("recommendation: Yes."), Ok(TurnEnd::Completed(_))));
    }
}

#[test]
fn a_reply_that_names_the_end_mark_is_saved_whole_and_the_argument_goes_on() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    one.argue(&["A1. First.", "C1. This needs judgment, so I don't end with <anvil-complete/>"]);
    assert_eq!(world.progress().0, "advocate, round 2");
}

#[test]
fn an_unusable_reply_is_retried_three_times_then_the_debate_fails() {
    for bad in ["", "A1. First."] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 3");
        one.argue(&["A1. First."]);
        let before = world.state().body;
        for count in 1..=3 {
            assert!(cue(one.stop_once(bad)).starts_with("── Critic · round 1 of 3, once more ──"));
            assert_eq!(world.state().debate.retry_count(), count);
        }
        assert!(matches!(one.stop_once(bad), Ok(TurnEnd::Failed(_))));
        assert_eq!(world.progress(), ("critic, round 1".into(), "failed"));
        assert_eq!(world.state().body, before);
        assert!(matches!(one.stop("C1. Late."), Err(Stopped::Skipped(Skipped::NotActive))));
        let words: Vec<usize> = turns(&world).iter().map(|turn| turn.words).collect();
        assert_eq!(words[1..], [count_words(bad); 4]);
        one.resume().unwrap();
        assert_eq!(world.state().debate.retry_count(), 0);
        one.argue(&["C1. In time."]);
    }
}

#[test]
fn a_missing_beginning_may_hold_the_number_and_is_noted_with_a_saved_reply() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 3");
    for (text, is_saved) in
        [("It is so.", true), ("It is so.", false), ("<anvil-complete/>", false)]
    {
        let texts = vec![text.to_owned()];
        let end = end_with(&one, |reply| Reply { texts, beginning_missing: true, ..reply });
        let is_noted = world.notes().iter().any(|note| matches!(note, Note::BeginningMissing));
        assert_eq!((is_noted, world.reply_texts().len()), (is_saved, 1), "{text}: {end:?}");
    }
    assert_eq!(one.seat(), Seat::Synthesizer);
}

#[test]
fn a_large_reply_is_kept_whole() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    let reply = "A1 is a line with ünïcödé and `code`.\n".repeat(12_000);
    one.argue(&[reply.trim_end()]);
}

#[test]
fn a_reply_to_a_debate_that_an_edit_gave_to_another_session_is_not_put_aside() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    one.argue(&["A1.", "C1."]);
    let mut edited = String::new();
    let end = end_with(&one, |reply| {
        world.edit("session_id: \"one\"", "session_id: \"two\"");
        edited = format!("{}\n## Synthesis\n\nWe do it.\n", world.state_text());
        fs_err::write(world.state_path(), &edited).unwrap();
        Reply { texts: vec!["It is mine.".to_owned()], ..reply }
    });
    assert!(matches!(end, Err(Stopped::Skipped(Skipped::NotOwner))), "{end:?}");
    assert_eq!((world.state_text(), world.aside_files()), (edited, Vec::new()));
}

#[test]
fn a_turn_that_another_one_ended_is_on_record_since_its_request() {
    let world = TestWorld::new();
    let one = world.conversation("one").in_turn("t1");
    one.start("Why?").unwrap();
    let asked = world.state().debate.updated_at();
    assert!(matches!(one.in_turn("t2").stop_once("Of t2."), Ok(TurnEnd::Paused(_))));
    let ended = world.state().debate.updated_at();
    let turns = turns(&world);
    let turns: Vec<_> = turns.iter().map(|turn| (turn.asked, turn.at, turn.duration_ms)).collect();
    assert_eq!(turns, [(asked, ended, None)], "when it was cut off is not known");
}

#[test]
fn an_api_error_that_names_no_turn_counts_unless_it_may_be_of_the_turn_before() {
    for (seconds, is_shown, is_noted) in [(1, false, false), (1, true, true), (60, false, true)] {
        let world = TestWorld::new();
        let one = world.debating("Why?");
        world.wait(seconds - 10);
        let failed = world.run(|context| {
            let turn = session::owned_turn(context, &one.session)?;
            let phase_began = turn.phase_began();
            let ended = is_shown.then_some(phase_began);
            turn.fail_turn(CutTurn { phase_began, ended, ..CutTurn::default() })
        });
        assert_eq!(failed.is_ok(), is_noted, "{seconds} {is_shown}: {failed:?}");
        assert_eq!(turns(&world).len(), usize::from(is_noted), "{seconds} {is_shown}");
    }
}

#[test]
fn of_a_turn_that_was_cut_off_after_a_plan_only_a_synthesis_is_saved() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 1");
    let cut_off = |text: &str| {
        world.run(|context| {
            let turn = session::owned_turn(context, &one.session).unwrap();
            let phase_began = turn.phase_began();
            let reply = Reply { phase_began, texts: vec![text.to_owned()], ..Reply::default() };
            let before_plan = Some(Box::new(reply));
            let cut = CutTurn { phase_began, before_plan, ..CutTurn::default() };
            let has_synthesis = turn.has_synthesis(&cut);
            (has_synthesis, turn.interrupt(Some(TurnOutput::Cut(cut))).unwrap())
        })
    };
    assert!(matches!(cut_off("A1. So."), (false, Interruption::Paused(_))));
    assert_eq!(world.reply_texts(), [""; 0]);
    one.resume().unwrap();
    one.argue(&["A1.", "C1."]);
    let synthesis = world.synthesis("recommendation: Wait.");
    assert!(matches!(cut_off(&synthesis), (true, Interruption::Completed(_))));
}

#[test]
fn a_turn_that_waits_for_its_agents_saves_nothing() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    let waits = world.run(|context| session::stop_turn(context, &one.session)?.record(None));
    assert!(matches!(waits, Err(Stopped::Skipped(Skipped::AgentsRunning))), "{waits:?}");
    assert_eq!(world.reply_texts(), [""; 0]);
    let again = one.in_turn("p2");
    world.run(|context| session::turn_began(context, &again.session)).unwrap();
    assert_eq!(world.progress().1, "in progress");
    again.argue(&["A1. With what the agent found."]);
}

#[test]
fn a_conversation_pauses_at_the_clients_cap_and_can_be_resumed() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 5");
    for number in 1..=8 {
        let asked = cue(one.stop_once(&format!("reply {number}\n\nA1.\nC1.")));
        assert_eq!(asked.contains("Read "), number >= 7, "a tool call resets the cap: {asked}");
    }
    assert!(matches!(one.stop_once("reply 9\n\nA1.\nC1."), Ok(TurnEnd::Paused(_))));
    assert_eq!(world.progress(), ("critic, round 5".into(), "paused"));
    assert_eq!(world.reply_texts().len(), 9);
    let left = || world.run(|context| session::look(context, None)).unwrap().left;
    assert_eq!(left(), None, "nobody writes");
    one.resume().unwrap();
    assert!(left().is_some());
    one.argue(&["reply 10\n\nA1.\nC1."]);
    assert_eq!(one.seat(), Seat::Synthesizer);
}

#[test]
fn a_tool_call_resets_the_clients_cap() {
    let world = TestWorld::new();
    let one = world.debating("Why? --rounds 10");
    for number in 1..=20 {
        let text = format!("reply {number}\n\nA1.\nC1.");
        let end = end_with(&one, |reply| Reply { texts: vec![text], used_tool: true, ..reply });
        assert!(!cue(end).contains("Read "), "{number}");
    }
    assert_eq!(one.seat(), Seat::Synthesizer);
}

#[test]
fn leftovers_of_a_kill_are_swept_and_nothing_else() {
    let world = TestWorld::new();
    let one = world.debating("Why?");
    let left = world.path(".claude/.anvil-tmp-x1y2z3");
    let other = world.path(".claude/.another-tmp");
    for path in [&left, &other] {
        fs_err::write(path, "half a state").unwrap();
    }
    one.argue(&["A1."]);
    assert!(!left.exists() && other.exists());
}

#[test]
fn a_debate_that_is_stopped_in_its_file_saves_the_reply_and_pauses() {
    let active = ("active: true", "active: false");
    let status = ("status: in_progress", "status: paused");
    for edits in [vec![active], vec![status], vec![active, status]] {
        let world = TestWorld::new();
        let one = world.debating("Why? --rounds 2");
        for (from, to) in &edits {
            world.edit(from, to);
        }
        assert!(matches!(one.stop_once("A1. One."), Ok(TurnEnd::Paused(_))), "{edits:?}");
        assert_eq!(world.reply_texts(), ["A1. One."], "{edits:?}");
        assert_eq!(world.progress(), ("critic, round 1".into(), "paused"));
        assert!(matches!(one.stop("More."), Err(Stopped::Skipped(Skipped::NotActive))));
        one.resume().unwrap();
        one.argue(&["**C1. No.** attacks A1: it is not so."]);
    }
}

#[test]
fn a_cited_file_is_looked_for_without_git_too() {
    let world = TestWorld::new();
    fs_err::create_dir(world.path("src")).unwrap();
    fs_err::write(world.path("src/there.rs"), "x\n").unwrap();
    for (path, expected) in [
        ("src/nosuch.rs:1", Some(CitedWords::NoSuchFile)),
        ("src/there.rs:1", None),
        ("../x.rs:1", Some(CitedWords::NotLookedAt)),
        (".env:1", Some(CitedWords::NotLookedAt)),
    ] {
        let one = world.conversation("one");
        one.start("Why? --replace").unwrap();
        one.argue(&[&format!("**A1. One.** x [evidence: {path}]")]);
        let seen = world.ledger().claims[0].citation.clone().unwrap().seen;
        assert_eq!(seen.map(|seen| seen.found), expected, "{path}");
    }
}
