//! A host for the program: acts as Claude Code and as a shell, with its own home, project and
//! clock.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Duration;

use anvil_core::ledger::Ledger;
use anvil_core::place::Seat;
use anvil_core::transcript::{self, Entry};
use anvil_messages::Door;
use anvil_store::StateFile;
use anvil_system::world::World;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The time between two runs of the program, on the host's clock.
const STEP_SECONDS: i64 = 10;

/// A run that takes longer hangs, or its time is quadratic in its input; every case needs a few
/// seconds at most.
const HANGS: Duration = Duration::from_mins(1);

/// The variable by which a client names itself to its hooks.
pub const CLIENT: (&str, &str) = ("AI_AGENT", "claude-code_2-1-332_harness");

/// A synthesis for a debate without claims.
pub const WHOLE: &str = "S.\n\n```anvil\nmotion: do it\nagainst: what was not measured\nrecommendation: Do \
    it.\nverdict: do\nconfidence: 80\nrests on: nothing\nflips if: more than 5 fail\nunknown: how \
    many there are\n```";

pub struct Host {
    temp: TempDir,
    project: PathBuf,
    /// The time of the next run, in seconds.
    pub clock: Cell<i64>,
    env: Vec<(String, String)>,
    wrapper: Vec<String>,
    program: PathBuf,
}

/// The hook's answer.
#[derive(Debug)]
pub struct Answer(pub Value);

impl Answer {
    pub fn is_silent(&self) -> bool {
        self.0.is_null()
    }

    /// What the user reads: `systemMessage`.
    pub fn message(&self) -> &str {
        self.0["systemMessage"].as_str().unwrap_or_default()
    }

    /// What Claude reads, an opening or a cue: `additionalContext`.
    pub fn context(&self) -> &str {
        self.0["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
    }

    /// What the user reads of a command or a prompt that costs no request: `reason`.
    pub fn reason(&self) -> &str {
        if self.0["decision"] == json!("block") {
            let specific = &self.0["hookSpecificOutput"];
            assert_eq!(specific["suppressOriginalPrompt"], json!(true), "{self:?}");
            assert!(self.0["continue"].is_null() && self.0["systemMessage"].is_null(), "{self:?}");
            return self.0["reason"].as_str().unwrap_or_default();
        }
        assert!(self.0["stopReason"].is_null() || self.0["continue"] == json!(false));
        let reason = self.0["stopReason"].as_str().unwrap_or_default();
        // It begins on a line of its own.
        reason.strip_prefix('\n').unwrap_or_else(|| {
            assert_eq!(reason, "");
            reason
        })
    }
}

/// The output of the command line.
#[derive(Debug)]
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// The JSON on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A program of this build: it lies one folder above the test.
pub fn built_program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.is_file(), "there is no {}: run cargo build first", path.display());
    path
}

/// The program under test: this build's, or the one that `ANVIL_TESTED` names.
pub fn tested_program() -> PathBuf {
    std::env::var_os("ANVIL_TESTED").map_or_else(|| built_program("anvil"), PathBuf::from)
}

/// The folder for a test's files: in memory if there is room and programs may run there. A flush
/// took 19 ms on a disk and 0.04 ms in memory; an event of a debate has up to ten.
pub fn temp_folder() -> PathBuf {
    #[cfg(target_os = "linux")]
    if let Ok(memory) = nix::sys::statvfs::statvfs("/dev/shm") {
        let free = memory.blocks_available() * memory.fragment_size();
        let runs = !memory.flags().contains(nix::sys::statvfs::FsFlags::ST_NOEXEC);
        if runs && free >= 1 << 30 {
            return "/dev/shm".into();
        }
    }
    std::env::temp_dir()
}

/// The system's folders, and last the one of the program under test: a shell finds it.
fn usual_path() -> OsString {
    let folders = ["/usr/local/bin", "/bin", "/usr/bin"].map(PathBuf::from);
    let own = tested_program().parent().unwrap().to_owned();
    std::env::join_paths(folders.into_iter().chain([own])).unwrap()
}

