//! The user always wins: prompts pause the debate, commands are answered immediately.

use serde_json::json;

use testkit::host::Host;

#[test]
fn a_prompt_in_a_new_turn_pauses_the_debate() {
    let host = Host::new().debating("Why? --rounds 3");
    host.stop("one", "A1.");
    let answer = host.prompt("one", "What does A1 mean?");
    assert_eq!(
        answer.message(),
        "Anvil paused before critic, round 1 of 3: you typed a message. \
         /anvil:steer TEXT gives a direction; /anvil:resume continues."
    );
    assert!(says_edits_are_allowed(&answer) && answer.reason().is_empty());
    assert_eq!(host.head("active"), "false");
    assert!(host.stop("one", "It means this.").is_silent());
    assert_eq!(host.sections().len(), 1);
    assert!(host.prompt("one", "Thanks").is_silent());
    host.prompt("one", "/anvil:resume");
    assert!(host.stop("one", "C1.").context().starts_with("── Advocate · round 2"));
}

#[test]
fn a_prompt_while_claude_writes_waits_until_the_reply_is_saved() {
    let host = Host::new();
    host.prompt_in("p1", "/anvil:debate Why? --rounds 3");
    host.stop_in("p1", "A1.");
    assert!(host.prompt_in("p1", "one more thing").is_silent());
    let answer = host.stop_in("p1", "C1.");
    assert!(answer.context().is_empty(), "{answer:?}");
    assert!(answer.message().starts_with("Anvil paused before advocate, round 2 of 3: "));
    assert_eq!(host.sections().len(), 2);
    assert!(host.stop_in("p2", "About that thing.").is_silent());
    assert_eq!(host.sections().len(), 2);
    assert!(host.prompt_in("p3", "/anvil:resume").context().contains("── Advocate · round 2 of 3"));
    assert!(host.stop_in("p3", "A2.").context().starts_with("── Critic · round 2"));
}

#[test]
fn the_answer_to_a_queued_message_is_not_the_interrupted_reply() {
    let host = Host::new();
    host.prompt_in("p1", "/anvil:debate Why? --rounds 3");
    host.stop_in("p1", "A1.");
    host.prompt_in("p1", "What is A1?");
    // Esc stops the critic without a Stop; the queued message runs as its own turn, without a
    // prompt event.
    let answer = host.stop_in("p2", "A1 is the first argument.");
    assert!(
        answer.context().is_empty()
            && answer.message().contains("paused before critic, round 1 of 3"),
        "{answer:?}"
    );
    assert_eq!(host.sections().len(), 1);
    assert!(host.stop_in("p2", "More of it.").is_silent());
    host.prompt_in("p3", "/anvil:resume");
    assert!(host.stop_in("p3", "C1.").context().starts_with("── Advocate · round 2"));
}

#[test]
fn a_turn_without_a_typed_prompt_does_not_pause() {
    let host = Host::new().debating("Why?");
    let news = json!({ "prompt": "<task-notification>\n<task-id>x</task-id>", "prompt_id": "p2" });
    assert!(host.event("one", "UserPromptSubmit", &news).is_silent());
    assert_eq!(host.head("status"), "in_progress");
    let reply = json!({ "last_assistant_message": "A1. With news.", "prompt_id": "p2" });
    assert!(host.event("one", "Stop", &reply).context().starts_with("── Critic"));
}

#[test]
fn status_answers_immediately_and_changes_nothing() {
    let host = Host::new();
    host.prompt_in("t1", "/anvil:debate Why?\nReally? --rounds 2");
    host.stop_in("t1", "A1. Four words here.");
    let before = host.files();
    let answer = host.prompt_in("t1", "/anvil:status");
    for line in [
        "Why? Really?\n",
        "  Critic, round 1 of 2, for 10 s",
        "1 of 5 replies\n",
        "  argued by claude (advocate) · 4 words\n",
        "  .claude/anvil-state.local.md\n  /anvil:steer TEXT directs the next reply",
    ] {
        assert!(answer.reason().contains(line), "{line}\n{}", answer.reason());
    }
    assert_eq!(host.files(), before);
    let printed = host.run(&["status"]);
    assert_eq!(printed.code, 0);
    assert!(printed.stdout.contains("1 of 5 replies"), "{printed:?}");
    let value: serde_json::Value = host.run(&["status", "--json"]).json();
    assert_eq!(value["question"], "Why?\nReally?");
    assert_eq!(
        (&value["phase"], &value["round"], &value["words"]),
        (&json!("critic"), &json!(1), &json!(4))
    );
}

