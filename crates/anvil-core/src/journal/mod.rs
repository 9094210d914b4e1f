//! The journal of decisions: the outcome of each recommendation. Pure.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// The outcome of a recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Outcome {
    Right,
    Wrong,
    /// Right in part.
    Mixed,
    /// The recommendation was not followed.
    Abandoned,
}

impl Outcome {
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub at: Timestamp,
    /// The debate.
    pub id: String,
    #[serde(default)]
    pub question: String,
    /// The confidence of the synthesis, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The user's note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When to review the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Date>,
}

/// The journal's data about one debate: the last line of each kind counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The debate.
    pub id: String,
    pub question: String,
    /// The confidence of the synthesis, in percent.
    pub confidence: Option<u8>,
    pub outcome: Option<Outcome>,
    /// The user's note.
    pub note: Option<String>,
    /// When to review the decision. A later outcome ends the wait.
    pub review: Option<Date>,
}

/// The decisions of a journal, in the order of their first lines.
pub fn decisions(lines: impl IntoIterator<Item = Line>) -> Vec<Decision> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for line in lines {
        let at = known.get(&line.id).copied().unwrap_or_else(|| {
            known.insert(line.id.clone(), decisions.len());
            decisions.push(Decision { id: line.id, ..Decision::default() });
            decisions.len() - 1
        });
        let decision = &mut decisions[at];
        if !line.question.is_empty() {
            decision.question = line.question;
        }
        let confidence = line.confidence.filter(|percent| *percent <= 100);
        if line.outcome.is_some() {
            (decision.outcome, decision.note, decision.review) = (line.outcome, line.note, None);
            // The confidence of the synthesis that the outcome is about. Earlier and later cycles
            // may have another one.
            decision.confidence = confidence;
        } else if decision.outcome.is_none() {
            decision.confidence = confidence.or(decision.confidence);
        }
        if line.review.is_some() {
            decision.review = line.review;
        }
    }
    decisions
}

/// The decisions to review on this day, the longest overdue first.
pub fn due(decisions: &[Decision], today: Date) -> Vec<&Decision> {
    let mut due: Vec<&Decision> = decisions
        .iter()
        .filter(|decision| decision.review.is_some_and(|review| review <= today))
        .collect();
    due.sort_by_key(|decision| decision.review);
    due
}

/// The longest review period in days: ten years.
const MAX_DAYS: i64 = 3_650;

/// When to review a decision, as the user writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    On(Date),
    /// This number of days from today.
    In(i64),
}

impl Review {
    /// Reads `2027-01-15` or `30d`. `None`: any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.strip_suffix(['d', 'D']) {
            Some(days) => {
                days.trim().parse().ok().filter(|days| (1..=MAX_DAYS).contains(days)).map(Self::In)
            }
            None => text.parse().ok().map(Self::On),
        }
    }

    /// The day of the review. `None`: it is not after today.
    pub fn day(self, today: Date) -> Option<Date> {
        let day = match self {
            Self::On(day) => day,
            Self::In(days) => today.checked_add(Span::new().days(days)).ok()?,
        };
        (day > today).then_some(day)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn line(id: &str, outcome: Option<Outcome>, review: Option<Date>) -> Line {
        Line {
            at: Timestamp::UNIX_EPOCH,
            id: id.to_owned(),
            question: format!("{id}?"),
            confidence: Some(70),
            outcome,
            note: None,
            review,
        }
    }

    #[test]
    fn the_last_line_of_each_kind_counts() {
        let journal = [
            line("a", None, Some(date(2027, 1, 15))),
            line("b", Some(Outcome::Wrong), None),
            line("b", Some(Outcome::Right), None),
            line("a", Some(Outcome::Mixed), None),
            line("c", Some(Outcome::Right), None),
            line("c", None, Some(date(2027, 3, 1))),
        ];
        let read = decisions(journal);
        let found: Vec<_> =
            read.iter().map(|one| (one.id.as_str(), one.outcome, one.review)).collect();
        assert_eq!(
            found,
            [
                ("a", Some(Outcome::Mixed), None),
                ("b", Some(Outcome::Right), None),
                ("c", Some(Outcome::Right), Some(date(2027, 3, 1)))
            ]
        );
        assert_eq!(due(&read, date(2027, 2, 28)), Vec::<&Decision>::new());
        assert_eq!(due(&read, date(2027, 3, 1))[0].id, "c");
    }

    #[test]
    fn an_outcome_has_the_confidence_of_its_own_synthesis() {
        let line = |confidence, outcome, review| Line {
            at: Timestamp::UNIX_EPOCH,
            id: "a".to_owned(),
            question: String::new(),
            confidence,
            outcome,
            note: None,
            review,
        };
        let day = Some(date(2027, 1, 15));
        let confidence = |journal: &[Line]| decisions(journal.to_vec())[0].confidence;
        let review = line(Some(80), None, day);
        let right = line(Some(60), Some(Outcome::Right), None);
        assert_eq!(confidence(&[review.clone(), line(None, None, day)]), Some(80));
        assert_eq!(confidence(&[review.clone(), right.clone()]), Some(60));
        assert_eq!(confidence(&[right, review.clone()]), Some(60));
        assert_eq!(confidence(&[review, line(None, Some(Outcome::Wrong), None)]), None);
        assert_eq!(confidence(&[line(Some(101), Some(Outcome::Wrong), None)]), None);
    }

    #[test]
    fn a_review_is_a_day_after_today() {
        let today = date(2026, 11, 21);
        for (text, day) in [
            ("2027-01-15", Some(date(2027, 1, 15))),
            ("30d", Some(date(2026, 12, 21))),
            (" 1D ", Some(date(2026, 11, 22))),
            ("3650d", today.checked_add(Span::new().days(3_650)).ok()),
            ("3651d", None),
            ("0d", None),
            ("-3d", None),
            ("2026-11-21", None),
            ("2026-02-30", None),
            ("soon", None),
            ("", None),
            ("d", None),
        ] {
            assert_eq!(Review::parse(text).and_then(|review| review.day(today)), day, "{text}");
        }
    }
}
