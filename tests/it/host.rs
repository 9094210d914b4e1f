//! A host for the program: plays Claude Code and a shell, in a home and a project of its own, on a clock of its own.

use std::cell::Cell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anvil::state::StateFile;
use anvil::transcript::{self, Section};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Between two runs of the program, on the host's clock.
const STEP_SECONDS: i64 = 10;

pub(crate) struct Host {
    temp: TempDir,
    project: PathBuf,
    clock: Cell<i64>,
    env: Vec<(String, String)>,
}

/// What the hook answered.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) Value);

impl Answer {
    pub(crate) fn is_silent(&self) -> bool {
        self.0.is_null()
    }

    /// The line for the person.
    pub(crate) fn said(&self) -> &str {
        self.0["systemMessage"].as_str().unwrap_or_default()
    }

    /// What Claude is told: an opening or a cue.
    pub(crate) fn told(&self) -> &str {
        self.0["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .or_else(|| self.0["reason"].as_str())
            .unwrap_or_default()
    }

    /// The text of a prompt that ended without a request.
    pub(crate) fn ended(&self) -> &str {
        assert!(self.0["stopReason"].is_null() || self.0["continue"] == json!(false));
        self.0["stopReason"].as_str().unwrap_or_default()
    }
}

/// What the command line printed.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Host {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("project");
        fs_err::create_dir_all(&project).unwrap();
        fs_err::create_dir_all(temp.path().join("home")).unwrap();
        let env = vec![("AI_AGENT".into(), "claude-code_2-1-329_harness".into())];
        Self { temp, project, clock: Cell::new(1_795_230_000), env }
    }

    /// Sets a variable of the environment; an empty value takes it out.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.env.push((name.into(), value.into()));
        }
        self
    }

    /// The host with a started debate of session `one`.
    pub(crate) fn debating(self, typed: &str) -> Self {
        let answer = self.prompt("one", &format!("/anvil:debate {typed}"));
        assert!(answer.told().contains("Anvil debate protocol"), "{answer:?}");
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.project
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    /// A path beside home and project.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.project.join(relative)
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.path(".claude/anvil-state.local.md")
    }

    pub(crate) fn state_text(&self) -> String {
        fs_err::read_to_string(self.state_path()).unwrap()
    }

    pub(crate) fn state(&self) -> StateFile {
        StateFile::parse(&self.state_text()).unwrap()
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        transcript::parse(&self.state().body)
    }

    /// The value of a line of the head, as it is written.
    pub(crate) fn head(&self, key: &str) -> String {
        let text = self.state_text();
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("no {key} in\n{text}")).to_owned()
    }

    /// Rewrites the state file by hand.
    pub(crate) fn edit(&self, from: &str, to: &str) {
        let text = self.state_text();
        assert!(text.contains(from), "{from} is not in\n{text}");
        fs_err::write(self.state_path(), text.replace(from, to)).unwrap();
    }

    /// Moves the clock.
    pub(crate) fn wait(&self, seconds: i64) {
        self.clock.set(self.clock.get() + seconds);
    }

    /// A moment before the next run.
    pub(crate) fn just_now(&self) -> String {
        jiff::Timestamp::from_second(self.clock.get() - 1).unwrap().to_string()
    }

    fn command(&self, arguments: &[&str], cwd: &Path) -> Command {
        let now = jiff::Timestamp::from_second(self.clock.get()).unwrap();
        self.wait(STEP_SECONDS);
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
        command.args(arguments).current_dir(cwd).env_clear().env("HOME", self.home()).env("ANVIL_NOW", now.to_string());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Sends raw bytes to the hook; it exits with 0 whatever they are.
    pub(crate) fn hook_raw(&self, input: &[u8], cwd: &Path, project: Option<&Path>) -> Answer {
        let mut command = self.command(&["hook"], cwd);
        if let Some(project) = project {
            command.env("CLAUDE_PROJECT_DIR", project);
        }
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        if output.stdout.is_empty() {
            Answer(Value::Null)
        } else {
            Answer(serde_json::from_slice(&output.stdout).unwrap())
        }
    }

    /// Sends an event of a client that runs in the project.
    pub(crate) fn event(&self, session: &str, name: &str, fields: &Value) -> Answer {
        self.event_at(session, name, fields, &self.project, Some(&self.project))
    }

    /// The same from another folder, or of a client that does not name its project.
    pub(crate) fn event_at(
        &self,
        session: &str,
        name: &str,
        fields: &Value,
        cwd: &Path,
        project: Option<&Path>,
    ) -> Answer {
        let mut event = json!({ "session_id": session, "hook_event_name": name, "cwd": cwd });
        for (key, value) in fields.as_object().unwrap() {
            event[key] = value.clone();
        }
        self.hook_raw(event.to_string().as_bytes(), cwd, project)
    }

    pub(crate) fn prompt(&self, session: &str, prompt: &str) -> Answer {
        self.event(session, "UserPromptSubmit", &json!({ "prompt": prompt }))
    }

    pub(crate) fn stop(&self, session: &str, reply: &str) -> Answer {
        self.event(session, "Stop", &json!({ "last_assistant_message": reply, "stop_hook_active": true }))
    }

    /// A prompt in a turn that the client names.
    pub(crate) fn prompt_in(&self, turn: &str, prompt: &str) -> Answer {
        self.event("one", "UserPromptSubmit", &json!({ "prompt": prompt, "prompt_id": turn }))
    }

    /// A stop in a turn that the client names.
    pub(crate) fn stop_in(&self, turn: &str, reply: &str) -> Answer {
        self.event("one", "Stop", &json!({ "last_assistant_message": reply, "prompt_id": turn }))
    }

    pub(crate) fn session_start(&self, session: &str, source: &str) -> Answer {
        self.event(session, "SessionStart", &json!({ "source": source }))
    }

    pub(crate) fn session_end(&self, session: &str) -> Answer {
        self.event(session, "SessionEnd", &json!({ "reason": "other" }))
    }

    /// Runs the command line in the project.
    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        self.run_at(arguments, &self.project)
    }

    pub(crate) fn run_at(&self, arguments: &[&str], cwd: &Path) -> Printed {
        let output = self.command(arguments, cwd).output().unwrap();
        Printed {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Every file below the project, with its content.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        fn walk(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
            for entry in fs_err::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, found);
                } else {
                    found.push((path.clone(), fs_err::read(&path).unwrap()));
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.project, &mut found);
        found.sort();
        found
    }
}
