//! A plan of plan mode that is argued before its dialog opens.

use serde_json::{Value, json};
use testkit::host::{Answer, Host};

const PLAN: &str = "# Move\n\n1. Copy the data on Friday.\n";
const CHANGED: &str = "# Move\n\n1. Copy the data on Monday.\n";
const ADVOCATE: &str = "**A1. It is short.** [reasoning]";
const CRITIC: &str =
    "**C1. Friday is bad.** Nobody is there [assumption].\n**Attacks A1:** \"It is short\" fails.";

/// A session in plan mode.
struct Planner {
    host: Host,
}

impl Planner {
    fn armed() -> Self {
        let planner = Self { host: Host::new() };
        let answer = planner.types("/anvil:debate --plan --rounds 1");
        assert_eq!(
            answer.reason(),
            "Anvil argues about this session's next plan before you see it: 1 round, then a \
             verdict: 3 replies. /anvil:cancel disarms it."
        );
        planner
    }

    fn types(&self, line: &str) -> Answer {
        self.host.prompt_in("typed", line)
    }

    fn event(&self, name: &str, fields: &Value) -> Answer {
        let mut all = json!({ "prompt_id": "turn", "permission_mode": "plan" });
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.host.event("one", name, &all)
    }

    /// Claude calls for the plan's dialog.
    fn calls(&self, plan: &str) -> Answer {
        let input = json!({ "plan": plan, "planFilePath": "/plans/keen-otter.md", "more": [1.5] });
        self.event("PreToolUse", &json!({ "tool_name": "ExitPlanMode", "tool_input": input }))
    }

    fn stops(&self, reply: &str) -> Answer {
        self.event("Stop", &json!({ "last_assistant_message": reply }))
    }

    /// Argues up to the synthesis, about this motion.
    fn argued(&self, motion: &str) -> Answer {
        assert_eq!(decision(&self.calls(PLAN)), "deny");
        self.stops(ADVOCATE);
        self.stops(CRITIC);
        self.stops(&synthesis(motion))
    }

    fn is_armed(&self) -> bool {
        self.types("/anvil:status").reason().contains("Armed: this session's next plan")
    }
}

/// A synthesis that decides on this motion.
fn synthesis(motion: &str) -> String {
    let text = "recommendation: Change it.\nrests on: C1\nchange 1 (C1): Monday\n\n\
        ### What to change in the plan\n\n1. Copy on Monday (C1).";
    testkit::host::synthesis(text, &["A1".to_owned(), "C1".to_owned()], Some(motion))
}

