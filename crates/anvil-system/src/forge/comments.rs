//! The comments of an issue.

use serde_json::{Value, json};

use super::ForgeError;
use super::Issue;
use anvil_text::error::{Kind, Result};

/// Most pages of comments that are read: each takes a request.
const MAX_PAGES: usize = 50;

/// A comment as the forge has it. Every part of it is untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub author: String,
    pub text: String,
}

impl Issue<'_> {
    /// Its comments, the oldest first.
    pub fn comments(&self) -> Result<Vec<Comment>> {
        let (size, read) = match self.pages_of(100) {
            // Comments can be very long: then a page has fewer of them.
            Err(error) if error.kind() == Kind::TooMuch => (10, self.pages_of(10)?),
            all => (100, all?),
        };
        read.ok_or_else(|| {
            let most = MAX_PAGES * size;
            ForgeError::TooManyComments { issue: self.to_string(), most }.into()
        })
    }

    /// Its comments, read in pages of `size`. `None`: there are more pages.
    fn pages_of(&self, size: usize) -> Result<Option<Vec<Comment>>> {
        let mut all = Vec::new();
        for page in 1..=MAX_PAGES {
            let path = format!("/comments?per_page={size}&page={page}");
            let Value::Array(comments) = self.get(&self.path(&path))?.0 else {
                return Err(self.unreadable());
            };
            let is_last = comments.is_empty();
            all.extend(comments.iter().filter_map(comment));
            if is_last {
                return Ok(Some(all));
            }
        }
        Ok(None)
    }

    pub fn post_comment(&self, body: &str) -> Result<()> {
        self.ask("POST", &self.path("/comments"), Some(&json!({ "body": body }))).map(|_| ())
    }
}

fn comment(comment: &Value) -> Option<Comment> {
    let author = comment["user"]["login"].as_str().unwrap_or("somebody").to_owned();
    Some(Comment { author, text: comment["body"].as_str()?.to_owned() })
}
