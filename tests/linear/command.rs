use anvil_command::*;
use crate::linear::{Call, Sample, calls, check};

fn known() -> split::KnownOptions {
    split::KnownOptions::of(&debate_command())
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
        split::Split::of(s.text(), &known());
        split::KnownOptions::is_empty(&known());
        SteerOptions::statement(&SteerOptions { text: vec![s.owned()], motion: true, ..SteerOptions::default() });
        pasted::command(s.text());
        pasted::without_marks(s.text());
    ]
}

#[test]
fn reading_a_typed_line_is_linear() {
    check(calls());
}
