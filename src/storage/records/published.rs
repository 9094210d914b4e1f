//! The last revision of a debate that was seen in an issue: `published.json` next to the debate's
//! checkpoints.
//!
//! A debate runs without it. Without it the next `publish` takes the contents of the issue for
//! somebody else's.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::domain::debate::Debate;
use crate::error::Result;
use crate::storage::log::Change;
use crate::storage::machine::seal::Kind;
use crate::storage::store::{Locked, Store};
use crate::storage::{checkpoints, not_written};
use crate::system::disk::{Flush, NewFile};

/// One revision of a debate in an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Such as `github.com owner/name#12`.
    pub issue: String,
    pub revision: u64,
    /// A digest of its text.
    pub digest: String,
}

impl Published {
    pub fn new(issue: &str, revision: u64, text: &str) -> Self {
        use sha2::{Digest as _, Sha256};
        let mut digest = String::new();
        for byte in Sha256::digest(text).iter().take(16) {
            let _ = write!(digest, "{byte:02x}");
        }
        Self { issue: issue.to_owned(), revision, digest }
    }
}

impl Store {
    /// The last revision of this debate that was seen in this issue. `None`: none was seen, or one
    /// in another issue.
    pub fn published(&self, id: &str, issue: &str) -> Option<Published> {
        let folders = checkpoints::folders(self.project(), id);
        let text = folders.into_iter().find_map(|folder| {
            crate::storage::file::read::read_file(&folder.join("published.json")).ok().flatten()
        })?;
        // A forged file could make Anvil write over a revision that somebody else has published.
        if !self.keys().reader(Kind::Published, id).is_own(&text) {
            return None;
        }
        let found: Value =
            serde_json::from_slice(&text).ok().filter(|found: &Value| found["thread"] == issue)?;
        let digest = found["digest"].as_str()?.to_owned();
        Some(Published { issue: issue.to_owned(), revision: found["revision"].as_u64()?, digest })
    }
}

impl Locked<'_> {
    /// Records the revision that is in an issue now.
    pub fn remember_published(
        &self,
        debate: &Debate,
        published: &Published,
        change: &Change,
    ) -> Result<()> {
        let project = self.project();
        let folder = checkpoints::folder(project, &debate.id);
        let Published { issue, revision, digest } = published;
        let text = json!({ "thread": issue, "revision": revision, "digest": digest })
            .to_string()
            .into_bytes();
        let text = self.store.keys().seal(Kind::Published, &debate.id, text);
        let disk = &self.store.disk;
        let written = disk.create_folder_in(project.shared_root(), &folder).and_then(|()| {
            let path = folder.join("published.json");
            disk.replace_by_way_of(
                &project.temps_for(&path),
                &path,
                &[&text],
                NewFile::Private,
                Flush::Now,
            )
        });
        self.log([change].into_iter(), debate, text.len());
        written.map_err(|error| not_written(&error))
    }
}
