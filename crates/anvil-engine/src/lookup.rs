//! Finds the debate that the user means: the current one, or an earlier one.

use std::path::PathBuf;

use anvil_core::debate::{Debate, Status};
use anvil_store::{Loaded, StateFile, Store};
use anvil_text::error::{Error, Failure, Kind, Result};
use anvil_text::{Hint, Verb, clean, hint};

/// The debate that the user means, and the path of its file.
pub(crate) fn find(store: &Store, selector: Option<&str>) -> Result<(StateFile, PathBuf)> {
    let project = store.project();
    let Some(selector) = selector else {
        let loaded: Loaded = store.load()?.ok_or_else(|| no_debate(store))?;
        // A state file that can't be read has nothing to report.
        let loaded = if loaded.is_lost { require_unfinished(loaded)? } else { loaded };
        return Ok((loaded.state, project.state_file()));
    };
    Ok(store.find_past(selector)?.ok_or_else(|| LookupError::Unknown(selector.to_owned()))?)
}

/// The debate that a client or a project's file may name: one of this repository, also by a whole
/// id.
pub(crate) fn find_in_repository(store: &Store, selector: &str) -> Result<(StateFile, PathBuf)> {
    let found = find(store, Some(selector))?;
    if store.is_of_repository(&found.0.debate.id) {
        return Ok(found);
    }
    Err(LookupError::Unknown(selector.to_owned()).into())
}

/// A debate that is brought into this folder: one that was argued in it, or one named by its whole
/// id. A number or a part of an id could mean one of another folder.
pub(crate) fn find_for_here(store: &Store, selector: &str) -> Result<StateFile> {
    let (state, _) = find(store, Some(selector))?;
    let id = &state.debate.id;
    if selector == id || store.is_of_place(id) {
        return Ok(state);
    }
    Err(LookupError::OfAnotherFolder { selector: selector.to_owned(), id: id.clone() }.into())
}

/// Refuses a debate if its file is in another worktree.
pub(crate) fn check_not_elsewhere(store: &Store, id: &str) -> Result<()> {
    let Some(place) = store.place_elsewhere(id) else { return Ok(()) };
    let place = store.project().display(&place);
    Err(LookupError::InAnotherFolder { id: id.to_owned(), place }.into())
}

/// The unfinished debate of this project.
pub(crate) fn unfinished_here(store: &Store) -> Result<Debate> {
    let loaded = store.load()?.ok_or_else(|| no_debate(store))?;
    require_unfinished(loaded).map(|loaded| loaded.state.debate)
}

/// Refuses a state file that chooses who writes: it may have come from elsewhere.
pub(crate) fn check_names_no_agent(store: &Store) -> Result<()> {
    let Some((key, line)) = store.seat_key() else { return Ok(()) };
    let file = store.project().display(&store.project().state_file());
    let key = clean(&key, 40);
    Err(LookupError::NamesAgent { file, line, key }.into())
}

/// Refuses a debate that can't take a direction. One that is complete can be argued again with it.
pub(crate) fn check_steerable(loaded: Loaded, words: &str) -> Result<Loaded> {
    if loaded.state.debate.status() == Status::Completed && !loaded.is_lost {
        return Err(LookupError::Complete { words: words.to_owned() }.into());
    }
    require_unfinished(loaded)
}

/// `lead`, and the command that argues again with these words, in a shell and in Claude Code.
pub(crate) fn again_with(words: &str, lead: Hint) -> Hint {
    let words = clean(words, 400).replace('`', "'");
    let quoted = words.replace('\'', r"'\''");
    let in_shell = Verb::Again.with(format!("'{quoted}'"));
    (lead.clone().then(in_shell), lead.then(Verb::Again.with(words))).into()
}

/// Refuses a debate that can't go on.
pub(crate) fn require_unfinished(loaded: Loaded) -> Result<Loaded> {
    if loaded.is_lost {
        return Err(LookupError::Lost.into());
    }
    let debate = &loaded.state.debate;
    match debate.status() {
        Status::Completed => Err(LookupError::Over.into()),
        Status::Cancelled => Err(LookupError::Cancelled { id: debate.id.clone() }.into()),
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => Ok(loaded),
    }
}

