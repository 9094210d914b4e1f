//! Seats: what one seat of a debate is shown, which program fills it, and what that program answered. Pure.
//!
//! The conversation in Claude Code fills all seats at once and is not told anything here. A seat that is filled by a program of
//! its own knows nothing but its prompt, so that has everything: rules, question, material, claims, and what the other
//! seats wrote.

mod agent;
mod answer;
mod budget;
mod claude;
mod codex;
mod effort;
mod event;
mod fact_check;
mod heads;
mod judge;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/seats.rs"]
pub(crate) mod linear;
mod plan;
mod printed;
mod profiles;
mod shown;

pub use agent::{Agent, Limits, OwnAgent, checker, parse};
pub use answer::{answer, words_so_far};
pub use budget::{Budget, Reached, Spent, Step, step};
pub use effort::Effort;
pub use event::{RunEvent, SeatPlan};
pub use fact_check::check_prompt;
pub use heads::heads;
pub use plan::{Plan, about_tokens};
pub use printed::{Answer, Failure, Output, Printed};
pub use profiles::{Given, Isolation, PROFILES, Profile, SYSTEM};
pub use shown::{Shown, prompt};

/// UTF-8 bytes that are counted as one token. English has more, code and other scripts fewer.
pub const BYTES_PER_TOKEN: usize = 3;

/// Tokens of a text, rather too many than too few.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}
