//! A document that is revised: the critic objects, the advocate changes passages, and nobody else
//! touches a byte.

use std::path::PathBuf;

use serde_json::Value;

use testkit::host::{Host, Output};
use testkit::revision::{ACCEPTS, ANSWERS, OBJECTS, SECRET, WITHDRAWS, document};

/// A project with a document, and agents that write one reply after the other.
struct Desk {
    host: Host,
}

impl Desk {
    fn new(document: &str) -> Self {
        let host = Host::new().with("PATH", "/usr/local/bin:/usr/bin:/bin");
        let host = host.with("ANVIL_RETRY_DELAYS", "0,0,0");
        fs_err::write(host.path("plan.md"), document).unwrap();
        fs_err::create_dir_all(host.outside("")).unwrap();
        Self { host }
    }

    /// The usual debate: one change, after which the critic has no objection left.
    fn usual() -> Self {
        let desk = Self::new(&document());
        desk.says("critic", &[OBJECTS, WITHDRAWS]);
        desk.says("advocate", &[ANSWERS]);
        desk.says("synthesizer", &[ACCEPTS]);
        desk
    }

    fn file(&self, name: &str) -> PathBuf {
        self.host.outside(name)
    }

    fn says(&self, seat: &str, replies: &[&str]) {
        for (number, reply) in (1..).zip(replies) {
            fs_err::write(self.file(&format!("{seat}-{number}.md")), reply).unwrap();
        }
        let folder = self.file("");
        let script = format!(
            "cd {} || exit 9\necho x >>{seat}.count\nn=$(wc -l <{seat}.count)\nn=$((n))\n\
             cat >{seat}-$n.prompt\ncat {seat}-$n.md\n",
            folder.display()
        );
        fs_err::write(self.file(&format!("{seat}.sh")), script).unwrap();
    }

