//! Leases on the tasks of a debate: the right to write one reply. They lie next to the debate's
//! checkpoints, and change under the lock of its project.
//!
//! The debate itself defines its tasks and which are done; this file has only their holders. A
//! lease has a generation, which rises with every lease: a reply to an earlier one is late. No
//! clock decides. A lease ends when its reply is saved, when its holder gives it back, or when
//! somebody takes it because the holder's process is gone.
//!
//! A lease of this machine has its seal. One of another machine, which shares the folder, counts
//! only if its holder has tried the locks there, and if it was made after this machine began or
//! joined the debate: an older one came with a copy of the files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::attempt_lines::renamed;
use super::generation::{Generation, or_empty};
use crate::domain::reply::Written;
use crate::domain::tasks::TaskHolder;
use crate::domain::transcript::Author;
use crate::error::Result;
use crate::storage::file::bounds;
use crate::storage::file::read::{check_folder, is_foreign, read_file, read_up_to};
use crate::storage::machine::RunRecord;
use crate::storage::machine::holder::Holder;
use crate::storage::machine::seal::{SealKind, aside, digest, token};
use crate::storage::store::{Locked, Store};
use crate::storage::{checkpoints, not_written};
use crate::system::disk::Flush;
use crate::text::from_json;

/// The version of the schema.
const SCHEMA: u32 = 1;

/// Largest file of leases, in bytes: hundreds of them.
const MAX_BYTES: u64 = 512 * 1024;

/// Most tokens of ended leases that are remembered: the newest.
const MAX_SPENT: usize = 200;

/// Most texts of a debate that are kept although their tokens are unknown.
pub const MAX_STRAY: usize = 3;

/// The right to write the reply to one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The task, by its id.
    #[serde(deserialize_with = "renamed")]
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
    /// Its holder has found that locks hold in this folder.
    #[serde(default)]
    tried: bool,
    /// As it lies in the file, with its seal; empty where it was made here.
    #[serde(skip)]
    text: String,
    /// It has a seal of this machine.
    #[serde(skip)]
    is_own: bool,
}

impl Lease {
    /// True for the token of this lease.
    pub fn is_of(&self, token: &str) -> bool {
        digest(token.as_bytes()) == self.token
    }

    /// Notes that this reply came.
    pub fn receive(&mut self, Written { text, author, .. }: Written<'_>, now: Timestamp) {
        (self.received_at, self.reply) = (Some(now), Some(digest(text.as_bytes())));
        self.author = author.cloned();
    }

    fn read(text: &str) -> Option<Self> {
        let lease: Self = from_json(text).ok()?;
        bounds::is_number(lease.generation).then(|| Self { text: text.to_owned(), ..lease })
    }

    /// Its text in the file. A lease that did not change keeps the seal of its own machine.
    fn write(&self, id: &str, store: &Store) -> serde_json::Result<Box<RawValue>> {
        let unsealed = serde_json::to_string(self)?;
        let is_unchanged = Self::read(&self.text)
            .is_some_and(|read| Self { is_own: self.is_own, ..read } == *self);
        let text = if is_unchanged {
            self.text.clone()
        } else {
            String::from_utf8_lossy(&store.keys().seal(SealKind::Lease, id, unsealed.into_bytes()))
                .into_owned()
        };
        RawValue::from_string(text)
    }

    /// True if its reply is kept and this machine may save it. Each machine saves its own replies.
    pub fn is_received(&self) -> bool {
        self.received_at.is_some() && self.is_own
    }

    /// True if the process is provably gone, and no reply is kept.
    pub fn is_dead(&self) -> bool {
        !self.is_received() && self.holder.is_dead()
    }

    /// True if this machine can see whether the process is gone.
    pub fn can_be_checked(&self) -> bool {
        self.is_own && self.holder.is_here()
    }
}

/// All leases on the tasks of one debate that count on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leases {
    /// The generation of the newest lease that was made.
    last_generation: u32,
    /// At most one for each task.
    pub all: Vec<Lease>,
    /// The tokens of ended leases, as SHA-256: a reply with one is late, and kept once.
    over: Vec<String>,
    /// Texts that came with unknown tokens, as SHA-256.
    stray: Vec<String>,
    /// Leases that don't count here. They stay in the file: they may count for another machine.
    foreign: Vec<Lease>,
    /// The file, or a part of it, is not a lease.
    is_damaged: bool,
}

/// The file of leases. Each lease is read separately.
#[derive(Serialize, Deserialize)]
struct LeasesFile {
    schema: u32,
    last_generation: u32,
    all: Vec<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    over: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stray: Vec<String>,
}

impl Leases {
    /// Leases that came with a copy of the project's files, and those that can't be read.
    pub fn foreign(&self) -> usize {
        self.foreign.len() + usize::from(self.is_damaged)
    }

    /// The lease on a task.
    pub fn on(&self, task: &str) -> Option<&Lease> {
        self.all.iter().find(|lease| lease.task == task)
    }

    /// The workers that hold tasks, by task id.
    pub fn holders(&self) -> BTreeMap<String, TaskHolder> {
        let holder = |lease: &Lease| TaskHolder {
            worker: lease.worker.clone(),
            host: lease.holder.host.clone(),
            process: lease.holder.process.pid,
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
        self.foreign.retain(|lease| lease.task != task);
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
            // A worker tries the locks before its first request.
            tried: true,
            text: String::new(),
            is_own: true,
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

    /// Notes a text that came with an unknown token. `Some(true)`: keep it. `Some(false)`: it is
    /// kept already. `None`: there are enough of them.
    pub fn note_stray(&mut self, text: &str) -> Option<bool> {
        let text = digest(text.as_bytes());
        if self.stray.contains(&text) {
            return Some(false);
        }
        (self.stray.len() < MAX_STRAY).then(|| self.stray.push(text)).map(|()| true)
    }
}

impl Store {
    fn leases_file(&self, id: &str) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims.json")
    }

    fn reply_file(&self, id: &str, generation: u32) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims").join(format!("{generation}.md"))
    }

