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

pub use file::{StateFile, new_id};
pub use machine::{Client, Machine, SessionRecord};
pub use project::Project;
pub use store::{Locked, Store};
