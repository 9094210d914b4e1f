//! The lines of a debate in progress.

use std::fmt::Write as _;
use std::path::Path;

use super::Door;
use super::Screen;
use super::end::{End, NamedReport, end};
use super::past::ending;
use super::progress::so_far;
use super::steering::motion;
use anvil_core::debate::{Debate, PlainReason};
use anvil_core::place::DebateFormat;
use anvil_engine::{
    Cancelled, Completed, Look, NextReply, ReplyState, Resumed, Skipped, Started, Writer,
};
use anvil_prompt::Estimate;
use anvil_store::Project;
use anvil_text::{Verb, clean, group, hint, number_of};

/// `Anvil: advocate, round 1 of 3: QUESTION…`
pub fn start_line(debate: &Debate, report: Option<&str>) -> String {
    let report = report.map(|path| format!(" (report: {})", clean(path, 400)));
    let cycle = match debate.cycle() {
        ..=1 => String::new(),
        cycle => format!("cycle {cycle}, "),
    };
    // With the client's own words it fills one line of 100 columns.
    let next = debate.place_label();
    let question = clean(&debate.question, 40);
    format!("Anvil: {cycle}{next}: {question}{}", report.unwrap_or_default())
}

/// The title of a session that starts a debate.
pub fn session_title(question: &str) -> String {
    format!("Debate: {}", clean(question, 50))
}

/// The person asked for a debate in words, where the command is needed.
pub const NOT_STARTED_IN_WORDS: &str =
    "Anvil: these words start no debate here; /anvil:debate QUESTION does.";

/// `Anvil paused before critic, round 1 of 3: WHY. /anvil:resume continues.`
pub fn pause_line(debate: &Debate) -> String {
    let why = clean(&debate.why_stopped(), 200);
    let directs = if debate.stop_reason() == Some(&PlainReason::Typed.into()) {
        "/anvil:steer TEXT gives a direction; "
    } else {
        ""
    };
    format!(
        "Anvil paused before {}: {why}. {directs}/anvil:resume continues.",
        debate.place_label()
    )
}

/// `Anvil stopped at critic, round 1 of 3: WHY. /anvil:resume tries again.`
pub fn failure_line(debate: &Debate) -> String {
    let why = clean(&debate.why_stopped(), 200);
    format!("Anvil stopped at {}: {why}. /anvil:resume tries again.", debate.place_label())
}

/// The debate in a line, with what becomes of its next reply: `"Why?" (critic, round 1 of 2,
/// interrupted: you stopped it)`.
pub(super) fn label(debate: &Debate, next: &NextReply) -> String {
    match &next.state {
        ReplyState::Interrupted { why, .. } => {
            debate.label_with(&format!("interrupted: {}", clean(why, 80)))
        }
        ReplyState::Awaited if debate.is_active() => debate.label_with("waits for a writer"),
        ReplyState::Received => debate.label_with("written, not saved yet"),
        ReplyState::Written { writer: Writer::Holder(name), .. } => {
            debate.label_with(&format!("claimed by {}", clean(name, 40)))
        }
        _ => debate.label(),
    }
}

/// `Anvil: an unfinished debate is here, "QUESTION…" (critic, round 1 of 3, paused). /anvil:resume
/// continues it, …`, and what is done. A debate that failed says why first.
pub fn unfinished_lines(look: &Look, runs_elsewhere: bool) -> String {
    let debate = &look.debate;
    let state = label(debate, &look.next);
    if runs_elsewhere {
        return format!(
            "Anvil: another session runs a debate here, {state}. /anvil:status shows it."
        );
    }
    let found = match debate.failure() {
        Some(why) => format!("{}{state}.", stop_line(&why.to_string())),
        None => format!("Anvil: this project has an unfinished debate, {state}."),
    };
    let so_far = so_far(look);
    format!("{found} /anvil:resume continues it, /anvil:cancel ends it.\n{so_far}")
}

fn stop_line(why: &str) -> String {
    format!("Anvil: the debate here stopped: {}.\n", clean(why, 200))
}

