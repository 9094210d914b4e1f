//! No function is quadratic: every function of a crate that takes a text is called with hostile
//! texts of two sizes. A text of ten times the length may take at most thirty times the CPU time of
//! this thread.
//!
//! A crate has its calls in modules of its own, so that private functions are called too. `scan`
//! reads its sources; a function that is neither called nor exempt fails a test.
//!
//! The samples are layered: [`Text`], [`Debates`] of it, and their state files and reports,
//! [`States`] and [`Models`].

mod debates;
mod models;
mod scan;
mod states;
mod texts;

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

pub use debates::{Debates, NOW, slot};
pub use models::Models;
pub use states::States;
pub use texts::{Alphabet, Text, alphabets};

/// What a hostile text is made into.
pub trait Hostile {
    fn new(alphabet: &Alphabet, size: usize) -> Self;
}

/// The length of the larger text, as a multiple of the smaller one.
const FACTOR: usize = 10;

/// The maximum time for it, as a multiple of the smaller text's.
const MOST: u32 = 30;

/// Shorter times for the larger text are not compared: they are mostly noise.
const FLOOR: Duration = Duration::from_millis(20);

/// Below this, the clock itself takes much of the time.
const TICK: Duration = Duration::from_micros(20);

/// One call of one function.
pub struct Call<S> {
    /// The function, with the modules of its crate: `clean::clean`. A method has its type, and the
    /// first module: `ledger::Ledger::counts`.
    pub name: String,
    pub run: fn(&S),
}

/// Calls, each with its function: `calls![s => clean::clean(s.text(), 80); …]`. A type `Sample` is
/// in scope.
#[macro_export]
macro_rules! calls {
    ($sample:ident => $($($path:ident)::+ ($($argument:expr),* $(,)?) $(. $after:ident ())?;)+) => {
        vec![$($crate::linear::Call {
            name: $crate::linear::name(module_path!(), stringify!($($path)::+)),
            run: |$sample: &Sample| {
                let _ = $sample;
                let _ = std::hint::black_box($($path)::+ ($($argument),*) $(.$after())?);
            },
        }),+]
    };
}

/// The two tests about all calls of a crate: each function that takes a text is called or exempt,
/// and `.ci/linear` calls each once.
#[macro_export]
macro_rules! check_every_call {
    ($calls:expr, $modules:expr, $exempt:expr) => {
        #[test]
        fn every_function_with_a_text_is_called_or_exempt() {
            let package = env!("CARGO_MANIFEST_DIR");
            $crate::linear::check_calls(package, $modules, &$calls, $exempt);
        }

        #[test]
        #[ignore = "checks nothing by itself: .ci/linear runs it under callgrind"]
        fn every_function_once() {
            $crate::linear::call_once(&$calls);
        }
    };
}

/// `anvil_core::ledger::linear` and `id :: parse` -> `ledger::id::parse`.
pub fn name(module: &str, path: &str) -> String {
    let room = module.trim_end_matches("linear").trim_end_matches("::");
    let room = room.split_once("::").map_or("", |(_, room)| room);
    known_as(&joined(room, &path.replace(' ', "")))
}

fn joined(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// A method has the names of its type and of the first module, wherever its type is in there.
fn known_as(path: &str) -> String {
    match path.split("::").collect::<Vec<_>>().as_slice() {
        [first, .., of, method] if of.starts_with(char::is_uppercase) => {
            format!("{first}::{of}::{method}")
        }
        _ => path.to_owned(),
    }
}

/// Functions that are not called, with the reason.
pub type Exempt = [(&'static str, &'static [&'static str])];

/// Fails if a function in the sources of the package at `manifest` takes a text and is neither
/// called nor exempt. `modules`: only these of it; none: all.
pub fn check_calls<S>(manifest: &str, modules: &[&str], calls: &[Call<S>], exempt: &Exempt) {
    let wanted = scan::given_a_text(manifest, modules);
    // A list may call what its module imports: `heads::heads` is `agents::heads::heads`.
    let is = |name: &str, wanted: &str| {
        wanted.strip_suffix(name).is_some_and(|room| room.is_empty() || room.ends_with("::"))
    };
    let is_called = |wanted: &str| calls.iter().any(|call| is(&call.name, wanted));
    let exempt = || exempt.iter().flat_map(|(_, functions)| functions.iter());
    let is_exempt = |wanted: &str| exempt().any(|name| is(name, wanted));
    let forgotten: Vec<&String> =
        wanted.iter().filter(|wanted| !is_called(wanted) && !is_exempt(wanted)).collect();
    assert!(forgotten.is_empty(), "call these, or say why not: {forgotten:#?}");
    let is_needed =
        |name: &&&str| wanted.iter().any(|wanted| is(name, wanted) && !is_called(wanted));
    let needless: Vec<&&str> = exempt().filter(|name| !is_needed(name)).collect();
    assert!(needless.is_empty(), "these need no exemption: {needless:#?}");
}

/// Calls each function once with texts of `ANVIL_LINEAR_BYTES`: `.ci/linear` counts its
/// instructions.
pub fn call_once<S: Hostile>(calls: &[Call<S>]) {
    let size = std::env::var("ANVIL_LINEAR_BYTES").unwrap().parse().unwrap();
    for (turn, alphabet) in alphabets().iter().enumerate() {
        let sample = S::new(alphabet, size);
        for (_, call) in calls.iter().enumerate().filter(|(at, _)| (at + turn).is_multiple_of(4)) {
            (call.run)(&sample);
        }
    }
}

/// CPU time of this thread.
fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap()
}

fn time<S>(call: &Call<S>, sample: &S) -> Duration {
    let begin = cpu();
    (call.run)(sample);
    cpu().saturating_sub(begin)
}

/// The calls that take too long, with their times. `share`: tests one of `share` pairs of call and
/// alphabet.
fn beyond<S: Hostile>(calls: &[Call<S>], size: usize, share: usize) -> Vec<String> {
    let mut found = Vec::new();
    let of = std::env::var("ANVIL_LINEAR_OF").unwrap_or_default();
    let is_wanted = |alphabet: &&Alphabet| of.is_empty() || format!("{alphabet:?}").contains(&of);
    for (turn, alphabet) in alphabets().iter().filter(is_wanted).enumerate() {
        let (small, large) = (S::new(alphabet, size / FACTOR), S::new(alphabet, size));
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
pub fn check<S: Hostile>(mut calls: Vec<Call<S>>) {
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
