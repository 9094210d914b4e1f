//! A debate for reading in a terminal: the same as the other reports, as plain text. Cleaned of what steers a terminal.

use std::fmt::Write as _;

use super::checked::undisposed;
use super::model::{BEGINNING_MISSING, Model};
use crate::debate::Phase;
use crate::text;

/// Renders a debate.
#[must_use]
pub fn plain(model: &Model) -> String {
    let mut out = format!("{}\n\n", text::without_controls(model.question.trim()));
    let line = |out: &mut String, name: &str, text: &str| {
        let _ = writeln!(out, "  {name:<10}  {}", text::clean(text, usize::MAX));
    };
    line(&mut out, "id", &model.id);
    line(&mut out, "status", &model.status.replace('_', " "));
    line(&mut out, "started", &model.started_at);
    line(&mut out, "changed", &model.updated_at);
    line(&mut out, "options", &model.about().join(", "));
    if let Some(position) = &model.options.position {
        line(&mut out, "position", position);
    }
    if !model.options.voices.is_empty() {
        line(&mut out, "voices", &model.options.voices.join(", "));
    }
    line(&mut out, "file", &model.files.debate);
    for report in &model.files.reports {
        line(&mut out, "report", report);
    }
    verdict(model, &mut out);
    let mut open = (1, 0);
    for (index, part) in model.sections.iter().enumerate() {
        if part.cycle != open.0 {
            heading(&mut out, &format!("CYCLE {}", part.cycle));
            text(&mut out, model.opening(part.cycle).unwrap_or_default());
            open = (part.cycle, 0);
        }
        for aside in model.steering_before(index) {
            heading(&mut out, "Steering");
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

fn verdict(model: &Model, out: &mut String) {
    heading(out, "VERDICT");
    if let Some(undisposed) = undisposed(&model.ledger) {
        let _ = writeln!(out, "{undisposed}. `anvil claims` shows them.\n");
    }
    if model.synthesis.is_none() {
        out.push_str("There is no synthesis yet.\n");
    } else if model.verdict.recommendation.is_none() {
        out.push_str("The synthesis, below, does not state its recommendation in the usual form.\n");
    } else {
        for (label, said) in model.verdict.lines() {
            let said = said.as_deref().map_or_else(|| "not stated".to_owned(), |said| text::clean(said, usize::MAX));
            let _ = writeln!(out, "{label}: {said}");
        }
    }
}

fn heading(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n── {title} ──\n");
}

fn text(out: &mut String, text: &str) {
    let _ = writeln!(out, "{}", text::without_controls(text.trim_matches('\n')));
}
