//! The output of `gemini -o json`: one object among notices (measured on 0.61).

use serde_json::Value;

use super::own_words::OwnWords;
use super::printed::{AgentAnswer, Failure, Figures, Printed, by_code, misshapen};
use super::values::objects;
use anvil_core::attempt::FailureKind;
use anvil_core::reply::Usage;

/// Reads the output of an ended run: the one object that has a response.
pub(super) fn answer(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let mut answers = objects(printed.output);
    answers.retain(|object| object["response"].is_string());
    let [answer] = answers.as_slice() else {
        let why = match answers.len() {
            0 => "its output has no object with a response".to_owned(),
            count => format!("it printed {count} replies"),
        };
        return Err(misshapen(printed, &why));
    };
    let figures = figures(&answer["stats"]);
    if let Some(OwnWords { kind, message }) = OwnWords::of_object(answer) {
        let failure = Failure::new(kind.unwrap_or(FailureKind::Crash), &message);
        return Err(Failure { figures, ..failure });
    }
    if printed.code != Some(0) {
        return Err(Failure { figures, ..by_code(printed) });
    }
    Ok(AgentAnswer { text: answer["response"].as_str().unwrap_or_default().to_owned(), figures })
}

/// The tokens of all models, and the model that wrote most. Thinking counts as written.
fn figures(stats: &Value) -> Figures {
    let Some(models) = stats["models"].as_object() else {
        return Figures::default();
    };
    let usages: Vec<(&String, Usage)> = models
        .iter()
        .map(|(name, model)| {
            let [prompt, cached, total] = ["prompt", "cached", "total"]
                .map(|count| model["tokens"][count].as_u64().unwrap_or(0));
            let fresh = prompt.saturating_sub(cached);
            (name, Usage { fresh, cached, out: total.saturating_sub(prompt) })
        })
        .collect();
    Figures {
        model: usages.iter().max_by_key(|(_, usage)| usage.out).map(|(name, _)| (*name).clone()),
        usage: Some(usages.iter().fold(Usage::default(), |sum, (_, usage)| sum.plus(*usage))),
        cost: None,
    }
}
