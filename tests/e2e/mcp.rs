//! The MCP server with real clients: the official one from npm, Claude Code, and codex.
//!
//! Invariant: other programs claim the other seats, so that only the client can have written its
//! own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::client::{Client, NEWEST, clients};
use crate::mock::{Answer, Block, Mock, Request};
use crate::process::Running;
use crate::world::World;

/// The names of its tools if the client itself registered the server.
const CLAIM: &str = "mcp__anvil__task_claim";
const SUBMIT: &str = "mcp__anvil__task_submit";
const NOTE: &str = "mcp__anvil__debate_note";

/// What the critic notes with its first task.
const FACT: &str = "The quay's permit ends in 2028 (permits.md:4).";

/// Writes for the advocate and the synthesizer.
const SCRIPT: &str = r#"prompt=$(cat)
case $prompt in
*"── Advocate · round 2"*) round=2 ;;
*) round=1 ;;
esac
case $prompt in
*"You took no part"*)
  printf 'The need decides.\n\n### What to do\n\n1. Build it.\n\n```anvil\n'
  printf '%s\n' "$prompt" | grep '^motion: ' | tail -1
  for claim in A1 A2; do echo "$claim survived: it stands"; done
  for claim in C1 C2; do echo "$claim weakened: the money can be found"; done
  printf 'against: the money\nrecommendation: Build it.\nverdict: do\nconfidence: 70\nrests on: A1\n'
  printf 'flips if: it costs 3 times more\nunknown: what it costs\n```\n' ;;
*) echo "**A$round. The harbour silts up, says survey $round.** [reasoning] So it is." ;;
esac
"#;

/// The server's program.
fn server() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_anvil")).with_file_name("anvil-mcp");
    assert!(path.is_file(), "there is no {}: cargo build -p anvil-mcp", path.display());
    path
}

/// Claims each task of a seat and submits what the script writes for it.
const CLAIMS: &str = r#"anvil=$1 seat=$2
while "$anvil" claim "$seat" --wait 60s >"$HOME/$seat.md" 2>"$HOME/$seat.token"; do
  sh "$HOME/script.sh" <"$HOME/$seat.md" | "$anvil" submit "$(tail -n 1 "$HOME/$seat.token")" || exit 1
done
exit 0
"#;

/// Programs at these seats of a debate of two rounds.
fn others(world: &World, seats: &[&str]) -> Vec<Running> {
    for (file, text) in [("script.sh", SCRIPT), ("claims.sh", CLAIMS)] {
        fs::write(world.home().join(file), text).expect("the fake HOME is writable");
    }
    let claims = |seat: &&str| {
        let mut command = Command::new("sh");
        command
            .arg(world.home().join("claims.sh"))
            .args([env!("CARGO_BIN_EXE_anvil"), seat])
            .env_clear()
            .env("HOME", world.home());
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(world.project());
        Running::start(command)
    };
    seats.iter().map(claims).collect()
}

#[test]
#[ignore = "runs the official client from npm; .ci/run installs it"]
fn the_official_client_holds_the_critics_seat() {
    let world = World::with_mock(Mock::start(|_| Answer::error(500)));
    world.anvil(&["start", "Should the harbour be rebuilt?", "--rounds", "2"]);
    let others = others(&world, &["advocate", "synthesizer"]);
    let mut command = Command::new("node");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/mcp.mjs");
    command.arg(script).arg(server()).arg("critic").current_dir(world.project());
    command
        .env_clear()
        .env("HOME", world.home())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let finished = Running::start(command).wait().ok();
    for other in others {
        other.wait().ok();
    }
    let said: Vec<Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert_eq!(said[0]["tools"].as_array().map(Vec::len), Some(7), "{said:?}");
    assert_eq!(said[0]["prompts"], json!(["debate"]));
    assert!(
        said[1]["refused"].as_str().is_some_and(|text| text.contains("can't set replace")),
        "{said:?}"
    );
    for round in [1, 2] {
        assert_eq!(said[round + 1]["task"], format!("critic-{round}"), "{said:?}");
        assert_eq!(
            (&said[round + 1]["state"], &said[round + 1]["sees"]),
            (&json!("filed"), &json!(true)),
            "{said:?}"
        );
    }
    assert_eq!(said[4]["claims"], json!(["A1", "C1", "A2", "C2"]), "{said:?}");
    let report = said[4]["report"].as_str().expect("a report");
    assert!(
        report.contains("Build it.") && report.contains("The money is not there in year 2."),
        "{report}"
    );
    assert!(!report.contains(&*world.project().to_string_lossy()), "{report}");
    assert_eq!(world.state().field("status"), "completed");
}

