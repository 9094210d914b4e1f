//! Evidence with a place: a file of the project, perhaps with exact words in it, which a program
//! can look up.
//!
//! Words are compared without their white space, so that a formatter changes nothing.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::Id;
use super::checks::{named_in, place};
use super::read::MAX_TEXT;
use super::words::is_quote_mark;
use anvil_text::{ascii_mark, clean, closing_quote, is_unseen};

/// Fewest characters that are not blank: shorter words stand in many places.
pub(super) const LEAST_WORDS: usize = 12;

/// Characters that a path of one file does not have: patterns, lists, code.
const NO_PATH: [char; 19] = [
    '*', '?', '{', '}', '[', ']', '<', '>', '|', '"', '\'', '$', ',', ';', '(', ')', '=', ':', '…',
];

const MAX_EXTENSION: usize = 10;

/// Ends of a host's name that look like extensions: "example.com:443".
const HOSTS: [&str; 8] = ["com", "dev", "internal", "io", "lan", "local", "net", "org"];

/// Files without an extension, beside those whose names end with "file", in lower case.
const WITHOUT_EXTENSION: [&str; 9] = [
    "authors",
    "build",
    "changelog",
    "codeowners",
    "contributing",
    "copying",
    "license",
    "readme",
    "workspace",
];

/// Places of equal words that are compared with a line.
const MAX_FOUND: usize = 1_000;

/// Words this many lines from the named line are there.
const NEAR: usize = 10;

/// A place in a file that a claim names as its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// As the reply writes it.
    pub path: String,
    /// Counted from 1.
    pub line: Option<usize>,
    /// The last line of a range.
    #[serde(skip)]
    pub(super) last_line: Option<usize>,
    /// At least [`LEAST_WORDS`] characters that are not blank. `None`: it cites the file alone.
    pub words: Option<String>,
    /// `None`: there is nothing to say: a file alone is there, or a text that may be a path or not
    /// is no file of the project.
    pub seen: Option<Sighting>,
}

/// What the program saw when it looked for what a claim cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sighting {
    pub found: CitedWords,
    /// The file, relative to the project; as the reply writes it if it was not looked at.
    pub path: String,
    /// The line where the words begin, counted from 1.
    pub line: Option<usize>,
    /// The checked out commit. `None`: there was none.
    pub commit: Option<String>,
}

/// A claim that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ClaimJson")]
pub struct RestedClaim {
    pub id: Id,
    /// `None`: it cites none that the program saw.
    #[serde(flatten)]
    pub words: Option<RestedWords>,
    /// The file that it cites without such words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The JSON of such a claim; nothing in it is left out silently.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimJson {
    id: Id,
    path: Option<String>,
    line: Option<usize>,
    words: Option<String>,
    commit: Option<String>,
    file: Option<String>,
}

impl TryFrom<ClaimJson> for RestedClaim {
    type Error = &'static str;

    fn try_from(read: ClaimJson) -> Result<Self, Self::Error> {
        let ClaimJson { id, path, line, words, commit, file } = read;
        let texts = [&path, &words, &commit, &file].into_iter().flatten();
        if texts.map(String::as_str).any(|text| text.chars().nth(MAX_TEXT).is_some()) {
            return Err("a claim has a text of more than 1,000 characters");
        }
        let words = match (path, words) {
            (None, None) => None,
            (Some(path), Some(words)) if is_long(&words) => {
                Some(RestedWords { path, line, words, commit })
            }
            _ => return Err("a claim needs a path and words of 12 characters, or neither"),
        };
        Ok(Self { id, words, file })
    }
}

/// Words of a file that a verdict rests on, as the program saw them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestedWords {
    /// The file, relative to the project.
    pub path: String,
    /// Where they began, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub words: String,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Where cited words, or a cited file, are; the best comes first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum CitedWords {
    /// In the file, near the named line if one is named.
    There,
    /// In the file, but not near the named line.
    Elsewhere,
    /// Not in the file.
    #[strum(serialize = "not there")]
    NotThere,
    /// The project has no such file.
    #[strum(serialize = "no such file")]
    NoSuchFile,
    /// The path leads outside, git ignores or does not track it, or it may be a secret.
    #[strum(serialize = "not looked at")]
    NotLookedAt,
}

