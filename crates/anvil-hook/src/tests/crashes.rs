//! Crash safety, point by point: every event is killed, failed and torn at each of its operations
//! on the disk.
//!
//! The events run in this process, through the same interface as the client's; a probe tells the
//! disk below them what happens to each operation. After every such fault the state is the one
//! before or the one after, the next event continues, no section is missing or doubled, and no
//! temporary file is left.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::client;
use crate::Answer;
use anvil_core::journal::{self, Decision};
use anvil_core::transcript;
use anvil_engine::{Context, HistoryChange, Note, Session, history, reports, session};
use anvil_messages::{self as messages, Door, Screen};
use anvil_store::{Scope, StateFile};
use anvil_system::disk::{Disk, Fate, Operation, Probe};
use anvil_system::world::World;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tempfile::TempDir;

use testkit::host::{self, WHOLE};

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accident {
    /// Nothing: the operations are only counted.
    None,
    /// A kill: neither this nor any later operation happens.
    Death,
    /// A kill in the middle of a write.
    TornDeath,
    /// This one operation fails with this system error, and the program continues.
    Failure(i32),
    /// Half of this one write happens, then it fails.
    Tear,
    /// This and every later operation fails: the disk is full and stays full.
    Full,
}

const ENOSPC: i32 = 28;
const ERRORS: [i32; 5] =
    [ENOSPC, 5 /* EIO */, 13 /* EACCES */, 30 /* EROFS */, 24 /* EMFILE */];

/// True if every fault is tried at every operation, as at night: `ANVIL_ACCIDENTS`.
pub(super) fn tries_all() -> bool {
    std::env::var_os("ANVIL_ACCIDENTS").is_some()
}

/// The faults to try at an operation: all of them, or one, and another one at the next operation.
pub(super) fn chosen(kinds: &[Accident], at: usize) -> &[Accident] {
    if tries_all() { kinds } else { std::slice::from_ref(&kinds[at % kinds.len()]) }
}

/// Counts operations, and causes a fault at one of them.
#[derive(Debug)]
struct Accidents {
    kind: Accident,
    at: usize,
    seen: Mutex<Vec<Operation>>,
}

impl Probe for Accidents {
    fn fate(&self, operation: Operation, _: &Path) -> Fate {
        let mut seen = self.seen.lock().unwrap();
        let now = seen.len();
        seen.push(operation);
        let error = |code| io::Error::from_raw_os_error(code);
        match self.kind {
            Accident::Death if now >= self.at => Fate::Fails(io::Error::other("dead")),
            Accident::TornDeath if now > self.at => Fate::Fails(io::Error::other("dead")),
            Accident::TornDeath if now == self.at => Fate::Tears(io::Error::other("dead")),
            Accident::Failure(code) if now == self.at => Fate::Fails(error(code)),
            Accident::Tear if now == self.at => Fate::Tears(error(ENOSPC)),
            Accident::Full if now >= self.at => Fate::Fails(error(ENOSPC)),
            _ => Fate::Made,
        }
    }
}

/// A project on a disk with possible faults.
pub(super) struct Place {
    temp: TempDir,
    pub clock: Timestamp,
    /// How many snapshots a debate keeps.
    pub snapshots: Option<usize>,
}

impl Place {
    pub(super) fn new() -> Self {
        let temp = tempfile::tempdir_in(testkit::host::temp_folder()).unwrap();
        fs_err::create_dir_all(temp.path().join("project")).unwrap();
        fs_err::create_dir_all(temp.path().join("home/.claude")).unwrap();
        let clock = Timestamp::from_second(1_795_230_000).unwrap();
        Self { temp, clock, snapshots: None }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub(super) fn state_path(&self) -> PathBuf {
        self.root().join(".claude/anvil-state.local.md")
    }

    pub(super) fn world(&mut self, disk: Disk) -> World {
        self.clock += SignedDuration::from_secs(10);
        let root = self.root();
        let home = self.temp.path().join("home");
        let vars = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "CLAUDE_PROJECT_DIR" => Some(root.clone().into_os_string()),
            "AI_AGENT" => Some("claude-code_2-1-332_harness".into()),
            "ANVIL_NOW" => Some(self.clock.to_string().into()),
            _ => None,
        };
        let snapshots_kept = self.snapshots;
        World { cwd: root.clone(), disk, snapshots_kept, ..World::gather(vars).unwrap() }
    }

    pub(super) fn send(&mut self, event: &Event, disk: Disk) -> Outcome {
        let world = self.world(disk);
        let hook = |name: &str, fields: serde_json::Value| {
            let event = host::event("one", name, &fields, &self.root());
            let answer = crate::answer(event, world.clone(), &client());
            (answer != Answer::Silent).then(|| answer.to_json())
        };
        let session = Session::new("one");
        let cli = |result: anvil_text::error::Result<HistoryChange>| {
            Some(result.map_or_else(
                |error| error.to_string(),
                |change| messages::history_change(&change, &Door::default()),
            ))
        };
        match event {
            Event::Prompt(text) => hook("UserPromptSubmit", json!({ "prompt": text })),
            Event::Stop(text) => hook("Stop", json!({ "last_assistant_message": text })),
            Event::SessionEnd => hook("SessionEnd", json!({})),
            Event::Undo => cli(history::undo(&Context::new(&world), Some(&session), 1, false)),
            Event::Redo => cli(history::redo(&Context::new(&world), Some(&session), false)),
            Event::Restore(number) => {
                cli(history::restore(&Context::new(&world), None, *number, None, false))
            }
        }
    }

