//! The bench at which answers are made: the folders of the units, and the programs that run there.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::log::{EvalPlan, Expense};
use super::tasks::Arm;
use anvil_core::attempt::FailureKind;
use anvil_store::{AttemptRecord, STATE_FILE_NAME, StateFile, read_file};
use anvil_system::disk::{Flush, NewFile};
use anvil_system::process::{Background, Signals};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};
use anvil_text::{clean, duration};

/// The hidden verb of the process that asks once.
pub(super) const SINGLE: &str = "__single";

/// Time between two looks at a process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for a process to end its agent.
const GRACE: Duration = Duration::from_secs(15);

/// The folder of a debate, or of the record of single prompts, in the folder of a unit.
pub(super) const DEBATE: &str = "debate";

/// The output of the last process in the folder of a unit.
pub(super) const OUTPUT: &str = "output.txt";

/// The brief of a case, in the folder of a unit.
pub(super) const MATERIAL: &str = "material.md";

const ROOM_HINT: &str = "make room on the disk, then continue";

/// Variables by which a program finds the session of Claude Code that it runs in.
pub(super) const HIDDEN: [Variable<'_>; 5] = [
    ("CLAUDE_PROJECT_DIR", None),
    ("CLAUDECODE", None),
    ("CLAUDE_PID", None),
    ("CLAUDE_CODE_SESSION_ID", None),
    ("CLAUDE_CODE_ENTRYPOINT", None),
];

/// A variable of a program; without a value it is taken away.
pub(crate) type Variable<'v> = (&'v str, Option<&'v OsStr>);

/// Why the measurement ends before its last case.
#[derive(Clone, Debug)]
pub(crate) enum Halt {
    /// The next answer might not fit in the budget.
    Budget,
    /// The user has stopped it.
    Signal(u8),
    /// A used-up quota comes back after so many seconds.
    Quota {
        seconds: u64,
        error: Error,
    },
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The tools with which answers are made.
pub(crate) struct Bench<'a> {
    pub world: &'a World,
    pub folder: &'a Path,
    pub plan: &'a EvalPlan,
    pub anvil: PathBuf,
    pub own: PathBuf,
    pub signals: Signals,
    /// A debate stops itself at its share of the budget: every agent tells its dollars.
    pub tells_cost: bool,
    /// Waits for a quota that says when it comes back.
    pub waits: bool,
}

/// The limits of a unit.
#[derive(Clone, Copy)]
pub(crate) struct UnitLimits<'a> {
    /// The tokens of the debate on the same text.
    pub tokens: u64,
    /// The dollars that are left, if the unit has spent so much.
    pub left: &'a dyn Fn(Expense) -> f64,
}

/// The world of a debate in this folder.
pub(super) fn world_in(world: &World, folder: &Path) -> World {
    World {
        cwd: folder.to_owned(),
        debate_folder: Some(folder.join(DEBATE)),
        project_folder: None,
        client_pid: None,
        client_session: None,
        is_below_client: false,
        ..world.at_this_moment()
    }
}

/// The record of answers outside of a debate, in the folder of a unit.
pub(super) fn answers_in(world: &World, folder: &Path, id: &str) -> AttemptRecord {
    AttemptRecord::at(&world.disk, &folder.join(DEBATE).join(id))
}

/// The debate in the folder of a unit.
pub(super) fn debate_in(folder: &Path, arm: Arm) -> Result<Option<StateFile>> {
    let place = if arm == Arm::Conversation { ".claude" } else { DEBATE };
    let bytes = read_file(&folder.join(place).join(STATE_FILE_NAME))?;
    bytes.map(|bytes| StateFile::parse(&String::from_utf8_lossy(&bytes))).transpose()
}

