//! Claims on the tasks of a debate: who works at which, beside its checkpoints and under the lock of its project.
//!
//! What a task is, and whether it is done, is told by the debate itself. Only that somebody holds one is kept here. A claim has a
//! generation, which rises with every claim: what answers an earlier one is late. Nobody's clock is believed: a claim ends
//! when its reply is filed, when its holder lets it go, or when somebody else takes it from a holder whose process is gone.
//!
//! A claim of this machine has its seal. One of another machine, which shares the folder, counts only where its holder has tried
//! the locks there, and where it was not there yet when this machine began or joined the debate: it came with a copy else.

use std::cell::OnceCell;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::holder::Holder;
use super::machine::RunRecord;
use super::read::{check_folder, read_file, read_up_to};
use super::seal::{Kind, aside, digest, token};
use super::store::{Locked, Store};
use super::{bounds, checkpoints, not_written};
use crate::disk::{Flush, NewFile};
use crate::error::Result;

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
    /// The SHA-256 of that reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// The session whose conversation waits for it, and goes on afterwards.
    #[serde(default)]
    pub handed_by: Option<String>,
    /// Its holder has found that locks hold in this folder.
    #[serde(default)]
    tried: bool,
    /// As it lies in the file, with its seal; empty where it was made here.
    #[serde(skip)]
    text: String,
    /// This machine wrote it as it is.
    #[serde(skip)]
    is_own: bool,
}

impl Claim {
    /// True for the token that was given out with it.
    #[must_use]
    pub fn is_of(&self, token: &str) -> bool {
        digest(token.as_bytes()) == self.token
    }

    /// Its reply came, and is this one.
    pub fn receive(&mut self, text: &str, now: Timestamp) {
        (self.received_at, self.reply) = (Some(now), Some(digest(text.as_bytes())));
    }

    fn read(text: &str) -> Option<Self> {
        let claim: Self = serde_json::from_str(text).ok()?;
        bounds::is_number(claim.generation).then(|| Self { text: text.to_owned(), ..claim })
    }

    /// As it is to lie in the file: a claim that nobody has changed keeps the seal of its own machine.
    fn write(&self, id: &str, store: &Store) -> serde_json::Result<Box<RawValue>> {
        let unsealed = serde_json::to_string(self)?;
        let is_unchanged = Self::read(&self.text).is_some_and(|read| Self { is_own: self.is_own, ..read } == *self);
        let text = if is_unchanged {
            self.text.clone()
        } else {
            String::from_utf8_lossy(&store.keys().seal(Kind::Lease, id, unsealed.into_bytes())).into_owned()
        };
        RawValue::from_string(text)
    }

    /// True where its reply is kept and this machine may file it. Another machine files its own.
    #[must_use]
    pub fn is_received(&self) -> bool {
        self.received_at.is_some() && self.is_own
    }

    /// True where the process is provably gone, and no reply is kept.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        !self.is_received() && self.holder.is_dead()
    }

    /// True where this machine can tell whether the process is gone.
    #[must_use]
    pub fn can_be_told(&self) -> bool {
        self.is_own && self.holder.is_here()
    }
}

/// All claims on the tasks of one debate that count here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The generation of the newest claim that was made.
    last_generation: u32,
    /// At most one for each task.
    pub all: Vec<Claim>,
    /// The comments of an issue with the claims whose replies were filed from there.
    pub gathered: Vec<u64>,
    /// Tokens of claims that are over, as SHA-256: what comes with one is late, and kept once.
    over: Vec<String>,
    /// Texts that came with tokens which nobody gave out, as SHA-256.
    stray: Vec<String>,
    /// Those that don't count here, and stay as they are: they may count for another machine.
    foreign: Vec<Claim>,
    /// The file, or something in it, can't be a claim.
    is_damaged: bool,
}

/// The file of claims. Each is read by itself.
#[derive(Serialize, Deserialize)]
struct ClaimsFile {
    schema: u32,
    last_generation: u32,
    all: Vec<Box<RawValue>>,
    #[serde(default)]
    gathered: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    over: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stray: Vec<String>,
}

impl Claims {
    /// Those that came with a copy of the project's files, and what can't be read.
    #[must_use]
    pub fn foreign(&self) -> usize {
        self.foreign.len() + usize::from(self.is_damaged)
    }

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
        self.foreign.retain(|claim| claim.task != task);
        let newest = self.all.iter().map(|claim| claim.generation).max().unwrap_or(0);
        self.last_generation = self.last_generation.max(newest) + 1;
        self.all.push(Claim {
            task: task.to_owned(),
            generation: self.last_generation,
            worker: worker.to_owned(),
            holder,
            token: digest(token.as_bytes()),
            claimed_at: now,
            started_at: None,
            answers: String::new(),
            seen_at: now,
            retries: 0,
            form_retry: false,
            received_at: None,
            reply: None,
            handed_by: None,
            // A worker tries them before it asks for anything.
            tried: true,
            text: String::new(),
            is_own: true,
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
        let token = digest(token.as_bytes());
        let at = self.over.iter().position(|over| *over == token);
        at.map(|at| self.over.remove(at)).is_some()
    }

    /// Notes a text that came with a token which nobody gave out. `Some(true)`: it is to be kept; `Some(false)`: it is kept
    /// already; `None`: there are enough of them.
    pub fn note_stray(&mut self, text: &str) -> Option<bool> {
        let text = digest(text.as_bytes());
        if self.stray.contains(&text) {
            return Some(false);
        }
        (self.stray.len() < MAX_STRAY).then(|| self.stray.push(text)).map(|()| true)
    }
}

impl Store {
    fn claims_file(&self, id: &str) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims.json")
    }

