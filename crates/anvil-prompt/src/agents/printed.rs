//! The output of a program that has ended, and how to judge it without knowing the program. Pure.

use super::own_words::OwnWords;
use anvil_core::attempt::FailureKind;
use anvil_core::attempt::bounds;
use anvil_core::reply::Usage;
use anvil_text::clean;

/// Longest message of a failure, in characters.
const MAX_MESSAGE: usize = 300;

/// Exit codes with a common meaning (BSD's sysexits.h): try again later, and not allowed.
const TEMPORARY_FAILURE: i32 = 75;
const NO_PERMISSION: i32 = 77;

/// The format in which a program prints its reply.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum OutputFormat {
    /// The reply alone.
    Text,
    /// `claude -p --output-format stream-json`: an event a line, the last one `result`.
    Claude,
    /// `codex exec --json`: an event a line.
    Codex,
    /// `gemini -o json`: one object.
    Gemini,
    /// `opencode run --format json`: an event a line.
    Opencode,
}

impl OutputFormat {
    /// Its name in a record.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The program reports the tokens of a reply.
    pub fn tells_tokens(self) -> bool {
        self != Self::Text
    }

    /// The program reports the cost of a reply in dollars.
    pub fn tells_cost(self) -> bool {
        self == Self::Claude
    }
}

/// The output of a program that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    pub output: &'a [u8],
    pub stderr: &'a [u8],
}

/// A reply and its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentAnswer {
    /// As the program printed it.
    pub text: String,
    pub figures: Figures,
}

/// The figures of an attempt, as far as its program reports them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The model that wrote.
    pub model: Option<String>,
    pub usage: Option<Usage>,
    /// United States dollars.
    pub cost: Option<f64>,
}

impl Figures {
    /// Without a number that is too large to be a real count.
    pub(crate) fn within_bounds(self) -> Self {
        let usage = self.usage.filter(|usage| bounds::count(usage.sum()).is_some());
        Self { usage, cost: self.cost.and_then(bounds::cost), ..self }
    }
}

/// The earliest time for another request, as the service sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// After so many seconds.
    After(u64),
    /// In seconds since 1970: a used-up quota is available again.
    At(i64),
}

/// Why an attempt gave no reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The program's own words, in one line.
    pub message: String,
    /// How long to wait, as the service demands.
    pub retry: Option<Retry>,
    /// The cost of the failed attempt.
    pub figures: Figures,
}

impl Failure {
    /// A failure without a known cost.
    pub fn new(kind: FailureKind, message: &str) -> Self {
        let message = clean(message, MAX_MESSAGE);
        Self { kind, message, retry: None, figures: Figures::default() }
    }
}

/// The failure of a program without a readable reply: `why`, if its exit code is 0 and the program
/// itself says nothing.
pub(super) fn misshapen(printed: &Printed<'_>, why: &str) -> Failure {
    if printed.code != Some(0) {
        return by_code(printed);
    }
    let own = OwnWords::of(printed);
    let says_why =
        own.kind.is_some() || printed.output.trim_ascii().is_empty() && !own.message.is_empty();
    let message = if says_why { &own.message } else { why };
    Failure::new(own.kind.unwrap_or(FailureKind::Misshapen), message)
}

/// The failure of a program in its own words. Its exit code decides the kind if they do not.
pub(super) fn by_code(printed: &Printed<'_>) -> Failure {
    let OwnWords { kind, message } = OwnWords::of(printed);
    match (kind, printed.code) {
        (Some(kind), _) => Failure::new(kind, &message),
        (None, Some(TEMPORARY_FAILURE)) => Failure {
            retry: retry_after(printed.stderr).map(Retry::After),
            ..Failure::new(FailureKind::Transient, &message)
        },
        (None, Some(NO_PERMISSION)) => Failure::new(FailureKind::Login, &message),
        (None, Some(code)) if message.is_empty() => {
            Failure::new(FailureKind::Crash, &format!("it ended with exit code {code}"))
        }
        (None, Some(code)) => {
            Failure::new(FailureKind::Crash, &format!("{message} (exit code {code})"))
        }
        (None, None) => Failure::new(FailureKind::Crash, "a signal ended it"),
    }
}

/// The seconds of an HTTP line such as `Retry-After: 7`.
fn retry_after(stderr: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(stderr);
    text.lines().rev().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("retry-after").then(|| value.trim().parse().ok())?
    })
}

/// The last line that is not blank, without a program's colours.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let end = &bytes[bytes.len().saturating_sub(8 * 1024)..];
    let text = String::from_utf8_lossy(end);
    text.lines().rev().map(|line| clean(line, MAX_MESSAGE)).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_decides_the_kind_and_the_wait() {
        use FailureKind::{Crash, Login, Transient};
        let failure =
            |code, stderr: &str| by_code(&Printed { code, output: b"", stderr: stderr.as_bytes() });
        let kind = |code| failure(code, "why").kind;
        assert_eq!([75, 77, 1, 127].map(|code| kind(Some(code))), [Transient, Login, Crash, Crash]);
        assert_eq!(
            (kind(None), failure(Some(3), "").message.as_str()),
            (Crash, "it ended with exit code 3")
        );
        for (stderr, seconds) in [
            ("Retry-After: 7\nbusy", Some(7)),
            ("busy\n retry-after:12", Some(12)),
            ("Retry-After: soon", None),
            ("rate limit: 5", None),
            ("", None),
        ] {
            assert_eq!(failure(Some(75), stderr).retry, seconds.map(Retry::After), "{stderr:?}");
        }
        assert_eq!(failure(Some(1), "Retry-After: 7").retry, None);
    }
}
