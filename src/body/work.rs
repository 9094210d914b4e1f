//! Work at a debate by way of the comments of its issue: who has claimed which reply, and what they wrote.
//!
//! An issue's body can't be written on a condition, and its comments have one order for everybody: so workers only comment. The
//! earliest claim on a state of a task counts, and its reply is the earliest one of the same account that names it. A comment counts
//! where an account with write access wrote it and nobody has edited it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::comments::MARKER;
use super::escape::{escape, unescape};
use super::{BodyError, MAX_UNITS, VERSION, block, units};
use crate::text::{clean, inert};
use crate::transcript::count_words;

/// Begins the comment of HTML in which such a post stands, as [`block::BEGINS`] does in a body.
const BEGINS: &str = "<!-- anvil-task";

/// Most characters of a worker's name that readers see.
const MAX_NAME: usize = 60;

/// A comment, as a forge tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its number there: a later one is larger.
    pub id: u64,
    /// Who wrote it.
    pub account: String,
    /// That account may write to the repository, and nobody has edited the comment.
    pub counts: bool,
    /// What it says.
    pub text: String,
}

/// What a worker posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "post", rename_all = "snake_case")]
pub enum Post {
    /// It is going to write a reply.
    Claim {
        /// The task, by its id.
        task: String,
        /// The state of the debate that the reply answers.
        generation: String,
        /// How the worker is called.
        worker: String,
        /// What tells it from others of its account.
        mark: String,
    },
    /// The reply.
    Reply {
        /// The number of the comment with the claim.
        claim: u64,
        /// Its text.
        text: String,
    },
    /// Somebody says that a claimant is gone.
    Free {
        /// The number of the comment with the claim.
        claim: u64,
    },
    /// Who published the debate has undone the reply.
    Undone {
        /// The number of the comment with the claim.
        claim: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u64,
    debate: String,
    #[serde(flatten)]
    post: Post,
}

impl Post {
    /// The comment for a post; `worker` and `what` are what readers see of it. An error: it is too long for a comment.
    pub fn comment(&self, debate: &str, worker: &str, what: &str) -> Result<String, BodyError> {
        let worker = clean(worker, MAX_NAME);
        let said = match self {
            Self::Claim { .. } => format!("{worker} writes {what} of this debate."),
            Self::Reply { text, .. } => {
                format!("{worker} has written {what} of this debate, {} words.", count_words(text))
            }
            Self::Free { .. } | Self::Undone { .. } => format!("{what} of this debate is free again."),
        };
        let document = Document { version: VERSION, debate: debate.to_owned(), post: self.clone() };
        let json = serde_json::to_string(&document).map_err(|error| BodyError::Broken(error.to_string()))?;
        let comment = format!("{MARKER}\n{}\n\n{BEGINS}\n{}\n{}\n", inert(&said), escape(&json), block::ENDS);
        if units(&comment) <= MAX_UNITS { Ok(comment) } else { Err(BodyError::Huge) }
    }

    /// True where a comment may hold one.
    #[must_use]
    pub fn is_in(comment: &str) -> bool {
        comment.trim_start().starts_with(MARKER) && comment.contains(BEGINS)
    }

    /// The post of this debate in a comment.
    fn of(comment: &str, debate: &str) -> Option<Self> {
        let rest = comment.trim_start().strip_prefix(MARKER)?;
        // What readers see of it comes first, and may name anything.
        let (_, rest) = rest.rsplit_once(BEGINS)?;
        let (json, _) = rest.split_once(block::ENDS)?;
        let document: Document = serde_json::from_str(&unescape(json.trim())).ok()?;
        (document.version == VERSION && document.debate == debate).then_some(document.post)
    }
}

/// A claim that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The number of its comment.
    pub claim: u64,
    /// Who made it.
    pub account: String,
    /// How the worker is called.
    pub worker: String,
    /// What tells it from others of its account.
    pub mark: String,
    /// What it wrote.
    pub reply: Option<String>,
}

