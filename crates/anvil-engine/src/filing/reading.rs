//! Claude's Read of the debate's file: its permission, the part that a phase needs, and its result.

use std::path::Path;

use crate::Session;
use anvil_core::place::Seat;
use anvil_core::reply::{FileRead, Reply};
use anvil_core::transcript;
use anvil_prompt::prompt::Read;
use anvil_store::{Project, StateFile};

/// The result of the Read for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The client's transcript shows a Read that worked.
    Done,
    /// The client's transcript does not show whether Claude tried.
    Unknown,
    /// Claude did not try.
    Skipped,
    /// Claude tried, and the client refused or failed.
    Failed,
}

/// The result of the Read that the phase's cue requested, from the client's transcript.
pub(crate) fn reading(reply: &Reply, project: &Project) -> Reading {
    let Some(reads) = &reply.reads else { return Reading::Unknown };
    let mut outcome = Reading::Skipped;
    for FileRead { path, worked, .. } in reads {
        if path.as_deref().is_none_or(|path| is_state_file(Path::new(path), project)) {
            if *worked {
                return Reading::Done;
            }
            outcome = Reading::Failed;
        }
    }
    outcome
}

/// The Read that a session needs before it writes the next phase. A new conversation does not know
/// the debate. The owner's conversation most likely knows it, unless it was compacted.
pub(crate) fn read_for_session(state: &StateFile, session: &Session) -> Read {
    match read_for_phase(state) {
        // A required Read that was not made is requested again.
        Read::From(line) if state.debate.is_owned_by(&session.id) && !state.debate.must_read() => {
            Read::IfMissing(line)
        }
        read => read,
    }
}

/// The part of the file that a phase needs if the session knows nothing of it: everything from the
/// material on. Without material, the synthesis needs every round, and an argument needs the last
/// exchange.
pub(crate) fn read_for_phase(state: &StateFile) -> Read {
    if let Some((line, _)) = state.lines_of_material() {
        return Read::From(line);
    }
    if transcript::line_of_round(&state.body, 1).is_none() {
        return Read::Nothing;
    }
    let place = state.debate.place();
    let round = match place.seat {
        Seat::Advocate | Seat::Critic if state.debate.cycle() == 1 => {
            place.number().saturating_sub(1).max(1)
        }
        // A voice answers all voices before it. A synthesis and another cycle need everything.
        Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => {
            return Read::From(state.line_of_first_round().unwrap_or(1));
        }
    };
    Read::From(state.line_of_round(round).unwrap_or(1))
}

/// True for the state file. A link with its name to another file does not count.
pub(crate) fn is_state_file(path: &Path, project: &Project) -> bool {
    let state_file = project.state_file();
    let is_plain = std::fs::symlink_metadata(&state_file).is_ok_and(|meta| meta.is_file());
    is_plain
        && std::fs::canonicalize(path)
            .is_ok_and(|path| std::fs::canonicalize(&state_file).is_ok_and(|file| file == path))
}
