//! An attempt, from its prompt on the disk to the record of its end. Also ends attempts that an
//! earlier executor left.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::wrapper::{self, Orders};
use super::{copy, environment, script};
use crate::error::RunError;
use anvil_core::attempt::{EndedLine, Exit, FailureKind, Slot, SubmittedLine};
use anvil_core::options::FactCheck;
use anvil_engine::Request;
use anvil_prompt::{Agent, OutputFormat, Printed, SYSTEM, SYSTEM_FILE};
use anvil_store::{
    Attempt, AttemptEvent, AttemptReader, AttemptRecord, Attempts, Origin, StartedLine, digest,
    token,
};
use anvil_system::disk::{Disk, Flush, NewFile};
use anvil_system::process::{self, ProcessId, Signals, Wrapper};
use anvil_system::world::{Clock, Programs, World};
use anvil_text::error::{Error, Result};

/// Longest time that a wrapper needs after a request to end: one second for the agent, ten for the
/// agent's children, two to record the end.
const END_LIMIT: Duration = Duration::from_secs(13);

/// The treatment of an attempt that an earlier executor started and that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orphan {
    /// Wait for its reply.
    Wait,
    /// End it, and ask again.
    Kill,
}

/// Replaces this process's signal handlers, so that a first signal is noted and ends the work in
/// order. A second one of the same kind ends the process at once.
pub(crate) fn install_signal_handlers() -> Result<Signals> {
    Ok(Signals::listen(true).map_err(RunError::NoSignals)?)
}

#[derive(Debug)]
pub(crate) struct Executor {
    pub disk: Disk,
    pub record: AttemptRecord,
    reader: AttemptReader,
    pub signals: Signals,
    /// The project's root, for seats that may read files.
    pub project: PathBuf,
    /// `Some`: everything lies in this folder, and no attempt outlives this executor.
    pub scratch: Option<PathBuf>,
    /// Answers in place of the agents.
    programs: Option<Arc<dyn Programs>>,
}

/// An attempt that runs: its wrapper, which leads its process group.
#[derive(Debug)]
pub(crate) struct Running {
    /// Its number.
    pub attempt: u32,
    token: String,
    process: ProcessId,
    /// `None`: an earlier executor started it, or its agent is no process.
    wrapper: Option<Wrapper>,
    began: Instant,
    /// The wrapper keeps to this time itself unless it is stopped (SIGSTOP).
    longest: Option<Duration>,
    /// When its end was requested.
    end_requested: Option<Instant>,
}

impl Running {
    /// Time since it began, or since this executor adopted it.
    pub(crate) fn since(&self) -> Duration {
        self.began.elapsed()
    }

    /// Requests its end.
    pub(crate) fn ask_to_end(&mut self) {
        if self.end_requested.is_none() {
            process::ask_to_end(self.process);
            self.end_requested = Some(Instant::now());
        }
    }

    fn is_gone(&mut self) -> bool {
        self.wrapper.as_mut().map_or_else(|| !self.process.is_alive(), Wrapper::is_over)
    }
}

impl Executor {
    pub(crate) fn new(
        world: &World,
        record: AttemptRecord,
        project: PathBuf,
        signals: Signals,
    ) -> Self {
        let reader = AttemptReader::new(record.clone());
        let (disk, programs) = (world.disk.clone(), world.programs.clone());
        Self { disk, record, reader, signals, project, scratch: None, programs }
    }

    /// The attempts of the debate as they are now.
    pub(crate) fn attempts(&mut self) -> Result<Rc<Attempts>> {
        self.reader.attempts()
    }

