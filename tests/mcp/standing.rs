//! A client has the rights of a project, and never more.

use serde_json::{Value, json};

use crate::driver::Place;

#[test]
fn a_client_cannot_request_what_a_project_cannot() {
    let place = Place::new();
    place.write("outside/notes.md", "outside");
    place.write("project/docs/there.md", "a file");
    place.write("project/.env", "TOKEN=abc");
    place.write("project/.git/config", "[core]\n");
    std::os::unix::fs::symlink("../outside", place.project().join("link")).unwrap();
    let outside = place.project().parent().unwrap().join("outside/notes.md").display().to_string();
    let cases: Vec<(&str, Value, &str)> = vec![
        ("context", json!(["../outside/notes.md"]), "leads out of the project"),
        ("context", json!([outside]), "leads out of the project"),
        ("context", json!(["~/notes.md"]), "leads out of the project"),
        ("context", json!(["link/notes.md"]), "leads out of the project"),
        ("context", json!([".git/config"]), "leads into .git or .claude"),
        ("context", json!([".env"]), "secret"),
        ("follow_up", json!("../outside/notes.md"), "leads out of the project"),
        ("versus", json!(["../outside/notes.md", "docs/there.md"]), "leads out of the project"),
        ("persona", json!(["../outside/notes.md"]), "leads out of the project"),
        ("output", json!("docs/new.md"), "can't choose where the report goes"),
        ("diff", json!(""), "can't ask for diff"),
        ("diff", json!(true), "can't ask for diff"),
        ("pr", json!(12), "can't ask for pr"),
        ("replace", json!(true), "can't end what the user argues"),
        ("fact_check", json!(true), "can't have a program read its files"),
        ("take_over", json!(true), "there is no option take-over"),
        ("judges", json!(3), "for who leads a debate"),
        ("interactive", json!(true), "for who leads a debate"),
        ("boundary", json!("round"), "for who leads a debate"),
        ("agent", json!("cmd:touch /tmp/x"), "there is no option agent"),
        ("isolated", json!(true), "there is no option isolated"),
        ("mode", json!("../x"), "there is no mode"),
        ("framework", json!("no-such"), "there is no framework"),
        ("rounds", json!(11), "1 to 10"),
        ("rounds", json!(-1), "1 to 10"),
        ("context", json!({ "a": 1 }), "is a text"),
        ("question", json!(["a"]), "question is a text"),
        ("question", json!("  "), "there is no question"),
    ];
    let mut client = place.client();
    for (name, value, why) in cases {
        let mut arguments = json!({ "question": "Should we move?" });
        arguments[name] = value.clone();
        let said = client.refused("debate_start", &arguments);
        assert!(said.contains(why), "{name} {value}: {said}");
        let root = place.project();
        assert!(
            !said.contains(&*root.to_string_lossy()),
            "{name} names a path of the machine: {said}"
        );
        assert!(!place.state_file().exists(), "{name}");
    }
}

#[test]
fn secrets_in_the_context_are_masked() {
    let place = Place::new();
    place.write(
        "project/src/code.rs",
        "let key = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\";\nfn main() {}\n",
    );
    let mut client = place.client();
    let arguments = json!({ "question": "Should we?", "rounds": 1, "context": ["src"] });
    client.done("debate_start", &arguments);
    let state = fs_err::read_to_string(place.state_file()).unwrap();
    assert!(state.contains("fn main()") && !state.contains("ghp_0123456789"), "{state}");
}

#[test]
fn the_users_debate_is_not_replaced_taken_over_or_woken() {
    let place = Place::new();
    // Even if the user replaces by default: that applies to the user's own starts.
    place.write("home/.claude/anvil.local.md", "---\nreplace: yes\n---\n");
    let event = |name: &str, prompt: &str| {
        json!({ "session_id": "one", "hook_event_name": name, "cwd": place.project(), "prompt": prompt }).to_string()
    };
    place.anvil(&["hook"], &event("UserPromptSubmit", "/anvil:debate Should we stay? --rounds 1"));
    let before = fs_err::read(place.state_file()).unwrap();
    let mut client = place.client();
    let refused = client.refused("debate_start", &json!({ "question": "Should we move?" }));
    assert!(refused.contains("another debate is unfinished here"), "{refused}");
    let led = client.done("task_claim", &json!({ "seat": "advocate" }));
    assert_eq!(led["state"], "wait", "{led:?}");
    assert!(led["waits_for"].as_str().unwrap().contains("Claude Code"), "{led:?}");
    assert_eq!(fs_err::read(place.state_file()).unwrap(), before);
    // A debate that the user has paused stays paused.
    place.anvil(&["hook"], &event("UserPromptSubmit", "something else"));
    let before = fs_err::read(place.state_file()).unwrap();
    let rests = client.done("task_claim", &json!({ "seat": "critic", "wait_s": 20 }));
    assert!(rests["waits_for"].as_str().unwrap().contains("the debate rests"), "{rests:?}");
    assert!(rests["prompt"].is_null());
    assert_eq!(fs_err::read(place.state_file()).unwrap(), before);
}
