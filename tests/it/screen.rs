//! The screen: no terminal control from any source gets there.

use serde_json::json;

use testkit::host::{Answer, Host, Output};
use testkit::screen::steering;

/// A colour, a title, the clipboard, a bell, C1 controls, an overwritten line, reversed text.
const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;t\u{7}c\u{1b}]52;c;eA==\u{1b}\\d\u{9b}2Je\u{9d}f\u{85}g\rh\u{8}\u{7f}i\u{202e}j\u{2066}k\u{200f}l\0m\u{1b}";

fn is_clean(answer: &Answer) {
    for text in [answer.message(), answer.reason()] {
        assert!(steering(text).is_empty(), "{:?} in {text:?}", steering(text));
    }
    // The end of a debate with its cautions, and two lines before it after a repair.
    assert!(answer.message().lines().count() <= 12, "{answer:?}");
}

fn is_clean_print(printed: &Output) {
    for text in [&printed.stdout, &printed.stderr] {
        assert!(steering(text).is_empty(), "{:?} in {text:?}", steering(text));
    }
    assert!(printed.code == 0 || printed.stderr.lines().count() == 2, "{printed:?}");
}

#[test]
fn a_hostile_question_and_hostile_replies_are_shown_harmless() {
    let host = Host::new();
    let typed = format!(
        "/anvil:debate {HOSTILE} --rounds 1 --position \"{HOSTILE}\" --output \"{}.md\"",
        HOSTILE.replace('\0', "")
    );
    let answer = host.prompt("one", &typed);
    assert!(answer.message().contains("\nAnvil: 1 round, then a verdict"), "{answer:?}");
    is_clean(&answer);
    for reply in [HOSTILE, "", &format!("recommendation: {HOSTILE}. Then\n\n{HOSTILE}")] {
        is_clean(&host.prompt("one", "/anvil:status"));
        is_clean(&host.prompt("one", "/anvil:debate Another?"));
        is_clean(&host.session_start("two", "startup"));
        is_clean_print(&host.run(&["status"]));
        is_clean_print(&host.run(&["start", "Another?"]));
        is_clean(&host.stop("one", reply));
    }
    is_clean(&host.prompt("one", HOSTILE));
    is_clean(&host.prompt("one", "/anvil:resume"));
    let synthesis = format!("recommendation: {HOSTILE}.");
    let again = host.stop("one", &synthesis);
    assert!(again.context().contains("is no line of it"), "{again:?}");
    is_clean(&again);
    let answer = host.stop("one", &synthesis);
    assert!(answer.message().contains("Page: "), "{answer:?}");
    is_clean(&answer);
    is_clean_print(&host.run(&["status"]));
}

#[test]
fn a_hostile_state_file_is_shown_harmless() {
    for (from, to) in [
        ("status_detail: \"\"", format!("status_detail: {}", json!(HOSTILE))),
        ("question: \"Why?\"", format!("question: {}", json!(HOSTILE))),
        ("phase: advocate", format!("phase: {}", json!(HOSTILE))),
        ("mode: analyst", format!("mode: {}", json!(HOSTILE))),
        ("started_at: ", format!("started_at: {} #", json!(HOSTILE))),
        ("status: in_progress", "status: paused".to_owned()),
    ] {
        let host = Host::new().debating("Why?");
        host.edit(from, &to);
        for event in
            ["/anvil:status", "/anvil:cancel --x", "hello", "/anvil:resume", "/anvil:debate Q"]
        {
            is_clean(&host.prompt("one", event));
        }
        is_clean(&host.session_start("two", "startup"));
        is_clean(&host.stop("one", "A1."));
        is_clean_print(&host.run(&["status"]));
        is_clean_print(&host.run(&["cancel"]));
    }
}

#[test]
fn a_hostile_event_is_answered_harmless() {
    let host = Host::new().debating("Why?");
    for (name, field) in [
        ("Stop", "last_assistant_message"),
        ("Stop", "transcript_path"),
        ("UserPromptSubmit", "prompt"),
        ("UserPromptExpansion", "command_name"),
        ("UserPromptExpansion", "command_args"),
        ("SessionStart", "source"),
        ("Stop", "session_id"),
        (HOSTILE, "new"),
    ] {
        is_clean(&host.event("one", name, &json!({ field: HOSTILE })));
    }
    for input in [
        HOSTILE.to_owned(),
        format!("{{\"{HOSTILE}\":"),
        json!({ "hook_event_name": [HOSTILE] }).to_string(),
    ] {
        is_clean(&host.hook_raw(input.as_bytes(), host.root(), Some(host.root())));
    }
    for line in [
        format!("--{HOSTILE}"),
        format!("Q --rounds {HOSTILE}"),
        format!("Q --output {HOSTILE}/"),
        format!("--x{HOSTILE} Q"),
    ] {
        is_clean(&host.prompt("one", &format!("/anvil:debate {line}")));
        is_clean(&host.prompt("one", &format!("/anvil:status {line}")));
    }
}

