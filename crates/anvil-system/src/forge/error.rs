//! Why a forge refused a request, in a line with a hint. Pure.

use std::io;

use serde_json::Value;

use super::{Issue, Output, ProcessError};
use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

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
        let says = |words: &str| output.stderr.contains(words);
        // An answer to a query has no status.
        let status = status.or_else(|| match () {
            () if says("gh auth login") => Some(401),
            () if says("Resource not accessible") => Some(403),
            () if says("Could not resolve to") => Some(404),
            () => None,
        });
        (!output.is_success).then(|| Self { status, why: why.to_owned() })
    }

    /// The error for the user.
    pub(crate) fn explain(self, issue: &Issue<'_>, is_change: bool) -> ForgeError {
        let Self { status, why } = self;
        let host = issue.host.clone();
        let is_limit = why.to_ascii_lowercase().contains("rate limit");
        let issue = issue.to_string();
        match status {
            Some(401) => ForgeError::LoggedOut(host),
            Some(429) => ForgeError::RateLimit { host, why },
            Some(403) if is_limit => ForgeError::RateLimit { host, why },
            Some(403) => {
                let what = if is_change { "write to" } else { "read" };
                ForgeError::Forbidden { what, issue, why }
            }
            Some(301 | 307 | 308) => ForgeError::Transferred(issue),
            Some(404) => ForgeError::NoIssue(issue),
            Some(410) if why.is_empty() => ForgeError::Gone { issue, why: "410".to_owned() },
            Some(410) => ForgeError::Gone { issue, why },
            Some(422) => ForgeError::BadText { host, issue, why },
            // A proxy answers with a page, of which gh says nothing.
            Some(status) if why.is_empty() => ForgeError::BareAnswer { host, status, issue },
            Some(status) => ForgeError::Answer { host, status, why },
            None => ForgeError::NoAnswer { host, why },
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ForgeError {
    #[error("--repo and GH_REPO take OWNER/NAME or HOST/OWNER/NAME")]
    BadRepo,
    #[error("cannot tell the repository: there is no usable git remote")]
    NoRepository,
    #[error("this checkout has several remotes, and gh has no default: {0}")]
    NoChoice(String),
    #[error("git {0}, so the repository of the issue is unknown")]
    NoRemote(#[source] ProcessError),
    #[error("the host of {repo} is unknown: gh is logged in at {at}")]
    UnknownHost { repo: String, at: String },
    #[error("the git remote names {host}, where gh is not logged in; nothing was sent there")]
    ForeignHost { host: String, repo: String },
    #[error(transparent)]
    NoRoom(io::Error),
    #[error("gh {0}")]
    Slow(#[source] ProcessError),
    #[error("{0} has more text than is read")]
    TooLong(String),
    #[error("{issue} has more than the {most} comments that are read")]
    TooManyComments { issue: String, most: usize },
    #[error("can't read gh's answer about {0}")]
    Unreadable(String),
    #[error("gh is not logged in at {0}")]
    LoggedOut(String),
    #[error("{host} accepts no more requests for now: {why}")]
    RateLimit { host: String, why: String },
    #[error("gh's account is not allowed to {what} {issue}: {why}")]
    Forbidden { what: &'static str, issue: String, why: String },
    #[error("there is no {0}, or gh's account does not see it")]
    NoIssue(String),
    #[error("issues are disabled there, or {issue} was deleted: {why}")]
    Gone { issue: String, why: String },
    #[error("{0} was transferred to another repository")]
    Transferred(String),
    #[error("{host} refuses the text for {issue}: {why}")]
    BadText { host: String, issue: String, why: String },
    #[error("{host} answers {status}: {why}")]
    Answer { host: String, status: u16, why: String },
    #[error("{host} answers {status} for {issue}")]
    BareAnswer { host: String, status: u16, issue: String },
    #[error("gh got no answer from {host}: {why}")]
    NoAnswer { host: String, why: String },
}

impl Failure for ForgeError {
    fn kind(&self) -> Kind {
        match self {
            Self::BadRepo | Self::NoRepository | Self::NoChoice(_) | Self::UnknownHost { .. } => {
                Kind::Usage
            }
            Self::TooLong(_) | Self::TooManyComments { .. } => Kind::TooMuch,
            Self::NoIssue(_) | Self::Gone { .. } | Self::Transferred(_) => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::BadRepo => "for example --repo octo/hello".into(),
            Self::NoRepository => "name it with --repo OWNER/NAME".into(),
            Self::NoChoice(_) => {
                "`gh repo set-default` chooses one, or name it with --repo OWNER/NAME".into()
            }
            Self::NoRemote(_) => {
                "see what `git remote` says, or name it with --repo HOST/OWNER/NAME".into()
            }
            Self::UnknownHost { .. } => "name it with --repo HOST/OWNER/NAME".into(),
            Self::ForeignHost { host, repo } => {
                let log_in = format!("`gh auth login --hostname {host}`, or --repo {host}/{repo}");
                hint![log_in, ", if you trust that host; ", Verb::Body, " serves any other forge"]
            }
            Self::NoRoom(_) => "make room in the system's temporary folder".into(),
            Self::Slow(_) => "check the network; then do it again".into(),
            Self::TooLong(_) | Self::TooManyComments { .. } => {
                "publish the debate to another issue".into()
            }
            Self::Unreadable(_) => "update gh".into(),
            Self::LoggedOut(host) => {
                format!("log in with `gh auth login --hostname {host}`").into()
            }
            Self::RateLimit { .. } => "try again in some minutes".into(),
            Self::Forbidden { .. } => {
                "use an account or a token that is allowed to; nothing was changed".into()
            }
            Self::NoIssue(_) => {
                "check the number, --repo and the account; nothing was changed".into()
            }
            Self::Gone { .. } => "use another issue; nothing was changed".into(),
            Self::Transferred(_) => {
                "its page leads to the new one: name that with --repo OWNER/NAME".into()
            }
            Self::BadText { .. } => "nothing was changed".into(),
            Self::Answer { .. } | Self::BareAnswer { .. } => {
                "try again later; every command about an issue can be repeated".into()
            }
            Self::NoAnswer { .. } => {
                "check the network and `gh auth status`; then do it again".into()
            }
        }
    }
}
