//! What this side has last seen of its debate in an issue: `published.json` beside the debate's checkpoints.
//!
//! Not needed to run a debate. Without it the next `publish` takes what is in the issue for somebody else's.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::seal::Kind;
use super::store::{Locked, Store};
use super::{checkpoints, log::Change, not_written};
use crate::debate::Debate;
use crate::disk::{Flush, NewFile};
use crate::error::Result;

/// One revision of a debate in an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Where: `github.com owner/name#12`.
    pub issue: String,
    /// Its revision there.
    pub revision: u64,
    /// A digest of what it said.
    pub digest: String,
}

impl Published {
    /// A revision that says this.
    #[must_use]
    pub fn of(issue: &str, revision: u64, text: &str) -> Self {
        use sha2::{Digest as _, Sha256};
        let mut digest = String::new();
        for byte in Sha256::digest(text).iter().take(16) {
            let _ = write!(digest, "{byte:02x}");
        }
        Self { issue: issue.to_owned(), revision, digest }
    }
}

impl Store {
    /// What was last seen of this debate in this issue. `None`: nothing, or of another issue.
    #[must_use]
    pub fn published(&self, id: &str, issue: &str) -> Option<Published> {
        let folders = checkpoints::folders(self.project(), id);
        let text = folders
            .into_iter()
            .find_map(|folder| super::read::read_file(&folder.join("published.json")).ok().flatten())?;
        // Who could write it here could have what others have published written over.
        if !self.keys().reader(Kind::Published, id).is_own(&text) {
            return None;
        }
        let found: Value = serde_json::from_slice(&text).ok().filter(|found: &Value| found["thread"] == issue)?;
        let digest = found["digest"].as_str()?.to_owned();
        Some(Published { issue: issue.to_owned(), revision: found["revision"].as_u64()?, digest })
    }
}

impl Locked<'_> {
    /// Remembers what is in an issue now, and notes it down.
    pub fn remember_published(&self, debate: &Debate, published: &Published, change: &Change) -> Result<()> {
        let project = self.project();
        let folder = checkpoints::folder(project, &debate.id);
        let Published { issue, revision, digest } = published;
        let text = json!({ "thread": issue, "revision": revision, "digest": digest }).to_string().into_bytes();
        let text = self.store.keys().seal(Kind::Published, &debate.id, text);
        let disk = &self.store.disk;
        let written = disk.create_folder_in(project.shared_root(), &folder).and_then(|()| {
            let path = folder.join("published.json");
            disk.replace_by_way_of(&project.temps_for(&path), &path, &[&text], NewFile::Private, Flush::Now)
        });
        self.log([change].into_iter(), debate, text.len());
        written.map_err(|error| not_written(&error))
    }
}
