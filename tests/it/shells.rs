//! The program's data for shells: completions, help and version.

use std::process::Command;

use anvil_messages::slash_command;
use anvil_text::Verb;
use strum::VariantArray as _;

use testkit::host::Host;

/// Every verb, as a shell completes it.
pub(crate) fn verbs(host: &Host) -> Vec<String> {
    let script = host.run(&["completions", "fish"]).stdout;
    let first = "complete -c anvil -n \"__fish_anvil_needs_command\" -f -a \"";
    let rest = script.lines().filter_map(|line| line.strip_prefix(first));
    let verbs = rest.filter_map(|rest| rest.split('"').next()).filter(|verb| *verb != "help");
    verbs.map(str::to_owned).collect()
}

#[test]
fn the_help_screen_names_every_public_verb() {
    let host = Host::new();
    let printed = host.run(&["--help"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    assert_eq!(host.run(&[]).code, 2);
    // A screen has 24 rows, one of them for the prompt.
    assert!(printed.stdout.lines().count() <= 23, "{}", printed.stdout);
    let is_narrow = |text: &str| text.lines().all(|line| line.chars().count() <= 92);
    assert!(is_narrow(&printed.stdout), "{}", printed.stdout);
    let names = verbs(&host);
    assert!(names.len() > 20, "{names:?}");
    let everything = host.run(&["help", "--all"]).stdout;
    assert_eq!(host.run(&["--help", "--all"]).stdout, everything);
    let listed = shown_verbs(&everything);
    for verb in names {
        let is_of_client = OF_CLIENT.contains(&verb.as_str());
        assert!(listed.contains(&verb) != is_of_client, "{verb} in\n{everything}");
        let own = host.run(&["help", &verb]);
        assert!(own.code == 0 && own.stdout.contains(&format!("Usage: anvil {verb}")), "{own:?}");
        assert_eq!(host.run(&[&verb, "--help"]).stdout, own.stdout);
        assert!(own.stdout.lines().all(|line| line.chars().count() <= 80), "{}", own.stdout);
        assert!(options(&own.stdout).len() <= 12, "{verb}: {}", own.stdout);
        let all = host.run(&["help", &verb, "--all"]).stdout;
        assert!(everything.contains(all.trim_end()), "{verb}");
    }
}

/// Verbs that only the client calls.
const OF_CLIENT: [&str; 2] = ["hook", "statusline"];

/// The verbs on a help screen: the first word of a row, and the words between dots.
fn shown_verbs(help: &str) -> Vec<String> {
    let screen = help.lines().skip(2).take_while(|line| !line.starts_with('─'));
    let rows = screen.filter_map(|line| line.get(10..));
    let named = rows.flat_map(|row| row.split("  ").next().unwrap_or_default().split(" · "));
    named.filter_map(|part| part.split_whitespace().next()).map(str::to_owned).collect()
}

/// The options in a help text.
fn options(help: &str) -> Vec<&str> {
    let words = help.lines().filter_map(|line| line.trim_start().split([' ', '=', '[']).next());
    words.filter(|word| word.starts_with("--")).collect()
}

/// The list that a newcomer must learn.
#[test]
fn the_number_of_verbs_and_options_is_limited() {
    let host = Host::new();
    let shown = shown_verbs(&host.run(&["--help"]).stdout);
    assert!(shown.len() <= 14, "{} verbs: {shown:?}", shown.len());
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let commands =
        fs_err::read_dir(here.join("commands")).unwrap().map(|entry| entry.unwrap().path());
    let mut commands: Vec<String> =
        commands.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let known = Verb::VARIANTS.iter().filter_map(|verb| slash_command(*verb));
    let mut known: Vec<String> = known.map(str::to_owned).collect();
    commands.sort();
    known.sort();
    assert_eq!(commands, known);
    for words in [&["help", "run"][..], &["run", "--help"], &["help", "start"]] {
        let help = host.run(words).stdout;
        assert!((1..=12).contains(&options(&help).len()), "{help}");
        assert!(help.contains(&format!(
            "`anvil help {} --all` lists the others",
            words[usize::from(words[0] == "help")]
        )));
    }
    let typed = host.prompt("one", "/anvil:debate --help").reason().to_owned();
    assert!(options(&typed).len() <= 10 && typed.contains("/anvil:debate --help --all"), "{typed}");
    assert!(options(host.prompt("one", "/anvil:debate --help --all").reason()).len() > 25);
    assert!(options(&host.run(&["help", "run", "--all"]).stdout).len() > 30);
}

#[test]
fn the_version_names_the_target_and_a_known_commit() {
    let host = Host::new();
    let printed = host.run(&["--version"]).stdout;
    let start = format!("anvil {} (", env!("CARGO_PKG_VERSION"));
    let build = printed.strip_prefix(&start).and_then(|rest| rest.strip_suffix(")\n")).unwrap();
    assert!(build.contains(std::env::consts::ARCH) && build.split(", ").count() <= 2, "{printed}");
    assert_eq!(host.run(&["-V"]).stdout, printed);
}

#[cfg(unix)]
#[test]
fn bash_completes_verbs_options_and_values() {
    let host = Host::new();
    let script = host.outside("anvil.bash");
    fs_err::write(&script, host.run(&["completions", "bash"]).stdout).unwrap();
    for (words, word, completed) in [
        ("un", "un", "uninstall\nundo"),
        ("prune --k", "--k", "--keep"),
        ("report --format js", "js", "json"),
        ("completions p", "p", "powershell"),
    ] {
        let line = format!(
            ". '{}'; COMP_WORDS=(anvil {words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _anvil anvil '{word}' \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
             printf '%s\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["--norc", "-c", &line]).current_dir(host.root()).output().unwrap();
        assert!(output.stderr.is_empty(), "{words}: {output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.trim(), completed, "{words}");
    }
}

#[test]
fn the_other_shells_get_a_valid_script() {
    let host = Host::new();
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        let printed = host.run(&["completions", shell]);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
        assert!(printed.stdout.contains("uninstall"), "{printed:?}");
        // If that shell is installed, it reads the script.
        let path = host.outside(shell);
        fs_err::write(&path, &printed.stdout).unwrap();
        if matches!(shell, "zsh" | "fish")
            && let Ok(output) = Command::new(shell).arg("-n").arg(&path).output()
        {
            assert!(output.status.success(), "{output:?}");
        }
    }
    assert_eq!(host.run(&["completions", "csh"]).code, 2);
}
