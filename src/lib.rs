//! A structured debate between seats that disagree, and a synthesis that says what survived.
//!
//! The library is the debate itself, as the program `anvil` argues it in Claude Code and between
//! programs: it decides who writes next and what that seat sees, checks each reply, follows every
//! claim, and makes the report. Your program provides the replies, from a model or a colleague.
//!
//! ```
//! use anvil::{Debate, Format, Submitted};
//!
//! # fn main() -> Result<(), anvil::Error> {
//! /// Calls your model.
//! fn reply_to(slot: &str, _prompt: &str) -> &'static str {
//!     match slot {
//!         "advocate, round 1" => "**A1. It pays.** Two people save a day each week [reasoning].",
//!         "critic, round 1" => "**C1. It costs a month.** Nobody has that month [assumption].",
//!         _ => {
//!             "Nobody has a month.\n\n```anvil\nmotion: move to microservices\n\
//!              A1 weakened: by C1\nC1 survived: nobody answered it\nagainst: the days saved\n\
//!              recommendation: Wait.\nverdict: do not\nconfidence: 60\nrests on: C1\n\
//!              flips if: 2 people are free for a month\nunknown: who is free\n```"
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
//! let standing = debate.ledger().standing;
//! assert_eq!(standing.headline(), "No, 60% sure");
//! assert!(debate.report(Format::Markdown).starts_with("# Should we move to microservices?"));
//! # Ok(())
//! # }
//! ```
//!
//! A debate is saved in the program's own format, so `anvil run --resume` continues a debate that a
//! library saved, and the library continues one of the program. See `docs/library.md`.
//!
//! Semantic versioning covers what `docs/library.md` lists. The crates below, `anvil-core` and the
//! others, change with every version, and so do the other methods of their types.

#[doc(inline)]
pub use anvil_core::attempt::{
    EndedLine, FailureKind, Generation, Metrics, ReturnedLine, SeatState, SeatStatus, Slot, Turn,
    TurnLine,
};
#[doc(inline)]
pub use anvil_core::ledger::{
    Check, CheckVerdict, Citation, CitedWords, Claim, ClaimResult, ClaimStatus, Ground, Id, Label,
    Move, MoveKind, Sighting, Standing, Verdict, VerdictWord,
};
#[doc(inline)]
pub use anvil_core::place::Seat;
#[doc(inline)]
pub use anvil_core::reply::Usage;
#[doc(inline)]
pub use anvil_core::transcript::Author;
#[doc(inline)]
pub use anvil_report::Format;
#[doc(inline)]
pub use anvil_store::{Attempt, Attempts, ClaimLine, Holder, StartedLine};
#[doc(inline)]
pub use anvil_system::process::{BootId, ProcessId};
pub use api::{
    Debate, Error, ErrorKind, Finding, Ledger, Mode, Request, Snapshot, Status, Submitted,
    load_attempts,
};

mod api;
