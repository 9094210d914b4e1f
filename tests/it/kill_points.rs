//! Kill points on the real program: at each of its system calls on files it is killed, or the call is failed, by `strace`.
//!
//! The calls come from a trace, not from a list. After every such accident the state file is the one before or the one
//! after, `/anvil:resume` or the next Stop carries on with the right cue, no section is missing or doubled, and no
//! temporary file is left. A probe inside of the program does the same in `crashes`; here nothing is between it and the system.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Output;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use anvil::state::StateFile;
use serde_json::{Value, json};

use crate::host::{self, Host};
use crate::strace::{self, Accident, ERRORS, INT, KILL, Point, TERM};

/// What the program is told.
#[derive(Clone, Copy, Debug)]
enum Act {
    Prompt(&'static str),
    Stop(&'static str),
    Run(&'static [&'static str]),
}

use Act::{Prompt, Run, Stop};

/// A run of the program that has an accident, and what goes before it.
struct Case {
    name: &'static str,
    before: &'static [Act],
    by_hand: fn(&Host),
    act: Act,
    /// It reads checkpoints. One that can't be read then is passed over: what is written may be mended from less.
    reads_the_past: bool,
}

const START: Act = Prompt("/anvil:debate Why? --rounds 1");

fn cases() -> Vec<Case> {
    let case = |name, before, act| Case { name, before, by_hand: |_| {}, act, reads_the_past: false };
    let damaged =
        |name, by_hand| Case { by_hand, reads_the_past: true, ..case(name, &[START, Stop("A1.")], Stop("C1.")) };
    vec![
        case("the completion with its report", &[START, Stop("A1."), Stop("C1.")], Stop("S.")),
        case("a start that replaces", &[START, Stop("A1.")], Prompt("/anvil:debate Other? --rounds 1 --replace")),
        case("cancel", &[START, Stop("A1.")], Prompt("/anvil:cancel")),
        case("undo", &[START, Stop("A1."), Stop("C1.")], Prompt("/anvil:undo")),
        case("restore in a shell", &[START, Stop("A1."), Stop("C1.")], Run(&["restore", "1"])),
        damaged("recovery from a checkpoint", |host| host.edit("---\nactive: true", "---\nactive: tr\nue")),
        damaged("recovery from the sections", |host| {
            fs_err::remove_dir_all(host.path(".claude/anvil.local/checkpoints")).unwrap();
            host.edit("mode: analyst", "mode: *analyst");
        }),
        case("a stop in mid-debate", &[START, Stop("A1.")], Stop("C1.")),
        case("a stop that is asked again", &[START, Stop("A1.")], Stop("")),
        case("resume", &[START, Stop("A1."), Prompt("Wait")], Prompt("/anvil:resume")),
        case("the first start", &[], START),
        case("a start with a report elsewhere", &[], Prompt("/anvil:debate Why? --rounds 1 --output ../far.md")),
        case("start in a shell", &[], Run(&["start", "Why?", "--rounds", "1"])),
    ]
}

/// What the user ends with a signal.
fn verbs() -> Vec<Case> {
    let before = &[START, Stop("A1."), Stop("C1.")];
    let case = |name, act| Case { name, before, by_hand: |_| {}, act, reads_the_past: false };
    vec![
        case("start --replace", Run(&["start", "Other?", "--rounds", "1", "--replace"])),
        case("cancel", Run(&["cancel"])),
        case("undo", Run(&["undo"])),
        case("restore", Run(&["restore", "1"])),
        Case { before: &[], ..case("start", Run(&["start", "Why?", "--rounds", "1"])) },
    ]
}

/// A host before its accident, to be set back to this as often as need be.
struct Stage {
    host: Host,
    clock: i64,
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Stage {
    fn set(case: &Case) -> Self {
        let host = Host::in_memory();
        for act in case.before {
            play(&host, act);
        }
        (case.by_hand)(&host);
        let (mut folders, mut files) = (vec![host.root().to_owned(), host.home()], Vec::new());
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            for entry in fs_err::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push((path.clone(), fs_err::read(path).unwrap())) }
            }
            next += 1;
        }
        // The state file was written before its checkpoint.
        files.sort_by_key(|(path, _)| *path != host.state_path());
        Self { clock: host.clock.get(), host, folders, files }
    }

    fn reset(&self) {
        for folder in &self.folders[..2] {
            fs_err::remove_dir_all(folder).unwrap();
        }
        self.folders.iter().for_each(|folder| fs_err::create_dir_all(folder).unwrap());
        self.files.iter().for_each(|(path, content)| fs_err::write(path, content).unwrap());
        self.host.clock.set(self.clock);
    }

    /// The state file; `None`: there is none.
    fn text(&self) -> Option<String> {
        self.host.state_path().exists().then(|| self.host.state_text())
    }

    /// Sets the stage and lets the act happen under `strace`; gives back also what that saw.
    fn happen(&self, act: &Act, options: &[&str]) -> (Output, String) {
        self.reset();
        let (host, trace) = (&self.host, self.host.outside("trace"));
        let input = host.outside("event.json");
        fs_err::write(&input, input_of(host, act)).unwrap();
        let arguments = if let Run(arguments) = act { arguments } else { &["hook"][..] };
        let mut command = host.command(arguments, host.root());
        if !matches!(act, Run(_)) {
            command.env("CLAUDE_PROJECT_DIR", host.root());
        }
        let options = [&["-o", trace.to_str().unwrap()], options].concat();
        let output = strace::under(&options, &command).stdin(File::open(input).unwrap()).output().unwrap();
        (output, fs_err::read_to_string(trace).unwrap())
    }

    /// Temporary files, everywhere.
    fn left(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.host.root().to_owned(), self.host.home()];
        let mut left = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().contains(".anvil-tmp-") {
                    left.push(path);
                }
            }
        }
        left
    }
}

