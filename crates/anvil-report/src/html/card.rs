//! The verdict card: the question, the answer, the recommendation and why; the next steps, what the
//! program doubts, and the claims that it rests on.

use maud::{Markup, html};

use super::asides::day;
use super::claims::{ClaimLinks, KnownClaims};
use super::rich::rich;
use super::words::{visible_text, words};
use crate::authored::{author_line, degraded_line};
use crate::checked::{self, in_brackets};
use crate::model::{BEGINNING_MISSING, Model, POSITION};
use anvil_core::ledger::{Standing, Verdict, VerdictWord};

pub(crate) fn card(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let question = anvil_text::clean(&model.question, 200);
    let mut known = claims.before(model.synthesis.unwrap_or_default());
    html! {
        section class="card" id="verdict" aria-labelledby="title" {
            @if let Some(degraded) = degraded_line(&model.authors) {
                p { b { (visible_text(&degraded)) } }
            }
            div class="question" { h1 id="title" { (question) } (day(model)) }
            @if let Some(authors) = author_line(&model.authors) {
                p class="quiet" { (visible_text(&authors)) "." }
            }
            @if question != model.question {
                blockquote { (rich(&model.question, 2, &mut claims.before(0))) }
            }
            @if let Some(position) = &model.options.position {
                p class="quiet" { (POSITION) ":" }
                blockquote { (rich(position, 2, &mut claims.before(0))) }
            }
            (badge(&model.standing))
            (notes(model))
            @if let Some(verdict) = model.verdict() {
                @if let Some(lead) = &verdict.recommendation {
                    p class="lead" { (known.write(&words(lead), false)) }
                }
                @if let Some(why) = &verdict.why { p { b { "Why" } " " (known.write(why, false)) } }
                @if let (VerdictWord::Depends, Some(on)) = (&verdict.word, &verdict.depends_on) {
                    p { b { "Depends on" } " " (known.write(&words(on), false)) }
                }
                (contradictions(model, claims))
                div class="said" {
                    @if let Some(steps) = &model.what_to_do {
                        div class="steps" { h2 { "What to do" } (rich(steps, 3, &mut known)) }
                    }
                    div {
                        (cautions(verdict, &mut known))
                        dl { (lines(model, verdict, claims, &mut known)) }
                    }
                }
            }
        }
    }
}

/// `✕ No · 80% sure ! 2 cautions`. A sign and a word say what a colour says.
fn badge(standing: &Standing) -> Markup {
    let (class, sign, text) = match standing {
        Standing::Argued { .. } => ("void", "…", "No synthesis yet".to_owned()),
        Standing::Void { .. } => ("void", "?", "No valid verdict".to_owned()),
        Standing::Valid(verdict) => {
            let (class, sign) = match verdict.word {
                VerdictWord::Do => ("yes", "✓"),
                VerdictWord::DoNot => ("no", "✕"),
                VerdictWord::Depends => ("depends", "±"),
                VerdictWord::Option(_) => ("option", "◆"),
            };
            let sure = verdict.sure().map(|sure| format!(" · {sure}")).unwrap_or_default();
            (class, sign, verdict.answer() + &sure)
        }
    };
    let count = standing.cautions().len();
    html! {
        p class={"badge " (class)} {
            span aria-hidden="true" { (sign) " " } (visible_text(&text))
            @if count > 0 {
                " " a class="caution" href="#cautions" {
                    "! " (anvil_text::number_of(count, "caution", "cautions"))
                }
            }
        }
    }
}

/// What the program doubts, a sentence each.
fn cautions(verdict: &Verdict, known: &mut KnownClaims<'_>) -> Markup {
    if verdict.cautions.is_empty() {
        return Markup::default();
    }
    html! {
        div class="cautions" id="cautions" {
            p { b { "Caution" } ", by Anvil's checks" }
            ul { @for caution in &verdict.cautions { li { (known.write(caution, false)) } } }
        }
    }
}

/// Facts that a reader needs before the verdict, a sentence each.
fn notes(model: &Model) -> Markup {
    html! {
        @if let Some(earlier) = &model.ledger.earlier {
            p { "This is the verdict of cycle " (earlier.cycle) ". The debate went on after it." }
        }
        @if model.synthesis_lacks_beginning() { p { (BEGINNING_MISSING) } }
        @if let (Some(synthesis), Some(why)) = (model.synthesis, model.standing.void_reason()) {
            p {
                b { "Why" } " " (anvil_text::clean(why, 400)) ". The synthesis stands "
                a href={"#reply-" (synthesis + 1)} { "in the record" } " as it was written."
                @if !matches!(model.standing, Standing::Void { is_split: true, .. }) {
                    " The owner can ask for another one: " code { "undo" } ", then "
                    code { "resume" } "."
                }
            }
        }
    }
}

fn lines(
    model: &Model,
    verdict: &Verdict,
    claims: &ClaimLinks<'_>,
    known: &mut KnownClaims<'_>,
) -> Markup {
    html! {
        @for (label, text) in verdict.lines() {
            @match label {
                "Rests on" => (rests_on(model, verdict, claims, &text)),
                // The names of options are no Markdown.
                "Ranking" => div { dt { (label) } dd { (visible_text(&text)) } },
                _ => (line(label, &text, known)),
            }
        }
        @for (label, text) in model.record_line().into_iter().chain(model.note_lines()) {
            (line(label, &text, known))
        }
    }
}

fn line(label: &str, text: &str, known: &mut KnownClaims<'_>) -> Markup {
    html! { div { dt { (label) } dd { (rich(text, 3, known)) } } }
}

fn contradictions(model: &Model, claims: &ClaimLinks<'_>) -> Markup {
    let mut all = model.ledger.contradicted_claims().peekable();
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
fn rests_on(model: &Model, verdict: &Verdict, claims: &ClaimLinks<'_>, text: &str) -> Markup {
    let ids = verdict.rests_on.iter().flatten();
    let named: Vec<usize> = ids.filter_map(|id| claims.get(*id)).collect();
    html! {
        div {
            dt { "Rests on" }
            dd {
                @if named.is_empty() { p { (text) } } @else {
                    ul class="rests" {
                        @for index in named {
                            @let argument = &model.arguments[index];
                            @let ground = words(&checked::ground(&argument.ground));
                            @let ground = anvil_text::clean(&ground, 80);
                            @let seen = checked::citation_note(argument.citation.as_ref());
                            @let more = format!(" ({ground}{seen}; {})", argument.outcome);
                            (claims.item(index, &more))
                        }
                    }
                }
            }
        }
    }
}
