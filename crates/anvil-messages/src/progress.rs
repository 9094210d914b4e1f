//! The progress of a debate: its replies, its claims, and their cost.

use super::end::first_ids;
use anvil_core::attempt::Effort;
use anvil_core::debate::Debate;
use anvil_core::ledger::{ClaimStatus, Counts, Id, Ledger};
use anvil_engine::{Look, ReplyState, Writer};
use anvil_report::counts_line;
use anvil_text::{clean, group};

/// Columns of the bar.
const BAR: usize = 14;

/// The progress in three lines: replies, claims, and their cost.
pub(super) fn so_far(look: &Look) -> String {
    let claims = claims(&Ledger::of_entries(&look.entries, &look.debate.alternatives()));
    let replies = format!("  {}", progress(look));
    let lines = [replies].into_iter().chain(claims).chain([format!("  {}", work(look))]);
    lines.collect::<Vec<_>>().join("\n")
}

/// `██████░░░░░░░░  3 of 7 replies, about 2 min left`
pub(super) fn progress(look: &Look) -> String {
    let (done, total) = look.debate.count_phases();
    let bar = bar(&look.debate, ["█", "░"], BAR);
    let left = look.left.map_or_else(String::new, |left| {
        format!(", about {} min left", left.as_secs().div_ceil(60).max(1))
    });
    format!("{bar}  {done} of {total} replies{left}")
}

pub(super) fn bar(debate: &Debate, [full, empty]: [&str; 2], cells: usize) -> String {
    let (done, total) = debate.count_phases();
    let filled = (done as usize * cells).div_ceil(total.max(1) as usize);
    full.repeat(filled.min(cells)) + &empty.repeat(cells.saturating_sub(filled))
}

/// `9 claims, 4 open: A4, A5, C2, C3`
pub(super) fn claims(ledger: &Ledger) -> Option<String> {
    let open: Vec<Id> = ledger
        .claims
        .iter()
        .filter(|claim| claim.status == ClaimStatus::Open)
        .map(|claim| claim.id)
        .collect();
    let is_judged = matches!(ledger.counts(), Counts::Judged { .. });
    let named = if is_judged || open.is_empty() {
        String::new()
    } else {
        format!(": {}", first_ids(&open))
    };
    counts_line(ledger.counts()).map(|counted| format!("  {counted}{named}"))
}

/// `claude-opus-4-5 argues both sides · codex writes · 812 words · 61,000 tokens in, 1,900 out`
pub(super) fn work(look: &Look) -> String {
    let writes = match &look.next.state {
        ReplyState::Written { writer: Writer::Run(Some(agent)), .. } => {
            Some(format!("{} writes", clean(agent, 80)))
        }
        _ => None,
    };
    let noun = if look.words == 1 { "word" } else { "words" };
    let words = format!("{} {noun}", group(look.words));
    let effort = look.effort.as_ref().and_then(Effort::tokens);
    let argues = anvil_report::argues(&look.entries);
    argues.into_iter().chain(writes).chain([words]).chain(effort).collect::<Vec<_>>().join(" · ")
}
