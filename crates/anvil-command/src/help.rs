//! The help of a command, as clap renders it.

use clap::{Arg, Command};

/// The help, on lines of at most `width` columns: every option, by groups, or those that a newcomer
/// reads. `others` names the command that lists the others.
pub fn help(command: Command, all: bool, others: &str, width: usize) -> String {
    let command = command.term_width(width);
    if all || !command.get_arguments().any(Arg::is_hide_short_help_set) {
        command.mut_args(|argument| argument.hide_short_help(false)).render_help().to_string()
    } else {
        let command = command.mut_args(|argument| argument.help_heading(None::<&str>));
        command.after_help(others.to_owned()).render_help().to_string()
    }
}