fn fields(act: &Act) -> (&'static str, Value) {
    match act {
        Prompt(text) => ("UserPromptSubmit", json!({ "prompt": text })),
        Stop(text) => ("Stop", json!({ "last_assistant_message": text })),
        Run(_) => ("", json!({})),
    }
}

fn input_of(host: &Host, act: &Act) -> Vec<u8> {
    let (name, fields) = fields(act);
    if let Run(_) = act { Vec::new() } else { host::event("one", name, &fields, host.root()) }
}

fn play(host: &Host, act: &Act) {
    let (name, fields) = fields(act);
    if let Run(arguments) = act {
        assert_eq!(host.run(arguments).code, 0);
    } else {
        host.event("one", name, &fields);
    }
}

/// A case and how it goes without an accident.
struct Trial {
    case: Case,
    stage: Stage,
    points: Vec<Point>,
    old: Option<String>,
    new: Option<String>,
}

impl Trial {
    fn of(case: Case) -> Self {
        let stage = Stage::set(&case);
        let old = stage.text();
        let (output, trace) = stage.happen(&case.act, &["-e", "trace=%file,%desc"]);
        assert!(output.status.success(), "{}: {output:?}", case.name);
        let (points, new) = (strace::points(&trace), stage.text());
        assert!(points.len() > 20 && old != new, "{}: {trace}", case.name);
        Self { case, stage, points, old, new }
    }

    /// The accident at one point, and what comes after it. Panics where something is lost.
    fn survive(&self, point: &Point, accident: Accident, delivered_again: bool) {
        let Point { call, nth, .. } = point;
        let (kind, what) = match accident {
            Accident::Signal(name, _) => ("signal", name),
            Accident::Error(name) => ("error", name),
        };
        let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{kind}={what}:when={nth}"));
        let (output, seen) = self.stage.happen(&self.case.act, &["-e", &trace, "-e", &inject]);
        let passes_over = self.case.reads_the_past && !point.changes && matches!(accident, Accident::Error(_));
        let has_said = match accident {
            Accident::Signal(_, number) => {
                assert_eq!(output.status.signal(), Some(number), "{output:?}");
                true
            }
            Accident::Error(_) => {
                assert!(seen.contains("(INJECTED)"), "{seen}");
                self.is_heard(&output)
            }
        };
        let is_undone = self.stage.text() == self.old;
        assert!(!is_undone || has_said, "nobody hears that nothing was done");
        self.is_whole(passes_over);
        if !is_undone && matches!(accident, Accident::Signal(..)) {
            self.has_report_if_complete();
        }

        // Temporary files beside the records of sessions go when they are old.
        for path in self.stage.left() {
            File::open(path).unwrap().set_modified(SystemTime::now() - Duration::from_mins(2)).unwrap();
        }
        if delivered_again {
            self.stage.host.clock.set(self.stage.clock);
            play(&self.stage.host, &self.case.act);
        }
        self.carry_on();
        assert_eq!(self.stage.left(), Vec::<PathBuf>::new());
    }

