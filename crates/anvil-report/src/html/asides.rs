//! Texts between the replies of a page: the user's directions, checks and judgments.

use maud::{Markup, html};

use super::claims::ClaimLinks;
use super::rich::rich;
use crate::model::Model;
use crate::model::judges::rows;
use anvil_core::transcript::NoteKind;

/// The texts before a section. A judgment is folded, because the synthesis has its result.
pub(crate) fn asides(model: &Model, section: usize, claims: &ClaimLinks<'_>) -> Markup {
    html! {
        @for (title, note) in model.asides_before(section) {
            @let text = html! {
                @if let Some(at) = &note.at { p class="quiet" { (time(at)) } }
                (rich(&note.paragraphs(), 5, &mut claims.before(note.before)))
            };
            @if note.of == NoteKind::Judgment {
                details class="round" { summary { h4 { (title) } } (text) }
            } @else {
                div class="steering" { h4 { (title) } (text) }
            }
        }
    }
}

/// The judges' verdicts, side by side. The thread of a claim shows where they differ on it. `None`
/// if one judge alone wrote the synthesis.
pub(crate) fn judges(model: &Model) -> Option<Markup> {
    let rows = rows(model);
    let [head, verdict, confidence, ..] = rows.as_slice() else { return None };
    Some(html! {
        table tabindex="0" {
            // An empty header would be read out.
            thead { tr { td {} @for cell in &head[1..] { th scope="col" { (cell) } } } }
            tbody {
                @for row in [verdict, confidence] {
                    tr { th scope="row" { (row[0]) } @for cell in &row[1..] { td { (cell) } } }
                }
            }
        }
    })
}

/// `2026-11-21 01:55 UTC`
pub(crate) fn time(at: &str) -> Markup {
    let shown = at.get(..16).unwrap_or(at).replace('T', " ");
    html! { time datetime=(at) { (shown) " UTC" } }
}

/// `22 November 2026`, the day of the last change.
pub(crate) fn day(model: &Model) -> Markup {
    let day = model.day();
    let shown = day.parse().map_or_else(
        |_| day.to_owned(),
        |day: jiff::civil::Date| day.strftime("%-d %B %Y").to_string(),
    );
    html! { time datetime=(day) { (shown) } }
}
