//! Tells the program which commit and target it is built from and for (a build outside of a checkout names the target alone), and leaves
//! out of a static release what only unwinding would read.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ANVIL_COMMIT");
    let target = std::env::var("TARGET").unwrap_or_default();
    let named = std::env::var("ANVIL_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| {
        // A checkout of something else that this lies in says nothing of it.
        if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
            return None;
        }
        let told = ["logs/HEAD", "HEAD"]
            .iter()
            .find_map(|name| git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()));
        // A path that is not there would have it built anew each time.
        println!("cargo:rerun-if-changed={}", told?);
        git(&["rev-parse", "--short=9", "HEAD"])
    });
    leave_out_unwind_tables();
    let build = commit.map_or_else(|| target.clone(), |commit| format!("{commit}, {target}"));
    println!("cargo:rustc-env=ANVIL_BUILD={build}");
}

/// A panic ends a release at once (`panic = "abort"`), but the tables for unwinding are linked all the same: 340 KB, an eighth of the program
/// (measured with rustc 1.95; lld and GNU ld take this script). What crtbegin brings has to stay, since it refers to itself.
fn leave_out_unwind_tables() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    let script = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("without-unwind-tables.ld");
    let text = "SECTIONS { /DISCARD/ : { *(EXCLUDE_FILE(*crtbegin*.o *crtend*.o) .eh_frame) } }\nINSERT AFTER .text;\n";
    if std::fs::write(&script, text).is_ok() {
        println!("cargo:rustc-link-arg-bin=anvil=-Wl,--no-eh-frame-hdr");
        println!("cargo:rustc-link-arg-bin=anvil=-T{}", script.display());
    }
}

/// What git says in a line; `None` without git, or outside of a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
