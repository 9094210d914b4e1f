//! A debate that starts in Claude Code and that programs argue in the background.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use serde_json::json;

use super::{HANGS, HELD, Room, WELL, is_gone, processes_with, until};
use testkit::host::{Answer, event};

const SESSION: &str = "one";

/// The client adds this to the news for an idle session (2.1.332).
fn woken(news: &str) -> String {
    format!(
        "<task-notification>\n<summary>Stop hook feedback</summary>\n</task-notification>\n<system-reminder>\nStop hook blocking error from command \"UserPromptExpansion\": {news}\n</system-reminder>"
    )
}

impl Room {
    /// The line that starts a debate with these seats.
    pub(crate) fn typed(&self, more: &str) -> String {
        let seats = super::SEATS.map(|seat| format!("--{seat} \"{}\"", self.agent(seat))).join(" ");
        format!("/anvil:debate Why? --rounds 1 --isolated {seats} {more}")
    }

    /// Starts a debate in a session.
    pub(super) fn isolated(&self, more: &str) -> Answer {
        self.host.prompt(SESSION, &self.typed(more))
    }

    /// Both copies of a plugin get an event at once; the answers that say something.
    fn twice(&self, name: &str, fields: &serde_json::Value) -> Vec<Answer> {
        let event = event(SESSION, name, fields, self.host.root());
        let now = self.host.clock.get();
        let hooks = [(); 2].map(|()| {
            self.host.clock.set(now);
            self.host.command(&["hook"], self.host.root())
        });
        let answers = std::thread::scope(|scope| {
            hooks
                .map(|hook| scope.spawn(|| testkit::host::hook(hook, &event)))
                .map(|answer| answer.join().unwrap())
        });
        answers.into_iter().filter(|answer| !answer.is_silent()).collect()
    }

    /// The same, until this seat gets its prompt.
    fn isolated_at(&self, seat: &str) {
        let said = self.isolated("");
        assert!(said.reason().contains("3 independent replies are being written"), "{said:?}");
        self.reaches(seat);
    }

    pub(super) fn comes_to(&self, status: &str) {
        until(&format!("it is {status}"), || {
            self.host.state_path().exists() && self.host.head("status") == status
        });
        let runs = || super::processes_with(&format!("HOME={}", self.host.home().display()));
        until("nobody writes", || {
            !runs().into_iter().any(|pid| super::command_line(pid).contains("--runner"))
        });
    }

    /// The background hook of the same command.
    fn waits(&self, prompt: &str) -> Child {
        let event =
            event(SESSION, "UserPromptSubmit", &json!({ "prompt": prompt }), self.host.root());
        let mut command = self.host.command(&["hook", "background"], self.host.root());
        let mut child = command
            .stdout(Stdio::null())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), &event).unwrap();
        child
    }
}

/// The exit code and the output of a background hook.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_background_debate_completes_and_notifies_its_user_once() {
    let room = Room::new();
    room.does("synthesizer", HELD);
    let background = room.waits("/anvil:debate Why? --isolated");
    room.isolated_at("synthesizer");
    // The session's own turns do not affect it; the first one that ends after a round says so,
    // once.
    let stop = room.host.stop_with(SESSION, "Four.");
    assert!(stop.message().contains("round 1 of 1 is complete"), "{stop:?}");
    let stop = room.host.stop_with(SESSION, "Five.");
    assert!(stop.is_silent(), "{stop:?}");
    assert!(room.host.prompt(SESSION, "What is two and two?").is_silent());
    let again = room.host.prompt(SESSION, "/anvil:resume");
    assert!(again.reason().contains("is being written"), "{again:?}");
    room.releases_reply();
    room.comes_to("completed");
    let (code, news) = ended(background);
    assert_eq!(code, Some(2), "{news}");
    let shown = room.host.prompt(SESSION, &woken(&news));
    assert!(
        shown.reason().contains("Wait.")
            && shown.reason().contains("1 weakened, 1 unanswered; rests on C1"),
        "{shown:?}"
    );
    // Claude gets it once, hidden, without the replies.
    let prompt = room.host.prompt(SESSION, "So what shall we do?");
    assert!(
        prompt.context().contains("C1 It costs a month") && prompt.message().is_empty(),
        "{prompt:?}"
    );
    assert!(
        !prompt.context().contains("Nobody has that month") && prompt.context().len() < 3_000,
        "{prompt:?}"
    );
    assert!(room.host.prompt(SESSION, "And then?").is_silent());
    assert!(room.host.stop_with(SESSION, "Nothing.").is_silent());
    room.is_complete("isolated");
}

