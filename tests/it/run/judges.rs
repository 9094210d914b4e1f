//! `--judges`: the prompt of each judge, what happens to the judgments, and that none of them is
//! ever paid for twice.

use std::fmt::Write as _;

use anvil_core::place::Seat;
use anvil_core::transcript::{self, EntryKind, NoteKind};

use super::{REPLIES, Room};

/// The agent of the synthesizer's seat, with another text at each turn and an optional action
/// before it.
fn in_turn(before: &str) -> String {
    format!(
        "take_in; pay; n=1; until mkdir turn-$n 2>/dev/null; do n=$((n + 1)); done\n{before}\n\
         while IFS= read -r line; do printf '%s\\n' \"$line\"; done <judge$n.md\n"
    )
}

/// A judgment that differs from all others.
fn judgment(word: &str, call: &str, on_a1: &str, percent: u8) -> String {
    let lines = format!(
        "recommendation: {word} recommends.\nverdict: {call}\nrests on: C1\nconfidence: {percent}\n\
         A1 {on_a1}: {word} says so\nC1 survived: {word} too"
    );
    let text = format!("{lines}\n\n### What to do\n\n1. {word} acts.");
    testkit::host::synthesis(&text, &["A1".to_owned(), "C1".to_owned()], None) + "\n"
}

/// A project with this many judges; two of three would wait.
fn room(before: &str) -> Room {
    let room = Room::new();
    room.does("synthesizer", &in_turn(before));
    let said = [
        ("CANARY-one", "depends", "weakened", 60),
        ("CANARY-two", "do", "fell", 90),
        ("CANARY-three", "depends", "weakened", 80),
    ];
    for (at, (word, call, on_a1, percent)) in said.into_iter().enumerate() {
        fs_err::write(
            room.file(&format!("judge{}.md", at + 1)),
            judgment(word, call, on_a1, percent),
        )
        .unwrap();
    }
    room
}

/// One after the other: the agent's text depends on the turn.
const THREE: [&str; 4] = ["--judges", "3", "--jobs", "1"];

/// The saved judgments.
fn judgments(room: &Room) -> Vec<String> {
    let entries = transcript::parse(&room.host.state().body);
    entries
        .notes()
        .filter(|(kind, _)| *kind == NoteKind::Judgment)
        .map(|(_, note)| note.text.clone())
        .collect()
}

fn is_judged(room: &Room, context: &str) {
    assert_eq!(room.host.head("status"), "completed", "{context}");
    let mut filed = judgments(room);
    filed.sort();
    let said = |judge| fs_err::read_to_string(room.file(&format!("judge{judge}.md"))).unwrap();
    let mut said: Vec<String> = (1..=3).map(|judge| said(judge).trim_end().to_owned()).collect();
    said.sort();
    assert_eq!(filed, said, "{context}");
    let slots: Vec<(String, String)> = room.ends();
    for slot in ["advocate, round 1", "critic, round 1", "judge 1", "judge 2", "judge 3"] {
        let received = slots.iter().filter(|(name, end)| name == slot && end == "received").count();
        assert_eq!(received, 1, "{context}: {slot}: {slots:?}");
    }
    room.is_clean(context);
}

