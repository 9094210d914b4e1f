//! `anvil`: arguments in, exit code out. A hook of Claude Code is one of its commands.
//!
//! * [`cli`]: the door of the command line. [`verbs`](cli::verbs) has every verb with its
//!   arguments, [`help`](cli::help) and [`man`](cli::man) print them, and
//!   [`completions`](cli::completions) completes them.
//!   * Debates: [`run`](cli::run) (also `start` and `step`), [`demo`](cli::demo),
//!     [`steer`](cli::steer) (also `again`), [`status`](cli::status), [`watch`](cli::watch),
//!     [`statusline`](cli::statusline), [`report`](cli::report), [`claims`](cli::claims),
//!     [`past`](cli::past) (`history` and `prune`), [`outcome`](cli::outcome) (`history --due` and
//!     `--calibration`), [`history`](cli::history) (`undo`), [`body`](cli::body).
//!   * Replies by others: [`tasks`](cli::tasks), [`claim`](cli::claim) (also `submit`),
//!     [`agents`](cli::agents) (also `attempts`).
//!   * The installation: [`install`](cli::install), [`uninstall`](cli::uninstall),
//!     [`plugin`](cli::plugin) (the folder), [`link`](cli::link) (to the program),
//!     [`settings`](cli::settings) (of Claude Code), [`mcp`](cli::mcp) (the server there),
//!     [`doctor`](cli::doctor) with [`hooks`](cli::doctor::hooks),
//!     [`program`](cli::doctor::program), [`copies`](cli::doctor::copies) and
//!     [`links`](cli::doctor::links).
//!   * [`config`](cli::config), [`list`](cli::list), [`hook`](cli::hook), and
//!     [`screen`](cli::screen), the size of the terminal and the pager.
//! * [`hook`]: the door to Claude Code. [`wire`](hook::wire) alone knows its JSON;
//!   [`line`](hook::line) and [`tail`](hook::tail) read its transcript,
//!   [`read_reply`](hook::read_reply) the reply, and [`plan`](hook::plan) the session's plan.
//!   * One file for each event: [`stop`](hook::stop), [`stop_failure`](hook::stop_failure),
//!     [`prompt_submit`](hook::prompt_submit), [`pre_tool_use`](hook::pre_tool_use),
//!     [`session_start`](hook::session_start), [`session_end`](hook::session_end).
//!   * Programs that argue for a session: [`isolated`](hook::isolated) (commands),
//!     [`news`](hook::news), [`background`](hook::background) (the hook that wakes the session).

use std::process::ExitCode;

mod cli;
mod hook;

fn main() -> ExitCode {
    cli::main(std::env::args_os().collect())
}
