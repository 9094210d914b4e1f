//! The files in which cited words are looked up: the project's own, as git tracks them. And whether
//! a cited file exists.
//!
//! Invariant: the rules are those for material. A file that is hidden, that is a secret by its
//! name, or that only a link leads to is none of them; secrets in a content are masked. So a reply,
//! or a decision of somebody else, learns nothing that it could not have as material.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::deadline::{Deadline, within};
use super::listing::{Listing, MAX_DEPTH};
use super::text::{Text, Unreadable};
use super::{GATHERING, HANGING, folder, names, text};
use anvil_core::ledger::BareText;
use anvil_system::process::{Git, Tools};

/// Paths in one call of git: a command line is short on some systems.
const PATHS_AT_ONCE: usize = 100;

/// Most paths of a reply that are looked for; the others are not looked at.
const MAX_LOOKED_FOR: usize = 200;

/// Most bytes of all files that are read.
pub(super) const MAX_SUM: usize = 64 * 1024 * 1024;

/// Begins the file that stands for one in Git's Large File Storage.
const LFS: &str = "version https://git-lfs.github.com/spec/";

/// Whether a file of the project exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    There,
    Missing,
    /// It is ignored, hidden or a secret, or a link or a repository of its own leads to it.
    NotLookedAt,
}

/// Files of a project, with their texts as words are looked up in them.
#[derive(Debug)]
pub struct CitedFiles {
    pub(super) root: PathBuf,
    /// The root as it is typed, perhaps through a link.
    typed_root: PathBuf,
    pub(super) tools: Tools,
    deadline: Deadline,
    /// Without secrets.
    texts: HashMap<String, (String, BareText)>,
    /// The tracked files whose text can't be seen, each with the reason.
    unseen: HashMap<String, String>,
    /// The bytes of all files that were read.
    pub(super) sum: usize,
    /// The files without a text that were looked for.
    looked_for: HashMap<String, Presence>,
    /// The checked out commit. `None`: there is no checkout, or it has none yet.
    pub commit: Option<String>,
    /// Why git does not answer: it `refuses: LINE`, or can't be run.
    pub refusal: Option<String>,
}

impl CitedFiles {
    /// Reads those of these files that git tracks in the checkout of this project. `None`: they are
    /// not read in time.
    pub fn read(project: &Path, paths: Vec<String>) -> Option<Self> {
        let project = project.to_owned();
        let deadline = Deadline::after(GATHERING);
        within(GATHERING + HANGING, move || {
            let mut files = Self::new(&project, Tools::real(), deadline);
            files.add(&paths);
            files
        })
    }

    /// As [`CitedFiles::read`], and looks whether the others of these files exist. A project
    /// without a checkout has no file with a text.
    pub fn find(project: &Path, paths: Vec<String>) -> Option<Self> {
        let project = project.to_owned();
        let deadline = Deadline::after(GATHERING);
        within(GATHERING + HANGING, move || {
            let mut files = Self::new(&project, Tools::real(), deadline);
            files.add(&paths);
            files.look_for(&paths);
            files
        })
    }

    /// None of the files of a project yet.
    pub(super) fn new(project: &Path, tools: Tools, deadline: Deadline) -> Self {
        let mut files = Self {
            root: names::real(project),
            typed_root: project.to_owned(),
            tools: Tools { deadline: Some(deadline.at()), ..tools },
            deadline,
            texts: HashMap::new(),
            unseen: HashMap::new(),
            sum: 0,
            looked_for: HashMap::new(),
            commit: None,
            refusal: None,
        };
        if files.has_checkout() {
            let head = files.ask(&["rev-parse", "--verify", "--quiet", "HEAD"], "");
            files.commit = head.map(|head| head.trim().to_owned()).filter(|id| !id.is_empty());
        }
        files
    }

