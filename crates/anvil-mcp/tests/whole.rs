//! Whole debates: by one client, by two at once, and with the server killed between any two
//! messages.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{Client, Place, reply};

/// The client's next action, from its own knowledge. It outlives the server.
struct Script {
    question: String,
    has_begun: bool,
    /// The task that it holds, and its reply.
    holds: Option<(String, String)>,
    is_over: bool,
}

impl Script {
    fn new() -> Self {
        Self {
            question: "Should we move?".to_owned(),
            has_begun: false,
            holds: None,
            is_over: false,
        }
    }

    fn next(&self) -> (&'static str, Value) {
        match &self.holds {
            Some((token, text)) => ("task_submit", json!({ "token": token, "reply": text })),
            None if self.has_begun => ("task_claim", json!({ "wait_s": 1 })),
            None => ("debate_start", json!({ "question": self.question, "rounds": 1 })),
        }
    }

    fn take(&mut self, tool: &str, result: &Value) {
        let content = &result["structuredContent"];
        match tool {
            // If the answer to the first call was lost, the debate exists anyway.
            "debate_start" => self.has_begun = true,
            "task_claim" => match content["state"].as_str() {
                Some("write") => {
                    let text = reply(content["task"].as_str().unwrap());
                    self.holds = Some((content["token"].as_str().unwrap().to_owned(), text));
                }
                Some("over") => self.is_over = true,
                other => assert!(matches!(other, Some("wait" | "held")), "{result}"),
            },
            _ => {
                assert!(
                    matches!(
                        content["state"].as_str(),
                        Some("filed" | "late" | "complete" | "kept")
                    ) || result["isError"] == true,
                    "{result}"
                );
                self.holds = None;
            }
        }
    }
}

#[test]
fn a_debate_from_its_question_to_its_verdict() {
    let place = Place::new();
    let mut client = place.client();
    let started = client.call_ok(
        "debate_start",
        &json!({ "question": "Should we move?", "rounds": 1, "position": "wait" }),
    );
    assert_eq!(started["replies"], 3);
    let (mut states, mut last) = (Vec::new(), None);
    loop {
        let claimed = client.call_ok("task_claim", &json!({}));
        if claimed["state"] == "over" {
            break;
        }
        assert!(claimed["prompt"].as_str().unwrap().contains("> Should we move?"));
        let text = reply(claimed["task"].as_str().unwrap());
        let content =
            client.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
        states.push(content["state"].clone());
        last = Some(content);
    }
    assert_eq!(states, ["filed", "filed", "complete"]);
    let verdict = json!({
        "motion": "move", "verdict": "do", "recommendation": "Do it.", "confidence_percent": 70,
        "rests_on": ["A1"], "against": "C1 in part", "flips_if": "it breaks 3 times",
        "unknown": "how often it breaks",
    });
    let shows = |answer: &Value| {
        verdict.as_object().unwrap().iter().all(|(key, value)| answer[key] == *value)
    };
    assert!(shows(last.as_ref().unwrap()), "{last:?}");
    assert_eq!(place.replies().len(), 3);
    let report = client.call_ok("debate_report", &json!({}));
    let report = report["report"].as_str().unwrap();
    assert!(report.contains("Do it.") && report.contains("advocate-1 says yes"), "{report}");
    assert!(
        !report.contains(&*place.project().to_string_lossy())
            && !report.contains(&*place.home().to_string_lossy())
    );
    let found = client.call_ok("debate_search", &json!({ "text": "SAYS NO" }));
    assert_eq!(found["debates"][0]["debate"], started["debate"]);
    assert!(found["debates"][0]["hits"].to_string().contains("critic, round 1"), "{found:?}");
    let listed = &client.call_ok("debate_search", &json!({}))["debates"][0];
    assert!(listed["status"] == "completed" && shows(listed), "{listed}");
}

