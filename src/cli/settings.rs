//! Anvil's status line in Claude Code's settings. Every other byte of the file stays.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::SetupError;
use super::plugin::PROGRAM;
use anvil_system::disk::{Flush, NewFile};
use anvil_system::world::World;
use anvil_text::error::Result;
use anvil_text::{from_json, from_json_in_place};

/// Most bytes of a settings file.
const MAX_SETTINGS: u64 = 4 * 1024 * 1024;

/// Seconds between two calls of the line by the client. It also calls between turns: a debate may
/// be cancelled from a shell.
const REFRESH_SECONDS: u32 = 2;

const KEY: &str = "\"statusLine\"";

/// The user's settings for Claude Code.
pub(super) fn file(world: &World) -> Option<PathBuf> {
    world.config_folder.as_ref().map(|folder| folder.join("settings.json"))
}

/// Reads a small JSON file. `None`: it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Value>> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    match from_json(&text) {
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        _ => Err(not_json(path).into()),
    }
}

/// Sets the status line to the program in this folder. Returns a message.
pub(super) fn add_statusline(world: &World, folder: &Path) -> Result<String> {
    if folder.to_str().is_none() {
        return Err(SetupError::StatusLinePath(folder.to_owned()).into());
    }
    let own = own_command(folder);
    let path = file(world).ok_or(SetupError::NoSettings)?;
    let text = read_text(&path)?
        .filter(|text| !text.trim().is_empty())
        .unwrap_or_else(|| "{}\n".to_owned());
    let settings: Value = from_json(&text).map_err(|_| not_json(&path))?;
    let settings = settings.as_object().ok_or_else(|| not_json(&path))?;
    if let Some(current) = settings.get("statusLine") {
        // The form of an earlier version.
        if *current == json!({ "type": "command", "command": own })
            && remove_statusline(world, folder)?
        {
            return add_statusline(world, folder);
        }
        return Ok(if current["command"] == own {
            format!("The status line is in {} already.", path.display())
        } else {
            format!(
                "{} has a status line already; it stays as it is. To see the debate too, let it \
                 call\n  {own}",
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

/// Removes the status line of the program in this folder. True if it was set.
pub(super) fn remove_statusline(world: &World, folder: &Path) -> Result<bool> {
    #[derive(Deserialize)]
    struct Settings<'a> {
        #[serde(borrow, rename = "statusLine")]
        line: Option<&'a RawValue>,
    }
    let Some(path) = file(world) else { return Ok(false) };
    // An unreadable settings file has no line of ours.
    let Ok(Some(text)) = read_text(&path) else { return Ok(false) };
    let Ok(Settings { line: Some(line) }) = from_json_in_place(&text) else { return Ok(false) };
    let value: Value = from_json(line.get()).unwrap_or_default();
    if value["command"] != own_command(folder) {
        return Ok(false);
    }
    let start = line.get().as_ptr() as usize - text.as_ptr() as usize;
    let without = without(&text, start, start + line.get().len())
        .ok_or_else(|| SetupError::NoStatusLine(path.clone()))?;
    write(world, &path, &without)?;
    Ok(true)
}

/// The object's text without the member with the value at this range, and without the comma that is
/// then one too many.
fn without(text: &str, start: usize, end: usize) -> Option<String> {
    let before =
        text[..start].trim_end().strip_suffix(':')?.trim_end().strip_suffix(KEY)?.trim_end();
    let after = &text[end..];
    Some(match before.strip_suffix(',') {
        Some(before) => format!("{before}{after}"),
        None => format!("{before}{}", after.trim_start().strip_prefix(',').unwrap_or(after)),
    })
}

/// The command line for the client's shell.
fn own_command(folder: &Path) -> String {
    let program = folder.join(PROGRAM).display().to_string();
    let is_plain = cfg!(windows) || !program.contains(['"', '$', '`', '\\']);
    let quoted = if is_plain {
        format!("\"{program}\"")
    } else {
        format!("'{}'", program.replace('\'', "'\\''"))
    };
    format!("{quoted} statusline")
}

fn read_text(path: &Path) -> Result<Option<String>> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= MAX_SETTINGS => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Ok(_) => return Err(not_json(path).into()),
        Err(error) => return Err(SetupError::SettingsUnread(path.to_owned(), error).into()),
    }
    let text = std::fs::read_to_string(path).map(Some);
    text.map_err(|error| SetupError::SettingsUnread(path.to_owned(), error).into())
}

/// Writes settings. If the path is a link, writes its target.
fn write(world: &World, path: &Path, text: &str) -> Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = world.disk.create_folder(path.parent().unwrap_or(&path));
    let replace = || world.disk.replace(&path, text.as_bytes(), NewFile::Private, Flush::Now);
    Ok(folder.and_then(|()| replace()).map_err(SetupError::SettingsUnwritten)?)
}

fn not_json(path: &Path) -> SetupError {
    SetupError::NotJson(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_removed_at_any_place() {
        for (text, expected) in [
            (r#"{"statusLine": 1}"#, "{}"),
            (r#"{"a": 1, "statusLine": 1}"#, r#"{"a": 1}"#),
            (r#"{"statusLine" : 1 , "a": 1}"#, r#"{ "a": 1}"#),
            (r#"{"a": 2, "statusLine": 1, "b": 3}"#, r#"{"a": 2, "b": 3}"#),
        ] {
            let start = text.find('1').unwrap();
            let start = if text.contains("\"a\": 1, ") { text.rfind('1').unwrap() } else { start };
            assert_eq!(without(text, start, start + 1).as_deref(), Some(expected));
        }
    }
}