    fn records(&self) -> PathBuf {
        self.temp.path().join("home/.claude/anvil.local")
    }

    /// Everything below the project, by its path in it, and the records by theirs.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let below = |folder: PathBuf| -> Vec<(PathBuf, Vec<u8>)> {
            if !folder.exists() {
                return Vec::new();
            }
            let inside = |path: PathBuf| path.strip_prefix(&folder).unwrap().to_owned();
            files(&folder).into_iter().map(|(path, bytes)| (inside(path), bytes)).collect()
        };
        below(self.root()).into_iter().chain(below(self.records())).collect()
    }

    /// The file's bytes; `None`: it does not exist.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        fs_err::read(self.state_path()).ok()
    }

    fn texts(&self) -> Vec<String> {
        let Some(bytes) = self.bytes() else { return Vec::new() };
        let state = StateFile::parse(std::str::from_utf8(&bytes).unwrap()).unwrap();
        transcript::parse(&state.body).replies().map(|(_, reply)| reply.text.clone()).collect()
    }
}

/// A saved project: answers that tests need again, and the source of copies.
pub(super) struct Kept {
    pub clock: Timestamp,
    snapshots: Option<usize>,
    folder: String,
    /// Of the project, which its records name.
    identity: (String, String),
    folders: Vec<PathBuf>,
    /// The state file before its snapshots, as they were written.
    files: Vec<(PathBuf, Vec<u8>)>,
    pub bytes: Option<Vec<u8>>,
    pub words: String,
    names: Vec<PathBuf>,
    reports: BTreeMap<PathBuf, Vec<u8>>,
    listed: BTreeMap<String, String>,
}

impl Kept {
    pub(super) fn of(mut place: Place) -> Self {
        let below = place.temp.path().to_owned();
        let inside = |path: &Path| path.strip_prefix(&below).unwrap().to_owned();
        let state_path = place.state_path();
        let mut files: Vec<_> = files(&below).into_iter().collect();
        files.sort_by_key(|(path, _)| *path != state_path);
        Self {
            clock: place.clock,
            snapshots: place.snapshots,
            folder: below.to_string_lossy().into_owned(),
            identity: testkit::host::identity(&place.root()),
            folders: folders(&below).iter().map(|path| inside(path)).collect(),
            files: files.into_iter().map(|(path, bytes)| (inside(&path), bytes)).collect(),
            bytes: place.bytes(),
            words: all_words(&place),
            names: names_kept(&place),
            reports: reports(&place),
            listed: listed(&mut place),
        }
    }

    /// A second copy of the project and its records, which name the copy.
    pub(super) fn again(&self) -> Place {
        let copy = Place { clock: self.clock, snapshots: self.snapshots, ..Place::new() };
        let to = copy.temp.path().to_string_lossy();
        for folder in &self.folders {
            fs_err::create_dir_all(copy.temp.path().join(folder)).unwrap();
        }
        let (old_key, old) = &self.identity;
        let (key, new) = testkit::host::identity(&copy.root());
        for (path, bytes) in &self.files {
            let moved = String::from_utf8_lossy(bytes).replace(&self.folder, &to);
            let path = path.to_string_lossy().replace(old_key, &key);
            fs_err::write(copy.temp.path().join(path), moved.replace(old, &new)).unwrap();
        }
        copy
    }
}

/// Every folder and file of the project and its records, without what differs from place to place.
fn on_disk(place: &Place) -> Vec<(String, String)> {
    let below = place.temp.path().to_string_lossy().into_owned();
    let (key, name) = testkit::host::identity(&place.root());
    let alike = |text: &str| text.replace(&below, "").replace(&key, "KEY").replace(&name, "NAME");
    let alike_name = |path: &Path| {
        let path = alike(&path.to_string_lossy());
        path.split_once(".anvil-tmp-").map_or(path.clone(), |(before, _)| before.to_owned() + "TMP")
    };
    let folders = folders(place.temp.path());
    let files = files(place.temp.path());
    let mut found: Vec<_> =
        folders.iter().map(|folder| (alike_name(folder), String::new())).collect();
    found.extend(
        files
            .iter()
            .map(|(path, bytes)| (alike_name(path), alike(&String::from_utf8_lossy(bytes)))),
    );
    found.sort();
    found
}

fn folders(below: &Path) -> Vec<PathBuf> {
    let mut found = vec![below.to_owned()];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        let entries = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        found.extend(entries.filter(|path| path.is_dir()));
        next += 1;
    }
    found
}

