//! The list of claims: each sentence in its round, with its result, and the stances of the voices.

use maud::{Markup, html};

use super::words::words;
use crate::domain::debate::Seat;
use crate::report::model::Argument;
use crate::report::model::Model;
use crate::report::model::Stance;
use crate::report::model::considered::Considered;
use crate::report::signs::{self, Sign};
use crate::text;

/// A round, or one voice.
struct Row {
    cycle: u32,
    round: u8,
    /// The sections of the advocate and the critic, or of one voice.
    cells: Cells,
}

enum Cells {
    Seats([Option<usize>; 2]),
    Voice(usize),
}

/// `None` if the list would be empty.
pub(crate) fn list(model: &Model) -> Option<Markup> {
    let rows = rows(model);
    let has_voices = rows.iter().any(|row| matches!(row.cells, Cells::Voice(_)));
    if !has_voices && model.arguments.is_empty() {
        return None;
    }
    Some(html! {
        (counts(model))
        @if has_voices && model.considered.is_empty() { (stances(model)) }
        @if model.considered.is_empty() {
            @for row in &rows {
                @let cycle = (model.options.cycles > 1).then(|| format!("Cycle {}: ", row.cycle));
                @match row.cells {
                    Cells::Seats(sides) => {
                        @if sides.iter().flatten().any(|section| has_claims(model, *section)) {
                            h3 { @if let Some(cycle) = cycle { (cycle) } "Round " (row.round) }
                            div class="pair" {
                                @for (seat, section) in ["Advocate", "Critic"].into_iter().zip(sides) {
                                    div {
                                        h4 { (seat) }
                                        @if let Some(section) = section { (lines(model, section)) }
                                    }
                                }
                            }
                        }
                    }
                    Cells::Voice(section) => {
                        h3 {
                            @if let Some(cycle) = cycle { (cycle) }
                            a href={"#reply-" (section + 1)} {
                                (text::clean(&model.title(section), 60))
                            }
                            " " @let Sign { mark, word, class } =
                                Stance::sign(model.sections[section].stance);
                            span class={"stance " (class)} { (mark) " " (word) }
                        }
                        (lines(model, section))
                    }
                }
            }
        } @else {
            (options(model))
        }
    })
}

/// The number of claims with each result: the legend of the signs.
fn counts(model: &Model) -> Markup {
    let all: Vec<Sign> = model.arguments.iter().map(|argument| model.sign(argument)).collect();
    let count = |sign: Sign| all.iter().filter(|other| **other == sign).count();
    let counted = signs::all(&model.ledger).into_iter().map(|sign| (sign, count(sign)));
    let counted: Vec<_> = counted.filter(|(_, count)| *count > 0).collect();
    html! {
        @if !counted.is_empty() {
            p class="counts" {
                @for (at, (Sign { mark, word, class }, count)) in counted.into_iter().enumerate() {
                    @if at > 0 { " · " }
                    b class={"sign " (class)} { (mark) } "\u{a0}" (count) "\u{a0}" (word)
                }
            }
        }
    }
}

/// The number of voices with each stance, in the last cycle with voices.
fn stances(model: &Model) -> Markup {
    let spoke = || model.sections.iter().filter(|part| part.has_own_side);
    let last = spoke().map(|part| part.cycle).max();
    let last: Vec<Option<Stance>> =
        spoke().filter(|part| Some(part.cycle) == last).map(|part| part.stance).collect();
    html! {
        ul class="stances" aria-label="Who stands where" {
            @for stance in Stance::ALL.into_iter().map(Some).chain([None]) {
                @let count = last.iter().filter(|other| **other == stance).count();
                @if count > 0 {
                    @let Sign { mark, word, class } = Stance::sign(stance);
                    li class={"stance " (class)} { (mark) " " (word) ": " (count) }
                }
            }
        }
    }
}

fn has_claims(model: &Model, section: usize) -> bool {
    model.arguments.iter().any(|argument| argument.section == section)
}

/// The claims of a reply, one line each, with links to their threads.
fn lines(model: &Model, section: usize) -> Markup {
    if !has_claims(model, section) {
        return html! { p class="quiet" { "no numbered claim" } };
    }
    items(model, |argument| argument.section == section)
}

fn items(model: &Model, is_own: impl Fn(&Argument) -> bool) -> Markup {
    html! {
        ul class="lines" {
            @for argument in model.arguments.iter().filter(|argument| is_own(argument)) {
                @let Sign { mark, word, class } = model.sign(argument);
                li id={"claim-" (argument.id)} {
                    a href={"#thread-" (argument.id)} {
                        b class={"sign " (class)} {
                            span role="img" aria-label=(word) { (mark) } " " (argument.id)
                        }
                        " " span { (words(&argument.claim)) }
                    }
                }
            }
        }
    }
}

/// A column for each option: its line of the synthesis, the claims of its seat, and those against.
fn options(model: &Model) -> Markup {
    let ledger = &model.ledger;
    let is_of_other = |argument: &Argument| {
        model.considered.iter().all(|option| option.seat != argument.id.seat())
    };
    html! {
        div class="columns" {
            @for Considered { name, seat, place, line, cons, .. } in &model.considered {
                div {
                    h3 {
                        @if let Some(place) = place { (place) ". " }
                        (text::clean(name, 60))
                    }
                    @if let Some(line) = line { p class="quiet" { (words(line)) } }
                    (items(model, |argument| argument.id.seat() == *seat))
                    @if !cons.is_empty() {
                        p class="quiet" {
                            "Against it:"
                            @for id in cons.iter().filter(|id| ledger.claim(**id).is_some()) {
                                " " a href={"#thread-" (id)} { (id) }
                            }
                        }
                    }
                }
            }
        }
        @if model.arguments.iter().any(is_of_other) { (items(model, is_of_other)) }
    }
}

fn rows(model: &Model) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (section, part) in model.sections.iter().enumerate() {
        let row = |cells| Row { cycle: part.cycle, round: part.round, cells };
        let at = match part.of.seat {
            Seat::Synthesizer | Seat::Judge(_) => continue,
            Seat::Advocate => 0,
            Seat::Critic => 1,
            Seat::Voice(_) => {
                rows.push(row(Cells::Voice(section)));
                continue;
            }
        };
        let open = rows.last_mut().filter(|row| (row.cycle, row.round) == (part.cycle, part.round));
        if let Some(Row { cells: Cells::Seats(sides), .. }) = open
            && sides[at].is_none()
        {
            sides[at] = Some(section);
        } else {
            let mut sides = [None, None];
            sides[at] = Some(section);
            rows.push(row(Cells::Seats(sides)));
        }
    }
    rows
}
