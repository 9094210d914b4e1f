//! Claims on the tasks of a debate: who works at which, beside its checkpoints and under the lock of its project.
//!
//! What a task is, and whether it is done, is told by the debate itself. Only that somebody holds one is kept here. A claim has a
//! generation, which rises with every claim: what answers an earlier one is late. Nobody's clock is believed: a claim ends
//! when its reply is filed, when its holder lets it go, or when somebody else takes it from a holder whose process is gone.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::holder::Holder;
use super::read::{check_folder, read_file, read_up_to};
use super::store::{Locked, Store};
use super::{checkpoints, not_written};
use crate::disk::{Flush, NewFile};
use crate::error::{Error, Result};

/// The version of the schema.
const SCHEMA: u32 = 1;

/// Largest file of claims, in bytes: hundreds of them.
const MAX_BYTES: u64 = 512 * 1024;

/// Most tokens of claims that are over which are remembered, the newest.
const MAX_SPENT: usize = 200;

/// Most texts of a debate that are kept although nobody has given their tokens out.
pub const MAX_STRAY: usize = 3;

/// A claim on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The task, by its id.
    pub task: String,
    /// Which claim of the debate this is, counted from 1; the newest one of a task is the one that counts.
    pub generation: u32,
    /// Who works, as it is called: an agent, or the user.
    pub worker: String,
    /// The process.
    pub holder: Holder,
    /// What a reply has to bring with it, as SHA-256 in hexadecimal digits.
    token: String,
    /// When the claim was made, by the clock of its machine.
    pub claimed_at: Timestamp,
    /// When the work began. `None`: the task waits for others.
    pub started_at: Option<Timestamp>,
    /// The state of the debate that the work answers; empty before it begins.
    #[serde(default)]
    pub answers: String,
    /// The last sign of life, by the clock of its machine.
    pub seen_at: Timestamp,
    /// Replies that were not usable.
    #[serde(default)]
    pub retries: u8,
    /// It was asked for once more, for its form.
    #[serde(default)]
    pub form_retry: bool,
    /// When its reply came, which waits for the replies before it to be filed.
    #[serde(default)]
    pub received_at: Option<Timestamp>,
    /// The session whose conversation waits for it, and goes on afterwards.
    #[serde(default)]
    pub handed_by: Option<String>,
}

impl Claim {
    /// True for the token that was given out with it.
    #[must_use]
    pub fn is_of(&self, token: &str) -> bool {
        digest(token) == self.token
    }

    /// True where the process is provably gone, and no reply is kept.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.received_at.is_none() && self.holder.is_dead()
    }
}

/// All claims on the tasks of one debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    schema: u32,
    /// The generation of the newest claim that was made.
    last_generation: u32,
    /// At most one for each task.
    pub all: Vec<Claim>,
    /// The comments of an issue with the claims whose replies were filed from there.
    #[serde(default)]
    pub gathered: Vec<u64>,
    /// Tokens of claims that are over, as SHA-256: what comes with one is late, and kept once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    over: Vec<String>,
    /// Texts that came with tokens which nobody gave out, as SHA-256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stray: Vec<String>,
}

impl Default for Claims {
    fn default() -> Self {
        let (all, gathered, over, stray) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { schema: SCHEMA, last_generation: 0, all, gathered, over, stray }
    }
}

impl Claims {
    /// The claim on a task.
    #[must_use]
    pub fn on(&self, task: &str) -> Option<&Claim> {
        self.all.iter().find(|claim| claim.task == task)
    }

    /// The same, to be changed.
    #[must_use]
    pub fn on_mut(&mut self, task: &str) -> Option<&mut Claim> {
        self.all.iter_mut().find(|claim| claim.task == task)
    }

    /// Adds a claim in the place of an earlier one on that task. Gives back its generation and the token that its reply needs.
    pub fn add(&mut self, task: &str, worker: &str, holder: Holder, now: Timestamp) -> (u32, String) {
        let token = token();
        self.release(task);
        self.last_generation = self.last_generation.saturating_add(1);
        self.all.push(Claim {
            task: task.to_owned(),
            generation: self.last_generation,
            worker: worker.to_owned(),
            holder,
            token: digest(&token),
            claimed_at: now,
            started_at: None,
            answers: String::new(),
            seen_at: now,
            retries: 0,
            form_retry: false,
            received_at: None,
            handed_by: None,
        });
        (self.last_generation, token)
    }

