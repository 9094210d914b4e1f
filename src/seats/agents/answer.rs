//! Reads a program's output: the reply and its cost, or the kind of failure.

use super::printed::{AgentAnswer, Failure, Output, Printed, by_code, kind_of_status, misshapen};
use super::{claude, codex};
use crate::storage::FailureKind;
use crate::storage::file::bounds;

/// Reads the output of a program that ended by itself.
pub fn answer(output: Output, printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let answer = match output {
        Output::Text => plain(printed),
        Output::Llm => {
            plain(printed).map(|reply| AgentAnswer { tokens: llm_tokens(printed.stderr), ..reply })
        }
        Output::Claude => claude::answer(printed),
        Output::Codex => codex::answer(printed),
        Output::Gemini => gemini(printed),
    };
    // Drops a number that is too large to be a real count.
    let count = |tokens: Option<u64>| tokens.and_then(bounds::count);
    let cost = |cost: Option<f64>| cost.and_then(bounds::cost);
    let answer = answer.map_err(|failure| Failure {
        tokens: count(failure.tokens),
        cost: cost(failure.cost),
        retry_after: failure.retry_after.and_then(bounds::seconds),
        ..failure
    })?;
    let (tokens, cost) = (count(answer.tokens), cost(answer.cost));
    if answer.text.trim().is_empty() {
        let empty = Failure::new(FailureKind::Empty, "it ended well and wrote nothing");
        return Err(Failure { tokens, cost, ..empty });
    }
    Ok(AgentAnswer { tokens, cost, ..answer })
}

/// The reply as far as it is written, to count its words.
pub fn words_so_far(output: Output, printed: &[u8]) -> usize {
    match output {
        Output::Text | Output::Llm => {
            crate::domain::transcript::count_words(&String::from_utf8_lossy(printed))
        }
        Output::Claude => claude::words_so_far(printed),
        Output::Codex | Output::Gemini => 0,
    }
}

fn plain(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    if printed.code != Some(0) {
        return Err(by_code(printed));
    }
    let text = std::str::from_utf8(printed.output).map_err(|error| {
        let why = format!("its output is not UTF-8 from byte {} on", error.valid_up_to());
        Failure::new(FailureKind::Misshapen, &why)
    })?;
    Ok(AgentAnswer {
        text: text.trim_end_matches(['\n', '\r']).to_owned(),
        ..AgentAnswer::default()
    })
}

/// `Token usage: 1,204 input, 310 output`
fn llm_tokens(stderr: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().find_map(|line| line.strip_prefix("Token usage: "))?;
    let number = |part: &str| part.split_whitespace().next()?.replace(',', "").parse::<u64>().ok();
    line.split(", ").try_fold(0, |sum: u64, part| sum.checked_add(number(part)?))
}

fn gemini(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    #[derive(serde::Deserialize)]
    struct ParsedAnswer {
        response: Option<String>,
        stats: Option<serde_json::Value>,
        error: Option<serde_json::Value>,
    }
    let Ok(reply) = serde_json::from_slice::<ParsedAnswer>(printed.output) else {
        return Err(misshapen(printed, "its output is not the JSON that it prints for a reply"));
    };
    let models = reply.stats.as_ref().and_then(|stats| stats["models"].as_object());
    let total = |sum: u64, model: &serde_json::Value| {
        sum.saturating_add(model["tokens"]["total"].as_u64().unwrap_or(0))
    };
    let tokens = models.map(|models| models.values().fold(0, total));
    if let Some(error) = reply.error {
        let message = error["message"].as_str().unwrap_or("it says no more");
        let kind = error["code"].as_u64().map_or(FailureKind::Crash, kind_of_status);
        return Err(Failure { tokens, ..Failure::new(kind, message) });
    }
    if printed.code != Some(0) {
        return Err(Failure { tokens, ..by_code(printed) });
    }
    Ok(AgentAnswer { text: reply.response.unwrap_or_default(), tokens, cost: None })
}
