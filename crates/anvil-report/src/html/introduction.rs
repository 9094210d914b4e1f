//! How to read a page, and how its debate came about, for a reader who has never seen one.

use std::collections::HashSet;

use maud::{Markup, html};

use super::asides::judges;
use super::claims::ClaimLinks;
use super::words::visible_text;
use crate::model::{Model, SideNote};
use anvil_core::debate::Status;
use anvil_core::ledger::ClaimResult;
use anvil_core::options::Mode;
use anvil_core::place::Seat;
use anvil_core::transcript::NoteKind;
use anvil_text::{clean, number_of};

/// The seats and their sides, the letters of the claims, the words for their results, and whose
/// estimate the confidence is.
pub(crate) fn how_to_read(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let text = if model.sections.is_empty() {
        "It has no replies yet.".to_owned()
    } else {
        format!("How to read this: {} {}", sides(model), result_words(model))
    };
    html! { p class="intro" { (claims.before(usize::MAX).write(text.trim_end(), false)) } }
}

/// The seats with their sides, and the letters of their claims.
fn sides(model: &Model) -> String {
    let options = &model.options;
    let rounds = match options.done {
        0 => String::new(),
        1 => " for one round".to_owned(),
        2 => " for two rounds".to_owned(),
        3 => " for three rounds".to_owned(),
        rounds => format!(" for {rounds} rounds"),
    };
    let names: Vec<String> = options.voices.iter().map(|name| clean(name, 60)).collect();
    if model.revised.is_some() {
        return format!(
            "a critic objected to a document, and an advocate could change it{rounds}. C claims \
             are objections. The question is whether to accept the document as it stands."
        );
    }
    if options.takes_turns {
        let has_attacks = model.sections.iter().any(|part| part.of.is_attack());
        let (what, stands) = match (model.considered.is_empty(), has_attacks) {
            (true, _) => ("spoke one after the other, each for its own side", "voice that made it"),
            (false, true) => {
                ("argued for an option each, then against the others", "option that it is for")
            }
            (false, false) => ("argued for an option each", "option that it is for"),
        };
        let voices = number_of(options.done.into(), "voice", "voices");
        return format!("{voices} {what}. Each claim stands with the {stands}.");
    }
    if let ([first, second], false) = (names.as_slice(), model.considered.is_empty()) {
        return format!(
            "two seats argued{rounds}, each for one option. A claims are for {first}, C claims for \
             {second}."
        );
    }
    let (a_by, c_by) = match names.as_slice() {
        [critic] => (String::new(), format!(" ({critic})")),
        [advocate, critic] => (format!(" ({advocate})"), format!(" ({critic})")),
        _ => (String::new(), String::new()),
    };
    let (what, a, c) = match model.standing.motion() {
        _ if options.mode == Mode::DevilsAdvocate.word() => {
            ("the position of the person who asked".to_owned(), "against it", "for it")
        }
        Some(motion) => {
            let motion = clean(motion, 200);
            (format!("the motion “{motion}”"), "for it", "against it")
        }
        None => ("the question".to_owned(), "its case", "the objections to that"),
    };
    let has_claims = |seat| model.arguments.iter().any(|claim| claim.id.seat() == seat);
    let a = if has_claims(Seat::Advocate) {
        format!("A claims, the advocate's{a_by}, are {a}")
    } else {
        format!("The advocate{a_by} made no claim")
    };
    let c = if has_claims(Seat::Critic) {
        format!("C claims, the critic's{c_by}, are {c}")
    } else {
        format!("the critic{c_by} made no claim")
    };
    format!("two seats argued {what}{rounds}. {a}; {c}.")
}

/// The result words that this page uses, and whose estimate its confidence is.
fn result_words(model: &Model) -> String {
    if model.ledger.synthesis.is_none() {
        return String::new();
    }
    let words: Vec<&str> = [
        (ClaimResult::Survived, "survived (it stands, which is no proof)"),
        (ClaimResult::Weakened, "was weakened (a part of it stands)"),
        (ClaimResult::Fell, "fell (it was refuted or given up)"),
    ]
    .into_iter()
    .filter(|(result, _)| {
        model.arguments.iter().any(|one| one.answered && one.result == Some(*result))
    })
    .map(|(_, meaning)| meaning)
    .collect();
    let sentence = match words.split_last() {
        None => String::new(),
        Some((last, [])) => format!("According to the synthesis a claim {last}."),
        Some((last, first)) => {
            format!("According to the synthesis a claim {} or {last}.", first.join(", "))
        }
    };
    let unanswered = if model.arguments.iter().any(|one| !one.answered) {
        " Unanswered means that no other seat had a turn to reply."
    } else {
        ""
    };
    let sure = model.verdict().and_then(|verdict| Some((verdict.confidence?, verdict.judges)));
    let sure = sure.map(|(percent, judges)| {
        let whose = if judges.is_some() { "judges'" } else { "synthesizer's" };
        format!(" “{percent}% sure” is the {whose} own estimate.")
    });
    let rests = model.verdict().and_then(|verdict| verdict.rests_on.as_ref());
    let rests = rests.filter(|ids| !ids.is_empty());
    let rests =
        rests.map_or("", |_| " The verdict stands or falls with the claims that it rests on.");
    format!("{sentence}{unanswered}{rests}{}", sure.unwrap_or_default())
}

