//! A file with one JSON object on each line. Lines are only added.
//!
//! A killed process can leave half a last line. Readers skip such a line, and the next line begins
//! after a line end (`Disk::append_lines`). A sealed file counts the lines that this machine did
//! not write, and does not parse them; it does not count a torn one.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::read::{is_foreign, read_up_to};
use super::machine::seal::{SealKeys, SealKind};
use crate::error::Result;
use crate::text::from_json;

/// A file with a `T` on each line.
#[derive(Debug)]
pub(crate) struct JsonLines<T> {
    path: PathBuf,
    max_bytes: u64,
    /// The name for the user: `journal`.
    name: &'static str,
    seal: Option<Seal>,
    line: PhantomData<fn() -> T>,
}

#[derive(Debug)]
struct Seal {
    keys: SealKeys,
    kind: SealKind,
    debate: String,
}

/// The lines that were read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lines<T> {
    pub(crate) all: Vec<T>,
    /// The number of lines that this machine did not write.
    pub(super) foreign: usize,
}

impl<T: Serialize + DeserializeOwned> JsonLines<T> {
    /// A file that needs no seal, because no decision depends on its lines.
    pub(crate) fn unsealed(path: PathBuf, max_bytes: u64, name: &'static str) -> Self {
        Self { path, max_bytes, name, seal: None, line: PhantomData }
    }

    /// The file with only the lines that have a seal of this machine.
    pub(super) fn sealed(self, keys: SealKeys, kind: SealKind, debate: &str) -> Self {
        let seal = Some(Seal { keys, kind, debate: debate.to_owned() });
        Self { seal, ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_foreign(&self) -> bool {
        is_foreign(&self.path, self.max_bytes)
    }

    /// All lines; none without a file. A foreign file is an error.
    pub(crate) fn read(&self) -> Result<Lines<T>> {
        let bytes = read_up_to(&self.path, self.max_bytes, self.name)?;
        Ok(self.parse(&bytes.unwrap_or_default()))
    }

    pub(super) fn parse(&self, bytes: &[u8]) -> Lines<T> {
        let reader = self.seal.as_ref().map(|seal| seal.keys.reader(seal.kind, &seal.debate));
        let mut lines = Lines { all: Vec::new(), foreign: 0 };
        for line in bytes.split(|byte| *byte == b'\n') {
            if reader.as_ref().is_none_or(|reader| reader.is_own(line)) {
                // A line that can't be parsed is from a newer version, or torn.
                lines.all.extend(from_json::<T>(line));
            } else {
                lines.foreign += usize::from(line.ends_with(b"}"));
            }
        }
        lines
    }

    pub(crate) fn line(&self, value: &T) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(value)?;
        if let Some(Seal { keys, kind, debate }) = &self.seal {
            line = keys.seal(*kind, debate, line);
        }
        line.push(b'\n');
        Ok(line)
    }

    /// True if the file can still be read whole with one more line of this length.
    pub(super) fn has_room(&self, line: &[u8]) -> bool {
        let bytes = std::fs::symlink_metadata(&self.path).map_or(0, |meta| meta.len());
        bytes + line.len() as u64 <= self.max_bytes
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::machine::seal::Key;
    use super::*;
    use crate::system::disk::{Disk, Flush};

    fn file(folder: &Path) -> JsonLines<Value> {
        JsonLines::unsealed(folder.join("lines"), 200, "file")
    }

    fn sealed(folder: &Path, digit: &str) -> JsonLines<Value> {
        let key = Key::parse(&digit.repeat(64)).unwrap();
        file(folder).sealed(SealKeys::Given(key), SealKind::Attempt, "one")
    }

    #[test]
    fn a_torn_line_is_skipped_and_the_next_line_is_whole() {
        let temp = tempfile::tempdir().unwrap();
        for file in [file(temp.path()), sealed(temp.path(), "0")] {
            let (first, second) = (json!({"a": 1}), json!({"b": 2}));
            let whole = file.line(&first).unwrap();
            for end in 0..=whole.len() {
                fs_err::write(file.path(), &whole[..end]).unwrap();
                let is_there = end + 1 >= whole.len();
                let read = file.read().unwrap();
                assert_eq!((read.all.len(), read.foreign), (usize::from(is_there), 0), "{end}");
                let added = file.line(&second).unwrap();
                Disk::default()
                    .append_lines(file.path(), &added, temp.path(), Flush::Later)
                    .unwrap();
                let all = file.read().unwrap().all;
                assert_eq!(
                    (all.len(), all.last().unwrap()["b"].clone()),
                    (read.all.len() + 1, json!(2))
                );
            }
        }
    }

    #[test]
    fn lines_from_another_machine_are_counted_but_not_read() {
        let temp = tempfile::tempdir().unwrap();
        let (own, other) = (sealed(temp.path(), "0"), sealed(temp.path(), "1"));
        let value = json!({"a": 1});
        let text = [own.line(&value), other.line(&value), file(temp.path()).line(&value)];
        let text = text.into_iter().collect::<io::Result<Vec<_>>>().unwrap().concat();
        let read = own.parse(&text);
        assert_eq!((read.all.len(), read.foreign), (1, 2));
    }

    #[test]
    fn a_file_accepts_lines_up_to_its_limit_and_is_foreign_above() {
        let temp = tempfile::tempdir().unwrap();
        let file = file(temp.path());
        fs_err::write(file.path(), "x".repeat(190)).unwrap();
        assert!(file.has_room(&[b'x'; 10]) && !file.has_room(&[b'x'; 11]) && !file.is_foreign());
        fs_err::write(file.path(), "x".repeat(201)).unwrap();
        assert!(file.is_foreign() && file.read().is_err());
    }
}
