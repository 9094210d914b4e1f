//! Rendering a report is linear.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

#[path = "../../testkit/src/linear/models.rs"]
#[expect(unreachable_pub, reason = "the file is also part of another crate")]
mod models;

use crate::html::claims::ClaimLinks;
use crate::model::SideNote;
use crate::model::authors::{Authors, SeatAuthors};
use crate::*;
use anvil_core::ledger::{Ground, RestedClaim, RestedWords};
use anvil_core::transcript::NoteKind;
use testkit::calls;
use testkit::linear::Call;

fn place(section: usize) -> String {
    section.to_string()
}

fn note(sample: &Sample) -> &SideNote {
    sample.model().notes.iter().find(|note| note.of == NoteKind::FactCheck).unwrap()
}

fn arguments_of(sample: &Sample) -> Vec<model::arguments::Argument> {
    model::arguments::arguments(sample.ledger(), &parts(sample))
}

fn parts(sample: &Sample) -> Vec<model::part::ReportPart> {
    sample.entries().replies().map(model::part::part).collect()
}

fn revised(sample: &Sample) -> model::revised::Revised {
    let objections = sample.ledger().claims.iter().map(|claim| model::revised::ShownObjection {
        id: claim.id,
        sentence: sample.owned(),
        blocks: true,
        quote: Some(sample.owned()),
        quote_found: false,
        answered: false,
    });
    let objections = objections.take(10).collect();
    let name = sample.owned();
    let line = sample.owned();
    model::revised::Revised { name, sha256: None, changes: Vec::new(), objections, line }
}

fn recorded(sample: &Sample) -> RecordedDecision {
    let [id, question, status, title] = std::array::from_fn(|_| sample.owned());
    let words =
        RestedWords { path: sample.owned(), line: None, words: sample.owned(), commit: None };
    let claims = vec![RestedClaim { id: "A1".parse().unwrap(), words: Some(words) }];
    RecordedDecision { id, question, number: None, supersedes: None, claims, status, title }
}

type Sample = models::Models;

