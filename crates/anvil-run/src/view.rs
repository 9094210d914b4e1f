//! The output of a run: one line for each event, with a live line below it on a terminal; or JSON,
//! one event a line.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use anvil_engine::{Completed, Context};
use anvil_prompt::{OutputFormat, RunEvent};
use anvil_store::Attempt;
use anvil_text::door::Door;
use anvil_text::error::{Error, Result};
use anvil_text::{harmless_json, without_controls};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Most bytes of a program's output in which words are counted while it writes.
const MAX_LOOKED_AT: u64 = 2 * 1024 * 1024;

/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// Columns of the spinner.
const MARGIN: usize = 2;

/// The output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// A line for each event, and the end.
    Lines,
    /// Like `Lines`, without the path of the page.
    LinesWithoutPaths,
    /// One event per line, as JSON.
    Json,
    /// The verdict; without one, the reason on standard error.
    Verdict,
    Nothing,
}

#[derive(Debug)]
pub(crate) struct RunView {
    shows: Shows,
    live: RefCell<Option<ProgressBar>>,
    /// The label of the reply that is being written, and how to read its output.
    writing: RefCell<Option<(String, OutputFormat)>>,
}

impl RunView {
    pub(crate) fn new(shows: Shows) -> Self {
        Self { shows, live: RefCell::default(), writing: RefCell::default() }
    }

    fn shows_lines(&self) -> bool {
        matches!(self.shows, Shows::Lines | Shows::LinesWithoutPaths)
    }

    pub(crate) fn say(&self, event: &RunEvent) -> Result<()> {
        match self.shows {
            Shows::Lines | Shows::LinesWithoutPaths => {
                line_of(event).map_or(Ok(()), |line| self.print(&line))
            }
            Shows::Json => {
                self.print(&harmless_json(&serde_json::to_string(event).unwrap_or_default()))
            }
            Shows::Verdict => {
                if let RunEvent::Paused { .. } | RunEvent::Gate { .. } = event {
                    let _ = writeln!(io::stderr(), "{}", line_of(event).unwrap_or_default());
                }
                Ok(())
            }
            Shows::Nothing => Ok(()),
        }
    }

    /// Shows the engine's notes, except in JSON.
    pub(crate) fn say_notes(&self, context: &Context<'_>) -> Result<()> {
        let notes = context.take_notes();
        if self.shows_lines() {
            for note in notes {
                self.print(&anvil_messages::note(&note, Door::Shell))?;
            }
        }
        Ok(())
    }

    /// Shows a line for people, where lines are shown.
    pub(crate) fn print_line(&self, line: &str) -> Result<()> {
        if self.shows_lines() { self.print(line) } else { Ok(()) }
    }

    /// Shows that a debate is complete, and the paths of its reports.
    pub(crate) fn say_completed(&self, completed: &Completed) -> Result<()> {
        match self.shows {
            Shows::Lines => self.print_completed(completed),
            Shows::LinesWithoutPaths => {
                self.print_completed(&Completed { page: None, ..completed.clone() })
            }
            Shows::Verdict => self.print_verdict(completed),
            Shows::Json | Shows::Nothing => self.say(&RunEvent::Completed {
                standing: completed.standing.clone(),
                degraded: completed.degraded.clone(),
                counts: completed.ledger.counts(),
                contradicted: anvil_report::contradicted(&completed.ledger),
                report: completed.report.as_ref().ok().map(|path| completed.project.display(path)),
                page: completed.page.as_ref().map(|path| completed.project.display(path)),
            }),
        }
    }

    fn print_completed(&self, completed: &Completed) -> Result<()> {
        let columns = io::stdout().is_terminal().then(columns);
        self.print(&anvil_messages::completed(completed, Door::Shell, columns))
    }

    /// Prints a valid verdict, and its cautions on standard error; or there why it is void.
    fn print_verdict(&self, completed: &Completed) -> Result<()> {
        let standing = &completed.standing;
        for line in
            anvil_messages::void(standing).into_iter().chain(anvil_messages::cautions(standing))
        {
            let _ = writeln!(io::stderr(), "{line}");
        }
        match standing.verdict() {
            Some(verdict) => self.print(&anvil_text::clean(&verdict.headline(), usize::MAX)),
            None => Ok(()),
        }
    }

    /// Shows how many processes of an attempt could not be ended, if any.
    pub(crate) fn say_left(&self, attempt: &Attempt) -> Result<()> {
        let count = attempt.ended.as_ref().map_or(0, |ended| ended.left.still_running);
        if count == 0 {
            return Ok(());
        }
        let (attempt, slot) = (attempt.started.attempt, attempt.started.slot.clone());
        self.say(&RunEvent::StillRunning { attempt, slot, count })
    }

