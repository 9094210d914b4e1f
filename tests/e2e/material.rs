//! The material of a debate: files and changes of the project, and results of earlier debates.

use std::fs;
use std::process::Command;

use crate::model::{Manner, Turn, told};
use crate::process::Running;
use crate::world::World;

/// A line of the material that occurs nowhere else.
const FACT: &str = "pub const RETRIES: u32 = 4711;";

/// A line of the uncommitted changes.
const CHANGE: &str = "pub const RETRIES: u32 = 8150;";

/// A world whose project is a repository with a source file, a file that git ignores and a secret.
fn world_with_a_repository() -> World {
    with_a_repository(World::new(Manner::default()))
}

/// The world with that repository.
pub(crate) fn with_a_repository(world: World) -> World {
    for (name, text) in [
        (".gitignore", "ignored.txt\n"),
        ("ignored.txt", "IGNORED-CONTENT\n"),
        (".env", "TOKEN=SECRET-CONTENT\n"),
        ("src/retry.rs", &format!("//! How often a call is made again.\n\n{FACT}\n")),
    ] {
        let path = world.project().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("a fresh folder");
        fs::write(path, text).expect("a fresh file");
    }
    for args in [
        ["init", "-q"].as_slice(),
        &["add", ".gitignore", "src"],
        &["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "A start"],
    ] {
        git(&world, args);
    }
    world
}

pub(crate) fn git(world: &World, args: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(args)
        .env("HOME", world.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .current_dir(world.project());
    Running::start(command).wait().ok();
}

/// The range of lines in the state file, from 1, of the first section that is not a reply, starting
/// at its heading.
fn lines_of(world: &World, heading: &str) -> (usize, usize) {
    let text = world.state().0;
    let lines: Vec<&str> = text.lines().collect();
    let first = lines
        .iter()
        .position(|line| *line == heading)
        .unwrap_or_else(|| panic!("no {heading}:\n{text}"));
    let end = lines.iter().position(|line| *line == "## Round 1").expect("round 1");
    let count =
        lines[first..end].iter().rposition(|line| !line.is_empty()).expect("the heading") + 1;
    (first + 1, count)
}

/// Fails unless the first cue requests a Read of the material alone, the model saw it through that
/// Read, and it is in the last request of the debate once.
fn assert_read_once(world: &World, heading: &str, fact: &str) {
    let log = world.mock.main();
    let (line, count) = lines_of(world, heading);
    let first = Turn::of(&log[0].request);
    let ask = format!("anvil-state.local.md (offset {line}, limit {count}).");
    assert!(first.cue.contains("First, without comment, Read the material: "), "{}", first.cue);
    assert!(first.cue.contains(&ask), "{ask} is not in: {}", first.cue);
    assert!(
        !log[0].request.body["messages"].to_string().contains(fact),
        "the protocol does not hold the material"
    );
    assert_eq!(Turn::of(&log[1].request).tools_used, 1, "the second request brings what was read");
    assert!(
        log[2..].iter().all(|exchange| Turn::of(&exchange.request).tools_used == 0),
        "nothing is read again"
    );
    for exchange in &log[1..] {
        let conversation = exchange.request.body["messages"].to_string();
        assert_eq!(
            conversation.matches(fact).count(),
            1,
            "request {}: {conversation}",
            exchange.request.number
        );
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn files_are_read_once_without_ignored_or_secret_ones() {
    let world = world_with_a_repository();
    world
        .client()
        .prompt("/anvil:debate Should we retry less? --rounds 2 --context **/*")
        .run()
        .ok();
    world.assert_completed(2);
    let state = world.state();
    let everything = state.everything();
    assert_eq!(everything[0].place, "Context", "{}", state.0);
    assert!(everything[0].text.contains(FACT), "{}", state.0);
    assert!(
        !state.0.contains("IGNORED-CONTENT") && !state.0.contains("SECRET-CONTENT"),
        "{}",
        state.0
    );
    assert_read_once(&world, "## Context", FACT);
    assert!(
        told(&world.mock.main()[0].request).contains("stands material: `## Context` (**/*)."),
        "the protocol says so"
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn uncommitted_changes_are_read_once() {
    let world = world_with_a_repository();
    let source = world.project().join("src/retry.rs");
    let text = fs::read_to_string(&source).expect("the source");
    fs::write(source, text.replace(FACT, CHANGE)).expect("the source");
    world.client().prompt("/anvil:debate Is this change right? --rounds 1 --diff").run().ok();
    world.assert_completed(1);
    let context = &world.state().notes("Context")[0].text;
    assert!(
        context.contains(&format!("-{FACT}")) && context.contains(&format!("+{CHANGE}")),
        "{context}"
    );
    assert_read_once(&world, "## Context", CHANGE);
}

/// The second debate of a project builds on the first, which has left its place by then.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_debate_builds_on_an_earlier_debate() {
    let world = World::new(Manner::default());
    world.client().prompt("/anvil:debate Should we rewrite it? --rounds 1").run().ok();
    world.assert_completed(1);
    let id = world.state().field("id");
    let asked = world.mock.main().len();
    world
        .client()
        .prompt(format!("/anvil:debate In which order? --rounds 1 --follow-up {id}"))
        .run()
        .ok();
    let replies = world.replies();
    world.assert_completed_with(1, &replies[3..]);
    let prior = &world.state().notes("Prior Analysis")[0].text;
    assert!(prior.contains(&format!("The debate {id}: Should we rewrite it?")), "{prior}");
    assert!(prior.contains(&replies[2].parts[0]), "the whole synthesis is there:\n{prior}");
    let log = &world.mock.main()[asked..];
    assert!(told(&log[0].request).contains("`## Prior Analysis`, which this debate builds on"));
    let read = log[1].request.body["messages"].to_string();
    assert!(read.contains("SYNTHESIS reply 3"), "the model reads it first: {read}");
}
