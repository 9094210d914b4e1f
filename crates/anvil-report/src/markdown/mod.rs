//! The report as Markdown, for an ADR or a pull request: the verdict, the synthesis, and the folded
//! record.

pub mod adr;
pub(crate) mod buildable;
pub mod card;
pub(crate) mod inert;

pub use adr::{adr, decision_line};
pub use card::{PastVerdict, card};

use std::fmt::Write as _;

use crate::authored::{author_line, degraded_line};
use crate::checked;
use crate::mark::{BYLINE, mark};
use crate::model::judges::rows;
use crate::model::{Argument, BEGINNING_MISSING, Model, POSITION};
use anvil_core::ledger::without_block;
use anvil_text::{inert, number_of};
use inert::{paragraph, plain, quote_without_html};

/// Renders a debate. The text may be pasted into an issue: it notifies no user, links to no issue
/// or commit, and loads nothing.
pub fn markdown(model: &Model) -> String {
    let mut out = head(model);
    document(model, &mut out);
    plan(model, &mut out);
    claims(model, &mut out);
    judges(model, &mut out);
    if !model.sections.is_empty() {
        record(model, &mut out);
    }
    mark(&inert(&out))
}

/// The report without the record: the question, the verdict and the synthesis.
pub fn brief(model: &Model) -> String {
    inert(&head(model))
}

/// A text as a block quote for an issue: it notifies no user, and its HTML is shown as text.
pub fn block_quote(text: &str) -> String {
    inert(&quote_without_html(text))
}

fn head(model: &Model) -> String {
    let mut out = String::with_capacity(
        model.sections.iter().map(|part| part.text.len() + 64).sum::<usize>() + 2048,
    );
    let title = anvil_text::clean(&model.question, 200);
    let _ = writeln!(out, "# {}\n", title.replace('<', "&lt;"));
    if title != model.question {
        let _ = writeln!(out, "{}", quote_without_html(&model.question));
    }
    // A star would end the emphasis.
    let about = model.about().join(", ").replace(['*', '_', '<'], " ");
    let _ = writeln!(out, "{BYLINE}{}: {about}.*\n", model.day());
    if let Some(authored) = author_line(&model.authors) {
        paragraph(&format!("{authored}."), &mut out);
    }
    if let Some(position) = &model.options.position {
        let _ = writeln!(out, "{}:\n\n{}", POSITION, quote_without_html(position));
    }
    verdict(model, &mut out);
    out
}

fn verdict(model: &Model, out: &mut String) {
    out.push_str("## Verdict\n\n");
    if let Some(degraded) = degraded_line(&model.authors) {
        paragraph(&degraded, out);
    }
    let Some(synthesis) = model.synthesis_text() else {
        out.push_str("*There is no synthesis yet.*\n\n");
        return;
    };
    if let Some(contradicted) = checked::contradiction(&model.ledger) {
        paragraph(&contradicted, out);
    }
    paragraph(&format!("**{}.**", model.standing.headline().replace('*', r"\*")), out);
    if let Some(verdict) = model.verdict() {
        let first = [("Recommendation", &verdict.recommendation), ("Why", &verdict.why)];
        let first = first.into_iter().filter_map(|(label, text)| Some((label, text.clone()?)));
        let cautions = verdict.cautions.iter().map(|caution| ("Caution", caution.clone()));
        for (label, text) in first.chain(cautions).chain(verdict.lines()) {
            // The names of options are no Markdown.
            let text = if label == "Ranking" { text.replace('*', r"\*") } else { text };
            paragraph(&format!("**{label}:** {text}"), out);
        }
    }
    if let Some(standing) = checked::standing(&model.ledger) {
        let _ = writeln!(out, "{standing}.\n");
    }
    for (label, text) in model.record_line().into_iter().chain(model.note_lines()) {
        paragraph(&format!("**{label}:** {text}"), out);
    }
    if model.synthesis_lacks_beginning() {
        let _ = writeln!(out, "*{BEGINNING_MISSING}*\n");
    }
    // Without a verdict, the block may show why.
    let remaining =
        if model.verdict().is_some() { without_block(synthesis) } else { synthesis.to_owned() };
    if !remaining.trim().is_empty() {
        let _ = writeln!(out, "## Synthesis\n\n{}\n", plain(&remaining).trim_end());
    }
}

