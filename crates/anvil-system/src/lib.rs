//! The machine: disk, processes, forges, environment.
//!
//! The only crate that changes the world outside of the program. It does not know what a debate is.

#[allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only this module writes files"
)]
pub mod disk;
pub mod forge;
#[allow(clippy::disallowed_types, reason = "only this module runs programs")]
pub mod process;
pub mod world;
