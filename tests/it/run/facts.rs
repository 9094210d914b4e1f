//! Fact checks between two rounds: in a copy of the files without secrets, by a checker that cannot
//! stop the debate.

use std::os::unix::fs::symlink;

use super::{HANGS, HELD, Room, WELL};
use testkit::host::Output;

/// The advocate's reply: two claims that can be checked, and one that cannot.
const CASE: &str = "**A1. It retries five times.** So the file says [evidence: src/x.rs].\n\n\
                    **A2. It is fast.** Measured [evidence: src/y.rs].\n\n**A3. It pays.** Less work [reasoning].\n";

/// The synthesis of these claims.
const JUDGED: &str = "We wait.\n\n```anvil\nmotion: act\nA1 fell: the file says otherwise\nA2 survived: so\nA3 weakened: by C1\n\
    C1 survived: unanswered\nagainst: it pays\nrecommendation: Wait.\nverdict: do not\nconfidence: 60\nrests on: A2\n\
    flips if: a month is found\nunknown: who has time\n```\n";

/// The answer of a checker that has read the files.
const FOUND: &str = "```anvil\nA1 contradicted: src/x.rs:2 \"retries = 3\"\nA2 supported: src/y.rs:1 \"fast\"\n```\n";

/// A room whose project has a file, and whose fact-checker gives this answer.
fn room(checker: &str, says: &str) -> Room {
    let room = Room::new();
    fs_err::create_dir_all(room.host.path("src")).unwrap();
    fs_err::write(room.host.path("src/x.rs"), "// CANARY-file\nlet retries = 3;\n").unwrap();
    let critic = "**C1. It costs a month.** Nobody has it [assumption].\n**Attacks A3:** \"It pays\" comes too late.\n";
    for (seat, reply) in
        [("advocate", CASE), ("critic", critic), ("synthesizer", JUDGED), ("checker", says)]
    {
        fs_err::write(room.file(&format!("{seat}.md")), reply).unwrap();
    }
    room.does("checker", checker);
    room
}

fn checked(room: &Room, more: &[&str]) -> Output {
    let checker = room.agent("checker");
    room.run(&[&["--fact-check", "--fact-checker", &checker], more].concat())
}

fn slots(room: &Room) -> Vec<String> {
    room.ends().into_iter().map(|(slot, _)| slot).collect()
}

fn prompt(room: &Room, attempt: usize) -> String {
    let record = room.record();
    let id = record["id"].as_str().unwrap();
    let path = room.host.debate_folder(id).join(format!("attempts/{attempt}/prompt.md"));
    fs_err::read_to_string(path).unwrap()
}

/// The check of a claim in `anvil claims --json`.
fn check_of(room: &Room, claim: &str) -> serde_json::Value {
    let claims: serde_json::Value = room.host.run(&["claims", "--json"]).json();
    claims["claims"].as_array().unwrap().iter().find(|one| one["id"] == claim).unwrap()["check"]
        .clone()
}

#[test]
fn claims_are_checked_in_a_copy_without_secrets() {
    let token = format!("ghp_{}", "aB3d".repeat(9));
    let room = room("", FOUND);
    let project = room.host.root().display().to_string();
    // The checker reads only its own folder here.
    let looks = "cat >prompt; pwd >folder; find . ! -type d | sort >found; find . -type f -exec cat {} + >read";
    let script = format!(
        "out={}; {} ; echo \"checker $ANVIL_CHILD\" >>$out/paid; cat $out/checker.md\n",
        room.file("").display(),
        ["prompt", "folder", "found", "read"].iter().fold(looks.to_owned(), |looks, name| {
            looks.replace(&format!(">{name}"), &format!(">$out/{name}"))
        })
    );
    fs_err::write(room.file("checker.sh"), script).unwrap();
    fs_err::write(room.host.path("src/y.rs"), format!("fast\nlet token = \"{token}\";\n")).unwrap();
    fs_err::write(room.host.path(".env"), "KEY=CANARY-env\n").unwrap();
    fs_err::write(room.file("outside.txt"), "CANARY-outside\n").unwrap();
    symlink(room.file("outside.txt"), room.host.path("src/link.txt")).unwrap();
    symlink(room.file(""), room.host.path("folder")).unwrap();

    let ran = checked(&room, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        slots(&room),
        ["advocate, round 1", "critic, round 1", "fact check, round 1", "synthesis"]
    );
    let noted = |name: &str| fs_err::read_to_string(room.file(name)).unwrap();
    assert_eq!(noted("found"), "./src/x.rs\n./src/y.rs\n");
    let read = noted("read");
    assert!(read.contains("CANARY-file") && read.contains("[masked: GitHub token]"), "{read}");
    assert!(
        !read.contains("CANARY-env") && !read.contains("CANARY-outside") && !read.contains(&token),
        "{read}"
    );
    assert!(
        !noted("folder").starts_with(&project)
            && room.host.state_text().contains("\n### Fact Check\n")
    );

    assert_eq!(noted("prompt"), prompt(&room, 3));
    for form in ["md", "html", "json"] {
        let report = room.host.run(&["report", "--format", form, "--output", "-"]).stdout;
        assert!(
            report.contains("retries = 3") && report.contains("src/x.rs:2"),
            "{form}: {report}"
        );
        assert!(report.contains("Fact check") || form == "json", "{form}: {report}");
    }
    room.is_clean("a copy of the files");
}

