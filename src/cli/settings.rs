//! Claude Code's settings: Anvil's status line in them. Nothing else in the file changes by a byte.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::plugin::PROGRAM;
use crate::disk::{Flush, NewFile};
use crate::error::{Error, Result};
use crate::world::World;

/// Largest settings file that is read, in bytes.
const MAX_SETTINGS: u64 = 4 * 1024 * 1024;

/// The client asks for the line anew that often, also between two turns: a debate may be cancelled from a shell.
const REFRESH_SECONDS: u32 = 2;

const KEY: &str = "\"statusLine\"";

/// The user's settings for Claude Code.
pub(super) fn file(world: &World) -> Option<PathBuf> {
    world.config_folder.as_ref().map(|folder| folder.join("settings.json"))
}

/// A small file of JSON; `None`: there is not one.
pub(super) fn read(path: &Path) -> Result<Option<Value>> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        _ => Err(not_json(path)),
    }
}

/// Has Claude Code show the line of the program in this folder; says what was done.
pub(super) fn add_statusline(world: &World, folder: &Path) -> Result<String> {
    if folder.to_str().is_none() {
        return Err(Error::failed(
            format!("the status line can't name a path that is not UTF-8: {}", folder.display()),
            "the rest is installed; for the line too, install to a folder whose path is UTF-8",
        ));
    }
    let own = own_command(folder);
    let path = file(world)
        .ok_or_else(|| Error::failed("there is no home folder with settings in it", "set HOME or CLAUDE_CONFIG_DIR"))?;
    let text = read_text(&path)?.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "{}\n".to_owned());
    let settings: Value = serde_json::from_str(&text).map_err(|_| not_json(&path))?;
    let settings = settings.as_object().ok_or_else(|| not_json(&path))?;
    if let Some(there) = settings.get("statusLine") {
        // As an earlier version wrote it.
        if *there == json!({ "type": "command", "command": own }) && remove_statusline(world, folder)? {
            return add_statusline(world, folder);
        }
        return Ok(if there["command"] == own {
            format!("The status line is in {} already.", path.display())
        } else {
            format!(
                "{} has a status line already; it stays as it is. To see the debate too, let it call\n  {own}",
                path.display()
            )
        });
    }
    let value = json!({ "type": "command", "command": own, "refreshInterval": REFRESH_SECONDS });
    let (before, after) = text.split_once('{').ok_or_else(|| not_json(&path))?;
    let comma = if settings.is_empty() { "\n" } else { "," };
    let after = if settings.is_empty() { after.trim_start() } else { after };
    write(world, &path, &format!("{before}{{\n  {KEY}: {value}{comma}{after}"))?;
    Ok(format!("The status line is in {}.", path.display()))
}

/// Takes the line of the program in this folder out; says whether there was one.
pub(super) fn remove_statusline(world: &World, folder: &Path) -> Result<bool> {
    #[derive(Deserialize)]
    struct Settings<'a> {
        #[serde(borrow, rename = "statusLine")]
        line: Option<&'a RawValue>,
    }
    let Some(path) = file(world) else { return Ok(false) };
    // A file that can't be read as one of settings holds nothing that was written here.
    let Ok(Some(text)) = read_text(&path) else { return Ok(false) };
    let Ok(Settings { line: Some(line) }) = serde_json::from_str(&text) else { return Ok(false) };
    let value: Value = serde_json::from_str(line.get()).unwrap_or_default();
    if value["command"] != own_command(folder) {
        return Ok(false);
    }
    let start = line.get().as_ptr() as usize - text.as_ptr() as usize;
    let without = without(&text, start, start + line.get().len()).ok_or_else(|| {
        Error::failed(format!("the status line can't be told apart in {}", path.display()), "take it out by hand")
    })?;
    write(world, &path, &without)?;
    Ok(true)
}

/// The object's text without the member whose value stands there, and without the comma that is one too many then.
fn without(text: &str, start: usize, end: usize) -> Option<String> {
    let before = text[..start].trim_end().strip_suffix(':')?.trim_end().strip_suffix(KEY)?.trim_end();
    let after = &text[end..];
    Some(match before.strip_suffix(',') {
        Some(before) => format!("{before}{after}"),
        None => format!("{before}{}", after.trim_start().strip_prefix(',').unwrap_or(after)),
    })
}

/// What the client's shell runs.
fn own_command(folder: &Path) -> String {
    let program = folder.join(PROGRAM).display().to_string();
    let is_plain = cfg!(windows) || !program.contains(['"', '$', '`', '\\']);
    let quoted = if is_plain { format!("\"{program}\"") } else { format!("'{}'", program.replace('\'', "'\\''")) };
    format!("{quoted} statusline")
}

fn read_text(path: &Path) -> Result<Option<String>> {
    let hint = "check that the file can be read; it is left untouched";
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= MAX_SETTINGS => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Ok(_) => return Err(not_json(path)),
        Err(error) => return Err(Error::io_at("can't read", path, &error, hint)),
    }
    fs_err::read_to_string(path).map(Some).map_err(|error| Error::io(&error, hint))
}

/// Writes settings; where their name is a link, the file after it.
fn write(world: &World, path: &Path, text: &str) -> Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let written = world
        .disk
        .create_folder(path.parent().unwrap_or(&path))
        .and_then(|()| world.disk.replace(&path, text.as_bytes(), NewFile::Private, Flush::Now));
    written.map_err(|error| Error::io(&error, "the settings are as they were; add or remove statusLine by hand"))
}

fn not_json(path: &Path) -> Error {
    Error::failed(
        format!("{} is not a JSON object", path.display()),
        "repair it, then run this again; it is left untouched",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_taken_out_wherever_it_stands() {
        for (text, rest) in [
            (r#"{"statusLine": 1}"#, "{}"),
            (r#"{"a": 1, "statusLine": 1}"#, r#"{"a": 1}"#),
            (r#"{"statusLine" : 1 , "a": 1}"#, r#"{ "a": 1}"#),
            (r#"{"a": 2, "statusLine": 1, "b": 3}"#, r#"{"a": 2, "b": 3}"#),
        ] {
            let start = text.find('1').unwrap();
            let start = if text.contains("\"a\": 1, ") { text.rfind('1').unwrap() } else { start };
            assert_eq!(without(text, start, start + 1).as_deref(), Some(rest));
        }
    }
}
