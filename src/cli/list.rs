//! `anvil list`: the texts that a debate can be told to use.

use std::io::Write as _;

use clap::ValueEnum;

use crate::engine::Engine;
use crate::error::Result;
use crate::library::Shelf;
use crate::say;

/// What is listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Kind {
    Personas,
    Modes,
    Frameworks,
}

impl Kind {
    fn shelf(self) -> Shelf {
        match self {
            Self::Personas => Shelf::Personas,
            Self::Modes => Shelf::Modes,
            Self::Frameworks => Shelf::Frameworks,
        }
    }
}

pub(super) fn run(engine: &Engine<'_>, kind: Option<Kind>) -> Result<()> {
    let shelves = kind.map_or_else(|| Shelf::ALL.to_vec(), |kind| vec![kind.shelf()]);
    let mut out = Vec::new();
    for shelf in shelves {
        let (entries, unusable) = engine.list(shelf);
        let row = |entry: &crate::library::Entry| {
            [entry.name.clone(), entry.source.word().to_owned(), say::clean(&entry.description, 90)]
        };
        let rows: Vec<[String; 3]> = entries.iter().map(row).collect();
        out.push(format!("{}\n{}", shelf.word(), say::table(&rows)));
        for why in unusable {
            let _ = writeln!(std::io::stderr(), "{}", say::note(&format!("can't be used: {why}")));
        }
    }
    super::print(&out.join("\n\n"))
}
