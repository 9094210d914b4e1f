//! One debate with several writers: Claude, the real codex, and programs that claim their tasks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, skip_onboarding};
use crate::mock::{Answer, Gate, Mock, Request};
use crate::model::{Seat, Turn, account};
use crate::screen::Screen;
use crate::world::World;

/// Requests of the session's own conversation: a seat has no tools, and codex another API.
fn is_session_request(request: &Request) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
        && request.body["input"].is_null()
}

fn reply(request: &Request) -> String {
    match Turn::of(request).seat {
        Some(Seat::Advocate(round)) => {
            format!("**A{round}. It pays in year {round}.** [reasoning]\n\nBecause.")
        }
        Some(Seat::Critic(round)) => {
            format!("**C{round}. It costs in year {round}.** [reasoning]\n\nBecause.")
        }
        _ => "CHAT-REPLY".to_owned(),
    }
}

fn status_of(world: &World, worker: &dyn Fn(&[&str]) -> Client, task: &str) -> String {
    let told = worker(&["tasks", "--json"]).run();
    let told: Value = serde_json::from_str(&told.stdout)
        .unwrap_or_else(|_| panic!("{told:?} {}", world.state().0));
    let tasks = told["tasks"].as_array().expect("tasks").clone();
    let found = tasks.iter().find(|found| found["id"] == task).expect("a task");
    found["status"].as_str().expect("a status").to_owned()
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn claude_advocates_codex_criticizes_and_another_program_decides() {
    let gate = Gate::default();
    let at = gate.clone();
    let world = World::with_mock(Mock::of_seats(move |request| {
        let answer = Answer::text(reply(request));
        let is_first =
            is_session_request(request) && Turn::of(request).seat == Some(Seat::Advocate(1));
        if is_first { answer.held(&at) } else { answer }
    }));
    let programs = world.outside().join("bin");
    fs::create_dir_all(&programs).expect("a fresh folder");
    let codex = programs.join("codex");
    let real = Client::codex(&world.home(), &world.project());
    let api = format!("-c 'model_providers.anvil.base_url=\"{}/v1\"'", world.mock.url());
    fs::write(
        &codex,
        format!("#!/bin/sh\nexec '{}' \"$@\" --strict-config {api}\n", real.program().display()),
    )
    .expect("a fresh file");
    fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).expect("our file");
    let verdict = account("rewrite the parser", "Wait a year.", ["A1", "C1"]);
    let text = world.outside().join("verdict.md");
    fs::write(&text, &verdict).expect("a fresh file");
    let worker = |args: &[&str]| {
        Client::anvil(&world.home(), &world.project(), &programs, &world.mock).args(args)
    };

    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 1");
    world.mock.wait_until("the advocate is asked", Duration::from_mins(1), |log| {
        log.iter().any(|exchange| Turn::of(&exchange.request).seat == Some(Seat::Advocate(1)))
    });
    let critic = worker(&["join", "--as", "critic", "--agent", "codex"]).spawn();
    let agent = format!("cmd:cat '{}'", text.display());
    let judge =
        worker(&["join", "--as", "synthesizer", "--agent", &agent, "--name", "Ada"]).spawn();
    for task in ["critic-1", "synthesis"] {
        let began = Instant::now();
        while status_of(&world, &worker, task) != "claimed" {
            assert!(began.elapsed() < Duration::from_secs(30), "{task} is never claimed");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    gate.open();
    screen.wait_for("waiting for codex");
    critic.wait().ok();
    judge.wait().ok();
    let over = screen.wait_for("DO NOT, 60 % sure.");
    assert_eq!(world.state().field("status"), "completed", "{over}");
    let sections = world.state().sections();
    let places: Vec<&str> = sections.iter().map(|section| section.place.as_str()).collect();
    assert_eq!(places, ["Round 1 / Advocate", "Round 1 / Critic", "Synthesis"]);
    assert_eq!(sections[2].text.trim(), verdict.trim());
    let of_the_session =
        world.mock.all().iter().filter(|exchange| is_session_request(&exchange.request)).count();
    assert_eq!(of_the_session, 1, "only the advocate's reply is Claude's: {over}");
}

/// The way of a script: what a claim prints goes into a program, and what that prints is submitted.
#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn claude_and_codex_write_what_is_claimed_for_them() {
    let world = World::with_mock(Mock::of_seats(|request| match Turn::of(request).seat {
        Some(Seat::Synthesizer) => {
            Answer::text(account(&Turn::of(request).motion, "Wait a year.", ["A1", "C1"]))
        }
        _ => Answer::text(reply(request)),
    }));
    let codex_api = format!(
        "model_provider = \"once\"\n[model_providers.once]\nname = \"once\"\n\
         wire_api = \"responses\"\nbase_url = \"{}/v1\"\n",
        world.mock.url()
    );
    fs::create_dir_all(world.home().join(".codex")).expect("the fake HOME is writable");
    fs::write(world.home().join(".codex/config.toml"), codex_api).expect("the fake HOME");
    world.anvil(&["start", "Should we rewrite the parser?", "--rounds", "1"]);
    let (prompt, answer) = (world.home().join("prompt.md"), world.home().join("answer.md"));
    for (seat, by) in [("advocate", "claude"), ("critic", "codex"), ("synthesizer", "claude")] {
        let claimed = world.anvil(&["claim", seat, "--as", by, "--json"]).stdout;
        let claimed: Value = serde_json::from_str(&claimed).expect("JSON");
        fs::write(&prompt, claimed["prompt"].as_str().expect("a prompt")).expect("a fresh file");
        let writer = match by {
            "codex" => Client::codex(&world.home(), &world.project()).args(&[
                "exec",
                "-",
                "--skip-git-repo-check",
            ]),
            _ => world.client().arg("-p"),
        };
        let written = writer.reading(&prompt).run().ok();
        fs::write(&answer, &written.stdout).expect("a fresh file");
        let token = claimed["token"].as_str().expect("a token");
        let anvil = Client::anvil(&world.home(), &world.project(), &world.home(), &world.mock);
        anvil.args(&["submit", token]).reading(&answer).run().ok();
    }
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{}", state.0);
    assert_eq!(state.sections().len(), 3, "{}", state.0);
    let report = world.anvil(&["report", "--format", "json", "--output", "-"]).stdout;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let sections = report["sections"].as_array().expect("sections").iter();
    let writers: Vec<&Value> = sections.map(|section| &section["author"]["agent"]).collect();
    assert_eq!(writers, ["claude", "codex", "claude"]);
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_drives_no_debate_with_a_claimed_task() {
    let world = World::with_mock(Mock::of_seats(|request| match Turn::of(request).seat {
        Some(Seat::Synthesizer) => {
            Answer::text(account(&Turn::of(request).motion, "Wait a year.", ["A1", "C1"]))
        }
        _ => Answer::text(reply(request)),
    }));
    world.anvil(&["start", "Should we rewrite the parser?", "--rounds", "1"]);
    world.anvil(&["claim", "advocate"]);
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:resume");
    screen.wait_for("tasks of this debate are claimed: advocate-1");
    screen.enter("/anvil:resume --drop-claims");
    let over = screen.wait_for("DO NOT, 60 % sure.");
    assert_eq!(world.state().field("status"), "completed", "{over}");
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_session_continues_when_its_worker_has_answered() {
    let world = World::with_mock(Mock::of_seats(|request| match Turn::of(request).seat {
        Some(Seat::Synthesizer) => {
            let motion = Turn::of(request).motion;
            Answer::text(account(&motion, "Wait a year.", ["A1", "C1", "A2", "C2"]))
        }
        Some(_) => Answer::text(reply(request)).after(Duration::from_secs(2)),
        None => Answer::text("CHAT-REPLY"),
    }));
    let programs = world.outside().join("bin");
    fs::create_dir_all(&programs).expect("a fresh folder");
    let script = world.outside().join("critic.md");
    let said = |round: u8| {
        format!(
            "# critic, round {round}\n\n**C{round}. It costs in year {round}.** [reasoning]\n\n"
        )
    };
    fs::write(&script, said(1) + &said(2)).expect("a fresh file");
    skip_onboarding(&world.home(), &world.project());
    let screen = Screen::open(&world.client());
    screen.wait_for("❯");
    screen.enter("/anvil:debate Should we rewrite the parser? --rounds 2");
    world.mock.wait_until("the advocate is asked", Duration::from_mins(1), |log| !log.is_empty());
    let agent = format!("script:{}", script.display());
    let anvil = Client::anvil(&world.home(), &world.project(), &programs, &world.mock);
    let critic =
        anvil.args(&["join", "--as", "critic", "--name", "Bob", "--agent", &agent]).spawn();
    screen.wait_for("waiting for Bob");
    let over = screen.wait_for("report.");
    critic.wait().ok();
    assert_eq!(world.state().field("status"), "completed", "{over}");
    let places: Vec<String> =
        world.state().sections().into_iter().map(|section| section.place).collect();
    let all = [
        "Round 1 / Advocate",
        "Round 1 / Critic",
        "Round 2 / Advocate",
        "Round 2 / Critic",
        "Synthesis",
    ];
    assert_eq!(places, all, "{over}");
}
