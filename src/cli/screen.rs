//! The screen that is written to: its size, and a pager for what is longer.

use std::io::{self, IsTerminal as _};

use crate::messages;
use crate::process;
use crate::world::World;

/// Pages where the user names no pager. With these options it leaves short texts alone and the screen as it was.
const PAGER: [&str; 2] = ["less", "-FRX"];

/// Rows of a terminal that does not say how many it has.
const USUAL_ROWS: usize = 24;

/// Columns and rows of the terminal, as far as they are known.
pub(super) fn size() -> (usize, usize) {
    terminal().unwrap_or_else(|| (columns(), USUAL_ROWS))
}

/// Columns that lines are cut to.
pub(super) fn columns() -> usize {
    known_columns().unwrap_or(messages::USUAL_COLUMNS)
}

/// Columns of the terminal. Elsewhere `COLUMNS` may say how wide the lines are to be.
pub(super) fn known_columns() -> Option<usize> {
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| (20..=1_000).contains(columns));
    terminal().map(|(columns, _)| columns).or_else(asked)
}

fn terminal() -> Option<(usize, usize)> {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Some((size.ws_col.into(), size.ws_row.into()));
    }
    None
}

/// Gives a text that is longer than the terminal to a pager, which takes this program's place. Comes back where the text is to be
/// printed: it fits, nobody looks at it in a terminal, or there is no pager.
pub(super) fn page(world: &World, text: &str) {
    let (_, rows) = size();
    let is_seen = io::stdout().is_terminal() && io::stdin().is_terminal();
    if !is_seen || text.lines().count() < rows {
        return;
    }
    let named = std::env::var("PAGER").ok();
    let words: Vec<&str> = named.as_deref().map_or(PAGER.to_vec(), |named| named.split_whitespace().collect());
    let Some((name, arguments)) = words.split_first() else { return };
    let (Ok(mut command), Ok(input)) = (process::command(name), world.disk.anonymous_file(text.as_bytes())) else {
        return;
    };
    command.args(arguments);
    // As git has it: a pager that is only named gets the same options.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", PAGER[1].trim_start_matches('-'));
    }
    process::replace(command, input);
}
