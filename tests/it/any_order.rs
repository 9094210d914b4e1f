//! Everything at once: processes that stop, resume, undo, redo, cancel, replace and read one
//! project, against a model.
//!
//! Every operation has its own time, and the log has their order. In that order a small model
//! replays them, and the result explains every file: each section of the state and of the archive,
//! and the progress of each debate. During the operations, a reader always finds a whole state
//! file, or none between two debates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use anvil::internal::debate::{Advance, Schedule, Signal, Slot, advance};
use anvil::internal::storage::StateFile;
use anvil::internal::transcript;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::host::{self, Host, WHOLE};

const PROCESSES: u32 = 8;
const ROUNDS: u8 = 2;
const SESSIONS: [&str; 3] = ["one", "two", "three"];
/// The default number of checkpoints that a debate keeps.
const KEPT: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Stop,
    Start,
    Resume,
    Undo(usize),
    Redo,
    Cancel,
    Status,
}

impl Kind {
    fn draw(random: &mut Random) -> Self {
        match random.below(100) {
            0..55 => Self::Stop,
            55..57 => Self::Start,
            57..77 => Self::Resume,
            77..82 => Self::Undo(1),
            82..84 => Self::Undo(2),
            84..92 => Self::Redo,
            92..93 => Self::Cancel,
            _ => Self::Status,
        }
    }

    /// The log events that the operation may cause.
    fn events(self) -> &'static [&'static str] {
        match self {
            Self::Stop => &["advance", "complete"],
            Self::Start => &["start"],
            Self::Resume => &["resume"],
            Self::Undo(_) => &["undo"],
            Self::Redo => &["redo"],
            Self::Cancel => &["cancel"],
            Self::Status => &[],
        }
    }
}

/// Pseudo-random numbers, the same for the same seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// An operation, and whether its answer reported success.
#[derive(Clone, Debug)]
struct Done {
    kind: Kind,
    was_made: bool,
    answer: String,
}

/// The time of the operation, which identifies it.
fn moment(number: u32) -> Timestamp {
    Timestamp::from_second(1_795_230_000 + 5 * i64::from(number)).unwrap()
}

/// Numbered for either side, without a claim, and with a block for the synthesis.
fn reply(number: u32) -> String {
    let (_, block) = WHOLE.split_once("\n\n").unwrap();
    format!("Reply {number}.\n\nA1.\nC1.\n\n{block}")
}

/// Runs the program; it exits normally and its output is readable.
fn operate(root: &Path, home: &Path, number: u32, kind: Kind, random: &mut Random) -> Done {
    let state_file = root.join(".claude/anvil-state.local.md");
    // Most stops come from the session that owns the debate at the moment.
    let owner = SESSIONS.into_iter().find(|session| {
        let text = std::fs::read_to_string(&state_file).unwrap_or_default();
        kind == Kind::Stop && text.contains(&format!("session_id: \"{session}\"\n"))
    });
    let any = SESSIONS[random.below(3) as usize];
    let session = owner.filter(|_| random.below(4) > 0).unwrap_or(any);
    let typed = match kind {
        Kind::Start => format!("/anvil:debate Question {number}? --rounds {ROUNDS} --replace"),
        Kind::Resume => "/anvil:resume --take-over".to_owned(),
        Kind::Undo(phases) => format!("/anvil:undo {phases}"),
        Kind::Redo => "/anvil:undo --redo".to_owned(),
        Kind::Cancel => "/anvil:cancel".to_owned(),
        Kind::Status => "/anvil:status".to_owned(),
        Kind::Stop => String::new(),
    };
    let in_shell = !matches!(kind, Kind::Stop | Kind::Start | Kind::Resume) && random.below(2) == 0;
    let mut command = host::program(root, home);
    command
        .env("ANVIL_NOW", moment(number).to_string())
        .env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "100000");
    command.stdin(Stdio::null());
    if in_shell {
        command.args(typed.trim_start_matches("/anvil:").split(' '));
        let Output { status, stdout, stderr } = command.output().unwrap();
        let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
        let is_done = status.success();
        let is_plain =
            matches!(status.code(), Some(1..=3)) && err.lines().count() == 2 && out.is_empty();
        assert!(is_plain || (is_done && err.is_empty()), "{kind:?}: {status:?} {out}{err}");
        return Done { kind, was_made: is_done && kind != Kind::Status, answer: out + &err };
    }
    let (name, fields) = match kind {
        Kind::Stop => ("Stop", json!({ "last_assistant_message": reply(number) })),
        _ => ("UserPromptSubmit", json!({ "prompt": typed })),
    };
    let input = home.join(format!("event-{number}.json"));
    fs_err::write(&input, host::event(session, name, &fields, root)).unwrap();
    command.arg("hook").env("CLAUDE_PROJECT_DIR", root).stdin(std::fs::File::open(&input).unwrap());
    let output = command.output().unwrap();
    fs_err::remove_file(input).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{kind:?}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let value: Value =
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
    let (said, ended) =
        (value["systemMessage"].as_str().unwrap_or(""), value["stopReason"].as_str().unwrap_or(""));
    let was_made = match kind {
        // Another process may change the complete debate before its page is written.
        Kind::Stop => {
            let ends = ["Page: ", "the debate has gone on in this moment"];
            value["reason"].is_string() || ends.iter().any(|end| said.contains(end))
        }
        Kind::Start | Kind::Resume => value["hookSpecificOutput"].is_object(),
        Kind::Undo(_) => ended.starts_with("Anvil: undone: "),
        Kind::Redo => ended.starts_with("Anvil: back: "),
        Kind::Cancel => ended.starts_with("Anvil: cancelled. "),
        Kind::Status => false,
    };
    Done { kind, was_made, answer: text }
}

