//! `anvil`: arguments in, exit code out. A hook of Claude Code is one of its commands.

use std::process::ExitCode;

mod cli;
mod hook;

fn main() -> ExitCode {
    cli::main(std::env::args_os().collect())
}
