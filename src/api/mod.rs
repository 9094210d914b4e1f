//! A door: the library. Its caller argues a debate in memory.
//!
//! The clock is read when a debate is made or loaded. Only `files` touches the disk.
#![deny(missing_docs)]

mod debate;
mod error;
mod files;
mod ledger;
mod setup;

pub use debate::{Debate, Request, Snapshot, Status, Submitted};
pub use error::{Error, ErrorKind};
pub use files::load_attempts;
pub use ledger::{Finding, Ledger};
pub use setup::Mode;

/// The result of a call that can fail.
type Result<T> = std::result::Result<T, Error>;
