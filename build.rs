//! Puts the commit and the target into the program; a build outside of a checkout has only the
//! target.
#![allow(clippy::disallowed_types, reason = "it asks git for the commit")]

use std::path::Path;
use std::process::Command;

fn main() {
    // Cargo runs this again when this file changes. A line that names it would be read as a path in
    // each package that uses it, and a missing path runs this in each build.
    println!("cargo:rerun-if-env-changed=ANVIL_COMMIT");
    let target = std::env::var("TARGET").unwrap_or_default();
    // The tests start thousands of programs in folders of their own. Without this symbol, which a
    // static C library leaves out, Rust 1.95 copies the whole memory of the tests for each.
    // Where there are no tests, cargo refuses the line.
    if target.ends_with("linux-gnu") && Path::new("tests").is_dir() {
        println!("cargo:rustc-link-arg-tests=-Wl,-u,posix_spawn_file_actions_addchdir_np");
    }
    let named = std::env::var("ANVIL_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| {
        // If this folder lies in the checkout of something else, that commit does not describe it.
        let own = format!("crates/{}/", std::env::var("CARGO_PKG_NAME").ok()?);
        let prefix = git(&["rev-parse", "--show-prefix"])?;
        if !prefix.is_empty() && prefix != own {
            return None;
        }
        let log = ["logs/HEAD", "HEAD"].iter().find_map(|name| {
            git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
        });
        // A missing path would rebuild the program each time.
        println!("cargo:rerun-if-changed={}", log?);
        git(&["rev-parse", "--short=9", "HEAD"])
    });
    let build = commit.map_or_else(|| target.clone(), |commit| format!("{commit}, {target}"));
    println!("cargo:rustc-env=ANVIL_BUILD={build}");
}

/// The output of git, trimmed; `None` without git, or outside of a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
