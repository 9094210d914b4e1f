//! One home: a debate belongs to its checkout, or to the folder where it began, and is found from
//! every subfolder.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use testkit::host::{Answer, Host};

/// A host whose project is a checkout with a folder `src/deep`.
fn checkout() -> (Host, PathBuf) {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".git")).unwrap();
    let deep = folder(host.path("src/deep"));
    (host, deep)
}

fn folder(path: PathBuf) -> PathBuf {
    fs_err::create_dir_all(&path).unwrap();
    path
}

fn state_in(folder: &Path) -> PathBuf {
    folder.join(".claude/anvil-state.local.md")
}

fn prompt_at(host: &Host, session: &str, line: &str, at: &Path, project: Option<&Path>) -> Answer {
    host.event_at(session, "UserPromptSubmit", &json!({ "prompt": line }), at, project)
}

/// Every path in a text exists, seen from `at`.
fn paths_exist(host: &Host, text: &str, at: &Path) {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';']));
    let paths: Vec<&str> = words
        .filter(|word| word.contains("anvil-state.") || word.contains("anvil.local/"))
        .collect();
    assert!(!paths.is_empty(), "no path in: {text}");
    for path in paths {
        let found =
            path.strip_prefix("~/").map_or_else(|| at.join(path), |path| host.home().join(path));
        assert!(found.exists(), "{path} does not exist in {}: {text}", at.display());
    }
}

#[test]
fn a_debate_of_a_checkout_is_found_from_every_folder() {
    for names_project in [true, false] {
        let (host, deep) = checkout();
        let other = folder(host.path("docs/more"));
        let project = names_project.then_some(deep.as_path());
        assert!(
            !prompt_at(&host, "one", "/anvil:debate Why? --rounds 1", &deep, project)
                .context()
                .is_empty()
        );
        assert!(host.state_path().exists() && !host.path("src/deep/.claude").exists());
        let reply = |text: &str| json!({ "last_assistant_message": text });
        assert!(
            host.event_at("one", "Stop", &reply("A1."), &deep, project)
                .context()
                .starts_with("── Critic")
        );
        for at in [host.root(), &deep, &host.path("src"), &other] {
            for verb in [&["status"][..], &["history"], &["undo", "--list"], &["report"]] {
                let printed = host.run_at(verb, at);
                assert_eq!(printed.code, 0, "{verb:?} in {}: {printed:?}", at.display());
            }
            assert!(
                prompt_at(&host, "two", "/anvil:status", at, Some(at)).reason().contains("Why?")
            );
        }
        // A session elsewhere in the checkout continues it, and no other session touches it.
        let before = host.files();
        assert!(host.event_at("three", "Stop", &reply("Chat."), &deep, project).is_silent());
        assert_eq!(host.files(), before);
        host.event_at("one", "SessionEnd", &json!({ "reason": "other" }), &deep, project);
        assert!(
            prompt_at(&host, "two", "/anvil:resume", &other, Some(&other))
                .context()
                .contains("── Critic · round 1")
        );
        assert!(
            host.event_at("two", "Stop", &reply("C1."), &other, Some(&other))
                .context()
                .starts_with("── Synthesis ──")
        );
        let synthesis = reply(&host.synthesis("recommendation: Yes."));
        let end = host.event_at("two", "Stop", &synthesis, &other, Some(&other));
        assert!(end.message().contains("Page: "), "{end:?}");
        paths_exist(&host, end.message(), &other);
    }
}

#[test]
fn a_shell_and_a_session_start_in_the_same_place() {
    let (host, deep) = checkout();
    assert_eq!(host.run_at(&["start", "Why?"], &deep).code, 0);
    assert!(host.state_path().exists() && !deep.join(".claude").exists());
    let refused = prompt_at(&host, "one", "/anvil:debate Another?", &deep, Some(&deep));
    assert!(refused.reason().contains("another debate is unfinished"), "{refused:?}");
}

