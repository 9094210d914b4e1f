//! `anvil hook`: one event of Claude Code. Always exits with 0; an error is a line in its answer.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use anvil_hook::{Answer, HookError, MAX_EVENT_BYTES};
use anvil_messages::Door;
use anvil_system::world::World;
use anvil_text::error::Error;

pub(super) fn run(door: &Door) -> ExitCode {
    let to_report = door.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let bug = HookError::Bug(panic.to_string()).into();
        let _ = writeln!(io::stdout(), "{}", anvil_hook::explain(&bug, &to_report).to_json());
        std::process::exit(0);
    }));
    // Always read the input, so that the client can finish writing it.
    let input = read();
    // A program in a seat is not the user's session.
    if std::env::var_os(anvil_system::process::CHILD).is_some() {
        return ExitCode::SUCCESS;
    }
    let world = World::gather(|name| std::env::var_os(name));
    let answer = input
        .and_then(|input| Ok(anvil_hook::answer(input, world?, door)))
        .unwrap_or_else(|error| anvil_hook::explain(&error, door));
    if answer != Answer::Silent {
        // If the client reads no answer, the debate waits at this phase, and a resume requests it
        // again.
        let mut out = io::stdout().lock();
        let _ = out.write_all(answer.to_json().as_bytes()).and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// `anvil hook background`: the hook that wakes an idle session. Exit code 2 wakes it with the text
/// on standard error.
pub(super) fn background() -> ExitCode {
    let input = read();
    if std::env::var_os(anvil_system::process::CHILD).is_some() {
        return ExitCode::SUCCESS;
    }
    let world = World::gather(|name| std::env::var_os(name));
    match input
        .ok()
        .zip(world.ok())
        .and_then(|(input, world)| anvil_hook::background(&input, world))
    {
        Some(news) => {
            let _ = writeln!(io::stderr(), "{news}");
            ExitCode::from(2)
        }
        None => ExitCode::SUCCESS,
    }
}

fn read() -> Result<Vec<u8>, Error> {
    let mut input = Vec::with_capacity(64 * 1024);
    let read = io::stdin().lock().take(MAX_EVENT_BYTES + 1).read_to_end(&mut input);
    read.map_err(HookError::NoInput)?;
    if input.len() as u64 > MAX_EVENT_BYTES {
        return Err(HookError::LongInput.into());
    }
    Ok(input)
}