    /// What git tells; empty: nothing. `None`: it refuses, which is noted.
    pub(super) fn ask<A: AsRef<OsStr>>(&mut self, arguments: &[A], input: &str) -> Option<String> {
        match self.tools.git(&self.root, arguments, input) {
            Git::Told(output) => Some(output.text),
            Git::Nothing => Some(String::new()),
            Git::Refused(why) => {
                self.refusal.get_or_insert(why.to_string());
                None
            }
        }
    }

    /// True if git tracks files of the project.
    pub fn has_checkout(&self) -> bool {
        self.root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
    }

    /// Looks for the files without a text, each once.
    fn look_for(&mut self, paths: &[String]) {
        let names: BTreeSet<String> = paths.iter().filter_map(|path| self.name_of(path)).collect();
        let unread = names.into_iter().filter(|name| !self.texts.contains_key(name));
        let (plain, others): (Vec<String>, Vec<String>) = unread
            .take(MAX_LOOKED_FOR)
            .partition(|name| self.is_shown(name) && self.is_in_plain_folder(name));
        let ignored = if plain.is_empty() || !self.has_checkout() {
            Some(String::new())
        } else {
            self.ask(&["check-ignore", "-z", "--stdin"], &plain.join("\0"))
        };
        let ignored: Option<HashSet<&str>> = ignored.as_ref().map(|all| all.split('\0').collect());
        self.looked_for.extend(others.into_iter().map(|name| (name, Presence::NotLookedAt)));
        let mut missing = Vec::new();
        for name in plain {
            let is_known = ignored.as_ref().is_some_and(|ignored| !ignored.contains(&*name));
            let presence = match self.root.join(&name).symlink_metadata() {
                _ if !is_known => Presence::NotLookedAt,
                Ok(_) => Presence::There,
                Err(error) if is_not_found(&error) => Presence::Missing,
                Err(_) => Presence::NotLookedAt,
            };
            missing.extend((presence == Presence::Missing).then(|| name.clone()));
            self.looked_for.insert(name, presence);
        }
        // A reply may name a file by its path in a part of the project.
        for name in self.in_deeper_folders(&missing) {
            self.looked_for.insert(name, Presence::There);
        }
    }

    /// True if no link and no repository of its own leads to this file.
    pub(super) fn is_in_plain_folder(&self, name: &str) -> bool {
        let path = Path::new(name);
        let above = path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
        above.map(|folder| self.root.join(folder)).all(|folder| {
            folder.symlink_metadata().map_or_else(
                |error| is_not_found(&error),
                |found| !found.is_symlink() && folder.join(".git").symlink_metadata().is_err(),
            )
        })
    }

    /// Those of these files that git tracks in a deeper folder.
    fn in_deeper_folders(&mut self, names: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for some in names.chunks(PATHS_AT_ONCE) {
            let anywhere = some.iter().map(|name| format!(":(glob)**/{name}"));
            let arguments = ["ls-files", "--cached", "-z", "--"].map(str::to_owned).into_iter();
            let arguments: Vec<String> = arguments.chain(anywhere).collect();
            let Some(output) = self.ask(&arguments, "") else { break };
            let listed: HashSet<&str> = output
                .split('\0')
                .flat_map(|path| path.match_indices('/').map(|(at, _)| &path[at + 1..]))
                .collect();
            found.extend(some.iter().filter(|name| listed.contains(name.as_str())).cloned());
        }
        found
    }