#[test]
fn a_contradicted_survivor_is_a_caution_and_is_not_asked_for_again() {
    let room = room(WELL, FOUND);
    fs_err::write(room.host.path("src/y.rs"), "fast\n").unwrap();
    fs_err::write(room.file("synthesizer.md"), JUDGED.replace("A1 fell", "A1 survived")).unwrap();
    let ran = checked(&room, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(slots(&room)[3..], ["synthesis"]);
    let caution = "A1 survived, says the synthesis, but the fact-check contradicts it.";
    assert!(ran.stdout.replace("\n            ", " ").contains(caution), "{ran:?}");
    assert!(room.host.run(&["claims"]).stdout.contains("the fact-check contradicts it"));
    // It is shown with the verdict.
    let line = "Fact-check: A1 is contradicted (src/x.rs:2).";
    let said = |arguments: &[&str]| room.host.run(arguments).stdout;
    for told in [
        ran.stdout.clone(),
        said(&["claims"]),
        said(&["status"]),
        said(&["report", "--full"]),
        said(&["report", "--output", "-"]),
    ] {
        let told = told.replace('\n', " ");
        assert_eq!(told.matches(line).count(), 1, "{told}");
    }
    let page = said(&["report", "--format", "html", "--output", "-"]);
    let verdict = page
        .split_once("id=\"verdict\"")
        .and_then(|(_, page)| page.split_once("</section>"))
        .unwrap()
        .0;
    assert!(
        verdict.contains("Contradicted by the fact-check") && verdict.contains("(src/x.rs:2)"),
        "{verdict}"
    );
}

#[test]
fn a_check_survives_the_death_of_its_run_and_is_paid_once() {
    // The waiting run dies during the check; somebody ends the checker during the check, too.
    for (checker, then) in [(HELD, "waited for"), (HANGS, "ended")] {
        let room = room(checker, FOUND);
        let agent = room.agent("checker");
        let run = room.spawn(&room.begins(&["--fact-check", "--fact-checker", &agent]));
        room.reaches("checker");
        run.signal("KILL");
        run.ends();
        room.releases_reply();
        if then == "ended" {
            room.ends_attempt();
            room.does("checker", WELL);
        }
        let ran = room.resume(&[]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let paid = room.paid().into_iter().filter(|(seat, _)| seat == "checker").count();
        assert_eq!(paid, if then == "ended" { 2 } else { 1 }, "{then}");
        assert_eq!(room.host.state_text().matches("\n### Fact Check\n").count(), 1, "{then}");
        assert_eq!(check_of(&room, "A1")["verdict"], "contradicted", "{then}");
        room.is_clean(then);
    }
}

#[test]
fn only_the_user_can_request_fact_checks() {
    // A project's choice does not count.
    let at_home = room(WELL, FOUND);
    let (own, of_project) = (at_home.host.home().join(".claude"), at_home.host.path(".claude"));
    fs_err::create_dir_all(&own).unwrap();
    fs_err::create_dir_all(&of_project).unwrap();
    let defaults = "---\nfact-check: yes\n---\n";
    fs_err::write(of_project.join("anvil.local.md"), defaults).unwrap();
    let ran = checked(&at_home, &[]);
    assert!(ran.code == 2 && ran.stderr.contains("anvil.local.md, line 2"), "{ran:?}");
    fs_err::remove_file(of_project.join("anvil.local.md")).unwrap();
    // A conversation cannot check facts; a user's default is ignored there.
    let typed = at_home.host.run(&["start", "Why?", "--fact-check"]);
    assert!(
        typed.code == 2 && typed.stderr.contains("anvil run QUESTION --fact-check"),
        "{typed:?}"
    );
    assert!(!at_home.host.state_path().exists());
    fs_err::write(
        own.join("anvil.local.md"),
        format!("---\nfact-check: yes\nfact-checker: \"{}\"\n---\n", at_home.agent("checker")),
    )
    .unwrap();
    assert_eq!(at_home.host.run(&["start", "Why?"]).code, 0);
    assert!(!at_home.host.state_text().contains("fact_check"), "{}", at_home.host.state_text());
    let ran = at_home.run(&["--replace"]);
    assert!(
        ran.code == 0 && slots(&at_home).contains(&"fact check, round 1".to_owned()),
        "{ran:?}"
    );

    // A debate's file does not count: this machine has no record of the checker's choice.
    let room = room("take_in; pay; at $seat; sleep 300\n", FOUND);
    let run = room.spawn(&room.begins(&["--fact-check", "--fact-checker", &room.agent("checker")]));
    room.reaches("checker");
    run.signal("INT");
    run.ends();
    fs_err::remove_dir_all(room.host.home().join(".claude")).unwrap();
    room.does("checker", WELL);
    let agents: Vec<String> = room.begins(&[]).split_off(4);
    let ran = room.resume(&agents.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(ran.code == 0 && ran.stderr.contains("--fact-checker AGENT requests it"), "{ran:?}");
    assert!(check_of(&room, "A1").is_null(), "{ran:?}");
}

#[test]
fn an_agent_without_isolation_checks_only_on_request() {
    let room = room(WELL, FOUND);
    let ran = room.run(&["--fact-check"]);
    assert!(ran.code == 2 && ran.stderr.contains("--fact-checker claude"), "{ran:?}");
    let dry = room.run(&["--fact-check", "--fact-checker", "claude", "--dry-run", "--prompts"]);
    assert!(
        dry.code == 0
            && dry.stdout.contains("\nfact-checker: claude")
            && dry.stdout.contains("# A fact-check"),
        "{dry:?}"
    );
    assert!(
        dry.stdout.contains("--tools 'Read,Glob,Grep'") && !dry.stdout.contains("\n\n\n"),
        "{dry:?}"
    );
    let ran = room.run(&["--fact-check", "--fact-checker", "codex"]);
    assert!(ran.code == 2 && ran.stderr.contains("codex can't check facts"), "{ran:?}");
    assert!(!room.host.state_path().exists() && room.paid().is_empty());
}

#[test]
fn web_checks_get_no_files_and_research_needs_a_check() {
    let room = room(
        "",
        "```anvil\nA1 contradicted: https://a.example/x \"three times\"\nA2 supported: src/x.rs:2 \"retries = 3\"\n```\n",
    );
    let out = room.file("").display().to_string();
    let script = format!("cat >/dev/null; find . ! -name . >{out}/found; cat {out}/checker.md\n");
    fs_err::write(room.file("checker.sh"), script).unwrap();
    let ran = room.run(&["--research"]);
    assert!(ran.code == 2 && ran.stderr.contains("--fact-check"), "{ran:?}");
    let ran = checked(&room, &["--research"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fs_err::read_to_string(room.file("found")).unwrap(), "");
    let check = check_of(&room, "A1");
    assert_eq!(
        (check["place"].as_str(), check["quote_found"].is_null()),
        (Some("https://a.example/x"), true)
    );
    assert_eq!(
        (check["verdict"].as_str(), check_of(&room, "A2")["verdict"].as_str()),
        (Some("contradicted"), Some("not_found"))
    );
    assert!(!room.host.state_text().contains("research"), "the seats have no web");
}