fn files(below: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = folders(below).into_iter().flat_map(|folder| fs_err::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    paths.map(|path| (path.clone(), fs_err::read(&path).unwrap())).collect()
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Prompt(&'static str),
    Stop(&'static str),
    SessionEnd,
    Undo,
    Redo,
    Restore(u32),
}

/// The message of the answer; empty if the event is answered silently.
pub(super) type Outcome = Option<String>;

use Event::{Prompt, Redo, Restore, SessionEnd, Stop, Undo};

/// An event under test, and the events before it.
pub(super) struct Case {
    pub name: &'static str,
    pub before: Vec<Event>,
    /// Changes files by hand after `before`.
    pub by_hand: fn(&Place),
    pub event: Event,
    /// It ends or replaces a debate.
    pub ends: bool,
    /// What continues after a fault, and leads to the same debate as without one.
    pub carries_on: fn(&mut Place),
}

/// The client continues by itself or the user types `/anvil:resume`; then the reply of the waiting
/// phase arrives.
pub(super) fn resumed(place: &mut Place) {
    place.send(&Prompt("/anvil:resume"), Disk::default());
}

fn cases() -> Vec<Case> {
    let untouched: fn(&Place) = |_| {};
    let started = || Prompt("/anvil:debate Why? --rounds 1");
    let interactive = || Prompt("/anvil:debate Why? --rounds 1 --interactive");
    let long = || Prompt("/anvil:debate Why? --rounds 2");
    let case = |name, before: Vec<Event>, event| Case {
        name,
        before,
        by_hand: untouched,
        event,
        ends: false,
        carries_on: resumed,
    };
    let damaged = |name, by_hand: fn(&Place), event| Case {
        name,
        before: vec![started(), Stop("A1.")],
        by_hand,
        event,
        ends: false,
        carries_on: resumed,
    };
    vec![
        case("the first start in a project", vec![], started()),
        case(
            "a start with a report of its own",
            vec![],
            Prompt("/anvil:debate Why? --rounds 1 --output docs/d.md"),
        ),
        case("a stop that advances", vec![started()], Stop("A1.")),
        case("an early end", vec![started()], Stop("A1.\n\n<anvil-complete/>")),
        case("a stop that is asked again", vec![started()], Stop("")),
        case("a stop that fails", vec![started(), Stop(""), Stop(""), Stop("")], Stop("")),
        case(
            "the completion with its report",
            vec![started(), Stop("A1."), Stop("C1.")],
            Stop(WHOLE),
        ),
        case(
            "the completion with a report elsewhere",
            vec![
                Prompt("/anvil:debate Why? --rounds 1 --output docs/d.md"),
                Stop("A1."),
                Stop("C1."),
            ],
            Stop(WHOLE),
        ),
        case("a person speaks", vec![started(), Stop("A1.")], Prompt("Wait")),
        case("the session ends", vec![started(), Stop("A1.")], SessionEnd),
        case("resume", vec![started(), Stop("A1."), Prompt("Wait")], Prompt("/anvil:resume")),
        case("undo", vec![started(), Stop("A1."), Stop("C1.")], Undo),
        case("redo", vec![started(), Stop("A1."), Stop("C1."), Undo], Redo),
        case("restore", vec![started(), Stop("A1."), Stop("C1.")], Restore(1)),
        damaged(
            "recovery from a snapshot",
            |place| edit(place, |text| text[40..].to_owned()),
            Stop("C1."),
        ),
        damaged("recovery of an emptied file", |place| edit(place, |_| String::new()), Stop("C1.")),
        damaged(
            "recovery without a snapshot",
            |place| {
                fs_err::remove_dir_all(place.records().join("debates")).unwrap();
                edit(place, |text| text.replace("phase: critic", "phase: judge"));
            },
            Prompt("/anvil:resume"),
        ),
        case("a stop that waits for steering", vec![interactive(), Stop("A1.")], Stop("C1.")),
        case("steering", vec![interactive(), Stop("A1."), Stop("C1.")], Prompt("Look at the cost")),
        case(
            "going on without a direction",
            vec![interactive(), Stop("A1."), Stop("C1.")],
            Prompt("go on"),
        ),
        case(
            "stopping after a round",
            vec![interactive(), Stop("A1."), Stop("C1.")],
            Prompt("stop"),
        ),
        case(
            "steering by command",
            vec![started(), Stop("A1."), Prompt("Wait")],
            Prompt("/anvil:steer Look at the cost"),
        ),
        Case {
            carries_on: |place| {
                place.send(&Prompt("/anvil:steer --synthesize"), Disk::default());
            },
            ..case(
                "synthesize",
                vec![long(), Stop("A1."), Stop("C1."), Prompt("Wait")],
                Prompt("/anvil:steer --synthesize"),
            )
        },
        case(
            "a synthesis whose block is asked for",
            vec![started(), Stop("A1."), Stop("C1.")],
            Stop("S."),
        ),
        case(
            "the block that was asked for",
            vec![started(), Stop("A1."), Stop("C1."), Stop("S.")],
            Stop(WHOLE),
        ),
        case(
            "a repeat without a block",
            vec![started(), Stop("A1."), Stop("C1."), Stop("S.")],
            Stop("That is all."),
        ),
        Case {
            by_hand: |place| fs_err::write(place.root().join("docs/note.md"), "Material.").unwrap(),
            ..case(
                "a start with material",
                vec![],
                Prompt("/anvil:debate Why? --rounds 1 --context docs"),
            )
        },
        damaged(
            "an advance behind an edit",
            |place| edit(place, |text| text.replace("> A1.", "> A1. ")),
            Stop("C1."),
        ),
    ]
}

/// Events that end or replace a debate.
fn endings() -> Vec<Case> {
    let started = || Prompt("/anvil:debate Why? --rounds 1");
    let ends = |name, before: Vec<Event>, event| Case {
        name,
        before,
        by_hand: |_| {},
        event,
        ends: true,
        carries_on: resumed,
    };
    vec![
        ends(
            "a start that replaces",
            vec![started(), Stop("A1.")],
            Prompt("/anvil:debate Other? --rounds 1 --replace"),
        ),
        ends(
            "a start behind a finished debate",
            vec![started(), Stop("A1."), Stop("C1."), Stop(WHOLE)],
            Prompt("/anvil:debate Other? --rounds 1"),
        ),
        ends("cancel", vec![started(), Stop("A1.")], Prompt("/anvil:cancel")),
        ends(
            "a start after a cancelled debate",
            vec![started(), Stop("A1."), Prompt("/anvil:cancel")],
            Prompt("/anvil:debate Other? --rounds 1"),
        ),
        ends(
            "cancel of a debate that was cancelled and restored",
            vec![
                started(),
                Stop("A1."),
                Prompt("/anvil:cancel"),
                Restore(2),
                Prompt("/anvil:resume"),
                Stop("C1."),
            ],
            Prompt("/anvil:cancel"),
        ),
        Case {
            by_hand: |place| edit(place, |text| text[40..].to_owned()),
            ..ends(
                "a start that replaces what is damaged",
                vec![started(), Stop("A1.")],
                Prompt("/anvil:debate Other? --rounds 1 --replace"),
            )
        },
    ]
}

pub(super) fn edit(place: &Place, change: fn(&str) -> String) {
    let text = String::from_utf8(place.bytes().unwrap()).unwrap();
    fs_err::write(place.state_path(), change(&text)).unwrap();
}

/// The project before and after the event of a case without a fault, and the operations of the
/// event.
pub(super) fn played(case: &Case) -> (Kept, Kept, Vec<Operation>) {
    let mut place = Place::new();
    fs_err::create_dir_all(place.root().join("docs")).unwrap();
    for event in &case.before {
        place.send(event, Disk::default());
    }
    (case.by_hand)(&place);
    let before = Kept::of(place);
    let mut after = before.again();
    let (operations, _) = happen(case, &mut after, Accident::None, 0);
    (before, Kept::of(after), operations)
}

/// Runs the event of a case with one fault; returns the operations and the message.
pub(super) fn happen(
    case: &Case,
    place: &mut Place,
    kind: Accident,
    at: usize,
) -> (Vec<Operation>, Outcome) {
    let probe = Arc::new(Accidents { kind, at, seen: Mutex::default() });
    let outcome = place.send(&case.event, Disk::with_probe(probe.clone()));
    let seen = probe.seen.lock().unwrap().clone();
    (seen, outcome)
}

/// All texts of a project: the state file, what was put aside, and the newest snapshots.
pub(super) fn all_words(place: &Place) -> String {
    let files = place
        .files()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "md"));
    let kept = names_kept(place);
    files
        .filter(|(path, _)| path.starts_with(".claude") || kept.contains(path))
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

/// The debates in `anvil history`, with their statuses.
fn listed(place: &mut Place) -> BTreeMap<String, String> {
    let world = place.world(Disk::default());
    let Ok(past) = history::past(&Context::new(&world), None, Scope::Repository) else {
        return BTreeMap::new();
    };
    assert!(past.unreadable.is_empty(), "{past:?}");
    let count = past.debates.len();
    let listed: BTreeMap<_, _> = past
        .debates
        .into_iter()
        .map(|past| (past.debate.id.clone(), past.debate.status().word().to_owned()))
        .collect();
    assert_eq!(listed.len(), count, "a debate is listed more than once");
    listed
}

/// What was put aside, and the newest snapshot of each debate whose file is not here.
fn names_kept(place: &Place) -> Vec<PathBuf> {
    let names: Vec<PathBuf> = place.files().into_keys().collect();
    let is_snapshot = |path: &&PathBuf| {
        path.extension().is_some_and(|extension| extension == "md")
            && path.file_name().unwrap().as_encoded_bytes().starts_with(b"0")
    };
    let here = place.bytes().unwrap_or_default();
    let here = String::from_utf8_lossy(&here).into_owned();
    let newest = |path: &PathBuf| {
        let id = path.iter().rev().nth(1).unwrap_or_default().to_string_lossy();
        if here.contains(&format!("\nid: \"{id}\"\n")) {
            return false;
        }
        let all = names.iter().filter(|other| other.parent() == path.parent());
        all.filter(is_snapshot).max() == Some(path)
    };
    let is_kept = |path: &&PathBuf| path.to_string_lossy().contains("/aside/") || newest(path);
    names.iter().filter(is_kept).cloned().collect()
}

/// A debate that is replaced or cancelled stays reachable and unchanged until the operation is
/// complete; repeating the operation gives the normal result.
pub(super) fn check_ending(case: &Case, before: &Kept, after: &Kept, kind: Accident, at: usize) {
    let context = format!("{}: {kind:?} at {at}", case.name);
    let mut place = before.again();
    happen(case, &mut place, kind, at);
    let is_done = place.bytes() == after.bytes;
    assert!(
        is_done || place.bytes() == before.bytes,
        "{context}: the state file is {:?}",
        place.bytes()
    );
    let expected = if is_done { &after.listed } else { &before.listed };
    let mut now = listed(&mut place);
    let text = String::from_utf8(before.bytes.clone().unwrap_or_default()).unwrap();
    if !is_done && StateFile::parse(&text).is_err() {
        // Its snapshot says already that it was to be replaced.
        now.values_mut()
            .filter(|status| *status == "paused")
            .for_each(|status| "in_progress".clone_into(status));
    }
    assert_eq!(&now, expected, "{context}");

    // The snapshots of the old debate, until another debate replaces it.
    if !is_done || after.bytes.is_none() {
        let world = place.world(Disk::default());
        let kept = history::snapshots(&Context::new(&world), None, None)
            .unwrap_or_else(|error| panic!("{context}: {error}"));
        let debate = kept.kept.last().and_then(|kept| kept.debate.as_ref());
        assert!(
            debate.is_some_and(|debate| before.listed.contains_key(&debate.id)),
            "{context}: {kept:?}"
        );
    }

    if !is_done {
        place.clock = before.clock;
        happen(case, &mut place, Accident::None, 0);
        assert_eq!(listed(&mut place), after.listed, "{context}: done again");
    }
    assert_eq!(names_kept(&place), after.names, "{context}: done again");
    let words = all_words(&place);
    for text in ["A1.", "C1.", "S."] {
        assert_eq!(
            words.matches(text).count(),
            after.words.matches(text).count(),
            "{context}: {text}"
        );
    }
}

/// `continued`: what was on the disk where this case was continued already. The same once more
/// goes on in the same way.
fn check(
    case: &Case,
    [before, after]: [&Kept; 2],
    (kind, at): (Accident, usize),
    continued: &mut BTreeSet<Vec<(String, String)>>,
) {
    let context = format!("{}: {kind:?} at {at}", case.name);
    let mut place = before.again();
    let (_, outcome) = happen(case, &mut place, kind, at);

    // The old state or the new one, never a mix.
    let state = place.bytes();
    let is_whole = state == before.bytes || state == after.bytes;
    assert!(is_whole, "{context}: {}", String::from_utf8_lossy(&state.unwrap_or_default()));

    // No earlier text is lost.
    let words = all_words(&place);
    for text in ["> A1.", "> C1.", "> S."] {
        assert!(words.contains(text) || !before.words.contains(text), "{context}: {text} is gone");
    }
    // The user gets a message, unless the whole event still succeeded.
    let is_undone = place.bytes() == before.bytes && before.bytes != after.bytes;
    assert!(!is_undone || outcome.is_some(), "{context}: nothing was said");

    // The next event continues and cleans up.
    if !continued.insert(on_disk(&place)) {
        return;
    }
    (case.carries_on)(&mut place);
    let is_cancelled = |text: Vec<u8>| String::from_utf8_lossy(&text).contains("status: cancelled");
    if place.bytes().is_none_or(is_cancelled) {
        place.send(&Prompt("/anvil:debate Why? --rounds 1"), Disk::default());
    }
    let ended_early = place
        .bytes()
        .is_some_and(|state| String::from_utf8_lossy(&state).contains("phase: synthesizer"));
    for reply in ["A1.", "C1.", WHOLE] {
        if ended_early && reply == "C1." && !place.texts().iter().any(|text| text == "C1.") {
            continue;
        }
        if status(&place) == "paused" {
            // It waits for steering.
            resumed(&mut place);
        }
        if status(&place) == "in_progress"
            && !place.texts().iter().any(|text| first_line(text) == first_line(reply))
        {
            place.send(&Stop(reply), Disk::default());
        }
    }
    if status(&place) == "in_progress" {
        // Its block is missing.
        place.send(&Stop(WHOLE), Disk::default());
    }
    let texts: Vec<String> = place.texts().iter().map(|text| first_line(text).to_owned()).collect();
    let is_early = matches!(case.event, Stop(reply) if reply.contains("<anvil-complete/>"));
    let expected: &[&str] =
        if is_early && texts.len() == 2 { &["A1.", "S."] } else { &["A1.", "C1.", "S."] };
    assert_eq!(texts, expected, "{context}: a section is missing or doubled");
    assert_eq!(status(&place), "completed", "{context}");
    let left: Vec<PathBuf> = place
        .files()
        .into_keys()
        // Those of records go with the next write to their folder, or after a minute.
        .filter(|path| {
            let records = ["sessions", "places", "debates"];
            path.to_string_lossy().contains(".anvil-tmp-")
                && !records.iter().any(|records| path.starts_with(records))
        })
        .collect();
    assert!(left.is_empty(), "{context}: {left:?}");
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end()
}

pub(super) fn status(place: &Place) -> String {
    let text = String::from_utf8(place.bytes().unwrap()).unwrap();
    StateFile::parse(&text).unwrap().debate.status().word().to_owned()
}

fn survive_all(case: &Case) -> usize {
    let (mut points, mut continued) = (0, BTreeSet::new());
    let (before, after, operations) = played(case);
    assert!(operations.len() > 3, "{}: {operations:?}", case.name);
    for (at, operation) in operations.iter().enumerate() {
        // The errors differ only in their messages, not in their effects: each operation gets one
        // of them.
        let mut kinds =
            vec![Accident::Death, Accident::Full, Accident::Failure(ERRORS[at % ERRORS.len()])];
        if *operation == Operation::Write {
            kinds.extend([Accident::TornDeath, Accident::Tear]);
        }
        for &kind in chosen(&kinds, at + case.name.len()) {
            check(case, [&before, &after], (kind, at), &mut continued);
            if case.ends {
                check_ending(case, &before, &after, kind, at);
            }
            points += 1;
        }
    }
    points
}

#[test]
fn every_event_survives_a_fault_at_each_operation() {
    let cases: Vec<Case> = cases().into_iter().chain(endings()).collect();
    let (even, odd): (Vec<_>, Vec<_>) =
        cases.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let survive = |cases: Vec<(usize, &Case)>| {
        cases.into_iter().map(|(_, case)| survive_all(case)).sum::<usize>()
    };
    let points = std::thread::scope(|scope| {
        let other = scope.spawn(|| survive(odd));
        survive(even) + other.join().unwrap()
    });
    println!("{points} accidents, {points} survived");
    assert!(points > if tries_all() { 2_000 } else { 600 }, "{points}");
}

fn reports(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_report =
        |path: &Path| path.to_string_lossy().contains("/report.") || path.starts_with("docs");
    let texts = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let text = text.replace(&*place.temp.path().to_string_lossy(), "");
        without_figures(&text)
    };
    let files = place.files().into_iter().filter(|(path, _)| is_report(path));
    files.map(|(path, bytes)| (path, texts(bytes).into_bytes())).collect()
}

/// A report without what the turns took: a turn's line that could not be written is lost.
fn without_figures(text: &str) -> String {
    let is_other = |char: char| !(char.is_ascii_alphanumeric() || ", ()".contains(char));
    let text = text.replace(" reply, ", " replies, ");
    let mut parts = text.split(" replies, ");
    let mut kept = parts.next().unwrap().to_owned();
    for after in parts {
        let before = kept.char_indices().rev().find(|(_, char)| is_other(*char));
        kept.truncate(before.map_or(0, |(at, char)| at + char.len_utf8()));
        kept.push_str(&after[after.find(is_other).unwrap_or(after.len())..]);
    }
    kept
}

/// The state comes first, then the reports: if they are not written, a message says so, and the
/// next verb that needs them writes them.
fn check_completion(case: &Case, before: &Kept, after: &Kept, kind: Accident, at: usize) -> bool {
    let context = format!("{}: {kind:?} at {at}", case.name);
    let mut place = before.again();
    let (_, outcome) = happen(case, &mut place, kind, at);
    if place.bytes() == before.bytes {
        assert_eq!(reports(&place), before.reports, "{context}: a report of what is not filed");
        return false;
    }
    assert_eq!(place.bytes(), after.bytes, "{context}");
    // A report that cannot go elsewhere is at its default path, and a message says so.
    let is_default = outcome.is_some_and(|said| said.contains("Report: ~/.claude/"));
    if reports(&place) == after.reports
        || (is_default && reports(&place).len() >= after.reports.len())
    {
        return false;
    }
    let world = place.world(Disk::default());
    let status = messages::status(
        &session::look(&Context::new(&world), None).unwrap(),
        &client(),
        Screen::default(),
    );
    assert!(
        status.contains("The report is missing: /anvil:report writes it."),
        "{context}: {status}"
    );
    if at.is_multiple_of(2) {
        let engine = Context::new(&world);
        reports::report(&engine, None, None, None, None).unwrap();
        assert!(
            engine.take_notes().iter().any(|note| matches!(note, Note::DueReport(Ok(_)))),
            "{context}"
        );
    } else {
        let said = place.send(&Prompt("/anvil:resume"), Disk::default()).unwrap();
        assert!(said.contains("was missing and is written now"), "{context}: {said}");
    }
    assert_eq!(reports(&place), after.reports, "{context}");
    let world = place.world(Disk::default());
    let status = messages::status(
        &session::look(&Context::new(&world), None).unwrap(),
        &client(),
        Screen::default(),
    );
    assert!(!status.contains("missing"), "{context}: {status}");
    true
}

#[test]
fn a_completed_debate_has_its_reports_or_says_they_are_missing() {
    let argued = || vec![Prompt("/anvil:debate Why? --rounds 1"), Stop("A1."), Stop("C1.")];
    let elsewhere = || {
        vec![Prompt("/anvil:debate Why? --rounds 1 --output docs/d.md"), Stop("A1."), Stop("C1.")]
    };
    let again = || vec![Stop(WHOLE), Prompt("/anvil:again And now?"), Stop("A2."), Stop("C2.")];
    for (name, before) in [
        ("the completion", argued()),
        ("the completion with a report elsewhere", elsewhere()),
        ("the completion of a second cycle", argued().into_iter().chain(again()).collect()),
        (
            "the completion of a second cycle elsewhere",
            elsewhere().into_iter().chain(again()).collect(),
        ),
    ] {
        let case = Case {
            name,
            before,
            by_hand: |_| {},
            event: Stop(WHOLE),
            ends: false,
            carries_on: resumed,
        };
        let (before, after, operations) = played(&case);
        assert_eq!(status(&after.again()), "completed");
        let mut late = 0;
        for at in 0..operations.len() {
            let kinds = [
                Accident::Death,
                Accident::Full,
                Accident::TornDeath,
                Accident::Failure(ENOSPC),
                Accident::Tear,
            ];
            for &kind in chosen(&kinds, at) {
                late += usize::from(check_completion(&case, &before, &after, kind, at));
            }
        }
        assert!(late > 5, "{name}: {late}");
    }
}

/// The whole lines of a journal.
fn journal_lines(bytes: &[u8]) -> impl Iterator<Item = journal::Line> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// A review is in the journal before the state says that the debate is complete. If that fails, a
/// message says so; a torn line destroys no other line.
#[test]
fn a_requested_review_is_due_or_reported_as_not_noted() {
    let case = Case {
        name: "the completion with a review",
        before: vec![
            Prompt("/anvil:debate Why? --rounds 1 --review 30d"),
            Stop("A1."),
            Stop("C1."),
        ],
        by_hand: |_| {},
        event: Stop(WHOLE),
        ends: false,
        carries_on: resumed,
    };
    let (before, _, operations) = played(&case);
    let decisions = |place: &Place| {
        let bytes = fs_err::read(place.records().join("decisions.jsonl")).unwrap_or_default();
        journal::decisions(journal_lines(&bytes))
    };
    let mut not_noted = 0;
    for at in 0..operations.len() {
        for kind in
            [Accident::Death, Accident::TornDeath, Accident::Failure(ENOSPC), Accident::Tear]
        {
            let context = format!("{kind:?} at {at}");
            let mut place = before.again();
            let (_, said) = happen(&case, &mut place, kind, at);
            if place.bytes() == before.bytes {
                happen(&case, &mut place, Accident::None, 0);
            }
            assert_eq!(status(&place), "completed", "{context}");
            let noted = decisions(&place);
            let is_due =
                |decision: &Decision| decision.review.is_some() && decision.confidence == Some(80);
            if !matches!(noted.as_slice(), [only] if is_due(only)) {
                assert!(
                    said.is_some_and(|said| said.contains("could not be noted")),
                    "{context}: {noted:?}"
                );
                not_noted += 1;
            }
            place.send(&Prompt("/anvil:history --outcome right"), Disk::default());
            assert!(
                decisions(&place)
                    .iter()
                    .any(|decision| decision.outcome == Some(journal::Outcome::Right)),
                "{context}"
            );
        }
    }
    assert!(not_noted > 2, "{not_noted}");
}

#[test]
fn an_outcome_survives_a_fault_at_each_operation_of_the_next() {
    let debated =
        || vec![Prompt("/anvil:debate Why? --rounds 1"), Stop("A1."), Stop("C1."), Stop(WHOLE)];
    let case = Case {
        name: "an outcome",
        before: debated()
            .into_iter()
            .chain([Prompt("/anvil:history --outcome wrong --note first")])
            .collect(),
        by_hand: |_| {},
        event: Prompt("/anvil:history --outcome right --note second"),
        ends: false,
        carries_on: resumed,
    };
    let (before, _, operations) = played(&case);
    for at in 0..operations.len() {
        for kind in [Accident::Death, Accident::TornDeath, Accident::Full, Accident::Tear] {
            let mut place = before.again();
            let (_, said) = happen(&case, &mut place, kind, at);
            let path = place.records().join("decisions.jsonl");
            let notes = || -> Vec<String> {
                let bytes = fs_err::read(&path).unwrap();
                journal_lines(&bytes).filter_map(|line| line.note).collect()
            };
            let is_noted = notes() == ["first", "second"];
            assert!(is_noted || notes() == ["first"], "{kind:?} at {at}: {:?}", notes());
            assert!(
                is_noted || !said.unwrap_or_default().contains("noted for"),
                "{kind:?} at {at}"
            );
            happen(&case, &mut place, Accident::None, 0);
            assert_eq!(notes().last().map(String::as_str), Some("second"), "{kind:?} at {at}");
            assert_eq!(place.bytes(), before.bytes, "{kind:?} at {at}");
        }
    }
}

/// Before one operation, another process answers the same event completely.
#[derive(Debug)]
struct Overtaken {
    at: usize,
    seen: Mutex<Vec<PathBuf>>,
    other: World,
    input: Vec<u8>,
}

impl Probe for Overtaken {
    fn fate(&self, _: Operation, path: &Path) -> Fate {
        let mut seen = self.seen.lock().unwrap();
        if seen.len() == self.at {
            let answer = crate::answer(&self.input, self.other.clone(), &client());
            assert!(matches!(answer, Answer::Context { .. }), "{answer:?}");
        }
        seen.push(path.to_owned());
        Fate::Made
    }
}

#[test]
fn a_start_overtaken_before_the_lock_is_silent() {
    for at in 0.. {
        let mut place = Place::new();
        let other = place.world(Disk::default());
        let typed = json!({ "prompt": "/anvil:debate Why?" });
        let input = host::event("one", "UserPromptSubmit", &typed, &place.root());
        let probe =
            Overtaken { at, seen: Mutex::default(), other: other.clone(), input: input.clone() };
        let probe = Arc::new(probe);
        let world = World { disk: Disk::with_probe(probe.clone()), ..other };
        let answer = crate::answer(&input, world, &client());
        assert_eq!(answer, Answer::Silent, "at operation {at}: {:?}", probe.seen.lock().unwrap());
        if probe.seen.lock().unwrap()[at].ends_with("anvil-state.lock.local.md") {
            assert!(at > 0, "the folder is made first");
            return;
        }
    }
}

/// A file system without locks.
#[derive(Debug)]
struct NoLocks;

impl Probe for NoLocks {
    fn fate(&self, operation: Operation, _: &Path) -> Fate {
        if operation == Operation::Lock {
            Fate::Fails(io::ErrorKind::Unsupported.into())
        } else {
            Fate::Made
        }
    }
}

#[test]
fn without_file_locks_a_debate_is_read_and_nothing_is_written() {
    let mut place = Place::new();
    place.send(&Event::Prompt("/anvil:debate Why? --rounds 1"), Disk::default());
    let disk = Disk::with_probe(Arc::new(NoLocks));
    let before = place.bytes();
    for event in [Event::Stop("A1."), Event::Undo, Event::Redo, Event::Prompt("/anvil:resume")] {
        let said = place.send(&event, disk.clone()).unwrap_or_default();
        assert!(said.contains("has no file locks"), "{event:?}: {said}");
        assert_eq!(place.bytes(), before, "{event:?}");
    }
    let shown = place.send(&Event::Prompt("/anvil:status"), disk).unwrap();
    assert!(shown.contains("Why?"), "{shown}");
}

/// Records the operations with their paths.
#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<(Operation, PathBuf)>>);

impl Probe for Recorder {
    fn fate(&self, operation: Operation, path: &Path) -> Fate {
        self.0.lock().unwrap().push((operation, path.to_owned()));
        Fate::Made
    }
}

/// A loss of power may leave the newest snapshot empty, cut or older than the state file, which was
/// flushed.
#[test]
fn a_snapshot_is_whole_and_flushed_before_another_debate_takes_the_place() {
    type Lose = fn(&Path);
    let lose: [(&str, Lose); 5] = [
        ("empty", |path| fs_err::write(path, "").unwrap()),
        ("half", |path| {
            let text = fs_err::read(path).unwrap();
            fs_err::write(path, &text[..text.len() / 2]).unwrap();
        }),
        ("missing", |path| fs_err::remove_file(path).unwrap()),
        ("all missing", |path| fs_err::remove_dir_all(path.parent().unwrap()).unwrap()),
        ("whole", |_| {}),
    ];
    // A debate that is cancelled keeps its place.
    for case in endings().into_iter().filter(|case| !matches!(case.event, Prompt("/anvil:cancel")))
    {
        for (what, lose) in lose {
            let context = format!("{}, {what}", case.name);
            let mut place = Place::new();
            for event in &case.before {
                place.send(event, Disk::default());
            }
            let Some(text) = place.bytes().map(|text| String::from_utf8(text).unwrap()) else {
                continue;
            };
            let state = StateFile::parse(&text).unwrap();
            let folder = place.records().join("debates").join(&state.debate.id);
            let newest = || {
                let names = fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
                let is_snapshot =
                    |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes().starts_with(b"0");
                names.filter(is_snapshot).max().unwrap()
            };
            lose(&newest());
            let recorder = Arc::new(Recorder::default());
            place.send(&case.event, Disk::with_probe(recorder.clone()));
            assert_ne!(place.bytes(), Some(text.into_bytes()), "{context}: the place is taken");

            let snapshot = newest();
            let kept = StateFile::parse(&fs_err::read_to_string(&snapshot).unwrap()).unwrap();
            assert_eq!(kept.body, state.body, "{context}");
            let made = recorder.0.lock().unwrap();
            let at = |operation, path: &Path| {
                made.iter().position(|(made, on)| *made == operation && on == path)
            };
            let state_path = place.state_path();
            let taken = at(Operation::Rename, &state_path).or(at(Operation::Remove, &state_path));
            let named = at(Operation::Rename, &snapshot).expect("the snapshot is written");
            assert!(taken.is_some_and(|taken| named + 1 < taken), "{context}: {made:?}");
            assert_eq!(made[named - 1].0, Operation::Sync, "{context}");
            assert_eq!(made[named + 1], (Operation::SyncFolder, folder.clone()), "{context}");
        }
    }
}
