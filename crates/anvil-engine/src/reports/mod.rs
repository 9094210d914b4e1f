//! Shows a debate: its reports, its page, its claims.

pub(crate) mod claims;
pub(crate) mod completed;
pub(crate) mod decisions;
pub(crate) mod document;
mod error;
pub(crate) mod places;
pub(crate) mod report;

pub use claims::{SelectedClaims, claims, places};
pub use completed::Completed;
pub use document::document;
pub(crate) use places::ReportPlaces;
pub use report::{Extent, Reported, ScreenReport, page, report, show};
pub(crate) use report::{
    model, note_invisible, scrubber, write, write_again, write_due_reports_here,
};
