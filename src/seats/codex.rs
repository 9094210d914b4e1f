//! What `codex exec --json` prints: an event a line (measured on 0.169).

use serde_json::Value;

use super::printed::{Answer, Failure, Printed, by_code, kind_of_status};
use crate::state::FailureKind;

/// How its errors begin that have no number, and their kinds. The first that fits counts.
const ERRORS: [(&str, FailureKind); 16] = [
    ("Quota exceeded", FailureKind::Quota),
    ("You’ve hit your usage limit", FailureKind::Quota),
    ("To use Codex with your ChatGPT plan", FailureKind::Quota),
    ("Missing environment variable", FailureKind::Login),
    ("error sending request for url (https://auth.openai.com", FailureKind::Login),
    ("Codex ran out of room in the model's context window", FailureKind::Rejected),
    ("The model `", FailureKind::Rejected),
    ("Incomplete response returned, reason: max_output_tokens", FailureKind::Rejected),
    (
        "stream disconnected before completion: Incomplete response returned, reason: content_filter",
        FailureKind::Refusal,
    ),
    ("stream disconnected before completion", FailureKind::Transient),
    ("We’re currently experiencing high demand", FailureKind::Transient),
    ("Selected model is at capacity", FailureKind::Transient),
    ("rate limit exceeded", FailureKind::Transient),
    ("Connection failed", FailureKind::Transient),
    ("error sending request", FailureKind::Transient),
    ("timeout waiting for", FailureKind::Transient),
];

/// The reply of an ended run: its last message, if its turn was completed.
pub(super) fn answer(printed: &Printed<'_>) -> Result<Answer, Failure> {
    let (mut text, mut tokens, mut is_completed, mut failure) = (None, None, false, None);
    for line in printed.output.split(|byte| *byte == b'\n') {
        let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
        match event["type"].as_str() {
            Some("item.completed") if event["item"]["type"] == "agent_message" => {
                text = event["item"]["text"].as_str().map(str::to_owned);
            }
            Some("turn.completed") => {
                is_completed = true;
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or(0);
                tokens = Some(count("input_tokens") + count("output_tokens"));
            }
            // Events of type `error` before it may be about a connection that came back.
            Some("turn.failed") => failure = event["error"]["message"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    if is_completed && printed.code == Some(0) {
        return Ok(Answer { text: text.unwrap_or_default(), tokens, cost: None });
    }
    let Some(message) = failure else {
        return Err(match printed.code {
            Some(0) => Failure::new(FailureKind::Misshapen, "it ended without completing its turn"),
            // A line of its events says nothing to a person.
            _ => by_code(&Printed { output: b"", ..*printed }),
        });
    };
    Err(Failure { tokens, ..Failure::new(kind(&message), &message) })
}

/// The kind of an error: by the status of the answer where it names one, else by the words with which it begins.
fn kind(message: &str) -> FailureKind {
    let numbered = ["unexpected status ", "exceeded retry limit, last status: "];
    let status = numbered.iter().find_map(|begin| message.strip_prefix(begin)?.get(..3)?.parse().ok());
    status.map_or_else(
        || {
            let known = ERRORS.iter().find(|(begin, _)| message.starts_with(begin));
            known.map_or(FailureKind::Crash, |(_, kind)| *kind)
        },
        kind_of_status,
    )
}
