//! Attacks: some properties always hold, whatever files Anvil reads and whatever a model writes.
//! Each file has a generator of one kind of hostile input. `cargo test` tries a few of each;
//! `ANVIL_ATTACKS=N` tries N, and `ANVIL_ATTACKS=all` tries every one.
//!
//! The tests find their targets, they do not list them: each file and folder of a debate is a
//! place, each field of each record is mutated, and each verb of the program is run. A new room is
//! attacked from its first day.

mod interrupted;
mod json;
mod limits;
mod mutate;
mod outputs;
mod placements;
mod records;
mod replies;
mod stage;
