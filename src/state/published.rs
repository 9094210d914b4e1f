//! What this side has last seen of its debate in an issue: `published.json` beside the debate's checkpoints.
//!
//! Not needed to run a debate. Without it the next `publish` takes what is in the issue for somebody else's.

use serde::{Deserialize, Serialize};

use super::store::{Locked, Store, not_written};
use super::{checkpoints, log::Change};
use crate::debate::Debate;
use crate::disk::{Flush, NewFile};
use crate::error::Result;

/// One revision of a debate in an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// Where: `github.com owner/name#12`.
    pub thread: String,
    /// Its revision there.
    pub revision: u64,
    /// A digest of what it said.
    pub digest: String,
}

impl Published {
    /// A revision that says this.
    #[must_use]
    pub fn of(thread: &str, revision: u64, text: &str) -> Self {
        use sha2::{Digest as _, Sha256};
        let digest = Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { thread: thread.to_owned(), revision, digest }
    }
}

impl Store {
    /// What was last seen of this debate in this issue. `None`: nothing, or of another issue.
    #[must_use]
    pub fn published(&self, id: &str, thread: &str) -> Option<Published> {
        let path = checkpoints::folder(self.project(), id).join("published.json");
        let text = super::read::read_file(&path).ok().flatten()?;
        serde_json::from_slice::<Published>(&text).ok().filter(|published| published.thread == thread)
    }
}

impl Locked<'_> {
    /// Remembers what is in an issue now, and notes it down.
    pub fn remember_published(&self, debate: &Debate, published: &Published, change: &Change) -> Result<()> {
        let project = self.project();
        let folder = checkpoints::folder(project, &debate.id);
        let text = serde_json::to_vec(published).unwrap_or_default();
        let disk = &self.store.disk;
        let written = disk.create_folder_in(project.root(), &folder).and_then(|()| {
            let path = folder.join("published.json");
            disk.replace_by_way_of(&project.claude(), &path, &[&text], NewFile::Private, Flush::Now)
        });
        self.log([change].into_iter(), debate, text.len());
        written.map_err(|error| not_written(&error))
    }
}
