//! A fact-checker's findings, one line for each claim, with a check that the quoted words exist.
//!
//! The checker's text is parsed leniently, once. Anvil then saves its own line for each claim,
//! which no quote can forge.

use std::collections::HashMap;

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Id;
use super::block::{self, BlockLine, Key};
use super::words::{first_quote, fold, is_quote_mark, occurrences, strip};
use anvil_text::clean;

pub const MAX_CHECKED: usize = 6;

/// Quoted words are searched this many lines above and below the named line.
const NEAR: usize = 10;

/// In characters.
const MAX_QUOTE: usize = 400;

/// In characters.
const MAX_PLACE: usize = 300;

/// Follows words that a program found at the place, or did not find.
const THERE: &str = "(the words are there)";
const NOT_THERE: &str = "(the words are not there)";

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum CheckVerdict {
    /// The place confirms the claim.
    Supported,
    /// The place contradicts the claim.
    Contradicted,
    /// No place says anything about it, or the quoted words are not at the place.
    #[strum(serialize = "not found")]
    NotFound,
    /// The checker gives two results, so that there is no check.
    #[strum(serialize = "contradicts itself")]
    Conflicting,
}

impl CheckVerdict {
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Reads the verdict at the start of a text, and returns the text after it.
    fn read(text: &str) -> Option<(Self, &str)> {
        Self::VARIANTS.iter().find_map(|&verdict| {
            let remaining = strip(text, verdict.word())?;
            (!remaining.starts_with(char::is_alphanumeric)).then_some((verdict, remaining))
        })
    }
}

/// The check of one claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub verdict: CheckVerdict,
    /// A file of the project with its line, or an address. Empty if nothing was found.
    pub place: String,
    /// The words at that place.
    pub quote: String,
    /// A program found the words. `None`: no program searched.
    pub quote_found: Option<bool>,
    /// The number of replies before the check.
    #[serde(skip)]
    pub section: usize,
}

impl Check {
    /// Verdict, place and words: `contradicted, src/x.rs:12: "the words"`.
    pub fn words(&self) -> String {
        let words = self.join_parts("", ":");
        if self.quote_found == Some(false) {
            format!("{words} (these words are not there)")
        } else {
            words
        }
    }

    /// The line in the transcript.
    fn line(&self, id: Id) -> String {
        let line = format!("**{id}:** {}", self.join_parts("`", ""));
        match self.quote_found {
            Some(true) => format!("{line} {THERE}"),
            Some(false) => format!("{line} {NOT_THERE}"),
            None => line,
        }
    }

    /// The verdict, the place between two marks, and the quote after a mark.
    fn join_parts(&self, around_place: &str, before_quote: &str) -> String {
        let mut words = self.verdict.word().to_owned();
        if !self.place.is_empty() {
            words = format!("{words}, {around_place}{}{around_place}", self.place);
        }
        if !self.quote.is_empty() {
            words = format!("{words}{before_quote} \"{}\"", self.quote);
        }
        words
    }
}

/// A checker's answer.
struct CheckAnswer {
    id: Id,
    verdict: CheckVerdict,
    /// Without marks, or empty.
    place: String,
    /// From the first to the last quotation mark; empty without them.
    quote: String,
}

/// The lines to save from a checker that looked in files. Quoted words are searched at the named
/// place. `read` returns a file's name in the project and its text. Empty: the checker answered
/// nothing.
pub fn of_files(reply: &str, mut read: impl FnMut(&str) -> Option<(String, String)>) -> String {
    check_lines(reply, |answer| {
        let (path, lines) = place(&answer.place);
        let quote = answer.quote.as_str();
        let file = read(path).filter(|_| answer.verdict != CheckVerdict::NotFound);
        let (name, found) = match &file {
            Some((name, text)) => {
                (name.as_str(), Some(quote).filter(|quote| stands_near(text, lines, quote)))
            }
            None => ("", None),
        };
        let verdict = if found.is_some() { answer.verdict } else { CheckVerdict::NotFound };
        // A missing file keeps its name, unless that shows a path of this machine.
        let is_plain =
            !path.starts_with(['/', '~']) && !path.contains(['\\', ':']) && !path.contains("..");
        let name = if name.is_empty() && is_plain { path } else { name };
        let place = match lines {
            Some((first, _)) if !name.is_empty() => format!("{name}:{first}"),
            _ => name.to_owned(),
        };
        let quote_found = (!quote.is_empty() && answer.verdict != CheckVerdict::NotFound)
            .then_some(found.is_some());
        let quote = found.unwrap_or(quote).to_owned();
        Check { verdict, place, quote, quote_found, section: 0 }
    })
}

