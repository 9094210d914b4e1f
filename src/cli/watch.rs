//! `anvil status --watch`: follows a debate. On a terminal it redraws the view; elsewhere it prints
//! a line for each change.
//!
//! The mode of the terminal stays as it is: the cursor waits below the view, so Ctrl-C leaves a
//! clean screen without a handler.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use clap::ColorChoice;

use super::screen;
use anvil_engine::{Context, Look, session};
use anvil_messages::Door;
use anvil_system::world::World;
use anvil_text::error::{Kind, Result};

/// Time between two looks.
const BEAT: Duration = Duration::from_millis(500);

/// Beats to wait for the reports of a debate that has just been completed.
const REPORTS_TAKE: u32 = 6;

/// The text that redraws the screen over `drawn`; empty if nothing has changed.
fn redraw(drawn: &mut Vec<String>, look: &Look, color: bool, door: &Door) -> String {
    let (columns, rows) = screen::size();
    // The last row is for the cursor.
    let rows = rows.saturating_sub(1);
    let lines = anvil_messages::watch_screen(look, false, columns, rows, door);
    // A narrower terminal has wrapped the lines.
    let up: usize = drawn.iter().map(|line| anvil_text::rows(line, columns)).sum();
    let up = if up == 0 { String::new() } else { format!("\u{1B}[{up}A\r\u{1B}[J") };
    if lines == *drawn {
        return String::new();
    }
    *drawn = lines;
    format!("{up}{}\n", anvil_messages::watch_screen(look, color, columns, rows, door).join("\n"))
}

pub(super) fn run(first: &World, color: ColorChoice, door: &Door) -> Result<()> {
    let is_terminal = io::stdout().is_terminal() && !anvil_run::is_dumb();
    let is_styled = screen::screen().is_styled;
    let color = color == ColorChoice::Always || (color == ColorChoice::Auto && is_styled);
    let mut drawn = Vec::new();
    let mut last = String::new();
    let mut reports_take = REPORTS_TAKE;
    // The watched debate. If another one takes its place, watching ends.
    let mut watched: Option<String> = None;
    loop {
        let world = first.at_this_moment();
        let look = match session::look(&Context::new(&world), None) {
            Err(error) if error.kind() == Kind::Nothing => None,
            look => Some(look?),
        };
        let look = match (look, &watched) {
            (None, None) => {
                if last.is_empty() {
                    super::print(anvil_messages::WATCH_WAITS)?;
                    anvil_messages::WATCH_WAITS.clone_into(&mut last);
                }
                std::thread::sleep(BEAT);
                continue;
            }
            (Some(look), watched) if watched.as_ref().is_none_or(|id| *id == look.debate.id) => {
                look
            }
            (None | Some(_), _) => return super::print(anvil_messages::WATCHED_IS_GONE),
        };
        // The page appears a moment after the last reply.
        if look.is_report_due && watched.is_some() && reports_take > 0 {
            reports_take -= 1;
            std::thread::sleep(BEAT);
            continue;
        }
        let text = if is_terminal {
            redraw(&mut drawn, &look, color, door)
        } else {
            let line = anvil_messages::watch_line(&look, color);
            let is_new = line != last;
            last.clone_from(&line);
            if is_new { format!("{line}\n") } else { String::new() }
        };
        let mut out = io::stdout().lock();
        // The reader has closed the pipe.
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err()
            || !look.debate.status().is_unfinished()
        {
            return Ok(());
        }
        drop(out);
        watched = Some(look.debate.id);
        std::thread::sleep(BEAT);
    }
}
