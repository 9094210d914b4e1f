//! The calls of `options`.

use crate::debate::DebateOption;
use crate::linear::{Call, Sample, calls, check};
use crate::options::*;

fn asked(sample: &Sample) -> DebateOptions {
    DebateOptions::default().with(DebateOption::Position, sample.owned())
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        seats::SeatOptions::set(&mut SeatOptions::default(), "agent", s.owned());
        seats::SeatOptions::get(&SeatOptions { agent: Some(s.owned()), ..SeatOptions::default() }, s.text());
        seats::SeatOptions::take_default(&mut SeatOptions::default(), "critic", &[s.owned()]);
        seats::SeatOptions::take_default(&mut SeatOptions::default(), "voice", &[s.owned()]);
        seats::SeatOptions::named(&SeatOptions { judge: vec![s.owned()], ..SeatOptions::default() });
        seats::SeatOptions::arguments(&SeatOptions {
            voice: vec![(s.owned(), s.owned())],
            ..SeatOptions::default()
        });
        seats::SeatOptions::with_judges(&SeatOptions::default(), &asked(s));
        seats::is_seat_key(s.text());
        seats::voice(s.text());
        values::motion(s.text());
        values::rounds(s.text());
        values::text(s.text(), 100);
        values::flag(s.text());
        values::review(s.text());
        debate::shorten(s.text());
        debate::refused_value(s.text(), s.text(), s.text(), s.text());
        DebateOptions::over(asked(s), asked(s));
        DebateOptions::set(&mut DebateOptions::default(), DebateOption::Position, s.text());
        values::boundary(s.text());
        values::judges(s.text());
        values::name(s.text());
        values::options(s.text());
        values::output(s.text());
        values::plan(s.text());
        values::pull_request(s.text());
        values::revision(s.text());
        values::stakeholders(s.text());
        DebateOptions::of_defaults(&[(DebateOption::Context, s.owned())]);
        Choice::typed(s.text());
        choice::goes_on(s.text());
    ]
}

#[test]
fn reading_the_values_of_options_is_linear() {
    check(calls());
}
