//! `anvil run --publish N`: the issue is current after every phase, and a forge that fails stops
//! nothing.

use super::{HELD, Room};
use crate::forge::Issue;
use testkit::host::Output;

/// Makes the forge fail from now on.
const FAILS: &str = "echo 'gh: Bad Gateway (HTTP 502)'";

const WHY: &str = "github.com answers 502: Bad Gateway";

/// A debate in the issue, and a machine with its agents.
fn room() -> (Issue, Room) {
    let issue = Issue::new("What to do?");
    let room = Room::of(issue.machine());
    (issue, room)
}

impl Room {
    /// The transcript in a body.
    fn transcript_in(&self, body: &str) -> String {
        let extracted = self.host.pipe(&["body", "extract", "--state"], body);
        assert_eq!(extracted.code, 0, "{extracted:?}");
        transcript(&extracted.stdout)
    }

    /// The issue has the whole debate, or takes it now: a run that was killed before its last write
    /// leaves no conflict.
    pub(super) fn is_published(&self, context: &str) {
        let Some(issue) = &self.issue else { return };
        let published = self.host.run(&["publish", "7"]);
        assert_eq!(published.code, 0, "{context}: {published:?}");
        let there = self.transcript_in(&issue.body());
        assert_eq!(there, transcript(&self.host.state_text()), "{context}");
    }

    fn status(&self) -> String {
        let printed = self.host.run(&["status"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        printed.stdout
    }
}

fn transcript(state: &str) -> String {
    let begins = state.find("\n# ").unwrap();
    state[begins..].trim_end().to_owned()
}

fn behind(next: &str) -> String {
    format!("  Issue #7 is behind: {WHY}; {next}\n")
}

fn requests(issue: &Issue) -> usize {
    fs_err::read_to_string(issue.path("asked")).unwrap_or_default().lines().count()
}

/// The lines of a run about its issue that is behind.
fn left_behind(ran: &Output) -> String {
    let lines = ran.stderr.lines().filter(|line| line.contains(" is behind: "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn an_issue_is_current_after_each_of_seven_phases_although_its_forge_fails_twice() {
    let (issue, room) = room();
    // Each agent keeps the issue and the debate as they are when its phase begins. The forge fails
    // after the second and the fifth phase.
    let script = format!(
        "take_in; n=$(ls | grep -c '^state-'); r=$((n / 2 + 1))
         cp {issue} body-$n; cp {state} state-$n
         case $n in 1|4) {FAILS} >{refuse} ;; *) rm -f {refuse} ;; esac
         case $seat in
           advocate) echo \"**A$r. Reason $r pays.** Less work [assumption].\" ;;
           critic) echo \"**C$r. Reason $r costs.** A month [assumption].\"
             echo \"**Attacks A$r:** \\\"Reason $r pays\\\" comes too late.\" ;;
           *) say ;;
         esac\n",
        issue = issue.path("issue.json").display(),
        refuse = issue.path("refuse").display(),
        state = room.host.state_path().display(),
    );
    for seat in super::SEATS {
        room.does(seat, &script);
    }
    let synthesis = super::synthesis_of(&["A1", "C1", "A2", "C2", "A3", "C3"]);
    fs_err::write(room.file("synthesizer.md"), synthesis).unwrap();
    let words = room.begins(&["--publish", "7"]);
    let words: Vec<&str> =
        words.iter().map(|word| if word == "1" { "3" } else { word.as_str() }).collect();
    let ran = room.host.run(&words);
    let line = behind("the next phase tries again");
    assert_eq!((ran.code, left_behind(&ran)), (0, line.repeat(2)), "{ran:?}");

    let kept = |name: &str, phase: usize| {
        fs_err::read_to_string(room.file(&format!("{name}-{phase}"))).unwrap()
    };
    let body = |phase| {
        let issue: serde_json::Value = serde_json::from_str(&kept("body", phase)).unwrap();
        issue["body"].as_str().unwrap().to_owned()
    };
    assert_eq!(body(0), "What to do?", "nothing is written before the first reply");
    for phase in 1..7 {
        let written = if matches!(phase, 2 | 5) { phase - 1 } else { phase };
        let there = room.transcript_in(&body(phase));
        assert_eq!(there, transcript(&kept("state", written)), "phase {phase}");
        assert_eq!(there.matches("\n## ").count(), written.div_ceil(2), "phase {phase}: {there}");
    }
    let end = issue.body();
    assert_eq!(room.transcript_in(&end), transcript(&room.host.state_text()));
    assert!(end.starts_with("What to do?\n\n<!-- anvil-state"), "{end}");
    assert_eq!(room.host.head("status"), "completed");
    assert!(!room.status().contains("behind"));
}

