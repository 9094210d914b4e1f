//! Shows a debate: its reports, its page, its claims.

pub(super) mod claims;
pub(super) mod completed;
mod document;
pub(super) mod report;

pub use claims::Claims;
pub(crate) use claims::places;
pub use completed::Completed;
pub use report::{Extent, Reported, ScreenReport};

pub use claims::claims;
pub use document::document;
pub(crate) use report::{note_unseen, with_reports, write_due_reports_here};
pub use report::{page, report, show};
