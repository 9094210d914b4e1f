//! Sections in comments, for a debate that fits into no body: each comment holds one, or a part of
//! a long one.
//!
//! The body's block has the SHA-256 of every comment's document, which shows a comment that is
//! missing, edited or somebody else's.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::document::{Index, whole};
use super::escape::{escape, unescape};
use super::sections::{ReadEntry, label};
use super::{BodyError, PortableDebate, VERSION, block};
use crate::storage::digest;
use crate::text::from_json;

/// The first line of every comment that Anvil posts.
pub const MARKER: &str = "<!-- anvil -->";

/// Begins the HTML comment of a part, as [`block::BEGINS`] does in a body.
const BEGINS: &str = "<!-- anvil-part";

/// Most UTF-16 units of a text in one comment, as JSON at its longest: the text around it fits too.
const MAX_PART: usize = 60_000;

/// Joins a debate from the comments of its issue, in any order and among any others.
pub fn join(index: &Index, comments: &[impl AsRef<str>]) -> Result<PortableDebate, BodyError> {
    let found: Vec<_> =
        comments.iter().filter_map(|comment| inner(comment.as_ref()).map(unescape)).collect();
    let by_hash: HashMap<String, &str> =
        found.iter().map(|part| (hash(part), part.as_ref())).collect();
    let parts: Vec<Option<&str>> =
        index.hashes.iter().map(|known| by_hash.get(known).copied()).collect();
    let missing: Vec<usize> =
        (1..).zip(&parts).filter(|(_, part)| part.is_none()).map(|(number, _)| number).collect();
    if !missing.is_empty() {
        return Err(BodyError::Missing { missing, count: parts.len() });
    }
    let broken =
        |why: String| BodyError::Broken(format!("a comment's section can't be read: {why}"));
    let mut sections: Vec<ReadEntry> = Vec::new();
    for part in parts.into_iter().flatten() {
        let part: Value = from_json(part).map_err(|error| broken(error.to_string()))?;
        let section =
            ReadEntry::parse(&part["section"]).ok_or_else(|| broken("it is none".to_owned()))?;
        match sections.last_mut().filter(|_| part["part"].as_u64().is_some_and(|part| part > 1)) {
            Some(last) => last.text.push_str(&section.text),
            None => sections.push(section),
        }
    }
    whole(index.revision, index.keys.clone(), index.is_titled, &sections)
}

/// These sections of a debate as comments, after the hash of each.
pub(super) fn split(id: &str, sections: Vec<Value>) -> (Vec<String>, Vec<String>) {
    let mut parts = Vec::new();
    for mut section in sections {
        let text = section["text"].take();
        let texts = pieces(text.as_str().unwrap_or_default());
        for (number, text) in (1..).zip(&texts) {
            section["text"] = json!(text);
            parts.push((section.clone(), number, texts.len()));
        }
    }
    // No revision and no index: an unchanged section stays the same comment at the next publish.
    let comments = parts.into_iter().map(|(section, part, parts)| {
        let of = if parts > 1 { format!(" ({part} of {parts})") } else { String::new() };
        let label = label(&section);
        let document = json!({
            "version": VERSION, "id": id, "part": part, "parts": parts, "section": section
        });
        let document = escape(&document.to_string());
        let intro =
            format!("Anvil keeps a part of the debate `{id}` in this comment: {label}{of}.");
        (hash(&document), format!("{MARKER}\n{intro}\n\n{BEGINS}\n{document}\n{}\n", block::ENDS))
    });
    comments.unzip()
}

/// A text in parts, each short enough for a comment.
fn pieces(text: &str) -> Vec<&str> {
    // The length in JSON, after `escape`.
    let cost =
        |char: char| if char.is_alphanumeric() || char == ' ' { char.len_utf16() } else { 6 };
    let (mut pieces, mut begin, mut length) = (Vec::new(), 0, 0);
    for (at, char) in text.char_indices() {
        if length + cost(char) > MAX_PART {
            pieces.push(&text[begin..at]);
            (begin, length) = (at, 0);
        }
        length += cost(char);
    }
    pieces.push(&text[begin..]);
    pieces
}

/// The document in a comment of ours. Forges may change the line ends around it.
fn inner(comment: &str) -> Option<&str> {
    let after = comment.trim_start().strip_prefix(MARKER)?;
    let (_, after) = after.split_once(BEGINS)?;
    let (document, _) = after.split_once(block::ENDS)?;
    Some(document.trim())
}

fn hash(document: &str) -> String {
    digest(document.as_bytes())
}
