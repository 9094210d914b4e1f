//! Whole documents, as they are.
