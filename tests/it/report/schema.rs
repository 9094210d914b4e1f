//! The JSON report is what its schema says.

use std::path::Path;

use serde_json::Value;

use crate::host::Host;

/// What is wrong with a value, by the keywords of JSON Schema that `docs/report.schema.json` uses. A keyword that is not known here
/// is wrong too.
fn faults(schema: &Value, value: &Value, root: &Value, at: &str, found: &mut Vec<String>) {
    let mut fault = |what: String| found.push(format!("{at}: {what}"));
    let schema = schema.as_object().unwrap();
    let number = |limit: &Value| value.as_f64().is_none_or(|value| value >= limit.as_f64().unwrap());
    for (keyword, rule) in schema {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "properties" | "items" | "$ref" | "anyOf" => true,
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => number(rule),
            "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|value| value <= rule.as_f64().unwrap()),
            "type" => match rule {
                Value::Array(rules) => rules.iter().any(|rule| is_a(value, rule)),
                rule => is_a(value, rule),
            },
            "pattern" => matches_pattern(rule.as_str().unwrap(), value.as_str().unwrap_or_default()),
            "required" => rule.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "additionalProperties" => {
                let known = schema["properties"].as_object().unwrap();
                assert_eq!(rule, false);
                value.as_object().is_none_or(|object| object.keys().all(|key| known.contains_key(key)))
            }
            _ => false,
        };
        if !holds {
            fault(format!("{keyword} {rule}: {value}"));
        }
    }
    for (key, rule) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(inner) = value.get(key) {
            faults(rule, inner, root, &format!("{at}/{key}"), found);
        }
    }
    for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(rule) = schema.get("items") {
            faults(rule, inner, root, &format!("{at}/{index}"), found);
        }
    }
    if let Some(name) = schema.get("$ref") {
        let rule = root.pointer(name.as_str().unwrap().trim_start_matches('#')).unwrap();
        faults(rule, value, root, at, found);
    }
    if let Some(rules) = schema.get("anyOf") {
        let fits = |rule: &Value| {
            let mut faults_of_rule = Vec::new();
            faults(rule, value, root, at, &mut faults_of_rule);
            faults_of_rule.is_empty()
        };
        if !rules.as_array().unwrap().iter().any(fits) {
            found.push(format!("{at}: none of anyOf: {value}"));
        }
    }
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    }
}

/// The patterns of the schemas, in words.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let shape = || text.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect::<String>();
    match pattern {
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" => shape() == "0000-00-00T00:00:00Z",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$" => shape() == "0000-00-00T00:00:00.000Z",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" => shape() == "0000-00-00",
        r"^[a-z0-9][a-z0-9-]{0,99}$" => {
            let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
            (1..=100).contains(&text.len()) && !text.starts_with('-') && text.chars().all(is_plain)
        }
        r"^[0-9a-f]{64}$" => text.len() == 64 && text.chars().all(|char| matches!(char, '0'..='9' | 'a'..='f')),
        r"^([AC][0-9]{1,3}|[SV][0-9]{1,3}\.[0-9]{1,3})$" => text.parse::<anvil::internal::ledger::Id>().is_ok(),
        r"^([AC][0-9]{1,3}|V[0-9]{1,3}\.[0-9]{1,3})$" => {
            !text.starts_with('S') && text.parse::<anvil::internal::ledger::Id>().is_ok()
        }
        other => panic!("{other}"),
    }
}

fn schema() -> Value {
    schema_in("docs/report.schema.json")
}

pub(super) fn schema_in(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn check(text: &str) -> Value {
    check_by(&schema(), text)
}

/// What a text says that is as the schema of this file describes it.
#[cfg(target_os = "linux")]
pub(crate) fn fits(name: &str, text: &str) -> Value {
    check_by(&schema_in(name), text)
}

pub(super) fn check_by(schema: &Value, text: &str) -> Value {
    let value = serde_json::from_str::<Value>(text).unwrap();
    let found = faults_by(schema, &value);
    assert!(found.is_empty(), "{found:#?}\n{text}");
    value
}

pub(super) fn faults_by(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    faults(schema, value, schema, "", &mut found);
    found
}

#[test]
fn every_json_report_is_what_the_schema_says() {
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
        check(&host.run(&["report", "--format", "json"]).out);
        host.run(&["steer", "Look at <b>cost</b>"]);
        for number in 1..=8 {
            if host.head("status") == "completed" {
                break;
            }
            if host.head("status") == "paused" {
                host.prompt("one", "/anvil:resume");
            }
            host.stop("one", &format!("**A{number}. x**\n**V{number}.1. \u{202E}y**\n**C{number}. z**\n\n**Conceded: A1**, as said\n\n**Attacks V1.1:** \"y\" no\n\n**Recommendation:** Yes.\n\n**Confidence:** 61 %\n\n- **A1** fell: why\n\n### Decision\n"));
        }
        assert_eq!(host.head("status"), "completed", "{typed}");
        let value = check(&host.run(&["report", "--format", "json"]).out);
        assert_eq!(value["verdict"]["confidence_percent"], 61);
        assert!(!value["moves"].as_array().unwrap().is_empty() && !value["findings"].as_array().unwrap().is_empty());
        assert!(
            !value["claims"].as_array().unwrap().is_empty() && value["files"]["reports"].as_array().unwrap().len() == 2
        );
        host.prompt("one", "/anvil:again But the cost?");
        let again = check(&host.run(&["report", "--format", "json"]).out);
        assert_eq!((&again["options"]["cycles"], &again["cycles"][0]["text"]), (&2.into(), &"But the cost?".into()));
    }
}

