//! The calls of `journal`.

use crate::journal::*;
use crate::linear::{Call, Sample, calls, check};

fn decisions_of(sample: &Sample) -> Vec<Decision> {
    decisions((0..100).map(|id| line(id, &sample.part())))
}

fn line(id: usize, question: &str) -> Line {
    Line {
        at: Timestamp::UNIX_EPOCH,
        id: id.to_string(),
        question: question.to_owned(),
        confidence: None,
        outcome: None,
        note: None,
        review: None,
    }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        decisions((0..s.text().len() / 60).map(|id| line(id, "")));
        due(&decisions_of(s), jiff::civil::date(2027, 1, 1));
        calibration::Calibration::from_decisions(&decisions_of(s));
        Outcome::from_word(s.text());
        Review::parse(s.text());
    ]
}

#[test]
fn reading_a_journal_is_linear() {
    check(calls());
}