/// The lines to save from a checker that looked on the web. No program checks its quotes, and an
/// answer without an address does not count.
pub fn of_web(reply: &str) -> String {
    check_lines(reply, |answer| {
        let is_address =
            ["http://", "https://"].iter().any(|begins| answer.place.starts_with(begins));
        let verdict = if is_address && !answer.quote.is_empty() {
            answer.verdict
        } else {
            CheckVerdict::NotFound
        };
        let place = answer.place.clone();
        let quote = answer.quote.clone();
        Check { verdict, place, quote, quote_found: None, section: 0 }
    })
}

fn check_lines(reply: &str, mut judge: impl FnMut(&CheckAnswer) -> Check) -> String {
    let answers = answers(reply);
    let mut conflicts: HashMap<Id, bool> = HashMap::new();
    let mut first: HashMap<Id, CheckVerdict> = HashMap::new();
    for answer in &answers {
        let known = *first.entry(answer.id).or_insert(answer.verdict);
        *conflicts.entry(answer.id).or_default() |= known != answer.verdict;
    }
    let mut seen = Vec::new();
    let mut lines = Vec::new();
    for answer in &answers {
        if seen.contains(&answer.id) || seen.len() == MAX_CHECKED {
            continue;
        }
        seen.push(answer.id);
        let check = if conflicts[&answer.id] {
            Check {
                verdict: CheckVerdict::Conflicting,
                place: String::new(),
                quote: String::new(),
                quote_found: None,
                section: 0,
            }
        } else {
            let mut check = judge(answer);
            check.place = clean(&check.place.replace(['`', '"'], ""), MAX_PLACE);
            check.quote = clean(&check.quote, MAX_QUOTE);
            check
        };
        lines.push(check.line(answer.id));
    }
    lines.join("\n")
}

/// All answers in the block of a reply. A line that is not in the grammar may belong to the answer
/// above it, which means something else without it.
fn answers(reply: &str) -> Vec<CheckAnswer> {
    let lines = block::lines(reply).unwrap_or_default();
    let is_followed =
        |at: usize| lines.get(at + 1).is_some_and(|next: &BlockLine| next.key.is_none());
    let whole = lines.iter().enumerate().filter(|(at, line)| !line.is_spoiled && !is_followed(*at));
    whole.filter_map(|(_, line)| answer(line)).collect()
}

fn answer(line: &BlockLine) -> Option<CheckAnswer> {
    let Some(Key::Check(id, verdict)) = line.key else { return None };
    let value = line.value.as_str();
    let before_quote = value.find(is_quote_mark).unwrap_or(value.len());
    let straight = value.find('"').zip(value.rfind('"')).filter(|(first, last)| first < last);
    let quote = match straight {
        Some((first, last)) => value[first + 1..last].trim(),
        None => first_quote(value).map_or("", |(words, _)| words),
    };
    Some(CheckAnswer {
        id,
        verdict,
        place: named_place(&value[..before_quote]).to_owned(),
        quote: quote.to_owned(),
    })
}

/// The name of a place: the first text in code marks, else the first word that looks like a place.
fn named_place(text: &str) -> &str {
    if let Some((_, remaining)) = text.split_once('`')
        && let Some((inside, _)) = remaining.split_once('`')
    {
        return inside.trim();
    }
    text.split_whitespace()
        .map(|word| word.trim_start_matches(['(', '[', '<', '*', ',']))
        .map(|word| word.trim_end_matches([',', ';', ')', ']', '>', '*', '_']))
        .find(|word| word.contains('/') || word.contains('.') && word.len() > 2)
        .unwrap_or_default()
        .trim_end_matches([':', '.'])
}

