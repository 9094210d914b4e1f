//! Leases on the tasks of a debate: the right to write one reply. They lie in the debate's folder,
//! and change under the lock of its place.
//!
//! The debate itself defines its tasks and which are done; this file has only their holders. A
//! lease has a generation, which rises with every lease: a reply to an earlier one is late. No
//! clock decides. A lease ends when its reply is saved, when its holder gives it back, or when
//! somebody takes it because the holder's process is gone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::attempt::{Generation, or_empty};
use crate::domain::reply::Written;
use crate::domain::tasks::TaskHolder;
use crate::domain::transcript::Author;
use crate::error::Result;
use crate::storage::file::bounds;
use crate::storage::file::read::{read_file, read_up_to};
use crate::storage::locked::Locked;
use crate::storage::machine::holder::Holder;
use crate::storage::not_written;
use crate::storage::project::{digest, token};
use crate::storage::store::Store;
use crate::text::from_json;

/// The version of the schema.
const SCHEMA: u32 = 1;

/// The file of leases in a debate's folder.
const FILE: &str = "claims.json";

/// Largest file of leases, in bytes: hundreds of them.
const MAX_BYTES: u64 = 512 * 1024;

/// Most tokens of ended leases that are remembered: the newest.
const MAX_SPENT: usize = 200;

/// Most texts of a debate that are kept although their tokens are unknown.
const MAX_STRAY: usize = 3;

/// The right to write the reply to one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The task, by its id.
    pub task: String,
    /// Counts the leases of the debate, from 1. Only the newest one of a task is valid.
    pub generation: u32,
    /// The name of the agent, or of the user.
    pub worker: String,
    /// The process.
    pub holder: Holder,
    /// The SHA-256 of the token that the reply has to bring, in hexadecimal digits.
    token: String,
    /// By the clock of its machine.
    pub claimed_at: Timestamp,
    /// When the work began. `None`: the task waits for others.
    pub started_at: Option<Timestamp>,
    /// The state that the work answers. `None` before it begins.
    #[serde(default, with = "or_empty")]
    pub answers: Option<Generation>,
    /// The last sign of life, by the clock of its machine.
    pub seen_at: Timestamp,
    /// Replies that were not usable.
    #[serde(default)]
    pub retries: u8,
    /// The reply was requested once more, for its form.
    #[serde(default)]
    pub form_retry: bool,
    /// When its reply came. It waits until the replies before it are saved.
    pub received_at: Option<Timestamp>,
    /// The SHA-256 of that reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// The session whose conversation waits for it, and goes on afterwards.
    pub handed_by: Option<String>,
}

impl Lease {
    /// True for the token of this lease.
    pub fn is_of(&self, token: &str) -> bool {
        digest(token.as_bytes()) == self.token
    }

    /// Notes that its work begins, at this state of the debate. A user in a shell
    /// does not say when they begin.
    pub fn begin(&mut self, answers: Generation, now: Timestamp) {
        if !self.is_of_shell() {
            self.started_at.get_or_insert(now);
        }
        (self.answers, self.seen_at) = (Some(answers), now);
    }

    /// Notes that this reply came.
    pub fn receive(&mut self, Written { text, author, .. }: Written<'_>, now: Timestamp) {
        (self.received_at, self.reply) = (Some(now), Some(digest(text.as_bytes())));
        self.author = author.cloned();
    }

    /// True if it was claimed in a shell. Then no process holds it, and its user needs no token.
    pub fn is_of_shell(&self) -> bool {
        !self.holder.has_process()
    }

    /// True if its reply is kept.
    pub fn is_received(&self) -> bool {
        self.received_at.is_some()
    }

    /// True if the process is provably gone, and no reply is kept.
    pub fn is_dead(&self) -> bool {
        !self.is_received() && self.holder.is_dead()
    }

    /// True if this machine can see whether the process is gone.
    pub fn can_be_checked(&self) -> bool {
        self.holder.is_here()
    }
}

/// All leases on the tasks of one debate: its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leases {
    schema: u32,
    /// The generation of the newest lease that was made.
    last_generation: u32,
    /// At most one for each task.
    pub all: Vec<Lease>,
    /// The tokens of ended leases, as SHA-256: a reply with one is late, and kept once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    over: Vec<String>,
    /// Texts that came with unknown tokens, as SHA-256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stray: Vec<String>,
}

impl Default for Leases {
    fn default() -> Self {
        let (all, over, stray) = (Vec::new(), Vec::new(), Vec::new());
        Self { schema: SCHEMA, last_generation: 0, all, over, stray }
    }
}

impl Leases {
    /// The lease on a task.
    pub fn on(&self, task: &str) -> Option<&Lease> {
        self.all.iter().find(|lease| lease.task == task)
    }

