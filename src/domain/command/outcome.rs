//! The options of `outcome`.

use clap::Args;
use clap::builder::ValueParser;

use super::options::{review, text};
use crate::domain::debate::DebateOption;
use crate::domain::journal::{Outcome, Review};
use crate::error::{Error, Result};
use crate::text::closing_quote;

/// Maximum length of a note, in characters.
const MAX_NOTE_CHARS: usize = 1_000;

/// What `/anvil:outcome` notes down.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeOptions {
    /// The debate, by its number in the history or its id [default: the one here]
    pub id: Option<String>,
    /// What became of its recommendation: right, wrong, mixed or abandoned
    pub outcome: Option<String>,
    /// What there is to say of it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = ValueParser::new(note))]
    pub note: Option<String>,
    /// When to look again: a day such as 2027-01-15, or 30d
    #[arg(long, value_name = "WHEN", value_parser = ValueParser::new(review))]
    pub review: Option<Review>,
}

impl OutcomeOptions {
    /// The debate, if one is named, and its outcome. A single word is an outcome if it names one;
    /// with `--review` any other word is a debate.
    pub fn meant(&self) -> Result<(Option<&str>, Option<Outcome>)> {
        let [first, second] = [&self.id, &self.outcome].map(Option::as_deref);
        let meant = match (first, second, first.and_then(Outcome::from_word)) {
            (Some(_), None, Some(outcome)) => (None, Some(outcome)),
            (id, None, _) => (id, None),
            (id, Some(second), _) => match Outcome::from_word(second) {
                Some(outcome) => (id, Some(outcome)),
                None => return Err(no_outcome(&format!("{second:?} is no outcome"))),
            },
        };
        match meant {
            (Some(word), None)
                if self.review.is_none() && word.chars().all(char::is_alphabetic) =>
            {
                Err(no_outcome(&format!("{word:?} is no outcome")))
            }
            (_, None) if self.review.is_none() || self.note.is_some() => {
                Err(no_outcome("what became of the recommendation is missing"))
            }
            meant => Ok(meant),
        }
    }
}

fn no_outcome(message: &str) -> Error {
    Error::usage(
        crate::text::clean(message, 100),
        "it is right, wrong, mixed or abandoned; `--review 30d` alone says when to look again",
    )
}

fn note(value: &str) -> std::result::Result<String, String> {
    text(value, MAX_NOTE_CHARS)
}

/// Splits a typed line. A note needs no quotes: it ends with the line, or before `--review`.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut note: Option<Vec<&str>> = None;
    let mut is_note = false;
    for word in line.split_whitespace() {
        let begins_note = word
            .strip_prefix("--note")
            .filter(|remaining| remaining.is_empty() || remaining.starts_with('='));
        let name = word.split('=').next().unwrap_or_default();
        let option = name.strip_prefix("--").and_then(DebateOption::named);
        match (begins_note, option) {
            (Some(remaining), _) if note.is_none() => {
                is_note = true;
                note = Some(remaining.trim_start_matches('=').split_whitespace().collect());
            }
            (_, Some(DebateOption::Review)) => {
                is_note = false;
                words.push(word.to_owned());
            }
            _ => match &mut note {
                Some(note) if is_note => note.push(word),
                _ => words.push(word.to_owned()),
            },
        }
    }
    if let Some(note) = note {
        words.push(format!("--note={}", unquoted(&note.join(" "))));
    }
    words
}

/// Removes one pair of quotes around a text.
fn unquoted(text: &str) -> &str {
    let mut chars = text.chars();
    let close = chars.next().and_then(closing_quote);
    close.and_then(|close| chars.as_str().strip_suffix(close)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::domain::command::{Action, Typed};

    fn typed(line: &str) -> Result<OutcomeOptions> {
        match Typed::parse(&format!("/anvil:outcome {line}")) {
            Some(Ok(Typed::Action(Action::Outcome { options }))) => Ok(*options),
            Some(Err(error)) => Err(error),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn an_outcome_belongs_to_the_named_or_current_debate() {
        let meant = |line: &str| {
            let options = typed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            options.meant().map(|(id, outcome)| (id.map(str::to_owned), outcome))
        };
        let id = || Some("2026-11-21".to_owned());
        for (line, expected) in [
            ("right", (None, Some(Outcome::Right))),
            ("WRONG", (None, Some(Outcome::Wrong))),
            ("2026-11-21 mixed", (id(), Some(Outcome::Mixed))),
            ("2026-11-21 --review 30d", (id(), None)),
            ("--review=30d", (None, None)),
            ("abandoned --review=30d", (None, Some(Outcome::Abandoned))),
        ] {
            assert_eq!(meant(line).unwrap(), expected, "{line}");
        }
        for line in ["", "2026-11-21", "2026-11-21 good", "--note why", "--note why --review 30d"] {
            assert!(meant(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_note_needs_no_quotes() {
        for (line, note) in [
            ("right --note it held, for a year", "it held, for a year"),
            ("right --note=it held", "it held"),
            ("right --note \"it held\" --review 30d", "it held"),
            ("--review=30d right --note it's -- as we said -- fine", "it's -- as we said -- fine"),
            ("right --note a --note b", "a --note b"),
        ] {
            let options = typed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(
                (options.note.as_deref(), options.review.is_some()),
                (Some(note), line.contains("30d")),
                "{line}"
            );
            assert_eq!(options.meant().unwrap(), (None, Some(Outcome::Right)), "{line}");
        }
        let review = typed("right --review 2027-01-15").unwrap().review;
        assert_eq!(review, Some(Review::On(date(2027, 1, 15))));
        let long = format!("right --note {}", "x".repeat(MAX_NOTE_CHARS + 1));
        for line in
            ["right --note", "right --review soon", "right --review", "right wrong mixed", &long]
        {
            assert!(typed(line).is_err(), "{line}");
        }
    }
}
