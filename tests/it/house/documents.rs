//! The documents: the program agrees with them, and their links work.

use anvil_core::options::{Layer as _, UserOptions};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::shells::verbs;
use testkit::host::Host;

use super::code::sources;

/// The longest line of prose, in characters, without tables and link targets.
const WIDTH: usize = 100;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs_err::read_to_string(here().join(name)).unwrap()
}

/// Every page for readers, by its path. The changelog is a list, not prose.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "docs/adr", "evals"].map(|folder| here().join(folder));
    let files = folders.iter().flat_map(|folder| fs_err::read_dir(folder).unwrap());
    let pages = files.map(|entry| entry.unwrap().path()).filter(|path| {
        path.extension().is_some_and(|extension| extension == "md")
            && !path.ends_with("CHANGELOG.md")
    });
    pages.collect()
}

/// The lines outside fences, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            // The text before a fence and the text after it are different paragraphs.
            lines.push((at + 1, ""));
        } else if !is_fenced {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// The anchor that a forge gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|char| char.is_alphanumeric() || " -_".contains(*char))
        .collect::<String>()
        .replace(' ', "-")
}

/// A line without its link targets.
fn without_targets(line: &str) -> String {
    let mut parts = line.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, rest)| rest))
}

#[test]
fn every_link_target_exists() {
    for path in pages() {
        let text = fs_err::read_to_string(&path).unwrap();
        for (number, line) in prose(&text) {
            for link in line.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
                if link.starts_with("http") {
                    continue;
                }
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let target =
                    if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
                assert!(target.exists(), "{}:{number} links to {link}", path.display());
                let has = |text: String| {
                    prose(&text)
                        .iter()
                        .any(|(_, line)| line.starts_with('#') && anchor(line) == heading)
                };
                let leads = heading.is_empty() || has(fs_err::read_to_string(&target).unwrap());
                assert!(
                    leads,
                    "{}:{number} links to {link}, which has no such heading",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn prose_is_wrapped() {
    for path in pages() {
        let text = fs_err::read_to_string(&path).unwrap();
        for (number, line) in prose(&text) {
            let is_wrapped = line.trim_start().starts_with('|')
                || line.starts_with('#')
                || without_targets(line).chars().count() <= WIDTH;
            assert!(is_wrapped, "{}:{number} is longer than {WIDTH} characters", path.display());
        }
    }
}

#[test]
fn the_index_names_every_page() {
    let index = read("docs/README.md");
    for path in pages().iter().filter(|path| path.parent() == Some(here().join("docs").as_path())) {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(
            name == "README.md" || index.contains(&format!("]({name})")),
            "docs/README.md does not name {name}"
        );
    }
}

/// The first cells of the tables below a heading, without code marks.
fn cells(page: &str, from: &str, to: &str) -> Vec<String> {
    let part = page.split_once(from).unwrap_or_else(|| panic!("there is no {from}")).1;
    let part = part.split_once(to).unwrap_or_else(|| panic!("there is no {to}")).0;
    let rows = part.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(cell, _)| cell.to_owned()).collect()
}

/// The options in a usage line.
fn options(usage: &str) -> BTreeSet<String> {
    let words = usage.split(|char: char| !(char.is_alphanumeric() || char == '-'));
    words.filter(|word| word.starts_with("--") && *word != "--help").map(str::to_owned).collect()
}

#[test]
fn the_reference_has_exactly_the_slash_commands() {
    let page = read("docs/commands.md");
    let listed = cells(&page, "## In Claude Code", "## Options of a debate");
    let mut names = BTreeSet::new();
    for entry in fs_err::read_dir(here().join("commands")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("/anvil:{}", path.file_stem().unwrap().to_string_lossy());
        let file = fs_err::read_to_string(&path).unwrap();
        let hint = file.lines().find(|line| line.starts_with("argument-hint")).unwrap();
        let row = listed.iter().find(|row| row.split(' ').next() == Some(&name));
        let row = row.unwrap_or_else(|| panic!("{name} is not in docs/commands.md"));
        // Its options have their own table.
        if name != "/anvil:debate" {
            assert_eq!(options(row), options(hint), "{name}");
        }
        names.insert(name);
    }
    let listed: BTreeSet<String> =
        listed.iter().map(|row| row.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(listed, names);
}

/// The options of a command, as its help lists them.
fn flags(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    // The text of an option may name another option.
    lines.flat_map(|line| options(line.split("  ").next().unwrap())).collect()
}

#[test]
fn the_reference_has_exactly_the_options_of_a_debate() {
    let listed = cells(&read("docs/commands.md"), "## Options of a debate", "## In a shell");
    let listed: BTreeSet<String> =
        listed.iter().map(|row| row.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(listed, flags(&Host::new().run(&["help", "start", "--all"]).stdout));
    for name in UserOptions::names() {
        assert!(listed.contains(&format!("--{name}")), "{name}");
    }
}

/// The shell's commands with their help, also those below another command.
fn shell_commands(host: &Host, below: &[&str]) -> Vec<(String, String)> {
    let names: Vec<String> = if below.is_empty() {
        verbs(host)
    } else {
        let help = host.run(&[&["help"], below].concat()).stdout;
        let list = help
            .split_once("Commands:\n")
            .map_or("", |(_, rest)| rest.split("\n\n").next().unwrap());
        let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
    };
    let mut all = Vec::new();
    for name in names {
        let path = [below, &[name.as_str()]].concat();
        let help = host.run(&[&["help", "--all"], &path[..]].concat()).stdout;
        if help.contains("<COMMAND>") {
            all.extend(shell_commands(host, &path));
        } else {
            all.push((path.join(" "), help));
        }
    }
    all
}

#[test]
fn the_reference_has_exactly_the_shell_commands_and_options() {
    let host = Host::new();
    let listed = cells(&read("docs/commands.md"), "## In a shell", "## Completions");
    let name_of = |row: &String| {
        let words = row.strip_prefix("anvil ").unwrap_or_else(|| panic!("{row} is not a command"));
        let is_name = |word: &&str| word.chars().all(|char| char.is_ascii_lowercase());
        words.split(' ').take_while(is_name).collect::<Vec<_>>().join(" ")
    };
    let mut names = BTreeSet::new();
    let of_debate = flags(&host.run(&["help", "start", "--all"]).stdout);
    for (name, help) in shell_commands(&host, &[]) {
        let row = listed.iter().find(|row| name_of(row) == name);
        let row = row.unwrap_or_else(|| panic!("anvil {name} is not in docs/commands.md"));
        // Its options are the options of a debate.
        if name == "run" || name == "step" {
            assert_eq!(&options(row) | &of_debate, flags(&help), "anvil {name}");
        } else if name != "start" {
            assert_eq!(options(row), flags(&help), "anvil {name}");
        }
        names.insert(name);
    }
    assert!(names.len() > 25, "{names:?}");
    assert_eq!(listed.iter().map(name_of).collect::<BTreeSet<_>>(), names);
}

/// The commands of a page: the lines of its blocks, and the spans of its prose, without a comment,
/// a redirection and the words of the grammar.
fn page_commands(text: &str) -> BTreeSet<String> {
    let is_command = |line: &str| line.starts_with("anvil ") || line.starts_with("/anvil:");
    let prose = prose(text);
    let outside: BTreeSet<usize> = prose.iter().map(|(at, _)| *at).collect();
    let lines = text.lines().enumerate().filter(|(at, _)| !outside.contains(&(at + 1)));
    let lines = lines.map(|(_, line)| line.trim().trim_start_matches("~/.claude/skills/anvil/"));
    let spans = prose.iter().flat_map(|(_, line)| line.split('`').skip(1).step_by(2));
    let all = lines.chain(spans).filter(|line| is_command(line));
    all.filter(|line| !line.contains(['[', '\u{2026}', '|']) && !line.starts_with("anvil ="))
        .map(|line| {
            let line = line.split(" #").next().unwrap().split("   ").next().unwrap();
            let line = line.split(['<', '>']).next().unwrap().trim();
            let words = line.split(' ').map(|word| match word {
                "N" => "2",
                "SHELL" => "bash",
                word => word,
            });
            words.collect::<Vec<_>>().join(" ").replace("anvil debate", "/anvil:debate")
        })
        .collect()
}

/// Asked for help after them, the program reads the words before, and refuses wrong ones.
#[test]
fn every_command_in_a_page_is_taken() {
    let host = Host::new();
    let (mut count, mut wrong) = (0, Vec::new());
    // Pages for contributors name commands that do not exist, or not yet.
    let is_for_users = |page: &PathBuf| {
        !page.ends_with("CONTRIBUTING.md") && !page.iter().any(|part| part == "adr")
    };
    for page in pages().into_iter().filter(is_for_users) {
        let text = fs_err::read_to_string(&page).unwrap();
        for command in page_commands(&text) {
            count += 1;
            let is_taken = if let Some(typed) = command.strip_prefix("/anvil:") {
                let (name, arguments) = typed.split_once(' ').unwrap_or((typed, ""));
                let read = anvil_command::Typed::parse(name, arguments);
                // A name alone speaks of the command.
                read.is_some_and(|read| arguments.is_empty() || read.is_ok())
            } else {
                let mut words = shlex::split(&command).unwrap().split_off(1);
                words.push("--help".to_owned());
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                // 3: it wants a debate.
                [0, 3].contains(&host.run(&words).code)
            };
            wrong.extend((!is_taken).then(|| format!("{}: {command}", page.display())));
        }
    }
    assert!(wrong.is_empty() && count > 100, "{count}: {wrong:#?}");
    let wrong = page_commands("It is `anvil run --rounds many`.");
    assert_eq!(wrong, ["anvil run --rounds many".to_owned()].into());
    assert_eq!(host.run(&["run", "--rounds", "many", "--help"]).code, 2);
}

#[test]
fn every_message_quoted_in_troubleshooting_exists() {
    // A text that continues in the next source line is one text.
    let joined =
        |text: &str| text.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = sources().iter().map(|source| joined(&source.code)).collect();
    let mut said = texts.join("\n");
    said += &joined(&read("commands/status.md"));
    said += &joined(&read("hooks/commands.json"));
    said += &joined(&read(".ci/selector"));
    for page in ["README.md", "docs/troubleshooting.md"] {
        let text = read(page);
        let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let quotes: Vec<&str> = cells.flat_map(|cell| cell.split('"').skip(1).step_by(2)).collect();
        assert!(quotes.len() > 1, "{page} is read wrongly");
        for part in quotes.iter().flat_map(|quote| quote.split('…')).map(str::trim) {
            assert!(said.contains(part), "{page} quotes {part:?}, which nothing says");
        }
    }
}

#[test]
fn the_readme_has_the_first_steps() {
    let readme = read("README.md");
    for command in [
        "cargo run -- demo",
        "cargo test",
        "/plugin install anvil@anvil",
        "/anvil:debate",
        "/anvil:resume",
    ] {
        assert!(readme.contains(command), "{command}");
    }
    // What the README shows is what the help shows first.
    let shown = cells(&readme, "| Option | Meaning |", "[All commands and options]");
    let shown: BTreeSet<String> = shown.iter().flat_map(|cell| options(cell)).collect();
    let help = Host::new().prompt("one", "/anvil:debate --help").reason().to_owned();
    assert_eq!(shown, flags(help.split("--help --all").next().unwrap()));
}

#[test]
fn every_path_named_for_contributors_exists() {
    let page = read("CONTRIBUTING.md");
    let spans = prose(&page).into_iter().flat_map(|(_, line)| line.split('`').skip(1).step_by(2));
    let is_path = |word: &&str| {
        ["src/", "crates/", "tests/", "docs/", "commands/", ".ci/"]
            .iter()
            .any(|root| word.starts_with(root))
    };
    // The contributor chooses a name in capitals.
    let paths: Vec<&str> = spans.filter(is_path).filter(|path| !path.contains("NAME")).collect();
    assert!(paths.len() > 8, "{paths:?}");
    for path in paths {
        assert!(here().join(path).exists(), "CONTRIBUTING.md names {path}");
    }
}

#[test]
fn each_kind_of_change_has_its_files() {
    let page = read("CONTRIBUTING.md");
    let part =
        page.split_once("## Where to change what\n").unwrap().1.split("\n## ").next().unwrap();
    let rows = part.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows: Vec<(&str, &str)> = rows.filter(|(kind, _)| *kind != "New").collect();
    for kind in ["check", "agent", "line at the end", "option", "field"] {
        let (_, files) = rows.iter().find(|(begin, _)| begin.starts_with(kind)).expect(kind);
        let files: Vec<&str> = files.split('`').skip(1).step_by(2).collect();
        assert!(
            files.iter().any(|file| file.starts_with("src/") || file.starts_with("crates/")),
            "{kind}: {files:?}"
        );
        for file in files {
            assert!(here().join(file).is_file(), "{kind}: there is no {file}");
        }
    }
}

/// The files that can hold a test with this name: `room::test` is below `tests/it`, `src` and the
/// crates; `mcp room::test` and `e2e room::test` are below their own folders.
fn files_of(test: &str) -> Vec<PathBuf> {
    let of_crates = |below: &str| {
        let all = super::code::crates().into_iter();
        all.map(|package| format!("crates/{package}/{below}")).collect::<Vec<_>>()
    };
    let (roots, rest) = match test.split_once(' ') {
        Some(("e2e", rest)) => (vec!["tests/e2e".to_owned()], rest),
        Some(("mcp", rest)) => (vec!["crates/anvil-mcp/tests".to_owned()], rest),
        _ => {
            let own = ["tests/it", "src", "src/cli/tests", "crates/testkit/src"];
            let own = own.map(str::to_owned).into_iter();
            let of_crates =
                ["src", "src/tests", "tests", "tests/it"].into_iter().flat_map(of_crates);
            (own.chain(of_crates).collect(), test)
        }
    };
    let parts: Vec<&str> = rest.split("::").collect();
    let path = parts[..parts.len() - 1].join("/");
    let (first, inside) = path.split_once('/').unwrap_or((&path, "lib"));
    let own = here().join(format!("crates/anvil-{first}/src")).join(inside);
    let folders = roots.iter().map(|root| here().join(root).join(&path)).chain([own]);
    let files = |room: PathBuf| {
        let parent = room.parent().map(|parent| parent.join("mod.rs"));
        let own = [room.with_extension("rs"), room.join("mod.rs"), room.join("main.rs")];
        own.into_iter().chain(parent)
    };
    folders.flat_map(files).filter(|file| file.is_file()).collect()
}

#[test]
fn every_test_named_in_a_page_exists() {
    for (page, least) in [("docs/threats.md", 40), ("ARCHITECTURE.md", 13)] {
        let text = read(page);
        let names =
            prose(&text).into_iter().flat_map(|(_, line)| line.split('`').skip(1).step_by(2));
        let names: Vec<&str> =
            names.filter(|word| word.contains("::") && !word.ends_with('…')).collect();
        assert!(names.len() >= least, "{page} is read wrongly: {names:?}");
        for name in names {
            let function = format!("fn {}(", name.rsplit("::").next().unwrap());
            let files = files_of(name);
            let has_it = |path: &PathBuf| {
                fs_err::read_to_string(path).is_ok_and(|text| text.contains(&function))
            };
            assert!(files.iter().any(has_it), "{page}: {name} is in none of {files:?}");
        }
    }
}

#[test]
fn the_library_page_names_every_type_and_function() {
    let page = read("docs/library.md");
    let root = read("src/lib.rs");
    let exports: Vec<&str> =
        root.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()).collect();
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|char: char| !(char.is_alphanumeric() || char == '_'))
            .map(str::to_owned)
            .collect()
    };
    let is_type = |word: &String| word.starts_with(char::is_uppercase) && word != "Self";
    let known = words(&page);
    let types: Vec<String> = words(&exports.join(" ")).into_iter().filter(is_type).collect();
    assert!(types.len() > 15, "{types:?}");
    let calls = ["debate", "error", "files", "ledger", "setup"]
        .map(|file| read(&format!("src/api/{file}.rs")))
        .concat();
    let calls = calls
        .split("    pub fn ")
        .skip(1)
        .filter_map(|rest| rest.split(['(', '<']).next())
        .map(str::to_owned);
    for name in types.into_iter().chain(calls) {
        assert!(known.contains(&name), "docs/library.md does not name {name}");
    }
}
