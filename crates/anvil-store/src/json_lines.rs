//! A file with one JSON object on each line. Lines are only added.
//!
//! A killed process can leave half a last line. Readers skip such a line, and the next line begins
//! after a line end (`Disk::append_lines`).

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::read::{read_after, read_up_to};
use anvil_text::error::Result;
use anvil_text::from_json;

/// A file with a `T` on each line.
#[derive(Debug)]
pub(crate) struct JsonLines<T> {
    path: PathBuf,
    max_bytes: u64,
    /// The name for the user: `journal`.
    name: &'static str,
    line: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> JsonLines<T> {
    pub(crate) fn new(path: PathBuf, max_bytes: u64, name: &'static str) -> Self {
        Self { path, max_bytes, name, line: PhantomData }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All lines; none without a file. An object of another kind is an error.
    pub(crate) fn read(&self) -> Result<Vec<T>> {
        let bytes = read_up_to(&self.path, self.max_bytes, self.name)?;
        Ok(Self::parse(&bytes.unwrap_or_default()))
    }

    /// The lines from a byte on, and the byte after the last whole one. Of a file that is shorter:
    /// none, and its length.
    pub(crate) fn read_from(&self, begin: u64) -> Result<(Vec<T>, u64)> {
        let (mut bytes, length) = read_after(&self.path, begin, self.max_bytes, self.name)?;
        if length < begin {
            return Ok((Vec::new(), length));
        }
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(whole);
        Ok((Self::parse(&bytes), begin + whole as u64))
    }

    /// A line that can't be parsed is from a newer version, or torn.
    pub(crate) fn parse(bytes: &[u8]) -> Vec<T> {
        bytes.split(|byte| *byte == b'\n').filter_map(|line| from_json::<T>(line).ok()).collect()
    }

    pub(crate) fn line(value: &T) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use anvil_system::disk::{Disk, Flush};

    fn file(folder: &Path) -> JsonLines<Value> {
        JsonLines::new(folder.join("lines"), 200, "file")
    }

    #[test]
    fn a_torn_line_is_skipped_and_the_next_line_is_whole() {
        let temp = tempfile::tempdir().unwrap();
        let file = file(temp.path());
        let first = json!({"a": 1});
        let second = json!({"b": 2});
        let whole = JsonLines::line(&first).unwrap();
        for end in 0..=whole.len() {
            fs_err::write(file.path(), &whole[..end]).unwrap();
            let is_there = end + 1 >= whole.len();
            let read = file.read().unwrap();
            assert_eq!(read.len(), usize::from(is_there), "{end}");
            let added = JsonLines::line(&second).unwrap();
            Disk::default().append_lines(file.path(), &added, temp.path(), Flush::Later).unwrap();
            let all = file.read().unwrap();
            assert_eq!((all.len(), all.last().unwrap()["b"].clone()), (read.len() + 1, json!(2)));
        }
    }

    #[test]
    fn a_reader_goes_on_after_the_last_whole_line() {
        let temp = tempfile::tempdir().unwrap();
        let file = file(temp.path());
        assert_eq!(file.read_from(0).unwrap(), (vec![], 0));
        let whole = "{\"a\":1}\n{\"a\":2}\n";
        fs_err::write(file.path(), format!("{whole}{{\"a\"")).unwrap();
        assert_eq!(file.read_from(0).unwrap(), (vec![json!({"a": 1}), json!({"a": 2})], 16));
        assert_eq!(file.read_from(8).unwrap(), (vec![json!({"a": 2})], 16));
        assert_eq!(file.read_from(16).unwrap(), (vec![], 16));
        assert_eq!(file.read_from(30).unwrap(), (vec![], 20));
    }

    #[test]
    fn a_file_above_its_limit_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let file = file(temp.path());
        fs_err::write(file.path(), "x".repeat(200)).unwrap();
        assert_eq!(file.read().unwrap().len(), 0);
        fs_err::write(file.path(), "x".repeat(201)).unwrap();
        assert!(file.read().is_err());
    }
}
