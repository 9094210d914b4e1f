//! Words that claims cite from the project's files: looked for when a reply is saved, and again by
//! `anvil recheck` when the files have changed.

use std::ffi::OsStr;
use std::process::Command;

use anvil_core::transcript::{self, Entry, EntryKind};
use serde_json::Value;
use testkit::host::{Host, Output};

const QUEUE: &str = "use std::time;\n\npub const MAX_RETRIES: u32 = 5;\n\nfn wait() {}\n\n/// Tries a \
    call again until it succeeds.\npub fn retry() {\n    for _ in 0..MAX_RETRIES {\n        wait();\n    }\n}\n";

const WORDS: &str = "MAX_RETRIES: u32 = 5";

/// The opening of the advocate: words that are there, words that are not, and none.
const CASE: &str = "**A1. It retries five times.** [evidence: src/queue.rs:3 \"MAX_RETRIES: u32 = 5\"] So \
    says the queue.\n\n**A2. It waits a minute.** [evidence: src/queue.rs:5 \"sleep(from_mins(1))\"] \
    So it does.\n\n**A3. It pays.** Less work [reasoning].";

/// Git in the project, independent of the machine.
fn write(host: &Host, file: &str, text: &str) {
    let path = host.path(file);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

fn commit(host: &Host) -> String {
    host.git(&["add", "-A", "src"]);
    host.git(&["commit", "-q", "-m", "x"]);
    let head = host.path(".git/refs/heads/main");
    fs_err::read_to_string(head).unwrap().trim().to_owned()
}

/// A project with a file, and its commit.
fn project() -> (Host, String) {
    let host = Host::new().with_path("/usr/bin:/bin");
    host.git(&["init", "-q", "-b", "main"]);
    write(&host, "src/queue.rs", QUEUE);
    let head = commit(&host);
    (host, head)
}

/// A debate whose verdict rests on these claims.
fn decided(host: &Host, rests_on: &str) {
    host.prompt("s1", "/anvil:debate Should it retry? --rounds 1");
    host.stop("s1", CASE);
    host.stop("s1", "**C1. It is slow.** y [reasoning]\n**Attacks A3:** \"It pays\" fails.");
    let text = format!("recommendation: Do it.\nverdict: do\nrests on: {rests_on}");
    host.stop("s1", &host.synthesis(&text));
    assert_eq!(host.head("status"), "completed");
}

/// The text of the last section of the transcript, which is no reply.
fn last_note(host: &Host) -> Entry {
    let entry = transcript::parse(&host.state().body).0.pop().unwrap();
    assert!(matches!(entry.what, EntryKind::Note(_)), "{entry:?}");
    entry
}

fn json(printed: &Output) -> Value {
    assert!([0, 4].contains(&printed.code), "{printed:?}");
    printed.json()
}

#[test]
fn a_reply_is_told_which_of_its_words_are_not_there() {
    let (host, head) = project();
    host.prompt("s1", "/anvil:debate Should it retry? --rounds 2");
    let cue = host.stop("s1", CASE);
    let told = "A2 cites words that are not in the file.";
    assert!(cue.context().contains(told), "{}", cue.context());
    assert!(!cue.context().contains("A1"), "{}", cue.context());
    assert!(host.state_text().contains("\n### Evidence Check\n"));
    let lines = format!(
        "**A1:** there, `src/queue.rs:3`, commit {head}\n\n**A2:** not there, `src/queue.rs`, commit \
         {head}"
    );
    assert_eq!(last_note(&host).text, lines);
    // The next reply is not told again, and the debate goes on.
    let cue = host.stop("s1", "**C1. It is slow.** y [reasoning]\n**Attacks A1:** \"five\" fails.");
    assert!(!cue.context().contains("cites"), "{}", cue.context());
    let claims = json(&host.run(&["claims", "--json"]));
    assert_eq!(claims["claims"][0]["citation"]["seen"]["found"], "there");
    assert_eq!(claims["claims"][1]["citation"]["seen"]["found"], "not_there");
    assert_eq!(claims["findings"][0]["fault"], "evidence_not_found");
    assert!(claims["claims"][2]["citation"].is_null());
}

#[test]
fn only_tracked_files_by_the_rules_of_material_are_looked_into() {
    let (host, _) = project();
    let secret = "the exact words of a secret";
    for file in ["untracked.rs", ".env", "keys/id_rsa", ".hidden/a.rs", "src/token.rs"] {
        write(&host, file, &format!("{secret}\nlet t = \"ghp_{}\";\n", "aB3d".repeat(9)));
    }
    host.git(&["add", "-f", ".env", "keys/id_rsa", ".hidden/a.rs", "src/token.rs"]);
    fs_err::write(host.outside("outside.rs"), secret).unwrap();
    let outside = host.outside("outside.rs").display().to_string();
    let own = host.path("src/queue.rs").display().to_string();
    let paths = ["untracked.rs", ".env", "keys/id_rsa", ".hidden/a.rs", "../outside.rs", &outside];
    host.prompt("s1", "/anvil:debate Should it retry?");
    let claims = (1..).zip(paths).map(|(number, path)| {
        format!("**A{number}. One.** [evidence: {path}:1 \"{secret}\"] x\n\n")
    });
    let masked = format!("**A7. One.** [evidence: src/token.rs:2 \"ghp_{}\"] x", "aB3d".repeat(9));
    let absolute = format!("**A8. One.** [evidence: {own} \"MAX_RETRIES: u32 = 5\"] x");
    host.stop("s1", &format!("{}{masked}\n\n{absolute}", claims.collect::<String>()));
    let note = last_note(&host).text;
    // A path of this machine does not travel. Nothing is said of words that are missing in a file
    // with a secret: they may be masked.
    let lines: Vec<&str> = note.split("\n\n").collect();
    for (at, path) in paths[..5].iter().enumerate() {
        let expected = format!("**A{}:** not looked at, `{path}`, commit ", at + 1);
        assert!(lines[at].starts_with(&expected), "{note}");
    }
    assert!(lines[5].starts_with("**A8:** there, `src/queue.rs:3`, commit "), "{note}");
    assert_eq!(lines.len(), 6, "{note}");
}

/// What the note says of these paths, in their order; `-`: nothing.
fn seen(host: &Host, paths: &[&str]) -> Vec<String> {
    host.prompt("s1", "/anvil:debate Should it retry? --replace");
    let claims = (1..).zip(paths);
    let claims =
        claims.map(|(number, path)| format!("**A{number}. One.** x [evidence: {path}]\n\n"));
    host.stop("s1", &claims.collect::<String>());
    let entries = transcript::parse(&host.state().body).0;
    let note = match entries.last() {
        Some(entry) if matches!(entry.what, EntryKind::Note(_)) => entry.text.as_str(),
        _ => "",
    };
    let said = (1..=paths.len()).map(|number| {
        let id = format!("**A{number}:** ");
        let line = note.lines().find_map(|line| line.strip_prefix(&id)).unwrap_or("-");
        line.split(',').next().unwrap_or_default().to_owned()
    });
    said.collect()
}

#[test]
fn a_cited_file_that_does_not_exist_is_found() {
    let (host, _) = project();
    write(&host, "packages/one/lib/deep.rs", "x\n");
    write(&host, "untracked/new.rs", "x\n");
    write(&host, "built/out.rs", "x\n");
    write(&host, ".gitignore", "built/\n*.log\n");
    host.git(&["add", "packages", ".gitignore"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("src", host.path("link")).unwrap();
    fs_err::create_dir_all(host.path("other/.git")).unwrap();
    let cases = [
        ("src/nosuch.rs", "no such file"),
        ("src/nosuch.rs:12 \"never there at all\"", "no such file"),
        ("nofolder/nosuch.rs:12", "no such file"),
        ("src/queue.rs/below.rs", "no such file"),
        ("Makefile:3", "no such file"),
        ("src/queue.rs:3", "-"),
        ("./src/queue.rs", "-"),
        ("untracked/new.rs", "-"),
        ("untracked/new.rs \"the words in it\"", "not looked at"),
        // Of a part of the project.
        ("lib/deep.rs", "-"),
        ("built/out.rs", "not looked at"),
        ("built/nosuch.rs", "not looked at"),
        ("run/today.log", "not looked at"),
        (".env:3", "not looked at"),
        ("keys/id_rsa:1", "not looked at"),
        ("../outside.rs:1", "not looked at"),
        ("link/nosuch.rs", "not looked at"),
        ("other/nosuch.rs", "not looked at"),
        ("Node.js \"a single threaded event loop\"", "-"),
        ("Node.js", "-"),
        ("CI/CD pipelines", "-"),
        ("https://example.com/a.html", "-"),
        ("the audit of 2024", "-"),
    ];
    let paths = cases.map(|(path, _)| path);
    assert_eq!(seen(&host, &paths), cases.map(|(_, said)| said));
    let claims = json(&host.run(&["claims", "--json"]));
    assert_eq!(claims["claims"][0]["citation"]["words"], Value::Null);
    assert_eq!(claims["claims"][0]["citation"]["seen"]["found"], "no_such_file");
    assert_eq!(claims["findings"][0]["fault"], "file_not_found");
    let shown = host.run(&["claims", "A1"]).stdout;
    assert!(shown.contains("A1 cites a file that does not exist, src/nosuch.rs"), "{shown}");
}

#[test]
fn a_reply_is_told_which_of_its_files_do_not_exist() {
    let host = Host::new();
    host.prompt("s1", "/anvil:debate Should it retry? --rounds 2");
    let cue = host.stop("s1", "**A1. It is slow.** x [evidence: src/nosuch.rs]");
    assert!(cue.context().contains("A1 cites a file that does not exist."), "{}", cue.context());
}

#[test]
fn a_reply_with_a_thousand_cited_files_is_saved_in_time() {
    let (host, _) = project();
    let paths: Vec<String> = (0..1_000).map(|number| format!("src/n{number}.rs")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let said = seen(&host, &paths);
    // More claims of one reply are not read.
    assert_eq!(said.iter().filter(|said| *said == "no such file").count(), 100);
}

#[test]
fn a_path_may_be_relative_to_the_folder_of_the_session() {
    let (host, _) = project();
    write(&host, "part/src/queue.rs", "pub const MAX_WAITS: u32 = 9;\n");
    host.git(&["add", "part"]);
    let part = host.path("part");
    let event = |name: &str, fields: Value| host.event_at("s1", name, &fields, &part, Some(&part));
    event("UserPromptSubmit", serde_json::json!({ "prompt": "/anvil:debate Should it retry?" }));
    let claims = ["MAX_WAITS: u32 = 9", "MAX_RETRIES: u32 = 5", "MAX_NOTHING: u32 = 1"];
    let claims = (1..).zip(claims).map(|(number, words)| {
        format!("**A{number}. One.** [evidence: src/queue.rs \"{words}\"] x\n\n")
    });
    event("Stop", serde_json::json!({ "last_assistant_message": claims.collect::<String>() }));
    let note = last_note(&host).text;
    let begins = [
        "**A1:** there, `part/src/queue.rs:1`",
        "**A2:** there, `src/queue.rs:3`",
        "**A3:** not there, `part/src/queue.rs`",
    ];
    for (line, begins) in note.split("\n\n").zip(begins) {
        assert!(line.starts_with(begins), "{note}");
    }
    assert_eq!(note.split("\n\n").count(), 3, "{note}");
}

#[test]
fn a_debate_outside_of_a_checkout_notes_nothing() {
    let host = Host::new().with_path("/usr/bin:/bin");
    write(&host, "src/queue.rs", QUEUE);
    host.prompt("s1", "/anvil:debate Should it retry?");
    let cue = host.stop("s1", CASE);
    assert!(!cue.context().contains("cites"), "{}", cue.context());
    assert!(!host.state_text().contains("Evidence Check"));
    let printed = host.run(&["recheck"]);
    assert_eq!(printed.code, 3, "{printed:?}");
}

#[test]
fn a_decision_notices_when_its_words_are_gone() {
    let (host, _) = project();
    decided(&host, "A1, A2, C1");
    let same = host.run(&["recheck", "--fail"]);
    assert_eq!(same.code, 0, "{same:?}");
    assert_eq!(same.stdout, "Anvil: 1 decision was checked: all words are still there.\n");
    assert!(host.run(&["history"]).stdout.contains("its words are unchanged"));
    assert!(host.session_start("s2", "startup").is_silent());

    // Moved, renamed and laid out anew: the same words.
    host.git(&["mv", "src/queue.rs", "src/retries.rs"]);
    let moved = QUEUE.replace("pub const MAX_RETRIES: u32 = 5;", "");
    write(&host, "src/retries.rs", &format!("{moved}pub const\n    MAX_RETRIES: u32\n    = 5;\n"));
    commit(&host);
    let named = host.run(&["recheck", "1", "--fail"]);
    assert_eq!(named.code, 0, "{named:?}");
    let sentence = named.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        sentence.contains(
            "Decision 1 rests on A1 (moved to src/retries.rs:14), A2 (it cites src/queue.rs, but no \
             words seen there) and C1 (it cites no file)."
        ),
        "{sentence}"
    );

    host.git(&["mv", "src/retries.rs", "src/queue.rs"]);
    write(&host, "src/queue.rs", &QUEUE.replace("= 5", "= 8"));
    let head = commit(&host);
    let changed = host.run(&["recheck"]);
    assert_eq!(changed.code, 0, "{changed:?}");
    let sentence = changed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let commit = &head[..7];
    assert!(sentence.starts_with("Anvil: 1 of 1 decision rests on words that have changed."));
    let claim = format!("A1 (its words changed: src/queue.rs:3, last commit {commit}");
    assert!(sentence.contains(&claim), "{sentence}");
    assert!(!sentence.contains("refuted"));
    assert_eq!(host.run(&["recheck", "--fail"]).code, 4);
    let list = json(&host.run(&["recheck", "--json", "--fail"]));
    assert_eq!(list[0]["changed"], 1);
    assert_eq!(list[0]["claims"][0]["words"], "MAX_RETRIES: u32 = 5");
    assert_eq!(list[0]["claims"][0]["now"]["words"], "changed");
    assert!(list[0]["claims"][1]["words"].is_null());

    // The last result is remembered; a session's start looks nothing up.
    assert!(host.run(&["history"]).stdout.contains("words of 1 claim changed"));
    let past = json(&host.run(&["history", "--json"]));
    assert_eq!(past[0]["rechecked"]["changed"], 1);
    write(&host, "src/queue.rs", QUEUE);
    let start = host.session_start("s2", "startup");
    assert!(
        start.message().contains("at the last recheck 1 decision rested on changed words"),
        "{start:?}"
    );
    assert!(host.session_start("s2", "resume").is_silent());
    write(&host, "src/queue.rs", &QUEUE.replace("= 5", "= 8"));

    let again = host.prompt("s1", "/anvil:again It fails more often now");
    let told = again.context();
    assert!(told.contains("MAX_RETRIES: u32 = 5") && told.contains("= 8"), "{told}");
    let note = last_note(&host).text;
    assert!(note.contains("src/queue.rs:3") && note.contains(commit), "{note}");
}

#[test]
fn a_result_that_can_not_be_kept_is_shown_and_an_unreadable_debate_closes_the_gate() {
    let (host, _) = project();
    decided(&host, "A1");
    let lock = host.records().join("lock");
    fs_err::remove_file(&lock).unwrap();
    fs_err::create_dir(&lock).unwrap();
    let printed = host.run(&["recheck", "--fail"]);
    assert!(
        printed.code == 0 && printed.stdout.contains("all words are still there"),
        "{printed:?}"
    );
    assert!(printed.stderr.contains("the result is not kept: "), "{printed:?}");
    fs_err::remove_dir(&lock).unwrap();

    host.prompt("s1", "/anvil:debate Another? --rounds 1");
    host.prompt("s1", "/anvil:cancel");
    let first = fs_err::read_dir(host.records().join("debates")).unwrap().find_map(|debate| {
        let snapshot = debate.unwrap().path().join("0004-synthesis.md");
        snapshot.exists().then_some(snapshot)
    });
    fs_err::write(first.unwrap(), "---\nbroken: [").unwrap();
    let printed = host.run(&["recheck", "--fail"]);
    assert_ne!(printed.code, 0, "{printed:?}");
}

#[test]
fn a_decision_that_no_longer_stands_is_not_looked_at() {
    let (host, _) = project();
    decided(&host, "A1");
    write(&host, "src/queue.rs", &QUEUE.replace("= 5", "= 8"));
    commit(&host);
    let first = host.state().debate.id;
    assert!(host.run(&["recheck"]).stdout.contains("1 of 1 decision rests"));
    host.prompt(
        "s1",
        &format!("/anvil:debate Should it retry again? --rounds 1 --follow-up {first}"),
    );
    host.stop("s1", &CASE.replace("= 5", "= 8"));
    host.stop("s1", "**C1. It is slow.** y [reasoning]");
    host.stop("s1", &host.synthesis("recommendation: Do it.\nverdict: do\nrests on: A1"));
    let printed = host.run(&["recheck"]);
    assert!(
        printed.stdout.contains("1 decision was checked: all words are still there."),
        "{printed:?}"
    );
    // By its name it is.
    assert!(host.run(&["recheck", "2"]).stdout.contains("its words changed"));
    let id = host.state().debate.id;
    let noted = host.run(&["history", &id, "--outcome", "wrong"]);
    assert_eq!(noted.code, 0, "{noted:?}");
    assert_eq!(host.run(&["recheck"]).code, 3);
    assert!(host.session_start("s2", "startup").is_silent());
}

#[test]
fn a_decision_that_rests_on_nothing_and_a_wrong_name_are_said() {
    let (host, _) = project();
    decided(&host, "nothing");
    for (words, code, says) in [
        (vec!["recheck"], 3, "stands and rests on a claim"),
        (vec!["recheck", "7"], 3, "debate number 7"),
        (vec!["recheck", "1"], 0, "no decision rests on words of a file."),
        (vec!["recheck", "none.md"], 1, "none.md: there is no such file"),
        (vec!["recheck", "src"], 3, "there is no debate"),
        (vec!["recheck", "./src"], 1, "./src: it is not a regular file"),
        (vec!["recheck", "1", "none.md"], 0, "none.md: there is no such file"),
        (vec!["recheck", "1", "none.md", "--fail"], 4, "none.md: there is no such file"),
    ] {
        let printed = host.run(&words);
        assert_eq!(printed.code, code, "{words:?}: {printed:?}");
        assert!(
            format!("{}{}", printed.stdout, printed.stderr).contains(says),
            "{words:?}: {printed:?}"
        );
    }
}

#[test]
fn a_folder_of_too_many_entries_is_unknown() {
    let (host, _) = project();
    decided(&host, "A1, C1");
    for number in 0..=10_000 {
        write(&host, &format!("docs/adr/{number}.txt"), "");
    }
    for (more, code) in [(vec!["--fail"], 4), (vec![], 0)] {
        let printed = host.run(&[&["recheck", "1", "docs/adr/"][..], &more].concat());
        assert_eq!(printed.code, code, "{printed:?}");
        let why = "docs/adr/: it has more than 10000 entries; the others were not read";
        assert!(format!("{}{}", printed.stdout, printed.stderr).contains(why), "{printed:?}");
    }
}

#[test]
fn a_clone_without_records_rechecks_the_decisions_of_its_folder() {
    let (host, head) = project();
    decided(&host, "A1, C1");
    let adr = ["report", "--format", "adr", "--output", "docs/adr/"];
    assert_eq!(host.run(&adr).code, 0);
    let name = "docs/adr/0001-do-it.md";
    let record = fs_err::read_to_string(host.path(name)).unwrap();
    let words = format!("\"line\":3,\"words\":\"MAX_RETRIES: u32 = 5\",\"commit\":\"{head}\"");
    assert!(record.contains(&words), "{record}");
    write(&host, "docs/adr/README.md", "# Decisions\n");
    host.git(&["add", "docs"]);
    write(&host, "src/queue.rs", &QUEUE.replace("= 5", "= 8"));
    let changed = commit(&host);

    let clone = Host::new().with_path("/usr/bin:/bin");
    let root = host.root().display().to_string();
    clone.git(&["clone", "-q", &root, "here"]);
    let here = clone.path("here");
    let clone = clone.at(&here);
    let printed = clone.run(&["recheck", "docs/adr/", "--fail"]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let text = printed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let commit = &changed[..10];
    let says = format!(
        "Anvil: 1 of 1 decision rests on words that have changed. 1 file has no record of Anvil. \
         Decision 1 ({name}) rests on A1 (its words changed: src/queue.rs:3, last commit {commit}) and C1 \
         (it cites no file). Should it retry? it was: MAX_RETRIES: u32 = 5"
    );
    assert!(text.starts_with(&says), "{text}");
    // Nothing is kept of it.
    assert!(!clone.records().exists());

    // A record that is superseded by its status, or by another one that is named, does not stand.
    let rejected = record.replace("status: proposed", "status: rejected");
    write(&clone, "docs/adr/0002-x.md", &rejected);
    assert_eq!(clone.run(&["recheck", "docs/adr/0002-x.md", "--fail"]).code, 0);
    let id = host.state().debate.id;
    let later = |id_then: &str, status: &str| {
        let ids = format!("{{\"id\":\"{id_then}\",\"supersedes\":\"{id}\"");
        let later = record.replace(&format!("{{\"id\":\"{id}\""), &ids);
        later.replace("status: proposed", status).replace("u32 = 5", "u32 = 8")
    };
    for (then, status, code) in
        [("x", "status: accepted", 0), ("x", "status: proposed", 4), (&*id, "status: accepted", 4)]
    {
        write(&clone, "docs/adr/0003-x.md", &later(then, status));
        let both = clone.run(&["recheck", name, "docs/adr/0003-x.md", "--fail"]);
        assert_eq!(both.code, code, "{then} {status}: {both:?}");
    }
}

#[test]
fn a_hostile_record_is_only_read() {
    let (host, _) = project();
    let record = |json: &str| format!("# x\n\n<!-- anvil-decision: {json} -->\n");
    let claim = |path: &str, words: &str| {
        format!(
            "{{\"id\":\"i\\u001b[31m\",\"question\":\"q\\u001b[2J\\u202e\\n# x\",\"claims\":[{{\"id\":\"A1\",\
             \"path\":\"{path}\",\"line\":1,\"words\":\"{words}\",\"commit\":\"--output=x\"}}]}}"
        )
    };
    write(&host, ".env", "TOKEN=the-exact-words-of-a-secret\n");
    fs_err::write(host.outside("outside.rs"), "the exact words of a secret\n").unwrap();
    for path in [
        ".env",
        "../outside.rs",
        "/etc/passwd",
        "src",
        "src/queue.rs\\u0000",
        "-x",
        ":/",
        "\\u001b[2J",
    ] {
        write(&host, "0001.md", &record(&claim(path, "the-exact-words-of-a-secret")));
        let printed = host.run(&["recheck", "0001.md", "--fail"]);
        assert_eq!(printed.code, 4, "{path}: {printed:?}");
        assert!(printed.stdout.contains("(not known: "), "{path}: {printed:?}");
        let all =
            format!("{}{}", printed.stdout, host.run(&["recheck", "0001.md", "--json"]).stdout);
        assert!(testkit::screen::steering(&all).is_empty(), "{all:?}");
    }
    assert!(!host.path("x").exists());
    let usual = record(&claim("src/queue.rs", WORDS));
    for text in [
        record("{"),
        record(&"[".repeat(100_000)),
        usual.repeat(2),
        record(&claim("src/queue.rs", "too short")),
        usual.replace("\"words\"", "\"word\""),
        usual.replace("\"line\":1", "\"line\":\"1\""),
        usual.replace("\"path\"", "\"Path\""),
        "x".repeat(1_000_001),
    ] {
        write(&host, "0001.md", &text);
        let printed = host.run(&["recheck", "0001.md"]);
        assert_eq!(printed.code, 1, "{printed:?}");
        assert!(printed.stderr.contains("0001.md: "), "{printed:?}");
    }
    std::os::unix::fs::symlink(host.path("src/queue.rs"), host.path("0002.md")).unwrap();
    assert!(Command::new("mkfifo").arg(host.path("0003.md")).status().unwrap().success());
    for path in ["0002.md", "0003.md", "src", ".", "none.md", ""] {
        let printed = host.run(&["recheck", path, "--fail"]);
        assert_ne!(printed.code, 0, "{path}: {printed:?}");
    }
}

#[test]
fn with_fail_no_file_of_a_folder_is_skipped() {
    let (host, _) = project();
    decided(&host, "A1");
    assert_eq!(host.run(&["report", "--format", "adr", "--output", "docs/adr/"]).code, 0);
    let record = fs_err::read_to_string(host.path("docs/adr/0001-do-it.md")).unwrap();
    let fails = |name: &OsStr, text: &[u8]| {
        let file = host.path("docs/adr").join(name);
        fs_err::write(&file, text).unwrap();
        let printed = host.run(&["recheck", "docs/adr", "--fail"]);
        fs_err::remove_file(&file).unwrap();
        assert!([0, 4].contains(&printed.code), "{name:?}: {printed:?}");
        (printed.code == 4).then_some(printed.stdout)
    };
    assert_eq!(fails("README.md".as_ref(), b"# Decisions\n"), None);
    let changed = record.replace("u32 = 5", "u32 = 7");
    let comment = "<!-- anvil-decision: ";
    for (name, text) in [
        ("0002-x.MD", changed.clone()),
        ("0002-x.mdx", changed.clone()),
        ("0002-x.markdown", changed.clone()),
        ("0002-x.md", changed.replace(comment, "  <!-- anvil-decision: ")),
        ("0002-x.md", changed.replace(comment, "<!--anvil-decision:")),
        ("0002-x.md", changed.replace(comment, "<!-- anvil-decision:\n")),
        ("0002-x.md", changed.replace(comment, &format!("```\n{comment}"))),
        ("0002-x.md", "# x\n\n<!-- anvil-report -->\n".to_owned()),
    ] {
        assert!(fails(name.as_ref(), text.as_bytes()).is_some(), "{name}: {text}");
    }
    let utf16: Vec<u8> = changed.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let says = fails("0002-x.md".as_ref(), &utf16).unwrap();
    assert!(says.contains("it is not UTF-8"), "{says}");
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let says = fails(OsStr::from_bytes(b"caf\xE9.md"), changed.as_bytes()).unwrap();
        assert!(says.contains("its name is not UTF-8"), "{says}");
    }
}

/// A git that answers as in a repository of another user.
#[cfg(unix)]
#[test]
fn a_refusal_of_git_is_quoted_with_its_remedy_everywhere() {
    use std::os::unix::fs::PermissionsExt as _;
    let (host, _) = project();
    decided(&host, "A1");
    let folder = host.outside("bin");
    fs_err::create_dir_all(&folder).unwrap();
    let stand_in = format!(
        "#!/bin/sh\ncat >&2 <<'END'\nfatal: detected dubious ownership in repository at '{0}'\nTo add an \
         exception for this directory, call:\n\n\tgit config --global --add safe.directory \
         {0}\nEND\nexit 128\n",
        host.root().display()
    );
    fs_err::write(folder.join("git"), stand_in).unwrap();
    std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    quotes_the_refusal(&host.with_path(&format!("{}:/usr/bin:/bin", folder.display())));
}

#[cfg(unix)]
#[test]
fn the_repository_of_another_user_is_named_with_the_remedy_everywhere() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give a folder to another user");
        return;
    }
    let (host, _) = project();
    decided(&host, "A1");
    let mut chown = Command::new("chown");
    assert!(chown.args(["-R", "12345:12345"]).arg(host.root()).status().unwrap().success());
    quotes_the_refusal(&host);
}

/// Checks every screen that asks git, in a repository where git refuses.
#[cfg(unix)]
fn quotes_the_refusal(host: &Host) {
    let root = host.root().display();
    let line = format!(
        "detected dubious ownership in repository at '{root}' (`git config --global --add \
         safe.directory {root}` allows it)"
    );
    for words in [
        &["recheck", "--fail"][..],
        &["doctor"],
        &["publish", "--issue", "7"],
        &["start", "Why?", "--replace", "--context", "src"],
        &["start", "Why?", "--replace", "--diff"],
        &["run", "Why?", "--replace", "--diff=main", "--agent", "cmd:true"],
    ] {
        let printed = host.run(words);
        let said = format!("{} {}", printed.stdout, printed.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&line), "{words:?}: {printed:?}");
        assert!(!said.contains("not a git repository"), "{words:?}: {printed:?}");
    }
    let said = host.prompt("s2", "/anvil:debate Should it retry? --replace");
    host.stop("s2", CASE);
    assert!(last_note(host).text.starts_with("**A1:** not looked at, "), "{said:?}");
    // Neither needs git.
    assert!(host.run(&["history"]).stdout.contains("Should it retry?"));
    host.stop("s2", "**C1. It is slow.** y [reasoning]");
    let records = ["report", "--format", "adr", "--output", "docs/adr/"];
    assert!(host.run(&records).stderr.contains("no verdict"), "{:?}", host.run(&records));
}
