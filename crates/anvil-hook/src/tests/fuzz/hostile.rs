//! The parts of hostile input: pieces that break parsers, and changes that break a valid text.

use anvil_text::error::Error;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;

/// Of Markdown, YAML and JSON: every text that opens, closes, forges, escapes or overflows.
const PIECES: &[&str] = &[
    // Markdown
    "```",
    "~~~",
    "````rust",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<pre>",
    "<style>",
    "<textarea>",
    "<?",
    "<!x",
    "<![CDATA[",
    "]]>",
    "---",
    "===",
    "=======",
    "***",
    "# H1",
    "## Round 2",
    "## Round 999",
    "## Round 99999999999999999999",
    "### Advocate",
    "### Critic",
    "## Synthesis",
    "> ",
    ">",
    "> > #",
    "<!-- anvil {\"at\":\"x\"} -->",
    "[a]: http://x",
    "[^1]: note",
    "- ",
    "1. ",
    "| a | b |\n|---|---|",
    "&#10;",
    "<div>",
    "</div>",
    "$$",
    ":::",
    "[[a]]",
    "![",
    "](",
    "<anvil-complete/>",
    " <anvil-complete/> ",
    "*_",
    "\\",
    "    ",
    "\t",
    // YAML
    "&a ",
    "*a",
    "!!binary ",
    "%YAML 1.2",
    "...",
    "? ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "|",
    "|+",
    "#",
    " #",
    "'",
    "\"",
    "\\\"",
    "\\u0000",
    "\\x1b",
    "\\N",
    "~",
    "null",
    "true",
    "yes",
    "-1",
    "0",
    "007",
    "0x1F",
    "1_000",
    "1e999",
    ".inf",
    "9223372036854775808",
    "-9223372036854775809",
    "1000001",
    "2026-11-21T01:55:41Z",
    "9999-12-31T23:59:59Z",
    "-009999-01-01T00:00:00Z",
    "round: 1",
    "active: true",
    "id: \"../x\"",
    "schema: 4",
    "status: in_progress",
    // JSON
    "\\ud83d",
    "\\udc00",
    "\\ud83d\\ude00",
    "{\"a\":",
    "[[[[",
    "null,",
    "\"type\":\"assistant\"",
    "\"isSidechain\":true",
    // the command line
    "--rounds 2",
    "--rounds",
    "--rounds=99",
    "--replace",
    "--output a.md",
    "--position \"x",
    "--",
    "--x",
    "—rounds 3",
    "“",
    "”",
    "/anvil:debate ",
    "/anvil:cancel",
    "--help",
    "-h",
    // versions of a file, line ends, characters that hide or steer
    "<<<<<<< HEAD\n",
    "=======\n",
    ">>>>>>> theirs\n",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\0",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{1b}[31m",
    "\u{1b}]52;c;eA==\u{7}",
    "\u{9b}2J",
    "\u{8}",
    "\u{7f}",
    "\u{202E}",
    "\u{2066}",
    "\u{200B}",
    "\u{FFFD}",
    "\u{FFFE}",
    "\u{1FFFF}",
    "e\u{301}",
    "😀",
    "é",
    " ",
    "",
];

pub(super) fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => (select(PIECES), 2..200_usize).prop_map(|(piece, times)| piece.repeat(times)),
    ]
}

/// Some pieces, one after the other.
pub(super) fn text() -> impl Strategy<Value = String> {
    let pieces =
        prop::collection::vec((piece(), select(vec!["", " ", "\n", "\n\n", "word "])), 0..10);
    pieces.prop_map(|pieces| {
        pieces.into_iter().flat_map(|(piece, end)| [piece, end.to_owned()]).collect()
    })
}

/// The beginning of a text.
pub(super) fn cut(text: &str, most_chars: usize) -> String {
    text.chars().take(most_chars).collect()
}

