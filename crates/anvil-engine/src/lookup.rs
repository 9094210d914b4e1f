//! Finds the debate that the user means: the current one, or an earlier one.

use std::path::PathBuf;

use super::context::no_debate;
use anvil_core::debate::{Debate, Status};
use anvil_store::{Loaded, StateFile, Store};
use anvil_text::error::{Error, Result};
use anvil_text::{Hint, Verb, clean, hint};

/// The debate that the user means, and the path of its file.
pub(crate) fn find(store: &Store, selector: Option<&str>) -> Result<(StateFile, PathBuf)> {
    let project = store.project();
    let Some(selector) = selector else {
        let loaded: Loaded = store.load()?.ok_or_else(|| no_debate(store))?;
        // A state file that can't be read has nothing to report.
        let loaded = if loaded.is_lost { unfinished(loaded)? } else { loaded };
        return Ok((loaded.state, project.state_file()));
    };
    store.find_past(selector)?.ok_or_else(|| no_such_debate(selector))
}

/// The debate that a client or a project's file may name: one of this repository, also by a whole
/// id.
pub(crate) fn find_in_repository(store: &Store, selector: &str) -> Result<(StateFile, PathBuf)> {
    let found = find(store, Some(selector))?;
    if store.is_of_repository(&found.0.debate.id) {
        return Ok(found);
    }
    Err(no_such_debate(selector))
}

fn no_such_debate(selector: &str) -> Error {
    Error::nothing(
        format!("there is no debate {selector} here"),
        hint![
            Verb::History,
            " lists them; name one by its number, or by how its id begins or ends"
        ],
    )
}

/// A debate that is brought into this folder: one that was argued in it, or one named by its whole
/// id. A number or a part of an id could mean one of another folder.
pub(crate) fn find_for_here(store: &Store, selector: &str) -> Result<StateFile> {
    let (state, _) = find(store, Some(selector))?;
    let id = &state.debate.id;
    if selector == id || store.is_of_place(id) {
        return Ok(state);
    }
    Err(Error::usage(
        format!("the debate {selector} was argued in another folder"),
        format!("to bring it here, type its whole id: {id}"),
    ))
}

/// Refuses a debate if its file is in another worktree.
pub(crate) fn check_not_elsewhere(store: &Store, id: &str) -> Result<()> {
    let Some(place) = store.place_elsewhere(id) else { return Ok(()) };
    let place = store.project().display(&place);
    Err(Error::failed(format!("the debate {id} is in another folder: {place}"), "restore it there"))
}

/// The unfinished debate of this project.
pub(crate) fn unfinished_here(store: &Store) -> Result<Debate> {
    let loaded = store.load()?.ok_or_else(|| no_debate(store))?;
    unfinished(loaded).map(|loaded| loaded.state.debate)
}

/// Refuses a state file that chooses who writes: it may have come from elsewhere.
pub(crate) fn check_names_no_agent(store: &Store) -> Result<()> {
    let Some((key, line)) = store.seat_key() else { return Ok(()) };
    let file = store.project().display(&store.project().state_file());
    let key = clean(&key, 40);
    Err(Error::usage(
        format!("{file}, line {line}: a debate's file can't choose the agents: {key}"),
        "remove the line, and type the option yourself",
    ))
}

/// Refuses a debate that can't take a direction. One that is complete can be argued again with it.
pub(crate) fn check_steerable(loaded: Loaded, words: &str) -> Result<Loaded> {
    if loaded.state.debate.status() == Status::Completed && !loaded.is_lost {
        let hint = again_with(words, "to continue with this text: ".into());
        return Err(Error::nothing("the debate here is completed", hint));
    }
    unfinished(loaded)
}

/// `lead`, and the command that argues again with these words, in a shell and in Claude Code.
pub(crate) fn again_with(words: &str, lead: Hint) -> Hint {
    let words = clean(words, 400).replace('`', "'");
    let quoted = words.replace('\'', r"'\''");
    let in_shell = Verb::Again.with(format!("'{quoted}'"));
    (lead.clone().then(in_shell), lead.then(Verb::Again.with(words))).into()
}

/// Refuses a debate that can't go on.
pub(crate) fn unfinished(loaded: Loaded) -> Result<Loaded> {
    if loaded.is_lost {
        return Err(Error::failed(
            "the state file can't be read, and its question is unknown",
            "repair it by hand, or start a new debate with --replace, which puts this file aside \
             unchanged",
        ));
    }
    let status = loaded.state.debate.status();
    if !status.is_unfinished() {
        let hint = if status == Status::Completed {
            hint![Verb::Again, " adds a cycle, ", Verb::Undo, " reopens it"]
        } else {
            hint![Verb::Status, " shows it"]
        };
        return Err(Error::nothing(format!("the debate here is {}", status.label()), hint));
    }
    Ok(loaded)
}