    /// Starts an agent. `attempts`: those until now. `recovery` says why this is not the first
    /// attempt.
    pub(crate) fn begin(
        &mut self,
        request: &Request,
        agent: &Agent,
        attempts: &Attempts,
        recovery: &str,
    ) -> Result<Running> {
        let attempt = self.record.reserve(attempts)?;
        self.record.prepare(attempt, &request.prompt)?;
        let token = token();
        let seat =
            request.check.map_or_else(|| request.seat.to_string(), |_| "fact-checker".to_owned());
        let command = self.command(agent, request.slot, &token)?;
        let mut wrapper = match &self.programs {
            Some(_) => None,
            None => Some(Wrapper::start(wrapper_command(agent, &token)?).map_err(not_run)?),
        };
        let process = wrapper.as_ref().map(|wrapper| ProcessId::from_pid(wrapper.pid()));
        let process = process.unwrap_or_default();
        let started = StartedLine {
            attempt,
            at: Clock::default().now(),
            seat,
            slot: request.slot,
            generation: request.generation,
            origin: Origin {
                agent: agent.name.clone(),
                family: agent.family.clone(),
                instead_of: agent.instead_of.clone(),
            },
            command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            process,
            token: token.clone(),
            recovery: recovery.to_owned(),
            claim: None,
        };
        if let Err(error) = self.record.note(AttemptEvent::Started(Box::new(started))) {
            // Without orders, the wrapper does nothing.
            wrapper.as_mut().map(Wrapper::kill);
            return Err(error);
        }
        let folder = match self.make_folder(agent, request, &token) {
            Ok(folder) => folder,
            Err(error) => {
                wrapper.as_mut().map(Wrapper::kill);
                let _ = self.close(attempt, process, &token);
                return Err(error);
            }
        };
        let orders = Orders {
            record: self.record.folder()?.to_owned(),
            attempt,
            command,
            own_words: agent.own_words.clone(),
            folder,
            fresh: self.empty_folder(&token),
            output: agent.output,
            check: request.check,
            limits: agent.limits,
            executor: self.scratch.as_ref().map(|_| ProcessId::current()),
        };
        if let Some(wrapper) = &mut wrapper {
            // A wrapper that is already gone records no end; `close` notices that.
            let _ = wrapper.order(&serde_json::to_vec(&orders).unwrap_or_default());
        } else {
            wrapper::carry_out(&self.disk, &orders, self.programs.as_deref(), &|| false);
        }
        Ok(Running {
            attempt,
            token,
            process,
            wrapper,
            began: Instant::now(),
            longest: Some(agent.limits.whole + END_LIMIT),
            end_requested: None,
        })
    }

    /// An attempt that an earlier executor started and that has no recorded end.
    pub(crate) fn adopt(open: &Attempt, orphan: Orphan) -> Running {
        let StartedLine { attempt, process, token, .. } = &open.started;
        let mut running = Running {
            attempt: *attempt,
            token: token.clone(),
            process: *process,
            wrapper: None,
            began: Instant::now(),
            longest: None,
            end_requested: None,
        };
        if orphan == Orphan::Kill && process.is_alive() {
            running.ask_to_end();
        }
        running
    }

    /// True if an attempt has ended, or does not end although that was requested. Requests its end
    /// when the user stops the work or its time is over.
    pub(crate) fn is_over(&self, running: &mut Running) -> bool {
        if running.is_gone() {
            return true;
        }
        let is_late = running.longest.is_some_and(|longest| running.since() > longest);
        if is_late || self.signals.last().is_some() {
            running.ask_to_end();
        }
        running.end_requested.is_some_and(|at| at.elapsed() > END_LIMIT)
    }

    /// Records the end of an attempt that is over, if its wrapper did not.
    pub(crate) fn end(&mut self, mut running: Running) -> Result<Attempt> {
        if let Some(wrapper) = &mut running.wrapper
            && !wrapper.is_over()
        {
            wrapper.kill();
        }
        self.close(running.attempt, running.process, &running.token)
    }

    /// Makes the agent's folder: the project if the agent may read it, else an empty folder. The
    /// empty folder's name has the token on record, so a later executor can remove it. It always
    /// holds the agent's files: every user of the machine sees their paths in the arguments, and
    /// the path of the record's folder would show the debate's question.
    fn make_folder(&self, agent: &Agent, request: &Request, token: &str) -> Result<PathBuf> {
        let fresh = self.empty_folder(token);
        self.disk.fresh_folder_at(&fresh).map_err(RunError::NoFolder)?;
        let reads_system = agent.command.iter().any(|argument| argument.contains("{system}"))
            || agent.variables.iter().any(|(_, value)| value == SYSTEM_FILE);
        if reads_system {
            self.write(&fresh.join(SYSTEM_FILE), SYSTEM)?;
        }
        if request.check == Some(FactCheck::Files) {
            return copy::make_copy(&self.disk, &fresh, &self.project);
        }
        Ok(if agent.in_project { self.project.clone() } else { fresh })
    }

    /// Reads the reply of a received attempt. If the disk had no room for a separate copy, extracts
    /// the reply from the printed output. A lost reply is noted as submitted: the run stops once,
    /// and the next run requests a new one.
    pub(crate) fn reply(&self, attempt: &Attempt) -> Result<String> {
        let number = attempt.started.attempt;
        let reply = self.record.reply(attempt).or_else(|| self.reply_in_output(attempt));
        reply.ok_or_else(|| {
            self.note_submitted(attempt);
            RunError::ReplyGone(number).into()
        })
    }

