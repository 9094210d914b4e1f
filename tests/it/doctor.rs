//! The results of `anvil doctor`: whole screens, in a healthy home and in damaged ones.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use testkit::host::Host;

/// A host with a client of this version, and nothing else on its PATH.
fn with_client(version: &str) -> Host {
    let host = Host::new();
    script(&host.outside("bin/claude"), &format!("echo '{version} (Claude Code)'"));
    let path = format!("{}:/usr/bin:/bin", host.outside("bin").display());
    host.with_path(&path)
}

fn script(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn healthy() -> Host {
    let host = with_client("2.1.329");
    assert_eq!(host.run(&["install"]).code, 0);
    host
}

fn doctor(host: &Host, code: i32) -> String {
    let printed = host.run(&["doctor"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (code, ""), "{printed:?}");
    printed.stdout
}

#[test]
fn a_folder_of_records_that_others_could_change_is_told_at_the_start_and_by_doctor() {
    let others = |folder: &Path| {
        fs_err::create_dir_all(folder).unwrap();
        fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    };
    let link = |folder: &Path| {
        let elsewhere = folder.parent().unwrap().join("elsewhere");
        fs_err::create_dir_all(&elsewhere).unwrap();
        fs_err::os::unix::fs::symlink(&elsewhere, folder).unwrap();
    };
    let file = |folder: &Path| fs_err::write(folder, "mine").unwrap();
    let cases: [(_, _, fn(&Path)); 4] = [
        ("anvil.local", "other users can write to", others),
        ("anvil.local", "is a link", link),
        ("anvil.local", "is not a folder", file),
        ("anvil.local/debates", "is a link", link),
    ];
    for (name, why, make) in cases {
        let host = healthy();
        let folder = host.home().join(".claude").join(name);
        fs_err::create_dir_all(folder.parent().unwrap()).unwrap();
        fs_err::set_permissions(folder.parent().unwrap(), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        make(&folder);
        assert!(doctor(&host, 1).contains(why), "{name} {why}");
        let started = host.run(&["start", "Why?"]);
        assert!(started.code == 0 && started.stderr.contains(why), "{name} {why}: {started:?}");
        let other = Host::new();
        fs_err::create_dir_all(other.home().join(".claude")).unwrap();
        make(&other.home().join(".claude/anvil.local"));
        let said = other.prompt("one", "/anvil:debate Why not?");
        assert!(said.message().contains("anvil.local"), "{name} {why}: {said:?}");
    }
}

const HEALTHY: &str = "\
✓ plugin 0.1.0 in ~/.claude/skills/anvil
✓ the plugin's program is the one running now
✓ claude 2.1.329
✓ hooks are enabled
✓ the installed hooks answer: SessionStart, UserPromptSubmit, UserPromptExpansion, PreToolUse, Stop, SessionEnd
✓ the records of debates go to ~/.claude/anvil.local
✓ files can be locked here
✓ no debate in this project
✓ no git repository here
No problems found.
";

#[test]
fn doctor_reports_a_healthy_setup_and_leaves_nothing_behind() {
    let host = healthy();
    let temporary = host.outside("tmp");
    fs_err::create_dir_all(&temporary).unwrap();
    let host = host.with("TMPDIR", &temporary.display().to_string());
    assert_eq!(doctor(&host, 0), HEALTHY);
    assert!(host.files().is_empty());
    assert_eq!(fs_err::read_dir(&temporary).unwrap().count(), 0);
    assert!(!host.home().join(".claude/anvil.local").exists());
    let value: Value = host.run(&["doctor", "--json"]).json();
    assert_eq!(
        (&value["ok"], &value["version"]),
        (&json!(true), &json!(env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(value["findings"].as_array().unwrap().len(), 9);
    let first = json!({
        "check": "plugin", "level": "ok", "text": "plugin 0.1.0 in ~/.claude/skills/anvil", "fix": null,
    });
    assert_eq!(value["findings"][0], first);
}

#[test]
fn without_an_installation_each_problem_has_a_fix() {
    let host = Host::new().with_path("/usr/bin:/bin");
    assert_eq!(
        doctor(&host, 1),
        "\
✗ the plugin is not installed
    fix: anvil install
✗ `claude` is not on PATH
    fix: install Claude Code, or put the folder of `claude` on PATH
✓ hooks are enabled
✓ the records of debates go to ~/.claude/anvil.local
✓ files can be locked here
✓ no debate in this project
✓ no git repository here
2 problems above.
"
    );
}

#[test]
fn disabled_or_broken_hooks_are_found() {
    let host = healthy();
    let settings = host.path(".claude/settings.local.json");
    fs_err::create_dir_all(settings.parent().unwrap()).unwrap();
    fs_err::write(&settings, r#"{"disableAllHooks":true}"#).unwrap();
    let text = doctor(&host, 1);
    assert!(
        text.contains("✗ disableAllHooks in ") && text.contains("remove disableAllHooks"),
        "{text}"
    );
    fs_err::write(&settings, "{").unwrap();
    assert!(doctor(&host, 0).contains("is not a JSON object\n    fix: repair that file"));
    fs_err::remove_file(&settings).unwrap();

    let program = host.home().join(".claude/skills/anvil/anvil");
    fs_err::remove_file(&program).unwrap();
    script(&program, "[ \"$1\" = --version ] && echo anvil 0.0.9; echo 'no JSON\u{1B}[2J'");
    let text = doctor(&host, 1);
    assert!(text.contains("! the plugin's program is not the one running now: "), "{text}");
    assert!(text.contains("/anvil (anvil 0.0.9)\n    fix: anvil install\n"), "{text}");
    assert!(
        text.contains(
            "✗ the installed hooks do not answer: SessionStart: it printed no JSON[2J; User"
        ),
        "{text}"
    );
    script(&program, "exit 3");
    assert!(
        doctor(&host, 1)
            .contains("SessionStart: it fails; UserPromptSubmit: it fails; UserPromptExpansion: it fails; PreToolUse: it fails; Stop: it fails; SessionEnd: it fails\n")
    );
    // Each hint solves its problem.
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(doctor(&host, 0), HEALTHY);
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
    let text = doctor(&host, 1);
    assert!(text.contains(
        "✗ the plugin's program can't be run: ~/.claude/skills/anvil/anvil\n    \
                       fix: anvil install\n"
    ));
    assert!(
        text.contains(
            "✗ the installed hooks do not answer: UserPromptSubmit: it printed nothing\n"
        ),
        "{text}"
    );
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(doctor(&host, 0), HEALTHY);
    fs_err::remove_file(&program).unwrap();
    assert!(
        doctor(&host, 1).contains("✗ the plugin in ~/.claude/skills/anvil lacks 1 of its files\n")
    );
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(doctor(&host, 0), HEALTHY);
}

#[test]
fn duplicate_and_disabled_plugins_are_found() {
    let host = healthy();
    let copy = host.home().join(".claude/plugins/cache/anvil/anvil/0.1.0");
    host.run(&["install", "--to", &copy.display().to_string()]);
    let list = json!({ "version": 2, "plugins": { "anvil@anvil": [{ "scope": "user", "installPath": copy }] } });
    fs_err::write(host.home().join(".claude/plugins/installed_plugins.json"), list.to_string())
        .unwrap();
    let text = doctor(&host, 1);
    assert!(
        text.contains(
            "✓ plugin 0.1.0 in ~/.claude/plugins/cache/anvil/anvil/0.1.0\n\
             ✗ the plugin is installed more than once: every event is delivered to each copy\n    \
             fix: claude plugin uninstall anvil@anvil\n"
        ),
        "{text}"
    );
    host.run(&["uninstall"]);
    assert_eq!(
        doctor(&host, 0),
        HEALTHY.replace("skills/anvil", "plugins/cache/anvil/anvil/0.1.0")
    );
    fs_err::write(
        host.home().join(".claude/settings.json"),
        r#"{"enabledPlugins":{"anvil@anvil":false}}"#,
    )
    .unwrap();
    let text = doctor(&host, 1);
    assert!(text.contains("is disabled\n    fix: claude plugin enable anvil@anvil\n"), "{text}");
}

#[test]
fn a_client_that_is_too_old_is_a_problem() {
    let host = with_client("2.1.199");
    host.run(&["install"]);
    let text = doctor(&host, 1);
    let older = "✗ claude 2.1.199 is older than 2.1.200, the oldest version that Anvil works with\n    \
                 fix: claude update\n";
    assert!(text.contains(older), "{text}");
}

#[test]
fn doctor_follows_a_link_like_a_shell() {
    let host = healthy();
    let path = format!("{}:/usr/bin:/bin", host.outside("bin").display());
    let host = host.with("PATH", &path);
    let (bin, config) = (host.home().join(".local/bin"), host.home().join(".claude"));
    let (late, only) = (format!("/usr/bin:{}", bin.display()), host.outside("bin"));
    assert_eq!(host.run(&["install", "--link"]).code, 0);
    let text = doctor(&host, 0);
    let text = text
        .lines()
        .skip_while(|line| !line.contains("link"))
        .take(2)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(text.starts_with(
        "! the link ~/.local/bin/anvil is not found: its folder is not on PATH\n    fix: Add this"
    ));
    let host = host.with("PATH", &format!("{}:{late}", only.display()));
    assert!(doctor(&host, 0).contains(
        "✓ anvil in a shell runs the plugin's program, through the link ~/.local/bin/anvil\n"
    ));
    // The link calls the program in the plugin.
    let mut linked = std::process::Command::new(bin.join("anvil"));
    let printed = linked
        .arg("doctor")
        .env_clear()
        .env("HOME", host.home())
        .current_dir(host.root())
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&printed.stdout)
            .contains("✓ the plugin's program is the one running now")
    );

    script(&only.join("anvil"), "exit 0");
    let text = doctor(&host, 0);
    let hidden = format!(
        "comes first on PATH\n    fix: {} install --link=\"{}\"\n",
        env!("CARGO_BIN_EXE_anvil"),
        bin.display()
    );
    assert!(
        text.contains("! the link ~/.local/bin/anvil is not found: ") && text.contains(&hidden),
        "{text}"
    );
    assert_eq!(host.run(&["install", "--link"]).code, 0);
    let text = doctor(&host, 0);
    assert!(
        text.contains("✓ anvil-debate in a shell runs the plugin's program, through the link "),
        "{text}"
    );
    assert!(!text.contains("bin/anvil "), "{text}");
    fs_err::remove_file(bin.join("anvil-debate")).unwrap();
    assert!(
        doctor(&host, 0)
            .contains("! ~/.local/bin/anvil-debate is not a link to the plugin's program\n")
    );
    assert_eq!(host.run(&["install", "--link"]).code, 0);
    fs_err::remove_dir_all(config).unwrap();
    assert!(doctor(&host, 1).contains(
        "! the link ~/.local/bin/anvil-debate points to a program that does not exist\n"
    ));
}

#[test]
fn doctor_reports_the_state_file_and_whether_git_ignores_it() {
    let host = healthy().debating("Why?");
    assert!(
        doctor(&host, 0).contains(
            "✓ the debate here is sound: \"Why?\" (advocate, round 1 of 2, in progress)\n"
        )
    );
    host.git(&["init", "-q"]);
    host.edit("max_rounds: 2", "max_rounds: 99");
    let text = doctor(&host, 0);
    assert!(text.contains("! the debate's file was changed: "), "{text}");
    assert!(
        text.contains(
            "! git does not ignore the debate's file\n    fix: printf '\\nanvil-state.*\\n' >> \
             \"$(git rev-parse --git-path info/exclude)\"\n"
        ),
        "{text}"
    );
    assert!(text.ends_with("No problems, 2 notes above.\n"), "{text}");
}

#[test]
fn doctor_finds_what_prevents_reading_or_writing_a_debate() {
    let host = healthy();
    let claude = host.path(".claude");
    fs_err::write(&claude, "").unwrap();
    let text = doctor(&host, 1);
    assert!(text.contains("/.claude is not a folder\n    fix: move it away\n"), "{text}");
    assert!(text.ends_with("1 problem above.\n"), "{text}");
    fs_err::remove_file(&claude).unwrap();
    fs_err::create_dir(&claude).unwrap();

    let defaults = claude.join("anvil.local.md");
    fs_err::write(&defaults, "---\nrounds: 99\n---\n").unwrap();
    let text = doctor(&host, 1);
    assert!(
        text.contains("anvil.local.md, line 2: --rounds takes a whole number from 1 to 10, not \"99\"\n    fix: "),
        "{text}"
    );
    fs_err::remove_file(&defaults).unwrap();

    fs_err::write(host.state_path(), "garbage\n").unwrap();
    let text = doctor(&host, 1);
    assert!(
        text.contains(
            "✗ the state file can't be read, and its question is unknown\n    fix: start a new debate"
        ),
        "{text}"
    );
    assert_eq!(host.run(&["start", "Why?", "--replace"]).code, 0);
    assert!(doctor(&host, 0).contains("✓ the debate here is sound"));
}
