//! The text for a person who writes a reply.

use std::fmt::Write as _;

use super::block::block_form;
use super::protocol::motion;
use super::replies::{Sides, replies_for, shown_replies};
use super::shown::{PromptParts, ground, known_motion, material, position, task_now};
use crate::prompt;
use anvil_core::ledger::{Claim, ClaimStatus};
use anvil_core::options::Mode;
use anvil_core::place::Seat;
use anvil_text::clean;

/// Instructions for a person who writes a reply.
const SHEET: &str = "## How to write

- Begin each claim with its number, on a line of its own: `**{first}. One claim in one \
  sentence.**` Say below it why it holds.
- Begin an answer with what it does: `**Attacks A1:** \"its exact words\" and what fails`. Also \
  Rebuts, Repairs, Supports, Grants, Withdraws.
- Three claims are enough. Two to four hundred words are enough.
";

/// Instructions for a person who writes the synthesis.
const SHEET_OF_SYNTHESIS: &str = "## How to write

- First what decided, in your own words. Then this block: fill in each line after its colon.

{block}
";

/// The text for a person who writes a reply: the question, the task, the form of a claim, and the
/// replies so far.
pub fn sheet(shown: &PromptParts<'_>) -> String {
    let PromptParts { debate, entries, ledger, .. } = *shown;
    let seat = debate.place().seat;
    let is_synthesis = seat == Seat::Synthesizer;
    let is_blind = shown.is_blind();
    let first = prompt::Next::for_seat(seat, ledger).id(0);
    let instructions = if is_synthesis {
        prompt::fill(SHEET_OF_SYNTHESIS, |_| Some(block_form(debate)))
    } else {
        prompt::fill(SHEET, |name| (name == "first").then(|| first.clone()))
    };
    let mut out =
        format!("# {}\n\n{}\n\n{instructions}", clean(&debate.question, 1_000), task_now(shown));
    if debate.options.mode == Mode::Revise && !is_synthesis {
        let _ = write!(out, "\n{}\n", prompt::role(debate));
    }
    let mut claims: Vec<&Claim> =
        if is_blind { Vec::new() } else { ledger.claims.iter().collect() };
    claims.retain(|claim| {
        is_synthesis || claim.status == ClaimStatus::Open && claim.id.seat() != seat
    });
    if !claims.is_empty() {
        out.push_str(if is_synthesis { "\n## Every claim\n\n" } else { "\n## What to answer\n\n" });
    }
    for claim in claims {
        let _ = writeln!(out, "- **{}** {}{}", claim.id, claim.sentence, ground(claim));
    }
    out.push('\n');
    out.push_str(&position(debate));
    out.push_str(&motion(debate, known_motion(shown), "Begin"));
    out.push_str(&material(shown, usize::MAX));
    if !is_blind {
        let replies = replies_for(seat, entries, false);
        out.push_str(&shown_replies(&replies, entries, Sides::for_judge(debate), usize::MAX));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
