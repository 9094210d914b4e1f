//! The rights of a token.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::driver::{Client, Place, reply};

fn begun(client: &mut Client) {
    client.call_ok("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }));
}

#[test]
fn a_reply_needs_the_token_of_its_task() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    assert!(client.refusal("task_claim", &json!({ "seat": "judgment" })).contains("is not a seat"));
    assert!(
        client.refusal("task_claim", &json!({ "wait_s": 21 })).contains("wait_s is at most 20")
    );
    assert!(
        client
            .refusal("task_claim", &json!({ "token": "advocate-1.1.x" }))
            .contains("is not a token")
    );
    let claimed = client.call_ok("task_claim", &json!({ "seat": "advocate" }));
    let token = claimed["token"].as_str().unwrap();
    assert!(client.refusal("task_submit", &json!({ "reply": "x" })).contains("token"));
    assert!(
        client
            .refusal("task_submit", &json!({ "token": "advocate-1", "reply": "x" }))
            .contains("is not a token")
    );
    // A token that looks right, and a token of another task.
    let (task, secret) = token.rsplit_once('.').unwrap();
    for wrong in [format!("{task}.{}", "0".repeat(32)), format!("critic-1.1.{secret}")] {
        let late =
            client.call_ok("task_submit", &json!({ "token": wrong, "reply": reply("advocate-1") }));
        assert_eq!(late["state"], "late", "{late:?}");
    }
    assert!(place.replies().is_empty());
    let filed =
        client.call_ok("task_submit", &json!({ "token": token, "reply": reply("advocate-1") }));
    assert_eq!(filed["state"], "filed");
    let again =
        client.call_ok("task_submit", &json!({ "token": token, "reply": reply("advocate-1") }));
    let next = again["next"].as_str().unwrap();
    assert!(again["state"] == "filed" && next.contains("saved already"), "{again}");
    let other = json!({ "token": token, "reply": "**A1. Another.** It is so." });
    assert_eq!(client.call_ok("task_submit", &other)["state"], "late", "it is good for one reply");
    assert_eq!(place.replies().len(), 1);
}

/// The texts that were put aside of the debate here.
fn aside(place: &Place) -> std::path::PathBuf {
    let debate = place.state().debate.id;
    place.home().join(".claude/anvil.local/debates").join(debate).join("aside")
}

/// The number of its files.
fn count_aside(place: &Place) -> usize {
    fs_err::read_dir(aside(place)).map_or(0, Iterator::count)
}

#[test]
fn replies_with_unknown_tokens_are_kept_up_to_a_limit() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let own = client.call_ok("task_claim", &json!({ "seat": "advocate" }));
    let mut submit = |number: usize, text: &str| {
        let token = format!("critic-1.{}.{number:032x}", number % 7);
        client.call("task_submit", &json!({ "token": token, "reply": text }))
    };
    for number in 0..20 {
        assert_eq!(submit(number, "The same.")["structuredContent"]["state"], "late");
    }
    assert_eq!(count_aside(&place), 1);
    for number in 0..300 {
        let result = submit(number, &format!("**C1. Text {number}.** It is not so."));
        assert_eq!(result["structuredContent"]["state"], "late", "{result}");
    }
    // The last three.
    assert_eq!(count_aside(&place), 3);
    let kept = fs_err::read_dir(aside(&place)).unwrap();
    let kept = kept.map(|file| fs_err::read_to_string(file.unwrap().path()).unwrap());
    assert!(kept.into_iter().all(|text| (297..300).any(|at| text.contains(&format!(" {at}.")))));
    // A reply with an issued token is saved, and is late if it comes a second time.
    let filed = client
        .call_ok("task_submit", &json!({ "token": own["token"], "reply": reply("advocate-1") }));
    assert_eq!(filed["state"], "filed");
    for text in ["A second thought.", "And a third."] {
        let late = client.call_ok("task_submit", &json!({ "token": own["token"], "reply": text }));
        assert_eq!((late["state"].as_str(), count_aside(&place)), (Some("late"), 3));
    }
}

#[test]
fn a_debate_with_thousands_of_late_replies_is_listed_searched_and_pruned() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let aside = aside(&place);
    fs_err::create_dir_all(&aside).unwrap();
    for number in 1..=3_000 {
        let name = format!("unfiled-{number:012x}.md");
        fs_err::write(aside.join(name), format!("Text {number}")).unwrap();
    }
    let token = format!("critic-1.1.{}", "0".repeat(32));
    assert_eq!(
        client.call_ok("task_submit", &json!({ "token": token, "reply": "One more." }))["state"],
        "late"
    );
    assert_eq!(count_aside(&place), 3_001);
    drop(client);
    let said = |arguments: &[&str]| {
        let ran = place.anvil(arguments, "");
        assert!(ran.status.success(), "{arguments:?}: {ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    for verb in [&["history"][..], &["history", "move"]] {
        let shown = said(verb);
        assert!(!shown.contains("unreadable") && !shown.contains("unfiled"), "{shown}");
    }
    said(&["cancel", "--take-over"]);
    said(&["start", "Should we stay?"]);
    said(&["prune", "--keep", "0", "--yes"]);
    assert!(!aside.parent().unwrap().exists());
}

