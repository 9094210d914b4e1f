//! Replies that are independent: voices, and the judges of a synthesis.

use std::collections::BTreeSet;

use anvil_core::transcript::{self, NoteKind};
use anvil_engine::history;
use anvil_store::Attempt;

use super::{OPEN, PAUSED, REPLIES, Room, takes_over};

/// A project in which each voice speaks under its own name.
fn voices(count: usize) -> Room {
    let room = Room::new();
    let claims: Vec<String> = (1..=count).map(|voice| format!("S{voice}.1")).collect();
    let lines = "recommendation: Wait.\nconfidence: 60";
    let synthesis = testkit::host::synthesis(lines, &claims, None);
    room.does("voice", move |prompt| {
        let of_voice = prompt.rsplit_once("── Voice ").map(|(_, after)| {
            let number = after.split(' ').next().unwrap();
            format!("**S{number}.1. Voice {number} says so.** [reasoning] It does.")
        });
        (0, of_voice.unwrap_or_else(|| synthesis.clone()))
    });
    room
}

fn argues(room: &Room, count: usize, more: &[&str]) -> u8 {
    let groups: Vec<String> = (1..=count).map(|voice| format!("group {voice}")).collect();
    let (groups, agent) = (groups.join(","), Room::agent("voice"));
    let words = ["Why?", "--stakeholders", &groups, "--agent", &agent];
    room.run_seats(&[], &[&words, more].concat()).unwrap()
}

/// The places that were asked, each once.
fn slots(room: &Room) -> BTreeSet<String> {
    let all: Vec<String> =
        room.attempts().iter().map(|attempt| attempt.started.slot.to_string()).collect();
    let once: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(once.len(), all.len(), "{all:?}");
    once
}

#[test]
fn voices_side_by_side_see_no_other_and_are_saved_in_order() {
    for (jobs, sees) in [("3", false), ("1", true)] {
        let room = voices(6);
        assert_eq!(argues(&room, 6, &["--jobs", jobs]), OPEN, "{jobs}");
        let texts = room.world.reply_texts();
        assert_eq!(texts.len(), 7, "{texts:?}");
        for (number, text) in (1..=6).zip(&texts) {
            let said = format!("**S{number}.1. Voice {number} says so.** [reasoning] It does.");
            assert_eq!(*text, said, "{jobs}");
        }
        assert_eq!(slots(&room).len(), 7);
        let asked = room.agents().asked.clone();
        let second = asked.iter().find(|(_, prompt)| prompt.contains("── Voice 2 ")).unwrap();
        assert_eq!(second.1.contains("voices before"), sees, "{jobs}");
        assert_eq!(second.1.contains("Voice 1 says so"), sees, "{jobs}");
    }
}

#[test]
fn an_interactive_debate_stops_after_each_voice() {
    let room = voices(3);
    assert_eq!(argues(&room, 3, &["--interactive"]), PAUSED);
    assert_eq!(room.was_asked("voice"), 1);
    assert_eq!((room.resume(&[]).unwrap(), room.was_asked("voice")), (PAUSED, 2));
}

/// The texts of the notes of this kind.
fn notes(room: &Room, kind: NoteKind) -> Vec<String> {
    let entries = transcript::parse(&room.world.state().body);
    let notes = entries.notes().filter(|(found, _)| *found == kind);
    notes.map(|(_, note)| note.text.clone()).collect()
}

fn judgments(room: &Room) -> usize {
    notes(room, NoteKind::Judgment).len()
}

/// One after the other.
const THREE: [&str; 7] = ["Why?", "--rounds", "1", "--judges", "3", "--jobs", "1"];

/// A judgment that differs from all others.
fn judgment(word: &str) -> String {
    let lines = format!(
        "recommendation: {word} recommends.\nverdict: do\nrests on: C1\nconfidence: 60\n\
         A1 weakened: {word} says so\nC1 survived: {word} too"
    );
    testkit::host::synthesis(&lines, &["A1".to_owned(), "C1".to_owned()], None)
}

