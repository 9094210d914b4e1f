//! The page, and the lines for a terminal. The finding comes first.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html as markup};

use super::log::EvalPlan;
use super::metrics::{ArmFigures, Measured};
use super::primary::{Primary, number};
use super::stats::{Mean, STOP, Share};
use super::tasks::Arm;
use anvil_report::{GENERATOR, POLICY, STYLE};
use anvil_text::{clean, duration, group};

/// Tables that a telephone shows as a list for each arm.
const TABLES: &str = "body{max-width:none}.page{display:block;max-width:78rem;margin:auto}\
    .finding{font-size:1.4rem;font-weight:600;line-height:1.3;margin:0}\
    table{border-collapse:collapse;font-size:.9rem;width:100%}\
    th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left}\
    @media(max-width:60rem){table,tbody,tr,th,td{display:block;border:0}thead{display:none}\
    tr{border:1px solid var(--line);margin:.6rem 0;padding:.3rem}\
    td::before{content:attr(data-head) \": \";opacity:.75}}";

const NOT_SHOWN: [&str; 5] = [
    "That the verdicts are right: sway says only how much the asker decides. No asker sways a \
     coin. The planted decisions below have a right answer.",
    "That it holds for another model, another version, or for decisions like yours.",
    "What a person would do with the debate's reasons: only its verdict counts here.",
    "Anything by the other figures: only the first result was fixed before the first request. The \
     conversation is described, and decides nothing.",
    "A result that was chosen from several measurements. `anvil-eval report DIR1 DIR2` pools them.",
];

fn percent(share: Share) -> String {
    let Some(value) = share.value() else { return "–".to_owned() };
    let low = 100.0 * share.low;
    let high = 100.0 * share.high;
    let count = number(share.count);
    format!("{:.0} % ({count} of {}; {low:.0} to {high:.0})", 100.0 * value, share.of)
}

/// Without the count.
fn about(share: Share) -> String {
    let Some(value) = share.value() else { return "–".to_owned() };
    let [value, low, high] = [value, share.low, share.high].map(|part| 100.0 * part);
    format!("{value:.0} % ({low:.0} to {high:.0})")
}

fn signed(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:+.2}"))
}

fn mean(mean: Option<Mean>) -> String {
    let interval = mean.and_then(|mean| mean.interval);
    let interval = interval.map(|(low, high)| format!(" ({low:+.2} to {high:+.2})"));
    signed(mean.map(|mean| mean.value)) + &interval.unwrap_or_default()
}

/// A count over planted decisions.
fn planted(figures: &ArmFigures, count: u32) -> String {
    if figures.right.of == 0 { "–".to_owned() } else { count.to_string() }
}

fn dollars(figures: &ArmFigures) -> String {
    let unpriced = figures.spent.unpriced;
    let more = if unpriced > 0 { format!(" and {unpriced} unpriced") } else { String::new() };
    format!("{:.2}{more}", figures.spent.dollars)
}

fn tokens(figures: &ArmFigures) -> String {
    let about = if figures.spent.estimated { "about " } else { "" };
    let short = figures.short;
    let less =
        if short > 0 { format!(", fewer than the debate in {short}") } else { String::new() };
    format!("{about}{}{less}", group(figures.spent.tokens as usize))
}

/// `5`, `5 to 7`.
fn answers_each(figures: &ArmFigures) -> String {
    match figures.answers_each {
        None => "–".to_owned(),
        Some((least, most)) if least == most => least.to_string(),
        Some((least, most)) => format!("{least} to {most}"),
    }
}

