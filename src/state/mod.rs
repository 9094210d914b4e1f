//! The state of a debate on disk: one Markdown file in the project, its local folder, and this machine's records.
//!
//! Only `disk` writes. Everything read here is checked before it is believed; the engine above never sees raw text.

pub(crate) mod disk;
mod file;
mod frontmatter;
mod machine;
mod project;
mod store;
mod yaml;

pub use file::{SCHEMA, StateFile, new_id};
pub use frontmatter::MAX_HEAD_BYTES;
pub use machine::{Client, Machine, SessionRecord};
pub use project::Project;
pub use store::{Locked, MAX_STATE_BYTES, Store};
