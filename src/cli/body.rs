//! `anvil body`: filters for a debate in the body of an issue. A file or a pipe gets the body byte
//! for byte; a terminal gets it cleaned.

use super::error::InputError;
use anvil_engine::{CheckedBody, Context, issues};
use anvil_store::issue_body;
use anvil_text::Exit;
use anvil_text::error::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// Which body.
#[derive(Args)]
pub(crate) struct Input {
    /// The file with the body [default: standard input, also -]
    #[arg(long, value_name = "FILE")]
    body: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum BodyVerb {
    /// Put the debate into a body: replace its block, or add one at the end
    Embed {
        /// Debate number in `anvil history`, or id [default: this project's]
        id: Option<String>,
        #[command(flatten)]
        input: Input,
        /// A state file instead
        #[arg(long, value_name = "FILE", conflicts_with = "id")]
        state: Option<PathBuf>,
        /// Write over a block that the debate does not continue, or that is broken; it is put aside
        #[arg(long)]
        force: bool,
    },
    /// Print the debate in a body, as JSON
    Extract {
        #[command(flatten)]
        input: Input,
        /// As a state file
        #[arg(long)]
        state: bool,
    },
    /// Report by the exit code if there is a block: 0 yes, 3 no
    Contains {
        #[command(flatten)]
        input: Input,
    },
    /// Print the body without its block
    Strip {
        #[command(flatten)]
        input: Input,
    },
    /// Check if the block is sound, and show its contents
    Check {
        #[command(flatten)]
        input: Input,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(context: &Context<'_>, verb: BodyVerb) -> Result<ExitCode> {
    match verb {
        BodyVerb::Embed { id, input, state, force } => {
            let state = match state {
                Some(file) => issues::state_in(context, &file)?,
                None => issues::state_of(context, id.as_deref())?,
            };
            let embedded = issues::embed(context, &input.read()?, state, force)?;
            if let Some(kept) = &embedded.kept {
                let _ = writeln!(io::stderr(), "{}", anvil_messages::block_moved(kept));
            }
            write(&embedded.body)?;
        }
        BodyVerb::Extract { input, state: as_state } => {
            let carried = anvil_engine::extract(&input.read()?)?;
            if as_state {
                write(&carried.state().render()?)?;
            } else {
                super::print(&carried.to_json())?;
            }
        }
        BodyVerb::Contains { input } => {
            let is_there = issue_body::contains(&input.read()?);
            return Ok(if is_there { ExitCode::SUCCESS } else { Exit::Nothing.into() });
        }
        BodyVerb::Strip { input } => write(&issue_body::strip(&input.read()?))?,
        BodyVerb::Check { input, json } => {
            let checked = anvil_engine::check(&input.read()?)?;
            if json {
                super::print_json(&to_json(&checked))?;
            } else {
                super::print(&anvil_messages::body(&checked))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(checked: &CheckedBody) -> Value {
    let debate = &checked.carried.state().debate;
    json!({
        "revision": checked.carried.revision,
        "id": debate.id,
        "question": debate.question,
        "mode": debate.options.mode.word(),
        "status": debate.status().word(),
        "phase": debate.phase(),
        "round": debate.place().number(),
        "max_rounds": debate.options.max_rounds,
        "cycle": debate.cycle(),
        "replies": checked.replies,
        "words": checked.words,
        "characters": checked.units,
        "orderly": checked.is_orderly,
    })
}

impl Input {
    fn read(&self) -> Result<String> {
        match &self.body {
            Some(file) if file.as_os_str() != "-" => anvil_engine::body_in(file),
            None if io::stdin().is_terminal() => Err(InputError::NoBody.into()),
            _ => anvil_engine::body_from(io::stdin().lock(), "standard input"),
        }
    }
}

/// Writes a text unchanged, but without control characters to a terminal.
fn write(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let cleaned = io::stdout().is_terminal().then(|| anvil_text::without_controls(text));
    let text = cleaned.as_deref().unwrap_or(text);
    anvil_run::print_result(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}
