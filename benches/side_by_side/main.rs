//! Agents that take two seconds for each reply: `cargo bench --bench side_by_side`.
//!
//! First the wall time of one debate against its longest chain, the replies of which each waits for
//! the one before. Three rounds, blind openings, three judges: nine replies. The longest chain has
//! six: an opening, four replies, a judge. docs/performance.md has the result.
//!
//! Then debates of three replies, 1 to 200 at once, each in a folder of its own (`--dir`).
//! docs/at-scale.md has the result.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SECONDS: u64 = 2;
const LONGEST_CHAIN: u64 = 6;

/// A side numbers its claims by its own replies.
const SIDE: &str = "n=$(ls $1-* 2>/dev/null | wc -l); n=$((n + 1)); : >$1-$n\n\
    echo \"**$1$n. It is claim $n of $1.** Nobody has said $1$n before [reasoning].\"\n";

const ONE: &str = "echo \"**${1}1. It is so.** Nobody has said $1 before [reasoning].\"\n";

const JUDGE: &str = "cat <<'END'\nWait.\n\n### What to do\n\n1. Wait.\n\n```anvil\n\
    A1 survived: yes\nA2 survived: yes\nA3 survived: yes\n\
    C1 survived: yes\nC2 survived: yes\nC3 survived: yes\nagainst: much\n\
    recommendation: Wait.\nverdict: do not\nconfidence: 60\nrests on: A1\n\
    flips if: it takes 3 days\nunknown: much\n```\nEND\n";

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
    println!(
        "\n| at once | wall s | debates a minute | MB each | CPU s each |\n|--:|--:|--:|--:|--:|"
    );
    for count in [1, 10, 50, 100, 200] {
        let Crowd { took, bytes, cpu } = crowd(count);
        let (took, each) = (took.as_secs_f64(), f64::from(count));
        println!(
            "| {count} | {took:.1} | {:.0} | {:.1} | {:.2} |",
            each / took * 60.0,
            bytes / each / 1e6,
            cpu / each
        );
    }
}

/// What debates at once took.
struct Crowd {
    took: Duration,
    /// Memory of Anvil's own processes, at most; shared pages count once.
    bytes: f64,
    /// With that of the agents, which are shells.
    cpu: f64,
}

/// Argues this many debates at once.
fn crowd(count: u32) -> Crowd {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let folder = temp.path();
    // Of the claims there are two.
    let is_there =
        |line: &&str| ["A2 ", "A3 ", "C2 ", "C3 "].iter().all(|id| !line.starts_with(id));
    let judge: Vec<&str> = JUDGE.lines().filter(is_there).collect();
    for (name, text) in [("side.sh", ONE), ("judge.sh", &(judge.join("\n") + "\n"))] {
        let script = format!("cat >/dev/null\nsleep {SECONDS}\n{text}");
        fs_err::write(folder.join(name), script).expect("a script");
    }
    let agent = |script: &str| format!("cmd:/bin/sh {}", folder.join(script).display());
    let before = cpu();
    let began = Instant::now();
    let mut runs: Vec<Child> = (0..count)
        .map(|number| {
            let mut run = anvil(folder);
            run.args(["run", "Why?", "--rounds", "1"]).arg(format!("--dir=../{number}"));
            run.args(["--advocate", &(agent("side.sh") + " A")]);
            run.args(["--critic", &(agent("side.sh") + " C"), "--synthesizer", &agent("judge.sh")]);
            run.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program runs")
        })
        .collect();
    let mut bytes: f64 = 0.0;
    while runs.iter_mut().any(|run| run.try_wait().expect("its state").is_none()) {
        bytes = bytes.max(memory());
        std::thread::sleep(Duration::from_millis(500));
    }
    let took = began.elapsed();
    for mut run in runs {
        assert!(run.wait().expect("its end").success(), "a debate failed");
    }
    Crowd { took, bytes, cpu: cpu() - before }
}

/// Seconds that ended children took, with theirs.
fn cpu() -> f64 {
    let stat = fs_err::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    // Hundredths of a second: cutime and cstime.
    fields[14..=15].iter().map(|ticks| ticks.parse::<f64>().expect("a number") / 100.0).sum()
}

/// The memory of all processes of the program, in bytes.
fn memory() -> f64 {
    let program = Path::new(env!("CARGO_BIN_EXE_anvil"));
    let processes = fs_err::read_dir("/proc").expect("Linux").flatten();
    let own = processes
        .map(|entry| entry.path())
        .filter(|process| std::fs::read_link(process.join("exe")).is_ok_and(|exe| exe == program));
    let proportional = |process: std::path::PathBuf| {
        let maps = std::fs::read_to_string(process.join("smaps_rollup")).ok()?;
        let line = maps.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim();
        line.strip_suffix(" kB")?.parse::<f64>().ok()
    };
    own.filter_map(proportional).sum::<f64>() * 1024.0
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