#[test]
fn only_a_judge_who_omits_claims_is_asked_for_its_block_once_more() {
    let room = Room::new();
    let [one, two, three] = ["one", "two", "three"].map(judgment);
    let lacks = two.replace("C1 survived: two too\n", "");
    room.says("synthesizer", &[&one, &lacks, &two, &three]);
    assert_eq!(room.run(&THREE).unwrap(), OPEN);
    let asked = room.attempts();
    let slots: Vec<String> =
        asked[2..].iter().map(|attempt| attempt.started.slot.to_string()).collect();
    assert_eq!(slots, ["judge 1", "judge 2", "judge 2", "judge 3"]);
    let filed = notes(&room, NoteKind::Judgment);
    assert_eq!(filed[1..], [lacks.trim_end(), three.trim_end()]);
    let blocks = notes(&room, NoteKind::VerdictBlock);
    assert!(blocks.len() == 1 && blocks[0].contains("C1 survived: two too"), "{blocks:?}");
    assert!(room.prompt("synthesizer", 3).contains("C1 is missing"));
    assert!(room.world.reply_texts()[2].contains("\nC1 survived: one too\n"));
}

#[test]
fn a_judge_without_its_block_costs_the_others_nothing() {
    let room = Room::new();
    let whole = judgment("one");
    let lacks = whole.replace("C1 survived: one too\n", "");
    room.does("synthesizer", move |prompt| {
        let is_again = prompt.contains("C1 is missing");
        (0, if is_again { whole.clone() } else { lacks.clone() })
    });
    let words = ["Why?", "--rounds", "1", "--judges", "3", "--jobs", "3"];
    assert_eq!(room.run(&words).unwrap(), OPEN);
    let attempts = room.attempts();
    let mut slots: Vec<String> =
        attempts[2..].iter().map(|attempt| attempt.started.slot.to_string()).collect();
    slots.sort();
    assert_eq!(slots, ["judge 1", "judge 1", "judge 2", "judge 2", "judge 3", "judge 3"]);
    let is_first = |attempt: &Attempt| attempt.started.recovery.is_empty();
    assert!(attempts.iter().all(is_first), "each is the first for its reply");
}

/// Judges of whom only the first one is logged in.
fn one_judge() -> Room {
    let room = Room::new();
    let mut judges = 0;
    room.does("synthesizer", move |_| {
        judges += 1;
        if judges == 1 { (0, judgment("one")) } else { (77, String::new()) }
    });
    assert_eq!(room.run(&THREE).unwrap(), PAUSED);
    room
}

#[test]
fn a_conversation_that_continues_keeps_earlier_judgments() {
    let room = one_judge();
    let one = room.world.conversation("one");
    takes_over(&one);
    one.stop(REPLIES[2].1).unwrap();
    assert_eq!((room.world.progress().1, judgments(&room)), ("completed", 1));
    assert_eq!(room.world.reply_texts()[2], REPLIES[2].1.trim_end());

    // The other direction: the next judge is the second one.
    let room = one_judge();
    let one = room.world.conversation("one");
    takes_over(&one);
    one.end().unwrap();
    room.says("synthesizer", &[&judgment("two"), &judgment("three")]);
    assert_eq!(room.resume(&[]).unwrap(), OPEN);
    let all = ["one", "two", "three"].map(|word| judgment(word).trim_end().to_owned());
    let mut filed = notes(&room, NoteKind::Judgment);
    filed.sort_by_key(|text| all.iter().position(|judgment| judgment == text));
    assert_eq!(filed, all);
}

#[test]
fn undo_and_redo_move_a_synthesis_with_its_judgments() {
    let room = Room::new();
    assert_eq!(room.run(&THREE).unwrap(), OPEN);
    let counts = || (room.world.reply_texts().len(), judgments(&room));
    let whole = room.world.state().body;
    assert_eq!(counts(), (3, 3));
    room.world.run(|context| history::undo(context, None, 1, false)).unwrap();
    assert_eq!(counts(), (2, 0));
    room.world.run(|context| history::redo(context, None, false)).unwrap();
    assert_eq!(room.world.state().body, whole);

    // Judgments that wait for others are undone together, too.
    let room = Room::new();
    let mut judges = 0;
    room.does("synthesizer", move |_| {
        judges += 1;
        if judges == 3 { (77, String::new()) } else { (0, REPLIES[2].1.to_owned()) }
    });
    assert_eq!(room.run(&THREE).unwrap(), PAUSED);
    let counts = || (room.world.reply_texts().len(), judgments(&room));
    let waiting = room.world.state().body;
    assert_eq!(counts(), (2, 2));
    room.world.run(|context| history::undo(context, None, 1, false)).unwrap();
    assert_eq!(counts(), (2, 0));
    room.world.run(|context| history::redo(context, None, false)).unwrap();
    assert_eq!(room.world.state().body, waiting);
}
