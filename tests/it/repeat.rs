//! A synthesis whose block is wrong: it is saved as it is, its block is asked for once, and the
//! reply becomes a note below it.

use anvil_core::transcript::{self, EntryKind, NoteKind};
use serde_json::Value;

use crate::forge::{Issue, ok_text};
use testkit::host::{Answer, Host};

const CASE: &str = "**A1. It pays.** Less work [reasoning].";
const OBJECTION: &str = "**C1. It costs.** A month [reasoning].\n**Attacks A1:** not at once.";

/// A synthesis whose block leaves out C1. Its blanks and its heading are saved as well.
const FIRST: &str = "It does not pay  yet.\n\n### What to do\n\n1. Wait.\n\n```anvil\nmotion: act\nA1 fell: \
    by C1\nagainst: it is less work\nrecommendation: Wait.\nverdict: do not\nconfidence: 80\nrests on: \
    C1\nflips if: a month is found\nunknown: who has time\n```\n\nThat is all.";

/// The whole block.
const BLOCK: &str = "```anvil\nmotion: act\nA1 fell: by C1\nC1 survived: nobody has a month\nagainst: it is less \
    work\nrecommendation: Wait.\nverdict: do not\nconfidence: 80\nrests on: C1\nflips if: a month is \
    found\nunknown: who has time\n```";

const ASKS: &str = "── Synthesis, once more ── one sentence, then the whole block: C1 is missing.";

fn argued(host: Host) -> Host {
    let host = host.debating("Why? --rounds 1");
    host.stop("one", CASE);
    host.stop("one", OBJECTION);
    host
}

/// A debate whose block is asked for, and what asks for it.
fn waiting() -> (Host, Answer) {
    let host = argued(Host::new());
    let asked = host.stop_with("one", FIRST);
    waits(&host);
    (host, asked)
}

/// The notes below syntheses and judgments.
fn blocks(host: &Host) -> Vec<String> {
    let entries = transcript::parse(&host.state().body);
    let blocks = entries.notes().filter(|(kind, _)| *kind == NoteKind::VerdictBlock);
    blocks.map(|(_, note)| note.text.clone()).collect()
}

#[track_caller]
fn waits(host: &Host) {
    assert_eq!(
        (host.head("status").as_str(), host.head("awaits_block").as_str()),
        ("in_progress", "true")
    );
    assert_eq!(host.reply_texts(), [CASE, OBJECTION, FIRST]);
    assert_eq!(blocks(host), [""; 0]);
}

#[track_caller]
fn ends(host: &Host, percent: u64, notes: &[&str]) {
    assert_eq!(host.head("status"), "completed", "{}", host.state_text());
    assert!(!host.state_text().contains("awaits_block"), "{}", host.state_text());
    assert_eq!(host.reply_texts(), [CASE, OBJECTION, FIRST]);
    assert_eq!(blocks(host), notes);
    let status: Value = host.run(&["status", "--json"]).json();
    assert_eq!(
        (&status["verdict"], &status["confidence_percent"]),
        (&"do not".into(), &percent.into())
    );
    // What was written is what a reader without a snapshot accepts.
    assert!(host.state().is_orderly_by_itself(), "{}", host.state_text());
}

/// Texts put aside that hold these words.
fn aside(host: &Host, words: &str) -> usize {
    let files = host.aside_files().into_iter();
    files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(words)).count()
}

#[test]
fn a_wrong_block_is_saved_byte_for_byte_and_asked_for_once() {
    let (host, asked) = waiting();
    assert!(asked.context().starts_with(ASKS), "{asked:?}");
    assert!(asked.message().is_empty(), "{asked:?}");
    let end = host.stop_with("one", BLOCK);
    assert!(
        end.context().is_empty() && end.message().starts_with("Why?\nNo: not act, 80% sure. Wait."),
        "{end:?}"
    );
    ends(&host, 80, &[BLOCK]);
    // Its author is noted, and every report shows the block that counts.
    let entries = transcript::parse(&host.state().body);
    let note = entries
        .0
        .iter()
        .find(|entry| entry.what == EntryKind::Note(NoteKind::VerdictBlock))
        .unwrap();
    assert!(note.at.is_some(), "{note:?}");
    assert!(host.run(&["claims"]).stdout.contains("nobody has a month"));
    let report = host.run(&["report", "--format", "md"]).stdout;
    assert!(report.contains("**No: not act, 80% sure.**"), "{report}");
    assert!(report.contains("1. Wait."), "the prose is the first reply's: {report}");
}