    fn reply_file(&self, id: &str, generation: u32) -> PathBuf {
        checkpoints::folder(self.project(), id).join("claims").join(format!("{generation}.md"))
    }

    /// The claims on the tasks of a debate. What is no claim is none.
    pub fn claims(&self, id: &str) -> Result<Claims> {
        let path = self.claims_file(id);
        let mut claims = Claims { is_damaged: is_foreign(&path), ..Claims::default() };
        if claims.is_damaged {
            return Ok(claims);
        }
        let Some(bytes) = read_up_to(&path, MAX_BYTES, "file of claims")? else { return Ok(claims) };
        let file = serde_json::from_slice::<ClaimsFile>(&bytes).ok().filter(|file| file.schema == SCHEMA);
        let Some(file) = file else { return Ok(Claims { is_damaged: true, ..claims }) };
        (claims.gathered, claims.over, claims.stray) = (file.gathered, file.over, file.stray);
        // Beyond the bound there would be no next one.
        claims.last_generation = Some(file.last_generation).filter(|last| *last < bounds::MAX_NUMBER).unwrap_or(0);
        let keys = self.keys();
        let (own, found) = (keys.reader(Kind::Lease, id), OnceCell::new());
        for text in &file.all {
            let Some(mut claim) = Claim::read(text.get()) else {
                claims.is_damaged = true;
                continue;
            };
            let is_own = own.is_own(text.get().as_bytes());
            claim.is_own = is_own;
            let found = || found.get_or_init(|| self.found_claims(id)).as_ref();
            let counts = is_own || claim.tried && found().is_some_and(|found| !found.contains(&name(&claim)));
            // Nobody puts a second one on a task; what this machine has written counts first.
            let rival = claims.all.iter().position(|known| known.task == claim.task);
            match (counts, rival) {
                (true, None) => claims.all.push(claim),
                (true, Some(at)) if is_own => claims.foreign.push(std::mem::replace(&mut claims.all[at], claim)),
                _ => claims.foreign.push(claim),
            }
        }
        Ok(claims)
    }

    /// The claims of others that this machine found when it began or joined the debate. `None`: it has done neither.
    fn found_claims(&self, id: &str) -> Option<Vec<String>> {
        let record = self.machine.run(id).filter(|record| record.root == self.project().root());
        record.map(|record| record.found)
    }

    /// This machine begins or joins a debate, if it has not yet: the claims of others that are there now came with its files.
    /// Without a memory none of theirs ever counts.
    pub fn begin_here(&self, id: &str) -> Result<()> {
        if self.found_claims(id).is_some() {
            return Ok(());
        }
        let found = self.claims(id)?.foreign.iter().map(name).collect();
        let _ = self.machine.remember_run(id, &RunRecord { found, ..RunRecord::of(self.project().root()) });
        Ok(())
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
        let (own, foreign) = (claims.all.iter(), claims.foreign.iter());
        let is_free = |claim: &&Claim| claims.on(&claim.task).is_none();
        let written = own.chain(foreign.filter(is_free)).map(|claim| claim.write(id, self.store));
        let bytes = written.collect::<serde_json::Result<Vec<_>>>().and_then(|all| {
            let (last_generation, gathered) = (claims.last_generation, claims.gathered.clone());
            let (over, stray) = (claims.over.clone(), claims.stray.clone());
            serde_json::to_vec(&ClaimsFile { schema: SCHEMA, last_generation, all, gathered, over, stray })
        });
        let bytes = bytes.map_err(|error| not_written(&error.into()))?;
        if claims.is_damaged && self.claims(id)?.is_damaged {
            let aside = self.store.disk.rename(&path, &aside(&path));
            aside.map_err(|error| not_written(&error))?;
        }
        self.write_beside(id, &path, &bytes)
    }

    /// Keeps the reply to a claim until its place in the debate comes; flushed when this comes back.
    pub fn keep_claimed_reply(&self, id: &str, generation: u32, text: &str) -> Result<()> {
        self.write_beside(id, &self.store.reply_file(id, generation), text.as_bytes())
    }

    /// That reply. `None`: it is gone, or another one lies there.
    pub fn claimed_reply(&self, id: &str, claim: &Claim) -> Result<Option<String>> {
        let file = self.store.reply_file(id, claim.generation);
        file.parent().map_or(Ok(()), check_folder)?;
        let bytes = read_file(&file)?.filter(|bytes| claim.reply.as_ref() == Some(&digest(bytes)));
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

/// What tells a claim from every other, and from itself once its holder has changed anything: a sign of life is enough.
fn name(claim: &Claim) -> String {
    digest(claim.text.as_bytes())
}

/// True for what no worker can have written: it makes no link or folder of the file, and none of this size.
fn is_foreign(path: &std::path::Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file() || meta.len() > MAX_BYTES)
}
