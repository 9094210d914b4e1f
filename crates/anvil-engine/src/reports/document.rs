//! The text of a document as a debate leaves it.

use std::io;
use std::path::Path;

use super::Reported;
use super::error::ReportError;
use crate::lookup::find;
use crate::{Context, LOCK_WAIT};
use anvil_context::Original;
use anvil_core::document::{MAX_DOCUMENT_CHARS, sha256};
use anvil_core::ledger::{Ledger, Revision};
use anvil_core::transcript;
use anvil_store::{StateFile, Store};
use anvil_text::clean;
use anvil_text::error::Result;

/// The revised document of this project's debate, or of the earlier debate `selector`. It never
/// replaces a file that is not, byte for byte, the document as it was.
pub fn document(
    context: &Context<'_>,
    selector: Option<&str>,
    output: Option<&str>,
) -> Result<Reported> {
    let mut store = context.selected_store(None);
    let (state, _) = find(&store, selector)?;
    let path = output.filter(|output| *output != "-");
    let path = path.map(|path| context.checked_output(path, store.project())).transpose()?;
    let (text, before) = revised_text(&store, &state, path.as_deref())?;
    let Some(path) = path else { return Ok(Reported::Text(text)) };
    let written = store.lock(LOCK_WAIT)?.write_report(&path, &text, |now| sha256(now) == before);
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => ReportError::Occupied(path.clone()),
        _ => ReportError::NotWritten(error),
    })?;
    Ok(Reported::Written(path))
}

/// The revised text, and the SHA-256 of the document before it. The file at `path` can stand in for
/// an original that this machine does not have.
fn revised_text(store: &Store, state: &StateFile, path: Option<&Path>) -> Result<(String, String)> {
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries, &state.debate.alternatives());
    let Some((revision, before)) = Revision::of_entries(&entries, &ledger).and_then(|revision| {
        let before = revision.document.sha256.clone()?;
        Some((revision, before))
    }) else {
        return Err(ReportError::NoDocument.into());
    };
    let name = clean(&revision.document.name, 100);
    let bytes = store
        .original(&state.debate.id, &before)
        .or_else(|| read_short(path?).filter(|bytes| sha256(bytes) == before));
    let Some(bytes) = bytes else {
        return Err(ReportError::NoOriginal(name).into());
    };
    let original = Original::of_bytes(&bytes, &name)?;
    let mut text = None;
    if original.text_for_seats() == revision.document.text
        && let Ok(version) = revision.apply(&original.masked)
    {
        text = original.restore_secrets(&version).and_then(|bytes| String::from_utf8(bytes).ok());
    }
    match text {
        Some(text) => Ok((text, before)),
        None => Err(ReportError::DontFit(name).into()),
    }
}

/// The bytes of a file that may be a document, as far as its length tells.
fn read_short(path: &Path) -> Option<Vec<u8>> {
    let length = fs_err::metadata(path).ok()?.len();
    if length > 4 * MAX_DOCUMENT_CHARS as u64 + 3 {
        return None;
    }
    fs_err::read(path).ok()
}
