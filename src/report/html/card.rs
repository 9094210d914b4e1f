//! The verdict card: the recommendation, its confidence, the claims that it rests on, and the next
//! steps.

use maud::{Markup, html};

use super::claims::{Claims, KnownClaims};
use super::rich::rich;
use super::words::shown;
use crate::domain::ledger::{VerdictWord, after_percent};
use crate::report::authored::degraded_line;
use crate::report::checked::in_brackets;
use crate::report::model::{BEGINNING_MISSING, Model};

pub(crate) fn card(model: &Model, claims: &Claims<'_>) -> Markup {
    let Some(synthesis) = model.synthesis else {
        return html! { (degraded(model)) p { "There is no synthesis yet." } };
    };
    let mut known = claims.before(synthesis);
    let recommendation = model.verdict.recommendation.as_deref().map(|text| counted(model, text));
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
            (figure(model, recommendation.and_then(|(judges, _)| judges)))
            @if let Some((_, text)) = recommendation {
                div class="lead" { (rich(text, 3, &mut known)) }
            } @else {
                p {
                    "The synthesis does not state its recommendation in the usual form; it stands "
                    a href={"#reply-" (synthesis + 1)} { "in the record" } " as it was written."
                }
            }
            (contradicted(model, claims))
            dl { (lines(model, claims, &mut known)) }
        }
        // A synthesis without a recommendation is shown only in the record.
        @if let (Some(_), Some(steps)) = (recommendation, &model.verdict.what_to_do) {
            div class="steps" { h3 { "What to do" } (rich(steps, 4, &mut known)) }
        }
    }
}

fn degraded(model: &Model) -> Markup {
    html! { @if let Some(degraded) = degraded_line(&model.authors) { p { b { (shown(&degraded)) } } } }
}

fn lines(model: &Model, claims: &Claims<'_>, known: &mut KnownClaims<'_>) -> Markup {
    let verdict = &model.verdict;
    let confidence = verdict.confidence.as_deref();
    let why = match verdict.confidence_percent {
        Some(_) => confidence.map(after_percent),
        None => confidence,
    };
    html! {
        @if model.word().is_none() { (line("Verdict", verdict.text.as_deref(), known)) }
        @if why.is_none_or(|why| !why.is_empty()) { (line("Confidence", why, known)) }
        @if let Some(ranking) = &verdict.ranking_text { (line("Ranking", Some(ranking), known)) }
        (rests_on(model, claims, known))
        (line("Would flip if", verdict.would_flip_if.as_deref(), known))
        (line("Still unknown", verdict.still_unknown.as_deref(), known))
        @for (label, text) in model.noted() { (line(label, Some(&text), known)) }
    }
}

fn line(label: &str, text: Option<&str>, known: &mut KnownClaims<'_>) -> Markup {
    html! { div { dt { (label) } dd { (stated(text, known)) } } }
}

fn stated(text: Option<&str>, known: &mut KnownClaims<'_>) -> Markup {
    text.map_or_else(|| html! { p class="quiet" { "not stated" } }, |text| rich(text, 3, known))
}

/// `DEPENDS · 80 % sure`, and the number of judges who agree.
fn figure(model: &Model, judges: Option<&str>) -> Markup {
    let word = model.word().map(VerdictWord::heading);
    let percent =
        model.verdict.confidence_percent.map(|percent| format!("{percent}\u{a0}%\u{a0}sure"));
    let figure: Vec<String> = word.into_iter().chain(percent).collect();
    html! {
        @if !figure.is_empty() {
            p class="figure" {
                (figure.join(" · "))
                @if let Some(judges) = judges { " " span class="quiet" { (judges) } }
            }
        }
    }
}

/// Splits `2 of 3 judges: Wait.` into the count and the recommendation, if the debate had several
/// judges.
fn counted<'a>(model: &Model, recommendation: &'a str) -> (Option<&'a str>, &'a str) {
    let split = || {
        let (counts, text) = recommendation.split_once(" judges: ")?;
        let (count, all) = counts.split_once(" of ")?;
        (count.parse::<u8>().is_ok() && all.parse::<u8>().is_ok())
            .then(|| (Some(&recommendation[..counts.len() + " judges".len()]), text))
    };
    if model.judgments().next().is_none() {
        (None, recommendation)
    } else {
        split().unwrap_or((None, recommendation))
    }
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

/// The claims that carry the verdict, as sentences. Other words of the line come before them.
fn rests_on(model: &Model, claims: &Claims<'_>, known: &mut KnownClaims<'_>) -> Markup {
    let text = model.verdict.rests_on_text.as_deref();
    let named: Vec<usize> =
        model.verdict.rests_on.iter().flatten().filter_map(|id| claims.get(*id)).collect();
    let is_id = |word: &str| {
        word.parse().ok().and_then(|id| claims.get(id)).is_some_and(|index| named.contains(&index))
    };
    let mut words =
        text.unwrap_or_default().split(|char: char| !char.is_alphanumeric() && char != '.');
    let is_list =
        words.all(|word| matches!(word, "" | "." | "and") || is_id(word.trim_end_matches('.')));
    html! {
        div {
            dt { "Rests on" }
            dd {
                @if text.is_none() || named.is_empty() || !is_list { (stated(text, known)) }
                @if !named.is_empty() {
                    ul class="rests" { @for index in named { (claims.item(index, "")) } }
                }
            }
        }
    }
}
