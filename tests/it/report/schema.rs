//! The JSON report matches its schema.

use std::path::Path;

use anvil_core::transcript::NoteKind;
use serde_json::Value;
use strum::VariantArray as _;

use testkit::host::Host;

fn schema() -> Value {
    schema_in("docs/report.schema.json")
}

pub(crate) fn schema_in(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn check(text: &str) -> Value {
    check_by(&schema(), text)
}

/// A JSON text that matches the schema in this file.
pub(crate) fn fits(name: &str, text: &str) -> Value {
    check_by(&schema_in(name), text)
}

pub(super) fn check_by(schema: &Value, text: &str) -> Value {
    let value = serde_json::from_str::<Value>(text).unwrap();
    let found = faults_by(schema, &value);
    assert!(found.is_empty(), "{found:#?}\n{text}");
    value
}

/// Each place where a value does not match a schema.
pub(super) fn faults_by(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    let faults = validator.iter_errors(value);
    faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

#[test]
fn the_schema_has_every_kind_of_note() {
    let kinds = schema().pointer("/properties/notes/items/properties/kind/enum").cloned();
    let wanted: Vec<&str> = NoteKind::VARIANTS.iter().map(|kind| kind.word()).collect();
    assert_eq!(kinds, Some(serde_json::json!(wanted)));
}

#[test]
fn every_json_report_matches_its_schema() {
    let options = [
        "Why? --rounds 1 --position no --focus security --framework adr --research --blind",
        "Why? --stakeholders \"a, b\" --interactive",
        "Why? --persona end-user --persona regulator --persona competitor --context notes.md",
        "Why? --rounds 2 --persona regulator",
    ];
    for typed in options {
        let host = Host::new();
        fs_err::write(host.path("notes.md"), "Material.").unwrap();
        let host = host.debating(typed);
        check(&host.run(&["report", "--format", "json"]).stdout);
        host.run(&["steer", "Look at <b>cost</b>"]);
        for number in 1..=8 {
            if host.head("status") == "completed" {
                break;
            }
            if host.head("status") == "paused" {
                host.prompt("one", "/anvil:resume");
            }
            let claims = format!("**A{number}. x**\n**V{number}.1. \u{202E}y**\n**C{number}. z**");
            let moves = "**Conceded: A1**, as said\n\n**Attacks V1.1:** \"y\" no";
            let lines = "recommendation: Yes.\nconfidence: 61\nA1 fell: why\nso it is";
            let synthesis = testkit::host::synthesis(lines, &[], None);
            host.stop("one", &format!("{claims}\n\n{moves}\n\n{synthesis}\n"));
        }
        assert_eq!(host.head("status"), "completed", "{typed}");
        let value = check(&host.run(&["report", "--format", "json"]).stdout);
        assert_eq!(value["confidence_percent"], 61);
        assert!(
            !value["moves"].as_array().unwrap().is_empty()
                && !value["findings"].as_array().unwrap().is_empty()
        );
        assert!(
            !value["claims"].as_array().unwrap().is_empty()
                && value["files"]["reports"].as_array().unwrap().len() == 2
        );
        host.prompt("one", "/anvil:again But the cost?");
        let again = check(&host.run(&["report", "--format", "json"]).stdout);
        assert_eq!(
            (&again["options"]["cycles"], &again["cycles"][0]["text"]),
            (&2.into(), &"But the cost?".into())
        );
    }
}

#[cfg(unix)]
#[test]
fn the_json_usage_of_programs_matches_its_schemas() {
    let host = Host::new();
    let script = "# advocate, round 1\n**A1. Yes.** x\n# critic, round 1\n**C1. No.** y\n# synthesis\nWait.\n";
    fs_err::write(host.path("replies.md"), script).unwrap();
    fs_err::write(
        host.path("critic.sh"),
        "cat >asked.txt; [ -e once ] || { : >once; exit 3; }; echo '**C1. No.** y'\n",
    )
    .unwrap();
    let critic = format!("cmd:/bin/sh -c 'cd {}; . ./critic.sh'", host.root().display());
    let agents = ["--agent", "script:replies.md", "--critic", critic.as_str()];
    let ran = host.run(&[&["run", "Why?", "--rounds", "1"][..], &agents].concat());
    assert_eq!(ran.code, 7, "{ran:?}");
    let report = check(&host.run(&["report", "--format", "json"]).stdout);
    assert_eq!(report["effort"]["retries"][0]["seat"], "critic", "{report}");
    assert_eq!(host.run(&["again"]).code, 0);
    let recorded = |host: &Host| {
        fs_err::read_to_string(host.debate_folder_here().join("attempts.jsonl")).unwrap()
    };
    let lines = recorded(&host);
    let schema = schema_in("docs/attempts.schema.json");
    lines.lines().for_each(|line| drop(check_by(&schema, line)));
    assert!(lines.lines().count() > 7 && lines.contains("\"event\":\"cycle\""), "{lines}");
    let host = Host::new().debating("Why? --rounds 1");
    for reply in ["API Error: 529 x", "A1. Yes.", "No number."] {
        host.stop_with("one", reply);
    }
    let turns = recorded(&host);
    turns.lines().for_each(|line| drop(check_by(&schema, line)));
    assert_eq!(turns.lines().count(), 3, "{turns}");
    let host = Host::new();
    host.run(&["start", "Why?", "--rounds", "1"]);
    for reply in ["No number.", "A1. Yes."] {
        host.run(&["claim"]);
        host.pipe(&["submit", "--task", "advocate-1"], reply);
    }
    let claims = recorded(&host);
    claims.lines().for_each(|line| drop(check_by(&schema, line)));
    assert!(claims.contains("\"event\":\"returned\""), "{claims}");
    // A line with an extra field does not match.
    let odd = lines.replacen("\"attempt\":1", "\"attempt\":1,\"odd\":1", 1);
    let first: Value = serde_json::from_str(odd.lines().next().unwrap()).unwrap();
    assert!(!faults_by(&schema, &first).is_empty());
}

#[test]
fn the_schema_is_strict() {
    let host = Host::new().debating("Why? --rounds 1");
    let good = check(&host.run(&["report", "--format", "json"]).stdout);
    let schema = schema();
    for (pointer, bad) in [
        ("/version", Value::from(1)),
        ("/started_at", "yesterday".into()),
        ("/options/rounds", "3".into()),
        ("/status", "done".into()),
        ("/confidence_percent", 101.into()),
        ("/rests_on", "A1".into()),
        ("/judges", Value::Null),
    ] {
        let mut value = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        value.pointer_mut(parent).unwrap()[key] = bad;
        assert!(!faults_by(&schema, &value).is_empty(), "{pointer}");
    }
    let mut value = good;
    value["other"] = 1.into();
    assert_eq!(faults_by(&schema, &value).len(), 1);
}
