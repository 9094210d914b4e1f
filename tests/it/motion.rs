//! The motion: where it comes from, how it is corrected, and who is shown it.

use testkit::host::Host;

const A1: &str = "**A1. One.** It pays [reasoning].";
const C1: &str = "**C1. No.** It costs [reasoning].";
const ASKS: &str = "line `**Motion:** …`: the action that FOR and \"do\" mean";

/// The motion in the head.
fn motion(host: &Host) -> Option<String> {
    let debate = host.state().debate;
    let head = host.state_text().lines().any(|line| line.starts_with("motion: "));
    assert_eq!(head, debate.motion().is_some(), "{}", host.state_text());
    debate.motion().map(str::to_owned)
}

fn plan(host: &Host) {
    fs_err::write(host.path("plan.md"), "# Plan\n\nWait a year.\n").unwrap();
}

#[test]
fn a_motion_that_is_known_is_in_the_head_from_the_start() {
    for (typed, expected) in [
        ("Should we not move the cache to Redis?", Some("move the cache to Redis")),
        ("I am convinced that we should wait", Some("wait")),
        ("Should we move? --motion \"move the cache.\"", Some("move the cache")),
        ("Why? --motion \"move the cache\"", Some("move the cache")),
        ("Should we wait? --plan=plan.md", Some("carry out this plan")),
        ("--plan=plan.md", Some("carry out this plan")),
        ("--plan=plan.md --motion \"ship the plan\"", Some("ship the plan")),
        (
            "Should we move? --mode devils-advocate --position \"we should not\n  move\"",
            Some("we should not move"),
        ),
        ("Should we wait? --options \"a, b\"", None),
        ("Should we wait? --stakeholders \"sales, ops\"", Some("wait")),
        ("How should we wait?", None),
    ] {
        let host = Host::new();
        plan(&host);
        let started = host.prompt("one", &format!("/anvil:debate {typed}"));
        assert!(!started.context().is_empty(), "{typed}: {started:?}");
        assert_eq!(motion(&host).as_deref(), expected, "{typed}");
        let json = host.run(&["status", "--json"]).stdout;
        let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(shown["motion"].as_str(), expected, "{typed}");
        let status = host.run(&["status"]).stdout;
        let line = expected.map(|motion| format!("\n  Motion: {motion}\n"));
        assert_eq!(status.contains("Motion: "), line.is_some(), "{status}");
        assert!(line.is_none_or(|line| status.contains(&line)), "{status}");
    }
    let host = Host::new();
    let refused = host.run(&["start", "Which?", "--options", "a, b", "--motion", "wait"]);
    assert!(refused.code == 2 && refused.stderr.contains("--options and --motion"), "{refused:?}");
    let document = Host::new();
    plan(&document);
    let dry = document.run(&["run", "--revise", "plan.md", "--agent", "cmd:true", "--dry-run"]);
    assert!(dry.stdout.contains("  Motion: accept the document as it stands. "), "{dry:?}");
}

#[test]
fn a_question_with_a_background_has_its_motion() {
    for (typed, expected) in [
        ("Should we drop Redis? We run 31 workers.", Some("drop Redis")),
        ("We run 31 workers. Should we drop Redis?", Some("drop Redis")),
        ("should we drop redis", Some("drop redis")),
        ("Do we need Kafka?", Some("have Kafka")),
        ("Shall we drop Redis", Some("drop Redis")),
        ("Can we drop Redis? It is slow.", Some("drop Redis")),
        ("Should Postgres replace Redis", Some("have Postgres replace Redis")),
        ("Would it be a mistake to keep Redis? We run 31 workers.", None),
        ("How do we go on? We run 31 workers.", None),
    ] {
        let host = Host::new();
        let started = host.prompt("one", &format!("/anvil:debate {typed}"));
        assert_eq!(motion(&host).as_deref(), expected, "{typed}");
        assert!(!started.message().contains("not a question"), "{typed}: {started:?}");
        assert!(started.context().contains(&format!("\n> {typed}\n")), "{started:?}");
        assert_eq!(host.state().debate.question, typed);
    }
    let statement = Host::new().prompt("one", "/anvil:debate Redis is fast enough.");
    assert!(statement.message().contains("this is not a question"), "{statement:?}");
}

#[test]
fn a_run_reads_its_question_from_standard_input() {
    let host = Host::new();
    let arguments = ["run", "-", "--agent", "cmd:true", "--dry-run", "--prompts"];
    let text = "\u{feff}We run 31 workers.\r\n\r\nShould we drop Redis?\n";
    let dry = host.run_with(&arguments, &host.path("."), text.as_bytes());
    assert!(dry.stdout.contains("  Motion: drop Redis. "), "{dry:?}");
    assert!(dry.stdout.contains("> We run 31 workers.\n>\n> Should we drop Redis?\n"), "{dry:?}");
    let long = "x".repeat(100_000);
    for (text, said) in [
        (&b" \n"[..], "standard input is empty"),
        (&b"\xff\xfe"[..], "is not UTF-8 text"),
        (long.as_bytes(), "standard input has more than"),
        (&long.as_bytes()[..9_000], "the question has 9000 characters, more than 8000"),
    ] {
        let refused = host.run_with(&arguments, &host.path("."), text);
        assert!(refused.code != 0 && refused.stderr.contains(said), "{refused:?}");
        assert_eq!(refused.stderr.trim_end().lines().count(), 2, "a line and a hint: {refused:?}");
    }
}

