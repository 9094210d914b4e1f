//! The block that ends a synthesis, a judgment or a fact-check: the one closed fence named `anvil`
//! at the top level. Programs read nothing else of these texts. docs/ledger.md has the grammar.

use std::fmt;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use serde::Serialize;

use super::{ClaimResult, Id};
use crate::domain::transcript::normalise;
use crate::text::{ascii_mark, visible};

/// The info string of the fence.
const NAME: &str = "anvil";

/// Most lines that are read; a debate has at most 3,000 claims and moves.
const MAX_LINES: usize = 4_000;

/// Why a text has no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoBlock {
    /// The text has no such fence.
    Missing,
    /// The text has two or more.
    Several,
    /// The fence has no closing line, so its text may be cut.
    Unclosed,
}

impl NoBlock {
    /// In a sentence: `the synthesis has …`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "no `anvil` block",
            Self::Several => "two `anvil` blocks",
            Self::Unclosed => "an `anvil` block that is not closed",
        }
    }
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Motion,
    /// `A1 survived: why`.
    Claim(Id, ClaimResult),
    /// `A1 contradicted: place "words"`: the id and the position of the word in [`CHECKS`].
    Check(Id, usize),
    Against,
    Recommendation,
    Verdict,
    Confidence,
    RestsOn,
    DependsOn,
    FlipsIf,
    Unknown,
    /// `1. NAME`.
    Place(u8),
    /// `option 1: clause`.
    Option(u8),
    /// `change 1 (C2): clause`, without its claims.
    Change(u8),
    /// `judges: 2 of 3`. Only the program writes it.
    Judges,
    /// `confidence range: 60 to 80`. Only the program writes it.
    ConfidenceRange,
}

/// The words of a fact-check.
pub(super) const CHECKS: [&str; 3] = ["supported", "contradicted", "not found"];

const NAMED: [(&str, Key); 11] = [
    ("motion", Key::Motion),
    ("against", Key::Against),
    ("recommendation", Key::Recommendation),
    ("verdict", Key::Verdict),
    ("confidence", Key::Confidence),
    ("rests on", Key::RestsOn),
    ("depends on", Key::DependsOn),
    ("flips if", Key::FlipsIf),
    ("unknown", Key::Unknown),
    ("judges", Key::Judges),
    ("confidence range", Key::ConfidenceRange),
];

impl Key {
    /// Reads the text before the colon.
    fn read(text: &str) -> Option<Self> {
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        if let Some((_, key)) = NAMED.iter().find(|(name, _)| *name == folded) {
            return Some(*key);
        }
        let (first, word) = folded.split_once(' ')?;
        if let Ok(id) = first.parse::<Id>() {
            let result = ClaimResult::WRITTEN.into_iter().find(|result| result.word() == word);
            let check = || CHECKS.iter().position(|check| *check == word);
            return result
                .map(|result| Self::Claim(id, result))
                .or_else(|| check().map(|check| Self::Check(id, check)));
        }
        match first {
            "option" => number(word).map(Self::Option),
            "change" => number(word.split(' ').next()?).map(Self::Change),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(id, _) | Self::Check(id, _) => write!(out, "{id}"),
            Self::Place(place) => write!(out, "{place}."),
            Self::Option(option) => write!(out, "option {option}"),
            Self::Change(change) => write!(out, "change {change}"),
            named => {
                let name = NAMED.iter().find(|(_, key)| key == named).map_or("", |(name, _)| name);
                out.write_str(name)
            }
        }
    }
}

/// A line of the block, with the lines that continue it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// `None`: the line is nothing of the grammar.
    pub(super) key: Option<Key>,
    /// The text before the colon; of a line without one, the whole line.
    pub(super) before: String,
    /// The text after the colon.
    pub(super) value: String,
    /// The line has invisible characters, or a line that is nothing of the grammar follows it.
    pub(super) is_spoiled: bool,
}

