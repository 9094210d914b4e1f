//! Watching a debate from another terminal.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use testkit::host::Host;

const SYNTHESIS: &str = "recommendation: Do.\nverdict: do\nconfidence: 80\nflips if: x";

#[test]
fn without_a_terminal_watch_prints_one_line_per_change() {
    let host = Host::new().debating("Why? --rounds 1");
    let mut child =
        host.command(&["status", "--watch"], host.root()).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "Anvil: advocate, round 1 of 1 · in progress · 0 words");
    host.stop("one", "**A1. One.** Two three.");
    assert_eq!(lines.next().unwrap(), "Anvil: critic, round 1 of 1 · in progress · 4 words");
    host.stop("one", "**C1. No.**");
    assert_eq!(lines.next().unwrap(), "Anvil: synthesis · in progress · 6 words");
    host.stop("one", SYNTHESIS);
    assert_eq!(lines.next().unwrap(), "Anvil: completed · 48 words");
    assert_eq!(lines.next().unwrap(), "Verdict: Yes: do it, 80% sure. Do.");
    let caution = "Caution: The critic answered no claim of the others.";
    assert_eq!(lines.next().unwrap(), caution);
    let id = host.state().debate.id;
    assert_eq!(
        lines.next().unwrap(),
        format!("Page: ~/.claude/anvil.local/debates/{id}/report.html")
    );
    assert_eq!(lines.next(), None);
    assert!(child.wait().unwrap().success());
    let colored = host.run(&["status", "--watch", "--color", "always"]).stdout;
    assert!(
        colored.starts_with(
            "\u{1B}[32mAnvil: completed · 48 words\u{1B}[0m\nVerdict: Yes: do it, 80% sure. Do.\n"
        ),
        "{colored:?}"
    );
}

#[test]
fn watch_waits_for_a_debate_and_ends_when_it_is_cancelled() {
    let host = Host::new();
    assert_eq!(host.run(&["status", "--watch", "--json"]).code, 2);
    let mut child =
        host.command(&["status", "--watch"], host.root()).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("Anvil: there is no debate here yet"));
    let host = host.debating("Why? --rounds 3");
    assert_eq!(lines.next().unwrap(), "Anvil: advocate, round 1 of 3 · in progress · 0 words");
    host.run(&["cancel"]);
    assert_eq!(lines.next().unwrap(), "Anvil: cancelled · 0 words");
    assert!(child.wait().unwrap().success());
}

/// The program's drawing on its own terminal, which `script` provides.
fn drawn(host: Host, options: &str) -> String {
    drawn_while(host, "", options)
}

/// The same while this shell command runs.
fn drawn_while(host: Host, meanwhile: &str, options: &str) -> String {
    let program = env!("CARGO_BIN_EXE_anvil");
    let wrap = format!("stty cols 40 rows 20; {meanwhile} exec {program} status --watch {options}");
    let host = host.with("SHELL", "/bin/sh").with("WATCH", &wrap);
    let host = host.through(&["sh", "-c", "exec script -qec \"$WATCH\" /dev/null"]);
    let mut child = host.command(&[], host.root()).spawn().unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.wait().unwrap();
    out.replace('\r', "")
}

#[test]
fn on_a_terminal_watch_draws_within_the_width() {
    let complete = || {
        let host =
            Host::new().debating("Should we 日本語日本語日本語日本語日本語日本語 now? --rounds 1");
        host.stop("one", "**A1. One.** Two three.");
        host.stop("one", "**C1. No.**");
        host.stop("one", SYNTHESIS);
        host
    };
    if std::process::Command::new("script").arg("--version").output().is_err() {
        eprintln!("without the program `script` there is no terminal to try");
        return;
    }
    let screen = "\
Anvil: Should we 日本語日本語日本語日本…
  ✓ advocate, round 1, 4 words
  ✓ critic, round 1, 2 words
  ✓ synthesis, 42 words
  3 of 3 · 48 words · completed · start…
  2 claims: 2 weakened
  Verdict: Yes, 80% sure. Do.
  Caution: The critic answered no claim
           of the others.
  Page:    ~/.claude/anvil.local/debates/ID/report.html
";
    let without_id = |text: String| {
        let (before, id) = text.split_once("debates/").unwrap();
        format!("{before}debates/ID{}", &id[id.find('/').unwrap()..])
    };
    assert_eq!(without_id(drawn(complete(), "--color never")), screen);
    assert_eq!(without_id(drawn(complete().with("NO_COLOR", "1"), "")), screen);
    let dumb = drawn(complete().with("TERM", "dumb"), "");
    assert!(dumb.contains("Anvil: completed · 48 words") && !dumb.contains('\u{1B}'), "{dumb:?}");
    let colored = drawn(complete(), "");
    assert!(colored.contains("\u{1B}[32m  ✓ critic, round 1, 2 words\u{1B}[0m\n"), "{colored:?}");
    assert!(!colored.contains("\u{1B}[?"), "{colored:?}");
}

#[test]
fn on_a_narrowed_terminal_watch_redraws_the_wrapped_lines() {
    let host =
        Host::new().debating("Should we 日本語日本語日本語日本語日本語日本語 now? --rounds 1");
    let cancel = format!("{} cancel >/dev/null", env!("CARGO_BIN_EXE_anvil"));
    let screen = drawn_while(
        host,
        &format!("(sleep 1; stty cols 20 </dev/tty; sleep 2; {cancel}) &"),
        "--color never",
    );
    // Three of the five lines are wider than 20 columns, and a wide character in one of them
    // crosses the end of a row.
    assert!(
        screen.contains("\u{1B}[9A\u{1B}[JAnvil: Should we 日…\n  ▸ advocate, round…\n"),
        "{screen:?}"
    );
    assert!(screen.ends_with("  0 of 3 · 0 words …\n"), "{screen:?}");
}
