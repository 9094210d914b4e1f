//! No function is quadratic: every function of the pure rooms that takes a text is called with
//! hostile texts of two sizes. A text of ten times the length may take at most thirty times the CPU
//! time of this thread.
//!
//! Each room has its calls in a file here, and includes that file as its own module, so that
//! private functions are called too. `scan` reads the sources; a function that is neither called
//! nor in `exempt` fails a test.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod exempt;
pub(crate) mod sample;
mod scan;

use std::collections::BTreeSet;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

pub(crate) use sample::Sample;

/// The length of the larger text, as a multiple of the smaller one.
const FACTOR: usize = 10;

/// The maximum time for it, as a multiple of the smaller text's.
const MOST: u32 = 30;

/// Shorter times for the larger text are not compared: they are mostly noise.
const FLOOR: Duration = Duration::from_millis(20);

/// Below this, the clock itself takes much of the time.
const TICK: Duration = Duration::from_micros(20);

/// One call of one function.
pub(crate) struct Call {
    /// The function: `text::clean::clean`.
    pub(crate) name: String,
    pub(crate) run: fn(&Sample),
}

/// Calls, each with its function: `calls![s => clean::clean(s.text(), 80); …]`.
macro_rules! calls {
    ($sample:ident => $($($path:ident)::+ ($($argument:expr),* $(,)?) $(. $after:ident ())?;)+) => {
        vec![$($crate::linear::Call {
            name: $crate::linear::name(module_path!(), stringify!($($path)::+)),
            run: |$sample| {
                let _ = $sample;
                let _ = std::hint::black_box($($path)::+ ($($argument),*) $(.$after())?);
            },
        }),+]
    };
}
pub(crate) use calls;

/// `anvil::text::linear` and `clean :: clean` -> `text::clean::clean`.
pub(crate) fn name(module: &str, path: &str) -> String {
    let room = module
        .strip_prefix("anvil::")
        .unwrap_or(module)
        .trim_end_matches("linear")
        .trim_end_matches("::");
    known_as(&format!("{room}::{}", path.replace(' ', "")))
}

/// A method has the name of its room and type, in any file of the room:
/// `ledger::Ledger::shortfall`.
fn known_as(path: &str) -> String {
    let path = plain(path);
    let parts: Vec<&str> = path.split("::").collect();
    match parts.as_slice() {
        [room, .., of, method] if of.starts_with(char::is_uppercase) => {
            format!("{room}::{of}::{method}")
        }
        _ => path,
    }
}

/// The path without the layer: `domain::ledger::id` -> `ledger::id`; everything for seats is
/// `seats`.
fn plain(path: &str) -> String {
    let layers = [("domain::", ""), ("storage::", ""), ("seats::library", "library")];
    let parts = [("seats::agents::", "seats::"), ("seats::prompt::", "seats::")];
    let mut path = path.to_owned();
    for (layer, name) in layers.into_iter().chain(parts) {
        if let Some(inside) = path.strip_prefix(layer) {
            path = format!("{name}{inside}");
        }
    }
    path
}

/// CPU time of this thread.
fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap()
}

fn time(call: &Call, sample: &Sample) -> Duration {
    let begin = cpu();
    (call.run)(sample);
    cpu().saturating_sub(begin)
}

/// The calls that take too long, with their times. `share`: tests one of `share` pairs of call and
/// alphabet.
fn beyond(calls: &[Call], size: usize, share: usize) -> Vec<String> {
    let mut found = Vec::new();
    let of = std::env::var("ANVIL_LINEAR_OF").unwrap_or_default();
    let is_wanted =
        |alphabet: &&sample::Alphabet| of.is_empty() || format!("{alphabet:?}").contains(&of);
    for (turn, alphabet) in sample::alphabets().iter().filter(is_wanted).enumerate() {
        let (small, large) = (Sample::new(alphabet, size / FACTOR), Sample::new(alphabet, size));
        for (_, call) in
            calls.iter().enumerate().filter(|(at, _)| (at + turn).is_multiple_of(share))
        {
            // The first run also builds the parts of the sample that the call needs.
            let mut long = time(call, &large);
            if long > FLOOR {
                // Other work on the machine may have slowed it down.
                long = long.min(time(call, &large)).min(time(call, &large));
            }
            if long <= FLOOR {
                continue;
            }
            let _ = time(call, &small);
            let short = (0..3).map(|_| time(call, &small)).min().unwrap_or_default();
            if long > short.max(TICK) * MOST {
                let slow = format!("{} of {alphabet:?}: {short:?}, then {long:?}", call.name);
                eprintln!("{slow}");
                found.push(slow);
            }
        }
    }
    found
}

/// Compares 100 KB with 1 MB if the variable is set, as every night; otherwise a sample of the
/// pairs, at a fortieth of the size.
pub(crate) fn check(mut calls: Vec<Call>) {
    let is_whole = std::env::var_os("ANVIL_LINEAR").is_some();
    let only = std::env::var("ANVIL_LINEAR_ONLY").unwrap_or_default();
    calls.retain(|call| call.name.contains(&only));
    let is_chosen = !only.is_empty() || std::env::var_os("ANVIL_LINEAR_OF").is_some();
    let (size, share) = match (is_whole, is_chosen) {
        (true, _) => (1024 * 1024, 1),
        (false, true) => (50 * 1024, 1),
        (false, false) => (25 * 1024, 24),
    };
    let found = beyond(&calls, size, share);
    let times = format!("more than {MOST} times as long for {FACTOR} times the text");
    assert!(found.is_empty(), "these take {times}:\n{}", found.join("\n"));
}

fn all() -> Vec<Call> {
    let rooms = [crate::messages::linear::calls, anvil_report::linear::calls];
    rooms.into_iter().flat_map(|calls| calls()).collect()
}

#[test]
fn every_function_with_a_text_is_called_or_exempt() {
    let called: BTreeSet<String> = all().into_iter().map(|call| call.name).collect();
    let sources = scan::Sources::read();
    let wanted = sources.given_a_text();
    let is_exempt = |name: &String| exempt::all().any(|other| other == name);
    let forgotten: Vec<&String> =
        wanted.iter().filter(|name| !called.contains(*name) && !is_exempt(name)).collect();
    assert!(
        forgotten.is_empty(),
        "call these in tests/linear, or say there why not: {forgotten:#?}"
    );
    let gone = |name: &str| !wanted.contains(name) || called.contains(name);
    let needless: Vec<&str> = exempt::all().filter(|name| gone(name)).collect();
    assert!(needless.is_empty(), "these need no exemption: {needless:#?}");
}

/// `.ci/linear` counts its instructions.
#[test]
#[ignore = "checks nothing by itself: .ci/linear runs it under callgrind"]
fn every_function_once() {
    let size = std::env::var("ANVIL_LINEAR_BYTES").unwrap().parse().unwrap();
    for (turn, alphabet) in sample::alphabets().iter().enumerate() {
        let sample = Sample::new(alphabet, size);
        for (_, call) in all().iter().enumerate().filter(|(at, _)| (at + turn).is_multiple_of(4)) {
            (call.run)(&sample);
        }
    }
}
