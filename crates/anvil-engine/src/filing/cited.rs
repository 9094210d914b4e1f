//! Looks for the files that a reply cites from the project and for the words in them, and notes what
//! it saw.

use super::reply::Interpretation;
use crate::note::Note;
use crate::ownership::HeldDebate;
use anvil_context::{CitedFiles, Presence};
use anvil_core::ledger::{Citation, CitedWords, Id, Sighting};
use anvil_core::transcript::{self, NoteKind};

impl HeldDebate<'_> {
    /// Adds a note on the citations of the reply that was just saved to the transcript, and what it
    /// says to the ledger.
    pub(super) fn look_for_cited_words(&mut self, interpretation: &mut Interpretation) {
        let Interpretation::Next { ledger: Some(ledger), .. } = interpretation else { return };
        let cited: Vec<(Id, Citation)> =
            ledger.cited_last().map(|(id, citation)| (id, citation.clone())).collect();
        if cited.is_empty() {
            return;
        }
        let here = self.context.here();
        let here = fs_err::canonicalize(here).unwrap_or_else(|_| here.to_owned());
        // A path may be relative to the folder in which the session works.
        let both = |path: &str| [here.join(path).to_string_lossy().into_owned(), path.to_owned()];
        let paths = cited.iter().flat_map(|(_, citation)| both(&citation.path)).collect();
        let Some(files) = CitedFiles::find(self.transaction.project().root(), paths) else {
            return;
        };
        if let Some(why) = &files.refusal
            && self.context.is_shown_first("git-refuses", self.transaction.project())
        {
            self.context.add_note(Note::GitRefuses(why.clone()));
        }
        let mut lines = Vec::new();
        for (id, citation) in cited {
            let names = both(&citation.path).into_iter().filter_map(|path| files.name_of(&path));
            let Some(seen) = see(&citation, names.collect(), &files) else { continue };
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

/// What there is to say of a citation; `names`: the files that it may mean. Words that may be in a
/// file that can't be looked into are not missing.
fn see(citation: &Citation, names: Vec<String>, files: &CitedFiles) -> Option<Sighting> {
    let mut may_be_hidden = citation.is_ambiguous();
    let mut looked = Vec::new();
    let mut others = Vec::new();
    for path in &names {
        let Some(text) = files.text(path) else {
            others.push(files.presence(path));
            continue;
        };
        may_be_hidden |= files.is_masked(path);
        let (found, line) = citation.look(text)?;
        looked.push(Sighting { found, path: path.clone(), line, commit: files.commit.clone() });
    }
    let is_unread = others.iter().any(|presence| *presence != Presence::Missing);
    if let Some(best) = looked.into_iter().min_by_key(|seen| seen.found) {
        let is_known = best.found != CitedWords::NotThere || !(may_be_hidden || is_unread);
        return is_known.then_some(best);
    }
    // Without git no words are looked for.
    let is_nothing_said = citation.words.is_none() || !files.has_checkout();
    if !citation.names_file() || is_nothing_said && others.contains(&Presence::There) {
        return None;
    }
    let (found, path) = match names.into_iter().next_back() {
        Some(name) if !is_unread => (CitedWords::NoSuchFile, name),
        _ => (CitedWords::NotLookedAt, citation.path.clone()),
    };
    Some(Sighting { found, path, line: None, commit: files.commit.clone() })
}
