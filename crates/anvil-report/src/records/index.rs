//! The line that a new record needs in the index of its folder.

use std::fmt::Write as _;

use super::form::{RecordForm, RecordName, entry};
use super::status::status;

/// Words that a line of an index has for a status.
const STATUSES: [&str; 12] = [
    "proposed",
    "draft",
    "accepted",
    "approved",
    "implemented",
    "active",
    "rejected",
    "deprecated",
    "superseded",
    "pending",
    "open",
    "done",
];

/// The line that an index lacks: the one of the newest record, with the name, key, title, status and
/// day of the new one. `None`: this text is no index of the folder. `newest`: the text of the newest
/// record.
pub fn index_line(
    index: &str,
    form: &RecordForm,
    newest: &str,
    new: &RecordName,
    decision: &str,
    today: jiff::civil::Date,
) -> Option<String> {
    let (file, key, title) = form.newest()?;
    let line = index.lines().rev().find(|line| names(line, file))?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let item = line.trim_start().chars().next().filter(|mark| "*-+".contains(*mark)).unwrap_or('*');
    let address = address(&new.file);
    // A bar would end a cell.
    let escaped = decision.replace('|', "\\|");
    let shown = if line.trim_start().starts_with('|') { &escaped } else { decision };
    let plain = || format!("{indent}{item} [{}]({address})", new.heading);
    if title.is_empty() || !line.contains(title) {
        return Some(plain());
    }
    let stem = |name: &str| match name.split_once('/') {
        Some((folder, _)) => folder.to_owned(),
        None => name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned(),
    };
    // A title can have the key in it, and a name the words of a title: the longest goes first.
    let new_key = RecordForm::key_of(&new.file);
    let mut parts = vec![
        (encode_spaces(file), address.clone()),
        (file.to_owned(), address),
        (title.to_owned(), shown.to_owned()),
    ];
    // One with spaces has the words of the title.
    if !stem(file).contains(' ') {
        parts.push((stem(file), stem(&new.file)));
    }
    if !key.is_empty() {
        parts.push((key.to_owned(), new_key.clone()));
        // A title can have fewer digits than a name.
        let short = key.trim_start_matches('0');
        if short != key && short.len() > 1 {
            parts.push((short.to_owned(), new_key.trim_start_matches('0').to_owned()));
        }
    }
    let mut out = String::with_capacity(line.len() + decision.len());
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        if let Some((old, new)) = parts.iter().find(|(old, _)| rest.starts_with(old.as_str())) {
            out += new;
            rest = &rest[old.len()..];
            continue;
        }
        out.push(char);
        rest = &rest[char.len_utf8()..];
    }
    Some(with_day(&with_status(&out, newest), today))
}

/// True for a line that links a file, or the folder that a record is.
fn names(line: &str, file: &str) -> bool {
    line.contains(entry(file)) || line.contains(&encode_spaces(entry(file)))
}

fn encode_spaces(file: &str) -> String {
    file.replace(' ', "%20")
}

/// The address of a file in the same folder.
fn address(file: &str) -> String {
    file.chars().fold(String::new(), |mut out, char| {
        if matches!(char, ' ' | '(' | ')' | '<' | '>') {
            let _ = write!(out, "%{:02X}", u32::from(char));
        } else {
            out.push(char);
        }
        out
    })
}

/// The status in a cell or in brackets becomes that of a new record.
fn with_status(line: &str, newest: &str) -> String {
    let known = status(newest);
    let first = known.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty());
    let is_status = |word: &str| {
        first.is_some_and(|first| first.eq_ignore_ascii_case(word))
            || STATUSES.iter().any(|status| status.eq_ignore_ascii_case(word))
    };
    let proposed = |word: &str| {
        if word.starts_with(char::is_uppercase) { "Proposed" } else { "proposed" }
    };
    let mut cells: Vec<String> = line.split('|').map(str::to_owned).collect();
    if cells.len() > 2 {
        for cell in &mut cells {
            let word = cell.trim_matches([' ', '*', '_', '`']).to_owned();
            let begins = word.split_whitespace().next().unwrap_or_default();
            if is_status(begins) && !word.contains("](") {
                *cell = cell.replace(&word, proposed(begins));
            }
        }
        return cells.join("|");
    }
    let Some((before, after)) = line.rsplit_once('(') else { return line.to_owned() };
    match after.split_once(')') {
        Some((word, after)) if is_status(word) => format!("{before}({}){after}", proposed(word)),
        _ => line.to_owned(),
    }
}

/// Every day of a line, as ISO writes it, becomes this one.
fn with_day(line: &str, today: jiff::civil::Date) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        let day = rest.get(..10).filter(|day| day.parse::<jiff::civil::Date>().is_ok());
        let is_day = day.is_some() && !out.ends_with(|char: char| char.is_alphanumeric());
        if is_day {
            let _ = write!(out, "{today}");
            rest = &rest[10..];
        } else {
            out.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    out
}