#[test]
fn no_screen_has_the_verdict_of_a_repeat_that_changes_what_was_readable() {
    let (host, _) = waiting();
    let end = host.stop_with("one", &BLOCK.replace("confidence: 80", "confidence: 95"));
    let says = "No valid verdict: the block that was asked for again changes";
    assert!(end.message().contains(says) && !end.message().contains("sure"), "{end:?}");
    let status: Value = host.run(&["status", "--json"]).json();
    assert_eq!((&status["standing"], &status["verdict"]), (&"void".into(), &Value::Null));
}

/// A project whose agents write these replies of the last seat, one each time they are asked.
fn agents(replies: &[&str]) -> (Host, Vec<String>) {
    let host = Host::new().with("ANVIL_RETRY_DELAYS", "0,0,0");
    let folder = host.outside("agent");
    fs_err::create_dir(&folder).unwrap();
    for (at, reply) in (1..).zip(replies) {
        fs_err::write(folder.join(format!("{at}.md")), reply).unwrap();
    }
    let script = format!(
        "cd '{}' || exit 9\nn=1; while ! mkdir turn-$n 2>/dev/null; do n=$((n + 1)); done\n\
         cat >prompt-$n; cat $n.md\n",
        folder.display()
    );
    fs_err::write(folder.join("run.sh"), script).unwrap();
    let cases = format!("# advocate, round 1\n\n{CASE}\n\n# critic, round 1\n\n{OBJECTION}\n");
    fs_err::write(host.outside("cases.md"), cases).unwrap();
    let words = [
        format!("--agent=script:{}", host.outside("cases.md").display()),
        format!("--synthesizer=cmd:/bin/sh {}", folder.join("run.sh").display()),
        "--rounds=1".to_owned(),
    ];
    (host, words.to_vec())
}

fn run(host: &Host, words: &[String], more: &[&str]) -> testkit::host::Output {
    let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
    host.run(&[&["run", "Why?"], &words[..]].concat())
}

fn prompt(host: &Host, number: usize) -> String {
    fs_err::read_to_string(host.outside("agent").join(format!("prompt-{number}"))).unwrap()
}

#[test]
fn a_block_that_waits_is_an_open_task() {
    let (host, _) = waiting();
    let task = |host: &Host| {
        let tasks: serde_json::Value = host.run(&["tasks", "--json"]).json();
        tasks["tasks"][2].clone()
    };
    let waits = task(&host);
    assert_eq!((&waits["id"], &waits["status"]), (&"synthesis".into(), &"in_progress".into()));
    let described = waits["description"].as_str().unwrap();
    assert!(described.starts_with("Write the block once more"), "{waits}");
    host.stop_with("one", BLOCK);
    assert_eq!(task(&host)["status"], "done");
}

