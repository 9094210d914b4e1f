//! The headings of a transcript: Anvil's own, and the user's own that divide it.
//!
//! A line with an Anvil heading and Anvil's mark below it is always Anvil's, whatever the user
//! opened above it. Every line of a reply is quoted, so no reply can forge one. The user's own text
//! is read as `CommonMark`.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};
use strum::VariantArray as _;

use super::NoteKind;
use crate::place::{Seat, VoiceTask};
use anvil_text::{is_bounded, lines};

/// Most lines with a hash at the start. Twenty cycles of ten rounds have some 1,500.
pub const MAX_HEADINGS: usize = 5_000;

/// The first words in the heading of a voice.
const fn words_of(task: VoiceTask) -> &'static str {
    match task {
        VoiceTask::Stakeholder => "Stakeholder",
        VoiceTask::Persona => "Persona",
        VoiceTask::Option => "Option",
        VoiceTask::Attack => "Attack by option",
    }
}

/// The meaning of a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// A round of advocate and critic.
    Round(u8),
    /// The debate was opened again.
    Cycle(u32),
    /// A reply in the current round.
    Reply(Seat),
    /// The reply of a voice with this number.
    Voice(VoiceTask, u8),
    /// A section that is not a reply.
    Note(NoteKind),
    Foreign,
}

/// A heading and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoundHeading {
    /// First byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    pub heading: Heading,
}

impl Heading {
    pub(crate) fn read(line: &str) -> Self {
        match line {
            "### Advocate" => return Self::Reply(Seat::Advocate),
            "### Critic" => return Self::Reply(Seat::Critic),
            "## Synthesis" => return Self::Reply(Seat::Synthesizer),
            _ => {}
        }
        if let Some(&kind) = NoteKind::VARIANTS.iter().find(|kind| kind.heading() == line) {
            return Self::Note(kind);
        }
        line.strip_prefix("## ").and_then(Self::parse_numbered).unwrap_or(Self::Foreign)
    }

    /// Reads `Round 1`, `Cycle 2` and `Persona 1: NAME`.
    fn parse_numbered(title: &str) -> Option<Self> {
        if let Some(round) = title.strip_prefix("Round ") {
            return round.parse().ok().map(Self::Round);
        }
        if let Some(cycle) = title.strip_prefix("Cycle ") {
            return cycle.parse().ok().map(Self::Cycle);
        }
        VoiceTask::VARIANTS.iter().find_map(|&task| {
            let (voice, _) =
                title.strip_prefix(words_of(task))?.strip_prefix(' ')?.split_once(": ")?;
            Some(Self::Voice(task, voice.parse().ok().filter(|voice| *voice > 0)?))
        })
    }
}

pub(super) fn round_heading(round: u8) -> String {
    format!("## Round {round}")
}

/// The start of a voice's heading; the voice's name follows.
pub(super) fn voice_heading(task: VoiceTask, voice: u8) -> String {
    format!("## {} {voice}: ", words_of(task))
}

pub(super) fn cycle_heading(cycle: u32) -> String {
    format!("## Cycle {cycle}")
}

/// True for the comment that Anvil writes below its headings.
pub(super) fn is_mark(line: &str) -> bool {
    line.starts_with("<!-- anvil ") && line.trim_end().ends_with("-->")
}

/// The headings of a transcript, in order. In one with too much Markdown, every line that looks like
/// a heading counts.
pub(super) fn headings(body: &str) -> Vec<FoundHeading> {
    let all: Vec<FoundHeading> = lines_of_headings(body).collect();
    let is_sure = |found: &FoundHeading| match found.heading {
        Heading::Round(_) => true,
        Heading::Cycle(_) | Heading::Reply(_) | Heading::Voice(..) | Heading::Note(_) => {
            lines(&body[found.end..]).next().is_some_and(is_mark)
        }
        Heading::Foreign => found.start == 0,
    };
    if all.iter().all(is_sure) || !is_bounded(body) {
        return all;
    }
    let mut found: Vec<FoundHeading> = all.into_iter().filter(is_sure).collect();
    let known = found.len();
    for other in as_commonmark(body) {
        if found[..known].binary_search_by_key(&other.start, |found| found.start).is_err() {
            found.push(other);
        }
    }
    found.sort_unstable_by_key(|found| found.start);
    found
}

/// True if a transcript has more headings than are read.
pub fn has_too_many_headings(body: &[u8]) -> bool {
    memchr::memmem::find_iter(body, b"\n#").nth(MAX_HEADINGS - 1).is_some()
}

/// The first byte of the last line that begins like this, with a hash. The first line of the text
/// does not count.
pub(super) fn last_line(text: &str, begin: &str) -> Option<usize> {
    memchr::memrchr_iter(b'#', text.as_bytes())
        .find(|&at| text[..at].ends_with('\n') && text[at..].starts_with(begin))
}

/// All lines that begin with a hash.
pub(super) fn lines_of_headings(body: &str) -> impl Iterator<Item = FoundHeading> {
    let first = body.starts_with('#').then_some(0);
    let others = memchr::memmem::find_iter(body.as_bytes(), b"\n#").map(|at| at + 1);
    first.into_iter().chain(others).take(MAX_HEADINGS).map(|start| {
        let end = memchr::memchr(b'\n', &body.as_bytes()[start..])
            .map_or(body.len(), |length| start + length + 1);
        FoundHeading { start, end, heading: Heading::read(body[start..end].trim_end()) }
    })
}

/// The headings at depth 0, levels 1 to 3.
fn as_commonmark(body: &str) -> Vec<FoundHeading> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                let is_ours =
                    matches!(tag, Tag::Heading { level, .. } if level <= HeadingLevel::H3);
                if depth == 0 && is_ours {
                    let heading = Heading::read(body[range.clone()].trim_end());
                    found.push(FoundHeading { start: range.start, end: range.end, heading });
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    found
}
