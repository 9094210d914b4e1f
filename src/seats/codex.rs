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
                tokens = Some(count("input_tokens").saturating_add(count("output_tokens")));
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
            // A line of its events tells the user nothing.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::Output;

    fn read(lines: &[&str], code: i32) -> Result<Answer, Failure> {
        let printed = lines.join("\n");
        crate::seats::answer(
            Output::Codex,
            &Printed { code: Some(code), output: printed.as_bytes(), complaints: b"WARN" },
        )
    }

    #[test]
    fn each_failure_of_codex_has_its_kind_by_its_status_or_the_words_it_begins_with() {
        use FailureKind::{Crash, Login, Quota, Refusal, Rejected, Transient};
        for (message, expected) in [
            ("We’re currently experiencing high demand, which may cause temporary errors.", Transient),
            ("Selected model is at capacity. Please try a different model.", Transient),
            ("unexpected status 529 <unknown status code>: Overloaded, url: U", Transient),
            ("exceeded retry limit, last status: 429 Too Many Requests", Transient),
            ("rate limit exceeded: Rate limit reached. Please try again in 1s.", Transient),
            ("stream disconnected before completion: stream closed before response.completed", Transient),
            ("Connection failed: error sending request", Transient),
            ("Quota exceeded. Check your plan and billing details.", Quota),
            ("You’ve hit your usage limit. Upgrade to Pro (U), visit U or try again at 4:48 AM.", Quota),
            ("To use Codex with your ChatGPT plan, upgrade to Plus: U", Quota),
            ("unexpected status 402 Payment Required: no, url: U", Quota),
            ("unexpected status 401 Unauthorized: no, url: U", Login),
            ("unexpected status 403 Forbidden: no, url: U", Login),
            ("error sending request for url (https://auth.openai.com/oauth/token)", Login),
            ("Missing environment variable: `OPENAI_API_KEY`.", Login),
            (
                "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
                Rejected,
            ),
            ("The model `X` does not exist or you do not have access to it.", Rejected),
            ("Incomplete response returned, reason: max_output_tokens", Rejected),
            ("stream disconnected before completion: Incomplete response returned, reason: content_filter", Refusal),
            // Words of the service that nobody knows decide nothing, whatever they say.
            ("This request was flagged: rate limit exceeded, Quota exceeded", Crash),
        ] {
            let told = serde_json::json!({"type": "turn.failed", "error": {"message": message}}).to_string();
            let half = r#"{"type":"item.completed","item":{"type":"agent_message","text":"Half"}}"#;
            assert_eq!(read(&[half, &told], 1).unwrap_err().kind, expected, "{message}");
        }
    }

    #[test]
    fn a_reply_of_codex_is_the_last_message_of_a_turn_that_was_completed() {
        let message = r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Hello."}}"#;
        let early = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Wait."}}"#;
        let warning = r#"{"type":"item.completed","item":{"type":"error","message":"unknown feature"}}"#;
        let again = r#"{"type":"error","message":"Reconnecting... 1/5"}"#;
        let done = r#"{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":300,"reasoning_output_tokens":40}}"#;
        let answer = read(&[warning, again, early, message, done], 0).unwrap();
        assert_eq!((&*answer.text, answer.tokens, answer.cost), ("Hello.", Some(1500), None));
        let kind = |lines: &[&str], code| read(lines, code).unwrap_err().kind;
        assert_eq!(kind(&[done], 0), FailureKind::Empty);
        assert_eq!(kind(&[message], 0), FailureKind::Misshapen);
        assert_eq!(kind(&[message], 1), FailureKind::Crash);
    }
}
