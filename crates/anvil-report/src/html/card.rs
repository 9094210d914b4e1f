//! The verdict card: the recommendation, its confidence, the claims that it rests on, and the next
//! steps.

use maud::{Markup, html};

use super::asides::day;
use super::claims::{ClaimLinks, KnownClaims};
use super::rich::rich;
use super::words::{shown, words};
use crate::authored::degraded_line;
use crate::checked::{self, in_brackets};
use crate::model::{BEGINNING_MISSING, Model};

pub(crate) fn card(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let question = anvil_text::clean(&model.question, 200);
    let lead = model.synthesis.and_then(|_| model.verdict.lead()).map(words);
    let mut known = claims.before(model.synthesis.unwrap_or_default());
    html! {
        section class="card" id="verdict" aria-labelledby="title" {
            @if let Some(degraded) = degraded_line(&model.authors) {
                p { b { (shown(&degraded)) } }
            }
            p class="badge" { (badge(model)) }
            @if let Some(lead) = &lead {
                h1 id="title" { (known.write(lead, false)) }
                p class="question" { span { (question) } " " (day(model)) }
            } @else {
                h1 id="title" { (question) }
                p class="question" { (day(model)) }
            }
            @if question != model.question {
                blockquote { (rich(&model.question, 2, &mut claims.before(0))) }
            }
            @if let Some(position) = &model.options.position {
                p class="quiet" { (model.leaned()) ":" }
                blockquote { (rich(position, 2, &mut claims.before(0))) }
            }
            (notes(model))
            (contradicted(model, claims))
            div class="said" {
                @if model.synthesis.is_some() { dl { (lines(model, claims, &mut known)) } }
                @if let Some(steps) = &model.what_to_do {
                    div class="steps" { h2 { "What to do" } (rich(steps, 3, &mut known)) }
                }
            }
        }
    }
}

/// `DO NOT · 80 % sure`
fn badge(model: &Model) -> String {
    match (model.synthesis, &model.verdict.word) {
        (None, _) => "No synthesis yet".to_owned(),
        (Some(_), None) => "No verdict".to_owned(),
        (Some(_), Some(_)) => model.verdict.headline().replacen(", ", " · ", 1),
    }
}

/// Facts that a reader needs before the verdict, a sentence each.
fn notes(model: &Model) -> Markup {
    let no_verdict = model.verdict.no_verdict.as_ref().filter(|_| model.verdict.word.is_none());
    html! {
        @if let Some(earlier) = &model.ledger.earlier {
            p { "This is the verdict of cycle " (earlier.cycle) ". The debate went on after it." }
        }
        @if model.synthesis_lacks_beginning() { p { (BEGINNING_MISSING) } }
        @if let (Some(synthesis), Some(why)) = (model.synthesis, no_verdict) {
            p {
                "No verdict: " (anvil_text::clean(why, 400)) ". The synthesis stands "
                a href={"#reply-" (synthesis + 1)} { "in the record" } " as it was written."
            }
        }
    }
}

fn lines(model: &Model, claims: &ClaimLinks<'_>, known: &mut KnownClaims<'_>) -> Markup {
    html! {
        @for (label, text) in model.verdict.lines() {
            @match label {
                "Verdict" | "No verdict" => {},
                "Rests on" => (rests_on(model, claims, &text)),
                _ => (line(label, &text, known)),
            }
        }
        @for (label, text) in model.noted() { (line(label, &text, known)) }
    }
}

fn line(label: &str, text: &str, known: &mut KnownClaims<'_>) -> Markup {
    html! { div { dt { (label) } dd { (rich(text, 3, known)) } } }
}

fn contradicted(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let mut all = model.ledger.contradicted().peekable();
    if all.peek().is_none() {
        return Markup::default();
    }
    html! {
        div class="contradicted" {
            p { b { "✕ Contradicted by the fact-check" } }
            ul class="rests" {
                @for claim in all {
                    @if let Some(index) = claims.get(claim.id) {
                        (claims.item(index, &in_brackets(claim.check.as_ref())))
                    }
                }
            }
        }
    }
}

/// The claims that carry the verdict, as sentences. `text`: their ids, or "nothing".
fn rests_on(model: &Model, claims: &ClaimLinks<'_>, text: &str) -> Markup {
    let ids = model.verdict.rests_on.iter().flatten();
    let named: Vec<usize> = ids.filter_map(|id| claims.get(*id)).collect();
    html! {
        div {
            dt { "Rests on" }
            dd {
                @if named.is_empty() { p { (text) } } @else {
                    ul class="rests" {
                        @for index in named {
                            @let argument = &model.arguments[index];
                            @let ground = checked::ground(&argument.ground);
                            @let ground = anvil_text::clean(&ground, 80);
                            @let seen = checked::cited(argument.citation.as_ref());
                            (claims.item(index, &format!(" ({ground}{seen})")))
                        }
                    }
                }
            }
        }
    }
}
