//! Runs with `--dir`: many at once, with several jobs, killed and resumed.

use std::path::{Path, PathBuf};

use anvil_store::StateFile;
use serde_json::Value;

use super::{REPLIES, Room, Running, WELL, kill, processes_with, until};
use testkit::host::files;

/// Debates that are argued at once.
const DEBATES: usize = 20;

fn dir(room: &Room, number: usize) -> PathBuf {
    room.file(&format!("debates/{number}"))
}

fn option(dir: &Path) -> String {
    format!("--dir={}", dir.display())
}

fn state(dir: &Path) -> Option<StateFile> {
    StateFile::parse(&fs_err::read_to_string(dir.join("anvil-state.local.md")).ok()?).ok()
}

fn status(dir: &Path) -> Option<String> {
    state(dir).map(|state| state.debate.status().label().to_owned())
}

#[test]
fn twenty_debates_at_once_are_killed_and_resumed() {
    let room = Room::new();
    assert_eq!(room.host.run(&["start", "Ours?"]).code, 0);
    let before = room.host.files();
    let began = |number: usize| room.file(&format!("paid-{number}"));
    // Each debate has its own agents; the critic of each waits.
    let begins = |number: usize| {
        let script = room.file(&format!("agent-{number}.sh"));
        let text = format!(
            "cd {} || exit 9\nwhile read -r line; do last=$line; done\necho x >>paid-{number}\n\
             n=$(wc -l <paid-{number})\n[ $n -ne 2 ] || while [ ! -e go ]; do sleep 0.05; done\n\
             case $n in 1) cat advocate.md;; 2|3) cat critic.md;; *) cat synthesizer.md;; esac\n",
            room.file("").display()
        );
        fs_err::write(&script, text).unwrap();
        let words = ["run", "Why?", "--rounds", "1", "--agent"].map(str::to_owned);
        let agent = format!("cmd:/bin/sh {}", script.display());
        [&words[..], &[agent, option(&dir(&room, number))]].concat()
    };
    let paid = |number| fs_err::read_to_string(began(number)).unwrap_or_default().lines().count();
    let runs: Vec<Running> = (0..DEBATES).map(|number| room.spawn(&begins(number))).collect();
    until("each critic has its prompt", || (0..DEBATES).all(|number| paid(number) == 2));
    for run in &runs {
        kill(run.child.id(), "KILL");
    }
    for process in processes_with(&format!("HOME={}", room.host.home().display())) {
        kill(process, "KILL");
    }
    for run in runs {
        assert_eq!(run.ends().0, None);
    }
    let ids: std::collections::BTreeSet<String> =
        (0..DEBATES).map(|number| state(&dir(&room, number)).unwrap().debate.id).collect();
    assert_eq!(ids.len(), DEBATES, "{ids:?}");

    // Nobody names an agent: each debate has its own on record.
    let resumes = |number| ["run".to_owned(), "--resume".to_owned(), option(&dir(&room, number))];
    let runs: Vec<Running> = (0..DEBATES).map(|number| room.spawn(&resumes(number))).collect();
    for (number, run) in runs.into_iter().enumerate() {
        let (code, printed) = run.ends();
        assert_eq!(code, Some(0), "{number}: {printed}");
        let dir = dir(&room, number);
        assert_eq!(status(&dir).as_deref(), Some("completed"), "{number}");
        assert_eq!(paid(number), 4, "{number}: a reply is lost, or asked for again");
        assert!(printed.contains(dir.to_str().unwrap()), "{number}: {printed}");
    }
    let printed = room.host.run(&["attempts", "--json", &option(&dir(&room, 7))]);
    let record: Value = printed.json();
    assert_eq!(record["seats"]["critic"]["metrics"]["attempts"], 2, "{record}");
    assert_eq!(room.host.files(), before, "something was written into the project");
    assert!(
        files(&room.host.home()).iter().all(|(path, _)| !path.ends_with("anvil-state.local.md"))
    );
}

#[test]
fn jobs_claims_and_reports_find_the_folder() {
    let room = Room::new();
    let dir = room.file("a debate");
    // A seat that knows the folder's path gives it away to nobody.
    let script = room.file("voice.sh");
    let text = format!(
        "n=$(grep -o 'Voice [1-3] of' | tail -n 1 | cut -d ' ' -f 2)\n\
         echo \"**S$n.1. It pays $n times.** As seen in {}/anvil-state.local.md [reasoning].\"\n",
        dir.display()
    );
    fs_err::write(&script, text).unwrap();
    let synthesis = super::synthesis_of(&["S1.1", "S2.1", "S3.1"]);
    fs_err::write(room.file("synthesizer.md"), synthesis).unwrap();
    let report = dir.join("verdict.md");
    let more = ["--stakeholders", "a, b, c", "--jobs", "3", "--agent"].map(str::to_owned);
    let words = ["run", "Why?", "--rounds", "1"].map(str::to_owned);
    let last = [
        format!("cmd:/bin/sh {}", script.display()),
        "--synthesizer".to_owned(),
        room.agent("synthesizer"),
        format!("--output={}", report.display()),
        option(&dir),
    ];
    let (code, printed) = room.spawn(&[&words[..], &more, &last].concat()).ends();
    assert_eq!(code, Some(0), "{printed}");
    let record = room.host.run(&["attempts", "--json", &option(&dir)]);
    let record: Value = record.json();
    let attempts = record["attempts"].as_array().unwrap();
    let concurrent = attempts.iter().filter(|one| one["started"]["generation"] == "c1").count();
    assert!(concurrent > 0, "nothing was written at the same time as another: {record}");
    let text = fs_err::read_to_string(&report).unwrap();
    assert!(text.contains("seen in") && !text.contains(dir.to_str().unwrap()), "{text}");
    let watched = room.host.run(&["status", "--watch", &option(&dir)]);
    assert!(watched.code == 0 && watched.stdout.contains("not. Wait."), "{watched:?}");

    // A seat of a debate that was only prepared is claimed.
    let other = room.file("other");
    let printed = room.host.run(&["start", "Why?", "--rounds", "1", &option(&other)]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let claimed = room.host.run(&["claim", "advocate-1", &option(&other)]);
    assert_eq!(claimed.code, 0, "{claimed:?}");
    let printed = room.host.pipe(&["submit", "--task", "advocate-1", &option(&other)], REPLIES[0]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(state(&other).unwrap().body.contains("It pays"), "{printed:?}");
    assert!(room.host.files().is_empty(), "something was written into the project");
}

#[test]
fn a_run_that_stops_names_the_folder_for_its_resume() {
    let room = Room::new();
    room.does("critic", "exit 1\n");
    let dir = room.file("debates/a b");
    let words = room.begins(&[&option(&dir)]);
    let (code, printed) = room.spawn(&words).ends();
    assert_eq!(code, Some(5), "{printed}");
    let wanted = format!("--dir '{}' run --resume --critic AGENT` gives", dir.display());
    assert!(printed.contains(&wanted) && !printed.contains("/anvil:"), "{printed}");
    // Another place has no right to that record, even with the same debate.
    room.does("critic", WELL);
    let (copy, critic) = (room.file("copy"), room.agent("critic"));
    assert_eq!(room.host.run(&["start", "Why?", &option(&copy)]).code, 0);
    fs_err::copy(dir.join("anvil-state.local.md"), copy.join("anvil-state.local.md")).unwrap();
    let again = |dir| room.host.run(&["run", "--resume", "--critic", &critic, &option(dir)]);
    let resumed = again(&dir);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let resumed = again(&copy);
    assert!(resumed.code != 0 && resumed.stderr.contains("claude is not on"), "{resumed:?}");
}
