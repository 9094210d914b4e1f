//! The report as JSON, for scripts: the model as it is. `docs/report.schema.json` describes it.

use super::model::Model;
use crate::say;

/// Renders a debate.
#[must_use]
pub fn json(model: &Model) -> String {
    let text = serde_json::to_string_pretty(model).unwrap_or_default();
    say::harmless_json(&text) + "\n"
}