/// A debate goes on: its next reply, the reason for its stop, and its progress.
pub fn resume_lines(resumed: &Resumed, look: Option<&Look>) -> String {
    let stopped = resumed
        .failure
        .as_deref()
        .map_or_else(String::new, |why| format!("\nIt had stopped before: {}.", clean(why, 200)));
    let next = start_line(&resumed.debate, resumed.report.as_deref());
    let so_far = look.map_or_else(String::new, |look| format!("\n{}", so_far(look)));
    format!("{next}{stopped}{so_far}")
}

/// Why an event was skipped, if the user waits for a result.
pub fn skip_line(why: Skipped) -> Option<&'static str> {
    match why {
        Skipped::AgentsRunning => Some(
            "Anvil: waiting for an agent that Claude has started; the reply is saved when it ends.",
        ),
        Skipped::Lost => Some(
            "Anvil: this session's debate was ended, taken over or removed elsewhere; this turn \
             is not saved. /anvil:status shows more.",
        ),
        Skipped::NoDebate
        | Skipped::NotOwner
        | Skipped::NotActive
        | Skipped::NotReadable
        | Skipped::Follows
        | Skipped::Redelivered => None,
    }
}

pub fn completion_lines(completed: &Completed, door: &Door, screen: Screen) -> String {
    let Completed { question, standing, degraded, document, ledger, project, report, .. } =
        completed;
    let report = match (report, completed.named_report()) {
        (Err(error), _) => NamedReport::Failed(error.to_string()),
        (Ok(_), Some(path)) => NamedReport::Written(path),
        (Ok(_), None) => NamedReport::NotWanted,
    };
    let page = completed.page.as_ref().map(|page| project.display(page));
    let degraded = degraded.clone();
    let document = document.clone();
    let behind = completed.behind.as_ref();
    end(&End { question, standing, degraded, document, ledger, report, page, behind }, door, screen)
}

