//! Shows a debate: its reports, its page, its claims.

mod claims;
mod completed;
mod document;
mod report;

pub use claims::{Claims, claims, places};
pub use completed::Completed;
pub use document::document;
pub use report::{Extent, Reported, ScreenReport, page, report, show};
pub(crate) use report::{model, note_invisible, with_reports, write_due_reports_here};
