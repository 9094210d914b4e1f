//! The tables of `docs/security.md` say what `strace` sees: which files each event of a hook, each
//! command and each kind of run reads and writes, which programs it runs, what it sends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::forge::Issue;
use crate::run::Room;
use crate::{shells, strace};
use testkit::host::{self, Host, WHOLE};

type Words = BTreeSet<String>;

/// What a process and its children did, or what a row says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Deeds {
    read: Words,
    written: Words,
    run: Words,
    sent: Words,
    /// The paths of this user that it looked at, not into.
    looked_at: BTreeSet<PathBuf>,
}

impl Deeds {
    fn columns(&self) -> [&Words; 4] {
        [&self.read, &self.written, &self.run, &self.sent]
    }

    fn add(&mut self, other: Self) {
        self.read.extend(other.read);
        self.written.extend(other.written);
        self.run.extend(other.run);
        self.sent.extend(other.sent);
    }

    fn is_within(&self, row: &Self) -> bool {
        self.columns().iter().zip(row.columns()).all(|(own, row)| own.is_subset(row))
    }

    /// As cells of the page.
    fn cells(&self) -> String {
        let cell = |words: &Words| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if words.is_empty() { "–".to_owned() } else { words.join(", ") }
        };
        self.columns().map(cell).join(" | ")
    }
}

/// A row of the page: the names in its first cell, and its other cells.
struct Row {
    names: Vec<String>,
    deeds: Deeds,
}

/// The rows of all tables with these columns.
fn rows() -> Vec<Row> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md");
    let page = fs_err::read_to_string(page).unwrap();
    let mut rows = Vec::new();
    let mut is_table = false;
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [first, cells @ ..] = &cells[..] else { continue };
        if !line.starts_with('|') {
            is_table = false;
        } else if cells == ["reads", "writes", "runs", "sends to"] {
            is_table = true;
        } else if is_table && !first.starts_with('-') {
            let names = first.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            let [read, written, run, sent] = cells else { panic!("{line}") };
            let [read, written, run, sent] = [read, written, run, sent].map(|cell| {
                cell.split(", ").filter(|word| *word != "–").map(str::to_owned).collect()
            });
            let deeds = Deeds { read, written, run, sent, ..Deeds::default() };
            rows.push(Row { names, deeds });
        }
    }
    assert!(!rows.is_empty(), "docs/security.md has no table");
    rows
}

/// The word of the page for a path; none for what belongs to the system or to the program.
fn word(host: &Host, path: &Path) -> Option<&'static str> {
    let below = |folder: PathBuf| path.starts_with(folder);
    let (client, project) = (host.home().join(".claude"), host.path(".claude"));
    let is_default =
        |folder: &Path| below(folder.join("anvil")) || below(folder.join("anvil.local.md"));
    Some(match () {
        () if path == client || below(host.records()) => "records",
        () if is_default(&client) || is_default(&project) => "defaults",
        () if below(client.join("skills/anvil")) => "plugin",
        () if below(client.join("plans")) || below(host.outside("t.jsonl")) => "conversation",
        () if below(client.clone()) || below(host.home().join(".claude.json")) => "client",
        () if below(project.join("settings.json"))
            || below(project.join("settings.local.json")) =>
        {
            "client"
        }
        () if below(project) => "debate",
        () if below(host.path(".git")) => "repository",
        () if below(host.root().to_owned()) => "project",
        () if below(host.outside("tmp")) => "temporary",
        () if [
            "/proc",
            "/sys",
            "/dev/null",
            "/dev/tty",
            "/dev/random",
            "/dev/urandom",
            "/etc",
            "/usr",
            "/lib",
            "/bin",
        ]
        .iter()
        .any(|folder| below(folder.into())) =>
        {
            return None;
        }
        () if [host::built_program("anvil"), host::tested_program()]
            .iter()
            .filter_map(|program| program.parent())
            .any(|folder| below(folder.to_owned())) =>
        {
            return None;
        }
        () => "elsewhere",
    })
}

