//! `anvil demo`: a whole debate with scripted replies, argued as by `anvil run`.
//!
//! The project is a temporary folder, which goes unless the user keeps it; nothing else on the
//! machine changes.

use super::error::SetupError;
use anvil_core::options::{AgentName, DebateOptions, Motion, Rounds, SeatOptions};
use anvil_messages::Door;
use anvil_run::{Caller, RunOptions};
use anvil_system::disk::{Flush, NewFile};
use anvil_system::world::World;
use anvil_text::error::Result;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const QUESTION: &str = "Should our team of eight split its Rails monolith into microservices?";

/// The action that the debaters argue about.
const MOTION: &str = "split the Rails monolith into microservices";

/// The slots and the debaters' replies, in order.
const SCRIPT: [(&str, &str); 5] = [
    ("advocate, round 1", include_str!("demo/1-advocate.md")),
    ("critic, round 1", include_str!("demo/1-critic.md")),
    ("advocate, round 2", include_str!("demo/2-advocate.md")),
    ("critic, round 2", include_str!("demo/2-critic.md")),
    ("synthesis", include_str!("demo/synthesis.md")),
];

/// Pause after each reply on a terminal: five seconds in all. Any key ends the pauses.
const BEAT: Duration = Duration::from_secs(1);

pub(super) fn run(
    world: &World,
    question: Option<&str>,
    keep: bool,
    door: &Door,
) -> Result<ExitCode> {
    let disk = &world.disk;
    let folder = disk
        .fresh_folder(&std::env::temp_dir(), "anvil-demo-")
        .map_err(SetupError::NoDemoFolder)?;
    let project = folder.join("project");
    disk.create_folder(&project).map_err(SetupError::NoDemoFolder)?;
    let script = folder.join("replies.md");
    let replies = SCRIPT.map(|(slot, reply)| format!("# {slot}\n\n{}\n\n", reply.trim())).concat();
    disk.replace(&script, replies.as_bytes(), NewFile::Private, Flush::Later)
        .map_err(SetupError::NoDemoFolder)?;
    super::print(anvil_messages::DEMO)?;
    let typed = anvil_command::question(question.unwrap_or(QUESTION))?;
    if question.is_some() {
        super::print(anvil_messages::DEMO_HAS_ONE_SCRIPT)?;
    }
    super::print(&anvil_messages::demo_prompt(&typed, MOTION, &script, door))?;
    let run_options = RunOptions {
        seats: SeatOptions {
            agent: Some(AgentName(format!("script:{}", script.display())).into()),
            ..SeatOptions::default()
        },
        ..RunOptions::default()
    };
    let beat = if std::io::stdout().is_terminal() { BEAT } else { Duration::ZERO };
    let caller = Caller { beat, is_passing: true, ..Caller::default() };
    let mut options = DebateOptions::default();
    options.wishes.rounds = Some(Rounds(2).into());
    options.question.motion = Some(Motion(MOTION.to_owned()).into());
    let ended = anvil_run::start(
        &stage(world, &folder, &project),
        &typed,
        &options,
        run_options,
        caller,
        door,
    );
    if !keep {
        disk.remove_fresh_folder(&folder);
    }
    super::print(&if keep {
        anvil_messages::demo_end(&project, door)
    } else {
        anvil_messages::demo_gone(door)
    })?;
    ended
}

/// A world without the user's files and settings.
fn stage(world: &World, folder: &Path, project: &Path) -> World {
    World {
        cwd: project.to_owned(),
        home: None,
        config_folder: Some(folder.join(".claude")),
        project_folder: None,
        client_pid: None,
        client_session: None,
        is_below_client: false,
        invalid_setting: None,
        ..world.clone()
    }
}
