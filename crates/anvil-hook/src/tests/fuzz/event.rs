//! Events of the client: whatever they contain, the answer is empty or JSON that is safe on a
//! screen, and no debate is lost.

use std::path::{Path, PathBuf};

use crate::tests::client;
use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};
use anvil_core::transcript;
use anvil_store::StateFile;
use anvil_system::disk::Disk;
use anvil_system::world::World;
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::hostile::{Change, changed, changes, text};
use super::{try_inputs, typed_line};
use testkit::host;
use testkit::screen::steering;

/// A project with a debate of session `one`, to run the hook in without a process.
pub(crate) struct Stage {
    temp: TempDir,
    pub now: Timestamp,
}

impl Stage {
    pub(crate) fn new(slot: Place) -> Self {
        let phase_began: Timestamp = "2026-11-21T01:55:41Z".parse().unwrap();
        let mut debate = Debate::new("2026-11-21-why-0000".into(), "Why?".into(), 2, phase_began);
        debate.claim("one", None, phase_began);
        debate.set_place(slot);
        // Every reply that is written is saved.
        debate.retry_for_form();
        let mut file = StateFile::new(debate);
        if slot != Place::FIRST {
            transcript::append(&mut file.body, Place::FIRST, None, phase_began, "A1. First.");
        }
        let stage = Self {
            temp: tempfile::tempdir_in(testkit::host::temp_folder()).unwrap(),
            now: phase_began,
        };
        fs_err::create_dir_all(stage.root().join(".claude")).unwrap();
        fs_err::write(
            stage.state_path(),
            file.render().unwrap().replace("schema: 3", "schema: 3\nticket: \"A-1\""),
        )
        .unwrap();
        stage
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.root().join(".claude/anvil-state.local.md")
    }

    /// A path next to the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// Sends an event ten seconds after the previous one; checks the answer.
    pub(crate) fn send(&mut self, event: &[u8]) -> Result<Value, TestCaseError> {
        self.now += 10.seconds();
        let world = World {
            user: None,
            debate_folder: None,
            clock: anvil_system::world::Clock::default(),
            now: self.now,
            cwd: self.root(),
            home: Some(self.beside("home")),
            config_folder: Some(self.beside("home/.claude")),
            project_folder: Some(self.root()),
            agent: Some("claude-code_2-1-332_harness".to_owned()),
            client_pid: Some(1),
            client_session: None,
            is_below_client: false,
            surface: anvil_system::world::Surface::Terminal,
            is_attended: true,
            continuation_cap: None,
            columns: None,
            snapshots_kept: Some(3),
            invalid_setting: None,
            disk: Disk::default(),
            programs: None,
        };
        let answer = crate::answer(event, world, &client()).to_json();
        if answer.is_empty() {
            return Ok(Value::Null);
        }
        let answer: Value = serde_json::from_str(&answer)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        let ended = ["stopReason", "reason"].map(|name| answer[name].as_str().unwrap_or_default());
        let ended = ended.concat();
        prop_assert!(steering(said).is_empty(), "{:?}", said);
        // At most the end of a debate, and two lines before it if the state file was repaired.
        prop_assert!(said.lines().count() <= 6, "{:?}", said);
        prop_assert!(steering(&ended).is_empty(), "{:?}", ended);
        prop_assert!(said.len() + ended.len() < 10_000);
        Ok(answer)
    }

    /// The records of the user.
    pub(crate) fn records(&self) -> PathBuf {
        self.beside("home/.claude/anvil.local")
    }

    /// Every file of the project and of the records.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let records = Some(self.records()).filter(|records| records.exists());
        let records = records.iter().flat_map(|records| host::files(records));
        host::files(&self.root()).into_iter().chain(records).collect()
    }

    /// The state file and every snapshot.
    fn debates(&self) -> Vec<String> {
        let files = self.files().into_iter().map(|(path, _)| path);
        let is_debate = |path: &PathBuf| {
            let above = path.parent().and_then(Path::parent);
            let is_in = above.is_some_and(|folder| folder.ends_with("debates"));
            let name = path.file_name().unwrap().as_encoded_bytes();
            *path == self.state_path() || is_in && name.starts_with(b"0")
        };
        let files = files.filter(is_debate);
        files.map(|path| fs_err::read_to_string(path).unwrap()).collect()
    }
}

