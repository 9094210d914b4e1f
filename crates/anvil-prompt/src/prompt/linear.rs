//! The calls of `prompt`.

use crate::linear::{Call, Sample, calls, check};
use crate::prompt::*;
use anvil_core::debate::{FactCheck, Seat};

fn ask(sample: &Sample) -> Ask<'_> {
    Ask {
        why: Why::Steered,
        read: Read::Nothing,
        steering: Some(sample.text()),
        ledger: sample.ledger(),
    }
}

fn cue_of(sample: &Sample) -> Cue {
    cue(sample.debate(), Path::new("/a"), &ask(sample))
}

fn shown_to<'a>(sample: &'a Sample, cue: &'a Cue) -> PromptParts<'a> {
    let debate = sample.debate();
    let entries = sample.entries();
    let ledger = sample.ledger();
    let before = Some(sample.text());
    PromptParts { debate, entries, ledger, cue, before, in_project: false, is_alone: false }
}

/// The material of a seat, from a debate and a cue that live as long as the call.
fn shown<'a>(
    sample: &'a Sample,
    debate: &'a anvil_core::debate::Debate,
    cue: &'a Cue,
) -> PromptParts<'a> {
    let entries = sample.entries();
    let ledger = sample.ledger();
    let before = Some(sample.text());
    PromptParts { debate, entries, ledger, cue, before, in_project: false, is_alone: false }
}

pub(crate) fn calls() -> Vec<Call> {
    calls![s =>
        shown::prompt(&shown(s, &s.debate_at(Seat::Critic, 1), &cue_of(s)), 1_000_000);
        shown::prompt(&shown(s, &s.debate_at(Seat::Synthesizer, 1), &cue_of(s)), 3_000);
        sheet::sheet(&shown(s, &s.debate_at(Seat::Synthesizer, 1), &cue_of(s)));
        replies::Sides::for_judge(s.debate());
        fact_check::check_prompt(
            s.text(),
            &[(&s.ledger().claims[0], s.owned())],
            FactCheck::Web,
            true
        );
        cue::cue(&s.debate_at(Seat::Critic, 2), Path::new("/a"), &ask(s));
        cue::cue(s.debate(), Path::new(s.text()), &ask(s));
        protocol::opening(s.debate(), s.text(), Path::new("/a"), &cue_of(s));
        protocol::check_room(s.debate());
        headings::missing_headings(s.debate(), s.text());
        texts::conditions(s.debate(), s.text());
        texts::lens(s.debate(), true);
        texts::rules(s.debate(), None, true);
        texts::role(s.debate());
        texts::order(s.debate());
        texts::roles(s.debate(), s.text());
        texts::voices(s.debate(), 100);
        standing::standing(&s.debate_at(Seat::Critic, 2), s.ledger(), 400);
        standing::open_against(s.ledger(), Seat::Critic, 100);
        Next::for_seat(Seat::Critic, s.ledger());
        conclusion(s.text());
        quoted_lines(s.text(), 1_000);
        texts::course(s.debate());
        texts::opened_again(2, s.text(), s.text());
        replies::quoted_part(s.text(), 100);
        replies::replies_for(Seat::Critic, s.entries(), true).len();
        replies::shown_replies(
            &replies::replies_for(Seat::Critic, s.entries(), false),
            s.entries(),
            None,
            1_000
        );
        shown::material(&shown_to(s, &cue_of(s)), 1_000);
        again::wrong_in_block(s.ledger(), 1_000);
        again::unmade(s.text(), &[s.owned()], 1_000);

        shown::position(s.debate());
        shown::known_motion(&shown_to(s, &cue_of(s)));
        protocol::motion(s.debate(), Some(s.text()), s.text());
        shown::ground(&s.ledger().claims[0]);
        shown::task_now(&shown_to(s, &cue_of(s)));
        without_gaps(s.owned());
        filled("{a}", |_| Some(s.owned()));
        quoted(s.text());
    ]
}

#[test]
fn prompts_are_linear_in_their_texts() {
    check(calls());
}
