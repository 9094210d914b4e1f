//! What the user sees of a run: a line for everything that happens, with a live one below it on a terminal; or JSON, an event a line.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::{Error, Result};
use crate::messages;
use crate::seats::{self, Output, RunEvent};
use crate::text::{harmless_json, without_controls};

/// Most of a program's output that is looked through for words while it writes, in bytes.
const MAX_LOOKED_AT: u64 = 2 * 1024 * 1024;

/// How often the live line turns.
const TICK: Duration = Duration::from_millis(120);

/// How a run is shown.
#[derive(Debug)]
pub(super) struct View {
    as_json: bool,
    live: Option<ProgressBar>,
    /// What is being written, and how its output is read.
    writing: Option<(String, Output)>,
}

impl View {
    /// A live line where standard output is a terminal.
    pub(super) fn new(as_json: bool) -> Self {
        Self { as_json, live: None, writing: None }
    }

    /// Shows what happened.
    pub(super) fn say(&self, event: &RunEvent) -> Result<()> {
        let shown = if self.as_json {
            Some(harmless_json(&serde_json::to_string(event).unwrap_or_default()))
        } else {
            messages::run_event(event).map(|line| without_controls(&line))
        };
        shown.map_or(Ok(()), |shown| self.print(&shown))
    }

    /// Prints a line above the live one. A reader that went away is no failure.
    pub(super) fn print(&self, text: &str) -> Result<()> {
        let write = || {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}").and_then(|()| out.flush())
        };
        let written = match &self.live {
            Some(live) => live.suspend(write),
            None => write(),
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::io(&error, "standard output can't be written to"))
            }
            _ => Ok(()),
        }
    }

    /// Something is being written from now on.
    pub(super) fn begin(&mut self, what: String, output: Output) {
        if !self.as_json && io::stdout().is_terminal() {
            let live = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
            let style = ProgressStyle::with_template("{spinner} {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            live.set_style(style);
            live.set_message(messages::run_live(&what, Duration::ZERO, 0));
            live.enable_steady_tick(TICK);
            self.live = Some(live);
        }
        self.writing = Some((what, output));
    }

    /// It has come so far.
    pub(super) fn arrived(&self, output: &Path, since: Duration) {
        let (Some(live), Some((what, how))) = (&self.live, &self.writing) else { return };
        let is_small = std::fs::metadata(output).is_ok_and(|meta| meta.len() <= MAX_LOOKED_AT);
        let words = if is_small { seats::words_so_far(*how, &std::fs::read(output).unwrap_or_default()) } else { 0 };
        live.set_message(messages::run_live(what, since, words));
    }

    /// It is written.
    pub(super) fn end(&mut self) {
        self.writing = None;
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}
