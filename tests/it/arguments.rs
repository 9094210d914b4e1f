//! The command line: the demo, and one definition of the options for every interface.

use anvil_core::options::{Layer as _, UserOptions};
use std::path::Path;

use testkit::host::Host;

#[test]
fn the_typed_line_the_shell_and_the_hint_know_the_same_options() {
    let host = Host::new();
    let options = |text: &str| {
        let mut names: Vec<String> = text
            .split(|char: char| char.is_whitespace() || char == '[' || char == ']')
            .filter(|word| word.starts_with("--") && *word != "--help")
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let shell = options(&host.run(&["help", "start", "--all"]).stdout);
    let typed = host.prompt("one", "/anvil:debate --help --all");
    let mut defined: Vec<String> =
        UserOptions::names().iter().map(|name| format!("--{name}")).collect();
    defined.extend(["--motion", "--options", "--plan", "--take-over"].map(str::to_owned));
    defined.sort();
    assert!(defined.len() > 15, "{defined:?}");
    assert_eq!(shell, defined);
    // In Claude Code programs may fill the seats.
    let page = fs_err::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/isolated-debates.md"),
    )
    .unwrap();
    let table = page.split("## Options").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| `--"))
        .map(|row| row.split(" | ").next().unwrap());
    let isolated = options(&rows.collect::<String>().replace(['`', ',', '|'], " "));
    let both = |more: &[String]| {
        let mut both: Vec<String> = shell.iter().chain(more).cloned().collect();
        both.sort();
        both
    };
    assert_eq!(options(typed.reason()), both(&isolated), "{typed:?}");
}

/// A client cuts a longer hint.
#[test]
fn the_hint_of_a_debate_names_five_options_and_its_help() {
    let file = include_str!("../../commands/debate.md");
    let hint = file.lines().find(|line| line.starts_with("argument-hint")).unwrap();
    let help = Host::new().run(&["help", "start", "--all"]).stdout;
    let named: Vec<&str> =
        hint.split(['[', ' ', '=', ']']).filter(|word| word.starts_with("--")).collect();
    let (last, options) = named.split_last().unwrap();
    assert_eq!((options.len(), *last), (5, "--help"), "{hint}");
    assert!(options.iter().all(|name| help.contains(&format!("  {name}"))), "{hint}");
}

#[test]
fn the_demo_runs_a_whole_debate_on_any_question() {
    let host = Host::new();
    let asked = "Why doesn't $(x) `y` \"z\" win? # --rounds 9";
    for arguments in [&["demo", "--keep"][..], &["demo", "--keep", asked]] {
        let printed = host.run(arguments);
        assert_eq!(printed.code, 0, "{printed:?}");
        // Yes or no alone would answer another question.
        let answer = if arguments.len() == 2 { "No" } else { "No: not split the Rails monolith" };
        assert!(
            printed.stdout.contains(&format!("\n{answer}"))
                && printed.stdout.contains("80% sure. Keep the monolith")
                && printed.stderr.contains("  A1. Our pace"),
            "{printed:?}"
        );
        let folder =
            printed.stdout.lines().find_map(|line| line.trim_start().strip_prefix("cd ")).unwrap();
        assert_eq!(
            printed.stdout.matches(folder).count(),
            1,
            "each path is said once: {printed:?}"
        );
        assert_eq!(fs_err::read_dir(host.home()).unwrap().count(), 0);
        let report = host.run_at(&["report", "--format", "md"], Path::new(folder)).stdout;
        assert!(report.contains("## Verdict") && report.contains("### Round 2"));
        assert_eq!(printed.stdout.matches("replies.md").count(), 1, "{printed:?}");
        assert!(arguments.len() == 2 || report.starts_with(&format!("# {asked}")), "{report}");
        let stage = Path::new(folder).parent().unwrap();
        assert!(stage.file_name().unwrap().to_string_lossy().starts_with("anvil-demo-"));
        assert!(
            host.run_at(&["claims", "A1"], Path::new(folder))
                .stdout
                .contains("A1  Our pace is set"),
            "{printed:?}"
        );
        fs_err::remove_dir_all(stage).unwrap();
        fs_err::remove_dir_all(host.home().join(".claude")).unwrap();
    }
    assert!(host.files().is_empty());
}

#[test]
fn a_demo_leaves_nothing_unless_it_is_kept() {
    let host = Host::new();
    let place = tempfile::tempdir().unwrap();
    let mut command = host.command(&["demo"], host.root());
    let output = command.env("TMPDIR", place.path()).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && out.contains("; rests on C1, C4\n"), "{out}");
    assert!(out.contains("demo --keep") && !out.contains("Page: "), "{out}");
    assert_eq!(fs_err::read_dir(place.path()).unwrap().count(), 0, "{out}");
}

#[test]
fn a_refused_value_says_what_it_takes_and_gives_an_example() {
    let host = Host::new();
    for (words, said, hint) in [
        (["--max-cost", "0"], "takes an amount", "--max-cost 2.50"),
        (["--max-time", "0"], "takes a time", "--max-time 30m"),
        (["--max-tokens", "0"], "takes a whole number from 1", "--max-tokens 200000"),
        (["--jobs", "0"], "takes a whole number from 1 to 16", "--jobs 4"),
        (["--critic", "codex,,claude"], "has an empty name", "one comma between two names"),
    ] {
        let printed = host.run(&[&["run", "Why?"], &words[..]].concat());
        let is_told = printed.stderr.contains(said) && printed.stderr.contains(hint);
        assert!(printed.code == 2 && is_told, "{printed:?}");
    }
    let printed = host.run(&["start", "\u{200b}\u{2063}"]);
    assert!(printed.code == 2 && printed.stderr.contains("the question is missing"), "{printed:?}");
    let answer = host.prompt("one", "/anvil:debate Why? --round 2");
    assert!(answer.reason().contains("Did you mean --rounds? To keep it"), "{answer:?}");
}