    fn reply_in_output(&self, attempt: &Attempt) -> Option<String> {
        let ended = attempt.ended.as_ref()?;
        let form: OutputFormat = serde_json::from_value(ended.stdout.clone()?.into()).ok()?;
        let (output, stderr) = self.record.read_output(attempt.started.attempt)?;
        let printed = Printed { code: ended.exit.code, output: &output, stderr: &stderr };
        let text = anvil_prompt::answer(form, &printed).ok()?.text;
        (ended.reply.as_ref() == Some(&digest(text.as_bytes()))).then_some(text)
    }

    /// Notes that the debate got this reply, so no later run submits it again. If this line can't
    /// be written, the worst case is that the reply comes back after an undo.
    pub(crate) fn note_submitted(&self, attempt: &Attempt) {
        let attempt = attempt.started.attempt;
        let at = Clock::default().now();
        let _ = self.record.note(AttemptEvent::Submitted(SubmittedLine { attempt, at }));
    }

    /// Records the end of an attempt with a dead wrapper. If the wrapper did not record it, the
    /// attempt is lost, and what is left of its group is killed.
    fn close(&mut self, attempt: u32, wrapper: ProcessId, token: &str) -> Result<Attempt> {
        let found = self.recorded_attempt(attempt)?;
        if found.ended.is_some() {
            return Ok(found);
        }
        process::end_group(wrapper);
        self.disk.remove_fresh_folder(&self.empty_folder(token));
        let at = Clock::default().now();
        let took = at.duration_since(found.started.at);
        self.record.note(AttemptEvent::Ended(EndedLine {
            attempt,
            at,
            exit: Exit {
                duration_ms: u64::try_from(took.as_millis()).unwrap_or(0),
                ..Exit::default()
            },
            error: Some(FailureKind::Lost),
            message: "its exit status is unknown".to_owned(),
            ..EndedLine::default()
        }))?;
        self.recorded_attempt(attempt)
    }

    fn recorded_attempt(&mut self, attempt: u32) -> Result<Attempt> {
        let attempts = self.attempts()?;
        let mut newest_first = attempts.all.iter().rev();
        let recorded = newest_first.find(|known| known.started.attempt == attempt).cloned();
        Ok(recorded.ok_or(RunError::RecordGone)?)
    }

    /// The empty folder of an attempt. It is outside every project, so the agent finds no project
    /// files in it or above it.
    fn empty_folder(&self, token: &str) -> PathBuf {
        let name = token.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
        let within = self.scratch.clone().unwrap_or_else(private_folder);
        within.join(format!("anvil-seat-{name}"))
    }

    fn command(&self, agent: &Agent, slot: Slot, token: &str) -> Result<Vec<OsString>> {
        if let Some(file) = &agent.script {
            let own = process::own_program().map_err(not_run)?;
            return Ok(vec![own.into(), script::VERB.into(), file.into(), slot.to_string().into()]);
        }
        let system_file = self.empty_folder(token).join(SYSTEM_FILE);
        Ok(agent.command.iter().map(|argument| with_system_file(argument, &system_file)).collect())
    }

    fn write(&self, path: &Path, text: &str) -> Result<()> {
        let replaced = self.disk.replace(path, text.as_bytes(), NewFile::Private, Flush::Later);
        Ok(replaced.map_err(RunError::NoRoom)?)
    }
}

/// An argument of a command with the path of the system prompt's file in place of `{system}`.
fn with_system_file(argument: &str, system_file: &Path) -> OsString {
    let mut parts = argument.split("{system}");
    let mut whole = OsString::from(parts.next().unwrap_or_default());
    for part in parts {
        whole.push(system_file);
        whole.push(part);
    }
    whole
}

/// `XDG_RUNTIME_DIR` if it is private to the user (the system empties it at logout), else the
/// folder for temporary files.
pub(super) fn private_folder() -> PathBuf {
    std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute() && is_private(folder))
        .unwrap_or_else(std::env::temp_dir)
}

#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).is_ok_and(|meta| {
        meta.uid() == rustix::process::geteuid().as_raw() && meta.mode().trailing_zeros() >= 6
    })
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    false
}

/// The error if this program can't be run.
pub(crate) fn not_run(error: process::ProcessError) -> Error {
    error.into_error("the program itself", "check that anvil can be run")
}

/// The command for the wrapper, with the environment of the agent.
#[allow(clippy::disallowed_types, reason = "anvil_system makes it, and runs it")]
fn wrapper_command(agent: &Agent, token: &str) -> Result<std::process::Command> {
    let mut command = process::own_program()
        .and_then(process::command)
        .map_err(|error| error.into_error("anvil", "check that it can be run"))?;
    command.arg(wrapper::VERB);
    for name in environment::dropped_variables() {
        command.env_remove::<OsString>(name);
    }
    command.envs(agent.variables.iter().map(|(name, value)| (name, value)));
    command.env(process::CHILD, token);
    Ok(command)
}