#[test]
fn printed_paths_exist_from_the_current_folder() {
    let (host, deep) = checkout();
    let host = host.debating("Why? --rounds 1");
    host.stop("one", "A1.");
    for at in [host.root(), &deep, &folder(host.path(".claude"))] {
        paths_exist(&host, &host.run_at(&["status"], at).stdout, at);
        paths_exist(
            &host,
            prompt_at(&host, "one", "/anvil:status", at, Some(host.root())).reason(),
            at,
        );
        let undone = prompt_at(&host, "one", "/anvil:undo", at, Some(host.root()));
        paths_exist(&host, undone.reason(), at);
        prompt_at(&host, "one", "/anvil:undo --redo", at, Some(host.root()));
    }
    // Every undo was redone.
    assert_eq!(host.sections().len(), 1);
    fs_err::write(host.path(".claude/anvil.local.md"), "---\nrounds: 2\n---\nBe brief.").unwrap();
    let config = host.run_at(&["config"], &deep);
    let named =
        config.stdout.split_whitespace().find(|word| word.contains("anvil.local.md:")).unwrap();
    assert!(deep.join(named.split(":2").next().unwrap()).exists(), "{config:?}");
    paths_exist(&host, &host.run_at(&["cancel"], &deep).stdout, &deep);
    host.run_at(&["start", "Another?"], &deep);
    paths_exist(&host, &host.run_at(&["prune", "--keep", "0"], &deep).stdout, &deep);
}

#[test]
fn outside_a_checkout_a_debate_is_found_from_its_subfolders() {
    let host = Host::new();
    for notes in [host.home().join("notes"), host.outside("work/notes")] {
        let below = folder(notes.join("today/later"));
        prompt_at(&host, "one", "/anvil:debate Why?", &notes, Some(&notes));
        assert!(state_in(&notes).exists());
        for at in [&notes, &below] {
            assert_eq!(host.run_at(&["status"], at).code, 0, "{}", at.display());
        }
        assert_eq!(host.run_at(&["status"], notes.parent().unwrap()).code, 3);
        // Also if only its records are left.
        assert_eq!(host.run_at(&["cancel"], &below).code, 0);
        assert!(host.run_at(&["history"], &below).stdout.contains("Why?"));
        assert_eq!(host.run_at(&["history"], notes.parent().unwrap()).code, 3);
    }
}

#[cfg(unix)]
#[test]
fn a_state_file_in_a_shared_folder_or_of_another_user_is_ignored() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let host = Host::new();
    let shared = host.outside("shared");
    let mine = folder(shared.join("mine"));
    assert_eq!(host.run_at(&["start", "Theirs?"], &shared).code, 0);
    assert_eq!(host.run_at(&["status"], &mine).code, 0);
    fs_err::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(host.run_at(&["status"], &mine).code, 3);
    fs_err::create_dir_all(shared.join(".git")).unwrap();
    assert_eq!(host.run_at(&["status"], &mine).code, 3);
    assert_eq!(host.run_at(&["start", "Mine?"], &mine).code, 0);
    assert!(state_in(&mine).exists());
    // Only root can change an owner.
    let theirs = host.outside("theirs");
    let below = folder(theirs.join("below"));
    assert_eq!(host.run_at(&["start", "Theirs?"], &theirs).code, 0);
    let give = |path: &Path, user: u32| chown(path, Some(user), Some(user)).is_ok();
    let of_anvil = [theirs.join(".claude"), theirs.join(".claude/anvil.local"), state_in(&theirs)];
    if of_anvil.iter().all(|path| give(path, 65_534)) {
        assert_eq!(host.run_at(&["status"], &below).code, 3);
        assert!(of_anvil.iter().all(|path| give(path, 0)));
        assert_eq!(host.run_at(&["status"], &below).code, 0);
        assert!(give(&theirs, 65_534));
        assert_eq!(host.run_at(&["status"], &below).code, 3);
    }
}

