//! The output of `opencode run --format json`: one event a line (measured on 1.18.33).

use serde_json::Value;

use super::own_words::OwnWords;
use super::printed::{AgentAnswer, Failure, Figures, Printed, by_code, misshapen};
use anvil_core::attempt::FailureKind;
use anvil_core::reply::Usage;
use anvil_text::from_json;

/// Reads the output of an ended run: the texts of the last message that has any.
pub(super) fn answer(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let mut figures = Figures::default();
    let mut texts: Vec<String> = Vec::new();
    let mut message = Value::Null;
    let mut reason = None;
    let mut error = None;
    for line in printed.output.split(|byte| *byte == b'\n') {
        let Ok(event) = from_json::<Value>(line) else { continue };
        let part = &event["part"];
        match event["type"].as_str() {
            Some("text") => {
                let text = part["text"].as_str().unwrap_or_default();
                if text.trim().is_empty() {
                    continue;
                }
                if message != part["messageID"] {
                    texts.clear();
                    message = part["messageID"].clone();
                }
                texts.push(text.to_owned());
            }
            Some("step_finish") => {
                reason = part["reason"].as_str().map(str::to_owned);
                let usage = usage(&part["tokens"]);
                figures.usage = Some(figures.usage.map_or(usage, |sum| sum.plus(usage)));
                // It prints 0 for a model whose price it does not know.
                if let Some(cost) = part["cost"].as_f64().filter(|cost| *cost > 0.0) {
                    figures.cost = Some(figures.cost.unwrap_or(0.0) + cost);
                }
            }
            Some("error") => error = Some(OwnWords::of_error(&event["error"])),
            _ => {}
        }
    }
    if let Some(OwnWords { kind, message }) = error {
        let failure = Failure::new(kind.unwrap_or(FailureKind::Crash), &message);
        return Err(Failure { figures, ..failure });
    }
    let failure = match reason.as_deref() {
        // An event in JSON is no message for the user.
        None => misshapen(&Printed { output: b"", ..*printed }, "it ended without finishing"),
        Some("length") => {
            Failure::new(FailureKind::Rejected, "a limit of tokens has cut the reply")
        }
        Some("content-filter") => Failure::new(FailureKind::Refusal, "its service refused"),
        Some(_) if printed.code == Some(0) => {
            return Ok(AgentAnswer { text: texts.join("\n\n"), figures });
        }
        Some(_) => by_code(&Printed { output: b"", ..*printed }),
    };
    Err(Failure { figures, ..failure })
}

/// The tokens of a step. Thinking counts as written.
fn usage(tokens: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    Usage {
        fresh: count(&tokens["input"]).saturating_add(count(&tokens["cache"]["write"])),
        cached: count(&tokens["cache"]["read"]),
        out: count(&tokens["output"]).saturating_add(count(&tokens["reasoning"])),
    }
}