/// The changes of the document, each with its objection, and the objections that stand.
fn document(model: &Model, out: &mut String) {
    let Some(revised) = &model.revised else { return };
    let _ = writeln!(out, "## Document\n");
    paragraph(&revised.line, out);
    for objection in revised.objections.iter().filter(|objection| objection.stands()) {
        let weight = if objection.blocks { "blocks" } else { "minor" };
        paragraph(
            &format!("- **{}** stands ({weight}): {}", objection.id, objection.sentence),
            out,
        );
    }
    for change in revised.changes.iter().filter(|change| change.unmade.is_none()) {
        let answers = change.answers.map_or_else(String::new, |id| format!(", for {id}"));
        let line = change.line.unwrap_or_default();
        let mut diff = String::new();
        for (sign, text) in [('-', &change.old), ('+', &change.new)] {
            for line in text.lines() {
                let _ = writeln!(diff, "{sign} {line}");
            }
        }
        let fence = "`".repeat(anvil_text::longest_run(&diff).max(2) + 1);
        let _ = writeln!(
            out,
            "Line {line}, round {}{answers}:\n\n{fence}diff\n{diff}{fence}\n",
            change.round
        );
    }
}

/// The plan as it was revised; the synthesis above has the changes.
fn plan(model: &Model, out: &mut String) {
    let Some(after) = model.plan.as_ref().and_then(|plan| plan.after.as_ref()) else { return };
    let fence = "`".repeat(anvil_text::longest_run(after).max(2) + 1);
    let _ = writeln!(out, "## Revised plan\n\n{fence}markdown\n{after}\n{fence}\n");
}

/// A table of the claims, and the findings below it.
fn claims(model: &Model, out: &mut String) {
    let findings = model.finding_sentences();
    if model.arguments.is_empty() && findings.is_empty() {
        return;
    }
    out.push_str("## Claims\n\n");
    let mut table =
        String::from("| Claim | Ground | What happened | Result, and why |\n|---|---|---|---|\n");
    for argument in &model.arguments {
        let why = argument.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let ground = argument.ground_and_check();
        let outcome = argument.outcome;
        let [claim, ground, why] = [&argument.claim, &ground, &why].map(|text| cell(text));
        let Argument { id, happened, .. } = argument;
        let _ = writeln!(table, "| **{id}** {claim} | {ground} | {happened} | {outcome}{why} |");
    }
    if !model.arguments.is_empty() {
        let _ = writeln!(out, "{}\n", plain(&table).trim_end());
    }
    if findings.is_empty() && !model.standing.cautions().is_empty() {
        return;
    }
    out.push_str("### Checked by Anvil\n\n");
    if findings.is_empty() {
        out.push_str("*Ids, quotes, grants and the account of the synthesis: nothing is wrong.*\n");
    }
    let list: Vec<String> =
        findings.iter().map(|finding| format!("* {}", anvil_text::clean(finding, 1_000))).collect();
    paragraph(&list.join("\n"), out);
}

/// The judgments, side by side.
fn judges(model: &Model, out: &mut String) {
    let rows = rows(model);
    let Some((head, rows)) = rows.split_first() else { return };
    let _ = writeln!(out, "## Judges\n\n| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
}

/// A text inside a cell: a bar would end it.
fn cell(text: &str) -> String {
    anvil_text::clean(text, 2_000).replace('|', "&#124;")
}

fn record(model: &Model, out: &mut String) {
    // The synthesis is shown above.
    let replies = model.sections.len() - usize::from(model.synthesis.is_some());
    let replies = number_of(replies, "reply", "replies");
    let _ = writeln!(out, "## Record\n\n<details>\n<summary>The whole debate: {replies}</summary>");
    let mut open = (1, 0);
    for (index, part) in model.sections.iter().enumerate() {
        if part.cycle != open.0 {
            open = (part.cycle, 0);
            let _ = writeln!(out, "\n### Cycle {}", part.cycle);
            if let Some(opening) = model.opening(part.cycle) {
                let _ = writeln!(out, "\n{}", quote_without_html(opening).trim_end());
            }
        }
        if let Some(round) = part.numbered_round().filter(|round| *round != open.1) {
            open.1 = round;
            let _ = writeln!(out, "\n### Round {round}");
        }
        asides(model, index, out);
        // The last synthesis is shown above.
        if Some(index) == model.synthesis {
            continue;
        }
        let title = model.title(index).replace('<', "&lt;");
        let _ = writeln!(out, "\n#### {title}\n");
        if part.beginning_missing {
            let _ = writeln!(out, "*{BEGINNING_MISSING}*\n");
        }
        let _ = writeln!(out, "{}", quote_without_html(&part.text).trim_end());
    }
    asides(model, model.sections.len(), out);
    out.push_str("\n</details>\n");
}

/// The user's directions, the checks and the judgments before a section.
fn asides(model: &Model, section: usize, out: &mut String) {
    for (title, note) in model.asides_before(section) {
        let _ = writeln!(
            out,
            "\n#### {title}\n\n{}",
            quote_without_html(&note.paragraphs()).trim_end()
        );
    }
}