/// No debate is here, or not the one that is meant, or not in this state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    #[error("there is no debate in this project yet")]
    NoneYet,
    #[error("there is no debate here")]
    NoneHere { has_earlier: bool },
    #[error("the file of the debate {id} is missing")]
    FileGone { id: String, snapshot: u32 },
    #[error("there is no debate {0} here")]
    Unknown(String),
    #[error("the debate {selector} was argued in another folder")]
    OfAnotherFolder { selector: String, id: String },
    #[error("the debate {id} is in another folder: {place}")]
    InAnotherFolder { id: String, place: String },
    #[error("{file}, line {line}: a debate's file can't choose the agents: {key}")]
    NamesAgent { file: String, line: usize, key: String },
    #[error("the state file can't be read, and its question is unknown")]
    Lost,
    /// It can be argued again with these words.
    #[error("the debate here is completed")]
    Complete { words: String },
    #[error("the debate here is completed")]
    Over,
    #[error("the debate here is cancelled")]
    Cancelled { id: String },
}

impl Failure for LookupError {
    fn kind(&self) -> Kind {
        match self {
            Self::OfAnotherFolder { .. } | Self::NamesAgent { .. } => Kind::Usage,
            Self::InAnotherFolder { .. } | Self::Lost => Kind::Failed,
            _ => Kind::Nothing,
        }
    }

    fn hint(&self) -> Hint {
        let start = |verb: Verb| verb.with("QUESTION");
        match self {
            Self::NoneYet | Self::NoneHere { has_earlier: false } => (
                hint![start(Verb::Start), " prepares one, ", start(Verb::Run), " argues one"],
                hint![start(Verb::Debate), " starts one"],
            )
                .into(),
            Self::NoneHere { has_earlier: true } => {
                let either = |first, does| {
                    let states = Verb::Undo.with("--list");
                    let last = " the states of the last one";
                    hint![first, does, Verb::History, " lists earlier ones, ", states, last]
                };
                let in_shell = either(start(Verb::Start), " prepares one; ");
                (in_shell, either(start(Verb::Debate), " starts one; ")).into()
            }
            Self::FileGone { snapshot, .. } => {
                let restores = format!(" restores it from snapshot {snapshot}");
                let in_shell = hint![Verb::Run.with("--resume"), restores.clone()];
                (in_shell, hint![Verb::Resume, restores]).into()
            }
            Self::Unknown(_) => hint![
                Verb::History,
                " lists them; name one by its number, or by how its id begins or ends"
            ],
            Self::OfAnotherFolder { id, .. } => {
                format!("to bring it here, type its whole id: {id}").into()
            }
            Self::InAnotherFolder { .. } => "restore it there".into(),
            Self::NamesAgent { .. } => "remove the line, and type the option yourself".into(),
            Self::Lost => "repair it by hand, or start a new debate with --replace, which puts \
                           this file aside unchanged"
                .into(),
            Self::Complete { words } => again_with(words, "to continue with this text: ".into()),
            Self::Over => hint![Verb::Again, " adds a cycle, ", Verb::Undo, " reopens it"],
            Self::Cancelled { id } => {
                let in_shell = hint![Verb::Run.with(format!("--resume={id}")), " restores it"];
                (in_shell, hint![Verb::Resume.with(id.clone()), " restores it"]).into()
            }
        }
    }
}

/// The error if there is no debate. If one has lost its file or an earlier one exists, the hint
/// names the ways to bring it back.
pub(crate) fn no_debate(store: &Store) -> Error {
    match store.missing() {
        Some(missing) => {
            let snapshot = missing.debate.step();
            LookupError::FileGone { id: missing.debate.id, snapshot }
        }
        None => LookupError::NoneHere { has_earlier: store.last_debate().is_some() },
    }
    .into()
}