#[test]
fn a_home_checkout_does_not_own_the_projects_in_it() {
    let host = Host::new();
    fs_err::create_dir_all(host.home().join(".git")).unwrap();
    let work = folder(host.home().join("work"));
    assert_eq!(host.run_at(&["start", "Why?"], &work).code, 0);
    assert!(state_in(&work).exists() && !state_in(&host.home()).exists());
    assert_eq!(host.run_at(&["status"], &folder(work.join("below"))).code, 0);
    assert_eq!(host.run_at(&["status"], &host.home()).code, 3);
    // The home itself can also have a debate.
    assert_eq!(host.run_at(&["start", "Dotfiles?"], &host.home()).code, 0);
    assert!(host.run_at(&["status"], &work).stdout.contains("Why?"));
}

#[test]
fn nested_repositories_and_submodules_have_their_own_debates() {
    let (host, _) = checkout();
    let inner = folder(host.path("vendor/inner/src"));
    fs_err::create_dir_all(host.path("vendor/inner/.git")).unwrap();
    let module = folder(host.path("module/src"));
    fs_err::write(host.path("module/.git"), "gitdir: ../.git/modules/module\n").unwrap();
    assert_eq!(host.run(&["start", "Outer?"]).code, 0);
    for (at, question) in [(&inner, "Inner?"), (&module, "Module?")] {
        assert_eq!(host.run_at(&["status"], at).code, 3);
        assert_eq!(host.run_at(&["start", question], at).code, 0);
        assert!(state_in(at.parent().unwrap()).exists());
        assert!(host.run_at(&["status"], at).stdout.contains(question));
    }
    assert!(host.run(&["status"]).stdout.contains("Outer?"));
}

