//! `anvil history --due`: the recommendations whose review is due.

use anvil_core::journal::{Decision, Outcome};
use anvil_engine::{Context, history};
use anvil_messages::Door;
use anvil_store::Scope;
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn due(context: &Context<'_>, scope: Scope, as_json: bool, door: &Door) -> Result<()> {
    let due = match history::due_reviews(context, None, scope) {
        Err(error) if as_json => {
            super::print("[]")?;
            return Err(error);
        }
        due => due?,
    };
    if as_json {
        return super::print_json(&due.iter().map(decision_to_json).collect::<Vec<Value>>().into());
    }
    super::print(&anvil_messages::due_list(&due, super::screen::columns(), door))
}

fn decision_to_json(decision: &Decision) -> Value {
    json!({
        "id": decision.id,
        "question": decision.question,
        "confidence_percent": decision.confidence,
        "outcome": decision.outcome.map(Outcome::word),
        "note": decision.note,
        "review": decision.review.map(|day| day.to_string()),
    })
}