/// The paths in the arguments of a call: `dirfd<folder>, "name"`.
fn paths(arguments: &str, cwd: &Path) -> Vec<PathBuf> {
    let mut rest = arguments;
    let mut paths = Vec::new();
    while let Some((before, after)) = rest.split_once('"') {
        let Some((name, after)) = after.split_once('"') else { break };
        let folder = before.rsplit_once('<').and_then(|(_, path)| path.strip_suffix(">, "));
        let path = folder.map_or(cwd, Path::new).join(name);
        if !name.is_empty() {
            paths.push(path.components().collect());
        }
        rest = after;
    }
    paths
}

/// A process in a trace: its calls, and the program that it was before them.
struct Process {
    calls: String,
    is_own: bool,
}

/// Follows the processes of a trace from the first one, as long as they are Anvil.
fn deeds(host: &Host, traces: &Path) -> Deeds {
    let mut processes = BTreeMap::new();
    let mut children = BTreeSet::new();
    for (path, text) in host::files(traces) {
        let pid: u32 = path.extension().unwrap().to_str().unwrap().parse().unwrap();
        let text = String::from_utf8(text).unwrap();
        children.extend(text.lines().filter_map(child));
        processes.insert(pid, text);
    }
    let first = processes.keys().find(|pid| !children.contains(pid)).copied().unwrap();
    let mut deeds = Deeds::default();
    let mut waiting = vec![(first, false)];
    while let Some((pid, is_own)) = waiting.pop() {
        // A process that got no file did nothing before the trace ended.
        let Some(calls) = processes.remove(&pid) else { continue };
        waiting.extend(follow(host, Process { calls, is_own }, &mut deeds));
    }
    if deeds.run.contains("gh") {
        deeds.sent.insert("forge".into());
    }
    if deeds.run.contains("agent") {
        deeds.sent.insert("provider".into());
    }
    deeds
}

/// The process that this call has started.
fn child(line: &str) -> Option<u32> {
    let is_start = ["clone(", "clone3(", "fork(", "vfork("].iter().any(|c| line.starts_with(c));
    line.rsplit_once(" = ").filter(|_| is_start)?.1.split_whitespace().next()?.parse().ok()
}

