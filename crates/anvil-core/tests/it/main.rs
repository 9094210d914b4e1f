//! The ledger, read from texts.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod attacks;
mod ledger;
mod replies;
mod syntheses;
