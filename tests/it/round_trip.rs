//! Anvil can read everything that it writes, for any input: otherwise the program itself would lose
//! a debate.

use serde_json::json;

use testkit::host::Host;

/// The debate advances, or the user gets the reason; in both cases the file stays readable and
/// needs no repair.
fn is_still_readable(host: &Host) {
    let printed = host.run(&["status"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(!printed.stdout.contains("\n  note "), "{printed:?}");
}

#[test]
fn a_long_turn_id_does_not_end_a_debate() {
    let host = Host::new();
    let turn = "x".repeat(300);
    host.prompt_in(&turn, "/anvil:debate Why?");
    is_still_readable(&host);
    assert!(host.stop_in(&turn, "A1.").context().starts_with("── Critic"));
    is_still_readable(&host);
}

#[test]
fn a_long_report_path_does_not_end_a_debate() {
    let host = Host::new();
    let sub = host.path(&"d".repeat(100));
    fs_err::create_dir_all(&sub).unwrap();
    let output = ["e", "f", "g", "h"].map(|name| name.repeat(230)).join("/");
    let typed = json!({ "prompt": format!("/anvil:debate Why? --output {output}.md") });
    let answer = host.event_at("one", "UserPromptSubmit", &typed, &sub, Some(host.root()));
    assert!(!answer.context().is_empty() || answer.reason().contains("--output"), "{answer:?}");
    if !answer.context().is_empty() {
        is_still_readable(&host);
    }
}

#[test]
fn the_highest_readable_step_can_be_incremented() {
    let host = Host::new().debating("Why?");
    host.edit("step: 1\n", "step: 1000000\n");
    host.stop("one", "A1.");
    is_still_readable(&host);
}

#[test]
fn a_key_that_grows_long_by_escaping_does_not_end_a_debate() {
    for key in ["\\N".repeat(300), "x".repeat(1_000), "\u{1F600}".repeat(900)] {
        let host = Host::new().debating("Why?");
        let before = host.state_text();
        host.edit("schema: 3\n", &format!("schema: 3\n\"{key}\": one\n"));
        let answer = host.stop("one", "A1.");
        if answer.context().is_empty() {
            // Refused in one line before anything is written.
            assert!(
                answer.message().starts_with("Anvil: ") && host.state_text().len() > before.len(),
                "{answer:?}"
            );
        } else {
            is_still_readable(&host);
        }
    }
}

#[test]
fn keys_and_values_of_any_form_survive_every_reply() {
    let host = Host::new().debating("Why?");
    let lines = "\"\": empty\n\"~\": tilde\n\"true\": flag\n\"a: b\": colon\n\"- x\": \"\\e[31m\"\n\"---\": [\"\", 7, \"7\"]\n\"#\": |-\n  two\n  lines\n";
    host.edit("schema: 3\n", &format!("schema: 3\n{lines}"));
    host.stop("one", "A1.");
    let head = |host: &Host| -> Vec<String> {
        let text = host.state_text();
        text.lines()
            .skip_while(|line| !line.starts_with("continuations"))
            .skip(1)
            .take(7)
            .map(str::to_owned)
            .collect()
    };
    let first = head(&host);
    assert!(first.contains(&"\"#\": \"two\\nlines\"".to_owned()), "{first:?}");
    host.stop("one", "C1.");
    assert_eq!(head(&host), first);
    is_still_readable(&host);
}

#[test]
fn an_empty_list_item_survives_a_reply() {
    for list in ["[~]", "[a, ~, b]", "[null, 1]"] {
        let host = Host::new().debating("Why?");
        host.edit("schema: 3\n", &format!("schema: 3\ntags: {list}\n"));
        host.stop("one", "A1.");
        is_still_readable(&host);
    }
}

#[test]
fn a_debate_without_a_time_in_its_head_can_be_resumed() {
    let host = Host::new().debating("Why? --rounds 3");
    fs_err::remove_dir_all(host.records().join("debates")).unwrap();
    host.edit("updated_at: \"", "updated_at: ");
    let answer = host.prompt("one", "/anvil:resume");
    assert!(answer.context().contains("── Advocate · round 1 of 3"), "{answer:?}");
}

#[test]
fn a_users_quote_below_the_title_is_not_lost() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    fs_err::remove_dir_all(host.records().join("debates")).unwrap();
    host.edit("# Why?\n", "# Why?\n\n> My own note, and precious.\n");
    host.stop("one", "C1.");
    let is_there =
        |content: &[u8]| String::from_utf8_lossy(content).contains("My own note, and precious.");
    assert!(host.files().iter().any(|(_, content)| is_there(content)), "{}", host.state_text());
}

#[test]
fn a_repaired_file_needs_no_second_repair() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    fs_err::remove_dir_all(host.records().join("debates")).unwrap();
    let text = host.state_text();
    let (head, _) = text.split_once("# Why?").unwrap();
    fs_err::write(host.state_path(), format!("{head}> A1.\n")).unwrap();
    host.prompt("one", "/anvil:resume");
    is_still_readable(&host);
    assert_eq!(host.head("question"), "\"Why?\"");
}

#[test]
fn a_long_key_is_read_or_refused_next_to_any_other_key() {
    let key = "k".repeat(150);
    let host = Host::new().debating("Why? \u{1FFFF}");
    let text = host.state_text();
    // Both heads have the same keys; only the form of one value differs.
    let with_key = |text: &str| text.replacen("schema: 3\n", &format!("schema: 3\n{key}: 1\n"), 1);
    let one = anvil_store::StateFile::parse(&with_key(&text)).is_ok();
    let other = anvil_store::StateFile::parse(&with_key(&text.replace("\\U0001ffff", "x"))).is_ok();
    assert_eq!(one, other);
}
