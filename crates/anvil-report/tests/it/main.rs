//! Whole reports, and the records of a folder.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod decisions;
mod documents;
mod folders;
mod standings;
