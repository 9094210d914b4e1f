//! Reading a typed line is linear.

use crate::*;
use testkit::calls;
use testkit::linear::Call;

fn known() -> split::KnownOptions {
    split::KnownOptions::from_command(&debate_command())
}

fn named(sample: &Sample) -> IssueOptions {
    IssueOptions { numbered: Some(1), repo: Some(sample.owned()), ..IssueOptions::default() }
}

type Sample = testkit::linear::Text;

fn calls() -> Vec<Call<Sample>> {
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
        PublishOptions::request(PublishOptions { issue: named(s), ..PublishOptions::default() });
        PullOptions::request(PullOptions { issue: named(s), ..PullOptions::default() });
        ExchangeOptions::pulled(&ExchangeOptions { pull: Some(1), repo: Some(s.owned()), ..ExchangeOptions::default() });
        Typed::help(s.text(), false, 70);
        split::Split::parse(s.text(), &known());
        split::KnownOptions::is_empty(&known());
        SteerOptions::statement(&SteerOptions { text: vec![s.owned()], motion: true, ..SteerOptions::default() });
        pasted::command(s.text());
        pasted::without_marks(s.text());
    ]
}

#[test]
fn reading_a_typed_line_is_linear() {
    testkit::linear::check(calls());
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &["IsolatedOptions::is_wanted", "short::short_help"],
    ),
    ("called for each entry, by what is called here", &["usage::usage_error"]),
];

testkit::check_every_call!(calls(), &[], EXEMPT);
