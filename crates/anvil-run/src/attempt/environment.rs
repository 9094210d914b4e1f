//! The environment of an agent: the user's, without the variables that make an agent believe that
//! it runs inside another one.

use std::ffi::{OsStr, OsString};

/// Variables that Claude Code 2.1.330 sets for hooks and shells, and those of this program.
/// Variables for logging in or finding the API stay: `ANTHROPIC_*`, `CLAUDE_CODE_OAUTH_TOKEN`,
/// `CLAUDE_CODE_USE_*`, `CLAUDE_CONFIG_DIR`.
const DROPPED: [&str; 24] = [
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
    "COREPACK_ENABLE_AUTO_PIN",
    "NoDefaultCurrentDirectoryInExePath",
    // With it, codex (a Rust program) floods its standard error.
    "RUST_LOG",
    "PWD",
];

fn is_dropped(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    DROPPED.iter().any(|dropped| *dropped == name) || name.starts_with("ANVIL_") || name == "OLDPWD"
}

/// The variables that an agent does not get.
pub(crate) fn dropped_variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| is_dropped(name))
}

/// The names of the variables that an agent gets, sorted.
pub(crate) fn names(added: &[(String, String)]) -> Vec<String> {
    let inherited = std::env::vars_os().map(|(name, _)| name).filter(|name| !is_dropped(name));
    let mut names: Vec<String> =
        inherited.map(|name| name.to_string_lossy().into_owned()).collect();
    names.extend(added.iter().map(|(name, _)| name.clone()));
    names.push(anvil_system::process::CHILD.to_owned());
    names.sort_unstable();
    names.dedup();
    names
}
