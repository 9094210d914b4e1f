//! A debate for reading in a terminal: the same as the other reports, as plain text. Cleaned of what steers a terminal.

use std::fmt::Write as _;

use super::arguments::Argument;
use super::checked::{contradicted, ground, outcome, undisposed};
use super::model::{BEGINNING_MISSING, Model};
use crate::debate::Phase;
use crate::ledger::Disposition;
use crate::text;

/// Columns before what the verdict and the facts say.
const LABEL: usize = 16;

/// Columns before what is said of a claim: its id, and two spaces.
const ID: usize = 8;

/// Most arguments of a summary.
const MOST_ARGUMENTS: usize = 40;

/// A debate on a screen: its verdict, and what became of each argument.
#[must_use]
pub fn summary(model: &Model, columns: usize) -> String {
    let mut out = head(model, Some(columns));
    let word = |argument: &Argument| argument.disposition.map_or("", Disposition::word);
    let widest = |of: &dyn Fn(&Argument) -> usize| model.arguments.iter().map(of).max().unwrap_or(0);
    let (number, said) = (widest(&|one| one.id.to_string().len()), widest(&|one| word(one).len()));
    if !model.arguments.is_empty() {
        out.push_str("\n  Arguments\n");
    }
    for argument in model.arguments.iter().take(MOST_ARGUMENTS) {
        let claim = text::clean(&argument.claim, 400).replace("**", "");
        let became = if said == 0 { String::new() } else { format!("{:<said$}  ", word(argument)) };
        let line = format!("    {:<number$}  {became}{claim}", argument.id.to_string());
        let _ = writeln!(out, "{}", text::fit(&line, columns));
    }
    if let Some(left) = model.arguments.len().checked_sub(MOST_ARGUMENTS).filter(|left| *left > 0) {
        let _ = writeln!(out, "    … and {left} more");
    }
    facts(model, &mut out);
    let _ = write!(out, "\n  `anvil show {0} --full` shows every reply, `anvil open {0}` its page.", handle(&model.id));
    out
}

/// All of a debate.
#[must_use]
pub fn plain(model: &Model, columns: Option<usize>) -> String {
    let mut out = head(model, columns);
    facts(model, &mut out);
    claims(model, columns, &mut out);
    let text = |out: &mut String, text: &str| {
        let text = text::without_controls(text.trim_matches('\n'));
        let text = columns.map_or_else(|| format!("{text}\n"), |columns| text::wrap_markdown(&text, columns));
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
        let round = match part.of {
            Phase::Advocate | Phase::Critic => format!(", round {}", part.round),
            Phase::Stakeholder | Phase::Persona | Phase::Synthesizer => String::new(),
        };
        heading(&mut out, &format!("{}{round} ({} words)", model.title(index), part.words));
        if part.beginning_missing {
            let _ = writeln!(out, "{BEGINNING_MISSING}\n");
        }
        text(&mut out, &part.text);
    }
    out
}

/// Every claim: its ground and what happened to it; what the synthesis says of it, and why.
fn claims(model: &Model, columns: Option<usize>, out: &mut String) {
    if !model.arguments.is_empty() {
        heading(out, "Claims");
    }
    for argument in &model.arguments {
        let ground = ground(&argument.ground);
        let happened = if argument.happened.is_empty() { ground } else { format!("{ground}; {}", argument.happened) };
        let why = argument.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let judged = model.synthesis.is_some().then(|| format!("{}{why}", outcome(argument.disposition)));
        let id = argument.id.to_string();
        for (word, said) in [(id.as_str(), Some(argument.claim.clone())), ("", Some(happened)), ("", judged)] {
            let Some(said) = said else { continue };
            let said = text::clean(&said.replace("**", ""), usize::MAX);
            let lines =
                columns.map_or_else(|| vec![said.clone()], |columns| text::wrap(&said, columns.saturating_sub(ID)));
            let _ = writeln!(out, "{word:<ID$}{}", lines.join(&format!("\n{:ID$}", "")));
        }
    }
}

/// The question and the verdict.
fn head(model: &Model, columns: Option<usize>) -> String {
    let wrapped = |text: &str, columns: Option<usize>| match columns {
        Some(columns) => text::wrap(text, columns),
        None => vec![text.to_owned()],
    };
    let question = text::clean(model.question.trim(), usize::MAX);
    let mut out = wrapped(&question, columns).join("\n") + "\n\n";
    if let Some(undisposed) = undisposed(&model.ledger) {
        let _ = writeln!(out, "  {undisposed}. `anvil claims` shows them.\n");
    }
    if let Some(contradicted) = model.synthesis.and_then(|_| contradicted(&model.ledger)) {
        let _ = writeln!(out, "  {contradicted}\n");
    }
    if model.synthesis.is_none() {
        out.push_str("  There is no synthesis yet.\n");
    } else if model.verdict.recommendation.is_none() {
        out.push_str("  The synthesis does not state its recommendation in the usual form.\n");
    } else {
        for (label, said) in model.verdict.lines() {
            let said = said.as_deref().map_or_else(|| "not stated".to_owned(), |said| text::clean(said, usize::MAX));
            let said = wrapped(&said.replace("**", ""), columns.map(|columns| columns.saturating_sub(LABEL + 2)));
            let indent = format!("\n{:LABEL$}  ", "");
            let _ = writeln!(out, "  {label:<LABEL$}{}", said.join(&indent));
        }
    }
    out
}

/// What the debate is, and where it lies.
fn facts(model: &Model, out: &mut String) {
    out.push('\n');
    let mut line = |name: &str, said: &str| {
        let _ = writeln!(out, "  {name:<LABEL$}{}", text::clean(said, usize::MAX));
    };
    line("id", &model.id);
    line("status", &model.status.replace('_', " "));
    line("started", &model.started_at);
    line("changed", &model.updated_at);
    line("options", &model.about().join(", "));
    if let Some(position) = &model.options.position {
        line("position", position);
    }
    if !model.options.voices.is_empty() {
        line("voices", &model.options.voices.join(", "));
    }
    line("file", &model.files.debate);
    for report in &model.files.reports {
        line("report", report);
    }
}

/// What an id ends with, which names it on a command line.
fn handle(id: &str) -> &str {
    id.rsplit_once('-').map(|(_, end)| end).filter(|end| end.len() == 4).unwrap_or(id)
}

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n── {title} ──\n");
}
