//! Checks the programs: the plugin's and the client.

use std::path::Path;
use std::time::Duration;

use super::{Copy, Diagnosis, short_path};
use crate::cli::mcp::{REGISTRATION, SERVER};
use crate::cli::plugin::PROGRAM;
use anvil_hook::{OLDEST, version_text};
use anvil_messages::Door;
use anvil_system::process::{self, Output, ProcessError};
use anvil_system::world::World;
use anvil_text::Verb;

/// Longest time for a program; the client starts in a second.
pub(super) const LIMIT: Duration = Duration::from_secs(10);

/// Checks the client's version.
pub(super) fn client(cwd: &Path) -> Diagnosis {
    let output = process::command("claude").and_then(|mut command| {
        command.arg("--version").current_dir(cwd);
        process::run(command, None, LIMIT)
    });
    let text = match output {
        Ok(output) if output.is_success => output.text,
        Ok(_) => String::new(),
        Err(ProcessError::Missing) => {
            let fix = "install Claude Code, or put the folder of `claude` on PATH";
            return Diagnosis::wrong("claude", "`claude` is not on PATH", fix);
        }
        Err(error) => {
            let text = format!("`claude --version` {error}");
            let fix = "run it in a terminal and see what it waits for";
            return Diagnosis::wrong("claude", text, fix);
        }
    };
    match anvil_hook::version(&text) {
        None => Diagnosis::note(
            "claude",
            "`claude --version` printed no version",
            "run it in a terminal",
        ),
        Some(version) if version < OLDEST => {
            let text = format!(
                "claude {} is older than {}, the oldest version that Anvil works with",
                version_text(version),
                version_text(OLDEST)
            );
            Diagnosis::wrong("claude", text, "claude update")
        }
        Some(version) => Diagnosis::fine("claude", format!("claude {}", version_text(version))),
    }
}

/// Checks that the plugin's program is the running one.
pub(super) fn finding(world: &World, copy: &Copy, door: &Door) -> Diagnosis {
    let path = copy.folder.join(PROGRAM);
    let running = std::env::current_exe().ok();
    // A release for all platforms has a script in the program's place, which calls a program in the
    // same folder. After a call by a link, some systems give the link's path.
    let real = running.as_ref().and_then(|running| running.canonicalize().ok());
    let is_in_folder =
        real.is_some_and(|real| real.parent() == copy.folder.canonicalize().ok().as_deref());
    let own = running.and_then(|running| fs_err::read(running).ok());
    let installed = match fs_err::read(&path) {
        Ok(installed) => installed,
        Err(error) => return Diagnosis::wrong("program", error.to_string(), copy.repair(door)),
    };
    // The hooks do nothing then.
    if !process::is_program(&path) {
        let text = format!("the plugin's program can't be run: {}", short_path(world, &path));
        return Diagnosis::wrong("program", text, copy.repair(door));
    }
    if is_in_folder || Some(&installed) == own.as_ref() {
        return Diagnosis::fine("program", "the plugin's program is the one running now");
    }
    let version = match run_for_version(&path) {
        Ok(output) if output.is_success => {
            anvil_text::clean(output.text.lines().next().unwrap_or_default(), 80)
        }
        Ok(_) => "it fails".to_owned(),
        Err(error) => error.to_string(),
    };
    let path = short_path(world, &path);
    let text = format!("the plugin's program is not the one running now: {path} ({version})");
    Diagnosis::note("program", text, copy.repair(door))
}

/// Checks that the plugin's MCP server starts. `None`: the plugin registers no server.
pub(super) fn server(copy: &Copy, door: &Door) -> Option<Diagnosis> {
    if !copy.folder.join(REGISTRATION).is_file() {
        return None;
    }
    let flaw = match run_for_version(&copy.folder.join(SERVER)) {
        Ok(output) if output.is_success && output.text.contains(env!("CARGO_PKG_VERSION")) => {
            return Some(Diagnosis::fine("mcp", "the MCP server is registered, and runs"));
        }
        Ok(_) => "has another version".to_owned(),
        Err(error) => format!("anvil-mcp {error}"),
    };
    let text = format!("the MCP server is registered, and {flaw}");
    Some(Diagnosis::wrong(
        "mcp",
        text,
        format!(
            "{}, with anvil-mcp next to that program",
            door.in_shell(Verb::Install.with("--mcp"))
        ),
    ))
}

fn run_for_version(program: &Path) -> Result<Output, ProcessError> {
    let mut command = process::command(program)?;
    command.arg("--version").env_clear();
    process::run(command, None, LIMIT)
}
