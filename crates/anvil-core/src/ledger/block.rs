//! The block that ends a synthesis, a judgment or a fact-check: the one closed fence named `anvil`
//! at the top level. Programs read nothing else of these texts. docs/ledger.md has the grammar.

use std::fmt;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use serde::Serialize;

use super::{CheckVerdict, ClaimResult, Id};
use crate::transcript::normalise;
use anvil_text::{ascii_mark, is_bounded, is_doubtful_end, visible};

/// The info string of the fence.
const NAME: &str = "anvil";

/// Most lines of a block; a debate has at most 3,000 claims and moves. No value of a longer block
/// is read.
const MAX_LINES: usize = 4_000;

/// White space that is a blank for some Markdown readers.
const FEEDS: [char; 2] = ['\u{B}', '\u{C}'];

/// Why a text has no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
pub enum NoBlock {
    /// The text has no such fence.
    Missing,
    /// The text has two or more.
    Several,
    /// The fence has no closing line, so its text may be cut.
    Unclosed,
    /// The text has more Markdown than is parsed.
    Unread,
}

impl NoBlock {
    /// In a sentence: `the synthesis has …`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "no `anvil` block",
            Self::Several => "two `anvil` blocks",
            Self::Unclosed => "an `anvil` block that is not closed",
            Self::Unread => "too much Markdown to be read",
        }
    }
}

/// The part of a line before its colon.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Key {
    Motion,
    /// `A1 survived: why`.
    #[strum(disabled)]
    Claim(Id, ClaimResult),
    /// `A1 contradicted: place "words"`: the id and what the check says.
    #[strum(disabled)]
    Check(Id, CheckVerdict),
    Against,
    Recommendation,
    Verdict,
    Confidence,
    #[strum(serialize = "rests on")]
    RestsOn,
    #[strum(serialize = "depends on")]
    DependsOn,
    #[strum(serialize = "flips if")]
    FlipsIf,
    Unknown,
    /// `1. NAME`.
    #[strum(disabled)]
    Place(u8),
    /// `option 1: clause`.
    #[strum(disabled)]
    Option(u8),
    /// `change 1 (C2): clause`, without its claims.
    #[strum(disabled)]
    Change(u8),
    /// `judges: 2 of 3`. Only the program writes it.
    Judges,
    /// `confidence range: 60 to 80`. Only the program writes it.
    #[strum(serialize = "confidence range")]
    ConfidenceRange,
}

impl Key {
    /// Reads the text before the colon.
    fn read(text: &str) -> Option<Self> {
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        if let Ok(key) = folded.parse() {
            return Some(key);
        }
        let (first, word) = folded.split_once(' ')?;
        if let Ok(id) = first.parse::<Id>() {
            return match word.parse() {
                Ok(result) if ClaimResult::WRITTEN.contains(&result) => {
                    Some(Self::Claim(id, result))
                }
                _ => word.parse().ok().map(|check| Self::Check(id, check)),
            };
        }
        match first {
            "option" => number(word).map(Self::Option),
            "change" => number(word.split(' ').next()?).map(Self::Change),
            _ => None,
        }
    }
}

impl Key {
    /// True if its value is one word or figure, so that no line goes on below it.
    fn is_fixed(self) -> bool {
        matches!(
            self,
            Self::Verdict
                | Self::Confidence
                | Self::Place(_)
                | Self::Judges
                | Self::ConfidenceRange
        )
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(id, _) | Self::Check(id, _) => write!(out, "{id}"),
            Self::Place(place) => write!(out, "{place}."),
            Self::Option(option) => write!(out, "option {option}"),
            Self::Change(change) => write!(out, "change {change}"),
            named => out.write_str(named.into()),
        }
    }
}

/// A line of the block, with the lines that continue it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockLine {
    /// `None`: the line is not in the grammar.
    pub key: Option<Key>,
    /// The whole line, without its bullet.
    pub text: String,
    /// The text before the colon; of a line without one, the whole line.
    pub before: String,
    /// The text after the colon.
    pub value: String,
    /// The line has invisible characters, or the block is too long.
    pub is_spoiled: bool,
}

