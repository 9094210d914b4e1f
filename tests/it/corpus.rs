//! State files as they lie with users: each is read, gives its debate, and can continue.
//!
//! `tests/corpus/README.md` says where they come from. `debates.txt` has the result: the replies,
//! and the lines of the head that the program writes differently (`-` there, `+` new).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anvil_core::debate::{Debate, Status};
use anvil_core::place::DebateFormat;
use anvil_core::transcript;
use anvil_store::StateFile;
use expect_test::expect_file;

use testkit::host::Host;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Each state file, by its name, in order.
fn corpus() -> Vec<(String, String)> {
    let files = fs_err::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs_err::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| name != "README")
        .collect();
    found.sort();
    assert!(found.len() > 20, "{} state files", found.len());
    found
}

fn head_lines(text: &str) -> BTreeSet<&str> {
    text.split("\n---\n").next().unwrap().lines().collect()
}

#[test]
fn a_state_file_of_each_kind_loads_its_debate() {
    let mut read = String::new();
    for (name, text) in corpus() {
        let state = StateFile::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(state.is_orderly_by_itself(), "{name}");
        let today = state.render().unwrap();
        assert_eq!(StateFile::parse(&today).unwrap().debate, state.debate, "{name}");
        let _ = writeln!(read, "{name}");
        let (was, is) = (head_lines(&text), head_lines(&today));
        let gone = was.difference(&is).map(|line| format!("- {line}"));
        let new = is.difference(&was).map(|line| format!("+ {line}"));
        for line in gone.chain(new) {
            let _ = writeln!(read, "  {line}");
        }
        for (slot, reply) in transcript::parse(&state.body).replies() {
            let max_rounds = state.debate.schedule().max_rounds;
            let first = reply.text.lines().next().unwrap();
            let _ = writeln!(read, "  {}: {first}", slot.label(max_rounds));
        }
    }
    expect_file![folder().join("debates.txt")].assert_eq(&read);
}

#[test]
fn a_debate_in_a_state_file_of_each_kind_continues() {
    for (name, text) in corpus() {
        let host = Host::new();
        fs_err::create_dir_all(host.path(".claude")).unwrap();
        fs_err::write(host.state_path(), &text).unwrap();
        let before = host.state();
        let texts =
            || host.sections().into_iter().map(|section| section.text).collect::<Vec<String>>();
        let earlier = texts();
        let shown = host.run(&["status"]);
        assert_eq!(shown.code, 0, "{name}: {shown:?}");
        assert_eq!(host.state_text(), text, "{name}: a look writes nothing");
        match before.debate.status() {
            Status::Completed => {
                let again = host.prompt("one", "/anvil:again");
                assert!(again.context().contains("Anvil debate protocol"), "{name}: {again:?}");
                assert_eq!(texts(), earlier, "{name}");
            }
            Status::Cancelled => {
                host.prompt("one", "/anvil:debate Another?");
                let kept = fs_err::read_to_string(host.snapshot(&before.debate.id)).unwrap();
                assert_eq!(kept, text, "{name} is kept as it was");
            }
            Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
                host.prompt("one", "/anvil:resume --take-over");
                if host.state().debate.status() != Status::InProgress {
                    host.prompt("one", "go on");
                }
                // A reply without a claim of its seat is requested again once.
                let reply = "**A7. Another reply.** [reasoning] A7, C7, S1.7 or P1.7.";
                host.stop_with("one", reply);
                host.stop_with("one", reply);
                let now = texts();
                assert_eq!(now[..earlier.len()], earlier, "{name}");
                assert!(now.len() > earlier.len(), "{name}: {}", host.state_text());
            }
        }
        assert!(host.state_text().contains("\nschema: 3\n"), "{name}");
    }
}

#[test]
fn the_corpus_has_each_way_to_argue_and_each_status() {
    let all: Vec<Debate> =
        corpus().iter().map(|(_, text)| StateFile::parse(text).unwrap().debate).collect();
    let has = |what: &str, is_one: &dyn Fn(&Debate) -> bool| {
        assert!(all.iter().any(is_one), "no file with {what}");
    };
    for status in ["not_started", "in_progress", "paused", "completed", "failed", "cancelled"] {
        has(status, &|debate| debate.status().word() == status);
    }
    for mode in ["analyst", "stakeholders", "options", "revise", "socratic"] {
        has(mode, &|debate| debate.options.mode.word() == mode);
    }
    has("personas", &|debate| debate.format() == DebateFormat::Personas);
    has("a plan", &|debate| debate.options.plan.is_some());
    has("a blind critic", &|debate| debate.options.blind);
    has("judges", &|debate| debate.options.judges > 1);
    has("several cycles", &|debate| debate.cycle() > 1);
}
