//! The terminal: its size, and a pager for longer texts.
use anvil_messages::Screen;
use anvil_run::Stream;
use anvil_system::process;
use anvil_system::world::World;
use std::io::{self, IsTerminal as _};

/// The default pager. With these options it prints short texts directly and does not clear the
/// terminal.
const PAGER: [&str; 2] = ["less", "-FRX"];

/// Rows of a terminal that does not report its size.
const USUAL_ROWS: usize = 24;

/// Columns and rows of the terminal, or defaults.
pub(super) fn size() -> (usize, usize) {
    terminal().unwrap_or_else(|| (columns(), USUAL_ROWS))
}

/// The screen of standard output.
pub(super) fn screen() -> Screen {
    Screen { columns: known_columns(), ..anvil_run::screen(Stream::Output) }
}

/// Columns for cutting lines.
pub(super) fn columns() -> usize {
    known_columns().unwrap_or(anvil_messages::USUAL_COLUMNS)
}

/// Columns of the terminal. Without a terminal, `COLUMNS` may set them.
pub(super) fn known_columns() -> Option<usize> {
    if let Some((columns, _)) = terminal() {
        return Some(columns);
    }
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| (20..=1_000).contains(columns))
}

fn terminal() -> Option<(usize, usize)> {
    anvil_run::terminal(Stream::Output).filter(|(_, rows)| *rows > 0)
}

/// Replaces this program by a pager if the text is longer than the terminal. Returns if the caller
/// has to print the text: it fits, the output is no terminal, or no pager exists.
pub(super) fn page(world: &World, text: &str) {
    let (_, rows) = size();
    let is_seen = io::stdout().is_terminal() && io::stdin().is_terminal();
    if !is_seen || text.lines().count() < rows {
        return;
    }
    let named = std::env::var("PAGER").ok();
    let words: Vec<&str> =
        named.as_deref().map_or(PAGER.to_vec(), |named| named.split_whitespace().collect());
    let Some((name, arguments)) = words.split_first() else { return };
    let (Ok(mut command), Ok(input)) =
        (process::command(name), world.disk.anonymous_file(text.as_bytes()))
    else {
        return;
    };
    command.args(arguments);
    // As in git: a pager without options in its variable gets the same options.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", PAGER[1].trim_start_matches('-'));
    }
    process::replace(command, input);
}
