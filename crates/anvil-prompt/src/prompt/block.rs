//! The form of the block that a synthesis ends with, as its seat sees it.

use super::fill;
use super::numbers::numbers;
use anvil_core::debate::Debate;
use anvil_core::options::Mode;
use anvil_text::utf16_len;
use anvil_text::without_controls;

const BLOCK: &str = include_str!("../../prompts/block.md");

/// Longest list of options in the form of a verdict, in UTF-16 units. The seats have all of them.
const MAX_VERDICT: usize = 160;

/// The form of the verdict that a synthesis of this debate has.
fn verdict_form(debate: &Debate) -> String {
    if debate.options.mode != Mode::Options {
        return "do | do not | depends".to_owned();
    }
    let names: Vec<String> =
        debate.seats_of_options().map(|(_, name)| without_controls(name)).collect();
    match names.join(" | ") {
        names if utf16_len(&names) <= MAX_VERDICT => format!("{names} | depends"),
        _ => "one of the options, word for word | depends".to_owned(),
    }
}

/// The form of the block that a synthesis of this debate ends with.
pub(super) fn block_form(debate: &Debate) -> String {
    let numbers = numbers(debate.format());
    let is_choice = debate.options.mode == Mode::Options;
    let form = fill(BLOCK, |name| {
        Some(match name {
            "motion" if !debate.takes_motion() && debate.motion().is_none() => String::new(),
            "motion" => match debate.motion() {
                Some(motion) => format!("motion: {}\n", without_controls(motion)),
                None => "motion: the action that do and do not are about\n".to_owned(),
            },
            "first" => numbers.first.to_owned(),
            "sides" => numbers.sides.to_owned(),
            "verdict" => verdict_form(debate),
            "options" if is_choice => option_lines(debate),
            "changes" if debate.options.plan.is_some() => {
                format!("change 1 ({}): one clause for each change\n", numbers.attacker)
            }
            "options" | "changes" => String::new(),
            _ => return None,
        })
    });
    form.trim_end().to_owned()
}

/// The lines of a block about the options.
fn option_lines(debate: &Debate) -> String {
    let names: Vec<String> =
        debate.seats_of_options().map(|(_, name)| without_controls(name)).collect();
    let first = names.first().map_or("NAME", String::as_str);
    let last = names.len();
    format!(
        "1. {first}, or the name of another option: the best first, a line for each, 1. to {last}.\n\
         option 1: what carries {first} and what weighs against it; then option 2 to {last}\n"
    )
}
