use crate::domain::command::*;
use crate::linear::{Call, Sample, calls, check};

fn known() -> split::KnownOptions {
    split::KnownOptions::of(&debate_command())
}

fn options(sample: &Sample) -> DebateOptions {
    DebateOptions { position: Some(sample.owned()), ..DebateOptions::default() }
}

fn named(sample: &Sample) -> IssueOptions {
    IssueOptions { numbered: Some(1), repo: Some(sample.owned()), ..IssueOptions::default() }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Typed::parse(s.text());
        Typed::parse(&format!("/anvil:debate {}", s.text()));
        Typed::parse(&format!("/anvil:debate Why? {} --rounds 2", s.text()));
        Typed::parse(&format!("/anvil:steer {}", s.text()));
        Typed::parse(&format!("/anvil:status {}", s.text()));
        Typed::parse(&format!("/anvil:history --outcome right --note {}", s.text()));
        Typed::parse(&format!("/anvil:resume {}", s.text()));
        Typed::parse(&format!("<pasted_content id=\"a\">\n/anvil:debate {}\n</pasted_content id=\"a\">", s.text()));
        issue::issue_number(s.text());
        is_blank(s.text());
        question(s.text());
        steering(s.text());
        news(s.text());
        defaults(vec![format!("--position={}", s.text())]);
        defaults(vec![format!("--stakeholders={}", s.text())]);
        seats::words(s.text());
        steer::words(s.text());
        steer::words(&format!("--rounds {}", s.text()));
        SteerOptions::steering(&SteerOptions { text: vec![s.owned()], ..SteerOptions::default() });
        UndoOptions::undo(&UndoOptions { id: Some(s.owned()), ..UndoOptions::default() });
        history::words(s.text());
        HistoryOptions::noted(&HistoryOptions { text: vec![s.owned()], ..HistoryOptions::default() });
        ExchangeOptions::published(&ExchangeOptions { publish: Some(1), repo: Some(s.owned()), ..ExchangeOptions::default() });
        PublishOptions::asked(PublishOptions { issue: named(s), ..PublishOptions::default() });
        PullOptions::asked(PullOptions { issue: named(s), ..PullOptions::default() });
        ExchangeOptions::pulled(&ExchangeOptions { pull: Some(1), repo: Some(s.owned()), ..ExchangeOptions::default() });
        Typed::help(s.text(), false, 70);
        seats::SeatOptions::set(&mut SeatOptions::default(), "agent", s.owned());
        seats::SeatOptions::get(&SeatOptions { agent: Some(s.owned()), ..SeatOptions::default() }, s.text());
        seats::SeatOptions::take_default(&mut SeatOptions::default(), "critic", &[s.owned()]);
        seats::SeatOptions::take_default(&mut SeatOptions::default(), "voice", &[s.owned()]);
        seats::SeatOptions::named(&SeatOptions { judge: vec![s.owned()], ..SeatOptions::default() });
        seats::SeatOptions::arguments(&SeatOptions {
            voice: vec![(s.owned(), s.owned())],
            ..SeatOptions::default()
        });
        seats::SeatOptions::with_judges(&SeatOptions::default(), &options(s));
        seats::is_seat_key(s.text());
        seats::voice(s.text());
        split::Split::of(s.text(), &known());
        split::KnownOptions::is_empty(&known());
        SteerOptions::statement(&SteerOptions { text: vec![s.owned()], motion: true, ..SteerOptions::default() });
        options::motion(s.text());
        options::rounds(s.text());
        options::text(s.text(), 100);
        options::flag(s.text());
        options::review(s.text());
        options::DebateOptions::over(options(s), options(s));
        pasted::command(s.text());
        pasted::without_marks(s.text());
        between::Choice::typed(s.text());
        between::goes_on(s.text());
    ]
}

#[test]
fn reading_a_typed_line_is_linear() {
    check(calls());
}
