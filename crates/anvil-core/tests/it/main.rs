//! The ledger, read from texts.
//!
//! `ANVIL_LEDGER_DEBATES` sets how many are generated: 1,000 at night, 25 otherwise.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod attacks;
mod ledger;
mod replies;
mod syntheses;

/// How many debates are generated for each kind of fault.
fn debates() -> usize {
    std::env::var("ANVIL_LEDGER_DEBATES").map_or(25, |count| count.parse().unwrap())
}
