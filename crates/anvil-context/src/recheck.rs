//! Looks up words that decisions rest on, in the project as it is now.
//!
//! Invariants: a file whose text can't be seen is not called changed. Each file is read once, and
//! all of them within a limit. If all words are in their files, no other file is read.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Serialize;

use super::cited::{CitedFiles, MAX_SUM};
use super::deadline::{Deadline, within};
use super::error::MaterialError;
use super::listing::MAX_DEPTH;
use super::text::Text;
use super::{GATHERING, HANGING, folder, names};
use anvil_core::ledger::{BareText, RestedWords};
use anvil_system::process::{Git, Tools};
use anvil_text::error;

/// Most different words that are looked for in other files than their own.
const MAX_MOVED: usize = 100;

/// Hexadecimal digits of a commit that are shown: ten name one commit in any repository.
const SHORT: usize = 10;

/// Where the words are now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "words")]
pub enum WordsNow {
    /// They are in their file, and begin at this line.
    Unchanged { path: String, line: usize },
    /// They are in exactly one other tracked file, and begin at this line.
    Moved { path: String, line: usize },
    /// Their file has them no longer.
    Changed {
        path: String,
        /// The beginning of the id of the last commit of the file. `None`: it is not known.
        commit: Option<String>,
    },
    /// The text of their file can't be seen.
    Unknown { path: String, why: String },
}

/// Looks up these words, in order. A report quotes them, so none has them moved into it. Fails
/// without a checkout, and if the disk does not answer.
pub fn recheck(
    project: &Path,
    wanted: &[RestedWords],
    is_report: fn(&str) -> bool,
) -> error::Result<Vec<WordsNow>> {
    let project = project.to_owned();
    let wanted = wanted.to_vec();
    let deadline = Deadline::after(GATHERING);
    let done = within(GATHERING + HANGING, move || {
        recheck_with(&project, &wanted, is_report, Tools::real(), deadline)
    });
    done.flatten().ok_or_else(|| MaterialError::NoFiles.into())
}

fn recheck_with(
    project: &Path,
    wanted: &[RestedWords],
    is_report: fn(&str) -> bool,
    tools: Tools,
    deadline: Deadline,
) -> Option<Vec<WordsNow>> {
    let mut files = CitedFiles::new(project, tools, deadline);
    if !files.has_checkout() {
        return None;
    }
    let paths: Vec<String> = wanted.iter().map(|words| words.path.clone()).collect();
    files.add(&paths);
    let mut missing = Vec::new();
    let mut now: Vec<WordsNow> = Vec::new();
    for (at, words) in wanted.iter().enumerate() {
        now.push(match look(&files, words, deadline) {
            Ok(found) => found,
            Err(why) => {
                let path = names::line(words.path.as_ref());
                if why.is_empty() {
                    missing.push(at);
                }
                WordsNow::Unknown { path, why }
            }
        });
    }
    if !missing.is_empty() {
        let mut search = Search::new(&mut files, is_report, deadline);
        search.drop_hidden(wanted, &mut missing, &mut now);
        search.look_elsewhere(wanted, &missing, &mut now);
    }
    Some(now)
}

/// The words in their file. An error: why they are unknown; empty: their file has them no longer,
/// or it is gone.
fn look(files: &CitedFiles, words: &RestedWords, deadline: Deadline) -> Result<WordsNow, String> {
    if let Some(why) = &files.refusal {
        return Err(format!("git {why}"));
    }
    let name = files.name_of(&words.path).filter(|name| files.is_shown(name));
    let Some(path) = name.filter(|name| files.is_in_plain_folder(name)) else {
        return Err(
            "it leads outside or into another repository, is hidden or looks like a secret"
                .to_owned(),
        );
    };
    if deadline.is_over() {
        return Err("it was not looked at in time".to_owned());
    }
    if let Some(text) = files.text(&path) {
        let line = text.line_of(&words.words, words.line).ok_or_else(String::new)?;
        return Ok(WordsNow::Unchanged { path, line });
    }
    Err(files.why_unseen(&path).unwrap_or_default().to_owned())
}

/// What became of words that their files have no longer.
struct Search<'a> {
    files: &'a mut CitedFiles,
    is_report: fn(&str) -> bool,
    deadline: Deadline,
    /// The tracked files, and the folders of submodules.
    tracked: Vec<String>,
    submodules: Vec<String>,
    /// True if all tracked files are in the list.
    is_whole: bool,
}

impl<'a> Search<'a> {
    fn new(files: &'a mut CitedFiles, is_report: fn(&str) -> bool, deadline: Deadline) -> Self {
        let mut search = Self {
            files,
            is_report,
            deadline,
            tracked: Vec::new(),
            submodules: Vec::new(),
            is_whole: false,
        };
        let files = &search.files;
        if let Git::Told(output) = files.tools.git(&files.root, &["ls-files", "--cached", "-z"], "")
        {
            let listed = folder::list_existing(&files.root, MAX_DEPTH, &output, deadline);
            search.is_whole = !listed.is_cut && !listed.is_late;
            let name = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
            search.tracked = listed.files.iter().map(name).collect();
            search.submodules = listed.repositories.iter().map(name).collect();
        }
        search
    }

