//! Texts from outside, made fit for a Markdown file: storable, without secrets, cut at a line, and
//! in a fence they can't close.
//!
//! Invariants: no [`Text`] has a secret in it, because it is masked when it is made, before
//! anything is cut; a cut text ends with a line on the missing part; nothing is longer than
//! its limit, counted in characters; a fence is longer than every run of backticks in it.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Component, Path};

use super::deadline::Deadline;
use anvil_text::masking;
use anvil_text::{group, longest_run};

/// Bytes of a file that decide whether it is text.
const SNIFFED: usize = 8 * 1024;

/// Files up to this size are read whole, so that the omitted rest can be counted.
pub(super) const READ_WHOLE: u64 = 4 * 1024 * 1024;

/// Bytes of one read.
const READ_AT_ONCE: u64 = 256 * 1024;

/// A text without secrets, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "its text is what a part and a whole have in common")]
pub(crate) struct Text {
    /// The text that was read.
    pub text: String,
    /// Characters of the whole text. An unread byte of a file counts as one character.
    pub total: usize,
    /// The ends of the masks in it, in bytes.
    masks: Vec<usize>,
}

impl Text {
    pub(crate) fn whole(text: String) -> Self {
        let masked = masking::mask(text);
        Self { total: masked.text.chars().count(), text: masked.text, masks: masked.ends }
    }

    /// A whole text that was masked already, with this number of masks.
    pub(crate) fn from_masked(text: String, masks: usize) -> Self {
        let whole = Self::whole(text);
        // Their places are not known: they count wherever the text is cut.
        let masks = std::iter::repeat_n(0, masks).chain(whole.masks).collect();
        Self { masks, ..whole }
    }

    /// The number of masked secrets.
    pub(crate) fn masks(&self) -> usize {
        self.masks.len()
    }
}

/// A part of a text that fits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// The part, and the line on the missing part; in a fence, the fence too.
    pub text: String,
    /// Characters of the text that are in it.
    pub kept: usize,
    /// Masked secrets that are in it.
    pub masks: usize,
}

/// Why a file gives no text.
#[derive(Debug)]
pub(crate) enum Unreadable {
    Binary,
    /// Not a regular file.
    Irregular,
    /// No time is left to read it.
    Late,
    Failed(io::Error),
}

impl Unreadable {
    /// The phrase for a file that is left out.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Binary => "is not text".to_owned(),
            Self::Irregular => "is not a regular file".to_owned(),
            Self::Late => "was not read in time".to_owned(),
            Self::Failed(error) => format!("can't be read: {error}"),
        }
    }
}

/// The text with line feeds as the only line ends, and with no control characters but line feeds
/// and tabs.
pub(super) fn storable(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\0' => out.push('\u{FFFD}'),
            '\n' | '\t' => out.push(char),
            char if char.is_control() => {}
            char => out.push(char),
        }
    }
    out
}

/// At most `most` characters of a text: all of it, or whole lines of its beginning and a line on
/// the missing text. Only if not even the first line fits, that line is cut. If nothing fits, the
/// result is empty.
pub(super) fn fit(text: &Text, most: usize) -> Fitted {
    let length = text.text.chars().count();
    if length >= text.total && length <= most {
        return Fitted { text: text.text.clone(), kept: length, masks: text.masks() };
    }
    // A line break and the note at its longest.
    let room = most.saturating_sub(1 + cut_note(text.total).chars().count());
    let mut part: &str =
        text.text.char_indices().nth(room).map_or(&*text.text, |(at, _)| &text.text[..at]);
    if let Some(end) = part.rfind('\n') {
        part = &part[..=end];
    }
    let kept = part.chars().count();
    if kept == 0 {
        return Fitted { text: String::new(), kept: 0, masks: 0 };
    }
    let break_before = if part.ends_with('\n') { "" } else { "\n" };
    let cut = format!("{part}{break_before}{}", cut_note(text.total.saturating_sub(kept).max(1)));
    let masks = text.masks.iter().filter(|end| **end <= part.len()).count();
    Fitted { text: cut, kept, masks }
}

fn cut_note(missing: usize) -> String {
    format!("… ({} more characters)", group(missing))
}

