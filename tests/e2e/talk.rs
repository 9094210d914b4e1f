//! A client that is told line by line and answers in JSON, as editors and other programs run it.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::process::{Finished, Running};

/// How long one answer may take: a whole debate.
const PATIENCE: Duration = Duration::from_mins(2);

/// A session that stays open between its prompts.
pub(crate) struct Talk(Running);

impl Talk {
    pub(crate) fn open(client: Client) -> Self {
        let client = client.arg("-p").arg("--input-format").arg("stream-json").telling();
        Self(client.spawn_told())
    }

    /// Sends a prompt of these blocks; returns what the client printed until its result.
    pub(crate) fn say(&mut self, blocks: &[&str]) -> Vec<Value> {
        let before = self.events().len();
        let content: Vec<Value> =
            blocks.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        let message = json!({ "role": "user", "content": content });
        self.0.say(&json!({ "type": "user", "message": message }).to_string());
        self.until_result(before)
    }

    /// Waits for the result of the first event after these.
    fn until_result(&self, before: usize) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut events = self.events().split_off(before);
            if let Some(at) = events.iter().position(|event| event["type"] == "result") {
                events.truncate(at + 1);
                return events;
            }
            assert!(Instant::now() < deadline, "no result: {events:#?}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn events(&self) -> Vec<Value> {
        let out = self.0.so_far();
        out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Ends the session.
    pub(crate) fn end(mut self) -> Finished {
        self.0.end_input();
        self.0.wait()
    }
}

/// The text of the result among these events.
pub(crate) fn result(events: &[Value]) -> String {
    let result = events.iter().find(|event| event["type"] == "result").expect("a result");
    result["result"].as_str().unwrap_or_default().to_owned()
}
