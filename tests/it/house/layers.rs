//! Which room may know which, from the imports and paths of the code. An arrow leads to the file
//! that defines the item: a re-export in a `mod.rs` hides nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Place, Sources, sources};

/// The rooms from top to bottom, one line per layer. A room may know the rooms of the lines below;
/// it may know a room of its own line only if ARCHITECTURE.md lists the arrow.
pub(super) const LAYERS: &[&[&str]] = &[
    &["main", "lib"],
    &["mcp", "eval", "cli", "hook", "api"],
    &["run"],
    &["messages"],
    &["engine"],
    &["report"],
    &["seats"],
    &["context", "command"],
    &["storage"],
    &["system"],
    &["domain"],
    &["text"],
    &["error"],
];

/// Rooms whose children have their own order, from top to bottom.
const INSIDE: &[(&str, &[&str])] = &[
    (
        "engine",
        &[
            "issues",
            "session",
            "tasks",
            "programs",
            "filing",
            "reports",
            "history",
            "ownership",
            "lookup",
            "output",
            "context",
            "note",
        ],
    ),
    (
        "domain",
        &[
            "attempt",
            "tasks",
            "options",
            "issue",
            "journal",
            "document",
            "ledger",
            "reply",
            "transcript",
            "debate",
        ],
    ),
    (
        "domain/debate",
        &[
            "follow",
            "advance",
            "judges",
            "label",
            "motion",
            "option",
            "options",
            "progress",
            "stop",
            "schedule",
            "transitions",
            "alternatives",
            "question",
            "limits",
            "ownership",
            "phase",
            "place",
            "seat",
        ],
    ),
    ("seats", &["agents", "prompt", "library"]),
    (
        "storage",
        &[
            "issue_body",
            "leaving",
            "prune",
            "past",
            "aside",
            "records",
            "locked",
            "store",
            "log",
            "snapshots",
            "recovery",
            "json_lines",
            "machine",
            "lock",
            "project",
            "file",
        ],
    ),
    ("system", &["forge", "process", "world", "disk"]),
    ("system/disk", &["folders", "modes", "mount", "seam"]),
];

/// The layer of a room.
pub(super) fn layer(room: &str) -> usize {
    let layer = LAYERS.iter().position(|rooms| rooms.contains(&room));
    layer.unwrap_or_else(|| panic!("{room} has no layer"))
}

/// The room of a file: its folder in src, or its own name.
fn room(place: &Place) -> &str {
    place.first().map_or("lib", String::as_str)
}

/// The arrows between rooms that do not lead to a lower layer: upward, and to the same layer.
fn not_down(sources: &Sources) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut up, mut siblings) = (BTreeSet::new(), BTreeSet::new());
    for (from, to) in sources.arrows() {
        let (own, known) = (room(&from), room(&to));
        if own == known {
            continue;
        }
        match layer(known).cmp(&layer(own)) {
            std::cmp::Ordering::Less => {
                up.insert(format!("{} -> {}", from.join("/"), to.join("/")));
            }
            std::cmp::Ordering::Equal => {
                siblings.insert(format!("{own} -> {known}"));
            }
            std::cmp::Ordering::Greater => {}
        }
    }
    (up, siblings)
}

/// For each room whose files know each other: child -> the children that it knows.
type Rooms = BTreeMap<Place, BTreeMap<String, BTreeSet<String>>>;

fn rooms(sources: &Sources) -> Rooms {
    let mut rooms = Rooms::new();
    for (from, to) in sources.arrows() {
        let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        if shared > 0
            && let (Some(own), Some(known)) = (from.get(shared), to.get(shared))
        {
            let knows = rooms.entry(from[..shared].to_vec()).or_default();
            knows.entry(own.clone()).or_default().insert(known.clone());
        }
    }
    rooms
}

