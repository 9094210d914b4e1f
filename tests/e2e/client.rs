//! The real Claude Code client, and the other real programs, run hermetically: an empty environment, a fake
//! HOME, and no network but loopback.
//!
//! Invariants:
//! * The client sees no variable of the tester's environment except PATH, and a proxy that refuses
//!   everything except loopback.
//! * If a client is not installed, the test fails with the command that installs it.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::json;

use crate::mock::Mock;
use crate::process::{Finished, Running};

/// The version that most tests run.
pub(crate) const NEWEST: &str = "2.1.332";

/// The oldest version that Anvil works with.
const OLDEST: &str = "2.1.200";

/// Environment variable: tests that try several clients try the oldest one too, as at night.
const OLD_CLIENTS: &str = "ANVIL_E2E_OLD_CLIENTS";

/// The clients that this run tries.
pub(crate) fn clients() -> impl Iterator<Item = &'static str> {
    let oldest = env::var_os(OLD_CLIENTS).map(|_| OLDEST);
    std::iter::once(NEWEST).chain(oldest)
}

/// The key that every client gets. Only the mock ever sees it.
const KEY: &str = "sk-ant-dummy";

/// The first existing file of these in `node_modules` next to this file, or in the folder that
/// `ANVIL_E2E_CLIENTS` names.
fn installed(name: &str, files: &[&str]) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e");
    let folder =
        env::var_os("ANVIL_E2E_CLIENTS").map_or_else(|| here.join("node_modules"), PathBuf::from);
    let program = files.iter().map(|file| folder.join(file)).find(|path| path.exists());
    program.unwrap_or_else(|| {
        panic!(
            "{name} is not in {}.\nInstall the clients with: npm ci --prefix {}\n(or name the \
             node_modules folder that has them in ANVIL_E2E_CLIENTS)",
            folder.display(),
            here.display()
        )
    })
}

/// The client of this version.
fn claude(version: &str) -> PathBuf {
    installed(&format!("Claude Code {version}"), &[&format!("claude-{version}/bin/claude.exe")])
}

/// A builder of a client's command line.
#[derive(Clone)]
pub(crate) struct Client {
    program: PathBuf,
    project: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: Option<PathBuf>,
}

impl Client {
    /// A client of this version with this HOME, in this project, talking to this mock.
    pub(crate) fn new(version: &str, home: &Path, project: &Path, mock: &Mock) -> Self {
        Self::hermetic(claude(version), home, project)
            .env("ANTHROPIC_BASE_URL", mock.url())
            .env("ANTHROPIC_API_KEY", KEY)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
    }

    /// Codex with this HOME, in this project. Its arguments, not variables, tell it which API to
    /// use.
    pub(crate) fn codex(home: &Path, project: &Path) -> Self {
        Self::hermetic(installed("codex", &[".bin/codex"]), home, project).env("CODEX_API_KEY", KEY)
    }

    /// Gemini or opencode with this HOME, in this project.
    pub(crate) fn other(name: &str, home: &Path, project: &Path) -> Self {
        // The package of opencode needs a script at its installation to find the program.
        let files = [format!(".bin/{name}"), format!("{name}-linux-x64/bin/{name}")];
        let files = files.each_ref().map(String::as_str);
        let files = if name == "opencode" { &files[1..] } else { &files[..1] };
        Self::hermetic(installed(name, files), home, project)
    }

    /// Anvil itself: its agents use this mock, and it looks for them in this folder first.
    pub(crate) fn anvil(home: &Path, project: &Path, programs: &Path, mock: &Mock) -> Self {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(programs.to_owned()).chain(env::split_paths(&inherited));
        let mut anvil = Self::new(NEWEST, home, project, mock)
            .env("PATH", env::join_paths(folders).expect("a PATH"))
            .env("CODEX_API_KEY", KEY)
            .env("GEMINI_API_KEY", KEY)
            .env("GOOGLE_GEMINI_BASE_URL", mock.url());
        anvil.program = env!("CARGO_BIN_EXE_anvil").into();
        anvil
    }

    fn hermetic(program: PathBuf, home: &Path, project: &Path) -> Self {
        let client = Self {
            program,
            project: project.into(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
        };
        let refused = "http://127.0.0.1:9";
        client
            .env("HOME", home)
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("TMPDIR", home)
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("HTTP_PROXY", refused)
            .env("HTTPS_PROXY", refused)
            .env("NO_PROXY", "127.0.0.1")
    }

    /// Sets a variable, or replaces its value.
    pub(crate) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.into()));
        self
    }

    /// Starts in this folder.
    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.project);
        self
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds these arguments.
    pub(crate) fn args(self, args: &[&str]) -> Self {
        args.iter().fold(self, |client, arg| client.arg(*arg))
    }

    /// Sends it this file as standard input.
    pub(crate) fn reading(mut self, file: &Path) -> Self {
        self.stdin = Some(file.into());
        self
    }

    /// Loads the plugin in this folder.
    pub(crate) fn plugin(self, folder: &Path) -> Self {
        self.arg("--plugin-dir").arg(folder)
    }

    /// Runs one prompt without a screen.
    pub(crate) fn prompt(self, text: impl Into<OsString>) -> Self {
        self.arg("-p").arg(text)
    }

    /// Continues the newest conversation of the folder.
    pub(crate) fn continuing(self) -> Self {
        self.arg("--continue")
    }

    /// Prints all events as JSON lines, for [`Finished::notices`].
    pub(crate) fn telling(self) -> Self {
        self.arg("--verbose").arg("--output-format").arg("stream-json")
    }

    /// Starts the conversation under this id.
    pub(crate) fn session(self, id: &str) -> Self {
        self.arg("--session-id").arg(id)
    }

    /// The whole command line, for a program that starts it: `env -i NAME=VALUE … claude ARG …`.
    pub(crate) fn command_line(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec!["env".into(), "-i".into()];
        line.extend(self.env.iter().map(|(name, value)| {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            pair
        }));
        line.push(self.program.clone().into());
        line.extend(self.args.iter().cloned());
        line
    }

    /// The client itself.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A shell that runs this line where the client would run.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", line])
            .env_clear()
            .envs(self.env.iter().cloned())
            .current_dir(&self.project);
        shell
    }

    /// The folder it works in.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Starts it in another folder.
    pub(crate) fn working_in(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.project);
        self
    }

    /// Starts it without waiting.
    pub(crate) fn spawn(self) -> Running {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.project);
        let stdin = self.stdin.map(|file| File::open(file).expect("a file to read").into());
        Running::reading(command, stdin.unwrap_or_else(Stdio::null))
    }

    /// Starts it with an input that the test writes.
    pub(crate) fn spawn_told(self) -> Running {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.project);
        Running::reading(command, Stdio::piped())
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Finished {
        self.spawn().wait()
    }
}

/// Writes the `.claude.json` that makes the screen skip its first-run questions for this project.
pub(crate) fn skip_onboarding(home: &Path, project: &Path) {
    skip_onboarding_of(home, &[project]);
}

/// Does this for several folders before the first client starts: each client rewrites that file.
pub(crate) fn skip_onboarding_of(home: &Path, projects: &[&Path]) {
    let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let name = |project: &&Path| project.to_str().expect("a UTF-8 path").to_owned();
    let projects: serde_json::Map<_, _> =
        projects.iter().map(|project| (name(project), trusted.clone())).collect();
    let known = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": projects,
    });
    fs::write(home.join(".claude.json"), known.to_string()).expect("the fake HOME is writable");
}
