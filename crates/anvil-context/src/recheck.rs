//! Looks up words that decisions rest on, in the project as it is now. Words are followed through
//! moved lines and renamed files, as git knows them.
//!
//! Invariants: a file that can't be looked into is not called changed or gone. Words that git can't
//! follow are unknown. If all words are there, git's history is not read.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::cited::CitedFiles;
use super::deadline::{Deadline, within};
use super::history::{History, Life, OldTexts};
use super::{GATHERING, HANGING, names};
use anvil_core::ledger::RestedWords;
use anvil_system::process::Tools;
use anvil_text::error::{self, Error};

/// Where the words are now. A commit is the beginning of its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "words")]
pub enum WordsNow {
    /// They are in this file, and begin at this line.
    There { path: String, line: usize },
    /// This file had them, and has them no longer.
    Changed {
        path: String,
        /// The commit that changed them. `None`: it is not committed, or not known.
        commit: Option<String>,
    },
    /// The file that had them is gone.
    Gone {
        path: String,
        /// The commit that removed the file. `None`: it is not committed.
        commit: Option<String>,
    },
    /// The file is none of the project's tracked text files, or git does not tell what became of
    /// it.
    Unknown { path: String },
}

/// Looks up these words, in order. Fails without a checkout, and if git does not answer.
pub fn recheck(project: &Path, wanted: &[RestedWords]) -> error::Result<Vec<WordsNow>> {
    let project = project.to_owned();
    let wanted = wanted.to_vec();
    let deadline = Deadline::after(GATHERING);
    let done = within(GATHERING + HANGING, move || {
        recheck_with(&project, &wanted, Tools::real(), deadline)
    });
    done.flatten().ok_or_else(|| {
        Error::failed(
            "the files that decisions rest on could not be read: there is no git checkout, or git \
             does not answer",
            "run this in a checkout, and see whether `git status` works there",
        )
    })
}

pub(super) fn recheck_with(
    project: &Path,
    wanted: &[RestedWords],
    tools: Tools,
    deadline: Deadline,
) -> Option<Vec<WordsNow>> {
    let mut files = CitedFiles::in_checkout(project, tools, deadline)?;
    let paths: Vec<String> = wanted.iter().map(|words| words.path.clone()).collect();
    files.add(&paths)?;
    if deadline.is_over() {
        return None;
    }
    let in_time = wanted.iter().take_while(|_| !deadline.is_over());
    let mut now: Vec<Option<WordsNow>> =
        in_time.map(|words| find_words(&files, &words.path, words)).collect();
    let is_late = now.len() < wanted.len();
    now.resize(wanted.len(), None);
    let mut items: Vec<Item<'_>> = Vec::new();
    for (number, words) in wanted.iter().enumerate().filter(|(number, _)| now[*number].is_none()) {
        let name = files.name_of(&words.path).filter(|name| files.is_shown(name));
        items.extend(name.map(|name| Item { number, name, words }));
    }
    if !items.is_empty() && !is_late {
        let _ = follow(&mut files, items, &mut now);
    }
    let unknown =
        |words: &RestedWords| WordsNow::Unknown { path: names::line(words.path.as_ref()) };
    let all = now.into_iter().zip(wanted);
    let all: Vec<WordsNow> =
        all.map(|(now, words)| now.unwrap_or_else(|| unknown(words))).collect();
    Some(all)
}

fn find_words(files: &CitedFiles, path: &str, words: &RestedWords) -> Option<WordsNow> {
    let path = files.name_of(path)?;
    let line = files.text(&path)?.line_of(&words.words, words.line)?;
    Some(WordsNow::There { path, line })
}

/// Words that are not in their file.
struct Item<'a> {
    number: usize,
    /// The name of the file.
    name: String,
    words: &'a RestedWords,
}

/// Follows the words through the history. `None`: git does not answer.
fn follow(
    files: &mut CitedFiles,
    mut items: Vec<Item<'_>>,
    now: &mut [Option<WordsNow>],
) -> Option<()> {
    let since: Vec<Option<&str>> = items.iter().map(|item| item.words.commit.as_deref()).collect();
    let history = History::read(files, &since)?;
    let mut texts = OldTexts::default();
    while !items.is_empty() {
        let mut blobs = BTreeSet::new();
        let mut names = Vec::new();
        items.retain(|item| match item.look(files, &history, &texts) {
            Ok(found) => {
                now[item.number] = Some(found);
                false
            }
            Err(Needed::Blobs(needed)) => {
                blobs.extend(needed);
                true
            }
            Err(Needed::File(name)) => {
                names.push(name);
                true
            }
        });
        texts.read(files, &blobs)?;
        files.add(&names)?;
    }
    Some(())
}

/// What is to be read before the words can be looked up.
enum Needed {
    Blobs(Vec<String>),
    File(String),
}

impl Item<'_> {
    fn look(
        &self,
        files: &CitedFiles,
        history: &History,
        texts: &OldTexts,
    ) -> Result<WordsNow, Needed> {
        let since = self.words.commit.as_deref().and_then(|commit| history.time_of(commit));
        let versions = history.replaced(&self.name, since);
        let words = &self.words.words;
        let newest = texts.newest(&versions, words).map_err(Needed::Blobs)?;
        let Some((at, _)) = newest.map(|number| versions[number]) else {
            // The words were never in a commit, or git does not have the commits.
            return Ok(match files.text(&self.name) {
                Some(_) => WordsNow::Changed { path: self.name.clone(), commit: None },
                None => WordsNow::Unknown { path: self.name.clone() },
            });
        };
        let Life { versions, name, removed } = history.life(&self.name, at);
        if let Some(at) = removed {
            if files.text(&self.name).is_some() {
                // Another file has its name now.
                let path = self.name.clone();
                return Ok(WordsNow::Changed { path, commit: history.commit(at) });
            }
            return Ok(WordsNow::Gone { path: name.to_owned(), commit: history.commit(at) });
        }
        if !files.is_asked(name) && files.is_shown(name) {
            return Err(Needed::File(name.to_owned()));
        }
        if let Some(found) = find_words(files, name, self.words) {
            return Ok(found);
        }
        if files.text(name).is_none() {
            return Ok(WordsNow::Unknown { path: self.name.clone() });
        }
        let newest = texts.newest(&versions, words).map_err(Needed::Blobs)?;
        // A version that is no text may have had them.
        let changed = newest.and_then(|number| versions.get(number + 1));
        let changed = changed.filter(|(_, blob)| texts.is_text(blob));
        let commit = changed.and_then(|(at, _)| history.commit(*at));
        Ok(WordsNow::Changed { path: name.to_owned(), commit })
    }
}

#[cfg(test)]
mod tests;
