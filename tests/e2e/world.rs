//! Every test has its own world: a fake HOME, a project, an installed plugin and a mock API.
//!
//! Invariant: no folder's name mentions Anvil, so that a search for the name in the requests finds
//! only the plugin's own text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::client::{Client, NEWEST};
use crate::mock::{Answer, Mock};
use crate::model::{Manner, Reply, STATE_FILE, Seat, Turn, assert_sections_are, replies};
use crate::process::{Finished, Running};
use crate::statefile::StateFile;

/// The folders, the server and the plugin.
pub(crate) struct World {
    /// The API that the clients of this world talk to.
    pub(crate) mock: Mock,
    root: TempDir,
}

impl World {
    /// A world whose model debates in this manner.
    pub(crate) fn new(manner: Manner) -> Self {
        Self::with_model(manner, |_| None)
    }

    /// A world whose model answers as `twist` says, or in this manner if `twist` returns nothing.
    pub(crate) fn with_model(
        manner: Manner,
        twist: impl Fn(&Turn) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let root = Self::folders();
        let state =
            state_path(&root.path().join("project")).to_str().expect("a UTF-8 path").to_owned();
        Self::at(
            root,
            Mock::start(move |request| {
                let turn = Turn::of(request);
                twist(&turn).unwrap_or_else(|| manner.answer(&turn, &state))
            }),
        )
    }

    /// A world with this API for all requests.
    pub(crate) fn with_mock(mock: Mock) -> Self {
        Self::at(Self::folders(), mock)
    }

    fn folders() -> TempDir {
        let root = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        for name in ["home", "project"] {
            fs::create_dir(root.path().join(name)).expect("a fresh folder");
        }
        root
    }

    fn at(root: TempDir, mock: Mock) -> Self {
        let world = Self { mock, root };
        world.anvil(&["install", "--to", world.plugin().to_str().expect("a UTF-8 path")]);
        world
    }

    /// The fake HOME.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The folder that the clients work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// The installed plugin.
    pub(crate) fn plugin(&self) -> PathBuf {
        self.root.path().join("plugin")
    }

    /// Runs the binary in a shell of this world and checks that it succeeds.
    pub(crate) fn anvil(&self, args: &[&str]) -> Finished {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
        command.args(args).env_clear().env("HOME", self.home()).current_dir(self.project());
        Running::start(command).wait().ok()
    }

    /// The newest client, with the plugin.
    pub(crate) fn client(&self) -> Client {
        self.client_of(NEWEST)
    }

    /// A client of this version, with the plugin.
    pub(crate) fn client_of(&self, version: &str) -> Client {
        self.bare_client(version).plugin(&self.plugin())
    }

    /// A client of this version that does not know the plugin's folder.
    pub(crate) fn bare_client(&self, version: &str) -> Client {
        Client::new(version, &self.home(), &self.project(), &self.mock)
    }

    /// The path of the project's state file.
    pub(crate) fn state_path(&self) -> PathBuf {
        state_path(&self.project())
    }

    /// The state file as it is now.
    pub(crate) fn state(&self) -> StateFile {
        let path = self.state_path();
        StateFile(
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    }

    /// The whole replies of the model so far.
    pub(crate) fn replies(&self) -> Vec<Reply> {
        replies(&self.mock.main())
    }

    /// The path of the report unless `--output` names another.
    pub(crate) fn report_path(&self) -> PathBuf {
        self.records().join("debates").join(self.state().field("id")).join("report.md")
    }

    /// What the user's folder knows of debates.
    pub(crate) fn records(&self) -> PathBuf {
        self.home().join(".claude/anvil.local")
    }

    /// The texts that were put aside of all debates.
    pub(crate) fn aside(&self) -> BTreeMap<PathBuf, String> {
        let mut files = Self::files_below(&self.records().join("debates"));
        files.retain(|path, _| path.components().any(|part| part.as_os_str() == "aside"));
        files
    }

    /// Fails unless the debate is over, holds every reply in its place, and has a report.
    pub(crate) fn assert_completed(&self, rounds: u32) {
        self.assert_completed_with(rounds, &self.replies());
    }

    /// Checks the same for the replies that the test names.
    pub(crate) fn assert_completed_with(&self, rounds: u32, replies: &[Reply]) {
        self.assert_completed_by(&Seat::all(rounds), replies);
    }

    /// Checks the same for other seats or another order.
    pub(crate) fn assert_completed_by(&self, seats: &[Seat], replies: &[Reply]) {
        let state = self.state();
        assert_eq!(state.field("status"), "completed", "{}", state.0);
        assert_eq!(state.field("active"), "false", "{}", state.0);
        assert_sections_are(&state.sections(), replies);
        assert_eq!(replies.iter().map(|reply| reply.seat).collect::<Vec<_>>(), seats, "who spoke");
        if state.field("output").is_empty() {
            let report = self.report();
            let synthesis = &replies.last().expect("at least one reply").parts[0];
            let first_line = synthesis.lines().next().unwrap_or_default();
            // The verdict has its own labels.
            let words = first_line.trim_start_matches("Recommendation: ");
            assert!(report.contains(words), "the report lacks the synthesis:\n{report}");
        }
    }

    /// The report at its default path.
    pub(crate) fn report(&self) -> String {
        fs::read_to_string(self.report_path()).expect("a finished debate has its report")
    }

    /// A folder next to the project that nothing may touch; the test that watches it creates it.
    pub(crate) fn outside(&self) -> PathBuf {
        self.root.path().join("outside")
    }

    /// Every file of the project with its text.
    pub(crate) fn project_files(&self) -> BTreeMap<PathBuf, String> {
        Self::files_below(&self.project())
    }

    /// Every file below a folder with its text. Links are not followed.
    pub(crate) fn files_below(folder: &Path) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        collect_files(folder, &mut files);
        files
    }
}

fn state_path(project: &Path) -> PathBuf {
    project.join(".claude").join(STATE_FILE)
}

fn collect_files(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_symlink() {
            files.insert(path, "a link".to_owned());
        } else if path.is_dir() {
            collect_files(&path, files);
        } else {
            let bytes = fs::read(&path).expect("a readable file");
            files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
