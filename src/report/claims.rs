//! The number of an argument in a text (`C4`) as a link to its claim, with the claim and what became of it on hover and focus.
//! Nothing but a number that somebody has given by then becomes one, and it leads nowhere but to an anchor of this page.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::arguments::Argument;
use super::checked::outcome;
use super::escape::{escape, escaped, words};
use super::model::Model;
use super::signs;
use crate::debate::Seat;
use crate::ledger::Id;
use crate::text;

/// The arguments of a page, each with what is shown of it on hover.
#[derive(Default)]
pub(super) struct Claims<'a> {
    arguments: &'a [Argument],
    by_id: HashMap<Id, usize>,
    tips: Vec<String>,
}

impl<'a> Claims<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let by_id = model.arguments.iter().enumerate().map(|(index, argument)| (argument.id, index)).collect();
        let tips = model.arguments.iter().map(|argument| tip(model, argument)).collect();
        Self { arguments: &model.arguments, by_id, tips }
    }

    /// What can be named in a text that was written before this section: none before the first one.
    pub(super) fn before(&self, section: usize) -> Known<'_> {
        Known { claims: self, before: section, makes: None, anchored: Vec::new() }
    }

    /// What can be named in this reply, which gives numbers of its own.
    pub(super) fn in_reply(&self, section: usize) -> Known<'_> {
        Known { claims: self, before: section + 1, makes: Some(section), anchored: Vec::new() }
    }

    /// A link to the claim, with this text after its number.
    pub(super) fn link(&self, index: usize, after: &str, out: &mut String) {
        self.write(index, false, after, out);
    }

    /// A link where the claim is made: it leads to what became of it.
    pub(super) fn origin(&self, index: usize, after: &str, out: &mut String) {
        self.write(index, true, after, out);
    }

    fn write(&self, index: usize, is_origin: bool, after: &str, out: &mut String) {
        let argument = &self.arguments[index];
        let anchor = anchor(argument);
        let (id, row) = if is_origin { (format!(" id=\"{anchor}\""), "row-") } else { (String::new(), "") };
        let _ = write!(
            out,
            "<a class=\"claim\"{id} href=\"#{row}{anchor}\" aria-describedby=\"fate-{anchor} claim-{anchor}\">{}{after}{}</a>",
            argument.id, self.tips[index]
        );
    }
}

/// Where a claim is made, as an address in the page.
pub(super) fn anchor(argument: &Argument) -> String {
    argument.id.to_string()
}

/// Who made an argument, and when.
pub(super) fn made(model: &Model, argument: &Argument) -> String {
    let mut made = text::clean(&model.title(argument.section), 60);
    // Each voice speaks once in a cycle.
    if !matches!(argument.id.seat(), Seat::Voice(_)) {
        let _ = write!(made, ", round {}", argument.round);
    }
    if model.options.cycles > 1 {
        let _ = write!(made, ", cycle {}", argument.cycle);
    }
    made
}

/// What a reader sees. One who listens is told the same from the table, where the link's description stands.
fn tip(model: &Model, argument: &Argument) -> String {
    format!(
        "<span class=\"tip\" aria-hidden=\"true\" hidden><b class=\"{}\">{} {}</b> <i>{}</i><br>{}</span>",
        signs::class(argument.disposition),
        signs::mark(argument.disposition),
        outcome(argument.disposition),
        escaped(&made(model, argument)),
        escaped(&words(&argument.claim))
    )
}

/// The claims that a text can name.
pub(super) struct Known<'a> {
    claims: &'a Claims<'a>,
    /// Only what was made in a section before this one.
    before: usize,
    /// The section that the text is, where it makes claims.
    makes: Option<usize>,
    /// Claims of its own whose place was marked.
    anchored: Vec<usize>,
}

impl Known<'_> {
    /// True when the place of this claim is marked in the text.
    pub(super) fn has_marked(&self, index: usize) -> bool {
        self.anchored.contains(&index)
    }

    /// Writes a piece of text, escaped. A claim is made where its number stands at the beginning of a line, in bold.
    pub(super) fn write(&mut self, text: &str, begins_bold_line: bool, out: &mut String) {
        let mut done = 0;
        for at in numbers(text) {
            let Some(index) = self.find(&text[at.clone()]) else { continue };
            escape(&text[done..at.start], out);
            let is_origin = begins_bold_line
                && at.start == 0
                && self.makes == Some(self.claims.arguments[index].section)
                && !self.has_marked(index);
            if is_origin {
                self.anchored.push(index);
                self.claims.origin(index, "", out);
            } else {
                self.claims.link(index, "", out);
            }
            done = at.end;
        }
        escape(&text[done..], out);
    }

    fn find(&self, number: &str) -> Option<usize> {
        let index = self.claims.by_id.get(&id(number)?).copied()?;
        (self.claims.arguments[index].section < self.before).then_some(index)
    }
}

/// Where numbers of arguments stand: as words of their own, and not as a part of a name, a version or an address.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let has_one =
        text.as_bytes().windows(2).any(|pair| matches!(pair[0], b'A' | b'C' | b'S' | b'V') && pair[1].is_ascii_digit());
    if !has_one {
        return Vec::new();
    }
    let mut found = Vec::new();
    for piece in text.split_whitespace().filter(|piece| !piece.contains("://") && !piece.contains('@')) {
        let begins = piece.as_ptr() as usize - text.as_ptr() as usize;
        let tokens = tokens(piece);
        for (at, token) in tokens.iter().enumerate() {
            let (before, after) = (&piece[..token.start], &piece[token.end..]);
            // Two numbers may have a hyphen or a slash between them.
            let is_one_beside =
                |beside: Option<&Range<usize>>| beside.is_some_and(|range| id(&piece[range.clone()]).is_some());
            let stands_alone = match before.chars().next_back() {
                Some('-' | '/') => is_one_beside(at.checked_sub(1).and_then(|at| tokens.get(at))),
                before => before.is_none_or(|char| !matches!(char, '#' | '$' | '&' | '=' | '\\' | '.' | '+')),
            } && match after.chars().next() {
                Some('-' | '/') => is_one_beside(tokens.get(at + 1)),
                after => after.is_none_or(|char| !matches!(char, '=' | '\\' | '+')),
            };
            if stands_alone && id(&piece[token.clone()]).is_some() {
                found.push(begins + token.start..begins + token.end);
            }
        }
    }
    found
}