#[test]
fn a_plugin_installed_twice_starts_shows_and_wakes_once() {
    let room = Room::new();
    room.does("synthesizer", HELD);
    let background = [(); 2].map(|()| room.waits("/anvil:debate Why? --isolated"));
    let begun = room.twice("UserPromptSubmit", &json!({ "prompt": room.typed("") }));
    assert_eq!(begun.len(), 1, "{begun:?}");
    room.reaches("synthesizer");
    let stops = room.twice("Stop", &json!({ "last_assistant_message": "Four." }));
    assert!(stops.len() == 1 && stops[0].message().contains("is complete"), "{stops:?}");
    room.releases_reply();
    room.comes_to("completed");
    let mut codes = background.map(|hook| ended(hook).0);
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)]);
    let news = json!({ "prompt": woken("anvil-isolated-news") });
    let woken = room.twice("UserPromptSubmit", &news);
    let shown = woken.iter().filter(|answer| answer.reason().contains("Wait.")).count();
    assert_eq!((woken.len(), shown), (2, 1), "neither costs a request: {woken:?}");
    let told = room.twice("UserPromptSubmit", &json!({ "prompt": "So what shall we do?" }));
    assert!(told.len() == 1 && told[0].context().contains("C1 It costs a month"), "{told:?}");
    room.is_complete("installed twice");
}

#[test]
fn background_debates_check_facts() {
    let room = Room::checking();
    let said = room.isolated(&format!("--fact-check --fact-checker \"{}\"", room.agent("checker")));
    assert!(said.reason().contains("independent replies"), "{said:?}");
    room.comes_to("completed");
    room.is_complete("isolated, with facts checked");
}

#[test]
fn judges_and_fact_checks_need_an_isolated_debate() {
    let room = Room::new();
    for (option, says) in
        [("--judges 2", "each judge has read the others"), ("--fact-check", "can't check itself")]
    {
        let refused = room.host.prompt(SESSION, &format!("/anvil:debate Why? {option}"));
        assert!(
            refused.reason().contains(says) && refused.reason().contains("--isolated"),
            "{refused:?}"
        );
    }
    assert!(!room.host.state_path().exists());
    let said = room.isolated("--judges 2");
    assert!(said.reason().contains("4 independent replies"), "{said:?}");
    room.comes_to("completed");
    assert_eq!(room.paid().len(), 4);
}

#[test]
fn a_user_who_types_first_gets_the_news_with_the_prompt() {
    let room = Room::new();
    let background = room.waits("/anvil:debate Why? --isolated");
    let said = room.isolated("");
    assert!(said.reason().contains("independent replies"), "{said:?}");
    room.comes_to("completed");
    let prompt = room.host.prompt(SESSION, "What is two and two?");
    assert!(prompt.message().contains("Wait."), "{prompt:?}");
    // If the client woke it already, the prompt costs no request.
    assert!(ended(background).0.is_some());
    let known = room.host.prompt(SESSION, &woken("anvil-isolated-news"));
    assert!(known.reason().contains("nothing new"), "{known:?}");
    // News of the user's own agent goes to Claude.
    assert!(room.host.prompt(SESSION, &woken("the tests pass")).is_silent());
    assert!(room.host.prompt(SESSION, "And then?").is_silent());
}

#[test]
fn the_same_programs_argue_a_reopened_debate() {
    let room = Room::new();
    room.isolated("");
    room.comes_to("completed");
    let resumed = room.host.prompt(SESSION, "/anvil:resume");
    assert!(resumed.reason().contains("the debate here is complete"), "{resumed:?}");
    let again = room.host.prompt(SESSION, "/anvil:again The month is found.");
    assert!(again.reason().contains("3 independent replies"), "{again:?}");
    until("it is argued again", || room.host.reply_texts().len() == 6);
    room.comes_to("completed");
    let told = room.host.prompt(SESSION, "And?");
    assert!(told.message().contains("Wait."), "{told:?}");
}