/// The path back to its start, if one of these children knows itself.
fn circle(knows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        way: &mut Vec<String>,
        knows: &BTreeMap<String, BTreeSet<String>>,
        over: &mut BTreeSet<String>,
    ) -> bool {
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

/// The circles inside rooms.
fn circles(sources: &Sources) -> Vec<String> {
    let rooms = rooms(sources);
    let found = rooms.iter().filter_map(|(room, knows)| Some((room, circle(knows)?)));
    found.map(|(room, way)| format!("{}: {}", room.join("/"), way.join(" -> "))).collect()
}

/// The imports inside rooms that go up in their order.
fn climbing(sources: &Sources, orders: &[(&str, &[&str])]) -> Vec<String> {
    let rooms = rooms(sources);
    let mut found = Vec::new();
    for (room, order) in orders {
        let path: Place = room.split('/').map(str::to_owned).collect();
        let place = |child: &String| {
            let place = order.iter().position(|known| known == child);
            place.unwrap_or_else(|| panic!("{room}/{child} has no place in the order of {room}"))
        };
        let knows = rooms.get(&path).unwrap_or_else(|| panic!("nothing in {room} knows another"));
        for (own, others) in knows {
            let above = others.iter().filter(|other| place(other) < place(own));
            found.extend(above.map(|other| format!("{room}: {own} -> {other}")));
        }
    }
    found
}

/// The arrows between rooms of one layer that ARCHITECTURE.md lists.
fn arrow_list() -> BTreeSet<String> {
    let page = include_str!("../../../ARCHITECTURE.md");
    let list = page.split_once("\nArrow list").expect("ARCHITECTURE.md has an arrow list").1;
    let spans = list.split("\n\n").next().unwrap().split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

#[test]
fn no_import_goes_to_a_higher_layer() {
    let (up, siblings) = not_down(sources());
    assert!(up.is_empty(), "these imports go up: {up:#?}");
    assert_eq!(siblings, arrow_list(), "the arrow list in ARCHITECTURE.md");
}

#[test]
fn no_file_depends_on_itself_through_siblings() {
    assert_eq!(circles(sources()), Vec::<String>::new());
}

#[test]
fn no_import_goes_up_inside_an_ordered_room() {
    assert_eq!(climbing(sources(), INSIDE), Vec::<String>::new());
}

/// Sources of these files; their `//!` lines do not matter here.
fn sample(files: &[(&str, &str)]) -> Sources {
    let files: Vec<_> = files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
    Sources::parse(&files)
}

#[test]
fn an_upward_import_is_found_behind_reexports_aliases_and_macros() {
    let engine = "mod run; pub use run::Run; pub use run::Run as Other; pub fn go() {}";
    let files = |text| {
        let store = ("src/storage/store.rs", text);
        sample(&[
            ("src/lib.rs", "mod engine; mod storage; pub use engine::Run;"),
            ("src/engine/mod.rs", engine),
            ("src/engine/run.rs", "pub struct Run; impl Run { pub const SIZE: u8 = 1; }"),
            ("src/storage/mod.rs", "mod store; use anvil_engine as machine; pub fn own() {}"),
            store,
        ])
    };
    for text in [
        "use anvil_engine::Run;",
        "use crate::{engine::{Other as Own}};",
        "use super::machine::Run;",
        "use super::super::engine::Run;",
        "use crate::Run;",
        "use anvil_engine::*; fn f() { Run; } fn g(_: engine::Run) { engine::Run::new() }",
        "fn f() -> anvil_engine::Run { todo!() }",
        "fn f() { assert_eq!(1, anvil_engine::Run::SIZE) }",
        "use anvil_engine; fn f(_: engine::Run) {}",
    ] {
        let (up, _) = not_down(&files(text));
        let is_found = up.iter().any(|arrow| arrow.starts_with("storage/store -> engine"));
        assert!(is_found, "{text}: {up:?}");
    }
    let (up, _) = not_down(&files("use anvil_engine::Other;"));
    assert!(up.contains("storage/store -> engine/run"), "{up:?}");
    for text in [
        "use super::own; fn f() { own() }",
        "#[cfg(test)] mod tests { use anvil_engine::Run; }",
        "#[cfg(all(test, unix))] fn f() { anvil_engine::go() }",
        "fn f() { \"anvil_engine::go\" }",
    ] {
        let (up, _) = not_down(&files(text));
        assert!(!up.iter().any(|arrow| arrow.starts_with("storage/store")), "{text}: {up:?}");
    }
}

#[test]
fn a_circle_inside_a_room_is_found_behind_its_reexports() {
    let files = |to| {
        sample(&[
            ("src/lib.rs", "mod storage;"),
            (
                "src/storage/mod.rs",
                "mod a; mod b; mod c; pub use a::A; pub use c::C; pub struct S;",
            ),
            ("src/storage/a.rs", "use super::b::B; pub struct A(B);"),
            ("src/storage/b/mod.rs", "mod deep; pub struct B;"),
            ("src/storage/b/deep.rs", "use super::super::C;"),
            ("src/storage/c.rs", to),
        ])
    };
    assert_eq!(circles(&files("use super::A; pub struct C;")), ["storage: a -> b -> c -> a"]);
    let free = files("use super::S; pub struct C;");
    assert_eq!(circles(&free), Vec::<String>::new());
    assert_eq!(climbing(&free, &[("storage", &["a", "b", "c"])]), Vec::<String>::new());
    assert_eq!(climbing(&free, &[("storage", &["b", "a", "c"])]), ["storage: a -> b"]);
}
