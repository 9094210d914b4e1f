//! The comments of an issue, and whose count.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Issue;
use crate::command::Forge;
use crate::error::{Error, Kind, Result};

/// Most comments of one issue that are read.
const MOST_COMMENTS: usize = 5_000;

/// One of its comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its number: a later one is larger.
    pub(crate) id: u64,
    /// Who wrote it.
    pub(crate) account: String,
    /// It was changed after it was written.
    pub(crate) is_edited: bool,
    /// What it says.
    pub(crate) text: String,
}

impl Comment {
    /// One as both forges tell it. What does not tell its times may have been edited.
    fn of(comment: &Value) -> Option<Self> {
        let (created, updated) = (comment["created_at"].as_str(), comment["updated_at"].as_str());
        Some(Self {
            id: comment["id"].as_u64().unwrap_or_default(),
            account: comment["user"]["login"].as_str().unwrap_or_default().to_owned(),
            is_edited: created.is_none() || created != updated,
            text: comment["body"].as_str()?.to_owned(),
        })
    }
}

impl Issue<'_> {
    /// The texts of its comments, the oldest first.
    pub(crate) fn comments(&self) -> Result<Vec<String>> {
        Ok(self.comments_in_full()?.into_iter().map(|comment| comment.text).collect())
    }

    /// Its comments, the oldest first.
    pub(crate) fn comments_in_full(&self) -> Result<Vec<Comment>> {
        match self.pages_of(100) {
            // Some are as long as can be: a page of fewer is read.
            Err(error) if error.kind() == Kind::TooMuch && self.forge == Forge::Github => self.pages_of(10),
            all => all,
        }
    }

    /// Its comments, so many to a page.
    fn pages_of(&self, size: usize) -> Result<Vec<Comment>> {
        let mut all = Vec::new();
        for page in 1..=MOST_COMMENTS / size + 1 {
            let path = match self.forge {
                Forge::Github => format!("/comments?per_page={size}&page={page}"),
                Forge::Gitea => "/comments".to_owned(),
            };
            let Value::Array(comments) = self.get(&self.path(&path))?.0 else { return Err(self.unreadable()) };
            let is_last = comments.is_empty();
            all.extend(comments.iter().filter_map(Comment::of));
            // Gitea gives all of them at once.
            if is_last || self.forge == Forge::Gitea {
                return Ok(all);
            }
        }
        Err(Error::too_much(
            format!("{self} has more than {MOST_COMMENTS} comments"),
            "the debate has to go to another issue",
        ))
    }

    /// Adds a comment.
    pub(crate) fn post_comment(&self, body: &str) -> Result<()> {
        self.ask("POST", &self.path("/comments"), Some(&json!({ "body": body }))).map(|_| ())
    }

    /// Those of these accounts that may write to the repository. One that the forge does not know as a collaborator may not.
    pub(crate) fn writers(&self, accounts: BTreeSet<String>) -> Result<BTreeSet<String>> {
        if self.forge == Forge::Gitea && !accounts.is_empty() {
            // Of another account's permission it tells administrators alone; to whom work can be given, it tells everybody.
            let (found, _) = self.get(&format!("repos/{}/assignees", self.repo))?;
            let Value::Array(found) = found else { return Err(self.unreadable()) };
            let all: BTreeSet<&str> = found.iter().filter_map(|account| account["login"].as_str()).collect();
            return Ok(accounts.into_iter().filter(|account| all.contains(account.as_str())).collect());
        }
        let mut writers = BTreeSet::new();
        for account in accounts {
            if self.may_write(&account)? {
                writers.insert(account);
            }
        }
        Ok(writers)
    }

    /// Refuses an account that may not write to the repository, as far as the forge tells of its own: its comments would not count.
    pub(crate) fn check_may_write(&self) -> Result<()> {
        let repository = match self.get(&format!("repos/{}", self.repo)) {
            Ok((repository, _)) => repository,
            Err(error) if error.kind() == Kind::Nothing => return Ok(()),
            Err(error) => return Err(error),
        };
        if repository["permissions"]["push"].as_bool() == Some(false) {
            return Err(Error::failed(
                format!("{}'s account may not write to {}/{}", self.program(), self.host, self.repo),
                "use an account that may: what others post does not count",
            ));
        }
        Ok(())
    }

    fn may_write(&self, account: &str) -> Result<bool> {
        if account.is_empty() || !account.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Ok(false);
        }
        match self.get(&format!("repos/{}/collaborators/{account}/permission", self.repo)) {
            Ok((said, _)) => Ok(matches!(said["permission"].as_str(), Some("admin" | "maintain" | "write"))),
            Err(error) if error.kind() == Kind::Nothing => Ok(false),
            Err(error) => Err(error),
        }
    }
}