#[test]
fn a_debate_of_an_earlier_version_in_a_subfolder_is_still_found_there() {
    let (host, deep) = checkout();
    assert_eq!(host.run(&["start", "Deep?"]).code, 0);
    fs_err::create_dir_all(deep.join(".claude")).unwrap();
    fs_err::rename(host.state_path(), state_in(&deep)).unwrap();
    let below = folder(deep.join("below"));
    assert!(host.run_at(&["status"], &below).stdout.contains("Deep?"));
    assert_eq!(host.run(&["status"]).code, 3);
    assert!(
        prompt_at(&host, "one", "/anvil:resume", &below, Some(&below))
            .context()
            .contains("── Advocate · round 1")
    );
    assert_eq!(host.run_at(&["cancel"], &below).code, 0);
    assert!(host.run_at(&["history"], &below).stdout.contains("Deep?"));
    // The next debate takes the place of the cancelled one.
    assert_eq!(host.run_at(&["start", "Next?"], &below).code, 0);
    assert!(host.run_at(&["status"], &below).stdout.contains("Next?"));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_of_a_checkout_leads_to_the_same_debate() {
    let (host, deep) = checkout();
    let link = host.outside("link");
    std::os::unix::fs::symlink(&deep, &link).unwrap();
    assert!(
        !prompt_at(&host, "one", "/anvil:debate Why?", &link, Some(&link)).context().is_empty()
    );
    assert!(host.state_path().exists() && !state_in(&deep).exists());
    assert!(host.run_at(&["status"], &deep).stdout.contains("Why?"));
}

#[test]
fn an_unrecorded_session_finds_its_debate_in_the_checkout() {
    let (host, deep) = checkout();
    let host = host.with("HOME", "");
    let command = |name: &str, fields: &serde_json::Value| {
        let mut command = host.command(&["hook"], &deep);
        command.env_remove("HOME").env("CLAUDE_PROJECT_DIR", &deep);
        testkit::host::hook(command, &testkit::host::event("one", name, fields, &deep))
    };
    assert!(
        !command("UserPromptSubmit", &json!({ "prompt": "/anvil:debate Why?" }))
            .context()
            .is_empty()
    );
    let answer = command("Stop", &json!({ "last_assistant_message": "A1." }));
    assert!(answer.context().starts_with("── Critic"), "{answer:?}");
}

#[test]
fn a_relative_home_is_refused_and_nothing_is_written_there() {
    for name in ["HOME", "CLAUDE_CONFIG_DIR"] {
        let (host, _) = checkout();
        let host = host.with(name, "somewhere/mine");
        for arguments in [&["start", "Why?"][..], &["status"], &["install"], &["doctor"]] {
            let printed = host.run(arguments);
            assert_eq!(printed.code, 2, "{arguments:?}: {printed:?}");
            assert!(
                printed.stderr.contains(&format!("{name} is not an absolute path: somewhere/mine")),
                "{printed:?}"
            );
        }
        assert!(host.prompt("one", "hello").is_silent());
        assert!(host.stop("one", "Hello.").is_silent());
        assert!(host.session_start("one", "startup").is_silent());
        let refused = host.prompt("one", "/anvil:debate Why?");
        assert!(
            refused.reason().contains(&format!("{name} is not an absolute path")),
            "{refused:?}"
        );
        assert!(host.files().is_empty(), "{:?}", host.files());
    }
}

#[cfg(unix)]
#[test]
fn a_missing_folder_is_named_as_the_reason() {
    let host = Host::new().through(&[
        "/bin/sh",
        "-c",
        "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" \"$@\"",
    ]);
    let reason = "the folder that this runs in is gone, or can't be reached";
    for arguments in [
        &["start", "Why?"][..],
        &["status"],
        &["run", "Why?"],
        &["install", "--to", "x"],
        &["doctor"],
    ] {
        let printed = host.run(arguments);
        assert!(
            printed.code == 1 && printed.stderr.contains(reason) && printed.stderr.contains("cd "),
            "{printed:?}"
        );
    }
    let gone = host.path("gone");
    let send = |line: &str, at: &Path| {
        let event = testkit::host::event("one", "UserPromptSubmit", &json!({ "prompt": line }), at);
        host.hook_raw(&event, host.root(), None)
    };
    assert!(send("hello", &gone).is_silent());
    let refused = send("/anvil:debate Why?", &gone);
    assert!(refused.reason().contains(reason), "{refused:?}");
    assert!(host.files().is_empty(), "{:?}", host.files());
    // The event names an existing folder.
    assert!(!send("/anvil:debate Why?", host.root()).context().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_non_utf8_folder_works_without_the_clients_path() {
    use std::os::unix::ffi::OsStrExt as _;
    let host = Host::in_project(std::ffi::OsStr::from_bytes(b"caf\xE9"));
    // A folder with the name that the client reports is not confused with it either.
    folder(host.outside("caf\u{FFFD}"));
    for said in [
        host.root().to_string_lossy().into_owned(),
        "/nowhere/at/all".to_owned(),
        "relative".to_owned(),
    ] {
        let at = Path::new(&said);
        let send = |name: &str, fields: &serde_json::Value| {
            host.hook_raw(&testkit::host::event("one", name, fields, at), host.root(), None)
        };
        let started =
            send("UserPromptSubmit", &json!({ "prompt": "/anvil:debate Why? --replace" }));
        assert!(!started.context().is_empty(), "{said}: {started:?}");
        assert!(host.state_path().exists(), "{said}");
        assert!(
            send("Stop", &json!({ "last_assistant_message": "A1." }))
                .context()
                .starts_with("── Critic"),
            "{said}"
        );
        host.run(&["cancel"]);
    }
}

/// What else lies below `.claude` may be anybody's.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_opens_the_state_file_and_its_lock_alone_in_a_project() {
    crate::strace::can_trace();
    let host = Host::new().debating("/anvil:debate Should we?");
    let reply = json!({ "last_assistant_message": "A1. One.", "stop_hook_active": true });
    let trace =
        crate::strace::of_event(&host, &testkit::host::event("one", "Stop", &reply, host.root()));
    assert_eq!(host.head("phase"), "critic");
    let project = format!("\"{}/", host.root().display());
    let opened = trace.lines().filter(|line| line.starts_with("open"));
    let names: BTreeSet<&str> = opened
        .filter_map(|line| line.split_once(&project)?.1.split('"').next())
        .filter(|path| !path.contains("/.anvil-tmp") && *path != ".claude")
        .collect();
    let own = [".claude/anvil-state.local.md", ".claude/anvil-state.lock.local.md"];
    assert!(names.contains(own[0]) && names.iter().all(|name| own.contains(name)), "{trace}");
}