#[test]
fn the_start_says_what_do_means_or_who_says_it() {
    let corrects = |command: &str| {
        format!("  The first reply states the motion; {command} --motion TEXT corrects it.")
    };
    let proposes =
        "  The first reply proposes a motion; --options \"A, B\" compares options instead.";
    let client = corrects("/anvil:steer");
    for (typed, line) in [
        ("Should we wait?", "  Motion: wait. FOR and \"do\" mean doing that."),
        ("Is it time to wait?", &*client),
        ("Redis or Memcached? --stakeholders \"sales, ops\"", &client),
        ("How do we wait?", proposes),
        ("Why?", proposes),
        (
            "Redis or Memcached?",
            "  The first reply proposes a motion; --options \"Redis, Memcached\" compares options \
             instead.",
        ),
        (
            "Why? --mode devils-advocate --position \"we wait\"",
            "  Motion: we wait. The advocate argues against it; \"do\" means that it holds.",
        ),
    ] {
        let started = Host::new().prompt("one", &format!("/anvil:debate {typed}"));
        assert_eq!(started.message().lines().nth(1), Some(line), "{typed}: {started:?}");
    }
    let none = Host::new().prompt("one", "/anvil:debate Which? --options \"a, b\"");
    assert!(!none.message().contains("otion") && !none.context().contains("otion:"), "{none:?}");
    let dry = Host::new().run(&["run", "Is it time?", "--agent", "cmd:true", "--dry-run"]);
    assert!(!dry.stdout.contains(" min; ") && dry.stdout.contains(" tokens in, "), "{dry:?}");
    assert!(!dry.stdout.contains("variables"), "only with --prompts: {dry:?}");
    assert!(dry.stdout.contains(&corrects("`anvil steer")[..40]), "{dry:?}");
}

#[test]
fn the_first_reply_states_the_motion_once() {
    let host = Host::new();
    let started = host.prompt("one", "/anvil:debate Is it time? --rounds 1");
    assert!(started.context().contains(ASKS), "{started:?}");
    assert_eq!(motion(&host), None);
    let next = host.stop("one", &format!("**Motion:** move the cache to Redis.\n\n{A1}"));
    assert!(next.context().starts_with("── Critic · round 1 of 1 ──"), "{next:?}");
    assert_eq!(motion(&host).as_deref(), Some("move the cache to Redis"));
    host.stop("one", &format!("**Motion:** wait\n\n{C1}"));
    assert_eq!(motion(&host).as_deref(), Some("move the cache to Redis"));
    host.prompt("one", "/anvil:undo 2");
    assert_eq!(motion(&host), None, "it goes with the reply");
    host.prompt("one", "/anvil:undo --redo");
    assert_eq!(motion(&host).as_deref(), Some("move the cache to Redis"));

    let host = Host::new().debating("Is it time? --rounds 1");
    let next = host.stop("one", A1);
    assert!(next.context().starts_with("── Critic · round 1 of 1 ──"), "{next:?}");
    host.stop("one", &format!("**Motion:** wait\n\n{C1}"));
    assert_eq!(motion(&host), None, "nobody is asked again");
}

#[test]
fn of_two_blind_openings_the_first_motion_counts_and_the_other_is_noted() {
    let host = Host::new().debating("Is it time? --rounds 1 --blind");
    host.stop("one", &format!("**Motion:** move the cache\n\n{C1}"));
    host.stop("one", &format!("**Motion:** keep the cache\n\n{A1}"));
    assert_eq!(motion(&host).as_deref(), Some("move the cache"));
    let noted = "The motion is \"move the cache\"; advocate states another: \"keep the cache\".";
    assert!(host.state_text().contains("### Side Note\n<!-- anvil {"));
    assert!(host.state_text().contains(noted), "{}", host.state_text());

    let host = Host::new().debating("Is it time? --rounds 1 --blind");
    host.stop("one", C1);
    host.stop("one", &format!("**Motion:** keep the cache\n\n{A1}"));
    assert_eq!(motion(&host).as_deref(), Some("keep the cache"));
    assert!(!host.state_text().contains("Side Note"), "{}", host.state_text());
}

