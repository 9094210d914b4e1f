//! Material: it is gathered at the start, saved in the file once and quoted, and Claude gets the
//! lines to read.

use anvil_core::transcript::{self, NoteKind};

use testkit::host::Host;

/// A project with a commit, a change, a secret and an ignored file.
fn repository() -> Host {
    let host = Host::new();
    let write = |path: &str, text: &str| {
        let path = host.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    write(".gitignore", "build/\n");
    write("src/lib.rs", "pub fn answer() -> u8 {\n    42\n}\n\n```\n## Round 1\n### Advocate\n");
    write("build/out.rs", "pub fn generated() {}\n");
    write(".env", "TOKEN=hunter2\n");
    host.git(&["init", "-q"]);
    host.git(&["add", "."]);
    host.git(&["commit", "-qm", "x"]);
    write("src/lib.rs", "pub fn answer() -> u8 {\n    43\n}\n\n```\n## Round 1\n### Advocate\n");
    host
}

fn notes(host: &Host) -> Vec<(NoteKind, String)> {
    transcript::parse(&host.state().body)
        .notes()
        .map(|(kind, note)| (kind, note.text.clone()))
        .collect()
}

/// The lines of the state file that a cue requests.
fn asked_lines(host: &Host, told: &str) -> String {
    let number = |word: &str| -> usize {
        let after = told.rsplit_once(word).unwrap_or_else(|| panic!("{word}: {told}")).1;
        after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let (offset, limit) = (number("(offset "), number(", limit "));
    host.state_text().split_inclusive('\n').skip(offset - 1).take(limit).collect()
}

#[test]
fn the_context_is_saved_once_and_claude_gets_its_lines() {
    let host = repository();
    let told = host
        .prompt("one", "/anvil:debate Should we? --context src/ --context src/lib.rs --rounds 1");
    assert!(told.context().contains("`## Context` (src/, src/lib.rs)"), "{told:?}");
    let asked = asked_lines(&host, told.context());
    assert!(
        asked.starts_with("## Context\n<!-- anvil {") && asked.trim_end().ends_with('`'),
        "{asked}"
    );
    let found = notes(&host);
    assert!(found.len() == 1 && found[0].0 == NoteKind::Context, "{found:?}");
    for text in ["pub fn answer() -> u8", "    43\n", "## Round 1\n### Advocate"] {
        assert!(found[0].1.contains(text), "{text}: {}", found[0].1);
    }
    assert!(
        !found[0].1.contains("generated") && host.sections().is_empty(),
        "nothing in it is a section"
    );
    assert_eq!(host.head("context_source"), "\"src/, src/lib.rs\"");
    // No second Read is requested, and the debate runs like any other.
    let critic = host.stop("one", "A1.");
    assert!(
        critic.context().starts_with("── Critic · round 1 of 1")
            && !critic.context().contains("Read"),
        "{critic:?}"
    );
    host.stop("one", "C1.");
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
    assert!(!host.run(&["status"]).stdout.contains("Note: "));
}

#[test]
fn a_fresh_session_reads_the_material_with_the_debate() {
    let host = repository();
    host.prompt("one", "/anvil:debate Should we? --context src/lib.rs");
    host.stop("one", "A1.");
    host.session_end("one");
    let told = host.prompt("two", "/anvil:resume");
    let line = host.state_text().lines().position(|line| line == "## Context").unwrap() + 1;
    assert!(told.context().ends_with(&format!("from line {line} to its end.")), "{told:?}");
}

#[test]
fn a_secret_file_is_refused_and_a_missing_path_is_named() {
    let host = repository();
    let answer = host.prompt("one", "/anvil:debate Should we? --context .env");
    assert!(answer.reason().contains(".env"), "{answer:?}");
    let answer = host.prompt("one", "/anvil:debate Should we? --context nowhere/");
    assert!(answer.reason().contains("nowhere"), "{answer:?}");
    assert!(!host.state_path().exists(), "nothing was begun");
    let answer = host.prompt("one", "/anvil:debate Should we? --context .env --context src/");
    assert!(
        answer.message().contains("not all of the material is in the context: ")
            && answer.message().contains(".env"),
        "{answer:?}"
    );
    assert!(!host.state_text().contains("hunter2"));
}

/// A token that no secret scanner should find in this file.
fn token() -> String {
    format!("ghp_{}", "aB3d".repeat(9))
}

#[test]
fn secrets_in_material_are_masked_and_counted_on_the_screen() {
    let host = repository();
    let write = |path: &str, text: String| fs_err::write(host.path(path), text).unwrap();
    write("src/lib.rs", format!("pub const TOKEN: &str = \"{}\";\n", token()));
    write("before.md", format!("We use {} and https://me:hunter2@example.org\n", token()));
    write("voice.md", format!("A tester with {}\n", token()));
    let answer = host.prompt(
        "one",
        "/anvil:debate Should we? --context src/ --context src/lib.rs --diff --follow-up before.md --persona ./voice.md",
    );
    for note in [
        "2 secrets are masked in the context",
        "2 secrets are masked in before.md",
        "1 secret is masked in",
    ] {
        let said = answer.message();
        assert!(said.contains(note), "{note}: {said}");
    }
    let state = host.state_text();
    assert!(!state.contains("ghp_") && !state.contains("hunter2"), "{state}");
    assert!(state.contains("https://me:[masked: password]@example.org"), "{state}");
    assert!(state.contains("(2 secrets are masked in this text)"), "{state}");
    // An earlier debate from before masking is masked when a new one builds on it.
    let id = host.state().debate.id;
    for text in ["A1.", "C1.", "A2.", "C2.", &format!("recommendation: Use {}.", token())] {
        host.stop("one", text);
    }
    let answer = host.prompt("one", &format!("/anvil:debate And then? --follow-up {id}"));
    assert!(answer.message().contains(&format!("1 secret is masked in {id}")), "{answer:?}");
    assert!(notes(&host)[0].1.contains("Use [masked: GitHub token]."), "{:?}", notes(&host));
}

#[test]
fn saved_material_contains_no_machine_path() {
    let host = repository();
    let private = host.home().join("private");
    fs_err::create_dir_all(&private).unwrap();
    for file in ["notes.txt", "one.md", "two.md", "voice.md"] {
        fs_err::write(private.join(file), "A text.\n").unwrap();
    }
    let place = private.display();
    host.prompt(
        "one",
        &format!(
            "/anvil:debate Should we? --context {place}/notes.txt --context ~/private/*.md --context {} --follow-up {place}/one.md --persona {place}/voice.md",
            host.path("src").display()
        ),
    );
    assert_eq!(host.head("context_source"), "\"notes.txt, *.md, src/\"");
    assert_eq!(host.head("follow_up"), "\"one.md\"");
    let is_clean = |text: String| {
        let names =
            [host.home(), host.root().to_owned()].map(|folder| folder.display().to_string());
        assert!(
            !names.iter().any(|name| text.contains(name)) && !text.contains("private"),
            "{text}"
        );
    };
    is_clean(host.state_text());
}

#[test]
fn material_names_project_paths_from_any_folder() {
    let host = repository();
    let printed = host.run_at(
        &["start", "Should we?", "--context", "lib.rs", "--context", "../build"],
        &host.path("src"),
    );
    assert_eq!(printed.code, 0, "{printed:?}");
    assert_eq!(host.head("context_source"), "\"src/lib.rs, build/\"");
    assert!(printed.stderr.contains("git ignores all of build/"), "{printed:?}");
}

#[test]
fn changes_since_the_last_commit_or_a_revision_are_material() {
    let host = repository();
    let told = host.prompt("one", "/anvil:debate Should we merge this? --diff");
    assert!(told.context().contains("`## Context` (diff)"), "{told:?}");
    assert!(notes(&host)[0].1.contains("-    42\n+    43"), "{:?}", notes(&host));
    host.git(&["commit", "-qam", "y"]);
    let told = host.prompt("one", "/anvil:debate Should we merge this? --diff HEAD~1 --replace");
    assert!(told.context().contains("diff HEAD~1"), "{told:?}");
    let answer = host.prompt("one", "/anvil:debate Should we merge this? --diff --replace");
    assert!(
        !answer.reason().is_empty() && !answer.reason().contains('\n'),
        "an empty difference is told: {answer:?}"
    );
    let beside = host
        .prompt("one", "/anvil:debate Should we merge this? --diff --context src/lib.rs --replace");
    assert!(beside.message().contains("--diff: nothing has changed since HEAD"), "{beside:?}");
    assert!(beside.context().contains("(src/lib.rs)"), "{beside:?}");
    let answer =
        host.prompt("one", "/anvil:debate Should we merge this? --diff nothing-like-it --replace");
    assert!(answer.reason().contains("nothing-like-it"), "{answer:?}");
}

#[test]
fn the_budget_holds_and_cuts_are_reported() {
    let host = Host::new();
    fs_err::write(host.path("big.txt"), "a line of text\n".repeat(10_000)).unwrap();
    let answer = host.prompt("one", "/anvil:debate Should we? --context big.txt");
    assert!(
        answer.message().contains("not all of the material is in the context: big.txt: the first "),
        "{answer:?}"
    );
    let text = &notes(&host)[0].1;
    assert!((23_000..=24_000).contains(&text.chars().count()), "{}", text.chars().count());
}

/// A finished debate, and its id.
fn finished(host: &Host, question: &str, verdict: &str) -> String {
    host.prompt("one", &format!("/anvil:debate {question} --rounds 1"));
    for text in ["A1.", "C1.", verdict] {
        host.stop("one", text);
    }
    assert_eq!(host.head("status"), "completed");
    host.state().debate.id
}

#[test]
fn a_debate_builds_on_an_earlier_one_by_its_id_or_a_file() {
    let host = Host::new();
    let id = finished(&host, "Should we split the team?", "recommendation: Not yet.");
    let told = host.prompt("one", &format!("/anvil:debate And next year? --follow-up {id}"));
    assert!(
        told.context().contains("`## Prior Analysis`, which this debate builds on"),
        "{told:?}"
    );
    let found = notes(&host);
    assert_eq!(found[0].0, NoteKind::PriorAnalysis);
    assert!(
        found[0].1.contains("Should we split the team?") && found[0].1.contains("Not yet."),
        "{found:?}"
    );
    assert_eq!(host.head("follow_up"), "\"Should we split the team?\"");
    // It is an earlier one now; the start of an id is enough.
    let told =
        host.prompt("one", &format!("/anvil:debate And then? --follow-up {} --replace", &id[..20]));
    assert!(told.context().contains("## Prior Analysis"), "{told:?}");
    fs_err::write(host.path("before.md"), "We decided once.\r\n# A heading\n").unwrap();
    host.prompt("one", "/anvil:debate And then? --follow-up before.md --replace");
    assert_eq!(notes(&host)[0].1.trim_end(), "We decided once.\n# A heading");
    let answer = host.prompt("one", "/anvil:debate And then? --follow-up nothing --replace");
    assert!(answer.reason().contains("there is no file and no debate nothing"), "{answer:?}");
}

#[test]
fn a_secret_in_an_earlier_question_is_masked_in_its_name() {
    let host = Host::new();
    let id = finished(&host, &format!("Is {} safe?", token()), "recommendation: No.");
    host.prompt("one", &format!("/anvil:debate And then? --follow-up {id} --replace"));
    let state = host.state_text();
    assert!(
        !state.contains("ghp_") && state.contains("Is [masked: GitHub token] safe?"),
        "{state}"
    );
}

#[test]
fn two_results_are_compared_as_options_with_both_as_material() {
    let host = Host::new();
    fs_err::write(host.path("buy.md"), "Buy it.").unwrap();
    fs_err::write(host.path("build.md"), "Build it ourselves.").unwrap();
    let told = host.prompt(
        "one",
        "/anvil:debate Which holds up? --options \"buy, build\" --context buy.md --context build.md",
    );
    assert_eq!(host.head("options"), r#"["buy", "build"]"#);
    let lines = asked_lines(&host, told.context());
    assert!(lines.contains("> Buy it.") && lines.contains("> Build it ourselves."), "{lines}");
}

#[test]
fn a_pull_request_without_gh_gives_a_one_line_error() {
    let host = Host::new();
    let answer = host.prompt("one", "/anvil:debate Should we merge? --pr 12");
    assert!(answer.reason().contains("gh") && !answer.reason().contains('\n'), "{answer:?}");
    assert!(!host.state_path().exists());
}
