//! What the turns of a conversation took, in this machine's record of attempts.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::recovery::{line, prompt_in_turn};
use testkit::host::{Answer, Host};

/// Adds lines to the client's transcript.
fn write(host: &Host, lines: &[String]) {
    let path = host.outside("t.jsonl");
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    fs_err::write(path, before + &lines.concat()).unwrap();
}

/// A line of the model, as one block of the answer to this request.
fn spoken(host: &Host, request: &str, text: &str) -> String {
    let content = json!([{ "type": "text", "text": text }]);
    let mut line: Value = serde_json::from_str(&line(host, "assistant", &content)).unwrap();
    line["requestId"] = request.into();
    line["message"]["usage"] = json!({
        "input_tokens": 3, "cache_creation_input_tokens": 400, "cache_read_input_tokens": 20_000,
        "output_tokens": 50,
    });
    format!("{line}\n")
}

fn stop(host: &Host, turn: &str, reply: &str) -> Answer {
    let fields = json!({
        "last_assistant_message": reply, "prompt_id": turn,
        "transcript_path": host.outside("t.jsonl"),
    });
    host.event("one", "Stop", &fields)
}

/// A reply of one request, and its Stop.
fn replied(host: &Host, request: &str, reply: &str) -> Answer {
    write(host, &[spoken(host, request, reply)]);
    let answer = stop(host, "t1", reply);
    let cue = json!({
        "type": "system", "subtype": "stop_hook_summary", "hookErrors": [],
        "hookAdditionalContext": [answer.context()],
    });
    write(host, &[format!("{cue}\n")]);
    answer
}

fn debate(rounds: u8) -> Host {
    let host = Host::new();
    prompt_in_turn(&host, "t1", &format!("/anvil:debate Why? --rounds {rounds}"));
    host
}

fn record(host: &Host) -> Value {
    let printed = host.run(&["attempts", "--json"]);
    printed.json()
}

/// The error, the message and the tokens out of each turn.
fn turns(host: &Host) -> Vec<(String, String, Option<u64>)> {
    let record = record(host);
    let turns = record["turns"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    turns
        .iter()
        .map(|turn| (text(&turn["error"]), text(&turn["message"]), turn["usage"]["out"].as_u64()))
        .collect()
}

fn saved(out: u64) -> (String, String, Option<u64>) {
    (String::new(), String::new(), Some(out))
}

fn record_file(host: &Host) -> PathBuf {
    host.debate_folder_here().join("attempts.jsonl")
}

#[test]
fn each_reply_of_a_conversation_leaves_one_line_and_every_screen_has_the_total() {
    let host = debate(1);
    write(&host, &[spoken(&host, "r0", "I read first."), spoken(&host, "r0", "Then I write.")]);
    replied(&host, "r1", "A1. One.");
    replied(&host, "r2", "C1. No.");
    let shown = host.run(&["status"]).stdout;
    assert!(shown.contains("words · 61,209 tokens in, 150 out\n"), "{shown}");
    let synthesis = host.synthesis("recommendation: Wait.");
    replied(&host, "r3", &synthesis);

    let record = record(&host);
    let turns = record["turns"].as_array().unwrap();
    let of = |key: &str| turns.iter().map(|turn| turn[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("seat"), ["advocate", "critic", "synthesizer"]);
    assert_eq!(of("slot"), ["advocate, round 1", "critic, round 1", "synthesis"]);
    assert_eq!(of("generation"), ["1.0", "2.0", "3.0"]);
    assert_eq!((of("error"), of("model")), (vec![Value::Null; 3], vec!["m".into(); 3]));
    let used = |requests: u64| json!({ "fresh": 403 * requests, "cached": 20_000 * requests, "out": 50 * requests });
    assert_eq!(of("usage"), [used(2), used(1), used(1)]);
    assert_eq!(turns[0]["words"], 8);
    assert_eq!(turns[1]["duration_ms"], 10_000);
    let tasks: Value = host.run(&["tasks", "--json"]).json();
    let claimed: Vec<&Value> =
        tasks["tasks"].as_array().unwrap().iter().map(|task| &task["claimed_at"]).collect();
    assert_eq!(claimed, turns.iter().map(|turn| &turn["asked"]).collect::<Vec<_>>());
    let total = &record["total"];
    assert_eq!((&total["usage"], &total["without_tokens"]), (&used(4), &json!(0)));
    assert_eq!((&total["attempts"], &total["cost"]), (&json!(3), &Value::Null));

    let line = "3 replies, 81,612 tokens in (80,000 cached), 200 out, ";
    let attempts = host.run(&["attempts"]).stdout;
    let first = "-  advocate, round 1  claude  8 words in 10 s, 40,806 tokens in, 100 out";
    assert!(attempts.contains(first) && attempts.contains(line), "{attempts}");
    assert!(!attempts.contains("--show"), "{attempts}");
    assert!(host.run(&["report", "--format", "md", "--output", "-"]).stdout.contains(line));
    assert!(host.run(&["report", "--format", "html", "--output", "-"]).stdout.contains(line));
    let report = host.run(&["report", "--format", "json", "--output", "-"]).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["effort"]["usage"], &report["effort"]["without_tokens"]),
        (&used(4), &json!(0))
    );
}

