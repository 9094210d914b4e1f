#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

use crate::domain::debate::{Alternatives, Phase, Seat};
use crate::domain::ledger::*;
use crate::linear::sample::slot;
use crate::linear::{Call, Sample, calls, check};

fn a1() -> Id {
    "A1".parse().unwrap()
}

/// The text as each of several replies.
fn spoken(sample: &Sample) -> Vec<Spoken<'_>> {
    let places =
        [(Phase::Advocate, 1), (Phase::Critic, 1), (Phase::Advocate, 2), (Phase::Synthesizer, 2)];
    places
        .map(|(phase, round)| Spoken { slot: slot(phase, round), cycle: 1, text: sample.text() })
        .into()
}

/// A verdict with the text as its recommendation.
fn recommending(sample: &Sample) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.recommendation = Some(sample.owned());
    verdict
}

fn two() -> Alternatives {
    Alternatives { names: vec!["do".to_owned(), "Redis".to_owned()], are_typed: true }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        asked::question_of(s.text());
        lines::has_odd_verdict(s.text());
        asked::question_of(&format!("{}\n**Ask:** Why?", s.text()));
        changes::PlanChanges::read(&format!("### {PLAN_CHANGES}\n\n1. {}", s.text()));
        asked::note_of_answer(s.text(), Some(s.text()));
        checks::of_files(s.text(), |_| Some((s.owned(), s.owned())));
        checks::of_web(s.text());
        checks::recorded(s.text(), 1);
        checks::lines_on(s.text(), &[a1()]);
        checks::around(s.text(), a1());
        checks::Check::words(&Check {
            verdict: CheckVerdict::Supported,
            place: s.owned(),
            quote: s.owned(),
            quote_found: Some(false),
            section: 1
        });
        id::Id::read(s.text());
        read::items(s.text(), read::Depth::Whole);
        read::items(s.text(), read::Depth::Heads);
        words::own_lines(s.text()).count();
        read::is_numbered(s.text(), Seat::Advocate);
        read::answered_at(s.text());
        words::stands_in(s.text(), s.text(), &std::cell::OnceCell::new());
        words::without_weight(s.text());
        words::without_weight(&"[minor] ".repeat(s.text().len() / 8));
        words::without_weight_at_end(s.text());
        words::weight_in(s.text());
        loose::ids_at_beginnings(s.text(), Seat::Critic).count();
        loose::stray_blocks(s.text(), Seat::Critic);
        loose::begins_block(s.text());
        read::stated(s.text(), Seat::Critic, 0);
        read::Items::count(&read::items(s.text(), read::Depth::Whole));
        reader::Reader::read(reader::Reader::default(), spoken(s), read::Depth::Whole);
        reader::Reader::read(reader::Reader::default(), spoken(s), read::Depth::Heads);
        Verdict::parse(s.text());
        Verdict::percent(&Verdict::parse(s.text()));
        Verdict::first_sentence(&recommending(s), s.text());
        Verdict::first_sentence(&Verdict::default(), s.text());
        Verdict::unread_percent(&Verdict::parse(s.text()));
        verdict::Unread::from_line(Some(s.text()), false);
        lines::own_lines(s.text());
        lines::asides(s.text());
        lines::unmarked(s.text());
        lines::ends_paragraph(s.text());
        lines::fixed_paragraphs(&lines::own_lines(s.text()));
        lines::FixedLabel::read(s.text());
        lines::FixedLines::parse(&lines::own_lines(s.text()));
        lines::FixedLines::first(
            &lines::FixedLines::parse(&lines::own_lines(s.text())),
            lines::FixedLabel::Verdict
        );
        lines::FixedLines::agreed(
            &lines::FixedLines::parse(&lines::own_lines(s.text())),
            lines::FixedLabel::Verdict,
            |text| synthesis::VerdictWord::read(text, &two())
        );
        Verdict::of_lines(&lines::FixedLines::parse(&lines::own_lines(s.text())));
        verdict::percent(s.text());
        verdict::after_percent(s.text());
        verdict::what_to_do(s.text());
        verdict::section(s.text(), "what to do");
        verdict::without_verdict(s.text());
        synthesis::VerdictWord::read(s.text(), &two());
        Synthesis::unread_verdict(&Synthesis::parse(s.text(), &two()), &two());
        Synthesis::lacks_rests_on(&Synthesis::parse(s.text(), &two()));
        Synthesis::parse(s.text(), &two());
        Synthesis::line_on(&Synthesis::parse(s.text(), &two()), a1());
        id::ids_in(s.text()).count();
        id::any_ids_in(s.text()).count();
        head::without_bullet(s.text());
        read::has_item(s.text(), Seat::Critic);
        Ledger::next_number(s.ledger(), Seat::Critic);
        verdicts::compose(&[a1()], &[s.text(), s.text()], &two());
        ranking::Ranking::read(&lines::own_lines(s.text()), Some(s.text()), &two());
        Synthesis::option_faults(&Synthesis::parse(s.text(), &two()), &two());
        ranking::Ranking::faults(&Synthesis::parse(s.text(), &two()).ranking, None, &two());
        Ledger::attacks_too_few(s.ledger());
        verdicts::rest_of(s.text());
        words::folded(s.text());
        words::quoted(s.text());
        words::occurrences(s.text(), "a").count();
        words::occurrences(s.text(), s.text()).count();
        words::first_sentence(s.text());
        words::strip(s.text(), s.text());
        words::strip_any(s.text(), &["a ", "b "]);
        reader::ground_of_grant(s.text());
        head::head(s.text());
        head::begins_with_id(s.text());
        head::after_ids(s.text());
        Ledger::from_replies(spoken(s), &two());
        Ledger::for_cue(spoken(s));
        Ledger::of_entries(s.entries(), &two());
        Ledger::of_entries(&crate::domain::transcript::parse(s.text()), &two());
        Ledger::checked(s.ledger().clone(), s.entries());
        Ledger::claim(s.ledger(), a1());
        Ledger::contradicted(s.ledger()).count();
        Ledger::open_against(s.ledger(), Seat::Critic).count();
        Ledger::counts(s.ledger());
        Ledger::is_settled_in(s.ledger(), 1, 2);
        Ledger::attacked(s.ledger(), Seat::Advocate).count();
        Ledger::doubts(s.ledger(), Seat::Advocate);
        Ledger::shortfall(s.ledger());
        Ledger::last_synthesis(s.ledger());
        findings::complete(&mut s.ledger().clone());
        findings::of_checks(&mut s.ledger().clone());
    ]
}

#[test]
fn reading_claims_and_moves_is_linear() {
    check(calls());
}