/// Reads the state file until it is stopped: the file is always whole and in order, has no
/// duplicates, and never goes back a step.
fn read_on(state_file: &Path, is_over: &AtomicBool) -> usize {
    let mut steps: BTreeMap<String, u32> = BTreeMap::new();
    let mut reads = 0;
    while !is_over.load(Ordering::Relaxed) {
        if let Ok(text) = std::fs::read_to_string(state_file) {
            let state = StateFile::parse(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
            let entries = transcript::parse(&state.body);
            let filed = entries.replies().count();
            let mut places: Vec<Slot> = vec![Slot::FIRST];
            while let Advance::To(next) =
                advance(places[places.len() - 1], Schedule::seats(ROUNDS), 0, Signal::Saved)
            {
                places.push(next);
            }
            assert!(entries.slots_in(1).eq(places.into_iter().take(filed)), "{text}");
            let mut texts: Vec<&str> =
                entries.replies().map(|(_, reply)| reply.text.as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), filed, "{text}");
            let step = steps.entry(state.debate.id).or_default();
            assert!(*step <= state.debate.progress.step, "{text}");
            *step = state.debate.progress.step;
            reads += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    reads
}

/// A debate as the log describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    step: u32,
    place: Slot,
    status: String,
    /// The places with a reply, and the operations that saved their replies.
    sections: Vec<(Slot, u32)>,
}

impl Model {
    const NEW: Self =
        Self { step: 1, place: Slot::FIRST, status: String::new(), sections: Vec::new() };

    /// Replays one line of the log. `kept` holds the earlier states, the oldest first.
    fn play(&mut self, line: &Value, number: u32, kept: &[Self]) {
        let event = line["event"].as_str().unwrap();
        let highest = kept.last().map_or(self.step, |newest| newest.step);
        let status = match event {
            "start" | "resume" => "in_progress",
            "advance" | "complete" => {
                assert!(
                    line["wrote"].as_str().unwrap().starts_with(&self.place.to_string()),
                    "{line}"
                );
                self.sections.push((self.place, number));
                self.step += 1;
                match advance(self.place, Schedule::seats(ROUNDS), 0, Signal::Saved) {
                    Advance::To(next) => self.place = next,
                    other => assert!(other == Advance::Complete && event == "complete", "{line}"),
                }
                if event == "complete" { "completed" } else { "in_progress" }
            }
            "undo" => {
                let phases: usize =
                    line["wrote"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap();
                self.place = self.sections[self.sections.len() - phases].0;
                self.sections.truncate(self.sections.len() - phases);
                self.step = highest + 1;
                "paused"
            }
            "redo" => {
                let has_more = |kept: &&Self| {
                    kept.sections.len() > self.sections.len()
                        && kept.sections.starts_with(&self.sections)
                };
                let back = kept
                    .iter()
                    .rev()
                    .find(has_more)
                    .unwrap_or_else(|| panic!("nothing to redo: {line}"));
                *self = Self { step: highest + 1, ..back.clone() };
                if back.status == "completed" { "completed" } else { "paused" }
            }
            "cancel" | "replace" => "cancelled",
            _ => panic!("nobody asked for this: {line}"),
        };
        status.clone_into(&mut self.status);
    }

    /// Replays a whole log; each line tells the model what to do.
    fn of(log: &[(u32, Value)]) -> Self {
        let (mut model, mut kept): (Self, Vec<Self>) = (Self::NEW, Vec::new());
        for (number, line) in log {
            model.play(line, *number, &kept);
            let told = (
                line["phase"].as_str(),
                line["round"].as_u64(),
                line["step"].as_u64(),
                line["status"].as_str(),
            );
            let Slot { phase, round } = model.place;
            let own =
                (phase.word(), u64::from(round), u64::from(model.step), model.status.as_str());
            assert_eq!(told, (Some(own.0), Some(own.1), Some(own.2), Some(own.3)), "{line}");
            kept.retain(|kept| kept.step != model.step);
            kept.push(model.clone());
            kept.drain(..kept.len().saturating_sub(KEPT));
        }
        model
    }

    fn is_in(&self, state: &StateFile) {
        let debate = &state.debate;
        let own = (self.step, self.place, self.status.as_str());
        assert_eq!(
            (debate.progress.step, debate.progress.slot, debate.progress.status.word()),
            own,
            "{state:?}"
        );
        let entries = transcript::parse(&state.body);
        let found: Vec<(Slot, String)> =
            entries.replies().map(|(slot, reply)| (slot, reply.text.clone())).collect();
        let expected: Vec<_> =
            self.sections.iter().map(|&(place, number)| (place, reply(number))).collect();
        assert_eq!(found, expected);
    }
}

/// The lines of a log, each with the number of its operation.
fn read_log(text: &str) -> Vec<(u32, Value)> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let at: Timestamp = value["at"].as_str().unwrap().parse().unwrap();
        let number = (at.as_second() - moment(0).as_second()) / 5;
        (u32::try_from(number).unwrap(), value)
    };
    text.lines().map(read).collect()
}

