//! Turns the number of a claim in a text (`C4`) into a link to its thread, with the claim on hover
//! and focus. Only a number of a claim that was made by then becomes a link, and the link leads
//! only to an anchor of this page.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use maud::{Markup, PreEscaped, Render, html};

use super::words::{visible_text, words};
use crate::model::{Argument, Model};
use anvil_core::ledger::Id;
use anvil_core::place::Seat;

/// The claims of a page, each with its text on hover.
#[derive(Default)]
pub(crate) struct ClaimLinks<'a> {
    arguments: &'a [Argument],
    by_id: HashMap<Id, usize>,
    tips: Vec<Markup>,
}

impl<'a> ClaimLinks<'a> {
    pub(crate) fn from_model(model: &'a Model) -> Self {
        let by_id = model
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| (argument.id, index))
            .collect();
        let tips = model.arguments.iter().map(|argument| tip(model, argument)).collect();
        Self { arguments: &model.arguments, by_id, tips }
    }

    /// The claims that a text before this section can name.
    pub(crate) fn before(&self, section: usize) -> KnownClaims<'_> {
        KnownClaims { claims: self, before: section, makes: None, anchored: Vec::new() }
    }

    /// The claims that this reply can name, its own included.
    pub(crate) fn in_reply(&self, section: usize) -> KnownClaims<'_> {
        KnownClaims {
            claims: self,
            before: section + 1,
            makes: Some(section),
            anchored: Vec::new(),
        }
    }

    pub(crate) fn link(&self, index: usize) -> Markup {
        self.link_with_id(index, None)
    }

    /// A link from the place where the claim is made: the thread links back to it.
    pub(crate) fn origin(&self, index: usize) -> Markup {
        self.link_with_id(index, Some(self.arguments[index].id))
    }

    fn link_with_id(&self, index: usize, own_id: Option<Id>) -> Markup {
        let id = self.arguments[index].id;
        html! {
            a class="claim" id=[own_id] href={"#thread-" (id)} aria-describedby={"says-" (id)} {
                (id) (self.tips[index])
            }
        }
    }

    pub(crate) fn get(&self, id: Id) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// An item of a list: the claim's number as a link, its sentence, and `more`.
    pub(crate) fn item(&self, index: usize, more: &str) -> Markup {
        html! {
            li { (self.link(index)) " " span { (words(&self.arguments[index].claim)) (more) } }
        }
    }
}

/// The seat and the round of a claim.
pub(crate) fn seat_and_round(model: &Model, argument: &Argument) -> String {
    let mut made = anvil_text::clean(&model.title(argument.section), 60);
    // A voice speaks once in a cycle.
    if !matches!(argument.id.seat(), Seat::Voice(_)) {
        let _ = write!(made, ", round {}", argument.round);
    }
    if model.options.cycles > 1 {
        let _ = write!(made, ", cycle {}", argument.cycle);
    }
    made
}

/// The text on hover, for readers who see it. A screen reader reads the sentence in the thread, at
/// the target of the link.
fn tip(model: &Model, argument: &Argument) -> Markup {
    html! {
        span class="tip" aria-hidden="true" hidden {
            i { (seat_and_round(model, argument)) } br; (words(&argument.claim))
        }
    }
}

/// The claims that a text can name.
pub(crate) struct KnownClaims<'a> {
    claims: &'a ClaimLinks<'a>,
    /// The section before which a claim has to be made.
    before: usize,
    /// The index of the text's section, if the text makes claims.
    makes: Option<usize>,
    /// Its own claims with an anchor in the text.
    anchored: Vec<usize>,
}

impl KnownClaims<'_> {
    /// True if the text has an anchor for this claim.
    pub(crate) fn has_marked(&self, index: usize) -> bool {
        self.anchored.contains(&index)
    }

    /// A piece of text. A bold number at the beginning of a line makes a claim.
    pub(crate) fn write(&mut self, text: &str, begins_bold_line: bool) -> Markup {
        let mut out = String::new();
        let mut done = 0;
        for at in numbers(text) {
            let Some(index) = self.find(&text[at.clone()]) else { continue };
            let is_origin = begins_bold_line
                && at.start == 0
                && self.makes == Some(self.claims.arguments[index].section)
                && !self.has_marked(index);
            visible_text(&text[done..at.start]).render_to(&mut out);
            if is_origin {
                self.anchored.push(index);
                self.claims.origin(index).render_to(&mut out);
            } else {
                self.claims.link(index).render_to(&mut out);
            }
            done = at.end;
        }
        visible_text(&text[done..]).render_to(&mut out);
        PreEscaped(out)
    }

    fn find(&self, number: &str) -> Option<usize> {
        let index = self.claims.get(id(number)?)?;
        (self.claims.arguments[index].section < self.before).then_some(index)
    }
}

/// The places of claim numbers: whole words only, no parts of a name, a version or an address.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let has_one = text
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair[0], b'A' | b'C' | b'S' | b'V') && pair[1].is_ascii_digit());
    if !has_one {
        return Vec::new();
    }
    let mut found = Vec::new();
    for piece in
        text.split_whitespace().filter(|piece| !piece.contains("://") && !piece.contains('@'))
    {
        let begins = piece.as_ptr() as usize - text.as_ptr() as usize;
        let tokens = tokens(piece);
        for (at, token) in tokens.iter().enumerate() {
            let before = &piece[..token.start];
            let after = &piece[token.end..];
            // A hyphen or a slash may separate two numbers.
            let stands_alone = match before.chars().next_back() {
                Some('-' | '/') => at > 0 && is_id(piece, tokens.get(at - 1)),
                before => before
                    .is_none_or(|char| !matches!(char, '#' | '$' | '&' | '=' | '\\' | '.' | '+')),
            } && match after.chars().next() {
                Some('-' | '/') => is_id(piece, tokens.get(at + 1)),
                after => after.is_none_or(|char| !matches!(char, '=' | '\\' | '+')),
            };
            if stands_alone && id(&piece[token.clone()]).is_some() {
                found.push(begins + token.start..begins + token.end);
            }
        }
    }
    found
}

