//! A seat that fails, one that waits for its user, and one that moves from a program to a session
//! of Claude Code or back.

use std::fmt::Write as _;

use super::Room;

#[test]
fn a_missing_program_prevents_the_start_and_later_makes_the_debate_wait() {
    let room = Room::new();
    let refused = room.run(&["--critic", "cmd:/nowhere/critic"]);
    assert!(refused.code == 1 && !room.host.state_path().exists(), "{refused:?}");
    let program = room.file("critic");
    std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
    room.does("advocate", "take_in; pay; rm critic; say\n");
    let ran = room.run(&["--critic", &format!("cmd:{}", program.display())]);
    assert_eq!((ran.code, room.host.head("status").as_str()), (5, "paused"), "{ran:?}");
    assert_eq!(room.kinds(), ["received", "missing"]);
    room.is_clean("missing");
}

/// The user's defaults, with an agent of each name: a healthy one that writes `NAME.md`.
fn own_agents(room: &Room, names: &[&str], lines: &str) {
    let mut text = format!("---\n{lines}");
    for name in names {
        room.does(name, super::WELL);
        writeln!(text, "agent.{name}: \"{}\"", room.agent(name)).unwrap();
    }
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    fs_err::write(room.host.home().join(".claude/anvil.local.md"), text + "---\n").unwrap();
}

/// A project whose own agents `one` and `two` can judge, and speak as the voices of
/// `--stakeholders "sales, ops"`.
fn named(lines: &str) -> Room {
    let room = Room::new();
    own_agents(&room, &["one", "two", "three"], lines);
    for (voice, name) in ["one", "two"].iter().enumerate() {
        let voice = voice + 1;
        let claim = format!("**S{voice}.1. {name} says so.** [reasoning] It does.\n");
        fs_err::write(room.file(&format!("{name}.md")), claim).unwrap();
    }
    fs_err::write(room.file("three.md"), super::synthesis_of(&["S1.1", "S2.1"])).unwrap();
    room
}

