//! Attacks: whatever lies where Anvil reads, and whatever a model writes, some things always hold.
//! Each file has a generator of one kind of hostile input. `cargo test` tries a few of each;
//! `ANVIL_ATTACKS=N` tries N, and `ANVIL_ATTACKS=all` tries every one.
//!
//! What can be attacked is found, not listed: each file and folder that a debate leaves behind is a
//! place, each field of each record is mutated, and each verb of the program is run. A new room is
//! attacked from its first day.

mod mutate;
mod placements;
mod records;
mod replies;
mod sample;
mod stage;
mod verdicts;
