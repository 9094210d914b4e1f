//! Claude's Read of the debate's file: whether it may, what a phase needs of it, and whether it was made.

use std::path::Path;

use super::turn::check_own_active;
use super::{Engine, Session};
use crate::debate::Phase;
use crate::prompt::Read;
use crate::reply::{FileRead, Reply};
use crate::state::{Project, StateFile, Store};
use crate::transcript;

/// Whether the file was read for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It was.
    Done,
    /// The client's transcript does not show it.
    Unknown,
    /// Claude did not try.
    Skipped,
    /// Claude tried, and the client refused or failed.
    Failed,
}

impl Engine<'_> {
    /// True for the file of the debate that this session argues now. A link of its name to another file is another file.
    #[must_use]
    pub fn may_read(&self, session: &Session, path: &Path) -> bool {
        let project = self.recorded_project(session).unwrap_or_else(|| Project::at(self.here()));
        let debate = Store::of(project.clone(), self.world).read_head().unwrap_or_default();
        let is_own = debate.is_some_and(|debate| check_own_active(&debate, session).is_ok());
        is_own && is_state_file(&self.world.cwd.join(path), &project)
    }
}

/// What the client's transcript says of the Read that the phase's cue asked for.
pub(super) fn reading(reply: &Reply, project: &Project) -> Reading {
    let Some(reads) = &reply.reads else { return Reading::Unknown };
    let is_it = |read: &&FileRead| read.path.as_deref().is_none_or(|path| is_state_file(Path::new(path), project));
    let mut outcome = Reading::Skipped;
    for read in reads.iter().filter(is_it) {
        if read.worked {
            return Reading::Done;
        }
        outcome = Reading::Failed;
    }
    outcome
}

/// What a session has to read before it writes the phase that waits. A new conversation does not know the debate; the
/// owner's most likely does, unless it was compacted.
pub(super) fn read_for_session(state: &StateFile, session: &Session) -> Read {
    match read_for_phase(state) {
        // One that was asked for and not made is asked for again.
        Read::From(line) if state.debate.is_owned_by(&session.id) && !state.debate.ownership.must_read => {
            Read::IfMissing(line)
        }
        read => read,
    }
}

/// What a phase needs of the file where nothing of it is known: the synthesis every round, an argument the last exchange,
/// and whoever does not know the material all of it.
pub(super) fn read_for_phase(state: &StateFile) -> Read {
    if let Some((line, _)) = state.lines_of_material() {
        return Read::From(line);
    }
    if transcript::line_of_round(&state.body, 1).is_none() {
        return Read::Nothing;
    }
    let slot = state.debate.progress.slot;
    let round = match slot.phase {
        Phase::Advocate | Phase::Critic if state.debate.progress.cycle == 1 => slot.round.saturating_sub(1).max(1),
        // Voices answer all those before them; a synthesis and another cycle look at everything.
        Phase::Advocate | Phase::Critic | Phase::Synthesizer | Phase::Stakeholder | Phase::Persona => {
            return Read::From(state.line_of_first_round().unwrap_or(1));
        }
    };
    Read::From(state.line_of_round(round).unwrap_or(1))
}

fn is_state_file(path: &Path, project: &Project) -> bool {
    let state_file = project.state_file();
    let is_plain = std::fs::symlink_metadata(&state_file).is_ok_and(|meta| meta.is_file());
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    is_plain && real(path).is_some_and(|path| Some(path) == real(&state_file))
}
