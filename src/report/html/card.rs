//! The verdict card: the recommendation, its confidence, the claims that it rests on, and the next
//! steps.

use maud::{Markup, html};

use super::claims::{Claims, KnownClaims};
use super::rich::rich;
use super::words::shown;
use crate::report::authored::degraded_line;
use crate::report::checked::in_brackets;
use crate::report::model::{BEGINNING_MISSING, Model};

pub(crate) fn card(model: &Model, claims: &Claims<'_>) -> Markup {
    let Some(synthesis) = model.synthesis else {
        return html! { (degraded(model)) p { "There is no synthesis yet." } };
    };
    let mut known = claims.before(synthesis);
    let verdict = &model.verdict;
    html! {
        div class="said" {
            (degraded(model))
            @if let Some(earlier) = &model.ledger.earlier {
                p {
                    "This is the verdict of cycle " (earlier.cycle)
                    ". The debate went on after it."
                }
            }
            @if model.synthesis_lacks_beginning() { p { (BEGINNING_MISSING) } }
            p class="figure" { (verdict.headline()) }
            @if let Some(text) = verdict.lead() {
                div class="lead" { (rich(text, 3, &mut known)) }
            }
            @if model.word().is_none() {
                p {
                    "The synthesis stands "
                    a href={"#reply-" (synthesis + 1)} { "in the record" } " as it was written."
                }
            }
            (contradicted(model, claims))
            dl { (lines(model, claims, &mut known)) }
        }
        @if let Some(steps) = &model.what_to_do {
            div class="steps" { h3 { "What to do" } (rich(steps, 4, &mut known)) }
        }
    }
}

fn degraded(model: &Model) -> Markup {
    html! { @if let Some(degraded) = degraded_line(&model.authors) { p { b { (shown(&degraded)) } } } }
}

fn lines(model: &Model, claims: &Claims<'_>, known: &mut KnownClaims<'_>) -> Markup {
    html! {
        @for (label, text) in model.verdict.lines() {
            @match label {
                "Verdict" => {},
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

fn contradicted(model: &Model, claims: &Claims<'_>) -> Markup {
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
fn rests_on(model: &Model, claims: &Claims<'_>, text: &str) -> Markup {
    let ids = model.verdict.rests_on.iter().flatten();
    let named: Vec<usize> = ids.filter_map(|id| claims.get(*id)).collect();
    html! {
        div {
            dt { "Rests on" }
            dd {
                @if named.is_empty() { p { (text) } } @else {
                    ul class="rests" { @for index in named { (claims.item(index, "")) } }
                }
            }
        }
    }
}