/// Who has which reply, by task and the state that it answers. In whatever order the comments come, everybody reads the same.
#[must_use]
pub fn claimed(debate: &str, comments: &[Posted]) -> BTreeMap<(String, String), Claimed> {
    let mut comments: Vec<&Posted> = comments.iter().filter(|comment| comment.counts).collect();
    comments.sort_by_key(|comment| comment.id);
    let mut all: BTreeMap<(String, String), Claimed> = BTreeMap::new();
    for comment in comments {
        match Post::of(&comment.text, debate) {
            Some(Post::Claim { task, generation, worker, mark }) => {
                let own = Claimed { claim: comment.id, account: comment.account.clone(), worker, mark, reply: None };
                all.entry((task, generation)).or_insert(own);
            }
            Some(Post::Reply { claim, text }) => {
                let is_its = |claimed: &&mut Claimed| claimed.claim == claim && claimed.account == comment.account;
                if let Some(claimed) = all.values_mut().find(is_its).filter(|claimed| claimed.reply.is_none()) {
                    claimed.reply = Some(text);
                }
            }
            // What is written is never thrown away.
            Some(Post::Undone { claim }) => all.retain(|_, claimed| claimed.claim != claim),
            Some(Post::Free { claim }) => all.retain(|_, claimed| claimed.claim != claim || claimed.reply.is_some()),
            None => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DEBATE: &str = "2026-11-21-why-1a2b";

    fn posted(id: u64, account: &str, post: &Post) -> Posted {
        let text = post.comment(DEBATE, "@ann", "critic, round 1").unwrap();
        Posted { id, account: account.to_owned(), counts: true, text }
    }

    fn claim(generation: &str, worker: &str) -> Post {
        let (task, mark) = ("critic-1".to_owned(), "9f3c".to_owned());
        Post::Claim { task, generation: generation.to_owned(), worker: worker.to_owned(), mark }
    }

    fn reply(claim: u64, text: &str) -> Post {
        Post::Reply { claim, text: text.to_owned() }
    }

    /// Who has the task in the state `2.0`: the comment, and what was written.
    fn who(comments: &[Posted]) -> Option<(u64, Option<String>)> {
        let all = claimed(DEBATE, comments);
        let own = all.get(&("critic-1".to_owned(), "2.0".to_owned()))?;
        Some((own.claim, own.reply.clone()))
    }

    #[test]
    fn the_earliest_claim_that_counts_wins_and_only_its_account_replies() {
        let (one, two) = (posted(5, "ann", &claim("2.0", "codex")), posted(6, "bob", &claim("2.0", "claude")));
        assert_eq!(who(&[two.clone(), one.clone()]), Some((5, None)));
        let edited = Posted { counts: false, ..one.clone() };
        assert_eq!(who(&[edited, two.clone()]), Some((6, None)), "one that was edited, or of a stranger");
        let forged = posted(7, "bob", &reply(5, "forged"));
        let own = posted(8, "ann", &reply(5, "own"));
        let again = posted(9, "ann", &reply(5, "again"));
        assert_eq!(who(&[one.clone(), two.clone(), forged, own.clone(), again]), Some((5, Some("own".to_owned()))));
        let free = posted(10, "bob", &Post::Free { claim: 5 });
        let after = posted(11, "bob", &claim("2.0", "claude"));
        assert_eq!(who(&[one.clone(), free.clone()]), None);
        assert_eq!(who(&[one.clone(), free.clone(), after]), Some((11, None)));
        assert_eq!(who(&[one.clone(), own.clone(), free]), Some((5, Some("own".to_owned()))), "what is written stays");
        assert_eq!(who(&[one, own, posted(10, "bob", &Post::Undone { claim: 5 })]), None);
        assert_eq!(who(&[posted(5, "ann", &claim("3.0", "codex"))]), None, "another state of the debate");
    }

    #[test]
    fn what_is_no_post_of_this_debate_says_nothing() {
        let own = claim("2.0", "codex").comment(DEBATE, "Ann", "critic, round 1").unwrap();
        for text in [
            String::new(),
            own.replace(MARKER, ""),
            own.replace("\"version\":1", "\"version\":2"),
            own.replace(DEBATE, "another"),
            own.replace("critic-1\"", "critic-1"),
            own.replace("-->\n", ""),
            format!("> {}", own.replace('\n', "\n> ")),
        ] {
            let comment = Posted { id: 1, account: "ann".to_owned(), counts: true, text };
            assert!(claimed(DEBATE, std::slice::from_ref(&comment)).is_empty(), "{comment:?}");
        }
        let named = posted(1, "ann", &claim("2.0", "codex"));
        let text = claim("2.0", "codex").comment(DEBATE, "<!-- anvil-task x -->", "critic, round 1").unwrap();
        assert_eq!(who(&[Posted { text, ..named }]), Some((1, None)), "its name may be anything");
        assert!(reply(1, &"x".repeat(70_000)).comment(DEBATE, "Ann", "critic, round 1").is_err());
    }

    proptest! {
        #[test]
        fn every_reply_comes_back_as_it_was_and_ends_no_comment(text in ".{0,300}", order in any::<bool>()) {
            let mut comments = vec![posted(1, "ann", &claim("2.0", "codex")), posted(2, "ann", &reply(1, &text))];
            prop_assert_eq!(comments[1].text.matches(block::ENDS).count(), 2);
            if order {
                comments.reverse();
            }
            prop_assert_eq!(who(&comments), Some((1, Some(text))));
        }
    }
}
