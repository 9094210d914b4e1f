//! The outcomes of recommendations: noted, due, counted; and who hears of them.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use testkit::host::{Answer, Host, WHOLE};

const DAY: i64 = 86_400;

/// A debate from its start to its synthesis, with this confidence.
fn debated(host: &Host, typed: &str, percent: u8) -> Answer {
    host.prompt("one", &format!("/anvil:debate {typed} --rounds 1"));
    host.stop("one", "**A1. Split.** One queue.");
    host.stop("one", "**C1. Wait.** Eight people.");
    host.stop("one", &format!("recommendation: Wait.\nverdict: do not\nconfidence: {percent}"))
}

fn file(host: &Host) -> std::path::PathBuf {
    host.records().join("decisions.jsonl")
}

fn journal(host: &Host) -> String {
    fs_err::read_to_string(file(host)).unwrap_or_default()
}

fn lines(host: &Host) -> Vec<Value> {
    journal(host).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_outcome_is_noted_in_claude_code_and_in_a_shell() {
    let host = Host::new();
    debated(&host, "Should we split?", 80);
    let state = host.state_text();
    let answer = host.prompt(
        "one",
        "/anvil:history --outcome right --note it held, for a year --review 2027-06-01",
    );
    assert_eq!(
        answer.reason(),
        "Anvil: noted for \"Should we split?\": right (it was 80% sure); review\non 2027-06-01."
    );
    let id = host.debate_id();
    let noted = lines(&host).remove(0);
    assert_eq!(
        noted,
        json!({
            "at": noted["at"], "id": id, "question": "Should we split?", "confidence": 80, "outcome": "right",
            "note": "it held, for a year", "review": "2027-06-01",
        })
    );
    // The journal is read in the debate's project.
    let report = host.run(&["report", "--format", "md"]).stdout;
    assert!(
        report.contains(
            "\n**Outcome:** right: it held, for a year\n\n**Look again:** on 2027-06-01\n"
        ),
        "{report}"
    );
    let shown = host.prompt("one", "/anvil:report").reason().to_owned();
    let page = host.run(&["report", "--format", "html", "--output", "-"]).stdout;
    let card = page.split_once("</section>").unwrap().0;
    let noted =
        "<dt>Outcome</dt><dd><p>right: it held, for a year</p></dd></div><div><dt>Look again</dt>";
    assert!(card.contains(noted), "{card}");
    let expected =
        "\n  Outcome         right: it held, for a year\n  Look again      on 2027-06-01\n";
    assert!(shown.contains(expected), "{shown}");
    // Another one takes its place.
    debated(&host, "Which cache?", 60);
    let printed = host.run(&["history", &id[..24], "--outcome", "mixed", "--note", "not for long"]);
    assert_eq!(
        printed.stdout, "Anvil: noted for \"Should we split?\": mixed (it was 80% sure).\n",
        "{printed:?}"
    );
    assert_eq!(
        host.run(&["history", "--outcome", "abandoned"]).stdout,
        "Anvil: noted for \"Which cache?\": abandoned (it was 60% sure).\n"
    );
    assert_eq!(lines(&host).len(), 3);
    assert_ne!(host.state_text(), state);
}

#[test]
fn an_invalid_outcome_is_refused_and_nothing_is_written() {
    let host = Host::new();
    let refused = |arguments: &[&str], code, said: &str| {
        let printed = host.run(arguments);
        assert!(
            printed.code == code && printed.stderr.contains(said),
            "{arguments:?}: {printed:?}"
        );
        assert!(printed.stderr.lines().count() <= 2, "{printed:?}");
        assert!(!file(&host).exists(), "{arguments:?}");
    };
    refused(&["history", "--outcome", "right"], 3, "hint: ");
    assert_eq!(host.files(), [], "nothing is made");
    host.prompt("one", "/anvil:debate Why? --rounds 1");
    refused(&["history", "--outcome", "right"], 1, "this debate has recommended nothing:");
    refused(&["history", "--outcome"], 2, "--outcome <WHAT> needs a value");
    let wrong = "--outcome takes right, wrong, mixed or abandoned, not \"good\"";
    refused(&["history", "--outcome", "good"], 2, wrong);
    refused(&["history", "1", "2", "--outcome", "right"], 2, "name one debate by one word");
    refused(&["history", "--note", "why"], 2, "--outcome");
    refused(&["history", "1999", "--outcome", "right"], 3, "there is no debate 1999 here");
    refused(&["history", "--review", "soon"], 2, "takes a day such as 2027-01-15");
    refused(&["history", "--review", "2020-01-01"], 2, "takes a day after today");
    refused(&["history", "--outcome", "right", "--note", ""], 2, "takes 1 to 1000 characters");
    assert_eq!(host.run(&["history", "--due"]).code, 3);
    assert!(host.prompt("one", "/anvil:history --due").reason().contains("no review is due"));
    assert!(
        host.prompt("one", "/anvil:history --outcome soon")
            .reason()
            .contains("right, wrong, mixed or abandoned")
    );
    let error = host.run(&["start", "Why?", "--review", "2020-01-01"]);
    assert!(error.code == 2 && error.stderr.contains("a day after today"), "{error:?}");
}

#[test]
fn a_review_is_due_at_startup_once_a_session_until_it_is_answered() {
    let host = Host::new();
    let due = |session: &str, source: &str| {
        let said = host.session_start(session, source).message().to_owned();
        said.lines().filter(|line| line.contains("review")).map(str::to_owned).collect::<Vec<_>>()
    };
    debated(&host, "Should we split? --review 30d", 80);
    assert_eq!(lines(&host)[0]["review"], "2026-12-21");
    assert_eq!(lines(&host)[0]["confidence"], 80);
    assert_eq!(due("two", "startup"), [""; 0]);
    host.wait(30 * DAY);
    let files = host.files();
    let line = "Anvil: a review is due since 2026-12-21: \"Should we split?\". /anvil:history --due says how to answer.";
    assert_eq!(due("three", "startup"), [line]);
    assert!(line.chars().count() <= 120);
    for source in ["resume", "clear", "compact"] {
        assert_eq!(due("three", source), [""; 0], "{source}");
    }
    assert_eq!(host.files(), files, "nothing is written");
    let listed = host.run(&["history", "--due"]);
    let id = host.debate_id();
    assert_eq!(
        listed.stdout,
        format!(
            "Anvil: 1 review is due, the oldest first. What became of it?\n\n  2026-12-21  Should we split?\n              it was 80% sure\n              {id}\n\n`anvil history ID --outcome WHAT` notes it: right, wrong, mixed or abandoned.\n"
        )
    );
    let shell = "`anvil history ID --outcome WHAT` notes it: right, wrong, mixed or abandoned.";
    let client = "/anvil:history ID --outcome WHAT notes it: right, wrong, mixed or\nabandoned.";
    let typed = listed.stdout.trim_end().replace(shell, client);
    assert_eq!(host.prompt("three", "/anvil:history --due").reason(), typed);
    let told: Value = host.run(&["history", "--due", "--json"]).json();
    assert_eq!((&told[0]["id"], &told[0]["review"]), (&json!(id), &json!("2026-12-21")));
    // Later, and not earlier.
    host.run(&["history", &id, "--review", "10d"]);
    assert_eq!(due("four", "startup"), [""; 0]);
    host.wait(10 * DAY);
    assert_eq!(due("five", "startup").len(), 1);
    host.run(&["history", &id, "--outcome", "wrong"]);
    assert_eq!(due("six", "startup"), [""; 0]);
    assert_eq!(host.run(&["history", "--due"]).code, 3);
}

#[test]
fn a_review_is_an_option_that_a_defaults_file_can_set() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    fs_err::write(host.path(".claude/anvil.local.md"), "---\nreview: 90d\n---\n").unwrap();
    debated(&host, "Why?", 80);
    assert_eq!((lines(&host).len(), host.head("review")), (1, "\"2027-02-19\"".to_owned()));
    // A second cycle requests nothing twice.
    host.prompt("one", "/anvil:again And now?");
    for reply in ["A2.", "C2.", "recommendation: Go.\nverdict: do\nconfidence: 60"] {
        host.stop("one", reply);
    }
    assert_eq!((lines(&host).len(), host.head("status").as_str()), (1, "completed"));
    // The outcome belongs to the current verdict.
    host.run(&["history", "--outcome", "right"]);
    assert_eq!(lines(&host)[1]["confidence"], 60);
    fs_err::write(host.path(".claude/anvil.local.md"), "---\nreview: soon\n---\n").unwrap();
    let error = host.run(&["config"]);
    assert!(error.code == 2 && error.stderr.contains("line 2: --review takes a day"), "{error:?}");
}