#[test]
fn a_stop_that_is_delivered_again_leaves_no_line() {
    let host = debate(1);
    write(&host, &[spoken(&host, "r1", "A1. One.")]);
    for _ in 0..2 {
        stop(&host, "t1", "A1. One.");
        host.wait(-10);
    }
    assert_eq!(turns(&host), [saved(50)]);
}

#[test]
fn a_reply_that_is_asked_for_again_has_the_reason() {
    let host = debate(1);
    replied(&host, "r1", "Nothing has a number.");
    replied(&host, "r2", "A1. One.");
    stop(&host, "t1", "");
    let lines = turns(&host);
    let (error, why, out) = &lines[0];
    assert_eq!((error.as_str(), *out), ("misshapen", Some(50)));
    assert!(why.starts_with("number your claims: A1."), "{why}");
    assert_eq!(lines[1..], [saved(50), ("empty".into(), "the reply was empty".into(), None)]);
    assert_eq!(record(&host)["seats"]["advocate"]["metrics"]["retries"], 1);
    let shown = host.run(&["attempts"]).stdout;
    assert!(shown.contains("not usable after 10 s, 20,403 tokens in"), "{shown}");
    assert!(shown.contains("1 retry (advocate 1)"), "{shown}");
    assert!(shown.contains("; 1 attempt reported no tokens"), "{shown}");
}

#[test]
fn an_api_error_leaves_one_line_however_often_it_is_read() {
    let host = debate(1);
    let report = "API Error: 529 {\"type\":\"error\"}";
    let content = json!([{ "type": "text", "text": report }]);
    let failed = line(&host, "assistant", &content).replace("\"m\"", "\"<synthetic>\"");
    write(&host, &[spoken(&host, "r1", "Half"), failed]);
    let expected = [("transient".to_owned(), report.to_owned(), Some(50))];
    for _ in 0..2 {
        let fields = json!({
            "last_assistant_message": report, "prompt_id": "t1",
            "transcript_path": host.outside("t.jsonl"),
        });
        host.event("one", "StopFailure", &fields);
        assert_eq!(turns(&host), expected);
    }
    prompt_in_turn(&host, "t2", "Hello");
    assert_eq!(host.head("status"), "paused");
    assert_eq!(turns(&host), expected);
}

#[test]
fn an_interrupted_turn_is_noted_once_at_the_next_prompt() {
    let note = json!([{ "type": "text", "text": "[Request interrupted by user]" }]);
    for chance in ["Hello", "/anvil:resume", "the session ends"] {
        let host = debate(1);
        write(&host, &[spoken(&host, "r1", "Half"), line(&host, "user", &note)]);
        assert_eq!(turns(&host), []);
        host.wait(3_000);
        if chance == "the session ends" {
            let fields = json!({ "reason": "other", "transcript_path": host.outside("t.jsonl") });
            host.event("one", "SessionEnd", &fields);
        } else {
            prompt_in_turn(&host, "t2", chance);
        }
        let interrupted = ("interrupted".to_owned(), "you stopped it".to_owned(), Some(50));
        assert_eq!(turns(&host), std::slice::from_ref(&interrupted), "{chance}");
        let turn = if chance == "/anvil:resume" { "t2" } else { "t3" };
        for typed in ["And on", "/anvil:resume", "Hello", "/anvil:resume"] {
            prompt_in_turn(&host, turn, typed);
            assert_eq!(turns(&host), std::slice::from_ref(&interrupted), "{chance} {typed}");
        }
        write(&host, &[spoken(&host, "r2", "A1. One.")]);
        stop(&host, turn, "A1. One.");
        assert_eq!(turns(&host), [interrupted, saved(50)], "{chance}");
        let took = &record(&host)["turns"][0]["duration_ms"];
        assert!(took.as_u64().unwrap() < 60_000, "not until the prompt: {took}");
    }
}

#[test]
fn a_record_that_can_not_be_written_costs_no_reply() {
    let host = debate(1);
    replied(&host, "r1", "A1. One.");
    let path = record_file(&host);
    fs_err::remove_file(&path).unwrap();
    fs_err::create_dir(&path).unwrap();
    let answer = replied(&host, "r2", "C1. No.");
    assert!(answer.context().contains("── Synthesis"), "{answer:?}");
    assert!(!answer.message().contains("attempts"), "{answer:?}");
    assert_eq!(host.sections().len(), 2);
}
