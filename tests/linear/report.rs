use super::*;
use crate::ledger::Ground;
use crate::linear::{Call, Sample, calls, check};

fn place(section: usize) -> String {
    section.to_string()
}

fn speaker(sample: &Sample) -> exchange::Speaker {
    sample.model().speaker(0)
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Model::of(&s.source(&s.places()), &Files::default());
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
        scrub::Scrubbed::of(&s.source(&s.places()));
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
        checked::findings(&s.ledger().findings, place);
        checked::ground(&Ground::Evidence(s.owned()));
    ]
}

#[test]
fn every_report_of_a_hostile_debate_takes_time_by_its_length() {
    check(&calls());
}
