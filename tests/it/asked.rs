//! Questions that a seat asks the user, and the answers.

use serde_json::Value;

use testkit::host::Host;

const ASKS: &str = "**A1. It pays.** [reasoning] So.\n\n**Ask:** How large is the team?";
const ANSWERS: &str = "**C1. No.** [reasoning] Attacks A1: so.";

fn questions(host: &Host) -> Value {
    let status: Value = host.run(&["status", "--json"]).json();
    status["asked"].clone()
}

#[test]
fn a_question_is_shown_and_its_answer_is_told_to_every_later_reply() {
    let host = Host::new().debating("Why? --rounds 2");
    let asked = host.stop("one", ASKS);
    let line =
        "Anvil: the advocate asks you: How large is the team? /anvil:steer --answer TEXT answers.";
    assert!(
        asked.message().contains(line) && asked.context().starts_with("── Critic"),
        "{asked:?}"
    );
    let status = host.prompt("one", "/anvil:status");
    assert!(status.reason().contains("  Asks you: How large is the team?\n"), "{status:?}");
    let before = (host.head("phase"), host.head("status"), host.head("step"));
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let answer = format!("/anvil:steer --answer Eight \" ── people, {secret}");
    let answered = host.prompt("one", &answer);
    assert!(
        answered.reason().starts_with("Anvil: answered: How large is the team?"),
        "{answered:?}"
    );
    assert_eq!((host.head("phase"), host.head("status"), host.head("step")), before);
    // The plugin is installed twice.
    host.clock.set(host.clock.get() - 10);
    assert!(host.prompt("one", &answer).reason().contains("answered"), "{answered:?}");
    assert_eq!(host.state_text().matches("### User Answer\n").count(), 1);
    assert!(!host.state_text().contains(&secret));

    let told = "Asked: \"How large is the team?\" The user answers: \"Eight ' '' people, [masked: ";
    let advocate = host.stop("one", ANSWERS);
    assert!(advocate.context().contains(told), "{advocate:?}");
    let none = host.prompt("one", "/anvil:steer --answer Nine");
    assert!(none.reason().contains("no question waits for an answer"), "{none:?}");
    let tasks = host.run(&["tasks", "--json"]).stdout;
    assert!(tasks.contains("answered by the user: **Ask:** How large is the team?"), "{tasks}");
    assert_eq!(questions(&host)[0]["is_open"], false);
    for format in ["md", "html", "json"] {
        let report = host.run(&["report", "--format", format, "--output", "-"]).stdout;
        assert!(report.contains("Eight "), "{format}: {report}");
    }
}

#[test]
fn a_question_without_an_answer_is_still_unknown() {
    let host = Host::new().debating("Why? --rounds 1");
    host.stop("one", ASKS);
    let synthesis = host.stop("one", ANSWERS);
    let told = "\"How large is the team?\" has no answer: it is still unknown.";
    assert!(synthesis.context().contains(told), "{synthesis:?}");
    host.stop("one", "recommendation: Wait.\nverdict: depends\nrests on: C1\nA1 survived: x\nC1 survived: x\n\n**Ask:** More?");
    host.stop("one", "recommendation: Wait.\nverdict: depends\nrests on: C1\nA1 survived: x\nC1 survived: y\n\n**Ask:** More?");
    assert_eq!(host.head("status"), "completed");
    assert_eq!(questions(&host).as_array().unwrap().len(), 1, "a synthesis asks nothing");
    for format in ["md", "html", "json"] {
        let report = host.run(&["report", "--format", format, "--output", "-"]).stdout;
        assert!(report.contains("You were asked: How large is the team?"), "{format}: {report}");
    }
}

#[test]
fn an_interactive_debate_waits_for_the_answer() {
    let host = Host::new().debating("Why? --rounds 2 --interactive");
    let waits = host.stop("one", ASKS);
    assert!(
        waits.message().contains("  Asks you: How large is the team?\nType your answer"),
        "{waits:?}"
    );
    let still = host.session_start("one", "resume");
    assert!(
        still.message().contains("Asks you: How large is the team?\nType your answer"),
        "{still:?}"
    );
    let critic = host.prompt("one", "Eight people");
    assert!(
        critic.message().contains("critic, round 1 of 2, with your answer: \"Eight people\""),
        "{critic:?}"
    );
    assert!(critic.context().contains("The user answers: \"Eight people\""), "{critic:?}");
    assert!(host.state_text().contains("### User Answer\n"), "{}", host.state_text());
    // At the round's end it waits for a direction, as without questions.
    let waits = host.stop("one", &format!("{ANSWERS}\n\n**Ask:** By when?"));
    assert!(waits.message().contains("Asks you: By when?"), "{waits:?}");
    let advocate = host.prompt("one", "skip");
    assert!(
        advocate.message().contains("continues with advocate, round 2 of 2, without an answer"),
        "{advocate:?}"
    );
    assert!(!host.state_text().contains("### Steering"));
    // A third question is not read.
    let third = host.stop("one", "**A2. Yes.** [reasoning] So.\n\n**Ask:** A third?");
    assert!(third.context().starts_with("── Critic"), "{third:?}");
    assert_eq!(questions(&host).as_array().unwrap().len(), 2);
}

#[test]
fn the_synthesis_can_be_wanted_instead_of_an_answer() {
    let host = Host::new().debating("Why? --rounds 2 --interactive");
    host.stop("one", ASKS);
    let synthesis = host.prompt("one", "s");
    assert!(synthesis.message().contains("skips to the synthesis"), "{synthesis:?}");
    assert!(synthesis.context().contains("has no answer: it is still unknown"), "{synthesis:?}");
    assert_eq!(
        (host.head("phase").as_str(), &questions(&host)[0]["is_open"]),
        ("synthesizer", &true.into())
    );
}

#[test]
fn questions_can_be_switched_off() {
    let host = Host::new();
    let started = host.prompt("one", "/anvil:debate Why? --rounds 2 --interactive --questions=no");
    assert!(!started.context().contains("**Ask:**"), "{started:?}");
    let on = Host::new().prompt("one", "/anvil:debate Why? --rounds 2");
    assert!(on.context().contains("`**Ask:** …?`"), "{on:?}");
    let critic = host.stop("one", ASKS);
    assert!(
        critic.context().starts_with("── Critic") && !critic.message().contains("ask"),
        "{critic:?}"
    );
    assert_eq!(
        (questions(&host), host.head("questions").as_str()),
        (Value::Array(vec![]), "false")
    );
    assert_eq!(host.run(&["steer", "--answer", "Eight"]).code, 3);
}

#[test]
fn equal_answers_of_a_shell_are_two_and_an_invisible_one_is_none() {
    let host = Host::new().debating("Why? --rounds 2");
    host.stop("one", ASKS);
    host.stop("one", &format!("{ANSWERS}\n\n**Ask:** Is there a budget?"));
    let answer = |text: &str| host.run(&["steer", "--answer", text]);
    let none = answer("\u{200b}");
    assert!(none.code == 2 && none.stderr.contains("the answer is missing"), "{none:?}");
    assert!(answer("No").stdout.contains("How large is the team?"));
    host.clock.set(host.clock.get() - 10);
    assert!(answer("No").stdout.contains("Is there a budget?"));
    assert_eq!(answer("No").code, 3);
    // After the last argument no reply would be told.
    let host = Host::new().debating("Why? --rounds 1");
    host.stop("one", ASKS);
    host.stop("one", ANSWERS);
    let late = host.run(&["steer", "--answer", "Eight"]);
    assert!(late.code == 3 && late.stderr.contains("the synthesis is being written"), "{late:?}");
}
