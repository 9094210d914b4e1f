//! What a program itself says about its failure: the words of its service, a code, a message.

use anvil_core::attempt::FailureKind;
use anvil_text::from_json;
use serde_json::Value;

use super::printed::{Printed, last_line};
use super::values::objects;

/// Most bytes of an output that are searched for an error: it is the last thing printed.
const SEARCHED: usize = 64 * 1024;

/// The words of services and programs for a kind of failure, the first match counts. Each is a
/// constant of an interface: a message such as "the rate of auth errors" has none of them.
const WORDS: [(FailureKind, &[&str]); 7] = [
    (
        FailureKind::Quota,
        &[
            "RESOURCE_EXHAUSTED",
            "insufficient_quota",
            "quota_exceeded",
            "usage_limit_reached",
            "billing_error",
            "billing_hard_limit_reached",
        ],
    ),
    (
        FailureKind::Login,
        &[
            "UNAUTHENTICATED",
            "PERMISSION_DENIED",
            "API_KEY_INVALID",
            "invalid_api_key",
            "authentication_error",
            "permission_error",
            "ProviderAuthError",
        ],
    ),
    (FailureKind::Refusal, &["ContentFilterError", "content_filter"]),
    (FailureKind::Empty, &["INVALID_STREAM"]),
    (
        FailureKind::Rejected,
        &[
            "INVALID_ARGUMENT",
            "NOT_FOUND",
            "model_not_found",
            "not_found_error",
            "context_length_exceeded",
            "ContextOverflowError",
            "MessageOutputLengthError",
        ],
    ),
    (
        FailureKind::Transient,
        &[
            "UNAVAILABLE",
            "DEADLINE_EXCEEDED",
            "rate_limit_exceeded",
            "rate_limit_error",
            "overloaded_error",
            "server_error",
            "api_error",
        ],
    ),
    (FailureKind::Rejected, &["invalid_request_error"]),
];

/// The exit code of `gemini` without a login, which it also prints as the error's code.
const GEMINI_LOGIN: u64 = 41;

/// A program's own words. Without a kind its exit code decides.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OwnWords {
    pub kind: Option<FailureKind>,
    /// Empty: it says nothing.
    pub message: String,
}

impl OwnWords {
    /// The last error object on standard error, else on standard output; without one the last line.
    pub(super) fn of(printed: &Printed<'_>) -> Self {
        let error = [printed.stderr, printed.output].into_iter().find_map(|stream| {
            let from = stream.len().saturating_sub(SEARCHED);
            objects(&stream[from..]).iter().rev().find_map(Self::of_object)
        });
        if let Some(error) = error {
            return error;
        }
        match last_line(printed.stderr) {
            Some(message) => Self { kind: kind_of_words(&message), message },
            // A model may have written it.
            None => Self { kind: None, message: last_line(printed.output).unwrap_or_default() },
        }
    }

    /// The words of an object with an `error` that says something.
    pub(super) fn of_object(object: &Value) -> Option<Self> {
        let error = object.get("error").filter(|error| !error.is_null())?;
        Some(Self::of_error(error))
    }

    /// An error's word decides its kind, else its code.
    pub(super) fn of_error(error: &Value) -> Self {
        let kind = kind_of_words(&error.to_string());
        let message = message(error);
        let kind = kind.or_else(|| match code(error)? {
            GEMINI_LOGIN => Some(FailureKind::Login),
            // The same number stands for "too fast" and for "used up".
            429 if message.to_lowercase().contains("quota") => Some(FailureKind::Quota),
            status => Some(kind_of_status(status)).filter(|kind| *kind != FailureKind::Crash),
        });
        Self { kind, message }
    }
}

/// The kind of failure of an HTTP status. Only the number counts; the text around it does not.
pub(super) fn kind_of_status(status: u64) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Login,
        402 => FailureKind::Quota,
        400 | 404 | 413 | 422 => FailureKind::Rejected,
        408 | 409 | 425 | 429 | 500..=599 => FailureKind::Transient,
        _ => FailureKind::Crash,
    }
}

