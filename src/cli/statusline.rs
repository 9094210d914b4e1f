//! `anvil statusline`: one short line for Claude Code's status line. Always exits with 0; prints
//! nothing after an error.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anvil_engine::{Context, Session, session};
use anvil_system::world::World;
use anvil_text::from_json;
use serde_json::Value;

/// Most bytes of the client's input; usually a kilobyte or two.
const MAX_INPUT: u64 = 256 * 1024;

/// Most bytes of a session's id.
const MAX_SESSION_BYTES: usize = 1_024;

pub(super) fn run() -> ExitCode {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    if let Some(line) = line() {
        let _ = writeln!(io::stdout(), "{}", anvil_text::without_controls(&line));
    }
    ExitCode::SUCCESS
}

fn line() -> Option<String> {
    let input = read_input();
    let mut world = World::gather(|name| std::env::var_os(name)).ok()?;
    let workspace = &input["workspace"];
    let folders = [&workspace["project_dir"], &workspace["current_dir"], &input["cwd"]];
    if let Some(folder) = folders.into_iter().find_map(text) {
        world.project_folder = Some(PathBuf::from(folder));
    }
    let id = text(&input["session_id"]).filter(|id| id.len() <= MAX_SESSION_BYTES);
    let session = id.map(Session::new);
    let glance = session::glance(&Context::new(&world), session.as_ref()).ok()??;
    anvil_messages::statusline(&glance)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Reads the client's JSON; null if it is too long or no JSON.
fn read_input() -> Value {
    let mut input = Vec::new();
    let stdin = io::stdin();
    if stdin.is_terminal() || stdin.lock().take(MAX_INPUT).read_to_end(&mut input).is_err() {
        return Value::Null;
    }
    from_json(&input).unwrap_or_default()
}