/// The lines of the block of a text.
pub(super) fn lines(text: &str) -> Result<Vec<BlockLine>, NoBlock> {
    let inside = inside(&normalise(text))?;
    let mut filled = inside.lines().filter(|line| !line.trim().is_empty());
    let mut whole: Vec<String> = Vec::new();
    let mut may_go_on = false;
    for line in filled.by_ref().take(MAX_LINES) {
        // A line with a key of its own is one, however far it is indented.
        let key = self::line(line.trim()).key;
        let goes_on = may_go_on && key.is_none() && line.starts_with("  ");
        if let Some(above) = whole.last_mut().filter(|_| goes_on) {
            above.push(' ');
            above.push_str(line.trim());
        } else {
            may_go_on = !key.is_some_and(Key::is_fixed);
            whole.push(line.trim().to_owned());
        }
    }
    let is_cut = filled.next().is_some();
    let mut lines: Vec<BlockLine> = whole.iter().map(|line| self::line(line)).collect();
    for line in &mut lines {
        line.is_spoiled |= is_cut;
    }
    Ok(lines)
}

/// The text inside the fence, as a Markdown reader sees it.
pub(super) fn inside(text: &str) -> Result<String, NoBlock> {
    fence(text).map(|fence| fence.inside)
}

/// The fence of a text that has one block, as it stands there.
pub fn block_of(text: &str) -> Option<String> {
    let text = normalise(text);
    place(&text).map(|place| text[place].trim_end().to_owned())
}

/// The place of the fence in a text that has one block.
pub(super) fn place(text: &str) -> Option<Range<usize>> {
    fence(text).ok().map(|fence| fence.place)
}

/// A fence named `anvil` at the top level.
struct Fence {
    place: Range<usize>,
    inside: String,
}

/// The one closed fence.
fn fence(text: &str) -> Result<Fence, NoBlock> {
    if !text.contains(NAME) && !text.contains('&') && !text.contains('\\') {
        return Err(NoBlock::Missing);
    }
    if !is_bounded(text) {
        return Err(NoBlock::Unread);
    }
    let mut found: Option<Fence> = None;
    let mut depth = 0_usize;
    let mut is_inside = false;
    for (event, place) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if depth == 0 && &*info == NAME =>
            {
                if found.is_some() {
                    return Err(NoBlock::Several);
                }
                found = Some(Fence { place, inside: String::new() });
                (depth, is_inside) = (1, true);
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                is_inside &= depth > 0;
            }
            Event::Text(part) if is_inside => {
                if let Some(fence) = &mut found {
                    fence.inside.push_str(&part);
                }
            }
            _ => {}
        }
    }
    let fence = found.ok_or(NoBlock::Missing)?;
    let above = &text[..fence.place.start];
    let block = &text[fence.place.clone()];
    let marked: Vec<&str> =
        text.lines().filter(|line| line.trim_start().starts_with(['`', '~'])).collect();
    if is_ambiguous(above) || marked.iter().any(|line| may_close(line)) {
        return Err(NoBlock::Missing);
    }
    if marked.iter().filter(|line| may_open(line)).nth(1).is_some() {
        return Err(NoBlock::Several);
    }
    if is_closed(block, &fence.inside) { Ok(fence) } else { Err(NoBlock::Unclosed) }
}

/// True if Markdown readers differ in what the text above a block is: one of them may take the
/// block for HTML, for a part of a list, or for its first line.
fn is_ambiguous(above: &str) -> bool {
    if above.starts_with('\u{FEFF}') || above.contains(FEEDS) {
        return true;
    }
    // The last line is the indentation of the block.
    let (lines, _) = above.rsplit_once('\n').unwrap_or_default();
    lines
        .rsplit('\n')
        .take_while(|line| !line.trim_matches([' ', '\t']).is_empty())
        .filter_map(|line| line.trim_start().strip_prefix('<'))
        .any(|tag| tag.starts_with(|char: char| char == '/' || char.is_ascii_alphabetic()))
}