fn is_id(piece: &str, token: Option<&Range<usize>>) -> bool {
    token.is_some_and(|token| id(&piece[token.clone()]).is_some())
}

/// The claim id of a word. Upper case matters in prose; a number with a leading 0 is no id.
fn id(word: &str) -> Option<Id> {
    word.parse().ok().filter(|id: &Id| id.to_string() == word)
}

/// Words, with the full stops inside of them.
fn tokens(piece: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for (at, char) in piece.char_indices() {
        if !char.is_alphanumeric() && char != '_' {
            continue;
        }
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
    use anvil_core::ledger::{ClaimStatus, Ground};

    fn made(id: &str, section: usize) -> Argument {
        let id = id.parse().unwrap();
        let claim = "Its *claim* <b>.".to_owned();
        let by = "critic".to_owned();
        let result = None;
        let why = None;
        let happened = String::new();
        let ground = Ground::NotGiven;
        let status = ClaimStatus::Open;
        let check = None;
        Argument {
            id,
            cycle: 1,
            round: 1,
            by,
            author: None,
            section,
            claim,
            ground,
            citation: None,
            reasons: String::new(),
            status,
            result,
            why,
            answered: true,
            resolved: None,
            outcome: "open",
            check,
            happened,
        }
    }

    fn claims(arguments: &[Argument]) -> ClaimLinks<'_> {
        let by_id =
            arguments.iter().enumerate().map(|(index, argument)| (argument.id, index)).collect();
        ClaimLinks { arguments, by_id, tips: vec![PreEscaped("TIP".to_owned()); arguments.len()] }
    }

    /// A text without the hover texts: links as `[shown](id? to)`.
    fn linked(known: &mut KnownClaims<'_>, text: &str) -> String {
        let page = super::super::rich::rich(text, 3, known).into_string();
        let link = |remaining: &str| {
            let (tag, remaining) = remaining.split_once('>').unwrap();
            let (shown, remaining) = remaining.split_once("</a>").unwrap();
            let of = |key: &str| {
                tag.split_once(key).map(|(_, text)| text.split('"').next().unwrap().to_owned())
            };
            let id = of(" id=\"").map(|id| id + " ").unwrap_or_default();
            format!(
                "[{}]({id}{}){remaining}",
                shown.trim_end_matches("TIP"),
                of("href=\"#").unwrap()
            )
        };
        let mut pieces = page.split("<a class=\"claim\"");
        pieces.next().unwrap().to_owned() + &pieces.map(link).collect::<String>()
    }

    #[test]
    fn a_claim_number_is_linked_once_the_claim_exists() {
        let arguments = [made("C4", 1), made("C5", 4)];
        let claims = claims(&arguments);
        for (section, text, page) in [
            (0, "C4", "<p>C4</p>"),
            (1, "C4", "<p>C4</p>"),
            (2, "C4, C9", "<p>[C4](thread-C4), C9</p>"),
            (4, "C4 & C5", "<p>[C4](thread-C4) &amp; C5</p>"),
            (
                5,
                "`C4` <C4>\n\n    C4",
                "<p><code>C4</code> <code>&lt;C4&gt;</code></p><pre><code>C4</code></pre>",
            ),
            (5, "[C4](x.md)\n\n# C5", "<p>[C4](thread-C4) (x.md)</p><h3>[C5](thread-C5)</h3>"),
        ] {
            assert_eq!(linked(&mut claims.before(section), text), page, "{section} {text}");
        }
        let outside = linked(&mut claims.before(5), "[C4](https://a.example/C4)");
        assert!(outside.ends_with("href=\"https://a.example/C4\">C4</a></p>"), "{outside}");
    }

    #[test]
    fn a_bold_number_at_a_line_start_marks_a_claim() {
        let arguments = [made("C4", 1), made("C5", 1), made("A1", 0)];
        let claims = claims(&arguments);
        let mut known = claims.in_reply(1);
        let text = "Not **C4** here.\n**C4. One.** And **A1.**\n\n**C4** again";
        let page = "<p>Not <strong>[C4](thread-C4)</strong> here.\n<strong>[C4](C4 thread-C4). \
                    One.</strong> And \
                    <strong>[A1](thread-A1).</strong></p><p><strong>[C4](thread-C4)</strong> \
                    again</p>";
        assert_eq!(linked(&mut known, text), page);
        assert!(known.has_marked(0) && !known.has_marked(1));
    }

    #[test]
    fn a_claim_number_is_a_whole_word() {
        for (text, found) in [
            ("C4", &["C4"][..]),
            (
                "S2.1 (C4), V2.1. C4's \"A1\": A2; A3—C1…",
                &["S2.1", "C4", "V2.1", "C4", "A1", "A2", "A3", "C1"],
            ),
            ("A1-A3 and C1/C2, A4–A5", &["A1", "A3", "C1", "C2", "A4", "A5"]),
            ("über C4 ß", &["C4"]),
            ("C4x xC4 C4_ A1.5 V1.2.3 c4 B4 A1234 C4.txt .C4", &[]),
            (
                "https://x.example/C4 src/C4 C4/x #C4 @C4 C4@x PKI-C4 A4-sized $A1 A1=3 A1+ \\C4 \
                 &A1",
                &[],
            ),
            ("A C S V 4 S3 A01", &[]),
        ] {
            let numbers: Vec<&str> = numbers(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(numbers, found, "{text}");
        }
    }
}
