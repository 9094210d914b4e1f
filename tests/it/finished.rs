//! A finished debate that is opened again: it comes back when its cycle is cancelled.

use serde_json::Value;
use testkit::host::Host;

/// The synthesis of the first cycle; the host adds the lines that are missing.
const END: &str = "recommendation: Keep the monolith.\nverdict: do not\nconfidence: 80";

/// A finished debate of one round.
fn finished(host: Host) -> Host {
    let host = host.debating("Should we split it? --rounds 1");
    for reply in ["**A1. Split.** One queue.", "**C1. Wait.** Eight people.", END] {
        host.stop("one", reply);
    }
    assert_eq!(host.head("status"), "completed");
    host
}

/// The row of `history` for the debate here.
fn row(host: &Host) -> Value {
    let rows = host.run(&["history", "--json"]).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["id"] == *host.debate_id());
    row.unwrap_or_else(|| panic!("{rows}")).clone()
}

/// What a state file says, without its step.
fn without_step(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("step: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The one text that was put aside when a cycle was cancelled: its name and its words.
fn cancelled_aside(host: &Host) -> (String, String) {
    let all = host.aside_files();
    let is_it = |name: &str| name.starts_with("cancelled-");
    let mut found = all.iter().filter_map(|(path, words)| {
        let name = path.file_name()?.to_str()?.to_owned();
        is_it(&name).then(|| (name, String::from_utf8_lossy(words).into_owned()))
    });
    let one = found.next().unwrap_or_else(|| panic!("{all:?}"));
    assert!(found.next().is_none(), "{all:?}");
    one
}

#[test]
fn cancel_gives_the_finished_debate_back_and_keeps_the_words_of_the_cycle() {
    for snapshots in ["32", "1"] {
        let host = finished(Host::new().with("ANVIL_SNAPSHOTS", snapshots));
        let (before, row_before) = (host.state_text(), row(&host));
        host.prompt("one", "/anvil:again The budget is halved.");
        host.stop("one", "**A2. Now.** A word of the second cycle.");
        host.run(&["report", "--output", "page.html"]);

        let said = host.prompt("one", "/anvil:cancel").reason().to_owned();
        assert_eq!(without_step(&host.state_text()), without_step(&before), "{said}");
        assert_eq!(row(&host), row_before, "{said}");
        assert!(host.run(&["report"]).stdout.contains("Keep the monolith."), "{said}");
        let page = fs_err::read_to_string(host.debate_folder_here().join("report.html")).unwrap();
        assert!(page.contains("Keep the monolith.") && !page.contains("second cycle"), "{said}");
        let (name, words) = cancelled_aside(&host);
        assert!(words.contains("A word of the second cycle."), "{words}");
        assert!(said.contains(&name), "{said}");
        assert_eq!(said.contains("/anvil:undo --to 6 brings it back"), snapshots == "32", "{said}");
        assert!(host.stop("one", "A reply that comes too late.").is_silent());
        assert_eq!(host.run(&["cancel"]).code, 3, "it is finished");

        if snapshots == "1" {
            continue;
        }
        let redone = host.run(&["undo", "--to", "6"]);
        assert_eq!((redone.code, host.head("cycle").as_str()), (0, "2"), "{redone:?}");
        assert_eq!(host.run(&["cancel"]).code, 0);
        assert_eq!(row(&host), row_before);
    }
}

#[test]
fn a_cycle_from_another_machine_is_cancelled_as_its_transcript_shows_it() {
    let there = finished(Host::new());
    there.prompt("one", "/anvil:again");
    there.stop("one", "**A2. Now.** It is so.");
    let host = Host::new();
    fs_err::create_dir(host.path(".claude")).unwrap();
    fs_err::write(host.state_path(), there.state_text()).unwrap();
    assert_eq!(host.run(&["cancel", "--take-over"]).code, 0);
    assert_eq!((host.head("status"), host.head("cycle")), ("completed".into(), "1".into()));
    assert_eq!((&row(&host)["verdict"], host.sections().len()), (&"do not".into(), 3));
    assert!(cancelled_aside(&host).1.contains("A2. Now."));
}

#[test]
fn a_debate_that_replaces_a_cycle_leaves_the_finished_debate() {
    for end in ["start", "undo"] {
        let host = finished(Host::new().with("ANVIL_SNAPSHOTS", "1"));
        let (id, row_before) = (host.debate_id(), row(&host));
        if end == "start" {
            host.prompt("one", "/anvil:again");
            host.stop("one", "**A2. Now.** It is so.");
        } else {
            host.run(&["undo"]);
        }
        let started = host.run(&["start", "Another?", "--replace", "--take-over"]);
        assert!(started.stderr.contains("aside/cancelled-"), "{started:?}");
        let rows = host.run(&["history", "--json"]).json();
        let old = rows.as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap();
        for key in ["status", "verdict", "recommendation", "confidence_percent"] {
            assert_eq!(old[key], row_before[key], "{key}");
        }
        assert!(host.run(&["report", &id]).stdout.contains("Keep the monolith."));
    }
}

#[test]
fn an_end_that_was_undone_is_named_by_history_and_report() {
    let host = finished(Host::new().with("ANVIL_SNAPSHOTS", "1"));
    let (id, number) = (host.debate_id(), host.head("step"));
    host.run(&["undo"]);
    host.prompt("one", "/anvil:resume");
    host.stop("one", "recommendation: Split it now.\nverdict: do\nconfidence: 60");
    let undone = &row(&host)["undone"][0];
    assert_eq!(
        (&undone["verdict"], &undone["number"].to_string(), undone["confidence_percent"].as_u64()),
        (&"do not".into(), &number, Some(80))
    );
    let line = format!("{id} was finished before, with another end (");
    for verb in ["history", "report"] {
        let printed = host.run(&[verb]);
        assert!(printed.stderr.contains(&line), "{printed:?}");
        assert!(
            printed.stderr.contains(&format!("`anvil undo --to {number} {id}`")),
            "{printed:?}"
        );
    }
    assert_eq!(host.run(&["undo", "--to", &number]).code, 0);
    assert_eq!(row(&host)["verdict"], "do not");
    assert_eq!(row(&host)["undone"][0]["verdict"], "do");
}

#[test]
fn a_block_with_a_cancelled_cycle_is_replaced_and_the_cycle_stays_cancelled() {
    let host = finished(Host::new());
    host.prompt("one", "/anvil:again");
    host.stop("one", "**A2. Now.** It is so.");
    let early = host.pipe(&["body", "embed"], "An issue.").stdout;
    host.prompt("one", "/anvil:steer --rounds 2");
    host.stop("one", "**C2. No.** It is not.");
    let late = host.pipe(&["body", "embed"], &early).stdout;
    assert_eq!(host.run(&["cancel", "--take-over"]).code, 0);
    for body in [&early, &late] {
        let put = host.pipe(&["body", "embed"], body);
        assert!(put.code == 0 && put.stderr.is_empty(), "{put:?}");
        assert!(
            put.stdout.contains("Keep the monolith.") && !put.stdout.contains("A2. Now."),
            "{put:?}"
        );
    }
    // What somebody else has added to it is theirs.
    let theirs = early.replace("**A2. Now.** It is so.", "**A2. Never.** It is so.");
    assert_eq!(host.pipe(&["body", "embed"], &theirs).code, 1);
}

/// The token of a task that a program claims.
fn claims(host: &Host, task: &str) -> String {
    let printed = host.run(&["claim", task, "--as", "codex"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    printed.stderr.trim_end().rsplit('\n').next().unwrap().to_owned()
}

#[test]
fn the_claims_and_kept_replies_of_a_cancelled_cycle_are_over() {
    let host = Host::new();
    host.run(&["start", "Who decides?", "--stakeholders", "sales,legal"]);
    for (task, reply) in [
        ("voice-1", "**V1.1. We.** It is our money."),
        ("voice-2", "**V2.1. We.** It is our risk."),
        ("synthesis", "recommendation: Both.\nverdict: do\nconfidence: 70"),
    ] {
        let token = claims(&host, task);
        let reply = if task == "synthesis" { host.synthesis(reply) } else { reply.to_owned() };
        let saved = host.pipe(&["submit", &token], &reply);
        assert_eq!(saved.code, 0, "{saved:?}");
    }
    let argue_again = |why: &str| assert_eq!(host.run(&["again", why]).code, 0);
    argue_again("The budget is halved.");
    let held = claims(&host, "voice-1");
    let early = claims(&host, "voice-2");
    let kept = host.pipe(&["submit", &early], "**V2.2. We.** Kept until the first has spoken.");
    assert_eq!(kept.code, 0, "{kept:?}");
    assert_eq!(host.run(&["cancel"]).code, 0);
    assert_eq!(host.head("status"), "completed");
    let late = host.pipe(&["submit", &held], "**V1.2. We.** Too late.");
    assert_ne!(late.code, 0, "{late:?}");

    argue_again("It is doubled.");
    let tasks: Value = host.run(&["tasks", "--json"]).json();
    let statuses: Vec<&Value> =
        tasks["tasks"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(statuses, ["available", "available", "waiting"], "{tasks}");
    assert!(host.prompt("one", "/anvil:resume").context().contains("sales"), "nobody holds a task");
    host.stop("one", "**V1.3. They.** It is theirs now.");
    assert_eq!(host.head("round"), "2", "the kept reply was to another cycle");
    let words = host.kept_text();
    assert!(
        words.contains("Too late.")
            || host
                .aside_files()
                .iter()
                .any(|(_, text)| { String::from_utf8_lossy(text).contains("Too late.") })
    );
}
