//! How to read a page, and how its debate came about, for somebody who has never seen one.

use maud::{Markup, html};

use super::asides::{day, judges};
use super::claims::Claims;
use super::words::shown;
use crate::domain::debate::{Mode, Status};
use crate::domain::ledger::ClaimResult;
use crate::domain::transcript::Kind;
use crate::report::authored::authored;
use crate::report::model::Model;
use crate::text::{clean, number_of};

/// Three sentences: who argued for what, whose claims are whose, and what became of them.
pub(crate) fn how_to_read(model: &Model, claims: &Claims<'_>) -> Markup {
    let text = format!("{} {}", sides(model), became(model));
    html! { p class="intro" { "How to read this: " (claims.before(usize::MAX).write(&text, false)) } }
}

/// Who argued for what, and whose claims are whose.
fn sides(model: &Model) -> String {
    let options = &model.options;
    let rounds = match options.rounds {
        1 => "one round".to_owned(),
        2 => "two rounds".to_owned(),
        3 => "three rounds".to_owned(),
        rounds => format!("{rounds} rounds"),
    };
    let names: Vec<String> = options.voices.iter().map(|name| clean(name, 60)).collect();
    if model.revised.is_some() {
        return format!(
            "a critic objected to a document, and an advocate changed it, in {rounds}. C claims \
             are objections. The question is whether to accept the document as it stands."
        );
    }
    if options.takes_turns {
        let (what, stands) = if model.considered.is_empty() {
            ("voices spoke one after the other, each for its own side", "voice that made it")
        } else {
            ("seats argued for an option each, then against the others", "option that it is for")
        };
        return format!("{} {what}. Each claim stands with the {stands}.", names.len());
    }
    if let ([first, second], false) = (names.as_slice(), model.considered.is_empty()) {
        return format!(
            "two seats argued for {rounds}, each for one option. A claims are by {first}, C claims \
             by {second}."
        );
    }
    let (what, a, c) = match &model.verdict.motion {
        _ if options.mode == Mode::DevilsAdvocate.word() => {
            ("the position of the person who asked".to_owned(), "against it", "for it")
        }
        Some(motion) => (format!("the motion “{}”", clean(motion, 200)), "for it", "against it"),
        None => ("the question".to_owned(), "for it", "against it"),
    };
    let (a_by, c_by) = match names.as_slice() {
        [critic] => (String::new(), format!(" ({critic})")),
        [advocate, critic] => (format!(" ({advocate})"), format!(" ({critic})")),
        _ => (String::new(), String::new()),
    };
    format!(
        "two seats argued {what} for {rounds}. A claims, the advocate's{a_by}, are {a}; C claims, \
         the critic's{c_by}, are {c}."
    )
}

/// The words after the claims, as far as a claim has one of them.
fn became(model: &Model) -> String {
    let is_judged = model.ledger.synthesis.is_some();
    let has = |result: &ClaimResult| {
        model.arguments.iter().any(|one| one.answered && one.result == Some(*result))
    };
    let words = [ClaimResult::Survived, ClaimResult::Weakened, ClaimResult::Fell];
    let words: Vec<&str> = words.into_iter().filter(has).map(ClaimResult::word).collect();
    let said = match words.split_last() {
        None => String::new(),
        Some((last, [])) => format!(": {last} says what became of it"),
        Some((last, first)) => format!(": {} and {last} say what became of it", first.join(", ")),
    };
    let unanswered = if is_judged && model.arguments.iter().any(|one| !one.answered) {
        "; unanswered, that nobody had a turn to reply"
    } else {
        ""
    };
    format!("Each claim was open to attack{said}{unanswered}.")
}

/// How the debate came about: one closed line, and what is behind it.
pub(crate) fn course(model: &Model, claims: &Claims<'_>) -> Markup {
    let whole = authored(&model.authors).unwrap_or_else(|| "argued with Anvil".to_owned());
    let whole = whole.replacen("Argued", "argued", 1).replacen("Judged", "judged", 1);
    let place = if model.is_apart() { "each seat apart" } else { "in one conversation" };
    html! {
        details class="course" {
            summary { "How it came about: " (shown(&whole)) ", " (place) ", " (day(model)) }
            p { (person(model)) " " (rounds(model)) }
            p { (shown(&model.about().join(" · "))) }
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

/// `The person who asked directed it 2 times and answered 1 question.`
fn person(model: &Model) -> String {
    let count = |kind| model.notes.iter().filter(|note| note.is_of_person(kind)).count();
    let did: Vec<String> = [
        (count(Kind::Steering), "directed it", "time", "times"),
        (count(Kind::Answer), "answered", "question", "questions"),
        (count(Kind::Noted), "noted", "fact", "facts"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, what, one, many)| format!("{what} {}", number_of(count, one, many)))
    .collect();
    match did.split_last() {
        None => "Nobody directed it.".to_owned(),
        Some((last, [])) => format!("The person who asked {last}."),
        Some((last, first)) => format!("The person who asked {} and {last}.", first.join(", ")),
    }
}

/// `Both rounds were argued.`, `It ended early, after 2 of 4 rounds.`
fn rounds(model: &Model) -> String {
    let (done, planned) = (model.options.rounds, model.options.planned);
    if model.options.takes_turns {
        let voices = number_of(planned.into(), "voice", "voices");
        return format!("{done} of {voices} spoke.");
    }
    let all = number_of(planned.into(), "round", "rounds");
    match (done, planned) {
        (2, 2) => "Both rounds were argued.".to_owned(),
        (done, planned) if done < planned && model.status == Status::Completed => {
            format!("It ended early, after {done} of {all}.")
        }
        (done, planned) if done < planned => format!("{done} of {all} so far."),
        (done, _) => format!("{} argued.", number_of(done.into(), "round was", "rounds were")),
    }
}
