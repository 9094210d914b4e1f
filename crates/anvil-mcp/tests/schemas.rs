//! The tools do what they say of themselves.

use anvil_core::options::{Layer as _, QuestionOptions, UserOptions};
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::driver::Place;

/// Options of a debate that no client can request.
const NOT_OFFERED: [&str; 7] =
    ["diff", "fact-check", "interactive", "judges", "output", "pr", "replace"];

#[test]
fn every_tool_has_schemas_and_says_what_it_changes() {
    let listed = Place::new().client().ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let all = [
        "debate_start",
        "debate_status",
        "task_claim",
        "task_submit",
        "debate_note",
        "debate_report",
        "debate_search",
    ];
    assert_eq!(names, all);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        // Validators know no format of Rust's numbers.
        assert!(!tool.to_string().contains("\"format\":\"uint"), "{tool}");
        let is_look = ["debate_status", "debate_report", "debate_search"]
            .contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], is_look, "{tool}");
        for (name, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(
                property["description"].is_string() && property["type"].is_string(),
                "{name}: {property}"
            );
        }
    }
    let offered: BTreeSet<String> = tools[0]["inputSchema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| *name != "question")
        .map(|name| name.replace('_', "-"))
        .chain(NOT_OFFERED.map(str::to_owned))
        .collect();
    assert_eq!(
        offered,
        UserOptions::names().into_iter().chain(QuestionOptions::names()).collect(),
        "an option is offered, or it is known why not"
    );
}

/// A client may send it with each request.
#[test]
fn the_list_of_tools_is_short() {
    let listed = Place::new().client().ask("tools/list", &json!({}));
    let bytes = listed["result"].to_string().len();
    assert!(bytes <= 8_000, "{bytes} bytes");
}

#[test]
fn answers_match_their_schemas() {
    let place = Place::new();
    let mut client = place.client();
    let listed = client.ask("tools/list", &json!({}));
    let schema = |tool: &str| {
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().find(|one| one["name"] == tool).unwrap()["outputSchema"].clone()
    };
    let mut check = |tool: &str, arguments: Value| {
        let content = client.call_ok(tool, &arguments);
        let faults = jsonschema::validate(&schema(tool), &content);
        assert!(faults.is_ok(), "{tool}: {faults:?}");
        content
    };
    check("debate_start", json!({ "question": "Should we?", "rounds": 1, "review": "30d" }));
    check("debate_status", json!({}));
    let claimed = check("task_claim", json!({}));
    check("debate_note", json!({ "token": claimed["token"], "text": "src/a.rs:1 retries" }));
    check(
        "task_submit",
        json!({ "token": claimed["token"], "reply": crate::driver::reply("advocate-1") }),
    );
    for format in ["markdown", "json", "html", "adr"] {
        check("debate_report", json!({ "format": format }));
    }
    check("debate_search", json!({ "text": "should" }));
    let late = json!({ "token": claimed["token"], "text": "late" });
    let late = client.call("debate_note", &late);
    assert!(late["isError"] == true && late.to_string().contains("no longer hold"), "{late}");
}

#[test]
fn the_prompt_explains_how_to_argue() {
    let place = Place::new();
    let mut client = place.client();
    assert_eq!(client.ask("prompts/list", &json!({}))["result"]["prompts"][0]["name"], "debate");
    let arguments = json!({ "name": "debate", "arguments": { "question": "Should we\nmove?", "seat": "critic" } });
    let given = client.ask("prompts/get", &arguments);
    let text = given["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("> Should we\n> move?") && text.contains("seat \"critic\""), "{text}");
    let wrong = client.ask("prompts/get", &json!({ "name": "no-such" }));
    assert!(wrong["error"]["message"].as_str().unwrap().contains("hint: "), "{wrong}");
}
