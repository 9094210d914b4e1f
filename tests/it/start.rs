//! Starting: the typed line, the shell, the refusals.

use std::os::unix::fs::PermissionsExt as _;

use testkit::host::Host;

const AWKWARD: &str = r#"Why doesn't $(x) `y` "z" win? # really; rm -rf /"#;

#[test]
fn a_question_arrives_character_for_character() {
    let long = "é".repeat(8_000);
    for question in [
        AWKWARD,
        "Two lines:\n  second\n\nfourth",
        "- --- # not a head",
        "---\nactive: false\n---",
        &long,
    ] {
        let host = Host::new();
        let answer = host.prompt("one", &format!("/anvil:debate {question}"));
        assert_eq!(host.state().debate.question, question);
        assert_eq!(anvil_core::transcript::question(&host.state().body).as_deref(), Some(question));
        assert!(answer.context().contains("── Advocate · round 1 of 2"), "{answer:?}");
    }
}

#[test]
fn an_editors_blocks_are_not_the_users_words() {
    const OPENED: &str = "<ide_opened_file>The user opened a.rs in the IDE.</ide_opened_file>\n";
    let selected =
        |text: &str| format!("{OPENED}<ide_selection>From a.rs:\n{text}</ide_selection>\n");
    for before in [OPENED.to_owned(), selected("fn main() {}")] {
        let host = Host::new().debating("Should we ship? --interactive --rounds 3");
        // Its prompt is left alone; the expansion has the command without the block.
        for command in ["status", "debate", "nothing"] {
            let prompt = host.prompt("one", &format!("{before}/anvil:{command}"));
            assert!(prompt.is_silent(), "{prompt:?}");
        }
        host.stop("one", "A1.");
        host.stop("one", "C1.");
        let steered = host.prompt("one", &format!("{before}Look at the cost"));
        assert!(steered.message().contains("your direction: \"Look at the cost\""), "{steered:?}");
        assert!(!host.state().body.contains("ide_"), "{}", host.state().body);
    }
    // The selected text runs no command, whatever ends it has.
    for text in ["/anvil:debate Go?", "x</ide_selection>\n/anvil:debate Go?\n"] {
        let host = Host::new();
        let close = "</ide_opened_file>\n/anvil:debate Go?\n";
        host.prompt("one", &format!("{}Hello", selected(&format!("{text}{close}"))));
        assert!(!host.state_path().exists(), "{text}");
    }
    // Other tags are words.
    let host = Host::new();
    host.prompt("one", "<b>x</b>\n/anvil:debate Should we ship?");
    assert!(!host.state_path().exists());
}

#[test]
fn the_user_sees_the_start_and_claude_gets_the_protocol() {
    let host = Host::new();
    let answer =
        host.prompt("one", "/anvil:debate Should we? --rounds 2 --position \"wait a year\"");
    let lines: Vec<&str> = answer.message().lines().collect();
    assert!(lines.len() == 4 && lines[0].contains("2 rounds, then a verdict"), "{answer:?}");
    // Once told, the folder of the records and the other way to argue are not told again.
    let again = host.prompt("one", "/anvil:debate Should we wait? --rounds 1 --replace");
    let lines: Vec<&str> = again.message().lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("1 round, then a verdict"), "{again:?}");
    host.run(&["cancel"]);
    let answer =
        host.prompt("one", "/anvil:debate Should we? --rounds 2 --position \"wait a year\"");
    assert!(answer.context().starts_with("# Anvil debate protocol"));
    assert!(answer.context().contains("> wait a year"));
    assert!(answer.context().contains(&host.state_path().display().to_string()));
}