    /// The leases on the tasks of a debate.
    pub fn leases(&self, id: &str) -> Result<Leases> {
        let path = self.leases_file(id);
        let mut leases = Leases { is_damaged: is_foreign(&path, MAX_BYTES), ..Leases::default() };
        if leases.is_damaged {
            return Ok(leases);
        }
        let Some(bytes) = read_up_to(&path, MAX_BYTES, "file of claims")? else {
            return Ok(leases);
        };
        let file = from_json::<LeasesFile>(&bytes).ok().filter(|file| file.schema == SCHEMA);
        let Some(file) = file else { return Ok(Leases { is_damaged: true, ..leases }) };
        (leases.over, leases.stray) = (file.over, file.stray);
        // Above the bound there is no number for the next lease.
        leases.last_generation =
            Some(file.last_generation).filter(|last| *last < bounds::MAX_NUMBER).unwrap_or(0);
        let keys = self.keys();
        let (own, found) = (keys.reader(SealKind::Lease, id), OnceCell::new());
        for text in &file.all {
            let Some(mut lease) = Lease::read(text.get()) else {
                leases.is_damaged = true;
                continue;
            };
            let is_own = own.is_own(text.get().as_bytes());
            lease.is_own = is_own;
            let found = || found.get_or_init(|| self.found_leases(id)).as_ref();
            let counts = is_own
                || lease.tried && found().is_some_and(|found| !found.contains(&name(&lease)));
            // A task has one lease; this machine's own lease goes before another machine's.
            let rival = leases.all.iter().position(|known| known.task == lease.task);
            match (counts, rival) {
                (true, None) => leases.all.push(lease),
                (true, Some(at)) if is_own => {
                    leases.foreign.push(std::mem::replace(&mut leases.all[at], lease));
                }
                _ => leases.foreign.push(lease),
            }
        }
        Ok(leases)
    }

    /// The other machines' leases that this one found when it began or joined the debate. `None`:
    /// it has done neither.
    fn found_leases(&self, id: &str) -> Option<Vec<String>> {
        let record = self.machine.run(id).filter(|record| record.root == self.project().place());
        record.map(|record| record.found)
    }

    /// This machine begins or joins a debate, if it has not yet. The other machines' leases that
    /// are there now came with its files. If they can't be remembered, none of theirs ever counts.
    pub fn begin_here(&self, id: &str) -> Result<()> {
        if self.found_leases(id).is_some() {
            return Ok(());
        }
        let found = self.leases(id)?.foreign.iter().map(name).collect();
        let record = RunRecord { found, ..RunRecord::new(self.project().place()) };
        let _ = self.machine.remember_run(id, &record);
        Ok(())
    }

    /// Differs if the debate or its leases have changed.
    pub fn signature(&self, id: &str) -> Vec<Option<(u64, std::time::SystemTime)>> {
        let facts = |path: PathBuf| {
            std::fs::metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?))).ok()
        };
        vec![facts(self.project().state_file()), facts(self.leases_file(id))]
    }
}

impl Locked<'_> {
    /// Writes the leases of a debate, and flushes them.
    pub fn keep_leases(&self, id: &str, leases: &Leases) -> Result<()> {
        let path = self.leases_file(id);
        let (own, foreign) = (leases.all.iter(), leases.foreign.iter());
        let is_free = |lease: &&Lease| leases.on(&lease.task).is_none();
        let written = own.chain(foreign.filter(is_free)).map(|lease| lease.write(id, self.store));
        let bytes = written.collect::<serde_json::Result<Vec<_>>>().and_then(|all| {
            let last_generation = leases.last_generation;
            let (over, stray) = (leases.over.clone(), leases.stray.clone());
            serde_json::to_vec(&LeasesFile { schema: SCHEMA, last_generation, all, over, stray })
        });
        let bytes = bytes.map_err(not_written)?;
        if leases.is_damaged && self.leases(id)?.is_damaged {
            self.disk.rename(&path, &aside(&path)).map_err(not_written)?;
        }
        self.put_record(&path, &bytes, Flush::Now).map_err(not_written)
    }

    /// Keeps the reply to a lease until its place in the debate comes, and flushes it.
    pub fn keep_leased_reply(&self, id: &str, generation: u32, text: &str) -> Result<()> {
        let file = self.reply_file(id, generation);
        self.put_record(&file, text.as_bytes(), Flush::Now).map_err(not_written)
    }

    /// The reply that is kept for a lease. `None`: it is gone, or it is another one.
    pub fn leased_reply(&self, id: &str, lease: &Lease) -> Result<Option<String>> {
        let file = self.reply_file(id, lease.generation);
        file.parent().map_or(Ok(()), check_folder)?;
        let bytes = read_file(&file)?.filter(|bytes| lease.reply.as_ref() == Some(&digest(bytes)));
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Removes the kept reply, which is saved now.
    pub fn forget_leased_reply(&self, id: &str, generation: u32) {
        let file = self.reply_file(id, generation);
        if file.parent().is_some_and(|folder| check_folder(folder).is_ok()) {
            let _ = self.disk.remove(&file);
        }
    }
}

/// The SHA-256 of a lease as it lies in the file. Any change, even a sign of life, changes it.
fn name(lease: &Lease) -> String {
    digest(lease.text.as_bytes())
}
