//! Reads Anvil's files: the head first, the body on demand; never through a link, never more than a
//! limit.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::error::{FileError, IrregularFile};
use super::frontmatter::{self, MAX_HEAD_BYTES};
use anvil_text::error::{Error, Result};

/// Largest state file that is read, in bytes: a hundred debates of the longest kind. All of it is
/// in memory several times over.
pub const MAX_STATE_BYTES: u64 = 32 * 1024 * 1024;

/// Capacity after a transcript, for the reply that is saved next: most need no second allocation.
const ROOM_FOR_REPLY: usize = 64 * 1024;

/// Size of the first read: enough for all heads but those with the longest questions.
const HEAD_CHUNK: usize = 8 * 1024;

/// The beginning of a state file: its head, and the bytes that were read along with it.
pub struct Beginning {
    file: File,
    /// The head with both its fences; without fences all that was read.
    pub head: Vec<u8>,
    /// The head has its closing fence.
    pub is_closed: bool,
    /// The bytes after the head.
    body: Vec<u8>,
    /// The size of the file.
    size: u64,
}

impl Beginning {
    /// Opens a file and reads its head. `None`: no file.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Some((mut file, size)) = open(path, MAX_STATE_BYTES, "debate")? else {
            return Ok(None);
        };
        let mut start = Vec::with_capacity(HEAD_CHUNK);
        for limit in [HEAD_CHUNK, MAX_HEAD_BYTES + 8] {
            let more = (limit - start.len()) as u64;
            file.by_ref()
                .take(more)
                .read_to_end(&mut start)
                .map_err(|error| unreadable(path, error))?;
            // A chunk may end within a character; the head itself is whole.
            let text = match std::str::from_utf8(&start) {
                Ok(text) => text,
                Err(error) => {
                    std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
                }
            };
            let closed = frontmatter::split(text).map(|(_, body)| text.len() - body.len());
            if let Some(end) = closed {
                let body = start.split_off(end);
                return Ok(Some(Self { file, head: start, is_closed: true, body, size }));
            }
            if start.len() < limit {
                break;
            }
        }
        Ok(Some(Self { file, head: start, is_closed: false, body: Vec::new(), size }))
    }

    /// Reads the bytes after the head, with capacity for a reply after them.
    pub(crate) fn take_body(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::with_capacity(self.size as usize + ROOM_FOR_REPLY);
        body.append(&mut self.body);
        let most = MAX_STATE_BYTES.saturating_sub(self.head.len() as u64);
        self.file.by_ref().take(most).read_to_end(&mut body).map_err(FileError::Unread)?;
        Ok(body)
    }
}

/// Reads a whole file of Anvil's. `None`: no file.
pub fn read_file(path: &Path) -> Result<Option<Vec<u8>>> {
    read_up_to(path, MAX_STATE_BYTES, "debate")
}

/// Reads a whole file of another kind, with its own limit.
pub fn read_up_to(path: &Path, most: u64, kind: &'static str) -> Result<Option<Vec<u8>>> {
    let Some((mut file, size)) = open(path, most, kind)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.by_ref().take(most).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    Ok(Some(bytes))
}

/// Reads a file from a byte on. Returns also its length, which may be less; 0 without a file.
pub(crate) fn read_after(
    path: &Path,
    begin: u64,
    most: u64,
    kind: &'static str,
) -> Result<(Vec<u8>, u64)> {
    let Some((mut file, size)) = open(path, most, kind)? else { return Ok((Vec::new(), 0)) };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(begin)).map_err(|error| unreadable(path, error))?;
    file.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    Ok((bytes, size))
}

/// True if the state file has exactly this content. It is compared piece by piece: memory that was
/// not used before costs more than the comparison.
pub fn is_same(path: &Path, content: [&[u8]; 2]) -> bool {
    let Ok(Some((mut file, size))) = open(path, MAX_STATE_BYTES, "debate") else { return false };
    if size != content.iter().map(|part| part.len() as u64).sum::<u64>() {
        return false;
    }
    let mut piece = [0; 16 * 1024];
    for mut part in content {
        while !part.is_empty() {
            let piece = &mut piece[..part.len().min(16 * 1024)];
            let (same, after) = part.split_at(piece.len());
            if file.read_exact(piece).is_err() || *piece != *same {
                return false;
            }
            part = after;
        }
    }
    true
}

/// Opens a file of Anvil's and returns its size. `None`: no file. An error: not a regular file, or
/// too large.
fn open(path: &Path, most: u64, kind: &'static str) -> Result<Option<(File, u64)>> {
    let size = match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => meta.len(),
        Ok(meta) => {
            let kind = match meta.file_type() {
                is if is.is_symlink() => IrregularFile::Link,
                is if is.is_dir() => IrregularFile::Folder,
                _ => IrregularFile::Other,
            };
            return Err(FileError::Irregular { path: path.to_owned(), kind }.into());
        }
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(path, error)),
    };
    if size > most {
        return Err(FileError::TooLarge { path: path.to_owned(), size, most, kind }.into());
    }
    // Not by fs-err: its reader makes the standard library clear every buffer before it is filled.
    match File::open(path) {
        Ok(file) => Ok(Some((file, size))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(unreadable(path, error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    FileError::Unreadable(path.to_owned(), error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_only_if_each_byte_is() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("state");
        let (head, body) = (b"head\n".as_slice(), "x".repeat(40_000).into_bytes());
        assert!(!is_same(&path, [head, &body]), "no file");
        fs_err::write(&path, [head, &body].concat()).unwrap();
        assert!(is_same(&path, [head, &body]));
        assert!(!is_same(&path, [head, &body[1..]]) && !is_same(&path, [b"hear\n", &body]));
        for at in [0, 16_383, 16_384, 39_999] {
            let mut other = body.clone();
            other[at] = b'y';
            assert!(!is_same(&path, [head, &other]), "{at}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_can_not_be_looked_at_is_not_one_that_is_missing() {
        let temp = tempfile::tempdir().unwrap();
        fs_err::os::unix::fs::symlink("loop", temp.path().join("loop")).unwrap();
        fs_err::write(temp.path().join("file"), "").unwrap();
        for missing in ["none", "none/state", "file/state"] {
            assert_eq!(read_file(&temp.path().join(missing)).unwrap(), None, "{missing}");
        }
        read_file(&temp.path().join("loop/state")).unwrap_err();
    }
}