impl Bench<'_> {
    /// Makes a folder for the user alone.
    pub(crate) fn make(&self, folder: &Path) -> Result<()> {
        self.world.disk.create_private_folder(folder).map_err(|error| Error::io(error, ROOM_HINT))
    }

    pub(crate) fn put(&self, path: &Path, text: &str) -> Result<()> {
        self.world
            .disk
            .replace(path, text.as_bytes(), NewFile::Private, Flush::Now)
            .map_err(|error| Error::io(error, ROOM_HINT))
    }

    /// The reason for a missing answer, as its newest attempt gives it.
    pub(crate) fn stopped(&self, folder: &Path, record: &AttemptRecord, arm: Arm) -> Halt {
        let ended = record.read().ok().and_then(|attempts| attempts.all.last()?.ended.clone());
        let failed = ended.filter(|ended| ended.error.is_some());
        match failed.and_then(|ended| ended.retry_after) {
            None => self.failed(folder, arm).into(),
            Some(seconds) => {
                let hint = format!("it comes back in {}; `--wait` waits for it", duration(seconds));
                Halt::Quota { seconds, error: Error::failed(self.why(folder, arm), hint) }
            }
        }
    }

    /// Waits for a quota to come back, or for the end of the measurement.
    pub(crate) fn wait(&self, seconds: u64, is_halted: &dyn Fn() -> bool) -> Result<(), Halt> {
        let began = Instant::now();
        let seconds = seconds.max(1);
        let line = format!("the quota comes back in {}: waiting", duration(seconds));
        let _ = writeln!(std::io::stderr(), "{line}");
        while began.elapsed().as_secs() < seconds && !is_halted() {
            self.check_signal()?;
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// The file of the output in the folder of a unit. Waits for a program of an earlier
    /// measurement that still holds the file.
    pub(crate) fn output(&self, folder: &Path) -> Result<std::fs::File, Halt> {
        let disk = &self.world.disk;
        let log =
            disk.open_lock(&folder.join(OUTPUT)).map_err(|error| Error::io(error, ROOM_HINT))?;
        while cfg!(unix) && disk.try_lock(&log).is_err() {
            self.check_signal()?;
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(log.into_parts().0)
    }

    /// Runs a program in the folder of a unit.
    pub(crate) fn run(
        &self,
        program: &Path,
        words: &[OsString],
        folder: &Path,
        variables: &[Variable<'_>],
    ) -> Result<(), Halt> {
        let log = self.output(folder)?;
        log.set_len(0).map_err(|error| Error::io(error, ROOM_HINT))?;
        let started = Background::start(program, words, folder, variables, log);
        let mut running =
            [started.map_err(|error| error.to_error("anvil", "install it next to anvil-eval"))?];
        while !running[0].is_over() {
            if let Err(signal) = self.check_signal() {
                Background::end_all(&mut running, GRACE);
                return Err(signal);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        self.check_signal()
    }

    fn check_signal(&self) -> Result<(), Halt> {
        self.signals.received().map_or(Ok(()), |signal| Err(Halt::Signal(signal.exit_code())))
    }

    /// The error of a program that gave no answer, in its own words.
    fn why(&self, folder: &Path, arm: Arm) -> String {
        let printed = read_file(&folder.join(OUTPUT)).ok().flatten().unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let mut errors = printed.lines().filter_map(|line| line.strip_prefix("anvil: "));
        let error = errors.next().unwrap_or("it printed nothing").to_owned();
        let debate = debate_in(folder, arm).ok().flatten();
        let stopped = debate.map(|state| state.debate.progress.status_detail);
        let why = clean(&stopped.filter(|why| !why.is_empty()).unwrap_or(error), 300);
        let place = folder.strip_prefix(self.folder).unwrap_or(folder).display();
        format!("no answer for {place}: {why}")
    }

    pub(crate) fn failed(&self, folder: &Path, arm: Arm) -> Error {
        let hint = format!("see {OUTPUT} there; deal with it, then continue");
        Error::failed(self.why(folder, arm), hint)
    }
}

/// A failure that says something about the answer, and nothing about the account or the service.
pub(super) fn is_of_answer(kind: FailureKind) -> bool {
    use FailureKind::{Crash, Empty, Misshapen, Refusal, TimeLimit};
    matches!(kind, Crash | Empty | Misshapen | Refusal | TimeLimit)
}
