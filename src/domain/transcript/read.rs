//! Reads Markdown into entries.

use jiff::Timestamp;
use serde_json::Value;

use super::headings::{Heading, headings, is_mark};
use super::{Author, Entries, Entry, What, quote};
use crate::domain::debate::Slot;
use crate::text::{from_json, lines};

/// All entries, in order. Headings that are not Anvil's end an entry and are otherwise ignored.
pub fn parse(body: &str) -> Entries {
    let headings = headings(body);
    let mut entries = Vec::new();
    let (mut round, mut cycle, mut opened) = (0_u8, 1, None);
    for (index, found) in headings.iter().enumerate() {
        let mut voice = None;
        let what = match found.heading {
            Heading::Round(number) => {
                round = number;
                opened = Some(found.start);
                continue;
            }
            Heading::Cycle(number) => {
                (round, cycle) = (0, number);
                What::Cycle
            }
            Heading::Reply(phase) => What::Reply(Slot { phase, round: round.max(1) }),
            Heading::Voice(slot) => {
                round = slot.round;
                voice = Some(name_of_voice(&body[found.start..found.end]));
                What::Reply(slot)
            }
            Heading::Note(kind) => What::Note(kind),
            Heading::Foreign => continue,
        };
        let stop = headings.get(index + 1).map_or(body.len(), |next| next.start);
        let (Mark { at, author, beginning_missing }, text) = content(&body[found.end..stop]);
        let begins = opened.take().unwrap_or(found.start);
        entries.push(Entry { what, cycle, voice, at, author, beginning_missing, text, begins });
    }
    Entries(entries)
}

fn name_of_voice(heading: &str) -> String {
    let line = heading.lines().next().unwrap_or_default();
    line.split_once(": ").map(|(_, name)| name.trim().to_owned()).unwrap_or_default()
}

/// The transcript without the sections after its last reply.
fn up_to_last_reply(body: &str) -> &str {
    let mut body = body.trim_end_matches('\n');
    while let Some(at) = body.rfind("\n#") {
        let heading = body[at + 1..].lines().next().unwrap_or_default();
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
    let quoted: Vec<&str> = body[start..].trim_start_matches('\n').lines().collect();
    let ours = body[..start].lines().next_back().is_some_and(is_mark);
    (ours && !quoted.is_empty()).then(|| unquote(&quoted))
}

/// The content of the comment below a heading.
#[derive(Default)]
struct Mark {
    at: Option<Timestamp>,
    author: Option<Author>,
    beginning_missing: bool,
}

impl Mark {
    fn read(line: &str) -> Self {
        let json =
            line.trim_end().strip_prefix("<!-- anvil ").and_then(|line| line.strip_suffix("-->"));
        let mut mark: Value = json.and_then(|json| from_json(json.trim()).ok()).unwrap_or_default();
        let author = mark.get_mut("author").map(Value::take);
        Self {
            at: mark["at"].as_str().and_then(|at| at.parse().ok()),
            author: author.and_then(|author| serde_json::from_value(author).ok()),
            beginning_missing: mark["beginning_missing"] == true,
        }
    }
}

/// Removes a section's mark and its quote prefixes. Lines without a prefix were written by hand,
/// and stay.
fn content(raw: &str) -> (Mark, String) {
    let mut lines: Vec<&str> = lines(raw).collect();
    let blank = |line: &&str| line.trim().is_empty();
    lines.drain(..lines.iter().take_while(|line| blank(line)).count());
    let mut mark = Mark::default();
    if lines.first().is_some_and(|line| is_mark(line)) {
        mark = Mark::read(lines.remove(0));
    }
    lines.drain(..lines.iter().take_while(|line| blank(line)).count());
    lines.truncate(lines.len() - lines.iter().rev().take_while(|line| blank(line)).count());
    let is_quoted = lines.first().is_some_and(|line| line.starts_with('>'));
    (mark, if is_quoted { unquote(&lines) } else { lines.join("\n") })
}

pub(super) fn unquote(lines: &[&str]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len()).sum());
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(line.strip_prefix("> ").or_else(|| line.strip_prefix('>')).unwrap_or(line));
    }
    text
}
