//! The lines of a finished debate. They are alike after a conversation, an isolated debate and a
//! run, and later in the status.

use std::fmt::Write as _;

use super::issue_behind;
use anvil_core::debate::motion::of_question;
use anvil_core::ledger::{ClaimResult, Id, Ledger, NoVerdict, Verdict};
use anvil_engine::Completed;
use anvil_store::IssueLag;
use anvil_text::door::Door;
use anvil_text::{clean, wrap};

const MOST_IDS: usize = 12;

/// The facts of a finished debate.
pub(crate) struct End<'a> {
    /// Its question, which may say its motion.
    pub question: &'a str,
    /// Its verdict.
    pub stated: &'a Verdict,
    /// The seats that another agent took, in a line.
    pub degraded: Option<String>,
    /// The line about the document that it revised.
    pub document: Option<String>,
    /// Its claims and its synthesis.
    pub ledger: &'a Ledger,
    pub report: NamedReport,
    pub page: Option<String>,
    pub behind: Option<&'a IssueLag>,
}

/// The report at the place that the user named.
pub(crate) enum NamedReport {
    /// The user named none.
    NotWanted,
    /// Its path.
    Written(String),
    Missing,
    /// Why it could not be written.
    Failed(String),
}

/// A few lines: the seats that another agent took, if any; the recommendation; the verdict, and why
/// it decides nothing, if so; the counts and what the verdict rests on; the claims that a
/// fact-check contradicts, if any; the page; the issue that lacks a part of it.
pub(super) fn end(end: &End<'_>, door: Door, columns: Option<usize>) -> String {
    let parts = [
        end.degraded.as_ref().map(|line| clean(line, 400)),
        motion(end),
        end.stated.lead().map(|lead| super::error::ended(&clean(lead, 400))),
        Some(verdict(end, door)),
        doubt(end).map(|line| clean(&line, 400)),
        counts(end.ledger),
        end.document.as_ref().map(|line| {
            let line = clean(line, 400);
            format!("{line} {} prints the text.", door.command("report --document"))
        }),
        anvil_report::contradicted(end.ledger).map(|line| clean(&line, 400)),
    ];
    let mut lines: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|line| !line.is_empty())
        .flat_map(|line| columns.map_or_else(|| vec![line.clone()], |columns| wrap(&line, columns)))
        .collect();
    let writes = door.command("report");
    lines.extend(match &end.report {
        NamedReport::NotWanted => None,
        NamedReport::Written(path) => Some(format!("Report: {}", clean(path, 400))),
        NamedReport::Missing => Some(format!("The report is missing: {writes} writes it.")),
        NamedReport::Failed(why) => {
            let why = clean(why, 400);
            Some(format!("The report could not be written: {why}. {writes} tries again."))
        }
    });
    let opens = door.command("report --open");
    if let Some(page) = &end.page {
        let page = format!("Page: {}", clean(page, 400));
        let line = format!("{page}   {opens} shows it");
        let fits = columns.is_none_or(|columns| anvil_text::columns(&line) <= columns);
        lines.extend(if fits { vec![line] } else { vec![page, format!("      {opens} shows it")] });
    }
    lines.extend(end.behind.map(|behind| issue_behind(behind, Some(door))));
    lines.join("\n")
}

/// The motion, unless the program took it from the question.
fn motion(end: &End<'_>) -> Option<String> {
    let motion = end.stated.motion.as_ref()?;
    let is_from_question = of_question(end.question).as_deref() == Some(motion.as_str());
    (!is_from_question).then(|| format!("Motion: {}", super::error::ended(&clean(motion, 400))))
}

/// `DO NOT, 80 % sure.`, `No verdict: the synthesis has no line "verdict". /anvil:undo, then …`
fn verdict(end: &End<'_>, door: Door) -> String {
    let verdict = super::error::ended(&clean(&end.stated.whole_headline(), 600));
    let is_shared = end
        .ledger
        .last_synthesis()
        .is_some_and(|read| matches!(read.verdict, Ok(_) | Err(NoVerdict::NoMajority)));
    if is_shared {
        verdict
    } else {
        let again = match door {
            Door::Client => door.command("resume"),
            Door::Shell => door.command("run --resume"),
        };
        format!("{verdict} {}, then {again} asks for it again.", door.command("undo"))
    }
}

/// Why a verdict that was read decides nothing.
fn doubt(end: &End<'_>) -> Option<String> {
    let why = end.stated.word.as_ref().and_then(|_| end.ledger.decision().err())?;
    Some(super::error::ended(&super::error::capital(&why)))
}

/// Why a finished debate has no verdict, or one that decides nothing; for a program's log.
pub fn undecided(completed: &Completed) -> Option<String> {
    let why = completed.ledger.decision().err()?;
    let what = match completed.stated.word {
        None => "no verdict",
        Some(_) => "the verdict decides nothing",
    };
    Some(clean(&format!("Anvil: {what}: {why}"), 800))
}

/// `15 claims: 6 survived, 6 weakened, 3 fell. Rests on A5, C1.`
fn counts(ledger: &Ledger) -> Option<String> {
    let mut line = anvil_report::counted(ledger.counts())?;
    let left: Vec<Id> = ledger
        .claims
        .iter()
        .filter(|claim| claim.result == Some(ClaimResult::LeftOut))
        .map(|claim| claim.id)
        .collect();
    if !left.is_empty() {
        let _ = write!(line, " ({})", listed(&left));
    }
    line.push('.');
    let synthesis = ledger.last_synthesis();
    let rests = synthesis.and_then(|last| last.rests_on.as_deref()).unwrap_or_default();
    if !rests.is_empty() {
        let _ = write!(line, " Rests on {}.", listed(rests));
    }
    Some(line)
}

/// Ids with commas between them, and the number of the ids that are not shown.
pub(super) fn listed(ids: &[Id]) -> String {
    let named = ids.iter().take(MOST_IDS).map(Id::to_string).collect::<Vec<_>>().join(", ");
    if ids.len() > MOST_IDS { format!("{named} and {} more", ids.len() - MOST_IDS) } else { named }
}
