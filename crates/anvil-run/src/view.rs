//! The output of a run: on standard error one line for each event, with a live line below it on a
//! terminal, and the end on standard output; or there JSON, one event a line.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use crate::error::RunError;
use anvil_engine::{Completed, Context};
use anvil_messages::{Door, Screen};
use anvil_prompt::{OutputFormat, RunEvent};
use anvil_store::Attempt;
use anvil_text::error::Result;
use anvil_text::{harmless_json, without_controls_but_bold};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use terminal_size::terminal_size_of;

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
    pub door: Door,
    live: RefCell<Option<ProgressBar>>,
    /// The label of the reply that is being written, and how to read its output.
    writing: RefCell<Option<(String, OutputFormat)>>,
}

impl RunView {
    pub(crate) fn new(shows: Shows, door: Door) -> Self {
        Self { shows, door, live: RefCell::default(), writing: RefCell::default() }
    }

    fn shows_lines(&self) -> bool {
        matches!(self.shows, Shows::Lines | Shows::LinesWithoutPaths)
    }

    pub(crate) fn say(&self, event: &RunEvent) -> Result<()> {
        match self.shows {
            Shows::Lines | Shows::LinesWithoutPaths => {
                line_of(event, screen(Stream::Error), &self.door)
                    .map_or(Ok(()), |line| self.report(&line))
            }
            Shows::Json => {
                self.print(&harmless_json(&serde_json::to_string(event).unwrap_or_default()))
            }
            Shows::Verdict => {
                if let RunEvent::Paused { .. } | RunEvent::Gate { .. } = event {
                    let line = line_of(event, Screen::default(), &self.door).unwrap_or_default();
                    let _ = writeln!(io::stderr(), "{line}");
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
                self.report(&anvil_messages::note(&note, &self.door))?;
            }
        }
        Ok(())
    }

    /// Shows a line for people, where lines are shown.
    pub(crate) fn print_line(&self, line: &str) -> Result<()> {
        if self.shows_lines() { self.report(line) } else { Ok(()) }
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
                contradicted: anvil_report::contradiction(&completed.ledger),
                report: completed.report.as_ref().ok().map(|path| completed.project.display(path)),
                page: completed.page.as_ref().map(|path| completed.project.display(path)),
            }),
        }
    }

    fn print_completed(&self, completed: &Completed) -> Result<()> {
        let end = anvil_messages::completion_lines(completed, &self.door, screen(Stream::Output));
        self.print(&without_controls_but_bold(&end))
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
        let (attempt, slot) = (attempt.started.attempt, attempt.started.slot.to_string());
        self.say(&RunEvent::StillRunning { attempt, slot, count })
    }

    /// Prints a result above the live line.
    pub(crate) fn print(&self, text: &str) -> Result<()> {
        self.above(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}").and_then(|()| out.flush())
        })
    }

    /// Prints a line about the progress above the live one.
    fn report(&self, text: &str) -> Result<()> {
        self.above(|| writeln!(io::stderr(), "{text}"))
    }

    fn above(&self, write: impl FnOnce() -> io::Result<()>) -> Result<()> {
        if self.shows == Shows::Nothing {
            return Ok(());
        }
        print_result(match &*self.live.borrow() {
            Some(live) => live.suspend(write),
            None => write(),
        })
    }

    /// Shows the live line.
    pub(crate) fn begin(&self, what: String, output: OutputFormat) {
        if self.shows_lines() && io::stderr().is_terminal() && !is_dumb() {
            let live = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
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
    pub(crate) fn show_arrival(&self, output: &Path, since: Duration) {
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
pub fn print_result(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(RunError::NotPrinted(error).into())
        }
        _ => Ok(()),
    }
}

/// A stream that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Output,
    Error,
}

/// Columns and rows of the terminal of a stream.
pub fn terminal(stream: Stream) -> Option<(usize, usize)> {
    let (columns, rows) = match stream {
        Stream::Output => terminal_size_of(io::stdout()),
        Stream::Error => terminal_size_of(io::stderr()),
    }?;
    Some((columns.0.into(), rows.0.into())).filter(|(columns, _)| *columns > 0)
}

/// The screen of a stream. Without a terminal lines stay whole, and nothing is bold.
pub fn screen(stream: Stream) -> Screen {
    let is_terminal = match stream {
        Stream::Output => io::stdout().is_terminal(),
        Stream::Error => io::stderr().is_terminal(),
    };
    if !is_terminal {
        return Screen::default();
    }
    let columns = terminal(stream).map_or(anvil_messages::USUAL_COLUMNS, |(columns, _)| columns);
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Screen { columns: Some(columns), is_styled: !is_unwanted && !is_dumb() }
}

/// A dumb terminal knows no escape sequences.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
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

/// The lines of an event, for people.
fn line_of(event: &RunEvent, screen: Screen, door: &Door) -> Option<String> {
    anvil_messages::run_event(event, screen, door).map(|line| without_controls_but_bold(&line))
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
    screen(Stream::Error).columns.unwrap_or(anvil_messages::USUAL_COLUMNS)
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
