//! One attempt, from its prompt on the disk to its end on record; and what an earlier executor has left.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::wrapper::{self, Orders};
use super::{copy, environment, script};
use crate::debate::FactCheck;
use crate::disk::{Disk, Flush, NewFile};
use crate::engine::Request;
use crate::error::{Error, Result};
use crate::process::{self, Adopting, Left, Signals, Wrapper};
use crate::seats::{self, Agent, Given, Output, Printed, SYSTEM};
use crate::state::{Attempt, AttemptRecord, EndedLine, FailureKind, ProcessMark, StartedLine, SubmittedLine, digest};

/// Between two looks at a wrapper.
const LOOKS: Duration = Duration::from_millis(10);

/// Between two looks at what has arrived, and at whether the debate still waits for it.
const SECOND: Duration = Duration::from_millis(500);

/// Longest time in which a wrapper that is asked to end its agent has to be done: a second for the agent, ten for what that has
/// left, and two to note it.
const ENDING: Duration = Duration::from_secs(13);

/// What an executor does with an attempt that an earlier one began and that still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Orphan {
    /// Wait for its reply.
    #[default]
    Wait,
    /// End it, and ask again.
    Kill,
}

/// Who watches an attempt.
pub(super) trait Watch {
    /// So many bytes have arrived in this file, after this time.
    fn arrived(&mut self, output: &Path, since: Duration);
    /// True where the debate does not wait for it any more.
    fn is_over(&mut self) -> bool;
}

/// What attempts need.
#[derive(Debug)]
pub(super) struct Executor {
    pub(super) disk: Disk,
    pub(super) record: AttemptRecord,
    pub(super) signals: Signals,
    /// The root of the project, for seats that may read it.
    pub(super) project: PathBuf,
}

impl Executor {
    /// Asks an agent, and waits for the end of that. `recovery` says why it is not the first time.
    pub(super) fn attempt(
        &self,
        request: &Request,
        agent: &Agent,
        recovery: &str,
        watch: &mut dyn Watch,
    ) -> Result<Attempt> {
        let attempt = self.record.reserve()?;
        self.record.prepare(attempt, &request.prompt)?;
        let token = token(attempt);
        let seat = request.check.map_or_else(|| request.seat.to_string(), |_| "fact-checker".to_owned());
        let command = command(agent, &request.name, &token)?;
        let adopting = Adopting::begin();
        let mut wrapper = Wrapper::start(wrapper_command(agent, &token)?)
            .map_err(|error| error.of("the program itself", "check that anvil can be run"))?;
        let started = StartedLine {
            attempt,
            at: Timestamp::now(),
            seat,
            slot: request.name.clone(),
            generation: request.generation.clone(),
            agent: agent.name.clone(),
            command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            process: ProcessMark::of_pid(wrapper.pid()),
            token: token.clone(),
            recovery: recovery.to_owned(),
        };
        if let Err(error) = self.record.note_started(started) {
            // It has no orders yet, and does nothing.
            wrapper.kill();
            return Err(error);
        }
        let place = match self.place(agent, request, &token) {
            Ok(place) => place,
            Err(error) => {
                wrapper.kill();
                let _ = self.close(attempt, &token, Some(&adopting));
                return Err(error);
            }
        };
        let limits = agent.limits;
        let orders = Orders {
            record: self.record.folder().to_owned(),
            key: self.record.key().digits(),
            attempt,
            command,
            folder: place,
            fresh: empty_folder(&token),
            output: agent.output,
            check: request.check,
            whole: limits.whole,
            first_byte: limits.first_byte,
            silence: limits.silence,
        };
        // One that is gone already has no end on record, which is seen below.
        let _ = wrapper.order(&serde_json::to_vec(&orders).unwrap_or_default());
        let group = wrapper.pid();
        self.wait(&mut || wrapper.is_over(), group, attempt, Some(limits.whole + ENDING), watch);
        if !wrapper.is_over() {
            wrapper.kill();
        }
        self.close(attempt, &token, Some(&adopting))
    }

