//! Hostile input: one generator for each kind, used twice. Briefly in every `cargo test`, and for ten minutes by
//! `cargo test --release -- --ignored fuzz`.

mod client_transcript;
mod damage;
mod event;
mod frontmatter;
mod hostile;
mod state_file;
mod transcript;
mod typed_line;

use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};

/// What all long tests take together.
const LONG: Duration = Duration::from_mins(10);

/// How many they are.
const KINDS: u32 = 7;

/// Of the environment: the seconds that each long test takes instead of its share.
const SECONDS: &str = "ANVIL_FUZZ_SECONDS";

/// Cases between two looks at the clock.
const BATCH: u32 = 64;

/// Tries this many inputs.
fn briefly<S: Strategy>(cases: u32, inputs: &S, holds: impl Fn(S::Value) -> TestCaseResult) {
    // Nothing is kept: the input that fails is in the message, and belongs into a test of its own.
    let config = Config { cases, failure_persistence: None, max_global_rejects: 100_000, ..Config::default() };
    if let Err(error) = TestRunner::new(config).run(inputs, holds) {
        panic!("{error}");
    }
}

/// Tries inputs until its share of the time is over.
fn for_minutes<S: Strategy>(inputs: &S, holds: impl Fn(S::Value) -> TestCaseResult) {
    let asked = std::env::var(SECONDS).ok().map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u32);
    let share = asked.unwrap_or(LONG * threads.min(KINDS) / KINDS);
    let started = Instant::now();
    let mut tried = 0;
    while started.elapsed() < share {
        briefly(BATCH, inputs, &holds);
        tried += BATCH;
    }
    println!("{tried} inputs in {} s", share.as_secs());
}
