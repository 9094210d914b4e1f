//! The report: a finished debate as a document that can be forwarded. Pure.

mod markdown;
mod verdict;

pub use markdown::markdown;
pub use verdict::Verdict;
