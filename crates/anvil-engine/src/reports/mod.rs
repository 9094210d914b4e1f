//! Shows a debate: its reports, its page, its claims.

pub(super) mod claims;
pub(super) mod completed;
mod document;
pub(super) mod report;

pub use claims::places;
pub use claims::{Claims, claims};
pub use completed::Completed;
pub use document::document;
pub use report::{Extent, Reported, ScreenReport, page, report, show};
pub(crate) use report::{note_invisible, with_reports, write_due_reports_here};
