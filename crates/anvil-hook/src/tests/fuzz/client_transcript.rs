//! The client's transcript: exactly the texts of the phase are saved, whatever is between them.

use anvil_core::place::Place;
use anvil_core::transcript;
use anvil_store::StateFile;
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use super::event::Stage;
use super::hostile::{Change, changed, changes, piece};
use super::try_inputs;

/// One line of a transcript.
#[derive(Clone, Debug)]
enum Line {
    /// A text of the model; the piece makes it hostile.
    Text(String),
    /// A tool call and its result.
    Tool(String),
    /// A subagent's prompt or text.
    Subagent(bool, String),
    /// Half of a text.
    Torn(String),
    /// Bytes that are not JSON.
    Junk(Vec<u8>),
    /// JSON of another kind.
    Other(Value),
    /// One line with this many bytes, and this many brackets.
    Long(usize, usize),
}

fn lines(most: usize) -> impl Strategy<Value = Vec<Line>> {
    let other = vec![
        json!(null),
        json!([]),
        json!("\"user\""),
        json!({ "type": "user" }),
        json!({ "type": "assistant", "message": { "content": 7 } }),
        json!({ "type": "assistant", "message": { "content": [] } }),
        json!({ "type": "user", "isMeta": true, "message": { "content": "a body" } }),
        json!({ "type": "user", "message": { "content": "<task-notification>\nnews" } }),
        json!({ "type": "attachment", "attachment": { "type": "hook_additional_context", "hookEvent": "PostToolUse" } }),
        json!({ "type": "system", "subtype": "stop_hook_summary", "hookErrors": [], "hookAdditionalContext": [] }),
        json!({ "type": "summary", "summary": "of \"assistant\" and \"user\"" }),
        json!({ "type": "file-history-snapshot", "snapshot": { "\"Stop\"": {} } }),
    ];
    let junk = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        select(vec![
            &b""[..],
            b"\0\0\0\0",
            b"\xFF\xFE\"assistant\"",
            b"{\"type\":\"assistant\"",
            b"\r",
            b"   ",
            b"\"user\"",
            b"{\"type\":\"user\",\"message\":{\"content\":\"\xC3\"}}",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    let line = prop_oneof![
        6 => piece().prop_map(Line::Text),
        2 => piece().prop_map(Line::Tool),
        3 => (any::<bool>(), piece()).prop_map(|(told, text)| Line::Subagent(told, text)),
        1 => piece().prop_map(Line::Torn),
        2 => junk.prop_map(Line::Junk),
        2 => select(other).prop_map(Line::Other),
        1 => (prop_oneof![9 => 0..3_000_usize, 1 => 0..400_000_usize], 0..2_000_usize)
            .prop_map(|(bytes, depth)| Line::Long(bytes, depth)),
    ];
    prop::collection::vec(line, 0..=most)
}

/// The part before the phase, the phase's cue, the phase, its last text, and the end of the file.
#[derive(Clone, Debug)]
struct Case {
    before: Vec<Line>,
    cue: usize,
    phase: Vec<Line>,
    last: String,
    after: Vec<Line>,
    end: &'static str,
}

fn cases() -> impl Strategy<Value = Case> {
    let after = lines(4).prop_map(|lines| {
        lines.into_iter().filter(|line| !matches!(line, Line::Text(_) | Line::Tool(_))).collect()
    });
    (
        lines(8),
        0..3_usize,
        lines(12),
        piece(),
        after,
        select(vec!["", "\n", "\n\n", "\n{\"type\":\"assis", "\n\0\0\0"]),
    )
        .prop_map(|(before, cue, phase, last, after, end)| Case {
            before,
            cue,
            phase,
            last,
            after,
            end,
        })
}

/// Writes lines and records the texts of the phase.
struct Writer {
    bytes: Vec<u8>,
    texts: Vec<String>,
    number: usize,
}

impl Writer {
    fn text(&mut self, kind: &str, piece: &str) -> String {
        self.number += 1;
        format!("{kind}{} {piece}.", self.number)
    }

    fn json(&mut self, at: Timestamp, line: &Value) {
        let mut line = line.clone();
        if let Some(line) = line.as_object_mut() {
            line.insert("timestamp".into(), json!(at.to_string()));
        }
        self.bytes.extend_from_slice(line.to_string().as_bytes());
        self.bytes.push(b'\n');
    }

    fn said(&mut self, at: Timestamp, text: &str) {
        let message = json!({ "model": "m", "content": [{ "type": "text", "text": text }] });
        self.json(at, &json!({ "type": "assistant", "isSidechain": false, "message": message }));
        self.texts.push(text.to_owned());
    }

    fn line(&mut self, at: Timestamp, line: &Line) {
        match line {
            Line::Text(piece) => {
                let text = self.text("phase", piece);
                self.said(at, &text);
            }
            Line::Tool(piece) => {
                let call = json!([{ "type": "tool_use", "id": "t", "name": "Read", "input": { "x": piece } }]);
                self.json(
                    at,
                    &json!({ "type": "assistant", "message": { "model": "m", "content": call } }),
                );
                let result =
                    json!([{ "type": "tool_result", "tool_use_id": "t", "content": piece }]);
                self.json(at, &json!({ "type": "user", "message": { "content": result } }));
            }
            Line::Subagent(told, piece) => {
                let text = self.text("subagent", piece);
                let kind = if *told { "user" } else { "assistant" };
                let message =
                    json!({ "model": "m", "content": [{ "type": "text", "text": text }] });
                self.json(at, &json!({ "type": kind, "isSidechain": true, "message": message }));
            }
            Line::Torn(piece) => {
                let text = self.text("torn", piece);
                let whole =
                    json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } })
                        .to_string();
                self.bytes.extend_from_slice(&whole.as_bytes()[..whole.len() - 3]);
                self.bytes.push(b'\n');
            }
            Line::Junk(junk) => {
                self.bytes.extend(junk.iter().filter(|byte| **byte != b'\n'));
                self.bytes.push(b'\n');
            }
            Line::Other(value) => self.json(at, value),
            Line::Long(bytes, depth) => {
                let deep = "[".repeat(*depth) + &"]".repeat(*depth);
                let long = "\"user\"".repeat(bytes / 6);
                self.bytes.extend_from_slice(
                    format!("{{\"type\":\"progress\",\"x\":{deep},\"y\":{}}}\n", json!(long))
                        .as_bytes(),
                );
            }
        }
    }
}

