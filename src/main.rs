//! `anvil`: arguments in, exit code out. A hook of Claude Code is one of its commands.

use std::process::ExitCode;

use anvil_system::process::with_enough_stack;

mod cli;

fn main() -> ExitCode {
    with_enough_stack(|| cli::main(std::env::args_os().collect()))
}