fn calls() -> Vec<Call<Sample>> {
    calls![s =>
        Model::from_source(&s.source(&Sample::places()), &Files::default());
        html::html(s.model());
        markdown::markdown(s.model());
        markdown::block_quote(s.text());
        markdown::brief(s.model());
        model::json(s.model());
        markdown::adr::adr(s.model(), Some(&AdrRecord {
            decision: recorded(s),
            supersedes: Some((s.owned(), s.owned())),
        }));
        RecordedDecision::comment(&recorded(s)).is_some();
        RecordedDecision::read(s.text()).is_some();
        RecordedDecision::stands(&recorded(s));
        RecordedDecision::is_status(&recorded(s), s.text());
        plain::plain(s.model(), Some(80));
        plain::plain(s.model(), None);
        plain::summary(s.model(), 80);
        Format::render(Format::Html, s.model());
        mark::is_report(s.text().as_bytes());
        mark::marked(s.text());
        mark::marked_with(s.text(), Some(s.text()));
        model::scrub::Scrubbed::from_source(&s.source(&Sample::places()));
        markdown::inert::quoted(s.text());
        markdown::inert::plain(s.text());
        markdown::inert::paragraph(s.text(), &mut String::new());
        model::stance::Stance::parse(s.text());
        authored::authored(&Authors::from_entries(s.entries()));
        authored::argues(s.entries());
        Authors::from_entries(s.entries());
        SeatAuthors::name(&Authors::from_entries(s.entries()).sides[0]);
        Model::without_authors(s.model().clone());
        authored::degraded(s.entries());
        authored::degraded_line(&Authors::from_entries(s.entries()));
        ClaimLinks::from_model(s.model());
        html::claims::KnownClaims::write(&mut ClaimLinks::from_model(s.model()).before(1), s.text(), true);
        html::rich::heading(3, &s.text());
        html::rich::rich(s.text(), 3, &mut ClaimLinks::from_model(s.model()).in_reply(1));
        html::introduction::how_to_read(s.model(), &ClaimLinks::from_model(s.model()));
        html::introduction::course(s.model(), &ClaimLinks::from_model(s.model()));
        html::threads::threads(s.model(), &ClaimLinks::from_model(s.model()));
        html::record::record(s.model(), &ClaimLinks::from_model(s.model()));
        model::revised::Revised::from_source(&s.source(&Sample::places()));
        model::revised::Revised::findings(&revised(s)).count();
        html::document::document(s.model(), &ClaimLinks::from_model(s.model()));
        html::card::card(s.model(), &ClaimLinks::from_model(s.model()));
        model::judges::differing(s.model());
        model::judges::rows(s.model());
        checked::standing(s.ledger());
        checked::outcome(s.ledger().claims[0].status, s.ledger().claims[0].result, true);
        checked::nothing_wrong(s.ledger());
        checked::shown(&s.ledger().findings).count();
        signs::all(s.ledger());
        signs::standing(s.ledger(), s.ledger().claims[0].status, None, true);
        signs::sign(s.ledger(), &s.ledger().claims[0]);
        checked::contradicted(s.ledger());
        checked::document(s.entries(), s.ledger());
        checked::findings(&s.ledger().findings, place);
        checked::ground(&Ground::Evidence(s.owned()));
        checked::ground_and_check(
            &Ground::Evidence(s.owned()),
            s.ledger().claims[0].citation.as_ref(),
            s.ledger().claims[0].check.as_ref()
        );
        checked::cited(s.ledger().claims[0].citation.as_ref());
        model::arguments::Argument::ground_and_check(&arguments_of(s)[0]);
        checked::happened(s.ledger(), &s.ledger().claims[0]);
        checked::in_brackets(s.ledger().claims[0].check.as_ref());
        checked::words_of(&s.ledger().moves[0]);
        checked::done(&s.ledger().moves[0]);
        checked::finding(&s.ledger().findings[0], place);
        html::claims::ClaimLinks::before(&ClaimLinks::from_model(s.model()), 1);
        html::claims::ClaimLinks::in_reply(&ClaimLinks::from_model(s.model()), 1);
        html::claims::ClaimLinks::link(&ClaimLinks::from_model(s.model()), 0);
        html::claims::ClaimLinks::origin(&ClaimLinks::from_model(s.model()), 0);
        html::claims::ClaimLinks::item(&ClaimLinks::from_model(s.model()), 0, s.text());
        html::claims::ClaimLinks::get(&ClaimLinks::from_model(s.model()), s.ledger().claims[0].id);
        html::claims::KnownClaims::has_marked(&ClaimLinks::from_model(s.model()).before(1), 0);
        html::claims::made(s.model(), &arguments_of(s)[0]);
        model::arguments::arguments(s.ledger(), &parts(s));
        model::arguments::findings(s.ledger(), place);
        html::asides::asides(s.model(), 1, &ClaimLinks::from_model(s.model()));
        html::asides::judges(s.model());
        html::asides::day(s.model());
        html::asides::time(s.text());
        html::words::shown(s.text());
        html::words::words(s.text());
        model::part::part(s.entries().replies().next().unwrap());
        model::scrub::scrubbed_files(&Files { debate: s.owned(), reports: vec![s.owned()] }, &Sample::places());
        Format::from_path(Path::new(s.text()));
        Format::from_any_path(Path::new(s.text()));
        Model::about(s.model());
        Model::asides_before(s.model(), 1).count();
        Model::findings(s.model());
        SideNote::new(NoteKind::FactCheck, &s.entries().0[0], s.entries(), &[1, 2]);
        SideNote::paragraphs(note(s));
        Model::invisible_characters(s.model());
        Model::judgments(s.model()).count();
        Model::opening(s.model(), 2);
        Model::place(s.model(), 1);
        Model::title(s.model(), 1);
        Model::synthesis_text(s.model());
    ]
}

#[test]
fn every_report_of_a_hostile_debate_is_linear() {
    testkit::linear::check(calls());
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &[
            "ShownObjection::stands",
            "ReportOptions::new",
            "Model::day",
            "Model::leaned",
            "Model::synthesis_lacks_beginning",
            "Model::noted",
            "Model::sign",
            "ReportPart::numbered_round",
            "Model::with_decision",
            "Model::with_effort",
            "Model::with_recovered",
            "Model::word",
            "SeatAuthors::only",
        ],
    ),
    ("called for each entry, by what is called here", &["model::considered::considered"]),
];

testkit::check_every_call!(calls(), &[], EXEMPT);