/// The program with only a project, a home and a client.
pub fn program(project: &Path, home: &Path) -> Command {
    let mut command = Command::new(tested_program());
    command.current_dir(project).env_clear().env("HOME", home).env("PATH", usual_path());
    command.env(CLIENT.0, CLIENT.1);
    command
}

/// A client's event, in its own JSON. A command that is submitted is the event of its expansion.
pub fn event(session: &str, name: &str, fields: &Value, cwd: &Path) -> Vec<u8> {
    let Some((command, arguments)) = command(name, fields) else {
        return raw_event(session, name, fields, cwd);
    };
    let mut fields = fields.clone();
    fields["expansion_type"] = json!("slash_command");
    fields["command_source"] = json!("plugin");
    fields["command_name"] = json!(command);
    fields["command_args"] = json!(arguments);
    raw_event(session, "UserPromptExpansion", &fields, cwd)
}

/// The command of a typed line, such as `anvil:debate`, and its arguments.
fn command<'a>(event: &str, fields: &'a Value) -> Option<(&'a str, &'a str)> {
    let line = fields["prompt"].as_str().filter(|_| event == "UserPromptSubmit")?;
    let line = line.trim().strip_prefix('/').filter(|line| line.starts_with("anvil:"))?;
    Some(line.split_once(char::is_whitespace).unwrap_or((line, "")))
}

/// An event with exactly this name.
pub fn raw_event(session: &str, name: &str, fields: &Value, cwd: &Path) -> Vec<u8> {
    let mut event = json!({ "session_id": session, "hook_event_name": name, "cwd": cwd });
    for (key, value) in fields.as_object().unwrap() {
        event[key] = value.clone();
    }
    event.to_string().into_bytes()
}

impl Host {
    pub fn new() -> Self {
        Self::in_project("project")
    }

    /// The host of a project whose folder has this name.
    pub fn in_project(name: impl AsRef<OsStr>) -> Self {
        let temp = tempfile::tempdir_in(temp_folder()).unwrap();
        let project = temp.path().join(name.as_ref());
        fs_err::create_dir_all(&project).unwrap();
        fs_err::create_dir_all(temp.path().join("home")).unwrap();
        let env = vec![(CLIENT.0.into(), CLIENT.1.into())];
        let program = tested_program();
        let clock = Cell::new(1_795_230_000);
        Self { temp, project, clock, env, wrapper: Vec::new(), program }
    }

    /// Moves the project to another folder.
    #[cfg(unix)]
    pub fn at(mut self, project: &Path) -> Self {
        project.clone_into(&mut self.project);
        self
    }

    /// Runs the program through another one, such as `sh -c 'ulimit …; exec "$0" "$@"'`; an empty
    /// list stops that.
    #[cfg(unix)]
    pub fn through(mut self, wrapper: &[&str]) -> Self {
        self.wrapper = wrapper.iter().map(|&word| word.to_owned()).collect();
        self
    }

    /// Runs a copy of the program next to home and project, where another user can read it.
    #[cfg(unix)]
    pub fn with_own_program(mut self) -> Self {
        self.program = self.outside("anvil");
        // A process of its own copies: what another thread starts meanwhile inherits the open file
        // of this one, and Linux refuses to run a file that is open for writing.
        let copied = Command::new("cp").arg(built_program("anvil")).arg(&self.program).status();
        assert!(copied.unwrap().success());
        self
    }

