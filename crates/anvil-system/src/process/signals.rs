//! The signals that ask this program to end, and the limits that it outlives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// From now on a write beyond the limit of file sizes fails, and does not end this program. The
/// programs that it starts have the default again.
pub fn outlive_file_limit() {
    #[cfg(unix)]
    // Without the handler, such a write ends the program as before.
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// The stack of a main program on Linux and macOS, unless its user limits it.
#[cfg(unix)]
const STACK: usize = 8 * 1024 * 1024;

/// Does the work on a stack of at least [`STACK`], whatever the limit of this process is: under
/// `ulimit -s 64` a hook aborted.
#[cfg(unix)]
pub fn with_enough_stack<T: Send + 'static>(work: impl Fn() -> T + Copy + Send + 'static) -> T {
    use rustix::process::{Resource, getrlimit};
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= STACK as u64) {
        return work();
    }
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // A limit on threads or memory.
        Err(_) => work(),
    }
}

#[cfg(not(unix))]
pub fn with_enough_stack<T>(work: impl Fn() -> T) -> T {
    work()
}

/// A signal that asks this program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndSignal(i32);

impl EndSignal {
    /// The exit code of a program that it ended, as in a shell: 130, 143 or 129.
    pub fn exit_code(self) -> u8 {
        u8::try_from(128 + self.0).unwrap_or(u8::MAX)
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            SIGINT => "Ctrl-C",
            SIGTERM => "SIGTERM",
            _ => "SIGHUP",
        }
    }
}

/// Listens for signals, from now until the program ends.
#[derive(Clone, Debug)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// If `twice_ends`, a second signal of the same kind ends this program at once.
    pub fn listen(twice_ends: bool) -> std::io::Result<Self> {
        let received = Arc::new(AtomicUsize::new(0));
        for signal in ending_signals() {
            if twice_ends {
                let seen = Arc::new(AtomicBool::new(false));
                let code = i32::from(EndSignal(signal).exit_code());
                // In this order: at the first signal the flag is not yet set.
                flag::register_conditional_shutdown(signal, code, seen.clone())?;
                flag::register(signal, seen)?;
            }
            flag::register_usize(signal, received.clone(), usize::try_from(signal).unwrap_or(0))?;
        }
        Ok(Self(received))
    }

    /// The last one that was received.
    pub fn last(&self) -> Option<EndSignal> {
        let signal = self.0.load(Ordering::SeqCst);
        (signal != 0).then(|| EndSignal(i32::try_from(signal).unwrap_or(SIGTERM)))
    }
}

#[cfg(unix)]
fn ending_signals() -> Vec<i32> {
    use signal_hook::consts::SIGHUP;
    // A user who runs nohup wants the program to go on.
    let ignored: u64 = std::fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    let mut signals = vec![SIGINT, SIGTERM];
    if ignored & (1 << (SIGHUP - 1)) == 0 {
        signals.push(SIGHUP);
    }
    signals
}

#[cfg(not(unix))]
fn ending_signals() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}
