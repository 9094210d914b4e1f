//! The rules of the house that no compiler checks.

mod code;
mod commands;
mod documents;
mod walks;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use code::{Source, crates, rust_files, sources};

/// The crates that are not below the messages.
const NOT_BELOW_MESSAGES: [&str; 4] = ["anvil-messages", "anvil-run", "anvil-hook", "anvil-mcp"];

/// The files below one of these places: `["cli", "core/debate"]`.
fn is_in(source: &Source, rooms: &[&str]) -> bool {
    rooms.iter().any(|room| {
        source.place.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn read(path: &str) -> String {
    fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The names in the tables of a `Cargo.toml` that end with `dependencies]`, or in the one of this
/// kind.
fn dependencies(manifest: &str, kind: &str) -> BTreeSet<String> {
    assert!(!manifest.contains("dependencies."), "one line for each dependency: {manifest}");
    let is_ours = |table: &&str| {
        let head = table.lines().next().unwrap_or_default();
        let is_kind = head == format!("{kind}]") || head.ends_with(&format!(".{kind}]"));
        is_kind && !head.starts_with("workspace.")
    };
    let lines = manifest.split("\n[").filter(is_ours).flat_map(|table| table.lines().skip(1));
    let names = lines.filter_map(|line| line.split(['.', ' ']).next());
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()
}

/// Functions, constants, statics and modules. A type may be public for a signature alone.
#[test]
fn nothing_is_public_that_no_other_crate_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A crate, its tests and the package at the top each count as another one.
    let mut folders =
        ["src", "tests", "benches"].map(|folder| (String::new(), folder.to_owned())).to_vec();
    for package in crates().into_iter().chain(["testkit".to_owned()]) {
        folders.push((package.clone(), format!("crates/{package}/src")));
        folders.push((format!("{package}/tests"), format!("crates/{package}/tests")));
    }
    let texts: Vec<(String, String)> = folders
        .iter()
        .filter(|(_, folder)| root.join(folder).is_dir())
        .flat_map(|(package, folder)| {
            let files = rust_files(&root.join(folder)).into_iter();
            files.map(move |path| (package.clone(), fs_err::read_to_string(path).unwrap()))
        })
        .collect();
    let public = sources().iter().filter_map(|Source { path, code, .. }| {
        let package = path.strip_prefix("crates/")?.split('/').next()?;
        let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix("pub "));
        Some(lines.filter_map(defined).map(move |name| (name, package, path)))
    });
    let public: Vec<(&str, &str, &String)> = public.flatten().collect();
    let mut users: HashMap<&str, HashSet<&str>> =
        public.iter().map(|(name, ..)| (*name, HashSet::new())).collect();
    for (package, text) in &texts {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        for word in code.flat_map(|line| line.split(|char: char| !is_of_name(char))) {
            if let Some(users) = users.get_mut(word) {
                users.insert(package);
            }
        }
    }
    let is_named = |name: &str, package: &str| users[name].iter().any(|user| *user != package);
    let needless = public.iter().filter(|(name, package, _)| !is_named(name, package));
    let needless: Vec<String> = needless.map(|(name, _, path)| format!("{path}: {name}")).collect();
    assert!(public.len() > 500 && needless.is_empty(), "{needless:#?}");
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The name that a line defines after its `pub`; none for a type, a field and an import.
fn defined(line: &str) -> Option<&str> {
    let line = line.strip_prefix("const fn ").map_or(line, |_| &line["const ".len()..]);
    let (kind, after) = line.split_once(' ')?;
    let name = after.split(|char: char| !is_of_name(char)).next()?;
    ["fn", "const", "static", "mod"].contains(&kind).then_some(name)
}

#[test]
fn the_defined_name_of_a_line_is_found() {
    for (line, name) in [
        ("fn go(self) -> u8 {", Some("go")),
        ("const fn new() -> Self {", Some("new")),
        ("const MOST: u8 = 1;", Some("MOST")),
        ("mod disk;", Some("disk")),
        ("struct Disk {", None),
        ("name: String,", None),
        ("use a::{b, c};", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
}

/// The library reads the clock when it makes or loads a debate, and touches files when it saves or
/// loads one.
#[test]
fn the_library_is_pure_but_for_its_files() {
    let mut clocks = 0;
    for Source { path, code, .. } in sources().iter().filter(|one| is_in(one, &["api"])) {
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
fn every_file_has_a_header() {
    for Source { path, code, .. } in sources() {
        assert!(code.starts_with("//! "), "{path} does not open with what it is");
    }
}

#[test]
fn only_the_doors_know_the_json_of_claude_code() {
    for source in sources().iter().filter(|source| !is_in(source, &["hook", "cli"])) {
        for word in ["hookSpecificOutput", "hook_event_name", "last_assistant_message"] {
            assert!(!source.code.contains(word), "{} knows the client's {word}", source.path);
        }
    }
}

/// Outcomes are data: the layer above writes the user's messages, and an error is its own text.
#[test]
fn no_layer_below_the_messages_writes_messages() {
    // Labels of a debate, a claim, a line and an issue; the verb and the words of a command.
    let labels = ["Place", "Seat", "Id", "Key", "Issue<'_>", "StopReason", "Command"];
    // The texts of names in records, and the reasons why a name is unreadable.
    let stored = ["RunId", "BootId", "Turn", "Generation", "Slot"];
    let named = [labels.as_slice(), stored.as_slice(), &["Error"]].concat();
    // An error is worded where it is made.
    let errors = ["Damage", "Refused", "Wrong", "NoVerdict", "PastDay"];
    let mut found = 0;
    let below: Vec<String> =
        crates().into_iter().filter(|name| !NOT_BELOW_MESSAGES.contains(&name.as_str())).collect();
    let below: Vec<&str> = below.iter().filter_map(|name| name.strip_prefix("anvil-")).collect();
    for source in sources() {
        let Source { path, code, .. } = source;
        if is_in(source, &below) {
            let displays = code.split("Display for ").skip(1);
            for of in displays.filter_map(|rest| rest.split(" {").next()) {
                assert!(named.contains(&of), "{path}: {of} words itself");
                found += 1;
            }
            let worded = code.split("thiserror::Error)]").skip(1);
            for rest in worded {
                let kind = ["enum ", "struct "].iter().filter_map(|kind| rest.split_once(kind));
                let (_, name) = kind.min_by_key(|(before, _)| before.len()).unwrap();
                let of = name.split(|char| !is_of_name(char)).next().unwrap();
                let is_error = of.ends_with("Error") || errors.contains(&of);
                assert!(is_error, "{path}: {of} words itself");
            }
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains("\"Anvil: "), "{path}: {}", line.trim());
            }
        } else if !is_in(source, &["messages"]) {
            assert!(!code.contains("\"Anvil: "), "{path} words an answer itself");
        }
    }
    assert_eq!(found, named.len());
}

#[test]
fn the_state_machine_has_no_wildcard_arm() {
    let source = sources().iter().find(|one| one.place == "core/place/advance");
    assert!(!source.unwrap().code.contains("_ =>"));
}

/// The core has floors: a module uses only those that `lib.rs` lists before it.
#[test]
fn no_module_of_the_core_uses_one_above_it() {
    let sources = sources().iter().filter(|source| is_in(source, &["core"]));
    let (root, files): (Vec<&Source>, Vec<&Source>) = sources.partition(|one| one.place == "core");
    let lines =
        root[0].code.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    let floors: Vec<&str> = lines.collect();
    let floor_of = |module: &str| floors.iter().position(|floor| *floor == module).unwrap();
    let mut uses = 0;
    for Source { place, path, code } in files {
        let own = floor_of(place.split('/').nth(1).unwrap());
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for used in lines.flat_map(|line| line.split("crate::").skip(1)) {
            let module = used.split(|char: char| !is_of_name(char)).next().unwrap();
            assert!(floor_of(module) <= own, "{path} uses {module}, which comes later");
            uses += 1;
        }
    }
    assert!(floors.len() > 9 && uses > 50, "{floors:?}");
}

#[test]
fn every_dependency_is_listed_with_its_reason() {
    let of_crate = |package: String| read(&format!("crates/{package}/Cargo.toml"));
    let mut manifests: Vec<String> = crates().into_iter().map(of_crate).collect();
    manifests.push(read("Cargo.toml"));
    let of = |kind: &str| -> BTreeSet<String> {
        let names = manifests.iter().flat_map(|manifest| dependencies(manifest, kind));
        names.filter(|name| !name.starts_with("anvil-") && name != "testkit").collect()
    };
    let in_program = of("dependencies");
    let used =
        &of("dev-dependencies") | &dependencies(&read("crates/testkit/Cargo.toml"), "dependencies");
    let is_for_tests = |name: &&String| !in_program.contains(*name) && !name.starts_with("anvil-");
    let in_tests: BTreeSet<String> = used.iter().filter(is_for_tests).cloned().collect();
    let list = read("docs/dependencies.md");
    let (listed, listed_tests) = list.split_once("## In the tests alone").unwrap();
    for (wanted, listed) in [(in_program, listed), (in_tests, listed_tests)] {
        let cells = listed.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let found: BTreeSet<String> = cells.map(|(name, _)| name.to_owned()).collect();
        assert!(wanted.len() > 4, "a Cargo.toml is read wrongly");
        assert_eq!(found, wanted);
    }
}
