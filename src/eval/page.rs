//! The page, and the lines for a terminal: the primary result first.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html as markup};

use super::metrics::{Answer, Figures, Measured, Row};
use super::stats::Share;
use crate::report::{GENERATOR, POLICY, STYLE};
use crate::text::{clean, duration, group};

/// Why only the first figure decides.
const EXPLORATORY: &str =
    "Exploratory: only the primary result was fixed before the first request.";

fn percent(share: Share) -> String {
    let Some(value) = share.value() else { return "–".to_owned() };
    let Share { count, of, low, high } = share;
    let (low, high) = (100.0 * low, 100.0 * high);
    format!("{:.0} % ({count} of {of}; {low:.0} to {high:.0})", 100.0 * value)
}

/// The flips that disagreement within a wording does not explain.
fn net(figures: &Figures) -> String {
    match (figures.flips.value(), figures.within.value()) {
        (Some(flips), Some(within)) => format!("{:.0} %", 100.0 * (flips - within)),
        _ => "–".to_owned(),
    }
}

fn points(interval: Option<(f64, f64)>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |(low, high)| format!("{:+.0} to {:+.0} points", 100.0 * low, 100.0 * high),
    )
}

fn p_value(p: Option<f64>) -> String {
    p.map_or_else(|| "–".to_owned(), |p| format!("{p:.3}"))
}

/// A count over planted decisions.
fn planted(figures: &Figures, count: u32) -> String {
    if figures.right.of == 0 { "–".to_owned() } else { count.to_string() }
}

fn dollars(figures: &Figures) -> String {
    let unpriced = figures.spent.unpriced;
    let more = if unpriced > 0 { format!(" and {unpriced} unpriced") } else { String::new() };
    format!("{:.2}{more}", figures.spent.dollars)
}

fn tokens(figures: &Figures) -> String {
    let about = if figures.spent.estimated { "about " } else { "" };
    let short = figures.short;
    let less =
        if short > 0 { format!(", fewer than the debate in {short}") } else { String::new() };
    format!("{about}{}{less}", group(figures.spent.tokens as usize))
}

/// A column: its head, and its cell for an arm.
type Column = (&'static str, fn(&Figures) -> String);

const FLIPS: [Column; 6] = [
    ("flips (95 %)", |one| percent(one.flips)),
    ("against self-consistency (bootstrap, 95 %)", |one| points(one.more_flips)),
    ("known openers", |one| percent(one.flips_known)),
    ("unknown openers", |one| percent(one.flips_unknown)),
    ("disagree within a wording", |one| percent(one.within)),
    ("net", net),
];

const REPAIRS: [Column; 7] = [
    ("right (95 %)", |one| percent(one.right)),
    ("repairs", |one| planted(one, one.repairs)),
    ("damage", |one| planted(one, one.damage)),
    ("McNemar p", |one| p_value(one.mcnemar)),
    ("against single (bootstrap, 95 %)", |one| points(one.gain)),
    ("planted numbers kept", |one| percent(one.kept)),
    ("numbers from nowhere", |one| planted(one, one.strange)),
];

const TOOK: [Column; 7] = [
    ("answers", |one| one.answers.to_string()),
    ("tokens", tokens),
    ("dollars", dollars),
    ("time", |one| duration(one.spent.millis / 1_000)),
    ("asked again", |one| one.spent.asked_again.to_string()),
    ("degraded", |one| one.degraded.to_string()),
    ("false quotes", |one| one.false_quotes.map_or("–".to_owned(), |count| count.to_string())),
];

fn table(arms: &[Figures], columns: &[Column]) -> Markup {
    markup! {
        table {
            thead { tr { th { "arm" } @for (head, _) in columns { th { (head) } } } }
            tbody {
                @for figures in arms {
                    tr { th { (figures.arm.name()) } @for (_, cell) in columns { td { (cell(figures)) } } }
                }
            }
        }
    }
}

pub(super) fn html(measured: &Measured) -> String {
    let agent = clean(&measured.plan.agent, 80);
    let page = markup! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={(GENERATOR) " " (env!("CARGO_PKG_VERSION"))};
                title { "Does it help? " (agent) }
                style { (PreEscaped(STYLE)) "table{border-collapse:collapse;font-size:.9rem}th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left}.wide{overflow-x:auto}" }
            }
            body {
                header { h1 { "Does a debate help? " (agent) } }
                div class="page" { main {
                    (primary(measured))
                    h2 { "Repairs and damage, on planted decisions" }
                    p class="quiet" { (EXPLORATORY) }
                    div class="wide" { (table(&measured.arms, &REPAIRS)) }
                    h2 { "Flips, on framing questions" }
                    div class="wide" { (table(&measured.arms, &FLIPS)) }
                    @if measured.plan.size.samples < 2 {
                        p class="quiet" { "Disagreement within a wording needs --samples 2." }
                    }
                    h2 { "What it took" }
                    div class="wide" { (table(&measured.arms, &TOOK)) }
                    h2 { "Confidence" }
                    @for figures in &measured.arms { (confidence(figures)) }
                    h2 { "Every case" }
                    @for row in &measured.cases { (case(row)) }
                    (plan(measured))
                } }
            }
        }
    };
    page.into_string()
}

