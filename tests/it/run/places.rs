//! The records of a debate belong to the folder in which it was argued. Whoever else brings its
//! file, its id or a folder of records gets no agents, limits, approved paths, replies or owner.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{REPLIES, Room};
use testkit::host::{Host, event, files, finish, git};

impl Room {
    /// A debate that waits for its critic, whose agent is not logged in. The user named
    /// its agents, a limit and a path for the report.
    fn waiting() -> Self {
        let room = Self::new();
        room.does("critic", "take_in; pay; exit 77\n");
        let ran = room.run(&["--max-time", "1h", "--output", "decision.md"]);
        assert_eq!(ran.code, 5, "{ran:?}");
        room.does("critic", super::WELL);
        room
    }

    fn id(&self) -> String {
        self.host.state().debate.id
    }

    /// A debate in another folder has the words of this one, and nothing else of it.
    fn has_no_rights_in(&self, folder: &Path) {
        let status = self.host.run_at(&["status", "--json"], folder).json();
        assert_ne!(status["owner"]["is_running"], Value::from(true), "{status}");
        let attempts = self.host.run_at(&["attempts", "--json"], folder).json();
        assert_eq!(attempts["attempts"].as_array().unwrap().len(), 0, "{attempts}");
        let paid = self.paid().len();
        // It asks who argues, and has nobody: claude is not on PATH here.
        let ran = self.host.run_at(&["run", "--resume"], folder);
        assert_ne!(ran.code, 0, "{ran:?}");
        assert_eq!(self.paid().len(), paid, "{ran:?}");
    }