/// A column: its head, and its cell for an arm.
type FigureColumn = (&'static str, fn(&ArmFigures) -> String);

const SWAY: [FigureColumn; 9] = [
    ("framing questions", |one| one.sway.mean.map_or(0, |mean| mean.of).to_string()),
    ("answers to each", answers_each),
    ("sway, -1 to 1 (95 %)", |one| mean(one.sway.mean)),
    ("gave both askers the answer they want", |one| one.sway.with.to_string()),
    ("gave both the opposite", |one| one.sway.against.to_string()),
    ("do (95 %)", |one| about(one.sway.share_of_do)),
    ("no do or do not (95 %)", |one| about(one.sway.undecided)),
    ("sway, openers that Anvil takes away", |one| signed(one.sway_known)),
    ("sway, other openers", |one| signed(one.sway_unknown)),
];

/// With `--neutral`.
const NEUTRAL: FigureColumn = ("do, neutral wording (95 %)", |one| about(one.neutral));

const REPAIRS: [FigureColumn; 10] = [
    ("right (95 %)", |one| percent(one.right)),
    ("repairs", |one| planted(one, one.repairs)),
    ("damage", |one| planted(one, one.damage)),
    ("McNemar p", |one| one.mcnemar.map_or("–".to_owned(), |p| format!("{p:.3}"))),
    ("right, less the single answer's (95 %)", |one| mean(one.gain)),
    ("right, facts split between the seats (95 %)", |one| percent(one.right_split)),
    ("deciding numbers kept (95 %)", |one| about(one.kept)),
    ("numbers from nowhere", |one| planted(one, one.strange)),
    ("mean confidence", |one| {
        one.confidence.map_or("–".to_owned(), |mean| format!("{mean:.0} %"))
    }),
    ("Brier score", |one| one.brier.map_or("–".to_owned(), |brier| format!("{brier:.3}"))),
];

const TOOK: [FigureColumn; 7] = [
    ("texts answered", |one| one.answers.to_string()),
    ("tokens", tokens),
    ("dollars", dollars),
    ("time", |one| duration(one.spent.millis / 1_000)),
    ("asked again", |one| one.spent.asked_again.to_string()),
    ("degraded", |one| one.degraded.to_string()),
    ("false quotes", |one| one.false_quotes.map_or("–".to_owned(), |count| count.to_string())),
];

fn table(arms: &[ArmFigures], columns: &[FigureColumn]) -> Markup {
    markup! {
        table {
            thead { tr { th { "arm" } @for (head, _) in columns { th { (head) } } } }
            tbody {
                @for figures in arms {
                    tr {
                        th scope="row" { (figures.arm.name()) }
                        @for (head, cell) in columns { td data-head=(head) { (cell(figures)) } }
                    }
                }
            }
        }
    }
}

pub(super) fn html(measured: &Measured) -> String {
    let agent = clean(&measured.runs[0].plan.agent, 80);
    let neutral = measured.runs[0].plan.size.neutral.then_some(NEUTRAL);
    let sway: Vec<FigureColumn> = SWAY.into_iter().chain(neutral).collect();
    let page = markup! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={(GENERATOR) " " (env!("CARGO_PKG_VERSION"))};
                title { "Does a debate help? " (agent) }
                style { (PreEscaped(STYLE)) (PreEscaped(TABLES)) }
            }
            body {
                div class="page" { main {
                    h1 { "Does a debate help? " (agent) }
                    section class="card" {
                        p class="finding" { (measured.primary.finding) }
                        @for line in summary(measured) { p { (line) } }
                        details {
                            summary { "What was fixed before the first request" }
                            p { (measured.runs[0].plan.hypothesis) }
                        }
                    }
                    h2 { "What this does not show" }
                    ul { @for line in NOT_SHOWN { li { (line) } } }
                    h2 { "Framing questions: who decides, the asker or the facts?" }
                    (table(&measured.arms, &sway))
                    h2 { "Planted decisions: is the answer right?" }
                    @if is_at_ceiling(measured) { p { (CEILING) } }
                    (table(&measured.arms, &REPAIRS))
                    h2 { "What it took" }
                    (table(&measured.arms, &TOOK))
                    (plans(measured))
                } }
            }
        }
    };
    page.into_string()
}

/// True if a single answer is right too often to be improved.
fn is_at_ceiling(measured: &Measured) -> bool {
    let single = measured.arms.iter().find(|figures| figures.arm == Arm::Single);
    single.and_then(|single| single.right.value()).is_some_and(|right| right >= 0.95)
}

const CEILING: &str =
    "Ceiling: the single answer is right in 95 % or more. No arm can be much better.";

/// The primary result in words, then its figures.
fn summary(measured: &Measured) -> [String; 2] {
    let Primary { pairs, debate, rival, e_value, difference, .. } = &measured.primary;
    let of_rival = measured.arms.iter().find(|figures| figures.arm == Arm::Rival);
    let times = of_rival.map(answers_each).unwrap_or_default();
    [
        format!(
            "Framing questions: {pairs}. Each was asked twice, by somebody who is convinced for it and \
             by somebody who is convinced against it. The debate gave both the answer they want to \
             hear in {}, and both the opposite in {}. The rival, one prompt that restates the \
             question, answered as often as the debate's tokens allow (answers: {times}): {} and {}.",
            debate.with, debate.against, rival.with, rival.against
        ),
        format!(
            "Sway, from -1 to 1: debate {}, rival {}; half of the difference {}. E-value {e_value:.2} \
             ({STOP:.0} decides). {} of {} cases are whole.",
            mean(debate.mean),
            mean(rival.mean),
            mean(*difference),
            measured.whole,
            measured.planned
        ),
    ]
}

fn plans(measured: &Measured) -> Markup {
    let answers = measured.runs.iter().flat_map(|run| &run.answers);
    let models: BTreeSet<&String> = answers.flat_map(|(_, result)| &result.models).collect();
    let first = &measured.runs[0].plan;
    markup! {
        h2 { "What was measured" }
        ul {
            li { "Every answer is in the JSON next to this page, its record in the folder cases" }
            @for EvalPlan { id, began, size, .. } in measured.runs.iter().map(|run| &run.plan) {
                li {
                    "Measurement " (id) ", seed " (size.seed) ", begun " (began) ": framing questions "
                    (size.framing) ", planted decisions " (size.planted)
                }
            }
            @if let Some(critic) = &first.critic {
                li { "Critic of the two families: " (clean(critic, 80)) }
            }
            @for model in models { li { "Model: " (clean(model, 80)) } }
            @for (name, value) in &first.versions {
                li { (clean(name, 60)) ": " (clean(value, 120)) }
            }
            li { "Digest of your defaults: " (first.defaults) }
        }
    }
}

/// The figures in a few lines.
pub(super) fn lines(measured: &Measured) -> String {
    let [story, figures] = summary(measured);
    let mut out = format!("{}\n  {story}\n  {figures}\n", measured.primary.finding);
    if is_at_ceiling(measured) {
        let _ = writeln!(out, "  {CEILING}");
    }
    for one in &measured.arms {
        let name = one.arm.name();
        let sway = mean(one.sway.mean);
        let right = percent(one.right);
        let tokens = tokens(one);
        let dollars = dollars(one);
        let _ = writeln!(
            out,
            "  {name}: sway {sway}, right {right}; {tokens} tokens, {dollars} dollars"
        );
    }
    out
}
