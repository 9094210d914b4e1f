//! `anvil man`: the manual page, from the definitions of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command};

pub(super) fn run(command: &mut Command) -> crate::error::Result<()> {
    // Fills in how each is called.
    command.build();
    super::print(page(command).trim_end())
}

fn page(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut out = format!(
        ".TH ANVIL 1 \"\" \"Anvil {}\"\n.SH NAME\nanvil \\- {}\n.SH SYNOPSIS\n.B anvil\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
        env!("CARGO_PKG_VERSION"),
        text(&about)
    );
    for (name, verb) in verbs(command, "anvil") {
        let _ = write!(out, ".SS {name}");
        for operand in verb.get_positionals() {
            let _ = write!(out, " [{}]", value(operand));
        }
        let _ = writeln!(out, "\n{}", sentence(verb.get_about()));
        for argument in verb.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_id() != "help") {
            let name = argument.get_long().map(|long| format!("\\fB\\-\\-{}\\fR ", text(long))).unwrap_or_default();
            let value = if argument.get_action().takes_values() {
                format!("\\fI{}\\fR", value(argument))
            } else {
                String::new()
            };
            let _ = writeln!(
                out,
                ".TP\n{}\n{}{}",
                format!("{name}{value}").trim_end(),
                sentence(argument.get_help()),
                known(argument)
            );
        }
    }
    out.push_str(
        ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nIt was tried and failed; of doctor: something is wrong.\n.TP\n2\nThe arguments are wrong.\n.TP\n3\nThere is nothing to do it to.\n\
         .SH ENVIRONMENT\n.TP\nCLAUDE_CONFIG_DIR\nThe configuration folder of Claude Code; otherwise ~/.claude.\n\
         .TP\nANVIL_CHECKPOINTS\nHow many checkpoints a debate keeps; 32 unless it says otherwise.\n\
         .TP\nNO_COLOR\nWhere it is set, the live view has no colours unless \\-\\-color asks for them.\n\
         .SH FILES\n.TP\n.I .claude/anvil\\-state.local.md\nThe debate of a project.\n\
         .TP\n.I .claude/anvil.local/\nIts reports, archive and checkpoints.\n\
         .SH EXAMPLES\n.nf\nanvil demo\nanvil start \"Should we drop IE 11?\" \\-\\-rounds 2\nanvil status \\-\\-watch\nanvil report \\-\\-open\n.fi\n",
    );
    out
}

/// What can be called, and how: `archive prune`, not `archive`.
fn verbs<'a>(command: &'a Command, called: &str) -> Vec<(String, &'a Command)> {
    let named = command.get_subcommands().filter(|verb| verb.get_name() != "help");
    let each = named.map(|verb| (format!("{called} {}", verb.get_name()), verb));
    each.flat_map(|(name, verb)| if verb.has_subcommands() { verbs(verb, &name) } else { vec![(name, verb)] }).collect()
}

/// How a value is called.
fn value(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    text(&names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// The words one of which it takes.
fn known(argument: &Arg) -> String {
    let names: Vec<String> = argument.get_possible_values().iter().map(|known| text(known.get_name())).collect();
    let is_value = argument.get_action().takes_values() && !names.is_empty();
    if is_value { format!(" [{}]", names.join(", ")) } else { String::new() }
}

fn sentence(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(|help| text(&help.to_string())).unwrap_or_default()
}

/// As roff shows it: nothing in it is a command.
fn text(text: &str) -> String {
    let plain = text.replace('\\', "\\e").replace('-', "\\-");
    let lines =
        plain.lines().map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}