/// The result of a tool in a message, if it is one.
fn result(message: &Value) -> Option<Value> {
    let said = if message["type"] == "function_call_output" {
        &message["output"]
    } else {
        &message["content"].as_array()?.iter().find(|block| block["type"] == "tool_result")?["content"]
    };
    let text = match said {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array()?.iter().filter_map(|block| block["text"].as_str()).collect(),
    };
    // codex puts the duration before it.
    let text = text.split_once("Output:\n").map_or(text.as_str(), |(_, output)| output).to_owned();
    Some(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Takes the tasks of the seat that the prompt names until there are none, and notes a fact with
/// the critic's first.
fn seat(request: &Request) -> Answer {
    let is_critic = !request.body.to_string().contains("Take the advocate's seat.");
    let seat = if is_critic { "critic" } else { "advocate" };
    let claim = || Answer::blocks(vec![Block::Tool(CLAIM, json!({ "seat": seat, "wait_s": 20 }))]);
    let results: Vec<Value> = request.messages().iter().filter_map(result).collect();
    let Some(newest) = request.messages().last().and_then(result) else {
        return claim();
    };
    let is_write = |result: &&Value| result["state"] == "write";
    let task = results.iter().rev().find(is_write).cloned().unwrap_or_default();
    match newest["state"].as_str() {
        Some("write") if task["task"] == "critic-1" => {
            let fact = json!({ "token": task["token"], "text": FACT });
            Answer::blocks(vec![Block::Tool(NOTE, fact)])
        }
        Some("write" | "noted") => {
            let round =
                task["task"].as_str().and_then(|task| task.rsplit('-').next()).unwrap_or_default();
            let reply = if is_critic {
                format!(
                    "**C{round}. The money is not there in year {round}.** attacks A{round}: so it is [reasoning]."
                )
            } else {
                format!(
                    "**A{round}. The harbour silts up, says survey {round}.** [reasoning] So it is."
                )
            };
            Answer::blocks(vec![Block::Tool(
                SUBMIT,
                json!({ "token": task["token"], "reply": reply }),
            )])
        }
        Some("filed" | "wait") => claim(),
        _ => Answer::text(format!("I am done: {newest}")),
    }
}

fn claude_holds_a_seat(version: &str) {
    let world = World::with_mock(Mock::start(seat));
    // The largest possible material: if the client cut the prompt, it would not be JSON.
    let lines: Vec<String> = (1..1_000)
        .map(|line| format!("Line {line} of what was measured in the \"harbour\"."))
        .collect();
    fs::write(world.project().join("material.md"), lines.join("\n"))
        .expect("the project is writable");
    let material = ["--context", "material.md"];
    world.anvil(
        &[&["start", "Should the harbour be rebuilt?", "--rounds", "2"], &material[..]].concat(),
    );
    let others = others(&world, &["advocate", "synthesizer"]);
    let config = world.home().join("servers.json");
    let servers = json!({ "mcpServers": { "anvil": { "command": server() } } });
    fs::write(&config, servers.to_string()).expect("the fake HOME is writable");
    let client =
        world.bare_client(version).arg("--mcp-config").arg(&config).arg("--strict-mcp-config");
    let finished = client
        .args(&["--allowedTools", CLAIM, SUBMIT, NOTE])
        .prompt("Take the critic's seat.")
        .run()
        .ok();
    for other in others {
        other.wait().ok();
    }
    assert!(finished.stdout.contains("I am done"), "{finished:#?}");
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{finished:#?}");
    assert!(state.0.contains(&format!("> {FACT}\n")), "{}", state.0);
    for round in [1, 2] {
        assert_eq!(
            state.0.matches(&format!("The money is not there in year {round}.")).count(),
            1,
            "{}",
            state.0
        );
    }
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn claude_code_holds_the_critics_seat_through_the_server() {
    clients().for_each(claude_holds_a_seat);
}

/// A server for a client, in its own configuration.
fn codex_with_server(world: &World, prompt: &str) -> Client {
    let (config, file) = (world.home().join(".codex/config.toml"), world.home().join("prompt.md"));
    fs::create_dir_all(world.home().join(".codex")).expect("the fake HOME is writable");
    let api = format!(
        "model_provider = \"once\"\n[model_providers.once]\nname = \"once\"\nwire_api = \"responses\"\nbase_url = \"{}/v1\"\n",
        world.mock.url()
    );
    let server = format!("[mcp_servers.anvil]\ncommand = \"{}\"\n", server().display());
    fs::write(config, api + &server).expect("the fake HOME is writable");
    fs::write(&file, prompt).expect("the fake HOME is writable");
    let codex = Client::codex(&world.home(), &world.project());
    codex.args(&["exec", "-", "--skip-git-repo-check"]).reading(&file)
}

/// The call in docs/mcp.md.
#[test]
#[ignore = "runs the real codex; .ci/run installs it"]
fn codex_holds_the_critics_seat() {
    let world = World::with_mock(Mock::of_seats(seat));
    world.anvil(&["start", "Should the harbour be rebuilt?", "--rounds", "2"]);
    let others = others(&world, &["advocate", "synthesizer"]);
    let finished = codex_with_server(&world, "Take the critic's seat.").run().ok();
    for other in others {
        other.wait().ok();
    }
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{finished:#?}");
    assert!(state.0.contains("The money is not there in year 2."), "{}", state.0);
    assert!(state.0.contains(&format!("> {FACT}\n")), "{}", state.0);
}

#[test]
#[ignore = "runs the real Claude Code client and the real codex; .ci/run installs them"]
fn claude_code_and_codex_argue_a_debate_that_nobody_drives() {
    let world = World::with_mock(Mock::of_seats(seat));
    world.anvil(&["start", "Should the harbour be rebuilt?", "--rounds", "2"]);
    let others = others(&world, &["synthesizer"]);
    let config = world.home().join("servers.json");
    let servers = json!({ "mcpServers": { "anvil": { "command": server() } } });
    fs::write(&config, servers.to_string()).expect("the fake HOME is writable");
    let claude = world
        .bare_client(NEWEST)
        .arg("--mcp-config")
        .arg(&config)
        .arg("--strict-mcp-config")
        .args(&["--allowedTools", CLAIM, SUBMIT, NOTE])
        .prompt("Take the critic's seat.")
        .spawn();
    let codex = codex_with_server(&world, "Take the advocate's seat.").run().ok();
    claude.wait().ok();
    for other in others {
        other.wait().ok();
    }
    let state = world.state();
    assert_eq!(state.field("status"), "completed", "{codex:#?}");
    let report = world.anvil(&["report", "--format", "json", "--output", "-"]).stdout;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let sections = report["sections"].as_array().expect("sections").iter();
    let writers: Vec<String> =
        sections.map(|section| section["author"]["agent"].to_string()).collect();
    assert!(writers[0].contains("codex") && writers[2] == writers[0], "{writers:?}");
    assert!(writers[1].contains("claude") && writers[3] == writers[1], "{writers:?}");
}

/// The next session has what an installation registers, and the tools cost what the installation
/// stated.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn an_installed_server_has_its_tools_in_the_next_session() {
    static SENT: Mutex<Vec<Value>> = Mutex::new(Vec::new());
    let world = World::with_mock(Mock::start(|request| {
        SENT.lock()
            .expect("no test fails in here")
            .extend(request.body["tools"].as_array().into_iter().flatten().cloned());
        Answer::text("Hello.")
    }));
    let said = world
        .anvil(&["install", "--mcp", "--to", world.plugin().to_str().expect("a UTF-8 path")])
        .stdout;
    // All tools at once, instead of when the model looks for them.
    world.client().env("ENABLE_TOOL_SEARCH", "false").prompt("Hello").run().ok();
    let sent = SENT.lock().expect("no test fails in here");
    let ours: Vec<&Value> = sent
        .iter()
        .filter(|tool| {
            tool["name"].as_str().is_some_and(|name| name.starts_with("mcp__plugin_anvil_anvil__"))
        })
        .collect();
    assert_eq!(ours.len(), 7, "{:?}", sent.iter().map(|tool| &tool["name"]).collect::<Vec<_>>());
    let bytes: usize = ours.iter().map(|tool| tool.to_string().len()).sum();
    let told: usize = said
        .split("about ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .expect("a number");
    println!("{bytes} bytes, {} tokens; {told} were told", bytes / 3);
    // The tools come with the server's own instructions.
    assert!(
        bytes / 3 <= told && told <= bytes / 3 + 150,
        "{bytes} bytes, and {told} tokens were told"
    );
}
