//! `anvil-eval`: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    anvil::internal::eval::main(std::env::args_os().collect())
}
