//! ARCHITECTURE.md and the heads of the crates: what they name is there, and every file is named.

use super::code::{Source, crates, sources};
use super::read;

/// The text of a section of ARCHITECTURE.md.
fn section(heading: &str) -> String {
    let page = read("ARCHITECTURE.md");
    let (_, after) = page.split_once(&format!("## {heading}\n")).expect(heading);
    after.split("\n## ").next().unwrap().to_owned()
}

/// The lines of the drawing in a section.
fn drawing(heading: &str) -> Vec<String> {
    let section = section(heading);
    let (_, after) = section.split_once("```text\n").expect(heading);
    after.split("```").next().unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_architecture_takes_two_pages() {
    let words = read("ARCHITECTURE.md").split_whitespace().count();
    assert!(words <= 1_800, "{words} words");
    assert_eq!(section("Twelve types").matches("\n| [`").count(), 12);
}

#[test]
fn a_walk_names_existing_functions() {
    for heading in ["A Stop", "A run"] {
        let lines = drawing(heading);
        assert!(lines.len() <= 12, "{heading}");
        for line in lines {
            let step = line.split_whitespace().next().unwrap();
            let (path, function) = step.split_once("::").unwrap_or_else(|| panic!("{step}"));
            let source = sources().iter().find(|source| source.place == path);
            let code = &source.unwrap_or_else(|| panic!("{step}")).code;
            let begins = [format!("fn {function}("), format!("fn {function}<")];
            assert!(begins.iter().any(|begin| code.contains(begin)), "{step} is not there");
        }
    }
}

/// A crate stands above those that it uses, and has a star if it is pure.
#[test]
fn the_drawing_of_the_crates_is_that_of_their_manifests() {
    let lines = drawing("Crates");
    let line_of = |package: &str| {
        let is_its_line = |line: &String| line.split_whitespace().any(|word| word == package);
        lines.iter().position(is_its_line).unwrap_or_else(|| panic!("{package} is not drawn"))
    };
    for package in crates() {
        let manifest = read(&format!("crates/{package}/Cargo.toml"));
        for used in super::dependencies(&manifest, "dependencies") {
            if used.starts_with("anvil-") {
                assert!(line_of(&package) < line_of(&used), "{package} uses {used}");
            }
        }
        let is_pure = read("crates/pure.toml");
        let settings = read_if_there(&format!("crates/{package}/clippy.toml"));
        let is_drawn_pure = lines[line_of(&package)].contains(&format!("{package} *"));
        assert_eq!(settings.is_some_and(|text| text == is_pure), is_drawn_pure, "{package}");
    }
}

fn read_if_there(path: &str) -> Option<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs_err::read_to_string(root.join(path)).ok()
}

/// The comment at the beginning of a file.
fn head(code: &str) -> String {
    code.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n")
}

/// The names of the modules that a head links: `[`name`]`, or `[`words`](path::name)`.
fn linked(head: &str) -> Vec<&str> {
    let is_of_name = |char: char| char.is_alphanumeric() || char == '_';
    let after_brackets = head.split('[').skip(1);
    after_brackets.flat_map(|link| link.split([']', ')']).take(2)).fold(
        Vec::new(),
        |mut names, link| {
            names.extend(link.split(|char| !is_of_name(char)));
            names
        },
    )
}

/// The head of the crate, or of a folder around the file, links it.
#[test]
fn the_head_of_a_crate_names_each_of_its_files() {
    let mut missing = Vec::new();
    for Source { path, .. } in sources() {
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let (folder, name) = module.rsplit_once('/').unwrap();
        if ["lib", "main"].contains(&name) || ["src/api", "src/cli", "src/hook"].contains(&module) {
            continue;
        }
        let around: Vec<&str> = std::iter::successors(Some(folder), |folder| {
            folder.rsplit_once('/').map(|(above, _)| above)
        })
        .collect();
        let is_head = |source: &&Source| {
            let (place, file) = source.path.rsplit_once('/').unwrap();
            around.contains(&place) && ["lib.rs", "main.rs", "mod.rs"].contains(&file)
        };
        let is_linked = |source: &Source| linked(&head(&source.code)).contains(&name);
        if !sources().iter().filter(is_head).any(is_linked) {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
