//! The rules of the house: which room may know which, and what holds in every room.

mod code;
mod commands;
mod documents;
mod functions;
mod layers;
mod options;
mod walks;

use std::path::Path;

use code::{Source, sources};
use layers::layer;

/// Rooms, or files of a room, that touch nothing outside the program.
const PURE: &[&str] =
    &["messages", "report", "storage/issue_body", "seats/agents", "seats/prompt", "domain", "text"];
/// The only file that writes files.
const WRITES: &str = "system/disk";
/// The only room that runs programs.
const RUNS: &str = "system/process";
/// The rooms that know the JSON of Claude Code.
const CLIENT: &[&str] = &["hook", "cli"];
/// The only room that changes the progress and the owner of a debate.
const DEBATE: &str = "domain/debate";

/// The files below one of these paths: `["cli", "domain/debate"]`.
fn is_in(source: &Source, rooms: &[&str]) -> bool {
    let place = source.place.join("/");
    rooms.iter().any(|room| {
        place.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[test]
fn pure_rooms_do_no_io_and_only_disk_writes() {
    let impure = [
        "std::fs",
        "fs_err",
        "std::env",
        "std::io",
        "std::process",
        "Timestamp::now",
        "std::net",
        "Instant",
        "SystemTime",
    ];
    let writing = [
        "::write(",
        "File::create",
        "OpenOptions",
        "remove_file",
        "remove_dir",
        "::rename(",
        "create_dir",
        "set_permissions",
    ];
    for source in &sources().files {
        let Source { path, code, .. } = source;
        if is_in(source, PURE) {
            for word in impure {
                assert!(!code.contains(word), "{path} uses {word}");
            }
        }
        if !is_in(source, &[WRITES]) {
            // `read` of the head is not a read of the file system.
            let code = code.replace("frontmatter::write(", "");
            for word in writing {
                assert!(!code.contains(word), "{path} uses {word}");
            }
        }
        if !is_in(source, &[RUNS]) {
            for word in ["Command::new(", "process::Child", ".spawn()"] {
                assert!(!code.contains(word), "{path} runs a program without a limit: {word}");
            }
        }
        if !is_in(source, CLIENT) {
            for word in ["hookSpecificOutput", "hook_event_name", "last_assistant_message"] {
                assert!(!code.contains(word), "{path} knows the client's {word}");
            }
        }
    }
}

/// Programs in JavaScript print half a surrogate pair, which `serde_json` rejects.
#[test]
fn json_is_read_in_one_place() {
    for Source { path, code, .. } in &sources().files {
        for word in [
            "serde_json::from_str",
            "serde_json::from_slice",
            "from_reader(",
            "Deserializer::from_",
        ] {
            let is_there = code.contains(word);
            assert!(!is_there || path == "src/text/json.rs", "{path} reads JSON by itself: {word}");
        }
    }
}

/// The library reads the clock when it makes or loads a debate, and touches files when it saves or
/// loads one.
#[test]
fn the_library_is_pure_but_for_its_files() {
    let mut clocks = 0;
    for Source { path, code, .. } in sources().files.iter().filter(|one| is_in(one, &["api"])) {
        clocks += code.matches("Timestamp::now()").count();
        if !path.ends_with("files.rs") {
            for word in [
                "std::fs",
                "fs_err",
                "std::env",
                "std::io",
                "World",
                "Disk",
                "Store",
                "read_file",
                "Context<",
                "Context::new",
            ] {
                assert!(!code.contains(word), "{path} uses {word}");
            }
        }
    }
    assert_eq!(clocks, 2);
}

#[test]
fn every_file_has_a_header_and_follows_the_code_rules() {
    let mut too_long = Vec::new();
    for Source { path, code, .. } in &sources().files {
        assert!(code.starts_with("//! "), "{path} does not open with what it is");
        for word in ["unsafe ", ".unwrap()", "todo!", "dbg!", "unimplemented!"] {
            assert!(!code.contains(word), "{path} has {word}");
        }
        too_long.extend(Some((path, code.lines().count())).filter(|(_, lines)| *lines > 450));
    }
    assert!(too_long.is_empty(), "too long for one noun: {too_long:?}");
}

/// Outcomes are data: the layer above writes the user's messages, and an error is its own text.
#[test]
fn no_layer_below_the_messages_writes_messages() {
    // Labels of a debate, a claim, a line and an issue.
    let labels = ["Place", "Seat", "Id", "Key", "Issue<'_>"];
    let errors = ["Error", "BodyError", "ProcessError", "NoVerdict"];
    // The texts of names in records, and the reasons why a name is unreadable.
    let stored = ["RunId", "BootId", "Turn", "Generation"];
    let named = [labels.as_slice(), errors.as_slice(), stored.as_slice()].concat();
    let mut errors_and_labels = 0;
    for source in &sources().files {
        let Source { path, code, .. } = source;
        if layer(source.place.first().map_or("lib", String::as_str)) > layer("messages") {
            let displays = code.split("Display for ").skip(1);
            for of in displays.filter_map(|rest| rest.split(" {").next()) {
                assert!(named.contains(&of), "{path}: {of} words itself");
                errors_and_labels += 1;
            }
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains("\"Anvil: "), "{path}: {}", line.trim());
            }
        } else if !is_in(source, &["messages"]) {
            assert!(!code.contains("\"Anvil: "), "{path} words an answer itself");
        }
    }
    assert_eq!(errors_and_labels, named.len());
}

#[test]
fn the_state_machine_has_no_wildcard_arm() {
    let machine = format!("{DEBATE}/advance");
    let source = sources().files.iter().find(|one| one.place.join("/") == machine);
    assert!(!source.unwrap().code.contains("_ =>"));
}

#[test]
fn every_dependency_is_listed_with_its_reason() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cargo = fs_err::read_to_string(here.join("Cargo.toml")).unwrap();
    let list = fs_err::read_to_string(here.join("docs/dependencies.md")).unwrap();
    let (in_program, in_tests) = list.split_once("## In the tests alone").unwrap();
    for (kind, listed) in [("dependencies", in_program), ("dev-dependencies", in_tests)] {
        let is_ours = |table: &&str| {
            let head = table.lines().next().unwrap_or_default();
            head == format!("{kind}]") || head.ends_with(&format!(".{kind}]"))
        };
        let lines = cargo.split("\n[").filter(is_ours).flat_map(|table| table.lines().skip(1));
        let mut wanted: Vec<&str> =
            lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
        let cells = listed.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let mut found: Vec<&str> = cells.map(|(name, _)| name).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert!(wanted.len() > 4, "Cargo.toml is read wrongly");
        assert_eq!(found, wanted, "{kind}");
    }
}

/// Only the methods of `debate/` change the progress and the owner of a debate.
#[test]
fn only_the_debate_itself_writes_its_progress_and_ownership() {
    for Source { path, code, .. } in sources().files.iter().filter(|one| !is_in(one, &[DEBATE])) {
        for (at, line) in code.lines().enumerate() {
            for (place, word) in
                line.match_indices(".progress.").chain(line.match_indices(".ownership."))
            {
                let rest = line[place + word.len()..]
                    .trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
                let rest = rest.trim_start();
                let assigns =
                    rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
                let changes = [
                    ".clear(",
                    ".take(",
                    ".push",
                    ".insert",
                    ".replace(",
                    ".clone_from(",
                    "+=",
                    "-=",
                ];
                let is_written = assigns || changes.iter().any(|change| rest.starts_with(change));
                let is_lent = line[..place]
                    .rfind("&mut ")
                    .is_some_and(|lent| !line[lent..place].contains([',', '(', ')']));
                assert!(!is_written && !is_lent, "{path}:{}: {}", at + 1, line.trim());
            }
        }
    }
}
