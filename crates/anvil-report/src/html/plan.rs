//! The plan that was argued about: as it was, what to change, and as it was revised.

use maud::{Markup, html};

use super::claims::ClaimLinks;
use super::rich::rich;
use super::words::visible_text;
use crate::model::Model;

/// `None` without a plan.
pub(crate) fn plan(model: &Model, claims: &ClaimLinks<'_>) -> Option<Markup> {
    let plan = model.plan.as_ref()?;
    Some(html! {
        (version("As it was argued about", &plan.before, plan.after.is_none()))
        @if let Some(changes) = &plan.changes {
            h3 { "What to change" }
            (rich(changes, 3, &mut claims.before(usize::MAX)))
        }
        @if let Some(after) = &plan.after { (version("As it was revised", after, true)) }
    })
}

/// `is_last`: paper has it too.
fn version(title: &str, text: &str, is_last: bool) -> Markup {
    html! {
        details class="version" open[is_last] {
            summary { h3 { (title) } }
            pre tabindex="0" { (visible_text(text)) }
        }
    }
}
