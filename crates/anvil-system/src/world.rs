//! The world outside, for the whole program: the time, the folders, the user's environment.
//!
//! Gathered once, at the door; the code below never reads the environment or the clock by itself.

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use crate::disk::Disk;
use anvil_text::Hint;
use anvil_text::error::{Error, Failure, Kind, Result};

/// The limit of `ANVIL_SNAPSHOTS`. A listing reads them all.
const MAX_SNAPSHOTS: usize = 1_000;

/// The clock; tests fix its time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    fixed: Option<Timestamp>,
}

impl Clock {
    /// Reads `ANVIL_NOW`; fails only if that is not a timestamp.
    fn parse(fixed: Option<&str>) -> Result<Self> {
        let Some(text) = fixed else { return Ok(Self::default()) };
        let fixed = text.parse().map_err(|_| SettingError::Now(text.to_owned()))?;
        Ok(Self { fixed: Some(fixed) })
    }

    /// The time at this moment, to the millisecond: the precision of all times on record.
    pub fn now(self) -> Timestamp {
        self.fixed.unwrap_or_else(|| {
            let now = Timestamp::now();
            Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
        })
    }
}

/// What shows a session of the client (`CLAUDE_CODE_ENTRYPOINT`: 2.1.200 and 2.1.332).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// A terminal, also where the client does not say.
    #[default]
    Terminal,
    /// `claude -p`, which ends after an answer if its input has ended.
    Print,
    /// A program that embeds the client.
    Sdk,
    /// An editor or another app.
    App,
}

impl Surface {
    fn from_entrypoint(entrypoint: Option<&str>) -> Self {
        match entrypoint.unwrap_or_default() {
            "" | "cli" => Self::Terminal,
            "sdk-cli" => Self::Print,
            name if name.starts_with("sdk") => Self::Sdk,
            _ => Self::App,
        }
    }

    /// True if the client may end with its answer.
    pub fn may_end(self) -> bool {
        matches!(self, Self::Print | Self::Sdk)
    }
}

/// The world as one run of the program sees it.
#[derive(Clone, Debug)]
pub struct World {
    /// The time of this event, to the millisecond.
    pub now: Timestamp,
    /// The clock for any later moment.
    pub clock: Clock,
    pub cwd: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The user's name, from `USER`, `LOGNAME` or `USERNAME`.
    pub user: Option<String>,
    /// Claude Code's configuration folder: `CLAUDE_CONFIG_DIR`, or `.claude` in the home folder.
    pub config_folder: Option<PathBuf>,
    /// The folder in which the client was started (`CLAUDE_PROJECT_DIR`).
    pub project_folder: Option<PathBuf>,
    /// The folder of `--dir`, checked and absolute. Only the door of the command line sets it.
    pub debate_folder: Option<PathBuf>,
    /// The program that runs this one, as it names itself (`AI_AGENT`).
    pub agent: Option<String>,
    /// The client's process id (`CLAUDE_PID`, seen on 2.1.329).
    pub client_pid: Option<u32>,
    /// The session of the client in which this program seems to run (`CLAUDE_CODE_SESSION_ID`).
    pub client_session: Option<String>,
    /// A client seems to have started this program, or its shell (`CLAUDECODE`).
    pub is_below_client: bool,
    /// What shows the client's session.
    pub surface: Surface,
    /// A person types in the client's terminal (`CLAUDE_CODE_SESSION_ATTENDED`): not a program,
    /// and not `claude --bg`.
    pub is_attended: bool,
    /// Continuations in a row that the client allows, from `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`.
    pub continuation_cap: Option<u32>,
    /// Columns of the terminal, from `COLUMNS`: 20 to 1,000. 2.1.330 sets it for its hooks.
    pub columns: Option<usize>,
    /// Snapshots that a debate keeps, also after its end, 1 to 1,000: `ANVIL_SNAPSHOTS`. `None`:
    /// 32, and the last one after its end.
    pub snapshots_kept: Option<usize>,
    /// An invalid setting of the user's: refused by commands that start something, and not at every
    /// event.
    pub invalid_setting: Option<Error>,
    pub disk: Disk,
    /// Answers in place of `gh` and of agents. Only tests set it.
    pub programs: Option<Arc<dyn Programs>>,
}

/// The programs that a debate is argued and published with, as a value.
pub trait Programs: Debug + Send + Sync {
    /// What `gh api` prints for a request. `Err`: what it says if it fails.
    fn forge(&self, method: &str, path: &str, input: Option<&str>) -> Result<String, String>;

    /// An agent's exit code, and what it prints for a prompt.
    fn agent(&self, command: &[OsString], prompt: &str) -> (i32, String);
}

