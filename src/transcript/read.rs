//! Markdown to sections: what stands in a transcript, in order.

use jiff::Timestamp;
use serde_json::Value;

use super::headings::{Found, Heading, headings};
use super::{Entry, Note, Section, What, quote};
use crate::debate::Slot;

/// All sections, in order. Headings that are not ours divide sections and are otherwise left alone.
#[must_use]
pub fn parse(body: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    scan(body, |found, slot, cycle, begins, raw| {
        if let Some(slot) = slot.filter(|_| !matches!(found.heading, Heading::Note(_))) {
            let (Mark { at, beginning_missing }, text) = content(raw);
            let voice = matches!(found.heading, Heading::Voice(_)).then(|| name_of_voice(body, found));
            sections.push(Section { slot, voice, cycle, at, beginning_missing, text, begins });
        }
    });
    sections
}

fn name_of_voice(body: &str, found: &Found) -> String {
    let line = body[found.start..found.end].lines().next().unwrap_or_default();
    line.split_once(": ").map(|(_, name)| name.trim().to_owned()).unwrap_or_default()
}

/// What stands beside the replies, in order.
#[must_use]
pub fn notes(body: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    scan(body, |found, _, _, begins, raw| {
        if let Heading::Note(kind) = found.heading {
            let (mark, text) = content(raw);
            notes.push(Note { kind, at: mark.at, text, begins });
        }
    });
    notes
}

/// All that stands in a transcript, in order: replies, what stands beside them, and where it was opened again.
#[must_use]
pub fn entries(body: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    scan(body, |found, slot, cycle, begins, raw| {
        let (Mark { at, beginning_missing }, text) = content(raw);
        let what = match (found.heading, slot) {
            (Heading::Note(kind), _) => What::Note(kind),
            (heading, Some(slot)) => {
                let voice = matches!(heading, Heading::Voice(_)).then(|| name_of_voice(body, found));
                What::Reply { slot, voice, cycle, beginning_missing }
            }
            (_, None) => What::Cycle(cycle),
        };
        entries.push(Entry { what, at, text, begins });
    });
    entries
}

/// The last cycle that was opened, and what the user said to it.
#[must_use]
pub fn last_cycle(body: &str) -> (u32, String) {
    cycles(body).pop().unwrap_or((1, String::new()))
}

/// The cycles that were opened after the first, and what the user said to each.
#[must_use]
pub fn cycles(body: &str) -> Vec<(u32, String)> {
    let mut cycles = Vec::new();
    scan(body, |found, _, _, _, raw| {
        if let Heading::Cycle(cycle) = found.heading {
            cycles.push((cycle, content(raw).1));
        }
    });
    cycles
}

/// Walks over what our headings head: the heading, the place of a reply, its cycle, where it begins, and what is below.
fn scan(body: &str, mut visit: impl FnMut(&Found, Option<Slot>, u32, usize, &str)) {
    let headings = headings(body);
    let (mut round, mut cycle, mut opened) = (0_u8, 1, None);
    for (index, found) in headings.iter().enumerate() {
        let slot = match found.heading {
            Heading::Round(number) => {
                round = number;
                opened = Some(found.start);
                continue;
            }
            Heading::Cycle(number) => {
                (round, cycle) = (0, number);
                None
            }
            Heading::Reply(phase) => Some(Slot { phase, round: round.max(1) }),
            Heading::Voice(slot) => {
                round = slot.round;
                Some(slot)
            }
            Heading::Note(_) => None,
            Heading::Foreign => continue,
        };
        let stop = headings.get(index + 1).map_or(body.len(), |next| next.start);
        visit(found, slot, cycle, opened.take().unwrap_or(found.start), &body[found.end..stop]);
    }
}

/// The transcript without what is no reply at its end.
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

/// True when the last reply of the transcript is exactly this text.
#[must_use]
pub fn ends_with(body: &str, text: &str) -> bool {
    let body = up_to_last_reply(body);
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + 16);
    quote(text, &mut quoted);
    let before = body.strip_suffix(quoted.trim_end_matches('\n'));
    before.and_then(|before| before.lines().next_back()).is_some_and(is_mark)
}

/// The text of the last reply, found from the end without parsing the rest.
#[must_use]
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

/// What the comment below a heading says.
#[derive(Default)]
struct Mark {
    at: Option<Timestamp>,
    beginning_missing: bool,
}

impl Mark {
    fn read(line: &str) -> Self {
        let json = line.trim_end().strip_prefix("<!-- anvil ").and_then(|line| line.strip_suffix("-->"));
        let mark: Value = json.and_then(|json| serde_json::from_str(json.trim()).ok()).unwrap_or_default();
        Self {
            at: mark["at"].as_str().and_then(|at| at.parse().ok()),
            beginning_missing: mark["beginning_missing"] == true,
        }
    }
}

/// Takes a section's mark and its quote prefixes off. Lines that are not quoted were written by hand: they stay as they are.
fn content(raw: &str) -> (Mark, String) {
    let mut lines: Vec<&str> = raw.lines().collect();
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

pub(super) fn is_mark(line: &str) -> bool {
    line.starts_with("<!-- anvil ") && line.trim_end().ends_with("-->")
}

pub(super) fn unquote(lines: &[&str]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(line.strip_prefix("> ").or_else(|| line.strip_prefix('>')).unwrap_or(line));
    }
    text
}
