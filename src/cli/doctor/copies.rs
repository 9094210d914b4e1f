//! The copies of the plugin that Claude Code may load, from its folder of skills and from
//! marketplaces.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Diagnosis, short_path};
use crate::cli::plugin::{MANIFEST, PROGRAM, default_folder, read_manifest};
use crate::cli::settings;
use anvil_messages::Door;
use anvil_system::world::World;
use anvil_text::Verb;

/// The client's name for the copy in its folder of skills.
const SKILLS: &str = "anvil@skills-dir";

#[derive(Debug)]
pub(crate) struct Copy {
    pub folder: PathBuf,
    /// The version in its manifest.
    pub version: Option<String>,
    /// The client's name for it, `anvil@MARKETPLACE`.
    id: String,
    is_switched_off: bool,
}

/// The copy in the folder of skills first, then those of marketplaces.
#[derive(Debug)]
pub(crate) struct Copies(Vec<Copy>);

impl Copies {
    pub(crate) fn find<'a>(world: &World, settings_files: impl Iterator<Item = &'a Path>) -> Self {
        let settings: Vec<Value> =
            settings_files.filter_map(|file| settings::read(file).ok().flatten()).collect();
        let mut copies: Vec<Copy> = default_folder(world)
            .ok()
            .filter(|folder| folder.join(".claude-plugin/plugin.json").is_file())
            .map(|folder| Copy::new(folder, SKILLS.to_owned(), &settings))
            .into_iter()
            .collect();
        let list = world
            .config_folder
            .as_ref()
            .map(|folder| folder.join("plugins/installed_plugins.json"))
            .and_then(|list| settings::read(&list).ok().flatten())
            .unwrap_or_default();
        for (id, installed) in list["plugins"].as_object().into_iter().flatten() {
            if id.strip_prefix("anvil@").is_none() {
                continue;
            }
            // An entry for each scope.
            for entry in installed.as_array().into_iter().flatten() {
                // Some entries apply to one project only.
                if entry["projectPath"]
                    .as_str()
                    .is_some_and(|project| !world.cwd.starts_with(project))
                {
                    continue;
                }
                let Some(folder) = entry["installPath"].as_str().map(PathBuf::from) else {
                    continue;
                };
                if copies.iter().all(|known| known.id == SKILLS || known.folder != folder) {
                    copies.push(Copy::new(folder, id.clone(), &settings));
                }
            }
        }
        Self(copies)
    }

    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|copy| copy.folder.as_path())
    }

    /// The copy that runs its hooks.
    pub(crate) fn in_use(&self) -> Option<&Copy> {
        self.0.iter().find(|copy| !copy.is_switched_off).or(self.0.first())
    }

    /// A line for each copy outside the removed folder.
    pub(crate) fn left_behind(&self, world: &World, removed: &Path, door: &Door) -> Vec<String> {
        let mut lines = Vec::new();
        for copy in self.0.iter().filter(|copy| copy.folder != removed) {
            let folder = short_path(world, &copy.folder);
            let remove = match copy.id.as_str() {
                SKILLS => door.in_shell(Verb::Uninstall),
                id => format!("claude plugin uninstall {id}"),
            };
            let line = format!("Another copy is in {folder}; `{remove}` removes it.");
            lines.push(anvil_text::clean(&line, 600));
        }
        lines
    }

    pub(crate) fn findings(&self, world: &World, door: &Door) -> Vec<Diagnosis> {
        let mut findings: Vec<Diagnosis> =
            self.0.iter().map(|copy| copy.finding(world, door)).collect();
        if findings.is_empty() {
            findings.push(Diagnosis::wrong(
                "plugin",
                "the plugin is not installed",
                door.in_shell(Verb::Install),
            ));
        }
        let mut on = self.0.iter().filter(|copy| !copy.is_switched_off);
        if let (Some(_), Some(other)) = (on.next(), on.next()) {
            findings.push(Diagnosis::wrong(
                "copies",
                "the plugin is installed more than once: every event is delivered to each copy",
                format!("claude plugin uninstall {}", other.id),
            ));
        }
        findings
    }
}

impl Copy {
    fn new(folder: PathBuf, id: String, settings: &[Value]) -> Self {
        // The settings nearest to the project decide.
        let is_on = settings
            .iter()
            .rev()
            .find_map(|settings| settings["enabledPlugins"].get(&id)?.as_bool());
        Self { version: version(&folder), is_switched_off: is_on == Some(false), folder, id }
    }

    /// True for the copy in the client's folder of skills.
    pub(crate) fn is_in_skills(&self) -> bool {
        self.id == SKILLS
    }

    fn finding(&self, world: &World, door: &Door) -> Diagnosis {
        let folder = short_path(world, &self.folder);
        if self.is_switched_off {
            let text = format!("the plugin in {folder} is disabled");
            return Diagnosis::wrong("plugin", text, format!("claude plugin enable {}", self.id));
        }
        let again = self.repair(door);
        let Some(version) = &self.version else {
            let text = format!("the plugin in {folder} has no readable manifest");
            return Diagnosis::wrong("plugin", text, again);
        };
        let needed = [".claude-plugin/plugin.json", "hooks/hooks.json", PROGRAM].map(PathBuf::from);
        let names = read_manifest(&self.folder).ok().flatten().unwrap_or_default();
        let missing = names
            .iter()
            .chain(needed.iter().filter(|name| !names.contains(name)))
            .filter(|name| {
                name.as_path() != Path::new(MANIFEST) && !self.folder.join(name).exists()
            })
            .count();
        if missing > 0 {
            let text = format!("the plugin in {folder} lacks {missing} of its files");
            return Diagnosis::wrong("plugin", text, again);
        }
        Diagnosis::fine("plugin", format!("plugin {version} in {folder}"))
    }

    /// The command that updates the copy.
    pub(crate) fn repair(&self, door: &Door) -> String {
        if self.id == SKILLS {
            door.in_shell(Verb::Install)
        } else {
            format!("claude plugin update {}, or uninstall and install it", self.id)
        }
    }
}

fn version(folder: &Path) -> Option<String> {
    let manifest = settings::read(&folder.join(".claude-plugin/plugin.json")).ok().flatten()?;
    manifest["version"].as_str().map(str::to_owned)
}
