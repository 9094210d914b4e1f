//! `--dir DIR`: the debate lies in DIR instead of `.claude`, a folder that only the user may write
//! to. The project stays the working folder.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use testkit::host::{Host, files};

const STATE: &str = "anvil-state.local.md";

fn allow(folder: &Path, mode: u32) {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The output of a successful command line, with a folder of `--dir`.
fn out(host: &Host, arguments: &[&str], dir: &str) -> String {
    let printed = host.run(&[arguments, &["--dir", dir]].concat());
    assert_eq!(printed.code, 0, "{arguments:?}: {printed:?}");
    printed.stdout
}

#[test]
fn a_debate_with_dir_lies_there_and_nowhere_else() {
    let host = Host::new();
    fs_err::write(host.path("costs.md"), "It costs less.\n").unwrap();
    fs_err::create_dir(host.path("sub")).unwrap();
    let before = host.files();
    let words = ["start", "Why?", "--context", "costs.md", "--dir", "../../a/b"];
    let begun = host.run_at(&words, &host.path("sub"));
    assert_ne!(begun.code, 0, "the material is that of the working folder: {begun:?}");
    let begun = out(&host, &["start", "Why?", "--context", "costs.md"], "../a/b");
    let dir = host.outside("a/b");
    assert!(begun.contains(dir.join(STATE).to_str().unwrap()), "{begun}");
    assert!(
        begun.contains("--dir ../a/b run --resume` or") && !begun.contains("/anvil:"),
        "{begun}"
    );
    let text = fs_err::read_to_string(dir.join(STATE)).unwrap();
    assert!(text.contains("It costs less."), "{text}");
    for folder in [host.outside("a"), dir.clone(), host.records()] {
        let mode = fs_err::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }

    // One name for one folder, from wherever in the project.
    let named = |dir: &str, at: &str| host.run_at(&["status", "--dir", dir], &host.path(at));
    for (dir, at) in [("../a/b", ""), (dir.to_str().unwrap(), "sub"), ("../../a/../a/b/", "sub")] {
        let status = named(dir, at);
        assert!(status.stdout.contains("Why?"), "{status:?}");
    }
    assert_eq!(host.run(&["status"]).code, 3, "the project has no debate");
    for verb in ["steer", "again"] {
        let late = host.run(&[verb, "look", "at", "--dir", "../a/b"]);
        assert!(late.code == 2 && late.stderr.contains("--dir is inside the text"), "{late:?}");
    }
    let steered = host.run(&["steer", "--dir", "../a/b", "look at the costs"]);
    assert_eq!(steered.code, 0, "{steered:?}");
    out(&host, &["tasks"], "../a/b");
    let kept = out(&host, &["cancel"], "../a/b");
    assert!(kept.contains("/a/b/anvil-state.local.md;"), "{kept}");
    assert!(out(&host, &["history"], "../a/b").contains("Why?"));
    out(&host, &["undo", "--to", "1"], "../a/b");
    let status = out(&host, &["status"], "../a/b");
    assert!(status.contains("Why?") && !status.contains("/anvil:"), "{status}");
    assert_eq!(host.files(), before, "something was written into the project");

    // Inside of the project its path is shown relative, and it is no material.
    out(&host, &["start", "And here?", "--context", "."], "ci/one");
    out(&host, &["start", "And there?", "--context", "."], "ci/two");
    let text = fs_err::read_to_string(host.path("ci/two").join(STATE)).unwrap();
    assert!(text.contains("(1 file)") && text.contains("costs.md"), "{text}");
    let kept = out(&host, &["cancel"], "ci/one");
    assert!(kept.contains("stays in ci/one/anvil-state.local.md;"), "{kept}");
}

#[test]
fn a_folder_that_is_missing_is_made_only_for_a_debate_that_begins() {
    let host = Host::new();
    let (new, dir) = (host.outside("new"), "../new");
    for line in [&["status"][..], &["cancel"], &["run", "--resume"], &["claim"], &["tasks"]] {
        let printed = host.run(&[line, &["--dir", dir]].concat());
        assert_eq!(printed.code, 3, "{line:?}: {printed:?}");
    }
    out(&host, &["run", "Why?", "--agent", "cmd:true", "--dry-run"], dir);
    assert!(!new.exists());
    out(&host, &["start", "Why?"], dir);
    assert!(new.join(STATE).is_file());
}

#[test]
fn a_folder_to_which_others_may_write_is_refused() {
    let host = Host::new();
    let base = host.outside("");
    let folder = |name: &str, mode| {
        fs_err::create_dir(base.join(name)).unwrap();
        allow(&base.join(name), mode);
    };
    folder("group", 0o770);
    folder("all", 0o1777);
    folder("own", 0o755);
    symlink("own", base.join("link")).unwrap();
    fs_err::write(base.join("file"), "").unwrap();
    let mut refused = vec![
        ("group", "can be written by others"),
        ("all", "can be written by others"),
        ("link", "is a link"),
        ("link/", "is a link"),
        ("link/.", "is a link"),
        ("file", "is a link or a file"),
    ];
    folder("other", 0o700);
    // Only root may give a folder away.
    if chown(base.join("other"), Some(65_534), None).is_ok() {
        refused.push(("other", "belongs to somebody else"));
    }
    let before = files(&base);
    for (name, why) in refused {
        for line in [&["start", "Why?"][..], &["status"], &["run", "--resume"], &["doctor"]] {
            let dir = format!("--dir={}", base.join(name).display());
            let printed = host.run(&[line, &[&*dir]].concat());
            assert_eq!((printed.code, &*printed.stdout), (1, ""), "{line:?} {name}: {printed:?}");
            let said: Vec<&str> = printed.stderr.lines().collect();
            let [error, hint] = said[..] else { panic!("{name}: {printed:?}") };
            assert!(error.contains(why) && hint.starts_with("hint: "), "{name}: {printed:?}");
        }
    }
    assert_eq!(files(&base), before, "something was written");
    out(&host, &["start", "Why?"], base.join("own").to_str().unwrap());
}

#[test]
fn commands_about_no_debate_refuse_the_folder() {
    let host = Host::new();
    for line in [
        &["demo"][..],
        &["install"],
        &["uninstall"],
        &["agents"],
        &["list"],
        &["config"],
        &["completions", "bash"],
        &["statusline"],
        &["hook"],
    ] {
        for printed in [
            host.run(&[line, &["--dir", "../new"]].concat()),
            host.run(&[&["--dir", "../new"], line].concat()),
        ] {
            assert_eq!((printed.code, &*printed.stdout), (2, ""), "{line:?}: {printed:?}");
            assert!(printed.stderr.contains("--dir does not apply"), "{line:?}: {printed:?}");
        }
    }
    assert!(!host.outside("new").exists());
}

#[test]
fn only_the_users_own_line_chooses_the_folder() {
    let host = Host::new().with("ANVIL_DIR", "/nowhere").with("DIR", "/nowhere");
    let new = host.outside("new");
    let typed = host.prompt("one", "/anvil:debate Why? --dir ../new");
    assert!(typed.reason().contains("unknown option --dir"), "{typed:?}");
    fs_err::create_dir(host.path(".claude")).unwrap();
    fs_err::write(host.path(".claude/anvil.local.md"), "---\ndir: ../new\n---\n").unwrap();
    let started = host.run(&["start", "Why?"]);
    assert!(started.code != 0 && started.stderr.contains("dir"), "{started:?}");
    // The project's defaults hold there, too; those in the folder are nothing.
    fs_err::write(host.path(".claude/anvil.local.md"), "---\nrounds: 2\n---\n").unwrap();
    out(&host, &["start", "Why?"], "../new");
    fs_err::write(new.join("anvil.local.md"), "---\nrounds: 7\n---\n").unwrap();
    let text = fs_err::read_to_string(new.join(STATE)).unwrap();
    assert!(text.contains("max_rounds: 2"), "{text}");
    out(&host, &["start", "Again?", "--replace"], "../new");
    let text = fs_err::read_to_string(new.join(STATE)).unwrap();
    assert!(text.contains("max_rounds: 2") && text.contains("Again?"), "{text}");
    // A session of the project does not see it.
    assert!(host.session_start("one", "startup").is_silent());
    let resumed = host.prompt("one", "/anvil:resume");
    assert!(resumed.reason().contains("no debate here"), "{resumed:?}");
    assert!(!host.state_path().exists());
}

#[test]
fn debates_that_begin_at_the_same_time_have_their_own_ids() {
    let host = Host::new();
    let now = host.clock.get();
    let id = |dir: &str| {
        host.clock.set(now);
        out(&host, &["start", "Why?"], dir);
        let text = fs_err::read_to_string(host.path(dir).join(STATE)).unwrap();
        text.lines().find(|line| line.starts_with("id: ")).unwrap().to_owned()
    };
    assert_ne!(id("../one"), id("../two"));
}
