//! The last revision of a debate that was seen in an issue: `published.json` next to the debate's
//! checkpoints.
//!
//! A debate runs without it. Without it the next `publish` takes the contents of the issue for
//! somebody else's.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::storage::file::read::read_file;
use crate::storage::machine::seal::{SealKind, digest};
use crate::storage::store::{Locked, Store};
use crate::storage::{checkpoints, not_written};
use crate::system::disk::Flush;
use crate::text::from_json;

/// One revision of a debate in an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// A digest of its text.
    pub digest: String,
    pub revision: u64,
    /// A digest of its transcript.
    #[serde(default)]
    pub body: String,
    /// Such as `github.com owner/name#12`.
    #[serde(rename = "thread")]
    pub issue: String,
    /// The digest of what was sent last: the forge may have it although its answer was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// The issue that a run could not write last, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<(u32, String)>,
}

impl Published {
    pub fn new(issue: &str, revision: u64, text: &str, body: &str) -> Self {
        let [digest, body] = [text, body].map(|text| digest(text.as_bytes())[..32].to_owned());
        Self { issue: issue.to_owned(), revision, digest, body, ..Self::default() }
    }

    /// The number of the issue, if this revision has another transcript.
    pub fn is_behind(&self, body: &str) -> Option<u32> {
        let is_other = !self.body.is_empty() && digest(body.as_bytes())[..32] != self.body;
        self.issue.rsplit_once('#').filter(|_| is_other)?.1.parse().ok()
    }

    /// True if `other` is this revision, or was sent after it.
    pub fn knows(&self, other: &Self) -> bool {
        (&self.digest, self.revision) == (&other.digest, other.revision)
            || self.sent.as_ref() == Some(&other.digest)
    }
}

impl Store {
    /// The last revision of this debate that was seen in this issue. `None`: none was seen, or one
    /// in another issue.
    pub fn published(&self, id: &str, issue: &str) -> Option<Published> {
        self.published_record(id).filter(|found| found.issue == issue)
    }

    /// What is recorded of the issue that this debate was in last.
    pub fn published_record(&self, id: &str) -> Option<Published> {
        let folders = checkpoints::folders(self.project(), id);
        let text = folders
            .into_iter()
            .find_map(|folder| read_file(&folder.join("published.json")).ok().flatten())?;
        // A forged file could make Anvil write over a revision that somebody else has published.
        if !self.keys().reader(SealKind::Published, id).is_own(&text) {
            return None;
        }
        from_json(&text).ok()
    }
}

impl Locked<'_> {
    /// Records the revision that is in an issue now.
    pub fn remember_published(&self, id: &str, published: &Published) -> Result<()> {
        let text = serde_json::to_vec(published).map_err(not_written)?;
        let text = self.keys().seal(SealKind::Published, id, text);
        let path = checkpoints::folder(self.project(), id).join("published.json");
        self.put_record(&path, &text, Flush::Now).map_err(not_written)
    }
}
