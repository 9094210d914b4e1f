//! A project with every file that a debate leaves behind, the actions in it, and the properties
//! that always hold afterwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anvil_core::transcript;
use anvil_store::StateFile;
use serde_json::{Value, json};

use super::mutate::FORGED;
use testkit::host::{Answer, Host};
use testkit::screen::steering;

/// The text of the debate so far; none of it is ever lost.
const SAID: [&str; 3] = [
    "**A1. It pays.** Less work for the same money [evidence: costs.md].",
    "**C1. It costs a month.** Nobody has that month [assumption].",
    "**A2. A month is found.** The audit moved to May [assumption].",
];

/// Which debate is in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scene {
    /// Session `one` argues in its conversation: the critic of the second round is next.
    Conversation,
    /// `anvil run` stopped because the critic's program failed; a worker that held the synthesis
    /// was killed.
    Run,
}

/// An action after the hostile object is in place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// The client sends a prompt.
    Prompt(&'static str),
    /// The client sends another event.
    Event(&'static str),
    /// The user types this in a shell.
    Shell(&'static [&'static str]),
}

/// Every action. A test checks that the shell's actions cover the program's verbs.
pub(super) const DEEDS: &[Deed] = &[
    Deed::Prompt("my own words"),
    Deed::Prompt("/anvil:status"),
    Deed::Prompt("/anvil:resume"),
    Deed::Prompt("/anvil:steer look at the costs"),
    Deed::Prompt("/anvil:steer --rounds 3"),
    Deed::Prompt("/anvil:steer --synthesize"),
    Deed::Prompt("/anvil:report --open"),
    Deed::Prompt("/anvil:undo --list"),
    Deed::Prompt("/anvil:undo"),
    Deed::Prompt("/anvil:undo --redo"),
    Deed::Prompt("/anvil:again"),
    Deed::Prompt("/anvil:cancel"),
    Deed::Prompt("/anvil:debate Another? --replace"),
    Deed::Prompt(
        "/anvil:debate Another? --mode own --persona own --framework own --context costs.md --replace",
    ),
    Deed::Prompt("/anvil:history"),
    Deed::Prompt("/anvil:claims"),
    Deed::Prompt("/anvil:debate --help"),
    Deed::Prompt("/anvil:history 2 --outcome right"),
    Deed::Event("Stop"),
    Deed::Event("SessionStart"),
    Deed::Event("SessionEnd"),
    Deed::Event("PreToolUse"),
    Deed::Shell(&["status"]),
    Deed::Shell(&["status", "--json"]),
    Deed::Shell(&["start", "Another?"]),
    Deed::Shell(&["run", "--resume", "--take-over"]),
    Deed::Shell(&["claim", "critic"]),
    Deed::Shell(&["claim", "voice", "--as", "codex", "--json"]),
    Deed::Shell(&["submit", "critic-1.1.00000000000000000000000000000000"]),
    Deed::Shell(&["tasks"]),
    Deed::Shell(&["attempts"]),
    Deed::Shell(&["attempts", "--show", "1"]),
    Deed::Shell(&["report"]),
    Deed::Shell(&["report", "--format", "html"]),
    Deed::Shell(&["report", "2", "--format", "json"]),
    Deed::Shell(&["report", "2", "--full"]),
    Deed::Shell(&["report", "2", "--open"]),
    Deed::Shell(&["claims", "--json"]),
    Deed::Shell(&["history", "--json"]),
    Deed::Shell(&["recheck"]),
    Deed::Shell(&["recheck", "1", "docs/adr/0001.md", "--json"]),
    Deed::Shell(&["history", "--due"]),
    Deed::Shell(&["history", "pays"]),
    Deed::Shell(&["history", "2", "--outcome", "wrong"]),
    Deed::Shell(&["undo", "--list"]),
    Deed::Shell(&["undo", "--to", "1", "--take-over"]),
    Deed::Shell(&["steer", "look at the costs"]),
    Deed::Shell(&["steer", "--synthesize"]),
    Deed::Shell(&["steer", "--rounds", "3"]),
    Deed::Shell(&["again"]),
    Deed::Shell(&["undo", "--take-over"]),
    Deed::Shell(&["undo", "--redo"]),
    Deed::Shell(&["cancel", "--take-over"]),
    Deed::Shell(&["prune", "--keep", "9", "--yes"]),
    Deed::Shell(&["list"]),
    Deed::Shell(&["config"]),
    Deed::Shell(&["doctor"]),
    Deed::Shell(&["statusline"]),
    Deed::Shell(&["body", "embed"]),
    Deed::Shell(&["step", "Another?", "--agent", "script:no-such-file"]),
    Deed::Shell(&["publish", "7"]),
    Deed::Shell(&["pull", "7"]),
    Deed::Shell(&["install"]),
    Deed::Shell(&["uninstall"]),
];

/// Verbs that read nothing hostile, and the verb that every event calls.
const UNTRIED: [&str; 5] = ["agents", "completions", "demo", "help", "hook"];

