//! The texts of `anvil --help` and `--version`. `anvil help VERB` comes from clap's definitions.

use std::fmt::Write as _;

use clap::Command;

use super::error::InputError;
use anvil_command::help;
use anvil_text::Exit;
use anvil_text::error::{Error, Result};
use anvil_text::nearest;

pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("ANVIL_BUILD"), ")");

pub(super) const COLUMNS: usize = 80;

/// The help for newcomers; [`everything`] adds all other commands.
pub(super) const HELP: &str = "\
Anvil argues both sides of a decision before you commit to it.
Usage: anvil COMMAND     anvil help COMMAND explains one, anvil help --all lists everything

Start     demo                    watch a whole debate; needs no account
          run QUESTION            argue between programs: claude, codex, your own
Direct    status [--watch]        see its progress
          steer TEXT · undo · again · cancel
Read      report [ID] [--open]    read the verdict; as a page, ADR, Markdown or JSON
          claims [ID]             see every claim and what became of it
          history [TEXT]          list or search the debates (--due)
Set up    install · uninstall · doctor · config
";

/// The help for these words: the names of a command, and whether to show every option.
pub(super) fn text(mut command: Command, words: &[&str]) -> Result<String> {
    // Build the full name of each command.
    command.build();
    let wants_all = words.contains(&"--all");
    let mut names = words.iter().filter(|word| !word.starts_with('-')).peekable();
    if names.peek().is_none() {
        return Ok(if wants_all { everything(&command) } else { HELP.to_owned() });
    }
    let mut found = &command;
    for name in names {
        found = match found.find_subcommand(name) {
            Some(next) => next,
            // The words after a command without subcommands are its arguments.
            None if found.get_subcommands().next().is_none() => break,
            None => return Err(unknown(found, name)),
        };
    }
    let command = found.get_bin_name().unwrap_or_default().replacen(' ', " help ", 1);
    let others = format!("`{command} --all` lists the others");
    Ok(help(found.clone(), wants_all, &others, COLUMNS))
}

/// The commands that [`HELP`] leaves out.
const MORE: &str = "\
Together  tasks · claim · submit  list the replies to write; write one
          publish N · pull N      put a debate into an issue; take it from one
          agents · attempts       see which programs can argue, and what they were asked
More      start QUESTION          prepare one for Claude Code; /anvil:resume argues it
          recheck [ID|FILE]       see whether a decision's words are still in the files
          list · prune            see what a debate can use; remove old debates
          step · body             for scripts: one reply; a debate as text
          completions             for your shell
Anywhere  --dir DIR               keep the debate in DIR, a folder of yours, not in .claude";

/// Every command with every option, including those for programs.
fn everything(command: &Command) -> String {
    let mut out = format!("{HELP}{MORE}\n\nExit codes\n{}", Exit::lines(COLUMNS).trim_end());
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let title = format!("── anvil {} ──", verb.get_name());
        let _ = write!(out, "\n\n{title}\n\n{}", help(verb.clone(), true, "", COLUMNS).trim_end());
    }
    out
}

pub(super) fn unknown(command: &Command, name: &str) -> Error {
    let names = command.get_subcommands().map(Command::get_name);
    let near = nearest(name, names, 2).first().map(|near| (*near).to_owned());
    InputError::UnknownCommand { name: name.to_owned(), near }.into()
}
