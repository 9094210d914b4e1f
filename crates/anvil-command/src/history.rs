//! The options of `history`.

use clap::Args;

use crate::errors::CommandError;
use anvil_core::journal::Outcome;
use anvil_core::options::{OutcomeNote, Refused, ReviewTime, text};
use anvil_text::closing_quote;
use anvil_text::error::Result;

/// Maximum length of a note, in characters.
const MAX_NOTE_CHARS: usize = 1_000;

/// The options of `history`: the debates to list, or the outcome of one to note.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryOptions {
    /// What to find; case does not matter [default: list all]. With --outcome or --review the
    /// debate's number in the history, or its id [default: this project's]
    pub text: Vec<String>,
    /// List those of every project
    #[arg(long)]
    pub all: bool,
    /// Only decisions with a review that is due
    #[arg(long, conflicts_with = "text")]
    pub due: bool,
    /// Note what became of a recommendation: right, wrong, mixed or abandoned
    #[arg(long, value_name = "WHAT", conflicts_with = "due", value_parser = outcome)]
    pub outcome: Option<Outcome>,
    /// A comment on that outcome
    #[arg(long, value_name = "TEXT", requires = "outcome", allow_hyphen_values = true, value_parser = note)]
    pub note: Option<String>,
    /// When to review: a day such as 2027-01-15, or 30d
    #[arg(long, value_name = "WHEN", conflicts_with = "due")]
    pub review: Option<ReviewTime>,
}

impl HistoryOptions {
    /// The outcome or the review to note. `None`: debates are listed.
    pub fn outcome_note(&self) -> Result<Option<OutcomeNote<'_>>> {
        let Self { text, outcome, note, review, .. } = self;
        if outcome.is_none() && review.is_none() {
            return Ok(None);
        }
        match text.as_slice() {
            [_, _, ..] => Err(CommandError::TwoDebates.into()),
            text => Ok(Some(OutcomeNote {
                id: text.first().map(String::as_str),
                outcome: *outcome,
                note: note.as_deref(),
                review: review.as_ref().map(|review| review.0),
            })),
        }
    }
}

fn outcome(value: &str) -> std::result::Result<Outcome, Refused> {
    Outcome::from_word(value)
        .ok_or_else(|| Refused::new("takes right, wrong, mixed or abandoned", " right"))
}

fn note(value: &str) -> std::result::Result<String, Refused> {
    text(value, MAX_NOTE_CHARS)
        .map_err(|why| Refused::new(why, " \"it paid for itself in a month\""))
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
        match (begins_note, name) {
            (Some(remaining), _) if note.is_none() => {
                is_note = true;
                note = Some(remaining.trim_start_matches('=').split_whitespace().collect());
            }
            (_, "--review") => {
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
        words.push(format!("--note={}", unquote(&note.join(" "))));
    }
    words
}

/// Removes one pair of quotes around a text.
fn unquote(text: &str) -> &str {
    let mut chars = text.chars();
    let close = chars.next().and_then(closing_quote);
    close.and_then(|close| chars.as_str().strip_suffix(close)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::Typed;
    use anvil_core::journal::Review;

    fn typed(line: &str) -> Result<HistoryOptions> {
        match Typed::parse("history", line) {
            Some(Ok(Typed::History { options })) => Ok(*options),
            Some(Err(error)) => Err(error),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn an_outcome_belongs_to_the_named_or_current_debate() {
        let noted = |line: &str| {
            let options = typed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let noted = options.outcome_note().unwrap();
            noted.map(|noted| (noted.id.map(str::to_owned), noted.outcome))
        };
        let id = || Some("2026-11-21".to_owned());
        for (line, expected) in [
            ("--outcome right", Some((None, Some(Outcome::Right)))),
            ("--outcome WRONG", Some((None, Some(Outcome::Wrong)))),
            ("2026-11-21 --outcome mixed", Some((id(), Some(Outcome::Mixed)))),
            ("--outcome mixed 2026-11-21", Some((id(), Some(Outcome::Mixed)))),
            ("2026-11-21 --review 30d", Some((id(), None))),
            ("--review=30d", Some((None, None))),
            ("--outcome abandoned --review=30d", Some((None, Some(Outcome::Abandoned)))),
            ("", None),
            ("right or wrong", None),
        ] {
            assert_eq!(noted(line), expected, "{line}");
        }
        assert!(typed("2 3 --outcome right").unwrap().outcome_note().is_err());
        for line in ["--outcome good", "--outcome", "--note why", "--due --outcome right"] {
            assert!(typed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_note_needs_no_quotes() {
        for (line, note) in [
            ("--outcome right --note it held, for a year", "it held, for a year"),
            ("--outcome right --note=it held", "it held"),
            ("--outcome right --note \"it held\" --review 30d", "it held"),
            (
                "--review=30d --outcome right --note it's -- as we said -- fine",
                "it's -- as we said -- fine",
            ),
            ("--outcome right --note a --note b", "a --note b"),
        ] {
            let options = typed(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(
                (options.note.as_deref(), options.review.is_some(), options.outcome),
                (Some(note), line.contains("30d"), Some(Outcome::Right)),
                "{line}"
            );
        }
        let review = typed("--outcome right --review 2027-01-15").unwrap().review;
        assert_eq!(review, Some(ReviewTime(Review::On(date(2027, 1, 15)))));
        let long = format!("--outcome right --note {}", "x".repeat(MAX_NOTE_CHARS + 1));
        for line in ["--outcome right --note", "--outcome right --review soon", "--review", &long] {
            assert!(typed(line).is_err(), "{line}");
        }
    }
}
