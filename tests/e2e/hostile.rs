//! A plain clone of a hostile repository: a question in it runs none of its programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::model::Manner;
use crate::process::Running;
use crate::world::World;

fn git(home: &Path, folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    // The preparation of the repository must not fire the canary.
    command.args([
        "-c",
        "core.fsmonitor=false",
        "-c",
        "filter.x.clean=",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
    ]);
    command.args(args).env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
    Running::start(command).wait().ok();
}

/// In `app/` of the cloned project: a bare repository whose settings name the canary, with a change
/// for it to see, and defaults that request the changes.
fn clone_into(world: &World, canary: &Path) {
    let (home, source) = (world.home(), world.home().join("source"));
    let app = source.join("app");
    fs::create_dir_all(&app).expect("a fresh folder");
    git(&home, &source, &["init", "-q", "-b", "main"]);
    git(&home, &source, &["init", "-q", "-b", "main", "--bare", "app"]);
    let canary = canary.to_str().expect("a UTF-8 path");
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {canary}\n\
         [filter \"x\"]\n\tclean = {canary}\n[diff]\n\texternal = {canary}\n"
    );
    fs::write(app.join("config"), config).expect("a fresh file");
    fs::write(app.join("a.rs"), "one\n").expect("a fresh file");
    for args in [["add", "a.rs"].as_slice(), &["commit", "-qm", "x"]] {
        git(&home, &app, &[&["--git-dir=.", "--work-tree=."], args].concat());
    }
    fs::write(app.join("a.rs"), "two\n").expect("a fresh file");
    fs::write(app.join(".gitattributes"), "* filter=x\n").expect("a fresh file");
    for folder in [&app, &source] {
        fs::create_dir(folder.join(".claude")).expect("a fresh folder");
        fs::write(folder.join(".claude/anvil.local.md"), "---\nrounds: 1\ndiff: true\n---\n")
            .expect("a fresh file");
    }
    for args in [["add", "-f", "-A"].as_slice(), &["commit", "-qm", "x"]] {
        git(&home, &source, args);
    }
    git(
        &home,
        &home,
        &[
            "clone",
            "-q",
            source.to_str().expect("a UTF-8 path"),
            world.project().to_str().expect("UTF-8"),
        ],
    );
}

#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_question_in_a_hostile_clone_runs_none_of_its_code() {
    let world = World::new(Manner::default());
    let (canary, mark) = (world.home().join("canary"), world.home().join("mark"));
    fs::write(&canary, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexec cat\n", mark.display()))
        .expect("a fresh file");
    fs::set_permissions(&canary, fs::Permissions::from_mode(0o755)).expect("an own file");
    clone_into(&world, &canary);
    let app = world.project().join("app");
    let fired = || fs::read_to_string(&mark).unwrap_or_default();
    let answer = |prompt: &str| {
        let answer = world.client().working_in(&app).prompt(prompt).run().ok().stdout;
        assert_eq!(fired(), "", "{prompt}: {answer}");
        answer
    };
    let refused = answer("/anvil:debate Should we?");
    assert!(refused.contains("line 3: a project can't set diff"), "{refused}");
    for folder in [&app, &world.project()] {
        fs::remove_file(folder.join(".claude/anvil.local.md")).expect("the defaults");
    }
    let refused = answer("/anvil:debate Should we? --diff");
    assert!(refused.contains("cannot use bare repository"), "{refused}");
    answer("/anvil:debate Should we? --rounds 1");
    // As it is, git runs it for every other caller.
    let mut plain = Command::new("git");
    plain.arg("diff").env("HOME", world.home()).current_dir(&app);
    Running::start(plain).wait();
    assert_ne!(fired(), "", "the canary is one");
}

/// Links inside a project lead to no file of the user.
#[test]
#[ignore = "runs the real Claude Code client; .ci/run installs it"]
fn a_question_in_a_project_of_links_reads_no_user_files() {
    for link in [".claude/anvil.local.md", ".claude/anvil/modes/analyst.md", "p[1].md"] {
        let world = World::new(Manner::default());
        let (project, secret) = (world.project(), world.home().join("plan.md"));
        fs::write(&secret, "canary-of-the-user\n").expect("the fake HOME is writable");
        let link = project.join(link);
        fs::create_dir_all(link.parent().expect("a folder")).expect("a fresh folder");
        fs::create_dir_all(project.join(".claude")).expect("a fresh folder");
        std::os::unix::fs::symlink(&secret, &link).expect("a fresh name");
        let defaults = project.join(".claude/anvil.local.md");
        if !defaults.is_symlink() {
            fs::write(defaults, "---\ncontext: \"p[1].md\"\n---\n").expect("a fresh file");
        }
        world.client().prompt("/anvil:debate Should we? --rounds 1").run().ok();
        let state = fs::read_to_string(world.state_path()).unwrap_or_default();
        assert!(!state.contains("canary-of-the-user"), "{}: {state}", link.display());
    }
    // Material that the user names is read.
    let world = World::new(Manner::default());
    fs::write(world.home().join("plan.md"), "canary-of-the-user\n")
        .expect("the fake HOME is writable");
    world.client().prompt("/anvil:debate Should we? --rounds 1 --context ~/plan.md").run().ok();
    let state = fs::read_to_string(world.state_path()).expect("a debate");
    assert!(state.contains("canary-of-the-user"), "{state}");
}
