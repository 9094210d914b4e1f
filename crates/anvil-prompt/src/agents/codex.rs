//! The output of `codex exec --json`: one event a line (measured on 0.169).

use serde_json::Value;

use super::own_words::kind_of_status;
use super::printed::{AgentAnswer, Failure, Figures, Printed, misshapen};
use anvil_core::attempt::FailureKind;
use anvil_core::reply::Usage;
use anvil_text::from_json;

/// How errors without a status begin, and their kinds. The first match counts.
const ERRORS: [(&str, FailureKind); 16] = [
    ("Quota exceeded", FailureKind::Quota),
    ("You've hit your usage limit", FailureKind::Quota),
    ("To use Codex with your ChatGPT plan", FailureKind::Quota),
    ("Missing environment variable", FailureKind::Login),
    ("error sending request for url (https://auth.openai.com", FailureKind::Login),
    ("Codex ran out of room in the model's context window", FailureKind::Rejected),
    ("The model `", FailureKind::Rejected),
    ("Incomplete response returned, reason: max_output_tokens", FailureKind::Rejected),
    (
        "stream disconnected before completion: Incomplete response returned, reason: \
         content_filter",
        FailureKind::Refusal,
    ),
    ("stream disconnected before completion", FailureKind::Transient),
    ("We're currently experiencing high demand", FailureKind::Transient),
    ("Selected model is at capacity", FailureKind::Transient),
    ("rate limit exceeded", FailureKind::Transient),
    ("Connection failed", FailureKind::Transient),
    ("error sending request", FailureKind::Transient),
    ("timeout waiting for", FailureKind::Transient),
];