#[test]
fn typed_text_steers_programs_like_claude() {
    let room = Room::new();
    room.does("advocate", HELD);
    room.isolated_at("advocate");
    let steered = room.host.prompt(SESSION, "/anvil:steer Look at the cost.");
    assert!(steered.reason().contains("Look at the cost."), "{steered:?}");
    let rounds = room.host.prompt(SESSION, "/anvil:steer --rounds 2");
    assert!(rounds.reason().contains('2'), "{rounds:?}");
    let synthesis = room.host.prompt(SESSION, "/anvil:steer --synthesize");
    assert!(synthesis.context().is_empty(), "{synthesis:?}");
    room.releases_reply();
    room.comes_to("completed");
    // The advocate, who was writing, and the synthesis.
    assert_eq!(room.host.reply_texts().len(), 2);
}

#[test]
fn a_cancelled_debate_ends_its_programs() {
    let room = Room::new();
    room.does("critic", "trap '' TERM; take_in; pay; at critic; while :; do sleep 1; done\n");
    room.isolated_at("critic");
    let cancelled = room.host.prompt(SESSION, "/anvil:cancel");
    assert!(cancelled.reason().contains("cancelled"), "{cancelled:?}");
    room.becomes_clean();
    assert!(room.host.prompt(SESSION, "What is two and two?").is_silent());
}

#[test]
fn a_cancelled_cycle_ends_its_programs_and_its_end_is_no_news() {
    let room = Room::new();
    room.isolated("");
    room.comes_to("completed");
    room.host.prompt(SESSION, "Thanks.");
    assert_eq!(room.host.run(&["again", "--take-over"]).code, 0);
    room.does("critic", HANGS);
    room.host.prompt(SESSION, "/anvil:resume --isolated");
    room.reaches("critic");
    let cancelled = room.host.prompt(SESSION, "/anvil:cancel");
    assert!(cancelled.reason().contains("The debate is finished, as before."), "{cancelled:?}");
    room.becomes_clean();
    assert_eq!(room.host.head("status"), "completed");
    let next = room.host.prompt(SESSION, "What is two and two?");
    assert!(next.message().is_empty(), "{next:?}");
}

#[test]
fn undo_ends_the_reply_in_progress() {
    let room = Room::new();
    room.does("critic", HANGS);
    room.isolated_at("critic");
    room.does("critic", WELL);
    let undone = room.host.prompt(SESSION, "/anvil:undo");
    assert!(!undone.reason().is_empty(), "{undone:?}");
    // As in the conversation: a user who undoes a step decides when to continue.
    assert_eq!(room.host.head("status"), "paused");
    room.becomes_clean();
    assert!(room.host.prompt(SESSION, "/anvil:resume").reason().contains("3 independent replies"));
    room.comes_to("completed");
    let slots: Vec<String> =
        room.ends().into_iter().map(|(slot, end)| format!("{slot}: {end}")).collect();
    assert_eq!(
        slots,
        [
            "advocate, round 1: received",
            "critic, round 1: interrupted",
            "advocate, round 1: received",
            "critic, round 1: received",
            "synthesis: received"
        ]
    );
}

#[test]
fn a_debate_goes_from_programs_to_the_conversation_and_back() {
    let room = Room::new();
    room.does("critic", HANGS);
    room.isolated_at("critic");
    let here = room.host.prompt(SESSION, "/anvil:resume --isolated=no");
    assert!(here.context().contains("── Critic · round 1 of 1"), "{here:?}");
    let answer = room.host.stop(SESSION, super::REPLIES[1]);
    assert!(answer.context().contains("── Synthesis ──"), "{answer:?}");
    assert!(room.host.prompt(SESSION, "Wait.").message().contains("paused"));
    let back = room.host.prompt(SESSION, "/anvil:resume --isolated");
    assert!(back.reason().contains("1 independent reply"), "{back:?}");
    room.comes_to("completed");
    assert_eq!(room.host.reply_texts(), super::REPLIES.map(str::trim_end));
}

#[test]
fn a_killed_process_is_reported_and_nothing_is_paid_twice() {
    let room = Room::new();
    room.does("critic", HELD);
    let background = room.waits("/anvil:debate Why? --isolated");
    room.isolated_at("critic");
    let owner = room.host.head("session_id");
    let pid: u32 = owner.trim_matches('"').split('-').nth(1).unwrap().parse().unwrap();
    super::kill(pid, "KILL");
    let (code, news) = ended(background);
    assert_eq!(code, Some(2), "{news}");
    let shown = room.host.prompt(SESSION, &woken(&news));
    assert!(
        shown.reason().contains("has ended") && shown.reason().contains("/anvil:resume"),
        "{shown:?}"
    );
    room.releases_reply();
    let resumed = room.host.prompt(SESSION, "/anvil:resume");
    assert!(resumed.reason().contains("being written"), "{resumed:?}");
    room.comes_to("completed");
    room.is_complete("killed");
}

