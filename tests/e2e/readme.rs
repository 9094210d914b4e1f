//! The README's shell commands, run as written, from top to bottom, in a fresh copy of the
//! repository with an empty HOME. Only the two that share a debug build are left to `.ci/run`, and
//! only the toolchain is the machine's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::client::{Client, NEWEST};
use crate::model::Manner;
use crate::world::World;

/// Run by `.ci/run` from nothing.
const LEFT_TO_CI: [&str; 2] = ["cargo run -- demo", "cargo test"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of the fenced `sh` blocks, in their order.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme
        .split("\n```sh\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap_or_default());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// Copies the files of this repository that git knows, as they are now.
fn copy_repository(to: &Path) {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(here())
        .output()
        .expect("git runs");
    assert!(listed.status.success(), "{listed:?}");
    for name in String::from_utf8(listed.stdout).expect("UTF-8 names").split_terminator('\0') {
        let (from, target) = (here().join(name), to.join(name));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a fresh folder");
        match fs::read_link(&from) {
            Ok(link) => std::os::unix::fs::symlink(link, target).expect("a fresh name"),
            // A file that is deleted here but not committed yet.
            Err(_) if !from.exists() => {}
            Err(_) => drop(fs::copy(from, target).expect("space")),
        }
    }
}

/// A newcomer's shell, in which `claude` is this client.
struct Shell<'world> {
    world: &'world World,
    clone: PathBuf,
}

impl Shell<'_> {
    fn run(&self, client: &Client, line: &str) -> String {
        let bin = self.world.outside().join("bin");
        fs::create_dir_all(&bin).expect("a fresh folder");
        let claude = bin.join("claude");
        if claude.is_symlink() {
            fs::remove_file(&claude).expect("it is ours");
        }
        std::os::unix::fs::symlink(client.program(), claude).expect("a fresh name");
        let mut shell = client.shell(line);
        let kept = |name: &str, below: &str| {
            let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
            std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from)
        };
        let path = std::env::var("PATH").expect("a PATH");
        shell.env("PATH", format!("{}:{path}", bin.display())).env("CARGO_NET_OFFLINE", "true");
        shell
            .env("CARGO_HOME", kept("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", kept("RUSTUP_HOME", ".rustup"));
        // Its own copy: other tests run programs of this repository's build.
        shell.env("CARGO_TARGET_DIR", here().join("target/newcomer")).current_dir(&self.clone);
        let output = shell.output().expect("a shell");
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success(), "{line}\n{said}");
        said
    }
}

#[test]
#[ignore = "builds the release and runs the real Claude Code client; .ci/run does"]
fn the_readme_commands_lead_from_clone_to_report() {
    let world = World::new(Manner::default());
    let clone = world.project();
    copy_repository(&clone);
    let readme = fs::read_to_string(clone.join("README.md")).expect("the README");
    let shell = Shell { world: &world, clone: clone.clone() };
    let lines = commands(&readme);
    for line in &lines {
        let command = line.split(" #").next().unwrap_or_default().trim();
        if LEFT_TO_CI.contains(&command) {
            let ci = fs::read_to_string(here().join(".ci/run")).expect("the checks");
            assert!(ci.lines().any(|step| step == command), ".ci/run does not run `{command}`");
            continue;
        }
        let said = shell.run(&world.bare_client(NEWEST), line);
        match line.as_str() {
            line if line.contains(" install") => assert!(said.contains("nstalled"), "{said}"),
            line if line.contains(" run --quiet ") => assert!(said.contains("% sure"), "{said}"),
            line if line.ends_with(" status --json") => {
                assert!(said.contains("Should we write our own job queue?"), "{said}");
            }
            _ => {}
        }
    }
    let report = fs::read_to_string(clone.join("report.html"))
        .expect("the README's last step leaves a report");
    assert!(report.contains("Should we write our own job queue?"));
    // Checks which commands ran, so that an edit cannot empty this test.
    for step in ["-- demo", "cargo test", "-- install", "run --quiet", "report --format html"] {
        assert!(lines.iter().any(|line| line.contains(step)), "the README no longer tells: {step}");
    }
    let before = world.replies().len();
    world.bare_client(NEWEST).prompt("/anvil:debate Does it load? --rounds 1").run().ok();
    assert_eq!(world.replies().len(), before + 3, "the client loads what the README installs");
}
