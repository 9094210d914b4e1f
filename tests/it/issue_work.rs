//! Work at a debate by way of the comments of its issue, between machines that share nothing else.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::forge::{Issue, done};
use crate::host::Host;

const REPLIES: &str = "# advocate, round 1\n\n**A1. It pays.** Less work [reasoning].\n\n\
    # critic, round 1\n\n**C1. It costs a month.** Nobody has it [assumption].\n\n\
    # synthesis\n\n**Recommendation:** Wait.\n\n**Verdict:** depends\n\n**Rests on:** C1\n\n**Confidence:** 60 %, because.\n\n\
    **Would flip if:** x\n\n**Still unknown:** y\n\n### What survived\n\n- **A1** weakened: by C1.\n- **C1** survived: it stands.\n\n\
    ### What to do\n\n1. Everybody: wait.\n";

/// A machine that works at the issue by a script.
fn machine(issue: &Issue) -> Host {
    let host = issue.machine().with("ANVIL_ISSUE_POLL", "0.1").with("ANVIL_RETRY_DELAYS", "0,0,0");
    fs_err::write(host.outside("replies.md"), REPLIES).unwrap();
    host
}

/// A worker on that machine.
fn joins(host: &Host, seat: &str, name: &str) -> Child {
    works(host, seat, name, &format!("script:{}", host.outside("replies.md").display()))
}

