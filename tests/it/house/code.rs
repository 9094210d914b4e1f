//! The sources of the program and its crates, without what is compiled for tests alone.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A file of `src` or of a crate.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its module: `cli/status`, or in a crate `engine/session/start`.
    pub(super) place: String,
    /// Its path below the workspace.
    pub(super) path: String,
    /// Its text without the tests at its end.
    pub(super) code: String,
}

/// Files that are modules for tests.
const FOR_TESTS: [&str; 3] = ["/hostile.rs", "/tests.rs", "/tests/"];

static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = rust_files(&root.join("src"));
    for package in crates() {
        paths.extend(rust_files(&root.join("crates").join(package).join("src")));
    }
    let mut sources = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        if FOR_TESTS.iter().any(|part| name.contains(part)) {
            continue;
        }
        let text = fs_err::read_to_string(&path).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
        let code = code.split("\n#[cfg(all(test, unix))]\nmod tests {").next().unwrap().to_owned();
        sources.push(Source { place: place_of(&name), path: name, code });
    }
    sources
});

/// The sources of the program.
pub(super) fn sources() -> &'static [Source] {
    &SOURCES
}

/// The names of the crates, but for that of tests.
pub(super) fn crates() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let names = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.starts_with("anvil-"));
    names.sort();
    names
}

/// Every file of Rust below a folder.
pub(super) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `crates/anvil-core/src/debate/mod.rs` -> `core/debate`.
fn place_of(path: &str) -> String {
    let below = path.strip_prefix("crates/anvil-").unwrap_or(path).replacen("/src/", "/", 1);
    let below = below.strip_prefix("src/").unwrap_or(&below).trim_end_matches(".rs");
    below.trim_end_matches("/mod").trim_end_matches("/lib").to_owned()
}