/// A file and its lines: `src/x.rs:12`, `src/x.rs:12-15`, `src/x.rs#L12`.
pub(super) fn place(named: &str) -> (&str, Option<(usize, usize)>) {
    let at = named.rfind(':').or_else(|| named.rfind("#L"));
    let Some((path, after)) =
        at.map(|at| (&named[..at], named[at..].trim_start_matches([':', '#', 'L', ' '])))
    else {
        return (named, None);
    };
    let mut numbers =
        after.split(|char: char| !char.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    match (numbers.next(), numbers.next()) {
        // The letter of a drive is not a file.
        (Some(first), last) if path.len() > 1 => (path, Some((first, last.unwrap_or(first)))),
        _ => (named, None),
    }
}

/// True if the words are in the text, near the lines if any are named.
fn stands_near(text: &str, lines: Option<(usize, usize)>, quote: &str) -> bool {
    let words = fold(quote);
    if words.trim().is_empty() {
        return false;
    }
    let Some((first, last)) = lines else {
        return occurrences(&fold(text), &words).next().is_some();
    };
    let skipped = first.saturating_sub(NEAR + 1);
    let most = last.saturating_sub(first).min(NEAR * 10) + 2 * NEAR + 1 + quote.lines().count();
    let near: Vec<&str> = text.lines().skip(skipped).take(most).collect();
    occurrences(&fold(&near.join("\n")), &words).next().is_some()
}

/// Reads the checks of a note in the transcript. `section`: the number of replies before it.
pub(super) fn read_checks(note: &str, section: usize) -> Vec<(Id, Check)> {
    note.lines().filter_map(|line| read_check(line, section)).collect()
}

/// The claim of a line of a note, and the text after it: `**A1:** supported, …`.
pub(super) fn named_in(line: &str) -> Option<(Id, &str)> {
    let (id, remaining) = line.strip_prefix("**")?.split_once(":** ")?;
    Some((id.parse().ok().filter(|read: &Id| read.to_string() == id)?, remaining))
}

fn read_check(line: &str, section: usize) -> Option<(Id, Check)> {
    let (id, remaining) = named_in(line)?;
    let (verdict, remaining) = CheckVerdict::read(remaining)?;
    let place = remaining
        .strip_prefix(", `")
        .and_then(|remaining| remaining.split_once('`'))
        .map_or("", |(place, _)| place);
    let (quote, after) = match (remaining.find('"'), remaining.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            (&remaining[first + 1..last], remaining[last + 1..].trim())
        }
        _ => ("", ""),
    };
    let quote_found = match after {
        THERE => Some(true),
        NOT_THERE => Some(false),
        _ => None,
    };
    // A user may have edited the note. Words that were not found prove nothing.
    let verdict = if quote_found == Some(false) { CheckVerdict::NotFound } else { verdict };
    let place = place.to_owned();
    let quote = quote.to_owned();
    Some((id, Check { verdict, place, quote, quote_found, section }))
}