    /// Prints a line above the live one.
    pub(crate) fn print(&self, text: &str) -> Result<()> {
        if self.shows == Shows::Nothing {
            return Ok(());
        }
        let write = || {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}").and_then(|()| out.flush())
        };
        printed(match &*self.live.borrow() {
            Some(live) => live.suspend(write),
            None => write(),
        })
    }

    /// Shows the live line.
    pub(crate) fn begin(&self, what: String, output: OutputFormat) {
        if self.shows_lines() && io::stdout().is_terminal() {
            let live = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
            let style = ProgressStyle::with_template("{spinner} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner());
            live.set_style(style);
            live.set_message(fit_live_line(
                &anvil_messages::run_live(&what, Duration::ZERO, 0),
                columns(),
            ));
            live.enable_steady_tick(TICK);
            self.live.replace(Some(live));
        }
        self.writing.replace(Some((what, output)));
    }

    /// Updates the live line.
    pub(crate) fn arrived(&self, output: &Path, since: Duration) {
        let live = self.live.borrow();
        let writing = self.writing.borrow();
        let (Some(live), Some((what, how))) = (&*live, &*writing) else { return };
        let is_small = std::fs::metadata(output).is_ok_and(|meta| meta.len() <= MAX_LOOKED_AT);
        let words = if is_small {
            anvil_prompt::words_so_far(*how, &std::fs::read(output).unwrap_or_default())
        } else {
            0
        };
        live.set_message(fit_live_line(&anvil_messages::run_live(what, since, words), columns()));
    }

    /// Removes the live line.
    pub(crate) fn end(&self) {
        self.writing.take();
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

/// The result of printing. A reader that has closed the pipe is no failure.
pub fn printed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(error, "standard output can't be written to"))
        }
        _ => Ok(()),
    }
}

/// Columns and rows of the terminal.
pub fn terminal() -> Option<(usize, usize)> {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
    {
        return Some((size.ws_col.into(), size.ws_row.into()));
    }
    None
}

/// Waits for standard input; true if something came, or its end.
#[cfg(unix)]
pub fn has_input_within(wait: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let most = Timespec::try_from(wait).ok();
    poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], most.as_ref()).is_ok_and(|some| some > 0)
}

#[cfg(not(unix))]
pub fn has_input_within(_: Duration) -> bool {
    true
}

/// Waits for a key; true if one was pressed. Switches the terminal to single keys for that time,
/// and only if this process is in its foreground.
#[cfg(unix)]
pub(crate) fn is_key_pressed_within(wait: Duration) -> bool {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};
    let input = io::stdin();
    let is_in_front = tcgetpgrp(&input).is_ok_and(|group| group == rustix::process::getpgrp());
    let Some(usual) = tcgetattr(&input).ok().filter(|_| is_in_front) else {
        std::thread::sleep(wait);
        return false;
    };
    let mut keys = usual.clone();
    keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    let _ = tcsetattr(&input, OptionalActions::Now, &keys);
    let pressed = has_input_within(wait);
    // Do not leave the pressed key to the shell.
    let after = if pressed { OptionalActions::Flush } else { OptionalActions::Now };
    let _ = tcsetattr(&input, after, &usual);
    pressed
}

#[cfg(not(unix))]
pub(crate) fn is_key_pressed_within(wait: Duration) -> bool {
    std::thread::sleep(wait);
    false
}

/// The line of an event, for people.
fn line_of(event: &RunEvent) -> Option<String> {
    anvil_messages::run_event(event).map(|line| without_controls(&line))
}

/// Shortens the line to this many columns. The progress at its end stays.
fn fit_live_line(line: &str, columns: usize) -> String {
    let columns = columns.saturating_sub(MARGIN);
    match line.split_once(" · ") {
        Some((what, progress)) if anvil_text::columns(line) > columns => {
            let what =
                anvil_text::fit(what, columns.saturating_sub(anvil_text::columns(progress) + 3));
            anvil_text::fit(&format!("{what} · {progress}"), columns)
        }
        _ => line.to_owned(),
    }
}

fn columns() -> usize {
    terminal().map_or(anvil_messages::USUAL_COLUMNS, |(columns, _)| columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_live_line_still_shows_the_progress() {
        let line = "advocate, round 1 of 1 · claude · 3 s · 16 words";
        assert_eq!(fit_live_line(line, 80), line);
        assert_eq!(fit_live_line(line, 44), "advocate, round… · claude · 3 s · 16 words");
        for columns in 0..80 {
            let shown = anvil_text::columns(&fit_live_line(line, columns));
            assert!(
                shown <= columns.saturating_sub(MARGIN).max(1),
                "{columns} columns, {shown} shown"
            );
        }
    }
}