/// A project, a home, and a copy of both from before the attack.
pub(super) struct Stage {
    pub(super) host: Host,
    scene: Scene,
    /// Each place that can be attacked, relative to the folder that holds project and home.
    pub(super) places: Vec<PathBuf>,
}

impl Stage {
    pub(super) fn new(scene: Scene) -> Self {
        let host = Host::new()
            .with("PATH", "/usr/local/bin:/usr/bin:/bin")
            .with("ANVIL_RETRY_DELAYS", "0,0,0");
        let mut stage = Self { host, scene, places: Vec::new() };
        stage.write_texts();
        stage.argue_first_debate();
        match scene {
            Scene::Conversation => stage.begin_conversation(),
            Scene::Run => stage.begin_run(),
        }
        stage.places = stage.find_places().into_iter().collect();
        fs_err::create_dir(stage.beside("outside")).unwrap();
        fs_err::write(stage.beside("outside/precious"), "precious").unwrap();
        assert!(copy(&stage.base(), &saved(&stage.base())), "the project can't be copied");
        stage
    }

    fn base(&self) -> PathBuf {
        self.host.outside("")
    }

    /// A path next to project and home.
    pub(super) fn beside(&self, name: impl AsRef<Path>) -> PathBuf {
        self.base().join(name)
    }

    fn agent(&self, seat: &str) -> String {
        format!("cmd:/bin/sh {}", self.beside(format!("{seat}.sh")).display())
    }

    /// Files of the user and of the project.
    fn write_texts(&self) {
        for folder in ["project/.claude", "home/.claude"] {
            for (kind, text) in [
                ("modes", "An own mode.\n\n## Advocate\n\nFor.\n\n## Critic\n\nAgainst.\n"),
                ("personas", "An own person.\n\nSpeaks plainly.\n"),
                ("frameworks", "An own framework.\n\nList the risks.\n"),
            ] {
                let file = self.beside(folder).join("anvil").join(kind).join("own.md");
                fs_err::create_dir_all(file.parent().unwrap()).unwrap();
                fs_err::write(file, text).unwrap();
            }
            fs_err::write(
                self.beside(folder).join("anvil.local.md"),
                "---\nearly-end: false\n---\nBe brief.\n",
            )
            .unwrap();
        }
        fs_err::write(self.host.path("costs.md"), "It costs less.\n").unwrap();
        fs_err::write(self.beside("session.jsonl"), "{\"type\":\"summary\"}\n").unwrap();
        let git = Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(self.host.root())
            .env_clear()
            .status();
        assert!(git.unwrap().success());
        for (seat, script) in [
            (
                "advocate",
                format!(
                    "cat >/dev/null; echo x >>{}; echo '{}'\n",
                    self.beside("paid").display(),
                    SAID[0]
                ),
            ),
            (
                "critic",
                format!("cat >/dev/null; echo x >>{}; exit 77\n", self.beside("paid").display()),
            ),
            ("synthesizer", "cat >/dev/null; sleep 60\n".to_owned()),
        ] {
            fs_err::write(self.beside(format!("{seat}.sh")), script).unwrap();
        }
    }

    fn argue_first_debate(&self) {
        let host = &self.host;
        host.prompt("one", "/anvil:debate First? --rounds 1 --review 2026-12-24");
        host.stop("one", SAID[0]);
        host.stop("one", SAID[1]);
        let end = host.stop("one", "recommendation: Wait.\nconfidence: 70");
        assert!(end.message().contains("Page: "), "{end:?}");
        let noted = host.run(&["history", "1", "--outcome", "mixed"]);
        assert_eq!(noted.code, 0, "{noted:?}");
    }

    fn begin_conversation(&self) {
        self.host.prompt("one", "/anvil:debate Second? --rounds 2");
        for said in SAID {
            let answer = self.host.stop("one", said);
            assert!(!answer.context().is_empty(), "{answer:?}");
        }
        assert_eq!(self.host.head("phase"), "critic");
    }

    fn begin_run(&self) {
        let (advocate, critic, synthesizer) =
            (self.agent("advocate"), self.agent("critic"), self.agent("synthesizer"));
        let seats = ["--advocate", &advocate, "--critic", &critic, "--synthesizer", &synthesizer];
        let ran = self.host.run(&[&["run", "Second?", "--rounds", "1"][..], &seats].concat());
        assert_eq!(ran.code, 5, "{ran:?}");
        self.host.run(&["claim", "critic"]);
    }

