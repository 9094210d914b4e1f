//! The help of a command, as clap renders it.

use clap::{Arg, Command};

/// The help, on lines of at most `width` columns: every option, by groups, or those that a newcomer
/// reads. `others` names the command that lists the others.
pub fn help(command: Command, all: bool, others: &str, width: usize) -> String {
    let mut command = command.term_width(width);
    // clap adds `--help` in `build`, and says that it shows more than `-h`.
    command.build();
    let is_short = !all && command.get_arguments().any(Arg::is_hide_short_help_set);
    let mut command = command.mut_args(|argument| {
        let argument = match argument.get_id().as_str() {
            "help" => argument.help("Print help"),
            _ => argument,
        };
        if is_short { argument.help_heading(None::<&str>) } else { argument.hide_short_help(false) }
    });
    if is_short {
        command = command.after_help(others.to_owned());
    }
    command.render_help().to_string()
}
