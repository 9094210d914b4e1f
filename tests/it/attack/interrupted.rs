//! Turns that end in every way before anything is typed: nothing that was received is lost, a turn
//! is on record once, and the debate goes on.

use serde_json::{Value, json};

use crate::recovery::line;
use testkit::host::Host;
use testkit::sample::try_sample;

/// How a turn ends whose reply no Stop saves.
const ENDINGS: [&str; 6] =
    ["Esc", "Esc after an error", "error in the transcript", "StopFailure", "whole", "nothing"];

const TYPED: [&str; 14] = [
    "/anvil:status",
    "/anvil:resume",
    "/anvil:steer Shorter.",
    "/anvil:steer --rounds 2",
    "/anvil:steer --note A fact.",
    "/anvil:steer --nonsense",
    "/anvil:undo",
    "/anvil:claims",
    "/anvil:report",
    "continue",
    "try again",
    "Hello",
    "",
    "<task-notification> done",
];

const WHOLE: &str = "C1. A reply that no Stop has saved.";

struct Session {
    host: Host,
}

impl Session {
    fn event(&self, name: &str, turn: usize, mut fields: Value) {
        // A Stop waits for a transcript that lacks its reply.
        if name != "Stop" {
            fields["transcript_path"] = json!(self.host.outside("t.jsonl"));
        }
        fields["prompt_id"] = json!(format!("t{turn}"));
        self.host.event("one", name, &fields);
        self.host.wait(5);
    }

    fn add(&self, kind: &str, text: &str, model: &str) {
        let path = self.host.outside("t.jsonl");
        let before = fs_err::read_to_string(&path).unwrap_or_default();
        let line = line(&self.host, kind, &json!([{ "type": "text", "text": text }]));
        fs_err::write(path, before + &line.replace("\"m\"", &format!("\"{model}\""))).unwrap();
    }

    fn ends(&self, ending: &str, turn: usize) {
        let report = "API Error: 529 Overloaded";
        let esc = || self.add("user", "[Request interrupted by user]", "m");
        match ending {
            "Esc" => esc(),
            "Esc after an error" => {
                self.add("assistant", report, "<synthetic>");
                esc();
            }
            "error in the transcript" => self.add("assistant", report, "<synthetic>"),
            "StopFailure" => {
                self.event("StopFailure", turn, json!({ "last_assistant_message": report }));
            }
            "whole" => self.add("assistant", WHOLE, "m"),
            _ => {}
        }
        self.host.wait(5);
    }
}

#[test]
fn an_interrupted_turn_loses_nothing_and_counts_once() {
    let typed = TYPED.len();
    try_sample(ENDINGS.len() * typed * typed, 6, |case| {
        let ending = ENDINGS[case % ENDINGS.len()];
        let commands = case / ENDINGS.len();
        let commands = [TYPED[commands % typed], TYPED[commands / typed]];
        let what = format!("{ending} {commands:?}");
        let session = Session { host: Host::new() };
        session.event("UserPromptSubmit", 0, json!({ "prompt": "/anvil:debate Why? --rounds 1" }));
        session.event("Stop", 0, json!({ "last_assistant_message": "A1. One." }));
        session.ends(ending, 0);
        for (turn, prompt) in commands.iter().enumerate() {
            session.event("UserPromptSubmit", turn + 1, json!({ "prompt": prompt }));
            session.add("user", prompt, "m");
        }

        let host = &session.host;
        let record: Value = host.run(&["attempts", "--json"]).json();
        let turns = record["turns"].as_array().unwrap();
        let mut asked: Vec<String> =
            turns.iter().map(|turn| format!("{} {}", turn["asked"], turn["generation"])).collect();
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), turns.len(), "{what}: {turns:#?}");
        let failed = turns.iter().filter(|turn| !turn["error"].is_null()).count();
        let retries = record["total"]["retries"].as_u64().unwrap();
        assert!(retries <= failed as u64, "{what}: {turns:#?}");

        if ending == "whole" && commands[0].starts_with("/anvil:") {
            let all: Vec<u8> = host.all_files().into_iter().flat_map(|(_, bytes)| bytes).collect();
            assert!(String::from_utf8_lossy(&all).contains(WHOLE), "{what}: the reply is lost");
        }
        // However it ended, it can be resumed and comes to its end.
        session.event("UserPromptSubmit", 9, json!({ "prompt": "/anvil:resume" }));
        for _ in 0..6 {
            let reply = match host.head("phase").trim_matches('"') {
                "advocate" => "A1. Again.".to_owned(),
                "critic" => "C1. Yet again.".to_owned(),
                _ => host.synthesis("recommendation: Wait."),
            };
            if host.head("status") == "completed" {
                break;
            }
            session.event("Stop", 9, json!({ "last_assistant_message": reply }));
        }
        assert_eq!(host.head("status"), "completed", "{what}");
    });
}
