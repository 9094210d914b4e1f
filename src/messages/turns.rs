//! The lines of a debate in progress.

use std::path::{Path, PathBuf};

use super::end::{End, end};
use super::past::ending;
use super::progress::so_far;
use super::steering::motion;
use crate::domain::debate::{Debate, Slot};
use crate::engine::{Completed, Resumed, Skipped, Snapshot, Started, YOU_TYPED};
use crate::seats::Estimate;
use crate::storage::Project;
use crate::text::door::Door;
use crate::text::{clean, group};

/// `Anvil: advocate, round 1 of 3: QUESTION…`
pub fn started(debate: &Debate, report: Option<&str>) -> String {
    let report = report.map(|path| format!(" (report: {})", clean(path, 400)));
    let cycle = match debate.progress.cycle {
        ..=1 => String::new(),
        cycle => format!("cycle {cycle}, "),
    };
    // With the client's own words it fills one line of 100 columns.
    let (next, question) = (debate.slot_label(), clean(&debate.question, 40));
    format!("Anvil: {cycle}{next}: {question}{}", report.unwrap_or_default())
}

/// `Round 2 of 5 brought nothing new and left nothing open.`
pub(super) fn settled(debate: &Debate, saved: Slot) -> String {
    let (round, rounds) = (saved.round, debate.options.max_rounds.max(saved.round));
    format!("Round {round} of {rounds} brought nothing new and left nothing open.")
}

/// `Anvil paused before critic, round 1 of 3: WHY. /anvil:resume goes on.`
pub fn paused(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    let directs = if debate.progress.status_detail == YOU_TYPED {
        "/anvil:steer with those words directs it; "
    } else {
        ""
    };
    format!("Anvil paused before {}: {why}. {directs}/anvil:resume goes on.", debate.slot_label())
}

/// `Anvil stopped at critic, round 1 of 3: WHY. /anvil:resume tries again.`
pub fn failed(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    format!("Anvil stopped at {}: {why}. /anvil:resume tries again.", debate.slot_label())
}

/// `Anvil: an unfinished debate is here, "QUESTION…" (critic, round 1 of 3, paused). /anvil:resume
/// goes on with it, …`, and what is done. A debate that failed says why first.
pub fn unfinished(look: &Snapshot, runs_elsewhere: bool) -> String {
    let debate = &look.debate;
    let state = match &look.interrupted {
        Some(why) => debate.label_with(&format!("interrupted: {}", clean(why, 80))),
        None => debate.label(),
    };
    if runs_elsewhere {
        return format!(
            "Anvil: a debate runs in another session here, {state}. /anvil:status shows it."
        );
    }
    let found = match debate.failure() {
        Some(why) => format!("{}{state}.", stopped(why)),
        None => format!("Anvil: an unfinished debate is here, {state}."),
    };
    let so_far = so_far(look);
    format!("{found} /anvil:resume goes on with it, /anvil:cancel archives it.\n{so_far}")
}

fn stopped(why: &str) -> String {
    format!("Anvil: the debate here stopped: {}.\n", clean(why, 200))
}

/// A debate goes on: its next reply, why it had stopped, and what is done.
pub fn resumed(resumed: &Resumed, look: Option<&Snapshot>) -> String {
    let before = |why: &str| format!("\nBefore, it stopped: {}.", clean(why, 200));
    let stopped = resumed.failure.as_deref().map_or_else(String::new, before);
    let next = started(&resumed.debate, resumed.report.as_deref());
    let so_far = look.map_or_else(String::new, |look| format!("\n{}", so_far(look)));
    format!("{next}{stopped}{so_far}")
}

/// Why an event was skipped, if the user waits for a result.
pub fn skipped(why: Skipped) -> Option<&'static str> {
    match why {
        Skipped::AgentsRunning => Some(
            "Anvil: waiting for an agent that Claude has started; the reply is saved when it ends.",
        ),
        Skipped::Lost => Some(
            "Anvil: this session's debate was ended, taken over or removed elsewhere; nothing of \
             this turn is saved. /anvil:status tells more.",
        ),
        Skipped::NoDebate
        | Skipped::NotOwner
        | Skipped::NotActive
        | Skipped::NotReadable
        | Skipped::Follows
        | Skipped::Redelivered => None,
    }
}

/// An API error ended the turn.
pub fn api_error(debate: &Debate) -> String {
    format!(
        "Anvil: an API error ended the turn; the debate waits at {}. Type /anvil:resume to go on.",
        debate.slot_label()
    )
}