    /// The workers that hold tasks, by task id.
    pub fn holders(&self) -> BTreeMap<String, TaskHolder> {
        let holder = |lease: &Lease| TaskHolder {
            worker: lease.worker.clone(),
            host: lease.holder.host.clone(),
            process: lease.holder.has_process().then_some(lease.holder.process.pid),
            generation: lease.generation,
            is_gone: lease.is_dead(),
            claimed_at: lease.claimed_at,
            started_at: lease.started_at,
            received_at: lease.received_at,
            seen_at: lease.seen_at,
        };
        self.all.iter().map(|lease| (lease.task.clone(), holder(lease))).collect()
    }

    pub fn on_mut(&mut self, task: &str) -> Option<&mut Lease> {
        self.all.iter_mut().find(|lease| lease.task == task)
    }

    /// Adds a lease, and ends an earlier one on that task. Returns its generation and the token
    /// that its reply must bring.
    pub fn add(
        &mut self,
        task: &str,
        worker: &str,
        holder: Holder,
        now: Timestamp,
    ) -> (u32, String) {
        let token = token();
        self.release(task);
        let newest = self.all.iter().map(|lease| lease.generation).max().unwrap_or(0);
        self.last_generation = self.last_generation.max(newest) + 1;
        self.all.push(Lease {
            task: task.to_owned(),
            generation: self.last_generation,
            worker: worker.to_owned(),
            holder,
            token: digest(token.as_bytes()),
            claimed_at: now,
            started_at: None,
            answers: None,
            seen_at: now,
            retries: 0,
            form_retry: false,
            received_at: None,
            reply: None,
            author: None,
            handed_by: None,
        });
        (self.last_generation, token)
    }

    /// Ends the lease on a task.
    pub fn release(&mut self, task: &str) -> Option<Lease> {
        let at = self.all.iter().position(|lease| lease.task == task)?;
        let lease = self.all.remove(at);
        self.over.push(lease.token.clone());
        let too_many = self.over.len().saturating_sub(MAX_SPENT);
        self.over.drain(..too_many);
        Some(lease)
    }

    /// True for the token of an ended lease, once.
    pub fn spend(&mut self, token: &str) -> bool {
        let token = digest(token.as_bytes());
        let at = self.over.iter().position(|over| *over == token);
        at.map(|at| self.over.remove(at)).is_some()
    }

    /// Notes a text that came with an unknown token. Such texts may come without end, so the last
    /// few are kept: gives back the digest of the one that goes.
    pub fn note_stray(&mut self, text: &str) -> Option<String> {
        let text = digest(text.as_bytes());
        self.stray.retain(|other| *other != text);
        self.stray.push(text);
        (self.stray.len() > MAX_STRAY).then(|| self.stray.remove(0))
    }
}

impl Store {
    fn leases_file(&self, id: &str) -> Option<PathBuf> {
        Some(self.machine.debate_folder(id)?.join(FILE))
    }

    /// The leases on the tasks of a debate.
    pub fn leases(&self, id: &str) -> Result<Leases> {
        let Some(path) = self.leases_file(id) else { return Ok(Leases::default()) };
        let bytes = read_up_to(&path, MAX_BYTES, "file of claims")?.unwrap_or_default();
        let read = from_json::<Leases>(&bytes).ok().filter(|read| read.schema == SCHEMA);
        let mut leases = read.unwrap_or_default();
        leases.all.retain(|lease| bounds::is_number(lease.generation));
        // Above the bound there is no number for the next lease.
        if leases.last_generation >= bounds::MAX_NUMBER {
            leases.last_generation = 0;
        }
        Ok(leases)
    }

    /// Differs if the debate or its leases have changed.
    pub fn signature(&self, id: &str) -> Vec<Option<(u64, std::time::SystemTime)>> {
        let facts = |path: PathBuf| {
            std::fs::metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?))).ok()
        };
        vec![facts(self.project().state_file()), self.leases_file(id).and_then(facts)]
    }
}

impl Locked<'_> {
    /// Writes the leases of a debate, and flushes them.
    pub fn keep_leases(&self, id: &str, leases: &Leases) -> Result<()> {
        self.put(id, FILE, &serde_json::to_vec(leases).map_err(not_written)?)
    }

    /// The leases on the tasks of a debate.
    pub fn leases(&self, id: &str) -> Result<Leases> {
        self.store.leases(id)
    }

    /// Keeps the reply to a lease until its place in the debate comes, and flushes it.
    pub fn keep_leased_reply(&self, id: &str, generation: u32, text: &str) -> Result<()> {
        self.put(id, &reply_file(generation), text.as_bytes())
    }

    /// The reply that is kept for a lease. `None`: it is gone, or it is another one.
    pub fn leased_reply(&self, id: &str, lease: &Lease) -> Result<Option<String>> {
        let file = self.folder(id)?.path.join(reply_file(lease.generation));
        let bytes = read_file(&file)?.filter(|bytes| lease.reply.as_ref() == Some(&digest(bytes)));
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Removes the kept reply, which is saved now.
    pub fn forget_leased_reply(&self, id: &str, generation: u32) {
        if let Ok(folder) = self.folder(id) {
            let _ = self.store.disk.remove(&folder.path.join(reply_file(generation)));
        }
    }
}

fn reply_file(generation: u32) -> String {
    format!("claims/{generation}.md")
}