#[test]
fn a_claim_waits_until_its_task_can_be_written() {
    let place = Place::new();
    let (mut critic, mut advocate) = (place.client(), place.client());
    begun(&mut critic);
    let waits = critic.call_ok("task_claim", &json!({ "seat": "critic" }));
    assert_eq!((waits["state"].as_str(), waits["token"].as_str()), (Some("wait"), None));
    assert!(waits["waits_for"].as_str().unwrap().contains("advocate-1"));
    let own = advocate.call_ok("task_claim", &json!({}));
    assert_eq!(own["task"], "advocate-1");
    let yours = advocate.call_ok("debate_status", &json!({}));
    assert_eq!(yours["yours"], json!([{ "task": "advocate-1", "token": own["token"] }]));
    let statuses: Vec<_> = (0..3).map(|at| yours["tasks"][at]["status"].clone()).collect();
    assert_eq!(statuses, ["claimed", "waiting", "waiting"]);
    assert!(
        critic.call_ok("debate_status", &json!({}))["yours"].is_null(),
        "a token is told to whom it was given"
    );
    // It waits while the other client writes.
    let asked = critic.begin(
        "tools/call",
        &json!({ "name": "task_claim", "arguments": { "seat": "critic", "wait_s": 20 } }),
    );
    advocate
        .call_ok("task_submit", &json!({ "token": own["token"], "reply": reply("advocate-1") }));
    let ready = critic.answer(asked)["result"]["structuredContent"].clone();
    assert_eq!((&ready["state"], &ready["task"]), (&json!("write"), &json!("critic-1")), "{ready}");
    assert!(ready["prompt"].as_str().unwrap().contains("advocate-1 says yes"));
    let other = critic.refusal("task_claim", &json!({ "token": own["token"] }));
    assert!(other.contains("advocate-1 is not yours any more"), "{other}");
}

#[test]
fn a_lost_token_is_given_again() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let own = client.call_ok("task_claim", &json!({ "seat": "advocate" }));
    for arguments in [json!({ "seat": "advocate" }), json!({ "token": own["token"] })] {
        let again = client.call_ok("task_claim", &arguments);
        assert_eq!((&again["state"], &again["token"]), (&json!("write"), &own["token"]));
        assert_eq!(again["prompt"], own["prompt"]);
    }
    let filed = client
        .call_ok("task_submit", &json!({ "token": own["token"], "reply": reply("advocate-1") }));
    assert_eq!((filed["state"].as_str(), place.replies().len()), (Some("filed"), 1));
}

#[test]
fn a_client_may_hold_several_tasks_at_once() {
    let place = Place::new();
    let mut client = place.client();
    client.call_ok(
        "debate_start",
        &json!({ "question": "Should we move?", "stakeholders": "a1,b2,c3,d4,e5,f6,g7,h8,i9,j10" }),
    );
    // Each call starts a program that tests the locks, while the others do the same.
    let claim = json!({ "name": "task_claim", "arguments": {} });
    let asked: Vec<i64> = (0..10).map(|_| client.begin("tools/call", &claim)).collect();
    let tasks: BTreeSet<_> = asked
        .into_iter()
        .map(|asked| {
            let result = &client.answer(asked)["result"];
            let task = result["structuredContent"]["task"].as_str();
            task.unwrap_or_else(|| panic!("{}", result["content"][0]["text"])).to_owned()
        })
        .collect();
    assert_eq!(tasks.len(), 10, "{tasks:?}");
}

#[test]
fn a_token_outlives_its_server_until_another_holds_the_task() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let first = client.call_ok("task_claim", &json!({}));
    let mut other = place.client();
    assert_eq!(other.call_ok("task_claim", &json!({ "seat": "advocate" }))["state"], "wait");
    client.kill();
    // After a restart it has the same task.
    let mut client = place.client();
    let ready = client.call_ok("task_claim", &json!({ "token": first["token"] }));
    assert_eq!((&ready["state"], &ready["token"]), (&json!("write"), &first["token"]));
    let taken = other.call_ok("task_claim", &json!({ "seat": "advocate" }));
    assert_eq!(taken["state"], "write");
    let late = client
        .call_ok("task_submit", &json!({ "token": first["token"], "reply": reply("advocate-1") }));
    assert_eq!(late["state"], "late");
    let filed = other
        .call_ok("task_submit", &json!({ "token": taken["token"], "reply": reply("advocate-1") }));
    assert_eq!((filed["state"].as_str(), place.replies().len()), (Some("filed"), 1));
    // A token is good without its server.
    let critic = other.call_ok("task_claim", &json!({}));
    other.kill();
    let filed = client
        .call_ok("task_submit", &json!({ "token": critic["token"], "reply": reply("critic-1") }));
    assert_eq!((filed["state"].as_str(), place.replies().len()), (Some("filed"), 2));
}

