//! A debate as plain text for a terminal, without control sequences.

use std::fmt::Write as _;

use super::authored::{authored, degraded_line};
use super::checked::{contradicted, ground, outcome, standing};
use super::model::Argument;
use super::model::{BEGINNING_MISSING, Model};

/// Columns before the lines of the verdict and the facts: two spaces, and the label.
const LABEL: usize = 18;

/// Columns before the lines on a claim: its id, and two spaces.
const ID: usize = 8;

/// Most claims in a summary.
const MOST_ARGUMENTS: usize = 40;

/// A debate on a screen: its verdict, and the result of each claim.
pub fn summary(model: &Model, columns: usize) -> String {
    let mut out = head(model, Some(columns));
    let word =
        |one: &Argument| one.result.map_or("", |_| outcome(one.status, one.result, one.answered));
    let widest =
        |of: &dyn Fn(&Argument) -> usize| model.arguments.iter().map(of).max().unwrap_or(0);
    let id_width = widest(&|one| one.id.to_string().len());
    let result_width = widest(&|one| word(one).len());
    if !model.arguments.is_empty() {
        out.push_str("\n  Arguments\n");
    }
    for argument in model.arguments.iter().take(MOST_ARGUMENTS) {
        let claim = anvil_text::clean(&argument.claim, 400).replace("**", "");
        let became = if result_width == 0 {
            String::new()
        } else {
            format!("{:<result_width$}  ", word(argument))
        };
        let label = format!("    {:<id_width$}  {became}", argument.id.to_string());
        out.push_str(&beside(&label, label.len(), &claim, Some(columns)));
    }
    if let Some(left) = model.arguments.len().checked_sub(MOST_ARGUMENTS).filter(|left| *left > 0) {
        let _ = writeln!(out, "    … and {left} more");
    }
    facts(model, &mut out);
    out
}

/// The whole debate.
pub fn plain(model: &Model, columns: Option<usize>) -> String {
    let mut out = head(model, columns);
    facts(model, &mut out);
    claims(model, columns, &mut out);
    let text = |out: &mut String, text: &str| {
        let text = anvil_text::without_controls(text.trim_matches('\n'));
        let text = columns.map_or_else(
            || format!("{text}\n"),
            |columns| anvil_text::wrap_markdown(&text, columns),
        );
        out.push_str(&text);
    };
    let mut open = (1, 0);
    for (index, part) in model.sections.iter().enumerate() {
        if part.cycle != open.0 {
            heading(&mut out, &format!("CYCLE {}", part.cycle));
            text(&mut out, model.opening(part.cycle).unwrap_or_default());
            open = (part.cycle, 0);
        }
        for (title, aside) in model.asides_before(index) {
            heading(&mut out, &title);
            text(&mut out, &aside.text);
        }
        let round = part.numbered_round().map(|round| format!(", round {round}"));
        let round = round.unwrap_or_default();
        heading(&mut out, &format!("{}{round} ({} words)", model.title(index), part.words));
        if part.beginning_missing {
            let _ = writeln!(out, "{BEGINNING_MISSING}\n");
        }
        text(&mut out, &part.text);
    }
    out
}

/// Every claim: its ground and its moves; its result, and the reason.
fn claims(model: &Model, columns: Option<usize>, out: &mut String) {
    if !model.arguments.is_empty() {
        heading(out, "Claims");
    }
    for argument in &model.arguments {
        let ground = ground(&argument.ground);
        let happened = if argument.happened.is_empty() {
            ground
        } else {
            format!("{ground}; {}", argument.happened)
        };
        let why = argument.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let outcome = outcome(argument.status, argument.result, argument.answered);
        let judged = model.synthesis.map(|_| format!("{outcome}{why}"));
        let id = argument.id.to_string();
        let lines = [("", happened)].into_iter().chain(judged.map(|judged| ("", judged)));
        for (word, text) in [(id.as_str(), argument.claim.clone())].into_iter().chain(lines) {
            let text = anvil_text::clean(&text.replace("**", ""), usize::MAX);
            out.push_str(&beside(word, ID, &text, columns));
        }
    }
}

/// The question and the verdict.
fn head(model: &Model, columns: Option<usize>) -> String {
    let question = anvil_text::clean(model.question.trim(), usize::MAX);
    let mut out = beside("", 0, &question, columns);
    if let Some(authored) = authored(&model.authors) {
        out.push_str(&beside("", 0, &authored, columns));
    }
    out.push('\n');
    if let Some(degraded) = degraded_line(&model.authors) {
        out.push_str(&(beside("  ", 2, &degraded, columns) + "\n"));
    }
    if let Some(contradicted) = model.synthesis.and_then(|_| contradicted(&model.ledger)) {
        let _ = writeln!(out, "  {contradicted}\n");
    }
    if model.synthesis.is_none() {
        out.push_str("  There is no synthesis yet.\n");
    } else {
        let recommendation = model.verdict.recommendation.clone();
        let recommendation = recommendation.map(|text| ("Recommendation", text));
        for (label, text) in recommendation.into_iter().chain(model.verdict.lines()) {
            let text = anvil_text::clean(&text, usize::MAX);
            out.push_str(&beside(&format!("  {label}"), LABEL, &text.replace("**", ""), columns));
        }
    }
    if let Some(standing) = standing(&model.ledger) {
        let _ = writeln!(out, "\n  {standing}.");
    }
    if let Some(revised) = &model.revised {
        out.push_str(&beside("  ", 2, &revised.line, columns));
    }
    for (label, text) in model.noted() {
        out.push_str(&beside(&format!("  {label}"), LABEL, &text, columns));
    }
    out
}

/// A text after its label. Its further lines are indented by `indent` columns.
fn beside(label: &str, indent: usize, text: &str, columns: Option<usize>) -> String {
    let lines = match columns {
        Some(columns) => anvil_text::wrap(text, columns.saturating_sub(indent)),
        None => vec![text.to_owned()],
    };
    format!("{label:<indent$}{}\n", lines.join(&format!("\n{:indent$}", "")))
}

/// The options of the debate, and its files.
fn facts(model: &Model, out: &mut String) {
    out.push('\n');
    let mut line = |name: &str, text: &str| {
        out.push_str(&beside(
            &format!("  {name}"),
            LABEL,
            &anvil_text::clean(text, usize::MAX),
            None,
        ));
    };
    line("id", &model.id);
    line("status", &model.status.word().replace('_', " "));
    line("started", &model.started_at);
    line("changed", &model.updated_at);
    line("options", &model.about().join(", "));
    if let Some(position) = &model.options.position {
        line("position", position);
    }
    if !model.options.voices.is_empty() {
        let name = if model.considered.is_empty() { "voices" } else { "choice of" };
        line(name, &model.options.voices.join(", "));
    }
    line("file", &model.files.debate);
    for report in &model.files.reports {
        line("report", report);
    }
}

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n── {title} ──\n");
}
