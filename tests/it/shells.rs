//! What a shell is told of the program: completions, the manual page, help and version.

use std::process::Command;

use crate::host::Host;

/// Every verb, as clap lists them for a word that is none.
fn verbs(host: &Host) -> Vec<String> {
    let printed = host.run(&["help"]).out;
    let listed = host.run(&["completions", "fish"]).out;
    assert!(printed.contains("Usage: anvil COMMAND"), "{printed}");
    let verb = |line: &str| {
        line.strip_prefix("complete -c anvil -n __fish_use_subcommand -f -a ")?.split(' ').next().map(str::to_owned)
    };
    listed.lines().filter_map(verb).collect()
}

#[test]
fn the_screen_of_help_names_every_verb_with_examples_and_exit_codes() {
    let host = Host::new();
    let printed = host.run(&["--help"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    // A screen has 24 rows, one of them for the prompt.
    assert!(printed.out.lines().count() <= 23, "{}", printed.out);
    let is_narrow = |text: &str| text.lines().all(|line| line.chars().count() <= 80);
    assert!(is_narrow(&printed.out), "{}", printed.out);
    let names = verbs(&host);
    assert!(names.len() > 20, "{names:?}");
    let words: Vec<&str> = printed.out.split([' ', ',', '\n']).collect();
    for verb in names {
        assert!(words.contains(&verb.as_str()), "{verb} is not in\n{}", printed.out);
        let own = host.run(&["help", &verb]);
        assert!(own.code == 0 && own.out.contains(&format!("Usage: anvil {verb}")), "{own:?}");
        assert!(is_narrow(&own.out), "{}", own.out);
    }
    for word in ["Examples:", "Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 nothing"] {
        assert!(printed.out.contains(word), "{word}");
    }
}

#[test]
fn the_version_names_the_target_and_where_it_is_known_the_commit() {
    let host = Host::new();
    let printed = host.run(&["--version"]).out;
    let start = format!("anvil {} (", env!("CARGO_PKG_VERSION"));
    let build = printed.strip_prefix(&start).and_then(|rest| rest.strip_suffix(")\n")).unwrap();
    assert!(build.contains(std::env::consts::ARCH) && build.split(", ").count() <= 2, "{printed}");
    assert_eq!(host.run(&["-V"]).out, printed);
}

#[cfg(unix)]
#[test]
fn bash_completes_verbs_options_and_values() {
    let host = Host::new();
    let script = host.outside("anvil.bash");
    fs_err::write(&script, host.run(&["completions", "bash"]).out).unwrap();
    let complete = |words: &str, at: usize| {
        let line = format!(
            ". '{}'; COMP_WORDS=({words}) COMP_CWORD={at}; _anvil; echo \"${{COMPREPLY[*]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["--norc", "-euc", &line]).current_dir(host.root()).output().unwrap();
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete("anvil un", 1), "uninstall undo");
    assert_eq!(complete("anvil list ''", 2), "personas modes frameworks --json --help");
    assert_eq!(complete("anvil completions p", 2), "powershell");
    assert_eq!(complete("anvil start --bou", 2), "--boundary");
    assert_eq!(complete("anvil doctor --", 2), "--json --help");
    assert_eq!(complete("anvil help doc", 2), "doctor");
    fs_err::create_dir(host.path("plug in")).unwrap();
    assert_eq!(complete("anvil install --to pl", 3), "plug in");
    assert_eq!(complete("anvil start --mode ''", 3), "analyst devils-advocate philosopher stakeholders");
    assert_eq!(complete("anvil start --persona sre", 3), "sre-on-call");
    assert_eq!(complete("anvil start --framework a", 3), "adr");
    assert_eq!(complete("anvil start --focus perf", 3), "performance");
    assert_eq!(complete("anvil start --boundary ''", 3), "round synthesis");
    assert_eq!(complete("anvil start --rounds ''", 3), "");
    assert_eq!(complete("anvil start --blind --rep", 3), "--replace");
    assert_eq!(complete("anvil body --st", 2), "--state");
    assert_eq!(complete("anvil show 2", 2), "");
    host.prompt("one", "/anvil:debate Why?");
    let id = host.state().debate.id;
    for verb in ["show", "report", "open"] {
        assert_eq!(complete(&format!("anvil {verb} 2"), 2), id);
    }
}

#[test]
fn the_other_shells_get_every_verb_and_option_and_balanced_quotes() {
    let host = Host::new();
    for shell in ["zsh", "fish", "powershell"] {
        let printed = host.run(&["completions", shell]);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{printed:?}");
        for verb in verbs(&host) {
            assert!(printed.out.contains(&verb), "{shell} {verb}");
        }
        for option in anvil::command::option_names() {
            assert!(printed.out.contains(&option), "{shell} --{option}");
        }
        for line in printed.out.lines() {
            let quotes = line.replace("'\\''", "").replace("\\'", "").matches('\'').count();
            assert!(quotes % 2 == 0, "{shell}: {line}");
        }
        // Where that shell is, it reads the script.
        let path = host.outside(shell);
        fs_err::write(&path, &printed.out).unwrap();
        if shell != "powershell"
            && let Ok(output) = Command::new(shell).arg("-n").arg(&path).output()
        {
            assert!(output.status.success(), "{output:?}");
        }
    }
    assert_eq!(host.run(&["completions", "csh"]).code, 2);
}

#[test]
fn the_manual_page_has_every_verb_and_nothing_that_roff_would_obey() {
    let host = Host::new();
    let printed = host.run(&["man"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    assert!(printed.out.starts_with(".TH ANVIL 1 \"\" \"Anvil "), "{}", printed.out);
    for verb in verbs(&host) {
        assert!(printed.out.contains(&format!(".SS anvil {verb}")), "{verb}");
    }
    for option in anvil::command::option_names() {
        assert!(printed.out.contains(&format!("\\-\\-{}", option.replace('-', "\\-"))), "{option}");
    }
    assert!(printed.out.contains("or md] [md, html, json]\n"), "{}", printed.out);
    let known = [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".nf", ".fi"];
    for line in printed.out.lines().filter(|line| line.starts_with(['.', '\''])) {
        assert!(known.contains(&line.split(' ').next().unwrap()), "{line}");
    }
}