impl CitedWords {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl Citation {
    /// Reads the text after `[evidence`. `None`: it names no file.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(|char| matches!(ascii_mark(char), ':' | ' '));
        let (named, after) = match text.strip_prefix('`') {
            Some(text) => text.split_once('`')?,
            None => text.split_at(text.find(|char: char| char.is_whitespace() || char == ']')?),
        };
        let (mut path, mut lines) = place(named.trim_end_matches([',', ':', ';', '.']));
        if let (before, Some(line)) = place(path) {
            // `src/a.rs:41:5` has a column.
            (path, lines) = (before, Some(line));
        }
        let after = after.trim_start_matches([' ', ',', ':', ';']);
        let open = after.chars().next().filter(|char| is_quote_mark(*char) || *char == '`');
        let words = open.and_then(|open| quoted_words(&after[open.len_utf8()..], open));
        let path = path.strip_prefix("./").unwrap_or(path);
        let may_be_path = path.contains(['/', '\\', '.']) && !path.contains("://");
        let citation = Self {
            path: clean(path, MAX_TEXT),
            line: lines.map(|(first, _)| first),
            last_line: lines.map(|(_, last)| last),
            words: words.map(|words| clean(words, MAX_TEXT)),
            seen: None,
        };
        (citation.names_file() || may_be_path && words.is_some()).then_some(citation)
    }

