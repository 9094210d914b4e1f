//! What the real programs print, in `outputs`: one file for each kind of end, with the program's
//! version and the date on which a test of the mock API saw it.

#![allow(clippy::unwrap_used)]

use anvil_prompt::{OutputFormat, PROFILES, Printed, answer};

/// A measured output.
struct Output {
    name: String,
    code: i32,
    /// `received`, or the word of the failure; and the beginning of the reply or the message.
    kind: String,
    text: String,
    stdout: String,
    stderr: String,
}

fn outputs() -> Vec<Output> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outputs");
    let files = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let text = fs_err::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let (head, printed) = text.split_once("\n--- standard output\n").unwrap();
            let (stdout, stderr) = printed.split_once("\n--- standard error\n").unwrap();
            let [_, code, end] = head.lines().collect::<Vec<_>>()[..] else { panic!("{name}") };
            let (kind, text) = end.split_once(": ").unwrap();
            Output {
                name,
                code: code.strip_prefix("exit ").unwrap().parse().unwrap(),
                kind: kind.to_owned(),
                text: text.to_owned(),
                stdout: stdout.to_owned(),
                stderr: stderr.to_owned(),
            }
        })
        .collect()
}

fn format_of(name: &str) -> OutputFormat {
    let profile = PROFILES.iter().find(|profile| name.split('-').next() == Some(profile.name));
    profile.unwrap_or_else(|| panic!("{name} is no program that stays")).output
}

#[test]
fn every_measured_output_is_read_as_what_it_is() {
    for Output { name, code, kind, text, stdout, stderr } in outputs() {
        let (output, stderr) = (stdout.as_bytes(), stderr.as_bytes());
        let read = answer(format_of(&name), &Printed { code: Some(code), output, stderr });
        let (found, said) = match &read {
            Ok(answer) => ("received".to_owned(), answer.text.clone()),
            Err(failure) => {
                let kind = serde_json::to_value(failure.kind).unwrap();
                (kind.as_str().unwrap().to_owned(), failure.message.clone())
            }
        };
        assert_eq!(found, kind, "{name}: {said}");
        assert!(said.starts_with(&text), "{name}: {said}");
        let figures = read.map_or_else(|failure| failure.figures, |answer| answer.figures);
        let is_counted = kind == "received" || name.ends_with("-empty");
        assert!(!is_counted || figures.usage.is_some_and(|usage| usage.sum() > 0), "{name}");
    }
}

#[test]
fn each_profile_has_a_measured_output_of_every_kind() {
    let names: Vec<String> = outputs().into_iter().map(|output| output.name).collect();
    for profile in PROFILES {
        for kind in ["success", "thinking", "quota", "login", "empty", "cut", "error"] {
            let name = format!("{}-{kind}", profile.name);
            assert!(names.contains(&name), "{name}");
        }
    }
}
