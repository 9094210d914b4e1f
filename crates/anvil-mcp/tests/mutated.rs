//! Every field of every message gets an impossible value: the server answers the next request, and
//! saves none of it as a reply.

use serde_json::{Value, json};

use crate::driver::Place;
use crate::mutate::{FORGED, change_field, fields, values};
use testkit::sample::try_sample;

/// A message of every kind. The server never issued the token.
fn messages() -> Vec<Value> {
    let calls = [
        (
            "debate_start",
            json!({ "question": "Another?", "rounds": 2, "mode": "standard", "context": ["costs.md"] }),
        ),
        ("debate_status", json!({ "id": "1" })),
        ("task_claim", json!({ "seat": "critic", "wait_s": 0 })),
        ("task_submit", json!({ "token": "0123456789abcdef0123456789abcdef", "reply": FORGED })),
        ("debate_note", json!({ "token": "0123456789abcdef0123456789abcdef", "text": FORGED })),
        ("debate_report", json!({ "id": "1", "format": "md" })),
        ("debate_search", json!({ "text": "why" })),
    ];
    let requests = [
        ("tools/list", json!({ "cursor": null })),
        ("prompts/get", json!({ "name": "debate", "arguments": { "question": "Why?" } })),
        ("notifications/cancelled", json!({ "requestId": 1, "reason": "x" })),
    ];
    let call = |(name, arguments): (&str, Value)| {
        ("tools/call", json!({ "name": name, "arguments": arguments }))
    };
    let message = |(method, params): (&str, Value)| json!({ "jsonrpc": "2.0", "id": 7_000, "method": method, "params": params });
    calls.map(call).into_iter().chain(requests).map(message).collect()
}

#[test]
fn no_field_of_a_message_ends_the_server_or_becomes_a_reply() {
    let place = Place::new();
    let started = place.anvil(&["start", "Why?", "--rounds", "1"], "");
    assert!(started.status.success(), "{started:?}");
    let (messages, values) = (messages(), values());
    let fields: Vec<(&Value, Vec<String>)> = messages
        .iter()
        .flat_map(|message| fields(message).into_iter().map(move |names| (message, names)))
        .collect();
    let mut client = place.client();
    try_sample(fields.len() * (values.len() + 1), 400, |case| {
        let ((message, names), value) =
            (&fields[case / (values.len() + 1)], values.get(case % (values.len() + 1)));
        let mut line = (*message).clone();
        change_field(&mut line, names, value);
        assert!(client.send(&line.to_string()), "{line:.300}: the server is gone");
        let answer = client.ask("ping", &json!({}));
        assert_eq!(answer["result"], json!({}), "{line:.300}");
    });
    assert!(place.replies().iter().all(|reply| !reply.contains(FORGED)));
}