    /// A program that lives on ends as it should, and what it says can be read. True when it says anything.
    fn is_heard(&self, output: &Output) -> bool {
        let code = output.status.code().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        if matches!(self.case.act, Run(_)) {
            assert!(code == 0 || (code <= 3 && err.lines().count() >= 2), "{output:?}");
        } else {
            assert!(code == 0 && err.is_empty(), "{output:?}");
            assert!(output.stdout.is_empty() || serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{output:?}");
        }
        !output.stdout.is_empty() || !err.is_empty()
    }

    /// Old or new, never between.
    fn is_whole(&self, passes_over: bool) {
        let text = self.stage.text();
        assert!(text == self.old || text == self.new || passes_over, "between: {text:?}");
        assert!(text == self.old || text.as_ref().is_none_or(|text| StateFile::parse(text).is_ok()), "{text:?}");
        let kept = self.texts_in("/archive/") + text.as_deref().unwrap_or_default();
        for said in ["\n> A1.\n", "\n> C1.\n"] {
            let was_said = self.old.as_ref().is_some_and(|old| old.contains(said));
            assert!(!was_said || kept.contains(said), "{said} is gone: {kept}");
        }
    }

    fn has_report_if_complete(&self) {
        if self.stage.text().is_some_and(|text| text.contains("\nstatus: completed\n")) {
            // Killed between the state and its reports: they are due.
            self.stage.host.run(&["report"]);
            assert!(self.texts_in("/reports/").contains("S."), "there is no report");
        }
    }

    /// What lies in a folder of the project.
    fn texts_in(&self, folder: &str) -> String {
        let files = self.stage.host.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains(folder));
        files.map(|(_, text)| String::from_utf8(text).unwrap()).collect()
    }

    /// The user types `/anvil:resume`, or starts anew what was ended; the replies that are missing come.
    fn carry_on(&self) {
        let host = &self.stage.host;
        let is_over = self.stage.text().is_none() || host.head("status") == "cancelled";
        if !is_over && host.head("status") == "completed" {
            // Nothing is left to be done; whoever takes the lock next cleans up.
            assert_eq!(host.run(&["redo"]).code, 3);
        } else {
            let told = host.prompt("one", if is_over { "/anvil:debate Why? --rounds 1" } else { "/anvil:resume" });
            let cue = match (host.head("phase").as_str(), host.head("round").as_str()) {
                ("synthesizer", _) => "Synthesizer".to_owned(),
                ("critic", round) => format!("Critic, round {round} of 1"),
                (_, round) => format!("Advocate, round {round} of 1"),
            };
            assert!(told.told().contains(&cue), "no cue for {cue}: {told:?}");
        }
        let texts = || host.sections().into_iter().map(|section| section.text).collect::<Vec<_>>();
        for reply in ["A1.", "C1.", "S."] {
            if host.head("status") == "in_progress" && !texts().iter().any(|text| text == reply) {
                host.stop("one", reply);
            }
        }
        assert_eq!(texts(), ["A1.", "C1.", "S."], "a section is missing or doubled");
        assert_eq!(host.head("status"), "completed");
    }

    /// Has all accidents that `choose` gives for each point. Gives back how many there were, and what was not survived.
    fn run(&self, choose: fn(&Point) -> Vec<Accident>) -> (usize, Vec<String>) {
        let (mut tried, mut lost) = (0, Vec::new());
        for point in &self.points {
            for accident in choose(point) {
                tried += 1;
                let can_come_again = matches!((self.case.act, accident), (Stop(text), KILL) if !text.is_empty());
                let survive = || {
                    self.survive(point, accident, false);
                    if can_come_again {
                        self.survive(point, accident, true);
                    }
                };
                if let Err(panic) = catch_unwind(AssertUnwindSafe(survive)) {
                    let why = panic.downcast_ref::<&str>().map(ToString::to_string);
                    let why = why.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                    lost.push(format!("{}, {accident:?} at {} {}: {why}", self.case.name, point.call, point.nth));
                }
            }
        }
        (tried, lost)
    }
}

/// Runs the cases side by side; says of each, and of all, how it went.
fn survive_all(cases: Vec<Case>, what: &str, choose: fn(&Point) -> Vec<Accident>) {
    strace::can_trace();
    let cases = Mutex::new(cases.into_iter());
    let all: Mutex<(usize, Vec<String>)> = Mutex::default();
    let work = || {
        while let Some(case) = { cases.lock().unwrap().next() } {
            let name = case.name;
            let (tried, lost) = Trial::of(case).run(choose);
            println!("{name}: {tried} {what}, {} recovered", tried - lost.len());
            let mut all = all.lock().unwrap();
            all.0 += tried;
            all.1.extend(lost);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, Into::into) {
            scope.spawn(work);
        }
    });
    let (tried, lost) = all.into_inner().unwrap();
    println!("{tried} {what}, {} recovered", tried - lost.len());
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn kill_points_at_every_call_are_recovered() {
    survive_all(cases(), "kill points", |_| vec![KILL]);
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn kill_point_by_point_every_call_may_fail() {
    survive_all(cases(), "failed calls", |point| match point.call.as_str() {
        // No close fails for a program that has flushed; of a folder the standard library does not believe it at all.
        "close" => Vec::new(),
        _ if point.changes => ERRORS.to_vec(),
        _ => vec![ERRORS[0]],
    });
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn kill_points_of_an_impatient_person_are_recovered() {
    survive_all(verbs(), "points of SIGTERM and Ctrl-C", |point| {
        if point.changes || point.call == "openat" { vec![TERM, INT] } else { Vec::new() }
    });
}
