//! The calls of `agents`.

use crate::agents::*;
use crate::linear::slot;
use crate::linear::{Call, Sample, calls, check};
use anvil_core::attempt::FailureKind;
use anvil_core::debate::{FactCheck, Seat};

fn printed(sample: &Sample, code: i32) -> Printed<'_> {
    Printed { code: Some(code), output: sample.text().as_bytes(), stderr: sample.text().as_bytes() }
}

fn own(sample: &Sample) -> OwnAgent {
    OwnAgent { name: sample.owned(), base: sample.owned(), ..OwnAgent::default() }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        heads::heads(slot(Seat::Critic, 1), s.text());
        heads::heads(slot(Seat::Synthesizer, 1), s.text());
        printed::Failure::new(FailureKind::Empty, s.text());
        printed::by_code(&printed(s, 1));
        printed::misshapen(&printed(s, 1), s.text());
        agent::parse(s.text(), &[own(s)], false);
        agent::parse(&format!("cmd:{}", s.text()), &[], false);
        agent::parse_list(s.text(), &[own(s)], false);
        agent::is_script(s.text());
        agent::checker(s.text(), &[own(s)], FactCheck::Files, true);
        answer::answer(OutputFormat::Text, &printed(s, 0));
        answer::answer(OutputFormat::Llm, &printed(s, 0));
        answer::answer(OutputFormat::Gemini, &printed(s, 0));
        answer::answer(OutputFormat::Gemini, &printed(s, 1));
        answer::words_so_far(OutputFormat::Claude, s.text().as_bytes());
        answer::words_so_far(OutputFormat::Text, s.text().as_bytes());
        codex::answer(&printed(s, 0));
        codex::answer(&printed(s, 1));
        claude::answer(&printed(s, 0));
        claude::answer(&printed(s, 1));
        claude::words_so_far(s.text().as_bytes());
        claude::kind_of_api_error(s.text());
        claude::brief_api_error(s.text());
    ]
}

#[test]
fn input_and_output_of_a_seat_are_linear() {
    check(calls());
}
