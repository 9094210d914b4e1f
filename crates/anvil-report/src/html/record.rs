//! The record: every reply, word for word, in its round.

use maud::{Markup, html};

use super::asides::{asides, time};
use super::claims::ClaimLinks;
use super::closed_part;
use super::rich::rich;
use crate::model::{BEGINNING_MISSING, Model};
use anvil_core::place::Seat;

/// Every reply in its round, folded. A link to a reply opens it.
pub(crate) fn record(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let sections = &model.sections;
    let indices: Vec<usize> = (0..sections.len()).collect();
    // What the replies below one heading have in common.
    let group = |index: &usize| {
        let part = &sections[*index];
        (part.cycle, part.round, part.of.seat == Seat::Synthesizer)
    };
    let body = html! {
        @for round in indices.chunk_by(|one, next| group(one) == group(next)) {
            (opening(model, round[0], claims))
            h3 { (group_title(model, round[0])) }
            div class="sides" {
                @for index in round {
                    (asides(model, *index, claims))
                    (article(model, *index, claims))
                }
            }
        }
        (asides(model, sections.len(), claims))
    };
    html! {
        @if !sections.is_empty() {
            (closed_part("record", "The record: every reply, word for word", &body))
        }
    }
}

/// The user's text for a new cycle, before its first reply.
fn opening(model: &Model, index: usize, claims: &ClaimLinks<'_>) -> Markup {
    let cycle = model.sections[index].cycle;
    let is_new = cycle > 1 && (index == 0 || model.sections[index - 1].cycle != cycle);
    html! {
        @if let Some(text) = model.opening(cycle).filter(|_| is_new) {
            div class="steering" {
                h3 { "Cycle " (cycle) }
                (rich(text, 4, &mut claims.before(index)))
            }
        }
    }
}

fn group_title(model: &Model, index: usize) -> String {
    let part = &model.sections[index];
    let title = match part.of.seat {
        Seat::Advocate | Seat::Critic => format!("Round {}", part.round),
        Seat::Voice(_) => anvil_text::clean(&model.title(index), 100),
        Seat::Synthesizer | Seat::Judge(_) => "Synthesis".to_owned(),
    };
    if model.options.cycles > 1 { format!("Cycle {}: {title}", part.cycle) } else { title }
}

fn article(model: &Model, index: usize, claims: &ClaimLinks<'_>) -> Markup {
    let part = &model.sections[index];
    let class = match part.of.seat {
        Seat::Advocate => "advocate",
        Seat::Critic => "critic",
        Seat::Voice(_) => "voice",
        Seat::Synthesizer | Seat::Judge(_) => "synthesis",
    };
    let mut known = claims.in_reply(index);
    let text = rich(&part.text, 5, &mut known);
    // A claim without a known place in the text is shown above the text.
    let made_here =
        model.arguments.iter().enumerate().filter(|(_, argument)| argument.section == index);
    let mut unmarked = made_here.filter(|(at, _)| !known.has_marked(*at)).peekable();
    html! {
        article class=(class) id={"reply-" (index + 1)} {
            h4 { (anvil_text::clean(&model.title(index), 200)) }
            p class="quiet" {
                (part.words) " words"
                @if let Some(at) = &part.at { ", " (time(at)) }
            }
            // The verdict card has this note for the last synthesis.
            @if part.beginning_missing && Some(index) != model.synthesis {
                p { (BEGINNING_MISSING) }
            }
            @if unmarked.peek().is_some() {
                p class="quiet" {
                    "Claims made here:"
                    @for (argument, _) in unmarked { " " (claims.origin(argument)) }
                }
            }
            (text)
        }
    }
}
