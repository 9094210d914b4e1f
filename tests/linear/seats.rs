use super::*;
use crate::debate::{FactCheck, Phase};
use crate::linear::sample::slot;
use crate::linear::{Call, Sample, calls, check};
use crate::prompt::{self, Ask, Cue, Read, Why};
use crate::state::FailureKind;

fn printed(sample: &Sample, code: i32) -> Printed<'_> {
    Printed { code: Some(code), output: sample.text().as_bytes(), complaints: sample.text().as_bytes() }
}

fn cue(sample: &Sample) -> Cue {
    let ask = Ask { why: Why::Turn, read: Read::Nothing, steering: None, ledger: sample.ledger() };
    prompt::cue(sample.debate(), std::path::Path::new("/a"), &ask)
}

fn shown(sample: &Sample, phase: Phase, most: usize) -> crate::error::Result<String> {
    let debate = sample.debate_at(phase, 1);
    let (cue, before) = (cue(sample), Some(sample.text()));
    let shown = Shown {
        debate: &debate,
        entries: sample.entries(),
        ledger: sample.ledger(),
        cue: &cue,
        before,
        in_project: false,
        is_alone: false,
    };
    shown::prompt(&shown, most)
}

fn own(sample: &Sample) -> OwnAgent {
    OwnAgent { name: sample.owned(), base: sample.owned(), ..OwnAgent::default() }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        heads::heads(slot(Phase::Critic, 1), s.text());
        heads::heads(slot(Phase::Synthesizer, 1), s.text());
        printed::Failure::new(FailureKind::Empty, s.text());
        printed::by_code(&printed(s, 1));
        agent::parse(s.text(), &[own(s)], false);
        agent::parse(&format!("cmd:{}", s.text()), &[], false);
        agent::checker(s.text(), &[own(s)], FactCheck::Files, true);
        answer::answer(Output::Text, &printed(s, 0));
        answer::answer(Output::Llm, &printed(s, 0));
        answer::answer(Output::Gemini, &printed(s, 0));
        answer::answer(Output::Gemini, &printed(s, 1));
        answer::words_so_far(Output::Claude, s.text().as_bytes());
        answer::words_so_far(Output::Text, s.text().as_bytes());
        codex::answer(&printed(s, 0));
        codex::answer(&printed(s, 1));
        claude::answer(&printed(s, 0));
        claude::answer(&printed(s, 1));
        claude::words_so_far(s.text().as_bytes());
        tokens(s.text());
        fact_check::check_prompt(s.text(), &[(&s.ledger().claims[0], s.owned())], FactCheck::Web, true);
    ]
}

#[test]
fn what_a_seat_is_shown_and_what_it_prints_takes_time_by_its_length() {
    check(&calls());
}
