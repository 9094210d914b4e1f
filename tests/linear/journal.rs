use super::*;
use crate::linear::{Call, Sample, calls, check};

fn decisions_of(sample: &Sample) -> Vec<Decision> {
    let line = |id: usize| {
        let at = "2026-11-21T00:00:00Z";
        format!("{{\"at\":\"{at}\",\"id\":\"{id}\",\"question\":{}}}\n", serde_json::Value::from(sample.part()))
    };
    let journal: String = (0..100).map(line).collect();
    decisions(lines(&journal))
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        lines(s.text()).count();
        decisions(lines(s.text()));
        decisions(lines(&(0..s.text().len() / 60).map(|id| format!("{{\"at\":\"2026-11-21T00:00:00Z\",\"id\":\"{id}\"}}\n")).collect::<Vec<_>>().concat()));
        due(&decisions_of(s), jiff::civil::date(2027, 1, 1));
        calibration::Calibration::of(&decisions_of(s));
        Outcome::from_word(s.text());
        Review::parse(s.text());
    ]
}

#[test]
fn what_reads_a_journal_takes_time_by_its_length() {
    check(calls());
}
