//! No circle inside a room: no module knows itself by way of its siblings. What a room's `mod.rs` exports from one of them is that
//! one's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{code, sources};

/// A path of the code, and the name by which it is known after it: its alias, or its last part.
type Named = (Vec<String>, String);

/// Where a file stands among the modules: `state/lock.rs` is `state::lock`, `cli/doctor/mod.rs` is `cli::doctor`.
fn module(path: &Path) -> Vec<String> {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap().with_extension("");
    let parts = below.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| part != "mod").collect()
}

/// Reads a path, or a tree of them in braces; gives back what follows.
fn read_tree<'a>(text: &'a str, before: &[String], found: &mut Vec<Named>) -> &'a str {
    let mut path = before.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside.trim_start();
            while !rest.starts_with('}') {
                rest = read_tree(rest, &path, found).trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            return &rest[1..];
        }
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        assert!(end > 0, "no name: {}", rest.lines().next().unwrap_or_default());
        path.push(rest[..end].to_owned());
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(after) if after.starts_with(|char: char| char.is_alphabetic() || "_{".contains(char)) => rest = after,
            _ => break,
        }
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if let Some(after) = rest.strip_prefix(" as ") {
        let end = after.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(after.len());
        after[..end].clone_into(&mut name);
        rest = &after[end..];
    }
    found.push((path, name));
    rest
}

/// The paths that begin with one of these words.
fn paths(code: &str, begin: &str) -> Vec<Named> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(begin) {
        let is_inside = code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_' || char == ':');
        if !is_inside {
            read_tree(&code[at..], &[], &mut found);
        }
    }
    found
}

/// For each name that a module has from one of its children, that child.
fn exports(code: &str) -> BTreeMap<String, String> {
    let mut found = Vec::new();
    for (at, word) in code.match_indices("use ") {
        let before = code[..at].lines().next_back().unwrap_or_default().trim();
        if code[..at].ends_with('\n') || ["", "pub"].contains(&before) || before.starts_with("pub(") {
            let tree = &code[at + word.len()..];
            read_tree(tree.strip_prefix("self::").unwrap_or(tree), &[], &mut found);
        }
    }
    found.into_iter().filter(|(path, _)| path.len() > 1).map(|(path, name)| (name, path[0].clone())).collect()
}

/// The way back to where it began, if one of these modules knows itself.
fn circle(knows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(way: &mut Vec<String>, knows: &BTreeMap<String, BTreeSet<String>>, over: &mut BTreeSet<String>) -> bool {
        let Some(others) = way.last().and_then(|last| knows.get(last)) else { return false };
        for other in others {
            let begins = way.iter().position(|known| known == other);
            if begins.is_none() && over.contains(other) {
                continue;
            }
            way.push(other.clone());
            if let Some(begins) = begins {
                way.drain(..begins);
                return true;
            }
            if walk(way, knows, over) {
                return true;
            }
            over.extend(way.pop());
        }
        false
    }
    let mut over = BTreeSet::new();
    knows.keys().find_map(|first| {
        let mut way = vec![first.clone()];
        walk(&mut way, knows, &mut over).then_some(way)
    })
}

#[test]
fn no_module_knows_itself_by_way_of_its_siblings() {
    let modules: BTreeMap<Vec<String>, String> = sources()
        .into_iter()
        .map(|(_, path, text)| {
            let lines = code(&text).lines().filter(|line| !line.trim_start().starts_with("//"));
            (module(&path), lines.flat_map(|line| [line, "\n"]).collect())
        })
        .collect();
    let exports: BTreeMap<&Vec<String>, _> = modules.iter().map(|(module, code)| (module, exports(code))).collect();
    let mut rooms: BTreeMap<&[String], BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (own, code) in &modules {
        for (path, _) in paths(code, "super::").into_iter().chain(paths(code, "crate::")) {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let above = if ups == 0 { 0 } else { own.len().saturating_sub(ups) };
            let mut known = own[..above].to_vec();
            known.extend(path.into_iter().skip(ups.max(1)));
            for depth in 1..own.len().min(known.len()) {
                let room = &own[..depth];
                if known[..depth] != *room {
                    break;
                }
                let is_child = modules.contains_key(&known[..=depth]);
                let child = if is_child { Some(&known[depth]) } else { exports[&room.to_vec()].get(&known[depth]) };
                if let Some(child) = child.filter(|child| **child != own[depth]) {
                    rooms.entry(room).or_default().entry(own[depth].clone()).or_default().insert(child.clone());
                }
            }
        }
    }
    assert!(rooms[&["state".to_owned()][..]]["store"].contains("file"), "the paths are read wrongly");
    let circles: Vec<String> = rooms
        .iter()
        .filter_map(|(room, knows)| Some(format!("{}: {}", room.join("::"), circle(knows)?.join(" -> "))))
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}
