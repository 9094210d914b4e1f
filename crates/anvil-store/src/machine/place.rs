//! The record of a place, the folder that has a debate's file: `places/KEY`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, read};
use crate::project::{FolderId, digest};
use crate::{Project, not_written};
use anvil_system::disk;
use anvil_text::error::Result;

/// The result of the last recheck of a debate's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rechecked {
    pub at: Timestamp,
    /// Claims whose words had changed.
    pub changed: usize,
}

/// Most places that are searched for the debates of a repository.
const MAX_PLACES: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRecord {
    pub place: FolderId,
    /// The digest of the path of its repository. `None`: it is in none, or a folder of `--dir`.
    pub repository: Option<String>,
    /// The debate with its file there.
    pub here: Option<String>,
    /// All debates that it has had, the oldest first.
    pub debates: Vec<String>,
    /// The notes that the user has read about it.
    #[serde(default)]
    pub shown: Vec<String>,
    /// By debate: what was seen when its verdict was last rechecked there.
    #[serde(default)]
    pub rechecked: BTreeMap<String, Rechecked>,
}

impl PlaceRecord {
    fn new(project: &Project, place: FolderId) -> Self {
        let repository = repository_of(project);
        Self {
            place,
            repository,
            here: None,
            debates: Vec::new(),
            shown: Vec::new(),
            rechecked: BTreeMap::new(),
        }
    }

    /// Notes that this debate's file lies there now.
    pub fn enter(&mut self, id: &str) {
        self.here = Some(id.to_owned());
        self.add(id);
    }

    pub fn add(&mut self, id: &str) {
        if !self.debates.iter().any(|known| known == id) {
            self.debates.push(id.to_owned());
        }
    }
}

/// The digest of a repository's path.
fn repository_of(project: &Project) -> Option<String> {
    let path = project.repository()?;
    Some(digest(path.as_os_str().as_encoded_bytes())[..32].to_owned())
}

impl Machine {
    /// The record of this project's place. Without one it costs one look at the disk.
    pub fn place(&self, project: &Project) -> Option<PlaceRecord> {
        let place = project.identity()?;
        let record: PlaceRecord = read(&self.record("places", &place.key())?)?;
        record.place.is_same(place).then_some(record)
    }

    /// True if this project's place has had a debate.
    pub fn has_debates(&self, project: &Project) -> bool {
        self.place(project).is_some_and(|place| !place.debates.is_empty())
    }

    /// All places.
    pub fn places(&self) -> Vec<PlaceRecord> {
        let folder = self.folder.as_ref().map(|folder| folder.join("places"));
        let mut places: Vec<PlaceRecord> = folder
            .and_then(|folder| std::fs::read_dir(folder).ok())
            .into_iter()
            .flatten()
            .flatten()
            .take(MAX_PLACES)
            .filter(|entry| !disk::is_temporary(&entry.file_name()))
            .filter_map(|entry| read(&entry.path()))
            .collect();
        places.sort_by(|one, other| one.place.path.cmp(&other.place.path));
        places
    }

    /// The places of this project's repository, its own first.
    pub(crate) fn places_around(&self, project: &Project) -> Vec<PlaceRecord> {
        let this_place = self.place(project);
        let repository = match &this_place {
            Some(this_place) => this_place.repository.clone(),
            None => repository_of(project),
        };
        let mut others = if repository.is_some() { self.places() } else { Vec::new() };
        others.retain(|known| {
            known.repository == repository
                && this_place
                    .as_ref()
                    .is_none_or(|this_place| !this_place.place.is_same(&known.place))
        });
        this_place.into_iter().chain(others).collect()
    }

    /// Changes the record of this project's place.
    pub(crate) fn change_place(
        &self,
        project: &Project,
        change: impl FnOnce(&mut PlaceRecord),
    ) -> Result<()> {
        let place = project.identity().cloned().ok_or_else(super::no_folder)?;
        let path = self.record("places", &place.key()).ok_or_else(super::no_folder)?;
        self.alone(|| {
            let mut record = read(&path)
                .filter(|known: &PlaceRecord| known.place.is_same(&place))
                .unwrap_or_else(|| PlaceRecord::new(project, place.clone()));
            let before = record.clone();
            (record.place, record.repository) = (place, repository_of(project));
            change(&mut record);
            if record == before && path.exists() {
                return Ok(());
            }
            self.put(&path, &record).map_err(not_written)
        })
    }

    /// What was seen at the last recheck of each verdict in this project's place.
    pub fn rechecks(&self, project: &Project) -> BTreeMap<String, Rechecked> {
        self.place(project).map(|place| place.rechecked).unwrap_or_default()
    }

    /// Saves what was seen. `is_all`: every verdict of the place was rechecked.
    pub fn note_rechecked(
        &self,
        project: &Project,
        seen: BTreeMap<String, Rechecked>,
        is_all: bool,
    ) -> Result<()> {
        self.change_place(project, |place| {
            if is_all {
                place.rechecked.clear();
            }
            place.rechecked.extend(seen);
        })
    }

    /// True if the user has read this note about this project.
    pub fn has_shown(&self, what: &str, project: &Project) -> bool {
        self.place(project).is_some_and(|place| place.shown.iter().any(|shown| shown == what))
    }

    /// Records that the user has read a note. Without a folder no note is shown: it would be shown
    /// every time.
    pub fn remember_shown(&self, what: &str, project: &Project) -> bool {
        self.change_place(project, |place| place.shown.push(what.to_owned())).is_ok()
    }
}