/// The id that a word is. Case counts in prose, and so does a 0 before a number.
fn id(word: &str) -> Option<Id> {
    word.parse().ok().filter(|id: &Id| id.to_string() == word)
}

/// Words, with the full stops inside of them.
fn tokens(piece: &str) -> Vec<Range<usize>> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for (at, char) in piece.char_indices().filter(|(_, char)| is_word(*char)) {
        let end = at + char.len_utf8();
        match tokens.last_mut().filter(|last| matches!(&piece[last.end..at], "" | ".")) {
            Some(last) => last.end = end,
            None => tokens.push(at..end),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Ground, Label, Status};

    fn made(id: &str, section: usize) -> Argument {
        let (id, claim) = (id.parse().unwrap(), "Its *claim* <b>.".to_owned());
        let (by, disposition, why, happened) = ("critic".to_owned(), None, None, String::new());
        let (ground, status, label, check) = (Ground::NotGiven, Status::Open, Label::In, None);
        Argument {
            id,
            cycle: 1,
            round: 1,
            by,
            section,
            claim,
            ground,
            status,
            label,
            disposition,
            why,
            check,
            happened,
        }
    }

    fn claims(arguments: &[Argument]) -> Claims<'_> {
        let by_id = arguments.iter().enumerate().map(|(index, argument)| (argument.id, index)).collect();
        Claims { arguments, by_id, tips: vec!["TIP".to_owned(); arguments.len()] }
    }

    /// A text without what is shown on hover: links as `[shown](id? to)`.
    fn linked(known: &mut Known<'_>, text: &str) -> String {
        let mut page = String::new();
        super::super::rich::rich(text, 3, known, &mut page);
        let link = |rest: &str| {
            let (tag, rest) = rest.split_once('>').unwrap();
            let (shown, rest) = rest.split_once("</a>").unwrap();
            let of = |key: &str| tag.split_once(key).map(|(_, value)| value.split('"').next().unwrap().to_owned());
            let id = of(" id=\"").map(|id| id + " ").unwrap_or_default();
            format!("[{}]({id}{}){rest}", shown.trim_end_matches("TIP"), of("href=\"#").unwrap())
        };
        let mut pieces = page.split("<a class=\"claim\"");
        pieces.next().unwrap().to_owned() + &pieces.map(link).collect::<String>()
    }

    #[test]
    fn a_number_leads_to_its_claim_once_that_was_made() {
        let arguments = [made("C4", 1), made("C5", 4)];
        let claims = claims(&arguments);
        for (section, text, page) in [
            (0, "C4", "<p>C4</p>"),
            (1, "C4", "<p>C4</p>"),
            (2, "C4, C9", "<p>[C4](C4), C9</p>"),
            (4, "C4 & C5", "<p>[C4](C4) &amp; C5</p>"),
            (5, "`C4` <C4>\n\n    C4", "<p><code>C4</code> <code>&lt;C4&gt;</code></p><pre><code>C4</code></pre>"),
            (5, "[C4](x.md)\n\n# C5", "<p>[C4](C4) (x.md)</p><h3>[C5](C5)</h3>"),
        ] {
            assert_eq!(linked(&mut claims.before(section), text), page, "{section} {text}");
        }
        let outside = linked(&mut claims.before(5), "[C4](https://a.example/C4)");
        assert!(outside.ends_with("href=\"https://a.example/C4\">C4</a></p>"), "{outside}");
    }

    #[test]
    fn the_place_of_a_claim_is_its_number_in_bold_at_the_beginning_of_a_line() {
        let arguments = [made("C4", 1), made("C5", 1), made("A1", 0)];
        let claims = claims(&arguments);
        let mut known = claims.in_reply(1);
        let text = "Not **C4** here.\n**C4. One.** And **A1.**\n\n**C4** again";
        let page = "<p>Not <strong>[C4](C4)</strong> here.\n<strong>[C4](C4 row-C4). One.</strong> And <strong>[A1](A1).</strong></p>\
                    <p><strong>[C4](C4)</strong> again</p>";
        assert_eq!(linked(&mut known, text), page);
        assert!(known.has_marked(0) && !known.has_marked(1));
    }

    #[test]
    fn a_number_is_a_word_of_its_own() {
        for (text, found) in [
            ("C4", &["C4"][..]),
            ("S2.1 (C4), V2.1. C4's \"A1\": A2; A3—C1…", &["S2.1", "C4", "V2.1", "C4", "A1", "A2", "A3", "C1"]),
            ("A1-A3 and C1/C2, A4–A5", &["A1", "A3", "C1", "C2", "A4", "A5"]),
            ("über C4 ß", &["C4"]),
            ("C4x xC4 C4_ A1.5 V1.2.3 c4 B4 A1234 C4.txt .C4", &[]),
            ("https://x.example/C4 src/C4 C4/x #C4 @C4 C4@x PKI-C4 A4-sized $A1 A1=3 A1+ \\C4 &A1", &[]),
            ("A C S V 4 S3 A01", &[]),
        ] {
            let numbers: Vec<&str> = numbers(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(numbers, found, "{text}");
        }
    }
}
