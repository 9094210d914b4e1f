//! The report as a page: one file that loads nothing, for a screen, a phone, paper and a screen
//! reader.

pub(crate) mod asides;
pub(crate) mod card;
pub(crate) mod claims;
pub(crate) mod document;
pub(crate) mod list;
pub(crate) mod record;
pub(crate) mod rich;
pub(crate) mod threads;
pub(crate) mod words;

use maud::{Markup, PreEscaped, html as markup};

use crate::domain::ledger::{what_to_do, without_block};
use crate::report::authored::authored;
use crate::report::checked;
use crate::report::mark::GENERATOR;
use crate::report::model::Model;
use crate::seats::Effort;
use crate::text;
use asides::judges;
use card::card;
use claims::Claims;
use document::document;
use list::list;
use record::record;
use rich::rich;
use threads::threads;
use words::shown;

pub(crate) const STYLE: &str = include_str!("page.css");

/// The page loads, runs, sends and frames nothing. Its style is inside the page.
pub(crate) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A section of the page, with its entry in the contents.
pub(crate) struct Section {
    id: &'static str,
    title: &'static str,
    class: Option<&'static str>,
    body: Markup,
    /// The ids and titles of its parts.
    parts: Vec<(String, String)>,
}

impl Section {
    fn new(id: &'static str, title: &'static str, body: Markup) -> Self {
        Self { id, title, class: None, body, parts: Vec::new() }
    }
}

pub fn html(model: &Model) -> String {
    let claims = Claims::from_model(model);
    let verdict = Section::new("verdict", "Verdict", card(model, &claims));
    let sections: Vec<Section> = [
        Some(Section { class: Some("card"), ..verdict }),
        judges(model).map(|body| Section::new("judges", "The judges", body)),
        document(model, &claims).map(|body| Section::new("document", "Document", body)),
        list(model).map(|body| Section::new("claims", "Claims", body)),
        (!model.arguments.is_empty())
            .then(|| Section::new("threads", "Threads", threads(model, &claims))),
        remaining(model, &claims),
        findings(model, &claims),
        record(model, &claims),
        Some(Section::new("facts", "About this debate", facts(model))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let title = text::clean(&model.question, 200);
    let page = markup! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={(GENERATOR) " " (env!("CARGO_PKG_VERSION"))};
                title { (title) }
                style { "\n" (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#verdict" { "Skip to the verdict" }
                (header(model, &title, &claims))
                div class="page" {
                    nav aria-label="Contents" { ul { (contents(&sections)) } }
                    main id="main" { @for section in &sections { (whole(section)) } }
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn contents(sections: &[Section]) -> Markup {
    markup! {
        @for section in sections {
            li { a href={"#" (section.id)} { (section.title) } }
            @for (id, title) in &section.parts {
                li class="inner" { a href={"#" (id)} { (title) } }
            }
        }
    }
}

fn whole(Section { id, title, class, body, .. }: &Section) -> Markup {
    markup! {
        section id=(id) class=[class] aria-labelledby={(id) "-title"} {
            h2 id={(id) "-title"} { (title) }
            (body)
        }
    }
}

fn header(model: &Model, title: &str, claims: &Claims<'_>) -> Markup {
    markup! {
        header {
            h1 { (title) }
            @if title != model.question {
                blockquote { (rich(&model.question, 2, &mut claims.before(0))) }
            }
            p class="quiet" {
                (shown(&authored(&model.authors).unwrap_or_else(|| "Argued with Anvil".to_owned())))
                " · " (shown(&model.about().join(" · "))) " · " (day(model))
            }
            @if let Some(position) = &model.options.position {
                p class="quiet" { (model.leaned()) ":" }
                blockquote { (rich(position, 2, &mut claims.before(0))) }
            }
        }
    }
}

/// `22 November 2026`
fn day(model: &Model) -> String {
    let day = model.day();
    day.parse().map_or_else(
        |_| day.to_owned(),
        |day: jiff::civil::Date| day.strftime("%-d %B %Y").to_string(),
    )
}

/// The findings of the checks. They do not decide who is right.
fn findings(model: &Model, claims: &Claims<'_>) -> Option<Section> {
    let findings = model.findings();
    if model.arguments.is_empty() && findings.is_empty() {
        return None;
    }
    let nothing = checked::nothing_wrong(&model.ledger);
    let nothing = nothing.trim_start_matches("Checked: ");
    let body = markup! {
        @if findings.is_empty() {
            p { (nothing[..1].to_uppercase()) (nothing[1..]) }
        } @else {
            ul {
                @for finding in findings {
                    li { (claims.before(usize::MAX).write(&finding, false)) }
                }
            }
        }
    };
    Some(Section::new("checked", "Checked by Anvil", body))
}

/// The prose of the synthesis without its steps. The record has all of it.
fn remaining(model: &Model, claims: &Claims<'_>) -> Option<Section> {
    let text = model.synthesis_text().filter(|_| model.word().is_some())?;
    let text = what_to_do(text).map_or_else(|| without_block(text), |(_, text)| text);
    let mut known = claims.before(model.synthesis.unwrap_or_default());
    (!text.is_empty())
        .then(|| Section::new("synthesis", "More from the synthesis", rich(&text, 3, &mut known)))
}

fn facts(model: &Model) -> Markup {
    let options = &model.options;
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    let option = |is_set: bool, name: &str| if is_set { name.to_owned() } else { String::new() };
    let facts = [
        ("Id", model.id.clone()),
        ("Status", model.status.word().replace('_', " ")),
        ("Mode", options.mode.clone()),
        (
            if options.takes_turns { "Voices spoke" } else { "Rounds argued" },
            options.rounds.to_string(),
        ),
        (if model.considered.is_empty() { "Voices" } else { "Options" }, options.voices.join(", ")),
        ("Focus", some(&options.focus)),
        ("Framework", some(&options.framework)),
        ("Option", option(options.blind, "blind openings")),
        ("Option", option(options.research, "with research")),
        ("Option", option(options.fact_check.is_some(), "with fact-checks")),
        ("Option", option(options.interactive, "steered behind each round")),
        ("Context from", some(&options.context)),
        ("Follows", some(&options.follow_up)),
        ("Skipped", some(&model.skipped)),
        ("Recovered", model.recovered.join("; ")),
        ("Words", model.words.to_string()),
        ("The replies took", model.effort.as_ref().map(Effort::line).unwrap_or_default()),
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
                @if !value.is_empty() { dt { (label) } dd { (text::clean(&value, 1_000)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