    /// Each existing file and folder, and in each folder a missing one.
    fn find_places(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut folders =
            vec![self.host.path(".claude"), self.beside("home/.claude"), self.host.path(".git")];
        for more in ["project/costs.md", "session.jsonl", "project/.gitignore", "project/.git"] {
            found.insert(PathBuf::from(more));
        }
        while let Some(folder) = folders.pop() {
            let is_of_git = folder.ends_with(".git");
            found.insert(self.relative(&folder));
            if !is_of_git {
                found.extend(
                    ["stranger", "4294967295"].map(|name| self.relative(&folder.join(name))),
                );
            }
            for path in fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                found.insert(self.relative(&path));
                if path.is_dir() && !is_of_git {
                    folders.push(path);
                }
            }
        }
        found
    }

    fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.base()).unwrap().to_owned()
    }

    /// Restores everything. The project stays the same folder: its records belong to it.
    pub(super) fn restore(&self) {
        let (base, project) = (self.base(), self.host.root());
        let entries = |folder: &Path| {
            fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        for path in entries(&base).into_iter().chain(entries(project)) {
            if path == project {
                continue;
            }
            let removed = if path.is_dir() && !path.is_symlink() {
                fs_err::remove_dir_all(&path)
            } else {
                fs_err::remove_file(&path)
            };
            removed.unwrap();
        }
        assert!(copy(&saved(&base), &base), "the project can't be copied back");
    }

    /// Runs it, and checks what always holds. `is_record` is true if the object is the debate
    /// itself, which its user may edit.
    pub(super) fn survives(&self, deed: Deed, is_record: bool, context: &str) {
        let before = self.lines();
        let outside = snapshot(&self.beside("outside"));
        let shown = match deed {
            Deed::Prompt(prompt) => self.checked(&self.host.prompt("one", prompt), context),
            Deed::Event(name) => {
                let fields = json!({
                    "source": "startup", "reason": "other", "stop_hook_active": true, "transcript_path": self.beside("session.jsonl"),
                    "last_assistant_message": "**C2. The audit did not move.** Its date is fixed [assumption].\n**Attacks A2:** no.",
                    "tool_name": "Read", "tool_input": { "file_path": self.host.state_path() },
                });
                self.checked(&self.host.event("one", name, &fields), context)
            }
            Deed::Shell(words) => {
                let printed = self.host.run(words);
                let context = format!("{context}: {printed:?}");
                assert!((0..=6).contains(&printed.code), "{context}");
                let is_explained = !printed.stdout.is_empty() || !printed.stderr.is_empty();
                assert!(printed.code == 0 || is_explained, "an error without a word: {context}");
                printed.stdout + &printed.stderr
            }
        };
        assert!(!shown.contains("panicked"), "{context}: {shown}");
        let steers: Vec<char> = steering(&shown).into_iter().filter(|char| *char != '\t').collect();
        assert!(steers.is_empty(), "{context}: it steers the screen by {steers:?}");
        assert_eq!(
            snapshot(&self.beside("outside")),
            outside,
            "{context}: something outside has changed"
        );
        let after = self.lines();
        let lost: Vec<&String> = before.difference(&after).collect();
        assert!(lost.is_empty(), "{context}: {lost:?} is lost");
        if !is_record {
            let state = std::fs::read_to_string(self.host.state_path()).unwrap_or_default();
            let entries = StateFile::parse(&state)
                .map(|state| transcript::parse(&state.body).0)
                .unwrap_or_default();
            let is_forged = entries.iter().any(|entry| entry.text.contains(FORGED));
            assert!(!is_forged, "{context}: a stranger's words were filed");
        }
        let paid = std::fs::read_to_string(self.beside("paid")).unwrap_or_default().lines().count();
        assert!(paid <= 12, "{context}: programs were asked {paid} times");
    }

    fn checked(&self, answer: &Answer, context: &str) -> String {
        assert!(
            self.scene == Scene::Run || !answer.message().contains(FORGED),
            "{context}: {answer:?}"
        );
        let Answer(answer) = answer;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        ["systemMessage", "stopReason", "reason"].map(|name| text(&answer[name])).concat()
    }

    /// The sentences of the debates in all files.
    fn lines(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (_, bytes) in
            [snapshot(&self.host.path(".claude")), snapshot(&self.host.records())].concat()
        {
            let text = String::from_utf8_lossy(&bytes);
            found.extend(
                SAID.iter().filter(|said| text.contains(**said)).map(|said| (*said).to_owned()),
            );
        }
        found
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(saved(&self.base()));
    }
}

fn saved(base: &Path) -> PathBuf {
    PathBuf::from(format!("{}.saved", base.display().to_string().trim_end_matches('/')))
}

/// Copies the content of a folder, with links, kinds and hard links unchanged.
fn copy(from: &Path, to: &Path) -> bool {
    let to = to.display().to_string();
    let to = to.trim_end_matches('/');
    let made = Command::new("mkdir").args(["-p", to]).status().is_ok_and(|status| status.success());
    made && Command::new("cp")
        .arg("-a")
        .arg(from.join("."))
        .arg(to)
        .status()
        .is_ok_and(|status| status.success())
}

/// The plain files below a folder, without following links, with their content.
pub(super) fn snapshot(below: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut folders, mut found) = (vec![below.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push((entry.path(), std::fs::read(entry.path()).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_verb_of_the_program_is_attacked() {
    let host = Host::new();
    let tried: BTreeSet<&str> = DEEDS
        .iter()
        .filter_map(|deed| if let Deed::Shell(words) = deed { Some(words[0]) } else { None })
        .collect();
    for verb in crate::shells::verbs(&host) {
        assert!(
            tried.contains(&*verb) || UNTRIED.contains(&&*verb),
            "{verb} is not attacked: add it to DEEDS"
        );
    }
}
