//! `anvil history --due` and `--calibration`: the outcomes of recommendations, and how often a
//! confidence was right.

use anvil_core::journal::{Calibration, Decision, Outcome};
use anvil_engine::{Context, history};
use anvil_store::Scope;
use anvil_text::door::Door;
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn due(context: &Context<'_>, scope: Scope, as_json: bool) -> Result<()> {
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
    super::print(&anvil_messages::due_list(&due, anvil_messages::USUAL_COLUMNS, Door::Shell))
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

pub(super) fn calibration(context: &Context<'_>, scope: Scope, as_json: bool) -> Result<()> {
    let calibration = history::calibration(context, None, scope)?;
    if as_json {
        super::print_json(&calibration_to_json(&calibration))?;
    }
    if calibration.counted == 0 {
        return Err(anvil_messages::nothing_to_calibrate(&calibration));
    }
    if as_json {
        Ok(())
    } else {
        super::print(&anvil_messages::calibration(&calibration, anvil_messages::USUAL_COLUMNS))
    }
}

/// One decimal: the data support no more.
fn percent(share: f64) -> f64 {
    (share * 10.0).round() / 10.0
}

/// Four decimals: the data support no more.
fn score(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

fn calibration_to_json(calibration: &Calibration) -> Value {
    let bands: Vec<Value> = calibration
        .bands
        .iter()
        .map(|band| {
            let [share, low, high] = band.was.map(percent);
            json!({
                "from": band.from, "to": band.to, "cases": band.count, "right": band.right,
                "said": percent(band.stated), "share": share, "low": low, "high": high,
            })
        })
        .collect();
    let brier = calibration.brier.map(|brier| {
        let [low, high] =
            brier.interval.map_or([None; 2], |interval| interval.map(|end| Some(score(end))));
        json!({ "score": score(brier.score), "low": low, "high": high })
    });
    json!({
        "cases": calibration.counted,
        "left_out": calibration.left_out,
        "says_little": calibration.is_of_few(),
        "bands": bands,
        "brier": brier,
    })
}