#[cfg(unix)]
#[test]
fn the_journal_is_never_reached_through_a_link() {
    let host = Host::new();
    debated(&host, "Why? --review 30d", 80);
    let own = journal(&host);
    let outside = host.outside("outside.jsonl");
    fs_err::write(&outside, &own).unwrap();
    fs_err::remove_file(file(&host)).unwrap();
    std::os::unix::fs::symlink(&outside, file(&host)).unwrap();
    for arguments in [&["history", "--outcome", "right"][..], &["history", "--due"]] {
        let printed = host.run(arguments);
        assert!(
            printed.code == 1 && printed.stderr.contains("is not a regular file"),
            "{arguments:?}: {printed:?}"
        );
        assert!(printed.stderr.contains("follows no link"), "{printed:?}");
    }
    host.wait(31 * DAY);
    let said = host.session_start("two", "startup").message().to_owned();
    assert!(
        said.starts_with("Anvil: due reviews can't be shown: ") && said.contains("follows no link"),
        "{said}"
    );
    assert_eq!(fs_err::read_to_string(&outside).unwrap(), own);
    // A pipe does not block either, and a debate still completes.
    fs_err::remove_file(file(&host)).unwrap();
    nix::unistd::mkfifo(&file(&host), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let completed = debated(&host, "Which? --review 30d", 70);
    assert!(completed.message().contains("could not be noted"), "{completed:?}");
    assert_eq!(host.head("status"), "completed");
    assert!(host.session_start("three", "startup").is_silent());
    for is_pipe in [true, false] {
        let printed = host.run(&["history", "--outcome", "right"]);
        assert!(
            printed.code == 1 && printed.stderr.contains("is not a regular file"),
            "{printed:?}"
        );
        assert!(!printed.stderr.contains("link"), "{printed:?}");
        if is_pipe {
            fs_err::remove_file(file(&host)).unwrap();
            fs_err::create_dir(file(&host)).unwrap();
        }
    }
}

/// The text for a shell: exactly one command, and one that notes nothing.
#[test]
fn a_line_with_a_foreign_id_is_skipped() {
    let host = Host::new();
    debated(&host, "Should we split? --review 1d", 80);
    let own = host.debate_id();
    let line = |id: &str| json!({ "at": "2026-01-01T00:00:00Z", "id": id, "question": "Q", "confidence": 70, "outcome": "right", "review": "2026-01-02" });
    let long = "x".repeat(101);
    let hostile = ["$(id)", "a;id", "A", "-x", "../a", "a b", "", &long, "2026-of-another-project"]
        .map(|id| line(id).to_string() + "\n");
    fs_err::write(file(&host), hostile.concat() + &journal(&host)).unwrap();
    host.wait(2 * DAY);
    let listed = host.run(&["history", "--due"]).stdout;
    assert!(listed.starts_with("Anvil: 1 review is due") && !listed.contains('|'), "{listed}");
    assert!(
        host.session_start("two", "startup").message().contains("a review is due since 2026-11-22")
    );
    assert!(listed.lines().any(|line| line.trim() == own), "{listed}");
}

#[test]
fn worktrees_share_one_journal() {
    let host = Host::new();
    host.git(&["init", "-q"]);
    host.git(&["commit", "-q", "--allow-empty", "-m", "a"]);
    let tree = host.outside("tree");
    host.git(&["worktree", "add", "-q", &tree.to_string_lossy()]);
    let there = |arguments: &[&str]| host.run_at(arguments, &tree);
    let at = |name: &str, fields: &Value| host.event_at("two", name, fields, &tree, Some(&tree));
    at("UserPromptSubmit", &json!({ "prompt": "/anvil:debate Why? --rounds 1 --review 30d" }));
    for reply in ["A1.", "C1.", WHOLE] {
        at("Stop", &json!({ "last_assistant_message": reply }));
    }
    assert_eq!(there(&["history", "--outcome", "right"]).code, 0);
    assert_eq!(lines(&host).len(), 2, "it is the user's");
    there(&["history", "--review", "10d"]);
    host.wait(11 * DAY);
    assert!(
        at("SessionStart", &json!({ "source": "startup" })).message().contains("a review is due")
    );
    assert!(there(&["history"]).stdout.contains("turned out right"));
}

/// Other sessions have no cost: the journal is searched once, and only if there was a debate.
#[cfg(target_os = "linux")]
#[test]
fn a_session_start_reads_the_journal_once_and_only_if_needed() {
    crate::strace::can_trace();
    let host = Host::new();
    fs_err::create_dir_all(host.path(".git")).unwrap();
    let calls = || {
        let event = testkit::host::event(
            "two",
            "SessionStart",
            &json!({ "source": "startup" }),
            host.root(),
        );
        let trace = crate::strace::of_event(&host, &event);
        let count = |path: &str| trace.lines().filter(|line| line.contains(path)).count();
        (count("decisions.jsonl"), count(".git\""))
    };
    assert_eq!(calls(), (0, 1));
    debated(&host, "Why?", 80);
    fs_err::remove_file(host.state_path()).unwrap();
    // The search so far has shown whether it is a worktree.
    assert_eq!(calls(), (1, 1));
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    /// Whatever is in the journal: the next line is read, the old lines stay, and no line controls
    /// the terminal.
    #[test]
    fn a_hostile_journal_loses_no_line_and_cannot_break_the_screen(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..60),
                prop::sample::select(vec![
                    "{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"x\",\"question\":\"\u{1b}[2J\u{202e}x\",\"confidence\":255,\"outcome\":\"right\",\"review\":\"2026-01-02\"}\n",
                    "{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"\u{7}y\",\"question\":\"z\",\"review\":\"2026-01-02\"}\r\n",
                    "{\"at\":\"-009999-01-01T00:00:00Z\",\"id\":\"y\",\"confidence\":100,\"outcome\":\"wrong\"}\n",
                    "{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"y\",\"confidence\":-1}\n",
                    "{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"y\",\"review\":\"9999-12-31\",\"more\":{}}\n",
                    "[[[[[[[[[[[[[[[[[[",
                    "null\n",
                    "\n\n",
                    "\u{feff}{\"at\":",
                ]).prop_map(|text| text.as_bytes().to_vec()),
            ],
            0..12,
        )
    ) {
        let host = fuzzed();
        let before = pieces.concat();
        fs_err::write(file(&host), &before).unwrap();
        let is_clean = |text: &str| !text.chars().any(|char| (char.is_control() && char != '\n') || char == '\u{202e}');
        let said = host.session_start("two", "startup");
        prop_assert!(is_clean(said.message()) && said.message().lines().count() <= 1, "{said:?}");
        let printed = host.run(&["history", "--due"]);
        prop_assert!([0, 3].contains(&printed.code) && is_clean(&printed.stdout), "{printed:?}");
        prop_assert_eq!(host.run(&["history", "--outcome", "right"]).code, 0);
        let after = fs_err::read(file(&host)).unwrap();
        prop_assert!(after.starts_with(&before));
        prop_assert!(host.run(&["history"]).stdout.contains("turned out right"));
    }
}

/// One host for all hostile journals: a debate takes longer than the journals.
fn fuzzed() -> std::sync::MutexGuard<'static, Host> {
    static HOST: std::sync::OnceLock<std::sync::Mutex<Host>> = std::sync::OnceLock::new();
    let host = HOST.get_or_init(|| {
        let host = Host::new();
        debated(&host, "Why?", 80);
        host.into()
    });
    host.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