/// True for a line of marks with a tab behind them: it closes a fence for comrak, and not for
/// pulldown-cmark.
fn may_close(line: &str) -> bool {
    let marks = line.trim_start_matches([' ', '\t']);
    let after = marks.trim_start_matches(['`', '~']);
    let is_blank = after.trim_matches([' ', '\t']).is_empty();
    marks.len() >= after.len() + 3 && after.contains('\t') && is_blank
}

/// True for a line that may open a block, if no list and no quote begins on it. Markdown readers
/// differ on where HTML, code and lists end, so a text has one such line.
fn may_open(line: &str) -> bool {
    let marks = line.trim_start();
    let after = marks.trim_start_matches(['`', '~']);
    // An entity or an escape may spell the name.
    let may_be_name = after.trim_start().starts_with(NAME) || after.contains(['&', '\\']);
    marks.len() >= after.len() + 3 && may_be_name
}

/// True if the last line of a fenced block closes it, and no line before it does so for a reader
/// that takes other white space for blanks.
fn is_closed(block: &str, inside: &str) -> bool {
    let fence = block.trim_start_matches(' ');
    let after = fence.trim_start_matches(['`', '~']);
    let opens = &fence[..fence.len() - after.len()];
    let closes =
        |line: &str| line.len() >= opens.len() && line.chars().all(|char| opens.starts_with(char));
    let lines: Vec<&str> = block.trim_end_matches('\n').split('\n').collect();
    let [first, between @ .., last] = lines.as_slice() else { return false };
    // Not every reader takes a form feed for a blank.
    !first.contains(FEEDS)
        && closes(last.trim_matches(' '))
        && between.len() == inside.split_terminator('\n').count()
        && !between.iter().any(|line| closes(line.trim()))
}