#[test]
fn the_status_says_that_an_issue_is_behind_until_it_is_written() {
    let (issue, room) = room();
    let refuse = issue.path("refuse");
    room.does("advocate", &format!("take_in; {FAILS} >{}; say\n", refuse.display()));
    room.does("critic", "take_in; exit 77\n");
    let ran = room.run(&["--publish", "7"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let by_hand = behind("`anvil publish 7` writes it");
    assert_eq!(left_behind(&ran), behind("the next phase tries again") + &by_hand);
    assert!(ran.stderr.contains("`anvil run --resume --publish 7` continues"), "{ran:?}");
    assert_eq!(issue.body(), "What to do?");
    assert!(room.status().contains(&by_hand), "{}", room.status());
    let status = room.host.run(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["issue_behind"], serde_json::json!({ "issue": 7, "why": WHY }));

    // The option counts for the run for which it was typed.
    fs_err::remove_file(refuse).unwrap();
    let asked = requests(&issue);
    room.does("critic", super::WELL);
    let ran = room.resume(&[]);
    assert_eq!(
        (ran.code, left_behind(&ran), requests(&issue)),
        (0, String::new(), asked),
        "{ran:?}"
    );
    // The end and the status say it.
    assert!(ran.stdout.contains(by_hand.trim()), "{ran:?}");
    assert!(room.status().contains(by_hand.trim()), "{}", room.status());
    assert_eq!(room.host.run(&["publish", "7"]).code, 0);
    assert_eq!(room.transcript_in(&issue.body()), transcript(&room.host.state_text()));
    assert!(!room.status().contains("behind"), "{}", room.status());
}

#[test]
fn a_run_says_at_its_start_how_much_its_issue_has_room_for() {
    let (issue, room) = room();
    let ran = room.run(&["--publish", "7"]);
    let fits = |out: &str| {
        let line = out.lines().find(|line| line.contains("Issue #7")).unwrap().to_owned();
        let number = line.split("about ").nth(1).unwrap().split(' ').next().unwrap();
        (number.parse::<usize>().unwrap(), line)
    };
    let (rounds, line) = fits(&ran.stderr);
    assert_eq!(line, format!("  Issue #7 has room for this debate: about {rounds} rounds fit"));
    assert!(
        (20..26).contains(&rounds) && ran.stderr.find(&line) < ran.stderr.find("● advocate"),
        "{ran:?}"
    );

    // With little room the last block stays, and the report comes at the end. It is not written
    // three times.
    issue.set(&"x".repeat(65_200));
    let asked = requests(&issue);
    let words = room.begins(&["--publish", "7"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(room.host.run(&["cancel"]).code, 3);
    let ran = room.host.run(&words);
    let none =
        "  Issue #7 has no room for a reply: its text stays, and the report is posted as a comment";
    assert!(ran.code == 0 && ran.stderr.contains(none), "{ran:?}");
    let there = "more than the 65536 it can have; its report is a comment there\n";
    let left = left_behind(&ran);
    assert!(left.ends_with(there) && left.lines().count() == 3, "{ran:?}");
    assert!(issue.comment(0).unwrap().contains("# Why?") && issue.comment(1).is_none());
    assert!(requests(&issue) - asked < 10, "{}", requests(&issue) - asked);
    assert!(room.status().contains("Issue #7 is behind: with the debate the body would have"));

    // A comment that is refused is not said to be there.
    issue.set(&"x".repeat(65_200));
    fs_err::remove_file(issue.path("comment-0.json")).unwrap();
    fs_err::write(issue.path("no-comments"), "gh: Must have rights (HTTP 403)").unwrap();
    let ran = room.host.run(&words);
    let refused = "Must have rights; `anvil publish 7 --comment` posts the report\n";
    assert!(ran.stderr.ends_with(refused) && issue.comment(0).is_none(), "{ran:?}");
    assert!(room.status().replace("\n  ", " ").contains(refused.trim()), "{}", room.status());

    // An issue with another debate is said at once.
    issue.set("");
    let other = issue.machine().debating("Else?");
    assert_eq!(other.run(&["publish", "7"]).code, 0);
    let ran = room.host.run(&words);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("Issue #7")).collect();
    assert!(lines[0].starts_with("  Issue #7: another debate is in github.com/octo/hello#7: "));
    assert!(lines[0].contains("; publish to another issue, or --force"), "{ran:?}");
    let [first, last] = [lines[1], lines[lines.len() - 1]];
    assert!(first.ends_with("; the next phase tries again") && ran.code == 0, "{ran:?}");
    assert!(last.ends_with("; `anvil pull 7` takes what is there") && lines.len() < 6, "{ran:?}");
}

#[test]
fn a_write_with_a_lost_answer_is_known_as_ones_own() {
    let (issue, room) = room();
    let lost = issue.path("lost-answer");
    for seat in ["advocate", "synthesizer"] {
        room.does(seat, &format!("take_in; : >{}; say\n", lost.display()));
    }
    let ran = room.run(&["--publish", "7"]);
    // The end of a run tries again.
    let line = "  Issue #7 is behind: gh got no answer from github.com: it printed nothing; the next \
                phase tries again\n";
    assert_eq!((ran.code, left_behind(&ran)), (0, line.to_owned()), "{ran:?}");
    assert_eq!(room.transcript_in(&issue.body()), transcript(&room.host.state_text()));
    assert!(!lost.exists() && !room.status().contains("behind"), "{}", room.status());
}

#[test]
fn a_run_does_not_overwrite_what_somebody_else_has_published() {
    let (issue, room) = room();
    room.does("critic", HELD);
    let run = room.spawn(&room.begins(&["--publish", "7"]));
    room.reaches("critic");
    let there = issue.machine();
    assert_eq!(there.run(&["pull", "7"]).code, 0);
    there.prompt("two", "/anvil:resume");
    there.stop("two", "**C1. The other side says no.** [reasoning]");
    assert_eq!(there.run(&["publish", "7"]).code, 0);
    let theirs = issue.body();
    room.releases_reply();
    let (code, printed) = run.ends();
    assert_eq!((code, issue.body()), (Some(0), theirs), "{printed}");
    let why = "Issue #7 is behind: somebody else has published to github.com/octo/hello#7";
    assert_eq!(printed.matches(why).count(), 2, "{printed}");
    assert!(room.status().contains(why), "{}", room.status());
    room.is_complete("somebody else has published");
}

#[test]
fn only_the_command_line_of_a_run_publishes() {
    let (issue, room) = room();
    for folder in [room.host.path(".claude"), room.host.home().join(".claude")] {
        fs_err::create_dir_all(&folder).unwrap();
        let file = folder.join("anvil.local.md");
        fs_err::write(&file, "---\npublish: 7\n---\n").unwrap();
        let ran = room.run(&[]);
        assert!(
            ran.code == 2 && ran.stderr.contains("line 2") && ran.stderr.contains("publish"),
            "{ran:?}"
        );
        fs_err::remove_file(file).unwrap();
    }
    let ran = room.run(&["--publish", "0"]);
    let line = "anvil: --publish takes the number of an issue, not \"0\"\nhint: for example --publish 12\n";
    assert_eq!((ran.code, &*ran.stderr), (2, line), "{ran:?}");
    for verb in [&["start", "Why?"][..], &["claim"]] {
        let ran = room.host.run(&[verb, &["--publish", "7"]].concat());
        assert!(ran.code == 2 && ran.stderr.contains("--publish"), "{ran:?}");
    }
    for typed in ["debate Why?", "debate Why? --isolated", "resume", "resume --isolated"] {
        let answer = room.host.prompt("one", &format!("/anvil:{typed} --publish 7"));
        assert!(answer.reason().contains("--publish"), "{typed}: {answer:?}");
    }
    assert!(!room.host.state_path().exists());

    // A key of a debate's file.
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    room.host.edit("---\n", "---\npublish: 7\n");
    room.does("critic", super::WELL);
    assert_eq!(room.resume(&["--max-reply", "1m"]).code, 0);
    room.is_complete("a key of the file");
    assert_eq!((requests(&issue), issue.body()), (0, "What to do?".to_owned()));

    // A key of a block.
    assert_eq!(room.host.run(&["undo"]).code, 0);
    assert_eq!(room.host.run(&["publish", "7"]).code, 0);
    let body = issue.body();
    let other = Room::of(issue.machine());
    issue.set(&body.replacen("\"options\":{", "\"options\":{\"publish\":7,", 1));
    let pulled = other.host.run(&["pull", "7"]);
    assert!(pulled.code == 1 && pulled.stderr.contains("`publish` is invalid"), "{pulled:?}");
    let planted = body.replacen("\"options\":", "\"added\":{\"publish\":7},\"options\":", 1);
    issue.set(&planted);
    let pulled = other.host.run(&["pull", "7"]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    let asked = requests(&issue);
    let words = other.begins(&[]).split_off(4);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(other.resume(&words).code, 0);
    assert_eq!((requests(&issue), issue.body()), (asked, planted));
}

/// Part of each secret word of an agent's command.
const CANARY: &str = "canary-9f";

/// An agent whose folder and arguments are secret. It writes the advocate's replies, and fails
/// elsewhere with all that it knows.
fn secretive(room: &Room) -> String {
    let folder = room.host.outside(&format!("secret-folder-{CANARY}"));
    fs_err::create_dir_all(&folder).unwrap();
    let script = "#!/bin/sh\nprompt=$(cat)\ncase $prompt in\n*'── Advocate'*) \
                  echo '**A1. First.** So [reasoning].';;\n\
                  *) echo \"$0: bad token: $0 $*\" >&2; ls \"${0%/*}/none\" >&2; exit 1;;\nesac\n";
    let program = folder.join("agent.sh");
    fs_err::write(&program, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&program, mode).unwrap();
    format!("cmd:{} --token {CANARY}-token --key={CANARY}-key", program.display())
}

#[test]
fn no_text_that_travels_has_the_folder_or_an_argument_of_an_agent() {
    let (issue, room) = room();
    let agent = secretive(&room);
    let run = ["run", "Why?", "--rounds", "1", "--publish", "7", "--json", "--agent", &agent];
    let ran = room.host.run(&run);
    assert_eq!(ran.code, 5, "{ran:?}");
    let mut texts = vec![("run --json", ran.stdout)];
    let mut gather = |when: &'static str| {
        texts.push((when, room.host.state_text()));
        texts.push((when, issue.body()));
        texts.extend((0..).map_while(|number| issue.comment(number)).map(|text| (when, text)));
        for form in ["md", "html", "json", "adr"] {
            texts
                .push((form, room.host.run(&["report", "--format", form, "--output", "-"]).stdout));
        }
        for words in [
            &["report", "--full"][..],
            &["status"],
            &["status", "--json"],
            &["tasks"],
            &["tasks", "--json"],
            &["claims", "--json"],
            &["history", "--json"],
            &["body", "embed", "--body", "-"],
        ] {
            texts.push((when, room.host.pipe(words, "Text.\n").stdout));
        }
    };
    gather("failed");
    assert!(room.host.state_text().contains("cmd:agent.sh: the program failed"));
    let published = room.host.run(&["publish", "7", "--comment"]);
    assert_eq!(published.code, 0, "{published:?}");
    gather("published");
    for (what, text) in texts {
        assert!(!text.contains(CANARY), "{what}: {text}");
    }
}

#[test]
fn a_run_about_a_pull_request_leaves_its_verdict_there() {
    let (issue, room) = room();
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let view = format!(
        r#"{{"title":"Mend it","body":"","author":{{"login":"ann"}},"baseRefName":"main","headRefName":"mend","headRefOid":"{commit}","url":"https://github.com/octo/hello/pull/7","additions":1,"deletions":1,"changedFiles":1}}"#
    );
    fs_err::write(issue.path("pr-view"), view).unwrap();
    let patch = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-one\n+two\n";
    fs_err::write(issue.path("pr-diff"), patch).unwrap();
    let block = "recommendation: Merge it.\nverdict: do\nrests on: A1\nconfidence: 80";
    let ids = ["A1".to_owned(), "C1".to_owned()];
    let synthesis = testkit::host::synthesis(block, &ids, Some("merge pull request 7"));
    fs_err::write(room.file("synthesizer.md"), synthesis + "\n").unwrap();
    let agents =
        ["advocate", "critic", "synthesizer"].map(|seat| (format!("--{seat}"), room.agent(seat)));
    let mut words = vec!["run", "--pr", "7", "--comment", "--rounds", "1"];
    words.extend(agents.iter().flat_map(|(option, agent)| [option.as_str(), agent.as_str()]));
    let ran = room.host.run(&words);
    assert!(
        ran.code == 0 && ran.stderr.contains("The verdict is a comment of github.com/octo/hello#7"),
        "{ran:?}"
    );
    let comment = issue.comment(0).unwrap();
    assert!(comment.contains("### Should we merge pull request 7?\n"), "{comment}");
    assert!(comment.contains("of commit `0123456789`") && issue.comment(1).is_none(), "{comment}");
    assert_eq!(issue.body(), "What to do?");
    // A forge that refuses ends nothing.
    fs_err::remove_file(issue.path("comment-0.json")).unwrap();
    fs_err::write(issue.path("no-comments"), "gh: Must have rights (HTTP 403)").unwrap();
    words.push("--replace");
    let ran = room.host.run(&words);
    let says =
        "The verdict is no comment of pull request 7: gh's account is not allowed to write to";
    assert!(ran.code == 0 && ran.stderr.contains(says), "{ran:?}");
    let without = room.host.run(&["run", "Why?", "--comment"]);
    assert!(without.code == 2 && without.stderr.contains("--pr"), "{without:?}");
}