#[test]
fn a_background_debate_ends_with_its_client_and_can_be_resumed() {
    let client = std::process::Command::new("/bin/sleep").arg("300").spawn();
    let mut client = client.unwrap();
    let room = Room::new().with("CLAUDE_PID", &client.id().to_string());
    room.does("critic", HANGS);
    room.isolated_at("critic");
    let room = room.with("CLAUDE_PID", "");
    let other = room.host.prompt("two", "/anvil:steer Look away.");
    assert!(other.reason().contains("another running session"), "{other:?}");
    let running = processes_with(&format!("HOME={}", room.host.home().display()));
    client.kill().unwrap();
    client.wait().unwrap();
    room.comes_to("paused");
    room.becomes_clean();
    // A process that ends loses its environment before it is gone.
    until("they are gone", || running.iter().all(|pid| is_gone(*pid)));
    assert!(room.host.state_text().contains("Claude Code ended"));
    room.does("critic", WELL);
    let found = room.host.session_start("two", "startup");
    assert!(found.message().contains("/anvil:resume"), "{found:?}");
    let resumed = room.host.prompt("two", "/anvil:resume");
    assert!(resumed.reason().contains("2 independent replies"), "{resumed:?}");
    room.comes_to("completed");
    room.is_complete("its client ended");
}

#[test]
fn a_detached_debate_continues_when_its_client_ends() {
    let mut client = std::process::Command::new("/bin/sleep").arg("300").spawn().unwrap();
    let room = Room::new().with("CLAUDE_PID", &client.id().to_string());
    room.does("critic", HELD);
    let said = room.isolated("--detach");
    assert!(said.reason().contains("continue after Claude Code ends"), "{said:?}");
    room.reaches("critic");
    client.kill().unwrap();
    client.wait().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    room.releases_reply();
    room.comes_to("completed");
    room.is_complete("detached");
}

#[test]
fn after_clear_the_new_conversation_follows_it() {
    let room = Room::new();
    room.does("critic", HELD);
    let background = room.waits("/anvil:debate Why? --isolated");
    room.isolated_at("critic");
    room.host.session_end(SESSION);
    room.host.session_start("two", "clear");
    room.releases_reply();
    room.comes_to("completed");
    assert_eq!(ended(background).0, Some(2));
    let prompt = room.host.prompt("two", "What is two and two?");
    assert!(prompt.message().contains("Wait."), "{prompt:?}");
}

#[test]
fn impossible_options_are_refused_before_the_start() {
    let room = Room::new();
    for (typed, says) in [
        ("/anvil:debate Why? --critic codex", "Add --isolated"),
        ("/anvil:debate Why? --detach", "Add --isolated"),
        ("/anvil:debate Why? --isolated --agent nobody", "nobody"),
        ("/anvil:debate Why? --isolated --research", "--research"),
        ("/anvil:debate Why? --isolated --agent cmd:/no/such/program", "/no/such/program"),
    ] {
        let said = room.host.prompt(SESSION, typed);
        assert!(said.reason().contains(says), "{typed}: {said:?}");
        assert!(!room.host.state_path().exists(), "{typed}");
    }
    // Later, nobody could know which agent the user named.
    let lost = Room::new().with("CLAUDE_CONFIG_DIR", "relative");
    let said = lost.isolated("");
    assert!(said.reason().contains("CLAUDE_CONFIG_DIR"), "{said:?}");
    assert!(!lost.host.state_path().exists());
    // A claude without the options that isolate a seat, and one without a login.
    for (help, says) in [("--tools", "--safe-mode"), ("all", "not logged in")] {
        let all = "-p --safe-mode --strict-mcp-config --no-session-persistence --permission-prompts --system-prompt --output-format --verbose --include-partial-messages --tools";
        let help = if help == "all" { all } else { help };
        let program = room.file("claude");
        fs_err::write(
            &program,
            format!("#!/bin/sh\n[ \"$1\" = --help ] && echo '{help}' && exit 0\nexit 1\n"),
        )
        .unwrap();
        fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
        let host = Room::new().with("PATH", &path);
        let said = host.host.prompt(SESSION, "/anvil:debate Why? --isolated");
        assert!(said.reason().contains(says), "{said:?}");
        assert!(!host.host.state_path().exists());
    }
}

