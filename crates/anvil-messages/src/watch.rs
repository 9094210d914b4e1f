//! The live view of a debate: its phases, its words, the end of the last reply.

use super::Door;
use super::indent;
use super::status::resume;
use super::turns::clickable;
use anvil_core::debate::{Debate, Status};
use anvil_core::ledger::Ledger;
use anvil_core::place::Place;
use anvil_engine::{Look, ReplyState, Writer};
use anvil_report::counts_line;
use anvil_text::{age, clean, fit, words, wrap};

/// Most lines of the last reply that are shown, and of the verdict.
const LAST_LINES: usize = 4;

/// The last line of the view if the debate is removed.
pub const WATCHED_IS_GONE: &str = "Anvil: the debate is no longer here.";

/// No debate exists yet.
pub const WATCH_WAITS: &str =
    "Anvil: there is no debate here yet; its first phase shows here. Ctrl-C ends the wait.";

/// One line for a standard output that is no terminal. It does not change as long as the debate
/// does not change. At the end the verdict and the page follow.
pub fn watch_line(look: &Look, color: bool) -> String {
    let status = word(look);
    let (shade, next) = match look.debate.status() {
        Status::Completed | Status::Cancelled => ("32", String::new()),
        _ => ("1", format!("{} · ", look.debate.place_label())),
    };
    let line = format!("Anvil: {next}{status} · {}", words(look.words));
    let line = paint(color, shade, &line);
    end(look).into_iter().fold(line, |text, (label, value)| text + "\n" + label + ": " + &value)
}

/// What becomes of the next reply, in a word or two.
fn word(look: &Look) -> &'static str {
    match &look.next.state {
        ReplyState::Awaited if look.debate.is_active() => "waits for a writer",
        ReplyState::Received => "written, not saved yet",
        ReplyState::Written { writer: Writer::Holder(_), .. } => "claimed",
        _ => look.status(),
    }
}

/// The lines of a screen, at most `columns` wide and at most `rows` of them: the phases around the
/// current one, and the end of the last reply, or the verdict.
pub fn watch_screen(
    look: &Look,
    color: bool,
    columns: usize,
    rows: usize,
    door: &Door,
) -> Vec<String> {
    let debate = &look.debate;
    let rows = rows.max(1);
    let head = format!("Anvil: {}", clean(&debate.question, 300));
    let mut lines = vec![paint(color, "1", &fit(&head, columns))];
    let end = end(look);
    let last = if end.is_empty() { last_lines(look, columns) } else { Vec::new() };
    let verdict: Vec<String> = end
        .iter()
        .flat_map(|(label, value)| {
            let shade = if *label == "Verdict" { "1" } else { "" };
            label_lines(label, value, columns)
                .into_iter()
                .map(move |line| paint(color, shade, &line))
        })
        .collect();
    // The head and the sum always stay. On a low screen the phases get the rows that the verdict
    // leaves, or half.
    let counted = counts_line(Ledger::of_entries(&look.entries, &debate.alternatives()).counts());
    let goes_on: Vec<String> =
        goes_on(look, door).map_or_else(Vec::new, |line| indent(&line, columns.max(12)));
    let more = usize::from(counted.is_some()) + goes_on.len();
    let left = rows.saturating_sub(2 + more + verdict.len());
    let places: Vec<Place> = debate.schedule().places().collect();
    let shown = last.len().min(left.saturating_sub(places.len()).max(left / 3)).min(LAST_LINES);
    for at in around(&places, debate, left - shown.min(left)) {
        let (shade, line) = phase(look, *at);
        lines.push(paint(color, shade, &fit(&line, columns)));
    }
    let (done, total) = debate.count_phases();
    let sum = format!(
        "  {done} of {total} · {} · {} · started {}",
        words(look.words),
        word(look),
        age(look.now, debate.started_at())
    );
    lines.push(fit(&sum, columns));
    lines.extend(goes_on.iter().cloned());
    lines.extend(counted.map(|counted| fit(&format!("  {counted}"), columns)));
    lines.extend(last[last.len() - shown..].iter().map(|line| paint(color, "2", line)));
    lines.extend(verdict);
    lines.truncate(rows);
    lines
}

/// The way to go on, if the next reply may have no writer.
fn goes_on(look: &Look, door: &Door) -> Option<String> {
    match look.next.interruption() {
        Some(why) => {
            let resume = resume(look, door);
            Some(format!("Interrupted: {}. {resume} continues.", clean(why, 80)))
        }
        None => {
            look.next.is_overdue().then(|| "If Claude is not writing: /anvil:resume".to_owned())
        }
    }
}

/// At most `most` places of the schedule, around the current one.
fn around<'a>(places: &'a [Place], debate: &Debate, most: usize) -> &'a [Place] {
    let runs = places.iter().position(|place| *place == debate.place()).unwrap_or(0);
    let behind = usize::from(most > 2);
    let end = (runs + 1 + behind).max(most).min(places.len());
    &places[end.saturating_sub(most)..end]
}

