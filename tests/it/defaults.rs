//! Defaults: typed options override the project's, the project's override the user's, and the
//! user's override the built-in ones.

use anvil_core::options::{Layer as _, UserOptions};
use testkit::host::Host;

fn write(host: &Host, project: &str, user: &str) {
    for (path, text) in [(host.path(".claude"), project), (host.home().join(".claude"), user)] {
        fs_err::create_dir_all(&path).unwrap();
        let _ = fs_err::remove_file(path.join("anvil.local.md"));
        if !text.is_empty() {
            fs_err::write(path.join("anvil.local.md"), text).unwrap();
        }
    }
}

#[test]
fn the_nearest_setting_counts() {
    let host = Host::new();
    let user = "---\nrounds: 5\nfocus: security\ninteractive: true\n---\nWrite British English.\n";
    let project =
        "---\nrounds: 2\n# a comment\npersona: [sre-on-call, end-user]\n---\n\nNo jargon.\n";
    write(&host, project, user);
    let told = host.prompt("one", "/anvil:debate Should we? --interactive=no");
    assert_eq!((host.head("max_rounds"), host.head("focus")), ("2".into(), "\"security\"".into()));
    assert_eq!(host.head("personas"), r#"["sre-on-call", "end-user"]"#);
    assert!(!host.state_text().contains("interactive:"), "what is typed counts");
    assert!(told.context().contains("> Write British English.\n>\n> No jargon."), "{told:?}");
    // The choice of speakers is one setting: a typed choice replaces all of it.
    host.prompt("one", "/anvil:debate Should we? --stakeholders \"a, b\" --replace");
    assert_eq!(host.head("mode"), "stakeholders");

    let config = host.run(&["config"]).stdout;
    let line = |name: &str| {
        let found = config.lines().find(|line| line.trim_start().starts_with(name));
        found
            .unwrap_or_else(|| panic!("{name}: {config}"))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("rounds "), "rounds 2 .claude/anvil.local.md:2");
    assert!(
        line("focus ").starts_with("focus security ~/")
            && line("focus ").ends_with(".claude/anvil.local.md:3")
    );
    assert_eq!(line("persona "), "persona sre-on-call, end-user .claude/anvil.local.md:4");
    assert_eq!(line("mode "), "mode analyst built in");
    assert!(config.contains("No jargon.") && config.contains("British English"), "{config}");
    for name in UserOptions::names() {
        assert!(config.contains(&format!("  {name} ")), "{name}: {config}");
    }
}

#[test]
fn a_value_that_a_start_refuses_names_its_file_and_line() {
    let host = Host::new();
    for (project, user, said) in [
        ("---\nfocus: cost\nreview: 2020-01-01\n---\n", "", "line 3: --review takes a day after"),
        ("---\ncontext: nosuch\n---\n", "", "line 2: --context: there is no nosuch"),
        ("---\ncontext: [a.md, nosuch]\n---\n", "", "line 2: --context: there is no nosuch"),
        ("", "---\nfocus: cost\ndiff: nosuch\n---\n", "line 3: --diff: "),
        ("---\nfollow-up: empty.bin\n---\n", "", "line 2: "),
    ] {
        fs_err::write(host.path("a.md"), "We have 31 workers.\n").unwrap();
        fs_err::write(host.path("empty.bin"), [0, 159, 146]).unwrap();
        write(&host, project, user);
        let answer = host.prompt("one", "/anvil:debate Should we?");
        let ended = answer.reason();
        assert!(
            ended.contains("anvil.local.md") && ended.contains(said),
            "{project}{user}: {answer:?}"
        );
        assert!(!host.state_path().exists(), "{project}{user}");
    }
    write(&host, "---\nreview: 2020-01-01\n---\n", "");
    let typed = host.prompt("one", "/anvil:debate Should we? --review 2020-01-02");
    assert!(!typed.reason().contains("anvil.local.md"), "{typed:?}");
}

#[test]
fn a_bad_value_names_its_file_and_line_and_prevents_the_start() {
    let host = Host::new();
    for (text, said) in [
        (
            "---\nfocus: x\nrounds: 99\n---\n",
            "anvil.local.md, line 3: --rounds takes a whole number from 1 to 10",
        ),
        (
            "---\nroundz: 3\n---\n",
            "anvil.local.md, line 2: there is no option roundz. Did you mean rounds?",
        ),
        ("---\ninteractive: never\n---\n", "line 2: --interactive takes yes or no"),
        ("---\nrounds: [1, 2]\n---\n", "line 2: --rounds was given"),
        ("---\nrounds: 3\n", "is not closed by a line ---"),
        ("---\nrounds: 3\nrounds: 4\n---\n", "the key \"rounds\" was given more than once"),
        ("---\nmode: nothing-like-it\n---\n", "line 2: there is no mode named"),
        ("---\nrounds: 3\npersona: 3\n---\n", "line 3: there is no persona named"),
        ("---\nframework: adrr\n---\n", "line 2: there is no framework named"),
        ("---\nfocus: securty\n---\n", "line 2: there is no focus securty"),
        ("---\nreplace: true\n---\n", "line 2: a project can't set replace"),
        ("---\nrounds: {a: 1}\n---\n", "anvil.local.md can't be read"),
    ] {
        write(&host, text, "");
        let answer = host.prompt("one", "/anvil:debate Should we?");
        let ended = answer.reason();
        assert!(ended.contains(said) && !ended.contains('\n'), "{text}: {answer:?}");
        let config = host.run(&["config"]);
        assert!(config.code != 0 && config.stderr.contains("anvil.local.md"), "{text}: {config:?}");
        assert!(!host.state_path().exists(), "{text}");
    }
    write(&host, &format!("---\n---\n{}", "x".repeat(1_201)), &"y".repeat(1_200));
    assert!(
        host.prompt("one", "/anvil:debate Should we?")
            .reason()
            .contains("more than 2400 characters")
    );
}

#[test]
fn a_file_without_frontmatter_is_house_rules() {
    let host = Host::new();
    write(&host, "Be brief.\n", "---\n---\n");
    assert!(host.prompt("one", "/anvil:debate Should we?").context().contains("> Be brief."));
    assert_eq!(host.head("max_rounds"), "2");
}

#[test]
fn a_projects_defaults_stay_inside_the_project() {
    let host = Host::new();
    for value in ["context: [src, ~/.ssh]", "follow-up: a/../../b"] {
        write(&host, &format!("---\n{value}\n---\n"), "");
        let answer = host.prompt("one", "/anvil:debate Should we?");
        assert!(answer.reason().contains("leads out of the project"), "{value}: {answer:?}");
    }
}

#[test]
fn only_the_users_defaults_decide_where_the_report_goes() {
    let host = Host::new();
    write(&host, "---\nrounds: 1\noutput: docs/new.md\n---\n", "");
    let answer = host.prompt("one", "/anvil:debate Should we?");
    let refused = "anvil.local.md, line 3: a project can't set output";
    assert!(answer.reason().contains(refused), "{answer:?}");
    write(&host, "", "---\noutput: ~/decision.md\nrounds: 1\n---\n");
    let started = host.prompt("two", "/anvil:debate Should we?");
    let report = started.message().lines().find(|line| line.starts_with("  Report: "));
    assert!(report.is_some_and(|line| line.ends_with("/decision.md")), "{started:?}");
    for text in ["A1.", "C1.", "recommendation: Yes."] {
        host.stop("two", text);
    }
    assert!(host.home().join("decision.md").is_file());
}

#[cfg(unix)]
#[test]
fn a_link_in_a_project_does_not_lead_out_of_it() {
    let host = Host::new();
    fs_err::write(host.home().join("id.txt"), "hunter2").unwrap();
    std::os::unix::fs::symlink(host.home(), host.path("link")).unwrap();
    std::os::unix::fs::symlink(host.home().join("id.txt"), host.path("l.md")).unwrap();
    for value in [
        "context: l.md",
        "context: link/id.txt",
        "context: link/*.txt",
        "follow-up: l.md",
        "persona: ./l.md",
    ] {
        write(&host, &format!("---\n{value}\n---\n"), "");
        let answer = host.prompt("one", "/anvil:debate Should we?");
        assert!(answer.reason().contains("leads out of the project"), "{value}: {answer:?}");
    }
}

#[test]
fn a_project_cannot_request_programs_or_git_or_claude_files() {
    let host = Host::new();
    for folder in [".git", ".claude", "sub/.git", "src"] {
        fs_err::create_dir_all(host.path(folder)).unwrap();
        fs_err::write(host.path(folder).join("config"), "token\n").unwrap();
    }
    let mut values = vec!["diff: true", "diff: main", "diff: false", "pr: 12"];
    values.extend([
        "context: .git/config",
        "context: .git",
        "context: [src, .claude/]",
        "context: ./sub/.git/config",
    ]);
    values.extend(["context: .GIT/config", "context: .claude/*", "context: .git./config"]);
    if cfg!(unix) {
        #[cfg(unix)]
        for (target, link) in
            [(".git", "link"), (".claude/config", "l.md"), ("../sub/.git/config", "src/l.md")]
        {
            std::os::unix::fs::symlink(target, host.path(link)).unwrap();
        }
        values.extend([
            "context: link/config",
            "context: link/*",
            "context: l.md",
            "context: src/l.md",
        ]);
    }
    let mut begun = Vec::new();
    for value in values {
        write(&host, &format!("---\nrounds: 1\n{value}\n---\n"), "");
        let answer = host.prompt("one", "/anvil:debate Should we? --replace");
        let is_refused = answer.reason().contains("anvil.local.md, line 3: ");
        begun.extend((!is_refused || host.state_path().exists()).then_some(value));
    }
    assert_eq!(begun, [""; 0]);
    write(&host, "---\ncontext: [src]\n---\n", "---\ndiff: true\n---\n");
    let told = host.prompt("one", "/anvil:debate Should we?");
    assert!(told.context().contains("`## Context` (src/)"), "{told:?}");
    // The user's own or typed values are what the user wants.
    write(&host, "", "---\ncontext: [.git/config]\n---\n");
    let told = host.prompt("one", "/anvil:debate Should we? --replace");
    assert!(told.context().contains("`## Context` (.git/config)"), "{told:?}");
}

#[test]
fn a_quick_debate_has_one_round_and_short_replies() {
    for (defaults, typed, rounds) in [
        ("", "--quick", "1"),
        ("rounds: 4\n", "--quick", "1"),
        ("rounds: 4\n", "--quick --rounds 3", "3"),
        ("quick: true\n", "", "1"),
        ("quick: true\nrounds: 4\n", "", "4"),
    ] {
        let host = Host::new();
        write(&host, &format!("---\n{defaults}---\n"), "---\n---\n");
        let told =
            host.prompt("one", &format!("/anvil:debate Should we? {typed}")).context().to_owned();
        assert_eq!(host.head("max_rounds"), rounds, "{defaults}{typed}");
        assert!(told.contains("At most 150"), "{told}");
        let config = host.run(&["config"]).stdout;
        let shown = config.lines().find(|line| line.trim_start().starts_with("rounds ")).unwrap();
        let value = shown.split_whitespace().nth(1);
        assert!(!typed.is_empty() || value == Some(rounds), "{defaults}: {shown}");
    }
}

#[test]
fn typed_options_override_conflicting_defaults() {
    let host = Host::new();
    write(
        &host,
        "---\nblind: true\nrounds: 2\nmode: philosopher\n---\n",
        "---\npersona: [startup-cfo, regulator]\n---\n",
    );
    let answer = host.prompt("one", "/anvil:debate Should we? --stakeholders \"a, b\"");
    assert!(
        answer.message().starts_with("Anvil: 2 voices, then a verdict: 3 replies"),
        "{answer:?}"
    );
    assert!(answer.context().contains("── Voice 1 of 2: a ──"), "{answer:?}");
    // The choice of speakers is one setting, and the project has made it.
    let config = host.run(&["config"]).stdout;
    assert!(!config.contains("startup-cfo") && config.contains("philosopher"), "{config}");
    host.prompt("one", "/anvil:debate Should we? --replace");
    assert!(!host.state_text().contains("personas:"));
}

/// A token that no secret scanner should find in this file.
fn token() -> String {
    format!("ghp_{}", "aB3d".repeat(9))
}

#[cfg(unix)]
#[test]
fn a_projects_defaults_are_not_read_through_a_link() {
    use std::os::unix::fs::symlink;
    let host = Host::new();
    fs_err::write(host.home().join("notes"), "hunter2\n").unwrap();
    fs_err::create_dir_all(host.path("other")).unwrap();
    fs_err::write(host.path("other/anvil.local.md"), "hunter2\n").unwrap();
    let refused = "a project's own can't be a link or be reached through one";
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    for target in [host.home().join("notes"), "../other/anvil.local.md".into()] {
        let _ = fs_err::remove_file(host.path(".claude/anvil.local.md"));
        symlink(target, host.path(".claude/anvil.local.md")).unwrap();
        let answer = host.prompt("one", "/anvil:debate Should we?");
        assert!(answer.reason().contains(refused) && !answer.reason().contains('\n'), "{answer:?}");
    }
    fs_err::remove_dir_all(host.path(".claude")).unwrap();
    symlink("other", host.path(".claude")).unwrap();
    assert!(host.prompt("one", "/anvil:debate Should we?").reason().contains(refused));
    fs_err::remove_file(host.path(".claude")).unwrap();
    // The user's own file may be anywhere.
    fs_err::create_dir_all(host.home().join(".claude")).unwrap();
    symlink(host.home().join("notes"), host.home().join(".claude/anvil.local.md")).unwrap();
    assert!(host.prompt("one", "/anvil:debate Should we?").context().contains("> hunter2"));
}

#[cfg(unix)]
#[test]
fn a_padded_or_pattern_like_name_opens_no_other_file() {
    use std::os::unix::fs::symlink;
    let host = Host::new();
    fs_err::write(host.home().join("plan.md"), "hunter2").unwrap();
    fs_err::create_dir_all(host.path(".git")).unwrap();
    fs_err::write(host.path(".git/config"), "hunter2").unwrap();
    fs_err::create_dir_all(host.path("sub")).unwrap();
    for (target, link) in [
        (host.home().join("plan.md"), "p[1].md"),
        (host.home().join("plan.md"), "p{1}.md"),
        (host.home(), "h*"),
        (".git".into(), "g[1]"),
        (".git".into(), "g{1}"),
    ] {
        symlink(target, host.path(link)).unwrap();
    }
    let mut begun = Vec::new();
    for value in [
        "context: 'p[1].md'",
        "context: 'p{1}.md'",
        "context: 'h*/plan.md'",
        "context: 'h*'",
        "context: 'g[1]/config'",
        "context: 'g{1}/config'",
        "follow-up: 'p[1].md'",
        "persona: './p[1].md'",
        "context: ' ~/plan.md'",
        "follow-up: ' ../plan.md'",
        "context: ' /etc/hosts'",
    ] {
        write(&host, &format!("---\nrounds: 1\n{value}\n---\n"), "");
        let answer = host.prompt("one", "/anvil:debate Should we? --replace");
        let is_refused = answer.reason().contains("anvil.local.md, line 3: ")
            && answer.reason().contains(" leads ");
        begun.extend((!is_refused).then_some(value));
    }
    assert_eq!(begun, [""; 0]);
    assert!(!host.state_path().exists());
    // A link that exists only in the current folder is not used.
    symlink(host.home().join("plan.md"), host.path("sub/l.md")).unwrap();
    for value in ["follow-up: l.md", "persona: l.md", "context: l.md"] {
        write(&host, &format!("---\nrounds: 1\n{value}\n---\n"), "");
        let printed = host.run_at(&["start", "Should we?"], &host.path("sub"));
        assert!(printed.code != 0 && !host.state_path().exists(), "{value}: {printed:?}");
    }
}

#[test]
fn no_project_option_may_name_a_git_or_claude_path() {
    let host = Host::new();
    for folder in [".git", ".claude"] {
        fs_err::create_dir_all(host.path(folder)).unwrap();
        fs_err::write(host.path(folder).join("notes.md"), "hunter2\n").unwrap();
    }
    for value in [
        "persona: .git/notes.md",
        "persona: [cto, .claude/notes.md]",
        "follow-up: .git/notes.md",
        "context: [README.md, .claude/notes.md]",
    ] {
        write(&host, &format!("---\n{value}\n---\n"), "");
        let answer = host.prompt("one", "/anvil:debate Should we?");
        assert!(answer.reason().contains("leads into .git or .claude"), "{value}: {answer:?}");
    }
}

#[test]
fn secrets_in_a_projects_files_are_masked_and_counted_once() {
    let host = Host::new();
    let own = |path: &str, text: String| {
        let path = host.path(".claude/anvil").join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    let shown = format!("Knows {}", token());
    own("personas/keeper.md", format!("{shown}\n\nYou keep {}.\n", token()));
    own("modes/ours.md", format!("Ours.\n\nThink of {}.\n", token()));
    own("frameworks/memo.md", format!("A memo.\n\n### Summary\n\nWithout {}.\n", token()));
    fs_err::write(host.path("voice.md"), format!("A tester with {}\n", token())).unwrap();
    let head = "---\npersona: [keeper, voice.md]\nmode: ours\nframework: memo\n---\n";
    write(&host, &format!("{head}The key is {}.\n", token()), "");
    let answer = host.prompt("one", "/anvil:debate Should we?");
    for name in [".claude/anvil.local.md", "keeper.md", "ours.md", "memo.md", "voice.md"] {
        let note = format!("1 secret is masked in {name}");
        assert_eq!(answer.message().matches(&note).count(), 1, "{name}: {answer:?}");
    }
    assert!(answer.context().contains("The key is [masked: GitHub token]."), "{answer:?}");
    let (config, list) = (host.run(&["config"]).stdout, host.run(&["list"]).stdout);
    for text in [&host.state_text(), answer.context(), &config, &list] {
        assert!(!text.contains("ghp_"), "{text}");
    }
    // A mask may make a text too long: then the text is refused, not used unmasked.
    let long = format!("{}\nhttps://u:p@example.org\n", "x".repeat(2_375));
    own("personas/keeper.md", format!("Long.\n\n{long}"));
    let answer = host.prompt("one", "/anvil:debate Should we? --replace");
    assert!(answer.reason().contains("keeper.md has more than 2400 characters"), "{answer:?}");
}
