//! Earlier debates, in lines as wide as the screen: one report, many, and those that can go.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Zoned};

use super::Door;
use super::Screen;
use super::error::{capital, with_full_stop};
use super::steering::rounds;
use anvil_core::debate::Debate;
use anvil_core::journal::Outcome;
use anvil_core::ledger::{Standing, Verdict};
use anvil_core::place::DebateFormat;
use anvil_engine::{FoundTexts, Hit, PastDebate, PastDebates, PrunePlan, ScreenReport};
use anvil_store::StoredDebate;
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, clean, columns, files, fit, hint, number_of, size, wrap};

/// Columns of a screen of unknown width.
pub const USUAL_COLUMNS: usize = 80;

/// The columns that the client leaves to a hook's text in a terminal of this width: a wider line
/// continues at the left edge.
pub fn client_columns(terminal: Option<usize>) -> usize {
    terminal.unwrap_or(USUAL_COLUMNS).saturating_sub(CLIENT_TAKES).max(LEAST_COLUMNS)
}

/// Columns that the client uses itself.
const CLIENT_TAKES: usize = 10;

/// Fewer columns can't hold a list.
const LEAST_COLUMNS: usize = 40;

/// Most unreadable files that are named.
pub(super) const MOST_UNREADABLE: usize = 5;

/// `analyst, 3 rounds`, `stakeholders, 3 voices, cycle 2`.
pub(super) fn mode_and_length(debate: &Debate) -> String {
    let length = match debate.format() {
        DebateFormat::Seats => rounds(debate.options.max_rounds),
        DebateFormat::Stakeholders | DebateFormat::Personas => {
            format!("{} voices", debate.options.voices.len())
        }
        DebateFormat::Options => format!("{} options", debate.options.voices.len()),
    };
    let cycle = match debate.cycle() {
        ..=1 => String::new(),
        cycle => format!(", cycle {cycle}"),
    };
    format!("{}, {length}{cycle}", clean(debate.options.mode.word(), 60))
}

/// Columns of a verdict and of a confidence.
const VERDICT: usize = "Depends".len();
const CONFIDENCE: usize = "100%".len();

/// The output of `anvil history` for at most `most` debates: each with its verdict, its
/// recommendation and the outcome. Debates on the same question are grouped.
pub fn history(past: &PastDebates, most: usize, screen: Screen, door: &Door) -> String {
    let columns = screen.width();
    let count = past.debates.len();
    let rows = &past.debates[..most.min(count)];
    let number = rows.last().map_or(1, |row| number_text(row).len());
    let mut out = String::new();
    let mut questions = Vec::new();
    for row in rows {
        let question = comparable(row);
        if questions.contains(&question) {
            continue;
        }
        for (at, row) in rows.iter().filter(|row| comparable(row) == question).enumerate() {
            let own = clean(&row.debate.question, 2 * columns);
            let title = if at == 0 { &own } else { "the same question" };
            out.push_str(&entry(past, row, title, number, screen));
        }
        questions.push(question);
        out.push('\n');
    }
    if count > most {
        let left = count - most;
        let search = door.command(Verb::History.with("TEXT"));
        let _ = writeln!(out, "  … and {left} more: {search} searches them all.");
    }
    for (file, why) in past.unreadable.iter().take(MOST_UNREADABLE) {
        let file = clean(&past.project.display(file), 200);
        let _ = write!(out, "  unreadable: {file}\n    {}\n", clean(why, 200));
    }
    if past.unreadable.len() > MOST_UNREADABLE {
        let left = past.unreadable.len() - MOST_UNREADABLE;
        let _ = writeln!(out, "  … and {left} more that can't be read.");
    }
    out.trim_end().to_owned()
}

