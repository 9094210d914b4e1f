//! The calls of `ledger`.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

use crate::debate::{Alternatives, Seat};
use crate::ledger::*;
use crate::linear::slot;
use crate::linear::{Call, Sample, calls, check};

fn a1() -> Id {
    "A1".parse().unwrap()
}

/// The text as each of several replies.
fn replies(sample: &Sample) -> Vec<LedgerReply<'_>> {
    let places =
        [(Seat::Advocate, 1), (Seat::Critic, 1), (Seat::Advocate, 2), (Seat::Synthesizer, 2)];
    places.map(|(phase, round)| LedgerReply::new(slot(phase, round), 1, sample.text())).into()
}

/// A citation of these words.
fn cited(words: &str) -> Citation {
    Citation {
        path: words.to_owned(),
        line: Some(1),
        last_line: None,
        words: words.to_owned(),
        seen: None,
    }
}

fn sighting(path: &str) -> Sighting {
    Sighting { found: CitedWords::NotThere, path: path.to_owned(), line: None, commit: None }
}

/// The text inside a block.
fn block_with(sample: &Sample) -> String {
    format!("```anvil\n{}\n```", sample.text())
}

/// The text as the value of each of several lines.
fn values_of(sample: &Sample) -> String {
    let line = |key: &str| format!("{key} {}\n", sample.text().replace(['\n', '\r'], " "));
    let keys = ["verdict:", "confidence:", "rests on:", "change 1 (A1):", "1.", "A1 survived:"];
    format!("```anvil\n{}```", keys.map(line).concat())
}

fn read(sample: &Sample) -> Synthesis {
    Synthesis::parse(&block_with(sample), &two())
}

fn unknown_line(sample: &Sample) -> Finding {
    Finding { section: 0, fault: Fault::UnknownLine { line: sample.owned() } }
}

fn two() -> Alternatives {
    let names = vec!["do".to_owned(), "Redis".to_owned()];
    Alternatives {
        names,
        are_typed: true,
        motion: Some("do".to_owned()),
        last_round: Some(2),
        has_plan: true,
    }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        questions::question_of(s.text());
        questions::question_of(&format!("{}\n**Ask:** Why?", s.text()));
        questions::note_of_answer(s.text(), Some(s.text()));
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
        reader::Reader::read(reader::Reader::default(), replies(s), read::Depth::Whole);
        reader::Reader::read(reader::Reader::default(), replies(s), read::Depth::Heads);
        block::lines(s.text());
        block::lines(&block_with(s));
        block::lines(&values_of(s));
        block::inside(s.text());
        block::inside(&block_with(s));
        block::block_of(&block_with(s));
        block::place(&block_with(s));
        block::number(s.text());
        block::without_stop(s.text());
        prose::what_to_do(s.text());
        prose::plan_changes(s.text());
        prose::without_block(&block_with(s));
        Synthesis::parse(s.text(), &two());
        Synthesis::parse(&block_with(s), &two());
        Synthesis::parse(&values_of(s), &two());
        Synthesis::of_entries(s.entries(), &two());
        Synthesis::written(&values_of(s), Some(s.text()), false, &two());
        Synthesis::line_on(&read(s), a1());
        Synthesis::has_fault_on(&read(s), block::Key::Verdict);
        findings::other_motion(s.ledger(), &read(s));
        ledger_reply::spoken(s.entries()).count();
        id::any_ids_in(s.text()).count();
        head::without_bullet(s.text());
        read::has_item(s.text(), Seat::Critic);
        Ledger::next_number(s.ledger(), Seat::Critic);
        verdicts::compose(&[a1()], &[(s.text(), &values_of(s)), (s.text(), s.text())], &two());
        Verdict::new(&two(), Some(&read(s)));
        Verdict::headline(&Verdict::new(&two(), Some(&read(s))));
        Verdict::whole_headline(&Verdict::new(&two(), Some(&read(s))));
        Verdict::labelled(&Verdict::new(&two(), Some(&read(s))), Verdict::headline);
        Verdict::lines(&Verdict::new(&two(), Some(&read(s)))).count();
        Ledger::attacks_too_few(s.ledger());
        words::folded(s.text());
        words::quoted(s.text());
        words::pieces(s.text());
        words::occurrences(s.text(), "a").count();
        words::occurrences(s.text(), s.text()).count();
        words::first_sentence(s.text());
        words::strip(s.text(), s.text());
        citation::sightings(s.text());
        claim::citation(&format!("[evidence: a.rs \"{}", s.text()));
        Citation::parse(&format!(": a.rs \"{}", s.text()));
        BareText::new(s.text());
        BareText::line_of(&BareText::new(s.text()), s.text(), Some(1));
        Citation::look(&cited(s.text()), &BareText::new(s.text()));
        Citation::is_ambiguous(&cited(s.text()));
        Citation::rested(&cited(s.text()));
        checks::place(s.text());
        Sighting::words(&sighting(s.text()));
        Sighting::line_for(&sighting(s.text()), a1());
        Ledger::add_sighting(&mut s.ledger().clone(), a1(), sighting(s.text()), 9);
        Ledger::rested(s.ledger()).len();
        Ledger::cited_last(s.ledger()).count();
        words::strip_any(s.text(), &["a ", "b "]);
        head::head(s.text());
        head::begins_with_id(s.text());
        head::after_ids(s.text());
        Ledger::from_replies(replies(s), &two());
        Ledger::for_cue(replies(s));
        Ledger::of_entries(s.entries(), &two());
        Ledger::of_entries(&crate::transcript::parse(s.text()), &two());
        Ledger::checked(s.ledger().clone(), s.entries());
        Ledger::claim(s.ledger(), a1());
        Ledger::contradicted(s.ledger()).count();
        Ledger::open_against(s.ledger(), Seat::Critic).count();
        Ledger::counts(s.ledger());
        Ledger::is_settled_in(s.ledger(), 1, 2);
        Ledger::attacked(s.ledger(), Seat::Advocate).count();
        Ledger::doubts(s.ledger(), Seat::Advocate);
        Ledger::faults_of_block(s.ledger());
        Fault::row(&Fault::UnknownLine { line: s.owned() }, s.text());
        Fault::row(&Fault::OtherFirst { name: s.owned() }, s.text());
        Finding::about(&unknown_line(s));
        Finding::is_shown(&unknown_line(s));
        Ground::parse(s.text());
        Ledger::add_faults_of(&mut s.ledger().clone(), &read(s));
        Ledger::verdict(s.ledger());
        Ledger::decision(s.ledger());
        Ledger::confidence(s.ledger());
        Ledger::last_synthesis(s.ledger());
        findings::complete(&mut s.ledger().clone());
        findings::of_checks(&mut s.ledger().clone());
    ]
}

#[test]
fn reading_claims_and_moves_is_linear() {
    check(calls());
}