fn in_any_order(seed: u64, operations: u32) {
    let host = Host::new();
    let (root, home, state_file) = (host.root().to_owned(), host.home(), host.state_path());
    let (next, is_over, all) =
        (AtomicU32::new(0), AtomicBool::new(false), Mutex::new(BTreeMap::new()));
    let work = |worker: u32| {
        let mut random = Random(seed.wrapping_mul(2_654_435_761) ^ (u64::from(worker) + 1));
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= operations {
                return;
            }
            let kind = Kind::draw(&mut random);
            let done = operate(&root, &home, number, kind, &mut random);
            all.lock().unwrap().insert(number, done);
        }
    };
    let reads = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_on(&state_file, &is_over));
        let workers: Vec<_> =
            (0..PROCESSES).map(|worker| scope.spawn(move || work(worker))).collect();
        let ended: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.into_iter().all(|ended| ended.is_ok()), "seed {seed}");
        reader.join().unwrap()
    });
    let all = all.into_inner().unwrap();

    // Each debate is what its log says, in the state file or in the archive.
    let files: BTreeMap<PathBuf, Vec<u8>> = host.files().into_iter().collect();
    let text_of =
        |path: &Path| files.get(path).map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    let here = text_of(&state_file).map(|text| StateFile::parse(&text).unwrap());
    let mut happened: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut debates = 0;
    for log in files.keys().filter(|path| path.ends_with("log.jsonl")) {
        let lines = read_log(&text_of(log).unwrap());
        let model = Model::of(&lines);
        let id = log.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let archived = text_of(&host.path(&format!(".claude/anvil.local/archive/{id}.md")));
        let archived = archived.map(|text| StateFile::parse(&text).unwrap());
        let is_here = here.as_ref().filter(|here| here.debate.id == id);
        assert!(archived.is_some() != is_here.is_some(), "{id} is in two places or in none");
        model.is_in(archived.as_ref().or(is_here).unwrap());
        for (number, line) in lines {
            happened.entry(number).or_default().push(line["event"].as_str().unwrap().to_owned());
        }
        debates += 1;
    }

    // Every operation that reported success happened once, and no other operation happened. No
    // saved reply is lost.
    let texts: String = files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|kind| kind == "md"))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();
    let (mut made, mut replies) = (0, 0);
    for (number, done) in &all {
        let events = happened.remove(number).unwrap_or_default();
        let own =
            events.iter().filter(|event| done.kind.events().contains(&event.as_str())).count();
        let others = events.iter().filter(|event| *event != "replace").count() - own;
        assert!(
            own == usize::from(done.was_made) && others == 0,
            "seed {seed}, {number}: {events:?}, {done:?}"
        );
        assert!(
            !done.answer.contains("repaired") && !done.answer.contains("edited"),
            "seed {seed}: {done:?}"
        );
        if done.kind == Kind::Stop && done.was_made {
            assert!(
                texts.contains(&format!("> Reply {number}.\n")),
                "seed {seed}: {number} is gone"
            );
            replies += 1;
        }
        made += usize::from(done.was_made);
    }
    assert!(happened.is_empty() && all.len() == operations as usize, "seed {seed}: {happened:?}");
    println!(
        "{operations} operations, {made} made, {replies} replies filed, {debates} debates, {reads} reads"
    );
    assert!(
        made > 100 && replies > 50 && debates > 5 && reads > 50,
        "seed {seed}: too little happened"
    );
}

#[test]
fn operations_in_many_processes_are_explained_by_one_order_of_them() {
    in_any_order(1, 1_200);
}

#[test]
#[ignore = "takes some minutes"]
fn fuzz_operations_in_many_processes() {
    let seconds = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    for seed in seconds..seconds + 10 {
        println!("seed {seed}");
        in_any_order(seed, 5_000);
    }
}