/// The text in a fence that it can't close, at most `most` characters. `None`: nothing of it fits.
pub(super) fn fence(info: &str, text: &Text, most: usize) -> Option<Fitted> {
    let info: String = info.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut room = most.checked_sub(2 * 3 + info.len() + 3)?;
    loop {
        let body = fit(text, room);
        if body.kept == 0 && text.total > 0 {
            return None;
        }
        let fence = "`".repeat(longest_run(&body.text).max(2) + 1);
        let end = if body.text.is_empty() || body.text.ends_with('\n') { "" } else { "\n" };
        let block = format!("{fence}{info}\n{}{end}{fence}\n", body.text);
        let length = block.chars().count();
        if length <= most {
            return Some(Fitted { text: block, ..body });
        }
        room =
            room.min(body.text.chars().count()).checked_sub((length - most).div_ceil(3).max(1))?;
    }
}

/// Opens a regular file, through links; never waits for a file of another type.
fn open(path: &Path) -> Result<(File, Metadata), Unreadable> {
    let meta = std::fs::metadata(path).map_err(Unreadable::Failed)?;
    if !meta.is_file() {
        return Err(Unreadable::Irregular);
    }
    let file = open_at_once(path).map_err(Unreadable::Failed)?;
    // The file may have been replaced meanwhile.
    let meta = file.metadata().map_err(Unreadable::Failed)?;
    if meta.is_file() { Ok((file, meta)) } else { Err(Unreadable::Irregular) }
}

#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a regular file below a folder. Fails at a link on the way from there.
pub(super) fn open_without_links(folder: &Path, below: &Path) -> io::Result<File> {
    let file = open_below(folder, below)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

#[cfg(unix)]
fn open_below(folder: &Path, below: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(folder, flags | OFlags::DIRECTORY, Mode::empty())?;
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        let kind = if parts.peek().is_some() { OFlags::DIRECTORY } else { OFlags::empty() };
        at = rustix::fs::openat(&at, name, flags | OFlags::NOFOLLOW | kind, Mode::empty())?;
    }
    Ok(File::from(at))
}

#[cfg(not(unix))]
fn open_below(folder: &Path, below: &Path) -> io::Result<File> {
    let mut path = folder.to_owned();
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        path.push(name);
        if std::fs::symlink_metadata(&path)?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    File::open(path)
}

/// Checks that a file is a regular one that begins like text; returns its size in bytes.
pub(super) fn sniff(path: &Path, deadline: Deadline) -> Result<u64, Unreadable> {
    if deadline.is_over() {
        return Err(Unreadable::Late);
    }
    let (mut file, meta) = open(path)?;
    let mut bytes = Vec::with_capacity(SNIFFED);
    file.by_ref().take(SNIFFED as u64).read_to_end(&mut bytes).map_err(Unreadable::Failed)?;
    decode(&bytes, meta.len() <= bytes.len() as u64)?;
    Ok(meta.len())
}

