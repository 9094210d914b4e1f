//! Whatever a client sends, the server answers the next request.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::driver::Place;

/// Lines that are not messages, or are wrong ones.
fn wrong_lines() -> Vec<Vec<u8>> {
    let texts = [
        "",
        " ",
        "\u{feff}",
        "null",
        "true",
        "1",
        "\"text\"",
        "[]",
        "[[]]",
        "{}",
        "{",
        "}",
        "[",
        "{]",
        "{\"",
        "\\",
        "\0",
        "\u{1b}[2J",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":900,\"method\":\"ping\"}",
        "{\"id\":901,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":902}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":-9223372036854775809,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":903,\"method\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":904,\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":905,\"method\":\"\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":906,\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":907,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":908,\"method\":\"tools/call\",\"params\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":909,\"method\":\"tools/call\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":910,\"method\":\"tools/call\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":911,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":912,\"method\":\"tools/call\",\"params\":{\"name\":\"task_claim\",\"arguments\":[]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":913,\"method\":\"tools/call\",\"params\":{\"name\":\"task_claim\",\"arguments\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":914,\"method\":\"tools/list\",\"params\":{\"cursor\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":917,\"method\":\"prompts/get\",\"params\":{\"name\":\"debate\",\"arguments\":{\"question\":7}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":919,\"method\":\"initialize\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":920,\"method\":\"initialize\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":921,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":922,\"error\":{\"code\":1,\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":923,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"nobody\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no-such\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"debate_status\"}}",
        "[{\"jsonrpc\":\"2.0\",\"id\":924,\"method\":\"ping\"}]",
        "{\"jsonrpc\":\"2.0\",\"id\":925,\"id\":926,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":927,\"method\":\"ping\"}garbage",
        "Content-Length: 20\r",
        "GET / HTTP/1.1\r",
    ];
    let mut lines: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    lines.push(vec![0xff, 0xfe, 0x80]);
    lines.push("[".repeat(20_000).into_bytes());
    lines.push(format!("{{\"a\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000)).into_bytes());
    lines.push(format!("\"{}\"", "x".repeat(2_000_000)).into_bytes());
    lines
}

#[test]
fn no_line_ends_the_server_before_or_after_the_handshake() {
    let place = Place::new();
    let mut client = place.silent();
    for line in wrong_lines() {
        let is_greeting = String::from_utf8_lossy(&line).contains("initialize\",\"params\"");
        assert!(is_greeting || client.send_bytes(&line));
        let answer = client.ask("ping", &json!({}));
        assert_eq!(
            answer["result"],
            json!({}),
            "{}",
            String::from_utf8_lossy(&line[..line.len().min(200)])
        );
    }
    client.greet();
    for line in wrong_lines() {
        assert!(client.send_bytes(&line));
        let answer = client.ask("ping", &json!({}));
        assert_eq!(
            answer["result"],
            json!({}),
            "{}",
            String::from_utf8_lossy(&line[..line.len().min(200)])
        );
    }
    assert!(!place.project().join(".claude").exists(), "nothing was asked for that writes");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_line_over_10_mb_is_an_error_and_the_next_line_is_read() {
    let place = Place::new();
    let mut client = place.client();
    let before = client.peak_kib();
    let part = vec![b'x'; 1024 * 1024];
    // The id is known if it is at one of the ends.
    for (begin, end, id) in [
        (
            "{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"ping\",\"params\":{\"a\":\"",
            "\"}}",
            json!(70),
        ),
        (
            "{\"method\":\"ping\",\"params\":{\"a\":\"",
            "\"},\"jsonrpc\":\"2.0\",\"id\":\"b\"}",
            json!("b"),
        ),
        ("{\"params\":{\"a\":\"", "\"}}", json!(null)),
        ("", "", json!(null)),
    ] {
        client.send_part(begin.as_bytes());
        for _ in 0..64 {
            client.send_part(&part);
        }
        assert!(client.send(end));
        let answer = client.ask("ping", &json!({}));
        assert_eq!(answer["result"], json!({}));
        let refused =
            client.told.pop().unwrap_or_else(|| panic!("no answer to the line with the id {id}"));
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(-32600)), "{refused}");
        assert!(
            refused["error"]["message"].as_str().unwrap().contains("longer than 10 MB"),
            "{refused}"
        );
    }
    let grown = client.peak_kib() - before;
    assert!(grown < 40 * 1024, "{grown} KiB for lines of 64 MiB");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_line_that_cannot_be_read_has_an_error_with_its_id() {
    let place = Place::new();
    let mut client = place.client();
    for (line, id, code) in [
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"a\":\"",
            json!(7),
            -32700,
        ),
        ("{\"method\":\"ping\",\"params\":{\"a\":x},\"id\":\"b\"}", json!("b"), -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":7}", json!(8), -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}]", json!(null), -32600),
        ("garbage", json!(null), -32700),
    ] {
        assert!(client.send(line));
        client.ask("ping", &json!({}));
        let refused = client.told.pop().unwrap_or_else(|| panic!("no answer to {line}"));
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(code)), "{line}");
    }
    for line in [
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"z\",\"error\":7}",
        "",
    ] {
        assert!(client.send(line));
        client.ask("ping", &json!({}));
        assert!(client.told.is_empty(), "{line}: {:?}", client.told);
    }
}

