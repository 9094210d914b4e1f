//! The threads: each claim with its moves, in the order of the debate, and its result.

use std::collections::HashMap;

use maud::{Markup, PreEscaped, html};

use super::claims::{Claims, KnownClaims, made};
use super::rich::rich;
use super::words::words;
use crate::domain::debate::Seat;
use crate::domain::ledger::{Id, Move};
use crate::report::checked;
use crate::report::model::Argument;
use crate::report::model::Model;
use crate::report::model::judges::differing;
use crate::report::signs::Sign;
use crate::text;

/// More moves, or more bytes of moves, are folded.
const MAX_MOVES: usize = 4;
const MAX_BYTES: usize = 1_200;

/// A thread for every claim.
pub(crate) fn threads(model: &Model, claims: &Claims<'_>) -> Markup {
    let mut moves: HashMap<Id, Vec<&Move>> = HashMap::new();
    for made in &model.ledger.moves {
        moves.entry(made.target).or_default().push(made);
    }
    let differing = differing(model);
    html! {
        @for argument in &model.arguments {
            @let id = argument.id;
            @let Sign { mark, word, class } = model.sign(argument);
            @let claim = words(&argument.claim);
            @let ground = checked::ground_and_check(&argument.ground, argument.check.as_ref());
            article class="thread" id={"thread-" (id)} {
                h3 {
                    span id={"says-" (id)} {
                        (id) " " (claims.before(argument.section + 1).write(&claim, false))
                    }
                    " " b class={"sign " (class)} { (mark) " " (word) }
                }
                p class="quiet" {
                    a href={"#" (id)} { (made(model, argument)) } " · "
                    (claims.before(usize::MAX).write(&text::clean(&ground, 2_000), false)) " · "
                    a href={"#claim-" (id)} { "in the list" }
                }
                @if let Some(moves) = moves.get(&id) { (moved(model, argument, moves, claims)) }
                (judged(model, argument, claims))
                // If more than half of the judges agree, the reason in the synthesis has their
                // count.
                @if let Some(text) = differing.get(&id).filter(|_| argument.why.is_none()) {
                    p class="quiet" { (text) }
                }
            }
        }
    }
}

fn moved(model: &Model, argument: &Argument, moves: &[&Move], claims: &Claims<'_>) -> Markup {
    let bytes = |made: &&Move| made.reason.len() + made.quote.as_deref().unwrap_or_default().len();
    let list = html! {
        ul class="moves" { @for made in moves { (step(model, made, claims)) } }
    };
    if moves.len() <= MAX_MOVES && moves.iter().map(bytes).sum::<usize>() <= MAX_BYTES {
        return list;
    }
    html! { details { summary { (argument.happened) } (list) } }
}

/// `C2 attacks, round 1: “outbox table” is not durable`
fn step(model: &Model, made: &Move, claims: &Claims<'_>) -> Markup {
    let mut known = claims.before(made.section + 1);
    // A voice speaks once in a cycle.
    let is_voice = matches!(made.seat, Seat::Voice(_));
    let begins = match made.by {
        Some(by) => format!("{by} {}, ", made.kind.word().to_lowercase()),
        None if is_voice => format!("{} by ", checked::past(made.kind)),
        None => format!("{} by the {}, ", checked::past(made.kind), made.seat),
    };
    let at = if is_voice {
        text::clean(&model.title(made.section), 60)
    } else {
        format!("round {}", made.round)
    };
    let after: Vec<String> = made.after.iter().map(Id::to_string).collect();
    let text = checked::words_of(made);
    html! {
        li class=(if checked::is_against(made) { "against" } else { "aids" }) {
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
fn judged(model: &Model, argument: &Argument, claims: &Claims<'_>) -> Markup {
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