    /// Where an agent runs: the project where it may read that, else an empty folder. That is made when the beginning of the
    /// attempt is on record, and has its name from there, so that none outlives a death. Its files lie there: every user of the
    /// machine sees the arguments that name them, and the record's folder is named for what is argued.
    fn place(&self, agent: &Agent, request: &Request, token: &str) -> Result<PathBuf> {
        let fresh = empty_folder(token);
        let made = self.disk.fresh_folder_at(&fresh);
        made.map_err(|error| Error::io(&error, "set TMPDIR to a folder that can be written to"))?;
        if agent.given == Given::File {
            self.write(&fresh.join("prompt.md"), &request.prompt)?;
        }
        if agent.command.iter().any(|argument| argument.contains("{system}")) {
            self.write(&fresh.join("system.md"), SYSTEM)?;
        }
        if request.check == Some(FactCheck::Files) {
            return copy::place(&self.disk, &fresh, &self.project);
        }
        Ok(if agent.in_project { self.project.clone() } else { fresh })
    }

    /// What an earlier executor has begun and not ended: it is waited for or ended, and its end is on record then.
    pub(super) fn settle(&self, open: &Attempt, orphan: Orphan, watch: &mut dyn Watch) -> Result<Attempt> {
        let StartedLine { attempt, process, token, .. } = &open.started;
        if process.is_alive() {
            if orphan == Orphan::Kill {
                process::ask_to_end(process.pid);
            }
            self.wait(&mut || !process.is_alive(), process.pid, *attempt, None, watch);
        }
        self.close(*attempt, token, None)
    }

    /// The reply of an attempt that was received: where there was no room to keep it by itself, it is in what the program printed.
    /// One that is gone stops a run, or a worker, once: who goes on after that wants it written anew.
    pub(super) fn reply(&self, attempt: &Attempt) -> Result<String> {
        let number = attempt.started.attempt;
        let printed = || -> Option<String> {
            let ended = attempt.ended.as_ref()?;
            let form: Output = serde_json::from_value(ended.stdout.clone()?.into()).ok()?;
            let (output, complaints) = self.record.printed(number)?;
            let printed = Printed { code: ended.code, output: &output, complaints: &complaints };
            let text = seats::answer(form, &printed).ok()?.text;
            (ended.reply.as_ref() == Some(&digest(text.as_bytes()))).then_some(text)
        };
        self.record.reply(attempt).or_else(printed).ok_or_else(|| {
            self.note_submitted(attempt);
            Error::failed(
                format!("the reply of attempt {number} was received, and is gone or changed"),
                "`anvil run --resume` asks for it again",
            )
        })
    }

    /// Notes that the reply of an attempt was handed to the debate: it is never handed over again. The debate has moved on by then;
    /// without this line a reply would come back after an undo, and no more.
    pub(super) fn note_submitted(&self, attempt: &Attempt) {
        let _ = self.record.note_submitted(SubmittedLine { attempt: attempt.started.attempt, at: Timestamp::now() });
    }

    /// Waits until a wrapper is gone. It is asked to end its agent where the user or the debate wants that, and after `longest`:
    /// then it was stopped itself, or it would have done so.
    fn wait(
        &self,
        is_gone: &mut dyn FnMut() -> bool,
        group: u32,
        attempt: u32,
        longest: Option<Duration>,
        watch: &mut dyn Watch,
    ) {
        let output = self.record.folder_of(attempt).join("stdout");
        let began = Instant::now();
        let (mut looked, mut asked) = (began, None);
        while !is_gone() {
            let now = Instant::now();
            if now.duration_since(looked) >= SECOND {
                looked = now;
                watch.arrived(&output, now.duration_since(began));
                if asked.is_none() && watch.is_over() {
                    process::ask_to_end(group);
                    asked = Some(now);
                }
            }
            let is_late = longest.is_some_and(|longest| now.duration_since(began) > longest);
            if asked.is_none() && (is_late || self.signals.received().is_some()) {
                process::ask_to_end(group);
                asked = Some(now);
            }
            if asked.is_some_and(|asked| now.duration_since(asked) > ENDING) {
                return;
            }
            std::thread::sleep(LOOKS);
        }
    }

