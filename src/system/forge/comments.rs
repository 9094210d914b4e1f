//! The comments of an issue.

use serde_json::{Value, json};

use super::Issue;
use crate::domain::command::Forge;
use crate::error::{Error, Kind, Result};

/// Most comments of one issue that are read.
const MAX_COMMENTS: usize = 5_000;

impl Issue<'_> {
    /// The texts of its comments, the oldest first.
    pub(crate) fn comments(&self) -> Result<Vec<String>> {
        match self.pages_of(100) {
            // Comments can be very long: then a page has fewer of them.
            Err(error) if error.kind() == Kind::TooMuch && self.forge == Forge::Github => {
                self.pages_of(10)
            }
            all => all,
        }
    }

    /// The texts of its comments, read in pages of `size`.
    fn pages_of(&self, size: usize) -> Result<Vec<String>> {
        let mut all = Vec::new();
        for page in 1..=MAX_COMMENTS / size + 1 {
            let path = match self.forge {
                Forge::Github => format!("/comments?per_page={size}&page={page}"),
                Forge::Gitea => "/comments".to_owned(),
            };
            let Value::Array(comments) = self.get(&self.path(&path))?.0 else {
                return Err(self.unreadable());
            };
            let is_last = comments.is_empty();
            all.extend(
                comments.iter().filter_map(|comment| Some(comment["body"].as_str()?.to_owned())),
            );
            // Gitea gives all of them at once.
            if is_last || self.forge == Forge::Gitea {
                return Ok(all);
            }
        }
        Err(Error::too_much(
            format!("{self} has more than {MAX_COMMENTS} comments"),
            "the debate has to go to another issue",
        ))
    }

    pub(crate) fn post_comment(&self, body: &str) -> Result<()> {
        self.ask("POST", &self.path("/comments"), Some(&json!({ "body": body }))).map(|_| ())
    }
}
