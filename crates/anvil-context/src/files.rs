//! The material of a path from the user: a file, a folder, or a pattern of files.
//!
//! Invariants: a path that matches nothing is an error; a file that looks like a secret is refused,
//! also if the user names it or a link to it; only regular files are opened.

use std::io;
use std::path::{Path, PathBuf};

use super::deadline::Deadline;
use super::error::MaterialError;
use super::listing::{self, MAX_DEPTH};
use super::names::{self, Names};
use super::text::{self, Unreadable};
use super::{Body, GATHERING, MaterialSource, SourcePart, folder, secrets, tree};
use anvil_system::process::Tools;
use anvil_text::error::Result;
use anvil_text::{clean, group};

/// Most files of a pattern that are opened.
const MAX_MATCHES: usize = 2_000;

/// The base of the user's paths, and the paths that were read so far.
pub(crate) struct Paths<'a> {
    /// The folder to which relative paths are relative.
    pub folder: &'a Path,
    pub names: Names,
    /// For git's list of files, and the folder of `~/`.
    pub tools: &'a Tools,
    /// No file is read after it.
    pub deadline: Deadline,
    /// The files that are in the material already.
    pub seen: Vec<PathBuf>,
}

impl Paths<'_> {
    /// The source for a path of the request.
    pub(crate) fn source(&mut self, typed: &str) -> Result<MaterialSource> {
        if typed.trim().is_empty() {
            return Err(MaterialError::Empty.into());
        }
        let path = self.resolve(typed);
        match std::fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => Ok(self.folder(&path)),
            Ok(_) => Ok(self.file(&path)),
            Err(error) if is_pattern(typed) && error.kind() != io::ErrorKind::PermissionDenied => {
                self.pattern(typed)
            }
            Err(error) => Err(match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => MaterialError::Missing {
                    typed: for_screen(typed),
                    folder: clean(&self.folder.to_string_lossy(), 200),
                },
                _ => MaterialError::Unreadable { typed: for_screen(typed), error },
            }
            .into()),
        }
    }

    fn resolve(&self, typed: &str) -> PathBuf {
        match (typed.strip_prefix('~'), self.tools.home.as_deref()) {
            (Some(below), Some(home)) if below.is_empty() || below.starts_with('/') => {
                home.join(below.trim_start_matches('/'))
            }
            _ => self.folder.join(typed),
        }
    }

    fn file(&mut self, path: &Path) -> MaterialSource {
        let label = self.names.file(path);
        let mut source = MaterialSource::new(&label);
        let real = names::real(path);
        if secrets::looks_secret(path) || secrets::looks_secret(&real) {
            source.cut.push(format!("{label}: looks like a secret"));
        } else if listing::is_own(path) || listing::is_own(&real) {
            source.cut.push(format!("{label}: is the debate's own"));
        } else {
            match text::sniff(&real, self.deadline) {
                Ok(size) if self.is_new(&real) => source.parts.push(part(label, real, size)),
                Ok(_) => source.is_known = true,
                Err(why) => source.cut.push(format!("{label}: {}", why.reason())),
            }
        }
        source
    }

    fn folder(&mut self, path: &Path) -> MaterialSource {
        let label = self.names.folder(path);
        let real = names::real(path);
        let mut source = MaterialSource::new(&label);
        if secrets::is_secret_folder(path) || secrets::is_secret_folder(&real) {
            source.cut.push(format!("{label}: looks like a folder of secrets"));
        } else if listing::is_own(&real) {
            source.cut.push(format!("{label}: is the debate's own"));
        } else if self.is_new(&real) {
            let found = folder::list(&real, &label, MAX_DEPTH, self.tools, self.deadline);
            if found.is_unlisted {
                source.cut.extend(found.left_out(&label));
            } else {
                source = tree::source(&real, &label, found, self.deadline);
            }
        } else {
            source.is_known = true;
        }
        source
    }

    fn pattern(&mut self, typed: &str) -> Result<MaterialSource> {
        let parts: Vec<&str> = typed.split('/').collect();
        let start = parts.iter().position(|part| is_pattern(part)).unwrap_or(0);
        let before = parts[..start].join("/");
        let pattern = parts[start..].join("/");
        let typed_root =
            self.resolve(&if start > 0 { format!("{before}/") } else { ".".to_owned() });
        let label = self.names.pattern(&typed_root, &pattern);
        let root = names::real(&typed_root);
        if secrets::is_secret_folder(&root) {
            let why = format!("{label}: looks like a folder of secrets");
            return Ok(MaterialSource::without_parts(&label, why));
        }
        let is_flat = !pattern.contains("**") && !pattern.contains('{');
        let deepest = if is_flat { (parts.len() - start).min(MAX_DEPTH) } else { MAX_DEPTH };
        let place = self.names.folder(&typed_root);
        let found = folder::list(&root, &place, deepest, self.tools, self.deadline);
        let mut source = MaterialSource::new(&label);
        if found.is_unlisted {
            source.cut.extend(found.left_out(&label));
            return Ok(source);
        }
        // For the matcher, a pattern that begins with `!` is the opposite.
        let escape = if pattern.starts_with('!') { "\\" } else { "" };
        let pattern = format!("{escape}{pattern}");
        let matches: Vec<&PathBuf> =
            found.files.iter().filter(|path| is_match(&pattern, path)).collect();
        let binaries = self.add_matches(&mut source, &typed_root, &root, &matches);
        for path in found.secrets.iter().filter(|path| is_match(&pattern, path)).take(5) {
            let name = self.names.file(&typed_root.join(path));
            source.cut.push(format!("{name}: looks like a secret"));
        }
        source.cut.extend(binaries.summary(&place));
        if found.is_cut || found.is_late {
            source.cut.push(format!("{label}: not every folder was scanned"));
        }
        source.notes.extend(found.note.clone());
        if matches.is_empty() && source.cut.is_empty() {
            return Err(MaterialError::NoMatch(for_screen(typed)).into());
        }
        Ok(source)
    }

    /// Adds the matches of a pattern in a folder; returns the binary files among them.
    fn add_matches(
        &mut self,
        source: &mut MaterialSource,
        typed_root: &Path,
        root: &Path,
        matches: &[&PathBuf],
    ) -> tree::Binaries {
        let mut binaries = tree::Binaries::default();
        let mut unread = 0;
        for path in matches.iter().take(MAX_MATCHES) {
            let real = root.join(path);
            match text::sniff(&real, self.deadline) {
                Ok(size) if self.is_new(&real) => {
                    let name = self.names.file(&typed_root.join(path));
                    source.parts.push(part(name, real, size));
                }
                Ok(_) => source.is_known = true,
                Err(Unreadable::Binary) => binaries.add(path),
                Err(Unreadable::Late) => unread += 1,
                Err(why) => {
                    let name = self.names.file(&typed_root.join(path));
                    source.cut.push(format!("{name}: {}", why.reason()));
                }
            }
        }
        let label = &source.label;
        let all = group(matches.len());
        if unread > 0 {
            let some = group(unread);
            let time = GATHERING.as_secs();
            let why = format!("{label}: {some} of {all} files were not read within {time} s");
            source.cut.push(why);
        }
        if matches.len() > MAX_MATCHES {
            let some = group(MAX_MATCHES);
            source.cut.push(format!("{label}: the first {some} of {all} files"));
        }
        binaries
    }

    /// Remembers a file; false if it is known already.
    fn is_new(&mut self, path: &Path) -> bool {
        match self.seen.binary_search_by(|known| known.as_path().cmp(path)) {
            Ok(_) => false,
            Err(at) => {
                self.seen.insert(at, path.to_owned());
                true
            }
        }
    }
}

/// A path as the user typed it, for their own screen.
fn for_screen(typed: &str) -> String {
    clean(typed, 300)
}

fn is_pattern(typed: &str) -> bool {
    typed.contains(['*', '?', '[', '{'])
}

fn is_match(pattern: &str, path: &Path) -> bool {
    fast_glob::glob_match(pattern.as_bytes(), path.to_string_lossy().as_bytes())
}

fn part(name: String, path: PathBuf, size: u64) -> SourcePart {
    let bytes = if size == 1 { "byte" } else { "bytes" };
    let info =
        path.extension().and_then(|extension| extension.to_str()).unwrap_or("text").to_owned();
    let heading = format!("`{name}` ({} {bytes})", group(size as usize));
    SourcePart { name, heading, info, body: Body::File(path, size) }
}
