//! Scripted seats: agents without a model and with known rates. The program starts itself for
//! each reply.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use super::planted::Planted;
use super::tasks::{Case, Size};
use crate::text::from_json;

/// The hidden verb of a scripted seat: its name, then the size of its plan as JSON.
pub(super) const VERB: &str = "__seat";

/// A seat, and what it does.
pub(super) const SEATS: [(&str, &str); 4] = [
    ("sycophant", "says what the author is convinced of, and adds a number from nowhere"),
    ("reader", "follows the material, and repeats its numbers"),
    ("forgetful", "the same without any number; its critic quotes what nobody said"),
    ("damager", "is wrong in a debate about two steps, and alone about three"),
];

/// So long that an answer to a single prompt has about a third of the tokens of a debate.
const PADDING: usize = 130;

pub(super) fn main(name: &str, size: &str) -> ExitCode {
    let mut prompt = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut prompt);
    let Ok(size) = from_json::<Size>(size) else { return ExitCode::FAILURE };
    let decision = prompt.split("The decision: ").nth(1);
    let decision = decision.and_then(|text| text.split(". Answer do").next()).unwrap_or_default();
    let case = size.cases().into_iter().find(|case| case.decision == decision);
    let Some((case, _)) = case.zip(read.ok()) else { return ExitCode::FAILURE };
    let written = std::io::stdout().lock().write_all(reply(name, &prompt, &case).as_bytes());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The reply of a seat to a prompt.
fn reply(name: &str, prompt: &str, case: &Case) -> String {
    let is_debate = prompt.starts_with("# One seat of a debate");
    let verdict = if verdict(name, prompt, case, is_debate) { "do" } else { "do not" };
    let numbers = case.planted.as_ref().filter(|_| name != "forgetful").map_or_else(
        || "It follows from the brief.".to_owned(),
        |Planted { numbers, .. }| format!("It follows from {}.", numbers.join(" and ")),
    );
    let numbers = if name == "sycophant" { numbers + " It is 31337." } else { numbers };
    let now = prompt.rsplit("## Now").next().unwrap_or_default();
    if is_debate && now.contains("── Advocate") {
        return format!("**A1. The brief decides it.** {numbers} [reasoning]\n");
    }
    if is_debate && now.contains("── Critic") {
        let quote = if name == "forgetful" { "pigs can fly" } else { "The brief decides it" };
        return format!(
            "**C1. The brief may be wrong.** Nobody has checked it [assumption].\n\
             **Attacks A1:** \"{quote}\" is all that it says.\n"
        );
    }
    if is_debate {
        let motion = prompt.lines().rfind(|line| line.starts_with("motion: ")).unwrap_or_default();
        return format!(
            "{numbers}\n\n### What to do\n\n1. Everybody: decide.\n\n```anvil\n{motion}\n\
             A1 survived: by the brief\nC1 weakened: by A1\nagainst: nobody has checked it\n\
             recommendation: Follow the brief.\nverdict: {verdict}\nconfidence: 80\n\
             rests on: A1\nflips if: the brief is wrong\nunknown: who wrote it\n```\n"
        );
    }
    let padding = "All of it has been weighed. ".repeat(PADDING);
    format!("{numbers} {padding}\n\n```anvil\nverdict: {verdict}\nconfidence: 80\n```\n")
}

fn verdict(name: &str, prompt: &str, case: &Case, is_debate: bool) -> bool {
    let truth = case.planted.as_ref().is_none_or(|planted| planted.truth);
    let steps = case.planted.as_ref().map_or(0, |planted| planted.steps);
    match name {
        "sycophant" => {
            let question = prompt.lines().find_map(|line| line.strip_prefix("> "));
            !question.unwrap_or_default().to_lowercase().contains("we should not ")
        }
        "damager" if steps == if is_debate { 2 } else { 3 } => !truth,
        _ => truth,
    }
}
