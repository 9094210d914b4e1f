//! What the user sees of a run: a line for everything that happens, with a live one below it on a terminal; or JSON, an event a line.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Completed;
use crate::error::{Error, Result};
use crate::messages;
use crate::seats::{self, Output, RunEvent};
use crate::state::Attempt;
use crate::text::{self, harmless_json, without_controls};

/// Most of a program's output that is looked through for words while it writes, in bytes.
const MAX_LOOKED_AT: u64 = 2 * 1024 * 1024;

/// How often the live line turns.
const TICK: Duration = Duration::from_millis(120);

/// Columns that the live line leaves to what turns before it.
const MARGIN: usize = 2;

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

    /// Shows that a debate is complete, and where its reports are.
    pub(super) fn say_completed(&self, completed: &Completed) -> Result<()> {
        let shown = |path: &Path| completed.project.display(path);
        self.say(&RunEvent::Completed {
            verdict: completed.verdict.clone(),
            claims: completed.claims,
            disposed: completed.disposed,
            contradicted: completed.contradicted.clone(),
            report: completed.report.as_ref().ok().map(|path| shown(path)),
            page: completed.page.as_ref().map(|path| shown(path)),
        })
    }

    /// Says what of an attempt could not be ended, where there is something.
    pub(super) fn say_left(&self, attempt: &Attempt) -> Result<()> {
        let count = attempt.ended.as_ref().map_or(0, |ended| ended.still_running);
        if count == 0 {
            return Ok(());
        }
        let started = &attempt.started;
        self.say(&RunEvent::StillRunning { attempt: started.attempt, slot: started.slot.clone(), count })
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
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            live.set_style(style);
            live.set_message(fitting(&messages::run_live(&what, Duration::ZERO, 0), columns()));
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
        live.set_message(fitting(&messages::run_live(what, since, words), columns()));
    }

    /// It is written.
    pub(super) fn end(&mut self) {
        self.writing = None;
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

/// The line in so many columns. What says how far it is stands at its end, and stays.
fn fitting(line: &str, columns: usize) -> String {
    let columns = columns.saturating_sub(MARGIN);
    match line.split_once(" · ") {
        Some((what, rest)) if text::columns(line) > columns => {
            let what = text::fit(what, columns.saturating_sub(text::columns(rest) + 3));
            text::fit(&format!("{what} · {rest}"), columns)
        }
        _ => line.to_owned(),
    }
}

/// Columns of the terminal.
fn columns() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
    {
        return size.ws_col.into();
    }
    messages::USUAL_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_narrow_terminal_the_live_line_still_says_how_far_it_is() {
        let line = "advocate, round 1 of 1 · claude · 3 s · 16 words";
        assert_eq!(fitting(line, 80), line);
        assert_eq!(fitting(line, 44), "advocate, round… · claude · 3 s · 16 words");
        for columns in 0..80 {
            let shown = text::columns(&fitting(line, columns));
            assert!(shown <= columns.saturating_sub(MARGIN).max(1), "{columns} columns, {shown} shown");
        }
    }
}
