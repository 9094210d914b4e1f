//! What became of a few files in a checkout, as git knows it.
//!
//! Invariants: git is only asked by plumbing that no setting of a repository changes and that runs
//! none of its programs; a merge is compared with its first parent; nothing is fetched. A list that
//! git cuts off is no history at all.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;

use super::cited::CitedFiles;
use super::text::{self, Text};
use anvil_core::ledger::BareText;
use anvil_system::process::Output;

/// Most commits that are looked at, the newest ones: the list of them fits into [`Output`].
const MAX_COMMITS: &str = "100000";

/// Most bytes of old texts in all.
const MAX_TEXTS: usize = 64 * 1024 * 1024;

/// A rename keeps half of a file; `-l0` compares every removed file with every added one.
const DIFF: [&str; 8] =
    ["-M50%", "-l0", "--raw", "-z", "--no-abbrev", "--relative", "--diff-filter=ADMRT", "-r"];

/// A change of a file. A blob without an id is a link, or another repository.
struct Change {
    at: usize,
    /// The version before it; `None`: there was no file of the name.
    before: Option<String>,
    /// The name and the version after it; `None`: it is removed.
    after: Option<(String, String)>,
}

/// The first-parent history of the checked out commit. Times are counted from the oldest commit,
/// which is 0; the index comes after the newest one.
pub(super) struct History {
    ids: Vec<String>,
    times: HashMap<String, usize>,
    /// By name, the oldest first.
    changes: HashMap<String, Vec<Change>>,
}

/// A file from a version on, through renames.
pub(super) struct Life<'a> {
    /// The time of each version, and its blob; the oldest comes first.
    pub versions: Vec<(usize, &'a str)>,
    /// Its last name.
    pub name: &'a str,
    /// When it was removed.
    pub removed: Option<usize>,
}

impl History {
    /// The changes since the oldest of these commits; since the beginning, if one of them is not in
    /// this history. `None`: git does not answer.
    pub(super) fn read(files: &CitedFiles, since: &[Option<&str>]) -> Option<Self> {
        let head = files.commit.as_deref()?;
        let limit = format!("--max-count={MAX_COMMITS}");
        let listed =
            asked(files, &["rev-list", "--first-parent", "--reverse", &limit, head, "--"])?;
        let ids: Vec<String> = listed.text.lines().map(str::to_owned).collect();
        let times = ids.iter().cloned().zip(0..).collect();
        let mut history = Self { ids, times, changes: HashMap::new() };
        let since = since
            .iter()
            .map(|commit| commit.and_then(|commit| history.time_of(commit)).unwrap_or_default());
        // The first commit has nothing before it.
        let commits = since.min().unwrap_or_default() + 1..history.ids.len();
        history.add_commits(files, &commits.collect::<Vec<_>>())?;
        history.add_staged(files, head)?;
        Some(history)
    }

    /// The time of a commit. `None`: it is not in this history.
    pub(super) fn time_of(&self, commit: &str) -> Option<usize> {
        self.times.get(commit).copied()
    }

    /// The beginning of a commit's id. `None`: the change is in no commit.
    pub(super) fn commit(&self, at: usize) -> Option<String> {
        Some(self.ids.get(at)?.get(..SHORT)?.to_owned())
    }

    /// The versions of this name that a later change replaced, the oldest first: the time of each
    /// change, and the blob before it.
    pub(super) fn replaced(&self, name: &str, since: Option<usize>) -> Vec<(usize, &str)> {
        let changes = self.changes.get(name).into_iter().flatten();
        let later = changes.filter(|change| since.is_none_or(|since| change.at > since));
        later.filter_map(|change| Some((change.at, change.before.as_deref()?))).collect()
    }

    /// A file of this name, from the version that the change at this time replaced.
    pub(super) fn life<'a>(&'a self, name: &'a str, at: usize) -> Life<'a> {
        let mut life = Life { versions: Vec::new(), name, removed: None };
        let mut from = at;
        while let Some(change) = self.next_change(life.name, from) {
            if life.versions.is_empty() {
                life.versions.extend(change.before.as_deref().map(|blob| (from, blob)));
            }
            from = change.at + 1;
            let Some((to, blob)) = &change.after else {
                life.removed = Some(change.at);
                break;
            };
            life.versions.push((change.at, blob));
            life.name = to;
        }
        life
    }

    fn next_change(&self, name: &str, from: usize) -> Option<&Change> {
        let changes = self.changes.get(name)?;
        changes.get(changes.partition_point(|change| change.at < from))
    }

    fn add_commits(&mut self, files: &CitedFiles, commits: &[usize]) -> Option<()> {
        let arguments: Vec<&str> = ["diff-tree", "--stdin"].into_iter().chain(DIFF).collect();
        let mut left = commits;
        let mut most = left.len();
        while !left.is_empty() {
            let (some, later) = left.split_at(most.min(left.len()));
            let pairs = some.iter().map(|at| format!("{} {}\n", self.ids[*at], self.ids[*at - 1]));
            let input: String = pairs.collect();
            let output = files.tools.git_with_input(&files.root, &arguments, &input).ok()?;
            if output.is_cut && most > 1 {
                most /= 2;
                continue;
            }
            self.add(&output, 0)?;
            left = later;
        }
        Some(())
    }

