//! `anvil body`: a debate in the body of an issue, as filters. What they write is the body byte for byte; a screen gets it cleaned.

use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::body::{self, Content, MAX_BODY_BYTES, MAX_UNITS, PortableDebate, units};
use crate::disk::{Flush, NewFile};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::say;
use crate::state::{MAX_STATE_BYTES, StateFile};
use crate::text;
use crate::transcript;
use crate::world::World;

/// The exit code for "no": `grep` has 1, which here means that it was tried and failed.
const NO: u8 = 3;

/// Which body.
#[derive(Args)]
pub(super) struct Input {
    /// The file with the body [default: standard input, also -]
    #[arg(long, value_name = "FILE")]
    body: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(super) enum Verb {
    /// Put the debate into a body: its block is replaced or put after everything else
    Embed {
        /// The debate, by the beginning of its id [default: the one here]
        id: Option<String>,
        #[command(flatten)]
        input: Input,
        /// A state file instead
        #[arg(long, value_name = "FILE", conflicts_with = "id")]
        state: Option<PathBuf>,
        /// Write the sections into this folder as comments to post, for a debate that fits into no body
        #[arg(long, value_name = "DIR")]
        comments: Option<PathBuf>,
        /// Write over a block that the debate does not continue, or that is broken; it goes to the archive
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
        /// The folder with the comments, a file each, where the sections lie in comments
        #[arg(long, value_name = "DIR")]
        comments: Option<PathBuf>,
    },
    /// Tell by the exit code whether there is a block: 0 yes, 3 no
    Contains {
        #[command(flatten)]
        input: Input,
    },
    /// Print the body without its block
    Strip {
        #[command(flatten)]
        input: Input,
    },
    /// Say whether the block is sound, and what it holds
    Check {
        #[command(flatten)]
        input: Input,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(world: &World, engine: &Engine<'_>, verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Embed { id, input, state, comments, force } => {
            let state = match state {
                Some(file) => StateFile::parse(&read(&file, MAX_STATE_BYTES)?)?,
                None => engine.state_of(id.as_deref())?,
            };
            embed(world, engine, &input.read()?, state, comments.as_deref(), force)?;
        }
        Verb::Extract { input, state, comments } => extract(&input.read()?, state, comments.as_deref())?,
        Verb::Contains { input } => {
            let is_there = body::contains(&input.read()?);
            return Ok(if is_there { ExitCode::SUCCESS } else { ExitCode::from(NO) });
        }
        Verb::Strip { input } => write(&body::strip(&input.read()?))?,
        Verb::Check { input, json } => check(&input.read()?, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn embed(
    world: &World,
    engine: &Engine<'_>,
    text: &str,
    state: StateFile,
    comments: Option<&Path>,
    force: bool,
) -> Result<()> {
    let embedded = engine.embed(text, state, comments.is_some(), force)?;
    if let Some(kept) = &embedded.kept {
        let note = format!("what was there lies in {} now", kept.display());
        let _ = writeln!(io::stderr(), "{}", say::note(&note));
    }
    if let Some(folder) = comments {
        let failed = |error: io::Error| Error::io(&error, "name a folder that can be written to");
        world.disk.create_folder(folder).map_err(failed)?;
        for (number, comment) in (1..).zip(&embedded.comments) {
            let path = folder.join(format!("{number:03}.md"));
            world.disk.replace(&path, comment.as_bytes(), NewFile::Private, Flush::Now).map_err(failed)?;
        }
    }
    write(&embedded.body)
}

fn extract(text: &str, as_state: bool, comments: Option<&Path>) -> Result<()> {
    let carried = match body::extract(text)?.ok_or_else(none)? {
        Content::Whole(carried) => *carried,
        Content::InComments(index) => {
            let folder = comments.ok_or_else(|| {
                Error::failed(
                    format!("the debate's sections lie in {} comments", index.count()),
                    "--comments names a folder with the issue's comments, a file each",
                )
            })?;
            body::join(&index, &all(folder)?)?
        }
    };
    if as_state { write(&carried.state().render()?) } else { super::print(&carried.to_json()) }
}

fn check(text: &str, as_json: bool) -> Result<()> {
    let content = body::extract(text)?.ok_or_else(none)?;
    let (state, comments) = match &content {
        Content::Whole(carried) => (PortableDebate::state(carried), 0),
        Content::InComments(index) => (index.state(), index.count()),
    };
    let is_whole = matches!(content, Content::Whole(_));
    let entries = transcript::parse(&state.body);
    let (count, words) = (entries.replies().count(), entries.words());
    let is_orderly = !is_whole || state.is_orderly();
    let debate = &state.debate;
    if as_json {
        let value = json!({
            "revision": content.revision(),
            "id": debate.id,
            "question": debate.question,
            "mode": debate.options.mode.word(),
            "status": debate.progress.status.word(),
            "phase": debate.progress.slot.phase.word(),
            "round": debate.progress.slot.round,
            "max_rounds": debate.options.max_rounds,
            "cycle": debate.progress.cycle,
            "replies": is_whole.then_some(count),
            "words": is_whole.then_some(words),
            "comments": comments,
            "characters": units(text),
            "orderly": is_orderly,
        });
        return super::print(&text::harmless_json(&format!("{value:#}")));
    }
    let replies = is_whole.then_some((count, words));
    let characters = (units(text), MAX_UNITS);
    let revision = content.revision();
    super::print(&say::PortableLines { debate, revision, replies, comments, characters, is_orderly }.render())
}

fn none() -> Error {
    Error::nothing("the body has no Anvil block", "`anvil body embed` puts one in")
}

impl Input {
    fn read(&self) -> Result<String> {
        match &self.body {
            Some(file) if file.as_os_str() != "-" => read(file, MAX_BODY_BYTES as u64),
            None if io::stdin().is_terminal() => Err(Error::usage(
                "no body is given: standard input is the terminal",
                "pipe one in, or name a file: --body FILE; --body - takes what is typed",
            )),
            _ => read_all(io::stdin().lock(), "standard input", MAX_BODY_BYTES as u64),
        }
    }
}

fn read(file: &Path, most: u64) -> Result<String> {
    let opened = fs_err::File::open(file).map_err(|error| Error::io(&error, "check the path"))?;
    read_all(opened, &file.display().to_string(), most)
}

fn read_all(from: impl Read, name: &str, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let hint = "bodies and state files are Markdown in UTF-8";
    from.take(most + 1).read_to_end(&mut bytes).map_err(|error| Error::io(&error, hint))?;
    if bytes.len() as u64 > most {
        return Err(Error::failed(format!("{name} has more than {most} bytes"), hint));
    }
    String::from_utf8(bytes).map_err(|_| Error::failed(format!("{name} is not UTF-8"), hint))
}

/// The texts of a folder.
fn all(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: io::Error| Error::io(&error, "name a folder with the issue's comments, a file each");
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            texts.push(read(&path, MAX_BODY_BYTES as u64)?);
        }
    }
    Ok(texts)
}

/// Writes a text as it is. What steers a terminal reaches none.
fn write(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let cleaned = io::stdout().is_terminal().then(|| text::without_controls(text));
    match out.write_all(cleaned.as_deref().unwrap_or(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(&error, "standard output can't be written to"))
        }
        _ => Ok(()),
    }
}
