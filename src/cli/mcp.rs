//! The MCP server in the plugin's folder: its program, and the file that registers it with Claude Code.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::error::{Error, Result};

/// The program of the server, beside that of the plugin.
pub(super) const SERVER: &str = if cfg!(windows) { "anvil-mcp.exe" } else { "anvil-mcp" };

/// What registers it: Claude Code reads it in every plugin. It is of the plugin alone, and goes with it.
pub(super) const REGISTRATION: &str = ".mcp.json";

/// What the tools and the server's own words take of each request, as Claude Code sends them.
const TOKENS: usize = 1_250;

/// What an installation writes of it.
pub(super) struct Server {
    /// The files, by their names in the folder.
    pub(super) names: Vec<&'static str>,
    /// The program. `None`: there is none beside this one, and the one that lies in the folder stays.
    pub(super) program: Option<Vec<u8>>,
    /// What registers it, if it is.
    pub(super) registration: Option<String>,
}

impl Server {
    /// What is to be there: what is asked for, and what was there before.
    pub(super) fn plan(is_wanted: bool, before: &[PathBuf]) -> Result<Self> {
        let was_there = |name: &str| before.iter().any(|file| file == Path::new(name));
        let is_registered = is_wanted || was_there(REGISTRATION);
        if !is_registered && !was_there(SERVER) {
            return Ok(Self { names: Vec::new(), program: None, registration: None });
        }
        let program = beside().and_then(|path| fs_err::read(path).ok());
        if is_wanted && program.is_none() && !was_there(SERVER) {
            return Err(Error::nothing(
                "there is no anvil-mcp beside this program",
                "build both with `cargo install --path . --features mcp`, or take a release, and run its `anvil install --mcp`",
            ));
        }
        let names = [Some(SERVER), is_registered.then_some(REGISTRATION)].into_iter().flatten().collect();
        let command = format!("${{CLAUDE_PLUGIN_ROOT}}/{SERVER}");
        let registration =
            is_registered.then(|| format!("{:#}\n", json!({ "mcpServers": { "anvil": { "command": command } } })));
        Ok(Self { names, program, registration })
    }

    /// What the user reads who has asked for it.
    pub(super) fn message() -> String {
        format!(
            "The MCP server is registered: the next session has its tools, mcp__plugin_anvil_anvil__task_claim and five more.\n\
             They cost about {TOKENS} tokens in each request of every session; `anvil uninstall` takes them away."
        )
    }
}

/// The program of the server that lies beside this one: `anvil-mcp`, or in a release for all platforms `anvil-mcp-linux-x86_64`.
fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let name = own.file_name()?.to_str()?;
    let platform = name.strip_prefix("anvil").filter(|rest| rest.starts_with('-') || rest.starts_with('.'));
    let path = own.with_file_name(platform.map_or_else(|| SERVER.to_owned(), |rest| format!("anvil-mcp{rest}")));
    path.is_file().then_some(path)
}
