//! `anvil demo`: a whole debate between scripted debaters, through the same hook, state file and report as a real one.
//!
//! It plays the client's part: it sends the events that Claude Code sends and obeys the answers. The project is a
//! temporary folder that stays, so that the report can be read; nothing else on the machine is touched.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::ledger::{MoveKind, Verdict};
use crate::messages;
use crate::process;
use crate::state::Project;

use crate::text;
use crate::world::World;

const QUESTION: &str = "Should our team of eight split its Rails monolith into microservices?";

/// What the debaters say, in their order.
const SCRIPT: [&str; 7] = [
    include_str!("demo/1-advocate.md"),
    include_str!("demo/1-critic.md"),
    include_str!("demo/2-advocate.md"),
    include_str!("demo/2-critic.md"),
    include_str!("demo/3-advocate.md"),
    include_str!("demo/3-critic.md"),
    include_str!("demo/synthesis.md"),
];

/// A pause for the reader's eye between two replies, on a terminal only.
const BEAT: Duration = Duration::from_millis(350);

/// Longest time that a hook may take here, as with the client.
const LIMIT: Duration = Duration::from_secs(20);

pub(super) fn run(world: &World, question: Option<&str>) -> Result<()> {
    let stage = Stage::build(&world.disk)?;
    super::print(messages::DEMO)?;
    let asked = question.unwrap_or(QUESTION);
    if question.is_some() {
        super::print(messages::DEMO_HAS_ONE_SCRIPT)?;
    }
    super::print(&messages::demo_prompt(asked))?;
    let mut answer = stage.send(&json!({
        "hook_event_name": "UserPromptSubmit",
        "prompt": format!("/anvil:debate --rounds 3 -- {asked}"),
    }))?;
    let mut slowest = Duration::ZERO;
    for reply in SCRIPT {
        let line =
            answer.value["systemMessage"].as_str().or_else(|| answer.value["stopReason"].as_str()).unwrap_or_default();
        super::print(&messages::demo_hook(line))?;
        let goes_on = answer.value["hookSpecificOutput"]["additionalContext"].is_string();
        if !goes_on {
            return Err(Error::failed(
                "the hook did not go on with the debate",
                "try the demo without a question of your own",
            ));
        }
        super::print(&messages::demo_reply(&claims(reply), reply))?;
        if std::io::stdout().is_terminal() {
            std::thread::sleep(BEAT);
        }
        answer = stage.send(&json!({
            "hook_event_name": "Stop",
            "stop_hook_active": false,
            "last_assistant_message": reply,
        }))?;
        slowest = slowest.max(answer.took);
    }
    let end = answer.value["systemMessage"].as_str().unwrap_or_default();
    let Some(report) = stage.report() else {
        return Err(Error::failed(
            format!("the debate did not complete: {}", text::clean(end, 300)),
            "please report this",
        ));
    };
    super::print(&format!("{}\n", messages::demo_hook(end)))?;
    super::print(&messages::demo_end(
        SCRIPT.len(),
        slowest,
        &report,
        &stage.project,
        &Project::at(&stage.project).state_file(),
    ))
}

/// The claims and moves of a reply, each with its first words; or the lines of a verdict.
fn claims(reply: &str) -> Vec<String> {
    let verdict = Verdict::of(reply);
    if let Some(recommendation) = verdict.recommendation {
        let confidence = verdict.confidence.map(|confidence| format!("Confidence: {}", text::clean(&confidence, 100)));
        return std::iter::once(format!("Recommendation: {}", text::clean(&recommendation, 200)))
            .chain(confidence)
            .collect();
    }
    reply
        .lines()
        .filter_map(|line| line.strip_prefix("**")?.split_once("**"))
        .filter_map(|(bold, rest)| {
            let is_claim = bold.starts_with(['A', 'C']) && bold[1..].starts_with(|char: char| char.is_ascii_digit());
            let is_move = MoveKind::ALL.iter().any(|kind| bold.starts_with(kind.word()));
            match (is_claim, is_move) {
                (true, _) => Some(text::clean(bold, 100)),
                (_, true) => Some(text::clean(&format!("{bold}{rest}"), 90)),
                (false, false) => None,
            }
        })
        .collect()
}

/// A temporary project, and the program itself as its hook.
struct Stage {
    disk: Disk,
    program: PathBuf,
    folder: PathBuf,
    project: PathBuf,
}

/// What the hook answered, and how long it took from start to end.
struct Answer {
    value: Value,
    took: Duration,
}

impl Stage {
    fn build(disk: &Disk) -> Result<Self> {
        let failed = |error: std::io::Error| Error::io(&error, "set TMPDIR to a folder that can be written to");
        let folder = tempfile::Builder::new().prefix("anvil-demo-").tempdir().map_err(failed)?.keep();
        let project = folder.join("project");
        disk.create_folder(&project).map_err(failed)?;
        let program = std::env::current_exe().map_err(failed)?;
        Ok(Self { disk: disk.clone(), program, folder, project })
    }

    /// Sends an event to `anvil hook`, as the client does.
    fn send(&self, event: &Value) -> Result<Answer> {
        let mut event = event.clone();
        event["session_id"] = json!("demo");
        event["cwd"] = json!(self.project);
        let failed = |error: process::ProcessError| error.of("the program of the demo", "run the demo again");
        let input = self.disk.anonymous_file(event.to_string().as_bytes());
        let input = input.map_err(|error| Error::io(&error, "make room in the system's temporary folder"))?;
        let started = Instant::now();
        let mut command = process::command(&self.program).map_err(failed)?;
        command
            .arg("hook")
            .env_clear()
            .env("HOME", &self.folder)
            .env("CLAUDE_PROJECT_DIR", &self.project)
            .env("AI_AGENT", "claude-code_2-1-329_harness");
        let output = process::run(command, Some(input), LIMIT).map_err(failed)?;
        let took = started.elapsed();
        let value = serde_json::from_str(&output.text).unwrap_or(Value::Null);
        Ok(Answer { value, took })
    }

    /// The report, once the debate is complete.
    fn report(&self) -> Option<PathBuf> {
        let reports = self.project.join(".claude/anvil.local/reports");
        let mut found = fs_err::read_dir(&reports).ok()?.flatten().map(|entry| entry.path());
        found.find(|path| path.extension().is_some_and(|extension| extension == "md"))
    }
}