#[test]
fn a_hanging_program_fails_its_seat_which_can_be_reassigned() {
    let room = Room::new();
    room.does("critic", HANGS);
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    let own =
        format!("---\nagent.slow: '{}'\nagent.slow.max-reply: 1s\n---\n", room.agent("critic"));
    fs_err::write(room.host.home().join(".claude/anvil.local.md"), own).unwrap();
    let seats =
        format!("--advocate \"{}\" --critic slow --synthesizer \"{0}\"", room.agent("advocate"));
    room.host.prompt(SESSION, &format!("/anvil:debate Why? --rounds 1 --isolated {seats}"));
    room.comes_to("failed");
    let told = room.host.prompt(SESSION, "What is two and two?");
    assert!(
        told.message().contains("stopped at critic, round 1 of 1")
            && told.message().contains("--agent"),
        "{told:?}"
    );
    let refused = room.host.prompt(SESSION, "/anvil:resume");
    assert!(refused.reason().contains("/anvil:resume --critic AGENT"), "{refused:?}");
    room.does("critic", WELL);
    let seats = format!(
        "--critic \"{}\" --synthesizer \"{}\"",
        room.agent("critic"),
        room.agent("synthesizer")
    );
    let resumed = room.host.prompt(SESSION, &format!("/anvil:resume {seats}"));
    assert!(resumed.reason().contains("2 independent replies"), "{resumed:?}");
    room.comes_to("completed");
}

#[test]
fn a_background_hook_ends_at_once_if_nothing_is_written() {
    let room = Room::new();
    for prompt in ["What is two and two?", "/anvil:status", &woken("anvil-isolated-news")] {
        assert_eq!(ended(room.waits(prompt)).0, Some(0), "{prompt}");
    }
    // Claude argues it in the conversation.
    let argued = Room::new();
    argued.host.prompt(SESSION, "/anvil:debate Why?");
    assert_eq!(ended(argued.waits("/anvil:resume")).0, Some(0));
    // Older clients run it in the foreground.
    let old = Room::new().with("AI_AGENT", "");
    assert_eq!(ended(old.waits("/anvil:debate Why? --isolated")).0, Some(0));
}

#[test]
fn a_projects_defaults_cannot_start_programs() {
    let room = Room::new();
    fs_err::create_dir_all(room.host.path(".claude")).unwrap();
    fs_err::write(room.host.path(".claude/anvil.local.md"), "---\nisolated: yes\n---\n").unwrap();
    let said = room.host.prompt(SESSION, "/anvil:debate Why?");
    assert!(said.reason().contains("a project can't choose the agents: isolated"), "{said:?}");
    fs_err::remove_file(room.host.path(".claude/anvil.local.md")).unwrap();
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    let own = format!("---\nisolated: yes\nagent: '{}'\n---\n", room.agent("advocate"));
    fs_err::write(room.host.home().join(".claude/anvil.local.md"), own).unwrap();
    let said = room.host.prompt(SESSION, "/anvil:debate Why? --rounds 1");
    assert!(said.reason().contains("3 independent replies"), "{said:?}");
    room.host.prompt(SESSION, "/anvil:cancel");
    let here = room.host.prompt(SESSION, "/anvil:debate Why? --isolated=no");
    assert!(here.context().contains("Anvil debate protocol"), "{here:?}");
}

#[test]
fn an_unsaved_reply_of_claude_is_not_requested_from_programs() {
    let room = Room::new();
    room.does("critic", HELD);
    room.host.prompt(SESSION, "/anvil:debate Why? --rounds 1");
    let reply = json!([{ "type": "text", "text": super::REPLIES[0] }]);
    fs_err::write(room.file("t.jsonl"), crate::recovery::line(&room.host, "assistant", &reply))
        .unwrap();
    let seats = super::SEATS.map(|seat| format!("--{seat} \"{}\"", room.agent(seat))).join(" ");
    let typed = json!({ "prompt": format!("/anvil:resume --isolated {seats}"), "transcript_path": room.file("t.jsonl") });
    let resumed = room.host.event(SESSION, "UserPromptSubmit", &typed);
    assert!(resumed.reason().contains("2 independent replies"), "{resumed:?}");
    room.reaches("critic");
    assert_eq!(room.host.reply_texts(), [super::REPLIES[0].trim_end()]);
    // The protocol in the conversation says "no edits": it is no longer valid, and Claude learns
    // that once.
    let prompt = room.host.prompt(SESSION, "What is two and two?");
    assert!(prompt.context().contains("edits and commands are allowed again"), "{prompt:?}");
    let again = room.host.prompt(SESSION, "And three and three?");
    assert!(again.context().is_empty(), "{again:?}");
    room.releases_reply();
    room.comes_to("completed");
    assert_eq!(room.paid().len(), 2);
}