    /// The original still has all of it, and completes.
    fn completes(&self) {
        let ran = self.resume(&[]);
        assert_eq!(ran.code, 0, "{ran:?}");
        self.is_complete("the original");
        assert!(self.host.path("decision.md").exists());
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-rp").args([from, to]).status().unwrap().success());
}

fn id_in(folder: &Path) -> String {
    let text = fs_err::read_to_string(folder.join(".claude/anvil-state.local.md")).unwrap();
    anvil_store::StateFile::parse(&text).unwrap().debate.id
}

#[test]
fn a_copy_next_to_the_original_is_a_debate_of_its_own() {
    let room = Room::waiting();
    let (id, beside) = (room.id(), room.file("copy"));
    copy(room.host.root(), &beside);
    room.has_no_rights_in(&beside);
    // Nothing is written before its first change.
    assert_eq!(id_in(&beside), id);
    let steered = room.host.run_at(&["steer", "Think of the costs."], &beside);
    assert_eq!(steered.code, 0, "{steered:?}");
    let said = format!("{}{}", steered.stdout, steered.stderr);
    let own = id_in(&beside);
    assert_ne!(own, id);
    assert!(said.contains(&format!("a copy of the debate {id}")) && said.contains(&own), "{said}");
    // It says so once, and keeps that id.
    let again = room.host.run_at(&["steer", "And of the time."], &beside);
    assert!(again.code == 0 && !format!("{again:?}").contains("a copy of"), "{again:?}");
    assert_eq!(id_in(&beside), own);
    assert_eq!(room.id(), id);
    room.completes();
}

#[test]
fn a_session_of_the_original_does_not_argue_a_copy_in_its_place() {
    let host = Host::new().debating("Should we cache?");
    let moved = host.outside("moved");
    fs_err::rename(host.root(), &moved).unwrap();
    copy(&moved, host.root());
    let before = host.state_text();
    // The session is on record for the path, where a copy lies now.
    let answer = host.stop("one", "**A1. It is fast.** Yes [assumption].");
    assert!(answer.context().is_empty(), "{answer:?}");
    assert_eq!(host.state_text(), before);
    assert_eq!(host.run(&["status", "--json"]).code, 0);
}

#[test]
fn a_moved_project_keeps_its_records() {
    let room = Room::waiting();
    let moved = room.file("moved");
    fs_err::rename(room.host.root(), &moved).unwrap();
    let ran = room.host.run_at(&["run", "--resume"], &moved);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(moved.join("decision.md").exists(), "{ran:?}");
    assert_eq!(room.paid().len(), 4, "{:?}", room.paid());
    let listed = room.host.run_at(&["history", "--json"], &moved).json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_linked_path_leads_to_the_same_debate() {
    let room = Room::waiting();
    let link = room.file("link");
    std::os::unix::fs::symlink(room.host.root(), &link).unwrap();
    let ran = room.host.run_at(&["run", "--resume"], &link);
    assert_eq!(ran.code, 0, "{ran:?}");
    room.is_complete("by a link");
}

#[test]
fn a_bind_mount_is_the_same_place() {
    let Some(way) = crate::file_system::space::namespace() else { return };
    let room = Room::waiting();
    let beside = room.file("mounted");
    fs_err::create_dir_all(&beside).unwrap();
    let run = room.command(&["run".to_owned(), "--resume".to_owned()]);
    let script = format!(
        "mount --bind {} {place} && cd {place} && exec \"$0\" \"$@\"",
        room.host.root().display(),
        place = beside.display()
    );
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-c", &script]).arg(run.get_program()).args(run.get_args());
    command.current_dir(room.host.root()).env_clear();
    command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    room.is_complete("through a bind mount");
}

/// The folder is removed and made again, perhaps with the same inode: a clone of what was
/// committed. Words of the debate that were not committed come back only by the user's order.
#[test]
fn a_clone_in_the_place_of_a_removed_project_gets_no_agents() {
    let room = Room::waiting();
    let id = room.id();
    let kept = room.file("clone");
    copy(room.host.root(), &kept);
    fs_err::remove_dir_all(room.host.root()).unwrap();
    fs_err::rename(&kept, room.host.root()).unwrap();
    let paid = room.paid().len();
    let ran = room.resume(&[]);
    assert!(ran.code != 0 && room.paid().len() == paid, "{ran:?}");
    // With agents that the user names it goes on, as the same debate.
    let agents = room.begins(&[]).split_off(4);
    let ran = room.resume(&agents.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        (room.id(), room.host.reply_texts()),
        (id, REPLIES.map(|text| text.trim_end().to_owned()).into())
    );
    // Nobody named the path of the report here.
    assert!(!room.host.path("decision.md").exists());
}

#[test]
fn a_changed_file_in_the_place_of_a_removed_project_is_a_copy() {
    let room = Room::waiting();
    let id = room.id();
    let kept = room.file("clone");
    copy(room.host.root(), &kept);
    fs_err::remove_dir_all(room.host.root()).unwrap();
    fs_err::rename(&kept, room.host.root()).unwrap();
    room.host.edit("It pays", "It ruins us");
    room.has_no_rights_in(room.host.root());
    assert_eq!(room.host.run(&["steer", "Look again."]).code, 0);
    assert_ne!(room.id(), id);
}

/// All that another machine knows of the debate came along: in the clone, and in a synced folder.
#[test]
fn records_of_another_machine_give_no_rights() {
    let theirs = Room::waiting();
    for where_they_are in [".claude/anvil.local", "anvil.local"] {
        let room = Room::new();
        fs_err::remove_dir_all(room.host.root()).unwrap();
        copy(theirs.host.root(), room.host.root());
        copy(&theirs.host.records(), &room.host.path(where_they_are));
        room.has_no_rights_in(room.host.root());
    }
    // A synced CONFIG: the records are there, and name a place that is not this folder.
    let room = Room::new();
    fs_err::remove_dir_all(room.host.root()).unwrap();
    copy(theirs.host.root(), room.host.root());
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    copy(&theirs.host.records(), &room.host.records());
    room.has_no_rights_in(room.host.root());
    theirs.completes();
}

#[test]
fn a_folder_of_dir_in_a_checkout_brings_no_record() {
    let theirs = Room::waiting();
    let room = Room::new();
    let dir = room.host.path("ci");
    copy(&theirs.host.path(".claude"), &dir);
    for entry in fs_err::read_dir(theirs.host.records()).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &dir.join(entry.file_name()));
    }
    copy(&theirs.host.records(), &dir.join("anvil.local"));
    let ran = room.host.run(&["--dir", "ci", "run", "--resume"]);
    assert!(ran.code != 0 && theirs.paid().len() == 2 && room.paid().is_empty(), "{ran:?}");
    let attempts = room.host.run(&["--dir", "ci", "attempts", "--json"]).json();
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 0, "{attempts}");
}

#[test]
fn an_id_that_is_known_here_gives_a_clone_nothing() {
    let room = Room::waiting();
    let (id, other) = (room.id(), Host::new().debating("What else?"));
    let clone = room.file("clone");
    fs_err::create_dir_all(clone.join(".claude")).unwrap();
    let text = other.state_text().replace(&other.state().debate.id, &id);
    fs_err::write(clone.join(".claude/anvil-state.local.md"), text).unwrap();
    room.has_no_rights_in(&clone);
    let before = files(&room.host.debate_folder(&id));
    assert_eq!(room.host.run_at(&["steer", "Go on."], &clone).code, 0);
    assert_eq!(files(&room.host.debate_folder(&id)), before);
    assert_ne!(id_in(&clone), id);
    room.completes();
}

/// Makes a folder a repository with one commit.
fn repository(folder: &Path) {
    git(folder, &["init", "-q", "."]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "x"]);
}

