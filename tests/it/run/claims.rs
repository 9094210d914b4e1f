//! `anvil claim` and `anvil submit`: a person, a script or another program writes one reply, and
//! each reply is filed once.

use std::io::Write as _;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{REPLIES, Room};
use testkit::host::Output;

/// A synthesis without its block, and one that is whole.
const NO_BLOCK: &str = "It depends on the next release.\n";

impl Room {
    fn starts(options: &[&str]) -> Self {
        let room = Self::new();
        let started = room.host.run(&[&["start", "Why?"], options].concat());
        assert_eq!(started.code, 0, "{started:?}");
        room
    }

    /// Claims a task; its token.
    fn claims(&self, words: &[&str]) -> String {
        let printed = self.host.run(&[&["claim"], words].concat());
        assert_eq!(printed.code, 0, "{printed:?}");
        printed.stderr.trim_end().rsplit('\n').next().unwrap().to_owned()
    }

    fn submits(&self, token: &str, reply: &str) -> Output {
        self.host.pipe(&["submit", token], reply)
    }

    fn status_of(&self, task: &str) -> Value {
        let tasks: Value = self.host.run(&["tasks", "--json"]).json();
        let all = tasks["tasks"].as_array().unwrap();
        all.iter().find(|one| one["id"] == task).unwrap()["status"].clone()
    }
}

