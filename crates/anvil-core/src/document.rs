//! A document that a debate argues about: its section in the transcript. Pure.
//!
//! The text is what the seats are shown: with line feeds, without its last line break, and with a
//! mask in place of each secret.

use sha2::{Digest as _, Sha256};

use crate::transcript::{Entries, NoteKind};
use anvil_text::{clean, longest_run};

/// Longest document and version, in characters: as long as the most material.
pub const MAX_DOCUMENT_CHARS: usize = 60_000;

/// A document as the transcript has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The file's name as the user may read it, one line.
    pub name: String,
    /// SHA-256 of the original bytes, in hexadecimal. `None`: the debate does not revise it.
    pub sha256: Option<String>,
    pub text: String,
}

impl Document {
    /// The document of a debate.
    pub fn of_entries(entries: &Entries) -> Option<Self> {
        let (_, note) = entries.notes().find(|(kind, _)| *kind == NoteKind::Document)?;
        Self::read(&note.text)
    }

    /// The plan of a debate as it was revised after the last synthesis.
    pub fn revised_plan(entries: &Entries) -> Option<Self> {
        let (_, note) = entries.notes().rfind(|(kind, _)| *kind == NoteKind::RevisedPlan)?;
        Self::read(&note.text)
    }

    /// The document in a section.
    fn read(note: &str) -> Option<Self> {
        let (head, fenced) = note.split_once("\n\n")?;
        let (name, facts) = head.strip_prefix('`')?.split_once('`')?;
        let sha256 = facts.split_once("SHA-256 ").map(|(_, hex)| hex.trim_end_matches(')'));
        let (fence, text) = fenced.split_once('\n')?;
        let fence = &fence[..fence.len() - fence.trim_start_matches('`').len()];
        let text = text.trim_end_matches('\n').strip_suffix(fence)?;
        if text.chars().count() > MAX_DOCUMENT_CHARS {
            return None;
        }
        Some(Self {
            name: name.to_owned(),
            sha256: sha256.map(str::to_owned),
            text: text.strip_suffix('\n').unwrap_or(text).to_owned(),
        })
    }

    /// The text of its section: the name, then the document in a fence that it can't close.
    pub fn note(&self) -> String {
        let count = anvil_text::group(self.text.chars().count());
        let name = clean(&self.name, 200).replace('`', "'");
        let sha256 = self.sha256.as_ref().map(|hex| format!(", SHA-256 {hex}"));
        let fence = "`".repeat(longest_run(&self.text).max(2) + 1);
        let head = format!("`{name}` ({count} characters{})", sha256.unwrap_or_default());
        format!("{head}\n\n{fence}\n{}\n{fence}", self.text)
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// A text with line feeds as its line ends, and without its last line break.
pub fn with_line_feeds(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{self, NoteKind};
    use jiff::Timestamp;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_document_is_read_back_from_its_section(
            text in "(?s)[a-z`\n# >~|-]{0,80}|.{0,200}",
            name in "[a-z/. ]{1,20}",
            is_revised in any::<bool>(),
        ) {
            let text = with_line_feeds(&transcript::normalise(&text));
            let sha256 = is_revised.then(|| "ab".repeat(32));
            let name = clean(&name, 200);
            prop_assume!(!name.is_empty());
            let document = Document { name, sha256, text };
            let mut body = transcript::open("Why?");
            let note = document.note();
            transcript::append_note(&mut body, NoteKind::Document, Timestamp::UNIX_EPOCH, &note);
            let read = Document::of_entries(&transcript::parse(&body));
            prop_assert_eq!(read, Some(document));
        }
    }
}
