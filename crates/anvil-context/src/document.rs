//! A text file that a debate argues about: its bytes, and its text as the seats see it.

use std::io::Read as _;
use std::path::Path;

use super::deadline::{Deadline, within};
use super::error::TextError;
use super::text::{self, Unreadable};
use super::{GATHERING, HANGING, secrets};
use anvil_core::document::{MAX_DOCUMENT_CHARS, with_line_feeds};
use anvil_text::clean;
use anvil_text::error::Result;
use anvil_text::masking::{self, MASK};

/// Most bytes of a document that may be short enough.
const MAX_BYTES: usize = MAX_DOCUMENT_CHARS * 4;

/// A document, with the secrets that no seat sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// Begins with a byte order mark.
    has_mark: bool,
    /// The text with its line ends and a mask in place of each secret.
    pub masked: String,
    secrets: Vec<String>,
}

impl Original {
    /// Reads a text file of at most [`MAX_DOCUMENT_CHARS`] characters; also its bytes.
    pub fn read(path: &Path) -> Result<(Self, Vec<u8>)> {
        let name = clean(&path.to_string_lossy(), 300);
        if secrets::looks_secret(path) || secrets::looks_secret(&super::names::real(path)) {
            return Err(TextError::Secret(name).into());
        }
        let file = path.to_owned();
        let read = within(GATHERING + HANGING, move || {
            text::bytes(&file, MAX_BYTES, Deadline::after(GATHERING))
        });
        let bytes = match read.unwrap_or(Err(Unreadable::Late)) {
            Ok(bytes) => bytes.ok_or_else(|| TextError::TooLong(name.clone()))?,
            Err(why) => return Err(TextError::unread(name, why).into()),
        };
        Ok((Self::of_bytes(&bytes, &name)?, bytes))
    }

    /// The document in these bytes. `name` is for messages.
    pub fn of_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        if bytes.len() > MAX_BYTES {
            return Err(TextError::TooLong(name.to_owned()).into());
        }
        let text = std::str::from_utf8(bytes).map_err(|_| TextError::NotText(name.to_owned()))?;
        let (text, has_mark) =
            text.strip_prefix('\u{FEFF}').map_or((text, false), |text| (text, true));
        let plain = text.replace("\r\n", "\n");
        if plain.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\t')) {
            return Err(TextError::Controls(name.to_owned()).into());
        }
        if plain.trim().is_empty() {
            return Err(TextError::Empty(name.to_owned()).into());
        }
        if plain.contains(MASK) {
            return Err(TextError::Masked(name.to_owned()).into());
        }
        let (masked, secrets) = masking::mask_and_keep(text.to_owned());
        let original = Self { has_mark, masked, secrets };
        // A mask may be longer than its secret.
        if original.text_for_seats().chars().count() > MAX_DOCUMENT_CHARS {
            return Err(TextError::TooLong(name.to_owned()).into());
        }
        Ok(original)
    }

    /// The text as the seats see it.
    pub fn text_for_seats(&self) -> String {
        with_line_feeds(&self.masked)
    }

    /// A note for the user about its secrets.
    pub fn masked_note(&self, name: &str) -> Option<String> {
        let count = self.secrets.len();
        (count > 0).then(|| format!("{} masked in {name}", masking::secrets_are(count)))
    }

    /// The bytes of a version of [`Self::masked`]: each secret in the place of its mask. `None`:
    /// the version has other masks.
    pub fn restore_secrets(&self, version: &str) -> Option<Vec<u8>> {
        let mut out = String::from(if self.has_mark { "\u{FEFF}" } else { "" });
        let mut pieces = version.split(MASK);
        out.push_str(pieces.next()?);
        let mut secrets = self.secrets.iter();
        for piece in pieces {
            out.push_str(secrets.next()?);
            out.push_str(piece.split_once(']')?.1);
        }
        secrets.next().is_none().then(|| out.into_bytes())
    }
}

/// The bytes of a file below a folder; of one that is too long for a document, more than a
/// document has. `None`: no regular file, or a link on the way to it from there.
pub fn bytes_without_links(folder: &Path, below: &Path) -> Option<Vec<u8>> {
    let folder = folder.to_owned();
    let below = below.to_owned();
    within(GATHERING + HANGING, move || {
        let file = text::open_without_links(&folder, &below).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    })?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_document_comes_back_byte_for_byte(
            pieces in prop::collection::vec("[a-z\n ]{0,8}|\r\n|\u{FEFF}|ghp_[a-z0-9]{36} ", 1..12),
        ) {
            let bytes = pieces.concat().into_bytes();
            if let Ok(original) = Original::of_bytes(&bytes, "a.md") {
                prop_assert_eq!(original.restore_secrets(&original.masked), Some(bytes));
                let is_seen = original.masked.contains("ghp_");
                prop_assert!(!is_seen || original.secrets.is_empty());
            }
        }
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let long = "é".repeat(MAX_DOCUMENT_CHARS + 2);
        for (bytes, why) in [
            (&b"caf\xE9"[..], "is not text"),
            (b"a\0b", "has control characters"),
            (b"a\rb", "has control characters"),
            (b" \r\n", "is empty"),
            (b"x [masked: API key] y", "stands for a secret"),
            (long.as_bytes(), "has more than 60,000 characters"),
        ] {
            let error = Original::of_bytes(bytes, "a.md").expect_err(why).to_string();
            assert!(error.starts_with("a.md ") && error.contains(why), "{error}");
        }
        let most = format!("{}\n", "é".repeat(MAX_DOCUMENT_CHARS));
        assert!(Original::of_bytes(most.as_bytes(), "a.md").is_ok());
    }

    #[test]
    fn a_version_without_its_masks_is_not_restored() {
        let text = format!("one ghp_{} two\r\n", "aB3d".repeat(9));
        let original = Original::of_bytes(text.as_bytes(), "a.md").unwrap();
        assert_eq!(
            (original.text_for_seats().as_str(), original.secrets.len()),
            ("one [masked: GitHub token] two", 1)
        );
        for version in ["one two", "[masked: x] [masked: y]", "one [masked: x"] {
            assert_eq!(original.restore_secrets(version), None, "{version}");
        }
    }
}