#[test]
fn a_wrong_block_is_asked_for_with_the_same_token() {
    let place = Place::new();
    let mut client = place.client();
    client.call_ok("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }));
    let answer = |client: &mut Client, text: &str| {
        let claimed = client.call_ok("task_claim", &json!({}));
        let text = if text.is_empty() {
            reply(claimed["task"].as_str().unwrap())
        } else {
            text.to_owned()
        };
        let content =
            client.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
        (claimed, content)
    };
    answer(&mut client, "");
    answer(&mut client, "");
    let wrong = reply("synthesis").replace("verdict: do\n", "");
    let (claimed, content) = answer(&mut client, &wrong);
    assert_eq!(
        (&content["state"], &content["verdict"]),
        (&json!("again"), &Value::Null),
        "{content}"
    );
    assert!(content["next"].as_str().unwrap().starts_with("It is saved, but"), "{content}");
    assert_eq!(place.replies()[2], wrong, "the synthesis is saved at once");
    let prompt = content["prompt"].as_str().unwrap().to_owned();
    let block = json!({ "token": claimed["token"], "reply": reply("synthesis") });
    let content = client.call_ok("task_submit", &block);
    assert!(prompt.contains("Its block is wrong: ") && prompt.contains("\"verdict\""), "{prompt}");
    assert_eq!(
        (&content["state"], &content["verdict"]),
        (&json!("complete"), &json!("do")),
        "{content}"
    );
    assert_eq!(place.replies().len(), 3);
}

/// Runs the script to its end. The server is killed once: after this many messages, before or after
/// the last one's answer.
fn killed_after(messages: usize, is_answered: bool) -> bool {
    let place = Place::new();
    let mut script = Script::new();
    let mut client = place.client();
    let (mut sent, mut was_killed) = (0, false);
    while !script.is_over {
        let (tool, arguments) = script.next();
        let id = client.begin("tools/call", &json!({ "name": tool, "arguments": arguments }));
        sent += 1;
        let is_last = sent == messages && !was_killed;
        if !is_last || is_answered {
            let answer = client.answer(id);
            script.take(tool, &answer["result"]);
        }
        if is_last {
            if !is_answered {
                // Sometimes before it has read the line, sometimes while it writes.
                std::thread::sleep(Duration::from_millis(u64::try_from(messages % 4).unwrap() * 9));
            }
            client.kill();
            client = place.client();
            was_killed = true;
        }
        assert!(sent < 60, "the client goes round in circles");
    }
    assert_eq!(place.replies(), [reply("advocate-1"), reply("critic-1"), reply("synthesis")]);
    was_killed
}

#[test]
fn a_debate_continues_after_its_server_is_killed() {
    for is_answered in [true, false] {
        let mut messages = 1;
        while killed_after(messages, is_answered) {
            messages += 1;
        }
        assert!(messages > 7, "seven messages and more make a debate");
    }
}

/// Works until the debate is over; records each task that it got.
fn work(client: &mut Client, given: &Mutex<BTreeMap<String, usize>>) {
    loop {
        let claimed = client.call_ok("task_claim", &json!({ "wait_s": 20 }));
        match claimed["state"].as_str().unwrap() {
            "write" => {}
            "over" | "nothing" => return,
            _ => continue,
        }
        let task = claimed["task"].as_str().unwrap();
        *given.lock().unwrap().entry(task.to_owned()).or_default() += 1;
        let text = if task == "synthesis" { synthesis(6) } else { reply(task) };
        let content =
            client.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
        assert!(
            matches!(content["state"].as_str(), Some("filed" | "kept" | "complete")),
            "{content:?}"
        );
    }
}

fn synthesis(voices: usize) -> String {
    let lines: Vec<String> =
        (1..=voices).map(|voice| format!("S{voice}.1 survived: it stands\n")).collect();
    reply("synthesis")
        .replace("A1 survived: it stands\nC1 fell: it does not\n", &lines.concat())
        .replace("A1", "S1.1")
}

#[test]
fn two_servers_of_one_debate_do_nothing_twice() {
    let place = Place::new();
    let mut first = place.client();
    let voices: Vec<String> = (1..=6).map(|voice| format!("team {voice}")).collect();
    first
        .call_ok("debate_start", &json!({ "question": "Should we move?", "stakeholders": voices }));
    let mut second = place.client();
    let given = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        scope.spawn(|| work(&mut first, &given));
        scope.spawn(|| work(&mut second, &given));
    });
    let given = given.into_inner().unwrap();
    assert_eq!(given.len(), 7, "{given:?}");
    assert!(given.values().all(|times| *times == 1), "{given:?}");
    let expected: Vec<String> =
        (1..=6).map(|voice| reply(&format!("voice-{voice}"))).chain([synthesis(6)]).collect();
    assert_eq!(place.replies(), expected);
}

/// A debate has one driver: Claude Code argues it, and the client takes no seat of it.
#[test]
fn a_client_takes_no_seat_in_a_debate_that_claude_code_argues() {
    let place = Place::new();
    let event = |name: &str, field: &str, text: &str| {
        let event = json!({
            "session_id": "one", "hook_event_name": name, "cwd": place.project(),
            "command_name": "anvil:debate", (field): text,
        });
        String::from_utf8(place.anvil(&["hook"], &event.to_string()).stdout).unwrap()
    };
    event("UserPromptExpansion", "command_args", "Should we move? --rounds 1");
    let mut client = place.client();
    let refused = client.refusal("task_claim", &json!({ "seat": "critic" }));
    assert!(refused.contains("Claude Code argues this debate"), "{refused}");
    for task in ["advocate-1", "critic-1", "synthesis"] {
        event("Stop", "last_assistant_message", &reply(task));
    }
    assert_eq!(client.call_ok("task_claim", &json!({}))["state"], "over");
}

#[test]
fn a_client_names_the_options_of_a_decision() {
    let place = Place::new();
    let mut client = place.client();
    let options = json!(["Redis", "SQLite", "nothing new"]);
    client.call_ok("debate_start", &json!({ "question": "Which store?", "options": options }));
    let debate = place.state().debate;
    let ids: Vec<String> = debate.places().into_iter().map(|place| place.id(1)).collect();
    let expected =
        ["voice-1", "voice-2", "voice-3", "attack-1", "attack-2", "attack-3", "synthesis"];
    assert_eq!(ids, expected);
    for _ in 0..2 {
        let claimed = client.call_ok("task_claim", &json!({}));
        let text = claimed.to_string();
        assert!(text.contains("Which option is whose: Redis: voice 1; SQLite: voice 2"), "{text}");
    }
}