#[test]
fn half_a_surrogate_pair_in_a_reply_is_saved_as_a_replacement_character() {
    let place = Place::new();
    let mut client = place.client();
    client.call_ok("debate_start", &json!({ "question": "Why?", "rounds": 1 }));
    let claimed = client.call_ok("task_claim", &json!({}));
    let reply = json!({ "token": claimed["token"], "reply": "**A1. Half HERE.** It is so." });
    let params = json!({ "name": "task_submit", "arguments": reply });
    let line = json!({ "jsonrpc": "2.0", "id": 700, "method": "tools/call", "params": params });
    client.send(&line.to_string().replace("HERE", "\\ud83d"));
    assert!(client.answer(700)["error"].is_null());
    assert_eq!(place.replies(), ["**A1. Half \u{FFFD}.** It is so."]);
}

/// Arguments of every shape, for every tool: an answer each, and never a protocol error.
#[test]
fn no_tool_arguments_cause_a_protocol_error() {
    let place = Place::new();
    let client = std::cell::RefCell::new(place.client());
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<i64>().prop_map(|number| json!(number)),
        "\\PC{0,40}".prop_map(|text| json!(text)),
        Just(json!([])),
        Just(json!({ "a": [] })),
        Just(json!(["a", 1, null])),
        Just(json!("../../etc/passwd\u{1b}[2J")),
    ];
    let name = prop_oneof![
        "[a-z_]{1,12}".boxed(),
        prop::sample::select(vec![
            "question",
            "seat",
            "token",
            "wait_s",
            "reply",
            "id",
            "format",
            "text",
            "rounds",
            "mode",
            "persona",
            "context",
            "output",
            "diff",
            "pr",
            "replace",
            "take_over",
            "fact_check",
            "judges",
        ])
        .prop_map(str::to_owned)
        .boxed(),
    ];
    // No debate starts: its question is never a text.
    let arguments = prop::collection::btree_map(name, value, 0..4)
        .prop_filter("a question", |arguments| {
            !arguments.get("question").is_some_and(serde_json::Value::is_string)
        });
    let tool = prop::sample::select(vec![
        "debate_start",
        "debate_status",
        "task_claim",
        "task_submit",
        "debate_note",
        "debate_report",
        "debate_search",
        "no_such",
    ]);
    let mut runner =
        TestRunner::new(Config { cases: 120, failure_persistence: None, ..Config::default() });
    runner
        .run(&(tool, arguments), |(tool, arguments)| {
            let mut client = client.borrow_mut();
            let result = client.call(tool, &json!(arguments));
            // Without a debate each of them is refused; only the list of all debates succeeds, and
            // it is empty.
            prop_assert_eq!(&result["isError"], true);
            let text = result["content"][0]["text"].as_str().unwrap();
            prop_assert!(text.contains("\nhint: ") && !text.contains('\u{1b}'), "{}", text);
            Ok(())
        })
        .unwrap();
    assert!(!place.state_file().exists());
}

#[test]
fn a_question_of_invisible_characters_is_answered() {
    let place = Place::new();
    let mut client = place.client();
    let question = format!("Why{}?", "\u{200d}".repeat(100_000));
    let started = client.call_ok(
        "debate_start",
        &json!({ "question": question, "position": question, "rounds": 1 }),
    );
    assert_eq!(started["question"], "Why?");
}

#[test]
fn a_batch_is_answered_in_the_one_version_that_has_batches() {
    let ping = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let told = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}";
    let place = Place::new();
    let mut client = place.silent();
    client.greet_in("2025-03-26", "driver");
    client.send(&format!("[{},{told},7,{}]", ping("800"), ping("\"b\"")));
    let mut answers = client.next_line().as_array().unwrap().clone();
    answers.sort_by_key(|answer| answer["id"].to_string());
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!("b"), json!(800), json!(null)]);
    assert_eq!(answers[2]["error"]["code"], json!(-32600));
    client.send(&format!("[{told}]"));
    client.send(&format!("[{}]", ping("801")));
    assert_eq!(client.next_line()[0]["id"], 801, "a batch of notifications has no answer");
    for (line, code) in [("[]".to_owned(), -32600), (ping("[[]]"), -32600)] {
        client.send(&line);
        assert_eq!(client.next_line()["error"]["code"], json!(code), "{line}");
    }
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut client = place.silent();
        client.greet_in(version, "driver");
        client.send(&format!("[{}]", ping("802")));
        let refused = client.next_line();
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(null), &json!(-32600)),
            "{version}"
        );
    }
}
