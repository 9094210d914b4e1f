//! The calls of `reply`.

use crate::linear::{Call, Sample, calls, check};
use crate::reply::*;

fn reply(sample: &Sample) -> Reply {
    Reply {
        texts: vec![sample.owned(), "a".to_owned()],
        older: vec![sample.owned()],
        ..Reply::default()
    }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Reply::whole(&reply(s));
        Reply::before_plan(Reply { after_plan: Some(1), ..reply(s) });
        Reply::in_order(reply(s), || Some(s.owned()));
        Reply::decide_use(&reply(s), |text| text == s.text());
        end_mark::before_end_mark(s.text());
        Reply::is_echo_of(&reply(s), Some(s.text()));
    ]
}

#[test]
fn reading_a_reply_is_linear() {
    check(calls());
}
