//! The floor of an event that changes a debate: read the event and the state file, replace the
//! state file by a new one that would survive a power cut, answer. Nothing else: no JSON, no lock,
//! no check.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let state = PathBuf::from(std::env::args_os().nth(1).unwrap_or_default());
    let temp = state.with_extension("tmp");
    let mut event = Vec::with_capacity(64 * 1024);
    io::stdin().lock().read_to_end(&mut event)?;
    let old = fs::read(&state)?;

    let mut file = File::create(&temp)?;
    file.write_all(&old)?;
    file.write_all(&event)?;
    file.sync_all()?;
    fs::rename(&temp, &state)?;
    if let Some(folder) = state.parent() {
        File::open(folder)?.sync_all()?;
    }
    println!("{{\"systemMessage\":\"{} bytes\"}}", old.len() + event.len());
    Ok(())
}
