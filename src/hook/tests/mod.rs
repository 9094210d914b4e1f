//! Events in this process, over a disk that fails and with hostile input.

#[cfg(unix)]
mod crashes;
mod fuzz;
#[cfg(unix)]
mod verdicts;