    /// Sets an environment variable; an empty value removes it.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.env.push((name.into(), value.into()));
        }
        self
    }

    /// Sets PATH to these folders and that of the program under test.
    #[cfg(unix)]
    pub fn with_path(self, folders: &str) -> Self {
        self.with("PATH", &format!("{folders}:{}", tested_program().parent().unwrap().display()))
    }

    /// The host with a started debate of session `one`.
    pub fn debating(self, typed: &str) -> Self {
        let answer = self.prompt("one", &format!("/anvil:debate {typed}"));
        assert!(answer.context().contains("Anvil debate protocol"), "{answer:?}");
        self
    }

    pub fn root(&self) -> &Path {
        &self.project
    }

    pub fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    /// A path next to home and project.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.project.join(relative)
    }

    /// The records of this user.
    pub fn records(&self) -> PathBuf {
        self.home().join(".claude/anvil.local")
    }

    /// The folder of a debate in the records.
    pub fn debate_folder(&self, id: &str) -> PathBuf {
        self.records().join("debates").join(id)
    }

    /// The folder of the debate whose file is here.
    pub fn debate_folder_here(&self) -> PathBuf {
        self.debate_folder(&self.state().debate.id)
    }

    /// The texts that were put aside of the debate whose file is here.
    pub fn aside_here(&self) -> PathBuf {
        self.debate_folder_here().join("aside")
    }

    /// The texts that were put aside of all debates, with their contents.
    pub fn aside_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        self.record_files("aside")
    }

    /// What the records keep of all debates, as one text: the texts put aside, and the newest
    /// snapshots.
    pub fn kept_text(&self) -> String {
        let debates = fs_err::read_dir(self.records().join("debates")).into_iter().flatten();
        let newest = debates.filter_map(|debate| {
            let id = debate.unwrap().file_name().into_string().unwrap();
            let is_one = |(path, _): &(PathBuf, Vec<u8>)| {
                path.file_name().unwrap().as_encoded_bytes().starts_with(b"0")
            };
            files(&self.debate_folder(&id)).into_iter().filter(is_one).max()
        });
        let texts = self.aside_files().into_iter().chain(newest);
        texts.map(|(_, text)| String::from_utf8_lossy(&text).into_owned()).collect()
    }

    /// The newest snapshot of a debate.
    pub fn snapshot(&self, id: &str) -> PathBuf {
        let is_one =
            |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes().starts_with(b"0");
        let all = files(&self.debate_folder(id)).into_iter().map(|(path, _)| path);
        all.filter(is_one).max().expect("a snapshot")
    }

    /// The files below `debates/*/FOLDER`, or those of that name, with their contents.
    pub fn record_files(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.records().join("debates");
        let is_it = |path: &Path| {
            path.strip_prefix(&folder)
                .is_ok_and(|path| path.iter().nth(1) == Some(OsStr::new(name)))
        };
        if folder.exists() {
            files(&folder).into_iter().filter(|(path, _)| is_it(path)).collect()
        } else {
            Vec::new()
        }
    }

    /// Gives a debate another id, in its file and in the records.
    pub fn rename_debate(&self, id: &str, new: &str) {
        let rename = |path: &Path| {
            let text = fs_err::read_to_string(path).unwrap();
            fs_err::write(path, text.replace(id, new)).unwrap();
        };
        let debate = self.debate_folder(id);
        for (path, _) in files(&debate) {
            if !path.ends_with("lock") {
                rename(&path);
            }
            let name = path.file_name().unwrap().to_string_lossy().replace(id, new);
            fs_err::rename(&path, path.with_file_name(name)).unwrap();
        }
        fs_err::rename(&debate, self.debate_folder(new)).unwrap();
        for (path, _) in files(&self.records().join("places")) {
            rename(&path);
        }
        if self.state_path().exists() {
            rename(&self.state_path());
        }
    }

    /// Takes the debate here from its place, as the start of another one would.
    pub fn put_away(&self) {
        let debate = self.state().debate;
        let (id, step) = (&debate.id, debate.step());
        let folder = self.debate_folder(id);
        fs_err::create_dir_all(&folder).unwrap();
        let snapshot = folder.join(format!("{step:04}-synthesis.md"));
        fs_err::rename(self.state_path(), snapshot).unwrap();
        for (path, text) in files(&self.records().join("places")) {
            let text = String::from_utf8(text).unwrap();
            fs_err::write(path, text.replace(&format!("\"here\":\"{id}\""), "\"here\":null"))
                .unwrap();
        }
    }

    /// The path that the program means where it shows this one.
    pub fn resolve(&self, path: &str) -> PathBuf {
        path.strip_prefix("~/").map_or_else(|| self.path(path), |path| self.home().join(path))
    }

    /// The lock of the state file.
    pub fn lock_path(&self) -> PathBuf {
        self.path(".claude/anvil-state.lock.local.md")
    }

    pub fn state_path(&self) -> PathBuf {
        self.path(".claude/anvil-state.local.md")
    }

    pub fn state_text(&self) -> String {
        fs_err::read_to_string(self.state_path()).unwrap()
    }

    pub fn state(&self) -> StateFile {
        StateFile::parse(&self.state_text()).unwrap()
    }

    /// The id of the debate here.
    pub fn debate_id(&self) -> String {
        self.state().debate.id
    }

    /// The text of each reply on record, in order.
    pub fn reply_texts(&self) -> Vec<String> {
        self.sections().into_iter().map(|section| section.text).collect()
    }

    pub fn sections(&self) -> Vec<Entry> {
        transcript::parse(&self.state().body)
            .0
            .into_iter()
            .filter(|entry| entry.place().is_some())
            .collect()
    }

    /// The raw value of a line of the head.
    pub fn head(&self, key: &str) -> String {
        let text = self.state_text();
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("no {key} in\n{text}")).to_owned()
    }

    /// Rewrites the state file by hand.
    pub fn edit(&self, from: &str, to: &str) {
        let text = self.state_text();
        assert!(text.contains(from), "{from} is not in\n{text}");
        fs_err::write(self.state_path(), text.replace(from, to)).unwrap();
    }

    /// Moves the clock.
    pub fn wait(&self, seconds: i64) {
        self.clock.set(self.clock.get() + seconds);
    }

    /// The time of the last run, which nothing has followed.
    pub fn last_run_time(&self) -> String {
        jiff::Timestamp::from_second(self.clock.get() - 1).unwrap().to_string()
    }

    /// The next run of the program.
    pub fn command(&self, arguments: &[&str], cwd: &Path) -> Command {
        let now = jiff::Timestamp::from_second(self.clock.get()).unwrap();
        self.wait(STEP_SECONDS);
        let mut words = self.wrapper.iter().map(OsStr::new).chain([self.program.as_os_str()]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(arguments).current_dir(cwd).env_clear();
        command.env("PATH", usual_path());
        command.env("HOME", self.home()).env("ANVIL_NOW", now.to_string());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Sends raw bytes to the hook; it always exits with 0.
    pub fn hook_raw(&self, input: &[u8], cwd: &Path, project: Option<&Path>) -> Answer {
        let mut command = self.command(&["hook"], cwd);
        if let Some(project) = project {
            command.env("CLAUDE_PROJECT_DIR", project);
        }
        hook(command, input)
    }

    /// Sends an event of a client that runs in the project.
    pub fn event(&self, session: &str, name: &str, fields: &Value) -> Answer {
        self.event_at(session, name, fields, &self.project, Some(&self.project))
    }

    /// Sends an event from another folder, or of a client that does not name its project.
    pub fn event_at(
        &self,
        session: &str,
        name: &str,
        fields: &Value,
        cwd: &Path,
        project: Option<&Path>,
    ) -> Answer {
        let event = event(session, name, fields, cwd);
        if self.needs_process(cwd) {
            self.hook_raw(&event, cwd, project)
        } else {
            self.answer(&event, cwd, project)
        }
    }

    /// True if a process of its own may answer otherwise: through another program, with other
    /// variables, or where it asks git, which reads the user's own settings.
    fn needs_process(&self, cwd: &Path) -> bool {
        self.program != built_program("anvil")
            || !self.wrapper.is_empty()
            || self.env != [(CLIENT.0.into(), CLIENT.1.into())]
            || cwd.ancestors().any(|folder| folder.join(".git").exists())
    }

    /// Answers an event in this process, by the function that the hook's program calls.
    fn answer(&self, event: &[u8], cwd: &Path, project: Option<&Path>) -> Answer {
        let now = jiff::Timestamp::from_second(self.clock.get()).unwrap();
        self.wait(STEP_SECONDS);
        let variable = |name: &str| match name {
            "HOME" => Some(self.home().into()),
            "ANVIL_NOW" => Some(now.to_string().into()),
            "CLAUDE_PROJECT_DIR" => project.map(Into::into),
            name => (name == CLIENT.0).then(|| CLIENT.1.into()),
        };
        let world = World::gather(variable).unwrap();
        let client_pid = Some(process::id());
        let world = World { cwd: cwd.to_owned(), client_pid, ..world };
        let json = std::thread::scope(|scope| {
            let door = || Door::of_client(|| "anvil".to_owned());
            let answer = move || anvil_hook::answer(event, world, &door()).to_json();
            // The stack of a process, not that of a test.
            let thread = std::thread::Builder::new().stack_size(8 * 1024 * 1024);
            thread.spawn_scoped(scope, answer).unwrap().join().unwrap()
        });
        Answer(if json.is_empty() { Value::Null } else { serde_json::from_str(&json).unwrap() })
    }

    /// A typed line. Of a command only its expansion is sent: the hook leaves its prompt alone,
    /// whichever comes first, as the tests of expansions show.
    pub fn prompt(&self, session: &str, prompt: &str) -> Answer {
        self.event(session, "UserPromptSubmit", &json!({ "prompt": prompt }))
    }

    /// A Stop. A reply that begins with the line `recommendation` becomes a synthesis with a whole
    /// block; a reply without numbers is sent again on request.
    pub fn stop(&self, session: &str, reply: &str) -> Answer {
        let reply =
            if reply.starts_with("recommendation: ") { &self.synthesis(reply) } else { reply };
        let answer = self.stop_with(session, reply);
        let asks = ["once more ── number your claims", "once more ── it has no claim and no move"];
        if asks.iter().any(|asks| answer.context().contains(asks)) {
            return self.stop_with(session, reply);
        }
        answer
    }

    /// A Stop with exactly these words.
    pub fn stop_with(&self, session: &str, reply: &str) -> Answer {
        self.event(
            session,
            "Stop",
            &json!({ "last_assistant_message": reply, "stop_hook_active": true }),
        )
    }

    /// A synthesis for the debate here. `text`: lines of the block, then prose after a blank line.
    /// The block gets each line that the debate requires and the text lacks.
    pub fn synthesis(&self, text: &str) -> String {
        let state = fs_err::read_to_string(self.state_path())
            .ok()
            .and_then(|text| StateFile::parse(&text).ok());
        let Some(state) = state.filter(|state| state.debate.place().seat == Seat::Synthesizer)
        else {
            return text.to_owned();
        };
        let among = state.debate.alternatives();
        let claims = Ledger::of_entries(&transcript::parse(&state.body), &among).claims;
        let ids: Vec<String> = claims.iter().map(|claim| claim.id.to_string()).collect();
        synthesis(text, &ids, among.motion.as_deref())
    }

    /// A prompt in a turn with an id.
    pub fn prompt_in(&self, turn: &str, prompt: &str) -> Answer {
        self.event("one", "UserPromptSubmit", &json!({ "prompt": prompt, "prompt_id": turn }))
    }

    /// A stop in a turn with an id.
    pub fn stop_in(&self, turn: &str, reply: &str) -> Answer {
        let reply =
            if reply.starts_with("recommendation: ") { &self.synthesis(reply) } else { reply };
        self.event("one", "Stop", &json!({ "last_assistant_message": reply, "prompt_id": turn }))
    }

    pub fn session_start(&self, session: &str, source: &str) -> Answer {
        self.event(session, "SessionStart", &json!({ "source": source }))
    }

    pub fn session_end(&self, session: &str) -> Answer {
        self.event(session, "SessionEnd", &json!({ "reason": "other" }))
    }

    /// Runs the command line in the project.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_at(arguments, &self.project)
    }

    pub fn run_at(&self, arguments: &[&str], cwd: &Path) -> Output {
        self.run_with(arguments, cwd, b"")
    }

    /// Runs the command line with this standard input.
    pub fn run_with(&self, arguments: &[&str], cwd: &Path, input: &[u8]) -> Output {
        let output = finish(self.command(arguments, cwd), input);
        Output {
            code: output
                .status
                .code()
                .unwrap_or_else(|| panic!("{arguments:?} was killed: {output:?}")),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the command line as a filter.
    pub fn pipe(&self, arguments: &[&str], input: &str) -> Output {
        self.run_with(arguments, &self.project, input.as_bytes())
    }

    /// Runs git in the project, as a user with a name and without settings.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) {
        git(&self.project, arguments);
    }

    /// Every file below the project, with its content.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(&self.project)
    }

    /// Every file below the project and in the records of this user, with its content.
    pub fn all_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let records = Some(self.records()).filter(|records| records.exists());
        files(&self.project)
            .into_iter()
            .chain(records.iter().flat_map(|path| files(path)))
            .collect()
    }
}

