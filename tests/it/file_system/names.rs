//! Names of folders that are no text, have several lines, or are full of quotes.

use super::play;
use crate::host::Host;

#[test]
fn a_project_of_any_name_holds_a_whole_debate() {
    let long = "n".repeat(255);
    for name in
        ["new\nline", "\"quotes\" and 'more' $(x) `y` \\", " spaces ", "-rf", "ünï 🤺 \u{202e}", "a\u{1b}[31m", &long]
    {
        let host = Host::in_project(name).debating("Why? --rounds 1");
        assert!(play(&host).contains("Report: ./.claude/anvil.local/reports/"), "{name}");
        assert!(host.prompt("one", "/anvil:status").ended().contains("completed"), "{name}");
        assert_eq!(host.run(&["status", "--json"]).code, 0, "{name}");
        assert!(!host.prompt("two", "/anvil:debate Another?").told().is_empty(), "{name}");
        assert_eq!(host.run(&["cancel"]).code, 0, "{name}");
        assert_eq!(fs_err::read_dir(host.path(".claude/anvil.local/archive")).unwrap().count(), 2, "{name}");
    }
}

/// A project whose name is not UTF-8. Other systems have no such names.
#[cfg(target_os = "linux")]
mod no_text {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use serde_json::json;

    use crate::host::{Answer, Host};

    fn host() -> Host {
        Host::in_project(OsStr::from_bytes(b"\xff no \xfe text"))
    }

    /// The client's JSON can't hold the name; its environment does.
    fn send(host: &Host, name: &str, field: &str, text: &str) -> Answer {
        let cwd = host.root().to_string_lossy();
        let event = json!({ "session_id": "one", "hook_event_name": name, "cwd": cwd, field: text });
        host.hook_raw(event.to_string().as_bytes(), host.root(), Some(host.root()))
    }

    #[test]
    fn a_project_whose_name_is_no_text_holds_a_whole_debate() {
        let host = host();
        let answer = send(&host, "UserPromptSubmit", "prompt", "/anvil:debate Why? --rounds 1");
        assert!(answer.told().contains("Advocate, round 1 of 1"), "{answer:?}");
        for (reply, said) in [("A1.", "critic"), ("C1.", "synthesis"), ("**Recommendation:** Yes.", "complete")] {
            let answer = send(&host, "Stop", "last_assistant_message", reply);
            assert!(answer.said().starts_with(&format!("Anvil: {said}")), "{answer:?}");
        }
        assert!(send(&host, "UserPromptSubmit", "prompt", "/anvil:status").ended().contains("completed"));
        assert_eq!(host.run(&["start", "Another?"]).code, 0);
        assert_eq!(host.run(&["status"]).code, 0);
        assert_eq!(host.run(&["cancel"]).code, 0);
        assert!(!host.root().with_file_name("\u{FFFD} no \u{FFFD} text").exists());
    }

    #[test]
    fn the_status_of_it_is_told_as_json_as_well() {
        let host = host();
        host.run(&["start", "Why?"]);
        let printed = host.run(&["status", "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        let value: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
        assert!(value["state_file"].as_str().unwrap().ends_with("anvil-state.local.md"));
    }

    #[test]
    fn the_prompts_name_the_state_file_so_that_it_can_be_read() {
        let answer = send(&host(), "UserPromptSubmit", "prompt", "/anvil:debate Why?");
        assert!(
            !answer.told().contains('\u{FFFD}') && answer.told().contains(".claude/anvil-state.local.md"),
            "{answer:?}"
        );
    }
}
