//! Hostile texts.

use super::Hostile;

/// The parts of a text.
#[derive(Clone, Copy, Debug)]
pub enum Alphabet {
    /// This part, repeated.
    Again(&'static str),
    /// One half is the first part, the other half the second.
    Halves(&'static str, &'static str),
    /// This part, each time with other numbers in place of `{v}` and `{n}`.
    Counted(&'static str),
    /// Sections of a transcript, as many of them as a debate can have.
    Sections(&'static str, &'static str),
    /// All parts, in a pseudo-random order.
    Mixed(u64),
}

const PIECES: &[&str] = &[
    "\u{200b}",
    "\u{200d}",
    "\u{200d}\u{200b}",
    "א\u{200c}",
    "\u{fe0f}",
    "\u{e0061}",
    "\u{34f}",
    "\u{202e}",
    "\u{ad}",
    "\u{0}",
    "\u{1b}[",
    "\r",
    "\t",
    "\u{85}",
    "\u{301}",
    "a\u{301}",
    "👨\u{200d}",
    "👨\u{200d}👩 ",
    "é",
    "日",
    "x",
    "x ",
    " ",
    "\n",
    "\n\n",
    "a\n",
    "`",
    "` ",
    "`a",
    "```\n",
    "~~~\n",
    "[",
    "]",
    "![",
    "[a](",
    "[a][",
    "[^",
    "(",
    ")",
    "{",
    "\"",
    "\"a",
    "\" ",
    "“",
    "'",
    "- ",
    "- \n",
    "* ",
    "*",
    "**",
    "*a ",
    "*_",
    "_",
    "~~a",
    "• ",
    "1. ",
    "+\n",
    "> ",
    "> \n",
    "> - ",
    "| ",
    "|a|\n",
    "|-|\n",
    "# ",
    "# \n",
    "## a\n",
    "### What to do\n\n",
    "A1 ",
    "A1, ",
    "A1\n",
    "S1.1 ",
    "**A1. a** b\n",
    "A1 survived: a\n",
    "  a\n",
    "```anvil\n",
    "~~~anvil\n~~~\n",
    "**Attacks A1:** \"a\"\n",
    "**Attacks C1:** \"b\" a\n\n",
    "**Grants A1:** because a\n",
    "**Repairs A1 (after C1):** a\n",
    "verdict: do\n",
    "confidence: 5 %\n",
    "rests on: A1\n",
    "1. a\n",
    "option 1: a\n",
    "change 1 (A1): a\n",
    "%",
    "90 % ",
    "5",
    "1,",
    "<",
    ">",
    "<a ",
    "</",
    "<!-- ",
    "<!-- anvil-state\n",
    "-->",
    "<x y=\"",
    "&",
    "&#8238;",
    "&amp;",
    "\\",
    "\\`",
    "@a ",
    "@a` ",
    "#1 ",
    "!1 ",
    "a/b#1 ",
    "1234567 ",
    "abcdef0",
    "http://",
    "http://a.b/c ",
    "www.",
    "/a",
    "/a/b ",
    "C:\\a ",
    "~/",
    "file://",
    "--x ",
    "--rounds 2 ",
    "— ",
    "= ",
    ". ",
    "! ",
    "?",
    ".",
    "a. ",
    "e.g. ",
    ": ",
    ",",
    ";",
    "[evidence: a] ",
    "[reasoning",
    "because ",
    "not ",
    "token=a",
    "password: ",
    "AKIA",
    "-----BEGIN ",
    "\u{feff}",
    "fn a() {\n",
    "### Advocate\n<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->\n> a\n\n",
    "## Round 1\n\n",
    "\n### Critic\n\n",
    "{\"a\":",
    "{\"type\":\"a\"}\n",
    "{\"at\":\"2026-11-21T00:00:00Z\",\"id\":\"a\"}\n",
    "diff --git a/a b/a\n",
    "@@ -1 +1 @@\n",
];

const HALVES: &[(&str, &str)] = &[
    ("[", "]"),
    ("(", ")"),
    ("`", "` "),
    ("*", "a*"),
    ("\u{200b}", "x"),
    ("x", "\u{200b}"),
    ("\"", "a\""),
    ("<", ">"),
    (" ", "x"),
    ("x", " "),
];

const COUNTED: &[&str] = &[
    "A{n} ",
    "S{v}.{n}, ",
    "**A{n}. a** b\n",
    "**S{v}.{n}. a{n}** b\n",
    "S{v}.{n} survived: a\n",
    "{n}. a\n",
    "change {v} (A{n}): a\n",
    "`{v}{n}` ",
    "@a{v}{n} ",
    "**Attacks S{v}.{n}:** \"a{v}{n}\" b\n",
    "**Grants A{n}:** because {v}{n}\n",
    "rests on: S{v}.{n}\n",
    "confidence: {n}\n",
    "S{v}.{n} supported: a{n} \"a\"\n",
    "[a{v}{n}]: b\n",
    "[a{v}{n}] ",
    "[^{v}{n}]: a\n",
    "[^{v}{n}] ",
    "## a{v}{n}\n",
    "--x{v}{n} ",
    "{v}{n},",
    "## Round {n}\n\n",
    "## Cycle {n}\n<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->\n> a\n\n",
    "## Persona {n}: a\n<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->\n> **S{n}.1. \
        a** b\n> **Attacks S{v}.{n}:** \"c\" d\n\n",
    "{\"at\":\"2026-11-21T00:00:00Z\",\"id\":\"a{v}{n}\",\"question\":\"b\"}\n",
    "diff --git a/a{v}{n} b/a{v}{n}\n",
    "fn a{v}{n}() {\n",
];

const MARK: &str = "<!-- anvil {\"at\":\"2026-11-21T00:00:00Z\",\"words\":1} -->";

/// In bytes. A text of a megabyte is just below the bound of headings.
const SECTION: usize = 220;

/// Headings and texts.
const SECTIONS: &[(&str, &str)] = &[
    ("### Advocate", "**A{n}. One.** a\n> **Rebuts C{n}:** \"two {v}\" is old, because {n}"),
    ("### Critic", "**C{n}. Two.** a\n> **Attacks A1:** \"one\" {v}\n> **Grants A{n}:** because a"),
    ("### Critic", "**Attacks A1:** \"one\" {v}\n> **Repairs C1 (after A1):** a"),
    ("## Persona {n}: a", "**S{n}.1. a** b\n> **Attacks S{n}.{n}:** \"c\""),
    ("### Judgment", "```anvil\n> A{n} survived: a\n> verdict: do\n> ```"),
    ("### Fact Check", "**A{n}:** supported, `a{n}` \"a\""),
    ("### Evidence Check", "**A{n}:** not there, `a{n}`, commit a"),
    ("### Side Note", "A{n} is old"),
    ("### User Answer", "**Ask:** Why {n}?\n>\n> Because"),
    ("## Cycle {n}", "a"),
    ("## Synthesis", "```anvil\n> A{n} survived: a\n> ```"),
    ("## Mine {n}\n\na\n\n### Critic", "a"),
];

pub fn alphabets() -> Vec<Alphabet> {
    let again = PIECES.iter().copied().map(Alphabet::Again);
    let halves = HALVES.iter().map(|&(one, other)| Alphabet::Halves(one, other));
    let counted = COUNTED.iter().copied().map(Alphabet::Counted);
    let sections = SECTIONS.iter().map(|&(heading, text)| Alphabet::Sections(heading, text));
    again.chain(halves).chain(counted).chain(sections).chain((1..=4).map(Alphabet::Mixed)).collect()
}

impl Alphabet {
    /// A text of about this many bytes.
    pub fn text(self, size: usize) -> String {
        let times = |piece: &str, size: usize| piece.repeat(size / piece.len());
        match self {
            Self::Again(piece) => times(piece, size),
            Self::Halves(one, other) => times(one, size / 2) + &times(other, size / 2),
            Self::Sections(heading, text) => {
                let piece = format!("{heading}\n{MARK}\n> {text}");
                let words = " a".repeat(SECTION.saturating_sub(piece.len()) / 2);
                Self::counted(&format!("{piece}{words}\n\n"), size)
            }
            Self::Counted(piece) => Self::counted(piece, size),
            Self::Mixed(seed) => {
                let mut text = String::with_capacity(size + 128);
                let mut state = seed;
                while text.len() < size {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    text.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
                }
                text
            }
        }
    }

    fn counted(piece: &str, size: usize) -> String {
        let numbered = |at: usize| {
            let (voice, number) = ((at / 999) % 250 + 1, at % 999 + 1);
            piece.replace("{v}", &voice.to_string()).replace("{n}", &number.to_string())
        };
        let mut text = String::with_capacity(size + 512);
        for at in 0.. {
            text.push_str(&numbered(at));
            if text.len() >= size {
                break;
            }
        }
        text
    }
}

/// A hostile text.
pub struct Text {
    /// The text is a list of sections.
    pub is_transcript: bool,
    text: String,
}

impl Hostile for Text {
    fn new(alphabet: &Alphabet, size: usize) -> Self {
        let is_transcript = matches!(alphabet, Alphabet::Sections(..));
        Self { is_transcript, text: alphabet.text(size) }
    }
}

impl Text {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn owned(&self) -> String {
        self.text.clone()
    }

    /// The start of the text, with the maximum length of a question or an option.
    pub fn part(&self) -> String {
        self.text.chars().take(100).collect()
    }
}
