//! The calls of `library`.

use crate::library::*;
use crate::linear::{Call, Sample, calls, check};

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        parts::Roles::parse(s.text());
        parts::required_headings(s.text());
        parts::headings(s.text()).count();
        built_in::built_in(TextKind::Personas, s.text());
        built_in::focus(s.text());
    ]
}

#[test]
fn reading_a_users_text_is_linear() {
    check(calls());
}
