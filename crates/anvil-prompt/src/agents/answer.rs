//! Reads a program's output: the reply and its cost, or the kind of failure.

use super::printed::{
    AgentAnswer, Failure, Figures, OutputFormat, Printed, by_code, kind_of_status, misshapen,
};
use super::{claude, codex};
use anvil_core::attempt::FailureKind;
use anvil_core::reply::Usage;
use anvil_text::from_json;

/// Reads the output of a program that ended by itself.
pub fn answer(output: OutputFormat, printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let answer = match output {
        OutputFormat::Text => plain(printed),
        OutputFormat::Llm => {
            let usage = llm_usage(printed.stderr);
            let figures = Figures { usage, ..Figures::default() };
            plain(printed).map(|reply| AgentAnswer { figures, ..reply })
        }
        OutputFormat::Claude => claude::answer(printed),
        OutputFormat::Codex => codex::answer(printed),
        OutputFormat::Gemini => gemini(printed),
    };
    let answer =
        answer.map_err(|failure| Failure { figures: failure.figures.bounded(), ..failure })?;
    let figures = answer.figures.bounded();
    if answer.text.trim().is_empty() {
        let empty = Failure::new(FailureKind::Empty, "it succeeded but wrote nothing");
        return Err(Failure { figures, ..empty });
    }
    Ok(AgentAnswer { figures, ..answer })
}

/// The reply as far as it is written, to count its words.
pub fn words_so_far(output: OutputFormat, printed: &[u8]) -> usize {
    match output {
        OutputFormat::Text | OutputFormat::Llm => {
            anvil_core::transcript::count_words(&String::from_utf8_lossy(printed))
        }
        OutputFormat::Claude => claude::words_so_far(printed),
        OutputFormat::Codex | OutputFormat::Gemini => 0,
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
fn llm_usage(stderr: &[u8]) -> Option<Usage> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().find_map(|line| line.strip_prefix("Token usage: "))?;
    Some(Usage { fresh: llm_count(line, " input")?, cached: 0, out: llm_count(line, " output")? })
}

fn llm_count(line: &str, name: &str) -> Option<u64> {
    let part = line.split(", ").find(|part| part.ends_with(name))?;
    part.split_whitespace().next()?.replace(',', "").parse().ok()
}

fn gemini(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    #[derive(serde::Deserialize)]
    struct ParsedAnswer {
        response: Option<String>,
        stats: Option<serde_json::Value>,
        error: Option<serde_json::Value>,
    }
    let Ok(reply) = from_json::<ParsedAnswer>(printed.output) else {
        return Err(misshapen(printed, "its output is not the JSON that it prints for a reply"));
    };
    let figures = gemini_figures(reply.stats.as_ref());
    if let Some(error) = reply.error {
        let message = error["message"].as_str().unwrap_or("it gives no details");
        let kind = error["code"].as_u64().map_or(FailureKind::Crash, kind_of_status);
        return Err(Failure { figures, ..Failure::new(kind, message) });
    }
    if printed.code != Some(0) {
        return Err(Failure { figures, ..by_code(printed) });
    }
    Ok(AgentAnswer { text: reply.response.unwrap_or_default(), figures })
}

/// The tokens of all models, and the model that wrote most. Thinking counts as written.
fn gemini_figures(stats: Option<&serde_json::Value>) -> Figures {
    let Some(models) = stats.and_then(|stats| stats["models"].as_object()) else {
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
