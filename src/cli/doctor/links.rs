//! Checks that a shell finds the program by its links.

use super::{Copies, Finding, shown};
use crate::cli::link::{self, Flaw};
use crate::cli::plugin::default_folder;
use crate::system::world::World;

/// A finding for each link of Anvil.
pub(super) fn findings(world: &World, copies: &Copies) -> Vec<Finding> {
    let mut folders: Vec<_> = copies.folders().map(ToOwned::to_owned).collect();
    // A removed plugin may have left a link here.
    folders.extend(default_folder(world).ok().filter(|folder| !folders.contains(folder)));
    let links = folders.iter().flat_map(|folder| link::look(world, folder));
    let finding = |(link, flaw): (std::path::PathBuf, Option<Flaw>)| {
        let name = shown(world, &link);
        let folder = link.parent().unwrap_or(&link);
        let again = format!("anvil install --link=\"{}\"", folder.display());
        match flaw {
            None => {
                let called = link.file_stem().unwrap_or_default().display();
                Finding::fine(
                    "link",
                    format!("{called} in a shell is the plugin's program, by the link {name}"),
                )
            }
            Some(Flaw::Gone) => Finding::note(
                "link",
                format!("{name} is not a link to the plugin's program"),
                again,
            ),
            Some(Flaw::Dangling) => {
                let text = format!("the link {name} leads to a program that is not there");
                Finding::note("link", text, "anvil install, or remove the link: anvil uninstall")
            }
            Some(Flaw::NotOnPath) => {
                let text = format!("the link {name} is not found: its folder is not on PATH");
                Finding::note("link", text, link::how_to_add(folder).replace('\n', ""))
            }
            Some(Flaw::Hidden(other)) => {
                let text = format!(
                    "the link {name} is not found: {} comes first on PATH",
                    shown(world, &other)
                );
                Finding::note("link", text, again)
            }
        }
    };
    links.map(finding).collect()
}