    /// Adds those of these files that git tracks.
    pub(super) fn add(&mut self, paths: &[String]) {
        if !self.has_checkout() {
            return;
        }
        let names: BTreeSet<String> = paths.iter().filter_map(|path| self.name_of(path)).collect();
        let names: Vec<String> = names.into_iter().collect();
        for some in names.chunks(PATHS_AT_ONCE) {
            let literal = some.iter().map(|path| format!(":(literal){path}"));
            let arguments = ["ls-files", "--cached", "-z", "--"].map(str::to_owned).into_iter();
            let arguments: Vec<String> = arguments.chain(literal).collect();
            let Git::Told(mut output) = self.tools.git(&self.root, &arguments, "") else {
                continue;
            };
            // The name of a folder lists all files in it.
            let listed = output.text.split_inclusive('\0');
            let is_asked = |name: &&str| {
                some.binary_search_by(|one| one.as_str().cmp(name.trim_end_matches('\0'))).is_ok()
            };
            output.text = listed.filter(is_asked).collect();
            for name in output.text.split_terminator('\0') {
                self.unseen.insert(name.to_owned(), "it can't be read here".to_owned());
            }
            let listed = folder::list_existing(&self.root, MAX_DEPTH, &output, self.deadline);
            for path in listed.repositories {
                let name = path.to_string_lossy().into_owned();
                self.unseen.insert(name, "it is a submodule".to_owned());
            }
            for path in listed.files {
                let name = path.to_string_lossy().into_owned();
                match self.read_file(&name) {
                    Ok(text) => {
                        let text = Text::whole(text).text;
                        let bare = BareText::new(&text);
                        self.unseen.remove(&name);
                        self.texts.insert(name, (text, bare));
                    }
                    Err(why) => drop(self.unseen.insert(name, why)),
                }
            }
        }
    }

    /// The text of a tracked file, with its secrets. An error: why it can't be seen.
    pub(super) fn read_file(&mut self, name: &str) -> Result<String, String> {
        if self.sum >= MAX_SUM {
            return Err("the cited files are too many to read them all".to_owned());
        }
        let bytes = text::bytes(&self.root.join(name), text::READ_WHOLE as usize, self.deadline);
        let bytes = bytes.map_err(|why| format!("it {}", why.reason()))?;
        let bytes = bytes.ok_or("it is too long")?;
        self.sum += bytes.len();
        match text::of_bytes(&bytes) {
            Some(text) if text.starts_with(LFS) => {
                Err("it is a pointer of Git LFS here".to_owned())
            }
            Some(text) => Ok(text),
            None => Err(format!("it {}", Unreadable::Binary.reason())),
        }
    }

    /// Why the text of a file can't be seen. `None`: git does not track it, or its text can be seen.
    pub(super) fn why_unseen(&self, name: &str) -> Option<&str> {
        self.unseen.get(name).map(String::as_str)
    }

    /// The name of a path as somebody wrote it: relative to the project, with slashes. `None`: it
    /// leads outside, or shows a secret.
    pub fn name_of(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let path = if path.is_absolute() {
            let roots = [&self.root, &self.typed_root];
            roots.iter().find_map(|root| path.strip_prefix(root).ok())?
        } else {
            path
        };
        let is_inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let name = names::parts(path).collect::<Vec<_>>().join("/");
        let is_shown = names::line(Path::new(&name)) == name;
        (is_inside && is_shown && !name.is_empty()).then_some(name)
    }

    /// True unless the file is hidden, a secret by its name, or the debate's own.
    pub(super) fn is_shown(&self, name: &str) -> bool {
        let mut listing = Listing::default();
        listing.add(&self.root, name.into());
        !listing.files.is_empty() && self.name_of(name).as_deref() == Some(name)
    }

    /// The text of a file by its name. `None`: git does not track it, or it is no text, or it is
    /// too long to be read whole.
    pub fn text(&self, name: &str) -> Option<&BareText> {
        self.texts.get(name).map(|(_, bare)| bare)
    }

    /// Whether a file without a text exists. One that was not looked for was not looked at.
    pub fn presence(&self, name: &str) -> Presence {
        self.looked_for.get(name).copied().unwrap_or(Presence::NotLookedAt)
    }

    /// True if secrets are masked in such a file.
    pub fn is_masked(&self, name: &str) -> bool {
        self.texts.get(name).is_some_and(|(text, _)| text.contains("[masked: "))
    }

    /// A line of such a file, counted from 1.
    pub fn line(&self, name: &str, line: usize) -> Option<&str> {
        self.texts.get(name)?.0.lines().nth(line.checked_sub(1)?)
    }
}

fn is_not_found(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