    /// The end of an attempt whose wrapper is gone. Where that has noted none, nobody knows, and nothing of it may run on.
    fn close(&self, attempt: u32, token: &str, adopting: Option<&Adopting>) -> Result<Attempt> {
        let find = || -> Result<Option<Attempt>> {
            Ok(self.record.read()?.all.into_iter().rev().find(|known| known.started.attempt == attempt))
        };
        let gone = || Error::failed("the record of attempts is gone", "`anvil run --resume` begins a new one");
        let found = find()?.ok_or_else(gone)?;
        if found.ended.is_some() {
            return Ok(found);
        }
        let adopted = adopting.map_or(Ok(Left::default()), |adopting| self.end_adopted(adopting))?;
        let by_token = process::end_by_token(token);
        let still_running = adopted.running.max(by_token.running);
        let left_behind = adopted.ended.saturating_add(by_token.ended).saturating_add(still_running);
        self.disk.remove_fresh_folder(&empty_folder(token));
        let at = Timestamp::now();
        let took = at.duration_since(found.started.at);
        self.record.note_ended(EndedLine {
            attempt,
            at,
            code: None,
            signal: None,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(0),
            bytes: 0,
            words: 0,
            tokens: None,
            cost: None,
            error: Some(FailureKind::Lost),
            reply: None,
            stdout: None,
            message: "nobody saw how it ended".to_owned(),
            retry_after: None,
            left_behind,
            still_running,
        })?;
        find()?.ok_or_else(gone)
    }

    /// Ends what the wrapper of this process's own attempt has left. The wrapper of a helper that was killed may have come here
    /// too: its attempt goes on.
    fn end_adopted(&self, adopting: &Adopting) -> Result<Left> {
        let open = self.record.read()?.all.into_iter().filter(|attempt| attempt.ended.is_none());
        let alive = open.map(|attempt| attempt.started.process).filter(ProcessMark::is_alive);
        Ok(adopting.end_orphans(&alive.map(|wrapper| wrapper.pid).collect()))
    }

    fn write(&self, path: &Path, text: &str) -> Result<()> {
        let written = self.disk.replace(path, text.as_bytes(), NewFile::Private, Flush::Later);
        written.map_err(|error| Error::io(&error, "make room on the disk, then `anvil run --resume`"))
    }
}

/// The empty folder of an attempt, outside of every project: nothing that lies in one, or above it, is an agent's business.
fn empty_folder(token: &str) -> PathBuf {
    private_folder().join(format!("anvil-seat-{}", token.replace(|char: char| !char.is_ascii_alphanumeric(), "-")))
}

/// The user's own folder for what is gone with their login, where there is one; else that for temporary files.
fn private_folder() -> PathBuf {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    own.filter(|folder| is_private(folder)).unwrap_or_else(std::env::temp_dir)
}

#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_own = |meta: std::fs::Metadata| {
        meta.uid() == rustix::process::geteuid().as_raw() && meta.mode().trailing_zeros() >= 6
    };
    std::fs::metadata(folder).is_ok_and(is_own)
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    false
}

/// The agent's program and arguments.
fn command(agent: &Agent, slot: &str, token: &str) -> Result<Vec<OsString>> {
    if let Some(file) = &agent.script {
        return Ok(vec![own_program()?.into(), script::VERB.into(), file.into(), slot.into()]);
    }
    let system = empty_folder(token).join("system.md");
    let with_system = |argument: &String| {
        let mut parts = argument.split("{system}");
        let mut whole = OsString::from(parts.next().unwrap_or_default());
        for part in parts {
            whole.push(&system);
            whole.push(part);
        }
        whole
    };
    Ok(agent.command.iter().map(with_system).collect())
}

/// This program, as a file that can be run.
pub(super) fn own_program() -> Result<PathBuf> {
    let program = std::env::current_exe().map_err(|error| Error::io(&error, "install anvil anew"))?;
    // One that was replaced while it ran has another name in /proc.
    let name = program.file_name().and_then(|name| name.to_str()?.strip_suffix(" (deleted)"));
    Ok(name.map_or_else(|| program.clone(), |name| program.with_file_name(name)))
}

/// This program as the wrapper of an agent, in the environment that the agent is to have.
fn wrapper_command(agent: &Agent, token: &str) -> Result<std::process::Command> {
    let failed = |error: process::ProcessError| error.of("anvil", "check that it can be run");
    let mut command = process::command(own_program()?).map_err(failed)?;
    command.arg(wrapper::VERB);
    for name in environment::dropped() {
        command.env_remove::<OsString>(name);
    }
    command.envs(agent.variables.iter().map(|(name, value)| (name, value)));
    command.env(process::CHILD, token);
    Ok(command)
}

/// What nothing else on this machine has in its environment.
fn token(attempt: u32) -> String {
    let now = Timestamp::now().as_nanosecond();
    format!("{}-{attempt}-{now:x}", std::process::id())
}