/// A folder's identity as the records have it: the name of its record, and its part of the JSON.
#[cfg(unix)]
pub fn identity(folder: &Path) -> (String, String) {
    use std::os::unix::fs::MetadataExt as _;
    let meta = fs_err::metadata(folder).unwrap();
    let born = meta.created().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let (device, inode) = (meta.dev(), meta.ino());
    let key = anvil_store::digest(format!("{inode} {born}").as_bytes());
    (key[..32].to_owned(), format!("\"device\":{device},\"inode\":{inode},\"born\":{born}"))
}

/// Every file below a folder, with its content, in order.
pub fn files(below: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut folders, mut found) = (vec![below.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), fs_err::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Runs git in a folder, as a user with a name and without settings.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    command.args(["-c", "commit.gpgsign=false"]).args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Sends raw bytes to a command that is the hook.
pub fn hook(command: Command, input: &[u8]) -> Answer {
    let output = finish(command, input);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    if output.stdout.is_empty() {
        Answer(Value::Null)
    } else {
        Answer(serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Runs a command to its end; one that hangs is killed, and the test fails.
pub fn finish(mut command: Command, input: &[u8]) -> process::Output {
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut stdout, mut stderr) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    std::thread::scope(|scope| {
        // A program that has read enough closes its input; the test checks its output, not this
        // error.
        scope.spawn(move || stdin.write_all(input));
        let (done, is_done) = std::sync::mpsc::channel();
        let reader = scope.spawn(move || {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let read = stdout.read_to_end(&mut out).and_then(|_| stderr.read_to_end(&mut err));
            let _ = done.send(());
            read.map(|_| (out, err)).unwrap()
        });
        let hangs = is_done.recv_timeout(HANGS).is_err();
        if hangs {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        assert!(!hangs, "it hangs: {command:?}");
        let (stdout, stderr) = reader.join().unwrap();
        process::Output { status, stdout, stderr }
    })
}

/// A synthesis: its prose, and a block with these lines and those that are missing.
pub fn synthesis(text: &str, claims: &[String], motion: Option<&str>) -> String {
    let (lines, prose) = text.split_once("\n\n").unwrap_or((text, "So it is."));
    let mut block: Vec<String> = lines.lines().map(str::to_owned).collect();
    let mut add = |key: &str, value: &str| {
        let begins = |line: &String| line.starts_with(key);
        if !block.iter().any(begins) {
            block.push(format!("{key}{value}"));
        }
    };
    for claim in claims {
        let has = lines.lines().any(|line| line.starts_with(&format!("{claim} ")));
        if !has {
            add(&format!("{claim} "), "weakened: by what was said");
        }
    }
    let is_on_motion = lines.lines().any(|line| line.starts_with("verdict: do"));
    if let Some(motion) = motion.or(is_on_motion.then_some("do it")) {
        add("motion: ", motion);
    }
    add("verdict: ", "depends");
    let rests_on = claims.first().map_or("nothing", String::as_str);
    for (key, value) in [
        ("against: ", "what was not measured"),
        ("confidence: ", "70"),
        ("rests on: ", rests_on),
        ("flips if: ", "more than 5 fail"),
        ("unknown: ", "how many there are"),
    ] {
        add(key, value);
    }
    let has = |begin: &str| block.iter().any(|line| line.starts_with(begin));
    if has("verdict: depends") && !has("depends on: ") {
        block.push("depends on: a trial; do if it works, do not if not".to_owned());
    }
    format!("{prose}\n\n```anvil\n{}\n```", block.join("\n"))
}