#[test]
fn three_judges_make_one_synthesis_of_the_majority() {
    let room = room("");
    let ran = room.run(&THREE);
    assert_eq!(ran.code, 0, "{ran:?}");
    is_judged(&room, "undisturbed");
    let shown = ran.stderr + &ran.stdout;
    for said in [
        "Anvil: 5 replies",
        "● judge 1 of 3",
        "● judge 3 of 3",
        "CANARY-one recommends.",
        "Depends, 70% sure (judges: 60 to 80%), 2 of 3 judges, on: ",
        "Only 2 of 3 judges share the verdict.",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let synthesis = &room.host.reply_texts()[2];
    for line in [
        "recommendation: CANARY-one recommends.",
        "verdict: depends",
        "judges: 2 of 3",
        "confidence: 70",
        "confidence range: 60 to 80",
        "A1 weakened: 2 of 3 judges: CANARY-one says so",
        "C1 survived: CANARY-one too",
        "- Judge 2 says do, 90%: CANARY-two recommends.",
        "- Judge 2 on A1: fell: CANARY-two says so",
        "1. CANARY-one acts.",
    ] {
        assert!(synthesis.lines().any(|found| found == line), "{line}:\n{synthesis}");
    }
    let status = room.host.run(&["status"]).stdout;
    assert!(status.contains("  1 weakened, 1 unanswered;"), "{status}");

    let id = room.host.state().debate.id;
    let report = |form: &str| {
        fs_err::read_to_string(room.host.debate_folder(&id).join(format!("report.{form}"))).unwrap()
    };
    let markdown = report("md");
    for row in [
        "| Verdict | Depends | Yes | Depends |",
        "| Confidence | 60% | 90% | 80% |",
        "| A1 | weakened | fell | weakened |",
    ] {
        assert!(markdown.contains(row), "{row}: {markdown}");
    }
    assert!(
        markdown.contains("#### Judge 2\n\n> ### What to do\n>\n> 1. CANARY-two acts."),
        "{markdown}"
    );
    let page = report("html");
    assert!(
        page.contains("<details class=\"round\"><summary><h4>Judge 2</h4></summary>"),
        "{page}"
    );
    assert!(page.contains("<td>90%</td>"), "{page}");
    let json: serde_json::Value =
        room.host.run(&["report", "--format", "json", "--output", "-"]).json();
    assert_eq!(
        (&json["verdict"], &json["notes"][1]["kind"]),
        (&"depends".into(), &"judgment".into())
    );
    assert_eq!(json["counts"]["claims"], 2);
}

#[test]
fn judges_work_blind_and_the_order_of_sides_alternates() {
    let room = room("");
    for (seat, reply) in ["advocate", "critic"].into_iter().zip(REPLIES) {
        fs_err::write(room.file(&format!("{seat}.md")), format!("{reply}\nSIDE-{}\n", &seat[..1]))
            .unwrap();
    }
    let personas = room.host.path(".claude/anvil/personas");
    fs_err::create_dir_all(&personas).unwrap();
    for name in ["miser", "poet"] {
        fs_err::write(
            personas.join(format!("{name}.md")),
            format!("---\ndescription: x\n---\nCANARY-{name}.\n"),
        )
        .unwrap();
    }
    let mut defaults = "---\n".to_owned();
    for (seat, agent) in super::SEATS.iter().zip(["zebra", "yak", "emu"]) {
        write!(defaults, "{seat}: {agent}\nagent.{agent}: \"{}\"\n", room.agent(seat)).unwrap();
    }
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    fs_err::write(room.host.home().join(".claude/anvil.local.md"), defaults + "---\n").unwrap();
    for blind in [&[][..], &["--blind"]] {
        let words = [
            "run",
            "Why?",
            "--rounds",
            "1",
            "--persona",
            "miser",
            "--persona",
            "poet",
            "--judges",
            "3",
            "--jobs",
            "1",
            "--replace",
        ];
        for turn in 1..=3 {
            let _ = fs_err::remove_dir(room.file(&format!("turn-{turn}")));
        }
        let ran = room.host.run(&[&words[..], blind].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        for judge in 1..=3 {
            let shown = room.prompt(&format!("judge {judge}"));
            for hidden in ["CANARY", "zebra", "yak", "emu", "miser", "poet"] {
                assert!(!shown.contains(hidden), "judge {judge} is shown {hidden}:\n{shown}");
            }
            for name in ["advocate", "critic"] {
                assert!(
                    !shown.to_lowercase().contains(name),
                    "judge {judge} is shown {name}:\n{shown}"
                );
            }
            let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}: {shown}"));
            let sides = [
                at("### first side, round 1"),
                at("### second side, round 1"),
                at("SIDE-a"),
                at("SIDE-c"),
            ];
            let [first, second, advocate, critic] = sides;
            let order = if judge == 2 {
                [first, critic, second, advocate]
            } else {
                [first, advocate, second, critic]
            };
            assert!(order.is_sorted(), "judge {judge}, {blind:?}: {shown}");
        }
    }
}

#[test]
fn a_run_killed_between_two_judges_asks_no_judge_twice() {
    let held = "if [ $n = 2 ]; then at judge; while [ ! -e go ]; do sleep 0.02; done; fi";
    let room = room(held);
    let run = room.spawn(&room.begins(&THREE));
    room.reaches("judge");
    assert!(room.host.run(&["status"]).stdout.contains("udge 2 of 3"));
    run.signal("KILL");
    run.ends();
    room.releases_reply();
    let resumed = room.resume(&[]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    is_judged(&room, "killed at judge 2");
    assert_eq!(room.ends().len(), 5, "{:?}", room.ends());
}

#[test]
fn a_conversation_ignores_a_default_number_of_judges() {
    let room = Room::new();
    let refused = room.host.prompt("one", "/anvil:debate Why? --judges 3");
    assert!(
        refused.reason().contains("--judges") && refused.reason().contains("Add --isolated"),
        "{refused:?}"
    );
    let refused = room.host.run(&["start", "Why?", "--judges", "2"]);
    assert!(refused.code == 2 && !room.host.state_path().exists(), "{refused:?}");
    fs_err::create_dir_all(room.host.path(".claude")).unwrap();
    fs_err::write(room.host.path(".claude/anvil.local.md"), "---\njudges: 3\n---\n").unwrap();
    room.host.prompt("one", "/anvil:debate Why? --rounds 1");
    assert!(!room.host.state_text().contains("judges:"), "{}", room.host.state_text());
    let dry = room.host.run(&[
        "run",
        "Why?",
        "--agent",
        &room.agent("synthesizer"),
        "--dry-run",
        "--prompts",
    ]);
    assert!(dry.stdout.contains("prompt for judge 1"), "{dry:?}");
}

#[test]
fn an_undo_names_the_judgments_that_it_takes_out_and_the_next_judge() {
    let room = room("[ $n != 3 ] || exit 77");
    assert_eq!(room.run(&THREE).code, 5);
    let undone = room.host.run(&["undo"]).stdout;
    assert!(undone.contains("undone: judgment (") && undone.contains("next      judge 1 of 3"));
    let redone = room.host.run(&["undo", "--redo"]).stdout;
    assert!(redone.contains("next      judge 3 of 3"), "{redone}");
}

#[test]
fn an_edited_file_loses_no_judgment_and_the_next_judge_follows() {
    let room = room("[ $n != 3 ] || exit 77");
    assert_eq!(room.run(&THREE).code, 5);
    let text = room.host.state_text();
    let next = |text: &str| {
        fs_err::write(room.host.state_path(), text).unwrap();
        let status = room.host.run(&["status"]).stdout;
        let line = status
            .lines()
            .find(|line| line.contains("udge "))
            .unwrap_or_else(|| panic!("{status}"));
        let next = line.split_once(" before ").map_or(line, |(_, next)| next).trim();
        next.split([':', ',', '\u{2588}']).next().unwrap().trim().to_lowercase()
    };
    assert_eq!(next(&text), "judge 3 of 3");
    assert_eq!(next(&text.replace("judgments: 2", "judgments: 1")), "judge 3 of 3");
    assert_eq!(next(&text.replace("judgments: 2", "judgments: many")), "judge 3 of 3");
    let at = text.rfind("\n### Judgment").unwrap();
    assert_eq!(next(&text[..at]), "judge 2 of 3");
    assert_eq!(next(&text.replace("judges: 3", "judges: 5")), "judge 3 of 5");
    fs_err::write(room.host.state_path(), &text).unwrap();
    room.host.run(&["steer", "The cost."]);
    let kinds: Vec<EntryKind> =
        transcript::parse(&room.host.state().body).0.into_iter().map(|entry| entry.what).collect();
    assert_eq!(
        kinds.iter().filter(|what| **what == EntryKind::Note(NoteKind::Judgment)).count(),
        2,
        "{kinds:?}"
    );
    assert_eq!(room.host.state().debate.place().seat, Seat::Synthesizer);
}

#[test]
fn an_isolated_debate_of_a_session_has_judges_who_write_at_once() {
    // Each judge waits for the second one.
    let room = room(
        "i=0; until [ -d turn-2 ]; do sleep 0.02; i=$((i + 1)); [ $i -lt 500 ] || exit 77; done",
    );
    let seats = super::SEATS.map(|seat| format!("--{seat} \"{}\"", room.agent(seat))).join(" ");
    let asked = room
        .host
        .prompt("one", &format!("/anvil:debate Why? --rounds 1 --isolated --judges 3 {seats}"));
    assert!(asked.reason().contains("5 independent replies"), "{asked:?}");
    super::until("it is judged", || {
        room.host.state_path().exists() && room.host.head("status") == "completed"
    });
    is_judged(&room, "isolated");
}