/// The project is lost, however that happened.
#[test]
fn no_finished_debate_is_lost_with_its_project() {
    for how in ["clean", "remove", "worktree"] {
        let room = Room::new();
        let here = room.host.root();
        repository(here);
        let place: PathBuf = match how {
            "worktree" => room.file("tree"),
            _ => here.to_owned(),
        };
        if how == "worktree" {
            git(here, &["worktree", "add", "-q", place.to_str().unwrap()]);
        }
        let words = room.begins(&[]);
        let ran = room.host.run_at(&words.iter().map(String::as_str).collect::<Vec<_>>(), &place);
        assert_eq!(ran.code, 0, "{ran:?}");
        let id = id_in(&place);
        match how {
            "clean" => git(here, &["clean", "-fdxq"]),
            "worktree" => git(here, &["worktree", "remove", "--force", place.to_str().unwrap()]),
            _ => {
                fs_err::remove_dir_all(here).unwrap();
                fs_err::create_dir_all(here).unwrap();
            }
        }
        let all = room.host.run(&["history", "--all", "--json"]).json();
        assert_eq!(all[0]["id"], Value::from(id.clone()), "{how}: {all}");
        let shown = room.host.run(&["report", &id, "--full"]);
        assert!(shown.stdout.contains("It costs a month"), "{how}: {shown:?}");
        // Where the repository is still there, its own list has it.
        let own = room.host.run(&["history"]);
        assert_eq!(own.code == 0, how != "remove", "{how}: {own:?}");
    }
}

/// A conversation in one worktree, a run in another, and outcomes and prune in both.
#[test]
fn all_kinds_of_writers_at_once_lose_nothing() {
    let room = Room::new();
    let (here, tree) = (room.host.root(), room.file("tree"));
    repository(here);
    git(here, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    assert_eq!(room.run(&[]).code, 0);
    let first = id_in(here);
    let mut noted = 0;
    for session in ["one", "two", "three"] {
        let prompt = json!({ "prompt": "/anvil:debate Other? --rounds 1 --motion wait" });
        let stops = REPLIES.map(|reply| ("Stop", json!({ "last_assistant_message": reply })));
        let conversation = [("UserPromptSubmit", prompt)].into_iter().chain(stops);
        let conversation: Vec<(Command, Vec<u8>)> = conversation
            .map(|(name, fields)| {
                let mut hook = room.host.command(&["hook"], here);
                hook.env("CLAUDE_PROJECT_DIR", here);
                (hook, event(session, name, &fields, here))
            })
            .collect();
        let words = room.begins(&[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = vec![(room.host.command(&words, &tree), Vec::new())];
        let many = |words: &[&str]| -> Vec<(Command, Vec<u8>)> {
            let places = [here, &tree].into_iter().cycle().take(8);
            places.map(|place| (room.host.command(words, place), Vec::new())).collect()
        };
        let outcomes = many(&["history", &first, "--outcome", "right"]);
        let prunes = many(&["prune", "--keep", "1", "--yes"]);
        let codes = std::thread::scope(|scope| {
            [conversation, run, outcomes, prunes]
                .map(|writer| {
                    let in_turn = || {
                        writer.into_iter().map(|(command, input)| {
                            let output = finish(command, &input);
                            (output.status.code(), output)
                        })
                    };
                    scope.spawn(move || in_turn().collect::<Vec<_>>())
                })
                .map(|writer| writer.join().unwrap())
        });
        let is_well = |(code, _): &(Option<i32>, Output)| *code == Some(0);
        let [conversation, run, outcomes, prunes] = codes;
        assert!(conversation.iter().chain(&run).all(is_well), "{conversation:?} {run:?}");
        // A debate that is pruned has no outcome any more; prune says if there is nothing to do.
        let (is, is_not): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(is_well);
        assert!(is_not.iter().chain(&prunes).all(|(code, _)| matches!(code, Some(0 | 3))));
        noted += is.len();
        for place in [here, &tree] {
            let report = room.host.run_at(&["report", "--full"], place);
            assert!(report.stdout.contains("It costs a month"), "{session}: {report:?}");
            let status = room.host.run_at(&["status", "--json"], place).json();
            assert_eq!(status["status"], "completed", "{session}: {status}");
        }
        let all = room.host.run(&["history", "--all", "--json"]).json();
        for debate in all.as_array().unwrap() {
            let id = debate["id"].as_str().unwrap();
            let report = room.host.run(&["report", id, "--full"]);
            assert!(report.stdout.contains("It costs a month"), "{session}: {id}: {report:?}");
        }
    }
    let journal = fs_err::read_to_string(room.host.records().join("decisions.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), noted);
    assert!(noted > 0);
}
