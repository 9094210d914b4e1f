//! The wall time of a debate whose agents take two seconds for each reply, against its longest
//! chain: the replies of which each waits for the one before. `cargo bench --bench side_by_side`.
//!
//! Three rounds, blind openings, three judges: nine replies. The longest chain has six: an opening,
//! four replies, a judge. docs/performance.md has the result.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const SECONDS: u64 = 2;
const LONGEST_CHAIN: u64 = 6;

/// A side numbers its claims by its own replies.
const SIDE: &str = "n=$(ls $1-* 2>/dev/null | wc -l); n=$((n + 1)); : >$1-$n\n\
    echo \"**$1$n. It is claim $n of $1.** Nobody has said $1$n before [reasoning].\"\n";

const JUDGE: &str = "cat <<END\n**Recommendation:** Wait.\n\n**Verdict:** depends\n\n\
    **Rests on:** A1\n\n**Confidence:** 60 %\n\n**Would flip if:** so.\n\n**Still unknown:** much.\n\n\
    ### What survived\n\n- **A1** survived: yes.\n- **A2** survived: yes.\n- **A3** survived: yes.\n\
    - **C1** survived: yes.\n- **C2** survived: yes.\n- **C3** survived: yes.\n\n\
    ### What to do\n\n1. Wait.\nEND\n";

fn main() {
    let names: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if !names.is_empty() && !names.iter().any(|name| "side_by_side".contains(name.as_str())) {
        return;
    }
    println!("| jobs | wall s | longest chain s | ratio |\n|---|--:|--:|--:|");
    for jobs in [Some("1"), None] {
        let took = debate(jobs).as_secs_f64();
        let chain = f64::from(u32::try_from(SECONDS * LONGEST_CHAIN).unwrap_or(u32::MAX));
        println!("| {} | {took:.1} | {chain:.0} | {:.2} |", jobs.unwrap_or("4"), took / chain);
    }
}

/// Argues a debate with this `--jobs`; returns its wall time.
fn debate(jobs: Option<&str>) -> Duration {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let folder = temp.path();
    for (name, text) in [("side.sh", SIDE), ("judge.sh", JUDGE)] {
        let script = format!("cd {}\ncat >/dev/null\nsleep {SECONDS}\n{text}", folder.display());
        fs_err::write(folder.join(name), script).expect("a script");
    }
    let agent = |script: &str| format!("cmd:/bin/sh {}", folder.join(script).display());
    let seats = [
        ("--advocate", agent("side.sh") + " A"),
        ("--critic", agent("side.sh") + " C"),
        ("--synthesizer", agent("judge.sh")),
    ];
    let mut run = anvil(folder);
    run.args(["run", "Why?", "--rounds", "3", "--early-end=no", "--blind", "--judges", "3"]);
    for (seat, agent) in seats {
        run.args([seat, agent.as_str()]);
    }
    run.args(jobs.map(|jobs| ["--jobs", jobs]).into_iter().flatten());
    let began = Instant::now();
    let done = run.output().expect("the program runs");
    let took = began.elapsed();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    took
}

fn anvil(folder: &Path) -> Command {
    let project = folder.join("project");
    fs_err::create_dir_all(&project).expect("a project");
    let mut anvil = Command::new(env!("CARGO_BIN_EXE_anvil"));
    anvil.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).current_dir(project);
    anvil
}