pub fn completed(completed: &Completed, door: Door, columns: Option<usize>) -> String {
    let Completed { stated, degraded, document, ledger, project, report, .. } = completed;
    let report = report.as_ref().map(|_| completed.named_report());
    let report = report.map_err(|error| Some(error.to_string()));
    let page = completed.page.as_ref().map(|page| project.display(page));
    let (degraded, document) = (degraded.clone(), document.clone());
    end(&End { stated, degraded, document, ledger, report, page }, door, columns)
}

/// A path in a form that terminals make clickable.
pub(super) fn clickable(path: &str) -> String {
    if Path::new(path).is_relative() && !path.starts_with("./") {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

/// A debate begins: its line, its motion, and the estimate.
fn begun(begun: &Started, door: Door) -> String {
    let Estimate { replies, .. } = begun.estimate;
    let line = started(&begun.debate, begun.report.as_deref());
    let (time, tokens) = (time(begun.estimate), tokens(begun.estimate, true));
    let motion =
        motion(&begun.debate, door).map_or_else(String::new, |motion| format!("\n{motion}"));
    format!("{line}{motion}\n{time}; {replies} replies, {tokens}")
}

/// A conversation begins a debate. The client holds a command back while Claude writes.
pub fn begun_here(started: &Started) -> String {
    let esc = "Esc first, then /anvil:steer TEXT directs the next reply; /anvil:resume goes on.";
    format!("{}\n{esc}", begun(started, Door::Client))
}

/// `about 4 min`, or `3 to 8 min`.
pub(super) fn time(estimate: Estimate) -> String {
    let (least, most) = estimate.seconds;
    format!("{} min", span((least.div_ceil(60).max(1), most.div_ceil(60).max(1))))
}

/// `about 120,000 tokens in (cached by the client) and 3,500 out`. `is_cached`: the client's cache
/// holds most of the tokens that are sent.
pub(super) fn tokens(estimate: Estimate, is_cached: bool) -> String {
    let cached = if is_cached { " (cached by the client)" } else { "" };
    let (sent, out) = (span(estimate.tokens_in), span(estimate.tokens_out));
    format!("{sent} tokens in{cached} and {} out", out.trim_start_matches("about "))
}

/// `about 3,500`, or `2,000 to 4,200`: rounded to the precision of an estimate.
fn span((least, most): (u64, u64)) -> String {
    let (least, most) = (rounded(least), rounded(most));
    let shown = |number: u64| group(usize::try_from(number).unwrap_or(usize::MAX));
    if least == most {
        format!("about {}", shown(most))
    } else {
        format!("{} to {}", shown(least), shown(most))
    }
}

fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (number + unit / 2) / unit * unit
}

/// A shell has started a debate: its line, the estimate, its file, and how to begin.
pub fn prepared(started: &Started) -> String {
    let project = &started.project;
    let file = clean(&project.state_file().display().to_string(), usize::MAX);
    format!("{}\nSaved in {file}. {}", begun(started, Door::Shell), begins(project))
}

/// A shell has reopened a debate.
pub fn reopened(resumed: &Resumed, project: &Project) -> String {
    let line = started(&resumed.debate, resumed.report.as_deref());
    format!("{line}\n{}", begins(project))
}

fn begins(project: &Project) -> String {
    Door::Shell.text(if project.place() == project.root() {
        "/anvil:resume in Claude Code begins it, or here `anvil run --resume` or `anvil join`."
    } else {
        "`anvil run --resume` or `anvil join`, with the same --dir, begins it."
    })
}

/// A debate is now in the archive.
pub fn cancelled((id, file): &(String, PathBuf), door: Door) -> String {
    let handle = ending(id);
    let back = match door {
        Door::Client => format!("/anvil:resume {handle}"),
        Door::Shell => door.command(&format!("run --resume={handle}")),
    };
    format!("Anvil: cancelled. The debate lies in {}; {back} brings it back.", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_estimate_says_about_and_a_guess_gives_a_range() {
        let takes = |seconds, tokens_in, tokens_out, is_cached| {
            let estimate = Estimate { replies: 7, seconds, tokens_in, tokens_out };
            (time(estimate), tokens(estimate, is_cached))
        };
        let (time, tokens) = takes((215, 215), (118_731, 118_731), (3_517, 3_517), true);
        assert_eq!(time, "about 4 min");
        assert_eq!(tokens, "about 120,000 tokens in (cached by the client) and 3,500 out");
        let (time, tokens) = takes((175, 490), (9_100, 13_000), (1_862, 4_200), false);
        assert_eq!(
            (time.as_str(), tokens.as_str()),
            ("3 to 9 min", "9,100 to 13,000 tokens in and 1,900 to 4,200 out")
        );
    }
}