/// Reads the output of an ended run: the last message that is not blank, if the turn was completed.
pub fn answer(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let mut text = None;
    let mut usage = None;
    let mut is_completed = false;
    let mut failure = None;
    for line in printed.output.split(|byte| *byte == b'\n') {
        let Ok(event) = from_json::<Value>(line) else { continue };
        match event["type"].as_str() {
            Some("item.completed") if event["item"]["type"] == "agent_message" => {
                let message = event["item"]["text"].as_str().unwrap_or_default();
                if !message.trim().is_empty() {
                    text = Some(message.to_owned());
                }
            }
            Some("turn.completed") => {
                is_completed = true;
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or(0);
                // The input has the cached tokens in it.
                let cached = count("cached_input_tokens");
                let fresh = count("input_tokens").saturating_sub(cached);
                usage = Some(Usage { fresh, cached, out: count("output_tokens") });
            }
            // Earlier events of type `error` may be about a connection that was restored.
            Some("turn.failed") => failure = event["error"]["message"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    // The output names no model.
    let figures = Figures { usage, ..Figures::default() };
    if is_completed && printed.code == Some(0) {
        return Ok(AgentAnswer { text: text.unwrap_or_default(), figures });
    }
    let Some(message) = failure else {
        // An event in JSON is no message for the user.
        let printed = Printed { output: b"", ..*printed };
        return Err(misshapen(&printed, "it ended without completing its turn"));
    };
    Err(Failure { figures, ..Failure::new(kind(&message), &message) })
}

/// The kind of an error: by the HTTP status if the message has one, else by its first words.
fn kind(message: &str) -> FailureKind {
    let numbered = ["unexpected status ", "exceeded retry limit, last status: "];
    let status =
        numbered.iter().find_map(|begin| message.strip_prefix(begin)?.get(..3)?.parse().ok());
    // Some versions write the apostrophe of typewriters.
    let plain = message.replace('’', "'");
    match status {
        Some(status) => kind_of_status(status),
        None => ERRORS
            .iter()
            .find(|(begin, _)| plain.starts_with(begin))
            .map_or(FailureKind::Crash, |(_, kind)| *kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputFormat;

    /// An event of several lines as one line.
    fn one_line(event: &str) -> String {
        event.lines().map(str::trim).collect()
    }

    fn read(lines: &[&str], code: i32) -> Result<AgentAnswer, Failure> {
        let printed = lines.join("\n");
        crate::agents::answer(
            OutputFormat::Codex,
            &Printed { code: Some(code), output: printed.as_bytes(), stderr: b"WARN" },
        )
    }

    #[test]
    fn the_status_or_first_words_decide_the_kind_of_failure() {
        use FailureKind::{Crash, Login, Quota, Refusal, Rejected, Transient};
        for (message, expected) in [
            (
                "We’re currently experiencing high demand, which may cause temporary errors.",
                Transient,
            ),
            ("Selected model is at capacity. Please try a different model.", Transient),
            ("unexpected status 529 <unknown status code>: Overloaded, url: U", Transient),
            ("exceeded retry limit, last status: 429 Too Many Requests", Transient),
            ("rate limit exceeded: Rate limit reached. Please try again in 1s.", Transient),
            (
                "stream disconnected before completion: stream closed before response.completed",
                Transient,
            ),
            ("Connection failed: error sending request", Transient),
            ("Quota exceeded. Check your plan and billing details.", Quota),
            (
                "You’ve hit your usage limit. Upgrade to Pro (U), visit U or try again at 4:48 AM.",
                Quota,
            ),
            ("You've hit your usage limit. Try again later.", Quota),
            ("To use Codex with your ChatGPT plan, upgrade to Plus: U", Quota),
            ("unexpected status 402 Payment Required: no, url: U", Quota),
            ("unexpected status 401 Unauthorized: no, url: U", Login),
            ("unexpected status 403 Forbidden: no, url: U", Login),
            ("error sending request for url (https://auth.openai.com/oauth/token)", Login),
            ("Missing environment variable: `OPENAI_API_KEY`.", Login),
            (
                "Codex ran out of room in the model's context window. Start a new thread or clear \
                 earlier history before retrying.",
                Rejected,
            ),
            ("The model `X` does not exist or you do not have access to it.", Rejected),
            ("Incomplete response returned, reason: max_output_tokens", Rejected),
            (
                "stream disconnected before completion: Incomplete response returned, reason: \
                 content_filter",
                Refusal,
            ),
            // Unknown words of the service decide nothing.
            ("This request was flagged: rate limit exceeded, Quota exceeded", Crash),
        ] {
            let event = serde_json::json!({"type": "turn.failed", "error": {"message": message}})
                .to_string();
            let half = r#"{"type":"item.completed","item":{"type":"agent_message","text":"Half"}}"#;
            assert_eq!(read(&[half, &event], 1).unwrap_err().kind, expected, "{message}");
        }
    }

    #[test]
    fn the_last_message_of_a_completed_turn_is_the_reply() {
        let message = &one_line(
            r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message",
            "text":"Hello."}}"#,
        );
        let early = &one_line(
            r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message",
            "text":"Wait."}}"#,
        );
        let warning =
            r#"{"type":"item.completed","item":{"type":"error","message":"unknown feature"}}"#;
        let again = r#"{"type":"error","message":"Reconnecting... 1/5"}"#;
        let turn_end = &one_line(
            r#"{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":200,
            "output_tokens":300,"reasoning_output_tokens":40}}"#,
        );
        let answer = read(&[warning, again, early, message, turn_end], 0).unwrap();
        let usage = Some(Usage { fresh: 1_000, cached: 200, out: 300 });
        let figures = Figures { usage, ..Figures::default() };
        assert_eq!(answer, AgentAnswer { text: "Hello.".to_owned(), figures });
        let kind = |lines: &[&str], code| read(lines, code).unwrap_err().kind;
        assert_eq!(kind(&[turn_end], 0), FailureKind::Empty);
        assert_eq!(kind(&[message], 0), FailureKind::Misshapen);
        assert_eq!(kind(&[message], 1), FailureKind::Crash);
    }
}
