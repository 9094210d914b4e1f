//! `anvil completions SHELL`: the script that `clap_complete` makes from clap's definitions.

use clap::Command;
use clap_complete::{Shell, generate};

use super::link;
use anvil_text::error::Result;

pub(super) fn run(mut command: Command, shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    generate(shell, &mut command, link::called_name(), &mut script);
    super::print(String::from_utf8_lossy(&script).trim())
}
