//! Events in this process, over a disk that fails and with hostile input.

#[cfg(unix)]
mod crashes;
mod fuzz;
#[cfg(unix)]
mod verdicts;

/// Claude Code's door, where a shell finds the program.
fn client() -> anvil_messages::Door {
    anvil_messages::Door::of_client(|| "anvil".to_owned())
}
