//! Why a forge refused a request, in a line with a hint. Pure.

use serde_json::Value;

use super::{Issue, Output};
use anvil_text::error::Error;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ForgeRefusal {
    /// The HTTP status, if the forge answered at all.
    status: Option<u16>,
    /// One line, in the words of the forge or the program.
    why: String,
}

impl ForgeRefusal {
    /// GitHub's JSON as a script has the status next to the data.
    pub(crate) fn of_script(script: &Value) -> Option<Self> {
        let status =
            script["meta"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        let why = anvil_text::clean(script["data"]["message"].as_str().unwrap_or_default(), 200);
        (!status.is_some_and(|status| (200..300).contains(&status))).then_some(Self { status, why })
    }

    /// gh exits with a failure and prints `gh: Not Found (HTTP 404)`.
    pub(crate) fn of_gh(output: &Output) -> Option<Self> {
        let why = anvil_text::clean(&output.stderr_line(), 200);
        let why = why.strip_prefix("gh: ").unwrap_or(&why);
        let (why, status) = match why.rsplit_once("HTTP ") {
            Some((why, status)) => {
                (why.trim_end_matches([' ', '(']), status.trim_end_matches(')').parse().ok())
            }
            None => (why, None),
        };
        let is_login = output.stderr.contains("gh auth login") && status.is_none();
        let status = if is_login { Some(401) } else { status };
        (!output.is_success).then(|| Self { status, why: why.to_owned() })
    }

    /// The error for the user.
    pub(crate) fn explain(self, issue: &Issue<'_>, is_change: bool) -> Error {
        let host = &issue.host;
        let why = &self.why;
        let lower = why.to_ascii_lowercase();
        let log_in = format!("log in with `gh auth login --hostname {host}`");
        match self.status {
            Some(401) => Error::failed(format!("gh is not logged in at {host}"), log_in),
            Some(403 | 429) if self.status == Some(429) || lower.contains("rate limit") => {
                Error::failed(
                    format!("{host} accepts no more requests for now: {why}"),
                    "try again in some minutes",
                )
            }
            Some(403) => Error::failed(
                format!(
                    "gh's account is not allowed to {} {issue}: {why}",
                    if is_change { "write to" } else { "read" }
                ),
                "use an account or a token that is allowed to; nothing was changed",
            ),
            Some(404 | 410) => Error::nothing(
                format!("there is no {issue}, or gh's account does not see it"),
                "check the number, --repo and the account; nothing was changed",
            ),
            Some(422) => Error::failed(
                format!("{host} refuses the text for {issue}: {why}"),
                "nothing was changed",
            ),
            Some(status) => {
                let message = format!("{host} answers {status}: {why}");
                let hint = "try again later; every command about an issue can be repeated";
                Error::failed(message, hint)
            }
            None => Error::failed(
                format!("gh got no answer from {host}: {why}"),
                "check the network and `gh auth status`; then do it again",
            ),
        }
    }
}
