//! The Gemini API and the API of chat completions: the [`mock`](crate::mock)'s answers in the shapes
//! that gemini and opencode read.

use serde_json::{Value, json};

use crate::mock::{End, Used};

/// A message of the Gemini API as one event.
pub(crate) fn gemini(text: &str, used: Used, end: End) -> String {
    let reason = match end {
        End::Cut => "MAX_TOKENS",
        End::Refused => "SAFETY",
        End::Whole | End::Broken => "STOP",
    };
    let content = json!({"role": "model", "parts": [{"text": text}]});
    let event = json!({
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": used.fresh + used.cached, "cachedContentTokenCount": used.cached,
            "candidatesTokenCount": used.out, "totalTokenCount": used.sum(),
        },
        "modelVersion": "gemini-mock",
    });
    format!("data: {event}\r\n\r\n")
}

/// An error of the Gemini API. 429 is a used-up quota of the day: `gemini` repeats any other one.
pub(crate) fn gemini_error(status: u16) -> Value {
    let word = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        429 => "RESOURCE_EXHAUSTED",
        _ => "INVALID_ARGUMENT",
    };
    let violation = json!({"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"});
    let failure = json!({
        "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation],
    });
    let details = if status == 429 { vec![failure] } else { Vec::new() };
    json!({"error": {
        "code": status, "message": "the mock says no", "status": word, "details": details,
    }})
}

/// A message of chat completions as events.
pub(crate) fn chat(text: &str, used: Used, end: End) -> String {
    let reason = match end {
        End::Cut => "length",
        End::Refused => "content_filter",
        End::Whole | End::Broken => "stop",
    };
    let usage = json!({
        "prompt_tokens": used.fresh + used.cached, "completion_tokens": used.out,
        "total_tokens": used.sum(), "prompt_tokens_details": {"cached_tokens": used.cached},
    });
    let event = |choice: Value, usage: &Value| {
        let event = json!({
            "id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": [choice], "usage": usage,
        });
        format!("data: {event}\n\n")
    };
    let said = json!({"index": 0, "delta": {"role": "assistant", "content": text}});
    let ended = json!({"index": 0, "delta": {}, "finish_reason": reason});
    event(said, &Value::Null) + &event(ended, &usage) + "data: [DONE]\n\n"
}