fn primary(measured: &Measured) -> Markup {
    let primary = &measured.primary;
    markup! {
        section class="card" {
            h2 { "Primary result" }
            p class="figure" { (primary.verdict) }
            p { (counts(measured)) }
            p class="quiet" { (measured.plan.hypothesis) }
        }
    }
}

fn counts(measured: &Measured) -> String {
    let primary = &measured.primary;
    format!(
        "e-value {:.2} after {} pairs (20 decides): only the debate flipped in {}, only \
         self-consistency in {} (McNemar p {}). {} of {} cases are whole.",
        primary.e_value,
        primary.race.pairs,
        primary.race.only_first,
        primary.race.only_second,
        p_value(primary.mcnemar),
        measured.whole,
        measured.planned
    )
}

fn confidence(figures: &Figures) -> Markup {
    let bins = figures.bins.iter().map(|bin| {
        let (low, high) = (100.0 * bin.low, 100.0 * bin.high);
        let share = format!("{} of {} right ({low:.0} to {high:.0} %)", bin.right, bin.count);
        format!("said {} to {} %: {share}", bin.from, bin.to)
    });
    let steps = figures.steps.iter().map(|(steps, (right, mean))| {
        let mean = mean.map_or("–".to_owned(), |mean| format!("{mean:.0} %"));
        format!("{steps} steps: right {}, mean confidence {mean}", percent(*right))
    });
    let lines: Vec<String> = bins.chain(steps).collect();
    let count: u32 = figures.bins.iter().map(|bin| bin.count).sum();
    let shared = figures.brier_shared.map(|(brier, cases)| {
        format!("; {brier:.3} on the {cases} for which every arm states a confidence")
    });
    markup! {
        @if let Some(brier) = figures.brier {
            p {
                b { (figures.arm.name()) } ": Brier score " (format!("{brier:.3}"))
                " on " (count) " of " (figures.right.of) " cases" (shared.unwrap_or_default())
            }
            ul { @for line in &lines { li { (line) } } }
        }
    }
}

fn case(row: &Row) -> Markup {
    let truth =
        row.truth.map(|is| if is { "; the answer is do" } else { "; the answer is do not" });
    markup! {
        details {
            summary { (row.case) ": " (clean(&row.decision, 200)) (truth.unwrap_or_default()) }
            ul { @for answer in &row.answers { li { (one(answer)) } } }
        }
    }
}

fn one(answer: &Answer) -> Markup {
    let Answer { unit, outcome, record, .. } = answer;
    let verdict = outcome.as_ref().map_or("not over".to_owned(), |outcome| {
        let verdict = clean(&outcome.verdict, 60);
        let verdict = if verdict.is_empty() { "no verdict".to_owned() } else { verdict };
        let sure = outcome.confidence.map_or(String::new(), |percent| format!(", {percent} %"));
        let why =
            outcome.degraded.as_deref().map(|why| format!(" (degraded: {})", clean(why, 200)));
        format!("{verdict}{sure}{}", why.unwrap_or_default())
    });
    let wording = format!("{:?} {}", unit.wording, unit.sample).to_lowercase();
    markup! { (unit.arm.name()) ", " (wording) ": " (verdict) " · " a href={ (record) "/" } { "record" } }
}

fn plan(measured: &Measured) -> Markup {
    let plan = &measured.plan;
    let lines = plan.versions.iter().chain(&plan.hashes);
    let models: std::collections::BTreeSet<&String> = measured
        .cases
        .iter()
        .flat_map(|row| &row.answers)
        .filter_map(|answer| answer.outcome.as_ref())
        .flat_map(|outcome| &outcome.models)
        .collect();
    markup! {
        h2 { "What was measured" }
        ul {
            li { "Seed " (plan.size.seed) ", begun " (plan.began) }
            li { (plan.size.framing) " framing questions, " (plan.size.planted) " planted decisions, " (plan.size.samples) " samples" }
            @if let Some(critic) = &plan.critic { li { "Critic of the two families: " (clean(critic, 80)) } }
            @for model in models { li { "Model: " (clean(model, 80)) } }
            @for (name, value) in lines { li { (clean(name, 60)) ": " (clean(value, 120)) } }
        }
    }
}

/// The figures in a few lines.
pub(super) fn lines(measured: &Measured) -> String {
    let mut out = format!("{}\n  {}\n", measured.primary.verdict, counts(measured));
    for one in &measured.arms {
        let (flips, right, kept) = (percent(one.flips), percent(one.right), percent(one.kept));
        let quotes = one.false_quotes.map_or("–".to_owned(), |count| count.to_string());
        let Figures { repairs, damage, degraded, .. } = one;
        let _ = writeln!(out, "  {}: flips {flips}, right {right}", one.arm.name());
        let _ = writeln!(
            out,
            "    repairs {repairs}, damage {damage}, planted numbers kept {kept}, false quotes \
             {quotes}, degraded {degraded}; {} tokens, {} dollars",
            tokens(one),
            dollars(one)
        );
    }
    out
}
