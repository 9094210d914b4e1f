//! `anvil`: arguments in, exit code out. A hook of Claude Code is one of its commands.
//!
//! * [`cli`]: the door of the command line, with a file for each verb.
//! * [`hook`]: the door to Claude Code, with a file for each event.

use std::process::ExitCode;

mod cli;
mod hook;

fn main() -> ExitCode {
    cli::main(std::env::args_os().collect())
}