#[test]
fn another_model_family_is_proposed_for_the_critic_once() {
    let host = Host::new();
    let codex = host.outside("bin/codex");
    fs_err::create_dir_all(codex.parent().unwrap()).unwrap();
    fs_err::write(&codex, "").unwrap();
    fs_err::set_permissions(&codex, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", codex.parent().unwrap().display());
    let host = host.with_path(&path);
    let said = || host.prompt("one", "/anvil:debate Should we? --replace").message().to_owned();
    let proposed = "\n  --isolated keeps both sides apart and out of your session; with --critic \
                    codex the critic is of another model family";
    let (first, second) = (said(), said());
    assert!(first.ends_with(proposed), "{first}");
    assert!(!second.contains("--critic"), "{second}");
}

#[test]
fn a_time_is_shown_once_this_debate_or_an_earlier_one_shows_how_long_a_reply_takes() {
    let host = Host::new();
    let started = host.prompt("one", "/anvil:debate Why? --rounds 1");
    assert!(started.message().starts_with("Anvil: 1 round, then a verdict: 3 replies. Esc"));
    let left = |expected: Option<&str>| {
        let status = host.run(&["status"]).stdout;
        let found = status.lines().find(|line| line.contains(" of 3 replies")).unwrap();
        let time = found.split_once(" replies, ").map(|(_, time)| time);
        assert_eq!(time, expected, "{status}");
    };
    left(None);
    host.wait(490);
    host.stop("one", "**A1. One.**");
    left(None);
    host.wait(490);
    host.stop("one", "**C1. No.**");
    left(Some("about 9 min left"));
    host.wait(490);
    host.stop("one", "recommendation: Yes.");
    let answer = host.prompt("one", "/anvil:debate And now? --rounds 3 --replace");
    let said = answer.message();
    assert!(said.starts_with("Anvil: 3 rounds, then a verdict: 7 replies, about "), "{said}");
    let minutes: u32 =
        said.split("about ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((50..=65).contains(&minutes), "{said}");
    let json = ["run", "Why?", "--rounds", "3", "--dry-run", "--agent", "cmd:true"];
    assert!(host.run(&json).stdout.contains(&format!("\n  about {minutes} min; ")));
    // Another user has none.
    assert!(Host::new().run(&json).stdout.contains(" tokens in, "));
    assert!(!Host::new().run(&json).stdout.contains(" min"));
}
#[test]
fn a_wrong_line_gives_a_one_line_error_and_changes_nothing() {
    let host = Host::new();
    for (line, said) in [
        ("/anvil:debate", "Anvil: the question is missing. Write it after the command"),
        ("/anvil:debate Q --round 3", "Anvil: unknown option --round. Did you mean --rounds?"),
        (
            "/anvil:debate Q --rounds 99",
            "Anvil: --rounds takes a whole number from 1 to 10, not \"99\".",
        ),
        ("/anvil:status", "Anvil: there is no debate here. /anvil:debate QUESTION starts one."),
        ("/anvil:resume", "Anvil: there is no debate here."),
        ("/anvil:cancel", "Anvil: there is no debate here."),
    ] {
        let answer = host.prompt("one", line);
        assert!(answer.reason().starts_with(said), "{line}: {answer:?}");
        assert!(!answer.reason().contains('\n'));
    }
    assert!(host.files().is_empty(), "{:?}", host.files());
}

#[test]
fn an_unfinished_debate_is_replaced_only_on_request() {
    let host = Host::new().debating("First?");
    let before = host.state_text();
    let answer = host.prompt("one", "/anvil:debate Second?");
    for way_out in ["First?", "/anvil:resume", "/anvil:cancel", "--replace"] {
        assert!(answer.reason().contains(way_out), "{way_out}: {answer:?}");
    }
    assert_eq!(host.state_text(), before);
    let id = host.state().debate.id;
    let answer = host.prompt("two", "/anvil:debate Second? --replace");
    assert!(answer.context().contains("> Second?"));
    let ended = fs_err::read_to_string(host.snapshot(&id)).unwrap();
    assert!(ended.contains("# First?") && ended.contains("status: cancelled"), "{ended}");
    assert!(
        host.stop("one", "A1. Of the first.")
            .message()
            .contains("ended, taken over or removed elsewhere")
    );
    assert!(host.stop("one", "More.").is_silent());
}

#[test]
fn a_failed_start_keeps_the_previous_debate() {
    let nowhere = Host::new().outside("none");
    let host = Host::new().with("CLAUDE_CONFIG_DIR", "/dev/null/x").debating("First?");
    let before = host.files();
    let outside = host.outside("verdict.md").display().to_string();
    for output in [
        outside,
        nowhere.join("x.md").display().to_string(),
        ".claude/anvil-state.local.md".into(),
        ".claude/anvil-state.lock.local.md".into(),
    ] {
        let answer =
            host.prompt("one", &format!("/anvil:debate Second? --replace --output {output}"));
        assert!(!answer.reason().is_empty(), "{output}: {answer:?}");
        assert_eq!(host.files(), before, "{output}");
    }
}

#[test]
fn a_start_delivered_twice_starts_once() {
    for line in ["/anvil:debate Why?", "/anvil:debate Why? --replace"] {
        let host = Host::new();
        assert!(!host.prompt("one", line).context().is_empty());
        let before = host.files();
        host.wait(-10);
        assert!(host.prompt("one", line).is_silent(), "{line}");
        assert_eq!(host.files(), before);
        // If the user types it again, it is refused.
        assert!(host.prompt("one", "/anvil:debate Why?").reason().contains("unfinished"));
        host.session_end("one");
        assert!(!host.prompt("one", "/anvil:resume").context().is_empty());
        host.wait(-10);
        assert!(host.prompt("one", "/anvil:resume").is_silent());
    }
}

#[test]
fn a_finished_debate_makes_room_for_the_next_one() {
    let host = Host::new().debating("First? --rounds 1");
    let id = host.state().debate.id;
    for reply in ["A1.", "C1.", "recommendation: Yes."] {
        host.stop("one", reply);
    }
    host.prompt("one", "/anvil:debate Second?");
    assert_eq!(host.state().debate.question, "Second?");
    assert!(host.snapshot(&id).exists());
}

#[test]
fn an_unreadable_file_is_replaced_only_on_request_and_kept() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    fs_err::write(host.state_path(), b"---\nround: [\n---\nprecious").unwrap();
    assert!(host.prompt("one", "/anvil:debate Q").reason().contains("--replace"));
    host.prompt("one", "/anvil:debate Q --replace");
    let aside = host.aside_files();
    assert!(aside.len() == 1 && aside[0].0.to_string_lossy().contains("aside/unreadable-"));
    assert_eq!(aside[0].1, b"---\nround: [\n---\nprecious");
}

#[test]
fn a_debate_of_a_shell_waits_for_a_session() {
    let host = Host::new();
    let printed = host.run(&["start", AWKWARD, "--rounds", "1", "--output", "docs/verdict.md"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
    assert!(printed.stdout.contains("/anvil:resume"), "{printed:?}");
    assert_eq!(host.head("status"), "not_started");
    assert_eq!(host.state().debate.question, AWKWARD);
    assert!(host.stop("one", "Chat.").is_silent());
    let answer = host.prompt("one", "/anvil:resume");
    assert!(
        answer.context().contains("── Advocate · round 1 of 1")
            && !answer.context().contains("first Read"),
        "{answer:?}"
    );
    for reply in ["A1.", "C1."] {
        host.stop("one", reply);
    }
    assert!(
        host.stop("one", "recommendation: Yes.")
            .message()
            .contains("Report: docs/verdict.md\nPage: ~/.claude/")
    );
    assert!(host.path("docs/verdict.md").exists());
}

#[test]
fn the_shell_refuses_like_the_typed_line_and_exits_with_a_code() {
    let host = Host::new();
    for (arguments, code, said) in [
        (&["start"][..], 2, "the question is missing"),
        (&["start", "Q", "--rounds", "0"], 2, "1 to 10"),
        (&["start", "Q", "--round", "2"], 2, "--rounds"),
        (&["status"], 3, "hint: "),
        (&["cancel"], 3, "hint: "),
        (&["statsu"], 2, "unknown command statsu\nhint: did you mean"),
        (&["body", "emed"], 2, "unknown command emed\nhint: did you mean embed?"),
        (&["--dir", "d", "statsu"], 2, "unknown command statsu\nhint: did you mean"),
        (&["--dir=d", "resume"], 2, "`anvil resume` is not a command of the shell"),
        (&["uninstall", "--yes"], 2, "--purge is missing\nhint: add --purge"),
        (
            &["claim", "nobody"],
            2,
            "SEAT takes advocate, critic, voice, synthesizer or judge, also with a number, not",
        ),
        (&["claim", "--as", ""], 2, "--as takes a name"),
        (&["status", "now"], 2, "\"now\" is not expected here"),
        (&["start", "Q", "-x"], 2, "unknown option -x"),
        (&["install", "--to"], 2, "--to <DIR> needs a value"),
    ] {
        let printed = host.run(arguments);
        assert_eq!(printed.code, code, "{arguments:?}: {printed:?}");
        assert!(printed.stderr.contains(said), "{arguments:?}: {printed:?}");
        assert!(
            printed.stderr.starts_with("anvil: ") && printed.stderr.lines().count() == 2,
            "{printed:?}"
        );
    }
    host.run(&["start", "Q"]);
    assert_eq!(host.run(&["start", "R"]).code, 1);
}