#[test]
fn a_person_argues_a_debate_by_hand() {
    let room = Room::starts(&["--rounds", "1"]);
    // Without a seat it is the first free task. What waits says for what.
    let waits = room.host.run(&["claim", "critic"]);
    assert!(waits.code == 3 && waits.stderr.contains("waits for advocate-1"), "{waits:?}");
    let claimed = room.host.run(&["claim"]);
    assert!(claimed.code == 0 && claimed.stdout.contains("Why?"), "{claimed:?}");
    let token = claimed.stderr.trim_end().to_owned();
    assert!(token.starts_with("advocate-1.1."), "only the token is on standard error: {token}");
    assert_eq!(room.status_of("advocate-1"), "claimed");
    let status = room.host.run(&["status"]).stdout;
    assert!(status.contains("`anvil submit TOKEN` saves its reply"), "{status}");
    let held = room.host.run(&["claim"]);
    assert!(held.code == 3 && held.stderr.contains("held by the user on"), "{held:?}");

    assert_eq!(room.submits(&token, "").code, 2, "an empty reply says nothing");
    let refused = room.submits("x", "No token.");
    assert!(refused.code == 1 && refused.stderr.contains("is used or unknown"), "{refused:?}");
    // A reply that needs another try keeps the token.
    let again = room.submits(&token, "No number.");
    assert!(again.code == 6 && again.stderr.contains("number your claims: A1."), "{again:?}");
    assert_eq!(room.host.reply_texts(), [""; 0]);
    let saved = room.submits(&token, REPLIES[0]);
    assert!(saved.code == 0 && saved.stdout == "Anvil: advocate-1 is saved\n", "{saved:?}");

    // Nobody writes the next reply, and every screen says so.
    let waits = room.host.run(&["status"]).stdout;
    assert!(waits.contains("Critic, round 1 of 1: waits for a writer"), "{waits}");
    assert!(!waits.contains("min left"), "{waits}");
    let json = |words: &[&str]| -> Value { room.host.run(words).json() };
    let status = json(&["status", "--json"]);
    assert_eq!((&status["step"], &status["task"]), (&json!(2), &json!("critic-1")));
    let nobody = json!({ "phase": 0, "name": "awaiting-invocation", "detail": null });
    assert_eq!(status["sub_step"], nobody);

    // The task of the one claim that is open, with JSON.
    let claimed = room.host.run(&["claim", "critic-1", "--as", "codex", "--json"]);
    let claimed: Value = claimed.json();
    assert_eq!(claimed["task"], "critic-1");
    assert!(claimed["prompt"].as_str().unwrap().contains("Why?"), "{claimed}");
    let writing = json!({ "phase": 1, "name": "writing", "detail": "codex" });
    assert_eq!(json(&["status", "--json"])["sub_step"], writing);
    // Its try stays counted when its holder gives it back.
    assert_eq!(room.host.run(&["tasks", "--drop", "critic-1"]).code, 0);
    let left = json!({ "phase": 1, "name": "awaiting-invocation", "detail": null });
    assert_eq!(json(&["status", "--json"])["sub_step"], left);
    assert_eq!(room.host.run(&["claim", "critic-1", "--as", "codex"]).code, 0);
    let second = json!({ "phase": 2, "name": "writing", "detail": "codex" });
    assert_eq!(json(&["status", "--json"])["sub_step"], second);
    let unknown = room.host.pipe(&["submit", "--task", "synthesis"], REPLIES[2]);
    assert!(
        unknown.code == 1 && unknown.stderr.contains("synthesis is not claimed"),
        "{unknown:?}"
    );
    assert_eq!(room.host.pipe(&["submit", "--task", "critic-1"], REPLIES[1]).code, 0);

    // A synthesis with a wrong block is filed. The same token takes the block, once.
    let token = room.claims(&["synthesizer"]);
    let wrong = room.submits(&token, NO_BLOCK);
    assert!(wrong.code == 6 && wrong.stderr.contains("synthesis is saved"), "{wrong:?}");
    assert_eq!(room.host.reply_texts().len(), 3);
    let again = room.submits(&token, NO_BLOCK);
    let is_asked = again.code == 6 && again.stderr.contains("submit the block of synthesis");
    assert!(is_asked, "it is no other block: {again:?}");
    let complete = room.submits(&token, REPLIES[2]);
    assert!(complete.code == 0 && room.host.head("status") == "completed", "{complete:?}");
    assert_eq!(room.submits(&token, REPLIES[2]).code, 0, "it is saved already");
    assert_eq!(room.submits(&token, REPLIES[1]).code, 1);
    for task in json(&["tasks", "--json"])["tasks"].as_array().unwrap() {
        let times = ["created_at", "claimed_at", "completed_at"].map(|name| task[name].as_str());
        assert!(times.iter().all(Option::is_some) && times.is_sorted(), "{task}");
    }
    let attempts = json(&["attempts", "--json"]);
    assert_eq!(
        (&attempts["total"]["attempts"], &attempts["total"]["bytes"]),
        (&json!(4), &Value::Null)
    );
    assert_eq!(attempts["seats"]["critic"]["status"], "received");
    let report = room.host.run(&["report", "--format", "json", "--output", "-"]).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    let authors: Vec<Value> = report["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["author"]["agent"].clone())
        .collect();
    assert_eq!(authors, [json!("a person"), json!("codex"), json!("a person")], "{report}");
}

#[test]
fn tasks_and_attempts_have_the_width_of_the_terminal() {
    let mut room = Room::starts(&["--rounds", "1"]);
    let name = "the person who keeps the calendar of all releases of the platform, and her deputy";
    room.claims(&["advocate", "--as", name]);
    let mut widest = Vec::new();
    for columns in ["60", "160"] {
        room.host = room.host.with("COLUMNS", columns);
        for verb in ["tasks", "attempts"] {
            let printed = room.host.run(&[verb]).stdout;
            let table = printed.lines().skip(1).filter(|line| !line.contains('`'));
            widest.extend(table.map(|line| line.chars().count()).max());
        }
    }
    assert!(widest[0] <= 60 && widest[1] <= 60 && widest[2] > 80, "{widest:?}");
}

#[test]
fn a_judgment_without_its_block_changes_no_other_claim() {
    let room = Room::new();
    room.does("synthesizer", "exit 9\n");
    assert_eq!(room.run(&["--judges", "2"]).code, 5);
    let [first, second] = ["judge-1", "judge-2"].map(|judge| room.claims(&[judge]));
    assert_eq!(room.submits(&first, NO_BLOCK).code, 6);
    assert_eq!(room.status_of("judge-2"), "claimed");
    let early = room.submits(&second, REPLIES[2]);
    assert!(early.code == 0 && early.stdout.contains("kept"), "{early:?}");
    let complete = room.submits(&first, REPLIES[2]);
    assert!(complete.code == 0 && room.host.head("status") == "completed", "{complete:?}");
}

#[test]
fn a_claim_waits_as_long_as_it_is_told() {
    let room = Room::starts(&["--rounds", "1"]);
    let token = room.claims(&[]);
    let waiting = room
        .host
        .command(&["claim", "critic", "--wait", "60s"], room.host.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(room.submits(&token, REPLIES[0]).code, 0);
    let claimed = waiting.wait_with_output().unwrap();
    let token = String::from_utf8(claimed.stderr).unwrap();
    assert!(claimed.status.success() && token.starts_with("critic-1."), "{token}");
    let over = room.host.run(&["claim", "--wait", "1s"]);
    assert!(over.code == 3 && over.stderr.contains("held by the user on"), "{over:?}");
}

#[test]
fn a_run_takes_no_claimed_task_and_each_door_says_who_holds_it() {
    let room = Room::starts(&["--rounds", "1"]);
    room.claims(&[]);
    let says = "tasks of this debate are claimed: advocate-1 (the user)";
    let refused = room.host.prompt("one", "/anvil:resume");
    assert!(refused.reason().contains(says), "{refused:?}");
    let refused = room.resume(&["--agent", &room.agent("advocate")]);
    assert!(refused.code == 1 && refused.stderr.contains(says), "{refused:?}");
    assert!(refused.stderr.contains("--drop-claims"), "{refused:?}");
    let resumed = room.host.prompt("one", "/anvil:resume --drop-claims");
    assert!(resumed.context().contains("── Advocate"), "{resumed:?}");
    let refused = room.host.run(&["claim"]);
    assert!(refused.code == 1 && refused.stderr.contains("Claude Code argues this"), "{refused:?}");
    assert!(refused.stderr.contains("wait for its reply"), "{refused:?}");
}

/// A debate of voices, which can be written at the same time.
fn stakeholders(count: usize) -> Room {
    let groups: Vec<String> = (1..=count).map(|at| format!("group {at}")).collect();
    Room::starts(&["--stakeholders", &groups.join(",")])
}

fn voice(at: usize) -> String {
    format!("**S{at}.1. Voice {at} says so.** It is so [reasoning].\n")
}

/// Programs claim and submit at the same time, and some die in between. The debate has what was
/// submitted, each reply once and in its place.
#[test]
fn eight_programs_fill_ten_seats_and_none_twice() {
    let room = stakeholders(10);
    let spawn = |words: &[&str], input: &str| {
        let mut command = room.host.command(words, room.host.root());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Who refuses a reply reads none.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child
    };
    let (mut submitted, mut deaths) = (Vec::new(), 0);
    loop {
        let claims: Vec<Child> = (0..8).map(|_| spawn(&["claim", "voice", "--json"], "")).collect();
        let claims = claims.into_iter().map(|claim| claim.wait_with_output().unwrap());
        let claimed: Vec<Value> = claims
            .filter(|claim| claim.status.success())
            .map(|claim| serde_json::from_slice(&claim.stdout).unwrap())
            .collect();
        if claimed.is_empty() {
            break;
        }
        let mut writing = Vec::new();
        for claim in &claimed {
            let task = claim["task"].as_str().unwrap();
            if deaths < 5 {
                // It dies, and its user frees the task.
                deaths += 1;
                assert_eq!(room.host.run(&["tasks", "--drop", task]).code, 0);
                continue;
            }
            let at: usize = task.rsplit('-').next().unwrap().parse().unwrap();
            writing.push(spawn(&["submit", claim["token"].as_str().unwrap()], &voice(at)));
            submitted.push(at);
        }
        for mut child in writing {
            assert!(child.wait().unwrap().success());
        }
    }
    submitted.sort_unstable();
    assert_eq!(submitted, (1..=10).collect::<Vec<_>>());
    let texts = room.host.reply_texts();
    assert!((1..=10).all(|at| texts[at - 1] == voice(at).trim_end()), "{texts:?}");
    assert_eq!(texts.len(), 10);
}
