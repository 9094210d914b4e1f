//! The report as JSON, for scripts: the model as it is. `docs/report.schema.json` describes it.

use super::model::Model;
use crate::text;

/// Renders a debate.
#[must_use]
pub fn json(model: &Model) -> String {
    let text = serde_json::to_string_pretty(model).unwrap_or_default();
    text::harmless_json(&text) + "\n"
}