/// How the debate came about: one line that opens.
pub(crate) fn course(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let setting = model.setting.map(|setting| format!(": {setting}")).unwrap_or_default();
    html! {
        details class="course" {
            summary { "How it came about" (setting) }
            p { (person(model)) " " (rounds(model)) }
            @for (title, note) in words_outside_threads(model) {
                p {
                    (title) ": "
                    (claims.before(note.before).write(&clean(&note.text, 300), false))
                }
            }
            p { (visible_text(&model.about().join(" · "))) }
            @for opening in &model.cycles {
                p {
                    "Cycle " (opening.cycle) " asked: "
                    (claims.before(0).write(&clean(&opening.text, 300), false))
                }
            }
            @if let Some(table) = judges(model) { (table) }
        }
    }
}

/// The person's words before a reply without claims and moves. The threads show all others.
fn words_outside_threads(model: &Model) -> Vec<(String, &SideNote)> {
    let in_threads: HashSet<usize> = model
        .arguments
        .iter()
        .map(|one| one.section)
        .chain(model.ledger.moves.iter().map(|made| made.section))
        .collect();
    (0..=model.sections.len())
        .filter(|section| !in_threads.contains(section))
        .flat_map(|section| model.asides_before(section))
        .filter(|(_, note)| note.is_by_person && note.of.is_from_person())
        .collect()
}

/// `The person who asked directed it twice and answered 1 question.`
fn person(model: &Model) -> String {
    let directed = match notes_by_person(model, NoteKind::Steering) {
        0 => None,
        1 => Some("directed it once".to_owned()),
        2 => Some("directed it twice".to_owned()),
        count => Some(format!("directed it {count} times")),
    };
    let mut did: Vec<String> = directed.into_iter().collect();
    for (kind, verb, one, many) in [
        (NoteKind::Answer, "answered", "question", "questions"),
        (NoteKind::Noted, "noted", "fact", "facts"),
    ] {
        let count = notes_by_person(model, kind);
        if count > 0 {
            did.push(format!("{verb} {}", number_of(count, one, many)));
        }
    }
    match did.split_last() {
        None if model.options.cycles > 1 => String::new(),
        None => "It got no directions.".to_owned(),
        Some((last, [])) => format!("The person who asked {last}."),
        Some((last, first)) => format!("The person who asked {} and {last}.", first.join(", ")),
    }
}

/// The number of the person's notes of a kind. A question that was passed over has no paragraph
/// below it and does not count.
fn notes_by_person(model: &Model, kind: NoteKind) -> usize {
    let notes = model.notes.iter().filter(|note| note.of == kind && note.is_by_person);
    notes.filter(|note| kind != NoteKind::Answer || note.text.contains("\n\n")).count()
}

/// `Both rounds were argued.`, `It ended early, after 2 of 4 rounds.`
fn rounds(model: &Model) -> String {
    let done = model.options.done;
    let planned = model.options.planned;
    let cycle = match model.options.cycles {
        1 => String::new(),
        cycle => format!("In cycle {cycle}: "),
    };
    if model.options.takes_turns {
        return format!("{cycle}{done} of {} spoke.", number_of(planned.into(), "voice", "voices"));
    }
    let all = number_of(planned.into(), "round", "rounds");
    let what = match (done, planned) {
        (1, 1) => "The one round was argued.".to_owned(),
        (2, 2) => "Both rounds were argued.".to_owned(),
        (done, planned) if done >= planned => format!("All {done} rounds were argued."),
        (done, _) if model.status == Status::Completed => {
            format!("It ended early, after {done} of {all}.")
        }
        (done, _) => format!("{done} of {all} so far."),
    };
    format!("{cycle}{what}")
}