    /// Adds the changes of the index.
    fn add_staged(&mut self, files: &CitedFiles, head: &str) -> Option<()> {
        let arguments: Vec<&str> =
            ["diff-index", "--cached"].into_iter().chain(DIFF).chain([head, "--"]).collect();
        let output = asked(files, &arguments)?;
        self.add(&output, self.ids.len())
    }

    /// Adds the records of a raw diff; `at`: the time of those before the first commit in it.
    fn add(&mut self, output: &Output, mut at: usize) -> Option<()> {
        if !output.is_success || output.is_cut {
            return None;
        }
        let mut parts = output.bytes().split(|byte| *byte == 0).map(std::str::from_utf8);
        while let Some(part) = parts.next() {
            let Some(fields) = part.ok()?.strip_prefix(':') else {
                at = self.time_of(part.ok()?).unwrap_or(at);
                continue;
            };
            let fields: Vec<&str> = fields.split(' ').collect();
            let [old, new, before, after, status] = fields[..] else { return None };
            let name = parts.next()?.unwrap_or_default();
            let to = if status.starts_with('R') { parts.next()?.unwrap_or_default() } else { name };
            let blob = |mode: &str, id: &str| {
                if mode.starts_with("100") { id.to_owned() } else { String::new() }
            };
            let before = (status != "A").then(|| blob(old, before));
            let after = (status != "D").then(|| (to.to_owned(), blob(new, after)));
            self.changes.entry(name.to_owned()).or_default().push(Change { at, before, after });
        }
        Some(())
    }
}

/// Hexadecimal digits of a commit that are shown: ten name one commit in any repository.
const SHORT: usize = 10;

/// The output of git. `None`: it does not answer, refuses, or says too much.
fn asked(files: &CitedFiles, arguments: &[impl AsRef<OsStr>]) -> Option<Output> {
    let output = files.tools.git(&files.root, arguments).ok()?;
    (output.is_success && !output.is_cut).then_some(output)
}

/// Texts of blobs.
#[derive(Default)]
pub(super) struct OldTexts {
    /// With their secrets. `None`: it is no text.
    texts: HashMap<String, Option<(String, BareText)>>,
    size: usize,
}

impl OldTexts {
    /// The newest of these versions that has the words. `Err`: these blobs are to be read first.
    pub(super) fn newest(
        &self,
        versions: &[(usize, &str)],
        words: &str,
    ) -> Result<Option<usize>, Vec<String>> {
        for (number, (_, blob)) in versions.iter().enumerate().rev() {
            let Some(text) = self.texts.get(*blob) else {
                // Three times as many as were read in vain, and four more.
                let most = 4 + 3 * (versions.len() - 1 - number);
                let older = versions[..=number].iter().rev().take(most);
                return Err(older.map(|(_, blob)| (*blob).to_owned()).collect());
            };
            let Some((text, bare)) = text else { continue };
            // A text is masked only if that can matter: it takes longer than the search.
            let may_have = words.contains("[masked: ") || bare.line_of(words, None).is_some();
            let masked = || BareText::new(&Text::whole(text.clone()).text);
            if may_have && masked().line_of(words, None).is_some() {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    pub(super) fn is_text(&self, blob: &str) -> bool {
        matches!(self.texts.get(blob), Some(Some(_)))
    }

    /// Reads these blobs. `None`: git does not answer.
    pub(super) fn read(&mut self, files: &CitedFiles, blobs: &BTreeSet<String>) -> Option<()> {
        let mut left: Vec<&str> = blobs.iter().map(String::as_str).collect();
        while !left.is_empty() {
            let input = left.join("\n") + "\n";
            let arguments = ["cat-file", "--batch", "--buffer"];
            let output = files.tools.git_with_input(&files.root, &arguments, &input).ok()?;
            let mut bytes = output.bytes();
            let mut done = 0;
            while let Some((content, rest)) = left.get(done).and_then(|_| object(bytes)) {
                self.size += content.len();
                let text = text::of_bytes(content).filter(|_| self.size <= MAX_TEXTS);
                let text = text.map(|text| {
                    let bare = BareText::new(&text);
                    (text, bare)
                });
                self.texts.insert(left[done].to_owned(), text);
                bytes = rest;
                done += 1;
            }
            if done == 0 {
                // It is missing here, or longer than the output of a program.
                self.texts.insert(left[0].to_owned(), None);
            }
            left.drain(..done.max(1));
        }
        Some(())
    }
}

/// The first object of a batch, if it is whole, and the bytes after it.
fn object(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = head.rsplit_once(" blob ")?.1.parse().ok()?;
    let content = bytes.get(end + 1..end + 1 + size)?;
    Some((content, bytes.get(end + 2 + size..)?))
}
