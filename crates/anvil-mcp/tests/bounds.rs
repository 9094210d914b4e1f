//! What a client sends and leaves unread costs a bounded time and memory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anvil_core::transcript::append;
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
        assert!(client.refusal("debate_start", &many).contains("at most 100 texts"), "{name}");
    }
}

/// Every call reads all debates. Calls that run to their end take as many times as long.
#[test]
fn a_cancelled_search_ends() {
    const CALLS: usize = 24;
    let place = Place::new();
    let text = "Many words of a long reply. ".repeat(20_000);
    for number in 0..20 {
        let question = format!("Should we move {number}?");
        assert!(place.anvil(&["start", &question, "--replace"], "").status.success());
        let mut state = place.state();
        let first = state.debate.place();
        append(&mut state.body, first, None, state.debate.started_at(), &text);
        fs_err::write(place.state_file(), state.render().unwrap()).unwrap();
    }
    let mut client = place.client();
    let search = json!({ "name": "debate_search", "arguments": { "text": "many words" } });
    let began = Instant::now();
    let asked = client.begin("tools/call", &search);
    let found = client.answer(asked);
    let one = began.elapsed();
    assert_eq!(found["result"]["structuredContent"]["debates"].as_array().unwrap().len(), 20);
    let began = Instant::now();
    let asked: Vec<i64> = (0..CALLS).map(|_| client.begin("tools/call", &search)).collect();
    for call in asked {
        client.cancel(call);
    }
    // The threads of the calls end before the server does.
    assert_eq!(client.leave(), Some(0));
    let all = began.elapsed();
    assert!(all < one * 4, "{CALLS} cancelled calls took {all:?}, one takes {one:?}");
}

/// A pipe holds 64 KiB. 20,000 unread answers took 912 MB.
#[test]
fn answers_wait_for_their_reader() {
    const ASKED: usize = 2_500;
    let place = Place::new();
    let mut command = place.server(&place.project());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let greeting = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "driver", "version": "1" } } });
    writeln!(input, "{greeting}").unwrap();
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let writer = std::thread::spawn(move || {
        for id in 1..=ASKED {
            let asks = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" });
            writeln!(input, "{asks}").unwrap();
            count.store(id, Ordering::Relaxed);
        }
        input
    });
    // Until it has read nothing for a while.
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_millis(700));
        let now = written.load(Ordering::Relaxed);
        if now == before {
            break;
        }
        before = now;
    }
    let peak = peak_kib(&child);
    assert!(peak < 100 * 1024, "{peak} KiB for answers that nobody has read");
    assert!(!writer.is_finished(), "the server reads on");
    assert_eq!(output.lines().take(ASKED + 1).map_while(Result::ok).count(), ASKED + 1);
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
}