/// The kind that whole words of a text name.
fn kind_of_words(text: &str) -> Option<FailureKind> {
    let words: Vec<&str> =
        text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').collect();
    let (kind, _) =
        WORDS.iter().find(|(_, names)| names.iter().any(|name| words.contains(name)))?;
    Some(*kind)
}

/// The message of an error. A program may put the service's answer into its own, as a text.
fn message(error: &Value) -> String {
    let text = match error {
        Value::String(text) => text.as_str(),
        _ => error["message"].as_str().or_else(|| error["data"]["message"].as_str()).unwrap_or(""),
    };
    let inner = from_json::<Value>(text).ok();
    match inner.as_ref().and_then(|inner| inner["error"]["message"].as_str()) {
        Some(message) => message.to_owned(),
        None if text.is_empty() => "it gives no details".to_owned(),
        None => text.to_owned(),
    }
}

/// The status in an error: a number, or a text of one.
fn code(error: &Value) -> Option<u64> {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let names = ["code", "status", "statusCode", "status_code"];
    [error, &error["data"]]
        .into_iter()
        .flat_map(|object| names.iter().map(move |name| &object[*name]))
        .find_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind::{Login, Quota, Rejected, Transient};

    fn words(stderr: &str, output: &str) -> (Option<FailureKind>, String) {
        let (stderr, output) = (stderr.as_bytes(), output.as_bytes());
        let OwnWords { kind, message } = OwnWords::of(&Printed { code: Some(1), output, stderr });
        (kind, message)
    }

    #[test]
    fn the_status_word_decides_before_the_code() {
        for (error, kind, message) in [
            (r#"{"code":429,"message":"No.","status":"RESOURCE_EXHAUSTED"}"#, Some(Quota), "No."),
            (r#"{"code":429,"message":"Quota exceeded"}"#, Some(Quota), "Quota exceeded"),
            (r#"{"code":429,"message":"Slow down."}"#, Some(Transient), "Slow down."),
            (r#"{"type":"insufficient_quota","message":"No."}"#, Some(Quota), "No."),
            (r#"{"status":503,"message":"Busy."}"#, Some(Transient), "Busy."),
            (r#"{"statusCode":"401","message":"No."}"#, Some(Login), "No."),
            (
                r#"{"code":"invalid_api_key","type":"invalid_request_error","message":"No."}"#,
                Some(Login),
                "No.",
            ),
            (r#"{"type":"invalid_request_error","message":"No."}"#, Some(Rejected), "No."),
            (
                r#"{"code":400,"message":"{\"error\":{\"message\":\"Key.\",\"reason\":\"API_KEY_INVALID\"}}"}"#,
                Some(Login),
                "Key.",
            ),
            (r#"{"data":{"message":"No.","statusCode":402}}"#, Some(Quota), "No."),
            (r#""The auth rate is over quota.""#, None, "The auth rate is over quota."),
            (r#"{"code":7}"#, None, "it gives no details"),
        ] {
            let object = format!("{{\n\"error\": {error}\n}}");
            for (stderr, output) in [(object.as_str(), ""), ("", object.as_str())] {
                assert_eq!(words(stderr, output), (kind, message.to_owned()), "{error}");
            }
        }
    }

    #[test]
    fn without_an_error_object_the_last_line_speaks() {
        for (stderr, output, kind, message) in [
            ("", "", None, ""),
            ("first\nlast\n\n", "half", None, "last"),
            ("", "one\ntwo", None, "two"),
            ("", "A model wrote api_error.", None, "A model wrote api_error."),
            (
                "Error code: 429 - {'type': 'insufficient_quota'}",
                "",
                Some(Quota),
                "Error code: 429 - {'type': 'insufficient_quota'}",
            ),
            ("the auth rate was over quota", "", None, "the auth rate was over quota"),
            ("{\"error\":null}\nlast", "", None, "last"),
        ] {
            assert_eq!(words(stderr, output), (kind, message.to_owned()), "{stderr}");
        }
    }
}
