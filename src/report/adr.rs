//! The debate as a record of a decision, in the form of MADR 4.0. It is proposed: who decides is not Anvil.

use std::fmt::Write as _;

use super::checked;
use super::inert::{plain, quoted};
use super::model::Model;
use crate::debate::Seat;
use crate::ledger::{Call, Claim, Disposition, Id};
use crate::text::{self, inert};

/// Renders a debate. `number`: of the record among those of the project.
#[must_use]
pub fn adr(model: &Model, number: Option<u32>) -> String {
    let title = text::clean(&model.question, 200);
    let number = number.map(|number| format!("{number:04}. ")).unwrap_or_default();
    let mut out =
        format!("---\nstatus: proposed\ndate: {}\n---\n\n# {number}{}\n\n", model.day(), title.replace('<', "&lt;"));
    context(model, &title, &mut out);
    options(model, &mut out);
    outcome(model, &mut out);
    consequences(model, &mut out);
    confirmation(model, &mut out);
    more(model, &mut out);
    inert(&(out.trim_end().to_owned() + "\n"))
}

fn context(model: &Model, title: &str, out: &mut String) {
    out.push_str("## Context and Problem Statement\n\n");
    let _ =
        writeln!(out, "{}\n", if title == model.question { plain(title) } else { quoted(&model.question) }.trim_end());
    if let Some(position) = &model.options.position {
        let _ = writeln!(out, "{}:\n\n{}", model.leaned(), quoted(position));
    }
    if let Some(material) = &model.options.context {
        let _ = writeln!(out, "What was argued from: {}\n", line(material));
    }
}

/// What the claims speak for: each side argues one option, and a voice the one that it takes.
fn options(model: &Model, out: &mut String) {
    out.push_str("## Considered Options\n\n");
    let conditional = if model.call() == Some(Call::Depends) { Some("Do it on a condition") } else { None };
    for option in ["Do it", "Do not do it"].into_iter().chain(conditional) {
        let _ = writeln!(out, "* {option}");
    }
    out.push('\n');
}

fn outcome(model: &Model, out: &mut String) {
    out.push_str("## Decision Outcome\n\n");
    let verdict = &model.verdict;
    match (&verdict.recommendation, model.synthesis) {
        (Some(recommendation), _) => {
            let chosen = match model.call() {
                Some(Call::Do) => "Chosen option: \"Do it\".\n\n",
                Some(Call::DoNot) => "Chosen option: \"Do not do it\".\n\n",
                Some(Call::Depends) => "Chosen option: \"Do it on a condition\".\n\n",
                None => "",
            };
            let _ = writeln!(out, "{chosen}{}\n", plain(&text::clean(recommendation, usize::MAX)).trim_end());
        }
        (None, Some(_)) => out.push_str("The synthesis does not state its recommendation in the usual form.\n\n"),
        (None, None) => out.push_str("There is no synthesis yet.\n\n"),
    }
    // The word alone is the chosen option.
    let call = verdict.call_text.as_deref().map(|text| text::clean(text, usize::MAX));
    if let Some(call) = call.filter(|text| !is_word_of(text, model.call())) {
        let _ = writeln!(out, "{}\n", plain(&format!("Verdict: {call}")).trim_end());
    }
    if let Some(confidence) = &verdict.confidence {
        let _ =
            writeln!(out, "{}\n", plain(&format!("Confidence: {}", text::clean(confidence, usize::MAX))).trim_end());
    }
}

/// What carries the chosen option or stands for it is good, what stands against it is bad; to do it on a condition is to do it.
/// A voice's claims are neither.
fn consequences(model: &Model, out: &mut String) {
    let stands = |claim: &&Claim| matches!(claim.disposition, Some(Disposition::Survived | Disposition::Weakened));
    if !model.ledger.claims.iter().any(|claim| stands(&claim)) {
        return;
    }
    out.push_str("### Consequences\n\n");
    for claim in model.ledger.claims.iter().filter(stands) {
        let word = match (model.call(), claim.id.seat()) {
            _ if carriers(model).contains(&claim.id) => "Good",
            (Some(Call::Do | Call::Depends), Seat::Advocate) | (Some(Call::DoNot), Seat::Critic) => "Good",
            (Some(Call::Do | Call::Depends), Seat::Critic) | (Some(Call::DoNot), Seat::Advocate) => "Bad",
            (None, _) | (_, Seat::Voice(_) | Seat::Synthesizer) => "Neutral",
        };
        let weakened = if claim.disposition == Some(Disposition::Weakened) { ", weakened" } else { "" };
        let _ = writeln!(out, "* {word}, because of {}{weakened}: {}", claim.id, line(&claim.sentence));
    }
    out.push('\n');
}

/// True for a verdict that says no more than what was chosen.
fn is_word_of(text: &str, call: Option<Call>) -> bool {
    let said = text.trim_matches(|char: char| !char.is_alphabetic());
    call.is_some_and(|call| said.eq_ignore_ascii_case(call.word()))
}

fn confirmation(model: &Model, out: &mut String) {
    let verdict = &model.verdict;
    let lines = [("Look again if", &verdict.would_flip_if), ("Still unknown", &verdict.still_unknown)];
    if lines.iter().all(|(_, text)| text.is_none()) {
        return;
    }
    out.push_str("### Confirmation\n\n");
    for (label, text) in lines.into_iter().filter_map(|(label, text)| Some((label, text.as_deref()?))) {
        let _ = writeln!(out, "* {label}: {}", line(text));
    }
    out.push('\n');
}

/// The claims that the decision rests on.
fn carriers(model: &Model) -> &[Id] {
    model.ledger.last_synthesis().and_then(|synthesis| synthesis.rests_on.as_deref()).unwrap_or_default()
}

fn more(model: &Model, out: &mut String) {
    out.push_str("## More Information\n\n");
    let mut carriers = carriers(model).iter().filter_map(|id| model.ledger.claim(*id)).peekable();
    if carriers.peek().is_some() {
        out.push_str("The decision rests on:\n\n");
        for claim in carriers {
            let _ = writeln!(
                out,
                "* {}: {} ({}; {})",
                claim.id,
                line(&claim.sentence),
                line(&checked::ground(&claim.ground)),
                checked::outcome(claim.disposition)
            );
        }
        out.push('\n');
    }
    if let Some(undisposed) = checked::undisposed(&model.ledger) {
        let _ = writeln!(out, "{undisposed}.\n");
    }
    let about = model.about().join(", ").replace(['*', '_', '<'], " ");
    let _ = writeln!(out, "Proposed by a structured debate of Anvil, `{}`: {about}.", model.id.replace('`', ""));
}

/// A text as a part of a line.
fn line(text: &str) -> String {
    let line = text::clean(text, 1_000);
    // A sentence that would begin or leave a block is quoted, which a part of a line can't be.
    let shown = plain(&format!("* {line}"));
    shown
        .strip_prefix("* ")
        .map_or_else(|| line.replace(['<', '`', '[', '*', '_'], " "), |shown| shown.trim_end().to_owned())
}
