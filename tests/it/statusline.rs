//! The line in Claude Code's status line, and the setting that enables it.

use serde_json::{Value, json};

use testkit::host::{Host, Output};

fn line(host: &Host, input: &Value) -> Output {
    // In any folder where the client runs it.
    host.run_with(&["statusline"], &host.home(), input.to_string().as_bytes())
}

/// The client's input, as far as Anvil reads it.
fn told(host: &Host) -> Value {
    json!({
        "session_id": "another", "cwd": host.root(), "model": { "id": "m", "display_name": "M" },
        "workspace": { "current_dir": host.root(), "project_dir": host.root() }, "cost": { "total_cost_usd": 0.1 },
    })
}

fn shown(host: &Host) -> String {
    let printed = line(host, &told(host));
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
    printed.stdout
}

#[test]
fn the_status_line_shows_the_progress_from_start_to_end() {
    let host = Host::new();
    assert_eq!(shown(&host), "");
    let host = host.debating("Why? --rounds 1");
    assert_eq!(shown(&host), "Anvil ▯▯▯▯▯ advocate 1/1 · 0 words\n");
    host.stop("one", &format!("**A1. One.** {}", "word ".repeat(1_202)));
    assert_eq!(shown(&host), "Anvil ▮▮▯▯▯ critic 1/1 · 1,204 words · 1 claim, 1 open\n");
    host.prompt("one", "something else");
    assert_eq!(shown(&host), "Anvil ▮▮▯▯▯ critic 1/1 · paused · 1,204 words · 1 claim, 1 open\n");
    host.prompt("one", "/anvil:resume");
    host.stop("one", "**C1. No.** It is \"words\":99 elsewhere.");
    assert_eq!(shown(&host), "Anvil ▮▮▮▮▯ synthesis · 1,210 words · 2 claims, 2 open\n");
    host.stop("one", "recommendation: Do.\nconfidence: 80\nflips if: x");
    assert_eq!(shown(&host), "");
}

#[test]
fn a_voice_is_named_without_terminal_controls() {
    let host = Host::new().debating("Why? --stakeholders \"legal\u{1B}[31m team,sales\"");
    let shown = shown(&host);
    assert!(
        shown.starts_with("Anvil ▯▯▯▯▯ voice 1: legal") && !shown.contains('\u{1B}'),
        "{shown:?}"
    );
    assert!(shown.ends_with(" · 0 words\n"), "{shown:?}");
}

#[test]
fn the_status_line_never_fails_and_changes_nothing() {
    let host = Host::new().debating("Why? --rounds 3");
    let before = host.files();
    let too_much = vec![b'['; 300_000];
    let inputs: [&[u8]; 6] =
        [b"", b"{", b"[1]", b"\xFF\xFE", br#"{"workspace":7,"session_id":[],"cwd":""}"#, &too_much];
    for input in inputs {
        // Without input from the client, the current folder counts.
        let printed = host.run_with(&["statusline"], host.root(), input);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
        assert_eq!(printed.stdout, "Anvil ▯▯▯▯▯ advocate 1/3 · 0 words\n");
    }
    assert_eq!(host.files(), before);
    fs_err::write(host.state_path(), b"---\n\xFF").unwrap();
    assert_eq!(shown(&host), "");
    fs_err::remove_file(host.state_path()).unwrap();
    fs_err::create_dir(host.state_path()).unwrap();
    assert_eq!(shown(&host), "");
    let host = host.with("ANVIL_NOW", "never").with("ANVIL_SNAPSHOTS", "many");
    assert_eq!(shown(&host), "");
}

#[test]
fn install_adds_the_setting_and_uninstall_restores_the_file() {
    let path = |host: &Host| host.home().join(".claude/settings.json");
    let setting = |host: &Host| -> Value {
        serde_json::from_slice(&fs_err::read(path(host)).unwrap()).unwrap()
    };
    for before in [
        "{}\n",
        "{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n",
        "{\"z\":1,\"a\":{\"statusLine\":2}}",
    ] {
        let host = Host::new();
        fs_err::create_dir_all(host.home().join(".claude")).unwrap();
        fs_err::write(path(&host), before).unwrap();
        let printed = host.run(&["install", "--statusline"]);
        assert!(printed.stdout.contains("The status line is in "), "{printed:?}");
        let program = host.home().join(".claude/skills/anvil/anvil");
        let command = format!("\"{}\" statusline", program.display());
        let own = json!({ "type": "command", "command": command, "refreshInterval": 2 });
        assert_eq!(setting(&host)["statusLine"], own);
        let printed = host.run(&["install", "--statusline"]);
        assert!(printed.stdout.contains("already."), "{printed:?}");
        let printed = host.run(&["uninstall"]);
        assert!(printed.stdout.contains("Its status line is removed"), "{printed:?}");
        let after = fs_err::read_to_string(path(&host)).unwrap();
        assert_eq!(after.replace("{\n}", "{}"), before);
    }
    // Without the interval it would be outdated after a cancel.
    let host = Host::new();
    host.run(&["install", "--statusline"]);
    let written = fs_err::read_to_string(path(&host)).unwrap();
    let earlier = written.replace(",\"refreshInterval\":2", "");
    fs_err::write(path(&host), &earlier).unwrap();
    assert_ne!(earlier, written);
    host.run(&["install", "--statusline"]);
    assert_eq!(setting(&host)["statusLine"]["refreshInterval"], json!(2));
    // The client rewrites its settings, in its own order and form.
    let host = Host::new();
    host.run(&["install", "--statusline"]);
    let mut settings = setting(&host);
    settings["a"] = json!(1);
    settings["z"] = json!(2);
    fs_err::write(path(&host), format!("{settings:#}")).unwrap();
    host.run(&["uninstall"]);
    assert_eq!(setting(&host), json!({ "a": 1, "z": 2 }));
}

#[test]
fn an_existing_status_line_and_invalid_settings_are_kept() {
    let host = Host::new();
    let path = host.home().join(".claude/settings.json");
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    for mine in [r#"{"statusLine":{"type":"command","command":"mine"}}"#, r#"{"statusLine":null}"#]
    {
        fs_err::write(&path, mine).unwrap();
        let printed = host.run(&["install", "--statusline"]);
        assert!(printed.code == 0 && printed.stdout.contains("it stays as it is"), "{printed:?}");
        assert!(!host.run(&["uninstall"]).stdout.contains("status line"));
        assert_eq!(fs_err::read_to_string(&path).unwrap(), mine);
    }
    for broken in ["{", "[]", "// mine\n{}"] {
        fs_err::write(&path, broken).unwrap();
        let printed = host.run(&["install", "--statusline"]);
        assert!(
            printed.code == 1 && printed.stderr.contains("is not a JSON object"),
            "{printed:?}"
        );
        assert_eq!(host.run(&["uninstall"]).code, 0);
        assert_eq!(fs_err::read_to_string(&path).unwrap(), broken);
    }
}

#[cfg(unix)]
#[test]
fn settings_behind_a_link_are_written_at_the_target() {
    let host = Host::new();
    let path = host.home().join(".claude/settings.json");
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(host.outside("dotfiles.json"), "{}").unwrap();
    std::os::unix::fs::symlink(host.outside("dotfiles.json"), &path).unwrap();
    host.run(&["install", "--statusline"]);
    assert!(fs_err::symlink_metadata(&path).unwrap().is_symlink());
    assert!(fs_err::read_to_string(host.outside("dotfiles.json")).unwrap().contains("statusLine"));
}
