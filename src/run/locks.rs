//! Whether the locks of a project's folder hold between processes: workers on one folder rely on that.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::executor::own_program;
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::process;
use crate::state::{LockProbe, Project, Store};
use crate::world::World;

/// The hidden verb of the process that tries the other side.
pub(crate) const VERB: &str = "__lock";

/// What the other side says that has got the lock.
const LOCKED: &str = "locked";

/// Longest time for one try.
const LONGEST: Duration = Duration::from_secs(5);

/// Refuses a folder in which a lock does not hold between two processes, or outlives the process that had it.
pub(crate) fn check(world: &World, project: &Project) -> Result<()> {
    let store = Store::of(project.clone(), world);
    let refused = |why: &str| {
        Error::failed(
            format!("{why} in {}", project.root().display()),
            "work on one machine and its own disk; between machines a forge does it: `anvil publish N`, `anvil join --issue N`",
        )
    };
    if !store.try_lock(LONGEST)? {
        return Err(refused("the file system has no locks"));
    }
    let file = store.file_to_lock()?;
    let tried = try_out(world, &file);
    let _ = world.disk.remove(&file);
    match tried? {
        None => Ok(()),
        Some(why) => Err(refused(why)),
    }
}

/// What is wrong with the locks there.
fn try_out(world: &World, file: &Path) -> Result<Option<&'static str>> {
    let held = LockProbe::take(&world.disk, file)?;
    if held.is_none() || try_from_outside(file)? {
        return Ok(Some("a lock does not keep another process out"));
    }
    drop(held);
    // The first one is killed while it has the lock.
    let is_given_back = try_from_outside(file)? && try_from_outside(file)?;
    Ok((!is_given_back).then_some("a lock is not given back"))
}

/// True where another process gets the lock; it is killed while it has it.
fn try_from_outside(file: &Path) -> Result<bool> {
    let failed = |error: process::ProcessError| error.of("the program itself", "check that anvil can be run");
    let mut command = process::command(own_program()?).map_err(failed)?;
    command.arg(VERB).arg(file);
    let output = process::run(command, None, LONGEST).map_err(failed)?;
    Ok(output.text.trim() == LOCKED)
}

/// The other side: takes the lock, says so, and is killed.
pub(crate) fn main(file: &OsStr) -> ExitCode {
    let Ok(Some(_held)) = LockProbe::take(&Disk::default(), Path::new(file)) else { return ExitCode::FAILURE };
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{LOCKED}").and_then(|()| out.flush()).is_ok() {
        process::end_at_once();
    }
    ExitCode::FAILURE
}
