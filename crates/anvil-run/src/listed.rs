//! `anvil agents`: the programs that can fill a seat on this machine.

use std::ffi::OsString;
use std::time::Duration;

use anvil_engine::programs;
use anvil_messages::AgentRow;
use anvil_prompt::{OwnAgent, PROFILES};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Longest time for a program to print its version or its login state.
const LIMIT: Duration = Duration::from_secs(5);

/// All known agents, and the user's own.
pub fn list(world: &World) -> Result<(Vec<AgentRow>, Vec<OwnAgent>)> {
    let own = programs::seat_defaults(&anvil_engine::Context::new(world))?.own;
    let listed = PROFILES.iter().map(|profile| {
        let place = process::find(profile.program);
        let first_line =
            |arguments: &[&str]| run(profile.program, arguments).map(|output| output.0);
        let version = place.as_ref().and_then(|_| first_line(&["--version"]));
        let is_logged_in = place.as_ref().and_then(|_| login(profile.name));
        let place = place.map(|place| place.display().to_string());
        AgentRow { profile: *profile, place, version, is_logged_in }
    });
    Ok((listed.collect(), own))
}

/// The first option among the arguments that is missing from the program's help. `None`: all are
/// known, or the program prints no help.
pub(super) fn missing_options<'a>(program: &str, arguments: &'a [String]) -> Option<&'a str> {
    let help = output(program, &["--help"])?.text;
    let mut options =
        arguments.iter().map(String::as_str).filter(|argument| argument.starts_with("--"));
    options.find(|option| !help.contains(option))
}

/// True for a `claude` that is not logged in.
pub(super) fn is_logged_out(program: &str) -> bool {
    output(program, &["auth", "status"]).is_some_and(|output| !output.is_success)
}

/// The login state, if the program can say it without a request.
fn login(name: &str) -> Option<bool> {
    let is_set = |names: &[&str]| {
        names.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    };
    match name {
        "claude" => run("claude", &["auth", "status"]).map(|(_, is_success)| is_success),
        "codex" => Some(is_set(&["CODEX_API_KEY"]) || run("codex", &["login", "status"])?.1),
        "gemini" if is_set(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]) => Some(true),
        _ => None,
    }
}

/// The first line that a program prints, and whether it exits with 0.
fn run(program: &str, arguments: &[&str]) -> Option<(String, bool)> {
    let output = output(program, arguments)?;
    let line = output.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    Some((anvil_text::clean(line, 60), output.is_success))
}

fn output(program: &str, arguments: &[&str]) -> Option<process::Output> {
    let mut command = process::command(program).ok()?;
    command.args(arguments).current_dir(std::env::temp_dir());
    for name in super::attempt::environment::dropped() {
        command.env_remove::<OsString>(name);
    }
    command.env(process::CHILD, "listed");
    process::run(command, None, LIMIT).ok()
}
