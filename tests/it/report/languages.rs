//! Files for other languages: the head of a state file and the JSON ledger match their schemas and
//! pages, and a program that knows only those reads a debate.

use std::collections::BTreeSet;
#[cfg(unix)]
use std::process::Command;

#[cfg(unix)]
use anvil_core::transcript;
use serde_json::{Map, Value};

use super::schema::{check_by, faults_by, schema_in};
use testkit::host::Host;

/// A head, read by the rules of `docs/state-file.md`.
fn head(state: &str) -> Value {
    let head = state.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
    let pair = |line: &str| {
        let (key, value) = line.split_once(": ").unwrap();
        (key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into()))
    };
    Value::Object(head.lines().map(pair).collect::<Map<String, Value>>())
}

/// The names in the list below a line of a page, before their values and meanings.
fn named(page: &str, below: &str) -> BTreeSet<String> {
    let page =
        fs_err::read_to_string(format!("{}/docs/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let part = page.split_once(below).unwrap().1.split("\n#").next().unwrap();
    let items = part.lines().filter_map(|line| line.strip_prefix("* ")?.split([':', '(']).next());
    items.flat_map(|item| item.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// The reply of a seat at its place.
fn reply(number: usize) -> String {
    format!(
        "**A{number}. x** [evidence: `a.rs`]\n**C{number}. z** [assumption]\n**S{number}.1. y**\n\n**Grants A1:** because\n\n\
         **Attacks C1 (after A2):** \"no\" such words\n\n```anvil\nrecommendation: Do it.\nverdict: do\nrests on: A1, C9\n\
         confidence: 90\nA1 fell: why\nC77 survived:\njudges: 1 of 2\nno line\n```\n"
    )
}

#[test]
fn every_head_matches_its_schema() {
    let schema = schema_in("docs/state-file.schema.json");
    let mut seen = BTreeSet::new();
    for typed in [
        "Why? --rounds 1 --position no --focus cost --framework adr --research --blind --early-end=no \
         --questions=no --quick --review 30d --output out.md --context notes.md",
        "Why? --stakeholders \"a, b\" --interactive",
        "Why? --persona \"somebody who pays, and has to say so in very many words before it is understood\" --follow-up notes.md",
        "Why? --motion wait --rounds 2",
    ] {
        let host = Host::new();
        fs_err::write(host.path("notes.md"), "Material.").unwrap();
        let host = host.debating(typed);
        for number in 1..=8 {
            let state = host.state_text();
            seen.extend(keys(&check_by(&schema, &head(&state).to_string())));
            match host.head("status").as_str() {
                "completed" => break,
                "paused" => drop(host.prompt("one", "/anvil:resume")),
                _ => drop(host.stop("one", &reply(number))),
            }
            host.run(&["steer", "Look at the cost"]);
        }
        assert_eq!(host.head("status"), "completed", "{typed}");
    }
    assert!(seen.len() > 30, "{seen:?}");
    let known = keys(&schema["properties"]);
    assert_eq!(
        seen.difference(&known).collect::<Vec<_>>(),
        [""; 0],
        "the schema does not know a key that is written"
    );
    assert_eq!(known, named("state-file.md", "Anvil writes the keys in this order:"));
    let good = head(&Host::new().debating("Why?").state_text());
    for (key, bad) in [
        ("round", Value::from(11)),
        ("question", "x".repeat(8_001).into()),
        ("phase", "judge".into()),
        ("updated_at", "2026-11-21".into()),
        ("id", "../x".into()),
        ("personas", vec!["x"; 11].into()),
    ] {
        let mut value = good.clone();
        value[key] = bad;
        assert!(!faults_by(&schema, &value).is_empty(), "{key}");
    }
}

#[test]
fn the_json_ledger_matches_its_schema() {
    let schema = schema_in("docs/ledger.schema.json");
    let host = Host::new().debating("Why? --rounds 2");
    let mut found = 0;
    for number in 1..=6 {
        host.stop("one", &reply(number));
        let value = check_by(&schema, &host.run(&["claims", "--json"]).stdout);
        found = value["findings"].as_array().unwrap().len();
    }
    assert_eq!(host.head("status"), "completed");
    assert!(found > 8, "{found}");
    let one = check_by(&schema, &host.run(&["claims", "A1", "--json"]).stdout);
    assert_eq!(one["claims"].as_array().unwrap().len(), 1);
    host.prompt("one", "/anvil:again");
    host.stop("one", "**A9. Again.** x");
    assert_eq!(check_by(&schema, &host.run(&["claims", "--json"]).stdout)["as_of_cycle"], 1);
    let mut odd = one;
    odd["claims"][0]["status"] = "conceded".into();
    assert_eq!(faults_by(&schema, &odd).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_forty_line_program_reads_a_debate_from_the_docs_alone() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/read_debate.py");
    assert!(fs_err::read_to_string(program).unwrap().lines().count() <= 40);
    for typed in [
        "Why \"not\"?\\ü --rounds 2 --position \"# no: x\"",
        "Why? --stakeholders \"a: b, c\" --early-end=no",
    ] {
        let host = Host::new().debating(typed);
        for number in 1..=6 {
            if host.head("status") != "completed" {
                host.stop(
                    "one",
                    &format!("{}\n\n## Synthesis\n\n> a quote\n---\n  indented\n", reply(number)),
                );
            }
        }
        assert_eq!(host.head("status"), "completed", "{typed}");
        let ledger = host.outside("ledger.json");
        fs_err::write(&ledger, host.run(&["claims", "--json"]).stdout).unwrap();
        let tasks = host.outside("tasks.json");
        fs_err::write(&tasks, host.run(&["tasks", "--json"]).stdout).unwrap();
        let read = Command::new("python3")
            .arg(program)
            .arg(host.state_path())
            .args([&ledger, &tasks])
            .output()
            .unwrap();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        let read: Value = serde_json::from_slice(&read.stdout).unwrap();
        check_by(&schema_in("docs/state-file.schema.json"), &read["head"].to_string());
        assert_eq!(read["head"]["question"], host.state().debate.question);
        let entries = transcript::parse(&host.state().body);
        let texts: Vec<&str> = entries.replies().map(|(_, reply)| reply.text.as_str()).collect();
        let read_texts: Vec<&str> = read["replies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|reply| reply["text"].as_str().unwrap())
            .collect();
        assert_eq!(read_texts, texts, "{typed}");
        let tasks = read["tasks"].as_object().unwrap();
        let done = tasks.values().filter(|status| *status == "done").count();
        assert!(done == texts.len() && tasks["synthesis"] == "done", "{typed}: {tasks:?}");
        let words: Vec<u64> = entries.replies().map(|(_, reply)| reply.words() as u64).collect();
        let read_words: Vec<u64> = read["replies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|reply| reply["words"].as_u64().unwrap())
            .collect();
        assert_eq!(read_words, words, "{typed}");
        assert!(read["claims"].as_object().unwrap().len() > 1, "{read}");
        if typed.contains("rounds 2") {
            assert_eq!(read["claims"]["A1"], "fell");
        }
    }
}