    /// Takes the claim on a task away.
    pub fn release(&mut self, task: &str) -> Option<Claim> {
        let at = self.all.iter().position(|claim| claim.task == task)?;
        let claim = self.all.remove(at);
        self.over.push(claim.token.clone());
        let too_many = self.over.len().saturating_sub(MAX_SPENT);
        self.over.drain(..too_many);
        Some(claim)
    }

    /// True for the token of a claim that is over, once.
    pub fn spend(&mut self, token: &str) -> bool {
        let token = digest(token);
        let at = self.over.iter().position(|over| *over == token);
        at.map(|at| self.over.remove(at)).is_some()
    }

    /// Notes a text that came with a token which nobody gave out. `Some(true)`: it is to be kept; `Some(false)`: it is kept
    /// already; `None`: there are enough of them.
    pub fn note_stray(&mut self, text: &str) -> Option<bool> {
        let text = digest(text);
        if self.stray.contains(&text) {
            return Some(false);
        }
        (self.stray.len() < MAX_STRAY).then(|| self.stray.push(text)).map(|()| true)
    }
}

/// What nobody can guess: 128 bits that the system chose, in hexadecimal digits.
#[must_use]
pub fn token() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", bits(), bits())
}

fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text.as_bytes()))
}

impl Store {
    fn claims_file(&self, id: &str) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims.json")
    }

    fn reply_file(&self, id: &str, generation: u32) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims").join(format!("{generation}.md"))
    }

    /// The claims on the tasks of a debate.
    pub fn claims(&self, id: &str) -> Result<Claims> {
        let path = self.claims_file(id);
        let Some(bytes) = read_up_to(&path, MAX_BYTES, "file of claims")? else { return Ok(Claims::default()) };
        let claims: Option<Claims> = serde_json::from_slice(&bytes).ok();
        claims.filter(|claims| claims.schema == SCHEMA).ok_or_else(|| {
            Error::failed(format!("{} can't be read", path.display()), "remove it: who works at the debate claims anew")
        })
    }

    /// What tells whether anything has changed that concerns who works at a debate.
    #[must_use]
    pub fn signature(&self, id: &str) -> Vec<Option<(u64, std::time::SystemTime)>> {
        let facts = |path: PathBuf| std::fs::metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?))).ok();
        vec![facts(self.project().state_file()), facts(self.claims_file(id))]
    }
}

impl Locked<'_> {
    /// The claims on the tasks of a debate, while nobody else can change them.
    pub fn claims(&self, id: &str) -> Result<Claims> {
        self.store.claims(id)
    }

    /// Makes these the claims of a debate; flushed when this comes back.
    pub fn keep_claims(&self, id: &str, claims: &Claims) -> Result<()> {
        let path = self.store.claims_file(id);
        let bytes = serde_json::to_vec(claims).map_err(|error| not_written(&error.into()))?;
        self.write_beside(id, &path, &bytes)
    }

    /// Keeps the reply to a claim until its place in the debate comes; flushed when this comes back.
    pub fn keep_claimed_reply(&self, id: &str, generation: u32, text: &str) -> Result<()> {
        self.write_beside(id, &self.store.reply_file(id, generation), text.as_bytes())
    }

    /// That reply. `None`: it is gone.
    pub fn claimed_reply(&self, id: &str, generation: u32) -> Result<Option<String>> {
        let file = self.store.reply_file(id, generation);
        file.parent().map_or(Ok(()), check_folder)?;
        let bytes = read_file(&file)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// It is filed.
    pub fn forget_claimed_reply(&self, id: &str, generation: u32) {
        let file = self.store.reply_file(id, generation);
        if file.parent().is_some_and(|folder| check_folder(folder).is_ok()) {
            let _ = self.store.disk.remove(&file);
        }
    }

    fn write_beside(&self, id: &str, path: &std::path::Path, bytes: &[u8]) -> Result<()> {
        let (disk, project) = (&self.store.disk, self.project());
        let folder = path.parent().map_or_else(|| checkpoints::folder(project, id), std::path::Path::to_owned);
        let made = disk.create_folder_in(project.shared_root(), &folder);
        let written = made.and_then(|()| {
            disk.replace_by_way_of(&project.temps_for(path), path, &[bytes], NewFile::Private, Flush::Now)
        });
        written.map_err(|error| not_written(&error))
    }
}
