//! Seals: they distinguish the records of this machine from those that came with a project's files.
//!
//! This machine has a secret key among its own records. Each record in a project's folder ends with
//! `"seal"`: an HMAC-SHA-256 over its kind, its debate and its own bytes as they stand in the file.
//! A seal is checked before a record is parsed, so a foreign record is never parsed. If no key can
//! be kept, a process has its own key: its records count as long as it runs.

use std::cell::OnceCell;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

use super::Machine;
use crate::storage::file::read::read_up_to;
use crate::system::disk::{Flush, NewFile};

/// The key of this process if none can be kept: its own, or that of the run that it helps.
static OF_PROCESS: OnceLock<Key> = OnceLock::new();

/// The hexadecimal digits of a key and of a seal.
const DIGITS: usize = 64;

/// The bytes before the digits of a seal, and after them.
const BEFORE: &[u8] = b",\"seal\":\"";
const AFTER: &[u8] = b"\"}";

/// The kind of a sealed record: a seal of one kind is not valid for another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SealKind {
    Attempt,
    Lease,
    Decision,
    /// The last revision that was seen in an issue.
    Published,
}

impl SealKind {
    fn word(self) -> &'static str {
        match self {
            Self::Attempt => "attempt",
            Self::Lease => "lease",
            Self::Decision => "decision",
            Self::Published => "published",
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key")
    }
}

impl Key {
    fn random() -> Self {
        Self(random())
    }

    fn of_process() -> Self {
        OF_PROCESS.get_or_init(Self::random).clone()
    }

    /// Makes this the key of the process, if it has none yet.
    pub fn take(self) {
        let _ = OF_PROCESS.set(self);
    }

    /// `None`: these are not the hexadecimal digits of a key.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end().as_bytes();
        unhex(text.try_into().ok()?).map(Self)
    }

    /// The hexadecimal digits, for another process of this machine. They are never passed as an
    /// argument.
    pub fn digits(&self) -> String {
        hex(&self.0)
    }

    fn mac(&self, kind: SealKind, debate: &str, record: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        // The length keeps an id from running into the bytes that follow it.
        mac.update(format!("anvil 1 {} {} {debate} ", kind.word(), debate.len()).as_bytes());
        mac.update(record);
        Some(mac)
    }
}

/// The owner of the keys.
#[derive(Clone, Debug)]
pub(crate) enum SealKeys {
    Machine(Machine),
    /// The key that another process of this machine has given.
    Given(Key),
}

impl SealKeys {
    /// The key for new records. It is made if none exists.
    pub(crate) fn own(&self) -> Key {
        match self {
            Self::Given(key) => key.clone(),
            Self::Machine(machine) => machine.own_key().unwrap_or_else(Key::of_process),
        }
    }

    /// The key that this machine keeps, if it has made one.
    pub(crate) fn kept(&self) -> Option<Key> {
        match self {
            Self::Given(key) => Some(key.clone()),
            Self::Machine(machine) => machine.key(),
        }
    }

    /// Seals a record, which is a JSON object with at least one field.
    pub(crate) fn seal(&self, kind: SealKind, debate: &str, mut record: Vec<u8>) -> Vec<u8> {
        if let Some(mac) = self.own().mac(kind, debate, &record) {
            record.pop();
            record.extend_from_slice(BEFORE);
            record.extend_from_slice(hex(&mac.finalize().into_bytes()).as_bytes());
            record.extend_from_slice(AFTER);
        }
        record
    }

    /// The reader of records of a kind. Reads no key before it sees a seal.
    pub(crate) fn reader<'a>(&'a self, kind: SealKind, debate: &'a str) -> Reader<'a> {
        Reader { keys: self, kind, debate, known: OnceCell::new() }
    }
}

/// Recognizes this machine's records of a kind.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    keys: &'a SealKeys,
    kind: SealKind,
    debate: &'a str,
    known: OnceCell<Vec<Key>>,
}

impl Reader<'_> {
    /// True for a record that this machine wrote and that was not changed since.
    pub(crate) fn is_own(&self, record: &[u8]) -> bool {
        let Some((content, seal)) = divided(record) else { return false };
        let known = self.known.get_or_init(|| match self.keys {
            SealKeys::Given(key) => vec![key.clone()],
            SealKeys::Machine(machine) => {
                machine.key().into_iter().chain(OF_PROCESS.get().cloned()).collect()
            }
        });
        known.iter().any(|key| {
            let mac = key.mac(self.kind, self.debate, &content);
            mac.is_some_and(|mac| mac.verify_slice(&seal).is_ok())
        })
    }
}

/// A record without its seal, and the seal.
fn divided(record: &[u8]) -> Option<(Vec<u8>, [u8; 32])> {
    let record = record.strip_suffix(AFTER)?;
    let (before, digits) = record.split_last_chunk::<DIGITS>()?;
    let seal = unhex(digits)?;
    let mut content = before.strip_suffix(BEFORE)?.to_vec();
    content.push(b'}');
    Some((content, seal))
}

