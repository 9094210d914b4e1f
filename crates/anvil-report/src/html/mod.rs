//! The report as a page: one file that loads nothing, for a screen, a phone, paper and a screen
//! reader. From top to bottom: the verdict, how to read it, each claim with its thread, the record.

pub(crate) mod asides;
pub(crate) mod card;
pub(crate) mod claims;
pub(crate) mod document;
pub(crate) mod introduction;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod rich;
pub(crate) mod threads;
pub(crate) mod words;

use maud::{Markup, PreEscaped, html as markup};

use crate::checked;
use crate::mark::GENERATOR;
use crate::model::Model;
use card::card;
use claims::ClaimLinks;
use document::document;
use introduction::{course, how_to_read};
use plan::plan;
use record::record;
use threads::threads;

const STYLE: &str = include_str!("page.css");

/// The page loads, runs, sends and frames nothing. Its style is inside the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub fn html(model: &Model) -> String {
    let claims = ClaimLinks::from_model(model);
    let page = markup! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={(GENERATOR) " " (env!("CARGO_PKG_VERSION"))};
                title { (anvil_text::clean(&model.question, 200)) }
                style { "\n" (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#claims" { "Skip to the claims" }
                main {
                    (card(model, &claims))
                    (how_to_read(model, &claims))
                    (course(model, &claims))
                    @if let Some(body) = document(model, &claims) {
                        (section("document", "The document", &body))
                    }
                    @if let Some(body) = plan(model, &claims) {
                        (section("plan", "The plan", &body))
                    }
                    (section("claims", "Claims", &threads(model, &claims)))
                    @if let Some(body) = findings(model, &claims) {
                        (section("checked", "Checked by Anvil", &body))
                    }
                    (record(model, &claims))
                    (closed_part("facts", "About this debate", &facts(model)))
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn section(id: &str, title: &str, body: &Markup) -> Markup {
    markup! {
        section id=(id) aria-labelledby={(id) "-title"} { h2 id={(id) "-title"} { (title) } (body) }
    }
}

/// A closed part of the page. A link to something in it opens it.
fn closed_part(id: &str, title: &str, body: &Markup) -> Markup {
    markup! {
        details class="folded" { summary { h2 { (title) } } div id=(id) { (body) } }
    }
}

/// The findings of the checks. They do not decide who is right.
fn findings(model: &Model, claims: &ClaimLinks<'_>) -> Option<Markup> {
    let findings = model.finding_sentences();
    let is_without_claims = model.arguments.is_empty();
    if findings.is_empty() && (is_without_claims || !model.standing.cautions().is_empty()) {
        return None;
    }
    let nothing = checked::nothing_wrong(&model.ledger);
    let nothing = nothing.trim_start_matches("Checked: ");
    Some(markup! {
        @if findings.is_empty() {
            p { (nothing[..1].to_uppercase()) (nothing[1..]) }
        } @else {
            ul {
                @for finding in findings {
                    li { (claims.before(usize::MAX).write(&finding, false)) }
                }
            }
        }
    })
}

/// The facts that no part above has: "How it came about" has the options.
fn facts(model: &Model) -> Markup {
    let facts = [
        ("Id", model.id.clone()),
        ("Status", model.status.word().replace('_', " ")),
        ("Started", model.started_at.clone()),
        ("Last change", model.updated_at.clone()),
    ];
    let material = model.notes.iter().filter(|note| note.of.is_material()).map(|note| {
        let kind = note.kind.replace('_', " ");
        ("Material", format!("{kind}, {} words, in the debate's file", note.words))
    });
    let files = [("The debate's file", model.files.debate.clone())]
        .into_iter()
        .chain(model.files.reports.iter().map(|report| ("Report", report.clone())));
    markup! {
        dl class="facts" {
            @for (label, value) in facts.into_iter().chain(material).chain(files) {
                @if !value.is_empty() { dt { (label) } dd { (anvil_text::clean(&value, 1_000)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