/// `deny`, `ask`, or nothing.
fn decision(answer: &Answer) -> &str {
    answer.0["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default()
}

/// The line that the dialog shows.
fn dialog(answer: &Answer) -> &str {
    assert_eq!(decision(answer), "ask", "{answer:?}");
    assert_eq!(
        answer.0["hookSpecificOutput"]["updatedInput"]["more"],
        json!([1.5]),
        "the input is as it was"
    );
    answer.0["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap()
}

#[test]
fn the_next_plan_is_argued_and_its_revision_goes_to_the_dialog() {
    let planner = Planner::armed();
    assert!(planner.is_armed());
    let denied = planner.calls(PLAN);
    let output = &denied.0["hookSpecificOutput"];
    assert_eq!(
        denied.0["systemMessage"],
        "Anvil argues about this plan first: 1 round. Esc stops it."
    );
    let protocol = output["additionalContext"].as_str().unwrap();
    assert!(protocol.contains("── Advocate · round 1 of 1"), "{protocol}");
    assert!(!planner.host.state_path().exists(), "nothing is in the project yet");

    planner.host.wait(30);
    let critic = planner.stops(ADVOCATE);
    assert!(critic.context().starts_with("── Critic · round 1 of 1"), "{critic:?}");
    let state = planner.host.state();
    let took = state.debate.updated_at().duration_since(state.debate.started_at());
    assert!(took.as_secs() >= 30, "it began with the request: {took}");
    assert_eq!(planner.host.head("plan"), "\"keen-otter.md\"");

    planner.stops(CRITIC);
    let over = planner.stops(&synthesis("carry out this plan"));
    assert!(over.context().contains("call ExitPlanMode again"), "{over:?}");
    assert!(over.message().contains("Change it."), "{over:?}");
    assert!(planner.calls(CHANGED).is_silent(), "the dialog opens");
    assert_eq!(planner.host.sections().len(), 3);
    let report = planner.host.run(&["report", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["plan"]["before"], PLAN.trim_end());
    assert_eq!(report["plan"]["changes"], "1. Copy on Monday (C1).");
    assert_eq!(report["plan"]["after"], CHANGED.trim_end());
    let page = planner.host.debate_folder_here().join("report.html");
    assert!(fs_err::read_to_string(page).unwrap().contains("Copy the data on Monday."));
    assert!(planner.calls(PLAN).is_silent(), "it is argued once");
    assert!(!planner.is_armed());
}

#[test]
fn a_void_synthesis_lets_the_plan_pass_with_a_line() {
    let planner = Planner::armed();
    let again = planner.argued("buy a boat");
    assert!(again.context().contains("once more"), "{again:?}");
    let over = planner.stops(&format!("As before.\n\n{}", synthesis("buy a boat")));
    assert!(over.context().contains("with the plan as it is"), "{over:?}");
    let asked = planner.calls(PLAN);
    assert!(dialog(&asked).contains("and it is as it was: there is no valid verdict: "));
    let report = planner.host.run(&["report", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["plan"]["after"], Value::Null);
}

#[test]
fn a_call_instead_of_a_reply_is_answered_once_then_it_passes() {
    let planner = Planner::armed();
    planner.calls(PLAN);
    let reminded = planner.calls(PLAN);
    assert_eq!(decision(&reminded), "deny");
    assert_eq!(reminded.0["hookSpecificOutput"].get("additionalContext"), None);
    let asked = planner.calls(PLAN);
    assert!(dialog(&asked).contains("did not argue about this plan"), "{asked:?}");
    assert!(!planner.host.state_path().exists());

    let planner = Planner::armed();
    planner.calls(PLAN);
    planner.stops(ADVOCATE);
    assert_eq!(decision(&planner.calls(PLAN)), "deny");
    let asked = planner.calls(PLAN);
    assert!(dialog(&asked).contains("argued in part, 1 of 3 replies"), "{asked:?}");
    assert_eq!(planner.host.head("status"), "paused");
    assert!(planner.stops("BUILT it.").is_silent(), "no reply of the debate");
    assert_eq!(planner.host.sections().len(), 1);
}

#[test]
fn esc_before_the_first_reply_leaves_nothing_and_a_prompt_ends_it() {
    let planner = Planner::armed();
    planner.calls(PLAN);
    let prompt = planner.host.prompt_in("other", "Never mind.");
    assert!(prompt.context().contains("The Anvil debate in this conversation is over."));
    assert!(planner.host.prompt_in("other", "Never mind.").is_silent());
    assert!(planner.stops("Well.").is_silent());
    assert!(planner.calls(PLAN).is_silent());
    assert!(!planner.host.state_path().exists());
}

#[test]
fn nothing_is_in_the_way_of_other_plans() {
    let planner = Planner { host: Host::new() };
    assert!(planner.calls(PLAN).is_silent(), "not armed");
    assert!(planner.host.files().is_empty());

    let planner = Planner::armed();
    let agent = json!({ "tool_name": "ExitPlanMode", "tool_input": { "plan": PLAN },
        "agent_id": "a" });
    assert!(planner.event("PreToolUse", &agent).is_silent(), "a plan of an agent");
    let other = json!({ "tool_name": "ExitPlanMode", "tool_input": { "plan": PLAN } });
    assert!(planner.host.event("two", "PreToolUse", &other).is_silent(), "of another session");
    planner.host.run(&["start", "Why?"]);
    assert!(planner.calls(PLAN).is_silent(), "another debate is here");
    let status = planner.types("/anvil:status");
    assert!(
        status.reason().contains("The last plan was not argued: another debate is unfinished here"),
        "{status:?}"
    );
    planner.host.run(&["cancel"]);
    assert!(planner.calls("  ").is_silent(), "a plan that can't be argued");
    assert!(planner.types("/anvil:status").reason().contains("The last plan was not argued: "));
    assert_eq!(decision(&planner.calls(PLAN)), "deny", "the next one is");
}

#[test]
fn what_can_not_be_argued_is_not_armed() {
    let host = Host::new();
    let session = Planner { host };
    for (line, why) in [
        ("--plan --isolated", "programs can't argue a plan that is still to be made"),
        ("--plan --judges 3", "--judges does not apply"),
        ("--plan --context notes.md", "takes no other material"),
    ] {
        fs_err::write(session.host.path("notes.md"), "A note.").unwrap();
        let answer = session.types(&format!("/anvil:debate {line}"));
        assert!(answer.reason().contains(why), "{line}: {answer:?}");
        assert!(session.calls(PLAN).is_silent(), "{line}");
    }
    let host = Host::new().with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let answer = host.prompt_in("typed", "/anvil:debate --plan");
    assert!(answer.reason().contains("this session has no plan"), "{answer:?}");
    let open = Planner { host: Host::new().debating("/anvil:debate Why?") };
    let answer = open.types("/anvil:debate --plan");
    assert!(answer.reason().contains("another debate is unfinished here"), "{answer:?}");
}

#[test]
fn cancel_ends_an_unfinished_debate_of_the_session_and_else_disarms() {
    let planner = Planner::armed();
    planner.host.run(&["start", "Why?"]);
    assert!(planner.types("/anvil:cancel").reason().contains("disarmed"));
    assert_eq!(planner.host.head("status"), "not_started");
    assert!(!planner.is_armed());

    let planner = Planner::armed();
    planner.calls(PLAN);
    planner.stops(ADVOCATE);
    assert!(planner.types("/anvil:cancel").reason().contains("cancelled"));
    assert_eq!(planner.host.head("status"), "cancelled");
    assert!(!planner.types("/anvil:cancel").reason().contains("disarmed"));
}

/// The turn of the request was cut off: a call of another turn is another plan's.
#[test]
fn what_a_cut_off_turn_has_left_holds_no_later_plan_back() {
    let later = |planner: &Planner| {
        let input = json!({ "plan": PLAN, "planFilePath": "/plans/keen-otter.md" });
        let call = json!({ "prompt_id": "later", "permission_mode": "plan",
            "tool_name": "ExitPlanMode", "tool_input": input });
        planner.host.event("one", "PreToolUse", &call)
    };
    let planner = Planner::armed();
    planner.calls(PLAN);
    assert!(later(&planner).is_silent());

    // Another debate is started in the meantime.
    let planner = Planner::armed();
    planner.calls(PLAN);
    planner.host.prompt_in("later", "/anvil:debate Why?");
    assert!(later(&planner).is_silent());
    assert_eq!(planner.host.head("status"), "in_progress");

    // The user lets Claude go on.
    let planner = Planner::armed();
    planner.calls(PLAN);
    assert!(planner.host.prompt_in("later", "continue").is_silent());
    assert_eq!(decision(&later(&planner)), "deny", "the plan is argued after all");
}

#[test]
fn a_synthesis_that_was_taken_back_leads_to_the_dialog_again() {
    let planner = Planner::armed();
    planner.argued("buy a boat");
    planner.stops(&format!("As before.\n\n{}", synthesis("buy a boat")));
    assert_eq!(planner.host.head("status"), "completed");
    planner.types("/anvil:undo");
    planner.types("/anvil:resume");
    let over = planner.host.event(
        "one",
        "Stop",
        &json!({ "prompt_id": "typed", "permission_mode": "plan",
            "last_assistant_message": synthesis("carry out this plan") }),
    );
    assert!(over.context().contains("the changes that you accept"), "{over:?}");
}

#[test]
fn a_call_that_is_delivered_twice_counts_once() {
    let planner = Planner::armed();
    let call = |id: &str| {
        let input = json!({ "plan": PLAN, "planFilePath": "/plans/keen-otter.md" });
        let fields = json!({ "tool_name": "ExitPlanMode", "tool_input": input, "tool_use_id": id });
        planner.event("PreToolUse", &fields)
    };
    for id in ["toolu_1", "toolu_1", "toolu_2", "toolu_2"] {
        assert_eq!(decision(&call(id)), "deny", "{id}");
    }
    planner.stops(ADVOCATE);
    assert_eq!(planner.host.sections().len(), 1);

    // One that opened the dialog opens it again.
    let planner = Planner::armed();
    planner.host.run(&["start", "Why?"]);
    for _ in 0..2 {
        let input = json!({ "plan": PLAN });
        let fields =
            json!({ "tool_name": "ExitPlanMode", "tool_input": input, "tool_use_id": "3" });
        assert!(planner.event("PreToolUse", &fields).is_silent());
    }
}

#[test]
fn a_message_during_the_revision_keeps_the_revised_plan() {
    let planner = Planner::armed();
    planner.argued("carry out this plan");
    planner.host.prompt_in("turn", "Mention rollback too.");
    assert!(planner.calls(CHANGED).is_silent());
    assert!(planner.host.state_text().contains("### Revised Plan"));
}

#[test]
fn a_default_that_replaces_debates_replaces_none_for_a_plan() {
    let planner = Planner::armed();
    let defaults = planner.host.home().join(".claude/anvil.local.md");
    fs_err::write(defaults, "---\nreplace: yes\n---\n").unwrap();
    planner.calls(PLAN);
    planner.host.run(&["start", "Why?", "--replace=no"]);
    assert!(planner.stops(ADVOCATE).context().contains("call ExitPlanMode again"));
    assert_eq!(planner.host.head("question"), "\"Why?\"");
}

#[test]
fn a_place_that_was_taken_meanwhile_keeps_its_debate_and_the_reply_is_put_aside() {
    let planner = Planner::armed();
    planner.calls(PLAN);
    planner.host.run(&["start", "Why?"]);
    let passes = planner.stops(ADVOCATE);
    assert!(passes.context().contains("call ExitPlanMode again"), "{passes:?}");
    assert!(passes.message().contains("opens a debate that can't begin"), "{passes:?}");
    let aside = planner.host.record_files("aside");
    assert!(aside.iter().any(|(_, text)| text == ADVOCATE.as_bytes()), "{aside:?}");
    assert_eq!(planner.host.head("question"), "\"Why?\"");
    let asked = planner.calls(PLAN);
    assert!(dialog(&asked).contains("another debate is unfinished here"), "{asked:?}");
}

#[test]
fn whatever_arrives_twice_begins_one_debate() {
    let planner = Planner::armed();
    planner.calls(PLAN);
    planner.stops(ADVOCATE);
    let before = planner.host.state_text();
    planner.host.wait(-10);
    assert!(planner.stops(ADVOCATE).is_silent());
    assert_eq!(planner.host.state_text(), before);
}

#[test]
fn outside_of_plan_mode_the_synthesis_asks_for_no_revision() {
    let planner = Planner::armed();
    planner.calls(PLAN);
    for reply in [ADVOCATE, CRITIC] {
        planner.stops(reply);
    }
    let last = json!({ "last_assistant_message": synthesis("carry out this plan"),
        "permission_mode": "default" });
    let over = planner.event("Stop", &last);
    assert!(over.0.get("hookSpecificOutput").is_none(), "{over:?}");
    assert!(over.message().contains("Change it."), "{over:?}");
}
