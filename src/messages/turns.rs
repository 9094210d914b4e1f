//! What a debate says of itself while it goes on.

use std::path::Path;

use super::error::ended;
use crate::debate::{Debate, MAX_RETRIES, Slot};
use crate::engine::{Completed, Estimate, Nothing, Pace, Resumed, Started};
use crate::ledger::Counts;
use crate::text::{clean, group};

/// Said once where git would take the debate in.
pub const SEEN_BY_GIT: &str =
    "Anvil: git does not ignore the debate's file. Add this line to .gitignore: .claude/anvil-state.local.md";

/// `Anvil: advocate, round 1 of 3: QUESTION…`
#[must_use]
pub fn started(debate: &Debate, report: Option<&str>) -> String {
    let report = report.map(|path| format!(" (report: {})", clean(path, 400)));
    // After the client's own words this fills one line of 100 columns.
    let cycle = if debate.progress.cycle > 1 { format!("cycle {}, ", debate.progress.cycle) } else { String::new() };
    format!("Anvil: {cycle}{}: {}{}", debate.slot_label(), clean(&debate.question, 40), report.unwrap_or_default())
}

/// `Anvil: critic, round 1 of 3 (advocate filed, 412 words)`
#[must_use]
pub fn advanced(debate: &Debate, filed: Slot, words: usize, is_settled: bool) -> String {
    let who = filed.phase.word();
    let what = if words == 0 { format!("{who} had nothing to add") } else { format!("{who} filed, {words} words") };
    let settled = if is_settled { format!(". {}", self::settled(debate, filed)) } else { String::new() };
    format!("Anvil: {} ({what}){settled}", debate.slot_label())
}

/// `Round 2 of 5 brought nothing new and left nothing open.`
pub(super) fn settled(debate: &Debate, filed: Slot) -> String {
    format!(
        "Round {} of {} brought nothing new and left nothing open.",
        filed.round,
        debate.options.max_rounds.max(filed.round)
    )
}

/// `9 claims: 4 stand, 2 fall, 3 wait`; `None` where nobody made one.
#[must_use]
pub fn counted(counts: Counts) -> Option<String> {
    let Counts { stand, fall, open } = counts;
    let claims = match counts.claims() {
        0 => return None,
        1 => "1 claim".to_owned(),
        many => format!("{many} claims"),
    };
    Some(format!("{claims}: {stand} stand, {fall} fall, {open} wait"))
}

/// `Anvil: critic, round 1 of 3, asked again (1 of 3): the reply was empty`
#[must_use]
pub fn asked_again(debate: &Debate, why: &str) -> String {
    if debate.progress.retry_count == 0 {
        return format!("Anvil: {}, asked again: {why}", debate.slot_label());
    }
    format!("Anvil: {}, asked again ({} of {}): {why}", debate.slot_label(), debate.progress.retry_count, MAX_RETRIES)
}

/// `Anvil: paused before critic, round 1 of 3: WHY. Type /anvil:resume to go on.`
#[must_use]
pub fn paused(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    format!("Anvil: paused before {}: {why}. Type /anvil:resume to go on.", debate.slot_label())
}

/// `Anvil: failed at critic, round 1 of 3: WHY. Type /anvil:resume to try again.`
#[must_use]
pub fn failed(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    format!("Anvil: failed at {}: {why}. Type /anvil:resume to try again.", debate.slot_label())
}

/// `Anvil: an unfinished debate is here, "QUESTION…" (critic, round 1 of 3, paused). /anvil:resume goes on with it, …`
#[must_use]
pub fn unfinished(debate: &Debate, runs_elsewhere: bool) -> String {
    let state = debate.label();
    if runs_elsewhere {
        return format!("Anvil: a debate runs in another session here, {state}. /anvil:status shows it.");
    }
    format!("Anvil: an unfinished debate is here, {state}. /anvil:resume goes on with it, /anvil:cancel archives it.")
}

