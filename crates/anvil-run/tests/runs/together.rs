//! Replies that are independent: voices, and the judges of a synthesis.

use std::collections::BTreeSet;

use anvil_core::transcript::{self, NoteKind};
use anvil_engine::history;

use super::{OPEN, PAUSED, REPLIES, Room};

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

/// The number of judgments on record.
fn judgments(room: &Room) -> usize {
    let entries = transcript::parse(&room.world.state().body);
    entries.notes().filter(|(kind, _)| *kind == NoteKind::Judgment).count()
}

#[test]
fn undo_and_redo_move_a_synthesis_with_its_judgments() {
    let words = ["Why?", "--rounds", "1", "--judges", "3", "--jobs", "1"];
    let room = Room::new();
    assert_eq!(room.run(&words).unwrap(), OPEN);
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
    assert_eq!(room.run(&words).unwrap(), PAUSED);
    let counts = || (room.world.reply_texts().len(), judgments(&room));
    let waiting = room.world.state().body;
    assert_eq!(counts(), (2, 2));
    room.world.run(|context| history::undo(context, None, 1, false)).unwrap();
    assert_eq!(counts(), (2, 0));
    room.world.run(|context| history::redo(context, None, false)).unwrap();
    assert_eq!(room.world.state().body, waiting);
}
