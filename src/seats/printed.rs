//! What a program left when it had ended, and what can be told of that without knowing the program. Pure.

use crate::state::FailureKind;
use crate::text::clean;

/// Most characters of what a program complains of.
const MAX_MESSAGE: usize = 300;

/// Exit codes with a meaning that programs agree on (BSD's sysexits.h): try again later, and not allowed.
const TEMPORARY_FAILURE: i32 = 75;
const NO_PERMISSION: i32 = 77;

/// How a program prints its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// The reply, and nothing else.
    Text,
    /// The same; tokens are told among its complaints (`llm -u`).
    Llm,
    /// `claude -p --output-format stream-json`: an event a line, the last one `result`.
    Claude,
    /// `codex exec --json`: an event a line.
    Codex,
    /// `gemini -o json`: one object.
    Gemini,
}

impl Output {
    /// The word for it in a record.
    #[must_use]
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// What a program left when it had ended.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// Its exit code. `None`: a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub output: &'a [u8],
    /// Its complaints.
    pub complaints: &'a [u8],
}

/// A reply, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Its words, as they were printed.
    pub text: String,
    /// Tokens in and out, where they are told.
    pub tokens: Option<u64>,
    /// United States dollars, where they are told.
    pub cost: Option<f64>,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Of which kind.
    pub kind: FailureKind,
    /// In the program's own words, in a line.
    pub message: String,
    /// Seconds after which the service asks to be tried again.
    pub retry_after: Option<u64>,
    /// What it cost all the same.
    pub tokens: Option<u64>,
    /// United States dollars.
    pub cost: Option<f64>,
}

impl Failure {
    /// One that cost nothing that is known.
    #[must_use]
    pub fn new(kind: FailureKind, message: &str) -> Self {
        Self { kind, message: clean(message, MAX_MESSAGE), retry_after: None, tokens: None, cost: None }
    }
}

/// The HTTP status of an error, by its kind. The number counts, and no word beside it.
pub(super) fn kind_of_status(status: u64) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Login,
        402 => FailureKind::Quota,
        400 | 404 | 413 | 422 => FailureKind::Rejected,
        408 | 409 | 425 | 429 | 500..=599 => FailureKind::Transient,
        _ => FailureKind::Crash,
    }
}

/// How a program failed that says so by its exit code alone.
pub(super) fn by_code(printed: &Printed<'_>) -> Failure {
    let complaint = last_line(printed.complaints).or_else(|| last_line(printed.output)).unwrap_or_default();
    match printed.code {
        Some(TEMPORARY_FAILURE) => {
            Failure { retry_after: retry_after(printed.complaints), ..Failure::new(FailureKind::Transient, &complaint) }
        }
        Some(NO_PERMISSION) => Failure::new(FailureKind::Login, &complaint),
        Some(code) if complaint.is_empty() => {
            Failure::new(FailureKind::Crash, &format!("it ended with exit code {code}"))
        }
        Some(code) => Failure::new(FailureKind::Crash, &format!("{complaint} (exit code {code})")),
        None => Failure::new(FailureKind::Crash, "a signal ended it"),
    }
}

/// `Retry-After: 7`, as HTTP has it, in seconds, on a line of its own.
fn retry_after(complaints: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(complaints);
    text.lines().rev().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("retry-after").then(|| value.trim().parse().ok())?
    })
}

/// The last line that says something, without a program's colours.
fn last_line(bytes: &[u8]) -> Option<String> {
    let end = &bytes[bytes.len().saturating_sub(8 * 1024)..];
    let text = String::from_utf8_lossy(end);
    text.lines().rev().map(|line| clean(line, MAX_MESSAGE)).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_tells_what_went_wrong_and_when_to_ask_again() {
        use FailureKind::{Crash, Login, Transient};
        let failure =
            |code, complaints: &str| by_code(&Printed { code, output: b"", complaints: complaints.as_bytes() });
        let kind = |code| failure(code, "why").kind;
        assert_eq!([75, 77, 1, 127].map(|code| kind(Some(code))), [Transient, Login, Crash, Crash]);
        assert_eq!((kind(None), failure(Some(3), "").message.as_str()), (Crash, "it ended with exit code 3"));
        for (complaints, seconds) in [
            ("Retry-After: 7\nbusy", Some(7)),
            ("busy\n retry-after:12", Some(12)),
            ("Retry-After: soon", None),
            ("rate limit: 5", None),
            ("", None),
        ] {
            assert_eq!(failure(Some(75), complaints).retry_after, seconds, "{complaints:?}");
        }
        assert_eq!(failure(Some(1), "Retry-After: 7").retry_after, None);
    }
}
