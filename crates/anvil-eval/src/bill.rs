//! The bill of one attempt of a measurement.

use super::log::{EvalPlan, Expense};
use anvil_store::{Attempt, AttemptRecord};

/// The expense of an attempt.
pub(super) fn spent_by(
    plan: &EvalPlan,
    record: &AttemptRecord,
    attempt: &Attempt,
    prompt: &str,
) -> Expense {
    let name = &attempt.started.origin.agent;
    let Some(ended) = &attempt.ended else {
        return Expense { attempts: 1, unpriced: 1, ..Expense::default() };
    };
    let (sent, written) = if let Some(usage) = ended.usage {
        (usage.fresh + usage.cached, usage.out)
    } else {
        let reply = record.reply(attempt).unwrap_or_default();
        (anvil_prompt::tokens(prompt) as u64, anvil_prompt::tokens(&reply) as u64)
    };
    let [price_in, price_out] = plan.prices.get(name).copied().unwrap_or_default();
    let priced = (sent as f64 * price_in + written as f64 * price_out) / 1e6;
    let is_free = anvil_prompt::is_script(name) || plan.prices.contains_key(name);
    let dollars = ended.cost.or(is_free.then_some(priced));
    Expense {
        attempts: 1,
        asked_again: 0,
        tokens: ended.tokens.unwrap_or(sent + written),
        estimated: ended.usage.is_none(),
        dollars: dollars.unwrap_or(0.0),
        unpriced: u32::from(dollars.is_none()),
        millis: ended.exit.duration_ms,
        dearest: dollars.unwrap_or(0.0),
    }
}
