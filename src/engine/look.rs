//! Look at a debate without changing anything.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{Engine, Session};
use crate::debate::{Debate, Status};
use crate::error::{Error, Result};
use crate::say;
use crate::state::Project;
use crate::transcript;

/// A debate as it stands.
#[derive(Debug)]
pub struct Look {
    /// The debate.
    pub debate: Debate,
    /// Words filed so far.
    pub words: usize,
    /// Whose project it is.
    pub project: Project,
    /// Its report, when that is written.
    pub report: Option<PathBuf>,
    /// The time of asking.
    pub now: Timestamp,
}

/// What a session finds when it starts.
#[derive(Debug)]
pub struct Found {
    /// The unfinished debate.
    pub debate: Debate,
    /// Its owner is another client that runs.
    pub runs_elsewhere: bool,
}

impl Engine<'_> {
    /// The debate that a person means here.
    pub fn look(&self, session: Option<&Session>) -> Result<Look> {
        let store = self.store_meant(session);
        let state = store
            .read()?
            .ok_or_else(|| Error::nothing("there is no debate here", "/anvil:debate QUESTION starts one"))?;
        let words = transcript::parse(&state.body).iter().map(transcript::Section::words).sum();
        let project = store.project().clone();
        let report =
            (state.debate.status == Status::Completed).then(|| self.report_written(&project, &state.debate)).flatten();
        Ok(Look { debate: state.debate, words, project, report, now: self.world.now })
    }

    /// The unfinished debate of the project in which a session starts. Read only.
    pub fn unfinished(&self, session: &Session) -> Result<Option<Found>> {
        let store = self.store_meant(Some(session));
        let Some(debate) = store.read_head()?.filter(|debate| debate.status.is_unfinished()) else { return Ok(None) };
        let runs_elsewhere = self.runs_elsewhere(&debate, Some(session));
        Ok(Some(Found { debate, runs_elsewhere }))
    }
}

impl Look {
    /// The lines that a person reads.
    fn lines(&self) -> String {
        say::Standing {
            debate: &self.debate,
            words: self.words,
            state_file: self.project.display(&self.project.state_file()),
            report: self.report.as_deref().map(|path| self.project.display(path)),
            now: self.now,
        }
        .render()
    }
}

impl std::fmt::Display for Look {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.lines())
    }
}
