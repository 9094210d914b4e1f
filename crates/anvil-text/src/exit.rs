//! The exit codes of the command line. The page and the help are made from this.

use std::fmt::Write as _;
use std::process::ExitCode;

use strum::VariantArray;

/// How a command ends. `anvil hook` and `anvil statusline` always end with [`Done`](Self::Done), and
/// a signal with 128 and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Nothing = 3,
    Gate = 4,
    Paused = 5,
    Again = 6,
    Void = 7,
}

impl Exit {
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What it means, as the help and `docs/commands.md` say it.
    const fn meaning(self) -> &'static str {
        match self {
            Self::Done => {
                "done; `anvil run`: a valid verdict; `anvil doctor`: no problem was found"
            }
            Self::Failed => "the command failed; `anvil doctor`: a problem was found",
            Self::Usage => "the arguments are wrong",
            Self::Nothing => {
                "nothing to act on, such as no debate here, or no valid verdict for a decision \
                 record; `anvil claim`: no task is free now"
            }
            Self::Gate => {
                "`anvil run`: a gate of `--fail-on` is closed over a valid verdict; \
                 `recheck --fail`: not all words were seen"
            }
            Self::Paused => {
                "`anvil run`: the debate is paused; `anvil run`, `step`: a seat has failed; \
                 `submit`: the task was not written"
            }
            Self::Again => "`anvil submit`: write the reply, or its block, once more",
            Self::Void => {
                "`anvil run`: the debate is complete, and has no valid verdict; whatever gates \
                 were asked for"
            }
        }
    }

    /// All of them as lines of at most this many columns.
    pub fn lines(columns: usize) -> String {
        let mut lines = String::new();
        for exit in Self::VARIANTS {
            let meaning = exit.meaning().replace('`', "");
            let indent = "          ";
            for (index, line) in crate::wrap(&meaning, columns - indent.len()).iter().enumerate() {
                let code = if index == 0 { exit.code().to_string() } else { String::new() };
                let _ = writeln!(lines, "{code:<width$}{line}", width = indent.len());
            }
        }
        lines
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_exit_code() {
        let page = include_str!("../../../docs/commands.md");
        let row = |exit: &Exit| format!("| {} | {} |\n", exit.code(), exit.meaning());
        let table: String = Exit::VARIANTS.iter().map(row).collect();
        assert!(page.contains(&table), "{table}");
    }
}
