//! `anvil agents`: the programs that can fill a seat on this machine.

use std::ffi::OsString;
use std::time::Duration;

use anvil_engine::defaults;
use anvil_messages::AgentRow;
use anvil_prompt::{OwnAgent, PROFILES};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Longest time for a program to print its version or its login state.
const LIMIT: Duration = Duration::from_secs(5);

/// All known agents, and the user's own.
pub fn list(world: &World) -> Result<(Vec<AgentRow>, Vec<OwnAgent>)> {
    let own_agents = defaults::seat_defaults(&anvil_engine::Context::new(world))?.agents;
    let mut rows = Vec::new();
    for profile in PROFILES {
        let mut row = AgentRow { profile, place: None, version: None, is_logged_in: None };
        if let Some(place) = process::find(profile.program) {
            row.place = Some(place.display().to_string());
            row.version = output(profile.program, &["--version"]).map(|output| first_line(&output));
            row.is_logged_in = is_logged_in(profile.name);
        }
        rows.push(row);
    }
    Ok((rows, own_agents))
}

/// The first option among the arguments that is missing from the program's help. `None`: all are
/// known, or the program prints no help.
pub(crate) fn missing_option<'a>(program: &str, arguments: &'a [String]) -> Option<&'a str> {
    let help = output(program, &["--help"])?.text;
    arguments
        .iter()
        .map(String::as_str)
        .find(|argument| argument.starts_with("--") && !help.contains(argument))
}

/// True for a `claude` that is not logged in.
pub(crate) fn is_logged_out(program: &str) -> bool {
    output(program, &["auth", "status"]).is_some_and(|output| !output.is_success)
}

/// `None`: the program can't say it without a request.
fn is_logged_in(name: &str) -> Option<bool> {
    match name {
        "claude" => output("claude", &["auth", "status"]).map(|output| output.is_success),
        "codex" if is_set("CODEX_API_KEY") => Some(true),
        "codex" => output("codex", &["login", "status"]).map(|output| output.is_success),
        "gemini" if is_set("GEMINI_API_KEY") || is_set("GOOGLE_API_KEY") => Some(true),
        _ => None,
    }
}

/// True for an environment variable with a value.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn first_line(output: &process::Output) -> String {
    let line = output.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    anvil_text::clean(line, 60)
}

fn output(program: &str, arguments: &[&str]) -> Option<process::Output> {
    let mut command = process::command(program).ok()?;
    command.args(arguments).current_dir(std::env::temp_dir());
    for name in super::attempt::environment::dropped_variables() {
        command.env_remove::<OsString>(name);
    }
    command.env(process::CHILD, "listed");
    process::run(command, None, LIMIT).ok()
}
