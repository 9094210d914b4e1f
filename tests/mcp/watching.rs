//! Resources: their content, and how a client hears of changes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Client, Place, reply};

const UPDATED: &str = "notifications/resources/updated";

fn read(client: &mut Client, uri: &str) -> String {
    let answer = client.ask("resources/read", &json!({ "uri": uri }));
    answer["result"]["contents"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

#[test]
fn debate_ledger_and_report_are_resources() {
    let place = Place::new();
    let mut client = place.client();
    assert_eq!(client.ask("resources/list", &json!({}))["result"]["resources"], json!([]));
    let id =
        client
            .done("debate_start", &json!({ "question": "Should we\u{1b}[31m move?", "rounds": 1 }))
            ["debate"]
            .clone();
    let uri = format!("anvil://debate/{}", id.as_str().unwrap());
    let listed = client.ask("resources/list", &json!({}));
    let names: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!(names, [uri.clone(), format!("{uri}/ledger"), format!("{uri}/report")]);
    let templates = client.ask("resources/templates/list", &json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][2]["uriTemplate"],
        "anvil://debate/{id}/report"
    );
    let claimed = client.done("task_claim", &json!({}));
    client.done("task_submit", &json!({ "token": claimed["token"], "reply": reply("advocate-1") }));
    let standing: Value = serde_json::from_str(&read(&mut client, &uri)).unwrap();
    assert_eq!(
        (&standing["status"], &standing["tasks"][0]["status"]),
        (&json!("in_progress"), &json!("done"))
    );
    let ledger: Value = serde_json::from_str(&read(&mut client, &format!("{uri}/ledger"))).unwrap();
    assert_eq!(ledger["claims"][0]["id"], "A1");
    let report = read(&mut client, &format!("{uri}/report"));
    assert!(report.contains("advocate-1 says yes") && !report.contains('\u{1b}'), "{report}");
    for wrong in [
        "anvil://debate/no-such",
        "anvil://debate/",
        "file:///etc/passwd",
        "anvil://debate/../../x/report",
    ] {
        let answer = client.ask("resources/read", &json!({ "uri": wrong }));
        let said = answer["error"]["message"].as_str().unwrap();
        assert!(said.contains("there is no ") && said.contains("hint: "), "{answer}");
    }
}

#[test]
fn a_client_is_notified_only_of_what_it_watches() {
    let place = Place::new();
    let (mut client, mut other) = (place.client(), place.client());
    let id = other.done("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }))["debate"].clone();
    let uri = format!("anvil://debate/{}/ledger", id.as_str().unwrap());
    let wrong = client.ask("resources/subscribe", &json!({ "uri": "file:///etc/passwd" }));
    assert!(
        wrong["error"]["message"].as_str().unwrap().contains("there is no resource"),
        "{wrong}"
    );
    assert_eq!(client.ask("resources/subscribe", &json!({ "uri": uri }))["result"], json!({}));
    let claimed = other.done("task_claim", &json!({}));
    let told = client.wait_for(UPDATED, Duration::from_secs(20)).unwrap();
    assert_eq!(told["params"]["uri"], json!(uri));
    other.done("task_submit", &json!({ "token": claimed["token"], "reply": reply("advocate-1") }));
    assert!(client.wait_for(UPDATED, Duration::from_secs(20)).is_some());
    assert_eq!(client.ask("resources/unsubscribe", &json!({ "uri": uri }))["result"], json!({}));
    client.told.clear();
    other.done("task_claim", &json!({}));
    assert_eq!(client.wait_for(UPDATED, Duration::from_secs(1)), None);
    assert!(other.told.is_empty(), "{:?}", other.told);
}

/// The protocol of 2026-07-28 has one call for this, and no handshake.
#[test]
fn a_client_of_the_newest_protocol_gets_notifications() {
    let place = Place::new();
    let (mut client, mut other) = (place.silent(), place.client());
    let id = other.done("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }))["debate"].clone();
    let uri = format!("anvil://debate/{}", id.as_str().unwrap());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "driver", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client.begin(
        "subscriptions/listen",
        &json!({ "_meta": meta, "notifications": { "resourceSubscriptions": [uri] } }),
    );
    let acknowledged = client
        .wait_for("notifications/subscriptions/acknowledged", Duration::from_secs(20))
        .unwrap();
    assert_eq!(
        acknowledged["params"]["notifications"]["resourceSubscriptions"],
        json!([uri]),
        "{acknowledged}"
    );
    other.done("task_claim", &json!({}));
    let told = client.wait_for(UPDATED, Duration::from_secs(20)).unwrap();
    assert_eq!(told["params"]["uri"], json!(uri));
}

#[test]
fn many_debates_are_listed_a_page_at_a_time() {
    let place = Place::new();
    for number in 1..=51 {
        let started = place.anvil(&["start", &format!("Question {number}?"), "--replace"], "");
        assert!(started.status.success(), "{started:?}");
    }
    let mut client = place.client();
    let first = client.ask("resources/list", &json!({}))["result"].clone();
    assert_eq!(first["resources"].as_array().unwrap().len(), 150);
    let last =
        client.ask("resources/list", &json!({ "cursor": first["nextCursor"] }))["result"].clone();
    assert_eq!(
        (last["resources"].as_array().unwrap().len(), &last["nextCursor"]),
        (3, &Value::Null)
    );
    assert_eq!(last["resources"][0]["title"], "Question 1?");
    let wrong = client.ask("resources/list", &json!({ "cursor": "elsewhere" }));
    assert!(
        wrong["error"]["message"].as_str().unwrap().contains("the cursor is not one of this list"),
        "{wrong}"
    );
    let found = client.done("debate_search", &json!({}));
    assert_eq!(
        (found["debates"].as_array().unwrap().len(), &found["has_more"]),
        (50, &json!(true))
    );
}
