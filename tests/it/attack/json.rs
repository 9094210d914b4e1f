//! JSON of other programs in which a text holds half a surrogate pair, as programs in JavaScript
//! print it. Every door reads it like the same JSON with U+FFFD there.

use anvil_prompt::{OutputFormat, Printed, answer};
use serde_json::{Value, json};

use super::mutate::{change_field, fields};
use testkit::host::Host;
use testkit::sample::try_sample;

/// Lines of JSON, and what a door reads in them.
struct Door {
    lines: Vec<Value>,
    read: Box<dyn Fn(&str) -> String>,
}

/// A stand-in for half a pair, which no JSON value can hold.
const HALF: char = '\u{E000}';

/// What a Stop leaves in a debate.
fn stopped(event: &str, transcript: &str) -> String {
    let host = Host::new().debating("Why? --rounds 2");
    fs_err::write(host.path("session.jsonl"), transcript).unwrap();
    let answer = host.hook_raw(event.as_bytes(), host.root(), None);
    let texts: Vec<String> = host.sections().into_iter().map(|section| section.text).collect();
    format!("{} {texts:?}", answer.is_silent())
}

fn printed(output: OutputFormat, lines: Vec<Value>) -> Door {
    let read = move |lines: &str| {
        let printed = Printed { code: Some(0), output: lines.as_bytes(), stderr: b"" };
        format!("{:?}", answer(output, &printed))
    };
    Door { lines, read: Box::new(read) }
}

fn doors() -> Vec<Door> {
    let stop = |last: Value| {
        json!({
            "session_id": "one", "hook_event_name": "Stop", "transcript_path": "session.jsonl",
            "last_assistant_message": last, "background_tasks": [{ "type": "x", "status": "y" }],
        })
    };
    let line = |text: &str| {
        json!({ "type": "assistant", "message": { "id": "1", "model": "m", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": text }] } })
    };
    let without_text = stop(Value::Null).to_string();
    let carried = Host::new().debating("Why? --rounds 2");
    carried.stop("one", "**A1. It pays.** Less work.");
    let body = carried.run(&["body", "embed"]).stdout;
    let block = body.lines().find(|line| line.starts_with('{')).expect("a document").to_owned();
    let check = move |line: &str| {
        let body = body.replace(&block, line.trim_end());
        let checked = Host::new().pipe(&["body", "check"], &body);
        format!("{checked:?}")
    };
    let carried: Value = {
        let body = carried.run(&["body", "embed"]).stdout;
        serde_json::from_str(body.lines().find(|line| line.starts_with('{')).unwrap()).unwrap()
    };
    vec![
        Door {
            lines: vec![stop(json!("**A1. It pays.** Less work."))],
            read: Box::new(|event| stopped(event, "")),
        },
        Door {
            lines: vec![json!({ "type": "user", "message": { "content": "Why?" } }), line("A1.")],
            read: Box::new(move |lines| stopped(&without_text, lines)),
        },
        Door { lines: vec![carried], read: Box::new(check) },
        printed(
            OutputFormat::Claude,
            vec![
                json!({ "type": "assistant", "error": "x", "message": { "content": [] } }),
                json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 1,
                    "result": "**A1. It pays.**", "modelUsage": { "m": { "inputTokens": 1 } } }),
            ],
        ),
        printed(
            OutputFormat::Codex,
            vec![
                json!({ "type": "item.completed",
                    "item": { "type": "agent_message", "text": "**A1. It pays.**" } }),
                json!({ "type": "turn.completed", "usage": { "input_tokens": 1 } }),
            ],
        ),
        printed(OutputFormat::Gemini, vec![json!({ "response": "**A1. It pays.**", "stats": {} })]),
    ]
}

#[test]
fn half_a_surrogate_pair_is_read_as_a_replacement_character_at_every_door() {
    let doors = doors();
    let places: Vec<(&Door, usize, Vec<String>)> = doors
        .iter()
        .flat_map(|door| {
            let lines = door.lines.iter().enumerate();
            lines.flat_map(move |(at, line)| {
                fields(line).into_iter().map(move |names| (door, at, names))
            })
        })
        .collect();
    try_sample(places.len(), 20, |case| {
        let (door, at, names) = &places[case];
        let mut lines = door.lines.clone();
        change_field(&mut lines[*at], names, Some(&json!(format!("half {HALF}, **A1. x**"))));
        let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".into()]).collect();
        let [half, whole] =
            [r"\ud83d", r"\ufffd"].map(|unit| (door.read)(&text.replace(HALF, unit)));
        assert_eq!(half, whole, "{names:?} of {}", door.lines[*at]);
    });
}
