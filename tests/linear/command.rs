use super::*;
use crate::linear::{Call, Sample, calls, check};

fn words(sample: &Sample) -> Vec<String> {
    sample.text().split_whitespace().map(str::to_owned).collect()
}

fn known() -> split::KnownOptions {
    split::KnownOptions::of(&debate_command())
}

fn options(sample: &Sample) -> DebateOptions {
    DebateOptions { position: Some(sample.owned()), ..DebateOptions::default() }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Typed::parse(s.text());
        Typed::parse(&format!("/anvil:debate {}", s.text()));
        Typed::parse(&format!("/anvil:debate Why? {} --rounds 2", s.text()));
        Typed::parse(&format!("/anvil:steer {}", s.text()));
        Typed::parse(&format!("/anvil:status {}", s.text()));
        Typed::parse(&format!("/anvil:outcome {}", s.text()));
        Typed::parse(&format!("/anvil:resume {}", s.text()));
        Typed::parse(&format!("<pasted_content id=\"a\">\n/anvil:debate {}\n</pasted_content id=\"a\">", s.text()));
        question(s.text());
        steering(s.text());
        news(s.text());
        defaults(vec![format!("--position={}", s.text())]);
        defaults(vec![format!("--stakeholders={}", s.text())]);
        slot::NamedSlot::read(&words(s));
        issue::forge(s.text());
        seats::words(s.text());
        outcome::words(s.text());
        slot::NamedSlot::read(&[s.owned()]);
        seats::SeatOptions::set(&mut SeatOptions::default(), "agent", s.owned());
        seats::SeatOptions::get(&SeatOptions { agent: Some(s.owned()), ..SeatOptions::default() }, s.text());
        split::Split::of(s.text(), &known());
        split::KnownOptions::names(known());
        options::rounds(s.text());
        options::text(s.text(), 100);
        options::flag(s.text());
        options::review(s.text());
        options::DebateOptions::over(options(s), options(s));
        pasted::command(s.text());
        pasted::without_marks(s.text());
        between::Choice::typed(s.text());
    ]
}

#[test]
fn what_reads_a_typed_line_takes_time_by_its_length() {
    check(calls());
}
