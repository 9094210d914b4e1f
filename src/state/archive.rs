//! The archive: what a debate was, when it has left its place. Nothing in it is ever written over.

use std::path::{Path, PathBuf};

use super::StateFile;
use super::log::Change;
use super::recover::Repair;
use super::store::{Locked, not_written};
use crate::disk::{Flush, NewFile};
use crate::error::Result;

impl Repair {
    /// Under which name a file is kept that is not just edited.
    pub(super) fn name_in_archive(&self, id: &str) -> Option<String> {
        self.damaged.then(|| format!("{id}-damaged"))
    }
}

impl Locked<'_> {
    /// Keeps the state file also in the archive, as `<name>.md`; says where.
    pub fn keep_in_archive(&self, name: &str) -> Result<PathBuf> {
        let target = self.place_in_archive(name)?;
        let (file, temps) = (self.project().state_file(), self.project().claude());
        self.store.disk.keep_as(&file, &target, &temps).map_err(|error| not_written(&error))?;
        Ok(target)
    }

    /// Writes a text into the archive, as `<name>.md`; says where.
    pub fn write_to_archive(&self, name: &str, text: &str) -> Result<PathBuf> {
        let target = self.place_in_archive(name)?;
        let written = self.store.disk.replace_by_way_of(
            &self.project().claude(),
            &target,
            &[text.as_bytes()],
            NewFile::Private,
            Flush::Now,
        );
        written.map_err(|error| not_written(&error))?;
        Ok(target)
    }

    /// True when a text lies in the archive under this name, or this name and a number.
    #[must_use]
    pub fn is_in_archive(&self, name: &str, text: &str) -> bool {
        let entries = std::fs::read_dir(self.project().archive()).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(name.as_bytes()));
        named
            .map(|entry| entry.path())
            .any(|path| super::read::read_file(&path).is_ok_and(|bytes| bytes.as_deref() == Some(text.as_bytes())))
    }

    /// Ends a debate: this state goes into the archive under its id, and then the state file goes. Gives back where it lies, and
    /// what a person should hear. An error leaves the debate as it was.
    pub fn close(&self, state: &StateFile, change: &Change) -> Result<(PathBuf, Vec<String>)> {
        let project = self.project();
        let text = state.render()?;
        let repair = self.repair.take();
        let mut said = Vec::new();
        if let Some(repair) = &repair {
            let as_it_was = repair.name_in_archive(&state.debate.id).map(|name| self.keep_in_archive(&name));
            said.push(self.say_repair(repair, as_it_was.transpose()?.as_deref()));
        }
        let archived = self.write_to_archive(&state.debate.id, &text)?;
        self.store.disk.remove(&project.state_file()).map_err(|error| not_written(&error))?;
        self.store.disk.sync_folder(&project.claude()).map_err(|error| not_written(&error))?;
        self.log([change].into_iter(), &state.debate, text.len());
        Ok((archived, said))
    }

    /// Moves the state file into the archive as it is, as `<name>.md`, and says where it lies now.
    pub fn archive(&self, name: &str) -> Result<PathBuf> {
        let target = self.place_in_archive(name)?;
        // Nothing of the file is left to be mended.
        self.repair.take();
        self.previous.take();
        let (file, temps) = (self.project().state_file(), self.project().claude());
        self.store.disk.move_to(&file, &target, &temps).map_err(|error| not_written(&error))?;
        Ok(target)
    }

    /// A path in the archive that is not taken.
    fn place_in_archive(&self, name: &str) -> Result<PathBuf> {
        let project = self.project();
        let folder = project.archive();
        self.store.disk.create_folder_in(project.root(), &folder).map_err(|error| not_written(&error))?;
        let mut target = folder.join(format!("{name}.md"));
        let mut number = 1;
        while fs_err::symlink_metadata(&target).is_ok() {
            number += 1;
            target = folder.join(format!("{name}-{number}.md"));
        }
        Ok(target)
    }

    /// Takes the second name of the state file away again, behind a commit that failed. One that went through before it failed
    /// has made it the only name: then it stays.
    pub fn discard(&self, archived: &Path) {
        if super::read::is_same_file(archived, &self.project().state_file()) {
            let _ = self.store.disk.remove(archived);
        }
    }
}
