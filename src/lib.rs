//! A structured debate between seats that disagree, and a synthesis that says what survived.
//!
//! This is the debate itself, as the program `anvil` argues it in Claude Code and between programs: who writes next and what that
//! seat is shown, what a reply may be, what became of every claim, and the report. Who writes the replies (a model, a colleague) is
//! yours to say.
//!
//! ```
//! use anvil::{Debate, Format, Submitted};
//!
//! # fn main() -> Result<(), anvil::Error> {
//! /// What you ask a model for.
//! fn reply_to(slot: &str, _prompt: &str) -> &'static str {
//!     match slot {
//!         "advocate, round 1" => "**A1. It pays.** Two people save a day each week [reasoning].",
//!         "critic, round 1" => "**C1. It costs a month.** Nobody has that month [assumption].",
//!         _ => {
//!             "**Recommendation:** Wait.\n\n**Verdict:** do not\n\n**Rests on:** C1\n\n\
//!              **Confidence:** 60 %\n\n- **A1** weakened: by C1.\n- **C1** survived: unanswered."
//!         }
//!     }
//! }
//!
//! let mut debate = Debate::new("Should we move to microservices?")?.rounds(1)?;
//! while let Some(request) = debate.next_request() {
//!     let reply = reply_to(&request.slot, &request.prompt);
//!     if let Submitted::AskedAgain { why } = debate.submit(&request, reply)? {
//!         println!("{} is asked once more: {why}", request.seat);
//!     }
//! }
//! assert_eq!(debate.ledger().rests_on, ["C1"]);
//! assert!(debate.report(Format::Markdown).starts_with("# Should we move to microservices?"));
//! # Ok(())
//! # }
//! ```
//!
//! A debate is saved in the program's own format: `anvil run --resume` goes on with what a library saved, and the other way round.
//! `docs/library.md` says more.
//!
//! # What is no part of it
//!
//! The package also has the program, its tests and its benchmarks. What only those use is in the module `internal`, which this page
//! does not show. It changes with every version: nothing but what this page shows follows semantic versioning.
#![deny(missing_docs)]

pub use api::{Checkpoint, Claim, Debate, Error, ErrorKind, Finding, Ledger, Mode, Move, Request, Status, Submitted};
#[doc(inline)]
pub use debate::Seat;
#[doc(inline)]
pub use ledger::{Call, Disposition, Ground, MoveKind, Status as ClaimStatus};
#[doc(inline)]
pub use report::Format;

/// What the program, the tests and the benchmarks of this package use; hidden where documents are made, since elsewhere the lints look
/// at it as at everything public.
#[cfg_attr(doc, doc(hidden))]
pub mod internal {
    macro_rules! open {
        ($($room:ident)*) => {
            $(pub mod $room {
                //! The room of this name.
                pub use crate::$room::*;
            })*
        };
    }
    #[cfg(feature = "mcp")]
    open!(mcp);
    open!(body cli command debate disk engine error hook journal ledger library messages prompt reply report seats state);
    open!(tasks text transcript world);
}

// The rooms. ARCHITECTURE.md has their map.
mod api;
mod body;
mod cli;
mod command;
mod context;
mod debate;
mod disk;
mod engine;
mod error;
mod forge;
mod hook;
mod journal;
mod ledger;
mod library;
#[cfg(all(test, target_os = "linux"))]
#[path = "../tests/linear/mod.rs"]
mod linear;
#[cfg(feature = "mcp")]
mod mcp;
mod messages;
mod process;
mod prompt;
mod reply;
mod report;
mod run;
mod seats;
mod state;
mod tasks;
mod text;
mod transcript;
mod world;
