//! Reads Markdown into entries.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

use super::headings::{Heading, headings, is_mark, last_line};
use super::{Author, Entries, Entry, EntryKind, quote};
use crate::place::Place;
use anvil_text::{from_json_in_place, lines};

/// All entries, in order. Headings that are not Anvil's end an entry and are otherwise ignored.
pub fn parse(body: &str) -> Entries {
    let headings = headings(body);
    let mut entries = Vec::new();
    let mut round = 0_u8;
    let mut cycle = 1;
    let mut opened = None;
    for (index, found) in headings.iter().enumerate() {
        let mut voice = None;
        let mut task = None;
        let what = match found.heading {
            Heading::Round(number) => {
                round = number;
                opened = Some(found.start);
                continue;
            }
            Heading::Cycle(number) => {
                (round, cycle) = (0, number);
                EntryKind::Cycle
            }
            Heading::Reply(seat) => EntryKind::Reply(Place { seat, round: round.max(1) }),
            Heading::Voice(voice_task, number) => {
                round = number;
                task = Some(voice_task);
                let line = body[found.start..found.end].lines().next().unwrap_or_default();
                let name = line.split_once(": ").map(|(_, name)| name.trim().to_owned());
                voice = Some(name.unwrap_or_default());
                EntryKind::Reply(voice_task.place(number))
            }
            Heading::Note(kind) => EntryKind::Note(kind),
            Heading::Foreign => continue,
        };
        let stop = headings.get(index + 1).map_or(body.len(), |next| next.start);
        let (Mark { at, author, beginning_missing }, text) = content(&body[found.end..stop]);
        let begins = opened.take().unwrap_or(found.start);
        entries.push(Entry {
            what,
            cycle,
            voice,
            task,
            at,
            author,
            beginning_missing,
            text,
            begins,
        });
    }
    Entries(entries)
}

/// The transcript without the sections after its last reply.
fn up_to_last_reply(body: &str) -> &str {
    let mut body = body.trim_end_matches('\n');
    while let Some(at) = last_line(body, "#") {
        let heading = body[at..].lines().next().unwrap_or_default();
        if !matches!(Heading::read(heading), Heading::Note(_) | Heading::Cycle(_)) {
            break;
        }
        body = body[..at].trim_end_matches('\n');
    }
    body
}

/// True if the last reply of the transcript is exactly this text.
pub fn ends_with(body: &str, text: &str) -> bool {
    let body = up_to_last_reply(body);
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + 16);
    quote(text, &mut quoted);
    let before = body.strip_suffix(quoted.trim_end_matches('\n'));
    before.and_then(|before| before.lines().next_back()).is_some_and(is_mark)
}

/// The text of the last reply, found from the end without parsing the whole transcript.
pub fn last_text(body: &str) -> Option<String> {
    let body = up_to_last_reply(body);
    let mut start = body.len();
    while start > 0 {
        let line_start = body[..start].rfind('\n').map_or(0, |at| at + 1);
        if !body[line_start..start].starts_with('>') {
            break;
        }
        if line_start == 0 {
            start = 0;
            break;
        }
        start = line_start - 1;
    }
    let quoted = body[start..].trim_start_matches('\n');
    let ours = body[..start].lines().next_back().is_some_and(is_mark);
    (ours && !quoted.is_empty()).then(|| unquote(quoted))
}

/// The content of the comment below a heading.
#[derive(Default)]
struct Mark {
    at: Option<Timestamp>,
    author: Option<Author>,
    beginning_missing: bool,
}

/// The JSON of a mark. It is read whole, or not at all.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MarkJson<'a> {
    #[serde(borrow)]
    at: Option<Cow<'a, str>>,
    author: Option<Author>,
    beginning_missing: bool,
}

impl Mark {
    fn read(line: &str) -> Self {
        let json =
            line.trim_end().strip_prefix("<!-- anvil ").and_then(|line| line.strip_suffix("-->"));
        let mark = json.and_then(|json| from_json_in_place::<MarkJson<'_>>(json.trim()).ok());
        let MarkJson { at, author, beginning_missing } = mark.unwrap_or_default();
        Self { at: at.and_then(|at| at.parse().ok()), author, beginning_missing }
    }
}

/// Removes a section's mark and its quote prefixes. Lines without a prefix were written by hand,
/// and stay.
fn content(section: &str) -> (Mark, String) {
    let mut text = without_blank_lines(section);
    let mut mark = Mark::default();
    if let Some(line) = lines(text).next().filter(|line| is_mark(line)) {
        mark = Mark::read(line);
        text = without_blank_lines(after_line(text));
    }
    let length = text.trim_end().len();
    let text = &text[..text.len() - after_line(&text[length..]).len()];
    (mark, if text.starts_with('>') { unquote(text) } else { map_lines(text, |line| line) })
}

/// The text after its first line.
fn after_line(text: &str) -> &str {
    memchr::memchr(b'\n', text.as_bytes()).map_or("", |end| &text[end + 1..])
}

/// The text after the blank lines at its start.
fn without_blank_lines(mut text: &str) -> &str {
    while !text.is_empty() && lines(text).next().is_some_and(|line| line.trim().is_empty()) {
        text = after_line(text);
    }
    text
}

/// A text without its quote prefixes.
pub(super) fn unquote(quoted: &str) -> String {
    map_lines(quoted, |line| {
        line.strip_prefix("> ").or_else(|| line.strip_prefix('>')).unwrap_or(line)
    })
}

/// The lines of a text, each after this change, without a line break at the end.
fn map_lines(text: &str, change: impl Fn(&str) -> &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in lines(text).enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(change(line));
    }
    out
}