    /// True if the path is plainly one of a file in the project: relative, with a folder and an
    /// extension, or with a line. "Node.js", "CI/CD", "example.com/a.html" and "localhost:8080" are
    /// no such paths.
    pub fn names_file(&self) -> bool {
        let path = self.path.as_str();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').find(|part| !matches!(*part, "." | "..")).unwrap_or_default();
        let is_host =
            !folder.is_empty() && first.trim_start_matches('.').contains('.') && first != name;
        if path.starts_with(['/', '~']) || path.contains(NO_PATH) || path.contains("...") || is_host
        {
            return false;
        }
        let extension =
            name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
        let extension = extension.filter(|end| {
            end.starts_with(|char: char| char.is_ascii_alphabetic())
                && end.len() <= MAX_EXTENSION
                && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        match (folder.is_empty(), self.line.is_some()) {
            (false, true) => !name.is_empty(),
            (false, false) => extension.is_some(),
            (true, true) => {
                let lower = name.to_lowercase();
                extension.is_some_and(|end| !HOSTS.contains(&end))
                    || name.starts_with('.')
                    || lower.ends_with("file")
                    || WITHOUT_EXTENSION.contains(&&*lower)
            }
            (true, false) => false,
        }
    }

    /// The words as the program saw them. `None`: it did not see them.
    pub fn rested_words(&self) -> Option<RestedWords> {
        let is_there = |found| matches!(found, CitedWords::There | CitedWords::Elsewhere);
        let seen = self.seen.as_ref().filter(|seen| is_there(seen.found))?;
        let Sighting { path, line, commit, .. } = seen.clone();
        Some(RestedWords { path, line, words: self.words.clone()?, commit })
    }

    /// True if it is not certain where the words end, or which they are: they have quote marks,
    /// escapes or an elision. That they are not there says nothing then.
    pub fn is_ambiguous(&self) -> bool {
        self.words.as_ref().is_some_and(|words| {
            words.contains(['"', '“', '”', '`', '\\', '…']) || words.contains("...")
        })
    }

    /// The line of the words in the text of their file, and whether it is near the named ones.
    /// `None`: it has no words.
    pub fn look(&self, text: &BareText) -> Option<(CitedWords, Option<usize>)> {
        let line = text.line_of(self.words.as_ref()?, self.line);
        let named = self.line.zip(self.last_line);
        let is_near = named.zip(line).is_none_or(|((first, last), line)| {
            (first.saturating_sub(NEAR)..=last.saturating_add(NEAR)).contains(&line)
        });
        let found = match line {
            Some(_) if is_near => CitedWords::There,
            Some(_) => CitedWords::Elsewhere,
            None => CitedWords::NotThere,
        };
        Some((found, line))
    }
}

/// The words up to the first mark that may close them, or up to an elision. Code has quote marks of
/// its own, so they may be only the beginning of what is quoted; that is there if all of it is.
fn quoted_words(text: &str, open: char) -> Option<&str> {
    let text = text.trim_start_matches('`');
    let close = if open == '`' { open } else { closing_quote(open)? };
    let mut ends = text.char_indices().take(MAX_TEXT).filter(|(at, char)| {
        *char == close || *char == '"' || *char == '…' || text[*at..].starts_with("...")
    });
    ends.find_map(|(at, _)| {
        let words = text[..at].trim_end_matches(['`', '\\', '.', ' ']);
        is_long(words).then_some(words)
    })
}

/// True for enough characters that are not blank.
fn is_long(words: &str) -> bool {
    words.chars().filter(|char| !char.is_whitespace()).count() >= LEAST_WORDS
}

/// A file's text without its white space.
#[derive(Debug)]
pub struct BareText {
    text: String,
    /// Where each line begins in it, in bytes.
    lines: Vec<usize>,
}

impl BareText {
    pub fn new(text: &str) -> Self {
        let mut bare = Self { text: String::with_capacity(text.len()), lines: Vec::new() };
        for line in text.split('\n') {
            bare.lines.push(bare.text.len());
            // Most lines are ASCII, and split several times faster so.
            if line.is_ascii() {
                bare.text.extend(line.split_ascii_whitespace());
            } else {
                bare.text.extend(bare_words(line));
            }
        }
        bare
    }

    /// The line where these words begin, counted from 1: the one that is nearest to `near`, else
    /// the first one. `None`: the text does not have them.
    pub fn line_of(&self, words: &str, near: Option<usize>) -> Option<usize> {
        let bare: String = bare_words(words).collect();
        // Some models escape the quote marks of code.
        let unescaped = bare.replace("\\\"", "\"");
        self.line_of_bare(&bare, near).or_else(|| self.line_of_bare(&unescaped, near))
    }

    fn line_of_bare(&self, bare: &str, near: Option<usize>) -> Option<usize> {
        if bare.is_empty() {
            return None;
        }
        let found = memchr::memmem::find_iter(self.text.as_bytes(), bare.as_bytes());
        // An empty line begins where the next one does.
        let line_at = |at| self.lines.partition_point(|begins| *begins <= at);
        let mut lines = found.take(MAX_FOUND).map(line_at);
        match near {
            Some(near) => lines.min_by_key(|line| line.abs_diff(near)),
            None => lines.next(),
        }
    }
}

/// The characters of a text that a reader sees and that are not blank, with straight quote marks.
fn bare_words(text: &str) -> impl Iterator<Item = char> + '_ {
    let seen = text.chars().filter(|char| !char.is_whitespace() && !is_unseen(*char));
    seen.map(|char| match ascii_mark(char) {
        mark @ ('"' | '\'') => mark,
        _ => char,
    })
}

impl Sighting {
    /// For readers: `the words are at line 57`.
    pub fn words(&self) -> String {
        match (self.found, self.line) {
            (CitedWords::Elsewhere, Some(line)) => format!("the words are at line {line}"),
            (CitedWords::There | CitedWords::Elsewhere, _) => "the words are there".to_owned(),
            (CitedWords::NotThere, _) => "the words are not in the file".to_owned(),
            (CitedWords::NoSuchFile, _) => "there is no such file".to_owned(),
            (CitedWords::NotLookedAt, _) => "not looked at".to_owned(),
        }
    }

