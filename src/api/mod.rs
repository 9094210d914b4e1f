//! A door: the library. A debate in memory, argued by whoever calls it.
//!
//! Nothing here touches the world but `files`, and the clock when a debate is made or loaded.

mod debate;
mod error;
mod files;
mod ledger;
mod setup;

pub use debate::{Checkpoint, Debate, Request, Status, Submitted};
pub use error::{Error, ErrorKind};
pub use ledger::{Claim, Finding, Ledger, Move};
pub use setup::Mode;

/// The result of a call that can fail.
type Result<T> = std::result::Result<T, Error>;
