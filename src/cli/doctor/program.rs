//! The programs: the one in the plugin, and the client.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::super::plugin::PROGRAM;
use super::{Copy, Finding, shown};
use crate::program::{in_own_group, kill};
use crate::say;
use crate::world::World;

/// Longest time a program may take: the client starts in a second.
const LIMIT: Duration = Duration::from_secs(10);

/// Most bytes of what one says.
const MAX_OUTPUT: u64 = 64 * 1024;

/// The oldest client that the plugin was seen to run in.
const OLDEST: (u32, u32, u32) = (2, 0, 30);

/// The client, as far as it is found.
pub(super) struct Client {
    pub(super) version: Option<(u32, u32, u32)>,
    pub(super) finding: Finding,
}

/// Asks the client for its version.
pub(super) fn client(cwd: &Path) -> Client {
    let mut command = Command::new("claude");
    command.arg("--version").current_dir(cwd);
    let said = match run(command, b"") {
        Ok(Ended { is_success: true, out }) => out,
        Ok(_) => String::new(),
        Err(Trouble::Missing) => {
            let fix = "install Claude Code, or put the folder of `claude` on PATH";
            return Client { version: None, finding: Finding::wrong("claude", "`claude` is not on PATH", fix) };
        }
        Err(trouble) => {
            let text = format!("`claude --version` {trouble}");
            let fix = "run it in a terminal and see what it waits for";
            return Client { version: None, finding: Finding::wrong("claude", text, fix) };
        }
    };
    let word = said.split_whitespace().next().unwrap_or_default();
    let mut numbers = word.splitn(3, '.').map(str::parse::<u32>);
    let mut number = || numbers.next()?.ok();
    let version = number().zip(number()).zip(number()).map(|((major, minor), patch)| (major, minor, patch));
    let finding = match version {
        None => Finding::note("claude", "`claude --version` names no version", "run it in a terminal"),
        Some(version) if version < OLDEST => {
            let text = format!("claude {word} is older than what Anvil was tried with (2.0.30)");
            Finding::wrong("claude", text, "claude update")
        }
        Some(_) => Finding::fine("claude", format!("claude {word}")),
    };
    Client { version, finding }
}

/// Is the program in the plugin the one that runs now.
pub(super) fn finding(world: &World, copy: &Copy) -> Finding {
    let path = copy.folder.join(PROGRAM);
    let running = std::env::current_exe().ok();
    // A release for all platforms has a script in the program's place, which calls one beside it.
    let is_beside = running.as_ref().and_then(|running| running.parent()) == Some(&copy.folder);
    let own = running.and_then(|running| fs_err::read(running).ok());
    let installed = match fs_err::read(&path) {
        Ok(installed) => installed,
        Err(error) => return Finding::wrong("program", error.to_string(), copy.repair()),
    };
    if is_beside || Some(&installed) == own.as_ref() {
        return Finding::fine("program", "the plugin's program is the one that runs now");
    }
    let mut command = Command::new(&path);
    command.arg("--version").env_clear();
    let version = match run(command, b"") {
        Ok(Ended { is_success: true, out }) => say::clean(out.lines().next().unwrap_or_default(), 80),
        Ok(_) => "it fails".to_owned(),
        Err(trouble) => trouble.to_string(),
    };
    let text = format!("the plugin's program is not the one that runs now: {} ({version})", shown(world, &path));
    Finding::note("program", text, copy.repair())
}

/// What a program left.
pub(super) struct Ended {
    pub(super) is_success: bool,
    pub(super) out: String,
}

/// Why a program left nothing.
pub(super) enum Trouble {
    Missing,
    Failed(std::io::Error),
    TooSlow,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => out.write_str("is not there"),
            Self::Failed(error) => write!(out, "can't be run: {error}"),
            Self::TooSlow => write!(out, "does not end within {} s", LIMIT.as_secs()),
        }
    }
}

/// Runs a program that reads this, and stops one that takes too long, with its children.
pub(super) fn run(mut command: Command, input: &[u8]) -> Result<Ended, Trouble> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    in_own_group(&mut command);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Trouble::Missing,
        _ => Trouble::Failed(error),
    })?;
    let (done, is_done) = mpsc::channel();
    if let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) {
        let input = input.to_owned();
        // They end with the program, or with this one.
        std::thread::spawn(move || stdin.write_all(&input));
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = done.send(bytes);
        });
    }
    let heard = is_done.recv_timeout(LIMIT);
    if heard.is_err() {
        kill(&mut child);
    }
    let status = child.wait().map_err(Trouble::Failed)?;
    let bytes = heard.map_err(|_| Trouble::TooSlow)?;
    Ok(Ended { is_success: status.success(), out: String::from_utf8_lossy(&bytes).into_owned() })
}
