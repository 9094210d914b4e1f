//! A plan that programs argue about for a session: what to change in it reaches Claude.

use serde_json::json;

use super::{REPLIES, Room};
use testkit::host::Answer;

const LIST: &str = "1. Name who rolls back (C1).\n2. Copy *on Monday*, not on Friday (C1, A1).";

fn synthesis(list: &str) -> String {
    let heading = format!("### What to change in the plan\n\n{list}\n\n### What to do");
    let motion = "motion: carry out this plan";
    REPLIES[2].replace("### What to do", &heading).replace("motion: wait", motion)
}

/// A room whose session has a plan, and whose synthesizer wants this changed.
fn room(list: &str) -> Room {
    let room = Room::new();
    let input = json!({ "plan": "# Move\n\nCopy the data on Friday.\n" });
    let call = json!({ "type": "tool_use", "name": "ExitPlanMode", "input": input });
    let line = json!({ "type": "assistant", "sessionId": "one", "message": { "content": [call] } });
    fs_err::write(room.file("t.jsonl"), format!("{line}\n")).unwrap();
    fs_err::write(room.file("synthesizer.md"), synthesis(list)).unwrap();
    room
}

impl Room {
    fn isolated_plan(&self) -> Answer {
        let seats = super::SEATS.map(|seat| format!("--{seat} \"{}\"", self.agent(seat))).join(" ");
        let typed = format!("/anvil:debate --plan --rounds 1 --isolated {seats}");
        let fields = json!({ "prompt": typed, "transcript_path": self.file("t.jsonl") });
        self.host.event("one", "UserPromptSubmit", &fields)
    }
}

#[test]
fn the_next_prompt_carries_the_list_word_for_word() {
    let room = room(LIST);
    let begun = room.isolated_plan();
    assert!(begun.reason().contains("3 independent replies are being written"), "{begun:?}");
    // The event arrives twice.
    room.host.wait(-10);
    assert!(room.isolated_plan().is_silent());
    room.comes_to("completed");
    let critic = room.prompt("critic, round 1");
    assert!(critic.contains("### Document (the plan)\n\n> `the plan of this session`"), "{critic}");
    assert!(critic.contains("> Copy the data on Friday.") && critic.contains("right as it stands"));
    assert!(room.prompt("synthesis").contains("### What to change in the plan"));
    let told = room.host.prompt("one", "Change the plan.");
    let quoted = format!("> {}", LIST.replace('\n', "\n> "));
    assert!(told.context().ends_with(&format!("word for word:\n\n{quoted}")), "{told:?}");
    assert!(room.host.prompt("one", "And then?").is_silent());
}

#[test]
fn a_list_that_is_too_long_for_a_prompt_ends_with_a_pointer() {
    let item = |number| format!("{number}. Say who does it and until when 😀 (C1).\n");
    let room = room(&(1..=400).map(item).collect::<String>());
    room.isolated_plan();
    room.comes_to("completed");
    let told = room.host.prompt("one", "Change the plan.");
    let told = told.context();
    assert!(told.contains("\n> 100. Say who") && !told.contains("\n> 400. Say who"), "{told}");
    assert!(told.ends_with("😀 (C1).\n… (the report has the remaining lines)"), "{told}");
    assert!(told.contains("The whole report: ") && told.encode_utf16().count() < 9_500);
}

#[test]
fn judges_who_agree_keep_the_list_of_the_first_one() {
    let room = Room::new();
    fs_err::write(room.host.path("plan.md"), "# Move\n").unwrap();
    fs_err::write(room.file("synthesizer.md"), synthesis(LIST)).unwrap();
    room.run(&["--plan=plan.md", "--judges", "2"]);
    assert_eq!(room.paid().len(), 4);
    let synthesis = room.host.reply_texts().pop().unwrap();
    assert!(synthesis.contains(&format!("### What to change in the plan\n\n{LIST}\n\n###")));
    assert_eq!(synthesis.matches("### What to change in the plan").count(), 1, "{synthesis}");
}
