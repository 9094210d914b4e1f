//! The files in which cited words are looked up: the project's own, as git tracks them.
//!
//! Invariant: the rules are those for material. A file that is hidden, that is a secret by its
//! name, or that only a link leads to is none of them; secrets in a content are masked. So a reply,
//! or a decision of somebody else, learns nothing that it could not have as material.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use super::deadline::{Deadline, within};
use super::listing::{Listing, MAX_DEPTH};
use super::{GATHERING, HANGING, folder, names, text};
use anvil_core::ledger::BareText;
use anvil_system::process::Tools;

/// Paths in one call of git: a command line is short on some systems.
const PATHS_AT_ONCE: usize = 100;

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
    /// The names that git was asked for.
    asked: HashSet<String>,
    /// The checked out commit. `None`: the checkout has none yet.
    pub commit: Option<String>,
}

impl CitedFiles {
    /// Reads those of these files that git tracks in the checkout of this project. `None`: there
    /// is no checkout, or it does not answer in time.
    pub fn read(project: &Path, paths: Vec<String>) -> Option<Self> {
        let project = project.to_owned();
        let deadline = Deadline::after(GATHERING);
        within(GATHERING + HANGING, move || {
            let mut files = Self::in_checkout(&project, Tools::real(), deadline)?;
            files.add(&paths)?;
            Some(files)
        })?
    }

    /// None of the files of a checkout. `None`: there is no checkout, or git does not answer.
    pub(super) fn in_checkout(project: &Path, tools: Tools, deadline: Deadline) -> Option<Self> {
        let root = names::real(project);
        root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
        let tools = Tools { deadline: Some(deadline.at()), ..tools };
        let head = tools.git(&root, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?;
        let commit = Some(head.text.trim().to_owned()).filter(|id| !id.is_empty());
        let typed_root = project.to_owned();
        Some(Self {
            root,
            typed_root,
            tools,
            deadline,
            texts: HashMap::new(),
            asked: HashSet::new(),
            commit,
        })
    }

    /// Adds those of these files that git tracks. `None`: git does not answer.
    pub(super) fn add(&mut self, paths: &[String]) -> Option<()> {
        let named: BTreeSet<String> = paths.iter().filter_map(|path| self.name_of(path)).collect();
        let new: Vec<String> =
            named.into_iter().filter(|name| self.asked.insert(name.clone())).collect();
        for some in new.chunks(PATHS_AT_ONCE) {
            let literal = some.iter().map(|path| format!(":(literal){path}"));
            let arguments = ["ls-files", "--cached", "-z", "--"].map(str::to_owned).into_iter();
            let arguments: Vec<String> = arguments.chain(literal).collect();
            let mut output = self.tools.git(&self.root, &arguments).ok()?;
            // The name of a folder lists all files in it.
            let listed = output.text.split_inclusive('\0');
            let is_asked = |name: &&str| {
                some.binary_search_by(|one| one.as_str().cmp(name.trim_end_matches('\0'))).is_ok()
            };
            output.text = listed.filter(is_asked).collect();
            for path in folder::listed(&self.root, MAX_DEPTH, &output, self.deadline).files {
                let name = path.to_string_lossy().into_owned();
                if let Ok(read) = text::read(&self.root.join(path), 0, self.deadline)
                    && read.text.chars().count() >= read.total
                {
                    let bare = BareText::new(&read.text);
                    self.texts.insert(name, (read.text, bare));
                }
            }
        }
        Some(())
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

    /// True if git was asked for this name.
    pub(super) fn is_asked(&self, name: &str) -> bool {
        self.asked.contains(name)
    }

    /// The text of a file by its name. `None`: git does not track it, or it is no text, or it is
    /// too long to be read whole.
    pub fn text(&self, name: &str) -> Option<&BareText> {
        self.texts.get(name).map(|(_, bare)| bare)
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
