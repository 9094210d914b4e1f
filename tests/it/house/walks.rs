//! The walks and the map in ARCHITECTURE.md: every function in them exists, and the map names every
//! file.

use super::code::sources;

#[test]
fn a_walk_names_existing_functions() {
    let page = include_str!("../../../ARCHITECTURE.md");
    let walks = page.split_once("## Four walks").unwrap().1.split("\n## ").next().unwrap();
    let blocks: Vec<&str> =
        walks.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 4);
    for line in blocks.iter().flat_map(|block| block.lines()) {
        let step = line.split_whitespace().next().unwrap();
        let (path, function) = step.split_once("::").unwrap_or_else(|| panic!("{step}"));
        let source = sources().iter().find(|source| source.place == path);
        let code = &source.unwrap_or_else(|| panic!("{step}")).code;
        let begins = [format!("fn {function}("), format!("fn {function}<")];
        assert!(begins.iter().any(|begin| code.contains(begin)), "{step} is not there");
    }
}

/// The map: the text of each room, in order.
fn map() -> Vec<(String, String)> {
    let page = include_str!("../../../ARCHITECTURE.md");
    let part = page.split_once("## Crates\n").unwrap().1.split("\n## ").next().unwrap();
    let blocks = part.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap());
    let mut rooms: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.split_once(char::is_whitespace) {
            Some((name, text)) if !line.starts_with(' ') => {
                let name = name.trim_end_matches('/').trim_end_matches(".rs");
                rooms.push((name.to_owned(), text.to_owned()));
            }
            _ => rooms.last_mut().unwrap().1.push_str(line),
        }
    }
    rooms
}

#[test]
fn the_map_names_every_room_and_every_file_in_it() {
    let map = map();
    let mut missing = Vec::new();
    for source in sources() {
        let Some((room, below)) = source.place.split_once('/') else { continue };
        let name = below.rsplit('/').next().unwrap();
        let (_, text) =
            map.iter().find(|(known, _)| known == room).unwrap_or_else(|| panic!("{room}"));
        let says = text
            .split(|char: char| !(char.is_alphanumeric() || char == '_'))
            .any(|word| word == name);
        if !says && !source.path.ends_with("/mod.rs") {
            missing.push(&source.path);
        }
    }
    assert_eq!(missing, Vec::<&String>::new());
    let has_sources = |room: &str| {
        let is_in = |place: &str| {
            place.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        sources().iter().any(|source| is_in(&source.place))
    };
    let gone: Vec<&String> =
        map.iter().map(|(room, _)| room).filter(|room| !has_sources(room)).collect();
    assert_eq!(gone, Vec::<&String>::new());
}