fn follow(host: &Host, process: Process, deeds: &mut Deeds) -> Vec<(u32, bool)> {
    let Process { calls, mut is_own } = process;
    let mut children = Vec::new();
    let mut cwd = host.root().to_owned();
    for line in calls.lines() {
        children.extend(child(line).map(|pid| (pid, is_own)));
        let Some((call, arguments)) = line.split_once('(') else { continue };
        let found = paths(arguments, &cwd);
        if call == "execve" && line.ends_with(" = 0") {
            let program = found[0].file_name().unwrap().to_str().unwrap();
            let was_own = is_own;
            is_own = program == "anvil";
            if was_own {
                let word = if program == "sh" { "agent" } else { program };
                deeds.run.insert(word.to_owned());
            }
        }
        if !is_own {
            continue;
        }
        if call == "chdir" {
            cwd.clone_from(&found[0]);
        }
        assert!(
            call != "socket" || !arguments.contains("AF_INET"),
            "Anvil itself opened a connection: {line}"
        );
        let opens = call == "openat" || call == "open";
        let changes = if opens {
            ["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|flag| arguments.contains(flag))
        } else {
            CHANGING.iter().any(|name| call.starts_with(name))
        };
        if call.contains("stat") || call.starts_with("access") {
            let own = |path: &&PathBuf| path.starts_with(host.outside(""));
            deeds.looked_at.extend(found.iter().filter(own).cloned());
        }
        for path in found.iter().filter(|_| opens || changes) {
            let Some(word) = word(host, path) else { continue };
            if word == "elsewhere" {
                eprintln!("{} is used: {line}", path.display());
            }
            let column = if changes { &mut deeds.written } else { &mut deeds.read };
            column.insert(word.to_owned());
        }
    }
    children
}

/// The beginnings of calls that change what a path names.
const CHANGING: [&str; 9] =
    ["rename", "unlink", "rmdir", "mkdir", "link", "symlink", "chmod", "fchmodat", "utimensat"];

/// What a traced command did; its output.
fn trace(host: &Host, command: &Command, input: &[u8]) -> (Deeds, String) {
    let traces = host.outside("traces");
    let _ = fs_err::remove_dir_all(&traces);
    fs_err::create_dir(&traces).unwrap();
    let (stdin, file) = (host.outside("stdin"), traces.join("t"));
    fs_err::write(&stdin, input).unwrap();
    let options = ["-ff", "-y", "-e", "trace=%file,%process,%network", "-o"];
    let options = [&options[..], &[file.to_str().unwrap()]].concat();
    let mut command = strace::under(&options, command);
    let output = command.stdin(std::fs::File::open(stdin).unwrap()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut deeds = deeds(host, &traces);
    if said.contains("additionalContext") {
        deeds.sent.insert("Claude".into());
    }
    (deeds, format!("{:?} {said}{}", output.status.code(), String::from_utf8_lossy(&output.stderr)))
}

/// A checkout with defaults of its user and of its own, beside a stand-in for the forge.
struct Place {
    host: Host,
    _issue: Issue,
}

impl Place {
    fn new() -> Self {
        let issue = Issue::new("What to do?");
        let host = issue.machine();
        let temporary = host.outside("tmp");
        fs_err::create_dir_all(&temporary).unwrap();
        let host = host.with("TMPDIR", temporary.to_str().unwrap());
        let at = host.home().join(".claude");
        fs_err::create_dir_all(at.join("plans")).unwrap();
        fs_err::write(at.join("anvil.local.md"), "---\nrounds: 1\n---\n").unwrap();
        fs_err::create_dir_all(host.path(".claude")).unwrap();
        fs_err::write(host.path(".claude/anvil.local.md"), "---\nmode: analyst\n---\n").unwrap();
        fs_err::write(host.path("notes.md"), "The queue keeps 7 days.\n").unwrap();
        Self { host, _issue: issue }
    }

    /// Plays these steps of a debate.
    fn at(steps: &[&str]) -> Self {
        let place = Self::new();
        for step in steps {
            if step.starts_with('/') {
                place.host.prompt("one", step);
            } else if let Some(words) = step.strip_prefix("anvil ") {
                let printed = place.host.run(&words.split(' ').collect::<Vec<_>>());
                assert_eq!(printed.code, 0, "{step}: {printed:?}");
            } else {
                place.host.stop("one", step);
            }
        }
        place
    }

    /// An event of a session in this project.
    fn event(&self, name: &str, fields: Value) -> (Deeds, String) {
        let mut fields = fields;
        let transcript = self.host.outside("t.jsonl");
        fs_err::write(&transcript, "{}\n").unwrap();
        fields["transcript_path"] = json!(transcript);
        let event = host::event("one", name, &fields, self.host.root());
        let mut command = self.host.command(&["hook"], self.host.root());
        command.env("CLAUDE_PROJECT_DIR", self.host.root());
        trace(&self.host, &command, &event)
    }

    /// A typed line: at its expansion, if the hooks have that event.
    fn typed(&self, line: &str) -> (Deeds, String) {
        let (name, arguments) = line.split_once(' ').unwrap_or((line, ""));
        let fields = json!({
            "prompt": line, "expansion_type": "slash_command", "command_source": "plugin",
            "command_name": name.trim_start_matches('/'), "command_args": arguments,
        });
        let expands = events().contains("UserPromptExpansion") && line.starts_with('/');
        let event = if expands { "UserPromptExpansion" } else { "UserPromptSubmit" };
        self.event(event, fields)
    }

    fn verb(&self, words: &[&str], input: &str) -> (Deeds, String) {
        trace(&self.host, &self.host.command(words, self.host.root()), input.as_bytes())
    }
}

/// The events in the hooks' files.
fn events() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks");
    let files = host::files(&folder)
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "json"));
    let events = files.flat_map(|(_, text)| {
        let file: Value = serde_json::from_slice(&text).unwrap();
        file["hooks"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    });
    events.collect()
}

