//! A dry run of the installed hooks: calls them as the client does, in a temporary empty project.
#![allow(clippy::disallowed_types, reason = "anvil_system makes it, and runs it")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::program::LIMIT;
use super::{Copy, Diagnosis};
use crate::cli::settings;
use anvil_hook::OLDEST;
use anvil_messages::Door;
use anvil_system::process::{self, Output, ProcessError};
use anvil_system::world::World;

/// Each event, the file of its hook, and the field that the answer must have.
const EVENTS: [(&str, &str, Option<&str>); 6] = [
    ("SessionStart", "hooks.json", None),
    ("UserPromptSubmit", "hooks.json", Some("hookSpecificOutput")),
    ("UserPromptExpansion", "commands.json", Some("reason")),
    ("PreToolUse", "hooks.json", None),
    ("Stop", "hooks.json", None),
    ("SessionEnd", "hooks.json", None),
];

pub(super) fn finding(world: &World, copy: &Copy, door: &Door) -> Diagnosis {
    let problems: Vec<String> = match try_all(world, copy) {
        Ok(problems) => problems,
        Err(error) => {
            let fix = "set TMPDIR to a folder that can be written to";
            return Diagnosis::note("hooks", format!("the hooks could not be run: {error}"), fix);
        }
    };
    if problems.is_empty() {
        let names: Vec<&str> = EVENTS.iter().map(|(name, ..)| *name).collect();
        return Diagnosis::fine(
            "hooks",
            format!("the installed hooks answer: {}", names.join(", ")),
        );
    }
    let text = format!("the installed hooks do not answer: {}", problems.join("; "));
    Diagnosis::wrong("hooks", text, copy.repair(door))
}

fn try_all(world: &World, copy: &Copy) -> std::io::Result<Vec<String>> {
    let stage = tempfile::Builder::new().prefix("anvil-doctor-").tempdir()?;
    let project = stage.path().join("project");
    world.disk.create_folder(&project)?;
    let read = |file: &str| {
        settings::read(&copy.folder.join("hooks").join(file)).ok().flatten().unwrap_or_default()
    };
    let mut problems = Vec::new();
    for (name, file, answer) in EVENTS {
        let fault = match read(file)["hooks"][name][0]["hooks"][0]["command"].as_str() {
            None => Some(format!("missing in {file}")),
            Some(line) => try_hook(world, copy, stage.path(), line, (name, answer)),
        };
        problems.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    Ok(problems)
}

/// Calls one hook, and returns its fault.
fn try_hook(
    world: &World,
    copy: &Copy,
    stage: &Path,
    line: &str,
    (name, answer): (&str, Option<&str>),
) -> Option<String> {
    let project = stage.join("project");
    let mut command = match shell(line, &copy.folder) {
        Ok(command) => command,
        Err(error) => return Some(format!("the shell {error}")),
    };
    command.current_dir(&project).env_clear().env("PATH", process::clean_path());
    for name in ["SystemRoot", "TMPDIR", "TEMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // The oldest client that gets answers.
    let (major, minor, patch) = OLDEST;
    command.env("AI_AGENT", format!("claude-code_{major}-{minor}-{patch}_doctor"));
    command.env("HOME", stage).env("CLAUDE_CONFIG_DIR", stage.join("config"));
    command.env("CLAUDE_PROJECT_DIR", &project).env("CLAUDE_PLUGIN_ROOT", &copy.folder);
    match world.disk.anonymous_file(event(name, &project).to_string().as_bytes()) {
        Err(error) => Some(error.to_string()),
        Ok(input) => match process::run(command, Some(input), LIMIT) {
            Ok(output) => fault(&output, answer),
            Err(error) => Some(error.to_string()),
        },
    }
}

/// The fault of an answer.
fn fault(ended: &Output, answer: Option<&str>) -> Option<String> {
    let out = ended.text.trim();
    if !ended.is_success {
        return Some("it fails".to_owned());
    }
    let value: Option<Value> = anvil_text::from_json(out).ok();
    match value {
        None if out.is_empty() && answer.is_none() => None,
        None if out.is_empty() => Some("it printed nothing".to_owned()),
        Some(Value::Object(fields)) if answer.is_none_or(|name| fields.contains_key(name)) => None,
        _ => Some(format!("it printed {}", anvil_text::clean(out, 60))),
    }
}

/// An event as the client writes it.
fn event(name: &str, project: &Path) -> Value {
    json!({
        "session_id": "anvil-doctor", "hook_event_name": name, "cwd": project, "source": "startup",
        "prompt": "/anvil:debate Does it answer?", "command_name": "anvil:status",
        "command_args": "", "stop_hook_active": false, "last_assistant_message": "",
    })
}

/// On unix the client's shell runs the line; elsewhere the program is called directly.
#[cfg(unix)]
fn shell(line: &str, _: &Path) -> Result<Command, ProcessError> {
    let mut command = process::command("sh")?;
    command.args(["-c", line]);
    Ok(command)
}

#[cfg(not(unix))]
fn shell(_: &str, folder: &Path) -> Result<Command, ProcessError> {
    let mut command = process::command(folder.join(crate::cli::plugin::PROGRAM))?;
    command.arg("hook");
    Ok(command)
}
