//! The real program, killed by `strace` at each of its system calls that changes the disk, and
//! failed at each that reads it.
//!
//! `crashes` has every event and every fault, in one process and above the system. Here a few
//! events run directly on the system, and the calls come from a trace, not from a list.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anvil_store::StateFile;
use serde_json::{Value, json};

use crate::strace::{self, Point};
use testkit::host::{self, Host, WHOLE};

/// What happens to a debate.
#[derive(Clone, Copy, Debug)]
enum Act {
    Prompt(&'static str),
    Stop(&'static str),
    Run(&'static [&'static str]),
    Edit(&'static str, &'static str),
    /// The model asks the user to approve a plan.
    Plan,
}

use Act::{Edit, Plan, Prompt, Run, Stop};

const START: Act = Prompt("/anvil:debate Why? --rounds 1");
const AGAIN: Act = Prompt("/anvil:again And now?");
const CANCEL: Act = Prompt("/anvil:cancel");
const DAMAGE: Act = Edit("---\nactive: true", "---\nactive: tr\nue");

/// The act with the fault, and the acts before it.
const CASES: [(&[Act], Act); 11] = [
    (&[], START),
    (&[Plan], Prompt("/anvil:debate --plan --rounds 1")),
    (&[START, Stop("A1."), Stop("C1.")], Stop(WHOLE)),
    (&[START, Stop("A1."), Stop("C1.")], Stop("S.")),
    (&[START, Stop("A1."), Stop("C1."), Stop("S.")], Stop(WHOLE)),
    (&[START, Stop("A1.")], Prompt("/anvil:debate Other? --rounds 1 --replace")),
    (&[START, Stop("A1."), Stop("C1.")], Run(&["undo", "--to", "1"])),
    (&[START, Stop("A1."), DAMAGE], Stop("C1.")),
    (&[START, Stop("A1.")], Run(&["steer", "--note", "The queue keeps 7 days (ops.md:3)."])),
    (&[START, Stop("A1."), Stop("C1."), Stop(WHOLE)], AGAIN),
    (&[START, Stop("A1."), Stop("C1."), Stop(WHOLE), AGAIN, Stop("A2.")], CANCEL),
];

impl Act {
    /// The program's arguments and its standard input.
    fn words(self, host: &Host) -> (&'static [&'static str], Vec<u8>) {
        let event = |name: &str, fields: &Value| {
            (&["hook"][..], host::event("one", name, fields, host.root()))
        };
        match self {
            Prompt(text) => {
                let transcript = host.path("t.jsonl");
                let fields = json!({ "prompt": text, "transcript_path": transcript });
                event("UserPromptSubmit", &fields)
            }
            Stop(text) => event("Stop", &json!({ "last_assistant_message": text })),
            Run(arguments) => (arguments, Vec::new()),
            Edit(..) | Plan => unreachable!("the user or the client does it"),
        }
    }

    fn play(self, host: &Host) {
        if let Edit(from, to) = self {
            return host.edit(from, to);
        }
        if matches!(self, Plan) {
            let call = json!({ "type": "assistant", "sessionId": "one", "message": { "content": [
                { "type": "tool_use", "name": "ExitPlanMode", "input": { "plan": "# Move" } },
            ] } });
            return fs_err::write(host.path("t.jsonl"), format!("{call}\n")).unwrap();
        }
        let (arguments, input) = self.words(host);
        assert_eq!(host.run_with(arguments, host.root(), &input).code, 0);
    }
}