const BEGIN: &str = "/anvil:debate Why? --rounds 1";
const CASE: &str = "**A1. It pays.** \"7 days\" (notes.md:1) [evidence: notes.md:1].";
const OPEN: [&str; 2] = [BEGIN, CASE];
const LATE: [&str; 3] = [BEGIN, CASE, "**C1. It costs.** [reasoning]\n**Attacks A1:** late."];
const PREPARED: [&str; 1] = ["anvil start Why --rounds 1"];
const DONE: [&str; 4] = [LATE[0], LATE[1], LATE[2], "recommendation: Wait."];

/// Samples of an event of a hook, in a session with a debate.
fn of_event(name: &str) -> Vec<(Deeds, String)> {
    let reply = |text: &str| json!({ "last_assistant_message": text });
    match name {
        // Of these a command is a row.
        "UserPromptExpansion" => Vec::new(),
        "UserPromptSubmit" => {
            vec![Place::at(&OPEN).typed("hello"), Place::at(&DONE).typed("hello")]
        }
        "PreToolUse" => {
            let place = Place::at(&OPEN);
            let input = json!({ "file_path": place.host.state_path() });
            let plan = json!({ "plan": "# Move\n\nOn Friday." });
            let call = json!({ "tool_name": "ExitPlanMode", "tool_input": plan });
            vec![
                place.event(name, json!({ "tool_name": "Read", "tool_input": input })),
                Place::at(&["/anvil:debate --plan --rounds 1"]).event(name, call),
            ]
        }
        "Stop" => {
            let late = Place::at(&LATE);
            let end = reply(&late.host.synthesis("recommendation: Wait."));
            let output = Place::at(&[&format!("{BEGIN} --output out.md"), LATE[1], LATE[2]]);
            vec![
                Place::at(&[BEGIN]).event(name, reply(CASE)),
                late.event(name, end.clone()),
                output.event(name, end),
                Place::at(&LATE).event(name, reply(WHOLE)),
            ]
        }
        "StopFailure" => {
            vec![Place::at(&[BEGIN]).event(name, json!({ "error": "rate_limit" }))]
        }
        "SessionStart" => vec![
            Place::at(&OPEN).event(name, json!({ "source": "compact" })),
            Place::at(&DONE).event(name, json!({ "source": "startup" })),
        ],
        "SessionEnd" => vec![Place::at(&OPEN).event(name, json!({ "reason": "other" }))],
        _ => panic!("no sample of {name}"),
    }
}

/// Samples of a command in Claude Code.
fn of_command(name: &str) -> Vec<(Deeds, String)> {
    let is_open = |line: &str| Place::at(&OPEN).typed(line);
    let is_done = |line: &str| Place::at(&DONE).typed(line);
    match name {
        "/anvil:debate" => vec![
            Place::new().typed(BEGIN),
            Place::new().typed(&format!("{BEGIN} --context notes.md --diff --plan=notes.md")),
            is_done(BEGIN),
        ],
        "/anvil:again" => vec![is_done("/anvil:again The budget is halved.")],
        "/anvil:cancel" | "/anvil:resume" | "/anvil:status" => vec![is_open(name)],
        "/anvil:claims" => vec![is_done(name)],
        "/anvil:history" => vec![is_done(name), is_done("/anvil:history 1 --outcome right")],
        "/anvil:report" => vec![
            is_done(name),
            is_done("/anvil:report --publish 7"),
            Place::at(&[&DONE[..], &["anvil publish --issue 7"]].concat())
                .typed("/anvil:report --pull 7"),
        ],
        "/anvil:steer" => vec![is_open("/anvil:steer Look at the cost.")],
        "/anvil:undo" => vec![is_open(name), is_open("/anvil:undo --list")],
        _ => panic!("no sample of {name}"),
    }
}

