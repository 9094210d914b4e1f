//! The options of `publish` and `pull`.

use clap::Args;

use super::TakeOver;
use crate::errors::CommandError;
use anvil_core::issue::{NamedIssue, Publishing, Pulling};
use anvil_core::options::Refused;
use anvil_text::error::Result;

/// The options that name an issue or a pull request.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueOptions {
    /// The issue or pull request
    #[arg(value_name = "N", value_parser = issue_number)]
    pub numbered: Option<u32>,
    /// The issue
    #[arg(long, value_name = "N", value_parser = issue_number)]
    pub issue: Option<u32>,
    /// The pull request
    #[arg(long, value_name = "N", value_parser = issue_number)]
    pub pr: Option<u32>,
    /// Its repository, also HOST/OWNER/NAME [default: the git remote]
    #[arg(long, value_name = "OWNER/NAME")]
    pub repo: Option<String>,
}

/// The options of `publish`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishOptions {
    /// The issue or pull request.
    #[command(flatten)]
    pub issue: IssueOptions,
    /// Post the report as a comment too; with --pr only the verdict, as one comment that is updated
    #[arg(long)]
    pub comment: bool,
    /// Ask the debate's open question in a comment too; `pull` shows the replies
    #[arg(long)]
    pub ask: bool,
    /// Replace what somebody else has published there; theirs is put aside
    #[arg(long)]
    pub force: bool,
    /// The flag that includes another session's debate.
    #[command(flatten)]
    pub owner: TakeOver,
}

/// The options of `pull`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct PullOptions {
    /// The issue or pull request.
    #[command(flatten)]
    pub issue: IssueOptions,
    /// Replace the debate that is here; that one is put aside
    #[arg(long)]
    pub force: bool,
    /// The flag that includes another session's debate.
    #[command(flatten)]
    pub owner: TakeOver,
}

/// `--publish` and `--pull` in the client, where both are options of `report`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ExchangeOptions {
    /// Put the debate into this issue or pull request
    #[arg(long, value_name = "N", group = "exchange", value_parser = issue_number)]
    pub publish: Option<u32>,
    /// Take the debate of this issue or pull request into the project
    #[arg(long, value_name = "N", group = "exchange", value_parser = issue_number)]
    pub pull: Option<u32>,
    /// Post the report as a comment too
    #[arg(long, requires = "publish", conflicts_with = "pull")]
    pub comment: bool,
    /// Ask the debate's open question in a comment too; --pull shows the replies
    #[arg(long, requires = "publish", conflicts_with = "pull")]
    pub ask: bool,
    /// Also over the debate that is there; that one is put aside
    #[arg(long, requires = "exchange")]
    pub force: bool,
    /// The repository, also HOST/OWNER/NAME [default: the git remote]
    #[arg(long, value_name = "OWNER/NAME", requires = "exchange")]
    pub repo: Option<String>,
    /// Take over from a running session
    #[arg(long, requires = "exchange")]
    pub take_over: bool,
}

impl ExchangeOptions {
    fn issue(&self, number: u32) -> NamedIssue {
        NamedIssue { number, repo: self.repo.clone() }
    }

    /// The request of `--publish N`.
    pub fn publishing(&self) -> Option<Publishing> {
        let Self { comment, ask, force, take_over, .. } = *self;
        let issue = self.issue(self.publish?);
        Some(Publishing { issue, comment, ask, force, take_over, ..Publishing::default() })
    }

    /// The request of `--pull N`.
    pub fn pulling(&self) -> Option<Pulling> {
        let Self { force, take_over, .. } = *self;
        Some(Pulling { issue: self.issue(self.pull?), force, take_over })
    }
}

impl PublishOptions {
    /// The user's request. Fails unless exactly one issue is named.
    pub fn request(self) -> Result<Publishing> {
        let Self { issue, comment, ask, force, owner: TakeOver { take_over } } = self;
        // The text of a pull request is its author's.
        let verdict = comment && issue.pr.is_some();
        Ok(Publishing { issue: issue.named_issue()?, comment, verdict, ask, force, take_over })
    }
}

impl PullOptions {
    /// The user's request. Fails unless exactly one issue is named.
    pub fn request(self) -> Result<Pulling> {
        let Self { issue, force, owner: TakeOver { take_over } } = self;
        Ok(Pulling { issue: issue.named_issue()?, force, take_over })
    }
}

impl IssueOptions {
    fn named_issue(self) -> Result<NamedIssue> {
        let Self { numbered, issue, pr, repo } = self;
        match [numbered, issue, pr].into_iter().flatten().collect::<Vec<_>>()[..] {
            [number] => Ok(NamedIssue { number, repo }),
            [] => Err(CommandError::NoIssue.into()),
            _ => Err(CommandError::TwoIssues.into()),
        }
    }
}

pub fn issue_number(value: &str) -> std::result::Result<u32, Refused> {
    // Users also write `#12`.
    let digits = value.strip_prefix('#').unwrap_or(value);
    match digits.parse() {
        Ok(number) if number > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => Err(Refused::new("takes the number of an issue", " 12")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_issue_is_named() {
        let named = |numbered, issue, pr| {
            let issue = IssueOptions { numbered, issue, pr, ..IssueOptions::default() };
            issue.named_issue().map(|issue| issue.number).map_err(|error| error.to_string())
        };
        assert_eq!(named(Some(1), None, None), Ok(1));
        assert_eq!(named(None, Some(2), None), Ok(2));
        assert_eq!(named(None, None, Some(3)), Ok(3));
        assert_eq!(named(None, None, None).unwrap_err(), "there is no issue named");
        assert_eq!(named(Some(1), None, Some(1)).unwrap_err(), "more than one issue is named");
    }
}
