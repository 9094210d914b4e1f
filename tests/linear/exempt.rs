//! What is given a text and is not called, and why.

/// The function, and the reason.
pub(super) const EXEMPT: &[(&str, &str)] = &[];