/// Samples of a verb in a shell.
fn of_verb(name: &str) -> Vec<(Deeds, String)> {
    let is_done = |words: &[&str]| Place::at(&DONE).verb(words, "");
    match name {
        "agents" | "attempts" | "claims" | "config" | "list" | "recheck" => vec![is_done(&[name])],
        "status" | "tasks" => {
            let place = Place::new();
            place.typed(BEGIN);
            vec![is_done(&[name]), place.verb(&[name], "")]
        }
        "again" => vec![is_done(&["again", "The budget is halved."])],
        "body" => {
            let place = Place::at(&DONE);
            let body = place.host.pipe(&["body", "embed"], "Hello").stdout;
            let mut samples = vec![place.verb(&["body", "embed"], "Hello")];
            for verb in ["extract", "contains", "strip", "check"] {
                samples.push(place.verb(&["body", verb], &body));
            }
            samples
        }
        "steer" => vec![Place::at(&PREPARED).verb(&[name, "Look at the cost."], "")],
        "undo" => vec![is_done(&[name]), is_done(&["undo", "--list"])],
        "cancel" | "claim" => vec![Place::at(&PREPARED).verb(&[name], "")],
        "submit" => {
            let place = Place::at(&PREPARED);
            let held: Value = place.host.run(&["claim", "--json"]).json();
            vec![place.verb(&["submit", held["token"].as_str().unwrap()], CASE)]
        }
        "completions" => vec![Place::new().verb(&["completions", "bash"], "")],
        "demo" => vec![Place::new().verb(&["demo"], "")],
        "doctor" => {
            let place = Place::at(&DONE);
            fs_err::write(place.host.home().join(".claude/settings.json"), "{}\n").unwrap();
            vec![place.verb(&["doctor"], "")]
        }
        "history" => vec![is_done(&[name]), is_done(&["history", "1", "--outcome", "right"])],
        "install" => vec![Place::new().verb(&["install"], "")],
        "uninstall" => vec![Place::at(&["anvil install"]).verb(&["uninstall"], "")],
        "prune" => {
            vec![
                Place::at(&[&DONE[..], &[BEGIN]].concat())
                    .verb(&["prune", "--keep", "0", "--yes"], ""),
            ]
        }
        "publish" => vec![is_done(&["publish", "--issue", "7"])],
        "pull" => {
            vec![
                Place::at(&[&DONE[..], &["anvil publish --issue 7"]].concat())
                    .verb(&["pull", "--issue", "7"], ""),
            ]
        }
        "report" => vec![is_done(&[name]), is_done(&["report", "--output", "out.html"])],
        "start" => {
            vec![Place::new().verb(&["start", "Why?", "--context", "notes.md", "--diff"], "")]
        }
        "statusline" => {
            let place = Place::at(&OPEN);
            let input = json!({ "workspace": { "project_dir": place.host.root() } });
            vec![place.verb(&["statusline"], &input.to_string())]
        }
        _ => panic!("no sample of {name}"),
    }
}

