//! The document that the debate revised: the objections that stand, and each change with its
//! objection.

use maud::{Markup, html};

use super::claims::ClaimLinks;
use super::words::visible_text;
use crate::model::Model;
use crate::model::revised::ShownChange;
use anvil_core::ledger::Id;

/// `None` without a document.
pub(crate) fn document(model: &Model, claims: &ClaimLinks<'_>) -> Option<Markup> {
    let revised = model.revised.as_ref()?;
    let standing = revised.objections.iter().filter(|objection| objection.stands());
    let made = revised.changes.iter().filter(|change| change.unmade.is_none());
    Some(html! {
        p class="counts" { (visible_text(&revised.line)) }
        ul class="rests" {
            @for one in standing {
                (item(claims, one.id, if one.blocks { " (blocks)" } else { " (minor)" }))
            }
        }
        @for change in made {
            (heading(change))
            @if let Some(id) = change.answers { ul class="rests" { (item(claims, id, "")) } }
            pre class="change" tabindex="0" {
                @if !change.old.is_empty() { del { (visible_text(&change.old)) } }
                @if !change.new.is_empty() { ins { (visible_text(&change.new)) } }
            }
        }
    })
}

fn item(claims: &ClaimLinks<'_>, id: Id, note: &str) -> Markup {
    html! {
        @if let Some(index) = claims.get(id) { (claims.item(index, note)) }
    }
}

fn heading(change: &ShownChange) -> Markup {
    html! {
        h3 { "Line " (change.line.unwrap_or_default()) span class="quiet" { ", round " (change.round) } }
    }
}