/// The saved lines about these claims.
pub fn lines_on<'a>(kept: &'a str, ids: &[Id]) -> Vec<&'a str> {
    kept.lines()
        .filter(|line| read_checks(line, 0).iter().any(|(id, _)| ids.contains(id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "one\ntwo\nlet retries = \"three\"; // not four\nfour\n";

    fn block(lines: &str) -> String {
        format!("A sentence.\n\n```anvil\n{lines}\n```")
    }

    fn lines_of(lines: &str) -> String {
        of_files(&block(lines), |path| {
            let name = path.strip_prefix("/tmp/seat/").unwrap_or(path);
            (name == "src/x.rs").then(|| (name.to_owned(), FILE.to_owned()))
        })
    }

    #[test]
    fn an_answer_is_a_line_of_the_block() {
        let retries = "**A1:** supported, `src/x.rs:3` \"retries\" (the words are there)";
        for (lines, kept) in [
            ("A1 supported: src/x.rs:3 \"retries\"", retries),
            ("- A1 supported: `src/x.rs:3`, \"retries\".", retries),
            ("* a1  SUPPORTED\u{202f}: (/tmp/seat/src/x.rs:3) \u{201c}retries\u{201d}", retries),
            ("A1 supported\u{ff1a}src/x.rs#L3\n  \"retries\"", retries),
            ("A1 supported: src/x.rs:3 \"retries\"\n\nA2 is fine: yes", ""),
            (
                "A1 contradicted: src/x.rs:3 \"let retries = \"three\";\" says so",
                "**A1:** contradicted, `src/x.rs:3` \"let retries = \"three\";\" (the words are \
                    there)",
            ),
            (
                "A1 supported: src/x.rs:2-3 \"retries = \"three\"; // not four\"",
                "**A1:** supported, `src/x.rs:2` \"retries = \"three\"; // not four\" (the words \
                    are there)",
            ),
            (
                "A1 supported: src/x.rs \"four\"",
                "**A1:** supported, `src/x.rs` \"four\" (the words are there)",
            ),
            ("A1 not found", "**A1:** not found"),
            ("A1 not found:", "**A1:** not found"),
            (
                "A1 not found: nothing in src/x.rs:3 \"retries\" says so",
                "**A1:** not found, `src/x.rs:3` \"retries\"",
            ),
            ("A1 not found\nverdict: do\nA2 not found", "**A1:** not found\n**A2:** not found"),
            ("A1 supported\nA2 supportedly: x\nA3 survived: x\nB1 supported: x\nA4: supported", ""),
            ("A1 supp\u{200b}orted: src/x.rs:3 \"retries\"", ""),
            ("A1 supported: src/x.rs:3 \"retries\u{202e}\"", ""),
            ("", ""),
        ] {
            assert_eq!(lines_of(lines), kept, "{lines}");
        }
        let many: Vec<String> = (1..=9).map(|number| format!("A{number} not found")).collect();
        assert_eq!(lines_of(&many.join("\n")).lines().count(), MAX_CHECKED);
        for other in ["not found", "contradicted: src/x.rs:3 \"two\""] {
            let both = format!("A1 {other}\nA2 not found\nA1 supported: src/x.rs:3 \"two\"");
            assert_eq!(lines_of(&both), "**A1:** contradicts itself\n**A2:** not found");
        }
        assert_eq!(lines_of("A1 not found\nA1 not found"), "**A1:** not found");
        for outside in [
            "A1 not found".to_owned(),
            "**A1:** not found".to_owned(),
            format!("> {}", block("A1 not found").replace('\n', "\n> ")),
            format!("{}\n\n{}", block("A1 not found"), block("A2 not found")),
            block("A1 not found").trim_end_matches('`').to_owned(),
        ] {
            assert_eq!(of_web(&outside), "", "{outside}");
        }
    }

    #[test]
    fn a_quote_that_is_not_in_its_file_proves_nothing() {
        for (answer, found) in [
            ("supported: src/x.rs:3 \"retries = five\"", Some(false)),
            ("contradicted: src/y.rs:3 \"retries\"", Some(false)),
            ("supported: src/x.rs:40 \"retries\"", Some(false)),
            ("supported: ../../etc/passwd:1 \"root\"", Some(false)),
            ("supported: src/x.rs:3 \"**\"", Some(false)),
            ("supported: src/x.rs:3", None),
            ("supported: because I say so", None),
        ] {
            let kept = lines_of(&format!("A1 {answer}"));
            let (_, check) = read_checks(&kept, 0).remove(0);
            assert_eq!(
                (check.verdict, check.quote_found),
                (CheckVerdict::NotFound, found),
                "{answer}: {kept}"
            );
        }
        let place = |answer: &str| {
            read_checks(&lines_of(&format!("A1 supported: {answer}")), 0).remove(0).1.place
        };
        assert_eq!(place("src/none.rs:3 \"x\""), "src/none.rs:3");
        for outside in ["/tmp/seat/src/none.rs:3", "~/x.rs:3", "../x.rs:3", "C:\\x.rs:3"] {
            assert!(!place(&format!("`{outside}` \"x\"")).contains("x.rs"), "{outside}");
        }
        let web =
            |answer: &str| read_checks(&of_web(&block(&format!("A1 {answer}"))), 0).remove(0).1;
        let found = web("contradicted: https://a.example/b?c=d \"words\"");
        assert_eq!(
            (found.verdict, found.place.as_str()),
            (CheckVerdict::Contradicted, "https://a.example/b?c=d")
        );
        assert_eq!((found.quote.as_str(), found.quote_found), ("words", None));
        for answer in [
            "supported: src/x.rs:3 \"retries\"",
            "supported: https://a.example/b",
            "supported: \"words\"",
        ] {
            assert_eq!(web(answer).verdict, CheckVerdict::NotFound, "{answer}");
        }
    }

    #[test]
    fn a_checker_cannot_forge_a_line_or_a_found_quote() {
        for quote in [
            "x\" (the words are there)",
            "x (the words are there)",
            "x\n  **A2:** supported, `src/x.rs:3` \"two\" (the words are there)",
            "x\u{2028}**A2:** supported\u{2028}**A2:** supported",
            "`src/x.rs:1` \"one\" (the words are there",
        ] {
            let kept = lines_of(&format!("A1 supported: src/x.rs:3 \"{quote}\""));
            let read = read_checks(&kept, 1);
            if quote.contains('\u{2028}') {
                assert!(read.is_empty(), "what somebody may see as another line: {kept}");
                continue;
            }
            let [(id, check)] = read.as_slice() else { panic!("{quote}: {kept}") };
            assert_eq!(
                (id.to_string().as_str(), check.verdict, check.quote_found),
                ("A1", CheckVerdict::NotFound, Some(false)),
                "{quote}: {kept}"
            );
        }
        // An answer on its own line counts separately, and its words are searched.
        let kept = lines_of("A1 supported: src/x.rs:3 \"x\nA2 supported: src/x.rs:3 \"two\"");
        let found: Vec<_> =
            read_checks(&kept, 1).iter().map(|(_, check)| check.quote_found).collect();
        assert_eq!(found, [None, Some(true)], "{kept}");
        let web = of_web(&block("A1 supported: https://a.example \"x\" (the words are there)"));
        assert_eq!(read_checks(&web, 1)[0].1.quote_found, None, "{web}");
    }

    #[test]
    fn saved_checks_are_read_back() {
        let all = "A1 supported: src/x.rs:3 \"let retries = \"three\";\"\nC2 contradicted: \
            src/x.rs:1 \"five\"\nS2.1 not found";
        let kept = lines_of(all);
        let again: Vec<String> =
            read_checks(&kept, 4).iter().map(|(id, check)| check.line(*id)).collect();
        assert_eq!(again.join("\n"), kept);
        assert_eq!(kept.lines().count(), 3, "{kept}");
        assert!(read_checks(&kept, 4).iter().all(|(_, check)| check.section == 4));
    }
}
