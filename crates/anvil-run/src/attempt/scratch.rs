//! The folder of an executor that keeps no record. It is removed when its process ends, even if
//! that is killed: a guard, a second process of this program, waits for the end of a pipe and
//! removes it.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::executor::{not_run, private_folder};
use crate::error::RunError;
use anvil_store::token;
use anvil_system::disk::Disk;
use anvil_system::process::{self, Wrapper};
use anvil_text::error::Result;

/// The hidden verb that runs a guard.
pub const VERB: &str = "__scratch";

/// How the name of such a folder begins. A guard removes no other folder.
const NAME: &str = "anvil-step-";

/// Longest time in which a guard tries to remove its folder: an agent gets ten seconds to end.
const PATIENCE: Duration = Duration::from_secs(20);

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Private to the user.
#[derive(Debug)]
pub(crate) struct Scratch {
    disk: Disk,
    pub folder: PathBuf,
    guard: Option<Wrapper>,
}

impl Scratch {
    /// The folder does not exist before `make`.
    pub(crate) fn new(disk: &Disk) -> Self {
        let folder = private_folder().join(format!("{NAME}{}", &token()[..16]));
        Self { disk: disk.clone(), folder, guard: None }
    }

    /// Starts the guard, then makes the folder.
    pub(crate) fn make(&mut self) -> Result<()> {
        let mut guard = process::own_program().and_then(process::command).map_err(not_run)?;
        guard.arg(VERB).arg(&self.folder);
        self.guard = Some(Wrapper::start(guard).map_err(not_run)?);
        Ok(self.disk.fresh_folder_at(&self.folder).map_err(RunError::NoFolder)?)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.disk.remove_fresh_folder(&self.folder);
        if let Some(guard) = &mut self.guard {
            let _ = guard.order(b"");
            let began = Instant::now();
            while !guard.is_over() && began.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

pub fn main(folder: &OsStr) -> ExitCode {
    let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
    let folder = Path::new(folder);
    let name = folder.file_name().and_then(OsStr::to_str);
    if !folder.is_absolute() || !name.is_some_and(|name| name.starts_with(NAME)) {
        return ExitCode::FAILURE;
    }
    let began = Instant::now();
    while folder.symlink_metadata().is_ok() && began.elapsed() < PATIENCE {
        Disk::default().remove_fresh_folder(folder);
        std::thread::sleep(POLL_INTERVAL);
    }
    ExitCode::SUCCESS
}