/// The lines of the block of a text.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, NoBlock> {
    let inside = inside(&normalise(text))?;
    let mut whole: Vec<String> = Vec::new();
    for line in inside.lines().filter(|line| !line.trim().is_empty()).take(MAX_LINES) {
        match whole.last_mut().filter(|_| line.starts_with("  ")) {
            Some(above) => *above = format!("{above} {}", line.trim()),
            None => whole.push(line.trim().to_owned()),
        }
    }
    let mut lines: Vec<Line> = whole.iter().map(|line| self::line(line)).collect();
    // What follows a line may belong to it: the line alone may say something else.
    for at in 1..lines.len() {
        lines[at - 1].is_spoiled |= lines[at].key.is_none();
    }
    Ok(lines)
}

/// The text inside the fence, as a Markdown reader sees it.
pub(super) fn inside(text: &str) -> Result<String, NoBlock> {
    if !text.contains(NAME) && !text.contains('&') && !text.contains('\\') {
        return Err(NoBlock::Missing);
    }
    let mut found = Err(NoBlock::Missing);
    let (mut depth, mut is_inside) = (0_usize, false);
    for (event, place) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if depth == 0 && info.trim() == NAME =>
            {
                if found != Err(NoBlock::Missing) {
                    return Err(NoBlock::Several);
                }
                is_inside = is_closed(&text[place]);
                found = if is_inside { Ok(String::new()) } else { Err(NoBlock::Unclosed) };
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                is_inside &= depth > 0;
            }
            Event::Text(text) if is_inside => {
                if let Ok(inside) = &mut found {
                    inside.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// The fence of a text that has one block, as it stands there.
pub fn block_of(text: &str) -> Option<String> {
    let text = normalise(text);
    place(&text).map(|place| text[place].trim_end().to_owned())
}

/// The place of the fence in a text that has one block.
pub(super) fn place(text: &str) -> Option<std::ops::Range<usize>> {
    inside(text).ok()?;
    let mut depth = 0_usize;
    for (event, place) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if depth == 0 && info.trim() == NAME =>
            {
                return Some(place);
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// True if the last line of a fenced block closes it.
fn is_closed(block: &str) -> bool {
    let block = block.trim_end_matches('\n');
    let Some((first, last)) = block.split_once('\n') else { return false };
    let last = last.rsplit('\n').next().unwrap_or_default().trim();
    let mark = |char: &char| matches!(char, '`' | '~');
    let fence = first.trim_start();
    let Some(kind) = fence.chars().next().filter(mark) else { return false };
    let opens = fence.chars().take_while(|char| *char == kind).count();
    last.chars().count() >= opens && last.chars().all(|char| char == kind)
}

fn line(line: &str) -> Line {
    let bullet = ["- ", "* "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let text = bullet.unwrap_or(line).trim();
    let is_spoiled = visible(text).1 > 0;
    if let Some((place, name)) = place_of_name(text) {
        let (before, value) = (format!("{place}."), name.to_owned());
        return Line { key: Some(Key::Place(place)), before, value, is_spoiled };
    }
    let Some((at, colon)) = text.char_indices().find(|(_, char)| ascii_mark(*char) == ':') else {
        // `A1 not found` has nothing to say after a colon.
        let key = Key::read(text).filter(|key| matches!(key, Key::Check(..)));
        return Line { key, before: text.to_owned(), value: String::new(), is_spoiled };
    };
    let (before, value) = (text[..at].trim(), text[at + colon.len_utf8()..].trim());
    let (before, value) = (before.to_owned(), value.to_owned());
    Line { key: Key::read(&before), before, value, is_spoiled }
}

/// `1. NAME`.
fn place_of_name(text: &str) -> Option<(u8, &str)> {
    let (digits, name) = text.split_once('.')?;
    let name = name.strip_prefix(char::is_whitespace)?.trim();
    Some((number(digits)?, name))
}

/// A number from 1 to 255, without a sign.
pub(super) fn number(text: &str) -> Option<u8> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number > 0)
}

/// A value without one final full stop.
pub(crate) fn without_stop(value: &str) -> &str {
    let last = value.chars().next_back().filter(|char| ascii_mark(*char) == '.');
    last.map_or(value, |last| value[..value.len() - last.len_utf8()].trim_end())
}
