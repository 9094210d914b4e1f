//! Reads a program's output: the reply and its cost, or the kind of failure.

use super::own_words::OwnWords;
use super::printed::{AgentAnswer, Failure, OutputFormat, Printed, by_code};
use super::thinking::without_thinking;
use super::{claude, codex, gemini, opencode};
use anvil_core::attempt::FailureKind;
use anvil_text::from_json;

/// Reads the output of a program that ended by itself.
pub fn answer(output: OutputFormat, printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let answer = match output {
        OutputFormat::Text => plain(printed),
        OutputFormat::Claude => claude::answer(printed),
        OutputFormat::Codex => codex::answer(printed),
        OutputFormat::Gemini => gemini::answer(printed),
        OutputFormat::Opencode => opencode::answer(printed),
    };
    let answer = answer
        .map_err(|failure| Failure { figures: failure.figures.within_bounds(), ..failure })?;
    let figures = answer.figures.within_bounds();
    let text = without_thinking(&answer.text);
    if text.trim().is_empty() {
        let empty = if answer.text.trim().is_empty() {
            empty(printed)
        } else {
            Failure::new(FailureKind::Empty, "it wrote down its thinking and no reply")
        };
        return Err(Failure { figures, ..empty });
    }
    Ok(AgentAnswer { text: text.to_owned(), figures })
}

/// The failure of a program that ended well and has no reply.
fn empty(printed: &Printed<'_>) -> Failure {
    let own = if printed.output.trim_ascii().is_empty() {
        OwnWords::of(printed)
    } else {
        OwnWords::default()
    };
    let is_silent = own.message.is_empty();
    let message = if is_silent { "it succeeded but wrote nothing" } else { &own.message };
    Failure::new(own.kind.unwrap_or(FailureKind::Empty), message)
}

/// The reply as far as it is written, to count its words.
pub fn words_so_far(output: OutputFormat, printed: &[u8]) -> usize {
    match output {
        OutputFormat::Text => {
            anvil_core::transcript::count_words(&String::from_utf8_lossy(printed))
        }
        OutputFormat::Claude => claude::words_so_far(printed),
        OutputFormat::Codex | OutputFormat::Gemini | OutputFormat::Opencode => 0,
    }
}

/// The reply of a program that prints nothing else. An error in its place is no reply.
fn plain(printed: &Printed<'_>) -> Result<AgentAnswer, Failure> {
    let error = from_json(printed.output).ok().and_then(|object| OwnWords::of_object(&object));
    if printed.code != Some(0) || error.is_some() {
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
