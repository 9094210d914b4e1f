//! Tells the program which commit and target it is built from and for; a build outside of a checkout names the target alone.
//! Has a release linked for size.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Leaves out the tables for unwinding, a fifteenth of the program: a release aborts instead. Those of the C library's start
/// and end are looked for.
const NO_TABLES: &str = "SECTIONS { /DISCARD/ : { *(EXCLUDE_FILE(*crt*.o) .eh_frame) } } INSERT AFTER .rodata;\n";

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
    let build = commit.map_or_else(|| target.clone(), |commit| format!("{commit}, {target}"));
    println!("cargo:rustc-env=ANVIL_BUILD={build}");
    // The examples are what a benchmark compares with, and a package is without them.
    let examples = Path::new("benches").exists();
    for argument in link_arguments(&target).unwrap_or_default() {
        println!("cargo:rustc-link-arg-bins={argument}");
        if examples {
            println!("cargo:rustc-link-arg-examples={argument}");
        }
    }
}

/// What makes a release for Linux smaller and no slower; `None` where the linker does not know it. Rust's own does.
fn link_arguments(target: &str) -> Option<[String; 2]> {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") {
        return None;
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let (script, source, probe) = (folder.join("no-tables.ld"), folder.join("probe.rs"), folder.join("probe"));
    std::fs::write(&script, NO_TABLES).ok()?;
    std::fs::write(&source, "fn main() {}").ok()?;
    // Functions that are the same, byte for byte, are there once.
    let arguments = ["-Wl,--icf=all".to_owned(), format!("-Wl,-T,{}", script.display())];
    let mut rustc = Command::new(std::env::var_os("RUSTC")?);
    rustc.args(["--target", target, "-C", "panic=abort", "-o"]).arg(probe).arg(source);
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.args(std::env::var("RUSTC_LINKER").map(|linker| format!("-Clinker={linker}")));
    rustc.args(
        std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().split('\x1f').filter(|flag| !flag.is_empty()),
    );
    rustc.output().ok()?.status.success().then_some(arguments)
}

/// What git says in a line; `None` without git, or outside of a checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