/// A value that replaces the expected one.
fn value() -> impl Strategy<Value = Value> {
    let nested =
        (1..150_usize).prop_map(|depth| (0..depth).fold(Value::Null, |inner, _| json!([inner])));
    prop_oneof![
        2 => text().prop_map(Value::from),
        1 => select(vec![json!(null), json!(true), json!(-1), json!(1e300), json!([]), json!({}), json!("")]),
        1 => nested,
        1 => text().prop_map(|text| json!([{ "id": text, "type": "subagent", "status": "running" }, 7, text])),
    ]
}

/// The fields of an event, valid or almost valid.
fn fields() -> impl Strategy<Value = Map<String, Value>> {
    let name = select(vec![
        "Stop",
        "Stop",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "UserPromptExpansion",
        "SessionStart",
        "SessionEnd",
        "PreCompact",
        "",
        "stop",
    ]);
    let session = prop_oneof![6 => Just("one".to_owned()), 1 => text()];
    let source = select(vec!["startup", "resume", "clear", "compact", "new"]);
    let hostile = prop::collection::vec(
        (
            select(vec![
                "session_id",
                "cwd",
                "prompt_id",
                "prompt",
                "command_name",
                "command_args",
                "source",
                "last_assistant_message",
                "background_tasks",
                "hook_event_name",
                "stop_hook_active",
                "new_field",
            ]),
            value(),
        ),
        0..3,
    );
    (name, session, typed_line::lines(), text(), source, hostile).prop_map(
        |(name, session, prompt, reply, source, hostile)| {
            let (command, arguments) = typed_line::divided(&prompt);
            let event = json!({
                "command_name": command, "command_args": arguments, "hook_event_name": name, "session_id": session, "prompt": prompt, "last_assistant_message": reply,
                "source": source, "reason": "other", "permission_mode": "default", "stop_hook_active": true,
            });
            let Value::Object(mut fields) = event else { unreachable!("it is written as an object") };
            fields.extend(hostile.into_iter().map(|(key, value)| (key.to_owned(), value)));
            fields
        },
    )
}

/// Some events, and the damage to their bytes.
type Events = Vec<(Map<String, Value>, Vec<Change>)>;

fn events() -> impl Strategy<Value = (Place, Events)> {
    let slot = select(vec![
        Place::FIRST,
        Place { seat: Seat::Critic, round: 1 },
        Place { seat: Seat::Synthesizer, round: 1 },
    ]);
    let changes = prop_oneof![2 => Just(Vec::new()), 1 => changes(3)];
    (slot, prop::collection::vec((fields(), changes), 1..4))
}

/// A path in the changed bytes could be any path.
fn leads_out(bytes: &[u8], root: &Path) -> bool {
    let event: Result<Value, _> = serde_json::from_slice(bytes);
    event.is_ok_and(|event| {
        event["cwd"]
            .as_str()
            .is_some_and(|cwd| cwd.starts_with('/') && !Path::new(cwd).starts_with(root))
    })
}

fn holds((slot, events): (Place, Events)) -> TestCaseResult {
    let mut project = Stage::new(slot);
    let body =
        StateFile::parse(&fs_err::read_to_string(project.state_path()).unwrap()).unwrap().body;
    for (fields, changes) in events {
        let bytes = changed(&Value::from(fields).to_string(), &changes);
        if !leads_out(&bytes, &project.root()) {
            project.send(&bytes)?;
        }
    }
    let debates = project.debates();
    prop_assert!(
        debates.iter().any(|text| text.contains(&body) && text.contains("ticket: \"A-1\"")),
        "{:?}",
        debates
    );
    for text in debates {
        let read = StateFile::parse(&text);
        prop_assert!(read.is_ok(), "{:?}\n{}", read, text);
    }
    let mut beside: Vec<_> = fs_err::read_dir(project.temp.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    beside.retain(|name| name != "project" && name != "home");
    prop_assert!(beside.is_empty(), "{:?}", beside);
    Ok(())
}

#[test]
fn an_event_is_answered_and_no_debate_is_lost() {
    try_inputs(100, &events(), holds);
}