    /// Says why the text of some of these files can't be seen, and drops them.
    fn drop_hidden(
        &mut self,
        wanted: &[RestedWords],
        missing: &mut Vec<usize>,
        now: &mut [WordsNow],
    ) {
        let paths: HashSet<String> =
            missing.iter().filter_map(|at| self.files.name_of(&wanted[*at].path)).collect();
        let paths: Vec<String> = paths.into_iter().collect();
        let asked = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"];
        let told = self.files.ask(&asked, &paths.join("\0")).unwrap_or_default();
        let fields: Vec<&str> = told.split('\0').collect();
        let changed_by_git: BTreeMap<&str, String> = fields
            .chunks_exact(3)
            .filter(|field| !matches!(field[2], "unspecified" | "unset" | ""))
            .map(|field| (field[0], format!("git changes its text: {}={}", field[1], field[2])))
            .collect();
        missing.retain(|at| {
            let words = &wanted[*at];
            let Some(path) = self.files.name_of(&words.path) else { return false };
            let is_in = |folder: &String| {
                path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
            };
            let has_text = self.files.text(&path).is_some();
            let why = if let Some(why) = &self.files.refusal {
                format!("git {why}")
            } else if let Some(why) = changed_by_git.get(&*path) {
                why.clone()
            } else if self.submodules.iter().any(is_in) {
                "it is in a submodule".to_owned()
            } else if !has_text && self.files.root.join(&path).symlink_metadata().is_ok() {
                "git does not track it".to_owned()
            } else {
                return true;
            };
            now[*at] = WordsNow::Unknown { path: names::line(words.path.as_ref()), why };
            false
        });
    }

    /// Looks for words in the other tracked files.
    fn look_elsewhere(&mut self, wanted: &[RestedWords], missing: &[usize], now: &mut [WordsNow]) {
        let mut places: BTreeMap<&str, Vec<(String, usize)>> = BTreeMap::new();
        for at in missing {
            places.entry(&wanted[*at].words).or_default();
        }
        let mut is_whole = self.is_whole && places.len() <= MAX_MOVED;
        for name in if is_whole { std::mem::take(&mut self.tracked) } else { Vec::new() } {
            if self.deadline.is_over() || self.files.sum >= MAX_SUM {
                is_whole = false;
                break;
            }
            let read = match self.files.text(&name) {
                Some(_) => None,
                None => self.files.read_file(&name).ok(),
            };
            if read.as_deref().is_some_and(self.is_report) {
                continue;
            }
            let bare = read.as_deref().map(BareText::new);
            let Some(bare) = bare.as_ref().or_else(|| self.files.text(&name)) else { continue };
            for (words, places) in places.iter_mut().filter(|(_, places)| places.len() < 3) {
                let Some(line) = bare.line_of(words, None) else { continue };
                // Words that are a secret are nowhere.
                let masked =
                    read.as_ref().map(|text| BareText::new(&Text::whole(text.clone()).text));
                if masked.is_none_or(|masked| masked.line_of(words, None).is_some()) {
                    places.push((name.clone(), line));
                }
            }
        }
        let mut commits: BTreeMap<String, Option<String>> = BTreeMap::new();
        for at in missing {
            let words = &wanted[*at];
            let Some(path) = self.files.name_of(&words.path) else { continue };
            if !commits.contains_key(&path) {
                let commit = self.last_commit(&path);
                commits.insert(path.clone(), commit);
            }
            let commit = commits[&path].clone();
            let is_known = self.files.text(&path).is_some() || commit.is_some();
            let others: Vec<_> =
                places[&*words.words].iter().filter(|(name, _)| *name != path).collect();
            now[*at] = match others[..] {
                _ if !is_known => {
                    let why = "git knows no such file".to_owned();
                    WordsNow::Unknown { path: names::line(words.path.as_ref()), why }
                }
                [(path, line)] if is_whole => WordsNow::Moved { path: path.clone(), line: *line },
                _ => WordsNow::Changed { path, commit },
            };
        }
    }

    /// The beginning of the id of the last commit of a file. `None`: there is none here.
    fn last_commit(&self, path: &str) -> Option<String> {
        let told = |arguments: &[&str]| match self.files.tools.git(&self.files.root, arguments, "")
        {
            Git::Told(output) => Some(output.text.trim().to_owned()),
            Git::Nothing | Git::Refused(_) => None,
        };
        let literal = format!(":(literal){path}");
        let id = told(&["rev-list", "--max-count=1", "HEAD", "--", &literal])?;
        let short = id.get(..SHORT)?.to_owned();
        // The first commit of a shallow clone seems to change every file.
        if told(&["rev-parse", "--is-shallow-repository"])? == "true" {
            let line = told(&["rev-list", "--max-count=1", "--parents", &id, "--"])?;
            line.split_once(' ')?;
        }
        Some(short)
    }
}

#[cfg(test)]
mod tests;
