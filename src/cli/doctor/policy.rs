//! The settings that turn the plugin off: the user's, the project's, and those of an administrator.
//! Measured on 2.1.332, whose own `claude doctor` names none of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Diagnosis, short_path};
use crate::cli::settings;
use anvil_system::world::World;

/// The administrator's folder.
pub(super) const FOLDER: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode"
} else {
    "/etc/claude-code"
};

const FROM_MARKETPLACES: &str = "loads plugins only from marketplaces that its administrator \
                                 lists, and none from its folder of skills";

/// A settings file of the client.
#[derive(Debug)]
pub(super) struct SettingsFile {
    pub path: PathBuf,
    /// It is an administrator's.
    is_managed: bool,
}

impl SettingsFile {
    pub(super) fn of_user(path: PathBuf) -> Self {
        Self { path, is_managed: false }
    }

    /// The administrator's files in this folder, in the client's order.
    pub(super) fn managed_files(folder: &Path) -> impl Iterator<Item = Self> {
        let inside = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten();
        let mut more: Vec<PathBuf> = inside
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        more.sort();
        let files = [folder.join("managed-settings.json")].into_iter().chain(more);
        files.map(|path| Self { path, is_managed: true })
    }

    /// A finding for each setting in this file that turns the hooks or the plugin off. `in_skills`:
    /// the plugin is in the client's folder of skills.
    fn switches(&self, settings: &Value, name: &str, in_skills: bool) -> Vec<Diagnosis> {
        let mut findings = Vec::new();
        for (key, effect, is_managed_only, is_harmful) in [
            ("disableAllHooks", "runs no hooks", false, true),
            ("allowManagedHooksOnly", "runs no hooks of plugins", true, true),
            ("strictKnownMarketplaces", FROM_MARKETPLACES, true, in_skills),
            ("strictPluginOnlyCustomization", FROM_MARKETPLACES, true, in_skills),
        ] {
            let is_set = !matches!(settings[key], Value::Null | Value::Bool(false));
            if !is_set || is_managed_only && !self.is_managed {
                continue;
            }
            let text = format!("{key} in {name}: Claude Code {effect}");
            let fix = if self.is_managed {
                format!("ask the administrator of this machine about {key}")
            } else {
                format!("remove {key} from that file")
            };
            let make = if is_harmful { Diagnosis::wrong } else { Diagnosis::note };
            findings.push(make("settings", text, fix));
        }
        findings
    }
}

/// Reports settings that turn the plugin off, and unreadable files.
pub(super) fn findings(world: &World, files: &[SettingsFile], in_skills: bool) -> Vec<Diagnosis> {
    let mut findings = Vec::new();
    for file in files {
        match settings::read(&file.path) {
            Ok(settings) => {
                let name = short_path(world, &file.path);
                findings.extend(file.switches(&settings.unwrap_or_default(), &name, in_skills));
            }
            Err(error) => {
                findings.push(Diagnosis::note("settings", error.to_string(), "repair that file"));
            }
        }
    }
    if findings.is_empty() {
        findings.push(Diagnosis::fine("settings", "hooks are enabled"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn each_setting_that_turns_the_plugin_off_is_named_with_its_file() {
        let temp = tempfile::tempdir().unwrap();
        let managed = temp.path().join("managed");
        let write = |name: &str, text: &str| {
            let path = temp.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, text).unwrap();
            path
        };
        let world = World::gather(|_| None).unwrap();
        let look = |in_skills| {
            let own = SettingsFile::of_user(temp.path().join("settings.json"));
            let files: Vec<_> =
                [own].into_iter().chain(SettingsFile::managed_files(&managed)).collect();
            let found = findings(&world, &files, in_skills).into_iter();
            found.map(|found| (found.level, found.text)).collect::<Vec<_>>()
        };
        let fine = [(Level::Fine, "hooks are enabled".to_owned())];
        assert_eq!(look(true), fine);
        // These count only in an administrator's file.
        write("settings.json", r#"{"allowManagedHooksOnly":true,"strictKnownMarketplaces":[]}"#);
        write("managed/managed-settings.json", r#"{"disableAllHooks":false,"model":"opus"}"#);
        write("managed/managed-settings.d/notes.txt", r#"{"disableAllHooks":true}"#);
        assert_eq!(look(true), fine);
        write("settings.json", r#"{"disableAllHooks":true}"#);
        write("managed/managed-settings.json", r#"{"allowManagedHooksOnly":true}"#);
        write("managed/managed-settings.d/10-a.json", r#"{"strictKnownMarketplaces":[]}"#);
        write("managed/managed-settings.d/20-b.json", r#"{"strictPluginOnlyCustomization":true}"#);
        write("managed/managed-settings.d/30-c.json", "{");
        for (in_skills, of_copies) in [(true, Level::Wrong), (false, Level::Note)] {
            let found = look(in_skills);
            let rows = [
                (Level::Wrong, "disableAllHooks in ", "/settings.json: "),
                (Level::Wrong, "allowManagedHooksOnly in ", "/managed-settings.json: "),
                (of_copies, "strictKnownMarketplaces in ", "/10-a.json: "),
                (of_copies, "strictPluginOnlyCustomization in ", "/20-b.json: "),
                (Level::Note, "", "30-c.json"),
            ];
            assert_eq!(found.len(), rows.len(), "{found:?}");
            for ((level, text), (expected, key, file)) in found.iter().zip(rows) {
                assert!(*level == expected && text.starts_with(key), "{found:?}");
                assert!(text.contains(file), "{found:?}");
            }
        }
    }
}
