//! The house: which room may know which, and what every room promises.

mod circles;
mod documents;
mod walks;

use std::path::{Path, PathBuf};

/// The rooms from the doors down. A room may know those after it in this list, and itself.
const ROOMS: [&str; 27] = [
    "mcp",
    "cli",
    "hook",
    "run",
    "api",
    "messages",
    "engine",
    "context",
    "forge",
    "report",
    "body",
    "seats",
    "tasks",
    "prompt",
    "library",
    "state",
    "process",
    "reply",
    "ledger",
    "transcript",
    "command",
    "debate",
    "journal",
    "world",
    "disk",
    "text",
    "error",
];
/// What every room may know.
const KNOWN_TO_ALL: [&str; 2] = ["world", "error"];
/// Rooms that touch nothing outside of the program.
const PURE: [&str; 14] = [
    "messages",
    "report",
    "body",
    "seats",
    "tasks",
    "prompt",
    "reply",
    "ledger",
    "journal",
    "transcript",
    "command",
    "debate",
    "text",
    "error",
];

fn sources() -> Vec<(String, PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &mut found);
    let room_of = |path: &Path| {
        let first =
            path.strip_prefix(&root).unwrap().components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    found.into_iter().map(|path| (room_of(&path), path.clone(), fs_err::read_to_string(&path).unwrap())).collect()
}

/// The code of a file without its tests.
fn code(text: &str) -> &str {
    let tests = ["#[cfg(test)]\nmod tests", "#[cfg(test)]\npub(super) mod tests"];
    let begins = tests.iter().filter_map(|begin| text.find(begin)).min();
    &text[..begins.unwrap_or(text.len())]
}

#[test]
fn rooms_know_only_the_rooms_below() {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    for (room, path, text) in sources() {
        let Some(own) = place(&room) else {
            assert!(room == "lib" || room == "main", "{room} is not on the map");
            continue;
        };
        for known in code(&text).match_indices("crate::").map(|(at, word)| &text[at + word.len()..]) {
            let known: String = known.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            let Some(other) = place(&known) else { panic!("{}: crate::{known} is not a room", path.display()) };
            assert!(other >= own || KNOWN_TO_ALL.contains(&known.as_str()), "{} knows {known}", path.display());
        }
    }
}

#[test]
fn pure_rooms_touch_nothing_and_only_disk_writes() {
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
    for (room, path, text) in sources() {
        let code = code(&text);
        if PURE.contains(&room.as_str()) && room != "error" {
            for word in impure {
                assert!(!code.contains(word), "{} uses {word}", path.display());
            }
        }
        if room != "disk" {
            // That of the head is not that of the file system.
            let code = code.replace("frontmatter::write(", "");
            for word in writing {
                assert!(!code.contains(word), "{} uses {word}", path.display());
            }
        }
        if room != "process" {
            for word in ["Command::new(", "process::Child", ".spawn()"] {
                assert!(!code.contains(word), "{} runs a program without a time limit: {word}", path.display());
            }
        }
        if room != "hook" && room != "cli" {
            for word in ["hookSpecificOutput", "hook_event_name", "last_assistant_message"] {
                assert!(!code.contains(word), "{} knows the client's {word}", path.display());
            }
        }
    }
}

/// The library reads the clock where a debate is made or loaded, and touches files where it is saved or loaded.
#[test]
fn the_library_is_pure_but_for_its_files() {
    let mut clocks = 0;
    for (_, path, text) in sources().into_iter().filter(|(room, ..)| room == "api") {
        let code = code(&text);
        clocks += code.matches("Timestamp::now()").count();
        if !path.ends_with("files.rs") {
            for word in ["std::fs", "fs_err", "std::env", "std::io", "World", "Disk", "Store", "read_file", "Engine"] {
                assert!(!code.contains(word), "{} uses {word}", path.display());
            }
        }
    }
    assert_eq!(clocks, 2);
}

#[test]
fn every_file_says_what_it_is_and_keeps_its_promises() {
    for (_, path, text) in sources() {
        let name = path.display();
        assert!(text.starts_with("//! "), "{name} does not open with what it is");
        for word in ["unsafe ", ".unwrap()", "todo!", "dbg!", "unimplemented!"] {
            assert!(!code(&text).contains(word), "{name} has {word}");
        }
        assert!(code(&text).lines().count() <= 420, "{name} is too long for one noun");
    }
}

/// Outcomes are data: what the user reads of them is made above, and an error is its own text.
#[test]
fn nothing_below_the_messages_words_an_outcome() {
    let below = ROOMS.iter().position(|room| *room == "messages").unwrap() + 1;
    // Labels of what a debate, a claim and an issue are called, and errors.
    let named = ["Slot", "Seat", "Id", "Issue<'_>", "Error", "BodyError", "ProcessError"];
    let mut errors_and_labels = 0;
    for (room, path, text) in sources() {
        let code = code(&text);
        if ROOMS[below..].contains(&room.as_str()) {
            for of in code.split("Display for ").skip(1).filter_map(|rest| rest.split(" {").next()) {
                assert!(named.contains(&of), "{}: {of} words itself", path.display());
                errors_and_labels += 1;
            }
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains("\"Anvil: "), "{}: {}", path.display(), line.trim());
            }
        } else if room != "messages" {
            assert!(!code.contains("\"Anvil: "), "{} words an answer itself", path.display());
        }
    }
    assert_eq!(errors_and_labels, named.len());
}

#[test]
fn the_state_machine_has_no_arm_for_the_rest() {
    let text = fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/debate/advance.rs")).unwrap();
    assert!(!code(&text).contains("_ =>"));
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
        let mut wanted: Vec<&str> = lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
        let cells = listed.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let mut found: Vec<&str> = cells.map(|(name, _)| name).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert!(wanted.len() > 4, "Cargo.toml is read wrongly");
        assert_eq!(found, wanted, "{kind}");
    }
}

/// Where a debate stands and whose it is change by the methods of `debate/` alone.
#[test]
fn only_the_debate_itself_writes_its_progress_and_ownership() {
    for (room, path, text) in sources() {
        if room == "debate" {
            continue;
        }
        for (at, line) in code(&text).lines().enumerate() {
            for (place, word) in line.match_indices(".progress.").chain(line.match_indices(".ownership.")) {
                let rest =
                    line[place + word.len()..].trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
                let rest = rest.trim_start();
                let assigns = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
                let changes = [".clear(", ".take(", ".push", ".insert", ".replace(", ".clone_from(", "+=", "-="];
                let is_written = assigns || changes.iter().any(|change| rest.starts_with(change));
                let is_lent =
                    line[..place].rfind("&mut ").is_some_and(|lent| !line[lent..place].contains([',', '(', ')']));
                assert!(!is_written && !is_lent, "{}:{}: {}", path.display(), at + 1, line.trim());
            }
        }
    }
}
