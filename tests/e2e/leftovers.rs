//! What the real programs start with their tools, and that nothing of it outlives their attempt: a
//! shell in the background, a daemon, and an MCP server with a child.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use crate::client::{Client, NEWEST};
use crate::mock::{Answer, Block, Gate, Mock, Request};
use crate::process::Running;

/// What the program starts, and the word in its command line by which it is found.
const LEFT: [(&str, &str); 3] =
    [("shell", "sleep\x00411."), ("daemon", "sleep\x00412."), ("server's child", "sleep\x00413.")];

struct Desk {
    root: TempDir,
    mock: Mock,
    /// The digits that make this desk's processes differ from others.
    mark: String,
}

impl Desk {
    fn new(program: &'static str, mark: &str) -> Self {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        let number = mark.to_owned();
        let model = move |request: &Request| answer(program, request, &number);
        let desk = Self { mock: Mock::of_seats(model), mark: mark.to_owned(), root };
        for folder in ["home", "work", "bin"] {
            fs::create_dir(desk.at(folder)).expect("a fresh folder");
        }
        let server = Path::new(env!("CARGO_BIN_EXE_anvil")).with_file_name("anvil-mcp");
        let server = format!("sleep 413.{mark} & exec {}", server.display());
        let servers = json!({"mcpServers": {"left": {"command": "sh", "args": ["-c", server]}}});
        fs::write(desk.at("servers.json"), servers.to_string()).expect("a fresh file");
        let (home, work) = (desk.at("home"), desk.at("work"));
        let words = match program {
            "claude" => format!(
                "'{}' -p --allowedTools Bash --mcp-config '{}'",
                Client::new(NEWEST, &home, &work, &desk.mock).program().display(),
                desk.at("servers.json").display()
            ),
            _ => format!(
                "'{}' exec - --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
                 -c 'model_providers.once={{name=\"OpenAI\", requires_openai_auth=true, \
                 wire_api=\"responses\", base_url=\"{}/v1\", supports_websockets=false}}' \
                 -c model_provider=once -c 'mcp_servers.left.command=\"sh\"' \
                 -c 'mcp_servers.left.args=[\"-c\", \"{server}\"]'",
                Client::codex(&home, &work).program().display(),
                desk.mock.url()
            ),
        };
        let path = desk.agent();
        fs::write(&path, format!("#!/bin/sh\nexec {words}\n")).expect("a fresh file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our file");
        desk
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn agent(&self) -> PathBuf {
        self.at("bin/tooled")
    }

    fn run(&self, words: &[&str]) -> Running {
        let (home, work, bin) = (self.at("home"), self.at("work"), self.at("bin"));
        Client::anvil(&home, &work, &bin, &self.mock)
            .env("ANVIL_RETRY_DELAYS", "0,0,0")
            .args(&["run"])
            .args(words)
            .spawn()
    }

    /// What runs of all that the program has started, after at most this time.
    fn left_after(&self, most: Duration) -> Vec<&'static str> {
        let began = Instant::now();
        loop {
            let left = LEFT.iter().filter(|(_, word)| runs(&format!("{word}{}", self.mark)));
            let left: Vec<&str> = left.map(|(name, _)| *name).collect();
            if left.is_empty() || began.elapsed() > most {
                return left;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for (_, word) in LEFT {
            for pid in running(&format!("{word}{}", self.mark)) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// Starts a shell in the background and a daemon, each in a turn of its own, and then never ends
/// its reply. The second attempt fails at once.
fn answer(program: &str, request: &Request, mark: &str) -> Answer {
    let shell = format!("sleep 411.{mark}");
    let daemon = format!("setsid -f sleep 412.{mark}; sleep 0.5");
    let bash = |command: &str, is_background: bool| {
        Block::Tool(
            "Bash",
            json!({"command": command, "description": "Waits", "run_in_background": is_background}),
        )
    };
    let exec =
        |command: &str| Block::Tool("exec_command", json!({"cmd": command, "yield_time_ms": 1000}));
    match (program, request.number) {
        ("claude", 1) => Answer::blocks(vec![bash(&shell, true)]),
        ("claude", 2) => Answer::blocks(vec![bash(&daemon, false)]),
        ("codex", 1) => Answer::blocks(vec![exec(&shell)]),
        ("codex", 2) => Answer::blocks(vec![exec(&daemon)]),
        (_, 3) => Answer::text("**A1. The harbour silts up.**").held(&Gate::default()),
        _ => Answer::error(401),
    }
}

fn running(word: &str) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").expect("proc").flatten();
    let has_it = |path: &Path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        line.windows(word.len()).any(|part| part == word.as_bytes())
    };
    let pids = entries.filter(|entry| has_it(&entry.path()));
    pids.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn runs(word: &str) -> bool {
    !running(word).is_empty()
}

/// Whether all that a program has started has ended when Ctrl-C, or else the limit of time, has
/// ended its attempt.
fn nothing_is_left(program: &'static str, is_stopped: bool, mark: &str) {
    let desk = Desk::new(program, mark);
    let agent = format!("cmd:{}", desk.agent().display());
    let words = ["Should we?", "--agent", &agent, "--rounds", "1", "--max-reply", "10s"];
    let run = desk.run(&words);
    desk.mock.wait_until("the third request", Duration::from_mins(1), |log| log.len() >= 3);
    assert_eq!(
        desk.left_after(Duration::from_millis(500)),
        LEFT.map(|(name, _)| name),
        "{program}"
    );
    if is_stopped {
        run.signal(Signal::INT);
    }
    let done = run.wait();
    let left = desk.left_after(Duration::from_secs(2));
    assert!(left.is_empty(), "{program}, {is_stopped}: {left:?} {done:#?}");
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn nothing_that_a_program_started_outlives_its_attempt() {
    for (at, program) in ["claude", "codex"].into_iter().enumerate() {
        nothing_is_left(program, true, &format!("{at}1"));
        nothing_is_left(program, false, &format!("{at}2"));
    }
}
