//! A debate as plain text for a terminal, without control sequences.

use std::fmt::Write as _;

use super::authored::{author_line, degraded_line};
use super::checked::{contradiction, standing};
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
    let arguments = &model.arguments;
    let id_width = arguments.iter().map(|one| one.id.to_string().len()).max().unwrap_or(0);
    let result_width = arguments.iter().map(|one| result_word(one).len()).max().unwrap_or(0);
    if !model.arguments.is_empty() {
        out.push_str("\n  Arguments\n");
    }
    for argument in model.arguments.iter().take(MOST_ARGUMENTS) {
        let claim = anvil_text::clean(&argument.claim, 400).replace("**", "");
        let became = if result_width == 0 {
            String::new()
        } else {
            format!("{:<result_width$}  ", result_word(argument))
        };
        let label = format!("    {:<id_width$}  {became}", argument.id.to_string());
        out.push_str(&with_label(&label, label.len(), &claim, Some(columns)));
    }
    if let Some(left) = model.arguments.len().checked_sub(MOST_ARGUMENTS).filter(|left| *left > 0) {
        let _ = writeln!(out, "    … and {left} more");
    }
    facts(model, &mut out);
    out
}

/// Empty without a synthesis.
fn result_word(argument: &Argument) -> &'static str {
    argument.result.map_or("", |_| argument.outcome)
}

/// The whole debate.
pub fn plain(model: &Model, columns: Option<usize>) -> String {
    let mut out = head(model, columns);
    facts(model, &mut out);
    claims(model, columns, &mut out);
    let mut open = (1, 0);
    for (index, part) in model.sections.iter().enumerate() {
        if part.cycle != open.0 {
            heading(&mut out, &format!("CYCLE {}", part.cycle));
            body(&mut out, columns, model.opening(part.cycle).unwrap_or_default());
            open = (part.cycle, 0);
        }
        for (title, aside) in model.asides_before(index) {
            heading(&mut out, &title);
            body(&mut out, columns, &aside.text);
        }
        let round =
            part.numbered_round().map_or_else(String::new, |round| format!(", round {round}"));
        heading(&mut out, &format!("{}{round} ({} words)", model.title(index), part.words));
        if part.beginning_missing {
            let _ = writeln!(out, "{BEGINNING_MISSING}\n");
        }
        body(&mut out, columns, &part.text);
    }
    out
}

/// Adds a text of the user or of a reply.
fn body(out: &mut String, columns: Option<usize>, text: &str) {
    let text = anvil_text::without_controls(text.trim_matches('\n'));
    match columns {
        Some(columns) => out.push_str(&anvil_text::wrap_markdown(&text, columns)),
        None => {
            let _ = writeln!(out, "{text}");
        }
    }
}

/// Every claim: its ground and its moves, then its result and the reason.
fn claims(model: &Model, columns: Option<usize>, out: &mut String) {
    if !model.arguments.is_empty() {
        heading(out, "Claims");
    }
    for argument in &model.arguments {
        let ground = argument.ground_and_check();
        let happened = if argument.happened.is_empty() {
            ground
        } else {
            format!("{ground}; {}", argument.happened)
        };
        let why = argument.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let outcome = argument.outcome;
        let judged = model.synthesis.map(|_| format!("{outcome}{why}"));
        let id = argument.id.to_string();
        let lines = [(id.as_str(), argument.claim.clone()), ("", happened)];
        for (word, text) in lines.into_iter().chain(judged.map(|judged| ("", judged))) {
            let text = anvil_text::clean(&text.replace("**", ""), usize::MAX);
            out.push_str(&with_label(word, ID, &text, columns));
        }
    }
}

/// The question and the verdict.
fn head(model: &Model, columns: Option<usize>) -> String {
    let question = anvil_text::clean(model.question.trim(), usize::MAX);
    let mut out = with_label("", 0, &question, columns);
    if let Some(authored) = author_line(&model.authors) {
        out.push_str(&with_label("", 0, &authored, columns));
    }
    out.push('\n');
    if let Some(degraded) = degraded_line(&model.authors) {
        out.push_str(&(with_label("  ", 2, &degraded, columns) + "\n"));
    }
    if let Some(contradicted) = model.synthesis.and_then(|_| contradiction(&model.ledger)) {
        let _ = writeln!(out, "  {contradicted}\n");
    }
    let headline = model.standing.headline();
    if headline.is_empty() {
        out.push_str("  There is no synthesis yet.\n");
    } else {
        let headline = anvil_text::clean(&headline, usize::MAX);
        out.push_str(&with_label("  ", 2, &format!("{headline}."), columns));
    }
    if let Some(verdict) = model.verdict() {
        if let Some(recommendation) = &verdict.recommendation {
            let text = anvil_text::clean(recommendation, usize::MAX).replace("**", "");
            out.push_str(&with_label("  ", 2, &text, columns));
        }
        let steps = model.what_to_do.clone();
        let first = [("Why", verdict.why.clone()), ("What to do", steps)];
        let first = first.into_iter().filter_map(|(label, text)| Some((label, text?)));
        let cautions = verdict.cautions.iter().map(|caution| ("Caution", caution.clone()));
        for (label, text) in first.chain(cautions).chain(verdict.lines()) {
            for (at, paragraph) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
                let label = if at == 0 { format!("  {label}") } else { String::new() };
                let text = anvil_text::clean(paragraph, usize::MAX).replace("**", "");
                out.push_str(&with_label(&label, LABEL, &text, columns));
            }
        }
    }
    if let Some(standing) = standing(&model.ledger) {
        let _ = writeln!(out, "\n  {standing}.");
    }
    if let Some(revised) = &model.revised {
        out.push_str(&with_label("  ", 2, &revised.line, columns));
    }
    for (label, text) in model.record_line().into_iter().chain(model.note_lines()) {
        out.push_str(&with_label(&format!("  {label}"), LABEL, &text, columns));
    }
    out
}

/// A text after its label. Later lines are indented by `indent` columns.
fn with_label(label: &str, indent: usize, text: &str, columns: Option<usize>) -> String {
    let lines = match columns {
        Some(columns) => anvil_text::wrap(text, columns.saturating_sub(indent)),
        None => vec![text.to_owned()],
    };
    format!("{label:<indent$}{}\n", lines.join(&format!("\n{:indent$}", "")))
}

/// The options of the debate, and its files.
fn facts(model: &Model, out: &mut String) {
    out.push('\n');
    let mut lines = vec![
        ("id", model.id.clone()),
        ("status", model.status.word().replace('_', " ")),
        ("started", model.started_at.clone()),
        ("changed", model.updated_at.clone()),
        ("options", model.about().join(", ")),
    ];
    lines.extend(model.options.position.iter().map(|position| ("position", position.clone())));
    if !model.options.voices.is_empty() {
        let name = if model.considered.is_empty() { "voices" } else { "choice of" };
        lines.push((name, model.options.voices.join(", ")));
    }
    lines.push(("file", model.files.debate.clone()));
    lines.extend(model.files.reports.iter().map(|report| ("report", report.clone())));
    for (name, text) in lines {
        let text = anvil_text::clean(&text, usize::MAX);
        out.push_str(&with_label(&format!("  {name}"), LABEL, &text, None));
    }
}

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n── {title} ──\n");
}