/// A question in the form in which questions are compared.
fn comparable(row: &PastDebate) -> String {
    row.debate.question.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// One debate: its verdict and question; its recommendation; its date, its id and the outcome.
fn entry(
    past: &PastDebates,
    row: &PastDebate,
    title: &str,
    number: usize,
    screen: Screen,
) -> String {
    let columns = screen.width();
    let debate = &row.debate;
    let standing = row.standing.as_ref();
    let known = standing.and_then(Standing::verdict);
    let verdict = match standing {
        Some(Standing::Void { .. }) => "void".to_owned(),
        // Where yes or no alone would answer another question, the next line goes on.
        _ => known
            .map(|known| {
                let colon = if known.action().is_some() { ":" } else { "" };
                format!("{}{colon}", known.word.answer())
            })
            .unwrap_or_default(),
    };
    let percent = known.and_then(|verdict| verdict.confidence);
    let percent = percent.map(|percent| format!("{percent}%")).unwrap_or_default();
    let first =
        format!(" {:>number$}  {verdict:<VERDICT$}  {percent:>CONFIDENCE$}  ", number_text(row));
    let indent = self::columns(&first);
    let cautions = standing.map_or(0, |standing| standing.cautions().len());
    let cautions = match cautions {
        0 => String::new(),
        count => format!("  ({})", number_of(count, "caution", "cautions")),
    };
    let room = columns.saturating_sub(self::columns(&cautions));
    let head = screen.bold(&fit(&format!("{first}{title}"), room));
    let mut out = format!("{head}{cautions}\n");
    let result = match standing {
        Some(standing) => {
            let action = known.and_then(Verdict::action).map(|action| with_full_stop(&action));
            let lead = known.and_then(|verdict| verdict.recommendation.clone());
            let lead: Vec<String> = action.into_iter().chain(lead).collect();
            let lead = Some(lead.join(" ")).filter(|lead| !lead.is_empty());
            let why = standing.void_reason().map(|why| with_full_stop(&capital(why)));
            clean(&lead.or(why).unwrap_or_default(), 2 * columns)
        }
        None => format!("{}: {}", debate.status().label(), debate.place_label()),
    };
    let facts = [when(debate.updated_at(), &past.now), ending(&debate.id).to_owned()];
    let project = row.number.is_none().then(|| row.place.file_name()).flatten();
    let project = project.map(|name| clean(&name.to_string_lossy(), 60));
    let facts = facts.into_iter().chain(project).chain(became(past, row));
    let facts: Vec<String> = facts.chain(recheck_line(past, row)).collect();
    let facts = wrap(&facts.join(" · "), columns.saturating_sub(indent));
    for line in [result].into_iter().chain(facts) {
        let _ = writeln!(out, "{}", fit(&format!("{:indent$}{line}", ""), columns));
    }
    out
}

/// The debate's number in the list; empty if the list has the debates of every project.
fn number_text(row: &PastDebate) -> String {
    row.number.map(|number| number.to_string()).unwrap_or_default()
}

/// `today 18:18`, `3 November 09:40`
fn when(at: Timestamp, now: &Zoned) -> String {
    let at = at.to_zoned(now.time_zone().clone());
    match at.date() {
        day if day == now.date() => at.strftime("today %H:%M").to_string(),
        day if day.year() == now.year() => at.strftime("%-d %B %H:%M").to_string(),
        _ => at.strftime("%-d %B %Y %H:%M").to_string(),
    }
}

/// `turned out right`, `look again on 15 January`
fn became(past: &PastDebates, row: &PastDebate) -> Option<String> {
    let decision = past.decisions.iter().find(|decision| decision.id == row.debate.id)?;
    let turned = decision.outcome.map(|outcome| match outcome {
        Outcome::Abandoned => "abandoned".to_owned(),
        outcome => format!("turned out {}", outcome.word()),
    });
    let review = decision.review.map(|day| {
        let format = if day.year() == past.now.year() { "%-d %B" } else { "%-d %B %Y" };
        format!("review on {}", day.strftime(format))
    });
    let both: Vec<String> = turned.into_iter().chain(review).collect();
    (!both.is_empty()).then(|| both.join(", "))
}

/// `its words are unchanged (3 November 09:40)`, `words of 2 claims changed (today 18:18)`
fn recheck_line(past: &PastDebates, row: &PastDebate) -> Option<String> {
    let seen = past.rechecked.get(&row.debate.id)?;
    let what = match seen.changed {
        0 => "its words are unchanged".to_owned(),
        1 => "words of 1 claim changed".to_owned(),
        changed => format!("words of {changed} claims changed"),
    };
    Some(format!("{what} ({})", when(seen.at, &past.now)))
}

/// The last characters of an id, which identify the debate; the whole id if it was written by hand.
pub(super) fn ending(id: &str) -> &str {
    id.rsplit_once('-').map(|(_, end)| end).filter(|end| end.len() == 4).unwrap_or(id)
}

/// The output of `anvil history TEXT` for at most `most` debates: each with its hits below it.
pub fn search_lines(found: &FoundTexts, most: usize, columns: usize) -> String {
    let debates = &found.debates;
    let hits: usize = debates.iter().map(|(_, hits)| hits.len()).sum();
    let places = number_of(hits, "place", "places");
    let of = number_of(debates.len(), "debate", "debates");
    let mut out = format!("Anvil: \"{}\" is in {places} of {of}.\n", clean(&found.text, 40));
    let left = debates.len().saturating_sub(most);
    let debates = &debates[..debates.len() - left];
    let first = debates.iter().map(|(past, _)| handle(past).len()).max().unwrap_or(1);
    let width = debates
        .iter()
        .flat_map(|(_, hits)| hits)
        .map(|hit| self::columns(&place(hit)))
        .max()
        .unwrap_or(0);
    for (past, hits) in debates {
        let question = clean(&past.debate.question, 2 * columns);
        let line = fit(&format!("  {:>first$}  {question}", handle(past)), columns);
        let _ = writeln!(out, "\n{line}");
        for hit in hits {
            let place = place(hit);
            let padding = " ".repeat(width.saturating_sub(self::columns(&place)));
            let line = format!("{place}{padding}  {}", clean(&hit.excerpt, 2 * columns));
            let _ = writeln!(out, "{}", below(first, &line, columns));
        }
    }
    if left > 0 {
        let _ = write!(out, "\n  … and {left} more: a longer text finds fewer.\n");
    }
    out.trim_end().to_owned()
}

fn place(hit: &Hit) -> String {
    clean(&hit.place, 28)
}

/// The word that names a debate: its number in the list, or the end of its id.
fn handle(past: &PastDebate) -> String {
    past.number.map_or_else(|| ending(&past.debate.id).to_owned(), |number| number.to_string())
}

#[derive(Debug, thiserror::Error)]
#[error("no debate in this project contains \"{0}\"")]
struct NotFound(String);

impl Failure for NotFound {
    fn kind(&self) -> Kind {
        Kind::Nothing
    }

    fn hint(&self) -> Hint {
        hint![Verb::History, " lists them"]
    }
}

pub fn not_found(text: &str) -> Error {
    NotFound(clean(text, 60)).into()
}

/// A line under the question.
fn below(width: usize, line: &str, columns: usize) -> String {
    fit(&format!("  {:>width$}  {line}", ""), columns).trim_end().to_owned()
}

/// The debate, and how to see more of it.
pub fn report_lines(shown: &ScreenReport, door: &Door) -> String {
    let ScreenReport { id, text, page } = shown;
    let text = text.trim_end();
    let handle = ending(id);
    let open = door.command(Verb::Report.with(format!("{handle} --open")));
    match page {
        _ if !door.is_client() => format!(
            "{text}\n\n  {} shows every reply, {open} its page.",
            door.command(Verb::Report.with(format!("{handle} --full")))
        ),
        Some(page) => {
            format!("Anvil: {text}\n\nPage: {}   {open} shows it", clean(page, 400))
        }
        None => format!("Anvil: {text}\n\n{open} makes its page and shows it"),
    }
}

/// The files that would be removed.
pub fn prune_plan(plan: &PrunePlan) -> String {
    let count = plan.debates.len();
    let all = plan.debates.len() + plan.stay;
    let number: usize = plan.debates.iter().map(|debate| debate.files.len()).sum();
    let mut out = format!(
        "Anvil: {count} of {all} finished debates can be removed, with their verdicts: {}, {}.",
        files(number),
        size(plan.bytes())
    );
    for debate in &plan.debates {
        let _ = write!(out, "\n\n  {}  {}", clean(&debate.id, 100), clean(&debate.question, 60));
        let folder = clean(&plan.project.display(&debate.folder), 300);
        let bytes = debate.files.iter().map(|(_, bytes)| bytes).sum();
        let _ = write!(out, "\n    {:>11}  {folder} ({})", size(bytes), files(debate.files.len()));
    }
    out
}

/// The question at a terminal before the files are removed.
pub const PRUNE_QUESTION: &str = "\nType yes to remove them for good:";

/// The user did not say yes.
pub fn no_prune_line(keep: usize, door: &Door) -> String {
    let command = door.command(Verb::Prune.with(format!("--keep {keep} --yes")));
    format!("\nNothing was removed. {command} removes them.")
}

/// The number of files that were removed.
pub fn prune_line(number: usize, bytes: u64) -> String {
    format!("\nRemoved: {}, {}.", files(number), size(bytes))
}

pub fn purge_line(folder: &Path) -> String {
    let folder = clean(&folder.display().to_string(), 400);
    format!("The records of sessions and the reports are gone from {folder}. Debates stay there.")
}

pub const NO_DEBATES: &str = "There is no debate to remove.";

/// The debates of this user, with their sizes.
pub fn debates_to_purge(debates: &[StoredDebate]) -> String {
    let bytes = debates.iter().map(|debate| debate.bytes).sum();
    let count = number_of(debates.len(), "debate", "debates");
    let mut out = format!("Anvil: {count} can be removed, with their verdicts, {}:", size(bytes));
    for debate in debates {
        let _ = write!(out, "\n  {:>11}  {}", size(debate.bytes), clean(&debate.id, 100));
    }
    out
}

/// The user did not say yes. `what`: the word of `--purge`.
pub fn no_purge_line(what: &str, door: &Door) -> String {
    let command = door.command(Verb::Uninstall.with(format!("--purge={what} --yes")));
    format!("\nNothing of that was removed. {command} removes it.")
}

/// All that Anvil wrote for this user, with the debates in it.
pub fn all_to_purge(paths: &[&Path], debates: &[StoredDebate]) -> String {
    let mut out = "Anvil: this can be removed:".to_owned();
    for path in paths {
        let _ = write!(out, "\n  {}", clean(&path.display().to_string(), 400));
    }
    if debates.is_empty() { out } else { format!("{out}\n\n{}", debates_to_purge(debates)) }
}

/// All of that is gone. `files`: the debates that stay in projects.
pub fn purge_all_lines(files: &[PathBuf]) -> String {
    let mut out = "Your records, with every debate in them, are removed.\nFiles that you wrote \
                   elsewhere with --output stay; they are not listed."
        .to_owned();
    if !files.is_empty() {
        out.push_str("\nThese debates stay in projects, each with its lock beside it:");
    }
    for file in files {
        let _ = write!(out, "\n  {}", clean(&file.display().to_string(), 400));
    }
    out
}

pub fn purge_debates_line(count: usize) -> String {
    format!("\nRemoved: {}.", number_of(count, "debate", "debates"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::journal::Decision;
    use anvil_core::ledger::{Ledger, LedgerReply};
    use anvil_core::place::{Place, Seat};
    use anvil_core::question::Alternatives;
    use anvil_store::Rechecked;

    fn standing(verdict: &str) -> Standing {
        let case = "**A1. One.** x [reasoning]\n\n**A2. Two.** y";
        let block = format!(
            "```anvil\nmotion: move\nA1 fell: a\nA2 fell: b\nagainst: c\nrecommendation: Keep it.\n{verdict}\n\
             confidence: 80\nrests on: A2\nflips if: d\nunknown: e\n```"
        );
        let reply = |seat, text| LedgerReply::new(Place { seat, round: 1 }, 1, text);
        let replies = [reply(Seat::Advocate, case), reply(Seat::Synthesizer, &block)];
        Ledger::from_replies(replies, &Alternatives::default()).standing()
    }

    #[test]
    fn repeated_questions_are_grouped_and_nothing_useful_is_cut() {
        let now = "2026-11-22T18:30[UTC]".parse::<Zoned>().unwrap();
        let row = |number: usize, question: &str, at: &str| {
            let id = format!("2026-11-22-why-000{number}");
            let mut debate = Debate::new(id, question.to_owned(), 1, at.parse().unwrap());
            debate.complete(at.parse().unwrap());
            PastDebate {
                debate,
                number: Some(number),
                place: "/project".into(),
                standing: Some(standing("verdict: do not")),
                file: "a.md".into(),
                report: None,
                snapshot: None,
                undone: Vec::new(),
            }
        };
        let at = "2026-11-22T18:20:00Z".parse().unwrap();
        let seen = |changed| Rechecked { at, changed };
        let decision = Decision {
            id: "2026-11-22-why-0003".to_owned(),
            question: "Why?".to_owned(),
            confidence: Some(80),
            outcome: Some(Outcome::Right),
            note: None,
            review: Some(jiff::civil::date(2027, 1, 15)),
        };
        let past = PastDebates {
            project: anvil_store::Project::at("/a"),
            debates: vec![
                row(1, "Why?", "2026-11-22T18:18:00Z"),
                PastDebate {
                    standing: Some(standing("verdict: not now")),
                    ..row(2, "When?", "2026-11-20T09:05:00Z")
                },
                row(3, "why? ", "2025-11-03T09:40:00Z"),
            ],
            unreadable: Vec::new(),
            decisions: vec![decision],
            rechecked: [
                ("2026-11-22-why-0001".to_owned(), seen(0)),
                ("2026-11-22-why-0002".to_owned(), seen(2)),
            ]
            .into(),
            now,
        };
        let expected = " 1  No:       80%  Why?  (1 caution)
                   not move. Keep it.
                   today 18:18 · 0001 · its words are
                   unchanged (today 18:20)
 3  No:       80%  the same question  (1 caution)
                   not move. Keep it.
                   3 November 2025 09:40 · 0003 · turned out
                   right, review on 15 January 2027

 2  void           When?
                   The line \"verdict\" has other words: \"not…
                   20 November 09:05 · 0002 · words of 2
                   claims changed (today 18:20)";
        assert_eq!(history(&past, 9, Screen::plain(60), &Door::default()), expected);
    }

    #[test]
    fn a_line_of_wide_characters_fits_the_screen() {
        for text in ["日本語の長い質問です。".repeat(20), "🚀 rocket ".repeat(20), "a ".repeat(100)]
        {
            let line = below(2, &text, 80);
            assert!((78..=80).contains(&columns(&line)) && line.ends_with('…'), "{line}");
        }
        assert_eq!(below(1, "日本", 80), "     日本");
    }
}
