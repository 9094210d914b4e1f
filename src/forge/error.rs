//! Why a forge did not do what it was asked, in a line with a hint. Pure.

use serde_json::Value;

use super::{Issue, Output};
use crate::command::Forge;
use crate::error::Error;
use crate::text;

/// A no.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status, where the forge answered at all.
    status: Option<u16>,
    /// In the forge's or the program's own words, a line.
    why: String,
}

impl Refusal {
    /// What GitHub gives as a script says how it went beside what it says.
    pub(super) fn of_script(script: &Value) -> Option<Self> {
        let status = script["meta"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        let why = text::clean(script["data"]["message"].as_str().unwrap_or_default(), 200);
        (!status.is_some_and(|status| (200..300).contains(&status))).then_some(Self { status, why })
    }

    /// gh exits with a failure and says `gh: Not Found (HTTP 404)`.
    pub(super) fn of_gh(output: &Output) -> Option<Self> {
        let why = text::clean(&output.complaint(), 200);
        let why = why.strip_prefix("gh: ").unwrap_or(&why);
        let (why, status) = match why.rsplit_once("HTTP ") {
            Some((why, status)) => (why.trim_end_matches([' ', '(']), status.trim_end_matches(')').parse().ok()),
            None => (why, None),
        };
        let is_login = output.complains_of("gh auth login") && status.is_none();
        let status = if is_login { Some(401) } else { status };
        (!output.is_success).then(|| Self { status, why: why.to_owned() })
    }

    /// tea exits well whatever the forge answered, and says `HTTP/1.1 404 Not Found` among its complaints.
    pub(super) fn of_tea(output: &Output) -> Option<Self> {
        let line = output.complaints().lines().find(|line| line.starts_with("HTTP/"));
        let status = line.and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let is_done = output.is_success && status.is_some_and(|status| (200..300).contains(&status));
        let answer: Value = serde_json::from_str(&output.text).unwrap_or(Value::Null);
        let message = answer["message"].as_str().filter(|message| !message.trim().is_empty());
        let why = match (message, line) {
            (Some(message), Some(_)) => text::clean(message, 200),
            (None, Some(line)) => text::clean(line, 200),
            (_, None) => text::clean(&output.complaint(), 200),
        };
        let is_login = status.is_none() && output.complaints().to_ascii_lowercase().contains("login");
        let status = if is_login { Some(401) } else { status };
        (!is_done).then_some(Self { status, why })
    }

    /// As the user reads it.
    pub(super) fn explain(self, issue: &Issue<'_>, is_change: bool) -> Error {
        let program = issue.program();
        let there = &issue.host;
        let why = &self.why;
        let lower = why.to_ascii_lowercase();
        let log_in = match issue.forge {
            Forge::Github => format!("log in with `gh auth login --hostname {there}`"),
            Forge::Gitea => format!("log in with `tea login add --url https://{there}`"),
        };
        match self.status {
            Some(401) => Error::failed(format!("{program} is not logged in at {there}"), log_in),
            Some(403 | 429) if self.status == Some(429) || lower.contains("rate limit") => {
                Error::for_now(format!("{there} takes no more requests for now: {why}"), "try again in some minutes")
            }
            Some(403) => Error::failed(
                format!("{program}'s account may not {} {issue}: {why}", if is_change { "write to" } else { "read" }),
                "use an account or a token that may; nothing was changed",
            ),
            Some(404 | 410) => Error::nothing(
                format!("there is no {issue}, or {program}'s account does not see it"),
                "check the number, --repo and the account; nothing was changed",
            ),
            Some(422) => Error::failed(format!("{there} refuses the text for {issue}: {why}"), "nothing was changed"),
            Some(status) => {
                let said = format!("{there} answers {status}: {why}");
                let hint = "try again later; every command about an issue can be repeated";
                if status >= 500 || status == 408 { Error::for_now(said, hint) } else { Error::failed(said, hint) }
            }
            None => Error::for_now(
                format!("{program} got no answer from {there}: {why}"),
                "check the network and `gh auth status` or `tea login list`; then do it again",
            ),
        }
    }
}
