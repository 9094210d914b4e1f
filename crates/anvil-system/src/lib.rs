//! The machine: disk, processes, forges, environment.
//!
//! The only room that touches the world outside of the program. It knows `domain`, `text` and
//! `error`, and not the format of debates on disk.

pub mod disk;
pub mod forge;
pub mod process;
pub mod world;
