//! Every field of every record gets an impossible value.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::mutate::{change_field, fields, values};
use super::stage::{DEEDS, Deed, Scene, Stage, snapshot};
use testkit::sample::try_sample;

/// A record: its file, its lines (one if it is not a file of lines), and the fields of each.
struct Record {
    file: PathBuf,
    lines: Vec<Value>,
    fields: Vec<(usize, Vec<String>)>,
}

/// Each file with JSON objects.
fn records(stage: &Stage) -> Vec<Record> {
    let files =
        [".claude", "../home/.claude"].map(|folder| snapshot(&stage.host.path(folder))).concat();
    let read = |(file, bytes): (PathBuf, Vec<u8>)| {
        let whole: Option<Value> = serde_json::from_slice(&bytes).ok();
        let lines = || {
            std::str::from_utf8(&bytes)
                .ok()?
                .lines()
                .map(|line| serde_json::from_str(line).ok())
                .collect()
        };
        let lines: Vec<Value> = whole.map(|value| vec![value]).or_else(lines)?;
        let mut record = Record { file, lines, fields: Vec::new() };
        for (line, value) in record.lines.iter().enumerate() {
            record.fields.extend(fields(value).into_iter().map(|names| (line, names)));
        }
        (!record.fields.is_empty()).then_some(record)
    };
    files.into_iter().filter_map(read).collect()
}

/// The record with a field changed or removed, or with its line twice.
fn changed(record: &Record, field: usize, change: usize, values: &[Value]) -> String {
    let (line, names) = &record.fields[field];
    let mut lines = record.lines.clone();
    match values.get(change) {
        None if names.len() > 1 => lines.push(lines[*line].clone()),
        value => change_field(&mut lines[*line], names, value),
    }
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

/// The verbs that read records.
fn is_reader(deed: &Deed) -> bool {
    let words = ["resume", "run", "claim", "tasks", "attempts", "status", "history", "undo"];
    match deed {
        Deed::Event(_) => true,
        Deed::Prompt(prompt) => {
            words.iter().any(|word| prompt.contains(word)) || prompt.starts_with("my")
        }
        Deed::Shell(typed) => words.contains(&typed[0]),
    }
}

fn attack(scene: Scene, few: usize) {
    let stage = Stage::new(scene);
    let (records, values) = (records(&stage), values());
    let names: Vec<String> =
        records.iter().map(|record| record.file.to_string_lossy().into_owned()).collect();
    assert!(
        ["sessions/", "places/", "debate.json", "decisions.jsonl"]
            .iter()
            .all(|part| names.iter().any(|name| name.contains(part))),
        "{names:?}"
    );
    let fields: Vec<(&Record, usize)> = records
        .iter()
        .flat_map(|record| (0..record.fields.len()).map(move |field| (record, field)))
        .collect();
    let deeds: Vec<Deed> = DEEDS.iter().copied().filter(is_reader).collect();
    let changes = values.len() + 1;
    try_sample(fields.len() * changes * deeds.len(), few, |case| {
        let (record, field) = fields[case / (changes * deeds.len())];
        let (change, deed) = (case / deeds.len() % changes, deeds[case % deeds.len()]);
        stage.restore();
        fs_err::create_dir_all(record.file.parent().unwrap()).unwrap();
        fs_err::write(&record.file, changed(record, field, change, &values)).unwrap();
        let names = record.fields[field].1.join(".");
        let value = values
            .get(change)
            .map_or_else(|| "gone or twice".to_owned(), |value| format!("{value:.60}"));
        let file = record.file.strip_prefix(stage.beside("")).unwrap_or(Path::new("")).display();
        stage.survives(deed, false, &format!("{names} of {file} is {value}, {deed:?}"));
    });
}

#[test]
fn no_number_in_a_record_harms_a_conversation() {
    attack(Scene::Conversation, 30);
}

#[test]
fn no_number_in_a_record_harms_a_run() {
    attack(Scene::Run, 40);
}
