//! The drawings of ARCHITECTURE.md: what they name is there.

use super::code::{crates, sources};
use super::read;

/// The text of a section of ARCHITECTURE.md.
fn section(heading: &str) -> String {
    let page = read("ARCHITECTURE.md");
    let (_, after) = page.split_once(&format!("## {heading}\n")).expect(heading);
    after.split("\n## ").next().unwrap().to_owned()
}

/// The lines of the last drawing in a section.
fn drawing(heading: &str) -> Vec<String> {
    let section = section(heading);
    let (_, after) = section.rsplit_once("```text\n").expect(heading);
    after.split("```").next().unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_walk_names_existing_functions() {
    for heading in ["A Stop", "A run"] {
        for line in drawing(heading) {
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