#[test]
fn an_unusable_reply_is_retried_with_the_same_token() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let claimed = client.call_ok("task_claim", &json!({}));
    let again =
        client.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": "No number." }));
    assert_eq!(again["state"], "again");
    assert!(again["next"].as_str().unwrap().contains("number your claims: "), "{again:?}");
    assert!(again["prompt"].as_str().unwrap().contains("No number."), "it is shown what it wrote");
    let filed = client.call_ok(
        "task_submit",
        &json!({ "token": claimed["token"], "reply": reply("advocate-1") }),
    );
    assert_eq!(filed["state"], "filed");
}

#[test]
fn a_cancelled_call_holds_no_task() {
    let place = Place::new();
    let (mut client, mut other) = (place.client(), place.client());
    begun(&mut client);
    let asked = client.begin(
        "tools/call",
        &json!({ "name": "task_claim", "arguments": { "seat": "critic", "wait_s": 20 } }),
    );
    client.cancel(asked);
    assert_eq!(client.call_ok("debate_status", &json!({}))["status"], "not_started");
    let own = other.call_ok("task_claim", &json!({ "seat": "advocate" }));
    other.call_ok("task_submit", &json!({ "token": own["token"], "reply": reply("advocate-1") }));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(other.call_ok("task_claim", &json!({ "seat": "critic" }))["state"], "write");
}

#[test]
fn calls_are_cancelled_while_more_are_open_than_there_is_room_for() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let claim = json!({ "name": "task_claim", "arguments": { "seat": "critic", "wait_s": 20 } });
    let asked: Vec<i64> = (0..60).map(|_| client.begin("tools/call", &claim)).collect();
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    for call in asked {
        client.cancel(call);
    }
    client.ask("ping", &json!({}));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(client.told.is_empty(), "a cancelled call has no answer: {:?}", client.told);
}

#[test]
fn a_reply_that_was_undone_is_not_called_saved() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let first = client.call_ok("task_claim", &json!({}));
    let own = json!({ "token": first["token"], "reply": reply("advocate-1") });
    assert_eq!(client.call_ok("task_submit", &own)["state"], "filed");
    assert!(place.anvil(&["undo", "--take-over"], "").status.success());
    // A person writes the reply.
    let claimed = place.anvil(&["claim", "advocate"], "");
    let token = String::from_utf8(claimed.stderr).unwrap();
    let token = token.trim_end().rsplit('\n').next().unwrap();
    let submits = || place.anvil(&["submit", token], "**A1. Another.** It is so.").status;
    assert!(submits().success());
    let again = client.call_ok("task_submit", &own);
    assert_eq!(again["state"], "late", "its words are in no reply: {again}");
    assert!(submits().success(), "it is saved already");
}

#[test]
fn a_claim_that_is_cancelled_while_it_waits_for_the_lock_holds_no_task() {
    let place = Place::new();
    let (mut client, mut other) = (place.client(), place.client());
    begun(&mut client);
    let lock = place.state_file().with_file_name("anvil-state.lock.local.md");
    let lock = fs_err::OpenOptions::new().write(true).open(lock).unwrap();
    lock.file().lock().unwrap();
    let claim = json!({ "name": "task_claim", "arguments": { "seat": "advocate" } });
    let asked = client.begin("tools/call", &claim);
    std::thread::sleep(Duration::from_millis(500));
    client.cancel(asked);
    client.ask("ping", &json!({}));
    lock.file().unlock().unwrap();
    let claimed = other.call_ok("task_claim", &json!({ "seat": "advocate", "wait_s": 20 }));
    assert_eq!(claimed["state"], "write", "{claimed}");
}

#[test]
fn a_server_whose_client_has_gone_leaves_within_seconds() {
    let place = Place::new();
    let mut client = place.client();
    begun(&mut client);
    let claim = json!({ "name": "task_claim", "arguments": { "seat": "critic", "wait_s": 20 } });
    client.begin("tools/call", &claim);
    std::thread::sleep(Duration::from_millis(500));
    let left = std::time::Instant::now();
    assert_eq!(client.leave(), Some(0));
    assert!(left.elapsed() < Duration::from_secs(3), "{:?}", left.elapsed());
}