fn line(line: &str) -> BlockLine {
    let bullet = ["- ", "* "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let text = bullet.unwrap_or(line).trim();
    // An editor may show a part of the line as another one.
    let is_spoiled = visible(text).1 > 0 || text.contains(is_doubtful_end);
    if let Some((place, name)) = numbered_name(text) {
        let before = format!("{place}.");
        let value = name.to_owned();
        return BlockLine {
            key: Some(Key::Place(place)),
            text: text.to_owned(),
            before,
            value,
            is_spoiled,
        };
    }
    let Some((at, colon)) = text.char_indices().find(|(_, char)| ascii_mark(*char) == ':') else {
        // `A1 not found` has nothing to say after a colon.
        let key = Key::read(text).filter(|key| matches!(key, Key::Check(..)));
        let text = text.to_owned();
        return BlockLine { key, before: text.clone(), text, value: String::new(), is_spoiled };
    };
    let before = text[..at].trim();
    let value = text[at + colon.len_utf8()..].trim();
    let before = before.to_owned();
    let value = value.to_owned();
    BlockLine { key: Key::read(&before), text: text.to_owned(), before, value, is_spoiled }
}

/// `1. NAME`.
fn numbered_name(text: &str) -> Option<(u8, &str)> {
    let (digits, name) = text.split_once('.')?;
    let name = name.strip_prefix(char::is_whitespace)?.trim();
    Some((number(digits)?, name))
}

/// A number from 1 to 255, without a sign.
pub(super) fn number(text: &str) -> Option<u8> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use comrak::nodes::NodeValue;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn of(inside: &str) -> Vec<BlockLine> {
        lines(&format!("```anvil\n{inside}\n```")).unwrap()
    }

    /// Each line of a block: its key and its value; `?` before a spoiled one.
    fn read(inside: &str) -> Vec<String> {
        let shown = |line: &BlockLine| {
            let spoiled = if line.is_spoiled { "?" } else { "" };
            let word = match line.key {
                Some(Key::Claim(_, result)) => format!(" {}", result.word()),
                Some(Key::Check(_, word)) => format!(" {}", word.word()),
                _ => String::new(),
            };
            match line.key {
                Some(key) => format!("{spoiled}{key}{word}={}", line.value),
                None => format!("{spoiled}-={}", line.before),
            }
        };
        of(inside).iter().map(shown).collect()
    }

    #[test]
    fn a_line_is_a_key_and_a_value() {
        for (line, expected) in [
            ("verdict: do", "verdict=do"),
            ("  Verdict :  do not  ", "verdict=do not"),
            ("VERDICT:do", "verdict=do"),
            ("- verdict: do", "verdict=do"),
            ("* verdict: do", "verdict=do"),
            ("-verdict: do", "-=-verdict"),
            ("- - verdict: do", "-=- verdict"),
            ("+ verdict: do", "-=+ verdict"),
            ("\u{2022} verdict: do", "-=\u{2022} verdict"),
            ("> verdict: do", "-=> verdict"),
            ("**verdict:** do", "-=**verdict"),
            ("verdict\u{a0}: do", "verdict=do"),
            ("verdict\u{202f}:\u{a0}do", "verdict=do"),
            ("verdict\u{ff1a}do", "verdict=do"),
            ("\trests  \t on: A1", "rests on=A1"),
            ("rests\u{a0}on: A1", "rests on=A1"),
            ("rests-on: A1", "-=rests-on"),
            ("depends on: a: b", "depends on=a: b"),
            ("flips if: x", "flips if=x"),
            ("unknown:", "unknown="),
            ("confidence range: 60 to 80", "confidence range=60 to 80"),
            ("judges: 2 of 3", "judges=2 of 3"),
            ("Verdikt: do", "-=Verdikt"),
            ("verdict", "-=verdict"),
            ("verdict do", "-=verdict do"),
            (": do", "-="),
            ("A1 survived: it holds", "A1 survived=it holds"),
            ("s2.3 FELL: x", "S2.3 fell=x"),
            ("A1 weakened:", "A1 weakened="),
            ("A1 survived", "-=A1 survived"),
            ("A1: survived", "-=A1"),
            ("A1, A2 survived: x", "-=A1, A2 survived"),
            ("A1 left out: x", "-=A1 left out"),
            ("A0 fell: x", "-=A0 fell"),
            ("A1 not found", "A1 not found="),
            ("A1 not found: x", "A1 not found=x"),
            ("A1 supported: x", "A1 supported=x"),
            ("A1 supported", "A1 supported="),
            ("1. Redis: one node", "1.=Redis: one node"),
            ("2.\u{a0}Redis", "2.=Redis"),
            ("1.Redis", "-=1.Redis"),
            ("0. Redis", "-=0. Redis"),
            ("256. Redis", "-=256. Redis"),
            ("1) Redis", "-=1) Redis"),
            ("option 2: x", "option 2=x"),
            ("option 02: x", "option 2=x"),
            ("option +2: x", "-=option +2"),
            ("option 0: x", "-=option 0"),
            ("option: x", "-=option"),
            ("change 3 (C2, A1): x", "change 3=x"),
            ("change 3: x", "change 3=x"),
            ("change (C2): x", "-=change (C2)"),
            ("verdict: do\u{200b}", "?verdict=do\u{200b}"),
            ("ver\u{ad}dict: do", "?-=ver\u{ad}dict"),
            ("against: \u{202e}x", "?against=\u{202e}x"),
            (
                "against: a \u{1f469}\u{200d}\u{1f4bb} costs",
                "against=a \u{1f469}\u{200d}\u{1f4bb} costs",
            ),
        ] {
            assert_eq!(read(line), [expected], "{line:?}");
        }
    }

    #[test]
    fn a_line_goes_on_below_unless_its_value_is_a_fixed_word() {
        for (inside, expected) in [
            ("against: x\n  y", &["against=x y"][..]),
            ("against: x\n\n  y", &["against=x y"]),
            ("against:\n   x\n  y", &["against=x y"]),
            ("A1 fell: x\n  verdict: do", &["A1 fell=x", "verdict=do"]),
            ("unknown: x\u{2028}verdict: do not", &["?unknown=x\u{2028}verdict: do not"]),
            ("confidence: 8\u{85}0", &["?confidence=8\u{85}0"]),
            ("against: x\n  - y", &["against=x - y"]),
            ("rests on: A1,\n  A2", &["rests on=A1, A2"]),
            ("  verdict: do", &["verdict=do"]),
            ("verdict: do\n  not", &["verdict=do", "-=not"]),
            ("verdict:\n  do", &["verdict=", "-=do"]),
            ("confidence: 80\n  90", &["confidence=80", "-=90"]),
            ("1. Redis\n  Cluster\n  only", &["1.=Redis", "-=Cluster only"]),
            ("verdict: do\n  A1 fell: x\n  y", &["verdict=do", "A1 fell=x y"]),
            ("verdict: do\n not", &["verdict=do", "-=not"]),
            ("verdict: do\n\tnot", &["verdict=do", "-=not"]),
            ("verdict: do\n\u{a0}\u{a0}not", &["verdict=do", "-=not"]),
            ("verdict: do\n# note: x", &["verdict=do", "-=# note"]),
            ("x\nverdict: do\nunknown: y", &["-=x", "verdict=do", "unknown=y"]),
            ("against: x\n  a\u{200b}b", &["?against=x a\u{200b}b"]),
            ("verdict: do\r\n\r\n\u{3000}\r\nconfidence: 8", &["verdict=do", "confidence=8"]),
            ("", &[]),
        ] {
            assert_eq!(read(inside), expected, "{inside:?}");
        }
    }

    #[test]
    fn a_block_of_many_claims_is_read_whole_or_not_at_all() {
        let claims = |count: u32| {
            let line = |number| format!("S{}.{} fell: x\n", number / 999 + 1, number % 999 + 1);
            (0..count).map(line).collect::<String>() + "verdict: do"
        };
        let read = |count| {
            let lines = of(&claims(count));
            (lines.len(), lines.iter().filter(|line| line.is_spoiled).count())
        };
        assert_eq!(read(200), (201, 0));
        assert_eq!(read(3_999), (4_000, 0));
        assert_eq!(read(4_000), (4_000, 4_000), "the verdict is behind the last line");
    }

    #[test]
    fn the_block_is_the_one_closed_fence_at_the_top_level() {
        use NoBlock::{Missing, Several, Unclosed};
        let x = |text: &str| Ok(text.to_owned());
        for (text, expected) in [
            ("```anvil\nx\n```", x("x\n")),
            ("Prose.\n```anvil\nx\n```\nProse.", x("x\n")),
            ("```anvil\r\nx\r\n```\r\n", x("x\n")),
            ("```anvil\rx\r```", x("x\n")),
            ("```  anvil  \nx\n```  ", x("x\n")),
            ("````anvil\n```\nx\n````", x("```\nx\n")),
            ("```anvil\nx\n`````", x("x\n")),
            ("~~~anvil\nx\n```\n~~~", x("x\n```\n")),
            ("   ```anvil\n   x\n     y\n   ```", x("x\n  y\n")),
            ("```anvil\n\tx\n```", x("\tx\n")),
            ("```an&#118;il\nx\n```", x("x\n")),
            ("<!-- x -->\n```anvil\nx\n```", x("x\n")),
            ("<div>\n\n```anvil\nx\n```", x("x\n")),
            ("```\n```\n```anvil\nx\n```", x("x\n")),
            ("> ```anvil\n> y\n> ```\n\n```anvil\nx\n```", x("x\n")),
            ("```anvil\n```", x("")),
            // No such fence.
            ("", Err(Missing)),
            ("verdict: do", Err(Missing)),
            ("```anvil x\nx\n```", Err(Missing)),
            ("```Anvil\nx\n```", Err(Missing)),
            ("```anvil\u{a0}\nx\n```", Err(Missing)),
            ("```\nanvil\nx\n```", Err(Missing)),
            ("> ```anvil\n> x\n> ```", Err(Missing)),
            ("- ```anvil\n  x\n  ```", Err(Missing)),
            ("1. One.\n\n   ```anvil\n   x\n   ```", Err(Missing)),
            ("    ```anvil\n    x\n    ```", Err(Missing)),
            ("\t```anvil\n\tx\n\t```", Err(Missing)),
            ("\\```anvil\nx\n```", Err(Missing)),
            ("```anvil```\nx", Err(Missing)),
            ("<!--\n```anvil\nx\n```\n-->", Err(Missing)),
            ("<div>\n```anvil\nx\n```", Err(Missing)),
            ("````\n```anvil\nx\n```\n````", Err(Missing)),
            // Readers differ.
            ("</pre>\n```anvil\nx\n```", Err(Missing)),
            ("\u{feff} ```anvil\nx\n```", Err(Missing)),
            ("y\n1. \u{c}\n   ```anvil\nx\n```", Err(Missing)),
            ("```anvil\u{c}\nx\n```", Err(Unclosed)),
            // Two, or a second one for some reader.
            ("```anvil\nx\n```\n\u{c}\n<b>\n```anvil", Err(Several)),
            ("```anvil\nx\n```\n<script>\n</pre>\n```an&#118;il", Err(Several)),
            ("```anvil\nx\n```\n```anvil\nx\n```", Err(Several)),
            ("```anvil\nx\n```\n~~~anvil\ny", Err(Several)),
            ("```an&#118;il\nx\n```\n\n```anvil\ny\n```", Err(Several)),
            // Not closed.
            ("```anvil\nx", Err(Unclosed)),
            ("```anvil", Err(Unclosed)),
            ("```anvil\n\n\n", Err(Unclosed)),
            ("```anvil\nx\n``", Err(Unclosed)),
            ("````anvil\nx\n```", Err(Unclosed)),
            ("```anvil\nx\n~~~", Err(Unclosed)),
            ("```anvil\nx\n    ```", Err(Unclosed)),
            ("```anvil\nx\n```\u{a0}", Err(Unclosed)),
            ("```anvil\nx\n``` y", Err(Unclosed)),
            ("```anvil\nx\n\t```\ny\n```", Err(Unclosed)),
        ] {
            let text = normalise(text);
            assert_eq!(inside(&text), expected, "{text:?}");
            assert_eq!(block_of(&text).is_some(), expected.is_ok(), "{text:?}");
        }
        let text = "Prose.\n\n```anvil\nx\n```\n\nMore.";
        assert_eq!(block_of(text).as_deref(), Some("```anvil\nx\n```"));
    }

    /// The fences named `anvil` at the top level, as one Markdown reader sees them: closed, and
    /// the text.
    type Fences = Vec<(bool, String)>;

    fn by_pulldown(text: &str) -> Fences {
        let mut found: Fences = Vec::new();
        let mut depth = 0_usize;
        let mut end = None;
        for (event, place) in Parser::new(text).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                    if depth == 0 && &*info == NAME =>
                {
                    let first = text[place.clone()].split_inclusive('\n').next();
                    end = Some(place.start + first.map_or(0, str::len));
                    found.push((false, String::new()));
                    depth = 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => {
                    depth -= 1;
                    if let Some(end) = end.take_if(|_| depth == 0)
                        && let Some((is_closed, _)) = found.last_mut()
                    {
                        // Behind its text is its closing line.
                        *is_closed = !text[end.min(place.end)..place.end].trim().is_empty();
                    }
                }
                Event::Text(part) if end.is_some() => {
                    found.iter_mut().next_back().unwrap().1.push_str(&part);
                    end = Some(place.end);
                }
                _ => {}
            }
        }
        found
    }

    fn by_comrak(text: &str) -> Fences {
        let arena = comrak::Arena::new();
        let root = comrak::parse_document(&arena, text, &comrak::Options::default());
        let fence = |node: comrak::Node<'_>| match &node.data.borrow().value {
            NodeValue::CodeBlock(code) if code.fenced && code.info == NAME => {
                Some((code.closed, code.literal.clone()))
            }
            _ => None,
        };
        root.children().filter_map(fence).collect()
    }

    const PREFIXES: [&str; 15] =
        ["", "", "", "", " ", "   ", "    ", "\t", "> ", ">", "- ", "  ", "1. ", "* > ", "<!-- "];

    const PIECES: [&str; 82] = [
        "```anvil",
        "```anvil",
        "```anvil",
        "```anvil",
        "~~~anvil",
        "````anvil",
        "```  anvil \t",
        "```anvil x",
        "```Anvil",
        "```",
        "```",
        "```",
        "```",
        "````",
        "~~~",
        "verdict: do",
        "A1 fell: x",
        "verdict: do not",
        "",
        "",
        "<!--",
        "-->",
        "<!-- x -->",
        "<div>",
        "</div>",
        "<pre>",
        "</pre>",
        "<script>",
        "</script>",
        "&#96;",
        "```an&#118;il",
        "```anvil\\",
        "text",
        "# h",
        "***",
        "===",
        "---",
        "|a|b|\n|-|-|",
        "[a]: b",
        "[a]: <",
        "[a]:",
        "'",
        "\"x",
        "`",
        "``",
        "`x",
        "```anvil```",
        "```anvil\u{a0}",
        "```anvil\u{c}",
        "```anvil\u{b}",
        "\u{c}",
        "\u{b}",
        "\u{a0}",
        "```\u{a0}",
        "``` \t",
        "```\t",
        "\u{feff}",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<a",
        "<a href='",
        "\u{2028}",
        "\u{85}",
        "[^1]: x",
        "\\",
        "- x",
        "1. x",
        "2) x",
        "-",
        "+",
        "\0",
        "<!X",
        "<b>",
        "**",
        "x  ",
        "~~~ anvil ~~~",
        "``` anvil ~~~",
        "\\```anvil",
        "```anvil\nverdict: do\n```",
        "```anvil\nverdict: do\n```",
    ];

    fn markdown() -> impl Strategy<Value = String> {
        let ends = ["\n", "\n", "\n", "\n\n", "\r\n", "\r", ""];
        let line = (select(&PREFIXES[..]), select(&PIECES[..]), select(ends.to_vec()));
        let line = line.prop_map(|(prefix, piece, end)| format!("{prefix}{piece}{end}"));
        prop::collection::vec(line, 0..10).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Two million such documents had no exception.
        #[test]
        fn two_markdown_readers_see_the_same_block_or_there_is_none(text in markdown()) {
            let text = normalise(&text);
            if let Ok(inside) = inside(&text) {
                let alone = vec![(true, inside)];
                prop_assert_eq!(by_pulldown(&text), alone.clone());
                prop_assert_eq!(by_comrak(&text), alone);
            }
        }

        /// Only a line feed ends a line.
        #[test]
        fn a_block_has_the_lines_that_markdown_sees(
            parts in prop::collection::vec(
                select(vec!["unknown: x", "verdict: do not", "  y", "\n", "\u{b}", "\u{c}", "\u{85}",
                    "\u{2028}", "\u{2029}"]),
                0..8,
            ),
        ) {
            let block = |inside: &str| lines(&format!("```anvil\n{inside}\n```"));
            let inside = parts.concat();
            let blank: String =
                inside.replace(is_doubtful_end, "\u{a0}");
            let (Ok(read), Ok(blank)) = (block(&inside), block(&blank)) else { return Ok(()) };
            prop_assert_eq!(read.len(), blank.len());
            for line in read.iter().filter(|line| line.text.contains(is_doubtful_end)) {
                prop_assert!(line.is_spoiled, "{:?}", line);
            }
        }

        /// And a plain block is found, whatever prose is around it.
        #[test]
        fn a_block_between_blank_lines_is_found(
            above in "([A-Za-z#*<>!`.:-]{1,8} ?){0,20}", below in "[^`]{0,80}",
        ) {
            let text = format!("{above}\n\n```anvil\nverdict: do\n```\n\n{below}");
            let readers = [by_pulldown(&normalise(&text)), by_comrak(&normalise(&text))];
            let alone = vec![(true, "verdict: do\n".to_owned())];
            let is_alone = readers.iter().all(|fences| *fences == alone);
            prop_assert_eq!(inside(&normalise(&text)).is_ok(), is_alone, "{:?}", readers);
        }
    }
}
