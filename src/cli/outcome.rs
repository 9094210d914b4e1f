//! `anvil outcome` and `anvil history --due`: the outcomes of recommendations.

use serde_json::{Value, json};

use crate::domain::command::OutcomeOptions;
use crate::domain::journal::Decision;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

pub(super) fn run(engine: &Engine<'_>, options: &OutcomeOptions) -> Result<()> {
    super::print(&messages::outcome_noted(
        &engine.history().record_outcome(None, options)?,
        messages::USUAL_COLUMNS,
    ))
}

pub(super) fn due(engine: &Engine<'_>, as_json: bool) -> Result<()> {
    let due = match engine.history().due_reviews(None) {
        Err(error) if as_json => {
            super::print("[]")?;
            return Err(error);
        }
        due => due?,
    };
    if as_json {
        return super::print_json(&due.iter().map(to_json).collect::<Vec<Value>>().into());
    }
    super::print(&messages::due_list(&due, messages::USUAL_COLUMNS, Door::Shell))
}

fn to_json(decision: &Decision) -> Value {
    json!({
        "id": decision.id,
        "question": decision.question,
        "confidence_percent": decision.confidence,
        "outcome": decision.outcome.map(crate::domain::journal::Outcome::word),
        "note": decision.note,
        "review": decision.review.map(|day| day.to_string()),
    })
}
