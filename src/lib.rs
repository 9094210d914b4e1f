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
//! The package also has the program, its tests and its benchmarks. What only those use are modules that this page does not show.
//! They can be named, and change with every version: nothing but what this page shows follows semantic versioning.
//!
#![deny(missing_docs)]

pub use api::{Checkpoint, Claim, Debate, Error, ErrorKind, Finding, Ledger, Mode, Move, Request, Status, Submitted};
#[doc(inline)]
pub use debate::Seat;
#[doc(inline)]
pub use ledger::{Call, Disposition, Ground, MoveKind, Status as ClaimStatus};
#[doc(inline)]
pub use report::Format;

// The rooms. ARCHITECTURE.md has their map. Those that a program, a test or a benchmark of this package knows are public, and
// hidden where documents are made: elsewhere the lints look at them as at everything public.
mod api;
#[cfg_attr(doc, doc(hidden))]
pub mod body;
#[cfg_attr(doc, doc(hidden))]
pub mod cli;
#[cfg_attr(doc, doc(hidden))]
pub mod command;
mod context;
#[cfg_attr(doc, doc(hidden))]
pub mod debate;
#[cfg_attr(doc, doc(hidden))]
pub mod disk;
#[cfg_attr(doc, doc(hidden))]
pub mod engine;
#[cfg_attr(doc, doc(hidden))]
pub mod error;
mod forge;
#[cfg_attr(doc, doc(hidden))]
pub mod hook;
#[cfg_attr(doc, doc(hidden))]
pub mod journal;
#[cfg_attr(doc, doc(hidden))]
pub mod ledger;
#[cfg_attr(doc, doc(hidden))]
pub mod library;
#[cfg(feature = "mcp")]
#[cfg_attr(doc, doc(hidden))]
pub mod mcp;
#[cfg_attr(doc, doc(hidden))]
pub mod messages;
mod process;
#[cfg_attr(doc, doc(hidden))]
pub mod prompt;
#[cfg_attr(doc, doc(hidden))]
pub mod reply;
#[cfg_attr(doc, doc(hidden))]
pub mod report;
mod run;
#[cfg_attr(doc, doc(hidden))]
pub mod seats;
#[cfg_attr(doc, doc(hidden))]
pub mod state;
#[cfg_attr(doc, doc(hidden))]
pub mod tasks;
#[cfg_attr(doc, doc(hidden))]
pub mod text;
#[cfg_attr(doc, doc(hidden))]
pub mod transcript;
#[cfg_attr(doc, doc(hidden))]
pub mod world;
