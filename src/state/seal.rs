//! Seals: what tells a record that this machine wrote itself from one that came with a project's files.
//!
//! This machine has a secret key among its own records. Each record in a project's folder ends with `"seal"`: an HMAC-SHA-256 over
//! its kind, its debate and its own bytes as they stand there. A seal is looked at before a record is parsed, so that nothing which
//! somebody else wrote is read any further. Where no key can be kept, a process has one of its own: what it wrote counts as long
//! as it runs.

use std::cell::OnceCell;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

use super::machine::Machine;
use super::read::read_up_to;
use crate::disk::{Flush, NewFile};

/// The key of this process, where none can be kept: its own, or that of the run that it helps.
static OF_PROCESS: OnceLock<Key> = OnceLock::new();

/// The hexadecimal digits of a key and of a seal.
const DIGITS: usize = 64;

/// What stands before the digits of a seal, and after them.
const BEFORE: &[u8] = b",\"seal\":\"";
const AFTER: &[u8] = b"\"}";

/// What is sealed: a seal of one kind is none of another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A line of the record of attempts.
    Attempt,
    /// Who works at a task.
    Lease,
    /// A line of the journal of decisions.
    Decision,
    /// What was last seen in an issue.
    Published,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Attempt => "attempt",
            Self::Lease => "lease",
            Self::Decision => "decision",
            Self::Published => "published",
        }
    }
}

/// A secret key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key")
    }
}

impl Key {
    /// One that nobody can guess.
    fn random() -> Self {
        let mut bytes = [0; 32];
        if getrandom::fill(&mut bytes).is_err() {
            // The standard library asks the system too, and aborts where that has nothing.
            bytes = Sha256::digest(format!("{}{}", token(), token())).into();
        }
        Self(bytes)
    }

    /// That of this process.
    fn of_process() -> Self {
        OF_PROCESS.get_or_init(Self::random).clone()
    }

    /// Makes this the key of the process, where it has none yet.
    pub fn take(self) {
        let _ = OF_PROCESS.set(self);
    }

    /// The key that these hexadecimal digits are. `None`: they are none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end().as_bytes();
        unhex(text.try_into().ok()?).map(Self)
    }

    /// Its hexadecimal digits: for another process of this machine, and never for its arguments.
    #[must_use]
    pub fn digits(&self) -> String {
        hex(&self.0)
    }

    fn mac(&self, kind: Kind, debate: &str, record: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        // The length keeps an id from running into what follows it.
        mac.update(format!("anvil 1 {} {} {debate} ", kind.word(), debate.len()).as_bytes());
        mac.update(record);
        Some(mac)
    }
}

/// Who has the keys.
#[derive(Clone, Debug)]
pub(super) enum Keys {
    /// This machine's records.
    Machine(Machine),
    /// Another process of this machine has given its own.
    Given(Key),
}

impl Keys {
    /// The key that new records are sealed with. It is made where there is none yet.
    pub(super) fn own(&self) -> Key {
        match self {
            Self::Given(key) => key.clone(),
            Self::Machine(machine) => machine.key().or_else(|| machine.make_key().ok()).unwrap_or_else(Key::of_process),
        }
    }

    /// A record, which is a JSON object with at least one field, and its seal.
    pub(super) fn seal(&self, kind: Kind, debate: &str, mut record: Vec<u8>) -> Vec<u8> {
        if let Some(mac) = self.own().mac(kind, debate, &record) {
            record.pop();
            record.extend_from_slice(BEFORE);
            record.extend_from_slice(hex(&mac.finalize().into_bytes()).as_bytes());
            record.extend_from_slice(AFTER);
        }
        record
    }

    /// What tells which records of a kind are this machine's. Reads no key before there is a seal to look at.
    pub(super) fn reader<'a>(&'a self, kind: Kind, debate: &'a str) -> Reader<'a> {
        Reader { keys: self, kind, debate, known: OnceCell::new() }
    }
}

/// Tells which records of a kind are this machine's.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    keys: &'a Keys,
    kind: Kind,
    debate: &'a str,
    known: OnceCell<Vec<Key>>,
}

impl Reader<'_> {
    /// True for a record that this machine wrote, and that nobody has changed since.
    pub(super) fn is_own(&self, record: &[u8]) -> bool {
        let Some((content, seal)) = divided(record) else { return false };
        let known = self.known.get_or_init(|| match self.keys {
            Keys::Given(key) => vec![key.clone()],
            Keys::Machine(machine) => machine.key().into_iter().chain(OF_PROCESS.get().cloned()).collect(),
        });
        known.iter().any(|key| {
            let mac = key.mac(self.kind, self.debate, &content);
            mac.is_some_and(|mac| mac.verify_slice(&seal).is_ok())
        })
    }
}

