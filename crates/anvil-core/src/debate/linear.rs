//! The calls of `debate`.

use crate::debate::*;
use crate::linear::NOW;
use crate::linear::{Call, Sample, calls, check};

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        Debate::new(s.owned(), s.owned(), 3, NOW);
        Debate::claim(&mut s.debate().clone(), s.text(), Some(s.text()), NOW);
        Debate::pause(&mut s.debate().clone(), s.text(), NOW);
        Debate::fail(&mut s.debate().clone(), s.text());
        Debate::cancel(&mut s.debate().clone(), s.text(), NOW);
        Debate::label_with(s.debate(), s.text());
        Debate::label(&Debate::new(s.owned(), s.owned(), 3, NOW));
        Debate::steer(&mut s.debate().clone(), s.owned());
        Debate::take_steering(&mut s.debate().clone());
        Debate::reword_detail(&mut s.debate().clone(), |_| s.owned());
        Debate::assign_to(&mut s.debate().clone(), Some(s.owned()));
        Debate::enter_turn(&mut s.debate().clone(), Some(s.text()));
        Debate::is_owned_by(s.debate(), s.text());
        question::asked(s.text());
        question::is_statement(s.text());
        question::sentences(s.text());
        question::bare_sentence(s.text());
        question::Inversion::parse(s.text());
        question::Inversion::subject(&question::Inversion { modal: "do", is_negated: false, after: s.text() });
        question::without_leaning(s.text());
        question::without_openers(s.text());
        motion::of_question(s.text());
        motion::is_of_question(s.text(), s.text());
        motion::is_stance(s.text(), s.text());
        motion::of_reply(s.text());
        motion::one_line(s.text());
        motion::is_other(s.text(), s.text());
        motion::is_open_question(s.text());
        Debate::argues_position(s.debate());
        Debate::renew_motion(&mut s.debate().clone(), s.debate());
        Debate::drop_lost_motion(&mut s.debate().clone(), Some(s.text()), Some(s.owned()));
        Debate::motion(s.debate());
        Debate::own_motion(s.debate());
        schedule::Mode::named(s.text());
        schedule::Mode::written(s.text(), true);
        alternatives::bare(s.text());
        Alternatives::in_question(s.text());
        Alternatives::named(&Alternatives { names: vec![s.owned(), s.owned()], are_typed: true, ..Alternatives::default() }, s.text());
        Debate::alternatives(s.debate());
        Debate::seats_of_options(s.debate()).count();
        schedule::Boundary::from_word(s.text());
        options::FactCheck::from_word(s.text());
        Status::from_word(s.text());
        Debate::place_label(s.debate());
        Debate::label_of(s.debate(), s.debate().progress.place);
        Debate::place_name(s.debate());
        Debate::phase(s.debate());
        phase::place_of(s.text(), 1);
        DebateOption::read(DebateOption::Motion, s.text());
    ]
}

#[test]
fn a_debate_is_linear_in_its_texts() {
    check(calls());
}