#[test]
fn a_refused_session_does_not_change_the_agents() {
    let mut client = std::process::Command::new("/bin/sleep").arg("300").spawn().unwrap();
    let room = Room::new().with("CLAUDE_PID", &client.id().to_string());
    room.does("critic", HANGS);
    room.isolated_at("critic");
    let room = room.with("CLAUDE_PID", "");
    let refused = room.host.prompt("two", "/anvil:resume --isolated=no");
    assert!(refused.reason().contains("another running session"), "{refused:?}");
    let room = room.with("CLAUDE_PID", &client.id().to_string());
    assert!(room.host.prompt(SESSION, "/anvil:resume").reason().contains("is being written"));
    // The same in the other direction: Claude argues, and another client wants programs to argue.
    assert!(!room.host.prompt(SESSION, "/anvil:resume --isolated=no").context().is_empty());
    room.does("critic", WELL);
    let other = room.with("CLAUDE_PID", "");
    let refused = other.host.prompt("two", "/anvil:resume --isolated");
    assert!(refused.reason().contains("another running session"), "{refused:?}");
    let room = other.with("CLAUDE_PID", &client.id().to_string());
    assert!(
        room.host.prompt(SESSION, "/anvil:resume").context().contains("── Critic · round 1 of 1")
    );
    let other = room.with("CLAUDE_PID", "");
    let taken = other.host.prompt("two", "/anvil:resume --isolated --take-over");
    assert!(taken.reason().contains("2 independent replies"), "{taken:?}");
    other.comes_to("completed");
    client.kill().unwrap();
    client.wait().unwrap();
}

#[test]
fn only_a_real_wake_up_prompt_is_consumed() {
    let room = Room::new();
    room.does("critic", HELD);
    room.isolated_at("critic");
    for news in [
        "<task-notification>\n<summary>Agent done</summary>\n<result>It greps for anvil-isolated-news.</result>\n</task-notification>".to_owned(),
        "<task-notification>\n<result>UserPromptExpansion: anvil-isolated-news</result>\n</task-notification>".to_owned(),
        format!("<task-notification>\n<summary>Agent done</summary>\n</task-notification>\n{}", woken("anvil-isolated-news")),
    ] {
        assert!(room.host.prompt(SESSION, &news).is_silent(), "{news}");
    }
    room.releases_reply();
    room.comes_to("completed");
    assert!(room.host.prompt(SESSION, "So what?").message().contains("Page: "));
    // The client had woken it before: it costs no request.
    let late = room.host.prompt(SESSION, &woken("anvil-isolated-news\n"));
    assert!(late.reason().contains("nothing new"), "{late:?}");
}

#[test]
fn a_debate_that_replaces_a_running_one_wakes_the_session() {
    let room = Room::new();
    room.does("critic", HANGS);
    let first = room.waits("/anvil:debate Why? --isolated");
    room.isolated_at("critic");
    let old = room.host.head("session_id");
    room.does("critic", WELL);
    // In parallel, as the client starts them: this one comes first.
    let second = room.waits("/anvil:debate Whence? --isolated --replace");
    std::thread::sleep(std::time::Duration::from_millis(300));
    room.does("synthesizer", HELD);
    let replaced = room.isolated("--replace");
    assert!(replaced.reason().contains("3 independent replies"), "{replaced:?}");
    assert_ne!(room.host.head("session_id"), old);
    room.reaches("synthesizer");
    std::thread::sleep(std::time::Duration::from_millis(300));
    room.releases_reply();
    room.comes_to("completed");
    assert_eq!(ended(first).0, Some(0));
    assert_eq!(ended(second).0, Some(2));
}

#[test]
fn programs_argue_another_cycle_too() {
    let room = Room::new();
    room.isolated("");
    room.comes_to("completed");
    let again = room.host.prompt(SESSION, "/anvil:again What of the cost?");
    assert!(again.reason().contains("3 independent replies"), "{again:?}");
    room.comes_to("completed");
    assert_eq!(room.paid().len(), 6);
}
