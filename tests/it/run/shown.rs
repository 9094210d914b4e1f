//! The prompts of programs, from the files on disk: every word is planted once, and only its own
//! seat may see it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::{HELD, REPLIES, Room, SEATS, WELL};

/// Every planted word begins with this.
const PLANTED: &str = "CANARY-";

/// The names of the agents, which no seat learns.
const AGENTS: [&str; 3] = ["zebra", "yak", "emu"];

/// The planted words in a text.
fn planted(text: &str) -> BTreeSet<&str> {
    let words = text.split(PLANTED).skip(1);
    words.map(|rest| rest.split(|char: char| !char.is_ascii_lowercase()).next().unwrap()).collect()
}

#[test]
fn no_seat_sees_another_seats_prompt_or_agent() {
    for blind in [false, true] {
        let room = Room::new();
        let personas = room.host.path(".claude/anvil/personas");
        fs_err::create_dir_all(&personas).unwrap();
        for name in ["miser", "poet"] {
            let text = format!("---\ndescription: a {name}\n---\nCANARY-{name} counts.\n");
            fs_err::write(personas.join(format!("{name}.md")), text).unwrap();
        }
        fs_err::write(
            room.host.path("notes.md"),
            "CANARY-notes: ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\n",
        )
        .unwrap();
        let mut defaults = "---\n".to_owned();
        for ((seat, agent), reply) in SEATS.iter().zip(AGENTS).zip(REPLIES) {
            fs_err::write(room.file(&format!("{seat}.md")), format!("{reply}\nCANARY-{seat}\n"))
                .unwrap();
            write!(defaults, "{seat}: {agent}\nagent.{agent}: \"{}\"\n", room.agent(seat)).unwrap();
        }
        fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
        fs_err::write(
            room.host.home().join(".claude/anvil.local.md"),
            defaults + "---\nCANARY-house.\n",
        )
        .unwrap();
        let words = [
            "run",
            "Why?",
            "--rounds",
            "1",
            "--persona",
            "miser",
            "--persona",
            "poet",
            "--context",
            "notes.md",
        ];
        let ran = room.host.run(&[&words[..], if blind { &["--blind"] } else { &[] }].concat());
        assert_eq!(ran.code, 0, "{ran:?}");

        let record = room.record();
        let attempts = record["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 3, "{record}");
        let id = record["id"].as_str().unwrap();
        for attempt in attempts {
            let started = &attempt["started"];
            let path = format!("attempts/{}/prompt.md", started["attempt"]);
            let prompt = fs_err::read_to_string(room.host.debate_folder(id).join(path)).unwrap();
            let seat = started["seat"].as_str().unwrap();
            let expected: &[&str] = match (seat, blind) {
                ("advocate", _) => &["house", "miser", "notes"],
                ("critic", true) => &["house", "notes", "poet"],
                ("critic", false) => &["advocate", "house", "notes", "poet"],
                _ => &["advocate", "critic", "house", "notes"],
            };
            let shown =
                room.host.run(&["attempts", "--show", &started["attempt"].to_string(), "--json"]);
            let shown: Value = shown.json();
            assert_eq!(shown["prompt"], prompt, "byte for byte");
            assert_eq!(
                planted(&prompt),
                expected.iter().copied().collect(),
                "{seat}, blind: {blind}\n{prompt}"
            );
            assert!(!AGENTS.iter().any(|agent| prompt.contains(agent)), "{prompt}");
            assert!(
                prompt.contains("[masked: GitHub token]") && !prompt.contains("ghp_"),
                "{prompt}"
            );
            let project = room.host.root().to_string_lossy().into_owned();
            assert!(!prompt.contains(&project) && !prompt.contains(id), "{prompt}");
            assert!(!prompt.contains("\n\n\n") && !prompt.contains(".\n## "), "{prompt}");
            // Every user of the machine can read the arguments.
            assert_eq!(planted(&started["command"].to_string()), BTreeSet::new());
        }
    }
}

#[test]
fn an_attempt_is_shown_with_its_prompt_and_reply() {
    let room = Room::new();
    room.does("critic", "take_in; pay; echo half a reply; echo out of ink >&2; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    room.host.run(&["steer", "Look at CANARY-cost."]);
    room.does("critic", super::WELL);
    assert_eq!(room.resume(&[]).code, 0);
    let listed = room.host.run(&["attempts"]).stdout;
    for line in
        ["  1  advocate, round 1", "  2  critic, round 1", "  3  critic, round 1", "  4  synthesis"]
    {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    assert!(listed.ends_with(
        "\n  `anvil attempts --show N` prints the prompt and the answer of attempt N.\n"
    ));
    let shown = |words: &[&str]| room.host.run(&[&["attempts", "--show"], words].concat());
    let failed = shown(&["2"]).stdout;
    assert!(failed.starts_with("── Prompt of attempt 2 · critic, round 1 · "), "{failed}");
    assert!(
        !failed.contains("CANARY-cost") && failed.ends_with("──\n\nhalf a reply\n\nout of ink\n"),
        "{failed}"
    );
    let well = shown(&["3"]).stdout;
    assert!(well.contains("CANARY-cost") && well.contains("── Answer · "), "{well}");
    assert!(well.ends_with(&format!("──\n\n{}\n", REPLIES[1].trim_end())), "{well}");
    // For an earlier debate, also by its number.
    assert_eq!(shown(&["3", "1"]).stdout, well);
    let none = shown(&["5"]);
    assert!(none.code == 3 && none.stderr.contains("there is no attempt 5"), "{none:?}");
    let id = room.host.state().debate.id;
    fs_err::remove_dir_all(room.host.debate_folder(&id).join("attempts")).unwrap();
    let gone = shown(&["4"]);
    assert!(gone.code == 1 && gone.stderr.contains("the prompt of attempt 4 is gone"), "{gone:?}");
}

#[test]
fn a_shell_continues_a_stopped_run_first_by_a_run() {
    let room = Room::new();
    room.does("critic", "take_in; exit 77\n");
    let ran = room.run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (5, ""), "{ran:?}");
    let both = "`anvil run --resume` or /anvil:resume in Claude Code continues";
    assert!(room.host.run(&["status"]).stdout.contains(both));
    let refused = room.host.run(&["start", "Another?"]);
    assert!(refused.stderr.contains("hint: `anvil run --resume` continues it"), "{refused:?}");
    let said = room.host.prompt("any", "/anvil:status");
    assert!(said.reason().contains("/anvil:resume continues"), "{said:?}");
    assert!(!said.reason().contains("run --resume"), "{said:?}");
}

#[test]
fn a_run_shows_the_question_and_every_later_prompt_has_the_answer() {
    let room = Room::new();
    room.does("advocate", "take_in; pay; say; echo; echo '**Ask:** How large is the team?'\n");
    room.does("critic", "take_in; exit 77\n");
    let ran = room.run(&[]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let line =
        "Anvil: the advocate asks you: How large is the team? `anvil steer --answer TEXT` answers";
    assert!(ran.stderr.contains(line), "{ran:?}");
    assert_eq!(room.host.run(&["steer", "--answer", "Eight people"]).code, 0);
    room.does("critic", WELL);
    assert_eq!(room.resume(&["--critic", &room.agent("critic")]).code, 0);
    for slot in ["critic, round 1", "synthesis"] {
        let prompt = room.prompt(slot);
        assert!(
            prompt.contains(
                "### User Answer\n\n> **Ask:** How large is the team?\n>\n> Eight people"
            ),
            "{prompt}"
        );
    }
}

#[test]
fn a_shell_answers_and_notes_while_the_run_argues() {
    let room = Room::new();
    room.does("advocate", "take_in; pay; say; echo; echo '**Ask:** How large is the team?'\n");
    room.does("critic", HELD);
    let run = room.spawn(&room.begins(&[]));
    room.reaches("critic");
    let owner = room.host.head("session_id");
    let answered = room.host.run(&["steer", "--answer", "Eight people"]);
    let noted = room.host.run(&["steer", "--note", "ops.md:3 keeps 7 days"]);
    assert_eq!((answered.code, noted.code), (0, 0), "{answered:?} {noted:?}");
    assert_eq!(room.host.head("session_id"), owner);
    room.releases_reply();
    let (code, printed) = run.ends();
    assert_eq!(code, Some(0), "{printed}");
    let prompt = room.prompt("synthesis");
    assert!(prompt.contains("Eight people") && prompt.contains("7 days"), "{prompt}");
}
