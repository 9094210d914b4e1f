//! `anvil install --mcp`: the server in the plugin's folder, registered for Claude Code.

use std::process::Command;

use serde_json::{Value, json};

use crate::driver::Place;

fn said(place: &Place, arguments: &[&str]) -> String {
    let output = place.anvil(arguments, "");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_server_is_registered_on_request_and_kept_by_upgrades() {
    let place = Place::new();
    let folder = place.home().join(".claude/skills/anvil");
    said(&place, &["install"]);
    assert!(
        !folder.join(".mcp.json").exists() && !folder.join("anvil-mcp").exists(),
        "it is off by default"
    );
    assert!(!said_by_doctor(&place).contains("MCP"));
    assert!(said(&place, &["install", "--mcp"]).contains("tokens in each request"));
    let registered: Value =
        serde_json::from_slice(&fs_err::read(folder.join(".mcp.json")).unwrap()).unwrap();
    assert_eq!(
        registered,
        json!({ "mcpServers": { "anvil": { "command": "${CLAUDE_PLUGIN_ROOT}/anvil-mcp" } } })
    );
    let version = Command::new(folder.join("anvil-mcp")).arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        concat!("anvil-mcp ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(said_by_doctor(&place).contains("✓ the MCP server is registered, and runs"));
    fs_err::write(folder.join("anvil-mcp"), "old").unwrap();
    said(&place, &["install"]);
    assert!(folder.join(".mcp.json").exists(), "an upgrade keeps what was asked for");
    assert_eq!(
        fs_err::read(folder.join("anvil-mcp")).unwrap(),
        fs_err::read(env!("CARGO_BIN_EXE_anvil-mcp")).unwrap()
    );
    fs_err::remove_file(folder.join("anvil-mcp")).unwrap();
    assert!(said_by_doctor(&place).contains("✗ the MCP server is registered, and anvil-mcp"));
    assert!(said(&place, &["uninstall"]).contains("Its MCP server is not registered any more."));
    assert_eq!(
        fs_err::read_dir(&folder).unwrap().count(),
        0,
        "the empty folder stays for open sessions"
    );
}

fn said_by_doctor(place: &Place) -> String {
    String::from_utf8(place.anvil(&["doctor"], "").stdout).unwrap()
}

#[test]
fn a_program_without_a_server_next_to_it_registers_none() {
    let place = Place::new();
    let alone = place.project().join("anvil");
    // By another process: a program that another test starts meanwhile would hold the new file
    // open for writing, and a file that is written can't be executed.
    let copied = Command::new("cp").arg(crate::driver::anvil()).arg(&alone).status();
    assert!(copied.unwrap().success());
    let output = Command::new(&alone)
        .args(["install", "--mcp"])
        .env_clear()
        .env("HOME", place.home())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("there is no anvil-mcp next to this program\nhint: build it with"),
        "{said}"
    );
    assert!(!place.home().join(".claude/skills").exists());
}

#[test]
fn the_server_works_in_the_named_folder() {
    let place = Place::new();
    let server = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil-mcp"));
        command.current_dir(place.home()).env_clear().env("HOME", place.home());
        command
    };
    let output = server().arg("--help").output().unwrap();
    assert!(
        output.status.success()
            && String::from_utf8(output.stdout).unwrap().contains("anvil-mcp [FOLDER]")
    );
    for (wrong, why) in [
        ("no-such", "no-such is not a folder"),
        ("--no-such", "--no-such is not an argument of anvil-mcp"),
    ] {
        let output = server().arg(wrong).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && said.contains(why) && said.contains("\nhint: "),
            "{said}"
        );
    }
    let mut client = Place::client_of(server().arg("../project"));
    client.call_ok("debate_start", &json!({ "question": "Should we?" }));
    assert!(place.state_file().exists());
}

/// As Claude Code sends them: the names of a plugin's tools are long.
#[test]
fn the_installation_states_the_real_token_cost_of_the_tools() {
    let place = Place::new();
    let listed = place.client().ask("tools/list", &json!({}));
    let sent = |tool: &Value| {
        let name = format!("mcp__plugin_anvil_anvil__{}", tool["name"].as_str().unwrap());
        json!({ "name": name, "description": tool["description"], "input_schema": tool["inputSchema"] })
            .to_string()
            .len()
    };
    let bytes: usize = listed["result"]["tools"].as_array().unwrap().iter().map(sent).sum();
    let measured =
        (bytes + anvil_messages::mcp::INSTRUCTIONS.len()) / anvil_prompt::BYTES_PER_TOKEN;
    let said = said(&place, &["install", "--mcp"]);
    let number = said.split("about ").nth(1).unwrap().split(' ').next().unwrap();
    let told: usize = number.parse().unwrap();
    assert!(measured.abs_diff(told) <= 50, "{measured} tokens are said to be {told}");
}
