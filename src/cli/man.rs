//! `anvil man [COMMAND]`: the manual page of the program or of a command, from clap's definitions
//! (`clap_mangen`).

use std::io;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::help;
use anvil_text::error::{Error, Result};

/// The exit codes; docs/commands.md has the same table.
const EXIT_CODES: [(&str, &str); 7] = [
    ("0", "Success. doctor: no problem was found."),
    ("1", "Failure. doctor: a problem was found."),
    ("2", "The arguments are wrong."),
    ("3", "Nothing to act on, such as no debate here. claim: no task is free now."),
    ("4", "run: a gate of --fail-on failed. recheck --fail: not all words are there."),
    (
        "5",
        "run: the debate is paused. run and step: a seat has failed. submit: the task was not \
         written.",
    ),
    ("6", "submit: write the reply, or its block, once more."),
];

const ENVIRONMENT: [(&str, &str); 4] = [
    ("CLAUDE_CONFIG_DIR", "The configuration folder of Claude Code; otherwise ~/.claude."),
    (
        "ANVIL_RETRY_DELAYS",
        "Seconds after which run asks a service again that failed temporarily, with commas \
         between them; otherwise 30,60,120.",
    ),
    (
        "ANVIL_SNAPSHOTS",
        "How many snapshots a debate keeps, also after its end, 1 to 1,000; otherwise 32, then 1.",
    ),
    ("NO_COLOR", "Where it is set, the live view has no colours unless --color asks for them."),
];

const FILES: [(&str, &str); 3] = [
    (".claude/anvil-state.local.md", "The debate of a project; with --dir DIR it is in DIR."),
    ("~/.claude/anvil.local/", "Your records: earlier debates, snapshots, reports, decisions."),
    (
        ".claude/anvil.local.md",
        "The project's defaults; yours for every project are in ~/.claude/anvil.local.md.",
    ),
];

pub(super) fn run(mut command: Command, wanted: &[String]) -> Result<()> {
    // Build the full name of each command.
    command.build();
    let mut found = command;
    for name in wanted {
        let next = found.find_subcommand(name).cloned();
        found = next.ok_or_else(|| help::unknown(&found, name))?;
    }
    let page = page(found, wanted.is_empty());
    super::print(page.map_err(|error| Error::io(error, "try again"))?.trim_end())
}

fn page(command: Command, is_main: bool) -> io::Result<String> {
    let title = command.get_display_name().unwrap_or("anvil").to_uppercase();
    let source = concat!("Anvil ", env!("CARGO_PKG_VERSION"));
    let man =
        Man::new(command.disable_version_flag(true)).title(title).source(source).manual("Anvil");
    let mut out = Vec::new();
    man.render(&mut out)?;
    if is_main {
        extra().to_writer(&mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Sections that no definition has.
fn extra() -> Roff {
    let mut roff = Roff::new();
    for (title, rows) in
        [("EXIT STATUS", &EXIT_CODES[..]), ("ENVIRONMENT", &ENVIRONMENT), ("FILES", &FILES)]
    {
        roff.control("SH", [title]);
        for (name, meaning) in rows {
            let name = if title == "FILES" { italic(*name) } else { bold(*name) };
            roff.control("TP", []).text([name]).text([roman(*meaning)]);
        }
    }
    roff
}
