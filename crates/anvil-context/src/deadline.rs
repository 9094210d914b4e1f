//! The deadline for gathering.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// No material is read after this moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// The deadline after this time.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }

    pub(crate) fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    pub(crate) fn at(self) -> Instant {
        self.0
    }
}

/// The result of `work`, if it is done in time. Hanging work is abandoned: nothing can interrupt a
/// file system that never answers, but it blocks only its own thread.
pub(super) fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || {
            let _ = sender.send(work());
        })
        .ok()?;
    receiver.recv_timeout(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_hangs_is_abandoned() {
        let (sender, receiver) = mpsc::channel::<()>();
        let began = Instant::now();
        assert_eq!(within(Duration::from_millis(20), move || receiver.recv().is_ok()), None);
        assert!(began.elapsed() < Duration::from_secs(10));
        drop(sender);
        assert_eq!(within(Duration::from_secs(10), || 7), Some(7));
    }

    #[test]
    fn a_deadline_passes_at_its_time() {
        assert!(Deadline::after(Duration::ZERO).is_over());
        let later = Deadline::after(Duration::from_mins(1));
        assert!(!later.is_over() && later.left() > Duration::from_secs(50));
    }
}
