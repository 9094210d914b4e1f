//! Hostile input: one generator and one test for each kind. Each test tries a few hundred inputs.
//! With `ANVIL_FUZZ_SECONDS`, as at night, it tries as many as it can in that time.

mod client_transcript;
mod damage;
mod event;
mod hostile;
mod state_file;
mod transcript;
mod typed_line;

use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};

/// Environment variable: the seconds that each test takes, instead of its number of inputs.
const SECONDS: &str = "ANVIL_FUZZ_SECONDS";

/// Tries this many inputs, and continues until its time is over if a time is set.
fn try_inputs<S: Strategy>(cases: u32, inputs: &S, holds: impl Fn(S::Value) -> TestCaseResult) {
    let seconds =
        std::env::var(SECONDS).map_or(0, |seconds| seconds.parse().expect("a number of seconds"));
    let started = Instant::now();
    loop {
        // Nothing is stored: the message has the failing input, which should get its own test.
        let config = Config {
            cases,
            failure_persistence: None,
            max_global_rejects: 100_000,
            ..Config::default()
        };
        if let Err(error) = TestRunner::new(config).run(inputs, &holds) {
            panic!("{error}");
        }
        if started.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
    }
}