impl World {
    /// Reads the world from the environment (`var`) and the clock.
    ///
    /// `ANVIL_NOW` fixes the time, for tests. Fails only if that is not a timestamp.
    pub fn gather(var: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let folder = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let text = |name: &str| var(name).and_then(|value| value.into_string().ok());
        // The folder may have been removed while the program runs in it; an event names its own.
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let clock = Clock::parse(text("ANVIL_NOW").as_deref())?;
        let count = text("ANVIL_SNAPSHOTS").filter(|count| !count.is_empty());
        let (snapshots_kept, mut invalid_setting) = match count.as_deref().map(snapshots_kept) {
            None => (None, None),
            Some(Ok(kept)) => (Some(kept), None),
            Some(Err(error)) => (None, Some(error)),
        };
        // The meaning of a relative path changes with every folder: such a path is not read and not
        // written.
        let mut absolute = |name: &'static str| {
            let relative = folder(name).filter(|path| !path.has_root());
            if let Some(path) = &relative {
                invalid_setting = Some(SettingError::Relative(name, path.clone()).into());
            }
            folder(name).filter(|_| relative.is_none())
        };
        let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
        let config_folder = match folder("CLAUDE_CONFIG_DIR") {
            Some(_) => absolute("CLAUDE_CONFIG_DIR"),
            None => home.as_ref().map(|home| home.join(".claude")),
        };
        Ok(Self {
            now: clock.now(),
            clock,
            cwd,
            config_folder,
            home,
            project_folder: folder("CLAUDE_PROJECT_DIR"),
            debate_folder: None,
            agent: text("AI_AGENT"),
            client_pid: text("CLAUDE_PID").and_then(|pid| pid.parse().ok()),
            client_session: text("CLAUDE_CODE_SESSION_ID").filter(|id| !id.is_empty()),
            is_below_client: ["CLAUDECODE", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID"]
                .into_iter()
                .any(|name| folder(name).is_some()),
            surface: Surface::from_entrypoint(text("CLAUDE_CODE_ENTRYPOINT").as_deref()),
            is_attended: text("CLAUDE_CODE_ENTRYPOINT").as_deref() == Some("cli")
                && text("CLAUDE_CODE_SESSION_ATTENDED").as_deref() == Some("1"),
            user: ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(text),
            continuation_cap: text("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
                .and_then(|cap| cap.parse().ok())
                .filter(|cap| *cap > 0),
            columns: text("COLUMNS")
                .and_then(|columns| columns.parse().ok())
                .filter(|columns| (20..=1_000).contains(columns)),
            snapshots_kept,
            invalid_setting,
            disk: Disk::default(),
            programs: None,
        })
    }

    /// The world for a command that runs in its own folder: if the folder is gone, this is refused
    /// like an invalid setting.
    pub fn in_its_folder(mut self) -> Self {
        if !self.cwd.is_absolute() && self.invalid_setting.is_none() {
            self.invalid_setting = Some(SettingError::FolderGone.into());
        }
        self
    }

    /// The world with the present time.
    pub fn at_this_moment(&self) -> Self {
        Self { now: self.clock.now(), ..self.clone() }
    }
}

/// The value of `ANVIL_SNAPSHOTS`.
fn snapshots_kept(count: &str) -> Result<usize> {
    match count.parse() {
        Ok(kept) if (1..=MAX_SNAPSHOTS).contains(&kept) => Ok(kept),
        _ => Err(SettingError::Snapshots(count.to_owned()).into()),
    }
}

/// An invalid setting in the environment.
#[derive(Debug, thiserror::Error)]
enum SettingError {
    #[error("ANVIL_NOW is not a time: {0}")]
    Now(String),
    #[error("ANVIL_SNAPSHOTS must be a whole number from 1 to {MAX_SNAPSHOTS}, not {0}")]
    Snapshots(String),
    #[error("{} is not an absolute path: {}", .0, .1.display())]
    Relative(&'static str, PathBuf),
    #[error("the folder that this runs in is gone, or can't be reached")]
    FolderGone,
}

impl Failure for SettingError {
    fn kind(&self) -> Kind {
        match self {
            Self::Now(_) | Self::Snapshots(_) | Self::Relative(..) => Kind::Usage,
            Self::FolderGone => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Now(_) => "unset it, or write 2026-11-21T01:55:41Z".into(),
            Self::Snapshots(_) => "unset it, or say how many snapshots a debate keeps".into(),
            Self::Relative(name, _) => {
                format!("set {name} to the whole path of the folder, or unset it").into()
            }
            Self::FolderGone => "change to one that is there: cd FOLDER".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_records_are_found_by_the_clients_variables_alone() {
        let found = |names: &[(&str, &str)]| {
            let world = World::gather(|name| {
                let known = names.iter().find(|(known, _)| *known == name);
                let ours = || name.starts_with("ANVIL_") && name != "ANVIL_NOW";
                known.map(|(_, value)| (*value).into()).or_else(|| ours().then(|| "/evil".into()))
            });
            world.unwrap().config_folder
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HOME", "/h")]), Some("/h/.claude".into()));
        let both = [("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c"), ("CLAUDE_PROJECT_DIR", "/p")];
        assert_eq!(found(&both), Some("/c".into()));
        assert_eq!(found(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "c")]), None);
    }

    #[test]
    fn a_cap_that_is_not_a_positive_number_is_ignored() {
        for (value, cap) in [("30", Some(30)), ("0", None), ("many", None), ("", None)] {
            let world = World::gather(|name| {
                (name == "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").then(|| value.into())
            })
            .unwrap();
            assert_eq!(world.continuation_cap, cap);
        }
    }
}