/// A host before its fault, which can be restored to this as often as necessary.
struct Stage {
    act: Act,
    host: Host,
    clock: i64,
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Stage {
    fn set(before: &[Act], act: Act) -> Self {
        let host = Host::new();
        for act in before {
            act.play(&host);
        }
        let (mut folders, mut files) = (vec![host.root().to_owned(), host.home()], Vec::new());
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs_err::read(path).unwrap()));
                }
            }
            next += 1;
        }
        // The state file was written before its snapshot.
        files.sort_by_key(|(path, _)| *path != host.state_path());
        Self { act, clock: host.clock.get(), host, folders, files }
    }

    fn text(&self) -> Option<String> {
        self.host.state_path().exists().then(|| self.host.state_text())
    }

    /// Restores the host and runs the act under `strace`; also returns the trace.
    fn happen(&self, options: &[&str]) -> (std::process::Output, String) {
        // The folders stay: others would be another place.
        for folder in &self.folders[..2] {
            for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let remove = if path.is_dir() {
                    fs_err::remove_dir_all::<&Path>
                } else {
                    fs_err::remove_file::<&Path>
                };
                remove(&path).unwrap();
            }
        }
        self.folders.iter().for_each(|folder| fs_err::create_dir_all(folder).unwrap());
        self.files.iter().for_each(|(path, content)| fs_err::write(path, content).unwrap());
        self.host.clock.set(self.clock);
        let (trace, stdin) = (self.host.outside("trace"), self.host.outside("stdin"));
        let (arguments, input) = self.act.words(&self.host);
        fs_err::write(&stdin, input).unwrap();
        let command = self.host.command(arguments, self.host.root());
        let options = [&["-o", trace.to_str().unwrap()], options].concat();
        let output =
            strace::under(&options, &command).stdin(File::open(stdin).unwrap()).output().unwrap();
        (output, fs_err::read_to_string(trace).unwrap())
    }

    /// A kill if the call changes something, an error if it reads. Panics if something is lost.
    fn survive(&self, Point { call, nth, changes }: &Point, [old, new]: [&Option<String>; 2]) {
        let accident = if *changes { "signal=KILL" } else { "error=EIO" };
        let context = format!("{:?}, {accident} at {call} {nth}", self.act);
        let inject = format!("inject={call}:{accident}:when={nth}");
        let (output, seen) = self.happen(&["-e", &format!("trace={call}"), "-e", &inject]);
        let text = self.text();

        if *changes {
            assert_eq!(output.status.signal(), Some(9), "{context}: {output:?}");
        } else {
            assert!(
                seen.contains("(INJECTED)") && output.status.code().is_some_and(|code| code <= 3),
                "{context}: {output:?}"
            );
            let is_heard = !output.stdout.is_empty() || !output.stderr.is_empty();
            assert!(is_heard || text != *old, "{context}: nobody hears that nothing was done");
        }
        // The old state or the new one, never a mix. A damaged file may be repaired from less if a
        // snapshot is unreadable.
        let is_mended = || self.text().is_some_and(|text| StateFile::parse(&text).is_ok());
        let reads_the_past =
            self.files.iter().any(|(_, bytes)| bytes.starts_with(b"---\nactive: tr\nue"));
        assert!(
            text == *old || text == *new || (reads_the_past && !changes && is_mended()),
            "{context}: {text:?}"
        );
        let kept = self.host.kept_text() + &text.unwrap_or_default();
        for said in ["\n> A1.\n", "\n> C1.\n", "\n> A2.\n"] {
            let was_said = old.as_ref().is_some_and(|old| old.contains(said));
            assert!(!was_said || kept.contains(said), "{context}: {said} is gone: {kept}");
        }

        // Old temporary files next to session records are removed.
        for path in self.left() {
            File::open(path)
                .unwrap()
                .set_modified(SystemTime::now() - Duration::from_mins(2))
                .unwrap();
        }
        // The client may deliver an unanswered event again.
        if *changes && nth % 2 == 0 && matches!(self.act, Stop(_)) {
            self.host.clock.set(self.clock);
            self.act.play(&self.host);
        }
        self.carry_on(&context);
        assert_eq!(self.left(), Vec::<PathBuf>::new(), "{context}");
    }

    /// Temporary files that the next holder of the project's lock, or the next start of a session,
    /// removes. Those in other records go with the next write to their folder.
    fn left(&self) -> Vec<PathBuf> {
        let (mut folders, mut left) =
            (vec![self.host.root().to_owned(), self.host.home()], Vec::new());
        while let Some(folder) = folders.pop() {
            for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let is_later = ["places", "debates"].map(|name| self.host.records().join(name));
                if path.is_dir() && !is_later.contains(&path) {
                    folders.push(path);
                } else if path.to_string_lossy().contains(".anvil-tmp-") {
                    left.push(path);
                }
            }
        }
        left
    }

    /// The user starts or resumes the debate; the missing replies arrive.
    fn carry_on(&self, context: &str) {
        let host = &self.host;
        let is_cycle = self.text().is_some() && host.state_text().contains("\n## Cycle 2");
        if is_cycle {
            CANCEL.play(host);
        }
        let is_finished = self.text().is_some() && host.head("status") == "completed";
        if is_finished
            && (is_cycle || matches!(self.act, Prompt("/anvil:again And now?" | "/anvil:cancel")))
        {
            // The finished debate is there, whole, and can be argued again.
            AGAIN.play(host);
            CANCEL.play(host);
        } else if is_finished {
            // Nothing is left to do; the next holder of the lock cleans up.
            assert_eq!(host.run(&["undo", "--redo"]).code, 3);
        } else {
            let typed = if self.text().is_none() {
                "/anvil:debate Why? --rounds 1"
            } else {
                "/anvil:resume"
            };
            let told = host.prompt("one", typed);
            let cue = match (host.head("phase").as_str(), host.head("round").as_str()) {
                ("synthesizer", _) => "── Synthesis".to_owned(),
                ("critic", round) => format!("── Critic · round {round} of 1"),
                (_, round) => format!("── Advocate · round {round} of 1"),
            };
            assert!(told.context().contains(&cue), "{context}: no cue for {cue}: {told:?}");
        }
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let texts = || -> Vec<String> {
            host.sections().iter().map(|section| first(&section.text)).collect()
        };
        // The block of a synthesis about a plan lacks its motion, so it is asked for once.
        for reply in ["A1.", "C1.", WHOLE, WHOLE] {
            let is_there = texts().contains(&first(reply));
            if host.head("status") == "in_progress" && (!is_there || reply == WHOLE) {
                host.stop("one", reply);
            }
        }
        assert_eq!(texts(), ["A1.", "C1.", "S."], "{context}: a section is missing or doubled");
        assert_eq!(host.head("status"), "completed", "{context}");
    }
}

#[test]
#[ignore = "needs strace; .ci/run installs it"]
fn the_real_program_survives_a_kill_at_each_system_call() {
    strace::can_trace();
    std::thread::scope(|scope| {
        for (before, act) in CASES {
            scope.spawn(move || {
                let stage = Stage::set(before, act);
                let old = stage.text();
                let (output, trace) = stage.happen(&["-e", "trace=%file,%desc"]);
                assert!(output.status.success(), "{act:?}: {output:?}");
                let (points, new) = (strace::points(&trace), stage.text());
                assert!(points.len() > 20 && old != new, "{act:?}: {trace}");
                for point in &points {
                    stage.survive(point, [&old, &new]);
                }
                println!("{act:?}: {} accidents survived", points.len());
            });
        }
    });
}
