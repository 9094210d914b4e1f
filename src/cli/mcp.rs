//! The MCP server in the plugin's folder: its program, and the file that registers it with Claude
//! Code.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::error::SetupError;
use anvil_messages::Door;
use anvil_text::Verb;
use anvil_text::error::Result;

/// The server's program, in the same folder as the plugin's.
pub(super) const SERVER: &str = if cfg!(windows) { "anvil-mcp.exe" } else { "anvil-mcp" };

/// The registration, which Claude Code reads in every plugin. It belongs to the plugin and goes
/// with it.
pub(super) const REGISTRATION: &str = ".mcp.json";

/// Tokens of the tools and the server's instructions in each request of Claude Code.
const TOKENS: usize = 1_500;

/// The server's part of an installation.
pub(crate) struct Server {
    /// The names of its files in the folder.
    pub names: Vec<&'static str>,
    /// `None`: no program is next to this one, so the one in the folder stays.
    pub program: Option<Vec<u8>>,
    /// The registration's text, if the server is registered.
    pub registration: Option<String>,
}

impl Server {
    /// Plans the wanted server, or the one that an earlier installation has.
    pub(crate) fn plan(is_wanted: bool, before: &[PathBuf]) -> Result<Self> {
        let had_server = before.iter().any(|file| file == Path::new(SERVER));
        let is_registered = is_wanted || before.iter().any(|file| file == Path::new(REGISTRATION));
        if !is_registered && !had_server {
            return Ok(Self { names: Vec::new(), program: None, registration: None });
        }
        let program = server_program().and_then(|path| fs_err::read(path).ok());
        if is_wanted && program.is_none() && !had_server {
            return Err(SetupError::NoServer.into());
        }
        let names =
            [Some(SERVER), is_registered.then_some(REGISTRATION)].into_iter().flatten().collect();
        let command = format!("${{CLAUDE_PLUGIN_ROOT}}/{SERVER}");
        let registration = is_registered.then(|| {
            format!("{:#}\n", json!({ "mcpServers": { "anvil": { "command": command } } }))
        });
        Ok(Self { names, program, registration })
    }

    /// The message after the server was installed on request.
    pub(crate) fn message(door: &Door) -> String {
        format!(
            "The MCP server is registered: the next session has its tools, \
             mcp__plugin_anvil_anvil__task_claim and six more.\n\
             Without the client's tool search they cost about {TOKENS} tokens in each request; \
             {} removes them.",
            door.command(Verb::Uninstall)
        )
    }
}

/// The server's program next to this one: `anvil-mcp`, or in a release for all platforms
/// `anvil-mcp-linux-x86_64`.
fn server_program() -> Option<PathBuf> {
    let own = anvil_system::process::own_program().ok()?;
    let name = own.file_name()?.to_str()?;
    let platform = name
        .strip_prefix("anvil")
        .filter(|suffix| suffix.starts_with('-') || suffix.starts_with('.'));
    let path = own.with_file_name(
        platform.map_or_else(|| SERVER.to_owned(), |suffix| format!("anvil-mcp{suffix}")),
    );
    path.is_file().then_some(path)
}