#[cfg(unix)]
#[test]
fn what_programs_took_is_what_the_schemas_say() {
    let host = Host::new();
    let script = "# advocate, round 1\n**A1. Yes.** x\n# critic, round 1\n**C1. No.** y\n# synthesis\n**Recommendation:** Wait.\n";
    fs_err::write(host.path("replies.md"), script).unwrap();
    fs_err::write(
        host.path("critic.sh"),
        "cat >asked.txt; [ -e once ] || { : >once; exit 3; }; echo '**C1. No.** y'\n",
    )
    .unwrap();
    let critic = format!("cmd:/bin/sh -c 'cd {}; . ./critic.sh'", host.root().display());
    let agents = ["--agent", "script:replies.md", "--critic", critic.as_str()];
    let ran = host.run(&[&["run", "Why?", "--rounds", "1"][..], &agents].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = check(&host.run(&["report", "--format", "json"]).out);
    assert_eq!(report["effort"]["retries"][0]["seat"], "critic", "{report}");
    let record = host.files().into_iter().find(|(path, _)| path.ends_with("attempts.jsonl")).unwrap().1;
    let lines = String::from_utf8(record).unwrap();
    let schema = schema_in("docs/attempts.schema.json");
    lines.lines().for_each(|line| drop(check_by(&schema, line)));
    assert!(lines.lines().count() > 7, "{lines}");
    // A line with one thing more is no such line.
    let odd = lines.replacen("\"attempt\":1", "\"attempt\":1,\"odd\":1", 1);
    let mut found = Vec::new();
    let first: Value = serde_json::from_str(odd.lines().next().unwrap()).unwrap();
    faults(&schema, &first, &schema, "", &mut found);
    assert!(!found.is_empty());
}

#[test]
fn the_schema_is_strict() {
    let host = Host::new().debating("Why? --rounds 1");
    let good = check(&host.run(&["report", "--format", "json"]).out);
    let schema = schema();
    for (pointer, bad) in [
        ("/version", Value::from(1)),
        ("/started_at", "yesterday".into()),
        ("/options/rounds", "3".into()),
        ("/status", "done".into()),
        ("/verdict/confidence_percent", 101.into()),
        ("/verdict", Value::Null),
    ] {
        let mut value = good.clone();
        *value.pointer_mut(pointer).unwrap() = bad;
        let mut found = Vec::new();
        faults(&schema, &value, &schema, "", &mut found);
        assert!(!found.is_empty(), "{pointer}");
    }
    let mut value = good;
    value["other"] = 1.into();
    let mut found = Vec::new();
    faults(&schema, &value, &schema, "", &mut found);
    assert_eq!(found.len(), 1);
}

#[test]
fn a_report_of_version_1_is_what_its_own_schema_says() {
    let host = Host::new().debating("Why? --rounds 1");
    let mut old = check(&host.run(&["report", "--format", "json"]).out);
    let schema = schema_in("docs/report.v1.schema.json");
    let faults_of = |value: &Value| {
        let mut found = Vec::new();
        faults(&schema, value, &schema, "", &mut found);
        found
    };
    assert!(!faults_of(&old).is_empty());
    for key in ["claims", "moves", "findings", "counts", "disposed"] {
        old.as_object_mut().unwrap().remove(key);
    }
    for key in ["call", "call_text", "rests_on", "rests_on_text"] {
        old["verdict"].as_object_mut().unwrap().remove(key);
    }
    old["version"] = 1.into();
    old["arguments"] = serde_json::json!([{
        "number": "V1.2", "cycle": 1, "round": 1, "by": "critic", "claim": "x", "disposition": "conceded", "why": null, "section": 0
    }]);
    old["sections"] = serde_json::json!([{
        "cycle": 1, "round": 1, "phase": "critic", "voice": null, "at": null, "words": 1, "arguments": ["C1"], "conceded": ["A1"],
        "text": "x"
    }]);
    assert_eq!(faults_of(&old), [""; 0]);
}