#[test]
fn cancel_keeps_the_whole_debate() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1. Precious.");
    let id = host.state().debate.id;
    let answer = host.prompt("one", "/anvil:cancel");
    let file = ".claude/anvil-state.local.md";
    let back = format!("/anvil:resume {} restores it", &id[id.len() - 4..]);
    let said = format!("Anvil: cancelled. The debate stays in {file}; {back}.");
    assert_eq!(answer.reason(), said);
    let text = host.state_text();
    assert!(text.contains("status: cancelled") && text.contains("> A1. Precious."), "{text}");
    assert_eq!(fs_err::read_to_string(host.snapshot(&id)).unwrap(), text);
    assert!(host.stop("one", "C1.").is_silent());
    assert_eq!(host.run(&["cancel"]).code, 3);
    for line in ["/anvil:resume", "/anvil:steer the cost", "/anvil:again", "/anvil:undo"] {
        let refused = host.prompt("one", line);
        assert!(refused.reason().contains(&format!("/anvil:resume {id} restores it")), "{line}");
    }
    // The next debate takes its place, and asks nobody.
    host.prompt("one", "/anvil:debate Another?");
    assert_eq!(host.state().debate.question, "Another?");
    assert_eq!(fs_err::read_to_string(host.snapshot(&id)).unwrap(), text);
}

#[test]
fn resume_of_a_completed_debate_says_so() {
    let host = Host::new().debating("Why? --rounds 1");
    for reply in ["A1.", "C1.", "recommendation: Yes."] {
        host.stop("one", reply);
    }
    let answer = host.prompt("one", "/anvil:resume");
    assert!(answer.reason().contains("the debate here is completed"), "{answer:?}");
    assert!(
        host.prompt("one", "/anvil:status")
            .reason()
            .contains("Page: ~/.claude/anvil.local/debates/")
    );
    assert!(host.session_start("two", "startup").is_silent());
}

fn says_edits_are_allowed(answer: &testkit::host::Answer) -> bool {
    answer.context().contains("answer the user normally; edits and commands are allowed again")
}

#[test]
fn claude_hears_of_a_pause_once_with_the_next_prompt() {
    let host = Host::new().debating("Why?");
    let paused = host.prompt("one", "What is two and two?");
    assert!(
        paused.context().contains("debate in this conversation is paused")
            && says_edits_are_allowed(&paused)
    );
    assert!(paused.message().contains("paused"), "{paused:?}");
    assert!(host.prompt("one", "And three?").is_silent());
    assert!(host.prompt("two", "hello").is_silent());
    // The second pause is new; this time nobody has typed.
    host.prompt("one", "/anvil:resume");
    host.run(&["undo"]);
    host.stop("one", "A1.");
    assert_eq!(host.run(&["undo"]).code, 0);
    let before = host.files();
    let told = host.prompt("one", "/commit what there is");
    assert!(says_edits_are_allowed(&told) && told.message().is_empty(), "{told:?}");
    assert!(host.prompt("one", "Thanks.").is_silent());
    assert_eq!(host.files(), before);
}

#[test]
fn claude_hears_of_a_pause_after_a_reply_or_session_end() {
    let host = Host::new();
    host.prompt_in("t1", "/anvil:debate Why?");
    assert!(host.prompt_in("t1", "A question.").is_silent());
    assert!(host.stop_in("t1", "A1.").message().contains("paused"));
    assert!(says_edits_are_allowed(&host.prompt_in("t2", "Another question.")));
    assert!(host.prompt_in("t3", "A third one.").is_silent());
    let host = Host::new().debating("Why?");
    host.session_end("one");
    assert!(says_edits_are_allowed(&host.prompt("one", "I am back.")));
    assert!(host.prompt("one", "Still here.").is_silent());
}

#[test]
fn claude_hears_once_of_a_cancelled_or_taken_debate() {
    let host = Host::new().debating("Why?");
    host.prompt("one", "/anvil:cancel");
    assert!(host.stop("one", "Chat.").is_silent());
    let over = host.prompt("one", "What is two and two?");
    assert!(
        over.context().contains("debate in this conversation is over")
            && says_edits_are_allowed(&over)
    );
    assert!(host.prompt("one", "And three?").is_silent());
    // Elsewhere: the owner's Stop or next prompt, whichever comes first.
    for stops_first in [true, false] {
        let host = Host::new().debating("Why?");
        assert_eq!(host.run(&["cancel"]).code, 0);
        let lost =
            |host: &Host| assert!(host.stop("one", "A1.").message().contains("removed elsewhere"));
        if stops_first {
            lost(&host);
        }
        assert!(
            says_edits_are_allowed(&host.prompt("one", "What is two and two?")),
            "{stops_first}"
        );
        if !stops_first {
            lost(&host);
        }
        assert!(host.prompt("one", "And three?").is_silent(), "{stops_first}");
        assert!(host.stop("one", "Chat.").is_silent(), "{stops_first}");
    }
}

#[test]
fn claude_gets_no_notice_of_directions_or_completed_debates() {
    let host = Host::new().debating("Why? --rounds 1 --interactive");
    host.stop("one", "A1.");
    host.stop("one", "C1.");
    let steered = host.prompt("one", "Look at the cost.");
    assert!(
        steered.context().contains("── Synthesis ──") && !says_edits_are_allowed(&steered),
        "{steered:?}"
    );
    // The protocol itself ends there: "These rules hold until the synthesis is saved."
    host.stop("one", "recommendation: No.");
    assert!(host.prompt("one", "Thanks.").is_silent());
}