    fn run(&self, more: &[&str]) -> Output {
        let mut words: Vec<String> = ["run", "--revise", "plan.md"].map(str::to_owned).to_vec();
        for seat in ["critic", "advocate", "synthesizer"] {
            let agent = format!("cmd:/bin/sh {}", self.file(&format!("{seat}.sh")).display());
            words.extend([format!("--{seat}"), agent]);
        }
        words.extend(more.iter().map(|&word| word.to_owned()));
        self.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn prompt(&self, seat: &str, number: usize) -> String {
        fs_err::read_to_string(self.file(&format!("{seat}-{number}.prompt"))).unwrap()
    }

    fn was_asked(&self, seat: &str) -> usize {
        let count = fs_err::read_to_string(self.file(&format!("{seat}.count")));
        count.map_or(0, |count| count.lines().count())
    }

    fn plan(&self) -> String {
        fs_err::read_to_string(self.host.path("plan.md")).unwrap()
    }

    fn report(&self, format: &str) -> String {
        self.host.run(&["report", "--format", format, "--output", "-"]).stdout
    }

    fn json(&self) -> Value {
        serde_json::from_str::<Value>(&self.report("json")).unwrap()["document"].clone()
    }
}

/// One reply of the advocate with these hunks for C1.
fn answer(hunks: &[(&str, &str)]) -> String {
    let hunk = |(old, new): &(&str, &str)| format!("```old\n{old}\n```\n\n```new\n{new}\n```\n\n");
    let hunks: String = hunks.iter().map(hunk).collect();
    format!("**Grants C1:** because it was missing.\n\n{hunks}\n**Rebuts C2:** they know.\n")
}

#[test]
fn a_document_is_argued_until_nothing_blocks_and_keeps_every_other_byte() {
    let desk = Desk::usual();
    let ran = desk.run(&["--rounds", "4", "--fail-on", "objections"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((desk.was_asked("critic"), desk.was_asked("advocate")), (2, 1));
    assert!(ran.stdout.contains("plan.md: 1 change; no objection blocks."), "{ran:?}");
    assert!(ran.stdout.contains("anvil report --document"), "{ran:?}");
    assert!(!ran.stderr.contains("no question"), "{ran:?}");

    let first = desk.prompt("critic", 1);
    assert!(first.contains("[blocks]") && first.contains("> Move on Monday."), "{first}");
    assert!(first.contains("Key: [masked: GitHub token]") && !first.contains(SECRET), "{first}");
    let answers = desk.prompt("advocate", 1);
    assert!(answers.contains("answer C1, C2, change the document"), "{answers}");
    assert!(ran.stderr.contains("  Nothing is left to argue.\n"), "{ran:?}");
    let second = desk.prompt("critic", 2);
    assert!(second.contains("> Move on Monday.\n> Go back on Tuesday if it fails.\n"), "{second}");
    assert!(desk.prompt("synthesizer", 1).contains("Go back on Tuesday"));
    assert!(!desk.host.state_text().contains(SECRET));

    let revised =
        document().replace("Monday.\r\n", "Monday.\r\nGo back on Tuesday if it fails.\r\n");
    assert_eq!(desk.host.run(&["report", "--document"]).stdout, revised);
    assert_eq!(desk.plan(), document());
    for _ in 0..2 {
        let written = desk.host.run(&["report", "--document", "--output", "plan.md"]);
        assert_eq!((written.code, desk.plan()), (0, revised.clone()), "{written:?}");
    }
    fs_err::write(desk.host.path("plan.md"), "mine").unwrap();
    fs_err::write(desk.host.path("other.md"), "other").unwrap();
    for (taken, text) in [("plan.md", "mine"), ("other.md", "other")] {
        let refused = desk.host.run(&["report", "--document", "--output", taken]);
        assert_ne!(refused.code, 0, "{refused:?}");
        assert!(
            refused.stderr.contains("is not the document as the debate found it"),
            "{refused:?}"
        );
        assert_eq!(fs_err::read_to_string(desk.host.path(taken)).unwrap(), text);
    }
    desk.host.run(&["report", "--document", "--output", "new/plan.md"]);
    assert_eq!(fs_err::read_to_string(desk.host.path("new/plan.md")).unwrap(), revised);
}

#[test]
fn every_report_lists_the_changes_and_what_stands() {
    let desk = Desk::new(&document());
    desk.says("critic", &[OBJECTS]);
    let unnamed = "```old\nEnd\n```\n```new\nThe end\n```\n\n";
    desk.says("advocate", &[&format!("{unnamed}{}", ANSWERS.split("**Rebuts").next().unwrap())]);
    desk.says("synthesizer", &[ACCEPTS]);
    assert_eq!(desk.run(&["--rounds", "1"]).code, 0);
    let document = desk.json();
    assert_eq!(document["name"], "plan.md");
    let [first, second] = document["changes"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((&first["answers"], &first["old"]), (&Value::Null, &"End".into()));
    assert_eq!((&second["answers"], &second["line"]), (&"C1".into(), &3.into()));
    let minor = &document["objections"][1];
    assert_eq!((&minor["blocks"], &minor["answered"]), (&false.into(), &false.into()));
    assert_eq!(minor["quote_found"], true);
    let line = "Change 1 (round 1) names no objection.";
    for (format, expected) in [
        ("md", &["- **C2** stands (minor): Sales hears it late", "+ The end", line][..]),
        ("html", &["<ins>The end</ins>", "<h3>Line 3", line]),
    ] {
        let report = desk.report(format);
        for expected in expected {
            assert!(report.contains(expected), "{format}: {expected}\n{report}");
        }
        assert!(!report.contains(SECRET));
    }
}

/// A debate about three lines: what the critic and the advocate say, reply after reply.
fn argued(document: &str, critic: &[&str], advocate: &[&str], rounds: usize) -> (Desk, Output) {
    let desk = Desk::new(document);
    desk.says("critic", critic);
    desk.says("advocate", advocate);
    desk.says("synthesizer", &[ACCEPTS, ACCEPTS]);
    let ran = desk.run(&["--rounds", &rounds.to_string(), "--fail-on", "objections"]);
    (desk, ran)
}

const NO_WAY_BACK: &str = "**C1. There is no way back.** [blocks] \"Move\" is final [reasoning].\n";

#[test]
fn a_change_of_words_that_are_not_there_is_told_the_nearest_ones() {
    for (document, old, there) in [
        ("Move in 5\u{a0}days.\n", "Move in 5 days.", "it has `Move in 5[no-break space]days.`"),
        ("Say “Move”.\n", "Say \"Move\".", "it has `Say “Move”.`"),
        ("Move on.  \nThen.\n", "Move on.\nThen.", "it has `Move on.␣␣⏎Then.`"),
        ("Move it on Monday.\n", "Move it on Tuesday.", "the nearest is `Move it on Monday.`"),
    ] {
        let (wrong, right) = (answer(&[(old, "x")]), answer(&[("Move", "Go")]));
        let (desk, ran) = argued(document, &[NO_WAY_BACK, WITHDRAWS], &[&wrong, &right], 2);
        assert_eq!(desk.was_asked("advocate"), 2, "{document}");
        let again = desk.prompt("advocate", 2);
        assert!(again.contains(there), "{document}: {again}");
        let told = ran.stdout + &ran.stderr;
        assert!(told.contains("change 1 quotes what the document"), "{document}: {told}");
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(there), "{told}");
    }
}

#[test]
fn a_document_that_cannot_be_revised_is_refused_before_anything_is_written() {
    let desk = Desk::usual();
    fs_err::write(desk.host.path(".env"), "A=b").unwrap();
    fs_err::write(desk.host.path("binary"), b"a\0b").unwrap();
    fs_err::write(desk.host.path("long.md"), "x".repeat(60_001)).unwrap();
    for (words, why) in [
        (&["--revise", "none.md"][..], "there is no"),
        (&["--revise", ".env"], "looks like a secret"),
        (&["--revise", "binary"], "control characters"),
        (&["--revise", "long.md"], "more than 60,000 characters"),
        (&["--revise", "."], "is not a regular file"),
        (&["--revise", "plan.md", "--mode", "philosopher"], "--revise and --mode"),
        (&["--revise", "plan.md", "--plan=plan.md"], "--revise and --plan"),
        (&["--revise", "plan.md", "--options", "A, B"], "--options and --revise"),
        (&["--revise", "plan.md", "--blind"], "--revise and --blind"),
        (
            &["--revise", "plan.md", "--persona", "x y", "--persona", "y z", "--persona", "z a"],
            "--revise and --persona",
        ),
        (&["Why?", "--fail-on", "objections"], "--fail-on objections needs a document"),
    ] {
        let refused = desk.host.run(&[&["run"], words].concat());
        assert_ne!(refused.code, 0, "{words:?}: {refused:?}");
        assert!(refused.stderr.contains(why), "{words:?}: {refused:?}");
    }
    assert!(!desk.host.path(".claude/anvil-state.local.md").exists());
}

#[test]
fn an_original_that_is_gone_is_named_and_an_unchanged_copy_stands_in() {
    let desk = Desk::usual();
    desk.run(&[]);
    let id = desk.host.run(&["report", "--format", "json", "--output", "-"]).stdout;
    let id = serde_json::from_str::<Value>(&id).unwrap()["id"].as_str().unwrap().to_owned();
    let folder = desk.host.debate_folder(&id);
    let original = fs_err::read_dir(folder)
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with("original-"));
    let original = original.unwrap().path();
    assert_eq!(fs_err::read_to_string(&original).unwrap(), document());
    fs_err::write(&original, "another text").unwrap();
    let refused = desk.host.run(&["report", "--document"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("the original of plan.md is not on this machine"),
        "{refused:?}"
    );
    assert_eq!(desk.host.run(&["report", "--document", "--output", "plan.md"]).code, 0);
    assert!(desk.plan().contains("Go back on Tuesday"));
    // Somebody edits the document in the debate's file.
    fs_err::write(&original, document()).unwrap();
    let state = desk.host.state_text();
    fs_err::write(
        desk.host.path(".claude/anvil-state.local.md"),
        state.replace("> Then tell sales.", "> Now."),
    )
    .unwrap();
    let refused = desk.host.run(&["report", "--document"]);
    assert!(refused.stderr.contains("do not fit the original of plan.md"), "{refused:?}");
}

/// A document that looks like a report, because an earlier debate wrote it.
fn record() -> String {
    let host = Host::new().debating("Shall we? --rounds 1");
    for reply in ["**A1. First.** So.", "**C1. Second.**", ACCEPTS] {
        host.stop("one", reply);
    }
    host.run(&["report", "--format", "adr", "--output", "-"]).stdout
}

#[test]
fn a_report_never_replaces_the_document_that_it_is_about() {
    for document in [document(), record()] {
        let desk = Desk::new(&document);
        desk.says("critic", &[OBJECTS]);
        fs_err::create_dir_all(desk.host.path("sub")).unwrap();
        fs_err::hard_link(desk.host.path("plan.md"), desk.host.path("hard.md")).unwrap();
        std::os::unix::fs::symlink(desk.host.path("plan.md"), desk.host.path("soft.md")).unwrap();
        std::os::unix::fs::symlink(desk.host.root(), desk.host.path("sub/linked")).unwrap();
        let absolute = desk.host.path("plan.md").display().to_string();
        let names =
            ["plan.md", "./plan.md", "sub/../plan.md", "hard.md", "soft.md", "sub/linked/plan.md"];
        for name in names.into_iter().chain([&*absolute]) {
            let refused = desk.run(&["--output", name]);
            assert_eq!(refused.code, 2, "{name}: {refused:?}");
            let planned = desk.run(&["--output", name, "--dry-run"]);
            assert_eq!(planned.code, 2, "{name}: {planned:?}");
        }
        assert_eq!((desk.was_asked("critic"), desk.plan()), (0, document.clone()));
        assert!(!desk.host.state_path().exists());

        // Later, too, and after a change of the document.
        let desk = Desk::usual();
        assert_eq!(desk.run(&[]).code, 0);
        fs_err::write(desk.host.path("plan.md"), &document).unwrap();
        let refused = desk.host.run(&["report", "--output", "plan.md"]);
        assert_eq!((refused.code, desk.plan()), (2, document.clone()), "{refused:?}");
    }
}
