//! `anvil-mcp`, the door of MCP: a server on standard input and output. The server translates;
//! the engine decides.
//!
//! A client's options count like a project's file, not like the user's word. Every call returns
//! within seconds and saves its state before it answers, so a server that is killed and started
//! again goes on.

mod arguments;
mod calls;
mod claim;
mod error;
mod held;
mod outward;
mod results;
mod server;
mod tools;
mod wire;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anvil_system::process::outlive_file_limit;
use anvil_system::world::World;
use anvil_text::error::Result;
use error::McpError;
use rmcp::ServiceExt as _;
use server::McpServer;
use wire::Wire;

/// Time for running work to end after the client has gone.
const END_LIMIT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    outlive_file_limit();
    let own_arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match own_arguments.as_slice() {
        [option] if option == "--help" || option == "-h" => print(anvil_messages::mcp::HELP),
        [option] if option == "--version" || option == "-V" => {
            print(concat!("anvil-mcp ", env!("CARGO_PKG_VERSION")))
        }
        _ => world(&own_arguments).and_then(serve).map_or_else(
            |error| {
                let _ = writeln!(
                    std::io::stderr(),
                    "{}",
                    anvil_messages::error_lines(&error, &anvil_messages::Door::default())
                );
                error.exit().into()
            },
            |()| ExitCode::SUCCESS,
        ),
    }
}

fn print(text: &str) -> ExitCode {
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

/// The world of the server's folder.
fn world(arguments: &[OsString]) -> Result<World> {
    let world = World::gather(|name| std::env::var_os(name))?;
    match arguments {
        [] => Ok(world),
        [folder] if !folder.to_string_lossy().starts_with('-') => {
            let cwd = world.cwd.join(PathBuf::from(folder));
            if !cwd.is_dir() {
                return Err(McpError::NoFolder(folder.to_string_lossy().into_owned()).into());
            }
            Ok(World { cwd, project_folder: None, ..world })
        }
        [first, ..] => {
            let option =
                arguments.iter().find(|argument| argument.to_string_lossy().starts_with('-'));
            let wrong = option.unwrap_or(first);
            Err(McpError::ProgramArgument(wrong.to_string_lossy().into_owned()).into())
        }
    }
}

/// Serves until the client has gone.
fn serve(world: World) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(McpError::NotStarted)?;
    let left = runtime.block_on(async {
        let (wire, mut leaves) = Wire::standard();
        let server = McpServer::new(world, leaves.clone());
        let session = async {
            // A client that leaves before the session begins is no error.
            if let Ok(session) = server.serve(wire).await {
                let _ = session.waiting().await;
            }
            Instant::now()
        };
        let limit = async {
            let _ = leaves.wait_for(|has_left| *has_left).await;
            let left = Instant::now();
            tokio::time::sleep(END_LIMIT).await;
            left
        };
        tokio::select! {
            left = session => left,
            left = limit => left,
        }
    });
    runtime.shutdown_timeout(END_LIMIT.saturating_sub(left.elapsed()));
    Ok(())
}
