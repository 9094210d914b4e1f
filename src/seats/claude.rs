//! What `claude -p --output-format stream-json` prints: an event a line, the last one `result` (measured on 2.1.330).

use serde::Deserialize;
use serde_json::Value;

use super::printed::{Answer, Failure, Printed, by_code, kind_of_status};
use crate::state::FailureKind;
use crate::transcript::count_words;

/// The last event. Its keys have no order.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Ended {
    is_error: bool,
    num_turns: u64,
    result: String,
    subtype: String,
    stop_reason: Option<String>,
    terminal_reason: Option<String>,
    api_error_status: Option<u64>,
    api_error: Option<String>,
    total_cost_usd: Option<f64>,
    #[serde(rename = "modelUsage")]
    usage: serde_json::Map<String, Value>,
}

impl Ended {
    /// Those of all models; `usage` beside them is empty where a run was cut off.
    fn tokens(&self) -> Option<u64> {
        let names = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
        let of = |usage: &Value| names.iter().filter_map(|name| usage[name].as_u64()).sum::<u64>();
        (!self.usage.is_empty()).then(|| self.usage.values().map(of).sum())
    }
}

/// What the lines before the last one tell.
#[derive(Default)]
struct Before {
    /// The client's name for an error.
    error: String,
    /// When a used-up quota comes back, in seconds since 1970.
    resets_at: Option<i64>,
}

/// The reply of an ended run.
pub(super) fn answer(printed: &Printed<'_>) -> Result<Answer, Failure> {
    let (mut before, mut ended) = (Before::default(), None);
    for line in printed.output.split(|byte| *byte == b'\n') {
        // Most lines are pieces of text.
        if memchr::memmem::find(line, b"\"text_delta\"").is_some() {
            continue;
        }
        let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
        match event["type"].as_str() {
            Some("assistant") => {
                if let Some(error) = event["error"].as_str() {
                    error.clone_into(&mut before.error);
                }
            }
            Some("rate_limit_event") => before.resets_at = event["rate_limit_info"]["resetsAt"].as_i64(),
            Some("result") => ended = serde_json::from_value::<Ended>(event).ok(),
            _ => {}
        }
    }
    let Some(ended) = ended else {
        return Err(match printed.code {
            Some(0) => Failure::new(FailureKind::Misshapen, "it ended without a result"),
            // A line of its events says nothing to a person.
            _ => by_code(&Printed { output: b"", ..*printed }),
        });
    };
    let (tokens, cost) = (ended.tokens(), ended.total_cost_usd);
    match failure(&ended, &before, printed.code) {
        None => Ok(Answer { text: ended.result, tokens, cost }),
        Some(kind) => {
            let message = if ended.result.is_empty() { &ended.subtype } else { &ended.result };
            Err(Failure { tokens, cost, ..Failure::new(kind, message) })
        }
    }
}

/// What went wrong, by the fields that say so; their words only where there is no field.
fn failure(ended: &Ended, before: &Before, code: Option<i32>) -> Option<FailureKind> {
    let terminal = ended.terminal_reason.as_deref().unwrap_or_default();
    let api_error = ended.api_error.as_deref().unwrap_or_default();
    let is_login = matches!(ended.api_error_status, Some(401 | 403))
        || before.error == "authentication_failed"
        || ended.is_error && ended.result.starts_with("Not logged in");
    let is_quota = api_error == "usage_limit_reached"
        || before.error == "billing_error"
        || before.resets_at.is_some() && ended.api_error_status == Some(429)
        || ended.is_error && ended.result.contains("API usage limits");
    Some(match ended.api_error_status {
        _ if terminal == "aborted_streaming" => FailureKind::Interrupted,
        _ if ended.stop_reason.as_deref() == Some("refusal") => FailureKind::Refusal,
        _ if ended.subtype == "error_max_budget_usd" || is_quota => FailureKind::Quota,
        _ if is_login => FailureKind::Login,
        _ if terminal == "prompt_too_long" || api_error == "max_output_tokens" => FailureKind::Rejected,
        Some(status) if ended.is_error => kind_of_status(status),
        _ if api_error == "connection_failed" || before.error == "server_error" => FailureKind::Transient,
        _ if ended.is_error || ended.subtype != "success" || code != Some(0) => FailureKind::Crash,
        _ if ended.num_turns == 0 => FailureKind::Misshapen,
        _ => return None,
    })
}

/// Words in the pieces of text that have arrived.
pub(super) fn words_so_far(printed: &[u8]) -> usize {
    let mut text = String::new();
    for line in printed.split(|byte| *byte == b'\n') {
        if memchr::memmem::find(line, b"\"text_delta\"").is_some()
            && let Ok(event) = serde_json::from_slice::<Value>(line)
        {
            text.push_str(event["event"]["delta"]["text"].as_str().unwrap_or_default());
        }
    }
    count_words(&text)
}