/// The transcript of a case, and the texts of its phase.
fn write(case: &Case, phase_began: Timestamp) -> (Vec<u8>, Vec<String>) {
    let mut writer = Writer { bytes: Vec::new(), texts: Vec::new(), number: 0 };
    let before = phase_began - 5.seconds();
    let during = phase_began + 5.seconds();
    for line in &case.before {
        writer.line(before, line);
    }
    let context =
        json!({ "type": "hook_additional_context", "hookEvent": "Stop", "content": ["Cue"] });
    let cues = [
        json!({ "type": "user", "message": { "content": "/anvil:debate Why?" } }),
        json!({ "type": "attachment", "attachment": context }),
        json!({ "type": "system", "subtype": "stop_hook_summary", "hookAdditionalContext": ["Cue"] }),
    ];
    writer.json(during, &cues[case.cue]);
    writer.texts.clear();
    for line in &case.phase {
        writer.line(during, line);
    }
    let last = writer.text("phase", &case.last);
    writer.said(during, &last);
    for line in &case.after {
        writer.line(during, line);
    }
    writer.bytes.extend_from_slice(case.end.as_bytes());
    (writer.bytes, writer.texts)
}

/// Sends the Stop of a case with this transcript; returns the saved text.
fn file(stage: &mut Stage, transcript: &[u8], last: Option<&str>) -> Result<String, TestCaseError> {
    let path = stage.beside("session.jsonl");
    fs_err::write(&path, transcript).unwrap();
    let event = json!({ "hook_event_name": "Stop", "session_id": "one", "last_assistant_message": last, "transcript_path": path });
    stage.send(event.to_string().as_bytes())?;
    let read = StateFile::parse(&fs_err::read_to_string(stage.state_path()).unwrap());
    let body = read.map_err(|error| TestCaseError::fail(error.to_string()))?.body;
    let mut entries = transcript::parse(&body).0;
    prop_assert!(entries.len() <= 1);
    Ok(entries.pop().map(|entry| entry.text).unwrap_or_default())
}

/// The text as Anvil saves it: no text of a case is the end mark.
fn plain(text: &str) -> String {
    transcript::normalise(text).trim_end().to_owned()
}

#[expect(clippy::needless_pass_by_value, reason = "a case is given away by who made it")]
fn holds(case: Case) -> TestCaseResult {
    let mut stage = Stage::new(Place::FIRST);
    let (bytes, texts) = write(&case, stage.now);
    let filed = file(&mut stage, &bytes, texts.last().map(String::as_str))?;
    let wanted: Vec<String> = texts.iter().map(|text| plain(text)).collect();
    prop_assert_eq!(filed, wanted.join("\n\n"));
    Ok(())
}

/// The same with changed bytes anywhere: the only certain property is that the saved text ends with
/// the last text.
fn holds_when_damaged((case, changes): (Case, Vec<Change>)) -> TestCaseResult {
    let mut stage = Stage::new(Place::FIRST);
    let (bytes, texts) = write(&case, stage.now);
    let bytes = changed(&String::from_utf8_lossy(&bytes), &changes);
    let last = texts.last().map(String::as_str).unwrap_or_default();
    let filed = file(&mut stage, &bytes, Some(last))?;
    prop_assert!(filed.ends_with(&plain(last)), "{:?}", filed);
    Ok(())
}

#[test]
fn exactly_the_texts_of_the_phase_are_saved() {
    try_inputs(50, &cases(), holds);
}

#[test]
fn a_damaged_transcript_does_not_hide_the_last_text() {
    try_inputs(8, &(cases(), changes(3)), holds_when_damaged);
}
