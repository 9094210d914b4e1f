//! The texts of a debate other than replies: directions, checks, judgments, material.

use std::borrow::Cow;

use serde::Serialize;

use super::rfc3339;
use anvil_core::transcript::{Author, Entry, NoteKind};

/// A text other than a reply.
#[derive(Clone, Debug, Serialize)]
pub struct SideNote {
    pub kind: &'static str,
    pub at: Option<String>,
    pub words: usize,
    /// Of a judgment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) author: Option<Author>,
    /// The index of the next section; the number of sections if it is the last text.
    pub before: usize,
    pub text: String,
    #[serde(skip)]
    pub of: NoteKind,
    /// No program wrote it.
    #[serde(skip)]
    pub is_by_person: bool,
}

impl SideNote {
    /// Its Markdown, with a paragraph for each claim of a check.
    pub(crate) fn paragraphs(&self) -> Cow<'_, str> {
        match self.of {
            NoteKind::FactCheck | NoteKind::EvidenceCheck => {
                self.text.replace("\n**", "\n\n**").into()
            }
            _ => self.text.as_str().into(),
        }
    }

    /// `begins`: the offsets of the replies.
    pub(crate) fn new(kind: NoteKind, note: &Entry, begins: &[usize]) -> Self {
        Self {
            kind: kind.word(),
            at: note.at.map(rfc3339),
            words: note.words(),
            author: note.author.clone(),
            before: begins.partition_point(|begins| *begins <= note.begins),
            text: note.text.clone(),
            of: kind,
            is_by_person: note.author.as_ref().is_none_or(Author::is_person),
        }
    }
}