/// A path in a form that terminals make clickable.
pub(super) fn clickable(path: &str) -> String {
    if Path::new(path).is_relative() && !path.starts_with("./") && !path.starts_with("~/") {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

/// `2 rounds`, `3 voices`.
pub(super) fn course(debate: &Debate) -> String {
    let options = &debate.options;
    match debate.format() {
        DebateFormat::Seats => number_of(options.max_rounds.into(), "round", "rounds"),
        DebateFormat::Stakeholders | DebateFormat::Personas => {
            number_of(options.max_rounds.into(), "voice", "voices")
        }
        DebateFormat::Options => number_of(options.voices.len(), "option", "options"),
    }
}

/// A new debate: its course and its estimate, `directs`, its motion and the report's path.
fn debate_start_line(started: &Started, directs: &str, door: &Door) -> String {
    let course = course(&started.debate);
    let replies = number_of(started.estimate.replies as usize, "reply", "replies");
    let time = time(started.estimate).map_or_else(String::new, |time| format!(", {time}"));
    let mut text = format!("Anvil: {course}, then a verdict: {replies}{time}.{directs}");
    text.extend(motion(&started.debate, door).iter().map(|motion| format!("\n{motion}")));
    text.extend(started.report.iter().map(|path| format!("\n  Report: {}", clean(path, 400))));
    text.extend(started.records.iter().map(|path| format!("\n  Records: {}", clean(path, 400))));
    text
}

/// A conversation begins a debate. The client holds a command back while Claude writes. `other`: an
/// agent of another model family, which the user does not know yet.
pub fn start_here_lines(started: &Started, other: Option<&str>, door: &Door) -> String {
    const DIRECTS: &str = " Esc pauses; then /anvil:steer TEXT directs, /anvil:resume continues.";
    const ISOLATED: &str = "\n  --isolated keeps both sides apart and out of your session";
    let mut text = debate_start_line(started, DIRECTS, door);
    if started.is_first || other.is_some() {
        text.push_str(ISOLATED);
    }
    if let Some(other) = other {
        let _ = write!(text, "; with --critic {other} the critic is of another model family");
    }
    text
}

/// `about 4 min`, if it is known.
pub(super) fn time(estimate: Estimate) -> Option<String> {
    estimate.seconds.map(|seconds| format!("about {} min", seconds.div_ceil(60).max(1)))
}

/// `5,600 to 8,200 tokens in, 1,300 to 3,000 out`.
pub(super) fn tokens(estimate: Estimate) -> String {
    format!("{} tokens in, {} out", range(estimate.tokens_in), range(estimate.tokens_out))
}

fn range((least, most): (u64, u64)) -> String {
    format!("{} to {}", two_digits(least), two_digits(most))
}

/// A number rounded to two digits.
fn two_digits(number: u64) -> String {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    group(((number + unit / 2) / unit * unit) as usize)
}

/// A shell has started a debate: its line, the estimate, its file, and how to begin.
pub fn preparation_lines(started: &Started, door: &Door) -> String {
    let project = &started.project;
    let file = clean(&project.state_file().display().to_string(), usize::MAX);
    format!("{}\nSaved in {file}. {}", debate_start_line(started, "", door), begins(project, door))
}

/// A shell has reopened a debate.
pub fn reopening_lines(resumed: &Resumed, project: &Project, door: &Door) -> String {
    let line = start_line(&resumed.debate, resumed.report.as_deref());
    format!("{line}\n{}", begins(project, door))
}

fn begins(project: &Project, door: &Door) -> String {
    door.text(if project.is_in_dir() {
        hint![Verb::Run.with("--resume"), " or ", Verb::Claim, " starts it."]
    } else {
        hint![
            "/anvil:resume in Claude Code starts it, or here ",
            Verb::Run.with("--resume"),
            " or ",
            Verb::Claim,
            "."
        ]
    })
}

/// `/anvil:resume 1f3c restores it`
pub(super) fn restores(id: &str, door: &Door) -> String {
    let handle = ending(id);
    let back = door.command(if door.is_client() {
        Verb::Resume.with(handle.to_owned())
    } else {
        Verb::Run.with(format!("--resume={handle}"))
    });
    format!("{back} restores it")
}

pub fn cancel_line(cancelled: &Cancelled, door: &Door) -> String {
    match cancelled {
        Cancelled::Debate { id, file } => {
            let back = restores(id, door);
            format!("Anvil: cancelled. The debate stays in {file}; {back}.")
        }
        Cancelled::Cycle { aside, snapshot } => {
            let back = snapshot.map(|snapshot| {
                format!(
                    "; {} brings it back",
                    door.command(Verb::Undo.with(format!("--to {snapshot}")))
                )
            });
            let back = back.unwrap_or_default();
            format!(
                "Anvil: cancelled. The debate is finished, as before. What came after its end is \
                 in {aside}{back}."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debate(rounds: u8) -> Debate {
        let now = jiff::Timestamp::UNIX_EPOCH;
        Debate::new("id".to_owned(), "Why?".to_owned(), rounds, now)
    }

    #[test]
    fn the_time_is_that_of_one_reply_times_their_number() {
        let of = |seconds: Option<u64>| {
            let reply = seconds.map(std::time::Duration::from_secs);
            time(Estimate::new(&debate(2), 5, reply))
        };
        assert_eq!(of(None), None);
        assert_eq!(of(Some(40)).as_deref(), Some("about 4 min"));
        assert_eq!(of(Some(1)).as_deref(), Some("about 1 min"));
    }

    #[test]
    fn each_prompt_has_the_replies_that_its_seat_sees() {
        let two_rounds = Estimate::of_programs(&debate(2), 600, None);
        assert_eq!((two_rounds.replies, two_rounds.tokens_in), (5, (5_080, 7_800)));
        assert_eq!(tokens(two_rounds), "5,100 to 7,800 tokens in, 1,300 to 3,000 out");
        let mut quick = debate(2);
        quick.options.quick = true;
        let quick = Estimate::of_programs(&quick, 600, None);
        assert_eq!(tokens(quick), "4,000 to 5,100 tokens in, 650 to 1,300 out");
    }
}
