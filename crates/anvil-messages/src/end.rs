//! The lines of a finished debate. They are alike after a conversation, an isolated debate and a
//! run, and later in the status.

use super::Door;
use super::{Screen, issue_behind};
use anvil_core::ledger::{Id, Ledger, Standing, Verdict};
use anvil_engine::Completed;
use anvil_store::IssueLag;
use anvil_text::{Verb, clean, wrap};

const MOST_IDS: usize = 12;

/// Columns of a label, with the blanks around it: `  Caution   `.
const LABEL: usize = 12;

/// The facts of a finished debate.
pub(crate) struct End<'a> {
    pub question: &'a str,
    /// What it came to.
    pub standing: &'a Standing,
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

/// Question, answer and recommendation; why, the counts, and what the program doubts; the page; the
/// issue that lacks a part of it.
pub(super) fn end(end: &End<'_>, door: &Door, screen: Screen) -> String {
    let columns = screen.columns;
    let wrapped =
        |line: &str| columns.map_or_else(|| vec![line.to_owned()], |width| wrap(line, width));
    let degraded = end.degraded.as_ref().map(|line| clean(line, 400));
    let mut lines: Vec<String> = degraded.iter().flat_map(|line| wrapped(line)).collect();
    let head = [clean(end.question, 300), answer(end.standing, door)];
    lines.extend(head.iter().flat_map(|line| wrapped(line)).map(|line| screen.bold(&line)));
    let document = end.document.as_ref().map(|line| {
        format!("{line} {} prints the text.", door.command(Verb::Report.with("--document")))
    });
    let facts = [("Motion", motion(end.standing)), ("Why", why(end.standing))];
    let more = [
        ("Claims", counts(end)),
        ("Document", document),
        ("Checked", anvil_report::contradiction(end.ledger)),
    ];
    let cautions = end.standing.cautions().iter().map(|caution| ("Caution", Some(caution.clone())));
    for (label, text) in facts.into_iter().chain(more).chain(cautions) {
        if let Some(text) = text {
            lines.extend(label_lines(label, &clean(&text, 600), columns));
        }
    }
    let writes = door.command(Verb::Report);
    lines.extend(match &end.report {
        NamedReport::NotWanted => None,
        NamedReport::Written(path) => Some(format!("Report: {}", clean(path, 400))),
        NamedReport::Missing => Some(format!("The report is missing: {writes} writes it.")),
        NamedReport::Failed(why) => {
            let why = clean(why, 400);
            Some(format!("The report could not be written: {why}. {writes} tries again."))
        }
    });
    let opens = door.command(Verb::Report.with("--open"));
    if let Some(page) = &end.page {
        let page = format!("Page: {}", clean(page, 400));
        let line = format!("{page}   {opens} shows it");
        let fits = columns.is_none_or(|columns| anvil_text::columns(&line) <= columns);
        lines.extend(if fits { vec![line] } else { vec![page, format!("      {opens} shows it")] });
    }
    lines.extend(end.behind.map(|behind| issue_behind(behind, Some(door))));
    lines.join("\n")
}

/// `  Why       the split gives up transactions`, with its further lines below the text.
fn label_lines(label: &str, text: &str, columns: Option<usize>) -> Vec<String> {
    let lines = columns
        .map_or_else(|| vec![text.to_owned()], |width| wrap(text, width.saturating_sub(LABEL)));
    let label = |at: usize| if at == 0 { format!("  {label}") } else { String::new() };
    lines.iter().enumerate().map(|(at, line)| format!("{:<LABEL$}{line}", label(at))).collect()
}

/// `No, 80% sure. Keep the monolith.`, `No valid verdict: the synthesis has no line "verdict". …`
fn answer(standing: &Standing, door: &Door) -> String {
    let headline = super::error::with_full_stop(&clean(&standing.headline(), 600));
    match standing {
        Standing::Argued { .. } => String::new(),
        Standing::Valid(verdict) => {
            let lead = verdict.recommendation.as_ref();
            let lead = lead.map(|lead| super::error::with_full_stop(&clean(lead, 400)));
            [headline].into_iter().chain(lead).collect::<Vec<_>>().join(" ")
        }
        Standing::Void { is_split: true, .. } => headline,
        Standing::Void { .. } => {
            let again = if door.is_client() {
                door.command(Verb::Resume)
            } else {
                door.command(Verb::Run.with("--resume"))
            };
            let undo = door.command(Verb::Undo);
            format!("{headline} {undo}, then {again} asks for the synthesis again.")
        }
    }
}

/// The motion, where neither the question nor the answer says it.
fn motion(standing: &Standing) -> Option<String> {
    let unsaid = standing.verdict().map_or(standing.motion(), Verdict::unsaid_motion);
    unsaid.map(str::to_owned)
}

fn why(standing: &Standing) -> Option<String> {
    standing.verdict()?.why.clone()
}

/// `Should we split it? · No, 80% sure`: a finished debate, in a notification on the desktop.
pub fn notification(completed: &Completed) -> String {
    let Completed { question, standing, .. } = completed;
    let line = format!("{} · {}", clean(question, 60), clean(&standing.headline(), 100));
    // The sequence that carries it divides its parts so.
    line.replace(';', ",")
}

/// Why a finished debate has no valid verdict; for a program's log.
pub fn void(standing: &Standing) -> Option<String> {
    standing.void_reason().map(|_| clean(&format!("Anvil: {}", standing.headline()), 800))
}

/// The cautions on a verdict, a line each; for a program's log.
pub fn cautions(standing: &Standing) -> Vec<String> {
    let line = |caution: &String| clean(&format!("Anvil: caution: {caution}"), 800);
    standing.cautions().iter().map(line).collect()
}

/// `3 survived, 2 weakened; rests on C1, C4`
fn counts(end: &End<'_>) -> Option<String> {
    let counted = anvil_report::counted_claims(end.ledger)?;
    let counted = counted.split_once(": ").map_or(counted.as_str(), |(_, counts)| counts);
    let rests = end.standing.verdict().and_then(|verdict| verdict.rests_on.as_deref());
    let rests = rests.filter(|ids| !ids.is_empty());
    let rests = rests.map(|ids| format!("; rests on {}", first_ids(ids))).unwrap_or_default();
    Some(format!("{counted}{rests}"))
}

/// Ids with commas between them, and the number of the ids that are not shown.
pub(super) fn first_ids(ids: &[Id]) -> String {
    let named = ids.iter().take(MOST_IDS).map(Id::to_string).collect::<Vec<_>>().join(", ");
    if ids.len() > MOST_IDS { format!("{named} and {} more", ids.len() - MOST_IDS) } else { named }
}