#[test]
fn steer_corrects_the_motion_until_the_synthesis() {
    let host = Host::new().debating("Should we move? --rounds 1");
    let noted = host.prompt("one", "/anvil:steer --motion move the cache to Redis.");
    assert!(noted.reason().contains("\n  Motion: move the cache to Redis. "), "{noted:?}");
    assert_eq!(motion(&host).as_deref(), Some("move the cache to Redis"));
    let next = host.stop("one", A1);
    assert!(next.context().contains("The motion is now: move the cache to Redis"), "{next:?}");
    let corrected = host.run(&["steer", "--motion", "move half of it"]);
    assert!(corrected.code == 0 && corrected.stdout.contains("Motion: move half of it."));
    host.stop("one", C1);
    let late = host.run(&["steer", "--motion", "wait"]);
    assert!(late.code != 0 && late.stderr.contains("synthesis is being written"), "{late:?}");
    assert_eq!(motion(&host).as_deref(), Some("move half of it"));

    let host = Host::new().debating("Which? --options \"a, b\"");
    let refused = host.run(&["steer", "--motion", "wait"]);
    assert!(refused.code == 2 && refused.stderr.contains("no motion"), "{refused:?}");
}

#[test]
fn an_edited_question_drops_a_motion_that_nobody_typed() {
    let stated = format!("**Motion:** move the cache\n\n{A1}");
    for (typed, reply, from, to, expected) in [
        ("Should we move?", A1, "Should we move?", "Should we wait?", Some("wait")),
        ("Should we move?", A1, "Should we move?", "Why?", None),
        ("Is it time?", &*stated, "Is it time?", "Is it late?", None),
        ("Is it time?", &stated, "Is it time?", "Should we wait?", Some("wait")),
        ("Is it time?", A1, "Is it time?", "Should we wait?", Some("wait")),
        ("Why? --motion \"wait\"", A1, "Why?", "Should we move?", Some("wait")),
    ] {
        for both in [true, false] {
            let host = Host::new().debating(typed);
            host.stop("one", reply);
            host.prompt("one", "Wait");
            if both {
                host.edit(from, to);
            } else {
                host.edit(&format!("# {from}"), &format!("# {to}"));
            }
            host.prompt("one", "/anvil:resume");
            assert_eq!(host.state().debate.question, to);
            assert_eq!(motion(&host).as_deref(), expected, "{typed} -> {to}, both: {both}");
        }
    }
}

#[test]
fn a_motion_by_hand_is_kept() {
    let host = Host::new().debating("Should we move?");
    host.prompt("one", "Wait");
    host.edit("motion: \"move\"", "motion: \"move the cache\"");
    let resumed = host.prompt("one", "/anvil:resume");
    assert!(resumed.context().contains("The motion: move the cache; FOR"), "{resumed:?}");
}

/// The prompts of a run, seat by seat, from a program that keeps what it gets.
#[cfg(unix)]
fn prompts(question: &[&str], replies: &[&str]) -> Vec<String> {
    let host = Host::new();
    for (number, reply) in (1..).zip(replies) {
        fs_err::write(host.path(&format!("reply-{number}")), reply).unwrap();
    }
    let script = "n=1; while [ -e prompt-$n ]; do n=$((n + 1)); done; cat >prompt-$n; cat reply-$n";
    let script = format!("cd '{}' || exit 9; {script}", host.path("").display());
    fs_err::write(host.path("agent.sh"), script).unwrap();
    let agent = format!("cmd:/bin/sh {}", host.path("agent.sh").display());
    let words = ["--rounds", "1", "--agent", &agent, "--jobs", "1"];
    let ran = host.run(&[&["run"], question, &words].concat());
    let numbers = 1..=replies.len();
    let read = |number| fs_err::read_to_string(host.path(&format!("prompt-{number}")));
    numbers.map(|number| read(number).unwrap_or_else(|_| panic!("{number}: {ran:?}"))).collect()
}

#[test]
#[cfg(unix)]
fn every_seat_is_shown_a_known_motion_and_only_the_first_is_asked() {
    let synthesis = "**Recommendation:** Wait.";
    let stated = format!("**Motion:** move the cache\n\n{A1}");
    let told = "The motion: move the cache; ";
    for (question, first) in [("Is it time?", &*stated), ("Should we move the cache?", A1)] {
        let prompts = prompts(&[question], &[first, C1, synthesis]);
        let is_known = question.contains("move");
        assert_eq!(prompts[0].contains(told), is_known, "{}", prompts[0]);
        assert_eq!(prompts[0].contains(ASKS), !is_known, "{}", prompts[0]);
        for prompt in &prompts[1..] {
            assert!(prompt.contains(told) && !prompt.contains(ASKS), "{prompt}");
        }
    }
    let blind = format!("**Motion:** move the cache\n\n{C1}");
    let other = format!("**Motion:** keep the cache\n\n{A1}");
    let prompts = prompts(&["Is it time?", "--blind"], &[&blind, &other, synthesis]);
    assert!(prompts[0].contains(ASKS) && prompts[1].contains(ASKS), "{}", prompts[1]);
    assert!(!prompts[1].contains("move the cache"), "{}", prompts[1]);
    assert!(prompts[2].contains(told) && !prompts[2].contains(ASKS), "{}", prompts[2]);
}
