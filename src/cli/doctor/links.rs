//! Checks that a shell finds the program by its links.

use std::path::Path;

use super::{Copies, Diagnosis, short_path};
use crate::cli::link::{self, Flaw};
use crate::cli::plugin::default_folder;
use anvil_messages::Door;
use anvil_system::world::World;
use anvil_text::Verb;

/// A finding for each link of Anvil.
pub(super) fn findings(world: &World, copies: &Copies, door: &Door) -> Vec<Diagnosis> {
    let mut folders: Vec<_> = copies.folders().map(ToOwned::to_owned).collect();
    // A removed plugin may have left a link here.
    folders.extend(default_folder(world).ok().filter(|folder| !folders.contains(folder)));
    folders
        .iter()
        .flat_map(|folder| link::look(world, folder))
        .map(|(link, flaw)| finding(world, &link, flaw, door))
        .collect()
}

fn finding(world: &World, link: &Path, flaw: Option<Flaw>, door: &Door) -> Diagnosis {
    let name = short_path(world, link);
    let folder = link.parent().unwrap_or(link);
    let again = door.in_shell(Verb::Install.with(format!("--link=\"{}\"", folder.display())));
    let (text, fix) = match flaw {
        None => {
            let called = link.file_stem().unwrap_or_default().display();
            let text =
                format!("{called} in a shell runs the plugin's program, through the link {name}");
            return Diagnosis::fine("link", text);
        }
        Some(Flaw::Gone) => (format!("{name} is not a link to the plugin's program"), again),
        Some(Flaw::Dangling) => (
            format!("the link {name} points to a program that does not exist"),
            format!(
                "{}, or remove the link: {}",
                door.in_shell(Verb::Install),
                door.in_shell(Verb::Uninstall)
            ),
        ),
        Some(Flaw::NotOnPath) => (
            format!("the link {name} is not found: its folder is not on PATH"),
            link::how_to_add(folder).replace('\n', ""),
        ),
        Some(Flaw::Hidden(other)) => {
            let other = short_path(world, &other);
            (format!("the link {name} is not found: {other} comes first on PATH"), again)
        }
    };
    Diagnosis::note("link", text, fix)
}
