//! The use cases in this process: what each does to the debate, and what it returns.

#![expect(clippy::unwrap_used, reason = "a test that finds no value has failed")]
#![expect(clippy::needless_pass_by_value, reason = "a check takes the outcome as it is returned")]

mod block;
mod cancel;
mod claims;
mod defaults;
mod history;
mod ownership;
mod plans;
mod programs;
mod publish;
mod recovery;
mod reports;
mod steering;
mod turns;
mod undo;

use anvil_core::attempt::{Generation, Slot};
use anvil_store::{AttemptEvent, Origin, StartedLine};
use anvil_system::process::ProcessId;
use testkit::world::TestWorld;

/// The line of a program's first attempt, which begins now.
fn first_attempt(world: &TestWorld, slot: Slot, generation: Generation, pid: u32) -> AttemptEvent {
    AttemptEvent::Started(Box::new(StartedLine {
        attempt: 1,
        at: world.clock.get(),
        seat: slot.to_string(),
        slot,
        generation,
        origin: Origin::default(),
        command: Vec::new(),
        process: ProcessId::from_pid(pid),
        token: String::new(),
        recovery: String::new(),
        claim: None,
    }))
}