/// The verdict of a completed debate, and the path of its page.
fn end(look: &Look) -> Vec<(&'static str, String)> {
    if look.debate.status() != Status::Completed {
        return Vec::new();
    }
    let among = look.debate.alternatives();
    let standing = Ledger::of_entries(&look.entries, &among).standing();
    let lead = standing.verdict().and_then(|verdict| verdict.recommendation.as_deref());
    let lead =
        lead.map(|lead| format!(". {}", super::error::with_full_stop(lead))).unwrap_or_default();
    let verdict = clean(&format!("{}{lead}", standing.headline()), 600);
    let cautions = standing.cautions().iter().map(|caution| ("Caution", clean(caution, 400)));
    let page = look.page.as_ref().or(look.report.as_ref());
    let page = page.map(|page| ("Page", clickable(&look.project.display(page))));
    [("Verdict", verdict)].into_iter().chain(cautions).chain(page).collect()
}

/// A line at the end of the view, with its further lines indented. A path stays on one line.
fn label_lines(label: &str, value: &str, columns: usize) -> Vec<String> {
    let width = "  Verdict: ".len().max(label.len() + 4);
    let name = format!("{label}:");
    let is_path = label == "Page";
    let parts =
        if is_path { vec![value.to_owned()] } else { wrap(value, columns.saturating_sub(width)) };
    parts
        .into_iter()
        .take(LAST_LINES)
        .enumerate()
        .map(|(at, part)| {
            let name = if at == 0 { &*name } else { "" };
            format!("  {name:<0$} {part}", width - 3)
        })
        .collect()
}

/// The last lines of the last reply.
fn last_lines(look: &Look, columns: usize) -> Vec<String> {
    let Some((_, last)) = look.entries.replies().next_back() else { return Vec::new() };
    let texts = last.text.lines().map(|line| clean(line, 4_000).replace("**", ""));
    let wrapped = texts.flat_map(|line| wrap(&line, columns.saturating_sub(4)));
    let lines: Vec<String> = wrapped.map(|line| fit(&format!("  │ {line}"), columns)).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].to_vec()
}

fn phase(look: &Look, at: Place) -> (&'static str, String) {
    let debate = &look.debate;
    let voice = debate.voice_at(at);
    let name = voice.map_or_else(String::new, |voice| format!(" ({})", clean(&voice.name, 40)));
    let cycle = debate.cycle();
    let reply = look.entries.replies().find(|(place, reply)| reply.cycle == cycle && *place == at);
    match reply {
        Some((_, reply)) => ("32", format!("  ✓ {at}{name}, {}", words(reply.words()))),
        None if at == debate.place() && debate.status().is_unfinished() => {
            ("1", format!("  ▸ {at}{name}"))
        }
        None => ("", format!("  · {at}{name}")),
    }
}

fn paint(color: bool, shade: &str, line: &str) -> String {
    if color && !shade.is_empty() {
        format!("\u{1B}[{shade}m{line}\u{1B}[0m")
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use anvil_core::place::Seat;
    use anvil_core::transcript::{self, Entries};
    use anvil_engine::{NextReply, ReplyState};
    use anvil_store::Project;
    use jiff::Timestamp;

    fn look(entries: Entries) -> Look {
        let mut debate = Debate::new("id".into(), "Why? ".repeat(40), 10, Timestamp::UNIX_EPOCH);
        debate.claim("one", None, Timestamp::UNIX_EPOCH);
        Look {
            claims: BTreeMap::new(),
            debate,
            entries,
            words: 0,
            skipped: Vec::new(),
            project: Project::at("/project"),
            owner: None,
            report: None,
            page: None,
            behind: None,
            repair: None,
            recovered: Vec::new(),
            is_lost: false,
            next: NextReply { state: ReplyState::Awaited, tries: 0 },
            effort: None,
            is_report_due: false,
            left: None,
            now: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_low_screen_keeps_the_running_phase_and_the_end_of_the_last_reply() {
        let mut body = "# Why?\n".to_owned();
        let first = Place { seat: Seat::Advocate, round: 1 };
        let text = "**A1.** one two three. ".repeat(9);
        transcript::append(&mut body, first, None, Timestamp::UNIX_EPOCH, &text);
        let mut look = look(transcript::parse(&body));
        look.debate.set_place(Place { seat: Seat::Critic, round: 4 });
        let lines = watch_screen(&look, false, 30, 8, &Door::default());
        assert_eq!(
            lines[1..5],
            [
                "  · critic, round 3",
                "  · advocate, round 4",
                "  ▸ critic, round 4",
                "  · advocate, round 5"
            ]
        );
        assert!(lines[5].starts_with("  7 of 21 · 0 words"), "{lines:?}");
        assert_eq!(lines[6..], ["  1 claim, 1 open", "  │ A1. one two three."]);
    }

    #[test]
    fn a_screen_stays_within_its_rows_and_columns() {
        let look = look(Entries::default());
        let runs = |lines: &[String]| lines.iter().any(|line| line.contains("▸"));
        for color in [false, true] {
            for rows in [1, 2, 5, 22, 23, 24, 80] {
                let lines = watch_screen(&look, color, 20, rows, &Door::default());
                assert_eq!(lines.len(), rows.min(23));
                assert!(color || lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
                assert!(lines[0].contains("Anvil: Why?"));
                assert!(rows < 3 || runs(&lines), "{lines:?}");
            }
        }
    }
}