#[test]
#[cfg(unix)]
fn a_hostile_path_is_shown_harmless_by_the_hook() {
    let host = Host::in_project("new\nline \u{1b}[31m\u{9b}\u{202e}\r").debating("Why? --rounds 1");
    is_clean(&host.prompt("one", "/anvil:status"));
    fs_err::remove_file(host.lock_path()).unwrap();
    fs_err::create_dir(host.lock_path()).unwrap();
    let answer = host.prompt("one", "/anvil:cancel");
    assert!(answer.reason().contains("is not a regular file"), "{answer:?}");
    is_clean(&answer);
}

#[test]
#[cfg(unix)]
fn a_hostile_path_is_printed_harmless_and_in_one_line() {
    let host = Host::in_project("new\nline \u{1b}[31m\u{9b}\u{202e}\r");
    let printed = host.run(&["start", "Why?"]);
    assert_eq!((printed.code, printed.stdout.lines().count()), (0, 4), "{printed:?}");
    is_clean_print(&printed);
    is_clean_print(&host.run(&["status"]));
    fs_err::remove_file(host.lock_path()).unwrap();
    fs_err::create_dir(host.lock_path()).unwrap();
    is_clean_print(&host.run(&["cancel"]));
    let folder = host.outside("a\u{1b}[31m\n").display().to_string();
    let installed = host.run(&["install", "--to", &folder]);
    assert!(installed.code == 0 && steering(&installed.stdout).is_empty(), "{installed:?}");
    is_clean_print(&host.run(&["uninstall", "--from", &folder]));
    is_clean_print(&host.run(&["uninstall", "--from", &folder]));
}

#[test]
fn a_hostile_argument_is_printed_harmless_and_in_one_line() {
    let host = Host::new();
    let hostile = HOSTILE.replace('\0', "") + "\nnew line";
    for arguments in [
        &["start", &format!("--{hostile}")][..],
        &["start", "Q", &format!("--rounds={hostile}")],
        &["start", "Q", "--output", &format!("{hostile}/")],
        &["start", "Q", "--output", &format!("/none{hostile}/a.md")],
        &["status", &hostile],
        &[&hostile],
    ] {
        let printed = host.run(arguments);
        assert_ne!(printed.code, 0);
        is_clean_print(&printed);
    }
    is_clean_print(&Host::new().with("ANVIL_NOW", &hostile).run(&["status"]));
}

#[test]
fn a_hostile_key_is_printed_harmless_and_in_one_line() {
    let host = Host::new().debating("Why?");
    let key = json!(format!("{HOSTILE}\nx"));
    host.edit("schema: 3\n", &format!("schema: 3\n{key}: 1\n{key}: 2\n"));
    is_clean(&host.stop("one", "A1."));
    is_clean_print(&host.run(&["status"]));
}

#[test]
fn the_json_status_is_harmless() {
    let host = Host::new();
    host.prompt("one", &format!("/anvil:debate {HOSTILE}"));
    let printed = host.run(&["status", "--json"]);
    is_clean_print(&printed);
    let value: serde_json::Value = printed.json();
    assert_eq!(value["question"], HOSTILE);
}

#[test]
#[cfg(unix)]
fn a_cue_that_names_a_hostile_path_is_harmless() {
    let host = Host::in_project("line \u{1b}[31m\u{9b}\u{202e}").debating("Why? --rounds 5");
    for number in 1..=8 {
        let answer = host.stop("one", &format!("reply {number}"));
        assert!(steering(answer.context()).is_empty(), "{answer:?}");
    }
}

#[test]
fn an_arabic_letter_mark_counts_as_a_direction_mark() {
    let answer = Host::new().prompt("one", "/anvil:debate a\u{61C}b?");
    assert!(!answer.message().contains('\u{61C}'), "{answer:?}");
}
