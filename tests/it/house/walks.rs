//! The walks in ARCHITECTURE.md: every function in them exists, and none goes up.

use super::code::sources;
use super::layers::{LAYERS, layer};

#[test]
fn a_walk_names_existing_functions_and_only_goes_down() {
    let page = include_str!("../../../ARCHITECTURE.md");
    let walks = page.split_once("## Four walks").unwrap().1.split("\n## ").next().unwrap();
    let blocks: Vec<&str> =
        walks.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 4);
    let sources = &sources().files;
    for block in blocks {
        // The call structure: the depth of a line, and its room.
        let mut callers: Vec<(usize, usize)> = Vec::new();
        for line in block.lines() {
            let step = line.split_whitespace().next().unwrap();
            let depth = line.len() - line.trim_start().len();
            let (path, function) = step.split_once("::").unwrap_or_else(|| panic!("{step}"));
            let source = sources.iter().find(|source| source.place.join("/") == path);
            let code = &source.unwrap_or_else(|| panic!("{step}")).code;
            let begins = [format!("fn {function}("), format!("fn {function}<")];
            assert!(begins.iter().any(|begin| code.contains(begin)), "{step} is not there");
            let room = layer(path.split('/').next().unwrap());
            callers.retain(|(above, _)| *above < depth);
            if let Some((_, caller)) = callers.last() {
                assert!(room >= *caller, "{step} is called from below");
            }
            callers.push((depth, room));
        }
    }
}

/// The map: the text of each room, in order.
fn map() -> Vec<(String, String)> {
    let page = include_str!("../../../ARCHITECTURE.md");
    let block = page.split_once("## Rooms\n\n```text\n").unwrap().1.split("```").next().unwrap();
    let mut rooms: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match line.split_once(char::is_whitespace) {
            Some((name, text)) if !line.starts_with(' ') => {
                rooms.push((
                    name.trim_end_matches('/').trim_end_matches(".rs").to_owned(),
                    text.to_owned(),
                ));
            }
            _ => rooms.last_mut().unwrap().1.push_str(line),
        }
    }
    rooms
}

#[test]
fn the_map_names_every_room_and_every_file_in_it() {
    let map = map();
    let names: Vec<&str> = map.iter().map(|(name, _)| name.as_str()).collect();
    let mut rooms = LAYERS.concat();
    rooms.retain(|room| *room != "lib");
    rooms.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, rooms);
    let mut missing = Vec::new();
    for source in &sources().files {
        let Some((room, below)) = source.place.split_first() else { continue };
        let Some(name) = below.last() else { continue };
        let (_, text) = map.iter().find(|(known, _)| known == room).unwrap();
        let says = text
            .split(|char: char| !(char.is_alphanumeric() || char == '_'))
            .any(|word| word == name);
        if !says && !source.path.ends_with("/mod.rs") {
            missing.push(&source.path);
        }
    }
    assert_eq!(missing, Vec::<&String>::new());
}
