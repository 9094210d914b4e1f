//! The stance of a voice, as its first sentence states it: for, against, or for on one condition. A
//! voice without a statement has no stance.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::Serialize;

use crate::signs::Sign;
use anvil_core::ledger::{Id, first_sentence};
use anvil_text::ascii_mark;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    For,
    /// For, on one condition.
    Conditional,
    Against,
}

impl Stance {
    pub const ALL: [Self; 3] = [Self::For, Self::Conditional, Self::Against];

    /// Reads the first sentence of a reply. A heading without a stance is skipped.
    pub fn parse(reply: &str) -> Option<Self> {
        if !anvil_text::is_bounded(reply) {
            return None;
        }
        let mut text = String::new();
        let mut is_heading = false;
        for event in Parser::new(reply) {
            match event {
                Event::Start(Tag::Heading { .. }) => is_heading = true,
                Event::Text(words) | Event::Code(words) => text.push_str(&words),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                Event::End(TagEnd::Heading(_)) => {
                    let stance = stance_of(&text);
                    if stance.is_some() {
                        return stance;
                    }
                    text.clear();
                    is_heading = false;
                }
                Event::End(TagEnd::Paragraph | TagEnd::Item) => break,
                // A nested list ends the sentence of its item.
                Event::Start(Tag::Item) if !text.is_empty() && !is_heading => break,
                _ => {}
            }
        }
        stance_of(&text)
    }

    /// The sign of a stance for a reader, even if the stance is not stated.
    pub fn sign(stance: Option<Self>) -> Sign {
        let (mark, word, class) = match stance {
            Some(Self::For) => ("+", "for", "for"),
            Some(Self::Conditional) => ("±", "for on one condition", "conditional"),
            Some(Self::Against) => ("−", "against", "against"),
            None => ("?", "not stated", "untold"),
        };
        Sign { mark, word, class }
    }
}

/// `FOR, …`, `V1.1. AGAINST: …`, `We are FOR on one condition: …`. A word in capitals counts
/// anywhere in the sentence, other words only at its beginning. A sentence with both words or with
/// a negation states nothing.
fn stance_of(text: &str) -> Option<Stance> {
    let text = text.replace(['—', '–', '/'], " ");
    let text = text.trim();
    let numbered = text.split_once(' ').filter(|(first, _)| {
        first.trim_end_matches(|char| matches!(ascii_mark(char), '.' | ':')).parse::<Id>().is_ok()
    });
    let text = numbered.map_or(text, |(_, text)| text.trim_start());
    let words: Vec<&str> = text.split_whitespace().collect();
    let (sentence, _) = words.split_at(first_sentence(text).split_whitespace().count());
    let at = if begins_with_stance(&words) {
        0
    } else {
        sentence.iter().position(|word| matches!(bare(word), "FOR" | "AGAINST"))?
    };
    let before = &words[..at];
    let after = &words[at + 1..];
    let is_for = bare(words[at]).eq_ignore_ascii_case("for");
    let other = if is_for { "AGAINST" } else { "FOR" };
    if before.iter().any(|word| denies(word)) || sentence.iter().any(|word| bare(word) == other) {
        return None;
    }
    let is_conditional = before.iter().any(|word| bare(word).eq_ignore_ascii_case("conditionally"));
    Some(match (is_for, is_conditional || begins_with_condition(after)) {
        (true, false) => Stance::For,
        (true, true) => Stance::Conditional,
        (false, _) => Stance::Against,
    })
}

/// `FOR`, `For, …` and `For on one condition`, but not `For a small team`.
fn begins_with_stance(words: &[&str]) -> bool {
    let Some((first, after)) = words.split_first() else { return false };
    match bare(first) {
        "FOR" | "AGAINST" => true,
        "For" | "for" => !first.ends_with(char::is_alphanumeric) || is_on_condition(after),
        "Against" | "against" => !first.ends_with(char::is_alphanumeric),
        _ => false,
    }
}

fn begins_with_condition(words: &[&str]) -> bool {
    const CONJUNCTIONS: [&[&str]; 6] = [
        &["if"],
        &["provided"],
        &["only", "if"],
        &["as", "long", "as"],
        &["so", "long", "as"],
        &["conditionally"],
    ];
    let begins_with_conjunction = CONJUNCTIONS.iter().any(|conjunction| {
        conjunction.len() <= words.len()
            && conjunction.iter().zip(words).all(|(part, word)| bare(word).to_lowercase() == *part)
    });
    begins_with_conjunction || is_on_condition(words)
}

/// `on one condition`, `but with a condition`, `under these two conditions`.
fn is_on_condition(words: &[&str]) -> bool {
    let mut words = words.iter().map(|word| bare(word).to_lowercase());
    words.next().is_some_and(|first| {
        matches!(first.as_str(), "on" | "under" | "with" | "but" | "only" | "subject")
    }) && words.take(4).any(|word| word.starts_with("condition"))
}

fn denies(word: &str) -> bool {
    let word = bare(word).to_lowercase();
    let is_one = matches!(
        word.as_str(),
        "not" | "neither" | "nor" | "never" | "cannot" | "nobody" | "whether"
    );
    is_one || word.ends_with("n't") || word.ends_with("n’t")
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stance_is_read_from_the_first_sentence() {
        for (reply, stance) in [
            ("FOR, because the queue is ours. AGAINST would cost more.", Stance::For),
            ("**V1.1. FOR: the ledger is ours.** Ground", Stance::For),
            ("For: it is cheaper.", Stance::For),
            ("As the one who is paged, I am FOR this.", Stance::For),
            ("FOR — it does not wake anybody.", Stance::For),
            ("**FOR on one condition**: a budget.", Stance::Conditional),
            ("FOR, on the condition that we keep a way back.", Stance::Conditional),
            ("FOR. On one condition: a way back.", Stance::Conditional),
            ("For on one condition: a way back.", Stance::Conditional),
            ("FOR only if the tests stay.", Stance::Conditional),
            ("- **V2.1. FOR, provided that** it is ours.\n- FOR", Stance::Conditional),
            ("**AGAINST**, and the bill decides it.", Stance::Against),
            ("V3.1. I am AGAINST this, for one reason.", Stance::Against),
            ("against: no.", Stance::Against),
            ("## The auditor: AGAINST\n\nText.", Stance::Against),
            ("## The auditor\n\nFOR, as it is written.", Stance::For),
        ] {
            assert_eq!(Stance::parse(reply), Some(stance), "{reply}");
        }
    }

    #[test]
    fn a_stance_is_never_invented() {
        for reply in [
            "",
            "We gain a year. FOR that we pay.",
            "For a team of eight this is too much.",
            "Against this background we say yes.",
            "I am for the most part unsure.",
            "I am not FOR this.",
            "I am neither FOR nor AGAINST it.",
            "FOR or AGAINST: it depends.",
            "I can't say whether FOR fits.",
            "Nothing.\n\nFOR",
            "```\nx\n```\n\nWe wait.",
            "FORMAT it.",
        ] {
            assert_eq!(Stance::parse(reply), None, "{reply}");
        }
    }
}