/// Samples of a kind of run: in a room with agents.
fn of_run(name: &str) -> Vec<(Deeds, String)> {
    let run = |room: &Room, more: &[&str]| {
        let words = room.begins(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        trace(&room.host, &room.host.command(&words, room.host.root()), b"")
    };
    match name {
        "anvil run" => vec![run(&Room::new(), &[])],
        "--judges" => vec![run(&Room::judging(), &[])],
        "--fact-check" => vec![run(&Room::checking(), &[])],
        "--revise" => vec![run(&Room::revising(), &[])],
        "--publish" => vec![run(&Room::publishing(), &[])],
        "anvil step" => {
            let room = Room::new();
            let mut words = room.begins(&[]);
            "step".clone_into(&mut words[0]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            vec![trace(&room.host, &room.host.command(&words, room.host.root()), b"")]
        }
        "--isolated" => {
            let room = Room::new();
            let event = host::event(
                "one",
                "UserPromptSubmit",
                &json!({ "prompt": room.typed("") }),
                room.host.root(),
            );
            vec![trace(&room.host, &room.host.command(&["hook"], room.host.root()), &event)]
        }
        _ => panic!("no sample of {name}"),
    }
}

/// The kinds of runs that the page has to have.
const RUNS: [&str; 7] =
    ["--fact-check", "--isolated", "--judges", "--publish", "--revise", "anvil run", "anvil step"];

/// What has a row: events, commands, kinds of runs.
fn actors() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = events();
    // Its commands are rows of their own.
    names.remove("UserPromptExpansion");
    for entry in fs_err::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("commands")).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        names.insert(format!("/anvil:{name}"));
    }
    // A run has rows of its own; a hook's rows are those of its events.
    let verbs = shells::verbs(&Host::new()).into_iter();
    names.extend(verbs.filter(|verb| !["hook", "run", "step"].contains(&verb.as_str())));
    names.extend(RUNS.map(str::to_owned));
    names
}

#[test]
fn every_event_and_command_has_one_row_in_the_page_for_reviewers() {
    let mut names = actors();
    for name in rows().iter().flat_map(|row| &row.names) {
        assert!(names.remove(name), "{name} is not there, or has two rows");
    }
    assert!(names.is_empty(), "docs/security.md has no row for {names:?}");
}

#[test]
#[ignore = "traces every command; .ci/run does"]
fn the_page_for_reviewers_says_what_a_trace_shows() {
    strace::can_trace();
    let mut wrong = Vec::new();
    for row in rows() {
        let mut all = Deeds::default();
        for name in &row.names {
            let samples = match name.as_str() {
                name if RUNS.contains(&name) => of_run(name),
                name if name.starts_with('/') => of_command(name),
                name if name.starts_with(char::is_uppercase) => of_event(name),
                name => of_verb(name),
            };
            let mut own = Deeds::default();
            for (deeds, said) in samples {
                if std::env::var_os("ANVIL_SHOW_DEEDS").is_some() {
                    eprintln!(
                        "{name}: {} <- {}",
                        deeds.cells(),
                        said.chars().take(150).collect::<String>()
                    );
                }
                own.add(deeds);
            }
            if !own.is_within(&row.deeds) {
                wrong.push(format!("`{name}` | {}", own.cells()));
            }
            all.add(own);
        }
        if all.columns() != row.deeds.columns() {
            wrong.push(format!("{:?} | {}", row.names, all.cells()));
        }
    }
    assert!(wrong.is_empty(), "docs/security.md is not what strace saw:\n{}", wrong.join("\n"));
}

#[test]
fn without_a_debate_a_hook_looks_at_three_files_and_does_nothing() {
    strace::can_trace();
    for name in events() {
        let place = Place::new();
        let fields = json!({
            "prompt": "hello", "source": "startup", "reason": "other", "error": "rate_limit",
            "last_assistant_message": "Hello.", "tool_name": "Read",
            "tool_input": { "file_path": place.host.path("notes.md") },
        });
        let (mut deeds, said) = place.event(&name, fields);
        let looked_at = std::mem::take(&mut deeds.looked_at);
        assert_eq!(deeds, Deeds::default(), "{name}: {said}");
        // The start of a session searches for the checkout.
        assert!(looked_at.len() <= 3 || name == "SessionStart", "{name}: {looked_at:?}");
    }
}