/// What a record says without its seal, and that.
fn divided(record: &[u8]) -> Option<(Vec<u8>, [u8; 32])> {
    let record = record.strip_suffix(AFTER)?;
    let (rest, digits) = record.split_last_chunk::<DIGITS>()?;
    let seal = unhex(digits)?;
    let mut content = rest.strip_suffix(BEFORE)?.to_vec();
    content.push(b'}');
    Some((content, seal))
}

/// What nobody can guess: 128 bits that the system chose, in hexadecimal digits.
#[must_use]
pub fn token() -> String {
    let bits = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", bits(), bits())
}

/// Where a file goes that no record of this machine can be, and that is in the place of one.
pub(super) fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".foreign-{}", &token()[..8]));
    name.into()
}

/// The SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn digest(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn unhex(digits: &[u8; DIGITS]) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        // One way to write a seal: capital letters and signs are none.
        let digit = |of: u8| match of {
            b'0'..=b'9' => Some(of - b'0'),
            b'a'..=b'f' => Some(of - b'a' + 10),
            _ => None,
        };
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

impl Machine {
    /// The key of this machine, where it has one that can be read.
    fn key(&self) -> Option<Key> {
        let bytes = read_up_to(&self.folder.as_ref()?.join("key"), 2 * DIGITS as u64, "key").ok()??;
        Key::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Makes one. Of two that are made at the same time, the first one stays; what can't be read as a key gives way.
    fn make_key(&self) -> io::Result<Key> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let path = folder.join("key");
        let key = Key::random();
        self.disk.create_folder(folder)?;
        if path.is_file() {
            std::fs::File::open(&path)?;
            self.disk.replace(&path, key.digits().as_bytes(), NewFile::Another, Flush::Now)?;
        } else {
            self.put_first(folder, &path, &key)?;
        }
        self.key().ok_or_else(|| io::Error::other("the key can't be read"))
    }

    /// Gives a new file its name only where nobody else has taken that.
    fn put_first(&self, folder: &Path, path: &Path, key: &Key) -> io::Result<()> {
        let fresh = folder.join(format!(".anvil-tmp-key-{}", token()));
        self.disk.replace(&fresh, key.digits().as_bytes(), NewFile::Private, Flush::Now)?;
        let named = self.disk.keep_as(&fresh, path, folder);
        let _ = self.disk.remove(&fresh);
        match named {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.disk.sync_folder(folder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Disk;

    fn machine(folder: &Path) -> Machine {
        Machine { folder: Some(folder.to_owned()), disk: Disk::default() }
    }

    #[test]
    fn a_seal_holds_for_these_bytes_of_this_debate_on_this_machine_alone() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys = Keys::Machine(machine(here.path()));
        let sealed = keys.seal(Kind::Attempt, "one", br#"{"attempt":1}"#.to_vec());
        let is_own = |keys: &Keys, kind, debate: &str, record: &[u8]| keys.reader(kind, debate).is_own(record);
        assert!(is_own(&keys, Kind::Attempt, "one", &sealed));
        assert!(serde_json::from_slice::<serde_json::Value>(&sealed).is_ok());
        assert!(is_own(&Keys::Given(keys.own()), Kind::Attempt, "one", &sealed), "a process that was given the key");
        assert!(!is_own(&keys, Kind::Lease, "one", &sealed));
        assert!(!is_own(&keys, Kind::Attempt, "another", &sealed));
        let other = Keys::Machine(machine(there.path()));
        assert!(!is_own(&other, Kind::Attempt, "one", &sealed), "another machine");
        let _ = other.own();
        assert!(!is_own(&other, Kind::Attempt, "one", &sealed), "another machine with a key");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 0x20;
            assert!(!is_own(&keys, Kind::Attempt, "one", &changed), "{at}");
            assert!(!is_own(&keys, Kind::Attempt, "one", &sealed[..at]), "{at}");
        }
        for other in [&b"{}"[..], b"", b"null", b"{\"attempt\":1}", b"\"}"] {
            assert!(!is_own(&keys, Kind::Attempt, "one", other));
        }
    }

    #[test]
    fn one_key_is_made_however_many_ask_and_stays_while_it_can_be_read() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("anvil.local");
        let keys: Vec<Key> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| Keys::Machine(machine(&folder)).own())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        let left: Vec<_> = fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["key"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(folder.join("key")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs_err::write(folder.join("key"), "half").unwrap();
        let another = Keys::Machine(machine(&folder)).own();
        assert!(another != keys[0] && another == Keys::Machine(machine(&folder)).own());
    }

    #[test]
    fn without_a_folder_a_process_believes_itself_alone() {
        let keys = Keys::Machine(Machine { folder: None, disk: Disk::default() });
        let sealed = keys.seal(Kind::Lease, "one", br#"{"task":"x"}"#.to_vec());
        assert!(keys.reader(Kind::Lease, "one").is_own(&sealed));
        assert!(!Keys::Given(Key::random()).reader(Kind::Lease, "one").is_own(&sealed));
    }
}
