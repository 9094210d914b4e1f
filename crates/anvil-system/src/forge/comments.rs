//! The comments of an issue.

use serde_json::{Value, json};

use super::ForgeError;
use super::Issue;
use anvil_text::error::{Kind, Result};
use anvil_text::from_json;

/// Most pages of comments that are read: each takes a request.
const MAX_PAGES: usize = 50;

/// The comments of an issue or pull request, and which of them the token's own account wrote. Each
/// comment is asked, because names differ: for a token of GitHub Actions REST says
/// `github-actions[bot]`, and a comment's author in GraphQL is `github-actions`. `gh pr comment
/// --edit-last` asks this field for that reason (cli/cli#6384).
const OWN: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { issueOrPullRequest(number: $number) {
    ... on Issue { comments(first: 100, after: $after) { ...page } }
    ... on PullRequest { comments(first: 100, after: $after) { ...page } }
  } }
}
fragment page on IssueCommentConnection {
  nodes { databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor }
}";

/// A comment that the token's own account wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnComment {
    pub id: u64,
    pub text: String,
}

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

    /// The comments of the token's own account, the oldest first.
    pub fn own_comments(&self) -> Result<Vec<OwnComment>> {
        let (owner, name) = self.repo.split_once('/').unwrap_or_default();
        let mut own = Vec::new();
        let mut after = Value::Null;
        for _ in 0..MAX_PAGES {
            let number = self.number();
            let variables =
                json!({ "owner": owner, "name": name, "number": number, "after": after });
            let asked = json!({ "query": OWN, "variables": variables });
            let answer = self.ask("POST", "graphql", Some(&asked))?;
            let answer: Value = from_json(&answer).map_err(|_| self.unreadable())?;
            let comments = &answer["data"]["repository"]["issueOrPullRequest"]["comments"];
            let Some(nodes) = comments["nodes"].as_array() else { return Err(self.unreadable()) };
            own.extend(nodes.iter().filter(|node| node["viewerDidAuthor"] == true).filter_map(
                |node| {
                    let text = node["body"].as_str()?.to_owned();
                    Some(OwnComment { id: node["databaseId"].as_u64()?, text })
                },
            ));
            if comments["pageInfo"]["hasNextPage"] != true {
                return Ok(own);
            }
            after = comments["pageInfo"]["endCursor"].clone();
        }
        let most = MAX_PAGES * 100;
        Err(ForgeError::TooManyComments { issue: self.to_string(), most }.into())
    }

    /// Changes a comment in place.
    pub fn write_comment(&self, id: u64, body: &str) -> Result<()> {
        let path = format!("repos/{}/issues/comments/{id}", self.repo);
        self.ask("PATCH", &path, Some(&json!({ "body": body }))).map(|_| ())
    }

    /// Removes a comment. One that is gone already is fine.
    pub fn remove_comment(&self, id: u64) -> Result<()> {
        let path = format!("repos/{}/issues/comments/{id}", self.repo);
        match self.ask("DELETE", &path, None) {
            Err(error) if error.kind() == Kind::Nothing => Ok(()),
            done => done.map(|_| ()),
        }
    }

    pub fn post_comment(&self, body: &str) -> Result<()> {
        self.ask("POST", &self.path("/comments"), Some(&json!({ "body": body }))).map(|_| ())
    }
}

fn comment(comment: &Value) -> Option<Comment> {
    let author = comment["user"]["login"].as_str().unwrap_or("somebody").to_owned();
    Some(Comment { author, text: comment["body"].as_str()?.to_owned() })
}