/// Why nothing was done, where the user waits for something.
#[must_use]
pub fn nothing(why: Nothing) -> Option<&'static str> {
    match why {
        Nothing::AgentsRunning => {
            Some("Anvil: waiting for an agent that Claude has started; the reply is filed when it ends.")
        }
        Nothing::Lost => Some(
            "Anvil: this session's debate was ended, taken over or removed elsewhere; nothing of this turn is filed. /anvil:status tells more.",
        ),
        Nothing::NoDebate
        | Nothing::NotOwner
        | Nothing::NotActive
        | Nothing::NotReadable
        | Nothing::Follows
        | Nothing::Redelivered => None,
    }
}

/// An API error ended the turn.
#[must_use]
pub fn api_error(debate: &Debate) -> String {
    format!(
        "Anvil: an API error ended the turn; the debate waits at {}. Type /anvil:resume to go on.",
        debate.slot_label()
    )
}

/// `Anvil: complete. VERDICT. 7 of 9 claims disposed of. Report: PATH`, and on the last line the page and the next step. A
/// terminal can open both paths.
#[must_use]
pub fn completed(debate: &Completed) -> String {
    let verdict = ended(&clean(&debate.verdict, 240));
    let shown = |path: &Path| clickable(&clean(&debate.project.display(path), 400));
    let checked = debate.contradicted.as_deref().map(|line| clean(line, 400));
    let path = match &debate.report {
        Ok(path) => path,
        Err(error) => {
            let why = clean(&error.to_string(), 400);
            return format!(
                "Anvil: complete. {verdict}{} The report could not be written: {why}. `anvil report` tries again.",
                checked.map(|line| format!(" {line}")).unwrap_or_default()
            );
        }
    };
    let claims = match (debate.disposed, debate.claims) {
        (disposed, claims) if disposed < claims => format!("{disposed} of {claims} claims disposed of. "),
        _ => String::new(),
    };
    let page = debate.page.as_ref().map(|page| format!("Page: {} · ", shown(page))).unwrap_or_default();
    let checked = checked.map(|line| format!("{line} ")).unwrap_or_default();
    format!("Anvil: complete. {verdict} {claims}{checked}Report: {}\n{page}{ONCE_MORE}", shown(path))
}

/// What can be done with a completed debate.
const ONCE_MORE: &str = "/anvil:again TEXT argues it once more, with what is new";

/// A path as a terminal knows it for one.
pub(super) fn clickable(path: &str) -> String {
    if Path::new(path).is_relative() && !path.starts_with("./") { format!("./{path}") } else { path.to_owned() }
}

/// A debate begins: its line, and what is ahead.
#[must_use]
pub fn begun(begun: &Started) -> String {
    format!("{}\n{}", started(&begun.debate, begun.report.as_deref()), ahead(begun.estimate))
}

/// `Anvil: 7 replies until the verdict: about 12 min and 2,300 tokens to write, going by earlier debates here.`
fn ahead(estimate: Estimate) -> String {
    let Estimate { replies, pace } = estimate;
    let Some(Pace { time, words }) = pace else { return format!("Anvil: {replies} replies until the verdict.") };
    let minutes = time.as_secs().div_ceil(60).max(1);
    let tokens = rounded(words * 4 / 3);
    format!(
        "Anvil: {replies} replies until the verdict: about {minutes} min and {} tokens to write, going by earlier debates here.",
        group(tokens)
    )
}

/// With no more digits than an estimate has.
fn rounded(number: usize) -> usize {
    let unit = 10_usize.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (number + unit / 2) / unit * unit
}

/// A shell has started a debate: its line, what is ahead, where it lies and how it begins.
#[must_use]
pub fn prepared(started: &Started) -> String {
    format!(
        "{}\nSaved in {}. Type /anvil:resume in Claude Code to begin, or in a shell `anvil join` or `anvil run --resume`.",
        begun(started),
        clean(&started.project.state_file().display().to_string(), usize::MAX)
    )
}

/// A shell has opened a debate once more.
#[must_use]
pub fn reopened(resumed: &Resumed) -> String {
    format!("{}\nType /anvil:resume in Claude Code to begin.", started(&resumed.debate, resumed.report.as_deref()))
}

/// A debate lies in the archive now.
#[must_use]
pub fn cancelled(file: &Path) -> String {
    format!("Anvil: cancelled. The debate lies in {}.", file.display())
}
