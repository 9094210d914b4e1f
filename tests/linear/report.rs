#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use super::*;
use crate::ledger::Ground;
use crate::linear::{Call, Sample, calls, check};

fn place(section: usize) -> String {
    section.to_string()
}

fn arguments_of(sample: &Sample) -> Vec<arguments::Argument> {
    arguments::arguments(sample.ledger(), &parts(sample))
}

fn parts(sample: &Sample) -> Vec<part::Part> {
    sample.entries().replies().map(part::part).collect()
}

fn calibrated() -> crate::journal::Calibration {
    crate::journal::Calibration::of(&[])
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Model::of(&s.source(&Sample::places()), &Files::default());
        html::html(s.model());
        markdown::markdown(s.model());
        markdown::brief(s.model());
        model::json(s.model());
        adr::adr(s.model(), Some(1));
        plain::plain(s.model(), Some(80));
        plain::plain(s.model(), None);
        plain::summary(s.model(), 80);
        Format::render(Format::Html, s.model());
        exchange::mermaid(s.ledger());
        scrub::Scrubbed::of(&s.source(&Sample::places()));
        inert::quoted(s.text());
        inert::plain(s.text());
        stance::Stance::of(s.text());
        escape::escape(s.text(), &mut String::new());
        claims::Claims::of(s.model());
        claims::Known::write(&mut claims::Claims::of(s.model()).before(1), s.text(), true, &mut String::new());
        rich::rich(s.text(), 3, &mut claims::Claims::of(s.model()).in_reply(1), &mut String::new());
        board::board(s.model(), &claims::Claims::of(s.model()), &mut String::new());
        map::map(s.model());
        judges::rows(s.model());
        checked::undisposed(s.ledger());
        checked::contradicted(s.ledger());
        checked::findings(&s.ledger().findings, place);
        checked::ground(&Ground::Evidence(s.owned()));
        checked::ground_and_check(&Ground::Evidence(s.owned()), s.ledger().claims[0].check.as_ref());
        checked::happened(s.ledger(), &s.ledger().claims[0]);
        checked::done(&s.ledger().moves[0]);
        checked::finding(&s.ledger().findings[0], place);
        checked::about(&s.ledger().findings[0]);
        claims::Claims::before(&claims::Claims::of(s.model()), 1);
        claims::Claims::in_reply(&claims::Claims::of(s.model()), 1);
        claims::Claims::link(&claims::Claims::of(s.model()), 0, s.text(), &mut String::new());
        claims::Claims::origin(&claims::Claims::of(s.model()), 0, s.text(), &mut String::new());
        claims::Known::has_marked(&claims::Claims::of(s.model()).before(1), 0);
        claims::anchor(&arguments_of(s)[0]);
        claims::made(s.model(), &arguments_of(s)[0]);
        arguments::arguments(s.ledger(), &parts(s));
        arguments::findings(s.ledger(), place);
        asides::asides(s.model(), 1, true, &claims::Claims::of(s.model()), &mut String::new());
        asides::judges(s.model(), &claims::Claims::of(s.model()), &mut String::new());
        asides::time(s.text());
        calibration::calibration(&calibrated(), &[s.owned()]);
        escape::escaped(s.text());
        escape::words(s.text());
        map::legend(s.model());
        map::too_large(s.model());
        part::part(s.entries().replies().next().unwrap());
        scrub::named(&Files { debate: s.owned(), reports: vec![s.owned()] }, &Sample::places());
        Format::of(Path::new(s.text()));
        Format::of_any(Path::new(s.text()));
        Model::about(s.model());
        Model::asides_before(s.model(), 1).count();
        Model::findings(s.model());
        Model::invisible_characters(s.model());
        Model::judgments(s.model()).count();
        Model::opening(s.model(), 2);
        Model::place(s.model(), 1);
        Model::title(s.model(), 1);
        Model::speaker(s.model(), 1);
        Model::synthesis_text(s.model());
    ]
}

#[test]
fn every_report_of_a_hostile_debate_takes_time_by_its_length() {
    check(calls());
}
