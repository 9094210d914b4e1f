//! Events in this process, over a disk that fails and with hostile input.

mod crashes;
mod fuzz;