fn works(host: &Host, seat: &str, name: &str, agent: &str) -> Child {
    let words = ["join", "--issue", "7", "--as", seat, "--name", name, "--agent", agent];
    let mut command = host.command(&words, host.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// One that shares the debate's own folder.
fn works_here(host: &Host, seat: &str, agent: &str) -> Child {
    let mut command = host.command(&["join", "--as", seat, "--agent", agent], host.root());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn ended(worker: Child) -> String {
    let output = worker.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

/// A debate that was published and waits for workers.
fn published(issue: &Issue) -> Host {
    let host = issue.machine();
    assert_eq!(host.run(&["start", "Should we?", "--rounds", "1"]).code, 0);
    done(&host.run(&["publish", "7"]));
    host
}

/// Takes in what was posted until so many replies are filed.
fn gathered(host: &Host, count: usize) {
    let began = Instant::now();
    while host.sections().len() < count {
        let said = host.run(&["publish", "7", "--gather"]);
        assert!(began.elapsed() < Duration::from_secs(40), "never {count}: {}", done(&said));
    }
}

/// Takes in what was posted until a status is reached; gives back what that said.
fn gathers(host: &Host, until: &str) -> String {
    let began = Instant::now();
    let mut said = String::new();
    while host.head("status") != until {
        assert!(began.elapsed() < Duration::from_secs(40), "never {until}: {said}");
        said.push_str(done(&host.run(&["publish", "7", "--gather"])));
        said.push('\n');
        std::thread::sleep(Duration::from_millis(50));
    }
    said
}

#[test]
fn machines_that_share_an_issue_alone_argue_a_debate() {
    let issue = Issue::new("What to do?");
    let host = published(&issue);
    let machines = [("advocate", "Ann"), ("critic", "Bob"), ("synthesizer", "Eve")].map(|(seat, name)| {
        let machine = machine(&issue);
        let worker = joins(&machine, seat, name);
        (machine, worker)
    });
    let said = gathers(&host, "completed");
    assert!(said.contains("Anvil: critic, round 1 is filed, by Bob."), "{said}");
    for (_, worker) in machines {
        let said = ended(worker);
        assert!(said.contains("the debate is complete") || said.contains("nothing of this seat is left"), "{said}");
    }
    let texts: Vec<String> = host.sections().into_iter().map(|section| section.text).collect();
    assert_eq!(texts.len(), 3);
    assert!(
        texts[1].starts_with("**C1. It costs a month.**") && texts[2].contains("**Verdict:** depends"),
        "{texts:?}"
    );
    assert!(issue.body().starts_with("What to do?"), "the body is written by who published alone");
    // A claim and a reply each, and nobody was mentioned.
    let comments: Vec<String> = (0..).map_while(|number| issue.comment(number)).collect();
    assert_eq!(comments.len(), 6, "{comments:#?}");
    assert!(comments[0].contains("Ann writes advocate, round 1 of this debate."), "{}", comments[0]);
}

#[test]
fn of_two_who_claim_a_reply_one_writes_it() {
    for _ in 0..3 {
        let issue = Issue::new("");
        let host = published(&issue);
        let machines = ["Ann", "Bob"].map(|name| {
            let machine = machine(&issue);
            let worker = joins(&machine, "advocate", name);
            (machine, worker)
        });
        gathered(&host, 1);
        for (_, worker) in machines {
            ended(worker);
        }
        let comments: Vec<String> = (0..).map_while(|number| issue.comment(number)).collect();
        let replies = comments.iter().filter(|comment| comment.contains("has written")).count();
        assert_eq!(replies, 1, "{comments:#?}");
    }
}

/// Waits until this comment says that.
fn is_posted(issue: &Issue, number: usize, what: &str) {
    let began = Instant::now();
    while !issue.comment(number).is_some_and(|comment| comment.contains(what)) {
        assert!(began.elapsed() < Duration::from_secs(30), "comment {number} never says {what:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until so many more requests were made of the forge.
fn is_asked(issue: &Issue, more: usize) {
    let asked = || fs_err::read_to_string(issue.path("asked")).unwrap_or_default().lines().count();
    let (began, before) = (Instant::now(), asked());
    while asked() < before + more {
        assert!(began.elapsed() < Duration::from_secs(30), "nobody asks");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_worker_that_ends_in_good_order_frees_its_task_and_the_user_frees_that_of_another() {
    let issue = Issue::new("");
    let host = published(&issue);
    let other = machine(&issue);
    let slow = "cmd:/bin/sh -c 'cat >/dev/null; sleep 60'";
    let stopped = works(&other, "advocate", "Ann", slow);
    is_posted(&issue, 0, "Ann writes advocate, round 1");
    rustix::process::kill_process(rustix::process::Pid::from_child(&stopped), rustix::process::Signal::INT).unwrap();
    assert_eq!(stopped.wait_with_output().unwrap().status.code(), Some(130));
    is_posted(&issue, 1, "advocate, round 1 of this debate is free again");
    let mut killed = works(&other, "advocate", "Bob", slow);
    is_posted(&issue, 2, "Bob writes advocate, round 1");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let waits = joins(&other, "advocate", "Eve");
    is_asked(&issue, 9);
    let none = host.run(&["workers", "--drop", "critic-1", "--issue", "7"]);
    assert!(none.code == 3 && none.err.contains("critic-1 is free"), "{none:?}");
    let freed = host.run(&["workers", "--drop", "advocate-1", "--issue", "7"]);
    assert!(done(&freed).contains("advocate-1 is free; what Bob still writes for it is not filed"), "{freed:?}");
    is_posted(&issue, 5, "Eve has written advocate, round 1");
    gathers(&host, "in_progress");
    let said = ended(waits);
    assert!(said.contains("held by Bob") && said.contains("`anvil workers --drop advocate-1 --issue 7`"), "{said}");
    assert!(said.contains("advocate-1 is written; `anvil publish 7 --gather` takes it in"), "{said}");
}

#[test]
fn a_forge_that_does_not_answer_for_now_is_asked_again_and_one_that_refuses_is_not() {
    let issue = Issue::new("");
    let host = published(&issue);
    let other = machine(&issue);
    let worker = joins(&other, "critic", "Ann");
    is_asked(&issue, 9);
    fs_err::write(issue.path("refuse"), "gh: Bad Gateway (HTTP 502)").unwrap();
    is_asked(&issue, 2);
    fs_err::remove_file(issue.path("refuse")).unwrap();
    let advocate = machine(&issue);
    let helper = joins(&advocate, "advocate", "Bob");
    is_posted(&issue, 1, "Bob has written");
    gathered(&host, 2);
    let said = ended(worker);
    assert!(said.contains("github.com answers 502: Bad Gateway; it is asked again"), "{said}");
    ended(helper);
    fs_err::write(issue.path("refuse"), "gh: Must have push access (HTTP 403)").unwrap();
    let refused = other.run(&["join", "--issue", "7", "--as", "critic"]);
    assert!(refused.code == 1 && refused.err.contains("may not"), "{refused:?}");
}

#[test]
fn a_reply_out_of_form_is_asked_for_once_more_and_then_taken() {
    let issue = Issue::new("");
    let host = published(&issue);
    let other = machine(&issue);
    let worker = works(&other, "advocate", "Ann", "cmd:/bin/sh -c 'cat >/dev/null; echo No number at all.'");
    is_posted(&issue, 1, "Ann has written advocate, round 1");
    gathers(&host, "in_progress");
    assert_eq!(host.sections()[0].text, "No number at all.");
    assert!(ended(worker).contains("asked again"));
}

#[test]
fn what_a_stranger_posts_or_somebody_edits_is_not_taken() {
    let issue = Issue::new("");
    let host = published(&issue);
    let other = machine(&issue);
    let mut worker = joins(&other, "advocate", "Ann");
    let began = Instant::now();
    while fs_err::read_to_string(issue.path("comment-1.json")).map_or(true, |text| text.is_empty()) {
        assert!(began.elapsed() < Duration::from_secs(30), "nothing is posted");
        std::thread::sleep(Duration::from_millis(20));
    }
    worker.kill().unwrap();
    worker.wait().unwrap();
    fs_err::write(issue.path("strangers"), "").unwrap();
    done(&host.run(&["publish", "7", "--gather"]));
    assert!(host.sections().is_empty(), "its account may not write here");
    fs_err::remove_file(issue.path("strangers")).unwrap();
    let comment = issue.path("comment-1.json");
    let text = fs_err::read_to_string(&comment).unwrap();
    fs_err::write(&comment, text.replace("\"updated_at\":\"1\"", "\"updated_at\":\"2\"")).unwrap();
    done(&host.run(&["publish", "7", "--gather"]));
    assert!(host.sections().is_empty(), "it was edited");
    fs_err::write(&comment, text).unwrap();
    let said = host.prompt("one", "/anvil:publish 7 --gather");
    assert!(said.ended().contains("advocate, round 1 is filed, by Ann."), "{said:?}");
    assert_eq!(host.sections().len(), 1);
}

fn failed(worker: Child) -> String {
    let output = worker.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

/// Nothing is written, posted or paid for again and again.
#[test]
fn a_worker_whose_claim_or_reply_does_not_count_ends() {
    let issue = Issue::new("");
    published(&issue);
    let other = machine(&issue);
    fs_err::write(issue.path("strangers"), "").unwrap();
    let said = failed(joins(&other, "advocate", "Ann"));
    assert!(said.contains("this worker's claim does not count in github.com/octo/hello#7"), "{said}");
    assert!(issue.comment(1).is_none(), "it claims once");
    fs_err::remove_file(issue.path("strangers")).unwrap();
    done(&other.run(&["workers", "--drop", "advocate-1", "--issue", "7"]));
    fs_err::write(issue.path("readers"), "").unwrap();
    assert!(failed(joins(&other, "advocate", "Ann")).contains("gh's account may not write to github.com/octo/hello"));
    assert!(issue.comment(2).is_none(), "it posts nothing");
    fs_err::remove_file(issue.path("readers")).unwrap();
    fs_err::write(issue.path("edits"), "").unwrap();
    let said = failed(joins(&other, "advocate", "Ann"));
    assert!(said.contains("this worker's reply does not count"), "{said}");
    let replies = (0..).map_while(|number| issue.comment(number)).filter(|comment| comment.contains("has written"));
    assert_eq!(replies.count(), 1);
}

#[test]
fn what_was_undone_is_written_anew_and_what_is_held_here_is_left_to_its_holder() {
    let issue = Issue::new("");
    let host = issue.machine();
    assert_eq!(host.run(&["start", "Should we?", "--stakeholders", "one,two"]).code, 0);
    done(&host.run(&["publish", "7"]));
    let other = issue.machine().with("ANVIL_ISSUE_POLL", "0.1");
    let says =
        |name: &str| format!("cmd:/bin/sh -c 'cat >/dev/null; echo \"**S1.1. {name} says so.** x [reasoning]\"'");
    let first = |host: &Host| {
        gathered(host, 1);
        host.sections()[0].text.clone()
    };
    let worker = works(&other, "stakeholder-1", "Ann", &says("Ann"));
    assert!(first(&host).contains("Ann says so"));
    ended(worker);
    assert_eq!(host.run(&["undo"]).code, 0);
    assert!(!done(&host.run(&["publish", "7", "--gather"])).contains("is filed"));
    let worker = works(&other, "stakeholder-1", "Eve", &says("Eve"));
    assert!(first(&host).contains("Eve says so"));
    ended(worker);
    // What somebody holds on this machine is theirs.
    let mut holder = works_here(&host, "stakeholder-2", "cmd:/bin/sh -c 'cat >/dev/null; sleep 60'");
    let began = Instant::now();
    while !host.run(&["tasks"]).out.contains("in progress  cmd") {
        assert!(began.elapsed() < Duration::from_secs(30), "nobody holds it");
    }
    let worker = works(&other, "stakeholder-2", "Ann", &says("Ann").replace("S1.1", "S2.1"));
    is_posted(&issue, 6, "Ann has written stakeholder 2");
    assert!(!done(&host.run(&["publish", "7", "--gather"])).contains("is filed"));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(done(&host.run(&["publish", "7", "--gather"])).contains("stakeholder 2 is filed, by Ann"));
    ended(worker);
}

#[test]
fn what_the_debate_has_passed_by_is_not_written() {
    let issue = Issue::new("");
    let host = issue.machine();
    assert_eq!(host.run(&["start", "Should we?", "--rounds", "3"]).code, 0);
    done(&host.run(&["publish", "7"]));
    for (seat, count) in [("advocate", 1), ("critic", 2)] {
        let other = machine(&issue);
        let mut worker = joins(&other, seat, seat);
        gathered(&host, count);
        worker.kill().unwrap();
        worker.wait().unwrap();
        // What is awaited is still written, and the synthesis comes after it.
        host.run(&["synthesize"]);
    }
    done(&host.run(&["publish", "7"]));
    let other = machine(&issue);
    let said = ended(joins(&other, "advocate", "Eve"));
    assert!(said.contains("nothing of this seat is left to write"), "{said}");
}

#[test]
fn another_debate_in_the_issue_is_not_worked_at() {
    let issue = Issue::new("");
    let host = published(&issue);
    let other = machine(&issue);
    let worker = joins(&other, "critic", "Ann");
    is_asked(&issue, 9);
    assert_eq!(host.run(&["start", "Something else?", "--replace"]).code, 0);
    assert_eq!(host.run(&["publish", "7", "--force"]).code, 0);
    let output = worker.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && said.contains("has another debate now"), "{said}");
}

#[test]
fn what_was_given_on_standard_input_is_kept_where_it_is_not_posted() {
    let issue = Issue::new("");
    published(&issue);
    let other = machine(&issue);
    let refused = other.pipe(&["join", "--issue", "7", "--as", "advocate", "--me"], "No number, and dear to me.");
    assert!(refused.code == 1 && refused.err.contains("not usable as it is"), "{refused:?}");
    let drafts = other.files().into_iter().filter(|(_, text)| String::from_utf8_lossy(text).contains("dear to me"));
    assert_eq!(drafts.count(), 1);
    assert!(issue.comment(1).is_some_and(|comment| comment.contains("is free again")));
}

#[test]
fn a_debate_that_is_in_no_issue_is_joined_by_nobody() {
    let issue = Issue::new("Nothing here.");
    let machine = machine(&issue);
    let none = machine.run(&["join", "--issue", "7", "--as", "critic"]);
    assert!(none.code == 3 && none.err.contains("there is no debate in github.com/octo/hello#7"), "{none:?}");
    let no_issue = machine.run(&["join", "--repo", "octo/hello", "--as", "critic"]);
    assert!(no_issue.code == 2 && no_issue.err.contains("--issue N"), "{no_issue:?}");
}
