//! Nothing is quadratic: every function of the pure rooms that takes a text is called with hostile ones of two sizes, of which the
//! larger may take at most thirty times the CPU time of this thread for ten times the text.
//!
//! Each room has its calls in a file here, which the room includes as a module of its own, so that what only the room can see is
//! called too. `scan` reads the sources and fails for a function that is neither called nor in `EXEMPT`.

mod exempt;
pub(crate) mod sample;
mod scan;

use std::collections::BTreeSet;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

pub(crate) use sample::Sample;

/// How many times the larger text is as long as the smaller one.
const FACTOR: usize = 10;

/// Most times that it may take as long.
const MOST: u32 = 30;

/// What takes less for the larger text is not compared: so short a time is mostly chance.
const FLOOR: Duration = Duration::from_millis(20);

/// Below this a share of the time is the clock's own.
const TICK: Duration = Duration::from_micros(20);

/// One call of one function.
pub(crate) struct Call {
    /// The function: `text::clean::clean`.
    pub(crate) name: String,
    pub(crate) run: fn(&Sample),
}

/// Calls, each named by the function that it calls: `calls![s => clean::clean(s.text(), 80); …]`.
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
    let room = module.strip_prefix("anvil::").unwrap_or(module).trim_end_matches("linear").trim_end_matches("::");
    known_as(&format!("{room}::{}", path.replace(' ', "")))
}

/// A method is known by its room and type, wherever in the room it is written: `ledger::Ledger::shortfall`.
fn known_as(path: &str) -> String {
    let parts: Vec<&str> = path.split("::").collect();
    match parts.as_slice() {
        [room, .., of, method] if of.starts_with(char::is_uppercase) => format!("{room}::{of}::{method}"),
        _ => path.to_owned(),
    }
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

/// The least time of some runs: what else the machine does only adds to it.
fn least(call: &Call, sample: &Sample, runs: usize) -> Duration {
    (0..runs).map(|_| time(call, sample)).min().unwrap_or_default()
}

/// The calls that take more than their share, with what they took.
fn beyond(calls: &[&Call], alphabets: &[sample::Alphabet], size: usize) -> Vec<String> {
    let mut found = Vec::new();
    for alphabet in alphabets {
        let (small, large) = (Sample::new(alphabet, size / FACTOR), Sample::new(alphabet, size));
        for call in calls {
            // The first run also makes what the sample is asked for.
            let mut long = time(call, &large);
            if long > FLOOR && long < Duration::from_secs(2) {
                long = least(call, &large, 2);
            }
            if long <= FLOOR {
                continue;
            }
            let _ = time(call, &small);
            let short = least(call, &small, 3);
            if long > short.max(TICK) * MOST {
                let slow = format!("{} of {alphabet:?}: {short:?}, then {long:?}", call.name);
                eprintln!("{slow}");
                found.push(slow);
            }
        }
    }
    found
}

/// Runs the calls of a room: a tenth of the size in `cargo test`, all of it where asked for.
pub(crate) fn check(calls: &[Call]) {
    let size = if std::env::var_os("ANVIL_LINEAR").is_some() { 1024 * 1024 } else { 50 * 1024 };
    let only = std::env::var("ANVIL_LINEAR_ONLY").unwrap_or_default();
    let calls: Vec<&Call> = calls.iter().filter(|call| call.name.contains(&only)).collect();
    let begin = cpu();
    let found = beyond(&calls, &sample::alphabets(), size);
    eprintln!("{} calls: {:?}", calls.len(), cpu().saturating_sub(begin));
    assert!(found.is_empty(), "these take more than {MOST} times as long for {FACTOR} times the text:\n{}", found.join("\n"));
}

/// Every call of every room.
fn all() -> Vec<Call> {
    let rooms = [
        crate::body::linear::calls,
        crate::command::linear::calls,
        crate::context::linear::calls,
        crate::debate::linear::calls,
        crate::journal::linear::calls,
        crate::ledger::linear::calls,
        crate::library::linear::calls,
        crate::messages::linear::calls,
        crate::prompt::linear::calls,
        crate::reply::linear::calls,
        crate::report::linear::calls,
        crate::seats::linear::calls,
        crate::tasks::linear::calls,
        crate::text::linear::calls,
        crate::transcript::linear::calls,
    ];
    rooms.into_iter().flat_map(|calls| calls()).collect()
}

#[test]
fn every_function_that_is_given_a_text_is_called_or_exempt() {
    let called: BTreeSet<String> = all().into_iter().map(|call| call.name).collect();
    let sources = scan::Sources::read();
    let wanted = sources.given_a_text();
    let exempt = |name: &String| exempt::EXEMPT.iter().any(|(other, _)| *other == name);
    let forgotten: Vec<&String> = wanted.iter().filter(|name| !called.contains(*name) && !exempt(name)).collect();
    assert!(forgotten.is_empty(), "call these in tests/linear, or say there why not: {forgotten:#?}");
    let gone = |name: &str| !wanted.contains(name) || called.contains(name);
    let needless: Vec<&str> = exempt::EXEMPT.iter().map(|(name, _)| *name).filter(|name| gone(name)).collect();
    assert!(needless.is_empty(), "these need no exemption: {needless:#?}");
}
