//! What a program is shown, by the prompts that lie on the disk: every word is planted once, and stands where its seat may see it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{REPLIES, Room, SEATS};

/// What every planted word begins with.
const PLANTED: &str = "CANARY-";

/// The names of the agents, which no seat is told.
const AGENTS: [&str; 3] = ["zebra", "yak", "emu"];

/// The planted words in a text.
fn planted(text: &str) -> BTreeSet<&str> {
    let words = text.split(PLANTED).skip(1);
    words.map(|rest| rest.split(|char: char| !char.is_ascii_lowercase()).next().unwrap()).collect()
}

#[test]
fn no_seat_is_shown_what_is_for_another_one_or_who_fills_it() {
    for blind in [false, true] {
        let room = Room::new();
        let personas = room.host.path(".claude/anvil/personas");
        fs_err::create_dir_all(&personas).unwrap();
        for name in ["miser", "poet"] {
            let text = format!("---\ndescription: a {name}\n---\nCANARY-{name} counts.\n");
            fs_err::write(personas.join(format!("{name}.md")), text).unwrap();
        }
        fs_err::write(room.host.path("notes.md"), "CANARY-notes: ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\n").unwrap();
        let mut defaults = "---\n".to_owned();
        for ((seat, agent), reply) in SEATS.iter().zip(AGENTS).zip(REPLIES) {
            fs_err::write(room.file(&format!("{seat}.md")), format!("{reply}\nCANARY-{seat}\n")).unwrap();
            write!(defaults, "{seat}: {agent}\nagent.{agent}: \"{}\"\n", room.agent(seat)).unwrap();
        }
        fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
        fs_err::write(room.host.home().join(".claude/anvil.local.md"), defaults + "---\nCANARY-house.\n").unwrap();
        let words =
            ["run", "Why?", "--rounds", "1", "--persona", "miser", "--persona", "poet", "--context", "notes.md"];
        let ran = room.host.run(&[&words[..], if blind { &["--blind"] } else { &[] }].concat());
        assert_eq!(ran.code, 0, "{ran:?}");

        let record = room.record();
        let attempts = record["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 3, "{record}");
        let id = record["id"].as_str().unwrap();
        for attempt in attempts {
            let started = &attempt["started"];
            let path = format!(".claude/anvil.local/checkpoints/{id}/attempts/{}/prompt.md", started["attempt"]);
            let prompt = fs_err::read_to_string(room.host.path(&path)).unwrap();
            let seat = started["seat"].as_str().unwrap();
            let expected: &[&str] = match (seat, blind) {
                ("advocate", _) => &["house", "miser", "notes"],
                ("critic", true) => &["house", "notes", "poet"],
                ("critic", false) => &["advocate", "house", "notes", "poet"],
                _ => &["advocate", "critic", "house", "notes"],
            };
            let told = room.host.run(&["brief", started["slot"].as_str().unwrap()]);
            assert_eq!((told.code, told.out.as_str()), (0, prompt.as_str()), "byte for byte");
            assert_eq!(planted(&prompt), expected.iter().copied().collect(), "{seat}, blind: {blind}\n{prompt}");
            assert!(!AGENTS.iter().any(|agent| prompt.contains(agent)), "{prompt}");
            assert!(prompt.contains("[masked: GitHub token]") && !prompt.contains("ghp_"), "{prompt}");
            let project = room.host.root().to_string_lossy().into_owned();
            assert!(!prompt.contains(&project) && !prompt.contains(id), "{prompt}");
            assert!(!prompt.contains("\n\n\n") && !prompt.contains(".\n## "), "{prompt}");
            // Every user of the machine can read the arguments.
            assert_eq!(planted(&started["command"].to_string()), BTreeSet::new());
        }
    }
}

#[test]
fn a_brief_is_of_the_newest_attempt_and_says_where_there_is_none() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let first = room.host.run(&["brief", "critic"]).out;
    room.host.run(&["steer", "Look at CANARY-cost."]);
    room.does("critic", super::WELL);
    assert_eq!(room.resume(&[]).code, 0);
    let second = room.host.run(&["brief", "critic", "1"]).out;
    assert!(second.contains("CANARY-cost") && !first.contains("CANARY-cost"), "{second}");
    let listed = room.host.run(&["brief"]).out;
    for line in ["advocate, round 1  attempt 1", "critic, round 1    attempt 3", "synthesis          attempt 4"] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    // Of an earlier debate, by its number too.
    assert_eq!(room.host.run(&["brief", "critic", "1", "1"]).out, second);
    for (words, why) in [
        (&["brief", "critic", "2"][..], "no program was asked for critic, round 2"),
        (&["brief", "judge", "1"], "no program was asked for judge 1"),
    ] {
        let none = room.host.run(words);
        assert!(none.code == 3 && none.err.contains(why), "{none:?}");
    }
    assert_eq!(room.host.run(&["brief", "critic", "1", "2", "3"]).code, 2);
    let id = room.host.state().debate.id;
    let kept = room.host.path(&format!(".claude/anvil.local/checkpoints/{id}/attempts"));
    fs_err::remove_dir_all(kept).unwrap();
    let gone = room.host.run(&["brief", "synthesis"]);
    assert!(gone.code == 1 && gone.err.contains("the prompt of attempt 4 is gone"), "{gone:?}");

    let room = Room::new();
    room.host.prompt("one", "/anvil:debate Why? --rounds 1");
    room.host.stop("one", REPLIES[0]);
    let none = room.host.run(&["brief", "advocate", "1"]);
    assert!(none.code == 3 && none.err.contains("advocate, round 1 was written in the conversation"), "{none:?}");
    assert!(room.host.run(&["brief"]).out.contains("no program was asked anything"));
}
