//! Checks that locks in a project's folder hold between processes: workers in one folder rely on
//! that.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::attempt::{not_run, own_program};
use crate::error::{Error, Result};
use crate::storage::{LockProbe, Project, Store};
use crate::system::disk::Disk;
use crate::system::process;
use crate::system::world::World;

/// The hidden verb of the process that takes the lock from outside.
pub(crate) const VERB: &str = "__lock";

/// Printed by that process when it has the lock.
const LOCKED: &str = "locked";

/// Longest time for one try.
const TRY_LIMIT: Duration = Duration::from_secs(5);

/// Refuses a folder where a lock does not keep another process out, or outlives its process.
pub(crate) fn check(world: &World, project: &Project) -> Result<()> {
    let store = Store::new(project.clone(), world);
    let refused = |why: &str| {
        Error::failed(
            format!("{why} in {}", project.root().display()),
            "work on one machine and its own disk; `anvil publish N` hands the debate to \
             another one",
        )
    };
    if !store.try_lock(TRY_LIMIT)? {
        return Err(refused("the file system has no locks"));
    }
    let file = store.file_to_lock()?;
    let fault = find_fault(world, &file);
    let _ = world.disk.remove(&file);
    match fault? {
        None => Ok(()),
        Some(why) => Err(refused(why)),
    }
}

/// The fault of the locks there.
fn find_fault(world: &World, file: &Path) -> Result<Option<&'static str>> {
    let held = LockProbe::take(&world.disk, file)?;
    if held.is_none() || try_from_outside(file)? {
        return Ok(Some("a lock does not keep another process out"));
    }
    drop(held);
    // A program that another thread starts just now holds the file as well, until it is executed.
    let started = Instant::now();
    let mut is_given_back = try_from_outside(file)?;
    while !is_given_back && started.elapsed() < TRY_LIMIT {
        is_given_back = try_from_outside(file)?;
    }
    // That process was killed while it held the lock.
    Ok((!is_given_back || !try_from_outside(file)?).then_some("a lock is not given back"))
}

/// True if another process gets the lock; it is killed while it holds it.
fn try_from_outside(file: &Path) -> Result<bool> {
    let mut command = process::command(own_program()?).map_err(|error| not_run(&error))?;
    command.arg(VERB).arg(file);
    let output = process::run(command, None, TRY_LIMIT).map_err(|error| not_run(&error))?;
    Ok(output.text.trim() == LOCKED)
}

/// Takes the lock, prints that, and is killed.
pub(crate) fn main(file: &OsStr) -> ExitCode {
    let Ok(Some(_held)) = LockProbe::take(&Disk::default(), Path::new(file)) else {
        return ExitCode::FAILURE;
    };
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{LOCKED}").and_then(|()| out.flush()).is_ok() {
        process::end_at_once();
    }
    ExitCode::FAILURE
}