/// The bytes of a regular file. `None`: it has more than `most`.
pub(super) fn bytes(
    path: &Path,
    most: usize,
    deadline: Deadline,
) -> Result<Option<Vec<u8>>, Unreadable> {
    if deadline.is_over() {
        return Err(Unreadable::Late);
    }
    let mut bytes = Vec::new();
    let most = most as u64;
    open(path)?.0.take(most + 1).read_to_end(&mut bytes).map_err(Unreadable::Failed)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

/// A text file; of a large one at least its first `most` characters.
pub(super) fn read(path: &Path, most: usize, deadline: Deadline) -> Result<Text, Unreadable> {
    if deadline.is_over() {
        return Err(Unreadable::Late);
    }
    let (mut file, meta) = open(path)?;
    let is_large = meta.len() > READ_WHOLE;
    let part =
        (most as u64).saturating_mul(4).max(SNIFFED as u64).saturating_add(masking::TORN as u64);
    let limit = if is_large { part } else { READ_WHOLE + 1 };
    let mut bytes = Vec::new();
    loop {
        let room = READ_AT_ONCE.min(limit - bytes.len() as u64);
        if file.by_ref().take(room).read_to_end(&mut bytes).map_err(Unreadable::Failed)? == 0 {
            break;
        }
        if deadline.is_over() {
            return Err(Unreadable::Late);
        }
    }
    let unread = meta.len().saturating_sub(bytes.len() as u64);
    let is_whole = unread == 0 && (bytes.len() as u64) < limit;
    let text = decode(&bytes, is_whole)?;
    if is_whole {
        return Ok(Text::whole(storable(text)));
    }
    let kept = masking::without_torn_end(text);
    let torn = text[kept.len()..].chars().count();
    let text = Text::whole(storable(kept));
    Ok(Text { total: text.total + torn + (unread as usize).max(1), ..text })
}

/// The text of a whole file with these bytes, as [`read`] gives it, but with its secrets. `None`:
/// it is no text, or too long to be read whole.
pub(super) fn of_bytes(bytes: &[u8]) -> Option<String> {
    let text = decode(bytes, true).ok().filter(|_| bytes.len() as u64 <= READ_WHOLE)?;
    Some(storable(text))
}

/// The text in the bytes; the last character of a beginning may be torn.
fn decode(bytes: &[u8], is_whole: bool) -> Result<&str, Unreadable> {
    if bytes.iter().take(SNIFFED).any(|byte| *byte == 0) {
        return Err(Unreadable::Binary);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if !is_whole && error.error_len().is_none() => {
            Ok(std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default())
        }
        Err(_) => Err(Unreadable::Binary),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag};
    use std::time::Duration;

    fn later() -> Deadline {
        Deadline::after(Duration::from_mins(1))
    }

    #[test]
    fn nothing_is_opened_after_the_deadline() {
        let over = Deadline::after(Duration::ZERO);
        assert!(matches!(sniff(Path::new("/no/such/file"), over), Err(Unreadable::Late)));
        assert!(matches!(read(Path::new("/no/such/file"), 10, over), Err(Unreadable::Late)));
    }

    #[test]
    fn masks_outside_the_shown_part_are_not_counted() {
        let token = format!("ghp_{}", "aB3d".repeat(9));
        let text = Text::whole(format!("first {token}\n{}\nlast {token}\n", "x".repeat(100)));
        assert_eq!(
            (text.masks(), fit(&text, 1_000).masks, fit(&text, 80).masks, fit(&text, 5).masks),
            (2, 2, 1, 0)
        );
    }

    #[test]
    fn control_characters_are_dropped() {
        assert_eq!(storable("\u{FEFF}a\r\nb\tc\0d\u{1B}[0m\u{85}e\n"), "a\nb\tc\u{FFFD}d[0me\n");
    }

    #[test]
    fn a_text_is_cut_at_a_line_and_the_missing_part_is_counted() {
        let text = Text::whole(
            "first line\nsecond line\nthird line, the longest of the three\n".to_owned(),
        );
        assert_eq!(fit(&text, 60), Fitted { text: text.text.clone(), kept: 60, masks: 0 });
        let cut = fit(&text, 59);
        assert_eq!(cut.text, "first line\nsecond line\n… (37 more characters)");
        assert_eq!(cut.kept, 23);
        assert_eq!(fit(&text, 10).kept, 0);
        // A line that does not fit is cut within.
        assert_eq!(
            fit(&Text::whole("é".repeat(100)), 32).text,
            format!("{}\n… (92 more characters)", "é".repeat(8))
        );
    }

    #[test]
    fn a_fence_is_longer_than_the_fences_in_it() {
        let text = Text::whole("a\n````\nb".to_owned());
        assert_eq!(fence("md", &text, 100).unwrap().text, "`````md\na\n````\nb\n`````\n");
        assert_eq!(fence("a`b\n", &Text::whole(String::new()), 20).unwrap().text, "```ab\n```\n");
        assert!(fence("md", &text, 12).is_none());
    }

    #[test]
    fn a_binary_file_is_recognized() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        let check = |bytes: &[u8]| {
            fs_err::write(&file, bytes).unwrap();
            (sniff(&file, later()).is_ok(), read(&file, 10, later()).is_ok())
        };
        assert_eq!(check(b"text"), (true, true));
        assert_eq!(check(b""), (true, true));
        assert_eq!(check(b"a\0b"), (false, false));
        assert_eq!(check(b"caf\xE9"), (false, false));
        assert_eq!(check(b"caf\xC3"), (false, false));
        // A character across the limit of the check does not make a file binary.
        let mut long = vec![b'a'; SNIFFED - 1];
        long.extend_from_slice("é and more".as_bytes());
        assert_eq!(check(&long), (true, true));
        assert!(matches!(sniff(temp.path(), later()), Err(Unreadable::Irregular)));
        assert!(matches!(sniff(&temp.path().join("none"), later()), Err(Unreadable::Failed(_))));
    }

    #[test]
    fn a_large_file_is_read_in_part() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("large");
        fs_err::write(&file, "é".repeat(3 * 1024 * 1024)).unwrap();
        let text = read(&file, 100, later()).unwrap();
        assert_eq!(text.text.chars().count(), SNIFFED / 2);
        assert!(text.total > 3 * 1024 * 1024);
        // The torn word at the end of a read may be half of a secret.
        fs_err::write(&file, format!("{}ghp_{}", "x ".repeat(SNIFFED), "aB3d".repeat(2_000_000)))
            .unwrap();
        let text = read(&file, 100, later()).unwrap();
        assert!(text.text.ends_with("x ") && text.total > 6_000_000, "{}", text.total);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_does_not_block_reading() {
        let temp = tempfile::tempdir().unwrap();
        let pipe = temp.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(matches!(sniff(&pipe, later()), Err(Unreadable::Irregular)));
        // The opening does not wait either, if a pipe replaces the file after the check.
        assert!(!open_at_once(&pipe).unwrap().metadata().unwrap().is_file());
    }

    proptest! {
        #[test]
        fn no_piece_of_a_secret_is_shown_wherever_the_text_is_cut(
            before in "([a-z .,(){}=é\n#+-]{0,12}|[0-9a-f]{40} |-----BEGIN |eyJ|://){0,6}",
            after in "([a-z .,(){}=é\n#+-]{0,12}| [0-9a-f]{40}|-----END |@){0,6}",
            most in 0_usize..400,
        ) {
            let letters: String = "aB3dE5gH1jK2".chars().cycle().take(64).collect();
            for secret in [
                format!("ghp_{letters}"),
                format!("-----BEGIN PRIVATE KEY-----\n{letters}\n{letters}\n-----END PRIVATE KEY-----"),
            ] {
                let cut = fit(&Text::whole(format!("{before} \"{secret}\" {after}")), most).text;
                prop_assert!(!cut.contains(&letters[..12]), "{}", cut);
            }
        }

        #[test]
        fn no_text_closes_its_fence(
            text in "([`~]{1,9}|[ \t>#a-z-]{1,3}|\n|\r|é|<!--){0,60}",
            most in 0_usize..200,
        ) {
            let text = Text::whole(storable(&text));
            if let Some(block) = fence("text", &text, most) {
                prop_assert!(block.text.chars().count() <= most);
                let document = format!("{}\n# behind\n", block.text);
                let events: Vec<Event<'_>> = Parser::new(&document).collect();
                prop_assert!(matches!(events[0], Event::Start(Tag::CodeBlock(_))));
                let blocks = events.iter().filter(|event| matches!(event, Event::Start(_))).count();
                prop_assert_eq!(blocks, 2, "{}", document);
            }
        }

        #[test]
        fn kept_plus_missing_text_is_the_whole_text(
            text in "([a-zé]{0,30}\n?){0,9}",
            most in 0_usize..200,
        ) {
            let text = Text::whole(text);
            let part = fit(&text, most);
            prop_assert!(part.text.chars().count() <= most);
            if part.kept > 0 && part.kept < text.total {
                let missing = text.total - part.kept;
                let note = format!("… ({missing} more characters)");
                prop_assert_eq!(part.text.lines().last(), Some(&*note));
                let kept: String = text.text.chars().take(part.kept).collect();
                prop_assert!(part.text.starts_with(&kept));
            }
        }
    }
}
