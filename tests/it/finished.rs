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
