//! The claims: each once, in the column of its side, with its thread: the ground, the moves on it
//! in the order of the debate, and its result.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use maud::{Markup, PreEscaped, html};

use super::claims::{ClaimLinks, KnownClaims, seat_and_round};
use super::rich::rich;
use super::words::words;
use crate::checked;
use crate::model::{
    Argument, Model, Stance, considered::Considered, judges::differing, part::ReportPart,
};
use crate::signs::{self, Sign};
use anvil_core::ledger::{Id, Move, MoveKind};
use anvil_core::place::Seat;
use anvil_text::clean;

/// Longest direction of the person in a thread, in characters.
const MAX_DIRECTION: usize = 300;

/// The claims of a side.
struct Column {
    title: String,
    stance: Option<Sign>,
    /// The line of the synthesis about an option.
    line: Option<String>,
    seat: Option<Seat>,
}

impl Column {
    fn new(title: &str, seat: Option<Seat>) -> Self {
        Self { title: title.to_owned(), stance: None, line: None, seat }
    }
}

/// The facts of the whole debate that each thread needs.
struct Threads<'a> {
    model: &'a Model,
    claims: &'a ClaimLinks<'a>,
    moves: HashMap<Id, Vec<&'a Move>>,
    differing: HashMap<Id, String>,
    /// The replies before which the person's directions are shown already.
    shown: RefCell<HashSet<usize>>,
}

pub(crate) fn threads(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let mut moves: HashMap<Id, Vec<&Move>> = HashMap::new();
    for made in &model.ledger.moves {
        moves.entry(made.target).or_default().push(made);
    }
    let shown = RefCell::default();
    let all = Threads { model, claims, moves, differing: differing(model), shown };
    let columns = columns(model);
    html! {
        @if model.arguments.is_empty() { p class="quiet" { "No claim has a number." } }
        (counts(model))
        (stances(model))
        div class="columns" {
            @for column in &columns {
                @let arguments: Vec<&Argument> =
                    arguments_of(model, &columns, column);
                @if !arguments.is_empty() || column.stance.is_some() || column.line.is_some() {
                    div {
                        h3 {
                            (column.title)
                            @if let Some(Sign { mark, word, class }) = column.stance {
                                " " span class={"stance " (class)} { (mark) " " (word) }
                            }
                        }
                        @if let Some(line) = &column.line { p class="quiet" { (words(line)) } }
                        @for argument in arguments { (all.thread(argument)) }
                    }
                }
            }
        }
    }
}

/// The claims of a column's seat. The column without a seat has the claims of all other seats.
fn arguments_of<'a>(model: &'a Model, columns: &[Column], column: &Column) -> Vec<&'a Argument> {
    let mut arguments: Vec<&Argument> = model.arguments.iter().collect();
    arguments.retain(|argument| match column.seat {
        Some(seat) => argument.id.seat() == seat,
        None => columns.iter().all(|other| other.seat != Some(argument.id.seat())),
    });
    arguments
}

/// The sides in the order that helps a reader: options by their rank.
fn columns(model: &Model) -> Vec<Column> {
    let others = Column::new("By another seat", None);
    if !model.considered.is_empty() {
        let mut ranked: Vec<&Considered> = model.considered.iter().collect();
        ranked.sort_by_key(|option| option.place.unwrap_or(usize::MAX));
        let mut columns = Vec::new();
        for Considered { name, seat, place, line, .. } in ranked {
            let place = place.map(|place| format!("{place}. ")).unwrap_or_default();
            let title = format!("{place}{}", clean(name, 60));
            columns.push(Column { line: line.clone(), ..Column::new(&title, Some(*seat)) });
        }
        columns.push(others);
        return columns;
    }
    if !model.options.takes_turns {
        let advocate = Column::new("Advocate", Some(Seat::Advocate));
        return vec![advocate, Column::new("Critic", Some(Seat::Critic)), others];
    }
    let mut columns: Vec<Column> = Vec::new();
    for (section, part) in
        model.sections.iter().enumerate().filter(|(_, part)| part.of.seat.is_voice())
    {
        let seat = Some(part.of.seat);
        let stance = Some(Stance::sign(part.stance));
        if let Some(column) = columns.iter_mut().find(|column| column.seat == seat) {
            column.stance = stance;
        } else {
            let title = clean(&model.title(section), 60);
            columns.push(Column { stance, ..Column::new(&title, seat) });
        }
    }
    columns.push(others);
    columns
}

