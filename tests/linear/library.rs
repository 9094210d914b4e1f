use super::*;
use crate::linear::{Call, calls, check};

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        parts::Roles::of(s.text());
        parts::required_headings(s.text());
        parts::headings(s.text()).count();
        built_in::built_in(TextKind::Personas, s.text());
        built_in::focus(s.text());
    ]
}

#[test]
fn what_reads_a_text_of_the_users_takes_time_by_its_length() {
    check(calls());
}
