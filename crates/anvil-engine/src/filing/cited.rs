//! Looks for the words that a reply cites from the project's files, and notes what it saw.

use super::reply::Interpretation;
use crate::ownership::HeldDebate;
use anvil_context::CitedFiles;
use anvil_core::ledger::{Citation, CitedWords, Id, Sighting};
use anvil_core::transcript::{self, NoteKind};

impl HeldDebate<'_> {
    /// Adds a note on the citations of the reply that was just saved to the transcript, and what it
    /// says to the ledger. Without a checkout, or for a path that is none of its tracked files,
    /// nothing is seen, so nothing is said. Words that may be in a file that can't be
    /// looked into are not missing.
    pub(super) fn look_for_cited_words(&mut self, interpretation: &mut Interpretation) {
        let Interpretation::Next { ledger: Some(ledger), .. } = interpretation else { return };
        let cited: Vec<(Id, Citation)> =
            ledger.cited_last().map(|(id, citation)| (id, citation.clone())).collect();
        if cited.is_empty() {
            return;
        }
        let project = self.locked.project();
        let here = self.context.here();
        let here = fs_err::canonicalize(here).unwrap_or_else(|_| here.to_owned());
        let both = |path: &str| [here.join(path).to_string_lossy().into_owned(), path.to_owned()];
        let paths = cited.iter().flat_map(|(_, citation)| both(&citation.path)).collect();
        let Some(files) = CitedFiles::read(project.root(), paths) else { return };
        let mut lines = Vec::new();
        for (id, citation) in cited {
            // A path may be relative to the folder in which the session works.
            let names = both(&citation.path).into_iter().filter_map(|path| files.name_of(&path));
            let mut may_be_hidden = citation.is_ambiguous();
            let mut looked = Vec::new();
            for path in names {
                let Some(text) = files.text(&path) else {
                    may_be_hidden |= project.root().join(&path).exists();
                    continue;
                };
                may_be_hidden |= files.is_masked(&path);
                let (found, line) = citation.look(text);
                looked.push(Sighting { found, path, line, commit: files.commit.clone() });
            }
            let best = looked.into_iter().min_by_key(|seen| seen.found);
            let Some(seen) =
                best.filter(|seen| seen.found != CitedWords::NotThere || !may_be_hidden)
            else {
                continue;
            };
            let Some(line) = seen.line_for(id) else { continue };
            lines.push(line);
            ledger.add_sighting(id, seen, usize::MAX);
        }
        if !lines.is_empty() {
            let note = lines.join("\n\n");
            let now = self.context.world.now;
            transcript::append_note(&mut self.state.body, NoteKind::EvidenceCheck, now, &note);
        }
    }
}