    /// The line in the transcript. `None`: its path can't be read back.
    pub fn line_for(&self, id: Id) -> Option<String> {
        let at = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let commit = self.commit.as_ref().map(|commit| format!(", commit {commit}"));
        let found = self.found.word();
        let line = format!("**{id}:** {found}, `{}{at}`{}", self.path, commit.unwrap_or_default());
        sighting(&line).is_some_and(|(_, seen)| seen == *self).then_some(line)
    }
}

/// Reads the sightings of a note in the transcript.
pub(super) fn sightings(note: &str) -> Vec<(Id, Sighting)> {
    note.lines().filter_map(sighting).collect()
}

fn sighting(line: &str) -> Option<(Id, Sighting)> {
    let (id, remaining) = named_in(line)?;
    let (found, remaining) = remaining.split_once(", `")?;
    let (named, after) = remaining.split_once('`')?;
    let (path, lines) = match place(named) {
        (path, Some((line, _))) => (path, Some(line)),
        (path, None) => (path, None),
    };
    Some((
        id,
        Sighting {
            found: found.parse().ok()?,
            path: path.to_owned(),
            line: lines,
            commit: after.strip_prefix(", commit ").map(str::to_owned),
        },
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<(String, Option<usize>, String)> {
        let Citation { path, line, words, .. } = Citation::parse(text)?;
        Some((path, line, words?))
    }

    #[test]
    fn a_path_with_a_folder_and_an_extension_or_with_a_line_names_a_file() {
        for (text, path, line) in [
            (": src/x.rs]", "src/x.rs", None),
            (": src/x.rs:12]", "src/x.rs", Some(12)),
            (": `src/x.rs:12-14`, as measured]", "src/x.rs", Some(12)),
            (": ./src/x.rs.]", "src/x.rs", None),
            (": ../other/x.rs]", "../other/x.rs", None),
            (": Makefile:3]", "Makefile", Some(3)),
            (": LICENSE:1]", "LICENSE", Some(1)),
            (": x.rs:12 \"short\"]", "x.rs", Some(12)),
            (": .env:1]", ".env", Some(1)),
            (": bin/deploy:4]", "bin/deploy", Some(4)),
            (": .github/workflows/ci.yml]", ".github/workflows/ci.yml", None),
            (": docs/Q1.2024/plan.md]", "docs/Q1.2024/plan.md", None),
        ] {
            let read = Citation::parse(text).unwrap();
            assert_eq!((&*read.path, read.line), (path, line), "{text}");
            assert!(read.names_file() && read.words.is_none(), "{text}");
        }
        for text in [
            ": Node.js]",
            ": Node.js \"a single threaded event loop\"]",
            ": CI/CD]",
            ": and/or the audit]",
            ": TCP/IP]",
            ": p95/p99.9]",
            ": 10.1145/3292500.3330701]",
            ": https://a.example/b.html]",
            ": https://a.example/b.html:12]",
            ": docs.rs/serde/latest/x.html]",
            ": localhost:8080]",
            ": example.com:443]",
            ": 10.0.0.1:6379]",
            ": 12:30 on Friday]",
            ": /etc/hosts:3]",
            ": ~/notes/x.md]",
            ": src/*.rs]",
            ": src/{a,b}.rs]",
            ": src/lib.rs::run]",
            ": README.md]",
            ": see src/x.rs]",
            ": the audit of 2024]",
        ] {
            let read = Citation::parse(text);
            assert!(read.is_none_or(|read| !read.names_file()), "{text}");
        }
    }

    #[test]
    fn a_citation_is_a_path_a_line_and_exact_words() {
        let words = "max_retries = 5";
        for (text, line) in [
            (": src/queue.rs:41 \"max_retries = 5\"] more", Some(41)),
            (": src/queue.rs \"max_retries = 5\"]", None),
            (": `src/queue.rs:41` “max_retries = 5”]", Some(41)),
            (": ./src/queue.rs:41-43, `max_retries = 5`]", Some(41)),
            (": src/queue.rs:41:5 \"max_retries = 5\"]", Some(41)),
            (": src/queue.rs#L41: \"max_retries\n  = 5\" ]", Some(41)),
            ("： src/queue.rs:41 \"max_retries = 5\"; src/b.rs:2 \"another place\"]", Some(41)),
        ] {
            let expected = Some(("src/queue.rs".to_owned(), line, words.to_owned()));
            assert_eq!(parsed(text), expected, "{text}");
        }
        for (text, words) in [
            (": a.rs:1 \"let x = \"five\" + y[0];\"]", "let x = \"five\" + y[0];"),
            (": a.rs:1 \"map[\"key one\"] = 5\"] [reasoning]", "map[\"key one\"] = 5"),
            (": a.rs:1 \"vec![\"one\", \"two\", x.y]\"]", "vec![\"one\", \"two"),
            (": a.rs:1 \"const LIST: &[u32] = &[\"]", "const LIST: &[u32] = &["),
            (": a.rs:1 \"max_retries = 5\" and \"max_time = 9\"]", "max_retries = 5"),
            (": a.rs:1 \"max_retries = 5\" -- so \"five\"]", "max_retries = 5"),
            (": a.rs:1 \"`max_retries = 5.`\"]", "max_retries = 5"),
            (": a.rs:1 \"pub const MAX_RETRIES ... = 5\"]", "pub const MAX_RETRIES"),
            (": a.rs:1 \"println!(\\\"hello big\\\")\"]", "println!(\\\"hello big"),
        ] {
            assert_eq!(parsed(text).unwrap().2, words, "{text}");
        }
        for text in [
            ": the audit of 2024]",
            ": src/queue.rs:41]",
            ": src/queue.rs:41 \"too short\"]",
            ": src/queue.rs:41 \"t o o s h o r t\"]",
            ": src/queue.rs:41 \"never closed here",
            ": https://a.example/b \"the words of a page\"]",
            ": page \"the words of a page\"]",
            "",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_there_elsewhere_or_not_there() {
        let file = format!("fn a() {{}}\n\n\n{}\tlet max\n = 5;\nlet max = 5;\n", "\n".repeat(20));
        let bare = BareText::new(&file);
        for (words, line, expected) in [
            ("let max = 5;", None, (CitedWords::There, Some(24))),
            ("let max = 5;", Some(26), (CitedWords::There, Some(26))),
            ("let   max=5;", Some(34), (CitedWords::There, Some(26))),
            ("let max = 5;", Some(3), (CitedWords::Elsewhere, Some(24))),
            ("let max = 6;", Some(24), (CitedWords::NotThere, None)),
            (" ", None, (CitedWords::NotThere, None)),
        ] {
            let (path, words) = (String::new(), Some(words.to_owned()));
            let citation = Citation { path, line, last_line: line, words, seen: None };
            assert_eq!(citation.look(&bare), Some(expected), "{citation:?}");
        }
    }

    #[test]
    fn saved_sightings_are_read_back() {
        let id: Id = "A1".parse().unwrap();
        for found in [
            CitedWords::There,
            CitedWords::Elsewhere,
            CitedWords::NotThere,
            CitedWords::NoSuchFile,
            CitedWords::NotLookedAt,
        ] {
            for (line, commit) in [(Some(41), Some("3f2a")), (None, None)] {
                let commit = commit.map(str::to_owned);
                let seen = Sighting { found, path: "src/a b.rs".into(), line, commit };
                assert_eq!(sightings(&seen.line_for(id).unwrap()), [(id, seen)]);
            }
        }
        for path in ["src/a`b.rs", "notes:12"] {
            let path = path.to_owned();
            let seen = Sighting { found: CitedWords::There, path, line: None, commit: None };
            assert_eq!(seen.line_for(id), None);
        }
        for forged in ["**A1:** here, `a.rs:1`", "A1: there, `a.rs:1`", "**A1:** there, a.rs", ""] {
            assert_eq!(sightings(forged), [], "{forged}");
        }
    }

    #[test]
    fn quote_marks_and_escapes_of_a_reply_do_not_matter() {
        let bare = BareText::new("a\n  println!(\"it’s\u{a0}so\");\nlet path = \"C:\\\\\";\n");
        for (words, line) in [
            ("println!(\"it's so\")", Some(2)),
            ("println!(“it’s so”)", Some(2)),
            ("println!(\\\"it's so\\\")", Some(2)),
            ("let path = \"C:\\\\\";", Some(3)),
            ("println!('it's so')", None),
            ("print\u{200d}ln!(\"it\u{ad}’s so\")", Some(2)),
        ] {
            assert_eq!(bare.line_of(words, None), line, "{words}");
        }
        for (words, is_ambiguous) in [
            ("max_retries = 5", false),
            ("MAX = 5\"] So it says \"five", true),
            ("...MAX_RETRIES: u32 = 5", true),
            ("my\\_var\\_name", true),
        ] {
            let (path, words) = (String::new(), Some(words.to_owned()));
            let citation = Citation { path, line: None, last_line: None, words, seen: None };
            assert_eq!(citation.is_ambiguous(), is_ambiguous, "{citation:?}");
        }
    }

    proptest! {
        #[test]
        fn words_of_a_file_are_found_however_it_is_spaced(
            before in "[a-c\n ]{0,40}",
            words in "[x-z]{1,5}( [x-z]{1,5}){0,4}",
            blank in "[ \n\t]{1,5}",
        ) {
            let file = format!("{before}{}", words.replace(' ', &blank));
            let line = before.matches('\n').count() + 1;
            prop_assert_eq!(BareText::new(&file).line_of(&words, None), Some(line));
            prop_assert_eq!(BareText::new(&before).line_of(&words, None), None);
        }
    }
}