/// The number of claims with each result: the legend of the signs.
fn counts(model: &Model) -> Markup {
    let all: Vec<Sign> = model.arguments.iter().map(|argument| model.sign(argument)).collect();
    let counted: Vec<(Sign, usize)> = signs::all(&model.ledger)
        .into_iter()
        .map(|sign| (sign, all.iter().filter(|other| **other == sign).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
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
    let mut voices: Vec<&ReportPart> =
        model.sections.iter().filter(|part| part.has_own_side).collect();
    let last_cycle = voices.iter().map(|part| part.cycle).max();
    voices.retain(|part| Some(part.cycle) == last_cycle);
    html! {
        @if !voices.is_empty() {
            ul class="stances" aria-label="Who stands where" {
                @for stance in Stance::ALL.into_iter().map(Some).chain([None]) {
                    @let count = voices.iter().filter(|part| part.stance == stance).count();
                    @let Sign { mark, word, class } = Stance::sign(stance);
                    @if count > 0 {
                        li class={"stance " (class)} { (mark) " " (word) ": " (count) }
                    }
                }
            }
        }
    }
}

impl Threads<'_> {
    /// A claim; opened, its thread.
    fn thread(&self, argument: &Argument) -> Markup {
        let Self { model, claims, .. } = self;
        let id = argument.id;
        let Sign { mark, word, class } = model.sign(argument);
        let ground = argument.ground_and_check();
        html! {
            details class="thread" {
                summary {
                    b class={"sign " (class)} {
                        span role="img" aria-label=(word) { (mark) } " " (id)
                    }
                    " " span id={"says-" (id)} { (words(&argument.claim)) }
                }
                div id={"thread-" (id)} {
                    p class="quiet" {
                        a href={"#" (id)} { (seat_and_round(model, argument)) } " · "
                        (claims.before(usize::MAX).write(&clean(&words(&ground), 2_000), false))
                    }
                    (self.moves_on(argument))
                    (result_in_synthesis(model, argument, claims))
                    // If more than half of the judges agree, the reason in the synthesis has their
                    // count.
                    @if let Some(text) = self.differing.get(&id).filter(|_| argument.why.is_none()) {
                        p class="quiet" { (text) }
                    }
                }
            }
        }
    }

    /// The ground of a claim, then each move on it, with the person's directions at their places.
    fn moves_on(&self, argument: &Argument) -> Markup {
        let Self { model, claims, moves, .. } = self;
        let on_it = moves.get(&argument.id).map(Vec::as_slice).unwrap_or_default();
        let mut known = claims.before(argument.section + 1);
        let first = self.directions(argument.section);
        if on_it.is_empty() && first.0.is_empty() && !has_words(&argument.reasons) {
            return first;
        }
        let before = [argument.section].into_iter().chain(on_it.iter().map(|made| made.section));
        html! {
            ul class="moves" {
                (first)
                @if has_words(&argument.reasons) { li { (inline(&argument.reasons, &mut known)) } }
                @for (before, made) in before.zip(on_it) {
                    @if made.section > before { (self.directions(made.section)) }
                    (step(model, made, claims))
                }
            }
        }
    }

    /// The person's directions right before a reply: once, in the first thread that has a part of
    /// that reply.
    fn directions(&self, section: usize) -> Markup {
        let Self { model, claims, shown, .. } = self;
        if !shown.borrow_mut().insert(section) {
            return Markup::default();
        }
        html! {
            @for (title, note) in model.asides_before(section) {
                @if note.is_by_person && note.of.is_from_person() {
                    li class="person" {
                        (title) ": "
                        (inline(&clean(&note.text, MAX_DIRECTION), &mut claims.before(section)))
                    }
                }
            }
        }
    }
}

/// False for reasons that are a mark alone: `[assumption]`.
fn has_words(reasons: &str) -> bool {
    let mark = reasons.strip_prefix('[').and_then(|text| text.split_once(']'));
    !mark.map_or(reasons, |(_, after)| after).trim_matches(['.', ' ']).is_empty()
}

/// `C2 attacks, round 1: “outbox table” is not durable`
fn step(model: &Model, made: &Move, claims: &ClaimLinks<'_>) -> Markup {
    let mut known = claims.before(made.section + 1);
    // A voice speaks once in a cycle.
    let is_voice = matches!(made.seat, Seat::Voice(_));
    let begins = match made.by {
        Some(by) => format!("{by} {}, ", made.kind.word().to_lowercase()),
        None if is_voice => format!("{} by ", checked::past(made.kind)),
        None if !model.considered.is_empty() => {
            format!("{} by {}, ", checked::past(made.kind), model.title(made.section))
        }
        None => format!("{} by the {}, ", checked::past(made.kind), made.seat),
    };
    let at = if is_voice {
        clean(&model.title(made.section), 60)
    } else {
        format!("round {}", made.round)
    };
    let after: Vec<String> = made.after.iter().map(Id::to_string).collect();
    let text = checked::words_of(made);
    let is_against = matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw);
    html! {
        li class=(if is_against { "against" } else { "aids" }) {
            (known.write(&begins, false))
            a href={"#reply-" (made.section + 1)} {
                (at)
                @if model.options.cycles > 1 { ", cycle " (made.cycle) }
            }
            @if !after.is_empty() {
                (known.write(&format!(" (after {})", after.join(", ")), false))
            }
            @if !text.trim().is_empty() { ": " (inline(text.trim(), &mut known)) }
        }
    }
}

/// The result in the synthesis.
fn result_in_synthesis(model: &Model, argument: &Argument, claims: &ClaimLinks<'_>) -> Markup {
    let why = argument.why.as_deref().unwrap_or_default();
    let begins = match (&model.ledger.earlier, argument.result) {
        (None, _) if !why.is_empty() => "Synthesis: ".to_owned(),
        (Some(earlier), Some(result)) => {
            let colon = if why.is_empty() { "" } else { ": " };
            format!("Synthesis of cycle {}: {}{colon}", earlier.cycle, result.word())
        }
        _ => return Markup::default(),
    };
    let mut known = claims.before(model.synthesis.unwrap_or_default());
    html! { div class="judged" { (begins) (inline(why, &mut known)) } }
}

/// A text that continues a line.
fn inline(text: &str, known: &mut KnownClaims<'_>) -> Markup {
    let PreEscaped(block) = rich(text, 4, known);
    let inner = block.strip_prefix("<p>").and_then(|text| text.strip_suffix("</p>"));
    match inner.filter(|inner| !inner.contains("<p>")) {
        Some(inner) => PreEscaped(inner.to_owned()),
        None => PreEscaped(block),
    }
}