/// One change of a text. Positions are shares of its length, 0 to 65,535.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Everything from here on is missing: a torn write.
    Tear(u16),
    /// A part is missing or doubled.
    Part(u16, u16, bool),
    /// A line is missing, doubled, or swapped with another one.
    Line(u16, u16),
    /// A piece is inserted.
    Insert(u16, String),
    /// A byte is replaced.
    Flip(u16, u8),
    /// The line ends of another system.
    LineEnds(&'static str),
    /// Replaces the word after the first `: ` of some line.
    Value(u16, String),
}

/// Up to `most` changes.
pub(super) fn changes(most: usize) -> impl Strategy<Value = Vec<Change>> {
    let at = any::<u16>;
    let change = prop_oneof![
        1 => at().prop_map(Change::Tear),
        2 => (at(), at(), any::<bool>()).prop_map(|(from, to, twice)| Change::Part(from.min(to), from.max(to), twice)),
        3 => (at(), at()).prop_map(|(one, other)| Change::Line(one, other)),
        6 => (at(), piece()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        1 => select(vec!["\r\n", "\r"]).prop_map(Change::LineEnds),
        4 => (at(), piece()).prop_map(|(at, piece)| Change::Value(at, piece)),
    ];
    prop::collection::vec(change, 0..=most)
}

/// A text after these changes.
pub(super) fn changed(text: &str, changes: &[Change]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for change in changes {
        bytes = change.apply(bytes);
    }
    bytes
}

impl Change {
    fn apply(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let length = bytes.len();
        let place = |share: u16| usize::from(share) * (length + 1) / 65_536;
        match self {
            Self::Tear(at) => bytes.truncate(place(*at)),
            Self::Part(from, to, twice) => {
                let part = bytes[place(*from)..place(*to)].to_vec();
                let with = if *twice { part.repeat(2) } else { Vec::new() };
                bytes.splice(place(*from)..place(*to), with);
            }
            Self::Insert(at, piece) => {
                bytes.splice(place(*at)..place(*at), piece.bytes());
            }
            Self::Flip(at, byte) => {
                if let Some(old) = bytes.get_mut(place(*at)) {
                    *old = *byte;
                }
            }
            Self::Line(..) | Self::LineEnds(_) | Self::Value(..) => {
                return self.apply_to_lines(&bytes);
            }
        }
        bytes
    }

    fn apply_to_lines(&self, bytes: &[u8]) -> Vec<u8> {
        let mut lines: Vec<Vec<u8>> =
            bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let count = lines.len();
        let place = |share: u16| usize::from(share) * count / 65_536;
        let mut end: &[u8] = b"\n";
        match self {
            Self::Line(one, other) if one % 3 == 0 => lines.swap(place(*one), place(*other)),
            Self::Line(one, other) if one % 3 == 1 => {
                let line = lines[place(*one)].clone();
                lines.insert(place(*other), line);
            }
            Self::Line(one, _) => {
                lines.remove(place(*one));
            }
            Self::LineEnds(other) => end = other.as_bytes(),
            Self::Value(at, piece) => {
                let line = &mut lines[place(*at)];
                if let Some(colon) = line.windows(2).position(|pair| pair == b": ") {
                    line.truncate(colon + 2);
                    line.extend_from_slice(piece.as_bytes());
                }
            }
            Self::Tear(_) | Self::Part(..) | Self::Insert(..) | Self::Flip(..) => {}
        }
        lines.join(end)
    }
}

/// An error states the problem and a solution, each in one line.
pub(super) fn check_error(error: &Error) -> TestCaseResult {
    let said = error.to_string();
    prop_assert!(!said.is_empty() && !error.hint().plain().is_empty(), "{:?}", error);
    // A key is named unchanged, with its line breaks; the interfaces print it in one line.
    let is_known = said.contains("frontmatter can't be read");
    prop_assert!(is_known || !said.contains('\n'), "{:?}", error);
    prop_assert!(!error.hint().plain().contains('\n'), "{:?}", error);
    Ok(())
}