#[test]
fn a_program_is_asked_for_the_block_with_a_small_prompt() {
    let (host, words) = agents(&[FIRST, BLOCK]);
    let ran = run(&host, &words, &["--fail-on", "low-confidence=85"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    ends(&host, 80, &[BLOCK]);
    let (whole, small) = (prompt(&host, 1), prompt(&host, 2));
    for part in ["C1 is missing", "It does not pay  yet.", "It costs"] {
        assert!(small.contains(part), "{part}: {small}");
    }
    assert!(!small.contains("Less work [reasoning]"), "no reply but its own: {small}");
    assert!(small.len() < whole.len(), "{small}");
    let attempts = host.run(&["attempts"]).stdout;
    assert_eq!(attempts.matches("  synthesis  ").count(), 2, "each was asked for once: {attempts}");
    // A wrong block a second time, and words instead of one.
    for (repeat, aside_of) in [("It is as I SAID.", "It is as I SAID."), (FIRST, "")] {
        let (host, words) = agents(&[FIRST, repeat]);
        let ran = run(&host, &words, &[]);
        assert!(ran.code == 0 && ran.stdout.contains("No: not act, 80% sure."), "{ran:?}");
        assert_eq!((host.head("status"), host.reply_texts().len()), ("completed".into(), 3));
        assert!(aside_of.is_empty() || aside(&host, aside_of) == 1, "{repeat}");
    }
}

#[test]
fn a_run_that_ended_before_the_repeat_resumes_with_it() {
    // The agent has no second reply.
    let (host, words) = agents(&[FIRST]);
    let ran = run(&host, &words, &[]);
    assert_eq!((ran.code, host.head("awaits_block").as_str()), (5, "true"), "{ran:?}");
    assert_eq!(host.reply_texts(), [CASE, OBJECTION, FIRST]);
    let tried = (2..9).take_while(|n| host.outside(&format!("agent/turn-{n}")).exists()).count();
    fs_err::write(host.outside(&format!("agent/{}.md", tried + 2)), BLOCK).unwrap();
    let resumed = host.run(&["run", "--resume", &words[0], &words[1]]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    ends(&host, 80, &[BLOCK]);
    // A session takes it over as well.
    let (host, words) = agents(&[FIRST]);
    run(&host, &words, &[]);
    let told = host.prompt("one", "/anvil:resume --take-over");
    assert!(told.context().contains(ASKS), "{told:?}");
    host.stop_with("one", BLOCK);
    ends(&host, 80, &[BLOCK]);
}

#[test]
fn each_judge_is_asked_for_its_own_block() {
    let other = BLOCK.replace("verdict: do not", "verdict: do").replace("80", "90");
    let (host, words) = agents(&[FIRST, BLOCK, "I say do.", &other, BLOCK]);
    let ran = run(&host, &words, &["--judges", "3", "--jobs", "1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let entries = transcript::parse(&host.state().body);
    let notes: Vec<(NoteKind, String)> =
        entries.notes().map(|(kind, note)| (kind, note.text.clone())).collect();
    let expected = [
        (NoteKind::Judgment, FIRST.to_owned()),
        (NoteKind::VerdictBlock, BLOCK.to_owned()),
        (NoteKind::Judgment, "I say do.".to_owned()),
        (NoteKind::VerdictBlock, other.clone()),
        (NoteKind::Judgment, BLOCK.to_owned()),
    ];
    assert_eq!(notes, expected);
    let end = host.reply_texts().pop().unwrap();
    assert!(end.contains("\nverdict: do not\njudges: 2 of 3\nconfidence: 80\n"), "{end}");
    assert!(end.contains("Judge 2 says do, 90%"), "{end}");
    assert!(prompt(&host, 4).contains("there is no `anvil` block"), "{}", prompt(&host, 4));
    assert!(!prompt(&host, 4).contains("It does not pay"), "no judge reads another");
    // One undo takes back the whole synthesis.
    let undone = host.run(&["undo"]);
    assert!(undone.stdout.contains(", synthesis ("), "{undone:?}");
    assert_eq!((host.reply_texts().len(), host.head("status")), (2, "paused".into()));
}

#[test]
fn a_step_writes_the_block_as_a_reply_of_its_own() {
    let (host, words) = agents(&[FIRST, BLOCK]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (agents, rounds) = words.split_at(2);
    let step = |more: &[&str], body: &str| {
        let printed = host.pipe(&[&["step", "--json"], agents, more].concat(), body);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
        let value: Value = printed.json();
        (value["body"].as_str().unwrap().to_owned(), value["done"] == true)
    };
    let (mut body, mut is_done) = step(&[&["Why?"], rounds].concat(), "");
    let mut steps = 1;
    while !is_done {
        (body, is_done) = step(&[], &body);
        steps += 1;
        assert!(steps < 9, "{body}");
    }
    assert_eq!(steps, 4, "advocate, critic, synthesis, block");
    let state = host.pipe(&["body", "extract", "--state"], &body).stdout;
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    fs_err::write(host.state_path(), state).unwrap();
    ends(&host, 80, &[BLOCK]);
}

#[test]
fn a_debate_whose_block_waits_travels_through_an_issue() {
    let issue = Issue::new("Text");
    let here = argued(issue.machine());
    here.stop_with("one", FIRST);
    waits(&here);
    ok_text(&here.run(&["publish", "7"]));
    let there = issue.machine();
    ok_text(&there.run(&["pull", "7"]));
    assert_eq!(
        (there.head("awaits_block"), there.state().body),
        ("true".into(), here.state().body)
    );
    let told = there.prompt("two", "/anvil:resume");
    assert!(told.context().contains(ASKS), "{told:?}");
    there.stop_with("two", BLOCK);
    ends(&there, 80, &[BLOCK]);
    ok_text(&there.run(&["publish", "7"]));
    // The first machine has only less of the same debate.
    here.session_end("one");
    ok_text(&here.run(&["pull", "7"]));
    ends(&here, 80, &[BLOCK]);
}
