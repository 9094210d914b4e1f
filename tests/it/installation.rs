//! Installing, upgrading and removing the plugin folder.

use std::path::Path;

use testkit::host::Host;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn an_installation_is_complete_and_matches_the_repository() {
    let host = Host::new();
    let printed = host.run(&["install"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let folder = host.home().join(".claude/skills/anvil");
    let next = ".\nStart `claude` in a project and type\n  /anvil:debate Should we move to microservices?\n";
    assert!(printed.stdout.ends_with(next), "{printed:?}");
    for file in [
        ".claude-plugin/plugin.json",
        ".claude-plugin/icon.png",
        "hooks/hooks.json",
        "commands/debate.md",
        "commands/status.md",
        "commands/resume.md",
        "commands/cancel.md",
        "README.md",
        "LICENSE",
    ] {
        let same = fs_err::read(folder.join(file)).unwrap()
            == fs_err::read(Path::new(HERE).join(file)).unwrap();
        assert!(same, "{file}");
    }
    let program = folder.join(if cfg!(windows) { "anvil.exe" } else { "anvil" });
    let output = std::process::Command::new(&program).arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_plugin_file_of_the_repository_is_installed() {
    let host = Host::new();
    host.run(&["install", "--to", "plugin"]);
    for folder in ["commands", "hooks", ".claude-plugin"] {
        for entry in fs_err::read_dir(Path::new(HERE).join(folder)).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(host.path("plugin").join(folder).join(&name).exists(), "{folder}/{name:?}");
        }
    }
}

#[test]
fn reinstalling_upgrades_in_place_even_while_the_program_runs() {
    let host = Host::new();
    host.run(&["install", "--to", "plugin"]);
    fs_err::write(host.path("plugin/commands/debate.md"), "old").unwrap();
    let program = host.path("plugin").join("anvil");
    fs_err::write(&program, "old").unwrap();
    assert!(host.run(&["install", "--to", "plugin"]).stdout.contains("upgraded"));
    let mut running = std::process::Command::new(program)
        .arg("hook")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let printed = host.run(&["install", "--to", "plugin"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.stdout.contains("installed again"));
    assert_ne!(fs_err::read(host.path("plugin/commands/debate.md")).unwrap(), b"old");
    running.kill().unwrap();
    running.wait().unwrap();
}

#[test]
fn uninstall_removes_only_installed_files() {
    let host = Host::new();
    host.run(&["install"]);
    let folder = host.home().join(".claude/skills/anvil");
    fs_err::write(folder.join("commands/mine.md"), "mine").unwrap();
    let printed = host.run(&["uninstall"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.stdout.contains("not Anvil's"), "{printed:?}");
    let left: Vec<_> =
        fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["commands"]);
    assert!(folder.join("commands/mine.md").exists());
    assert_eq!(host.run(&["uninstall"]).code, 3);

    host.run(&["install", "--to", "plugin"]);
    let printed = host.run(&["uninstall", "--from", "plugin"]);
    // Open sessions look for the folder.
    assert!(is_empty(&host.path("plugin")) && printed.stdout.contains("rmdir \""), "{printed:?}");
    host.run(&["uninstall", "--from", "plugin"]);
    assert!(!host.path("plugin").exists());
}

fn is_empty(folder: &Path) -> bool {
    fs_err::read_dir(folder).unwrap().next().is_none()
}

fn temporary_files(host: &Host) -> usize {
    let mut folders = vec![host.home(), host.root().to_owned()];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for path in fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            found += usize::from(path.to_string_lossy().contains(".anvil-tmp-"));
            folders.extend(path.is_dir().then_some(path));
        }
    }
    found
}

#[test]
fn leftovers_of_a_killed_installation_are_swept() {
    let host = Host::new();
    let leave = |folders: &[&str]| {
        for folder in folders {
            fs_err::create_dir_all(host.home().join(folder)).unwrap();
            fs_err::write(host.home().join(folder).join(".anvil-tmp-Ab1"), "half").unwrap();
        }
    };
    // Killed before the first file got its name.
    leave(&[".claude/skills/anvil"]);
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(temporary_files(&host), 0);
    let all = [
        ".claude",
        ".claude/skills/anvil",
        ".claude/skills/anvil/commands",
        ".claude/skills/anvil/.claude-plugin",
    ];
    leave(&all);
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(temporary_files(&host), 0);
    leave(&all);
    let printed = host.run(&["uninstall"]);
    assert!(printed.code == 0 && !printed.stdout.contains("not Anvil's"), "{printed:?}");
    assert!(temporary_files(&host) == 0 && is_empty(&host.home().join(".claude/skills/anvil")));
    leave(&[".claude/skills/anvil"]);
    assert_eq!(host.run(&["uninstall"]).code, 0);
    assert!(!host.home().join(".claude/skills/anvil").exists());
}

#[test]
fn uninstall_names_the_files_that_it_keeps() {
    let host = Host::new();
    host.run(&["install"]);
    let printed = host.run(&["uninstall"]);
    assert!(
        !printed.stdout.contains("anvil.local") && !printed.stdout.contains("marketplace"),
        "{printed:?}"
    );
    host.run(&["install"]);
    host.prompt("one", "/anvil:debate Why?");
    let installed = serde_json::json!({ "plugins": { "anvil@anvil": [{ "installPath": host.home().join("copy") }] } });
    fs_err::create_dir_all(host.home().join(".claude/plugins")).unwrap();
    fs_err::write(
        host.home().join(".claude/plugins/installed_plugins.json"),
        installed.to_string(),
    )
    .unwrap();
    let printed = host.run(&["uninstall"]);
    assert!(printed.stdout.contains("~/.claude/anvil.local"), "{printed:?}");
    assert!(
        printed.stdout.contains("~/copy")
            && printed.stdout.contains("claude plugin uninstall anvil@anvil"),
        "{printed:?}"
    );
}

/// A host that finds programs only in its own folders `early` and `late`; each has this program.
#[cfg(unix)]
fn with_path() -> Host {
    let host = Host::new();
    let folders = ["early", "late"].map(|name| host.outside(name));
    for folder in &folders {
        fs_err::create_dir_all(folder).unwrap();
    }
    let path = format!("{}:{}", folders[0].display(), folders[1].display());
    host.with("PATH", &path)
}

#[cfg(unix)]
fn a_program(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::write(path, "#!/bin/sh\necho foundry\n").unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
fn version(program: &Path) -> String {
    let output = std::process::Command::new(program).arg("--version").env_clear().output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[cfg(unix)]
fn a_link_explains_the_path_and_is_removed_with_the_plugin() {
    let host = with_path();
    let link = host.home().join(".local/bin/anvil");
    let printed = host.run(&["install", "--link"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let said = format!(
        "In a shell it is called anvil: {} is a link to it.\n{1} is not on PATH. Add this line to the startup file \
         of your shell:\n  export PATH='{1}':\"$PATH\"\n",
        link.display(),
        link.parent().unwrap().display()
    );
    assert!(printed.stdout.ends_with(&said), "{printed:?}");
    assert_eq!(fs_err::read_link(&link).unwrap(), host.home().join(".claude/skills/anvil/anvil"));
    assert!(version(&link).starts_with("anvil "));
    // An upgrade keeps it, even without the option.
    assert_eq!(host.run(&["install"]).code, 0);
    assert_eq!(host.run(&["install", "--link"]).stdout.matches("is a link to it").count(), 1);
    let host = host.with("PATH", &link.parent().unwrap().display().to_string());
    assert!(!host.run(&["install", "--link"]).stdout.contains("not on PATH"));
    let printed = host.run(&["uninstall"]);
    assert!(
        printed.stdout.contains(&format!("Its link {} is removed too.", link.display())),
        "{printed:?}"
    );
    assert!(
        link.symlink_metadata().is_err() && is_empty(&host.home().join(".claude/skills/anvil"))
    );
}

#[test]
#[cfg(unix)]
fn the_link_is_named_anvil_debate_if_another_anvil_comes_first() {
    let host = with_path();
    let (foundry, late) = (host.outside("early/anvil"), host.outside("late"));
    let named = format!("--link={}", late.display());
    // It came first when the link was made.
    assert_eq!(host.run(&["install", &named]).code, 0);
    a_program(&foundry);
    let printed = host.run(&["install", &named]);
    let called = format!("called anvil-debate ({} comes first on PATH): ", foundry.display());
    assert!(printed.code == 0 && printed.stdout.contains(&called), "{printed:?}");
    assert!(version(&late.join("anvil-debate")).starts_with("anvil "));
    let mut completions = std::process::Command::new(late.join("anvil-debate"));
    let script = completions.args(["completions", "bash"]).output().unwrap().stdout;
    let script = String::from_utf8(script).unwrap();
    assert!(script.contains(" anvil-debate\n"), "{script}");
    assert!(late.join("anvil").symlink_metadata().is_err(), "nobody would find it");
    let printed = host.run(&["install", &format!("--link={}", host.outside("early").display())]);
    assert!(
        printed
            .stdout
            .contains(&format!("called anvil-debate ({} is there already): ", foundry.display()))
    );
    host.run(&["uninstall"]);
    assert!(late.join("anvil-debate").symlink_metadata().is_err());
    assert_eq!(fs_err::read_to_string(&foundry).unwrap(), "#!/bin/sh\necho foundry\n");

    fs_err::rename(&foundry, late.join("anvil")).unwrap();
    let printed = host.run(&["install", &format!("--link={}", host.outside("early").display())]);
    let said = format!("It comes before {} on PATH.", late.join("anvil").display());
    assert!(
        printed.stdout.contains("In a shell it is called anvil: ")
            && printed.stdout.contains(&said),
        "{printed:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_link_never_takes_an_existing_name() {
    let host = with_path();
    let folder = host.path("tools");
    fs_err::create_dir(&folder).unwrap();
    fs_err::write(folder.join("anvil"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("anvil-debate")).unwrap();
    let printed = host.run(&["install", "--link=tools"]);
    assert_eq!(printed.code, 1, "{printed:?}");
    let told = format!(
        "there is no free name for the link: {0}/anvil is there already, and {0}/anvil-debate is there already\nhint: ",
        folder.display()
    );
    assert!(
        printed.stderr.contains(&told) && printed.stderr.contains("nothing was changed"),
        "{printed:?}"
    );
    assert!(!host.home().join(".claude").exists());
    // A link that is no longer ours stays when the plugin is removed.
    assert_eq!(host.run(&["install", "--link=new/tools"]).code, 0);
    let link = host.path("new/tools/anvil");
    fs_err::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(host.path("tools/anvil"), &link).unwrap();
    assert!(!host.run(&["uninstall"]).stdout.contains("Its link"));
    assert_eq!(fs_err::read_to_string(&link).unwrap(), "mine");
}

#[test]
#[cfg(unix)]
fn links_are_found_anywhere_even_after_the_plugin_is_gone() {
    let host = with_path();
    for link in ["--link", "--link=one", "--link=~/two"] {
        assert_eq!(host.run(&["install", "--to", "plugin", link]).code, 0);
    }
    let links = [
        host.home().join(".local/bin/anvil"),
        host.path("one/anvil"),
        host.home().join("two/anvil"),
    ];
    assert!(links.iter().all(|link| link.exists()));
    // It does not own another installation's links.
    host.run(&["install"]);
    host.run(&["uninstall"]);
    assert!(links.iter().all(|link| link.exists()));
    host.run(&["uninstall", "--from", "plugin"]);
    assert!(links.iter().all(|link| link.symlink_metadata().is_err()));

    host.run(&["install", "--link"]);
    fs_err::remove_dir_all(host.home().join(".claude")).unwrap();
    assert!(links[0].symlink_metadata().is_ok());
    assert_eq!(host.run(&["uninstall"]).code, 0);
    assert!(links[0].symlink_metadata().is_err());
}

#[test]
fn a_folder_with_foreign_files_is_not_touched() {
    let host = Host::new();
    fs_err::create_dir_all(host.path("busy")).unwrap();
    fs_err::write(host.path("busy/README.md"), "mine").unwrap();
    let printed = host.run(&["install", "--to", "busy"]);
    assert_eq!(printed.code, 1);
    assert!(
        printed.stderr.contains("not an Anvil plugin folder") && printed.stderr.contains("hint:"),
        "{printed:?}"
    );
    assert_eq!(host.files().len(), 1);
}

#[test]
fn an_upgrade_replaces_no_file_that_an_installation_did_not_write() {
    let host = Host::new();
    assert_eq!(host.run(&["install", "--to", "plugin"]).code, 0);
    let listed = host.path("plugin/installed-files.txt");
    let before = fs_err::read_to_string(&listed).unwrap();
    fs_err::write(&listed, before.replace("commands/steer.md\n", "")).unwrap();
    fs_err::write(host.path("plugin/commands/steer.md"), "mine").unwrap();
    let refused = host.run(&["install", "--to", "plugin"]);
    assert!(
        refused.code == 1 && refused.stderr.contains("was not written by Anvil"),
        "{refused:?}"
    );
    assert_eq!(fs_err::read_to_string(host.path("plugin/commands/steer.md")).unwrap(), "mine");
}

#[test]
fn a_manifest_cannot_make_uninstall_leave_its_folder() {
    let host = Host::new();
    host.run(&["install", "--to", "plugin"]);
    fs_err::write(host.path("precious"), "mine").unwrap();
    fs_err::write(host.path("plugin/installed-files.txt"), "../precious\n/etc/passwd\nREADME.md\n")
        .unwrap();
    host.run(&["uninstall", "--from", "plugin"]);
    assert!(host.path("precious").exists() && Path::new("/etc/passwd").exists());
    assert!(!host.path("plugin/README.md").exists());
}

#[test]
fn the_clients_configuration_folder_is_respected() {
    let host = Host::new();
    let config = host.outside("config");
    let host = host.with("CLAUDE_CONFIG_DIR", &config.display().to_string());
    host.run(&["install"]);
    assert!(config.join("skills/anvil/hooks/hooks.json").exists());
    host.prompt("one", "/anvil:debate Why?");
    assert!(config.join("anvil.local/sessions/one").exists());
}

/// The hooks of a file of the repository, by their event.
fn hooks_of(file: &str) -> serde_json::Map<String, serde_json::Value> {
    let text = fs_err::read_to_string(Path::new(HERE).join(file)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["hooks"].as_object().unwrap().clone()
}

#[test]
fn hooks_use_known_events_and_a_quoted_shell_command() {
    let hooks = hooks_of("hooks/hooks.json");
    let mut events: Vec<&String> = hooks.keys().collect();
    events.sort();
    assert_eq!(events, ["PreToolUse", "SessionEnd", "SessionStart", "Stop", "UserPromptSubmit"]);
    let line = hooks["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    // On Windows clients are reported to fill in this form, and no other.
    assert!(line.starts_with("p=\"${CLAUDE_PLUGIN_ROOT}\"; "), "{line}");
    for event in events {
        let hook = &hooks[event][0]["hooks"][0];
        assert_eq!(hook["command"], line);
        // The client runs no shell where there are `args`.
        assert!(hook.get("args").is_none());
    }
    // A typed command starts this process, and a start the one in the background; other prompts
    // start neither.
    let commands = &hooks_of("hooks/commands.json")["UserPromptExpansion"];
    let [answers, waits] = commands.as_array().unwrap().as_slice() else { panic!("{commands}") };
    let starting = "anvil:(debate|resume|steer|again)";
    assert_eq!((&answers["matcher"], &waits["matcher"]), (&"anvil:.*".into(), &starting.into()));
    let background = &waits["hooks"][0];
    assert_eq!(background["command"], line.replace(" hook;", " hook background;"));
    let (begin, end) = line.split_once("; case").unwrap();
    let answer = answers["hooks"][0]["command"].as_str().unwrap();
    assert!(answer.starts_with(begin) && answer.contains(" [ -x \"$p\" ] && exec \"$p\" hook;"));
    assert!(answer.contains(end.split_once("esac; ").unwrap().1), "{answer}");
    // Other Reads cost nothing.
    let read = &hooks["PreToolUse"][0];
    assert_eq!(
        (&read["matcher"], &read["hooks"][0]["if"]),
        (&"Read".into(), &"Read(**/anvil-state.local.md)".into())
    );
}

/// The command of every hook, as it is and as an older client writes it, in each installed shell.
#[cfg(unix)]
fn lines_with(folder: &Path) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (file, event) in [
        ("hooks/hooks.json", "UserPromptSubmit"),
        ("hooks/commands.json", "UserPromptExpansion"),
        ("hooks/failure.json", "StopFailure"),
    ] {
        let of_event = &hooks_of(file)[event];
        let all = of_event.as_array().unwrap().iter().map(|entry| &entry["hooks"][0]["command"]);
        for line in all.map(|line| line.as_str().unwrap().to_owned()) {
            let written = line.replace("${CLAUDE_PLUGIN_ROOT}", folder.to_str().unwrap());
            for shell in ["sh", "bash", "dash", "zsh"].into_iter().filter(|shell| in_path(shell)) {
                lines.extend([(shell, line.clone()), (shell, written.clone())]);
            }
        }
    }
    lines
}

#[cfg(unix)]
fn in_path(program: &str) -> bool {
    ["/bin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).is_file())
}

/// Runs a hook's command with these variables and a large event; fails if the event could not be
/// written whole.
#[cfg(unix)]
fn call(
    shell: &str,
    line: &str,
    folder: &Path,
    variables: &[(&str, &Path)],
) -> std::process::Output {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut command = Command::new(shell);
    command.args(["-c", line]).env_clear().envs(variables.iter().copied()).current_dir(folder);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A client may report a hook that does not read its input.
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&vec![b'x'; 1 << 20])
        .unwrap_or_else(|error| panic!("{shell} {line}: {error}"));
    child.wait_with_output().unwrap()
}

#[test]
#[cfg(unix)]
fn without_the_program_a_prompt_is_left_alone_and_a_command_says_why() {
    let host = Host::new();
    let (gone, path) = (host.outside("it is gone"), Path::new("/usr/bin:/bin"));
    let home = host.home();
    for (shell, line) in lines_with(&gone) {
        for variables in [
            [("PATH", path), ("CLAUDE_PLUGIN_ROOT", &gone), ("HOME", &home)].as_slice(),
            &[("PATH", path), ("HOME", &home)],
            &[("PATH", path)],
        ] {
            let output = call(&format!("/usr/bin/{shell}"), &line, host.root(), variables);
            assert!(output.status.success() && output.stderr.is_empty(), "{shell} {output:?}");
            if line.contains("decision") {
                let (said, path) = (refused(&output), "/anvil (type in a shell: anvil install)");
                assert!(said.starts_with("Anvil: there is no program: ") && said.ends_with(path));
            } else {
                assert!(output.stdout.is_empty(), "{shell} {line} {variables:?}: {output:?}");
            }
        }
    }
}

/// The text by which a line itself ends a command.
#[cfg(unix)]
fn refused(output: &std::process::Output) -> String {
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    testkit::host::Answer(answer).reason().to_owned()
}

#[test]
#[cfg(unix)]
fn a_program_that_cannot_be_run_is_named_by_the_command() {
    let host = Host::new();
    let commands = &hooks_of("hooks/commands.json")["UserPromptExpansion"];
    let line = commands[0]["hooks"][0]["command"].as_str().unwrap();
    for (name, shown) in [
        ("it's two  blanks", None),
        ("ünï 🤺 $(x) `y` %s", None),
        ("a \"quote\"", Some("the plugin's folder")),
        ("back\\slash", Some("the plugin's folder")),
        ("new\nline", Some("the plugin's folder")),
    ] {
        let folder = host.outside(name);
        fs_err::create_dir_all(&folder).unwrap();
        let program = folder.join("anvil");
        fs_err::write(&program, "#!/bin/sh\n").unwrap();
        let path = shown.map_or_else(|| program.display().to_string(), str::to_owned);
        let variables = [("PATH", Path::new("/usr/bin:/bin")), ("CLAUDE_PLUGIN_ROOT", &folder)];
        for shell in ["sh", "bash", "dash", "zsh"].into_iter().filter(|shell| in_path(shell)) {
            let output = call(shell, line, host.root(), &variables);
            let expected = format!(
                "Anvil: its program can't be run: {path} (type in a shell: chmod +x '{path}')"
            );
            assert_eq!(refused(&output), expected, "{shell} {name}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_hook_command_forwards_output_and_exit_code() {
    use std::os::unix::fs::PermissionsExt as _;
    let host = Host::new();
    let folder = host.outside("plug ins, it's two  blanks");
    fs_err::create_dir_all(&folder).unwrap();
    let program = folder.join("anvil");
    fs_err::write(
        &program,
        "#!/bin/sh\ncat >/dev/null\necho \"said $*\"\necho \"$0\" >&2\nexit 2\n",
    )
    .unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (shell, line) in lines_with(&folder) {
        let variables = [("PATH", Path::new("/usr/bin:/bin")), ("CLAUDE_PLUGIN_ROOT", &folder)];
        let output = call(shell, &line, host.root(), &variables);
        let said =
            if line.contains("hook background") { "said hook background\n" } else { "said hook\n" };
        assert_eq!(output.status.code(), Some(2), "{shell} {line}: {output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), said);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("{}\n", program.display()));
    }
}

/// A repository contains a program, and a variable is relative.
#[test]
#[cfg(unix)]
fn a_hook_command_runs_no_program_of_the_current_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let host = Host::new();
    let program = host.path(".claude/skills/anvil/anvil");
    fs_err::create_dir_all(program.parent().unwrap()).unwrap();
    fs_err::write(&program, "#!/bin/sh\n: >ran\n").unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (shell, line) in lines_with(Path::new("")) {
        for variable in [
            ("HOME", Path::new(".")),
            ("HOME", Path::new("")),
            ("CLAUDE_CONFIG_DIR", Path::new(".claude")),
            ("CLAUDE_PLUGIN_ROOT", Path::new(".claude/skills/anvil")),
        ] {
            let output =
                call(shell, &line, host.root(), &[("PATH", Path::new("/usr/bin:/bin")), variable]);
            assert!(
                output.status.success() && !host.path("ran").exists(),
                "{shell} {line} {variable:?}: {output:?}"
            );
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(!said.contains("chmod"), "{said}");
        }
    }
}

/// Clients are reported to do this on Windows.
#[test]
#[cfg(unix)]
fn a_hook_finds_the_default_folder_if_the_client_names_none() {
    let host = Host::new();
    host.run(&["install"]);
    let (home, config, path) =
        (host.home(), host.home().join(".claude"), Path::new("/usr/bin:/bin"));
    let line =
        hooks_of("hooks/hooks.json")["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    for variables in [
        [("HOME", home.as_path())].as_slice(),
        &[("HOME", &home), ("CLAUDE_PLUGIN_ROOT", Path::new(""))],
        &[("CLAUDE_CONFIG_DIR", &config), ("HOME", &config)],
    ] {
        let output = call("sh", &line, host.root(), &[&[("PATH", path)], variables].concat());
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && said.contains("the hook's input can't be read"),
            "{variables:?}: {said}"
        );
    }
}

#[test]
fn no_command_runs_a_shell_or_costs_tokens_in_other_sessions() {
    for name in ["debate", "status", "history", "resume", "cancel"] {
        let text =
            fs_err::read_to_string(Path::new(HERE).join(format!("commands/{name}.md"))).unwrap();
        assert!(
            !text.contains("!`")
                && !text.contains("```")
                && !text.contains("$ARGUMENTS")
                && !text.contains("allowed-tools")
        );
        for line in [
            "description: ",
            "argument-hint: ",
            "disable-model-invocation: true",
            "hook did not run",
        ] {
            assert!(text.contains(line), "{name}: {line}");
        }
        assert!(text.len() < 1_100);
    }
}

#[test]
fn the_version_is_the_same_everywhere() {
    let plugin: serde_json::Value = serde_json::from_slice(
        &fs_err::read(Path::new(HERE).join(".claude-plugin/plugin.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    #[cfg(unix)]
    assert_eq!(
        fs_err::read_link(Path::new(HERE).join("plugin.json")).unwrap(),
        Path::new(".claude-plugin/plugin.json")
    );
    let changelog = fs_err::read_to_string(Path::new(HERE).join("CHANGELOG.md")).unwrap();
    assert!(changelog.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_purge_removes_the_records_of_sessions_and_no_debate() {
    let host = Host::new();
    host.run(&["install"]);
    host.prompt("one", "/anvil:debate Why?");
    let records = host.records();
    assert!(records.join("sessions").exists());
    let printed = host.run(&["uninstall", "--purge"]);
    assert!(printed.code == 0 && printed.stdout.contains("Restart Claude Code"), "{printed:?}");
    assert!(!records.join("sessions").exists() && host.state_path().exists(), "{printed:?}");
    assert!(host.debate_folder_here().join("0001-advocate-1.md").exists(), "{printed:?}");
    host.run(&["uninstall"]);
    assert_eq!(host.run(&["uninstall", "--purge"]).code, 3, "nothing is left to remove");
}

#[test]
fn a_purge_of_debates_lists_them_and_asks() {
    let host = Host::new().debating("Why?");
    let id = host.state().debate.id;
    host.run(&["cancel", "--take-over"]);
    // Nobody can answer: the answer is no.
    let printed = host.run(&["uninstall", "--purge=debates"]);
    assert!(
        printed.stdout.contains(&id) && printed.stdout.contains("Nothing of that was removed"),
        "{printed:?}"
    );
    assert!(host.debate_folder(&id).exists());
    if std::process::Command::new("script").arg("--version").output().is_err() {
        eprintln!("without the program `script` there is no terminal to try");
        return;
    }
    let line = format!("{} uninstall --purge=debates", env!("CARGO_BIN_EXE_anvil"));
    let mut terminal = std::process::Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).current_dir(host.root());
    terminal.env_clear().env("HOME", host.home()).env("PATH", "/usr/bin:/bin");
    let mut running = terminal
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut running.stdin.take().unwrap(), b"yes\n").unwrap();
    let said = String::from_utf8(running.wait_with_output().unwrap().stdout).unwrap();
    assert!(said.contains("Removed: 1 debate."), "{said}");
    assert!(!host.debate_folder(&id).exists());
}

#[test]
fn a_purge_of_all_removes_what_anvil_wrote_for_its_user_and_names_what_stays() {
    let host = Host::new().debating("Why?");
    host.run(&["install", "--link"]);
    let (records, config) = (host.records(), host.home().join(".claude"));
    let page = host.home().join("snap/firefox/common/anvil-report.html");
    fs_err::create_dir_all(page.parent().unwrap()).unwrap();
    fs_err::write(&page, "a page").unwrap();
    fs_err::write(config.join("anvil.local.md"), "---\nrounds: 2\n---\n").unwrap();
    let plugin = config.join("skills/anvil");
    // Nobody can answer: the answer is no.
    let asked = host.run(&["uninstall", "--purge=all"]);
    assert!(asked.code == 0 && asked.stdout.contains("--purge=all --yes"), "{asked:?}");
    for named in [&records, &plugin, &page] {
        assert!(named.exists() && asked.stdout.contains(&*named.to_string_lossy()), "{asked:?}");
    }
    assert!(asked.stdout.contains(&host.state().debate.id), "{asked:?}");
    let removed = host.run(&["uninstall", "--purge=all", "--yes"]);
    assert_eq!((removed.code, removed.stderr.as_str()), (0, ""), "{removed:?}");
    let elsewhere = "Files that you wrote elsewhere with --output stay";
    for stays in [&*host.state_path().to_string_lossy(), "~/.claude/anvil.local.md", elsewhere] {
        assert!(removed.stdout.contains(stays), "{removed:?}");
    }
    assert!(host.state_path().exists());
    let left: Vec<_> =
        testkit::host::files(&host.home()).into_iter().map(|(file, _)| file).collect();
    assert_eq!(left, [config.join("anvil.local.md")], "{removed:?}");
    assert_eq!(host.run(&["uninstall", "--purge=all", "--yes"]).code, 3);
}

#[test]
fn an_installation_by_the_installed_program_shows_its_path() {
    let host = Host::new();
    host.run(&["install"]);
    let installed = host.home().join(".claude/skills/anvil/anvil");
    let mut again = std::process::Command::new(&installed);
    again.arg("install").current_dir(host.root()).env_clear().env("HOME", host.home());
    let output = again.env("PATH", "/usr/bin:/bin").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let line = format!("In a shell it is {}", installed.display());
    assert!(output.status.success() && said.contains(&line) && !said.contains("deleted"), "{said}");
}

#[cfg(unix)]
#[test]
fn where_a_shell_finds_no_anvil_or_another_one_commands_begin_with_the_path_of_this_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let other = |name: &str, text: &str| {
        let host = Host::new();
        let file = host.outside("bin").join(name);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("PATH={}:/usr/bin:/bin", host.outside("bin").display());
        host.through(&["/usr/bin/env", &path])
    };
    let own = env!("CARGO_BIN_EXE_anvil");
    for host in [other("anvil", "echo foundry"), other("none", "")] {
        let printed = host.run(&["status"]);
        assert!(printed.stderr.contains(&format!("`{own} ")), "{printed:?}");
        let without = ["history", "claims", "history --due", "outcome 1"];
        let with =
            ["start Why?", "tasks", "attempts", "undo", "status", "report", "cancel", "report 1"];
        let any =
            ["agents", "list nothing", "doctor", "prune", "nothing", "run --resume", "undo 9"];
        for words in [&without[..], &any, &with, &any].concat() {
            let printed = host.run(&words.split(' ').collect::<Vec<_>>());
            assert!(!(printed.stdout + &printed.stderr).contains("`anvil "), "{words}");
        }
        let demo = host.run(&["demo", "--keep"]).stdout;
        assert!(demo.contains(&format!("$ {own} run ")), "{demo}");
        assert!(demo.contains(&format!("\n  {own} claims ")), "{demo}");
        assert!(!demo.contains(" anvil report"), "{demo}");
        assert!(host.run(&["doctor"]).stdout.contains(&format!("{own} install")));
        let installed = host.run(&["install"]).stdout;
        assert!(installed.contains(&format!("`{own} install --link`")), "{installed}");
    }
    assert!(Host::new().run(&["status"]).stderr.contains("`anvil "));
    assert!(!Host::new().run(&["install"]).stdout.contains("--link"));
}
