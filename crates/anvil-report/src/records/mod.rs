//! Decision records as teams keep them: how a folder names and titles them, where a person writes
//! their status, and the line of an index. Pure.

pub(crate) mod form;
pub(crate) mod index;
pub(crate) mod slug;
pub(crate) mod status;

pub use form::{FolderFile, RecordForm, RecordName, is_inner_text};
pub use index::index_line;
