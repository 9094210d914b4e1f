//! What a client sends and leaves unread costs a bounded time and memory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::driver::{Place, peak_kib};

const MANY: usize = 900_000;

#[test]
fn a_long_list_is_refused_before_it_is_looked_at() {
    let place = Place::new();
    let mut client = place.client();
    let before = client.peak_kib();
    let began = Instant::now();
    let many = vec!["\"a\""; MANY].join(",");
    let call = |id: i64, name: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\
             \"debate_start\",\"arguments\":{{\"question\":\"Why?\",\"{name}\":[{many}]}}}}}}"
        )
    };
    for (id, name) in (900..).zip(["persona", "context", "stakeholders", "options"]) {
        client.send(&call(id, name));
        let refused = client.answer(id);
        let said = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("values"), "{refused:.500}");
    }
    (910..940).for_each(|id| assert!(client.send(&call(id, "context"))));
    for id in 910..940 {
        assert!(client.answer(id)["error"].is_object());
    }
    let grown = client.peak_kib() - before;
    assert!(grown < 60 * 1024, "{grown} KiB");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(!place.state_file().exists());
}

#[test]
fn a_list_of_many_texts_is_refused_by_its_tool() {
    let place = Place::new();
    let mut client = place.client();
    for name in ["persona", "context", "stakeholders"] {
        let many = json!({ "question": "Should we move?", (name): vec!["a"; 300] });
        assert!(client.refused("debate_start", &many).contains("at most 100 texts"), "{name}");
    }
}

/// A pipe holds 64 KiB. 20,000 unread answers took 912 MB.
#[test]
fn answers_wait_for_their_reader() {
    const ASKED: usize = 4_000;
    let place = Place::new();
    let mut command = place.server(&place.project());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let greeting = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "driver", "version": "1" } } });
    writeln!(input, "{greeting}").unwrap();
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .unwrap();
    let writer = std::thread::spawn(move || {
        for id in 1..=ASKED {
            let asks = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" });
            writeln!(input, "{asks}").unwrap();
        }
        input
    });
    std::thread::sleep(Duration::from_secs(3));
    let peak = peak_kib(&child);
    assert!(peak < 100 * 1024, "{peak} KiB for answers that nobody has read");
    assert!(!writer.is_finished(), "the server reads on");
    assert_eq!(output.lines().take(ASKED + 1).map_while(Result::ok).count(), ASKED + 1);
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
}
