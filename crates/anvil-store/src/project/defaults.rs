//! The user's defaults: `anvil.local.md` in the project's `.claude` and in Claude Code's
//! configuration folder, the convention of Claude Code's plugins. The frontmatter holds options by
//! their names, the body house rules for every role.
//!
//! This module only reads them; `anvil_core::options` knows the meaning of an option.

use std::path::{Path, PathBuf};

use crate::Project;
use crate::error::StoreError;
use crate::file::frontmatter::{self, Damage, Value};
use anvil_core::options::DefaultsOwner;
use anvil_system::world::World;
use anvil_text::error::{Error, Result};

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultEntry {
    /// The option's name, as it is typed without its hyphens.
    pub key: String,
    pub values: Vec<String>,
    /// The line of the file, counted from 1.
    pub line: usize,
}

/// The defaults of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    pub owner: DefaultsOwner,
    pub path: PathBuf,
    /// In the order of the lines.
    pub entries: Vec<DefaultEntry>,
    /// The text below the frontmatter.
    pub rules: String,
}

impl Defaults {
    /// The files that exist, the project's first.
    pub fn read(project: &Project, world: &World) -> Result<Vec<Self>> {
        let settings = project.root().join(".claude");
        let of_project = (DefaultsOwner::Project, settings.join("anvil.local.md"));
        let user_folder = world.config_folder.as_ref();
        let of_user =
            user_folder.map(|folder| (DefaultsOwner::User, folder.join("anvil.local.md")));
        let mut all = Vec::new();
        for (owner, path) in [of_project].into_iter().chain(of_user) {
            // In the home folder itself both are one file: the user's.
            let is_twice = owner == DefaultsOwner::Project
                && user_folder.is_some_and(|folder| is_same_folder(folder, &settings));
            if !is_twice && let Some(text) = read_text(&path, owner)? {
                all.push(Self::parse(owner, path, &text)?);
            }
        }
        Ok(all)
    }

    fn parse(owner: DefaultsOwner, path: PathBuf, text: &str) -> Result<Self> {
        let text = anvil_core::transcript::normalise(text);
        let Some((head, rules)) = frontmatter::split(&text) else {
            if text.starts_with("---") {
                return Err(unusable(&path, "its frontmatter is not closed by a line ---"));
            }
            let rules = text.trim().to_owned();
            return Ok(Self { owner, path, entries: Vec::new(), rules });
        };
        let keys = match frontmatter::read(head) {
            Ok(keys) => keys,
            // Empty frontmatter is valid.
            Err(Damage::Empty) => frontmatter::Frontmatter::new(),
            Err(Damage::Wrong(why)) => return Err(unusable(&path, &why)),
        };
        let mut entries = Vec::new();
        for (key, value) in keys {
            let Some(values) = texts(&value) else { continue };
            let line = frontmatter::line_of(head, &key);
            entries.push(DefaultEntry { key: key.replace('_', "-"), values, line });
        }
        entries.sort_by_key(|entry| entry.line);
        Ok(Self { owner, path, entries, rules: rules.trim().to_owned() })
    }
}

/// True for two names of one folder.
pub fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn unusable(path: &Path, why: &str) -> Error {
    StoreError::Defaults { path: path.to_owned(), why: why.to_owned() }.into()
}

fn read_text(path: &Path, owner: DefaultsOwner) -> Result<Option<String>> {
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(unusable(path, &error.to_string())),
    };
    // A link that came with a project could lead to any file that the user can read.
    if owner == DefaultsOwner::Project && path.ancestors().take(2).any(is_link) {
        return Err(unusable(path, "a project's own can't be a link or be reached through one"));
    }
    if !meta.is_file() {
        return Err(unusable(path, "it is not a regular file"));
    }
    if meta.len() > MAX_BYTES {
        return Err(unusable(path, &format!("it has more than {MAX_BYTES} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| unusable(path, &error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| unusable(path, "it is not UTF-8"))
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).map_or(true, |meta| meta.is_symlink())
}

/// A value as it would be typed. `None`: the value is empty.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Flag(flag) => Some(vec![flag.to_string()]),
        Value::Number(number) => Some(vec![number.to_string()]),
        // Typed options are trimmed, so the values that are checked here are trimmed too.
        Value::Text(text) => {
            Some(text.trim()).filter(|text| !text.is_empty()).map(|text| vec![text.to_owned()])
        }
        Value::List(list) => Some(list.iter().filter_map(texts).flatten().collect())
            .filter(|texts: &Vec<String>| !texts.is_empty()),
        Value::Empty | Value::Word(_) => None,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_home_folder_the_file_counts_once_and_as_the_users() {
        let temp = tempfile::tempdir().unwrap();
        let [own, other, link] = [".claude", "other", "link"].map(|name| temp.path().join(name));
        for folder in [&own, &other] {
            fs_err::create_dir(folder).unwrap();
            fs_err::write(folder.join("anvil.local.md"), "Be brief.").unwrap();
        }
        fs_err::os::unix::fs::symlink(&own, &link).unwrap();
        let owners = |config: &Path| {
            let config_folder = Some(config.to_owned());
            let world = World { config_folder, ..World::gather(|_| None).unwrap() };
            let all = Defaults::read(&Project::at(temp.path()), &world).unwrap();
            all.into_iter().map(|defaults| defaults.owner).collect::<Vec<_>>()
        };
        assert_eq!(owners(&own), [DefaultsOwner::User]);
        assert_eq!(owners(&link), [DefaultsOwner::User]);
        assert_eq!(owners(&other), [DefaultsOwner::Project, DefaultsOwner::User]);
    }

    #[test]
    fn a_file_that_can_not_be_looked_at_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("anvil.local.md");
        assert_eq!(read_text(&path, DefaultsOwner::User).unwrap(), None);
        fs_err::os::unix::fs::symlink(&path, &path).unwrap();
        let error = read_text(&path, DefaultsOwner::User).unwrap_err();
        assert!(error.to_string().contains("anvil.local.md"), "{error}");
    }
}