/// A secret of 128 bits from the system, in hexadecimal digits.
pub fn token() -> String {
    hex(&random::<16>())
}

/// Ends the program if the system has no random bytes, as the standard library does.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .unwrap_or_else(|error| panic!("the system has no random bytes: {error}"));
    bytes
}

/// The path to which a foreign file in the place of a record is moved.
pub(crate) fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".foreign-{}", &token()[..8]));
    name.into()
}

/// The SHA-256 of a text, in hexadecimal digits.
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
    let digits = std::str::from_utf8(digits).ok()?;
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    // A seal has one spelling: capital letters and signs are invalid.
    (hex(&bytes) == digits).then_some(bytes)
}

impl Machine {
    /// The key of this machine, if it can be read.
    fn key(&self) -> Option<Key> {
        let bytes =
            read_up_to(&self.folder.as_ref()?.join("key"), 2 * DIGITS as u64, "key").ok()??;
        Key::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// The key of this machine. It is made if none exists; `None` if none can be kept.
    pub(crate) fn own_key(&self) -> Option<Key> {
        self.key().or_else(|| self.make_key().ok())
    }

    /// Makes a key. If two are made at the same time, the first one stays; a file that is not a key
    /// is replaced.
    fn make_key(&self) -> io::Result<Key> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let path = folder.join("key");
        let key = Key::random();
        self.disk.create_folder(folder)?;
        self.check_own(folder)?;
        if path.is_file() {
            // Another process has made it in the meantime. It appears as a whole.
            if let Some(key) = self.key() {
                return Ok(key);
            }
            std::fs::File::open(&path)?;
            self.disk.replace(&path, key.digits().as_bytes(), NewFile::Another, Flush::Now)?;
        } else {
            self.put_first(folder, &path, &key)?;
        }
        self.key().ok_or_else(|| io::Error::other("the key can't be read"))
    }

    /// Gives a new file its name only if the name is free.
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
    use crate::system::disk::Disk;

    fn machine(folder: &Path) -> Machine {
        Machine { folder: Some(folder.to_owned()), disk: Disk::default() }
    }

    #[test]
    fn a_seal_is_valid_only_for_its_bytes_debate_and_machine() {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys = SealKeys::Machine(machine(here.path()));
        let sealed = keys.seal(SealKind::Attempt, "one", br#"{"attempt":1}"#.to_vec());
        let is_own = |keys: &SealKeys, kind, debate: &str, record: &[u8]| {
            keys.reader(kind, debate).is_own(record)
        };
        assert!(is_own(&keys, SealKind::Attempt, "one", &sealed));
        assert!(serde_json::from_slice::<serde_json::Value>(&sealed).is_ok());
        assert!(
            is_own(&SealKeys::Given(keys.own()), SealKind::Attempt, "one", &sealed),
            "a process that was given the key"
        );
        assert!(!is_own(&keys, SealKind::Lease, "one", &sealed));
        assert!(!is_own(&keys, SealKind::Attempt, "another", &sealed));
        let other = SealKeys::Machine(machine(elsewhere.path()));
        assert!(!is_own(&other, SealKind::Attempt, "one", &sealed), "another machine");
        let _ = other.own();
        assert!(!is_own(&other, SealKind::Attempt, "one", &sealed), "another machine with a key");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 0x20;
            assert!(!is_own(&keys, SealKind::Attempt, "one", &changed), "{at}");
            assert!(!is_own(&keys, SealKind::Attempt, "one", &sealed[..at]), "{at}");
        }
        for other in [&b"{}"[..], b"", b"null", b"{\"attempt\":1}", b"\"}"] {
            assert!(!is_own(&keys, SealKind::Attempt, "one", other));
        }
    }

    #[test]
    fn one_key_is_made_for_all_and_kept_while_it_is_readable() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("anvil.local");
        let keys: Vec<Key> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| SealKeys::Machine(machine(&folder)).own())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        let left: Vec<_> =
            fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["key"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(folder.join("key")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs_err::write(folder.join("key"), "half").unwrap();
        let another = SealKeys::Machine(machine(&folder)).own();
        assert!(another != keys[0] && another == SealKeys::Machine(machine(&folder)).own());
    }

    #[test]
    fn without_a_folder_a_process_trusts_only_its_own_records() {
        let keys = SealKeys::Machine(Machine { folder: None, disk: Disk::default() });
        let sealed = keys.seal(SealKind::Lease, "one", br#"{"task":"x"}"#.to_vec());
        assert!(keys.reader(SealKind::Lease, "one").is_own(&sealed));
        assert!(!SealKeys::Given(Key::random()).reader(SealKind::Lease, "one").is_own(&sealed));
    }
}
