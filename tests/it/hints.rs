//! Every hint fits the place where it is read: `anvil …` in a shell, `/anvil:…` in Claude Code.

use anvil_messages::{is_client_only, slash_command};
use anvil_text::Verb;

use testkit::host::Host;

/// Lines for both interfaces, right and wrong, without their prefix.
const LINES: [&str; 30] = [
    "status",
    "status --nonsense",
    "steer look at the cost",
    "steer",
    "steer --rounds 1",
    "steer --rounds 11",
    "steer --synthesize",
    "steer --synthesize look at the cost",
    "undo",
    "undo 99",
    "undo --list",
    "undo --to 99",
    "undo --to 1",
    "undo --redo",
    "again",
    "again what of the cost?",
    "claims",
    "claims Z9",
    "claims A77",
    "claims --state open",
    "claims --state weakened",
    "report 9999",
    "report 1 --nonsense",
    "history",
    "history --due",
    "history --nonsense",
    "history --outcome",
    "history --outcome maybe",
    "history 1 --outcome right --review 1d",
    "cancel",
];

/// More lines, with different words in Claude Code and in a shell.
const PAIRS: [(&str, &[&str]); 8] = [
    ("report --publish 7", &["publish", "7"]),
    ("report --pull 7", &["pull", "7"]),
    ("debate Why not?", &["start", "Why not?"]),
    ("debate Why not? --mode nobodys", &["start", "Why not?", "--mode", "nobodys"]),
    ("debate Why not? --judges 3 --replace", &["start", "Why not?", "--judges", "3", "--replace"]),
    ("debate Why not? --fact-check --replace", &["start", "Why not?", "--fact-check", "--replace"]),
    (
        "debate Why? --isolated --agent nobody --replace",
        &["run", "Why?", "--agent", "nobody", "--replace"],
    ),
    ("resume --isolated --agent nobody", &["run", "--resume", "--agent", "nobody"]),
];

/// A debate in each state, and no debate; earlier ones have only their records.
fn scenes() -> Vec<(&'static str, Host)> {
    let argued = |replies: usize| {
        let host = Host::new();
        host.prompt("one", "/anvil:debate Should we? --rounds 1");
        for reply in ["**A1. Yes.** x [reasoning]", "**C1. No.** x [reasoning]", "recommendation: Wait.\nverdict: do not\nconfidence: 70\nA1 weakened: x\nC1 survived: x"].iter().take(replies) {
            host.stop("one", reply);
        }
        host
    };
    let paused = argued(1);
    paused.prompt("one", "Wait");
    let cancelled = argued(1);
    cancelled.run(&["cancel"]);
    let gone = argued(2);
    fs_err::remove_file(gone.state_path()).unwrap();
    let prepared = Host::new();
    prepared.run(&["start", "Should we?"]);
    vec![
        ("none", Host::new()),
        ("prepared", prepared),
        ("begun", argued(0)),
        ("running", argued(1)),
        ("paused", paused),
        ("complete", argued(3)),
        ("cancelled", cancelled),
        ("gone", gone),
    ]
}

fn check_shell(text: &str, context: &str) {
    for rest in text.split("/anvil:").skip(1) {
        let verb: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        let here = rest.split([';', '.', '\n']).next().unwrap_or_default();
        let is_told_where =
            here.contains("in Claude Code") || text.contains("in Claude Code /anvil:");
        let is_client_only = verb.parse().is_ok_and(is_client_only);
        assert!(is_client_only && is_told_where, "{context}: {text}");
    }
    for rest in text.split("`anvil ").skip(1) {
        let verb = rest
            .split(|char: char| !(char.is_alphanumeric() || char == '-'))
            .next()
            .unwrap_or_default();
        assert!(!verb.parse().is_ok_and(is_client_only), "{context}: {text}");
    }
}

fn check_client(text: &str, context: &str) {
    assert!(!text.contains("`anvil "), "{context}: {text}");
    for rest in text.split("/anvil:").skip(1) {
        let verb: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        let verb: Option<Verb> = verb.parse().ok();
        assert!(verb.and_then(slash_command).is_some(), "{context}: {text}");
    }
}

#[test]
fn no_hint_names_a_command_of_the_other_interface() {
    let typed = LINES.iter().map(|line| (*line, line.split_whitespace().collect::<Vec<_>>()));
    let pairs = PAIRS.iter().map(|(typed, shell)| (*typed, shell.to_vec()));
    let lines: Vec<(&str, Vec<&str>)> = typed.chain(pairs).collect();
    let mut hints = 0;
    let shells = scenes();
    for ((scene, shell), (_, client)) in shells.iter().zip(scenes()) {
        for (typed, words) in &lines {
            let printed = shell.run(words);
            let context = format!("{scene}: {words:?}");
            check_shell(&printed.stdout, &context);
            check_shell(&printed.stderr, &context);
            hints += printed.stderr.matches("hint: ").count();
            for session in ["one", "two"] {
                let answer = client.prompt(session, &format!("/anvil:{typed}"));
                let context = format!("{scene}, {session}: {typed}");
                check_client(answer.message(), &context);
                check_client(answer.reason(), &context);
            }
        }
    }
    assert!(hints > 100, "{hints}");
}