/// The agents that wrote, by the place of their reply.
fn authors(room: &Room) -> Vec<(String, String)> {
    let record = room.record();
    let attempts = record["attempts"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let received = attempts.filter(|attempt| attempt["ended"]["error"].is_null());
    let mut authors: Vec<_> =
        received.map(|it| (text(&it["started"]["slot"]), text(&it["started"]["agent"]))).collect();
    authors.sort();
    authors
}

#[test]
fn a_voice_has_its_own_agent_in_a_run_in_the_background_and_by_default() {
    let typed = ["--voice", "sales=one", "--voice", "ops=two", "--synthesizer", "three"];
    let room = named("");
    let dry = ["run", "Why?", "--stakeholders", "sales, ops", "--dry-run"];
    let dry = room.host.run(&[&dry[..], &typed].concat());
    assert!(
        dry.stdout.contains("voice 1: sales one, voice 2: ops two, synthesizer three"),
        "{dry:?}"
    );
    let stakeholders = ["run", "Why?", "--stakeholders", "sales, ops"];
    let ran = room.host.run(&[&stakeholders[..], &typed, &["--jobs", "2"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let wrote = |room: &Room| {
        authors(room).into_iter().map(|(_, agent)| agent).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(wrote(&room), "three one two");

    let lines = "voice: [\"sales=one\", \"ops=two\", \"legal=three\"]\nsynthesizer: three\n";
    let room = named(lines);
    let ran = room.host.run(&stakeholders);
    assert_eq!((ran.code, wrote(&room).as_str()), (0, "three one two"), "{ran:?}");

    let room = named("");
    let asked =
        format!("/anvil:debate Why? --isolated --stakeholders \"sales, ops\" {}", typed.join(" "));
    let said = room.host.prompt("one", &asked);
    assert!(said.reason().contains("voice 1: sales one"), "{said:?}");
    super::until("it is complete", || {
        room.host.state_path().exists() && room.host.head("status") == "completed"
    });
    assert_eq!(wrote(&room), "three one two");
}

#[test]
fn an_agent_for_a_seat_that_the_debate_does_not_have_is_refused() {
    let room = named("judge: [one, two]\ncritic: one\nvoice: [\"legal=two\"]\nagent: three\n");
    let voices = ["--stakeholders", "sales, ops"];
    let cases: [(&[&str], &[&str], &str); 11] = [
        (&voices, &["--advocate", "one"], "--advocate does not apply: voices take turns"),
        (&voices, &["--critic", "one"], "--critic does not apply: voices take turns"),
        (
            &voices,
            &["--voice", "sale=one"],
            "there is no voice sale\nhint: the voices are sales, ops",
        ),
        (&voices, &["--voice", "ops=one", "--voice", "ops=two"], "--voice names ops twice"),
        (&[], &["--voice", "sales=one"], "--voice does not apply: an advocate and a critic"),
        (&[], &["--voice", "one"], "--voice takes NAME=AGENT"),
        (&[], &["--judge", "one"], "2 to 5 judges, and --judge names 1"),
        (&[], &["--judge", "one", "--judge", "two", "--judges", "3"], "--judges 3 and 2 times"),
        (&[], &["--fact-checker", "claude"], "--fact-checker does not apply"),
        (&["--judges", "2"], &["--judge", "nobody", "--judge", "one"], "no agent nobody"),
        (&["--judges", "1"], &["--judge", "one", "--judge", "one"], "--judges 1 and 2 times"),
    ];
    for (debate, typed, says) in cases {
        let refused = room.host.run(&[&["run", "Why?"], debate, typed].concat());
        assert!(refused.code == 2 && refused.stderr.contains(says), "{typed:?}: {refused:?}");
        let quoted = [debate, typed].concat();
        let quoted = quoted.iter().map(|word| {
            if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() }
        });
        let line = quoted.collect::<Vec<_>>().join(" ");
        let said = room.host.prompt("one", &format!("/anvil:debate Why? --isolated {line}"));
        let is_same = said.reason().contains(says.split('\n').next().unwrap());
        assert!(is_same && !room.host.state_path().exists(), "{line}: {said:?}");
    }
    // What only the defaults name is unused.
    let dry =
        room.host.run(&[&["run", "Why?", "--dry-run", "--judges", "3"], &voices[..]].concat());
    assert!(dry.code == 0 && dry.stdout.contains("all by three"), "{dry:?}");
    // A debate that goes on has the seats that it began with.
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&["--judges", "3"]).code, 5);
    for (typed, says) in [
        (
            &["--judge", "one", "--judge", "two"][..],
            "--judge names 2, but the number of judges here is 3",
        ),
        (&["--voice", "sales=one"], "--voice does not apply"),
    ] {
        let refused = room.resume(typed);
        assert!(refused.code == 2 && refused.stderr.contains(says), "{typed:?}: {refused:?}");
        let said =
            room.host.prompt("one", &format!("/anvil:resume --isolated {}", typed.join(" ")));
        assert!(said.reason().contains(says), "{said:?}");
    }
}

/// What an agent does whose user is not logged in.
const LOGGED_OUT: &str = "take_in; exit 77\n";

/// A project with the own agents `one`, `two` and `gone`; the first two write the critic's reply.
fn standing_in() -> Room {
    let room = Room::new();
    own_agents(&room, &["one", "two"], "agent.gone: \"cmd:/nowhere/gone\"\n");
    for name in ["one", "two"] {
        fs_err::copy(room.file("critic.md"), room.file(&format!("{name}.md"))).unwrap();
    }
    room
}

/// The agents that were asked for the critic's reply, with the agent that each stands in for.
fn critics(room: &Room) -> Vec<String> {
    let record = room.record();
    let attempts = record["attempts"].as_array().unwrap().iter().map(|it| &it["started"]);
    let critics = attempts.filter(|started| started["seat"] == "critic");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or("nobody").to_owned();
    critics.map(|it| format!("{} for {}", word(&it["agent"]), word(&it["instead_of"]))).collect()
}

#[test]
fn an_agent_that_is_missing_gives_its_seat_to_the_next_one() {
    // At the start.
    let room = standing_in();
    let ran = room.run(&["--critic", "gone, one"]);
    let news = "critic, gone: the program could not be started; one takes the seat";
    assert!(ran.code == 0 && ran.stderr.contains(news), "{ran:?}");
    assert_eq!(critics(&room), ["one for gone"]);
    // Later.
    let room = standing_in();
    let program = room.file("program");
    std::os::unix::fs::symlink("/bin/cat", &program).unwrap();
    room.does("advocate", "take_in; pay; rm program; say\n");
    let lines = format!("agent.linked: \"cmd:{}\"\n", program.display());
    own_agents(&room, &["one", "two"], &lines);
    let ran = room.run(&["--critic", "linked, one"]);
    assert!(ran.code == 0 && ran.stderr.contains("linked: the program could not"), "{ran:?}");
    assert_eq!(critics(&room), ["one for linked"]);
    // None of them is here.
    let room = standing_in();
    let refused = room.run(&["--critic", "gone, cmd:/nowhere/other"]);
    assert!(refused.code == 2 && refused.stderr.contains("a list names no command"), "{refused:?}");
    let refused = room.run(&["--critic", "gone"]);
    assert!(refused.code == 1 && refused.stderr.contains("critic can't be filled"), "{refused:?}");
}

#[test]
fn a_list_holds_for_background_debates() {
    let room = standing_in();
    room.does("one", LOGGED_OUT);
    let seats =
        ["advocate", "synthesizer"].map(|seat| format!("--{seat} \"{}\"", room.agent(seat)));
    let line = format!("--rounds 1 --isolated {} --critic \"one, two\"", seats.join(" "));
    let said = room.host.prompt("one", &format!("/anvil:debate Why? {line}"));
    assert!(said.reason().contains("critic one (else two)"), "{said:?}");
    super::until("it is complete", || {
        room.host.state_path().exists() && room.host.head("status") == "completed"
    });
    assert_eq!(critics(&room), ["one for nobody", "two for one"]);
}
