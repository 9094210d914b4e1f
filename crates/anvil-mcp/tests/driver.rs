//! A client that handles MCP as plain lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anvil_store::StateFile;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that takes longer hangs.
const HANGS: Duration = Duration::from_mins(1);

/// The program of the hooks, which `cargo build` puts beside the server.
pub(crate) fn anvil() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_anvil-mcp")).with_file_name("anvil");
    assert!(path.is_file(), "there is no {}: run cargo build first", path.display());
    path
}

/// A project with its own home.
pub(crate) struct Place {
    temp: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let temp = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
            .unwrap();
        fs_err::create_dir_all(temp.path().join("home/.claude")).unwrap();
        fs_err::create_dir_all(temp.path().join("project")).unwrap();
        Self { temp }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.temp.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.project().join(".claude/anvil-state.local.md")
    }

    pub(crate) fn state(&self) -> StateFile {
        StateFile::parse(&fs_err::read_to_string(self.state_file()).unwrap()).unwrap()
    }

    /// The saved replies.
    pub(crate) fn replies(&self) -> Vec<String> {
        anvil_core::transcript::parse(&self.state().body)
            .replies()
            .map(|(_, entry)| entry.text.clone())
            .collect()
    }

    /// Runs the program of the hooks.
    pub(crate) fn anvil(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(anvil());
        command.args(arguments).current_dir(self.project()).env_clear().env("HOME", self.home());
        command.env("AI_AGENT", "claude-code_2-1-332_harness");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A server before the handshake.
    pub(crate) fn silent(&self) -> Client {
        Self::started(&mut self.server(&self.project()))
    }

    /// The command of a server in a folder.
    pub(crate) fn server(&self, folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil-mcp"));
        command.current_dir(folder).env_clear().env("HOME", self.home());
        command
    }

    fn started(command: &mut Command) -> Client {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client { child, input, lines, last: 0, told: Vec::new() }
    }

    /// This server, after the handshake.
    pub(crate) fn client_of(command: &mut Command) -> Client {
        let mut client = Self::started(command);
        client.greet();
        client
    }

    /// A server after the handshake.
    pub(crate) fn client(&self) -> Client {
        let mut client = self.silent();
        client.greet();
        client
    }
}

/// The peak memory of a process, in KiB.
pub(crate) fn peak_kib(child: &Child) -> u64 {
    let status = fs_err::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    last: i64,
    /// Notifications and other answers that arrived in between.
    pub(crate) told: Vec<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    pub(crate) fn greet(&mut self) {
        self.greet_as("driver");
    }

    /// Introduces itself, and returns the server's answer.
    pub(crate) fn greet_as(&mut self, name: &str) -> Value {
        self.greet_in("2025-06-18", name)
    }

    /// Introduces itself in a version of the protocol.
    pub(crate) fn greet_in(&mut self, version: &str, name: &str) -> Value {
        let greeting = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": name, "version": "1" } });
        let answer = self.ask("initialize", &greeting);
        assert_eq!(answer["result"]["serverInfo"]["name"], "anvil", "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer
    }

    /// A raw line. False: the server is gone.
    pub(crate) fn send(&mut self, line: &str) -> bool {
        self.send_bytes(line.as_bytes())
    }

    pub(crate) fn send_bytes(&mut self, line: &[u8]) -> bool {
        self.input.write_all(&[line, b"\n"].concat()).and_then(|()| self.input.flush()).is_ok()
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) -> i64 {
        self.last += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params })
                .to_string(),
        );
        self.last
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        if let Some(at) = self.told.iter().position(|message| message["id"] == id) {
            return self.told.remove(at);
        }
        loop {
            let line = self
                .lines
                .recv_timeout(HANGS)
                .unwrap_or_else(|error| panic!("no answer to {id}: {error}"));
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
            self.told.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool; returns the whole result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer["error"].is_null(), "{tool} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed.
    pub(crate) fn call_ok(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// Calls a tool that must refuse; returns its message with its hint.
    pub(crate) fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("hint: "), "{text}");
        text
    }

    /// The server's peak memory, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        peak_kib(&self.child)
    }

    /// The next line, whatever it is.
    pub(crate) fn next_line(&mut self) -> Value {
        let line = self.lines.recv_timeout(HANGS).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Says that the answer to a request is not wanted any more.
    pub(crate) fn cancel(&mut self, id: i64) {
        let params = json!({ "requestId": id });
        let line =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        self.send(&line.to_string());
    }

    /// A part of a line.
    pub(crate) fn send_part(&mut self, part: &[u8]) {
        self.input.write_all(part).unwrap();
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The client disconnects normally; returns the server's exit status.
    pub(crate) fn leave(mut self) -> Option<i32> {
        let child = &mut self.child;
        drop(std::mem::replace(
            &mut self.input,
            Command::new("true").stdin(Stdio::piped()).spawn().unwrap().stdin.unwrap(),
        ));
        child.wait().unwrap().code()
    }
}

/// The reply of this task's seat, in the required form.
pub(crate) fn reply(task: &str) -> String {
    let number = task.rsplit('-').next().unwrap();
    match task {
        task if task.starts_with("advocate") => {
            format!("**A{number}. {task} says yes.** [opinion] It is so.")
        }
        task if task.starts_with("critic") => {
            format!("**C{number}. {task} says no.** attacks A{number}: it is not so.")
        }
        task if task.starts_with("voice") => {
            format!("**S{number}.1. {task} wants it.** [opinion] It is so.")
        }
        _ => "A1 decides.\n\n### What to do\n\n1. Do it.\n\n```anvil\nmotion: move\n\
              A1 survived: it stands\nC1 fell: it does not\nagainst: C1 in part\n\
              recommendation: Do it.\nverdict: do\nconfidence: 70\nrests on: A1\n\
              flips if: it breaks 3 times\nunknown: how often it breaks\n```"
            .to_owned(),
    }
}
